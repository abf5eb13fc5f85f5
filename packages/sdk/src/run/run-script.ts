import { logAnswer } from "../log/log-answer.ts";
import { problem } from "../problem.ts";
import type { Written } from "../wire/encode.ts";
import { deliver } from "./deliver.ts";
import { type ParsedPayload, parsePayload } from "./payload.ts";
import { crashed, failed, type Said, type Script, writeAnswer } from "./script.ts";
import { readStdin } from "./stdin.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** Runs the script as this process: stdin in, answer out, exit. */
export async function runScript(script: Script, watch: ProcessWatch, isImported: boolean): Promise<void> {
  const started = Date.now();
  const input = await readStdin(isImported);
  if (isImported && input.bytes.length === 0) return;
  const parsed: ParsedPayload = input.problem ? { problem: input.problem } : parsePayload(input.bytes);
  const all: Said[] = [];
  let isOver = false;
  const end = (...more: Said[]): void => {
    if (isOver) return;
    isOver = true;
    const answer = writeAnswer(script, parsed, [...all, ...more]);
    finish(script, answer, { parsed, watch, durationMs: Date.now() - started });
  };
  const fail = (code: "HANDLER_UNSETTLED" | "HANDLER_EXITED", text: string): void =>
    end(failed(script, problem(code, `${script.name} ${text}`)));
  watch.onCrash = (thrown) => end(crashed(script, thrown));
  process.on("beforeExit", () => fail("HANDLER_UNSETTLED", "waits for a promise that nothing will settle. Settle every promise"));
  process.on("exit", () => fail("HANDLER_EXITED", "ended the process itself. Return a result instead of calling process.exit()"));
  if (watch.crash) watch.onCrash(watch.crash.thrown);
  await script.answer(parsed, (said) => all.push(said));
  end();
}

function finish(
  script: Script,
  answer: Written,
  { parsed, watch, durationMs }: { parsed: ParsedPayload; watch: ProcessWatch; durationMs: number },
): void {
  const problems = [...watch.stray.problems, ...answer.problems];
  const unlogged = logAnswer({ hook: script.name, payload: parsed.payload, answer: { ...answer, problems }, durationMs });
  const messages = [...problems, ...unlogged].map(({ message }) => `${message}\n`);
  // On exit 2 stderr is the reason that the model or the user reads: nothing else belongs there.
  deliver(script, { ...answer, stderr: answer.exitCode === 2 ? answer.stderr : messages.join("") }, watch.stray.isSpoilt);
}
