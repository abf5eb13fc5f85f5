/** The screen on a terminal that can move its cursor: output scrolls by above, what is typed stays below. */

import { emitKeypressEvents, type Interface } from "node:readline";
import { createTurns, earlyText, Questions } from "../clear-answer.ts";
import { spokenText } from "../conversation/call-text.ts";
import type { Screen, ScreenOptions } from "./screen.ts";
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
  readonly hasStatus = true;
  readonly inTurn = createTurns();
  readonly #options: TerminalScreenOptions;
  readonly #area: LiveArea;
  readonly #typed: TypedLine;
  readonly #questions: Questions;
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
    this.#questions = new Questions({
      waitForReader: options.waitForReader,
      onCurrent: () => {
        this.#typed.unpark();
        this.#draw();
      },
      onOpen: () => {
        this.#typed.park();
        this.#draw();
      },
    });
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
    return this.#questions.ask(this.#options.inLocale(text), signal);
  }

  close(isGone = false): void {
    if (this.#isClosed) return;
    if (!isGone) this.endStream();
    this.#isClosed = true;
    this.#isGone = isGone;
    const { input, output, onLeave } = this.#options;
    this.#questions.close();
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
    const question = this.#questions.current;
    this.#options.output.write(text, () => this.#questions.shown(question));
  }

  readonly #onKey = (typed: string | undefined, key: Key): void => {
    // SECURITY: a user who is still typing has not read the question; what they type goes where it went before.
    if (this.#questions.unread()) this.#questions.shown(this.#questions.current);
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
    const { current, isOpen } = this.#questions;
    if (current && !isOpen) {
      const early = this.#typed.enter();
      if (early !== undefined) this.print(this.#options.style("dim", spokenText(earlyText(early, "The up key brings it back."))), "  ");
      return;
    }
    if (current) {
      const { text } = this.#typed.line;
      this.#commit([...questionRows(current.text, this.columns(), this.#options.style), `  ${text}`]);
      this.#questions.answer(text);
      return;
    }
    const text = this.#typed.enter();
    if (text === undefined) return;
    this.#commit(enteredRows(text, this.columns(), this.#options.style));
    this.#options.onLine(text);
  }

  #interrupt(): void {
    const isAsked = this.#questions.current !== undefined;
    const hadText = this.#typed.line.text !== "" && !isAsked;
    if (isAsked) this.#questions.drop();
    else this.#typed.clear();
    this.#options.onInterrupt(hadText);
  }

  /** Leaves what is asked, and stops what works; what is being typed stays. */
  #escape(): void {
    this.#questions.drop();
    this.#options.onStop();
  }

  #leaveOrDelete(): void {
    if (this.#typed.line.text !== "") {
      this.#typed.edit({ name: "d", ctrl: true }, undefined);
      return;
    }
    this.#questions.drop();
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
      question: this.#questions.current?.text,
      isAnswer: this.#questions.isOpen,
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
