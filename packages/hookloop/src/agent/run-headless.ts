/**
 * One run without a terminal: submits the prompts, prints what happened, gives the exit code.
 * Everything a hook did or failed to do is visible: in the stream, or on stderr.
 */

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { addAbortSignal, type Readable } from "node:stream";
import { type Diagnostic, diagnosticLine, digestUntrusted, visible, withOwnCommand } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/index.ts";
import { isOfflineModel } from "../models/index.ts";
import { ModelError } from "../run/index.ts";
import { createDebugPrinter, wantsJson } from "../trace/index.ts";
import { type AgentSession, openSession, type SessionHost } from "./open-session.ts";
import { type AgentFlags, CannotStart, isWatched, onEndSignal } from "./session-options.ts";
import { endText, exitCodeOf, isToldAlready, type PromptOutcome, resultLine, type TurnEnd } from "./submit-prompt.ts";
import { assistantMessage } from "./transcript.ts";
import type { LoopStep } from "./types.ts";

export interface HeadlessFlags extends AgentFlags {
  readonly prompt?: string | undefined;
  readonly outputFormat: "text" | "json" | "stream-json";
  readonly inputFormat: "text" | "stream-json";
  readonly includeHookEvents: boolean;
  readonly includePartialMessages: boolean;
  readonly setup?: "init" | "maintenance" | undefined;
  readonly isSetupOnly: boolean;
}

