import { type Problem, problem } from "../problem.ts";

/** More than any agent sends; a stream without end must not fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Agents write the payload at once. Silence this long means that nothing more comes. */
const IDLE_MS = 5000;

export interface StdinRead {
  readonly bytes: Uint8Array;
  readonly problem?: Problem | undefined;
}

/** Reads stdin until one whole JSON document, the end, or silence: a sender that keeps the pipe open does not hang the hook. */
export function readStdin(): Promise<StdinRead> {
  return new Promise((resolve) => {
    const { stdin } = process;
    const chunks: Buffer[] = [];
    const isWhole = documentScanner();
    let size = 0;
    const finish = (failure?: Problem): void => {
      clearTimeout(timer);
      stdin.pause();
      resolve({ bytes: Buffer.concat(chunks), problem: failure });
    };
    const idle = Number(process.env["HOOKLOOP_STDIN_TIMEOUT_MS"]) || IDLE_MS;
    const timer = setTimeout(
      () => finish(problem("STDIN_TIMEOUT", `no whole JSON document within ${idle} ms. Close stdin after writing the event`)),
      idle,
    );
    stdin.on("data", (chunk: Buffer) => {
      timer.refresh();
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) finish(problem("STDIN_TOO_LARGE", `the event is larger than ${MAX_BYTES} bytes`));
      else if (isWhole(chunk)) finish();
    });
    stdin.on("end", finish).on("error", () => finish());
  });
}

/** Tells, chunk by chunk, when the brackets of a JSON document are closed; every byte is looked at once. */
export function documentScanner(): (chunk: Uint8Array) => boolean {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  const closes = (character: string): boolean => {
    if (inString) {
      inString = isEscaped || character !== '"';
      isEscaped = !isEscaped && character === "\\";
      return false;
    }
    inString = character === '"';
    if ("{[".includes(character)) depth++;
    return "}]".includes(character) && --depth <= 0;
  };
  return (chunk) => chunk.some((byte) => closes(String.fromCharCode(byte)));
}
