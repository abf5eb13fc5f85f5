import type { ProgramEnd } from "../process/index.ts";
import type { RawOutcome, RunNote } from "../types.ts";

type Hook = RawOutcome["hook"];

/** Adds why a hook was started as always to its end; once per hook. */
export function createNotWarm(): (end: ProgramEnd, hook: Hook, why: string) => ProgramEnd {
  const told = new WeakSet<Hook>();
  return (end, hook, why) => {
    if (told.has(hook)) return end;
    told.add(hook);
    const note: RunNote = {
      code: "HL_EXECUTE_NOT_WARM",
      level: "warning",
      text: `"warm" has no effect: ${why}. It takes: node SCRIPT ARGUMENTS…`,
    };
    return { ...end, notes: [...(end.notes ?? []), note] };
  };
}
