/**
 * Takes what a run printed, gives what it said: an answer, text, or something broken.
 * A decision that its form made unreadable is never lost without a word: where a failure of the hook asks or blocks it is a
 * failure, elsewhere a warning (D6, faults 46, 47).
 */
import type { EventName } from "@hookloop/sdk";
import { type EventRow, topLevelOutputOf } from "../../catalogue/index.ts";
import type { RawOutcome } from "../../engine/execute/types.ts";
import { type Effect, type Failure, type Note, readStdout } from "../../engine/interpret/index.ts";
import type { AnswerRules } from "./answer-rules.ts";
import { type Answer, readAnswer } from "./read-answer.ts";

export interface RunToRead {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  readonly rules: AnswerRules;
}

/** What stdout held. */
export interface Heard {
  readonly answer?: Answer | undefined;
  /** Plain text; empty if there was an answer. */
  readonly text: string;
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

type Reading = ReturnType<typeof readStdout>;

export function hear(run: RunToRead): Heard {
  const { row, raw } = run;
  const answerFields = [...Object.keys(topLevelOutputOf(row)), "decision", "hookSpecificOutput"];
  const reading = readStdout({ stdout: raw.stdout, isBinary: raw.isBinary, answerFields });
  if (reading.kind === "bad") return { text: "", notes: [], failure: { kind: "bad-json", code: reading.code, text: reading.problem } };
  return reading.kind === "text" ? hearText(run, reading) : hearAnswer(run, reading);
}

function hearText({ row, raw }: RunToRead, { text, notes, lost }: Extract<Reading, { kind: "text" }>): Heard {
  if (lost === undefined || row.block === null) return { text, notes };
  if (raw.hook.onFailure !== "continue") return { text, notes, failure: { kind: "bad-json", text: lost } };
  const warning = `${lost}; it is taken as text, as Claude Code does. Print one JSON object and nothing else`;
  return { text, notes: [...notes, { code: "HL_OUTPUT_BAD_JSON", level: "warning", text: warning }] };
}

function hearAnswer({ event, row, raw, rules }: RunToRead, reading: Extract<Reading, { kind: "answer" }>): Heard {
  const answer = readAnswer(reading.value, { event, row, rules });
  const [first, ...others] = answer.problems;
  const trusted = reading.isBlemished ? withoutLoosening(answer.effects, BLEMISHED) : { effects: answer.effects, notes: [] };
  const problem: Failure | undefined = first && { kind: "bad-output", code: first.code, text: first.text, said: answer.refusal };
  return {
    answer: { ...answer, effects: trusted.effects },
    text: "",
    notes: [...reading.notes, ...answer.notes, ...others, ...trusted.notes],
    failure: problem ?? (reading.hadMarks && raw.hook.onFailure !== "continue" ? MARKED : undefined),
  };
}

const MARKED: Failure = { kind: "bad-json", text: "control characters stand around the JSON on stdout" };
const BLEMISHED = "text stands around the JSON, so its allow does not count; a no would";
const LOOSENING: readonly Effect["type"][] = ["approve", "permissionUpdates"];

/** Without what lets more happen; says so if there was any. */
export function withoutLoosening(effects: readonly Effect[], why: string): { effects: readonly Effect[]; notes: readonly Note[] } {
  const kept = effects.filter(({ type }) => !LOOSENING.includes(type));
  const notes: readonly Note[] = kept.length === effects.length ? [] : [{ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text: why }];
  return { effects: kept, notes };
}
