import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import {
  COMMON_HOOK_FIELDS,
  type DialectShape,
  EVENT_NAMES,
  EVENTS,
  type EventRow,
  type Field,
  type Fields,
  HOOK_KINDS,
  MODEL_KIND_TIMEOUT_SECONDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
  TOOL_NAMES,
} from "../../catalogue/index.ts";
import { isObject } from "../../check-options.ts";
import {
  type Dialect,
  diagnosticsOf,
  type Effect,
  type Failure,
  interpreterSign,
  type Note,
  type Reading,
  refusalEffects,
  sanitiseText,
  shortText,
  stdinCure,
} from "../../judge/index.ts";
import { parseDocument, type RawOutcome } from "../../run/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import { type AnswerRules, CLAUDE_RULES } from "./read-answer.ts";
import { type OutputRead, type RunToRead, readOutput, unanswered, withoutLoosening } from "./read-output.ts";

export const optional = (type: Field["type"], description: string): Field => ({ type, description, optional: true });

const { statusLine: _notAHook, enabledPlugins, ...switches } = SETTINGS_SWITCHES;

/** What a hookloop file has as well. */
export const SWITCHES: Fields = {
  ...switches,
  allowManagedHooksOnly: optional({ kind: "boolean" }, "Only hooks of managed policy run; counts only there."),
  permissions: optional({ kind: "shape", fields: PERMISSION_LISTS }, "Permission rules."),
};

export const MODULE_KIND: Fields = { ...COMMON_HOOK_FIELDS, ...MODULE_HOOK_FIELDS };

/** The kinds of hooks with the fields that all have, and some more. */
export function kindsWith(more: Fields): Readonly<Record<string, Fields>> {
  return Object.fromEntries(Object.entries(HOOK_KINDS).map(([kind, fields]) => [kind, { ...COMMON_HOOK_FIELDS, ...fields, ...more }]));
}

export const EVENTS_AS_THEY_ARE: Readonly<Record<string, EventName>> = Object.fromEntries(EVENT_NAMES.map((name) => [name, name]));

const CLAUDE_SHAPE: DialectShape = {
  title: "a Claude settings file",
  events: EVENTS_AS_THEY_ARE,
  tools: TOOL_NAMES,
  topLevel: { ...SWITCHES, ...(enabledPlugins && { enabledPlugins }) },
  sharedWith: "Claude Code",
  entries: "nested",
  groupFields: ["matcher", "hooks"],
  kinds: kindsWith({}),
  extensions: { groupFields: ["sequential"], kinds: { module: MODULE_KIND }, fields: NATIVE_HOOK_FIELDS },
};

type About = Parameters<Dialect["input"]["variables"]>[0];

/** Variables that Claude Code gives its hooks, and ours beside them. `CLAUDE_ENV_FILE` is added by the engine, which owns the file. */
export function claudeVariables({ event, input, hook, session }: About): Readonly<Record<string, string>> {
  const { projectRoot, entrypoint = "hookloop", pluginDataRoot, pluginOptions } = session;
  const sessionId = textOf(input["session_id"]);
  const { plugin, skill } = hook.source;
  const effort = EVENTS[event].carries.includes("effort") && isObject(input["effort"]) ? textOf(input["effort"]["level"]) : undefined;
  return withoutGaps({
    ...optionVariables(plugin && pluginOptions?.[plugin.id]),
    CLAUDECODE: "1",
    CLAUDE_PROJECT_DIR: projectRoot,
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_CODE_ENTRYPOINT: entrypoint,
    CLAUDE_PLUGIN_ROOT: plugin?.root ?? skill?.root,
    CLAUDE_PLUGIN_DATA: plugin && pluginDataRoot ? path.join(pluginDataRoot, folderName(plugin.id)) : undefined,
    CLAUDE_EFFORT: effort,
    HOOKLOOP_PROJECT_DIR: projectRoot,
    HOOKLOOP_SESSION_ID: sessionId,
    // The SDK compares it with what the script is for.
    HOOKLOOP_MATCHER: hook.matcher || undefined,
  });
}

