// Takes whom a run believes, the store of approvals and where hooks run. Gives the gate: what each hook is, and before each run whether it still is.
// Refuses everything that is not approved; runs nothing.

import { catchRejection, shown } from "../check-options.ts";
import { EXTENSION, type RegisteredHook } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import { explained, outlived, switchesToApprove } from "./admit-hooks.ts";
import { gatesAbove } from "./cannot-start.ts";
import { findBefore, isPinned, judgeHook, type PinnedHook, unreadableRefusal } from "./judge-hook.ts";
import { examineHook, type PinPlace } from "./pin/examine-hook.ts";
import { Look } from "./pin/hash-file.ts";
import { pinHook } from "./pin/pin-hook.ts";
import { watchHook } from "./pin/pin-modules.ts";
import { diffRecords, noteTimes, recheck, type StaleHook, type Trusted } from "./recheck.ts";
import { remember, reviewHooks } from "./review-hooks.ts";
import { sealRecord, type TrustRecords } from "./store/seal-record.ts";
import type { TrustStore } from "./store/trust-store.ts";
import type { AdmittedHook, PendingHook, RunTrust, Trust, TrustStatus, Withheld } from "./types.ts";
import { absentGates, type Concern } from "./withhold.ts";

interface GateOptions {
  readonly trust: Trust;
  /** Other names that the session's folder was reached by. */
  readonly names?: readonly string[] | undefined;
  readonly isStrict: boolean;
  readonly place: PinPlace;
  readonly store: TrustStore;
  readonly report: (diagnostic: Diagnostic) => void;
}

export type Statuses = ReadonlyMap<RegisteredHook, TrustStatus>;

export interface TrustGate {
  /**
   * What each hook is; asks the user and records what is seen first, where the options say so. With what is concerned, also the gates that
   * were approved and are not among the hooks.
   */
  judge(hooks: readonly RegisteredHook[], concern?: Concern): Promise<Statuses>;
  /** The same for hooks that came while the session runs: what was said of the workspace was said of what was there when it began. */
  judgeEdits(hooks: readonly RegisteredHook[], concern?: Concern): Promise<Statuses>;
  /** The same without asking or writing anything. */
  look(hooks: readonly RegisteredHook[], concern?: Concern): Statuses;
  /** The approved gates of folders above the session's, or of these and above them; `unread`: a file of configuration there. */
  approvedAbove(unread: string | undefined, folders?: readonly string[]): readonly TrustStatus[];
  /** Right before a stand-in blocks: the hook to run if it was approved meanwhile, `gone` if nothing is left to keep in force. */
  reconsider(withheld: Withheld): AdmittedHook | "gone" | undefined;
  /** The same for hooks that the session refused: those that the store approves by now are among it without a refusal. */
  lookAgain(hooks: readonly RegisteredHook[]): Statuses;
  /** Whether the store may say something else than it did when this was last asked. */
  hasNews(): boolean;
  /** Right before each run: what has changed, or nothing. A change that was approved in another terminal is none any more. */
  recheck(hook: RegisteredHook, cwd: string): StaleHook | undefined;
}

