/**
 * Takes how one run ended, gives its outcome: effects, or a failure with the effects of its direction, and everything
 * a person should know about it. Refuses nothing and never throws: whatever a hook did is in the outcome.
 */
import type { EventName } from "@hookloop/sdk";
import type { EventRow } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { RawOutcome } from "../execute/types.ts";
import { applyFailure } from "./apply-failure.ts";
import { readFunctionResult } from "./function-result.ts";
import { diagnosticsOf, type Note } from "./note.ts";
import { shortText } from "./sanitise-text.ts";
import type { Dialect, Outcome, Reading } from "./types.ts";

export interface ToInterpret {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  /** Not asked for functions: they speak the SDK's language. */
  readonly dialect: Dialect;
}

/** What one run of one hook means. */
export function interpretOutcome(given: ToInterpret): Outcome {
  const { row, raw } = given;
  const { hook, durationMs } = raw;
  const reading = read(given);
  const diagnostics = [...reading.diagnostics, ...diagnosticsOf(hook, runNotes(raw))];
  const outcome = { ...reading, hook, durationMs, diagnostics };
  if (!reading.failure) return outcome;
  const applied = applyFailure({ row, hook, failure: reading.failure, durationMs });
  const effects = reading.isBackground ? reading.effects : [...reading.effects, ...applied.effects];
  return { ...outcome, effects, diagnostics: [...diagnostics, applied.diagnostic] };
}

function read({ event, row, raw, dialect }: ToInterpret): Reading {
  if (raw.hook.target.kind !== "function") return dialect.fromOutput(row, event, raw);
  if (raw.failure) return { effects: [], failure: raw.failure, diagnostics: [] };
  const { effects, failure, notes } = readFunctionResult(row, raw.returned, raw.hook.isGuard);
  const diagnostics: readonly Diagnostic[] = diagnosticsOf(raw.hook, notes);
  return { effects, failure, diagnostics };
}

/** What the run left behind besides its answer. */
function runNotes(raw: RawOutcome): readonly Note[] {
  const notes: Note[] = [...(raw.notes ?? [])];
  if (raw.pipesHeld)
    notes.push({
      code: "HL_EXECUTE_PIPES_HELD",
      level: "notice",
      text: "the hook has ended, but a process it started still holds its output open. Redirect that process's output",
    });
  if (raw.missingCwd !== undefined)
    notes.push({
      code: "HL_EXECUTE_CWD_MISSING",
      level: "warning",
      text: `the folder ${shortText(raw.missingCwd, 200)} does not exist; the hook ran in the project root`,
    });
  if (raw.isTruncated)
    notes.push({
      code: "HL_EXECUTE_TRUNCATED",
      level: "warning",
      text: "the hook printed more than is kept; the rest was thrown away. Print less",
    });
  return notes;
}
