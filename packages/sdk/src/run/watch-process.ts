import { fstatSync } from "node:fs";
import { type Problem, problem } from "../problem.ts";

/** What happens to the process from the moment a hook is declared in it, before and while it runs. */
export interface ProcessWatch {
  readonly stray: StrayOutput;
  crash?: { readonly thrown: unknown };
  /** Set by the runner: what to do about it. */
  onCrash?: (thrown: unknown) => void;
}

/** A script that dies after declaring a guard must not pass for one that agreed, so nothing thrown ends it unheard. */
export function watchProcess(): ProcessWatch {
  const watch: ProcessWatch = { stray: takeStdout() };
  process.on("uncaughtException", (thrown) => {
    watch.crash ??= { thrown };
    watch.onCrash?.(thrown);
  });
  return watch;
}

/** What else was printed to stdout, which belongs to the answer. */
interface StrayOutput {
  readonly problems: Problem[];
  /** Something was printed before the hook was declared; an agent may not find the JSON behind it. */
  readonly isSpoilt: boolean;
}

/** Keeps stdout for the answer: from now on whatever else is printed there becomes a problem instead. */
function takeStdout(): StrayOutput {
  const problems: Problem[] = [];
  const { stdout } = process;
  const file = fstatSync(1);
  const isPrinted = stdout.bytesWritten > 0;
  const isSpoilt = isPrinted || (file.isFile() && file.size > 0);
  if (isSpoilt) problems.push(problem("STDOUT_STRAY", isPrinted ? "printed before hook(). Use stderr" : "stdout is a file with content"));
  const keep = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (chunk && typeof chunk !== "function") problems.push(strayOutput(chunk));
    const done = [chunk, ...rest].find((argument) => typeof argument === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  };
  Object.assign(stdout, { write: keep, end: keep });
  return { problems, isSpoilt };
}

export function strayOutput(chunk: unknown): Problem {
  const said = String(Buffer.from(chunk as string))
    .trimEnd()
    .slice(0, 500);
  // Without its quotes: on stderr, an answer must not look like one.
  return problem("STDOUT_STRAY", `stdout is for the answer. Return it, or print with console.error: ${said.replaceAll('"', "'")}`);
}
