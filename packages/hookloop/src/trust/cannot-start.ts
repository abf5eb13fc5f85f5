import path from "node:path";
import { EVENTS, type HookKind, OWN_DIALECT } from "../catalogue/index.ts";
import { BELOW_USER, type ConfigDocument, EXTENSION, type RegisteredHook, type Scope } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import type { Admission } from "./admit-hooks.ts";
import type { Statuses } from "./open-gate.ts";
import { isInside, realPath } from "./pin/examine-hook.ts";
import type { TrustRecord } from "./store/seal-record.ts";
import type { TrustStore } from "./store/trust-store.ts";
import type { RefusedHook, TrustStatus } from "./types.ts";
import { gateOf, pinsOf } from "./withhold.ts";

interface StartOptions {
  readonly documents: readonly ConfigDocument[];
  /** Findings about files that gave no document. */
  readonly unread: readonly Diagnostic[];
  /** Deny and ask rules of files that cannot be read. */
  readonly lostRules: readonly Diagnostic[];
  readonly managedRoot: string;
  readonly admission: Admission;
  readonly statuses: Statuses;
  /** Approved gates of folders above. */
  readonly above: readonly TrustStatus[];
  readonly hasRunner: (kind: HookKind) => boolean;
  /** The file of `--settings`, if it is one. */
  readonly settingsFile?: string | undefined;
  /** Every configured gate must be able to run, not only what policy requires. */
  readonly requireHooks: boolean;
}

/** Why the session must not start: no folder, policy that cannot be read or run, and on request every gate that cannot run. */
export function cannotStart(options: StartOptions): readonly Diagnostic[] {
  const { admission, requireHooks } = options;
  const mustRun = (hook: RegisteredHook): boolean =>
    (hook.source.scope === "managed" && hook.fields?.["required"] === true) || (requireHooks && EVENTS[hook.event].role === "gate");
  return [
    ...noProject(options),
    ...brokenPolicy(options),
    ...brokenSettings(options),
    ...(requireHooks ? [...brokenFiles(options), ...leftOut(options)] : []),
    ...admission.refused.flatMap((refused) =>
      mustRun(refused.hook) || isMissedExtension(refused) ? [required(refused.hook, refused.text)] : [],
    ),
    ...admission.admitted.filter(mustRun).flatMap((hook) => obstacles(hook, options).map((text) => required(hook, text))),
  ];
}

/** SECURITY: an extension was asked for by its name. Where a stand-in blocks in its place, or somebody switched it off, that is said elsewhere. */
export function isMissedExtension({ hook, reason, blocks }: RefusedHook): boolean {
  const isOff = reason === "disabled" || reason === "managed-only" || reason === "simple-mode" || reason === "project-hooks-off";
  return hook.setting === EXTENSION && !blocks && !isOff;
}

/** What was left out of a managed file may have been required: that is no longer known. */
function brokenPolicy({ documents, unread, managedRoot }: StartOptions): readonly Diagnostic[] {
  const managed = documents.filter(({ source }) => source.scope === "managed").flatMap(({ diagnostics }) => diagnostics);
  const lost = unread.filter(({ place }) => place?.file.startsWith(`${managedRoot}/`));
  return [...managed, ...lost]
    .filter(({ level }) => level === "error")
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `Managed policy is broken (${code}): ${text}`,
      place,
    }));
}

const UNREADABLE: readonly ErrorCode[] = ["HL_CONFIG_UNREADABLE", "HL_CONFIG_TOO_LARGE", "HL_CONFIG_TOO_DEEP", "HL_CONFIG_INVALID_JSON"];

/** SECURITY: settings that were asked for and are no settings: the guards in them would be missing, and nothing is known of them. */
function brokenSettings({ documents, unread, settingsFile }: StartOptions): readonly Diagnostic[] {
  const given = documents.filter(({ source }) => source.scope === "flag").flatMap(({ diagnostics }) => diagnostics);
  const lost = unread.filter(({ place }) => place?.file === (settingsFile ?? "--settings"));
  return [...given, ...lost]
    .filter(({ code }) => UNREADABLE.includes(code))
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `The settings of this run cannot be read (${code}): ${text}`,
      place,
    }));
}

function noProject({ unread }: StartOptions): readonly Diagnostic[] {
  const missing = unread.filter(({ code }) => code === "HL_CONFIG_NO_FOLDER");
  return missing.map(({ text, place }) => ({ code: "HL_TRUST_REQUIRED", level: "error", text, place }));
}

/** What could not be read may have been a gate. */
function brokenFiles({ documents, unread, lostRules }: StartOptions): readonly Diagnostic[] {
  const below = documents.filter(({ source }) => source.scope !== "managed").flatMap(({ diagnostics }) => diagnostics);
  return [...below, ...unread, ...lostRules]
    .filter(({ level, code }) => level === "error" && code !== "HL_CONFIG_NO_FOLDER")
    .map(({ code, text, place }) => ({
      code: "HL_TRUST_REQUIRED",
      level: "error",
      text: `A gate may be missing (${code}): ${text}`,
      place,
    }));
}

