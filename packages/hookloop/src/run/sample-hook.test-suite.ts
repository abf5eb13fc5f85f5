import type { RegisteredHook } from "../config/registered-hook.ts";
import type { AdmittedHook } from "../trust/types.ts";
import type { RunInput } from "./types.ts";

/** An admitted hook for tests; only here is the gate skipped. */
export function sampleHook(overrides: Partial<RegisteredHook> = {}): AdmittedHook {
  const hook: RegisteredHook = {
    id: "user:PreToolUse:sample",
    name: "sample",
    dedupKey: "sample",
    event: "PreToolUse",
    target: { kind: "command", command: "true", shell: "sh" },
    source: { scope: "user", dialect: "claude", root: "/" },
    order: 0,
    priority: 0,
    isGuard: false,
    onFailure: "continue",
    timeoutMs: 20_000,
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    ...overrides,
  };
  return hook as AdmittedHook;
}

/** An event for tests. */
export function sampleInput(overrides: Partial<RunInput> = {}): RunInput {
  const input = overrides.input ?? { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  return {
    payload: () => Buffer.from(JSON.stringify(input)),
    input,
    cwd: "/",
    projectRoot: "/",
    sessionId: "session-1",
    env: {},
    ...overrides,
  };
}
