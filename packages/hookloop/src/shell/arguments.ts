/**
 * Takes the words of a program and what is known of its options. Gives options, values and operands as the program itself would read them:
 * letters in one word, values attached or in the next word, options after operands, long names abbreviated.
 */

import type { Wrapper } from "./programs/started.ts";
import { type ShellWord, UNKNOWN } from "./types.ts";
import { cutWord, remembered } from "./words.ts";

/** What is known of a program's options; names without their dashes. */
export interface OptionForms {
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** Letters of options whose value, if any, is attached and takes the rest of the word: `-i.bak`. */
  readonly attached?: string;
  /** Letters whose value, if any, is a number, after which other letters follow: `-0777pi`. If also in `valued`, it may be the next word. */
  readonly counted?: string;
  /** Long options that take the next two words. */
  readonly twoValued?: readonly string[];
  /** Letters of options without a value; needed only with `isComplete`. */
  readonly flags?: string;
  readonly longFlags?: readonly string[];
  /** The lists are complete: an option in none of them is reported as unknown, and the rest of its word is not read. */
  readonly isComplete?: true;
  /** Letters may also follow a `+`. */
  readonly hasPlus?: true;
  /** Long options are written with one dash. */
  readonly singleDash?: true;
  /** The first word may be letters without a dash, whose values follow in their order: `tar xzf a.tar`. */
  readonly bareFirst?: true;
  /** After the first operand everything is one: `git config name --get` sets the name to `--get`. */
  readonly stopsAtOperand?: true;
  /** After one of these options everything is an operand. */
  readonly lastOptions?: readonly string[];
  /** The program knows no abbreviated names. */
  readonly exactLong?: true;
}

/**
 * The options of a program as its row in a table writes them: `-ab` letters without a value, `-ab:` with one, `-ab?` with one that can only be
 * attached, `-ab#` with a number, `-` a lone dash; `--name`, `--name:`, `--name::` long options without a value, with one, with two. Words
 * without a dash say how they are read: `exact`, `single-dash`, `bare-first`, `stops-at-operand`.
 */
