// Takes what was approved and what is there now. Gives the gates that were approved and are missing, and for each gate that must not run
// the stand-in that blocks in its place: it has the matcher and condition of the gate and nothing to run.

import path from "node:path";
import { EVENTS, isEventName, OWN_DIALECT } from "../catalogue/index.ts";
import {
  BELOW_USER,
  canonicalJson,
  EXTENSION,
  type HookDeclaration,
  type RegisteredHook,
  registerHooks,
  type Scope,
  type Source,
  type SwitchState,
} from "../config/index.ts";
import { type HookPins, type HookRecord, isInside, realPath } from "./pin/examine-hook.ts";
import { sealRecord, type TrustRecord, type TrustRecords } from "./store/seal-record.ts";
import type { RunTrust, TrustStatus, Withheld } from "./types.ts";

/** Which approvals the configuration at hand should still have. */
export interface Concern {
  /** Where configuration may stand, whether it does or not. */
  readonly files: readonly { readonly file: string; readonly scope: Scope }[];
  /** Folders of the plugins of this session. */
  readonly plugins: readonly string[];
  /** Names of plugins that are enabled and cannot be found. */
  readonly missingPlugins?: readonly string[] | undefined;
  /** Files of which something could not be read. */
  readonly broken: readonly string[];
  /** It is the head of one file, such as a skill's: nothing but that is concerned. */
  readonly head?: Source | undefined;
  readonly switches?: SwitchState | undefined;
}

interface AbsentOptions {
  readonly concern: Concern;
  readonly records: TrustRecords;
  /** What trust makes of the hooks that are there. */
  readonly statuses: readonly TrustStatus[];
  readonly run: RunTrust;
  readonly projectRoot: string;
}

/** Whether a hook can keep something from happening. What goes to the background, and what only gives feedback, cannot. */
export function isGate({ event, isAsync, setting, onFailure }: RegisteredHook): boolean {
  const { blockEffect } = EVENTS[event];
  // After the step only what says so is one: it withholds the result.
  const blocks = blockEffect === "feedback" ? onFailure === "block" : blockEffect !== null;
  return (setting === undefined || setting === EXTENSION) && !isAsync && blocks;
}

/** The gate that an approval is about, as it was declared; nothing if it is none. */
export function gateOf(record: Pick<TrustRecord, "id" | "name" | "file" | "definition">, head?: Source): RegisteredHook | undefined {
  const { id, name, file, definition } = record;
  const { event, kind, matcher, fields } = definition;
  if (!isEventName(event)) return undefined;
  const declaration = { event, kind: kind as HookDeclaration["kind"], matcher, fields, source: head ?? sourceOf(definition, file) };
  const hook = registered({ ...declaration, place: { file } });
  return hook && isGate(hook) ? { ...hook, id, name } : undefined;
}

function registered(declaration: HookDeclaration): RegisteredHook | undefined {
  const document = { source: declaration.source, hooks: [declaration], switches: {}, permissions: NO_PERMISSIONS, diagnostics: [] };
  return registerHooks([document], { env: {} }).hooks[0];
}

const NO_PERMISSIONS = { allow: [], ask: [], deny: [] };

function sourceOf({ source, root }: HookRecord, file: string): Source {
  const { scope, dialect, plugin, pluginRoot, skill, skillRoot } = source;
  return {
    scope: scope as Scope,
    dialect: dialect ?? OWN_DIALECT,
    file,
    root: pluginRoot ?? skillRoot ?? root,
    ...(plugin !== undefined && pluginRoot !== undefined && { plugin: { id: plugin, root: pluginRoot } }),
    ...(skill !== undefined && skillRoot !== undefined && { skill: { name: skill, root: skillRoot } }),
  };
}

/**
 * The gates that were approved for this configuration and are not in it any more: their file cannot be read, their entry is broken, stands
 * under another event, or is gone. SECURITY: whoever can edit the file must not be able to switch off what watches over it.
 */
