/**
 * Takes trace records, gives a JSONL file of redacted lines that stays readable after a crash, a full disk and beside other writers.
 * Refuses nothing: when the file cannot be written it says so once and keeps the latest records in memory; the decision stands.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Allowed, checkEntries, invalidOption, shown } from "../check-options.ts";
import { type Diagnostic, printDiagnostic, terminalText } from "../diagnostic.ts";
import type { Stamp, TraceRecord, TraceSink, WrittenStep } from "../engine/index.ts";
import { atExit } from "../run/index.ts";
import { createPrivateFile, makePrivateFolder } from "../state-files.ts";
import { type AppendFile, openAppendFile, REAL_FILES, type TraceFiles } from "./append-file.ts";
import { createRedactor, type Redactor } from "./redact.ts";

export interface TraceWriterOptions {
  /** Undefined where there is no place to write to: then everything stays in memory. */
  readonly file: string | undefined;
  /** Takes secrets out of each record; that of this process's environment if left out, none if `false`. */
  readonly redactor?: Redactor | false | undefined;
  /** Called once at most for each thing that goes wrong. */
  readonly onProblem?: ((problem: Diagnostic) => void) | undefined;
  readonly files?: TraceFiles | undefined;
}

export interface TraceWriter extends TraceSink {
  /** What could not be written to the file, latest last. */
  inMemory(): readonly string[];
  /** Makes sure that what was written survives a power cut, and closes the file. Later records go to memory. */
  close(): void;
}

/** Opens its file with the first record. */
export function createTraceWriter(options: TraceWriterOptions): TraceWriter {
  checkWriterOptions(options);
  const { file, onProblem, files = REAL_FILES } = options;
  // SECURITY: a record holds what tools and hooks printed, so only the program can say that it wants that in clear.
  const redactor = options.redactor === false ? undefined : (options.redactor ?? createRedactor(process.env));
  const ring = createMemoryRing();
  const report = reportOnce(file, onProblem);
  let target: AppendFile | "unopened" | "memory" = "unopened";

  const giveUp = (error: unknown): void => {
    const failed = target;
    target = "memory";
    report("The trace cannot be written", "The latest records are kept in memory; decisions are not affected.", error);
    if (typeof failed === "object") quietly(() => failed.close());
  };
  const append = (lines: readonly string[]): void => {
    try {
      if (target === "unopened") target = openAppendFile(required(file), files);
      if (target !== "memory") {
        target.append(lines.join("\n"));
        return;
      }
    } catch (error) {
      giveUp(error);
    }
    for (const line of lines) ring.add(line);
  };
  const write = (lines: readonly Line[]): void => append(clean(lines, redactor).map((line) => fitting(line, file, report)));
  const texts = createTexts();
  let held: Line[] | undefined;
  let heldLength = 0;
  const add = (line: Line): void => {
    heldLength += line.json.length;
    if (held && heldLength < RECORD_LIMIT) held.push(line);
    else write([...(held?.splice(0) ?? []), line]);
    if (!held?.length) heldLength = 0;
  };
  const flush = (): void => {
    const lines = held ?? [];
    held = undefined;
    heldLength = 0;
    if (lines.length > 0) write(lines);
  };
  // A function may end the program while the records of its firing are held.
  const forgetExit = atExit(flush);
  return {
    write: (record: TraceRecord) => add({ json: serialise(record) }),
    writeStep: (stamp, step) => add(texts.lineOf(stamp, step)),
    hold() {
      held ??= [];
    },
    flush,
    inMemory: () => ring.lines(),
    close() {
      flush();
      forgetExit();
      const open = target;
      target = "memory";
      if (typeof open === "object") quietly(() => open.close());
    },
  };
}

const OPTIONS: Readonly<Record<keyof TraceWriterOptions, Allowed>> = {
  file: "text",
  redactor: "anything",
  onProblem: "function",
  files: "object",
};

