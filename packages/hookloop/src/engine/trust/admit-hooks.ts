// The one gate. Takes every registered hook and what trust makes of it, gives those that may run and, for each of the others, why not.
// A gate that was approved and must not run as it is does not vanish: a stand-in that runs nothing blocks in its place.
// Nothing of a hook is evaluated before it has passed here: not its matcher, not its condition.
import { EVENTS } from "../../catalogue/index.ts";
import type { RegisteredHook, SwitchState } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import { isApprovedGate, isSwitch, switchCure, switchesOf } from "./local-switches.ts";
import type { AdmittedHook, Refusal, RefusalReason, RefusedHook, TrustStatus } from "./types.ts";
import { standIns } from "./withhold.ts";

export interface AdmitOptions {
  readonly hooks: readonly RegisteredHook[];
  readonly switches: SwitchState;
  /** What `judge` said; functions of the program need none. */
  readonly statuses: ReadonlyMap<RegisteredHook, TrustStatus>;
  /** No gate is withheld: those that were approved are in the session's plan already, as they were when it began. */
  readonly isEdit?: boolean | undefined;
}

export interface Admission {
  readonly admitted: readonly AdmittedHook[];
  readonly refused: readonly RefusedHook[];
  /** Stand-ins for those of the refused that block. They run nothing. */
  readonly withheld: readonly AdmittedHook[];
}

/** Separates the hooks that may run from those that may not. */
export function admitHooks({ hooks, switches, statuses, isEdit = false }: AdmitOptions): Admission {
  const admitted: AdmittedHook[] = [];
  const refused: RefusedHook[] = [];
  const withheld: AdmittedHook[] = [];
  for (const hook of hooks) {
    const status = statuses.get(hook);
    const refusal = switchedOff(hook, { switches, statuses, status }) ?? untrusted(hook, status);
    // SECURITY: nothing but this function and the gate itself gives the brand; a stand-in has nothing to run.
    if (!refusal) {
      if (!status?.isAbsent) admitted.push(hook as AdmittedHook);
      continue;
    }
    const { blocks = false, text, switches: _switches, ...rest } = refusal;
    const isWithheld = blocks && !isEdit;
    const whole = isWithheld && !status?.isAbsent && rest.reason !== "disabled" ? `${text} ${untilThen(hook)}` : text;
    refused.push({ hook, ...rest, text: whole, ...(isWithheld && { blocks }), ...(status?.diff && { diff: status.diff }) });
    const stands = isWithheld ? standIns({ state: "refused", ...status, hook, refusal: { ...refusal, text: whole } }) : [];
    withheld.push(...(stands as unknown as AdmittedHook[]));
  }
  return { admitted, refused, withheld };
}

function untilThen({ event, matcher, condition }: RegisteredHook): string {
  if (!EVENTS[event].failureCanBlock) return `(until then ${event} is not judged by it: a hook that does not run cannot block there)`;
  return matcher === undefined && condition === undefined
    ? `(until then it blocks every ${event})`
    : "(until then it blocks what it matches)";
}

interface Switching extends Pick<AdmitOptions, "switches" | "statuses"> {
  readonly status: TrustStatus | undefined;
}

/**
 * SECURITY: a file of the project's folder cannot switch off a gate that was approved, which stays shut instead. The one exception is
 * the switch of a local file that was approved itself.
 */
function switchedOff(hook: RegisteredHook, { switches, statuses, status }: Switching): Refusal | undefined {
  const off = isSwitch(hook) ? undefined : switches.isDisabled(hook);
  if (!off) return undefined;
  const { isOfCheckout = false, local, ...refusal } = off;
  if (!(isOfCheckout || local) || !status || !isApprovedGate(status)) return refusal;
  if (!local) {
    const text = `${off.text} The gate was approved, and a file of the project cannot switch it off: it blocks what it matches. To do without it: hookloop trust revoke ${hook.id}`;
    return { ...refusal, text, blocks: true };
  }
  const known = switchesOf(local, statuses.values());
  if (known.some((one) => !one.refusal)) return refusal;
  const waiting = known.flatMap((one) => (one.refusal?.reason === "refused" ? [] : one.hook));
  // Each was refused: the gate runs as if they were not there.
  if (known.length > 0 && waiting.length === 0) return undefined;
  const [first] = waiting;
  const text = `${off.text} The gate was approved and that switch was not, so the gate blocks what it matches.${first ? ` ${switchCure(first)}` : ""}`;
  return { ...refusal, text, blocks: true, switches: waiting };
}

function untrusted(hook: RegisteredHook, status: TrustStatus | undefined): Refusal | undefined {
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
  unreadable: "HL_TRUST_GATE_UNREADABLE",
  removed: "HL_TRUST_GATE_REMOVED",
  above: "HL_TRUST_GATE_ABOVE",
  unknown: "HL_TRUST_GATE_UNKNOWN",
  "project-hooks-off": "HL_ADMIT_PROJECT_HOOKS_OFF",
};

/** A hook that does not run is never silent. */
export function refusalDiagnostic({ hook, reason, text, blocks }: RefusedHook): Diagnostic {
  return { code: CODES[reason], level: blocks ? "error" : "warning", text, place: hook.place, hook: hook.id };
}