export function openGate(options: GateOptions): TrustGate {
  const { trust, report } = options;
  const trusted = new Map<string, Trusted>();
  const pin = (hook: RegisteredHook, look?: Look): TrustedHook => pinNow(hook, options, look);
  const later = laterTrust(trust);
  const approvals = openApprovals(options);
  let sign = options.store.sign();
  const judge = async (hooks: readonly RegisteredHook[], believed: Trust, concern?: Concern): Promise<Statuses> => {
    const { statuses, pinned, records } = lookAtHooks(hooks, { ...options, trust: believed, concern }, pin);
    if (concern?.switches && records) await forgetSwitches(concern.switches, records, options);
    for (const status of await firstSight(statuses, options)) statuses.set(status.hook, status);
    const { review } = runTrust(trust);
    if (review) for (const status of await reviewHooks({ ...options, review, statuses, pin })) statuses.set(status.hook, status);
    // SECURITY: only what passed is what later runs are compared with; looking alone must never renew it.
    for (const { hook, ...seen } of pinned) if (!statuses.get(hook)?.refusal) trusted.set(hook.id, seen);
    for (const status of statuses.values()) approvals.note(status);
    return statuses;
  };
  return {
    approvedAbove(unread, folders) {
      return isProgram(trust) || runTrust(trust).projectHooks === false ? [] : gatesAbove({ ...options, unread, folders });
    },
    look: (hooks, concern) => lookAtHooks(hooks, { ...options, concern }, pin).statuses,
    async judge(hooks, concern) {
      const statuses = await judge(hooks, trust, concern);
      reportUnknownPins([...statuses.keys()], runTrust(trust), report);
      return statuses;
    },
    judgeEdits: (hooks, concern) => judge(hooks, later, concern),
    lookAgain(hooks) {
      const { statuses, pinned } = lookAtHooks(hooks, { ...options, trust: later }, pin);
      for (const { hook, ...seen } of pinned) {
        const status = statuses.get(hook);
        if (!status || status.refusal) continue;
        // SECURITY: only an approval lets in what was refused; that nothing is known of it any more does not.
        if (status.isApproved) trusted.set(hook.id, seen);
        else statuses.set(hook, { ...status, refusal: { reason: "untrusted", text: `"${hook.name}" is not approved and does not run.` } });
      }
      return statuses;
    },
    hasNews() {
      if (isProgram(trust)) return false;
      const before = sign;
      sign = options.store.sign();
      return sign !== before;
    },
    reconsider(withheld) {
      if (isProgram(trust)) return undefined;
      const answer = reconsider(withheld, options, pin);
      if (!answer || answer === "gone") return answer;
      trusted.set(answer.hook.id, answer);
      // SECURITY: it passed the gate just now, like any hook at the start of a session.
      return answer.hook as AdmittedHook;
    },
    recheck(hook, cwd) {
      if (isProgram(trust) || !isPinned(hook)) return undefined;
      const known = trusted.get(hook.id);
      // SECURITY: what was never pinned cannot be compared.
      if (!known) return { digest: "", diff: "", text: `"${hook.name}" was never looked at and was not run.` };
      const stale = recheck(known, cwd, options.isStrict) ?? approvals.takenBack(hook, known.pins.digest);
      const renewed = stale && approvedSince(hook, { ...options, trust: later }, pin);
      if (!renewed) return stale;
      trusted.set(hook.id, renewed);
      const still = recheck(renewed, cwd, options.isStrict);
      if (!still) report(approvedDiagnostic(hook));
      return still;
    },
  };
}

/** Follows the store while the session runs: what it approved when a hook was last looked at, and whether it still does. */
function openApprovals({ trust, store }: GateOptions): {
  readonly note: (status: TrustStatus | undefined) => void;
  readonly takenBack: (hook: RegisteredHook, digest: string) => StaleHook | undefined;
} {
  const { pinned = {}, workspace = false } = runTrust(trust);
  const approved = new Set<string>();
  let sign: string | undefined;
  let records: TrustRecords = new Map();
  return {
    note(status) {
      if (status?.isApproved && status.digest !== undefined) approved.add(status.digest);
    },
    takenBack(hook, digest) {
      const now = store.sign();
      if (now !== sign) {
        const found = store.read();
        // A store that cannot be read takes nothing back.
        if (found.isLost) return undefined;
        sign = store.sign();
        records = found.records;
      }
      const verdict = records.get(digest)?.decision.verdict;
      if (verdict === "approved") approved.add(digest);
      // What the run trusts by itself, and a user's own hook, is revoked only by a refusal.
      const isOfRun = workspace || hook.source.scope === "user" || !approved.has(digest);
      if (verdict === "approved" || pinned[hook.id] === digest || (verdict === undefined && isOfRun)) return undefined;
      // An edit that was approved takes its place in the next session; this one keeps what it began with.
      if (verdict === undefined && [...records.values()].some(({ previous }) => previous?.digest === digest)) return undefined;
      const text = `The approval of "${visibleLine(hook.name)}" was taken back while the session runs, so it was not run.`;
      return { digest, diff: "", text, isRevoked: true };
    },
  };
}

/** The hook to run in the place of its stand-in, `gone` if there is nothing left to keep in force, nothing if it goes on blocking. */
function reconsider(
  { of: hook, approved, switches }: Withheld,
  options: GateOptions,
  pin: (hook: RegisteredHook) => TrustedHook,
): TrustedHook | "gone" | undefined {
  // SECURITY: it is loaded when a session opens. What is approved later counts in the next one; until then nothing guards in its place.
  if (hook?.setting === EXTENSION) return undefined;
  const { records, isLost } = options.store.read();
  if (isLost) return undefined;
  const pins = Object.values(runTrust(options.trust).pinned ?? {});
  const isInForce = pins.includes(approved ?? "") || records.get(approved ?? "")?.decision.verdict === "approved";
  const word = switches && decisionOn(switches, options, pin);
  if (word === "approved" || (word && !isInForce)) return "gone";
  if (word === "none") return undefined;
  if (!hook || hook.unreadable !== undefined) return isInForce || approved === undefined ? undefined : "gone";
  const { statuses, pinned } = lookAtHooks([hook], options, pin);
  const refusal = statuses.get(hook)?.refusal;
  if (refusal) return refusal.blocks || isInForce ? undefined : "gone";
  return pinned[0];
}

