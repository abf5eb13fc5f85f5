import type { ShellWord } from "../types.ts";
import { cutWord } from "../words/cut-word.ts";
import { textWord } from "../words/read-word.ts";
import type { Wrapper } from "./wrapper.ts";

/** What the options of a wrapper say, and what follows them. */
export interface Options {
  readonly rest: readonly ShellWord[];
  /** Letters that were given. */
  readonly letters: string;
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, ShellWord>;
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  /** The value of the option that is split into words. */
  readonly split?: ShellWord | undefined;
  /** An option we do not know: what follows may be its value. */
  readonly unknown?: string | undefined;
  /** Letters and long names, as they were written. */
  readonly given: readonly string[];
}

interface State {
  at: number;
  letters: string;
  readonly values: Map<string, ShellWord>;
  split?: ShellWord | undefined;
  unknown?: string | undefined;
  readonly given: string[];
}

/** To a program any name is one: `env 'a-b=1' rm x` runs rm, and `BASH_FUNC_ls%%=…` is a function. */
const ASSIGNMENT = /^([^=]*)=(.*)$/s;

/** Reads the options after a wrapper's name, its assignments and its operands. */
export function readOptions(words: readonly ShellWord[], wrapper: Wrapper): Options {
  const state: State = { at: firstOption(words, wrapper), letters: "", values: new Map(), given: [] };
  const operands: ShellWord[] = [];
  while (state.at < words.length && !state.split) {
    const text = words[state.at]?.text ?? "";
    if (text === "--") {
      state.at++;
      break;
    }
    if (text.startsWith("--")) readLong(words, wrapper, state, 2);
    else if (wrapper.singleDash && /^-../.test(text)) readLong(words, wrapper, state, 1);
    else if (/^[-+]./.test(text) || (text === "-" && wrapper.flags?.includes("-"))) readLetters(words, wrapper, state);
    else if (wrapper.permutes) operands.push(words[state.at++] as ShellWord);
    else break;
  }
  const assignments = wrapper.assignments ? readAssignments(words, state) : [];
  const { at, ...found } = state;
  const rest = [...operands, ...words.slice(at)];
  return { ...found, assignments, rest: rest.slice(wrapper.operands ?? 0) };
}

function firstOption(words: readonly ShellWord[], { hasFirstOperand }: Wrapper): number {
  return hasFirstOperand && words[1] !== undefined && !words[1].text.startsWith("-") ? 2 : 1;
}

function readAssignments(words: readonly ShellWord[], state: State): Options["assignments"] {
  const assignments: { name: string; value: ShellWord }[] = [];
  for (;;) {
    const word = words[state.at];
    const [, name, value] = ASSIGNMENT.exec(word?.text ?? "") ?? [];
    if (!word || name === undefined || value === undefined) return assignments;
    assignments.push({ name, value: cutWord(word, name.length + 1) });
    state.at++;
  }
}

function readLong(words: readonly ShellWord[], wrapper: Wrapper, state: State, dashes: number): void {
  const word = words[state.at++];
  const [name = "", value] = (word?.text.slice(dashes) ?? "").split(/=(.*)/s);
  state.given.push(name);
  if (wrapper.twoValued?.includes(name)) state.at += 2;
  else if (wrapper.longValued?.includes(name)) {
    const given = value === undefined || !word ? words[state.at++] : textWord(value, word.span, word.source);
    if (given) state.values.set(name, given);
    if (name === wrapper.split?.long) state.split = given;
  } else if (!wrapper.longFlags?.includes(name) && (value === undefined || dashes === 1)) state.unknown = `--${name}`;
}

function readLetters(words: readonly ShellWord[], wrapper: Wrapper, state: State): void {
  const word = words[state.at++];
  const text = word?.text ?? "";
  if (text === "-") state.letters += "-";
  for (let index = 1; index < text.length; index++) {
    const letter = text.charAt(index);
    state.letters += letter;
    state.given.push(letter);
    if (wrapper.attached?.includes(letter)) return;
    if (wrapper.valued?.includes(letter)) {
      const attached = text.slice(index + 1);
      const value = attached === "" || !word ? words[state.at++] : textWord(attached, word.span, word.source);
      if (value) state.values.set(letter, value);
      if (letter === wrapper.split?.letter) state.split = value;
      return;
    }
    if (!wrapper.flags?.includes(letter)) {
      state.unknown = `-${letter}`;
      return;
    }
  }
}
