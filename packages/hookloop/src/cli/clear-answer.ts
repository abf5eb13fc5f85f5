/** What a person's answer to a question means. Only a clear yes is one; what is unclear is asked again, and never counts as a yes. */

export type YesOrNo = { readonly isYes: true } | { readonly isYes: false; readonly reason: string };

const YES: ReadonlySet<string> = new Set(["y", "yes", "yeah", "yep", "ok", "okay", "sure"]);
const NO: ReadonlySet<string> = new Set(["", "n", "no", "nope"]);

/** What may stand behind a yes: it changes nothing about it. */
const POLITE = /^(?:please|pls|thanks|thank you|thx)?[.!]*$/i;

/** Yes or no; nothing if it is neither. A no may have a reason behind it, a yes nothing but politeness. */
export function yesOrNo(given: string): YesOrNo | undefined {
  const [word, rest] = firstWord(given);
  if (NO.has(word)) return { isYes: false, reason: rest };
  return YES.has(word) && POLITE.test(rest) ? { isYes: true } : undefined;
}

/** The first word without case and punctuation, and what stands behind it. */
export function firstWord(given: string): readonly [word: string, rest: string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(given) ?? [];
  return [word.toLowerCase().replace(/(?<=\w)[.,;:!]+$/, ""), rest.trim()];
}

export type ReviewAnswer = "approve" | "refuse" | "later" | "quit";

/** The answer to "may this hook run"; nothing if it is none. `isAbsent`: it is gone, and cannot be refused. */
export function reviewAnswer(given: string, isAbsent: boolean): ReviewAnswer | undefined {
  const [word, rest] = firstWord(given);
  const isPolite = YES.has(word) && POLITE.test(rest);
  if (rest !== "" && !isPolite && `${word} ${rest}`.toLowerCase() !== "not now") return undefined;
  if (word === "q" || word === "quit") return "quit";
  if (!isAbsent && ["r", "refuse", "never"].includes(word)) return "refuse";
  const answer = word === "not" ? yesOrNo("n") : yesOrNo(word);
  return answer && (answer.isYes ? "approve" : "later");
}

export interface ClearQuestion<Answer> {
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly print: (text: string) => void;
  readonly question: string;
  /** What an answer means; nothing if it is unclear. */
  readonly read: (given: string) => Answer | undefined;
  /** What to say, for those who said something else. */
  readonly hint: string;
  /** Why it is asked: `/why` shows it. */
  readonly why?: (() => readonly string[]) | undefined;
}

/** Nobody who reads the question needs more; a program that answers in a person's place would be asked for ever. */
const MOST_TIMES = 20;

/** Asks until the answer is clear; nothing if the person went away, or never was one. */
export async function askClearly<Answer>(options: ClearQuestion<Answer>): Promise<Answer | undefined> {
  const { ask, print, question, read, hint, why } = options;
  for (let times = 0; times < MOST_TIMES; times++) {
    const given = await ask(question);
    if (given === undefined) return undefined;
    const answer = read(given);
    if (answer !== undefined) return answer;
    if (/^\s*\/why\s*$/i.test(given)) for (const line of why?.() ?? [hint]) print(line);
    else print(given.trim().startsWith("/") ? `A question is open. ${hint}` : `That is not clear. ${hint}`);
  }
  print("That is no answer; it counts as none.");
  return undefined;
}