function optionVariables(options: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const name = (key: string): string => `CLAUDE_PLUGIN_OPTION_${key.toUpperCase().replace(/\W/g, "_")}`;
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [name(key), String(value)]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A variable with a NUL in it makes spawn throw, so it is left out like one without a value. */
function withoutGaps(variables: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined && !entry[1].includes("\0")),
  );
}

// SECURITY: a plugin's id is the plugin's own word; it must not leave the folder.
function folderName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_-]/g, "-");
  return name === "" ? "-" : name;
}

/** The dialect of Claude Code's settings files; the canonical payload already is its wire. */
export const CLAUDE_DIALECT: Dialect = {
  name: "claude",
  files: {
    read: [
      { scope: "user", at: "home", path: ".claude/settings.json" },
      { scope: "project", at: "project", path: ".claude/settings.json" },
      { scope: "local", at: "project", path: ".claude/settings.local.json" },
      { scope: "local", at: "repository", path: ".claude/settings.local.json" },
    ],
    also: ["settings", "plugin", "head"],
  },
  shape: CLAUDE_SHAPE,
  defaults: {
    seconds: (kind, row) => (kind === "prompt" || kind === "agent" ? MODEL_KIND_TIMEOUT_SECONDS[kind] : row.timeoutSeconds),
    onFailure: () => "continue",
  },
  quirks: {
    hasOwnWords: false,
    sendsWireNames: true,
    honoursOnce: false,
    missingHeaderVariable: "empty",
    projectVariable: "CLAUDE_PROJECT_DIR",
  },
  input: { payload: (_event, input) => input, variables: claudeVariables },
  answer: { ...answerOnClaudeWire(CLAUDE_RULES), fromBackground },
};

/** Of a hook in the background the model gets `systemMessage` as well; plain text is a line in the log, whatever the event. */
function fromBackground(effects: readonly Effect[]): readonly Effect[] {
  return effects.flatMap((effect): readonly Effect[] => {
    if (effect.type === "tell") return [effect, { type: "context", text: effect.text }];
    return effect.type === "context" && effect.fromStdout ? [] : [effect];
  });
}

/** How answers on the Claude wire are read. */
export function answerOnClaudeWire(rules: AnswerRules): Dialect["answer"] {
  return {
    cannotSay: [],
    readFirstLine: (hook, line) => (mayGoToBackground(hook) ? readAsyncLine(line) : undefined),
    read: (row, event, raw) => readClaudeRun({ event, row, raw, rules }),
  };
}

