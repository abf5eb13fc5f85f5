/**
 * Takes what a shell command would run. Gives the paths that stand in its words and in the code it is given, without our knowing what happens
 * to them: programs write files by options that no table lists, and many have a little language that does (`sqlite3 x ".output file"`).
 */

import { resolve } from "node:path";
import { programOf as programName } from "../arguments.ts";
import { withJoinedLiterals } from "../programs/foreign-code.ts";
import { codeOptions, isKnownTo } from "../programs/program.ts";
import { takesOnlyData } from "../script/simple-command.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../types.ts";
import { OUTPUT_VARIABLE, remembered, rememberedReading } from "../words.ts";
import { folderOf, NO_WORD, type PathContext, type Place, plainWord, resolveWord } from "./claims.ts";
import { claimsOf, nameOf, programOf } from "./claims-of.ts";
import { runsModule } from "./reading.ts";
import { secondNames, withSecondNames } from "./touched-paths.ts";

/** A path that a command names without our knowing what happens to it. */
export interface MentionedPath extends Place {
  /** In code of a programming language, in a text for another program, as the value of an option that says where output goes, or as another word. */
  readonly where: "code" | "text" | "output" | "word";
  /** The code or text it stands in, or that is given it as an argument. */
  readonly code?: string;
  /** As it stands in the code. */
  readonly token?: string;
  readonly isArgument?: true;
  /** Of which it seems to be the value. */
  readonly option?: string;
  /** The variable before the command that says it. */
  readonly variable?: string;
  /** It stands in the address of something elsewhere. */
  readonly isAddress?: true;
  /** The code is shell text, which is also read as such. */
  readonly language?: "shell";
  readonly command: number;
}

