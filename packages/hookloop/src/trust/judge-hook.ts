import { BELOW_USER, EXTENSION, type RegisteredHook } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import { type HookPins, isInside, RULES, realPath } from "./pin/examine-hook.ts";
import { sealRecord, type TrustRecord, type TrustRecords } from "./store/seal-record.ts";
import type { Refusal, RefusalReason, RunTrust, TrustState, TrustStatus } from "./types.ts";
import { gateOf, isGate, isSameFile } from "./withhold.ts";

interface JudgeOptions {
  readonly records: TrustRecords;
  /** There is a store that cannot be read: whatever could have been approved counts as approved before. */
  readonly isLost: boolean;
  readonly run: RunTrust;
  readonly isStrict: boolean;
  readonly projectRoot: string;
  /** What was approved in this place before, if it is not what is there now. */
  readonly before?: TrustRecord | undefined;
}

/** Whether trust in hooks of this scope is bound to their content. */
export function isPinned({ source: { scope } }: RegisteredHook): boolean {
  return scope === "user" || BELOW_USER.includes(scope);
}

/** What the approvals there are make of one hook; asks no one. A user's hook that is seen for the first time is `new` without a refusal. */
export function judgeHook(hook: RegisteredHook, pins: HookPins, options: JudgeOptions): TrustStatus {
  const status = judged(hook, pins, options);
  const { refusal } = status;
  if (!refusal || hook.setting !== EXTENSION) return status;
  // The commands of the cure know only what they are told of.
  const named = ` --extension ${visibleLine(sourceFile(hook))}`;
  return {
    ...status,
    refusal: { ...refusal, text: refusal.text.replace(/hookloop trust (?:review|approve \S+)/g, (command) => command + named) },
  };
}

function judged(hook: RegisteredHook, pins: HookPins, options: JudgeOptions): TrustStatus {
  const { records, run, isStrict, before } = options;
  const { digest, unresolved } = pins;
  const verdict = verdictOn(hook, digest, records);
  const pin = run.pinned?.[hook.id];
  const isApproved = verdict === "approved" || pin === digest;
  const base = { hook, digest, pins, before, ...(isApproved && { isApproved }) };
  const off = (state: TrustState, reason: RefusalReason, text: string): TrustStatus => ({ ...base, state, refusal: { reason, text } });
  /** The same for what is no answer of the user: a gate that was approved stays shut. */
  const withhold = (state: TrustState, reason: RefusalReason, text: string): TrustStatus => {
    const blocks = (isApproved || reason === "wrong-pin" || wasApproved(hook, options)) && isOrWasGate(hook, before);
    return { ...base, state, refusal: { reason, text, ...(blocks && { blocks }) } };
  };
  const isWeak = unresolved.length > 0;
  const good = isWeak ? "definition-only" : "trusted";
  const who = whoOf(hook);
  if (isOffForRun(hook, run))
    return off(stateOf(options, digest, isWeak), "project-hooks-off", `${who} does not run: hooks of the project are off for this run.`);
  if (hook.unreadable !== undefined) return unreadable(hook, base, options);
  if (pins.untrustable !== undefined)
    return withhold("refused", "refused", `${who} cannot be trusted and does not run: ${pins.untrustable}.`);
  // SECURITY: no approval, pin or flag of a run outweighs strict mode or the user's refusal.
  if (isStrict && isWeak) return withhold("definition-only", "not-pinned", notPinnedText(who, unresolved));
  if (verdict === "refused")
    return off("refused", "refused", `${who} was refused and does not run. To allow it: hookloop trust approve ${hook.id}`);
  if (pin !== undefined && pin !== digest) return withhold(stateOf(options, digest, isWeak), "wrong-pin", wrongPinText(who, pin, digest));
  if (isApproved || isOfWorkspace(hook, options)) return { ...base, state: good };
  if (pins.foreign) return { ...base, state: stateOf(options, digest, isWeak), refusal: foreignRefusal(hook, pins.foreign) };
  if (before) return withhold("changed", "changed", changedText(who, before));
  if (isUnknown(hook, options))
    return withhold(
      "unknown",
      "unknown",
      `${who} does not run: the trust store cannot be read, so it is not known whether it was approved.`,
    );
  if (hook.source.scope === "user" && !isStrict) return { ...base, state: "new" };
  return off("new", "untrusted", `${who} is not trusted and does not run. Look at it: hookloop trust review`);
}

