import { type ShellWord, UNKNOWN } from "../types.ts";

/** An option as given: `-f`, `--force`, `-auto-approve`. */
export interface GivenOption {
  readonly name: string;
  readonly value?: string | undefined;
  readonly word: ShellWord;
}

/** The words after a program's name, sorted. */
export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly ShellWord[];
  /** Operands that came after `--`. */
  readonly afterDashes: readonly ShellWord[];
  readonly hasDashes: boolean;
}

/** Sorts words into options and operands. `valued`: options that take the next word, as `-C --git-dir`. */
export function readArguments(words: readonly ShellWord[], valued: ReadonlySet<string>): Arguments {
  const options: GivenOption[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const { text } = word;
    if (text === "--") {
      const afterDashes = words.slice(at + 1);
      return { options, operands: [...operands, ...afterDashes], afterDashes, hasDashes: true };
    }
    if (text.length < 2 || text[0] !== "-") operands.push(word);
    else if (takesNext(readOption(word, valued, options), valued)) {
      const last = options.pop() as GivenOption;
      options.push({ ...last, value: words[++at]?.text });
    }
  }
  return { options, operands, afterDashes: [], hasDashes: false };
}

function takesNext(last: GivenOption | undefined, valued: ReadonlySet<string>): boolean {
  return last !== undefined && last.value === undefined && valued.has(last.name);
}

/** Adds the option or options of a word; gives the last one. */
function readOption(word: ShellWord, valued: ReadonlySet<string>, options: GivenOption[]): GivenOption | undefined {
  const { text } = word;
  const equals = text.indexOf("=");
  const head = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? undefined : text.slice(equals + 1);
  if (text.startsWith("--")) options.push({ name: head.toLowerCase(), value, word });
  else {
    // `-auto-approve` is one option to some programs and letters to others: both are noted.
    if (head.length > 2) options.push({ name: head.toLowerCase(), value: value ?? "", word });
    if (head.length > 2 && valued.has(head)) options.push({ name: head, value, word });
    else readLetters(word, valued, options);
  }
  return options.at(-1);
}

function readLetters(word: ShellWord, valued: ReadonlySet<string>, options: GivenOption[]): void {
  const { text } = word;
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const rest = text.slice(at + 1);
    if (valued.has(name) && rest !== "") {
      options.push({ name, value: rest, word });
      return;
    }
    if (text[at] === "=" || text[at] === UNKNOWN) return;
    options.push({ name, value: undefined, word });
  }
}

/** The last option of these names that was given; long names also abbreviated, down to `shortest` characters. */
export function findOption({ options }: Arguments, names: readonly string[], shortest = 3): GivenOption | undefined {
  return options.findLast(({ name }) => names.some((wanted) => name === wanted || isAbbreviation(name, wanted, shortest)));
}

function isAbbreviation(given: string, wanted: string, shortest: number): boolean {
  return given.length >= shortest && given.startsWith("--") && given.length < wanted.length && wanted.startsWith(given);
}
