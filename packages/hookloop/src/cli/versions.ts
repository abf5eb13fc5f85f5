/** What one change made of a file, as lines. */

import { type EditEntry, isBinary, type KeptEntry, keptBytes } from "../builtin/index.ts";
import { diffHunks } from "../line-diff.ts";
import { style } from "./terminal.ts";
import { colouredDiff } from "./trust-desk.ts";

export interface Version {
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  readonly diff?: string | undefined;
  /** Why there is no diff. */
  readonly why?: string | undefined;
}

/** `hasDiff`: with its text. */
export function versionOf(entry: KeptEntry<EditEntry>, hasDiff = false): Version {
  const [before, after] = [textOf(entry, entry.before), textOf(entry, entry.after)];
  if (typeof before === "object") return before;
  if (typeof after === "object") return after;
  const hunks = diffHunks(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const head = (hunk: (typeof hunks)[number]): string => `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
  const diff = hunks.map((hunk) => [head(hunk), ...hunk.lines].join("\n")).join("\n");
  return { added: count("+"), removed: count("-"), ...(hasDiff && { diff }) };
}

function textOf(entry: KeptEntry<EditEntry>, state: EditEntry["before"]): string | { readonly why: string } {
  if (state.kind === "missing") return "";
  if (state.kind === "folder") return { why: "a folder" };
  if (state.kind === "link") return { why: `a link to ${state.target}` };
  if (state.kind === "unkept") return { why: `not kept: ${state.why}` };
  const bytes = keptBytes(entry, state);
  if (!bytes) return { why: "not in the history any more" };
  return isBinary(bytes) ? { why: "no text" } : bytes.toString();
}

export function countText({ type, change }: EditEntry, { added, removed }: Version): string {
  const counts = added === undefined ? "" : ` +${added} -${removed}`;
  return `${type === "undo" ? "undone, " : ""}${change}${counts}`;
}

export function colouredVersion({ before, after }: EditEntry, { diff = "", why }: Version): string {
  const modes = "mode" in before && "mode" in after && before.mode !== after.mode ? [before.mode, after.mode] : [];
  const mode = modes.length > 0 ? [style("dim", `mode ${modes.map((one) => one.toString(8)).join(" → ")}`)] : [];
  return [...mode, ...(why === undefined ? [] : [style("dim", `(${why})`)]), ...(diff === "" ? [] : [colouredDiff(diff)])].join("\n");
}
