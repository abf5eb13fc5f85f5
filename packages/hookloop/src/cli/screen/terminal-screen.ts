/** The screen on a terminal that can move its cursor: output scrolls by above, what is typed stays below. */

import { emitKeypressEvents, type Interface } from "node:readline";
import { createTurns, earlyText, waitForReader } from "../clear-answer.ts";
import { spokenText } from "../conversation/call-text.ts";
import type { Question, Screen, ScreenOptions } from "./screen.ts";
import {
  composeFrame,
  enteredRows,
  type Frame,
  type LiveArea,
  openLiveArea,
  questionRows,
  type ScreenStyle,
  wrapText,
} from "./text-width.ts";
import { type History, type Key, keyName, TypedLine } from "./typed-line.ts";

interface TerminalScreenOptions extends ScreenOptions {
  readonly history: History;
  readonly style: ScreenStyle;
}

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** Terminals send the rest of a sequence at once; the default of half a second is long for a user who wants to stop. */
const ESCAPE_MS = 100;
/** What was typed before the program had the terminal is there at once. */
const EARLY_MS = 100;
const NARROWEST = 20;
const MOST_CANDIDATES = 40;

export function openTerminalScreen(options: TerminalScreenOptions): Screen {
  return new TerminalScreen(options);
}

class TerminalScreen implements Screen {
  readonly inTurn = createTurns();
  readonly #options: TerminalScreenOptions;
  readonly #area: LiveArea;
  readonly #typed: TypedLine;
  #questions: readonly Question[] = [];
  /** The question that what is typed answers: it has been on the screen long enough to be read. */
  #open: Question | undefined;
  /** A question that was just drawn; `end` calls off that it is opened. */
  #reading: { readonly question: Question; readonly end: () => void } | undefined;
  /** Text that has come and has no end yet. */
  #tail = "";
  #progress: string | undefined;
  #status = "";
  #size: readonly [number, number] = [80, 24];
  #isBusy = false;
  /** It will be drawn before anything else happens. */
  #isDrawing = false;
  /** Until the terminal is in raw mode Enter is a line feed, and so is Ctrl-J afterwards. */
  #isEarly = true;
  #isClosed = false;
  #isGone = false;