export function absentGates(options: AbsentOptions): readonly TrustStatus[] {
  const { records, statuses, concern, run } = options;
  const settled = new Set(statuses.flatMap(({ digest, before }) => [digest, before?.digest]));
  // A changed gate that the user refused: that was their answer to the change.
  for (const { digest = "" } of statuses) {
    const record = records.get(digest);
    if (record?.decision.verdict === "refused") settled.add(record.previous?.digest);
  }
  const running = new Set(statuses.flatMap(({ refusal, pins }) => (refusal || !pins ? [] : [identityOf(sealRecord(pins.record))])));
  const isMissing = (record: TrustRecord): boolean =>
    record.decision.verdict === "approved" && !settled.has(record.digest) && isConcerned(record, options);
  const missing = [...records.values()].filter((record) => isMissing(record) && !running.has(identityOf(record.definition)));
  return [
    ...missing.flatMap((record) => {
      const hook = gateOf(record, concern.head);
      return hook ? absentStatus(hook, record, options) : [];
    }),
    ...lostPins(run.pinned ?? {}, options),
  ];
}

/** The same hook, wherever it is declared: one that was moved to another file is not missing. */
function identityOf({ event, matcher = "", kind, fields, files }: HookRecord): string {
  return canonicalJson({ event, matcher, kind, fields, files: files.map(({ realpath, sha256 }) => ({ realpath, sha256 })) });
}

function isConcerned({ file, definition: { source, root, fields } }: TrustRecord, { concern, run, projectRoot }: AbsentOptions): boolean {
  const scope = source["scope"] as Scope;
  // One that the command line leaves out this time is not missing.
  if (fields["setting"] === EXTENSION) return false;
  if (BELOW_USER.includes(scope) && (run.projectHooks === false || root !== realPath(projectRoot))) return false;
  if (concern.head) return scope === concern.head.scope && isSameFile(file, concern.head.file ?? "");
  // Also a file that is not looked for any more, such as the local one of a git root whose .git is gone.
  if (scope === "project" || scope === "local") return true;
  if (scope !== "plugin") return concern.files.some((one) => one.scope === scope && isSameFile(one.file, file));
  const folder = source["pluginRoot"] ?? "";
  // A plugin that the command line leaves out this time, or that is switched off, is not missing; a pack of the project is.
  return (
    // Its own name need not be the one it is enabled by; that is in the path it was installed to.
    (concern.missingPlugins ?? []).some((name) => source["plugin"] === name || folder.split(path.sep).includes(name)) ||
    // A link that led to it may lead elsewhere now: then only the file's name tells which link that was.
    concern.plugins.some((one) => namesOf(one).some((name) => name === folder || (!isInside(folder, file) && isInside(name, file)))) ||
    isBroken(file, concern) ||
    folder.split(path.sep).includes("node_modules")
  );
}

/** SECURITY: a folder by every name it had before it, or one above it, was replaced by a link. */
function namesOf(folder: string): readonly string[] {
  const names = [folder];
  for (let at = folder; ; at = path.dirname(at)) {
    names.push(path.join(realPath(at), path.relative(at, folder)));
    if (at === path.dirname(at)) return [...new Set(names)];
  }
}

function absentStatus(hook: RegisteredHook, record: TrustRecord, options: AbsentOptions): readonly TrustStatus[] {
  const { file, digest } = record;
  const { scope } = hook.source;
  const who = `The ${scope} gate "${hook.name}"`;
  const status = (state: "unreadable" | "removed", text: string): readonly TrustStatus[] => [
    { hook, state, digest, before: record, pins: pinsOf(record), isAbsent: true, refusal: { reason: state, text, blocks: true } },
  ];
  if (isBroken(file, options.concern))
    return status(
      "unreadable",
      `${who} was approved, and ${file} cannot be read whole. Until it can, the gate blocks what it matched. Fix the file, or take the approval back: hookloop trust revoke ${hook.id}`,
    );
  // The user's own files are the user's word, and so are those of a workspace that they trust for this run.
  const isOwn = scope === "user" || (options.run.workspace === true && isInside(realPath(options.projectRoot), realPath(file)));
  if (isOwn) return [];
  // SECURITY: who refused a changed version keeps the approval of the one before, so that restoring it restores the gate. Its removal is not implied.
  const isRefused = [...options.records.values()].some(({ id, decision }) => id === hook.id && decision.verdict === "refused");
  const was = isRefused ? `${who} was approved, a later version of it was refused, and neither is` : `${who} was approved and is not`;
  return status(
    "removed",
    `${was} in ${file} any more, or not as an entry that can be used. It blocks what it matched until you accept that it is gone: hookloop trust revoke ${hook.id}`,
  );
}