function checkWriterOptions(options: unknown): void {
  const where = "createTraceWriter()";
  const cure = "Write createTraceWriter({ file: tracePath({ … }) })";
  if (typeof options !== "object" || options === null) throw invalidOption(`${where} takes an object, not ${shown(options)}. ${cure}`);
  checkEntries(where, options, OPTIONS);
  // Undefined is an answer, of tracePath(): there is no folder to write to.
  if (!("file" in options)) throw invalidOption(`file of ${where} is missing. ${cure}`);
  const { redactor } = options as Partial<TraceWriterOptions>;
  if (redactor && (typeof redactor.suspects !== "function" || typeof redactor.value !== "function"))
    throw invalidOption(`redactor of ${where} is ${shown(redactor)}. Write createRedactor(process.env), or false for records in clear`);
}

type Report = (what: string, then: string, error: unknown) => void;

function reportOnce(file: string | undefined, onProblem: NonNullable<TraceWriterOptions["onProblem"]> = printDiagnostic): Report {
  const said = new Set<string>();
  return (what, then, error) => {
    if (said.has(what)) return;
    said.add(what);
    const text = `${what}: ${error instanceof Error ? error.message : String(error)}. ${then} Free some space, or set XDG_STATE_HOME to a folder that can be written.`;
    quietly(() => onProblem({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text, ...(file && { place: { file } }) }));
  };
}

function required(file: string | undefined): string {
  if (file === undefined) throw new Error("there is no folder for it (HOME and XDG_STATE_HOME are unset)");
  return file;
}

function fitting(line: string, file: string | undefined, report: Report): string {
  // A character takes at most three bytes, so most lines need no count.
  if (line.length * 3 < RECORD_LIMIT || Buffer.byteLength(line) < RECORD_LIMIT) return line;
  return shorten(line, (json): BlobReference => {
    try {
      return writeBlob(required(file), json);
    } catch (error) {
      report("A large part of the trace cannot be saved", "Its record says how long it was.", error);
      return { $blob: null, bytes: Buffer.byteLength(json) };
    }
  });
}

/** For what must not matter to the event that is being traced. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Safe: closing a broken file, or a listener that throws; the problem itself has been reported.
  }
}

interface MemoryRing {
  add(line: string): void;
  lines(): readonly string[];
}

function createMemoryRing(limit: number = RING_LIMIT): MemoryRing {
  const kept: string[] = [];
  let size = 0;
  return {
    add(line) {
      kept.push(line);
      size += line.length;
      while (size > limit && kept.length > 1) size -= kept.shift()?.length ?? 0;
    },
    lines: () => [...kept],
  };
}

/** Stands in a record for a body that was too large for it. */
export interface BlobReference {
  /** sha256 of the body's JSON, and the name of its file; absent if it could not be saved. */
  readonly $blob: string | null;
  readonly bytes: number;
}

function blobFolder(traceFile: string): string {
  return `${traceFile}.blobs`;
}

/** Saves a body under the hash of its content; one that is there already is used again. */
function writeBlob(traceFile: string, json: string): BlobReference {
  const body = Buffer.from(json);
  const hash = createHash("sha256").update(body).digest("hex");
  const folder = blobFolder(traceFile);
  makePrivateFolder(folder);
  createPrivateFile(path.join(folder, hash), body);
  return { $blob: hash, bytes: body.length };
}

/** The body behind a reference; undefined if the file is missing, or is not what it was (a crash, someone edited it). */
export function readBlob(traceFile: string, { $blob }: BlobReference): unknown {
  if ($blob === null || !/^[0-9a-f]{64}$/.test($blob)) return undefined;
  try {
    const body = readFileSync(path.join(blobFolder(traceFile), $blob));
    return createHash("sha256").update(body).digest("hex") === $blob ? JSON.parse(body.toString()) : undefined;
  } catch {
    // Safe: a body that is gone is reported by whoever wanted it.
    return undefined;
  }
}

/** Fields every record has; they are never moved out of it. */
const FIXED = ["v", "seq", "t", "mono", "session", "type", "event", "hook"];

