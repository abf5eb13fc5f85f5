/**
 * Takes how a run ended (exit code, stdout, stderr), gives its effects as the Claude dialect means them.
 * Exit code 2 always says no, whatever the JSON says; otherwise valid JSON decides on every exit code; what is left is
 * plain text (exit 0) or a failure. Everything that depends on the event is read off its catalogue row.
 */
import type { EventName } from "@hookloop/sdk";
import { type EventRow, topLevelOutputOf } from "../../catalogue/index.ts";
import type { RawOutcome } from "../../engine/execute/types.ts";
import {
  diagnosticsOf,
  type Effect,
  type Failure,
  type Note,
  type Reading,
  readStdout,
  sanitiseText,
  sayNo,
  shortText,
} from "../../engine/interpret/index.ts";
import type { AnswerRules } from "./answer-rules.ts";
import { readAsyncLine } from "./async-line.ts";
import { plainTextEffects } from "./plain-text.ts";
import { type Answer, readAnswer } from "./read-answer.ts";

export interface RunToRead {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  readonly rules: AnswerRules;
}

/** What stdout held: an answer, text, or something broken. */
interface Heard {
  readonly answer?: Answer | undefined;
  /** Plain text; empty if there was an answer. */
  readonly text: string;
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

/** What a run gave, before the notes know their hook. */
interface Meaning {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

/** Reads one run of a hook that speaks the Claude wire. Never throws. */
export function readClaudeRun(run: RunToRead): Reading {
  const { raw } = run;
  if (isSentToBackground(run)) return { effects: [], failure: raw.failure, diagnostics: [], isBackground: true };
  const { effects, failure, notes } = meaningOf(run);
  return { effects, failure, diagnostics: diagnosticsOf(raw.hook, notes) };
}

/** SECURITY: a guard answers now, and exit code 2 says no, whatever a text that the model wrote and the hook echoed looks like. */
function isSentToBackground({ raw }: RunToRead): boolean {
  return raw.exitCode === 0 && !raw.hook.isGuard && raw.hook.onFailure !== "block" && readAsyncLine(raw.stdout) !== undefined;
}

function meaningOf(run: RunToRead): Meaning {
  const { raw, row } = run;
  const code = raw.exitCode ?? 0;
  if (row.anyExitBlocks && code !== 0) return { effects: sayNo(row, spokenReason(run, hear(run))), notes: [] };
  // SECURITY: what a run printed before it was ended is not its answer (fault 44).
  if (raw.failure && raw.failure.kind !== "exit") return { effects: [], notes: [], failure: raw.failure };
  if (raw.signal !== undefined) return { effects: [], notes: [], failure: { kind: "signal", text: `ended by ${raw.signal}` } };
  const heard = hear(run);
  if (code === 2) return exitTwo(run, heard);
  return code === 0 ? exitZero(run, heard) : otherExit(run, heard);
}

function hear({ event, row, raw, rules }: RunToRead): Heard {
  const answerFields = [...Object.keys(topLevelOutputOf(row)), "decision", "hookSpecificOutput"];
  const reading = readStdout({ stdout: raw.stdout, isBinary: raw.isBinary, answerFields });
  if (reading.kind === "bad") return { text: "", notes: [], failure: { kind: "bad-json", code: reading.code, text: reading.problem } };
  if (reading.kind === "text") return { text: reading.text, notes: reading.notes };
  const answer = readAnswer(reading.value, { event, row, rules });
  const [first, ...others] = answer.problems;
  const trusted = reading.isBlemished ? withoutLoosening(answer.effects, BLEMISHED) : { effects: answer.effects, notes: [] };
  return {
    answer: { ...answer, effects: trusted.effects },
    text: "",
    notes: [...reading.notes, ...answer.notes, ...others, ...trusted.notes],
    failure: first && { kind: "bad-output", code: first.code, text: first.text, said: answer.refusal },
  };
}

function exitZero({ row }: RunToRead, { answer, text, notes, failure }: Heard): Meaning {
  return { effects: answer?.effects ?? plainTextEffects(row, text), notes, failure };
}

/** The no stands, with the best reason there is. What the JSON says besides may be kept; it cannot undo the exit code. */
function exitTwo(run: RunToRead, heard: Heard): Meaning {
  const { row, event } = run;
  // The run has answered: a broken JSON beside it is worth a word, not a failure.
  const broken: readonly Note[] = heard.failure
    ? [{ code: heard.failure.code ?? "HL_OUTPUT_BAD_JSON", level: "warning", text: heard.failure.text }]
    : [];
  const beside = withoutLoosening(heard.answer?.effects ?? [], "exit code 2 says no; the JSON cannot undo it");
  const notes = [...heard.notes, ...broken, ...beside.notes];
  const reason = spokenReason(run, heard);
  if (row.exit2 === "tell") return { effects: [...beside.effects, ...told(reason)], notes };
  if (row.exit2 === "ignore") {
    const text = `exit code 2 has no effect on ${event}${reason ? `; stderr was: ${shortText(reason)}` : ""}`;
    return { effects: beside.effects, notes: [...notes, { code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text }] };
  }
  const others = beside.effects.filter(({ type }) => type !== row.blockEffect);
  return { effects: [...others, ...sayNo(row, reason)], notes };
}

/** Neither 0 nor 2: the JSON decides if there is any, and without one the run has failed. */
function otherExit({ row, raw, rules }: RunToRead, { answer, notes, failure }: Heard): Meaning {
  const said = answer?.refusal ?? (sanitiseText(raw.stderr).trim() || undefined);
  const exit: Failure = { kind: "exit", text: `exit code ${raw.exitCode}${said ? `: ${shortText(said, 300)}` : ""}`, said };
  if (!answer || rules.answerOfFailedExit === "is-failure")
    return { effects: [], notes: [...notes, ...(failure ? [noteOf(failure)] : [])], failure: exit };
  const counts: Note = {
    code: "HL_EXECUTE_EXIT",
    level: "warning",
    text: `exit code ${raw.exitCode}; the JSON on stdout counts all the same. Exit with 0`,
  };
  const saysNo = answer.effects.some(({ type }) => type === row.blockEffect);
  // `onFailure: "block"` also reaches a run that said allow and then failed (spec §3.7).
  const isFailure = !saysNo && raw.hook.onFailure !== "continue";
  return isFailure ? { effects: answer.effects, notes, failure: exit } : { effects: answer.effects, notes: [...notes, counts], failure };
}

function noteOf({ code, text }: Failure): Note {
  return { code: code ?? "HL_OUTPUT_BAD_JSON", level: "warning", text };
}

/** The JSON's own reason, else stderr, else plain stdout (D7). Nothing of the command line (D8). */
function spokenReason({ raw }: RunToRead, { answer, text }: Heard): string | undefined {
  return answer?.refusal ?? (sanitiseText(raw.stderr).trim() || text || undefined);
}

function told(text: string | undefined): readonly Effect[] {
  return text ? [{ type: "tell", text: sanitiseText(text) }] : [];
}

const BLEMISHED = "text stands around the JSON, so its allow does not count; a no would";
const LOOSENING: readonly Effect["type"][] = ["approve", "permissionUpdates"];

function withoutLoosening(effects: readonly Effect[], why: string): { effects: readonly Effect[]; notes: readonly Note[] } {
  const kept = effects.filter(({ type }) => !LOOSENING.includes(type));
  const notes: readonly Note[] = kept.length === effects.length ? [] : [{ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text: why }];
  return { effects: kept, notes };
}