/** Configuration that is there and not read: above the session's folder, or under a name that is never read. */
function leftOut({ unread, above }: StartOptions): readonly Diagnostic[] {
  const isLeft = ({ code }: Diagnostic): boolean => code === "HL_CONFIG_ABOVE" || code === "HL_CONFIG_MISNAMED";
  const left = [...unread.filter(isLeft), ...aboveDiagnostic(above)];
  return left.map(({ text, place }) => ({ code: "HL_TRUST_REQUIRED", level: "error", text: `A gate may be missing: ${text}`, place }));
}

function obstacles(hook: RegisteredHook, { statuses, hasRunner }: StartOptions): readonly string[] {
  const missing = statuses.get(hook)?.pins?.missing ?? [];
  const { kind } = hook.target;
  return [
    ...(hook.never === undefined ? [] : [hook.never]),
    ...missing.map((name) => `${name} is not there.`),
    ...(kind === "withheld" || hasRunner(kind) ? [] : [`Nothing here runs ${kind} hooks.`]),
  ];
}

function required(hook: RegisteredHook, text: string): Diagnostic {
  return {
    code: "HL_TRUST_REQUIRED",
    level: "error",
    text: `"${hook.name}" must be able to run. ${text}`,
    place: hook.place,
    hook: hook.id,
  };
}

// Takes where a session runs and the store of approvals. Gives the gates that were approved for a folder above it: they are not read here.
// The store is asked, not the files: a configuration that was deleted, moved away or given to another user takes no approval with it.

interface AboveOptions {
  readonly store: TrustStore;
  readonly place: { readonly projectRoot: string; readonly home: string };
  /** Other names that the session's folder was reached by. */
  readonly names?: readonly string[] | undefined;
  /** A file of configuration above the session's folder. */
  readonly unread: string | undefined;
  /** Instead of the session's folder: these, and what is above them. */
  readonly folders?: readonly string[] | undefined;
}

/** SECURITY: by every name of the folder: a link in the place of a folder must not lead out of what was approved for it. */
export function gatesAbove({ store, place, names = [], unread, folders }: AboveOptions): readonly TrustStatus[] {
  const here = realPath(place.projectRoot);
  const { records, isLost } = store.read();
  if (isLost) return unread === undefined || folders ? [] : [unknownAbove(unread, here)];
  const above = new Set((folders ?? [place.projectRoot, ...names]).flatMap(ancestors));
  // What was approved for the home folder, or one above it, is not about every project below it.
  const homes = [realPath(place.home), path.resolve(place.home)];
  const isAbove = (root: string): boolean =>
    root !== here && !homes.some((home) => isInside(root, home)) && (above.has(root) || above.has(realPath(root)));
  const known = new Map<string, boolean>();
  return [...records.values()].flatMap((record) => {
    const { root, source, fields } = record.definition;
    // An extension counts where the command line names it.
    if (record.decision.verdict !== "approved" || fields["setting"] === EXTENSION || !BELOW_USER.includes(source["scope"] as Scope))
      return [];
    if (!known.has(root)) known.set(root, isAbove(root));
    return known.get(root) ? statusOf(record, here) : [];
  });
}

/** A folder and all above it, as they are called and as they are. */
function ancestors(folder: string): readonly string[] {
  return [...upwards(path.resolve(folder)), ...upwards(realPath(folder))].flatMap((one) => [one, realPath(one)]);
}

function upwards(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

function statusOf(record: TrustRecord, here: string): readonly TrustStatus[] {
  const gate = gateOf(record);
  if (!gate) return [];
  const { root } = record.definition;
  // The same entry may stand here, too, and has the same id then.
  const hook = { ...gate, id: `${gate.id}@${root}`, source: { ...gate.source, root } };
  const text = `The gate "${visibleLine(hook.name)}" was approved for ${root} and is not read in ${here}. ${aboveCure(hook)}`;
  return [{ hook, state: "above", digest: record.digest, pins: pinsOf(record), isAbsent: true, refusal: { reason: "above", text } }];
}

/** For people: what to do about a gate of a folder above. */
export function aboveCure({ id, source }: RegisteredHook): string {
  return `Start there: cd ${quoted(source.root)}. To do without it for good: hookloop trust revoke ${quoted(id)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** SECURITY: with a store that cannot be read, whatever is there may have been approved. */
function unknownAbove(file: string, here: string): TrustStatus {
  const folder = path.dirname(file);
  const root = path.basename(file).startsWith(".") ? folder : path.dirname(folder);
  const nothing = { sequential: false, fields: {}, programs: {}, files: [] };
  const definition = { root, source: { scope: "project", dialect: OWN_DIALECT }, event: "PreToolUse", kind: "command", ...nothing };
  const hook = gateOf({ id: "unknown", name: file, file, definition });
  if (!hook) throw new Error("a hook of PreToolUse is a gate");
  const text = `The trust store cannot be read, so it is not known whether a gate of ${file} was approved, which is not read in ${here}. Start there: cd ${root}`;
  return { hook, state: "above", isAbsent: true, refusal: { reason: "above", text } };
}

/** One finding for all of them. */
export function aboveDiagnostic([first, ...others]: readonly TrustStatus[]): readonly Diagnostic[] {
  if (!first?.refusal) return [];
  const { hook, refusal } = first;
  const more = others.length === 0 ? "" : ` The same goes for ${others.length} more: hookloop trust lists them.`;
  return [{ code: "HL_TRUST_GATE_ABOVE", level: "warning", text: `${refusal.text}${more}`, place: hook.place, hook: hook.id }];
}
