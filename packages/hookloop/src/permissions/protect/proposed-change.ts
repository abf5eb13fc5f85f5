import { diffHunks } from "../../line-diff.ts";
import { readText } from "./on-disk.ts";

const MAX_LINES = 2000;

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: unknown;
}

/** What a file tool's input would change, as a diff with this name in its head; undefined if it does not say. */
export function proposedChange(path: string, input: Readonly<Record<string, unknown>>, name: string = path): string | undefined {
  const before = readText(path);
  if (typeof input["content"] === "string") return unifiedDiff(name, before, input["content"]);
  const edits = [input, ...(Array.isArray(input["edits"]) ? input["edits"] : [])].filter(isReplacement);
  if (edits.length === 0) return undefined;
  // A file that cannot be shown, or one in which the text does not stand: the pieces themselves are what there is to see.
  const isApplicable = before !== undefined && edits.every(({ old_string }, index) => index > 0 || before.includes(old_string));
  if (!isApplicable) return edits.map((edit) => unifiedDiff(name, edit.old_string, edit.new_string)).join("\n");
  return unifiedDiff(name, before, edits.reduce(replaced, before));
}

function isReplacement(value: unknown): value is Replacement {
  if (typeof value !== "object" || value === null) return false;
  const { old_string, new_string } = value as Record<string, unknown>;
  return typeof old_string === "string" && typeof new_string === "string";
}

/** Not `String.replace` with a text: `$&` in it would mean something. */
function replaced(text: string, { old_string, new_string, replace_all }: Replacement): string {
  if (old_string === "") return text === "" ? new_string : text;
  return replace_all === true ? text.replaceAll(old_string, () => new_string) : text.replace(old_string, () => new_string);
}

/** The form people know; long ones are cut. Nothing if nothing changes. */
function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const hunks = diffHunks(before ?? "", after);
  if (hunks.length === 0) return "";
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  const shown = body.length <= MAX_LINES ? body : [...body.slice(0, MAX_LINES), `… ${body.length - MAX_LINES} more lines`];
  return [before === undefined ? "--- /dev/null" : `--- ${path}`, `+++ ${path}`, ...shown].join("\n");
}
