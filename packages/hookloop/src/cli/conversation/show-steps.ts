/** Shows what happens in a session: the model's text as it arrives, its calls, what hooks did (dimmed) and what went wrong (in red). */

import { type EarlierSession, type LoopStep, promptText, textOf } from "../../agent/index.ts";
import type { RegisteredHook } from "../../config/index.ts";
import { counted, type Diagnostic, diagnosticLine } from "../../diagnostic.ts";
import type { TraceRecord } from "../../engine/index.ts";
import { type Effect, effectWords } from "../../judge/index.ts";
import { durationText, type ToolUseBlock } from "../../run/index.ts";
import { createDebugPrinter, createRedactor, wantsJson } from "../../trace/index.ts";
import type { AskScreen, Screen } from "../screen/screen.ts";
import { style } from "../terminal.ts";
import { contents, endLines, firstLines, resultText, type Shorten, shownCall, shownResult, spokenText } from "./call-text.ts";

export interface Show {
  report(diagnostic: Diagnostic): void;
  step(step: LoopStep, agentId?: string): void;
  trace(record: TraceRecord): void;
  forget(): void;
  replay(entries: EarlierSession["entries"]): void;
  /** Whether the screen shows how hooks are chosen and what they answer. */
  isWatching(): boolean;
  watch(isOn: boolean): void;
}

interface ShowOptions {
  readonly screen: Screen;
  readonly progress: Progress;
  readonly shorten: Shorten;
  readonly hookOf: (id: string) => RegisteredHook | undefined;
  /** The offline model answers; its text repeats tool results. */
  readonly isOffline?: (() => boolean) | undefined;
  /** A MessageDisplay hook decides what is shown of an answer: nothing is shown before it has. */
  readonly hasDisplayHook: () => boolean;
  /** How hooks are chosen is shown from the start. */
  readonly isVerbose?: boolean | undefined;
}

const RESULT_LINES = 6;
/** Their result is a sentence of ours; that of any other tool is contents. */
const WRITERS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const PROMPT_LINES = 12;

interface Before {
  readonly tools: Map<string, string>;
  readonly seen: SeenBefore;
  /** Long results of the turn: the offline model may repeat them whole, and a preview beside that is noise. */
  readonly previews: { readonly given: string; readonly lines: readonly string[]; readonly isError: boolean }[];
}

function nothingBefore(): Before {
  return { tools: new Map(), seen: createSeenBefore(), previews: [] };
}

/** The answer as it is shown: of the offline model without what is on the screen already. */
function shownAnswer({ isOffline }: ShowOptions, { seen }: Before, answer: string): string {
  return isOffline?.() ? seen.shortened(answer) : answer;
}

export function createShow(options: ShowOptions): Show {
  const { screen, shorten, progress } = options;
  const debug = createDebugPrinter({
    redactor: createRedactor(process.env),
    isJson: wantsJson(process.env),
    // They are on the screen already.
    withoutDiagnostics: true,
    print(line) {
      screen.endStream();
      screen.print(style("dim", shorten(line.trimEnd())), "        ");
    },
  });
  let isDebugging = options.isVerbose ?? false;
  const before = nothingBefore();
  /** Hooks whose failure was just reported, with its place and its cure. */
  const reported = new Set<string>();
  const refused = new Set<string>();
  /** The user denied the call, and need not be told. */
  let hasRefused = false;
  const noteCall = (step: Extract<LoopStep, { type: "call" }>): void => {
    screen.endStream();
    before.tools.set(step.call.id, step.call.name);
    if (step.result.status === "denied") refused.add(step.call.id);
    hasRefused = isOwnNo(step);
  };
  return {
    report(diagnostic) {
      if (diagnostic.hook !== undefined) reported.add(diagnostic.hook);
      // Each block by a changed guard has its own notice.
      if (diagnostic.code === "HL_EXECUTE_UNTRUSTED" && /counts as a denial/.test(diagnostic.text)) return;
      printDiagnostic(options, diagnostic);
    },
    step(step, agentId) {
      if (step.type !== "verdict") showPreviews(options, before, answerIn(step));
      if (step.type === "reply") showReply(options, step, agentId);
      else if (step.type === "text") showText(options, shownAnswer(options, before, step.piece), agentId);
      else if (step.type === "call") noteCall(step);
      else if (step.type === "results") {
        const results = step.results.filter(({ tool_use_id: id }) => !refused.delete(id));
        if (agentId === undefined) showResults(options, results, before);
      } else if (step.type === "tell") {
        if (!hasRefused) showTold(options, step.text);
        before.seen.notice(step.text);
        hasRefused = false;
      }
    },
    trace(record) {
      if (isDebugging) debug.write(record);
      progress.trace(record);
      if (record.type !== "outcome") return;
      const isReported = reported.delete(record.hook);
      if (!isReported || !record.failure) showHook(options, record);
    },
    forget: () => before.seen.forget(),
    replay: (entries) => replay(options, entries),
    isWatching: () => isDebugging,
    watch(isOn) {
      isDebugging = isOn;
    },
  };
}