export const formsIn: (options: string) => OptionForms = remembered((options) => {
  const words = options.split(" ").filter(Boolean);
  const letters = (mark: RegExp): string =>
    words.flatMap((word) => (/^-[^-]/.test(word) && mark.test(word) ? [word.slice(1).replace(/[:?#]$/, "")] : [])).join("");
  const long = (mark: RegExp): readonly string[] =>
    words.flatMap((word) => (word.startsWith("--") && mark.test(word) ? [word.slice(2).replace(/:+$/, "")] : []));
  return {
    flags: letters(/[^:?#]$/) + (words.includes("-") ? "-" : ""),
    valued: letters(/:$/),
    attached: letters(/\?$/),
    counted: letters(/#$/),
    longFlags: long(/[^:]$/),
    longValued: long(/[^:]:$/),
    twoValued: long(/::$/),
    ...(words.includes("exact") && { exactLong: true }),
    ...(words.includes("single-dash") && { singleDash: true }),
    ...(words.includes("bare-first") && { bareFirst: true }),
    ...(words.includes("stops-at-operand") && { stopsAtOperand: true }),
  };
});

/** An option as given: `-f`, `--force`, `-auto-approve`. */
export interface GivenOption {
  /** With its dashes; an abbreviation of an option with a value stands for each option it may mean. */
  readonly name: string;
  readonly value?: ShellWord | undefined;
  readonly word: ShellWord;
  /** The name as it stands in the word, where `name` is what it is short for. */
  readonly written?: string;
  /** A word of several letters as a whole: `-auto-approve` is one option to some programs and letters to others, so both are given. */
  readonly isWhole?: true;
  /** It is a name that the program has, not the start of one. */
  readonly isExact?: true;
  /** It follows a part of the word that only the running shell knows: it may be a value. */
  readonly isDoubtful?: true;
}

/** The words after a program's name, sorted. */
export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly ShellWord[];
  /** Operands that came after `--`. */
  readonly afterDashes: readonly ShellWord[];
  /** The last option that is in none of the lists, if they are complete: what follows may be its value. */
  readonly unknown?: string | undefined;
}

/** Splits the words after a program's name into options, their values, and operands. */
export function readArguments(words: readonly ShellWord[], forms: OptionForms): Arguments {
  const options: GivenOption[] = [];
  const operands: ShellWord[] = [];
  let unknown: string | undefined;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const isStopped = (forms.stopsAtOperand && operands.length > 0) || forms.lastOptions?.some((name) => isNamed(options.at(-1), name));
    if (isStopped) return { options, operands: [...operands, ...words.slice(at)], afterDashes: [], unknown };
    if (word.text === "--") {
      const afterDashes = words.slice(at + 1);
      return { options, operands: [...operands, ...afterDashes], afterDashes, unknown };
    }
    const found = optionsAt(at, words, forms);
    if (!found) operands.push(word);
    else {
      unknown = found.unknown ?? unknown;
      at = keepOptions(found, at, words, options);
    }
  }
  return { options, operands, afterDashes: [], unknown };
}

/** Notes the options of one word; gives the index of the last word that they took. */
function keepOptions({ names }: OptionWord, at: number, words: readonly ShellWord[], options: GivenOption[]): number {
  const word = words[at] as ShellWord;
  let last = at;
  for (const { value: where, isSameWord, ...given } of names) {
    const isNext = where === "next" || where === "next two";
    if (isNext && !(isSameWord && last > at)) last++;
    const value = isNext ? words[last] : where === "none" ? undefined : cutWord(word, where);
    if (where === "next two") last++;
    options.push({ ...given, word, ...(value && { value }) });
  }
  return last;
}

interface OptionWord {
  readonly names: readonly OptionName[];
  readonly unknown?: string | undefined;
}

interface OptionName extends Pick<GivenOption, "name" | "written" | "isWhole" | "isExact" | "isDoubtful"> {
  /** Where the value stands: the length of what is before it in the same word, the next word, or nowhere. */
  readonly value: number | "next" | "next two" | "none";
  /** Another name for the same word: they share the value. */
  readonly isSameWord?: true;
}

/** The options of one word; undefined if it is an operand. */
function optionsAt(at: number, words: readonly ShellWord[], forms: OptionForms): OptionWord | undefined {
  const text = words[at]?.text ?? "";
  if (text.startsWith("--")) return longOptions(text, "--", forms);
  if (forms.singleDash && /^-../.test(text)) return longOptions(text, "-", forms);
  if (text === "-" && forms.flags?.includes("-")) return { names: [{ name: "-", value: "none" }] };
  if (/^-./.test(text) || (forms.hasPlus && /^\+./.test(text))) return shortOptions(text, words[at + 1]?.text, forms);
  if (at !== 1 || !forms.bareFirst || !/^[A-Za-z]+$/.test(text)) return undefined;
  return { names: [...text].map((letter) => ({ name: `-${letter}`, value: forms.valued?.includes(letter) ? "next" : "none" })) };
}

const NUMBER = /^(?:x[\da-f]+|\d+)/i;

/** The letters of one word, and the word as a whole. */
function shortOptions(text: string, next: string | undefined, forms: OptionForms): OptionWord {
  const names: OptionName[] = text.length > 2 ? [wholeWord(text)] : [];
  let isDoubtful = false;
  for (let at = 1; at < text.length && text[at] !== "="; at++) {
    const letter = text.charAt(at);
    const value = valueAt(text, at, next, forms);
    names.push({ name: `-${letter}`, value, ...(isDoubtful && { isDoubtful }) });
    if (forms.counted?.includes(letter)) at += NUMBER.exec(text.slice(at + 1))?.[0].length ?? 0;
    else if (value !== "none" || forms.attached?.includes(letter)) return { names };
    else if (forms.isComplete && !forms.flags?.includes(letter)) return { names, unknown: `-${letter}` };
    isDoubtful ||= letter === UNKNOWN;
  }
  return { names };
}

/** Where the value of the letter at `at` stands. */
function valueAt(text: string, at: number, next: string | undefined, { valued, attached, counted }: OptionForms): OptionName["value"] {
  const letter = text.charAt(at);
  const isLast = at === text.length - 1;
  if (counted?.includes(letter)) return isLast && valued?.includes(letter) && /^\d+$/.test(next ?? "") ? "next" : "none";
  if (attached?.includes(letter)) return isLast ? "none" : at + 1;
  return valued?.includes(letter) ? (isLast ? "next" : at + 1) : "none";
}

function wholeWord(text: string): OptionName {
  const equals = text.indexOf("=");
  return { name: equals === -1 ? text : text.slice(0, equals), value: equals === -1 ? "none" : equals + 1, isWhole: true };
}

/** A long option under each name that it may be short for. */
function longOptions(text: string, dashes: "-" | "--", forms: OptionForms): OptionWord {
  const { longValued = [], longFlags = [], twoValued = [], exactLong, isComplete } = forms;
  const equals = text.indexOf("=");
  const name = text.slice(dashes.length, equals === -1 ? undefined : equals);
  if (twoValued.includes(name)) return { names: [{ name: dashes + name, value: "next two" }] };
  const known = isComplete ? [...longValued, ...longFlags] : longValued;
  const isExact = longValued.includes(name) || longFlags.includes(name);
  const full = isExact || exactLong || (isComplete && dashes === "-") ? [] : known.filter((one) => one.startsWith(name));
  // `--outp` is `--output`, also where there is an `--output-dir`.
  const shortest = full.find((one) => full.every((other) => other.startsWith(one)));
  const meant = shortest === undefined ? (full.length > 0 && !isComplete ? full : [name]) : [shortest];
  const isKnown = isExact || shortest !== undefined || (equals !== -1 && dashes === "--");
  return {
    names: meant.map((one) => ({
      name: dashes + one,
      ...(one !== name && { written: dashes + name }),
      isSameWord: true,
      ...(isExact && { isExact }),
      value: equals !== -1 ? equals + 1 : longValued.includes(one) ? "next" : "none",
    })),
    ...(isComplete && !isKnown && { unknown: `--${name}` }),
  };
}

/** The last option of these names that was given; long names also abbreviated, down to `shortest` characters. Names may be written without dashes. */
export function findOption(
  { options }: Pick<Arguments, "options">,
  names: readonly string[],
  shortest: number = "--x".length,
): GivenOption | undefined {
  return options.findLast((option) => names.some((name) => isNamed(option, name) || isAbbreviation(option, name, shortest)));
}

function isNamed(option: GivenOption | undefined, name: string): boolean {
  return option?.name === withDashes(name);
}

function withDashes(name: string): string {
  return name.startsWith("-") ? name : name.length === 1 ? `-${name}` : `--${name}`;
}

function isAbbreviation({ name, written = name }: GivenOption, wanted: string, shortest: number): boolean {
  return written.length >= shortest && written.startsWith("--") && withDashes(wanted).startsWith(written);
}

/** Whether one of the options was given, as a letter, or by its long name or the start of it. */
export function hasAny(read: Pick<Arguments, "options">, names: readonly string[]): boolean {
  return findOption(read, names) !== undefined;
}

/** As `hasAny`, and if a word of letters is not known: for what an option changes. */
export function mayHave(read: Arguments, names: readonly string[]): boolean {
  return hasAny(read, names) || read.options.some(({ name }) => name === `-${UNKNOWN}` || name === `--${UNKNOWN}`);
}

/** The values of options, in the order of the names; long names also abbreviated. */
export function valuesOf({ options }: Pick<Arguments, "options">, names: readonly string[]): readonly ShellWord[] {
  return names.flatMap((name) =>
    options.flatMap((option) => (option.value && (isNamed(option, name) || isStartOf(option, name)) ? [option.value] : [])),
  );
}

function isStartOf(option: GivenOption, name: string): boolean {
  return option.isExact !== true && option.written === undefined && isAbbreviation(option, name, "--xx".length);
}

/** What the options of a program that starts another say, and what follows them. */
export interface Options extends Pick<Arguments, "unknown"> {
  readonly rest: readonly ShellWord[];
  /** Letters that were given. */
  readonly letters: string;
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, ShellWord>;
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  /** Letters and long names, without their dashes. */
  readonly given: readonly string[];
}

/** To a program any name is one: `env 'a-b=1' rm x` runs rm, and `BASH_FUNC_ls%%=…` is a function. */
const ASSIGNMENT = /^([^=]*)=/s;

/** Reads the options after a wrapper's name, its assignments and its operands. */
export function readOptions(words: readonly ShellWord[], wrapper: Wrapper): Options {
  const isFirstOperand = wrapper.hasFirstOperand && words[1] !== undefined && !words[1].text.startsWith("-");
  const { options, operands, unknown } = readArguments(isFirstOperand ? words.slice(1) : words, {
    ...formsIn(wrapper.options ?? ""),
    isComplete: true,
    hasPlus: true,
    ...(!wrapper.permutes && { stopsAtOperand: true }),
    ...(wrapper.split && { lastOptions: wrapper.split }),
  });
  const named = options.flatMap(({ name, value, isWhole }) => (isWhole ? [] : [{ name: name.replace(/^--?(?=.)/, ""), value }]));
  const assignments = wrapper.assignments ? leadingAssignments(operands) : [];
  return {
    rest: operands.slice(assignments.length + (wrapper.operands ?? 0)),
    letters: named.map(({ name }) => (name.length === 1 ? name : "")).join(""),
    values: new Map(named.flatMap(({ name, value }) => (value ? [[name, value]] : []))),
    assignments,
    // SECURITY: what an abbreviation is short for is not certain enough to let it pass.
    given: options.flatMap(({ name, written = name, isWhole }) => (isWhole ? [] : [written.replace(/^--?(?=.)/, "")])),
    unknown,
  };
}

function leadingAssignments(words: readonly ShellWord[]): Options["assignments"] {
  const end = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  return words.slice(0, end === -1 ? undefined : end).map((word) => {
    const name = ASSIGNMENT.exec(word.text)?.[1] ?? "";
    return { name, value: cutWord(word, name.length + 1) };
  });
}

const VERSIONED = /^(python|pypy|ipython|node|perl|ruby|php|pip|lua|bash|zsh|ksh)[\d.]+(?:w|js)?$/;
/** Programs by the other names that they, or ones just like them, have. */
const OTHER_NAMES = {
  node: "nodejs tsx ts-node",
  awk: "gawk mawk nawk original-awk bwk igawk goawk frawk",
  lua: "luajit",
  mkfs: "newfs mkntfs mkdosfs",
  dd: "dcfldd dc3dd",
  python: "pypy ipython py",
  docker: "podman nerdctl",
  terraform: "tofu",
  kubectl: "oc",
  npm: "pnpm bun",
  find: "gfind",
  rm: "grm",
  git: "ggit hub",
  mysql: "mariadb",
  "redis-cli": "valkey-cli",
  mongosh: "mongo",
};
const SAME_AS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([program, names]) => names.split(" ").map((name) => [name, program] as const)),
);

/** The name by which rules know a program. */
export function programOf(word: ShellWord | undefined): string {
  const source = word?.source ?? "";
  // Other shells keep the backslashes of `C:\tools\git.exe`.
  const text = /^[A-Za-z]:\\\w/.test(source) ? source : (word?.text ?? "");
  const name = text
    .replace(/^\.\\(?=\w)/, "")
    .slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const plain = name.replace(/\.(?:exe|cmd|bat)$/, "").replace(/^(?:mkfs|newfs)[._].*$/, "mkfs");
  const base = VERSIONED.exec(plain)?.[1] ?? plain;
  return SAME_AS.get(base) ?? base;
}

/** `\x72`, `\u{72}`, `\162` and other ways in which languages write a character; what is left of `\c` a shell reads by itself. */
const ESCAPE =
  /\\(?:x\{([\da-f]{1,6})\}|u\{([\da-f]{1,6})\}|x([\da-f]{1,2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{1,3})|([abefnrtv])|(["'`\\/]))/gi;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\n", t: "\t", v: " ", f: " ", a: "", b: "", e: "" };
const LAST_CHARACTER = 0x10ffff;

/** The text of a literal of another language, without its quotes. */
export function unescapeLiteral(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, ...groups: readonly (string | undefined)[]) => {
    const [long, point, hex, short, wide, octal, letter, itself] = groups;
    if (itself !== undefined) return itself;
    if (letter !== undefined) return LETTERS[letter.toLowerCase()] ?? "";
    const code = octal === undefined ? Number.parseInt(long ?? point ?? hex ?? short ?? wide ?? "0", 16) : Number.parseInt(octal, 8);
    return code > LAST_CHARACTER ? "" : String.fromCodePoint(code);
  });
}
