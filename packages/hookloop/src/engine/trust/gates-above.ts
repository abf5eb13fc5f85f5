// Takes where a session runs and the store of approvals. Gives the gates that were approved for a folder above it: they are not read here.
// The store is asked, not the files: a configuration that was deleted, moved away or given to another user takes no approval with it.
import path from "node:path";
import type { RegisteredHook, Scope } from "../../config/index.ts";
import { BELOW_USER } from "../../config/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { visibleLine } from "../../diagnostic.ts";
import { isInside, realPath } from "./pin/index.ts";
import type { TrustRecord, TrustStore } from "./store/index.ts";
import type { TrustStatus } from "./types.ts";
import { gateOf, pinsOf } from "./withhold.ts";

export interface AboveOptions {
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
    const { root, source } = record.definition;
    if (record.decision.verdict !== "approved" || !BELOW_USER.includes(source["scope"] as Scope)) return [];
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
  const definition = { root, source: { scope: "project", dialect: "native" }, event: "PreToolUse", kind: "command", ...nothing };
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
