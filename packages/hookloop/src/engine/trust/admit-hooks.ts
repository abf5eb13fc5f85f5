// The one gate. Takes every registered hook, gives those that may run and, for each of the others, why not.
// Nothing of a hook is evaluated before it has passed here: not its matcher, not its condition.
import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Scope } from "../config/types.ts";
import type { SwitchState } from "../registry/index.ts";
import type { RegisteredHook } from "../registry/types.ts";
import type { AdmittedHook, RefusalReason, RefusedHook } from "./types.ts";

/** Who vouches for hooks that a checkout brings along: the store of approvals, the embedding program for all, or for each. */
export type Trust = "store" | "implicit" | ((hook: RegisteredHook) => boolean);

export interface AdmitOptions {
  readonly hooks: readonly RegisteredHook[];
  readonly switches: SwitchState;
  readonly trust: Trust;
}

export interface Admission {
  readonly admitted: readonly AdmittedHook[];
  readonly refused: readonly RefusedHook[];
}

/** Hooks of these scopes come with files that somebody else may have written. */
const NEEDS_TRUST: readonly Scope[] = ["local", "project", "plugin", "skill"];

/** Separates the hooks that may run from those that may not. */
export function admitHooks({ hooks, switches, trust }: AdmitOptions): Admission {
  const admitted: AdmittedHook[] = [];
  const refused: RefusedHook[] = [];
  for (const hook of hooks) {
    const refusal = switches.isDisabled(hook) ?? untrusted(hook, trust);
    if (refusal) refused.push({ hook, ...refusal });
    // SECURITY: the only place where the brand is given.
    else admitted.push(hook as AdmittedHook);
  }
  return { admitted, refused };
}

function untrusted(hook: RegisteredHook, trust: Trust): Pick<RefusedHook, "reason" | "text"> | undefined {
  if (!NEEDS_TRUST.includes(hook.source.scope) || isTrusted(hook, trust)) return undefined;
  const text = `The ${hook.source.scope} hook "${hook.name}" is not trusted and does not run. Review it, then trust it.`;
  return { reason: "untrusted", text };
}

function isTrusted(hook: RegisteredHook, trust: Trust): boolean {
  if (trust === "implicit") return true;
  if (trust === "store") return false;
  try {
    return trust(hook) === true;
  } catch {
    // SECURITY: a program that cannot say yes has not said it.
    return false;
  }
}

const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  disabled: "HL_ADMIT_DISABLED",
  "managed-only": "HL_ADMIT_MANAGED_ONLY",
  "simple-mode": "HL_ADMIT_SIMPLE_MODE",
  untrusted: "HL_ADMIT_UNTRUSTED",
};

/** A hook that does not run is never silent. */
export function refusalDiagnostic({ hook, reason, text }: RefusedHook): Diagnostic {
  return { code: CODES[reason], level: "warning", text, place: hook.place, hook: hook.id };
}
