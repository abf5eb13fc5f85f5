/** What the user's answer to a question means. Only a clear yes is one; an unclear answer is asked again, and never counts as a yes. */

import { createInterface } from "node:readline";
import { visible } from "../diagnostic.ts";

const YES: ReadonlySet<string> = new Set(["y", "yes", "yeah", "yep", "yup", "ok", "okay", "sure", "absolutely", "definitely"]);
const NO: ReadonlySet<string> = new Set(["", "n", "no", "nope", "nah"]);
/** Phrases that mean the same. */
const YES_WORDS =
  /^(?:go (?:ahead|for it)|do it|of course|sounds good|please do|yes,? (?:go ahead|do it|of course))(?:,? (?:please|pls|thanks|thank you))?[.!]*$/i;
const NO_WORDS =
  /^(?:never|not (?:now|yet|today)|no way|no,? (?:thanks|thank you|never|not now)|nope,? (?:thanks|never)|don'?t|do not|please don'?t|absolutely not|definitely not|of course not|stop)[.!]*$/i;

/** May follow a yes without changing it. */
const POLITE = /^(?:sure|yes|ok|okay|of course)?[\s,]*(?:please|pls|thanks|thank you|thx)?[.!]*$/i;

/** Yes or no; nothing if it is neither. A no may have a reason behind it, a yes nothing but politeness. */
export function yesOrNo(given: string): ({ readonly isYes: true } | { readonly isYes: false; readonly reason: string }) | undefined {
  if (NO_WORDS.test(given.trim())) return { isYes: false, reason: "" };
  if (YES_WORDS.test(given.trim())) return { isYes: true };
  const [word, rest] = firstWord(given);
  if (NO.has(word)) return { isYes: false, reason: rest };
  return YES.has(word) && POLITE.test(rest) ? { isYes: true } : undefined;
}

/** The first word without case and punctuation, and what stands behind it. */
function firstWord(given: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(given) ?? [];
  return [word.toLowerCase().replace(/(?<=\w)[.,;:!]+$/, ""), rest.trim()];
}

export type ReviewAnswer = "approve" | "refuse" | "later" | "quit";

/** The answer to "may this hook run"; nothing if it is none. `isAbsent`: it is gone, and cannot be refused. */
export function reviewAnswer(given: string, isAbsent: boolean): ReviewAnswer | undefined {
  const [word, rest] = firstWord(given);
  if (rest === "" && (word === "q" || word === "quit")) return "quit";
  if (rest === "" && !isAbsent && (word === "r" || word === "refuse")) return "refuse";
  const answer = yesOrNo(given);
  if (answer?.isYes) return "approve";
  // There is no one to give a reason to here, so such an answer is asked for again.
  return answer?.reason === "" ? "later" : undefined;
}

interface ClearQuestion<Answer> {
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly print: (text: string) => void;
  readonly question: string;
  /** What an answer means; nothing if it is unclear. */
  readonly read: (given: string) => Answer | undefined;
  /** What to type; shown after an unclear answer. */
  readonly hint: string;
  /** Why it is asked: `/why`, just `why?`, or `/help` shows it. */
  readonly why?: (() => readonly string[]) | undefined;
}

/** A user needs less; a program that answers instead would be asked forever. */
const MOST_TIMES = 20;

/** Asks until the answer is clear; undefined if there was none. */
export async function askClearly<Answer>(options: ClearQuestion<Answer>): Promise<Answer | undefined> {
  const { ask, print, question, read, hint, why } = options;
  for (let times = 0; times < MOST_TIMES; times++) {
    const given = await ask(question);
    if (given === undefined) return undefined;
    const answer = read(given);
    if (answer !== undefined) return answer;
    if (/^\s*(?:\/?why|\/help)\s*\??\s*$/i.test(given)) for (const line of why?.() ?? [hint]) print(line);
    else print(given.trim().startsWith("/") ? `A question is open. ${hint}` : `That is not clear. ${hint}`);
  }
  print("That is not an answer; it counts as no answer.");
  return undefined;
}

/** How long a question is on the screen before keys can answer it: it cannot be read faster, so earlier keys were meant for something else. */
const READING_MS = 350;

/** Calls `done` once a question that is on the screen now could be read; the function it returns cancels that. */
export type WaitForReader = (done: () => void) => () => void;