function isOffForRun({ source }: RegisteredHook, { projectHooks }: RunTrust): boolean {
  return projectHooks === false && BELOW_USER.includes(source.scope);
}

function wasApproved(hook: RegisteredHook, options: JudgeOptions): boolean {
  return options.before !== undefined || isUnknown(hook, options);
}

function isOrWasGate(hook: RegisteredHook, before: TrustRecord | undefined): boolean {
  return isGate(hook) || (before !== undefined && gateOf(before) !== undefined);
}

function whoOf({ name, event, setting, source }: RegisteredHook): string {
  if (setting === EXTENSION) return `The extension "${visibleLine(name)}"`;
  return `The ${source.scope} hook "${visibleLine(name)}"${setting === undefined ? ` (${event})` : ""}`;
}

/** What was decided; also a refusal of this id by an older version, whose digests are of another form. */
function verdictOn({ id }: RegisteredHook, digest: string, records: TrustRecords): "approved" | "refused" | undefined {
  const found = records.get(digest);
  if (found) return found.decision.verdict;
  const isOldRefusal = (record: TrustRecord): boolean => isOldForm(record) && record.id === id && record.decision.verdict === "refused";
  return [...records.values()].some(isOldRefusal) ? "refused" : undefined;
}

function isOldForm({ definition }: TrustRecord): boolean {
  return definition.rules !== RULES;
}

function changedText(who: string, before: TrustRecord): string {
  const why = isOldForm(before)
    ? `was approved by an older version of hookloop, ${OLD_RULES[before.definition.rules ?? ""]},`
    : "has changed since it was approved";
  return `${who} ${why} and does not run. Look at it: hookloop trust review`;
}

/** What has changed in the rules since, by the rules of an approval. */
const OLD_RULES: Readonly<Record<string, string>> = {
  "": "which called a hook trusted unless something spoke against it (now only what is known to the end is)",
  proven:
    "whose record of it had other facts (files that Python scripts read are no part of it any more, and more of the shell and of JavaScript is a doubt)",
};

/** SECURITY: a store that was damaged must not turn what was approved into something new. The user's own hooks run as they are: the store protects from checkouts. */
function isUnknown({ source: { scope } }: RegisteredHook, { isLost, isStrict }: JudgeOptions): boolean {
  return isLost && (isStrict || BELOW_USER.includes(scope));
}

/** A guard whose entry is broken: it blocks if its source is trusted; in a checkout that is not approved it is only reported. */
function unreadable(hook: RegisteredHook, base: Omit<TrustStatus, "state">, options: JudgeOptions): TrustStatus {
  const isBelieved = hook.source.scope === "user" || isOfWorkspace(hook, options) || isUnknown(hook, options);
  return { ...base, state: "unreadable", refusal: unreadableRefusal(hook, isBelieved) };
}

export function unreadableRefusal(hook: RegisteredHook, isBelieved: boolean): NonNullable<TrustStatus["refusal"]> {
  const blocks = isBelieved && isGate(hook);
  const text = `The ${hook.source.scope} guard "${visibleLine(hook.name)}" cannot be read and does not run: ${hook.unreadable} Fix the entry.`;
  return { reason: "unreadable", text, ...(blocks && { blocks }) };
}

function stateOf({ records, before }: JudgeOptions, digest: string, isWeak: boolean): TrustStatus["state"] {
  const verdict = records.get(digest)?.decision.verdict;
  if (verdict === undefined) return before ? "changed" : "new";
  if (verdict === "refused") return "refused";
  return isWeak ? "definition-only" : "trusted";
}

/** What the project's own files declare; a plugin from elsewhere is not among it. */
function isOfWorkspace({ source }: RegisteredHook, { run, projectRoot }: JudgeOptions): boolean {
  if (run.workspace !== true || !BELOW_USER.includes(source.scope)) return false;
  return isInside(realPath(projectRoot), realPath(source.file ?? source.root));
}

function notPinnedText(who: string, unresolved: readonly string[]): string {
  return `${who} runs something that cannot be pinned, which strict mode refuses: ${unresolved.join("; ")}.`;
}

/** SECURITY: being seen for the first time approves what the user wrote, not what a project brings along. */
function foreignRefusal(hook: RegisteredHook, foreign: readonly string[]): Refusal {
  const [first = ""] = foreign;
  const more = foreign.length > 1 ? `, and ${foreign.length - 1} more` : "";
  const text = `${whoOf(hook)} would run code of this project and does not run: ${visibleLine(first)}${more}. Look at it, then allow it here: hookloop trust approve ${hook.id}`;
  return { reason: "untrusted", text, ...(isGate(hook) && { blocks: true }) };
}

