import type { Part } from "../hook/results.ts";
import { logAnswer } from "../log/log-answer.ts";
import { type Problem, problem, thrownMessage } from "../problem.ts";
import { encode, type Written } from "../wire/encode.ts";
import { deliver } from "./deliver.ts";
import { type ParsedPayload, parsePayload } from "./payload.ts";
import { readStdin } from "./stdin.ts";
import type { ProcessWatch } from "./watch-process.ts";

/** What a script said about one event. */
export interface Said {
  readonly parts: readonly Part[];
  readonly problems: readonly Problem[];
  /** Written to stderr with exit code 2, whatever else was said. */
  readonly exitReason?: string | undefined;
}

/** Something that answers events: the hooks of a file, or one S4-style main function. */
export interface Script {
  readonly name: string;
  /** If it fails it says no. */
  readonly isGuard: boolean;
  /** The event it is for, as far as that is known without a payload. */
  readonly event: string;
  /** Exit code of a failure that lets go: 1 is shown to the user, 0 is not. */
  readonly failureExitCode: 0 | 1;
  answer(parsed: ParsedPayload): Said | Promise<Said>;
}

/** One event in, one answer out; nothing but the script's own code touches the process. */
export async function answerEvent(script: Script, parsed: ParsedPayload): Promise<Written> {
  try {
    return written(script, parsed, await script.answer(parsed));
  } catch (thrown) {
    return written(script, parsed, crashed(script, thrown));
  }
}

/** A failure, in the direction the script declared. */
export function failed({ isGuard, name }: Pick<Script, "isGuard" | "name">, failure: Problem): Said {
  return {
    parts: isGuard ? [{ can: "block", value: `The guard ${name} failed, so it says no. ${failure.message}` }] : [],
    problems: [failure],
  };
}

export function crashed(script: Pick<Script, "isGuard" | "name">, thrown: unknown): Said {
  return failed(script, problem("HANDLER_FAILED", `${script.name}: ${thrownMessage(thrown)}`));
}

function written(script: Script, { payload }: ParsedPayload, { parts, problems, exitReason }: Said): Written {
  const answer = encode(payload?.hook_event_name ?? script.event, parts);
  const all = [...problems, ...answer.problems];
  if (exitReason) return { ...answer, problems: all, stderr: `${exitReason}\n`, exitCode: 2, refusal: exitReason };
  return { ...answer, problems: all, exitCode: all[0] && !answer.stdout && !answer.exitCode ? script.failureExitCode : answer.exitCode };
}

/** Runs the script as this process: stdin in, answer out, exit. */
export async function runScript(script: Script, watch: ProcessWatch, isCalled: (bytes: Uint8Array) => boolean = () => true): Promise<void> {
  const started = Date.now();
  const { stray } = watch;
  const input = await readStdin();
  if (!isCalled(input.bytes)) return;
  const parsed: ParsedPayload = input.problem ? { problem: input.problem } : parsePayload(input.bytes);
  const finish = (answer: Written): void => {
    const problems = [...stray.problems, ...answer.problems];
    const unlogged = logAnswer(script.name, parsed.payload, { ...answer, problems }, Date.now() - started);
    const messages = [...problems, ...unlogged].map(({ message }) => `${message}\n`);
    // On exit 2 stderr is the reason that the model or the user reads: nothing else belongs there.
    deliver(script.name, { ...answer, stderr: answer.exitCode === 2 ? answer.stderr : messages.join("") }, stray.isSpoilt);
  };
  const end = (said: Said): void => finish(written(script, parsed, said));
  watch.onCrash = (thrown) => end(crashed(script, thrown));
  process.on("beforeExit", () =>
    end(failed(script, problem("HANDLER_UNSETTLED", `${script.name} waits for a promise that nothing will settle`))),
  );
  if (watch.crash) watch.onCrash(watch.crash.thrown);
  finish(await answerEvent(script, parsed));
}