/** What was decided about switches of local files: one approval is enough; only if each was refused, nothing is left to decide. */
function decisionOn(
  switches: readonly RegisteredHook[],
  options: GateOptions,
  pin: (hook: RegisteredHook) => TrustedHook,
): "approved" | "refused" | "none" {
  const { statuses } = lookAtHooks(switches, { ...options, trust: laterTrust(options.trust) }, pin);
  const reasons = [...statuses.values()].map(({ refusal }) => refusal?.reason);
  if (reasons.includes(undefined)) return "approved";
  return reasons.length > 0 && reasons.every((reason) => reason === "refused") ? "refused" : "none";
}

/** SECURITY: what was said of the workspace was said of what was there when the session began. */
function laterTrust(trust: Trust): Trust {
  return isProgram(trust) ? trust : { ...runTrust(trust), workspace: false };
}

/** The hook as it is now, if exactly that was approved since it was last looked at. */
function approvedSince(hook: RegisteredHook, options: GateOptions, pin: (hook: RegisteredHook) => TrustedHook): TrustedHook | undefined {
  const { statuses, pinned } = lookAtHooks([hook], options, pin);
  const { refusal, isApproved } = statuses.get(hook) ?? {};
  return !refusal && isApproved ? pinned[0] : undefined;
}

/** Said when a hook that was refused counts from now on. */
export function approvedDiagnostic(hook: RegisteredHook): Diagnostic {
  const text = `The ${hook.source.scope} hook "${visibleLine(hook.name)}" is what was approved and runs from now on.`;
  return { code: "HL_TRUST_APPROVED_MEANWHILE", level: "notice", text, place: hook.place, hook: hook.id };
}

/** The embedding program approves by itself, not by content. */
function isProgram(trust: Trust): trust is "implicit" | ((hook: RegisteredHook) => boolean) {
  return trust === "implicit" || typeof trust === "function";
}

function runTrust(trust: Trust): RunTrust {
  return typeof trust === "object" && trust !== null ? trust : {};
}

type TrustedHook = PinnedHook & Trusted;

function pinNow(hook: RegisteredHook, { place }: GateOptions, look?: Look): TrustedHook {
  const examination = examineHook(hook, place);
  // Looked at before it is hashed: what changes meanwhile is seen the next time.
  const watch = watchHook(examination, place.projectRoot);
  const pins = pinHook(examination, place.projectRoot, look);
  const trusted = { hook, examination, pins, watch, times: new Map<string, string>() };
  noteTimes(trusted);
  return trusted;
}

interface Looked {
  readonly statuses: Map<RegisteredHook, TrustStatus>;
  readonly pinned: readonly TrustedHook[];
  /** What the store says, where it was asked. */
  readonly records?: TrustRecords | undefined;
}

interface LookOptions extends GateOptions {
  readonly concern?: Concern | undefined;
}

function lookAtHooks(
  hooks: readonly RegisteredHook[],
  options: LookOptions,
  pin: (hook: RegisteredHook, look: Look) => TrustedHook,
): Looked {
  // SECURITY: what many hooks name is read once, and what they make us read has a limit.
  const look = new Look();
  const { trust, isStrict, place, store, concern } = options;
  const statuses = new Map<RegisteredHook, TrustStatus>();
  const pinned: TrustedHook[] = [];
  for (const hook of hooks) {
    if (isPinned(hook) && !isProgram(trust)) pinned.push(pin(hook, look));
    else
      statuses.set(
        hook,
        withoutContent(hook, trust, (one) => pin(one, look)),
      );
  }
  if (isProgram(trust) || (pinned.length === 0 && !concern)) return { statuses, pinned };
  const { records, isLost } = store.read();
  const befores = findBefore(pinned, records);
  const run = runTrust(trust);
  for (const { hook, pins } of pinned) {
    const before = befores.get(hook);
    const status = judgeHook(hook, pins, { records, isLost, run, isStrict, projectRoot: place.projectRoot, before });
    statuses.set(hook, before ? { ...status, diff: diffWith(status as PendingHook, store) } : status);
  }
  if (concern)
    for (const status of absentGates({ concern, records, statuses: [...statuses.values()], run, projectRoot: place.projectRoot }))
      statuses.set(status.hook, status);
  const gates = [...statuses.values()];
  for (const hook of concern?.switches ? switchesToApprove(concern.switches, gates) : []) {
    const { pins } = pin(hook, look);
    const status = judgeHook(hook, pins, { records, isLost, run, isStrict, projectRoot: place.projectRoot });
    statuses.set(hook, explained(status, gates));
  }
  return { statuses, pinned, records };
}

