/**
 * Takes what a run printed, gives what that is: an answer, text, or something broken.
 * A decision that its form made unreadable is never lost silently: where a failure of the hook asks or blocks it is a
 * failure, elsewhere a warning.
 */

import type { EventName } from "@hookloop/sdk";
import { type EventRow, topLevelOutputOf } from "../../catalogue/index.ts";
import { isObject } from "../../check-options.ts";
import { type Effect, effectRow, type Failure, isRefusal, lostAnswer, type Note, readStdout, shortText } from "../../judge/index.ts";
import { type JsonObject, parseDocument, type RawOutcome } from "../../run/index.ts";
import { type Answer, type AnswerRules, losesDecision, readAnswer } from "./read-answer.ts";

export interface RunToRead {
  readonly event: EventName;
  readonly row: EventRow;
  readonly raw: RawOutcome;
  readonly rules: AnswerRules;
}

/** What stdout held. */
export interface OutputRead {
  readonly answer?: Answer | undefined;
  /** Plain text; empty if there was an answer. */
  readonly text: string;
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
  /** It printed what it was given: there is no answer in it, whatever the exit code. */
  readonly isOwnInput?: boolean | undefined;
}

type Reading = ReturnType<typeof readStdout>;

export function readOutput(run: RunToRead): OutputRead {
  const { row, raw } = run;
  const answerFields = [...Object.keys(topLevelOutputOf(row)), "decision", "hookSpecificOutput"];
  const reading = readStdout({ stdout: raw.stdout, isBinary: raw.isBinary, answerFields });
  if (reading.kind === "bad") return { text: "", notes: [], failure: { kind: "bad-json", code: reading.code, text: reading.problem } };
  return reading.kind === "text" ? readText(run, reading) : readAnswerOutput(run, reading);
}

function readText({ row, raw }: RunToRead, { text, notes, lost }: Extract<Reading, { kind: "text" }>): OutputRead {
  if (lost === undefined || row.block === null) return { text, notes };
  if (raw.hook.onFailure !== "continue") return { text, notes, failure: { kind: "bad-json", text: lost } };
  const warning = `${lost}; it is taken as text, as Claude Code does. Print one JSON object and nothing else`;
  return { text, notes: [...notes, { code: "HL_OUTPUT_BAD_JSON", level: "warning", text: warning }] };
}

