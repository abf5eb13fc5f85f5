import type { ShellWord } from "./types.ts";
import type { Wrapper } from "./wrappers.ts";

/** What the options of a wrapper say, and what follows them. */
export interface Options {
  readonly rest: readonly ShellWord[];
  /** Letters that were given. */
  readonly letters: string;
  /** The value of the option that is split into words. */
  readonly split?: ShellWord | undefined;
  /** An option we do not know: what follows may be its value. */
  readonly unknown?: string | undefined;
}

interface State {
  at: number;
  letters: string;
  split?: ShellWord | undefined;
  unknown?: string | undefined;
}

const ASSIGNMENT = /^\w+\+?=/;

/** Reads the options after a wrapper's name, its assignments and its operands. */
export function readOptions(words: readonly ShellWord[], wrapper: Wrapper): Options {
  const state: State = { at: 1, letters: "" };
  while (state.at < words.length && !state.split) {
    const text = words[state.at]?.text ?? "";
    if (text === "--") {
      state.at++;
      break;
    }
    if (text.startsWith("--")) readLong(words, wrapper, state);
    else if (/^[-+]./.test(text) || (text === "-" && wrapper.flags?.includes("-"))) readLetters(words, wrapper, state);
    else break;
  }
  while (wrapper.assignments && ASSIGNMENT.test(words[state.at]?.text ?? "")) state.at++;
  const { at, ...found } = state;
  return { ...found, rest: words.slice(at + (wrapper.operands ?? 0)) };
}

function readLong(words: readonly ShellWord[], wrapper: Wrapper, state: State): void {
  const word = words[state.at++];
  const [name = "", value] = (word?.text.slice(2) ?? "").split(/=(.*)/s);
  if (wrapper.longValued?.includes(name)) {
    const given = value === undefined ? words[state.at++] : { text: value, source: value };
    if (name === wrapper.split?.long) state.split = given;
  } else if (!wrapper.longFlags?.includes(name)) state.unknown = `--${name}`;
}

function readLetters(words: readonly ShellWord[], wrapper: Wrapper, state: State): void {
  const text = words[state.at++]?.text ?? "";
  for (let index = 1; index < text.length; index++) {
    const letter = text.charAt(index);
    state.letters += letter;
    if (wrapper.attached?.includes(letter)) return;
    if (wrapper.valued?.includes(letter)) {
      const attached = text.slice(index + 1);
      const value = attached === "" ? words[state.at++] : { text: attached, source: attached };
      if (letter === wrapper.split?.letter) state.split = value;
      return;
    }
    if (!wrapper.flags?.includes(letter)) {
      state.unknown = `-${letter}`;
      return;
    }
  }
}
