/**
 * Takes what a shell command would run. Gives the files that programs are told to read in their own ways: behind `@` (`curl -d @file`), behind
 * `<`, `=` or `:`, attached to an option, in a variable, as a name that `find` looks for on behalf of another command. It guesses freely:
 * a word that only looks like a file adds a name that no rule is about.
 */

import { readFind } from "../programs/find.ts";
import { isKnownTo, partsOf } from "../programs/program.ts";
import type { ShellCommand, ShellReading, ShellWord } from "../types.ts";
import { folderOf, type PathContext, type Place, plainWord, resolveWord } from "./claims.ts";
import { claimsOf, nameOf, programOf } from "./claims-of.ts";
import { readGit } from "./git-paths.ts";
import { isHandedOn, spelled } from "./listing.ts";

/** A file that a command may read. */
export interface GivenFile extends Place {
  /** It lies anywhere below its folder. */
  readonly isAtAnyDepth?: true;
  readonly command: number;
}

/** Options whose values are text for the user, or what is left out. */
const TEXT_OPTION =
  /^--?(?:[\w-]*(?:exclude|ignore|skip)[\w-]*|include|filter|prune|body|title|message|comment|notes?|description|reason|subject|text|grep|pattern|regexp?|match|data-raw|form-string|user-agent|url|request|post-data|body-data)$/i;
/** The same in one letter, of programs that take messages. */
const MESSAGE_LETTER = /^-[A-Za-z]*[mbt]$/;
/** Options whose value is a file, also if it has neither a dot nor a slash in it. */
const FILE_OPTION = /^(?:-[TK]|--?[\w-]*(?:file|upload|cert|key|config|netrc|cookie|input)[\w-]*)$/i;
/** Options whose value is sent as it is, unless it has a mark. */
const DATA_OPTION = /^(?:-[dFHAeuX]|--(?:data[\w-]*|form|header|json|user|referer|proxy-header))$/;
const WRITTEN_FILE = /out|log|jar|save|dump|dest|append|report|pid/i;
/** Options with a name before the file. */
const JQ_FILES = /^--(?:slurpfile|rawfile|argfile)$/;
const MAX_WORD = 4096;
const MAX_PIECES = 64;

/** The files that programs are given in ways of their own. */
export function givenFiles(reading: ShellReading, context: PathContext): readonly GivenFile[] {
  return reading.commands.flatMap((command, index) => {
    const base = { ...context, folder: folderOf(command, context) };
    const texts = [...variableTexts(command), ...wordTexts(command)];
    const given = texts.flatMap(({ text, word }) => resolveWord(plainWord(text, word), base));
    const names = [
      ...(nameOf(command.words) === "find" && isHandedOn(index, reading) ? foundBy(command) : []),
      ...searchedBy(command),
      ...pathspecsOf(command),
    ];
    const found = names.flatMap((word) => resolveWord(word, base));
    return [
      ...given.map((place) => ({ ...place, command: index })),
      ...found.map((place) => ({ ...place, isAtAnyDepth: true as const, command: index })),
    ];
  });
}

interface Text {
  readonly text: string;
  readonly word: ShellWord;
}

/** `BASH_ENV=file bash`: what programs are told in variables. */
function variableTexts({ words, assignments }: ShellCommand): readonly Text[] {
  if (isKnownTo(nameOf(words), "leaves-alone")) return [];
  return assignments.flatMap(({ name, value }) =>
    name === "PATH" || /\s/.test(value.text) ? [] : pieces(value.text, false).map((text) => ({ text, word: value })),
  );
}