/** What a command that only looks shows, for people and for programs. */
export interface Looked {
  readonly lines: readonly string[];
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** Answers commands of the conversation that only look: without a turn, and without the model. */
export interface Looker {
  isLook(prompt: string): boolean;
  /** What `/why` explains. */
  step(step: LoopStep): void;
  answer(session: AgentSession, prompt: string): Looked;
}

interface HeadlessIo extends Pick<SessionHost, "cwd" | "env" | "managedRoot"> {
  /** Aborted when stdout is closed: the session ends as if it was interrupted. */
  readonly signal?: AbortSignal | undefined;
  readonly looker?: Looker | undefined;
  readonly stdin: NodeJS.ReadableStream & NodeJS.ReadStream;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const EXIT_CANNOT_START = 1;
/** Lines of one kind on stderr: a repository can have ten thousand hooks that are not approved. */
const MAX_REPORTED = 200;

export async function runHeadless(flags: HeadlessFlags, host: HeadlessIo): Promise<number> {
  // SECURITY: names and rules of the project are in these lines, and a terminal may read them.
  const io: HeadlessIo = { ...host, err: (text) => host.err(visible(text)) };
  const show = createShow(flags, io);
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  const forgetSignals = onEndSignal(stop);
  host.signal?.addEventListener("abort", stop);
  try {
    const prompts = await promptsOf(flags, io, interrupt.signal);
    return prompts ? await runSession(flags, io, show, prompts, interrupt.signal) : EXIT_CANNOT_START;
  } finally {
    forgetSignals();
    host.signal?.removeEventListener("abort", stop);
  }
}

/** Nothing is asked, so no model is needed; nothing happens, so nothing has to be guarded, and no server is started. */
function onlyLooking(flags: HeadlessFlags, { looker }: HeadlessIo): HeadlessFlags | undefined {
  const { prompt, inputFormat, isSetupOnly } = flags;
  if (prompt === undefined || inputFormat === "stream-json" || isSetupOnly || !looker?.isLook(prompt)) return undefined;
  return { ...flags, model: "offline", script: undefined, mcpConfig: [], allowChangedHooks: true, requireHooks: false };
}

async function runSession(
  given: HeadlessFlags,
  io: HeadlessIo,
  show: Show,
  prompts: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<number> {
  const looking = onlyLooking(given, io);
  const flags = looking ?? given;
  let session: AgentSession;
  try {
    session = await openSession(flags, {
      ...io,
      report: show.report,
      emit(step, agentId) {
        io.looker?.step(step);
        show.step(step, agentId);
      },
      trace: show.trace,
      isWatching: () => isWatched(flags, io.env),
      signal,
    });
  } catch (thrown) {
    if (!(thrown instanceof CannotStart || thrown instanceof ModelError)) throw thrown;
    show.reported();
    io.err(`${thrown instanceof ModelError ? "HL_AGENT_NO_MODEL: " : ""}${withOwnCommand(thrown.message)}\n`);
    return thrown instanceof CannotStart ? thrown.exitCode : EXIT_CANNOT_START;
  }
  try {
    return await runPrompts({ flags, io, show, session, isLooking: looking !== undefined }, prompts, signal);
  } finally {
    await session.close(looking ? undefined : "other");
  }
}

interface HeadlessRun {
  readonly flags: HeadlessFlags;
  readonly io: HeadlessIo;
  readonly show: Show;
  readonly session: AgentSession;
  /** No turn will begin: no event is fired. */
  readonly isLooking: boolean;
}

async function runPrompts(
  { flags, io, show, session, isLooking }: HeadlessRun,
  prompts: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<number> {
  show.opened(session, isLooking);
  if (!isLooking) {
    if (session.hooks.trust.cannotStart.length > 0) return EXIT_CANNOT_START;
    await session.agent.start({ source: session.earlier ? "resume" : "startup", setup: flags.setup, signal });
  }
  if (flags.isSetupOnly) return 0;
  // Only bad lines, or interrupted before the first prompt: it failed.
  let exit = 1;
  for await (const prompt of prompts) {
    if (signal.aborted) break;
    const startedAt = performance.now();
    const looked = io.looker?.isLook(prompt) ? io.looker.answer(session, prompt) : undefined;
    const end = looked ? ({ reason: null, text: looked.lines.join("\n"), turns: 0 } as const) : await session.agent.submit(prompt, signal);
    show.ended(end, session, { durationMs: performance.now() - startedAt, data: looked?.data });
    exit = exitCodeOf(end);
  }
  return signal.aborted ? 1 : exit;
}

/** The prompts of this run; undefined, and reported, if there is none. Only a stream is read while the session runs. */
async function promptsOf(
  { prompt, inputFormat, isSetupOnly }: HeadlessFlags,
  { stdin, err }: HeadlessIo,
  signal: AbortSignal,
): Promise<AsyncIterable<string> | Iterable<string> | undefined> {
  if (isSetupOnly) return [];
  if (inputFormat === "stream-json") return readPrompts(stdin, signal, err);
  const text = prompt ?? (await readAll(stdin, signal));
  if (text.trim() !== "") return [text];
  err("HL_AGENT_BAD_INPUT: There is no prompt. Give one after -p, or on stdin.\n");
  return undefined;
}

const OFFLINE_ANSWERS =
  "No key is set, so the offline model answers: it knows plain sentences, not code. Set ANTHROPIC_API_KEY to ask a model; --model offline asks for this one.\n";

const OFFLINE_ASKED = "The offline model answers: it knows plain sentences, not code.\n";

interface Show {
  readonly report: (diagnostic: Diagnostic) => void;
  readonly step: (step: LoopStep, agentId?: string) => void;
  readonly trace: NonNullable<SessionHost["trace"]>;
  /** All diagnostics of the configuration have been reported. */
  reported(): void;
  opened(session: AgentSession, isLooking: boolean): void;
  ended(end: TurnEnd, session: AgentSession, more: Pick<Looked, "data"> & { readonly durationMs: number }): void;
}

function createShow(flags: HeadlessFlags, { out, err, env }: HeadlessIo): Show {
  const isStream = flags.outputFormat === "stream-json";
  let sessionId: string | undefined;
  /** What happened before the first line of the stream, which names the session. */
  let early: readonly Line[] = [];
  // Diagnostics are on stderr already.
  const watch = isWatched(flags, env) ? createDebugPrinter({ print: err, isJson: wantsJson(env), withoutDiagnostics: true }) : undefined;
  const usage = { input_tokens: 0, output_tokens: 0 };
  /** What the user was told in this turn. */
  const told: string[] = [];
  const reported = new Map<Diagnostic["code"], number>();
  const line = (fields: Line | undefined): void => {
    if (!isStream || !fields) return;
    if (sessionId === undefined) early = [...early, fields];
    else out(`${JSON.stringify({ ...fields, session_id: sessionId, uuid: randomUUID() })}\n`);
  };
  const onStderr = digestUntrusted((diagnostic) => {
    const count = (reported.get(diagnostic.code) ?? 0) + 1;
    reported.set(diagnostic.code, count);
    if (count <= MAX_REPORTED) err(`${diagnosticLine(diagnostic)}\n`);
    if (count === MAX_REPORTED) err(`${diagnostic.code}: more of this kind are not printed; the trace and stream-json have them all.\n`);
  });
  return {
    reported: () => onStderr.flush(),
    report(diagnostic) {
      onStderr.report(diagnostic);
      const { code, level, text: content, place, hook } = diagnostic;
      line({ ...INFORMATIONAL, level, code, content, place, hook });
    },
    step(step, agentId) {
      if (step.type === "reply") {
        usage.input_tokens += step.reply.usage.inputTokens;
        usage.output_tokens += step.reply.usage.outputTokens;
      }
      if (step.type === "tell") told.push(step.text);
      if (!isStream && step.type === "tell") err(`${step.text}\n`);
      const fields = stepLine(step, flags);
      line(fields && { ...fields, parent_tool_use_id: null, ...(agentId !== undefined && { agent_id: agentId }) });
    },
    trace(record) {
      watch?.write(record);
      if (!isStream) traceOnStderr(record, err);
      else if (flags.includeHookEvents || ALWAYS_SHOWN.has(record.event ?? "")) line(hookLine(record));
    },
    opened(session, isLooking) {
      onStderr.flush();
      // The user may believe that a real model has answered. Not a diagnostic: nothing is wrong.
      if (!isLooking && isOfflineModel(session.modelName) && !session.isScripted)
        err(flags.model === undefined ? OFFLINE_ANSWERS : OFFLINE_ASKED);
      sessionId = session.id;
      line(initLine(session));
      for (const fields of early) line(fields);
    },
    ended(end, session, { durationMs, data }) {
      const { denials } = session.agent;
      const result = { ...resultLine({ end, sessionId: session.id, durationMs, denials, usage }), ...data };
      const outcome = end.reason === null ? end.outcome : undefined;
      if (outcome) line(keptFromModel(end.text, outcome));
      line(result);
      if (flags.outputFormat === "json") out(`${JSON.stringify(result)}\n`);
      else if (!isStream && end.text !== "") out(`${end.shown ?? end.text}\n`);
      if (end.reason === "aborted" || (end.detail !== undefined && !isToldAlready(end, told.splice(0)))) err(`${endText(end)}\n`);
    },
  };
}

/** Feedback after the fact blocks nothing and goes to the model only: whoever started the run must see it as well. */
function traceOnStderr(record: TraceRecord, err: HeadlessIo["err"]): void {
  if (record.type !== "outcome") return;
  // Whoever meant to prevent the call must learn that this event is too late for it.
  const late = record.label.startsWith("PostToolUse") ? " (The tool had already run; PreToolUse prevents a call.)" : "";
  for (const effect of record.effects) {
    if (effect.type === "feedback") err(`The hook "${record.name}" (${record.label}) told the model: ${effect.text.trim()}${late}\n`);
  }
}

function initLine({ agent, permissions, modelName, hooks }: AgentSession): Line {
  const tools = agent.tools().map(({ name }) => name);
  const commands = [...new Set([...agent.definitions.commands.keys(), ...agent.definitions.skills.keys(), ...agent.prompts.keys()])];
  const refused = hooks.refused.map(({ hook, reason, text, blocks }) => ({ hook: hook.id, reason, text, ...(blocks && { blocks }) }));
  return {
    type: "system",
    subtype: "init",
    model: modelName,
    tools,
    permissionMode: permissions.mode,
    slash_commands: commands,
    refused_hooks: refused,
  };
}

function keptFromModel(content: string, outcome: PromptOutcome): Line {
  return { ...INFORMATIONAL, content, level: "warning", prevent_continuation: true, prompt_submit_outcome: outcome };
}

/** The prompts on stdin, one JSON object per line: `{"type":"user","message":{"role":"user","content":"…"}}`. */
async function* readPrompts(input: Readable, signal: AbortSignal, err: HeadlessIo["err"]): AsyncGenerator<string> {
  let number = 0;
  for await (const line of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === "") continue;
    const read = promptOf(line);
    if ("problem" in read) err(`HL_AGENT_BAD_INPUT: line ${number} of stdin is not used: ${read.problem}.\n`);
    else yield read.prompt;
  }
}

/** Everything on stdin as one prompt; an interruption ends it early. */
async function readAll(input: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of addAbortSignal(signal, input)) pieces.push(Buffer.from(piece));
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return Buffer.concat(pieces).toString().trim();
}

function promptOf(line: string): { readonly prompt: string } | { readonly problem: string } {
  let value: { readonly type?: unknown; readonly message?: { readonly role?: unknown; readonly content?: unknown } };
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "it is not JSON" };
  }
  if (value?.type !== "user") return { problem: `its type is ${JSON.stringify(value?.type)}, not "user"` };
  const content = value.message?.content;
  if (typeof content === "string") return { prompt: content };
  if (!Array.isArray(content)) return { problem: "it has no message.content" };
  const texts = content.flatMap((block: { type?: unknown; text?: unknown }) => (typeof block?.text === "string" ? block.text : []));
  return texts.length > 0 ? { prompt: texts.join("\n") } : { problem: "its content has no text" };
}

