import type { RegisteredHook } from "../config/registered-hook.ts";
import type { AdmittedHook } from "../trust/types.ts";

const SAMPLE: RegisteredHook = {
  id: "project:PreToolUse:0",
  name: "sample",
  event: "PreToolUse",
  target: { kind: "command", command: "true", shell: "sh" },
  source: { scope: "project", dialect: "claude", root: "/srv" },
  order: 0,
  priority: 0,
  isGuard: false,
  onFailure: "continue",
  timeoutMs: 1000,
  isAsync: false,
  wakesAgent: false,
  once: false,
  passEnv: [],
};

/** A hook as the gate would let it through. */
export function sampleHook(id: string, fields: Partial<RegisteredHook> = {}): AdmittedHook {
  return { ...SAMPLE, id, ...fields } as AdmittedHook;
}

export const FUNCTION: RegisteredHook["target"] = { kind: "function", handler: () => undefined };