/** A record as JSON. */
interface Line {
  readonly json: string;
  /** What says the same in many lines, so that it need be looked at once only. */
  readonly repeated?: RepeatedText | undefined;
}

interface RepeatedText {
  /** Up to how long it took, and from there on. */
  readonly parts: readonly [string, string];
  /** Known once it was looked at. */
  isClean?: boolean;
}

/** Hooks are few; a program may have more. */
const MOST_TEXTS = 1000;

/** Most hooks have nothing to say, and what is written of them is the same every time, but for the clock. */
function createTexts(): { lineOf(stamp: Stamp, step: WrittenStep): Line } {
  const find = createRepeated((step) => {
    const [before = "", after = ""] = serialise(step)
      .slice(1)
      .split(/(?<=,"durationMs":)[^,]*/);
    return { parts: [before, after] };
  });
  let sessionOf: readonly [string, string] = ["", ""];
  return {
    lineOf(stamp, step) {
      const { v, seq, t, mono, session } = stamp;
      if (sessionOf[0] !== session) sessionOf = [session, JSON.stringify(session)];
      const head = `{"v":${v},"seq":${seq},"t":${t},"mono":${mono},"session":${sessionOf[1]},`;
      const repeated = find(step);
      if (repeated === undefined) return { json: head + serialise(step).slice(1) };
      const [before, after] = repeated.parts;
      // Microseconds: writing all digits of a fraction takes longer than the rest of the line.
      const json = step.type === "outcome" ? `${head}${before}${Math.round(step.durationMs * 1000) / 1000}${after}` : head + before;
      return { json, repeated };
    },
  };
}

type StepOfHook = Extract<WrittenStep, { readonly type: "started" | "outcome" }>;

/** Found by what the steps hold: a key made of it took longer than everything else that is done about a line. */
function createRepeated(make: (step: WrittenStep) => RepeatedText): (step: WrittenStep) => RepeatedText | undefined {
  const verdicts = new Map<string, RepeatedText>();
  const considered = new WeakMap<readonly string[], RepeatedText>();
  const ofHooks = new Map<string, { readonly step: StepOfHook; readonly text: RepeatedText }[]>();
  let count = 0;
  const ofHook = (step: StepOfHook): RepeatedText => {
    const known = ofHooks.get(step.hook) ?? [];
    const found = known.find(({ step: { type, event, label, name } }) => {
      return type === step.type && label === step.label && name === step.name && event === step.event;
    });
    if (found) return found.text;
    const text = make(step);
    if (count++ < MOST_TEXTS) ofHooks.set(step.hook, [...known, { step, text }]);
    return text;
  };
  return (step) => {
    const { type, event } = step;
    if (type === "started" || type === "outcome") return isPlain(step) ? ofHook(step) : undefined;
    if (type === "considered") return kept(considered, step.hooks, () => make(step));
    const isSilent = type === "verdict" && step.decision === "none" && step.reasons.length === 0 && !step.halt;
    return isSilent ? kept(verdicts, event, () => make(step)) : undefined;
  };
}

interface Kept<Key> {
  get(key: Key): RepeatedText | undefined;
  set(key: Key, text: RepeatedText): unknown;
}

function kept<Key>(known: Kept<Key>, key: Key, make: () => RepeatedText): RepeatedText {
  const text = known.get(key) ?? make();
  known.set(key, text);
  return text;
}

/** It says nothing but the time it took. */
function isPlain(step: StepOfHook): boolean {
  if (step.isAgain) return false;
  return step.type === "started" ? !step.isBackground : saysNothing(step);
}

function saysNothing({ effects, failure, stdout, stderr, exitCode, usage }: Extract<WrittenStep, { readonly type: "outcome" }>): boolean {
  return effects.length === 0 && !failure && stdout === "" && stderr === "" && exitCode === null && !usage;
}

