/** The screen on a terminal that cannot move its cursor (`TERM=dumb`, an editor's shell): lines out, lines in, nothing drawn twice. */

import { createInterface, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { createTurns, earlyText, type WaitForReader, waitForReader } from "../clear-answer.ts";
import { spokenText } from "../conversation/call-text.ts";
import type { Screen, ScreenEvents } from "./text-width.ts";

interface PlainScreenOptions extends Omit<ScreenEvents, "onStop" | "onMode"> {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Makes signs that the terminal can show. */
  readonly inLocale: (text: string) => string;
  /** For tests. */
  readonly waitForReader?: WaitForReader | undefined;
}

interface Question {
  readonly text: string;
  readonly answer: (text: string | undefined) => void;
}

export function openPlainScreen(options: PlainScreenOptions): Screen {
  return new PlainScreen(options);
}

class PlainScreen implements Screen {
  readonly inTurn = createTurns();
  readonly #options: PlainScreenOptions;
  readonly #lines: Interface;
  #questions: readonly Question[] = [];
  /** The question that the next line answers: it has been on the screen long enough to be read. */
  #open: Question | undefined;
  #endReading = (): void => {};
  #begun = "";
  #isInText = false;
  /** The sign that something can be typed stands at the end of the output. */
  #isPrompted = false;
  #isBusy = true;
  #isClosed = false;

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#lines = createInterface({ input: options.input, terminal: false });
    this.#lines.on("line", (line) => this.#take(line));
    this.#lines.on("close", () => !this.#isClosed && options.onLeave());
    process.on("SIGINT", this.#stop);
  }

  columns(): number {
    return Math.max(20, (this.#options.output.columns || 80) - 1);
  }

  print(text: string): void {
    this.endStream();
    const wasPrompted = this.#isPrompted;
    this.#write(`${wasPrompted ? "\n" : ""}${text}\n`);
    if (wasPrompted) this.#prompt();
  }

  stream(piece: string): void {
    this.#write(piece);
    this.#isInText = true;
  }

  endStream(): void {
    if (this.#isInText) this.#write("\n");
    this.#isInText = false;
  }

  setProgress(text: string | undefined): void {
    if (text !== undefined && this.#questions.length === 0) this.print(text);
  }

  setStatus(): void {}

  setBusy(isBusy: boolean): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = isBusy;
    if (wasBusy && !isBusy) this.#prompt();
  }

  ask(text: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const question: Question = { text, answer: resolve };
      this.#questions = [...this.#questions, question];
      signal?.addEventListener("abort", () => {
        const wasShown = this.#questions[0] === question;
        this.#questions = this.#questions.filter((one) => one !== question);
        resolve(undefined);
        if (wasShown) this.#next();
      });
      if (this.#questions.length === 1) this.#next();
    });
  }

  close(isGone = false): void {
    if (this.#isClosed) return;
    if (!isGone) this.endStream();
    this.#isClosed = true;
    this.#endReading();
    for (const { answer } of this.#questions) answer(undefined);
    process.off("SIGINT", this.#stop);
    this.#lines.close();
  }

  #take(line: string): void {
    this.#isPrompted = false;
    const [question, ...later] = this.#questions;
    if (question && question !== this.#open) {
      // SECURITY: nobody answers what they have not read.
      if (line.trim() !== "") this.#write(`${spokenText(earlyText(line, "Say it again if it was meant for it."))}\n`);
      this.#next();
    } else if (question) {
      this.#questions = later;
      question.answer(line);
      this.#next();
    } else this.#takePrompt(line);
  }

  #takePrompt(line: string): void {
    if (line.endsWith("\\")) {
      this.#begun += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = this.#begun + line;
    this.#begun = "";
    if (text.trim() !== "") this.#options.onLine(text);
    else this.#prompt();
  }

  /** Shows the question whose turn it is; it can be answered once it could be read. */
  #next(): void {
    this.#endReading();
    this.#open = undefined;
    const [question] = this.#questions;
    if (!question) return;
    this.#write(`${question.text}\n`, () => {
      if (this.#isClosed || this.#questions[0] !== question) return;
      this.#endReading = (this.#options.waitForReader ?? waitForReader)(() => {
        this.#open = question;
        this.#prompt();
      });
    });
  }

  #prompt(): void {
    const isIdle = this.#questions.length === 0 && !this.#isBusy;
    if (this.#isClosed || !(this.#open || isIdle)) return;
    this.#write(this.#open ? "? " : "> ");
    this.#isPrompted = true;
  }

  #write(text: string, onWritten?: () => void): void {
    this.#isPrompted = false;
    this.#options.output.write(this.#options.inLocale(text), () => onWritten?.());
  }

  readonly #stop = (): void => {
    const open = this.#questions;
    this.#questions = [];
    this.#open = undefined;
    this.#endReading();
    for (const { answer } of open) answer(undefined);
    this.#options.onInterrupt(false);
  };
}