const REPLAYED_TURNS = 3;

/** The last turns, so that the user knows where they were. MessageDisplay hooks are not asked again. */
function replay(options: ShowOptions, entries: EarlierSession["entries"]): void {
  const { screen } = options;
  const starts = entries.flatMap((entry, at) => (promptText(entry) === undefined ? [] : at));
  const from = starts.at(-REPLAYED_TURNS) ?? 0;
  const left = starts.length - REPLAYED_TURNS;
  if (from > 0) screen.print(style("dim", `… ${left} earlier ${left === 1 ? "turn" : "turns"}`));
  const before = nothingBefore();
  for (const entry of entries.slice(from)) replayEntry(options, entry, before);
  showPreviews(options, before, "");
  if (entries.length > 0) screen.print("");
}

function replayEntry(options: ShowOptions, entry: EarlierSession["entries"][number], before: Before): void {
  const { screen, shorten } = options;
  if (entry.type === "user") {
    const prompt = promptText(entry);
    const content = typeof entry.content === "string" ? [] : entry.content;
    showResults(
      options,
      content.filter((block) => block.type === "tool_result"),
      before,
    );
    const typed = prompt ?? shellLine(content);
    if (typed !== undefined) screen.print(`${style("cyan", ">")} ${firstLines(spokenText(typed), PROMPT_LINES).join("\n")}`, "  ");
    return;
  }
  for (const block of entry.reply.content) {
    showPreviews(options, before, block.type === "text" ? block.text : "");
    if (block.type === "tool_use") before.tools.set(block.id, block.name);
    if (block.type === "tool_use") screen.print(`${style("bold", "●")} ${callLine(block, shorten)}`, "  ");
    else if (block.text !== "") screen.print(spokenText(shownAnswer(options, before, block.text)));
  }
}

/** A shell line of the user's own, as it was typed. */
function shellLine(content: readonly { readonly type: string; readonly text?: string }[]): string | undefined {
  const [, command] = content.map(({ text = "" }) => /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text)).find(Boolean) ?? [];
  return command === undefined ? undefined : `!${command}`;
}

const MARKS = { error: ["red", "✗"], warning: ["yellow", "!"], notice: ["dim", "·"] } as const;

function printDiagnostic({ screen, shorten }: ShowOptions, diagnostic: Diagnostic): void {
  const [colour, mark] = MARKS[diagnostic.level];
  const lines = diagnosticLine(diagnostic).split("\n");
  // Between our words stands what changed: contents.
  const isOurs = (line: string, at: number): boolean => at === 0 || at === lines.length - 1 || line.startsWith("…");
  const isDiff = diagnostic.code === "HL_TRUST_CHANGED";
  const shown = lines.map((line, at) => (isDiff && !isOurs(line, at) ? contents(line) : shorten(line)));
  screen.print(style(colour, `${mark} ${shown.join("\n")}`), "  ");
}

function showText({ screen, hasDisplayHook }: ShowOptions, piece: string, agentId: string | undefined): void {
  if (agentId === undefined && !hasDisplayHook()) screen.stream(spokenText(piece));
}

function showReply(
  { screen, shorten, hasDisplayHook }: ShowOptions,
  step: Extract<LoopStep, { type: "reply" }>,
  agentId: string | undefined,
): void {
  screen.endStream();
  const { reply, shown } = step;
  if (agentId === undefined && hasDisplayHook()) {
    const text = shown ?? textOf(reply.content);
    if (text !== "") screen.print(spokenText(text));
  }
  const who = agentId === undefined ? "" : "  ";
  for (const block of reply.content) {
    if (block.type === "tool_use") screen.print(`${who}${style("bold", "●")} ${callLine(block, shorten)}`, "  ");
  }
}

