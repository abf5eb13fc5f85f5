import { writeSync } from "node:fs";
import { writeLog } from "../log/write-log.ts";
import { problem } from "../problem.ts";
import type { Written } from "../wire/encode.ts";

/** Writes the answer whole, then ends the process: a forgotten timer or socket cannot keep the agent waiting. */
export function deliver(name: string, answer: Written, isStdoutSpoilt: boolean): never {
  const { refusal, exitCode, stderr } = answer;
  const isWhole = writeWhole(1, answer.stdout);
  const closed = problem("STDOUT_CLOSED", "the agent stopped reading before the answer was written");
  if (!isWhole) writeLog({ level: "error", hook: name, message: closed.message });
  // A decision that stdout may have lost still gets through: exit code 2 says no on every event that can block.
  const byExit = (!isWhole || isStdoutSpoilt) && refusal && exitCode !== 2;
  writeWhole(2, byExit ? `${refusal}\n` : isWhole || exitCode === 2 ? stderr : `${stderr}${closed.message}\n`);
  process.exit(byExit ? 2 : exitCode);
}

/** False if the reader has gone. */
export function writeWhole(fd: 1 | 2, text: string): boolean {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EAGAIN") return false;
      // The pipe is full and the reader is slow: wait a moment, losing nothing.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return true;
}
