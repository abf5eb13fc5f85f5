import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { readConfigFile, unreadable } from "./read-config-file.ts";

/** What `--settings` or the embedding program passes: JSON text, the path of a file, or the value itself. */
export type SettingsOption = string | Readonly<Record<string, unknown>>;

/** The text of passed settings and the file it is from, if it is from one. */
export async function readSettings(
  settings: SettingsOption,
  cwd: string,
): Promise<{ readonly text: string; readonly file?: string } | { readonly diagnostic: Diagnostic }> {
  if (typeof settings !== "string") return stringify(settings);
  if (/^\s*[{[]/.test(settings)) return { text: settings };
  const file = isAbsolute(settings) ? settings : join(cwd, settings);
  const found = await readConfigFile(file);
  if ("text" in found) return { text: found.text, file };
  // Somebody asked for this file, so its absence is not silent.
  return { diagnostic: "diagnostic" in found ? found.diagnostic : unreadable(file, "the file does not exist") };
}

function stringify(settings: Readonly<Record<string, unknown>>): { readonly text: string } | { readonly diagnostic: Diagnostic } {
  try {
    return { text: JSON.stringify(settings, null, 2) };
  } catch (error) {
    return { diagnostic: unreadable("--settings", error instanceof Error ? error.message : String(error)) };
  }
}
