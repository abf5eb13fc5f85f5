import { resolve } from "node:path";
import { type ShellReading, type ShellWord, UNKNOWN } from "../types.ts";
import { plainWord } from "./programs/changing.ts";
import { isKnownProgram, nameOf } from "./programs/claims-of.ts";
import { INLINE_CODE } from "./programs/reading-programs.ts";
import { folderOf, resolveWord } from "./resolve-word.ts";
import type { PathContext, Place } from "./types.ts";

/** A path that a command names without our knowing what happens to it. */
export interface MentionedPath extends Place {
  /** In code of another language, or as a word of a program that is not in the table. */
  readonly where: "code" | "word";
  /** The code it stands in. */
  readonly code?: string;
  readonly command: number;
}

/** What could be a path in free text: no blanks, no quotes, no operators. */
const TOKENS = /[^\s'"`;|&<>(){}=,:$*?[\]!\\\uFFFF]+/g;
const MAX_TOKENS = 2000;

/** The paths that programs of unknown doing are given, and those named literally in inline code. */
export function mentionedPaths(reading: ShellReading, context: PathContext): readonly MentionedPath[] {
  return reading.commands.flatMap((command, index) => {
    const folder = folderOf(command, context);
    const base = { ...context, folder };
    const inCode = codeOf(command.words, command.stdin?.kind === "text" ? command.stdin.text : undefined).flatMap((code) =>
      pathTokens(code).flatMap((token) =>
        resolveWord(plainWord(token, wordAt(command.words)), base).map((place) => ({
          ...place,
          where: "code" as const,
          code,
          command: index,
        })),
      ),
    );
    if (isKnownProgram(command.words) || nameOf(command.words).includes(UNKNOWN)) return inCode;
    const words = command.words.slice(1).flatMap((word) => optionValue(word, base));
    return [...inCode, ...words.map((place) => ({ ...place, where: "word" as const, command: index }))];
  });
}

/** Everything in a text that could be a path, absolute ones as they are, others in `folder`. */
export function pathsInText(text: string, { cwd, home }: PathContext): readonly string[] {
  return pathTokens(text).map((token) => (/^~(\/|$)/.test(token) ? resolve(home, `.${token.slice(1)}`) : resolve(cwd, token)));
}

function pathTokens(text: string): readonly string[] {
  return [...new Set(text.match(TOKENS) ?? [])].filter((token) => /[./]/.test(token)).slice(0, MAX_TOKENS);
}

function wordAt(words: readonly ShellWord[]): ShellWord {
  return words[0] ?? { text: "", source: "", span: { start: 0, end: 0 }, parts: [] };
}

function optionValue(word: ShellWord, base: Parameters<typeof resolveWord>[1]): readonly Place[] {
  const value = /^--?[\w-]+=(.*)$/s.exec(word.text)?.[1];
  return value === undefined
    ? word.text.startsWith("-") || !/[./~]/.test(word.text)
      ? []
      : resolveWord(word, base)
    : resolveWord(plainWord(value, word), base);
}

/** Code of another language in a command: after `-c` or `-e`, or on the stdin of an interpreter without a file. */
function codeOf(words: readonly ShellWord[], stdin: string | undefined): readonly string[] {
  const name = nameOf(words).replace(/^(python|pypy|perl|ruby|lua|php)[\d.]+$/, "$1");
  if (/^[gm]?awk$/.test(name))
    return words
      .slice(1)
      .map(({ text }) => text)
      .filter((text) => text.includes("{"));
  const options = Object.hasOwn(INLINE_CODE, name) ? INLINE_CODE[name] : undefined;
  if (!options) return [];
  const inline = words.flatMap(({ text }, at) => {
    const option = options.find((candidate) =>
      candidate.length === 2 && /^-\w+$/.test(text) ? text.endsWith(candidate.slice(1)) : text === candidate,
    );
    return option && at > 0 ? [words[at + 1]?.text ?? ""] : [];
  });
  return stdin === undefined ? inline : [...inline, stdin];
}
