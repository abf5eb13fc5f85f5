import { type Problem, problem } from "../problem.ts";
import { documentScanner } from "./document-scanner.ts";

/** More than any agent sends; a stream without end must not fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Agents write the payload at once. Silence this long means that nothing more comes. */
const IDLE_MS = 5000;
/** However it drips, an event that takes this many times longer is not an agent's. */
const TOTAL = 6;

export interface StdinRead {
  readonly bytes: Uint8Array;
  readonly problem?: Problem | undefined;
}

/** Reads stdin until one whole JSON document, the end, or silence: a sender that keeps the pipe open does not hang the hook. */
export function readStdin(): Promise<StdinRead> {
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
    // Nobody types an event: whoever sits there is told at once how to send one.
    if (stdin.isTTY) return finish();
    stdin.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const end = endOfDocument(chunk);
      if (end > 0) return finish(undefined, size + end);
      size += chunk.length;
      if (size > MAX_BYTES) finish(problem("STDIN_TOO_LARGE", `the event is larger than ${MAX_BYTES} bytes. Send less`));
      else if (Date.now() - started < idle * TOTAL) timer.refresh();
    });
    stdin.on("end", () => finish()).on("error", () => finish());
  });
}
