import { declarations } from "../hook/declarations.ts";
import { logAnswer } from "../log/log-answer.ts";
import { type Problem, problem } from "../problem.ts";
import { deliver } from "./deliver.ts";
import { type ParsedPayload, parsePayload } from "./payload.ts";
import { crashed, failed, isSilent, LATE_MS, messages, type Said, type Script, writeAnswer } from "./script.ts";
import { readStdin } from "./stdin.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** Runs the script as this process: stdin in, answer out, exit. */
export async function runScript(script: Script, watch: ProcessWatch, isImported: boolean): Promise<void> {
  const started = Date.now();
  const input = await readStdin();
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
      answer: writeAnswer(script, parsed, [{ parts: [], problems }, ...said]),
      isStdoutSpoilt: isSpoilt,
      log: (answer) => messages(logAnswer({ hook: script.name, payload: parsed.payload, answer, durationMs: Date.now() - started })),
    });
  };
  const fail = (code: "HANDLER_UNSETTLED" | "HANDLER_EXITED", text: string): void =>
    end(failed(script, problem(code, `${script.name} ${text}`)));
  watch.onCrash = (thrown) => end(crashed(script, thrown));
  let isAnswered = false;
  const conclude = async (): Promise<void> => {
    // Who has something left to do may have hooks to declare.
    const isBusy = /out|Req|Proc|TCP/.test(String(process.getActiveResourcesInfo()));
    end(...(isBusy || process.exitCode ? (await import("./slips.ts")).atEnd(script, all) : []));
  };
  process.on("beforeExit", () => {
    if (isAnswered || process.exitCode) void conclude();
    else fail("HANDLER_UNSETTLED", "waits for a promise that nothing settles");
  });
  // SECURITY: who exits with 2 blocks, also in the middle of a hook.
  process.on("exit", (code) => {
    if (code === 2) end({ parts: [], problems: [], exitReason: "" });
    fail("HANDLER_EXITED", "called process.exit(). Return a result");
  });
  if (watch.crash) watch.onCrash(watch.crash.thrown);
  await script.answer(parsed, (said) => all.push(said));
  // A promise that was forgotten and has already failed is heard of before the next turn of the loop.
  await new Promise(setImmediate);
  isAnswered = true;
  // Silence may be a missing await. Who has nothing left to do ends before this time, at once.
  if ((script.isGuard || declarations().isTested) && isSilent(all)) await new Promise((resolve) => setTimeout(resolve, LATE_MS).unref());
  await conclude();
}