/** What could be a path in free text: no blanks, no quotes, no operators. */
const TOKENS = /[^\s'"`;|&<>(){}=,:$*?[\]!\\\uFFFF]+/g;
const MAX_TOKENS = 2000;
/** Options whose values are what to leave out, or text for the user. */
const HARMLESS_OPTION =
  /^--?(?:[\w-]*(?:exclude|ignore|skip)[\w-]*|include|filter|prune|body|title|message|comment|notes?|description|reason|subject|text|grep|pattern|regexp?|match|header)(?:-\w+)*$/i;

/** Options that seem to say where something is written. */
const OUTPUT_OPTION =
  /^-{1,2}(?:[oOwEL]|M[FJ]|[\w-]*(?:out|log|save|dump|write|trace|dest|target|backup|batch|record|report|export|result|junit|marks|index|stderr|dir)[\w-]*)$/i;

/** The paths that programs are given without our knowing what for, and those named literally in code. */
export function mentionedPaths(reading: ShellReading, context: PathContext): readonly MentionedPath[] {
  return withSecondNames(mentionedByName(reading, context), secondNames(reading, context));
}

const mentionedByName = rememberedReading((reading: ShellReading, context: PathContext): readonly MentionedPath[] => {
  return reading.commands.flatMap((command, index) => {
    const base = { ...context, folder: folderOf(command, context) };
    const { where, texts, given = [], language } = codeOf(command);
    const shared = { where, ...(language && { language }) };
    const inTexts = [...new Set([...texts, ...texts.map(withJoinedLiterals)])].flatMap((code) =>
      tokensOf(code, command).flatMap((token) => placesOf(token, command, base, { ...shared, code, token })),
    );
    // `D=.git/hooks node -e '…process.env.D…'`: code is given its variables too.
    const variables = where === "code" && texts.length > 0 && !language ? command.assignments.map(({ value }) => value) : [];
    const inArguments = [...given, ...variables, ...inputWords(command, texts)]
      .flatMap(withValue)
      .flatMap((word) =>
        resolveWord(word, base).map((place): Found => ({ ...place, where: "code", code: texts.join("\n"), isArgument: true })),
      );
    const inCode = [...inTexts, ...inArguments];
    if (nameOf(command.words).includes(UNKNOWN)) return inCode.map((found) => ({ ...found, command: index }));
    const inWords = freeWords(command, texts).flatMap(({ word, option }) => wordPlaces(word, option, command, base));
    const inVariables = command.assignments.flatMap(({ name, value }): readonly Found[] =>
      OUTPUT_VARIABLE.test(name) ? resolveWord(value, base).map((place) => ({ ...place, where: "output", variable: name })) : [],
    );
    return [...inCode, ...inWords, ...inVariables].map((found) => ({ ...found, command: index }));
  });
});

/** `f=FILE` and `--name=FILE`: code may take what is behind the sign. */
function withValue(word: ShellWord): readonly ShellWord[] {
  const value = /^-{0,2}\w[\w-]*=(.+)$/s.exec(word.text)?.[1];
  return value === undefined ? [word] : [word, plainWord(value, word)];
}

/** Names on the input of code that stands elsewhere: `awk '{print > $1}' <<< FILE`. */
function inputWords({ stdin, words }: ShellCommand, texts: readonly string[]): readonly ShellWord[] {
  if (stdin?.kind !== "text" || texts.length === 0 || texts.includes(stdin.text)) return [];
  return (stdin.text.match(TOKENS) ?? []).slice(0, 200).map((token) => plainWord(token, words[0] ?? NO_WORD));
}

/** Code of a programming language on a line. */
export interface CodeOnLine {
  readonly program: string;
  /** All of it, with what stands on its input. */
  readonly code: string;
  /** The other words and variables of its command. */
  readonly words: readonly ShellWord[];
  readonly folder: string | undefined;
}

/** The commands that run code which stands on the line. */
export function codeOnLine(reading: ShellReading, context: PathContext): readonly CodeOnLine[] {
  return reading.commands.flatMap((command): readonly CodeOnLine[] => {
    const { where, texts, language } = codeOf(command);
    if (where !== "code" || language || texts.length === 0) return [];
    const words = command.words.slice(1).filter(({ text }) => !texts.includes(text) && !/^-[^=]*$/.test(text));
    return [
      {
        program: nameOf(command.words),
        code: texts.join("\n"),
        words: [...words, ...command.assignments.map(({ value }) => value), ...inputWords(command, texts)].flatMap(withValue),
        folder: folderOf(command, context),
      },
    ];
  });
}

/** The places that a text names; `isPattern`: it may stand for many. */
export function placesOfText(text: string, isPattern: boolean, base: Parameters<typeof resolveWord>[1]): readonly Place[] {
  const word = plainWord(text, NO_WORD);
  if (!isPattern) return resolveWord(word, base);
  const [, home = "", rest = text] = /^(~)(\/.*)$/s.exec(text) ?? [];
  const start = home === "" ? [] : [{ kind: "home", text: "~" } as const];
  const cut = /^[^*?[]*\//.exec(rest)?.[0].length ?? 0;
  const known = cut === 0 ? [] : [{ kind: "text", text: rest.slice(0, cut), isQuoted: true } as const];
  return resolveWord({ ...word, parts: [...start, ...known, { kind: "glob", text: rest.slice(cut) }] }, base);
}

/** Code and texts that commands are given, and the folder they run in. */
export function codeTexts(
  reading: ShellReading,
  context: PathContext,
): readonly { readonly code: string; readonly folder: string | undefined }[] {
  return reading.commands.flatMap((command) => codeOf(command).texts.map((code) => ({ code, folder: folderOf(command, context) })));
}

type Found = Omit<MentionedPath, "command">;
type Base = Parameters<typeof resolveWord>[1];

function placesOf(token: string, { words }: ShellCommand, base: Base, found: Omit<Found, keyof Place>): readonly Found[] {
  return resolveWord(plainWord(token, words[0] ?? NO_WORD), base).map((place) => ({ ...place, ...found }));
}

/** What could be a path in a text. Editors need no blank between a command and the name: `1w.envrc`. */
function tokensOf(code: string, { words }: ShellCommand): readonly string[] {
  const tokens = pathTokens(code);
  if (!/^(?:g?sed|r?ed|ex|n?vim?|view)$/.test(nameOf(words))) return tokens;
  return [...tokens, ...tokens.flatMap((token) => /^[\d$%]*[wWrR](.+)$/s.exec(token)?.[1] ?? [])];
}

/** The words of which nothing is known: neither what happens to them, nor that they are only read. */
function freeWords({ words }: ShellCommand, code: readonly string[]): readonly FreeWord[] {
  const program = programOf(words);
  if (program?.onlyReads) return [];
  const claimed = new Set(claimsOf(words).flatMap(({ word, source }) => [word?.span.start, source?.span.start]));
  return words.slice(1).flatMap((word, index): readonly FreeWord[] => {
    const option = optionOf(word, words[index]);
    // A word with blanks in it is a text, whatever it was taken for: `vim '+w file'`. And what follows `--log-file` was taken for an operand.
    const isDoubtful = /\s/.test(word.text) || (option !== undefined && option.length > 2 && OUTPUT_OPTION.test(option));
    if (claimed.has(word.span.start) && !isDoubtful) return [];
    const isRead = option !== undefined && program?.readOptions?.includes(option.replace(/^-+/, "")) === true;
    const isHarmless = isRead || (option !== undefined && HARMLESS_OPTION.test(option)) || code.includes(word.text);
    return isHarmless ? [] : [{ word, option }];
  });
}

interface FreeWord {
  readonly word: ShellWord;
  /** Of which it seems to be the value. */
  readonly option: string | undefined;
}

/** The option that a word is the value of: its own, or the word before it. */
function optionOf({ text }: ShellWord, before: ShellWord | undefined): string | undefined {
  const own = /^(--[\w-]+)=|^(-[A-Za-z])./.exec(text);
  if (text.startsWith("-")) return own?.[1] ?? own?.[2];
  return before && /^-{1,2}[A-Za-z][\w-]*$/.test(before.text) ? before.text : undefined;
}

/** A whole word, the value in `--out=file`, `-ofile`, `key:file`, or what stands in a text. */
function wordPlaces(word: ShellWord, option: string | undefined, command: ShellCommand, base: Base): readonly Found[] {
  const text = spelledOut(word, base);
  if (/^-[A-Za-z]/.test(text) && !/[\s=]/.test(text)) return clusterPlaces(text, word, base);
  if (/\s/.test(text)) return takesOnlyData(nameOf(command.words), command.words) ? [] : textPlaces(text, command, base);
  const isOption = text.startsWith("-");
  const isOutput = option !== undefined && option.length > 2 && OUTPUT_OPTION.test(option);
  const isOpen = word.parts.some((part) => "instead" in part);
  const whole = isOption || !(isOutput || isOpen || /[./~]/.test(text)) ? [] : resolveWord(word, base);
  const parts = (text.match(TOKENS) ?? []).flatMap((token) => (isOption ? attachedValues(token) : token === text ? [] : [token]));
  const named = parts.filter((part) => /[./~]/.test(part)).flatMap((part) => resolveWord(plainWord(part, word), base));
  const given = option === undefined || OUTPUT_OPTION.test(option) ? option : lastLetter(option);
  const where = runsModule(command.words) || (given !== undefined && OUTPUT_OPTION.test(given)) ? "output" : "word";
  const more = { ...(given === undefined ? {} : { option: given }), ...(ADDRESS.test(text) ? { isAddress: true as const } : {}) };
  return [...whole, ...named].map((place) => ({ ...place, where, ...more }));
}

/** `-eo file` is `-e -o file`. Words of more letters are mostly names of their own. */
function lastLetter(option: string): string {
  return /^-[A-Za-z]{2,4}$/.test(option) && /[oO]$/.test(option) ? `-${option.slice(-1)}` : option;
}

const MAX_LETTERS = 16;

/** `-ofile`, `-xofile`: how many letters are options cannot be told, so the value may begin after each. */
function clusterPlaces(text: string, word: ShellWord, base: Base): readonly Found[] {
  const letters = /^-[A-Za-z\d]+/.exec(text)?.[0].length ?? 0;
  return Array.from({ length: Math.min(letters, MAX_LETTERS) - 1 }, (_, at) => at + 2).flatMap((start): readonly Found[] => {
    const value = text.slice(start);
    const option = `-${text.charAt(start - 1)}`;
    if (value === "") return [];
    const where = OUTPUT_OPTION.test(option) ? "output" : "word";
    return resolveWord(plainWord(value, word), base).map((place) => ({ ...place, where, option }));
  });
}

const ADDRESS = /^(?!file:)[a-z][\w+.-]*:\/\//i;

function textPlaces(text: string, command: ShellCommand, base: Base): readonly Found[] {
  const open = [...text.matchAll(OPEN_TAIL)].map(
    ([, tail]): Found => ({ path: undefined, ...(tail && { tail }), where: "text", code: text }),
  );
  return [...pathTokens(text).flatMap((token) => placesOf(token, command, base, { where: "text", code: text })), ...open];
}

/** What follows a folder that is known only at run time: `.output $folder/.bashrc`. */
const OPEN_TAIL = /\uFFFF\/([^\s'"`;|&<>(){}=,:$*?[\]!\\\uFFFF]+)/g;

/** A word as it will be, as far as that is known; of a substitution what it is made of, since its text may come out of it. */
function spelledOut({ parts, text }: ShellWord, { home, folder = UNKNOWN }: Base): string {
  if (!text.includes(UNKNOWN)) return text;
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "computed") return part.source;
      if (part.kind === "variable" && /^\$(?:HOME|\{HOME\})$/.test(part.source)) return home;
      if (part.kind === "variable" && /^\$(?:PWD|\{PWD\})$/.test(part.source)) return folder;
      return part.kind === "home" && part.text === "~" ? home : UNKNOWN;
    })
    .join("");
}

/** `-ofile`, `-xofile`: how many letters are options cannot be told. */
function attachedValues(token: string): readonly string[] {
  if (!token.startsWith("-")) return [token];
  const letters = /^-[A-Za-z]+/.exec(token)?.[0] ?? "";
  return [token.slice(2), token.slice(letters.length)];
}

/** Everything in a text that could be a path, absolute ones as they are, others in `folder`. */
export function pathsInText(text: string, { cwd, home }: PathContext): readonly string[] {
  return pathTokens(text).map((token) => (/^~(\/|$)/.test(token) ? resolve(home, `.${token.slice(1)}`) : resolve(cwd, token)));
}

/** What could be a path in a text, as written. */
export function pathTokens(text: string): readonly string[] {
  return [...new Set(text.match(TOKENS) ?? [])].filter((token) => /[./]/.test(token)).slice(0, MAX_TOKENS);
}

interface CodeOf {
  readonly where: "code" | "text";
  readonly texts: readonly string[];
  /** What inline code is given as arguments. */
  readonly given?: readonly ShellWord[];
  readonly language?: "shell";
}

/** Code in a command: after `-c` or `-e`, or on the input of a program that may run what it reads. */
const codeOf = remembered(({ words, stdin, redirects }: ShellCommand): CodeOf => {
  // `< <(echo …)`: what the substitution prints is the input.
  const substituted = redirects.flatMap(({ operator, target }) =>
    operator === "<" && target.text.includes(UNKNOWN) ? [target.source] : [],
  );
  const input = [...(stdin?.kind === "text" ? [stdin.text] : []), ...substituted];
  const name = nameOf(words).replace(/^(python|pypy|perl|ruby|lua|php)[\d.]+$/, "$1");
  if (/^(?:[gmn]|go|original-|bwk)?awk$/.test(name)) {
    const programs = words.slice(1).flatMap(({ text }) => (text.includes("{") ? [text] : []));
    const isInput = runsInput(words) && input.length > 0;
    const given = isInput ? words.slice(1).filter(({ text }) => !text.startsWith("-")) : [];
    return { where: "code", texts: [...programs, ...(isInput ? input : [])], given };
  }
  const program = programName(words[0]);
  // What rules know as npm may be bun, which runs code too.
  const options = isKnownTo(name, "shell") ? ["-c"] : program === "npm" && name !== "bun" ? undefined : codeOptions(program, true);
  if (options) {
    const isOption = (text: string): boolean =>
      options.some((candidate) => (candidate.length === 2 && /^-\w+$/.test(text) ? text.endsWith(candidate.slice(1)) : text === candidate));
    const inline = words.flatMap(({ text }, at) => (at > 0 && isOption(text) ? [words[at + 1]?.text ?? ""] : attachedCode(text, options)));
    const texts = [...inline, ...input];
    if (isKnownTo(name, "shell")) return { where: "code", texts, language: "shell" };
    const first = words.findIndex(({ text }, at) => at > 0 && isOption(text));
    const given =
      first === -1
        ? givenToInput(words)
        : words.slice(first + 2).filter(({ text }, at, all) => !text.startsWith("-") && !isOption(all[at - 1]?.text ?? ""));
    return { where: "code", texts, given };
  }
  return { where: "text", texts: runsInput(words) ? input : [] };
}, new WeakMap());

/** `--eval=code`, `-e'code'`. */
function attachedCode(text: string, options: readonly string[]): readonly string[] {
  const [, name, code] = /^(--\w+)=(.*)$/s.exec(text) ?? /^(-\w)(.*\W.*)$/s.exec(text) ?? [];
  return name !== undefined && code !== undefined && options.includes(name) ? [code] : [];
}

/** The words of programs of which nothing is known, whatever they look like. */
export function unknownOperands(
  reading: ShellReading,
  context: PathContext,
): readonly { readonly path: string; readonly command: number }[] {
  return reading.commands.flatMap((command, index) => {
    const { words } = command;
    const isKnown = programOf(words) !== undefined && !runsModule(words);
    if (isKnown || nameOf(words).includes(UNKNOWN) || takesOnlyData(nameOf(words), words)) return [];
    const base = { ...context, folder: folderOf(command, context) };
    const given = words.slice(1).filter(({ text }) => !text.startsWith("-") && !/\s/.test(text));
    return given.flatMap((word) =>
      resolveWord(word, base).flatMap(({ path, isGlob }) => (path === undefined || isGlob ? [] : [{ path, command: index }])),
    );
  });
}

/** `python3 - file <<< code`: what stands after the mark is for the code. */
function givenToInput(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }, index) => index > 0 && /^(?:-|--|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(text));
  return at === -1 ? [] : words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
}

/** Of a program that is not known, everything must be expected. */
function runsInput(words: readonly ShellWord[]): boolean {
  const program = programOf(words);
  return program ? program.runsInput?.test(words.map(({ text }) => text).join(" ")) === true : !takesOnlyData(nameOf(words), words);
}