function withoutContent(hook: RegisteredHook, trust: Trust, pin: (hook: RegisteredHook) => PinnedHook): TrustStatus {
  const { scope } = hook.source;
  const { isYes, problem } = !isPinned(hook) || scope === "user" ? TRUSTED : answerOf(trust, hook);
  if (hook.unreadable !== undefined) return { hook, state: "unreadable", refusal: unreadableRefusal(hook, isYes) };
  // Only to see whether all of it is there: policy is not asked about.
  if (scope === "managed") return { hook, state: "managed", ...(hook.fields?.["required"] === true && { pins: pin(hook).pins }) };
  if (isYes) return { hook, state: "trusted" };
  const text = `The ${scope} hook "${hook.name}" is not trusted by the program and does not run.${problem === undefined ? "" : ` ${problem}`}`;
  return { hook, state: "new", refusal: { reason: "untrusted", text } };
}

interface ProgramAnswer {
  readonly isYes: boolean;
  /** Why what the program gave is no answer. */
  readonly problem?: string | undefined;
}

const TRUSTED: ProgramAnswer = { isYes: true };

/** SECURITY: an answer that is not a clear yes is a no. */
function answerOf(trust: Trust, hook: RegisteredHook): ProgramAnswer {
  if (typeof trust !== "function") return { isYes: trust === "implicit" };
  const problem = (text: string): { isYes: false; problem: string } => ({
    isYes: false,
    problem: `The function that was given as trust ${text}.`,
  });
  try {
    const answer: unknown = trust(hook);
    if (typeof answer === "boolean") return { isYes: answer };
    catchRejection(answer);
    return answer instanceof Promise
      ? problem("gave a promise. Decide before openHooks, or use trust: { review }")
      : problem(`gave ${shown(answer)}. Return true or false`);
  } catch (thrown) {
    return problem(`threw: ${messageOf(thrown)}`);
  }
}

function diffWith({ before, pins }: PendingHook, store: TrustStore): string {
  if (!before) return "";
  return diffRecords({
    before: before.definition,
    after: pins.record,
    sealed: sealRecord(pins.record),
    textBefore: (sha256) => store.textOf(sha256),
    textAfter: (sha256) => pins.texts.get(sha256),
  });
}

/** The user's own hooks are recorded when they are first seen, and run; from then on a change must be reviewed before it runs. */
async function firstSight(statuses: Statuses, { store, report }: GateOptions): Promise<readonly TrustStatus[]> {
  const fresh = [...statuses.values()].filter((one): one is PendingHook => one.state === "new" && !one.refusal && one.pins !== undefined);
  try {
    await remember(
      store,
      fresh.map((status) => ({ status, verdict: "approved", how: "first-sight" })),
    );
  } catch (thrown) {
    const text = `The user's hooks could not be recorded, so a later change to them will not be noticed. ${messageOf(thrown)}`;
    report({ code: "HL_TRUST_STORE_WRITE", level: "warning", text });
  }
  return fresh.map((status) => ({ ...status, state: status.pins.unresolved.length > 0 ? "definition-only" : "trusted" }));
}

async function forgetSwitches(
  switches: NonNullable<Concern["switches"]>,
  records: TrustRecords,
  { store, place, report }: GateOptions,
): Promise<void> {
  const digests = outlived(records, switches, place.projectRoot).map(({ digest }) => digest);
  if (digests.length === 0 || store.isClosed) return;
  try {
    await store.update((all) => {
      for (const digest of digests) all.delete(digest);
    });
  } catch (thrown) {
    const text = `The approval of a switch that is gone could not be taken back, so it counts if the switch returns. ${messageOf(thrown)}`;
    report({ code: "HL_TRUST_STORE_WRITE", level: "warning", text });
  }
}

function reportUnknownPins(hooks: readonly RegisteredHook[], { pinned = {} }: RunTrust, report: GateOptions["report"]): void {
  for (const id of Object.keys(pinned)) {
    if (hooks.some((hook) => hook.id === id)) continue;
    const text = `A digest is given for "${id}", and no hook of that id is configured: it was changed or removed. List them: hookloop trust`;
    report({ code: "HL_TRUST_WRONG_PIN", level: "warning", text });
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
