// The one gate. Takes every registered hook and what trust makes of it, gives those that may run and, for each of the others, why not.
// Nothing of a hook is evaluated before it has passed here: not its matcher, not its condition.
import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type { SwitchState } from "../registry/index.ts";
import type { RegisteredHook } from "../registry/types.ts";
import type { AdmittedHook, RefusalReason, RefusedHook, TrustStatus } from "./types.ts";

export interface AdmitOptions {
  readonly hooks: readonly RegisteredHook[];
  readonly switches: SwitchState;
  /** What `judge` said; functions of the program need none. */
  readonly statuses: ReadonlyMap<RegisteredHook, TrustStatus>;
}

export interface Admission {
  readonly admitted: readonly AdmittedHook[];
  readonly refused: readonly RefusedHook[];
}

/** Separates the hooks that may run from those that may not. */
export function admitHooks({ hooks, switches, statuses }: AdmitOptions): Admission {
  const admitted: AdmittedHook[] = [];
  const refused: RefusedHook[] = [];
  for (const hook of hooks) {
    const refusal = switches.isDisabled(hook) ?? untrusted(hook, statuses.get(hook));
    if (refusal) refused.push({ hook, ...refusal });
    // SECURITY: the only place where the brand is given.
    else admitted.push(hook as AdmittedHook);
  }
  return { admitted, refused };
}

function untrusted(hook: RegisteredHook, status: TrustStatus | undefined): Pick<RefusedHook, "reason" | "text"> | undefined {
  if (status) return status.refusal;
  // SECURITY: what nobody has judged does not run.
  return hook.source.scope === "code"
    ? undefined
    : { reason: "untrusted", text: `The hook "${hook.name}" was not judged and does not run.` };
}

const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  disabled: "HL_ADMIT_DISABLED",
  "managed-only": "HL_ADMIT_MANAGED_ONLY",
  "simple-mode": "HL_ADMIT_SIMPLE_MODE",
  untrusted: "HL_ADMIT_UNTRUSTED",
  changed: "HL_TRUST_CHANGED",
  refused: "HL_TRUST_REFUSED",
  "not-pinned": "HL_TRUST_NOT_PINNED",
  "wrong-pin": "HL_TRUST_WRONG_PIN",
  "project-hooks-off": "HL_ADMIT_PROJECT_HOOKS_OFF",
};

/** A hook that does not run is never silent. */
export function refusalDiagnostic({ hook, reason, text }: RefusedHook): Diagnostic {
  return { code: CODES[reason], level: "warning", text, place: hook.place, hook: hook.id };
}