function callLine(call: ToolUseBlock, shorten: Shorten): string {
  return firstLines(shownCall(call, shorten), 4).join("\n");
}

function showResults(options: ShowOptions, results: Extract<LoopStep, { type: "results" }>["results"], before: Before): void {
  const { shorten, isOffline } = options;
  for (const result of results) {
    const given = resultText(result);
    const tool = before.tools.get(result.tool_use_id);
    const text = (WRITERS.has(tool ?? "") ? shorten(given) : shownResult(tool, given, shorten)).trimEnd();
    if (text === "") continue;
    const isError = result.is_error === true;
    const lines = (isError ? endLines : firstLines)(text, RESULT_LINES);
    const isWhole = firstLines(text, RESULT_LINES).join("\n") === text;
    if (isWhole) before.seen.result(given);
    if (isWhole || !isOffline?.()) printResult(options, lines, isError);
    else before.previews.push({ given: given.replace(EXIT_CODE, "").trimEnd(), lines, isError });
  }
}

/** Before the answer: the preview of a long result, or only its length if the answer repeats it. */
function showPreviews(options: ShowOptions, { previews }: Before, answer: string): void {
  for (const { given, lines, isError } of previews.splice(0)) {
    const all = given.split("\n");
    const isRepeated = answer.includes(all.slice(0, RESULT_LINES).join("\n"));
    printResult(options, isRepeated ? [counted(all.length, "line")] : lines, isError);
  }
}

function answerIn(step: LoopStep): string {
  if (step.type === "text") return step.piece;
  return step.type === "reply" ? textOf(step.reply.content) : "";
}

function printResult({ screen }: ShowOptions, lines: readonly string[], isError: boolean): void {
  const colour = isError ? "red" : "dim";
  for (const [at, line] of lines.entries()) screen.print(style(colour, `${at === 0 ? "  ⎿ " : "    "}${line}`), "    ");
}

/** Whether the user denied it: then they need not be told. */
function isOwnNo({ result }: Extract<LoopStep, { type: "call" }>): boolean {
  return result.status === "denied" && (result.error ?? "").startsWith("The user denied it");
}

function showTold({ screen, shorten }: ShowOptions, text: string): void {
  const [first = "", ...others] = shorten(text).split("\n");
  screen.endStream();
  screen.print(style("yellow", `! ${first}`), "  ");
  const ways = /The mode plan (?:forbids|asks about) /.test(first) ? ["Plan mode ends with /plan off, or Shift-Tab."] : [];
  for (const line of [...others, ...ways]) screen.print(style("dim", `  ${line}`), "  ");
}

/** Dimmed if the hook did something, red if it failed, nothing if it had no effect. */
function showHook({ screen, shorten, hookOf }: ShowOptions, record: Extract<TraceRecord, { readonly type: "outcome" }>): void {
  const { failure, effects, hook, label, durationMs } = record;
  // Reported with its place and its cure where it changes something.
  if (failure?.kind === "untrusted") return;
  const words = failure ? `failed: ${failure.text}` : effectWords(effects.map(withoutReason));
  if (words === undefined) return;
  const name = hookOf(hook)?.name ?? hook;
  const line = `${failure ? "✗" : "↳"} ${name} · ${label} · ${words} · ${durationText(durationMs)}`;
  screen.endStream();
  screen.print(style(failure ? "red" : "dim", `  ${shorten(line).replaceAll("\n", " ")}`), "    ");
}

/** Why it blocked is told right afterwards, with its place and its cure. */
function withoutReason(effect: Effect): Effect {
  return effect.type === "deny" || effect.type === "continueTurn" || effect.type === "halt" ? { ...effect, reason: "" } : effect;
}

/** Keeps what is on the screen in full, so that the offline model, whose answers repeat tool results, does not show it again. */
interface SeenBefore {
  result(text: string): void;
  notice(text: string): void;
  shortened(answer: string): string;
  forget(): void;
}

export function createSeenBefore(): SeenBefore {
  const results = new Set<string>();
  const notices = new Set<string>();
  return {
    result(text) {
      const own = text.trimEnd();
      if (own !== "") for (const one of [own, own.replace(LAST_EMPTY_LINE, ""), own.replace(EXIT_CODE, "")]) results.add(one);
    },
    notice: (text) => void notices.add(oneLine(text)),
    shortened(answer) {
      const short = [...results].filter(Boolean).reduce(withoutResult, answer);
      return short.replace(BLOCKED, (whole, reason: string) =>
        [...notices].some((notice) => notice.includes(oneLine(reason))) ? "a hook blocked it." : whole,
      );
    },
    forget() {
      results.clear();
      notices.clear();
    },
  };
}

