import type { EventName } from "@hookloop/sdk";
import type { RegisteredHook } from "../config/registered-hook.ts";
import type { Scope } from "../config/types.ts";
import type { AdmittedHook } from "../trust/types.ts";
import type { Effect, Outcome } from "./effects.ts";

export interface HookParts extends Partial<Omit<RegisteredHook, "source">> {
  readonly scope?: Scope;
}

/** A hook as the registry would give it; only what a test is about is named. */
export function makeHook({ scope = "user", ...parts }: HookParts = {}): AdmittedHook {
  const order = parts.order ?? 0;
  const hook: RegisteredHook = {
    id: `${scope}:${order}`,
    name: `hook-${order}`,
    event: "PreToolUse",
    target: { kind: "function", handler: () => undefined },
    source: { scope, dialect: "native", root: "/project" },
    order,
    priority: 0,
    isGuard: false,
    onFailure: "continue",
    timeoutMs: 1000,
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    ...parts,
  };
  // Only trust/ admits hooks; a test is not the place where that matters.
  return hook as AdmittedHook;
}

export function makeOutcome(hook: AdmittedHook, effects: readonly Effect[], more: Partial<Outcome> = {}): Outcome {
  return { hook, effects, diagnostics: [], durationMs: 1, ...more };
}

export const SOME_EVENTS: readonly EventName[] = [
  "PreToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "Stop",
  "PostToolUse",
  "PostToolBatch",
  "Elicitation",
  "SessionStart",
];
