import type { Diagnostic } from "../../../diagnostic.ts";
import { readWithin, type Within } from "../../../permissions/index.ts";
import { MAX_BYTES, tooLarge } from "../tree/index.ts";

/** What came of a file: its text, nothing because it is not there, or why it was not read. */
export type FileText =
  | { readonly text: string; readonly uid: number; readonly mode: number }
  | { readonly missing: true }
  | { readonly diagnostic: Diagnostic };

/** Reads a small regular file as UTF-8. `within`: where it may really lie, for files that come with a project or a plugin. */
export async function readConfigFile(file: string, within?: Within): Promise<FileText> {
  const found = readWithin(file, { within, limit: MAX_BYTES });
  if (found.kind === "missing") return { missing: true };
  if (found.kind === "too-large") return { diagnostic: tooLarge(file) };
  if (found.kind === "unreadable") return { diagnostic: unreadable(file, found.why) };
  if (found.kind === "outside")
    return { diagnostic: unreadable(file, `it leads outside of the project or plugin it belongs to, to ${found.target}`) };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.bytes), uid: found.uid, mode: found.mode };
  } catch {
    return { diagnostic: unreadable(file, "it is not UTF-8 text") };
  }
}

/** The report for a file that should be read and cannot. */
export function unreadable(file: string, why: string): Diagnostic {
  const text = `The configuration cannot be read: ${why}. None of its hooks run; fix or remove it.`;
  return { code: "HL_CONFIG_UNREADABLE", level: "error", text, place: { file } };
}
