import { writeSync } from "node:fs";
import type { Written } from "../wire/encode.ts";

/** Writes the answer whole, then ends the process: a forgotten timer or socket cannot keep the agent waiting. */
export function deliver(answer: Written, isStdoutSpoilt: boolean): never {
  const { refusal, exitCode } = answer;
  const isLost = !writeWhole(1, answer.stdout) || isStdoutSpoilt;
  // A decision that stdout may have lost still gets through: exit code 2 says no on every event that can block.
  const byExit = isLost && refusal && exitCode !== 2;
  writeWhole(2, byExit ? `${refusal}\n` : answer.stderr);
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