/** A gate that the run was given a digest for and that is not there under its id: it was changed or removed. */
function lostPins(pinned: Readonly<Record<string, string>>, { statuses, records, run, concern }: AbsentOptions): readonly TrustStatus[] {
  if (run.projectHooks === false || concern.head) return [];
  return Object.entries(pinned).flatMap(([id, digest]): readonly TrustStatus[] => {
    if (statuses.some(({ hook }) => hook.id === id)) return [];
    const [scope, event = ""] = id.split(":");
    const known = records.get(digest);
    const source = { scope: scope as Scope, dialect: OWN_DIALECT, root: "" };
    const nothing = { root: "", source, event, kind: "command", sequential: false, fields: {}, programs: {}, files: [] };
    const hook = isEventName(event) && gateOf({ name: id, file: "", definition: nothing, ...known, id });
    if (!hook) return [];
    const text = `The gate "${id}" was pinned for this run, and no hook of that id is configured: it was changed or removed. It blocks ${known ? "what it matched" : `every ${event}`}. Look at what changed, then pin it anew: hookloop trust export`;
    const nowhere: RegisteredHook = { ...hook, place: undefined, ...(!known && { target: { kind: "withheld" } }) };
    return [{ hook: nowhere, state: "removed", isAbsent: true, refusal: { reason: "wrong-pin", text, blocks: true } }];
  });
}

export function pinsOf({ digest, definition, unresolved }: TrustRecord): HookPins {
  return { digest, record: definition, unresolved, missing: [], texts: new Map(), implied: [], moduleFolders: [] };
}

function isBroken(file: string, { broken }: Concern): boolean {
  return broken.some((one) => isSameFile(one, file));
}

/** The same file, also where the session reaches its folder by another name. */
export function isSameFile(a: string, b: string): boolean {
  const real = (file: string): string => path.join(realPath(path.dirname(file)), path.basename(file));
  return a === b || (path.basename(a) === path.basename(b) && real(a) === real(b));
}

/**
 * What stands in the plan for a gate that must not run. SECURITY: both as it was approved and as it is declared now: a matcher, condition or
 * event that was edited along must not let anything pass that the approved one would have judged.
 */
export function standIns({ hook, before, digest, isAbsent, refusal }: TrustStatus): readonly (RegisteredHook & { withheld: Withheld })[] {
  if (!refusal) return [];
  const { reason, text, switches } = refusal;
  const why = { reason, text, ...(switches && { switches }) };
  if (isAbsent) return [standIn(hook, { ...why, approved: before ? digest : undefined })];
  // One that a committed switch keeps off could run as it is: only taking the approval back lets it go.
  const isOff = reason === "disabled" && !switches;
  const kept = { approved: before?.digest ?? (reason === "disabled" ? digest : undefined), ...(!isOff && { of: hook }) };
  const approved = before && gateOf(before, hook.source.skill || hook.source.agentId ? hook.source : undefined);
  const current = isGate(hook) ? [standIn(hook, { ...why, ...kept })] : [];
  const isSame = approved && current.length > 0 && matchesAlike(approved, hook);
  return approved && !isSame ? [...current, standIn(approved, { ...why, approved: before?.digest })] : current;
}

function matchesAlike(a: RegisteredHook, b: RegisteredHook): boolean {
  return a.event === b.event && a.matcher === b.matcher && a.condition === b.condition;
}

function standIn(hook: RegisteredHook, withheld: Withheld): RegisteredHook & { withheld: Withheld } {
  const { sequence: _sequence, sequenceMode: _mode, dedupKey: _key, setting: _setting, ...rest } = hook;
  // SECURITY: nothing of the hook is left that could be run, and no copy of it speaks in its place.
  const shut = { target: { kind: "withheld" }, onFailure: "block", isAsync: false, wakesAgent: false, once: false } as const;
  return { ...rest, ...shut, withheld };
}