/** What a run gave, before the notes know their hook. */
interface Meaning {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

/** Reads one run of a hook that speaks the Claude wire. Never throws. */
function readClaudeRun(run: RunToRead): Reading {
  const { raw } = run;
  // A response is whole when it is read: there is no later part to wait for.
  const later = raw.httpStatus === undefined ? readAsyncLine(raw.stdout) : undefined;
  const { effects, failure, notes } = meaningOf(later ? { ...run, raw: { ...raw, stdout: later.rest } } : run);
  if (later && !isInBackground(raw)) return notInBackground(run, { effects, failure: failure ?? brokenPromise(run, later), notes });
  return { effects, failure, diagnostics: diagnosticsOf(raw.hook, notes) };
}

/** Its event is over; the engine takes what it says to the model and the user, and nothing else. */
function isInBackground({ hook, isFromBackground }: RawOutcome): boolean {
  return hook.isAsync || isFromBackground === true;
}

/** It asked for the background and was waited for: it may not go there, or its runner does not look at lines. */
function notInBackground({ raw }: RunToRead, { effects, failure, notes }: Meaning): Reading {
  if (!mayGoToBackground(raw.hook)) return { effects, failure, diagnostics: diagnosticsOf(raw.hook, [...notes, NO_BACKGROUND]) };
  const kept = effects.filter(({ type }) => type === "context" || type === "tell" || raw.exitCode === 2);
  return { effects: kept, failure, diagnostics: diagnosticsOf(raw.hook, notes), isBackground: raw.exitCode !== 2 };
}

/** SECURITY: a hook whose word counts said that it would come later, and never gave it. */
function brokenPromise({ raw, row }: RunToRead, { rest }: AsyncLine): Failure | undefined {
  if (mayGoToBackground(raw.hook) || row.blockEffect === null || raw.exitCode === 2 || rest.trim() !== "") return undefined;
  return { kind: "bad-json", code: "HL_OUTPUT_NO_ANSWER", text: 'it printed {"async": true} and no answer' };
}

const NO_BACKGROUND: Note = {
  code: "HL_OUTPUT_NOT_HONOURED",
  level: "warning",
  text: '{"async": true} has no effect on a guard, or on a hook whose failure asks or blocks: it was waited for. Set "async": true in its configuration if it decides nothing',
};

function meaningOf(run: RunToRead): Meaning {
  const { raw, row } = run;
  const code = raw.exitCode ?? 0;
  if (row.anyExitBlocks && code !== 0) return { effects: refusalEffects(row, statedReason(run, readOutput(run))), notes: [] };
  // SECURITY: what a run printed before it was ended is not its answer.
  if (raw.failure && (raw.failure.kind !== "exit" || raw.exitCode === null)) return { effects: [], notes: [], failure: raw.failure };
  if (raw.signal !== undefined) return { effects: [], notes: [], failure: { kind: "signal", text: `ended by ${raw.signal}` } };
  const output = readOutput(run);
  if (raw.httpStatus !== undefined && !output.answer && !output.failure) return httpWithoutAnswer(run, output);
  if (code === 2) return exitTwo(run, output);
  return code === 0 ? exitZero(run, output) : otherExit(run, output);
}

/** A response speaks JSON or not at all: text of a proxy or an error page is not what the hook said. */
function httpWithoutAnswer({ raw, rules }: RunToRead, { text, notes }: OutputRead): Meaning {
  const { isGuard, onFailure } = raw.hook;
  // SECURITY: silence is the import's rule for hooks whose failure lets the agent continue; one that blocks has to be answered for.
  const mayBeEmpty = raw.httpStatus === 204 || (rules.emptyHttpAnswer === "is-silence" && !isGuard && onFailure !== "block");
  const isSilence = text.trim() === "" && mayBeEmpty;
  if (isSilence) return { effects: [], notes };
  const what = text.trim() === "" ? "its answer is empty. Answer with {}, or with status 204" : "its answer is not a JSON object";
  return { effects: [], notes, failure: { kind: "bad-json", text: what } };
}

function exitZero(run: RunToRead, output: OutputRead): Meaning {
  const { answer, text, notes, failure } = output;
  const effects = answer?.effects ?? plainTextEffects(run.row, text);
  const silent = unanswered(run, output);
  return { effects, notes: [...notes, ...silent.notes], failure: failure ?? cutAnswer(run, effects) ?? silent.failure };
}

/** SECURITY: what was thrown away may have been the no. A no that is there stands; where a failure only continues, a warning says it. */
function cutAnswer({ row, raw }: RunToRead, effects: readonly Effect[]): Failure | undefined {
  const saysNo = effects.some(({ type }) => type === row.blockEffect);
  if (!raw.isAnswerCut || saysNo || raw.hook.onFailure === "continue") return undefined;
  return {
    kind: "bad-output",
    code: "HL_EXECUTE_TRUNCATED",
    text: "it printed more than is kept of stdout, and its answer may be in the rest",
  };
}

/** The no stands, with the best reason there is. What the JSON says besides may be kept; it cannot undo the exit code. */
function exitTwo(run: RunToRead, output: OutputRead): Meaning {
  const { row, event } = run;
  // The run has answered: a broken JSON beside it is worth a word, not a failure.
  const broken: readonly Note[] = output.failure
    ? [{ code: output.failure.code ?? "HL_OUTPUT_BAD_JSON", level: "warning", text: output.failure.text }]
    : [];
  const beside = withoutLoosening(output.answer?.effects ?? [], "exit code 2 blocks; the JSON cannot undo it");
  const notes = [...output.notes, ...broken, ...beside.notes, ...notJudged(run)];
  const reason = statedReason(run, output);
  if (row.exit2 === "tell") return { effects: [...beside.effects, ...told(reason)], notes };
  if (row.exit2 === "ignore") {
    const text = `exit code 2 has no effect on ${event}${reason ? `; stderr was: ${shortText(reason)}` : ""}`;
    return { effects: beside.effects, notes: [...notes, { code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text }] };
  }
  const others = beside.effects.filter(({ type }) => type !== row.blockEffect);
  return { effects: [...others, ...refusalEffects(row, reason)], notes };
}

/** A shell that cannot read its script ends with 2 as well, and that blocks every call. */
function notJudged({ raw }: RunToRead): readonly Note[] {
  const sign = raw.hook.target.kind === "command" ? interpreterSign(sanitiseText(raw.stderr)) : undefined;
  if (sign === undefined) return [];
  const text = `exit code 2 is not the hook's judgement, but a failure of what runs it: ${shortText(sign, 200)}. It blocks all the same. Fix the script`;
  return [{ code: "HL_EXECUTE_EXIT", level: "warning", text }];
}

/** What Node prints of itself when a script throws says nothing about the script: the frames of its own files, and its version. */
function withoutFrames(stderr: string): string {
  return stderr.replace(/^(?:\s+at (?:async )?(?:.{0,200}\()?node:.*|Node\.js v\d.*)$/gm, "");
}

/** Neither 0 nor 2: the JSON decides if there is any, and without one the run has failed. */
function otherExit({ row, raw, rules }: RunToRead, { answer, notes, failure, isOwnInput }: OutputRead): Meaning {
  const said = answer?.refusal ?? (sanitiseText(raw.stderr).trim() || undefined);
  const text = `exit code ${raw.exitCode}${said ? `: ${shortText(withoutFrames(said), 300)}` : ""}`;
  const cure =
    stdinCure(raw.stderr) ??
    nodeCure(raw.stderr, raw.hook.onFailure === "block") ??
    sdkCure(row, raw) ??
    exitCure(row, raw.hook.onFailure !== "continue");
  const exit: Failure = { kind: "exit", text, said, cure };
  if (!answer || isOwnInput || rules.answerOfFailedExit === "is-failure")
    return { effects: [], notes: [...notes, ...(failure ? [noteOf(failure)] : [])], failure: exit };
  const counts: Note = {
    code: "HL_EXECUTE_EXIT",
    level: "warning",
    text: `exit code ${raw.exitCode}; the JSON on stdout counts all the same. Exit with 0`,
  };
  const saysNo = answer.effects.some(({ type }) => type === row.blockEffect);
  // `onFailure: "block"` also reaches a run that said allow and then failed.
  const isFailure = !saysNo && raw.hook.onFailure !== "continue";
  return isFailure ? { effects: answer.effects, notes, failure: exit } : { effects: answer.effects, notes: [...notes, counts], failure };
}

/** What to do about the one thing that hinders a script which a test may have run: `node hook.ts` with a Node that is too old. */
function nodeCure(stderr: string, isClosed: boolean): string | undefined {
  if (
    /^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find module '[^\n]*\n(?:Require stack:|\s+at (?:Module\._resolveFilename|Function\._resolveFilename|node:internal))/m.test(
      stderr,
    )
  )
    return `Node does not find that file: fix the path in "command"${isClosed ? "" : '. To block when a hook cannot run, set "onFailure": "block" on it'}`;
  if (!/ERR_UNKNOWN_FILE_EXTENSION[^\n]*\.[cm]?ts\b/.test(stderr)) return undefined;
  return 'This Node does not run TypeScript: use Node 22.18 or later, ship the hook as .mjs, or make it a hook of "type": "module" in a hookloop file';
}

/** Who writes a hook with the SDK returns what it says: exit codes are the SDK's own affair. */
function sdkCure({ blockEffect }: RunToRead["row"], { stderr, hook }: RunToRead["raw"]): string | undefined {
  if (!/^HL_SDK_/m.test(stderr)) return undefined;
  // It was not asked, has no say, blocks already when it fails, or was just told what it can say: how to block is not the question.
  const isTold = /HL_SDK_(?:EVENT_UNEXPECTED|NOT_EXPRESSIBLE)/.test(stderr);
  if (blockEffect === null || isTold || hook.isGuard || hook.onFailure === "block")
    return /HL_SDK_[^\n]*\bFix /.test(stderr) ? "" : "Fix it";
  const say = blockEffect === "deny" ? "deny(…)" : blockEffect === "feedback" ? "feedback(…)" : "block(…)";
  return `To block, return ${say} (with runHook: call emitBlock()); to block when it fails, make it a guard: { guard: true }`;
}

/** What 2 would have meant: most who exit with 1 wanted that. */
function exitCure({ blockEffect, exit2 }: RunToRead["row"], isClosed: boolean): string | undefined {
  if (blockEffect === null || exit2 === "tell" || exit2 === "ignore") return undefined;
  // It did not continue, but not because of what it said.
  if (isClosed) return "To decide itself, let it exit with 2 and the reason on stderr, or with 0";
  const meant = blockEffect === "feedback" ? "tells the model what stands on stderr" : "blocks, with the reason on stderr";
  return `Only exit code 2 ${meant}; if there is nothing to say, exit with 0`;
}

function noteOf({ code, text }: Failure): Note {
  return { code: code ?? "HL_OUTPUT_BAD_JSON", level: "warning", text };
}

/** The JSON's own reason, else stderr, else plain stdout. Nothing of the command line. */
function statedReason({ raw }: RunToRead, { answer, text }: OutputRead): string | undefined {
  return answer?.refusal ?? (sanitiseText(raw.stderr).trim() || text || undefined);
}

function told(text: string | undefined): readonly Effect[] {
  return text ? [{ type: "tell", text: sanitiseText(text) }] : [];
}

/** What plain stdout of a successful hook does: context, a path, or nothing but a line in the log. */
function plainTextEffects(row: EventRow, text: string): readonly Effect[] {
  if (row.stdout === "context") return contextOf(text);
  return row.stdout === "path" && row.pathField ? pathOf(row.pathField, text) : [];
}

function contextOf(text: string): readonly Effect[] {
  const shown = sanitiseText(text).trim();
  return shown === "" ? [] : [{ type: "context", text: shown, fromStdout: true }];
}

/** The last line that is not empty: what stands before it is progress of the command that made the folder. */
function pathOf(field: string, text: string): readonly Effect[] {
  const last = sanitiseText(text)
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
  return last === undefined ? [] : [{ type: "set", field, value: last }];
}

/** What stands after a first line that sent the hook to the background. */
interface AsyncLine {
  /** Milliseconds the background hook may take, if it said so. */
  readonly timeoutMs?: number | undefined;
  /** The answer it gave later. */
  readonly rest: string;
}

/**
 * SECURITY: a hook whose failure asks or blocks answers now. The line may be a text that the model wrote and the hook only
 * echoed, and would let the event continue without its denial.
 */
function mayGoToBackground({ isGuard, onFailure }: AdmittedHook): boolean {
  return !isGuard && onFailure === "continue";
}

/** Reads `{"async": true}` as the first line of stdout; nothing if the hook stays in the foreground. */
export function readAsyncLine(stdout: string): AsyncLine | undefined {
  const text = stdout.replace(/^\ufeff/, "").trimStart();
  if (!text.startsWith("{") || !text.includes('"async"')) return undefined;
  const lineEnd = text.indexOf("\n");
  const line = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trim();
  const document = parseDocument(line);
  if (!document.isValid || document.end !== line.length || !isObject(document.value) || document.value["async"] !== true) return undefined;
  // An answer with a decision in it is an answer.
  if (Object.keys(document.value).some((name) => name !== "async" && name !== "asyncTimeout")) return undefined;
  const timeoutMs = document.value["asyncTimeout"];
  return {
    timeoutMs: typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined,
    rest: lineEnd < 0 ? "" : text.slice(lineEnd + 1),
  };
}
