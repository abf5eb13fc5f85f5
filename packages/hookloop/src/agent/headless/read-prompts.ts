import { createInterface } from "node:readline";
import { addAbortSignal, type Readable } from "node:stream";

/** A line of `--input-format stream-json` that is no prompt, and why. */
export interface BadLine {
  readonly line: number;
  readonly problem: string;
}

/** The prompts on stdin, one JSON object per line: `{"type":"user","message":{"role":"user","content":"…"}}`. */
export async function* readPrompts(input: Readable, signal: AbortSignal, onBadLine: (bad: BadLine) => void): AsyncGenerator<string> {
  let number = 0;
  for await (const line of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === "") continue;
    const read = promptOf(line);
    if ("problem" in read) onBadLine({ line: number, problem: read.problem });
    else yield read.prompt;
  }
}

/** Everything on stdin as one prompt; an interruption ends it early. */
export async function readAll(input: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of addAbortSignal(signal, input)) pieces.push(Buffer.from(piece));
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return Buffer.concat(pieces).toString().trim();
}

function promptOf(line: string): { readonly prompt: string } | { readonly problem: string } {
  let value: { readonly type?: unknown; readonly message?: { readonly role?: unknown; readonly content?: unknown } };
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "it is not JSON" };
  }
  if (value?.type !== "user") return { problem: `its type is ${JSON.stringify(value?.type)}, not "user"` };
  const content = value.message?.content;
  if (typeof content === "string") return { prompt: content };
  if (!Array.isArray(content)) return { problem: "it has no message.content" };
  const texts = content.flatMap((block: { type?: unknown; text?: unknown }) => (typeof block?.text === "string" ? block.text : []));
  return texts.length > 0 ? { prompt: texts.join("\n") } : { problem: "its content has no text" };
}
