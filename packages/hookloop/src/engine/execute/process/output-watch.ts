/** Longer first lines are answers, not the word that sends a hook to the background. */
const LONGEST_LINE = 1024;

/**
 * Looks at stdout while it comes, until its first line is known. A text without an end of line is looked at when it ends
 * with `}`: programs that print one object and go on working often leave the line open.
 */
export class FirstLine {
  readonly #isAwaited: (line: string) => boolean;
  #seen = "";
  #isOver = false;

  constructor(isAwaited: (line: string) => boolean) {
    this.#isAwaited = isAwaited;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    // latin1: the line that is looked for has nothing but ASCII, and a character may span two chunks.
    this.#seen = withoutByteOrderMark((this.#seen + chunk.toString("latin1", 0, LONGEST_LINE)).trimStart());
    if (this.#seen === "") return;
    const end = this.#seen.indexOf("\n");
    const line = (end < 0 ? this.#seen : this.#seen.slice(0, end)).trimEnd();
    this.#isOver = end >= 0 || !line.startsWith("{") || line.length >= LONGEST_LINE;
    if (line.startsWith("{") && line.endsWith("}") && this.#isAwaited(line)) this.#isOver = true;
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\xef\xbb\xbf") ? text.slice(3) : text;
}

/** Tells output without end from output that is only long. Nothing of either is kept beyond the limit, so long output may be read to its end. */
export class FloodWatch {
  readonly #bytes: number;
  readonly #windowMs: number;
  /** When the window began that is being counted, and how much had come by then. */
  #window: { readonly startedAt: number; readonly bytes: number } | undefined;

  constructor({ bytes, windowMs }: { readonly bytes: number; readonly windowMs: number }) {
    this.#bytes = bytes;
    this.#windowMs = windowMs;
  }

  /** `total`: how much has come since the start. */
  isFlood(total: number, now: number = performance.now()): boolean {
    if (total <= this.#bytes) return false;
    this.#window ??= { startedAt: now, bytes: total };
    if (now - this.#window.startedAt < this.#windowMs) return false;
    if (total - this.#window.bytes > this.#bytes) return true;
    this.#window = { startedAt: now, bytes: total };
    return false;
  }
}