export const waitForReader: WaitForReader = (done) => {
  let isOff = false;
  // Keys that were queued while the program was busy are taken before, and count as early.
  const timer = setTimeout(() => setImmediate(() => isOff || done()), READING_MS);
  return () => {
    isOff = true;
    clearTimeout(timer);
  };
};

const LONGEST_QUOTE = 60;

/** What the user typed, as it is quoted to them. */
export function quotedLine(typed: string): string {
  const short = typed.replace(/\s+/g, " ").trim();
  return `"${short.length > LONGEST_QUOTE ? `${short.slice(0, LONGEST_QUOTE)}…` : short}"`;
}

export function earlyText(typed: string, cure: string): string {
  return `${quotedLine(typed)} was typed before the question could be read, and does not answer it. ${cure}`;
}

interface Question {
  readonly text: string;
  readonly answer: (text: string | undefined) => void;
}

interface QuestionEvents {
  readonly waitForReader?: WaitForReader | undefined;
  /** Another question is the first now, or none is open any more. */
  readonly onCurrent: () => void;
  /** The first could be read: what is typed from now on answers it. */
  readonly onOpen: () => void;
}

/** Questions that wait for an answer, one after the other. SECURITY: what was typed before a question could be read is no answer to it. */
export class Questions {
  readonly #events: QuestionEvents;
  #asked: readonly Question[] = [];
  #isOpen = false;
  /** The first is on the screen; calling it takes that back. */
  #endReading: (() => void) | undefined;
  #isClosed = false;

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  get current(): Question | undefined {
    return this.#asked[0];
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Undefined if there was no answer. */
  ask(text: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const onAbort = (): void => this.#leave([question]);
      const answer = (given: string | undefined): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(given);
      };
      const question: Question = { text, answer };
      signal?.addEventListener("abort", onAbort);
      this.#asked = [...this.#asked, question];
      if (this.current === question) this.#events.onCurrent();
    });
  }

  /** This question is on the screen now. */
  shown(question: Question | undefined): void {
    if (!question || question !== this.current || this.#isOpen || this.#endReading) return;
    this.#endReading = (this.#events.waitForReader ?? waitForReader)(() => {
      this.#endReading = undefined;
      this.#isOpen = true;
      this.#events.onOpen();
    });
  }

  /** It is not on the screen any more as it was: the time to read it begins anew when it is shown. True: it was. */
  unread(): boolean {
    const wasShown = this.#endReading !== undefined;
    this.#endReading?.();
    this.#endReading = undefined;
    return wasShown;
  }

  answer(given: string): void {
    if (this.current) this.#leave([this.current], given);
  }

  /** None of them gets an answer. */
  drop(): void {
    this.#leave(this.#asked);
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  #leave(left: readonly Question[], given?: string): void {
    const before = this.current;
    this.#asked = this.#asked.filter((one) => !left.includes(one));
    if (this.current !== before) {
      this.unread();
      this.#isOpen = false;
      this.#events.onCurrent();
    }
    for (const { answer } of left) answer(given);
  }
}

interface LineQuestionOptions extends Pick<QuestionEvents, "waitForReader"> {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Questions at a terminal outside of a conversation, a line for each. Undefined as the answer: the user left. */
export function openLineQuestions({ input, output, waitForReader: wait }: LineQuestionOptions): {
  ask(question: string): Promise<string | undefined>;
  close(): void;
} {
  const terminal = createInterface({ input, output, prompt: "? " });
  const show = (text: string): void => {
    const question = questions.current;
    output.write(`${text}\n`, () => questions.shown(question));
  };
  const questions = new Questions({
    waitForReader: wait,
    onCurrent: () => questions.current && show(questions.current.text),
    onOpen() {
      // What was typed before is not the beginning of the answer.
      if (terminal.line !== "") terminal.write(null, { ctrl: true, name: "u" });
      terminal.prompt();
    },
  });
  terminal.on("line", (line) => {
    if (questions.isOpen) return questions.answer(line);
    if (!questions.current || line.trim() === "") return;
    questions.unread();
    show(visible(earlyText(line, "Type it again if it was meant as the answer.")));
  });
  // Ctrl-D and Ctrl-C close it, and then no answer ever comes.
  terminal.on("close", () => questions.close());
  return { ask: (question) => questions.ask(question), close: () => terminal.close() };
}

/** Runs questions one after the other: what each shows and asks belongs together. */
export type InTurn = <Result>(ask: () => Promise<Result>) => Promise<Result>;

export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const result = last.then(ask);
    last = result.catch(() => undefined);
    return result;
  };
}