function readAnswerOutput(run: RunToRead, reading: Extract<Reading, { kind: "answer" }>): OutputRead {
  const { event, row, raw, rules } = run;
  if (isOwnInput(run, reading.value)) return { answer: ECHO, text: "", isOwnInput: true, notes: mustAnswer(run) ? [] : [ECHO_NOTE] };
  const answer = readAnswer(reading.value, { event, row, rules, stray: reading.dropped });
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

/** `tee log` and `cat` print what they were given: all of its fields are of the input, and none is of an answer. */
function isOwnInput({ event, row }: RunToRead, value: JsonObject): boolean {
  if (value["hook_event_name"] !== event || typeof value["session_id"] !== "string") return false;
  const answers = topLevelOutputOf(row);
  const isOfAnswer = (name: string): boolean => name === "hookSpecificOutput" || Object.hasOwn(answers, name) || losesDecision(row, name);
  // Some events are told a reason, and some answers give one.
  return !Object.keys(value).some((name) => isOfAnswer(name) && !Object.hasOwn(row.input, name));
}

/** One that gives no answer has failed, which is said every time. */
function mustAnswer({ row, raw }: RunToRead): boolean {
  return (raw.hook.isGuard || raw.hook.onFailure === "block") && row.blockEffect !== null;
}

const ECHO: Answer = { effects: [], notes: [], problems: [], unclear: "hook_event_name" };
const ECHO_NOTE: Note = {
  code: "HL_OUTPUT_OWN_INPUT",
  level: "warning",
  text: "it printed its own input (as tee and cat do), which is no answer and counts as no opinion. Send it elsewhere: tee FILE >/dev/null, cat >/dev/null. This is said once in a session",
};

const MARKED: Failure = { kind: "bad-json", text: "control characters stand around the JSON on stdout" };
const BLEMISHED = "text stands around the JSON, so its allow does not count; a denial would";

/** The effects without those that loosen (an allow, new rules), and a note if there were any. */
export function withoutLoosening(effects: readonly Effect[], why: string): { effects: readonly Effect[]; notes: readonly Note[] } {
  const kept = effects.filter((effect) => effectRow(effect).loosens !== "more");
  const notes: readonly Note[] = kept.length === effects.length ? [] : [{ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text: why }];
  return { effects: kept, notes };
}

/** What is wrong with a run that exited with 0 and said nothing that can be read. */
interface Unanswered {
  readonly failure?: Failure | undefined;
  readonly notes: readonly Note[];
}

/**
 * SECURITY: words that cannot be read are not consent. For a guard, whatever it printed without an answer is a failure. For other hooks what
 * looks like an attempt at an answer is, where a failure of theirs asks or blocks. Other words are said: they may be of a program such as `npm test`.
 */
export function unanswered(run: RunToRead, output: OutputRead): Unanswered {
  const { row, raw } = run;
  const { isGuard, isAsync, onFailure } = raw.hook;
  if (output.failure || isAsync || raw.isFromBackground) return { notes: [] };
  if (row.blockEffect === null) return { notes: untold(run, output) };
  if (isGuard && EMPTY_ANSWER_LAST.test(output.text)) return { notes: [NOISE] };
  const problem = isGuard ? guardProblem(row, raw, output) : attempt(row, raw, output);
  if (problem === undefined) return isGuard ? { notes: [] } : idleWords(run, output);
  const isSaid = output.notes.some(({ code }) => code === "HL_OUTPUT_BAD_JSON");
  if (isSaid && !isGuard) return { notes: [] };
  if (isGuard || onFailure !== "continue") return { notes: [], failure: noAnswer(problem, isPlain(raw, output) ? REDIRECT : undefined) };
  return { notes: [noAnswerNote(`${problem}; it counts as no opinion, as in Claude Code. Print one JSON object and nothing else`)] };
}

function noAnswer(text: string, cure?: string): Failure {
  return { kind: "bad-json", code: "HL_OUTPUT_NO_ANSWER", text, cure };
}

/** Words of a command, and no attempt at JSON: most are of a program that it runs. */
function isPlain({ hook }: RawOutcome, { answer, text }: OutputRead): boolean {
  return hook.target.kind === "command" && !answer && text !== "" && !/^\s*[{["]/.test(text);
}

const REDIRECT = "Print one JSON object and nothing else; if that is the output of a program it runs, redirect it: >/dev/null or >&2";

function noAnswerNote(text: string, level: Note["level"] = "warning"): Note {
  return { code: "HL_OUTPUT_NO_ANSWER", level, text: `${text}. This is said once in a session` };
}

/** What was printed where nothing reads it, or the reason of a decision that is not there. */
function idleWords({ event, row, raw }: RunToRead, output: OutputRead): Unanswered {
  const { answer, text, notes, isOwnInput: isEcho } = output;
  if (isEcho) return raw.hook.onFailure === "block" ? { notes: [], failure: noAnswer(OWN_INPUT) } : { notes: [] };
  if (answer) return undecided(event, row, { raw, answer });
  if (text === "" || row.stdout !== "log") return { notes: [] };
  const words = `it ${gave(raw)} "${shortText(text, 60)}" and no answer`;
  const isSaid = raw.isAnswerCut || notes.some(({ code }) => code === "HL_OUTPUT_BAD_JSON");
  // Tools that print what they did hang on events that come after the fact.
  if (isSaid || (row.blockEffect === "feedback" && raw.hook.onFailure !== "block")) return { notes: [] };
  const says = `${words}: ${idleCure({ event, row, raw }, output)}`;
  return { notes: [noAnswerNote(says, isRefusal(text) ? "warning" : "notice")] };
}

/** Only a script has an exit code and a file to print to. */
function idleCure({ event, row, raw }: Omit<RunToRead, "rules">, output: OutputRead): string {
  const { kind } = raw.hook.target;
  if (kind === "module")
    return `text is not read on ${event}, and nothing is blocked. To block, return ${row.blockEffect === "deny" ? "deny" : "block"}(…) of @hookloop/sdk; if there is nothing to say, return nothing`;
  const unread = `plain text on stdout is not read on ${event}, and nothing is blocked. To block,`;
  if (kind === "http" || kind === "mcp_tool") return `${unread} answer with JSON (hookloop events ${event})`;
  const block = row.exit2 === "block" ? "exit with 2 and the reason on stderr, or print JSON" : "print JSON";
  const other = isPlain(raw, output) ? "send other text to a file, /dev/null or stderr" : "send other text to a file";
  return `${unread} ${block} (hookloop events ${event}); ${other}`;
}

/** Plain text of an event that cannot block, where JSON could have told it to the model: most who print it want that. */
function untold({ event, row, raw }: RunToRead, { answer, text }: OutputRead): readonly Note[] {
  if (answer || text === "" || row.stdout !== "log" || raw.isAnswerCut || !("additionalContext" in row.output)) return [];
  const cure = `{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"…"}}`;
  const says = `it printed "${shortText(text, 60)}": plain text on stdout is not read on ${event}. To tell the model, print ${cure}; send other text to a file`;
  return [noAnswerNote(says, "notice")];
}

function undecided(
  event: string,
  row: EventRow,
  { raw, answer: { unclear } }: { readonly raw: RawOutcome; readonly answer: Answer },
): Unanswered {
  if (unclear === undefined) return { notes: [] };
  const problem = `its answer has "${shortText(unclear, 40)}" and decides nothing`;
  if (raw.hook.onFailure === "block") return { notes: [], failure: noAnswer(problem) };
  const decision = Object.hasOwn(REASONS_OF, unclear) ? REASONS_OF[unclear] : undefined;
  if (decision !== undefined) return { notes: [noAnswerNote(`${problem}. Add ${decision}`)] };
  if (!DECISION_WORDS.test(unclear)) return { notes: [] };
  const no =
    row.block === "permission"
      ? `{"hookSpecificOutput":{"hookEventName":"${event}","permissionDecision":"deny","permissionDecisionReason":"…"}}`
      : '{"decision":"block","reason":"…"}';
  return { notes: [noAnswerNote(`${problem}, so nothing is blocked. To block, write ${no}`)] };
}

/** Fields that no event has, and that are meant as a decision. */
const DECISION_WORDS = /^(?:ok|block(?:ed)?|deny|denied|allow(?:ed)?|approved?|permit(?:ted)?|reject(?:ed)?|safe|valid)$/i;

/** What a reason is the reason of. */
const REASONS_OF: Readonly<Record<string, string>> = {
  reason: '"decision": "block"',
  stopReason: '"continue": false',
  permissionDecisionReason: '"permissionDecision": "deny", "ask" or "allow"',
};

const OWN_INPUT = "it printed its own input (as tee and cat do) and no answer. Send it elsewhere: tee FILE >/dev/null";
/** `{}` on the last line is an explicit empty answer. */
const EMPTY_ANSWER_LAST = /\n[ \t]*\{\s*\}$/;
const NOISE: Note = { code: "HL_OUTPUT_NOISE", level: "warning", text: "text stands before the JSON on stdout. Print it to stderr" };

function guardProblem(row: EventRow, raw: RawOutcome, { answer, text, isOwnInput: isEcho }: OutputRead): string | undefined {
  if (isEcho) return OWN_INPUT;
  if (answer) return answer.unclear === undefined ? undefined : `its answer has "${shortText(answer.unclear, 40)}" and decides nothing`;
  if (text === "") return onStderr(raw);
  // Where a path is what the event wants, text is the answer.
  if (row.stdout === "path" && !text.includes("\0")) return undefined;
  return `it ${gave(raw)} "${shortText(text, 60)}" and no answer`;
}

/** What a module prints is no answer: what stands in the place of its stdout is what it returned. */
function gave({ hook }: RawOutcome): string {
  return hook.target.kind === "module" ? "returned" : hook.target.kind === "http" ? "answered with" : "printed";
}

function attempt(row: EventRow, raw: RawOutcome, { answer, text }: OutputRead): string | undefined {
  if (answer) return undefined;
  if (text === "") return onStderr(raw);
  if (text.includes("\0")) return "NUL characters stand on stdout, as in UTF-16. Print UTF-8";
  if (raw.isBinary && raw.hook.onFailure !== "continue") return "stdout is not UTF-8";
  // Elsewhere plain text is something to say.
  if (row.stdout !== "log") return undefined;
  if (text.startsWith("{")) return `stdout begins like a JSON object and is none: "${shortText(text, 60)}"`;
  const document = parseDocument(text);
  const isValue = document.isValid && document.end === text.length && !isObject(document.value) && typeof document.value !== "number";
  return isValue ? `stdout is JSON, but not an object: ${shortText(text, 60)}` : undefined;
}

function onStderr({ stderr, hook }: RawOutcome): string | undefined {
  if (lostAnswer(stderr) === undefined) return undefined;
  return hook.target.kind === "module"
    ? "it printed a decision, which is not read. Return it"
    : "a decision stands on stderr, where it is not read";
}
