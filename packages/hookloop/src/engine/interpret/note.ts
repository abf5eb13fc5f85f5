import type { Diagnostic } from "../../diagnostic.ts";
import type { AdmittedHook } from "../trust/types.ts";

/** A diagnostic before anyone has said which hook it is about. */
export type Note = Pick<Diagnostic, "code" | "level" | "text">;

/** Notes with the hook they are about and where it was declared. */
export function diagnosticsOf(hook: AdmittedHook, notes: readonly Note[]): readonly Diagnostic[] {
  return notes.map((note) => ({ ...note, place: hook.place, hook: hook.id }));
}
