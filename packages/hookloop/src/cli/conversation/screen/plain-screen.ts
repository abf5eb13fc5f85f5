/** The screen on a terminal that cannot move its cursor (`TERM=dumb`, an editor's shell): lines out, lines in, nothing drawn twice. */
import { createInterface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import type { Screen, ScreenEvents } from "./types.ts";

export interface PlainScreenOptions extends Omit<ScreenEvents, "onStop" | "onMode"> {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Makes signs that the terminal can show. */
  readonly inLocale: (text: string) => string;
}

interface Question {
  readonly text: string;
  readonly answer: (text: string | undefined) => void;
}

export function openPlainScreen({ input, output, inLocale, onLine, onInterrupt, onLeave }: PlainScreenOptions): Screen {
  let questions: readonly Question[] = [];
  let isInText = false;
  let isClosed = false;
  let begun = "";
  const write = (text: string): void => void output.write(inLocale(text));
  const prompt = (): void => write(questions[0] ? `${questions[0].text} ` : "> ");
  const lines = createInterface({ input, terminal: false });
  lines.on("line", (line) => {
    const [question, ...later] = questions;
    if (question) {
      questions = later;
      question.answer(line);
    } else if (line.endsWith("\\")) {
      begun += `${line.slice(0, -1)}\n`;
      return;
    } else {
      const text = begun + line;
      begun = "";
      if (text.trim() !== "") onLine(text);
    }
    if (!isClosed) prompt();
  });
  lines.on("close", () => !isClosed && onLeave());
  const stop = (): void => {
    const open = questions;
    questions = [];
    for (const { answer } of open) answer(undefined);
    onInterrupt(false);
  };
  process.on("SIGINT", stop);
  prompt();
  const endStream = (): void => {
    if (isInText) write("\n");
    isInText = false;
  };
  return {
    columns: () => Math.max(20, (output.columns || 80) - 1),
    print(text) {
      endStream();
      write(`${text}\n`);
    },
    stream(piece) {
      write(piece);
      isInText = true;
    },
    endStream,
    setProgress: (text) => {
      if (text !== undefined && questions.length === 0) write(`${text}\n`);
    },
    setStatus: () => {},
    setBusy: () => {},
    ask: (text, signal) =>
      new Promise((resolve) => {
        if (isClosed || signal?.aborted) return resolve(undefined);
        const question = { text, answer: resolve };
        questions = [...questions, question];
        signal?.addEventListener("abort", () => {
          questions = questions.filter((one) => one !== question);
          resolve(undefined);
        });
        if (questions.length === 1) prompt();
      }),
    close(isGone = false) {
      if (!isGone) endStream();
      isClosed = true;
      for (const { answer } of questions) answer(undefined);
      process.off("SIGINT", stop);
      lines.close();
    },
  };
}