function wordTexts({ words }: ShellCommand): readonly Text[] {
  const name = nameOf(words);
  // `printf -v f file; cat "$f"`: it shows nothing, it names.
  if (name === "printf" && words[1]?.text.startsWith("-v")) return words.slice(2).map((word) => ({ text: word.text, word }));
  if (isKnownTo(name, "leaves-alone")) return [];
  const program = programOf(words);
  const written = new Set(claimsOf(words).flatMap(({ word, how }) => (how === "read" ? [] : [word?.span.start])));
  return words.slice(1).flatMap((word, before): readonly Text[] => {
    const { text } = word;
    if (text.length > MAX_WORD || isAddress(text)) return [];
    const { option, value } = optionOf(text, words[before]);
    const isFile = option !== undefined && FILE_OPTION.test(option) && !WRITTEN_FILE.test(option);
    // What follows `--post-file` was taken for an address, whose last part is the name of what is written.
    if (written.has(word.span.start) && !isFile) return [];
    if (option !== undefined && isForPeople(option, name) && !/^fileb?:\/\//.test(text)) return [];
    if (option === undefined && name === "jq" && JQ_FILES.test(words[before - 1]?.text ?? "")) return [{ text, word }];
    // Of these the words that are files are known; what an option is given may be one more.
    if ((program?.onlyReads || name === "git" || name === "sed") && !isFile) return [];
    const isData = option !== undefined && /^(?:curl|wget)$/.test(name) && DATA_OPTION.test(option);
    return value.flatMap((one) => (isData ? markedIn(one) : pieces(one, isFile))).map((piece) => ({ text: piece, word }));
  });
}

function isForPeople(option: string, program: string): boolean {
  return TEXT_OPTION.test(option) || (isKnownTo(program, "takes-messages") && MESSAGE_LETTER.test(option));
}

function isAddress(text: string): boolean {
  return /^(?!fileb?:)[a-z][\w+.-]*:\/\//i.test(text);
}

/** The option that a word is or belongs to, and what could be its value. */
function optionOf(
  text: string,
  before: ShellWord | undefined,
): { readonly option?: string | undefined; readonly value: readonly string[] } {
  const [, long, value] = /^(--?[\w-]+)=(.*)$/s.exec(text) ?? [];
  if (value !== undefined) return { option: long, value: [value] };
  const [letters] = /^-[A-Za-z]+/.exec(text) ?? [];
  // `-Tfile`, `-sdfile`: how many letters are options cannot be told.
  if (letters !== undefined && !text.startsWith("--"))
    return { option: text.slice(0, 2), value: [text.slice(2), text.slice(letters.length)] };
  if (text.startsWith("-")) return { value: [] };
  return { option: before && /^--?[A-Za-z][\w-]*$/.test(before.text) ? before.text : undefined, value: [text] };
}

/** A value, and what stands in it behind a mark. Without a mark only what looks like a path counts. */
function pieces(text: string, isFile: boolean): readonly string[] {
  const marked = markedIn(text);
  if (/\s|^[{[]/.test(text)) return marked;
  const parts = text
    .replace(/^fileb?:\/\//, "")
    .split(/[@=<;,"]|:(?!\/\/)/)
    .slice(0, MAX_PIECES);
  const named = [text, ...parts].filter((part) => isFile || /[./~]/.test(part));
  return [...new Set([...marked, ...named])].filter((part) => part !== "" && !isAddress(part) && !part.startsWith("//"));
}

/** `@file`, `name=@file`, `name@file`, `name=<file`. */
function markedIn(text: string): readonly string[] {
  const named = [...text.matchAll(/(?:^|[=:]|^[\w.[\]-]+)[@<]"?([^\s;,"]+)/g)].map(([, name = ""]) => name);
  return text.startsWith("@") ? [text.slice(1), ...named] : named;
}

/** The names that `find` looks for, below each folder it starts in; the folders themselves if it looks for all. */
function foundBy({ words }: ShellCommand): readonly ShellWord[] {
  const { roots, wanted, hasNames } = readFind(words);
  if (!hasNames) return roots;
  const folders = roots.length > 0 ? roots.map(({ text }) => text.replace(/\/+$/, "") || "/") : ["."];
  return folders.flatMap((folder) => wanted.map((word) => namedIn(folder, word.text, word)));
}

/** A name, or a pattern of names, somewhere below a folder. */
function namedIn(folder: string, given: string, word: ShellWord): ShellWord {
  // Of a path or an expression the last name is what a rule can be about.
  const name = given.replace(/\\/g, "").split("/").at(-1) ?? "";
  const text = `${folder}/${name}`;
  if (!/[*?[]/.test(name)) return plainWord(text, word);
  return {
    ...plainWord(text, word),
    parts: [
      { kind: "text", text: `${folder}/`, isQuoted: true },
      { kind: "glob", text: name },
    ],
  };
}

/** `grep -r x --include=name folder`: the content of what is called so is shown. `fd` hands it on. */
function searchedBy({ words }: ShellCommand): readonly ShellWord[] {
  const name = nameOf(words);
  const options = partsOf(name, "looks-into").flatMap((part) => part.options);
  const isFd = options.includes("--extension");
  if (options.length === 0 || (isFd && !words.some(({ text }) => /^(?:-[A-Za-z]*[xX]|--exec(?:-batch)?)$/.test(text)))) return [];
  const isOne = (text: string): boolean => options.includes(text) || (/^--.{3}/.test(text) && options.some((one) => one.startsWith(text)));
  const given = words.slice(1).flatMap((word, before): readonly ShellWord[] => {
    const [, own = "", value] = /^(--[\w-]+)=(.*)$/s.exec(spelled(word)) ?? /^(-[A-Za-z])(.+)$/s.exec(word.text) ?? [];
    const text = value !== undefined && isOne(own) ? value : isOne(words[before]?.text ?? "") ? spelled(word) : undefined;
    return text === undefined || text.startsWith("!") ? [] : [plainWord(isFd && !text.includes(".") ? `*.${text}` : text, word)];
  });
  const folders = words.slice(1).filter(({ text }) => /^\.{0,2}\/|^\.{1,2}$|^[\w-]+\/?$/.test(text) && !text.startsWith("-"));
  const roots = [".", ...folders.map(({ text }) => text.replace(/\/+$/, "") || "/")];
  return given.flatMap((word) => [...new Set(roots)].map((folder) => namedIn(folder, word.text, word)));
}

/** `git grep x -- '*.env'`, `git diff -- ':(glob)**\/.env'`: git fills in the pattern itself, in every folder below. */
function pathspecsOf({ words }: ShellCommand): readonly ShellWord[] {
  if (nameOf(words) !== "git") return [];
  const { words: rest } = readGit(words);
  if (!isKnownTo(`git ${rest[0]?.text}`, "shows-files")) return [];
  return rest.slice(1).flatMap((word) => {
    const text = word.text.replace(/^:(?:\([^)]*\)|\/)/, "");
    const folder = /^([^*?[]*)\//.exec(text)?.[1] || ".";
    return /[*?[]/.test(text) && !/^[-:]/.test(text) ? [namedIn(folder, text, word)] : [];
  });
}
