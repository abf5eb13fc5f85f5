import type { Diagnostic } from "../../diagnostic.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import { shortText } from "./sanitise-text.ts";

/** A diagnostic before anyone has said which hook it is about. */
export type Note = Pick<Diagnostic, "code" | "level" | "text">;

/** Notes with the hook they are about, by name, and where it was declared. */
export function diagnosticsOf(hook: AdmittedHook, notes: readonly Note[]): readonly Diagnostic[] {
  const who = `${hook.isGuard ? "guard" : "hook"} "${shortText(hook.name, 60)}"`;
  return notes.map((note) => ({ ...note, text: `${who}: ${note.text}`, place: hook.place, hook: hook.id }));
}
