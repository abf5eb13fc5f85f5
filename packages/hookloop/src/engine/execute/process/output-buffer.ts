import { isUtf8 } from "node:buffer";

/** Many one-byte writes would keep one Buffer object each; from this many on they are joined. */
const JOIN_AT = 1024;

/** Keeps the first `keepBytes` of a stream and counts the rest. */
export class OutputBuffer {
  readonly #keepBytes: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  get totalBytes(): number {
    return this.#total;
  }

  get isTruncated(): boolean {
    return this.#total > this.#keepBytes;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#keepBytes - this.#kept;
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#kept += part.length;
    if (this.#chunks.push(part) >= JOIN_AT) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Decoded once, as a whole: piecewise decoding breaks characters that span two chunks. */
  text(): { readonly text: string; readonly isBinary: boolean } {
    const bytes = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const whole = this.isTruncated ? bytes.subarray(0, lastCharacterEnd(bytes)) : bytes;
    return { text: whole.toString("utf8"), isBinary: !isUtf8(whole) };
  }
}

/** Where the last whole character ends: what is cut off at the limit is not the hook's mistake. */
function lastCharacterEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back === characterLength(byte) ? bytes.length : bytes.length - back;
  }
  return bytes.length;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
