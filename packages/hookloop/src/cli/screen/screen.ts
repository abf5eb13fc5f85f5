/** The screen of a conversation, and the plain one (`TERM=dumb`, an editor's shell): lines out, lines in, nothing drawn twice. */

import { createInterface, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { createTurns, earlyText, type InTurn, Questions, type WaitForReader } from "../clear-answer.ts";
import { spokenText } from "../conversation/call-text.ts";

/** Where a conversation is shown and typed: `TerminalScreen`, or `PlainScreen` on a terminal that cannot move its cursor. */
export interface Screen {
  readonly columns: () => number;
  /** Writes whole lines above what is being typed; they are wrapped, with `indent` before every line but the first of each. */
  print(text: string, indent?: string): void;
  stream(piece: string): void;
  endStream(): void;
  /** What is running; undefined: nothing is. */
  setProgress(text: string | undefined): void;
  setStatus(text: string): void;
  /** Whether a status is shown at all. */
  readonly hasStatus: boolean;
  /** Whether the agent works: what is entered meanwhile is queued. */
  setBusy(isBusy: boolean): void;
  /** Asks; undefined if there was no answer. What was being typed is restored afterwards. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** One at a time: showing what a question is about and asking it belong together. */
  readonly inTurn: InTurn;
  /** `isGone`: the terminal was closed; nothing more is written to it. */
  close(isGone?: boolean): void;
}

/** As much of a screen as a question needs. */
export type AskScreen = Pick<Screen, "columns" | "print" | "ask" | "inTurn">;

export interface ScreenEvents {
  readonly onLine: (text: string) => void;
  /** Ctrl-C; `hadText`: it took away what was typed. */
  readonly onInterrupt: (hadText: boolean) => void;
  /** Esc: the turn is to stop; what is typed stays. */
  readonly onStop: () => void;
  /** Shift-Tab: the next permission mode. */
  readonly onMode: () => void;
  /** Ctrl-D, or the terminal is gone. */
  readonly onLeave: () => void;
  /** What could stand at the cursor: each as the whole text up to it would be. */
  readonly complete: (before: string) => Promise<readonly string[]>;
}

export interface ScreenOptions extends ScreenEvents {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Replaces characters that the terminal cannot show. */
  readonly inLocale: (text: string) => string;
  readonly waitForReader?: WaitForReader | undefined;
}

type PlainScreenOptions = Omit<ScreenOptions, "onStop" | "onMode">;

export function openPlainScreen(options: PlainScreenOptions): Screen {
  return new PlainScreen(options);
}

class PlainScreen implements Screen {
  readonly inTurn = createTurns();
  readonly hasStatus = false;
  readonly #options: PlainScreenOptions;
  readonly #lines: Interface;
  readonly #questions: Questions;
  #begun = "";
  #isInText = false;
  /** The sign that something can be typed stands at the end of the output. */
  #isPrompted = false;
  #isBusy = true;
  #isClosed = false;

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#questions = new Questions({
      waitForReader: options.waitForReader,
      onCurrent: () => this.#showQuestion(),
      onOpen: () => this.#prompt(),
    });
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
    if (text !== undefined && !this.#questions.current) this.print(text);
  }

  setStatus(): void {}

  setBusy(isBusy: boolean): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = isBusy;
    if (wasBusy && !isBusy) this.#prompt();
  }

  ask(text: string, signal?: AbortSignal): Promise<string | undefined> {
    return this.#questions.ask(text, signal);
  }

  close(isGone = false): void {
    if (this.#isClosed) return;
    if (!isGone) this.endStream();
    this.#isClosed = true;
    this.#questions.close();
    process.off("SIGINT", this.#stop);
    this.#lines.close();
  }

  #take(line: string): void {
    this.#isPrompted = false;
    const questions = this.#questions;
    if (questions.isOpen) questions.answer(line);
    else if (questions.current) {
      if (line.trim() !== "") this.#write(`${spokenText(earlyText(line, "Type it again if it was meant as the answer."))}\n`);
      questions.unread();
      this.#showQuestion();
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

  #showQuestion(): void {
    const question = this.#questions.current;
    if (question && !this.#isClosed) this.#write(`${question.text}\n`, () => this.#questions.shown(question));
  }

  #prompt(): void {
    const { current, isOpen } = this.#questions;
    const isIdle = !current && !this.#isBusy;
    if (this.#isClosed || !(isOpen || isIdle)) return;
    this.#write(isOpen ? "? " : "> ");
    this.#isPrompted = true;
  }

  #write(text: string, onWritten?: () => void): void {
    this.#isPrompted = false;
    this.#options.output.write(this.#options.inLocale(text), () => onWritten?.());
  }

  readonly #stop = (): void => {
    this.#questions.drop();
    this.#options.onInterrupt(false);
  };
}