  constructor(options: TerminalScreenOptions) {
    this.#options = options;
    this.#typed = new TypedLine(options.history);
    this.#area = openLiveArea((text) => this.#write(text));
    const { input, output } = options;
    this.#measure();
    // The second argument is a readline; nothing of it is used but how long Esc waits for the rest of a key's sequence.
    emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
    input.setRawMode(true);
    setTimeout(() => {
      this.#isEarly = false;
    }, EARLY_MS).unref();
    input.on("keypress", this.#onKey);
    input.on("end", options.onLeave);
    output.on("resize", this.#onResize);
    process.on("SIGCONT", this.#onReturn);
    input.resume();
    output.write(PASTE_ON);
  }

  columns(): number {
    // The last column stays free: terminals differ in where the cursor is after writing into it.
    return Math.max(NARROWEST, this.#size[0] - 1);
  }

  print(text: string, indent = ""): void {
    this.#commit(wrapText(this.#options.inLocale(text), this.columns(), indent));
  }

  stream(piece: string): void {
    const rows = wrapText(this.#tail + this.#options.inLocale(piece), this.columns());
    this.#tail = rows.at(-1) ?? "";
    if (rows.length > 1) this.#commit(rows.slice(0, -1));
    else this.#draw();
  }

  endStream(): void {
    if (this.#tail === "") return;
    const last = this.#tail;
    this.#tail = "";
    this.#commit([last]);
  }

  setProgress(given: string | undefined): void {
    const text = given && this.#options.inLocale(given);
    if (text === this.#progress) return;
    this.#progress = text;
    this.#draw();
  }

  setStatus(given: string): void {
    const text = this.#options.inLocale(given);
    if (text === this.#status) return;
    this.#status = text;
    this.#draw();
  }

  setBusy(isBusy: boolean): void {
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    this.#draw();
  }

  ask(text: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const onAbort = (): void => this.#leaveQuestion(question);
      const answer = (given: string | undefined): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(given);
      };
      const question: Question = { text: this.#options.inLocale(text), answer };
      signal?.addEventListener("abort", onAbort);
      this.#questions = [...this.#questions, question];
      this.#draw();
    });
  }

  close(isGone = false): void {
    if (this.#isClosed) return;
    if (!isGone) this.endStream();
    this.#isClosed = true;
    this.#isGone = isGone;
    const { input, output, onLeave } = this.#options;
    this.#reading?.end();
    for (const { answer } of this.#questions) answer(undefined);
    input.off("keypress", this.#onKey);
    input.off("end", onLeave);
    output.off("resize", this.#onResize);
    process.off("SIGCONT", this.#onReturn);
    input.pause();
    if (isGone) return;
    this.#area.clear();
    output.write(PASTE_OFF);
    input.setRawMode(false);
  }

  readonly #onResize = (): void => this.#draw();

  /** Asked for at each drawing: while a window is being dragged, the signal comes later than the change. */
  #measure(): void {
    const [columns = 0, rows = 0] = this.#options.output.getWindowSize();
    const isOther = columns > 0 && columns !== this.#size[0];
    this.#size = [columns || this.#size[0], rows || this.#size[1]];
    if (isOther) this.#area.resized(columns);
  }

  readonly #onReturn = (): void => {
    this.#options.input.setRawMode(true);
    this.#options.output.write(PASTE_ON);
    this.#draw();
  };

  #write(text: string): void {
    const [question] = this.#questions;
    this.#options.output.write(text, () => question && this.#drawn(question));
  }

  #drawn(question: Question): void {
    if (this.#isClosed || this.#questions[0] !== question || this.#open === question || this.#reading?.question === question) return;
    this.#reading?.end();
    const end = (this.#options.waitForReader ?? waitForReader)(() => this.#openQuestion(question));
    this.#reading = { question, end };
  }

  #openQuestion(question: Question): void {
    this.#reading = undefined;
    if (this.#isClosed || this.#questions[0] !== question) return;
    this.#open = question;
    this.#typed.park();
    this.#draw();
  }

  /** SECURITY: a user who is still typing has not read the question; what they type goes where it went before. */
  #waitAgain(): void {
    const { question, end } = this.#reading ?? {};
    end?.();
    this.#reading = undefined;
    if (question) this.#drawn(question);
  }

  readonly #onKey = (typed: string | undefined, key: Key): void => {
    this.#waitAgain();
    if (this.#typed.paste(typed, key)) {
      // Not for each of its characters.
      if (key.name === "paste-end") this.#draw();
      return;
    }
    const name = keyName(key);
    const act = this.#actions[this.#isEarly && name === "enter" ? "return" : name];
    if (act) act();
    else this.#typed.edit(key, typed);
    this.#draw();
  };

  readonly #actions: Readonly<Record<string, () => void>> = {
    return: () => this.#enter(),
    "ctrl-c": () => this.#interrupt(),
    "ctrl-d": () => this.#leaveOrDelete(),
    "ctrl-z": () => this.#suspend(),
    // A completion that fails offers nothing: pressing Tab must not end the program.
    tab: () => void this.#complete().catch(() => {}),
    "shift-tab": () => this.#options.onMode(),
    escape: () => this.#escape(),
    "meta-escape": () => this.#escape(),
  };

  #enter(): void {
    const [question, ...later] = this.#questions;
    if (question && question !== this.#open) {
      const early = this.#typed.enter();
      if (early !== undefined) this.print(this.#options.style("dim", spokenText(earlyText(early, "The up key brings it back."))), "  ");
      return;
    }
    if (question) {
      const { text } = this.#typed.line;
      this.#commit([...questionRows(question.text, this.columns(), this.#options.style), `  ${text}`]);
      this.#next(later);
      question.answer(text);
      return;
    }
    const text = this.#typed.enter();
    if (text === undefined) return;
    this.#commit(enteredRows(text, this.columns(), this.#options.style));
    this.#options.onLine(text);
  }

  #next(questions: readonly Question[]): void {
    this.#questions = questions;
    if (this.#open && this.#open !== questions[0]) {
      this.#open = undefined;
      this.#typed.unpark();
    }
  }

  #leaveQuestion(question: Question): void {
    if (!this.#questions.includes(question)) return;
    this.#next(this.#questions.filter((one) => one !== question));
    question.answer(undefined);
    this.#draw();
  }

  #interrupt(): void {
    const questions = this.#questions;
    const hadText = this.#typed.line.text !== "" && questions.length === 0;
    if (questions.length > 0) this.#next([]);
    else this.#typed.clear();
    for (const { answer } of questions) answer(undefined);
    this.#options.onInterrupt(hadText);
  }

  /** Leaves what is asked, and stops what works; what is being typed stays. */
  #escape(): void {
    const questions = this.#questions;
    if (questions.length > 0) this.#next([]);
    for (const { answer } of questions) answer(undefined);
    this.#options.onStop();
  }

  #leaveOrDelete(): void {
    if (this.#typed.line.text !== "") {
      this.#typed.edit({ name: "d", ctrl: true }, undefined);
      return;
    }
    const questions = this.#questions;
    this.#next([]);
    for (const { answer } of questions) answer(undefined);
    this.#options.onLeave();
  }

  #suspend(): void {
    this.#area.clear();
    this.#options.output.write(PASTE_OFF);
    this.#options.input.setRawMode(false);
    process.kill(process.pid, "SIGTSTP");
  }

  async #complete(): Promise<void> {
    const before = this.#typed.beforeCursor;
    if (before === undefined) return;
    const candidates = this.#typed.complete(before, await this.#options.complete(before));
    this.#draw();
    if (candidates.length === 0) return;
    const more = candidates.length > MOST_CANDIDATES ? `  and ${candidates.length - MOST_CANDIDATES} more` : "";
    this.print(this.#options.style("dim", `${candidates.slice(0, MOST_CANDIDATES).join("  ")}${more}`));
  }

  #commit(lines: readonly string[]): void {
    if (this.#isGone) return;
    if (this.#isClosed) this.#options.output.write(lines.map((line) => `${line}\n`).join(""));
    else this.#area.commit(lines, this.#frame());
  }

  /** Once for everything that happens at the same time: a burst of keys is one drawing. */
  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    setImmediate(() => {
      if (this.#isDrawing && !this.#isClosed) this.#area.draw(this.#frame());
      this.#isDrawing = false;
    });
  }

  #frame(): Frame {
    this.#isDrawing = false;
    this.#measure();
    return composeFrame({
      tail: this.#tail,
      progress: this.#progress,
      question: this.#questions[0]?.text,
      isAnswer: this.#open !== undefined,
      line: this.#typed.line,
      isBusy: this.#isBusy,
      status: this.#status,
      columns: this.columns(),
      rows: this.#size[1],
      style: this.#options.style,
      inLocale: this.#options.inLocale,
    });
  }
}