function wrongPinText(who: string, pin: string, digest: string): string {
  return `${who} does not run: it was pinned as ${pin} and is ${digest} now. Look at what changed, then pin it anew.`;
}

/** The gates that were approved and run something that is not pinned, in one finding; and each pattern of `files` that fits nothing. */
export function weaknessDiagnostics(statuses: readonly TrustStatus[]): readonly Diagnostic[] {
  const weak = statuses.filter(
    ({ hook, state, isApproved, refusal }) => state === "definition-only" && isApproved && !refusal && isGate(hook),
  );
  const idle = statuses.flatMap(({ hook, pins }) => (pins?.unmatched ?? []).map((pattern) => unmatchedText(hook, pattern)));
  const [first, ...others] = weak;
  if (!first) return idle;
  const more =
    others.length === 0 ? "" : ` and ${others.length === 1 ? `"${visibleLine(others[0]?.hook.name ?? "")}"` : `${others.length} more`}`;
  const who =
    others.length === 0
      ? `The approved gate "${visibleLine(first.hook.name)}" runs`
      : `The approved gates "${visibleLine(first.hook.name)}"${more} run`;
  const text = `${who} something that is not pinned (${first.pins?.unresolved[0] ?? ""}): a change of that is not noticed. Name it in "files" of the hook, in .hookloop/hooks.json; hookloop trust says what is not pinned.`;
  return [...idle, { code: "HL_TRUST_DEFINITION_ONLY", level: "warning", text, place: first.hook.place, hook: first.hook.id }];
}

function unmatchedText(hook: RegisteredHook, pattern: string): Diagnostic {
  const text = `"files" of "${visibleLine(hook.name)}" names ${JSON.stringify(pattern)}, and nothing fits it: nothing is pinned by it. Patterns begin at the project's folder (a plugin's at its own).`;
  return { code: "HL_CONFIG_SCRIPT_MISSING", level: "warning", text, place: hook.place, hook: hook.id };
}

export interface PinnedHook {
  readonly hook: RegisteredHook;
  readonly pins: HookPins;
}

/**
 * For each hook that has no record: what was approved in its place before. That is a record of the same file, event and kind
 * whose own hook is gone; the one most like it. So a swapped command is a change, not something new.
 */
export function findBefore(hooks: readonly PinnedHook[], records: TrustRecords): ReadonlyMap<RegisteredHook, TrustRecord> {
  const present = new Set(hooks.map(({ pins }) => pins.digest));
  const free = [...records.values()].filter(({ digest, decision }) => decision.verdict === "approved" && !present.has(digest));
  const pairs = hooks
    .filter(({ pins }) => !records.has(pins.digest))
    .flatMap((one) =>
      free.filter((record) => isSamePlace(one, record)).map((record) => ({ ...one, record, likeness: likeness(one.pins, record) })),
    )
    .sort((a, b) => b.likeness - a.likeness);
  const found = new Map<RegisteredHook, TrustRecord>();
  const used = new Set<string>();
  for (const { hook, record } of pairs) {
    if (found.has(hook) || used.has(record.digest)) continue;
    found.set(hook, record);
    used.add(record.digest);
  }
  return found;
}

function isSamePlace({ hook, pins: { record: now } }: PinnedHook, { file, definition }: TrustRecord): boolean {
  return (
    definition.root === now.root &&
    definition.event === now.event &&
    definition.kind === now.kind &&
    definition.source["scope"] === now.source["scope"] &&
    // What a hook of the user may run in another project does not count in this one.
    (definition.source["project"] ?? now.source["project"]) === now.source["project"] &&
    // Last: it looks at the disk.
    isSameFile(file, sourceFile(hook))
  );
}

/** What stands for the configuration of a hook in its record. */
export function sourceFile({ source }: RegisteredHook): string {
  return source.file ?? source.root;
}

const TARGETS: readonly string[] = ["command", "url", "path", "prompt", "server"];

function likeness({ record }: HookPins, { definition }: TrustRecord): number {
  const { fields } = sealRecord(record);
  const isSameTarget = TARGETS.every((name) => fields[name] === definition.fields[name]);
  const paths = new Set(definition.files.map(({ path }) => path));
  const sharesFile = record.files.some(({ path }) => paths.has(path));
  return (isSameTarget ? 4 : 0) + (sharesFile ? 2 : 0) + (record.matcher === definition.matcher ? 1 : 0);
}
