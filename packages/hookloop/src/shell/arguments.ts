/**
 * Takes the words of a program and what is known of its options. Gives options, values and operands as the program itself would read them:
 * letters in one word, values attached or in the next word, options after operands, long names abbreviated.
 */

import { type ShellWord, UNKNOWN } from "./types.ts";
import { cutWord } from "./words.ts";

/** Which options of a program take a value. */
export interface OptionForms {
  /** Letters of options with a value, attached or in the next word. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** Letters of options whose value, if any, is attached and goes on to the end of the word: `-i.bak`. */
  readonly attached?: string;
  /** Letters whose value, if any, is a number, after which other letters go on: `-0777pi`. If also in `valued`, it may be the next word. */
  readonly counted?: string;
  /** The first word may be letters without a dash, whose values follow in their order: `tar xzf a.tar`. */
  readonly bareFirst?: true;
  /** After the first operand everything is one: `git config name --get` sets the name to `--get`. */
  readonly stopsAtOperand?: true;
  /** The program knows no abbreviated names. */
  readonly exactLong?: true;
}

export interface Arguments {
  readonly operands: readonly ShellWord[];
  /** Values by letter or long name. */
  readonly values: ReadonlyMap<string, readonly ShellWord[]>;
  /** Letters and long names that were given. What only the running shell knows of a word of letters is `UNKNOWN`: it may be any. */
  readonly given: ReadonlySet<string>;
  /** Long names as they were written, which may be the start of others. */
  readonly written: ReadonlySet<string>;
}

/** Splits the words after a program's name into options, their values, and operands. */
export function readArguments(words: readonly ShellWord[], forms: OptionForms): Arguments {
  const operands: ShellWord[] = [];
  const values = new Map<string, ShellWord[]>();
  const given = new Set<string>();
  const written = new Set<string>();
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const isStopped = forms.stopsAtOperand === true && operands.length > 0;
    if (word.text === "--" || isStopped) {
      operands.push(...words.slice(isStopped ? at : at + 1));
      break;
    }
    const options = optionsAt(at, words, forms);
    if (!options) operands.push(word);
    else {
      if (word.text.startsWith("--")) written.add(word.text.slice(2).replace(/=.*/s, ""));
      at = keepOptions(options, at, words, { values, given });
    }
  }
  return { operands, values, given, written };
}

/** Notes the options of one word; gives where the last word that they took stands. */
function keepOptions(
  options: readonly OptionName[],
  at: number,
  words: readonly ShellWord[],
  { values, given }: { readonly values: Map<string, ShellWord[]>; readonly given: Set<string> },
): number {
  let last = at;
  for (const { name, value, isSameWord } of options) {
    given.add(name);
    if (value === "next" && !(isSameWord && last > at)) last++;
    const found = value === "next" ? words[last] : value === "none" ? undefined : cutWord(words[at] as ShellWord, value);
    if (found) values.set(name, [...(values.get(name) ?? []), found]);
  }
  return last;
}

/** The options of one word; undefined if it is an operand. */
function optionsAt(at: number, words: readonly ShellWord[], forms: OptionForms): readonly OptionName[] | undefined {
  const text = words[at]?.text ?? "";
  if (text.startsWith("--")) return longOptions(text, forms);
  if (text.startsWith("-") && text !== "-") return shortOptions(text, words[at + 1]?.text, forms);
  if (at !== 1 || !forms.bareFirst || !/^[A-Za-z]+$/.test(text)) return undefined;
  return [...text].map((name) => ({ name, value: forms.valued?.includes(name) ? "next" : "none" }));
}

interface OptionName {
  readonly name: string;
  /** Where the value stands: the length of what is before it in the same word, the next word, or nowhere. */
  readonly value: number | "next" | "none";
  /** Another name for the same word: they share the value. */
  readonly isSameWord?: true;
}

const NUMBER = /^(?:x[\da-f]+|\d+)/i;

/** The letters of one word. */
function shortOptions(text: string, next: string | undefined, { valued = "", attached = "", counted = "" }: OptionForms): OptionName[] {
  const options: OptionName[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = text.charAt(at);
    const isLast = at === text.length - 1;
    if (counted.includes(name)) {
      const takesNext = isLast && valued.includes(name) && /^\d+$/.test(next ?? "");
      options.push({ name, value: takesNext ? "next" : "none" });
      at += NUMBER.exec(text.slice(at + 1))?.[0].length ?? 0;
    } else if (attached.includes(name)) return [...options, { name, value: isLast ? "none" : at + 1 }];
    else if (valued.includes(name)) return [...options, { name, value: isLast ? "next" : at + 1 }];
    else options.push({ name, value: "none" });
  }
  return options;
}

/** A long option under each name that it may be short for. */
function longOptions(text: string, { longValued = [], exactLong }: OptionForms): readonly OptionName[] {
  const equals = text.indexOf("=");
  const name = text.slice(2, equals === -1 ? undefined : equals);
  const full = longValued.includes(name) || exactLong ? [] : longValued.filter((one) => one.startsWith(name));
  // `--outp` is `--output`, also where there is an `--output-dir`.
  const shortest = full.find((one) => full.every((other) => other.startsWith(one)));
  const names = shortest === undefined ? (full.length > 0 ? full : [name]) : [shortest];
  return names.map((one) => ({
    name: one,
    isSameWord: true,
    value: equals !== -1 ? equals + 1 : longValued.includes(one) ? "next" : "none",
  }));
}

/** Whether one of the options was given, as a letter, or by its long name or the start of it. */
export function hasAny({ given, written }: Arguments, names: readonly string[]): boolean {
  return names.some((name) => given.has(name) || (name.length > 1 && [...written].some((start) => start !== "" && name.startsWith(start))));
}

/** As `hasAny`, and if a word of letters is not known: for what an option changes. */
export function mayHave(read: Arguments, names: readonly string[]): boolean {
  return hasAny(read, names) || read.given.has(UNKNOWN);
}

/** The values of options, all names together. */
export function valuesOf({ values }: Arguments, names: readonly string[]): readonly ShellWord[] {
  return names.flatMap((name) => values.get(name) ?? []);
}

const VERSIONED = /^(python|pypy|ipython|node|perl|ruby|php|pip|lua|bash|zsh|ksh)[\d.]+(?:w|js)?$/;
const SAME_AS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  nodejs: "node",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  "original-awk": "awk",
  bwk: "awk",
  igawk: "awk",
  goawk: "awk",
  frawk: "awk",
  luajit: "lua",
  newfs: "mkfs",
  mkntfs: "mkfs",
  mkdosfs: "mkfs",
  dcfldd: "dd",
  dc3dd: "dd",
  pypy: "python",
  ipython: "python",
  tsx: "node",
  "ts-node": "node",
  py: "python",
  podman: "docker",
  nerdctl: "docker",
  tofu: "terraform",
  oc: "kubectl",
  pnpm: "npm",
  bun: "npm",
  gfind: "find",
  grm: "rm",
  ggit: "git",
  hub: "git",
  mariadb: "mysql",
  "valkey-cli": "redis-cli",
  mongo: "mongosh",
});

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
  return SAME_AS[base] ?? base;
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
