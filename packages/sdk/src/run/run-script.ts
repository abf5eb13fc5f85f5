import { writeSync } from "node:fs";
import { logAnswer } from "../log.ts";
import { type Problem, problem, thrownMessage } from "../problem.ts";
import { NO_REASON, type Written } from "./encode.ts";
import {
  blockReason,
  crashed,
  documentScanner,
  failed,
  isSilent,
  messages,
  type ParsedPayload,
  parsePayload,
  type Said,
  type Script,
  writeAnswer,
} from "./script.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** What a script's run needs of its process; a program that keeps scripts loaded stands in for it. */
export interface ScriptProcess {
  readonly exitCode?: unknown;
  readonly stderr: { readonly bytesWritten: number };
  on(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  exit(code: number): void;
}

export interface StandIn {
  readonly process?: ScriptProcess;
  readonly read?: () => Promise<StdinRead>;
  readonly write?: (fd: 1 | 2, text: string) => string | undefined;
}

export async function runScript(
  script: Script,
  watch: ProcessWatch,
  isImported: boolean,
  { process = globalThis.process, read = readStdin, write = writeWhole }: StandIn = {},
): Promise<void> {
  const started = Date.now();
  const loading = import("./slips.ts");
  const input = await read();
  // A file that merely imports hooks was not started with an event.
  if (isImported && input.bytes.length === 0) return;
  const parsed: ParsedPayload = input.problem ? { problem: input.problem } : parsePayload(input.bytes);
  const all: Said[] = [];
  let isOver = false;
  const end = (...more: Said[]): void => {
    if (isOver) return;
    isOver = true;
    const said = [...all, ...more];
    const { problems, isSpoilt } = watch.stray;
    // Who printed something instead of saying it may have meant it as the answer.
    if (problems[0] && isSilent(said)) said.push(failed(script, problems.shift() as Problem));
    deliver({
      script,
      process,
      write,
      answer: writeAnswer(script, parsed, [{ parts: [], problems }, ...said]),
      isStdoutSpoilt: isSpoilt,
      log: (answer) => messages(logAnswer({ hook: script.name, payload: parsed.payload, answer, durationMs: Date.now() - started })),
    });
  };
  const fail = (code: "HANDLER_UNSETTLED" | "HANDLER_EXITED", text: string): void =>
    end(failed(script, problem(code, `${script.name} ${text}`)));
  watch.onCrash = (thrown) => end(crashed(script, thrown));
  let isAnswered = false;
  const { atEnd, awaitLate } = await loading;
  const conclude = (...late: Said[]): void => end(...late, ...atEnd(script, all));
  process.on("beforeExit", () => {
    if (isAnswered || process.exitCode) conclude();
    else fail("HANDLER_UNSETTLED", "waits for a promise that nothing settles");
  });
  // SECURITY: who exits with 2 blocks, also in the middle of a hook.
  process.on("exit", (code) => {
    if (code === 2) end({ parts: [], problems: [], exitReason: "" });
    fail("HANDLER_EXITED", "called process.exit(). Return a result");
  });
  if (watch.crash) watch.onCrash(watch.crash.thrown);
  const late = awaitLate(script);
  await script.answer(parsed, (said) => all.push(said));
  // A promise that was forgotten and has already failed is reported before the next turn of the loop.
  await new Promise(setImmediate);
  isAnswered = true;
  // Silence may be a missing await. Who has nothing left to do ends at once.
  conclude(...(await late(all, parsed)));
}

interface Delivery extends Required<Pick<StandIn, "process" | "write">> {
  readonly script: Script;
  readonly answer: Written;
  /** Something stands on stdout before the answer; an agent may not find the JSON behind it. */
  readonly isStdoutSpoilt: boolean;
  /** Records what was delivered; gives what is to be said about that. */
  log(delivered: Written): string;
}

/** Writes the answer whole and first of all, then ends the process: a forgotten timer or socket cannot keep the agent waiting. */
function deliver({ script, process, write, answer, isStdoutSpoilt, log }: Delivery): void {
  const why = write(1, answer.stdout);
  const delivered = checked(script, answer, { why, isLost: !!why || isStdoutSpoilt });
  const unlogged = log(delivered);
  // Who printed a reason and exited with 2 has given one.
  const said = delivered.exitCode === 2 ? delivered.stderr : delivered.stderr + unlogged;
  if (said !== `${NO_REASON}\n` || !process.stderr.bytesWritten) write(2, said);
  process.exit(delivered.exitCode);
}

/** A decision that stdout may have lost still gets through: exit code 2 blocks on nearly every event that can block. */
function checked(script: Script, answer: Written, { why, isLost }: { why: string | undefined; isLost: boolean }): Written {
  if (!isLost || !answer.stdout || answer.exitCode === 2) return answer;
  const lost = why ? [problem("STDOUT_CLOSED", `the answer did not reach the agent: ${why}`)] : [];
  const problems = answer.problems.concat(lost);
  const said = messages(lost);
  const reason = answer.refusal ?? blockReason(script, said || answer.stderr);
  return { ...answer, problems, ...(reason ? { stderr: `${reason}\n`, exitCode: 2 } : { stderr: answer.stderr + said }) };
}

/** Nothing, or why it could not be written. */
function writeWhole(fd: 1 | 2, text: string): string | undefined {
  let rest = Buffer.from(text);
  while (rest.length) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EAGAIN") return thrownMessage(thrown);
      // The pipe is full and the reader is slow: wait a moment, losing nothing.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return undefined;
}

/** More than any agent sends; a stream without end must not fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Agents write the payload at once. Silence this long means that nothing more comes. */
const IDLE_MS = 5000;
/** However it drips, an event that takes this many times longer is not an agent's. */
const TOTAL = 6;

interface StdinRead {
  readonly bytes: Uint8Array;
  readonly problem?: Problem | undefined;
}

/** Reads stdin until one whole JSON document, the end, or silence: a sender that keeps the pipe open does not hang the hook. */
function readStdin(): Promise<StdinRead> {
  return new Promise((resolve) => {
    const { stdin, env } = process;
    const chunks: Buffer[] = [];
    const endOfDocument = documentScanner();
    const started = Date.now();
    let size = 0;
    const finish = (failure?: Problem, end = size): void => {
      clearTimeout(timer);
      stdin.removeAllListeners("data").pause();
      // An open stdin must not keep a hook alive that has nothing left to do.
      stdin.unref?.();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, end), problem: failure });
    };
    const idle = Number(env["HOOKLOOP_STDIN_TIMEOUT_MS"]) || IDLE_MS;
    const silent = (): void =>
      finish(problem("STDIN_TIMEOUT", `no whole JSON document within ${idle} ms. Close stdin after writing the event`));
    const timer = setTimeout(silent, idle);
    // An event is not typed: a user at a terminal is told at once how to send one.
    if (stdin.isTTY) return finish();
    stdin.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const end = endOfDocument(chunk);
      if (end > 0) return finish(undefined, size + end);
      size += chunk.length;
      if (size > MAX_BYTES) finish(problem("STDIN_TOO_LARGE", "the event is over 64 MiB. Send less"));
      else if (Date.now() - started < idle * TOTAL) timer.refresh();
    });
    stdin.on("end", () => finish()).on("error", () => finish());
  });
}
