import { writeSync } from "node:fs";
import { problem, thrownMessage } from "../problem.ts";
import { NO_REASON, type Written } from "../wire/encode.ts";
import { blockReason, messages, type Script } from "./script.ts";

interface Delivery {
  readonly script: Script;
  readonly answer: Written;
  /** Something stands on stdout before the answer; an agent may not find the JSON behind it. */
  readonly isStdoutSpoilt: boolean;
  /** Records what was delivered; gives what is to be said about that. */
  log(delivered: Written): string;
}

/** Writes the answer whole and first of all, then ends the process: a forgotten timer or socket cannot keep the agent waiting. */
export function deliver({ script, answer, isStdoutSpoilt, log }: Delivery): never {
  const why = writeWhole(1, answer.stdout);
  const delivered = checked(script, answer, { why, isLost: !!why || isStdoutSpoilt });
  const unlogged = log(delivered);
  // Who printed a reason and exited with 2 has given one.
  const said = delivered.exitCode === 2 ? delivered.stderr : delivered.stderr + unlogged;
  if (said !== `${NO_REASON}\n` || !process.stderr.bytesWritten) writeWhole(2, said);
  process.exit(delivered.exitCode);
}

/** A decision that stdout may have lost still gets through: exit code 2 blocks on nearly every event that can block. */
function checked(script: Script, answer: Written, { why, isLost }: { why: string | undefined; isLost: boolean }): Written {
  if (!isLost || !answer.stdout || answer.exitCode === 2) return answer;
  const lost = why ? [problem("STDOUT_CLOSED", `the answer did not reach the agent: ${why}`)] : [];
  const problems = [...answer.problems, ...lost];
  const said = messages(lost);
  const reason = answer.refusal ?? blockReason(script, said || answer.stderr);
  return reason ? { ...answer, problems, stderr: `${reason}\n`, exitCode: 2 } : { ...answer, problems, stderr: answer.stderr + said };
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