/** A line of `--output-format stream-json`: one JSON object, with the field names of Claude Code. */
type Line = Readonly<Record<string, unknown>>;

const INFORMATIONAL = { type: "system", subtype: "informational" };
/** Hook events of these are always shown, the others if asked for. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["SessionStart", "Setup"]);

function stepLine(step: LoopStep, { includePartialMessages }: HeadlessFlags): Line | undefined {
  if (step.type === "reply") return { type: "assistant", message: assistantMessage(step.reply) };
  if (step.type === "results") return { type: "user", message: { role: "user", content: step.results } };
  if (step.type === "attachment") return step;
  if (step.type === "tell") return { ...INFORMATIONAL, content: step.text };
  if (step.type !== "text" || !includePartialMessages) return undefined;
  return { type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta", text: step.piece } } };
}

function hookLine(record: TraceRecord): Line | undefined {
  if (record.type !== "started" && record.type !== "outcome") return undefined;
  const { event, hook, name, label } = record;
  // Hooks of the program itself go by their name: no file names them.
  const common = { type: "system", hook_id: hook, hook_name: hook.startsWith("code:") ? name : label, hook_event: event };
  if (record.type === "started") return { ...common, subtype: "hook_started" };
  const { stdout, stderr, exitCode, failure } = record;
  const outcome = outcomeOf(failure?.kind, exitCode);
  const code = outcome === "cancelled" ? CANCELLED_EXIT : (exitCode ?? undefined);
  return { ...common, subtype: "hook_response", stdout, stderr, output: stdout || stderr, exit_code: code, outcome };
}

/** As recorded: the exit code of a hook that was cancelled. */
const CANCELLED_EXIT = 1;
/** Exit codes are below this; the status of an http hook, which takes their place, is above. */
const EXIT_CODES = 100;

/** As recorded: every exit code but 0 is an error, also the 2 that blocks. */
function outcomeOf(failure: string | undefined, exitCode: number | null): "success" | "error" | "cancelled" {
  if (failure === "timeout" || failure === "aborted") return "cancelled";
  const isError = exitCode !== null && exitCode > 0 && exitCode < EXIT_CODES;
  return failure !== undefined || isError ? "error" : "success";
}
