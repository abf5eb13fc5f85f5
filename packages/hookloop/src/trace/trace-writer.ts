/**
 * Takes trace records, gives a JSONL file of redacted lines that stays readable after a crash, a full disk and beside other writers.
 * Refuses nothing: when the file cannot be written it says so once and keeps the latest records in memory; the decision stands.
 */
import { type Allowed, checkEntries, invalidOption, shown } from "../check-options.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord, TraceSink } from "../engine/index.ts";
import { type AppendFile, openAppendFile } from "./append-file.ts";
import { type BlobReference, writeBlob } from "./blob.ts";
import { RECORD_LIMIT } from "./limits.ts";
import { createMemoryRing } from "./memory-ring.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import { serialise, shorten } from "./serialise.ts";
import { REAL_FILES, type TraceFiles } from "./trace-files.ts";

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
  const append = (line: string): void => {
    if (target === "unopened") target = openAppendFile(required(file), files);
    if (target === "memory") ring.add(line);
    else target.append(line);
  };
  return {
    write(record: TraceRecord) {
      const line = fitting(serialise(record, redactor), file, report);
      try {
        append(line);
      } catch (error) {
        giveUp(error);
        ring.add(line);
      }
    },
    inMemory: () => ring.lines(),
    close() {
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

function reportOnce(file: string | undefined, onProblem: TraceWriterOptions["onProblem"]): Report {
  const said = new Set<string>();
  return (what, then, error) => {
    if (said.has(what)) return;
    said.add(what);
    const text = `${what}: ${error instanceof Error ? error.message : String(error)}. ${then} Free some space, or set XDG_STATE_HOME to a folder that can be written.`;
    quietly(() => onProblem?.({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text, ...(file && { place: { file } }) }));
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