/** The line behind the last new line, which Read numbers as well. */
const LAST_EMPTY_LINE = /\n *\d+(?:\t|→)?$/;
const EXIT_CODE = /^Exit code \d+\n/;
const BLOCKED = /a hook blocked it: ([\s\S]+?)(?=\n\n|$)/g;

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What introduced the result, as a sentence of its own. */
function withoutColon(head: string): string {
  return `${head
    .replace(/ printed$/, " ran")
    .replace(/ gave$/, " is done")
    .replace(/(?<=^|\n)([^\n]+) says$/, "That is $1")}.`;
}

function withoutResult(answer: string, result: string): string {
  const at = answer.indexOf(`:\n${result}`);
  const rest = answer.slice(at + result.length + 2);
  if (at < 0 || !(rest === "" || rest.startsWith("\n"))) return withoutParagraph(answer, result);
  return `${withoutColon(answer.slice(0, at))}${rest}`;
}

/** A result that nothing introduces: a paragraph of its own, or the last sentence of one. */
function withoutParagraph(answer: string, result: string): string {
  const paragraphs = answer.split("\n\n").map((one) => {
    const head = one.slice(0, -result.length);
    return one.endsWith(result) && (head === "" || head.endsWith(". ")) ? head.trimEnd() : one;
  });
  return paragraphs.filter((one) => one !== "").join("\n\n");
}

/** Shows what is running once it takes long enough to wonder: a hook's `statusMessage`, or that the agent works. */

export interface Progress {
  start(text: string): () => void;
  trace(record: TraceRecord): void;
  /** While the user answers a question, no time is counted. */
  notCounted<Answer>(answer: Promise<Answer>): Promise<Answer>;
}

interface ProgressOptions {
  readonly screen: Pick<Screen, "setProgress">;
  readonly hookOf: (id: string) => RegisteredHook | undefined;
  readonly shorten: (text: string) => string;
}

const QUIET_MS = 300;
const TICK_MS = 1000;

interface Task {
  readonly text: string;
  startedAt: number;
  isLong: boolean;
}

export function createProgress({ screen, hookOf, shorten }: ProgressOptions): Progress {
  const tasks = new Set<Task>();
  /** Several runs of one hook end in any order, and it does not matter which is which. */
  const ofHooks = new Map<string, (() => void)[]>();
  let ticking: NodeJS.Timeout | undefined;
  const show = (): void => {
    const task = [...tasks].findLast(({ isLong }) => isLong);
    const seconds = task ? Math.floor((performance.now() - task.startedAt) / 1000) : 0;
    screen.setProgress(task && `… ${task.text}${seconds > 0 ? ` ${seconds} s` : ""}`);
    if (task) ticking ??= setInterval(show, TICK_MS).unref();
    else {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
  const start = (text: string): (() => void) => {
    const task: Task = { text, startedAt: performance.now(), isLong: false };
    tasks.add(task);
    const timer = setTimeout(() => {
      task.isLong = true;
      show();
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      if (tasks.delete(task) && task.isLong) show();
    };
  };
  return {
    start,
    async notCounted(answer) {
      const since = performance.now();
      try {
        return await answer;
      } finally {
        const now = performance.now();
        for (const task of tasks) task.startedAt += now - Math.max(since, task.startedAt);
        if (ticking) show();
      }
    },
    trace(record) {
      if (record.type === "outcome") ofHooks.get(record.hook)?.pop()?.();
      if (record.type !== "started") return;
      const { hook: id, name, event } = record;
      const hook = hookOf(id);
      const text = hook?.statusMessage ?? `${event} hook ${hook?.name ?? name}`;
      const ends = ofHooks.get(id) ?? [];
      ofHooks.set(id, [...ends, start(shorten(text).replaceAll("\n", " "))]);
    },
  };
}

/** The screen for questions: while one is open, no time is counted. */
export function askingScreen(screen: Screen, { notCounted }: Progress): AskScreen {
  return {
    columns: () => screen.columns(),
    print: (text, indent) => screen.print(text, indent),
    ask: (question, signal) => notCounted(screen.ask(question, signal)),
    inTurn: screen.inTurn,
  };
}