/** JSON of a record or step. Never throws: what JSON cannot hold (cycles, big integers) is named instead. */
function serialise(record: WrittenStep): string {
  try {
    return JSON.stringify(record);
  } catch (error) {
    const fixed = Object.entries(record).filter(([name]) => FIXED.includes(name));
    return JSON.stringify({ ...Object.fromEntries(fixed), unserialisable: String((error as Error)?.message ?? error).slice(0, 200) });
  }
}

/** The lines without secrets. One look at all of them is nearly as quick as at one, and most have none. */
function clean(lines: readonly Line[], redactor: Redactor | undefined): readonly string[] {
  const unseen = redactor ? lines.filter(({ repeated }) => repeated?.isClean !== true) : [];
  const isClean = redactor?.suspects(unseen.map(({ json }) => json).join("")) !== true;
  if (isClean) for (const { repeated } of unseen) if (repeated) repeated.isClean = true;
  return lines.map(({ json, repeated }) => {
    if (isClean || repeated?.isClean || !redactor?.suspects(json)) return json;
    // From the JSON, not from the record: what toJSON() and getters gave is what must be clean.
    const parsed: unknown = JSON.parse(json);
    const redacted = redactor.value(parsed);
    return redacted === parsed ? json : JSON.stringify({ ...(redacted as object), redacted: true });
  });
}

/** Moves the largest fields out of a line until it fits. `save` gives what stands in their place. */
function shorten(line: string, save: (json: string) => BlobReference): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  const bodies = Object.entries(record)
    .filter(([name]) => !FIXED.includes(name))
    .map(([name, value]) => ({ name, json: JSON.stringify(value) }))
    .sort((a, b) => b.json.length - a.json.length);
  for (const { name, json } of bodies) {
    record[name] = save(json);
    const shorter = JSON.stringify(record);
    if (Buffer.byteLength(shorter) < RECORD_LIMIT) return shorter;
  }
  // Only the fixed fields are left: an id of 256 KiB is no id.
  for (const name of FIXED) if (typeof record[name] === "string") record[name] = (record[name] as string).slice(0, 1_000);
  return JSON.stringify(record);
}

/** The longest line of a trace; larger bodies go to files beside it. */
const RECORD_LIMIT: number = 256 * 1024;
/** What is kept in memory when no file can be written. */
const RING_LIMIT: number = 4 * 1024 * 1024;

export interface DebugPrinterOptions {
  readonly redactor?: Redactor | undefined;
  readonly print?: ((line: string) => void) | undefined;
}

const DETAIL_LIMIT = 300;

/** Whether `DEBUG` asks for hooks: `hooks`, `hooks:*` or `*` in its list. */
export function wantsDebug(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env["DEBUG"] ?? "").split(/[\s,]+/).some((word) => word === "hooks" || word === "hooks:*" || word === "*");
}

/** Prints records as they come: `hooks #3 +1.2ms PreToolUse verdict user:PreToolUse:ab12 decision="deny"`. */
export function createDebugPrinter({ redactor, print = printToStderr }: DebugPrinterOptions = {}): TraceSink {
  let last: number | undefined;
  return {
    write(record) {
      const since = last === undefined ? 0 : record.mono - last;
      last = record.mono;
      const [line = "{}"] = clean([{ json: serialise(record) }], redactor);
      const shown = JSON.parse(line) as Record<string, unknown>;
      const what = [shown["event"], shown["type"], shown["hook"]].filter(Boolean).map(oneLine).join(" ");
      print(`hooks #${shown["seq"]} +${since.toFixed(1)}ms ${what}${details(shown)}\n`);
    },
  };
}

function details(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .filter(([name]) => !FIXED.includes(name))
    .map(([name, value]) => ` ${oneLine(name)}=${short(JSON.stringify(typeof value === "number" ? Number(value.toFixed(1)) : value))}`)
    .join("");
}

function short(json: string): string {
  return oneLine(json.length > DETAIL_LIMIT ? `${json.slice(0, DETAIL_LIMIT)}…` : json);
}

function oneLine(value: unknown): string {
  return terminalText(String(value)).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function printToStderr(line: string): void {
  process.stderr.write(line);
}
