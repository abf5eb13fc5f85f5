import { fstatSync, statSync, writeSync } from "node:fs";
import { writeLog } from "../log/write-log.ts";
import { problem, thrownMessage } from "../problem.ts";
import type { Written } from "../wire/encode.ts";
import type { Script } from "./script.ts";

/** Writes the answer whole, then ends the process: a forgotten timer or socket cannot keep the agent waiting. */
export function deliver({ name, isGuard }: Script, answer: Written, isStdoutSpoilt: boolean): never {
  const { stdout, stderr, refusal, exitCode } = answer;
  const why = writeWhole(1, stdout) ?? (stdout && isDiscarded(1) ? "stdout is closed" : undefined);
  const lost = why && problem("STDOUT_CLOSED", `the answer did not reach the agent: ${why}`).message;
  if (lost) writeLog({ level: "error", hook: name, message: lost });
  const isLost = (lost ?? isStdoutSpoilt) && stdout && exitCode !== 2;
  // A decision that stdout may have lost still gets through: exit code 2 says no on every event that can block.
  const reason = isLost
    ? (refusal ?? (isGuard ? `The guard ${name} could not answer, so it says no. ${lost ?? stderr}` : undefined))
    : undefined;
  writeWhole(2, reason ? `${reason}\n` : lost && exitCode !== 2 ? `${stderr}${lost}\n` : stderr);
  process.exit(reason ? 2 : exitCode);
}

/** Nothing, or why it could not be written. */
export function writeWhole(fd: 1 | 2, text: string): string | undefined {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
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

/** Node opens /dev/null in place of a closed descriptor, so writing succeeds and reaches nobody. */
function isDiscarded(fd: number): boolean {
  return fstatSync(fd).rdev === statSync("/dev/null").rdev && fstatSync(fd).isCharacterDevice();
}
