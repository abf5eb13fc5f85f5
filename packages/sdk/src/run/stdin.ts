import { type Problem, problem } from "../problem.ts";

/** More than any agent sends; a stream without end must not fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Agents write the payload at once. Silence this long means that nothing more comes. */
const IDLE_MS = 5000;
/** A file that merely imports hooks may have a stdin that is not for them: it is not kept waiting. */
const IMPORTED_IDLE_MS = 300;
/** However it drips, an event that takes this many times longer is not an agent's. */
const TOTAL = 6;

export interface StdinRead {
  readonly bytes: Uint8Array;
  readonly problem?: Problem | undefined;
}

/** Reads stdin until one whole JSON document, the end, or silence: a sender that keeps the pipe open does not hang the hook. */
export function readStdin(isImported = false): Promise<StdinRead> {
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
    const timer = setTimeout(silent, isImported ? IMPORTED_IDLE_MS : idle);
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

/** Opening and closing brackets as they stand in UTF-8: no other character contains these bytes. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, QUOTE, BACKSLASH] = Buffer.from('{}[]"\\');

/** Tells, chunk by chunk, where a JSON document's brackets are closed: the bytes of the chunk that belong to it, or 0. Looks at every byte once. */
export function documentScanner(): (chunk: Uint8Array) => number {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const closes = (byte: number): boolean => {
    if (inString) {
      inString = isEscaped || byte !== QUOTE;
      isEscaped = !isEscaped && byte === BACKSLASH;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --depth <= 0;
    return false;
  };
  return (chunk) => chunk.findIndex(closes) + 1;
}
