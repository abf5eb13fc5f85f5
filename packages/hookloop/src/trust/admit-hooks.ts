// The one gate. Takes every registered hook and what trust makes of it, gives those that may run and, for each of the others, why not.
// A gate that was approved and must not run as it is does not vanish: a stand-in that runs nothing blocks in its place.
// Nothing of a hook is evaluated before it has passed here: not its matcher, not its condition.

import { createHash } from "node:crypto";
import path from "node:path";
import { EVENTS } from "../catalogue/index.ts";
import type { RegisteredHook, Source, SwitchState } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import { realPath } from "./pin/examine-hook.ts";
import type { TrustRecord, TrustRecords } from "./store/seal-record.ts";
import type { AdmittedHook, Refusal, RefusalReason, RefusedHook, TrustStatus } from "./types.ts";
import { isGate, standIns } from "./withhold.ts";

interface AdmitOptions {
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
  // SECURITY: what was not judged does not run.
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

// Takes the local files that switch hooks off and what is known of the session's gates. Gives each switch as something that can be approved.
// Who can put a file into the project's folder (a pull, an archive, the agent's own shell) must not be able to silence an approved gate:
// whether git keeps the file can be undone by the same hands, so only an approval outside of the project tells the user's switch from theirs.

const SETTING = "disableAllHooks";
/** The row that what no event runs is kept under. */
const KEPT_AS = "Notification";

/** Whether it is a switch and no hook. */
export function isSwitch({ setting }: Pick<RegisteredHook, "setting">): boolean {
  return setting === SETTING;
}

/** A gate that was approved, or cannot be told from one. */
function isApprovedGate({ hook, isApproved = false, refusal }: TrustStatus): boolean {
  if (refusal?.reason === "project-hooks-off") return false;
  return refusal?.blocks === true || (isApproved && isGate(hook));
}

/** The switches that would silence an approved gate, each as a hook that runs nothing. Where there is no such gate, nothing has to be approved. */
export function switchesToApprove(switches: SwitchState, statuses: readonly TrustStatus[]): readonly RegisteredHook[] {
  const reached = new Set(
    statuses.filter(isApprovedGate).flatMap(({ hook }) => (switches.isDisabled(hook)?.local ?? []).map(({ file }) => file)),
  );
  return switches.local.filter(({ file }) => reached.has(file)).map(switchHook);
}

function switchHook(source: Source): RegisteredHook {
  const { file = "" } = source;
  const fields = { setting: SETTING, file: realFile(file) };
  const digest = createHash("sha256").update(JSON.stringify(fields)).digest("hex");
  return {
    id: `${source.scope}:${SETTING}:${digest.slice(0, 10)}`,
    name: `${SETTING} of ${path.join(path.basename(path.dirname(file)), path.basename(file))}`,
    event: KEPT_AS,
    target: { kind: "withheld" },
    source,
    place: { file },
    fields,
    setting: SETTING,
    ...{ order: 0, priority: 0, isGuard: false, onFailure: "continue", timeoutMs: 0, isAsync: false, wakesAgent: false, once: false },
    passEnv: [],
  };
}

/** The same file by every name of its folder. */
function realFile(file: string): string {
  return path.join(realPath(path.dirname(file)), path.basename(file));
}

/** What is known of the switches in these files. */
function switchesOf(local: readonly Source[], statuses: Iterable<TrustStatus>): readonly TrustStatus[] {
  const files = new Set(local.map(({ file }) => file));
  return [...statuses].filter(({ hook }) => isSwitch(hook) && files.has(hook.source.file));
}

/** The status with a text that says what the switch would do. */
export function explained(status: TrustStatus, gates: readonly TrustStatus[]): TrustStatus {
  const { refusal, hook } = status;
  if (!refusal) return status;
  const silenced = gates.filter(isApprovedGate).map((one) => `"${visibleLine(one.hook.name)}"`);
  const isOne = silenced.length === 1;
  const many = isOne ? "a gate that was approved" : `${silenced.length} gates that were approved`;
  const what = `"${SETTING}" of ${hook.source.file} would switch off ${many} (${silenced.slice(0, 3).join(", ")}${silenced.length > 3 ? ", …" : ""})`;
  const text =
    refusal.reason === "refused"
      ? `${what}, and was refused: ${isOne ? "it runs" : "they run"} all the same. Take it out of the file.`
      : `${what} and was not approved itself, so ${isOne ? "it blocks what it matches" : "they block what they match"}. ${switchCure(hook)}`;
  return { ...status, refusal: { ...refusal, text } };
}

function switchCure({ id }: RegisteredHook): string {
  return `If you mean it, approve it in your own terminal: hookloop trust approve ${id}. If not, take it out of the file.`;
}

/** A switch that does not count is never silent. */
export function switchDiagnostic({ hook, refusal }: TrustStatus): readonly Diagnostic[] {
  if (!isSwitch(hook) || !refusal) return [];
  const level = refusal.reason === "refused" ? "warning" : "error";
  return [{ code: "HL_TRUST_SWITCH", level, text: refusal.text, place: hook.place, hook: hook.id }];
}

/** SECURITY: an approval lasts as long as the switch stands there: the next one that appears may be an attacker's. */
export function outlived(records: TrustRecords, switches: SwitchState, projectRoot: string): readonly TrustRecord[] {
  const root = realPath(projectRoot);
  const present = new Set(switches.local.map(({ file = "" }) => realFile(file)));
  return [...records.values()].filter(({ definition, decision }) => {
    const { setting, file } = definition.fields;
    return definition.root === root && setting === SETTING && decision.verdict === "approved" && !present.has(String(file));
  });
}
