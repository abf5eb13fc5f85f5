/** Takes trace records, gives what a person reads to see why a hook ran or did not: a few indented lines for each event. */

import { type Place, placeText, visibleLine } from "../diagnostic.ts";
import type { Step, TraceRecord, TraceSink } from "../engine/index.ts";
import { effectWords } from "../judge/index.ts";
import { durationText } from "../run/index.ts";
import type { Redactor } from "./redact.ts";
import { cleanJson } from "./trace-writer.ts";

export interface DebugPrinterOptions {
  readonly redactor?: Redactor | undefined;
  readonly print?: ((line: string) => void) | undefined;
  /** One JSON object per line, each record as it is in the trace. */
  readonly isJson?: boolean | undefined;
  /** Diagnostics are shown by somebody else. */
  readonly withoutDiagnostics?: boolean | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether `DEBUG` asks for hooks: a list of names, of patterns with `*`, and of those after a `-` that are left out. */
export function wantsDebug(env: Variables): boolean {
  const words = (env["DEBUG"] ?? "").split(/[\s,]+/).filter(Boolean);
  const isNamed = (word: string): boolean => word === "hooks:*" || fitsPattern(word, "hooks");
  return words.some(isNamed) && !words.some((word) => word.startsWith("-") && isNamed(word.slice(1)));
}

function fitsPattern(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return pattern.length <= LONGEST_WORD && new RegExp(`^${parts.join(".*")}$`, "i").test(name);
}

const LONGEST_WORD = 32;

/** Whether `DEBUG_FORMAT` asks for JSON. */
export function wantsJson(env: Variables): boolean {
  return env["DEBUG_FORMAT"]?.trim().toLowerCase() === "json";
}

/** Prints records as they come. */
export function createDebugPrinter(options: DebugPrinterOptions = {}): TraceSink {
  const { redactor, print = printToStderr, isJson = false, withoutDiagnostics = false } = options;
  const log = createLog();
  return {
    isWatching: () => true,
    write(given) {
      // SECURITY: before any text is cut, since half a secret is not recognised.
      const json = cleanJson(given, redactor);
      if (isJson) print(`${json}\n`);
      else if (!(withoutDiagnostics && given.type === "diagnostic"))
        for (const line of log(JSON.parse(json))) print(`hooks ${shortLine(line)}\n`);
    },
  };
}

const LINE_LIMIT = 400;
/** Hooks that do not run and are shown for one event. */
const MOST_SHOWN = 5;

function shortLine(line: string): string {
  const shown = visibleLine(line);
  return shown.length > LINE_LIMIT ? `${shown.slice(0, LINE_LIMIT)}…` : shown;
}

type Of<Type extends Step["type"]> = Extract<TraceRecord, { readonly type: Type }>;

interface Running {
  readonly label: string;
  readonly startedAt: number;
  hasRun: boolean;
}

interface Log {
  /** A verdict has only the ids of its hooks. */
  readonly names: Map<string, string>;
  readonly running: Map<string, Running>;
}

type LinesOf = { readonly [Type in Step["type"]]: (record: Of<Type>, log: Log) => readonly string[] };

const LINES_OF: LinesOf = {
  fired(record, { running }) {
    const { event, query, mono, matchers } = record;
    running.set(event, { label: query === "" ? event : `${event}:${query}`, startedAt: mono, hasRun: false });
    return [firedLine(record), `  Found ${matchers} hook matchers`];
  },
  considered({ event, hooks, names }, log) {
    for (const [at, id] of hooks.entries()) log.names.set(id, names[at] ?? id);
    const now = log.running.get(event);
    if (now) now.hasRun = true;
    return [`  Matched ${hooks.length}: ${names.join(", ")}`];
  },
  notMatched(record, { names, running }) {
    for (const { hook, name } of record.hooks) names.set(hook, name);
    return notMatchedLines(record, running.get(record.event));
  },
  started({ hook, name, isBackground }, { names }) {
    names.set(hook, name);
    return isBackground ? [`    ${name} runs in the background`] : [];
  },
  outcome: (record) => [outcomeLine(record)],
  judgedAgain: ({ hooks }, log) => [`  A hook changed the input. It is judged once more by: ${namesOf(hooks, log) || "none"}`],
  // It stands among the effects of its hook.
  told: () => [],
  verdict: verdictLines,
  // Before any event it is a diagnostic, with its place and its cure.
  refused: ({ event, name, reason, blocks }, { running }) =>
    running.has(event) ? [`    ${name} was not run: ${reason}${blocks ? ", so it blocks" : ""}`] : [],
  file_changed: ({ path, change, toolUseId }) => [`  ${path} was ${change} (${toolUseId})`],
  // What a hook denied stands in the verdict already.
  notRun: ({ tool_name, status, by, error }) => (by === undefined || by === "hook" ? [] : [`  ${tool_name} is ${status}: ${error}`]),
  metric: ({ name, fields }) => [`  ${name} ${JSON.stringify(fields)}`],
  diagnostic: ({ level, code, text, place }) => [`  ${level}: ${code}: ${text}${placed(place)}`],
};

type Lines = (record: TraceRecord, log: Log) => readonly string[];

function createLog(): (record: TraceRecord) => readonly string[] {
  const log: Log = { names: new Map(), running: new Map() };
  // A program can write records of its own.
  return (record) => (Object.hasOwn(LINES_OF, record.type) ? (LINES_OF[record.type] as Lines)(record, log) : []);
}

function namesOf(ids: readonly string[], { names }: Log): string {
  return ids.map((id) => names.get(id) ?? id).join(", ");
}

function firedLine({ event, query }: Of<"fired">): string {
  return `Getting matching hook commands for ${event}${query === "" ? "" : ` with query: ${query}`}`;
}

function notMatchedLines({ hooks, more = 0 }: Of<"notMatched">, now: Running | undefined): readonly string[] {
  const near = hooks.filter(({ isNear }) => isNear);
  const others = hooks.filter(({ isNear }) => !isNear);
  const shown = [...near, ...others].slice(0, MOST_SHOWN);
  const rest = hooks.length - shown.length + more;
  const isUntrusted = hooks.some(({ why, reason }) => why === "refused" && reason === "untrusted");
  return [
    // The words of Claude Code, which people search for.
    ...(isUntrusted && now ? [`  Skipping ${now.label} hook execution - workspace trust not accepted`] : []),
    ...(now?.hasRun ? [] : ["  No hook matched. The nearest:"]),
    ...shown.map(({ name, text, place }) => `    ${name} does not run: ${text}${placed(place)}`),
    ...(rest > 0 ? [`    and ${rest} more that ${rest === 1 ? "is" : "are"} for something else`] : []),
  ];
}

/** Below the folder that is worked in, without it. */
function placed(place: Place | undefined): string {
  const folder = `${process.cwd()}/`;
  const text = place ? placeText(place) : "";
  return place ? ` (${text.startsWith(folder) ? text.slice(folder.length) : text})` : "";
}

function outcomeLine({ name, effects, failure, exitCode, durationMs, stdout, stderr, isAgain }: Of<"outcome">): string {
  const printed = (stdout.trim() || stderr.trim()).replace(/\s+/g, " ").slice(0, 80);
  const silent = `had no answer${printed === "" ? "" : `, and printed ${JSON.stringify(printed)}`}`;
  const said = failure ? `failed: ${failure.text}` : (effectWords(effects, name) ?? silent);
  const exit = exitCode === null ? "" : `exit ${exitCode}, `;
  return `    ${name}${isAgain ? ", asked once more," : ""} ${said} (${exit}${durationText(durationMs)})`;
}

function verdictLines({ event, decision, reasons, halt, mono }: Of<"verdict">, log: Log): readonly string[] {
  const now = log.running.get(event);
  if (!now?.hasRun && decision === "none" && !halt) return [];
  // Each reason stands in the line of its hook.
  const by = new Set([...(halt ? [halt] : []), ...reasons].map(({ hook }) => namesOf([hook], log)));
  const what = halt ? "stop the agent" : decision === "none" ? "no opinion" : decision;
  const took = now ? `, ${durationText(mono - now.startedAt)}` : "";
  return [`  Verdict of ${now?.label ?? event}: ${what}${by.size > 0 ? ` by ${[...by].join(", ")}` : ""}${took}`];
}

function printToStderr(line: string): void {
  process.stderr.write(line);
}
