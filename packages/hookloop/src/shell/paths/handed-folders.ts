/**
 * Takes what a shell command would run. Gives what its commands are handed whole, if that is a folder: as a word, behind `=` or `:`, attached to
 * an option, or by a name in code. The programs that copy, pack, send or search a folder cannot all be listed, so the list is of those that only name one.
 */

import { isKnownTo } from "../programs/program.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../types.ts";
import { cutWord, wordSet } from "../words.ts";
import { folderOf, NO_WORD, type PathContext, type Place, plainWord, resolveWord } from "./claims.ts";
import { claimsOf, nameOf, programOf } from "./claims-of.ts";
import { readGit, withWorkTree } from "./git-paths.ts";
import { isHandedOn, isKept, listingOf } from "./listing.ts";
import { codeOnLine } from "./mentioned-paths.ts";

const MAX_PIECES = 32;
const MAX_WORD = 4096;

/** A place that a command is handed. */
export type Handed = Place & { readonly command: number };

/** What commands are given that may be folders; whether it is one is not looked up. */
export function handedPlaces(reading: ShellReading, context: PathContext): readonly Handed[] {
  const inWords = reading.commands.flatMap((command, index) => {
    const base = { ...context, folder: folderOf(command, context) };
    return handedWords(command).flatMap((word) => resolveWord(word, base).map((place) => ({ ...place, command: index })));
  });
  const inCode = codeOnLine(reading, context).flatMap(({ code, folder }) =>
    quotedNames(code).flatMap((name) =>
      resolveWord(plainWord(name, NO_WORD), { ...context, folder }).map((place) => ({ ...place, command: -1 })),
    ),
  );
  return [...inWords, ...inCode];
}

const QUOTED = /["'`]([^"'`\n]{1,200})["'`]/g;

/** `glob("folder/*")`: the folder before what is open. */
function quotedNames(code: string): readonly string[] {
  const names = [...code.matchAll(QUOTED)].slice(0, 200).map(([, name = ""]) => name.replace(/\/?[^/]*[*?[{].*$/s, ""));
  return [...new Set(names)].filter((name) => /\w/.test(name) && !/[\s\uFFFF]/.test(name));
}

function handedWords({ words }: ShellCommand): readonly ShellWord[] {
  const name = nameOf(words);
  if (isKnownTo(name, "names-folders")) return [];
  if (name === "git") {
    const { words: rest } = readGit(words);
    return isKnownTo(`git ${rest[0]?.text}`, "shows-files") ? rest.slice(1).flatMap(piecesOf) : [];
  }
  const claims = claimsOf(words);
  // A copy lands in its last word: that one is not read.
  const written = new Set(claims.flatMap(({ word, how }) => (how === "write" || how === "create-folder" ? [word?.span.start] : [])));
  for (const { word, how, source } of claims) if (how === "read") written.delete((source ?? word)?.span.start);
  return words
    .slice(1)
    .flatMap((word) => (written.has(word.span.start) ? [] : piecesOf(word)))
    .filter(({ text }) => !isKnownTo(name, "tasks") || text.includes("/"));
}

/** A word, and what stands in it behind a sign or an option. */
function piecesOf(word: ShellWord): readonly ShellWord[] {
  const { text } = word;
  if (text.length > MAX_WORD || /\s|^[a-z][\w+.-]*:\/\//i.test(text)) return [];
  const own = text.startsWith("-") ? [] : [word];
  const attached = /^-[A-Za-z]./.test(text) ? [cutWord(word, 2)] : [];
  const between = [...text.matchAll(/[^=:,@]+/g)]
    .slice(0, MAX_PIECES)
    .map(({ 0: part, index }) => cutWord(word, index, index + part.length));
  const named = [...attached, ...between].filter((part) => part.text !== text && !part.text.startsWith("-"));
  return [...own, ...named];
}

/** What a command lists for another one that takes up the names. */
export interface ListedPlace extends Handed {
  readonly names?: readonly string[] | undefined;
  readonly spares?: "hidden" | "untracked" | "tracked" | undefined;
}

/** Commands of git that take names from their input. */
const TAKES_NAMES = /^--(?:batch(?:-.*)?|stdin|pathspec-from-file=-)$/;

/** The files whose names are handed to a command that may read them: `ls | xargs cat`, `cat $(git ls-files)`. */
export function listedPlaces(reading: ShellReading, context: PathContext): readonly ListedPlace[] {
  const { commands, sets } = reading;
  const isOpen = commands.some(({ words }) => !SAYS_ONLY.has(nameOf(words)) && words.slice(1).some(({ text }) => text.includes(UNKNOWN)));
  const takesNames = isOpen || commands.some(({ words }) => nameOf(words) === "git" && words.some(({ text }) => TAKES_NAMES.test(text)));
  return commands.flatMap((command, index): readonly ListedPlace[] => {
    const base = { ...context, folder: folderOf(command, context) };
    const name = nameOf(command.words);
    if (SAYS_ONLY.has(name)) {
      // What it prints is known to be another's input, or goes there by a pipe.
      const isTaken = commands.some(({ stdin }) => stdin?.kind === "text") || isHandedOn(index, reading);
      const said = takesNames && isTaken ? command.words.slice(1).flatMap(piecesOf) : [];
      return said.flatMap((word) => resolveWord(word, base).map((place) => ({ ...place, command: index })));
    }
    const listing = listingOf(command.words);
    const isOnlyKept = !isOpen && (sets.length > 0 || command.redirects.some(isKept));
    if (!listing || isOnlyKept || !isHandedOn(index, reading)) return [];
    const { roots, names, spares, inFolder } = listing;
    const [start] = inFolder ? resolveWord(inFolder, base) : [{ path: base.folder }];
    const here = { ...base, folder: start?.path };
    const places = roots.length === 0 ? [{ path: here.folder }] : roots.flatMap((word) => resolveWord(word, here));
    return places.map((place) => ({ ...place, spares, command: index, ...(names.length > 0 && { names }) }));
  });
}

const SAYS_ONLY: ReadonlySet<string> = new Set(["echo", "printf"]);

/** A place that is filled, by an option, a copy or a container that it is mounted in, or of which git puts back what it keeps. */
export type Filled = Place & { readonly by: "option" | "copy" | "mount" | "git" };

const FILLS =
  /^(?:-[oOd]|--?(?:o|[\w-]*(?:out|dest|prof-dir|coverage-?dir)[\w-]*|(?:target|output|install|save)?-?(?:dir|directory|folder|path)|target|prefix))$/i;
const COPIES = wordSet("cp copy copyto sync mv move clone download extract restore unpack checkout");

/**
 * The places that commands seem to fill, by an option that says where something goes, or as the last word of a copy; and the folders that git
 * puts back. It guesses: a place that is not there, or that no rule is about, does no harm.
 */
export function filledPlaces({ commands }: ShellReading, context: PathContext): readonly Filled[] {
  return commands.flatMap((command) => {
    const { words } = command;
    const base = { ...context, folder: folderOf(command, context) };
    const places = (by: Filled["by"], some: readonly ShellWord[], at = base): readonly Filled[] =>
      some.flatMap((word) => resolveWord(word, at).map((place) => ({ ...place, by })));
    if (nameOf(words) === "git") {
      const { words: rest, workTree, inFolder = workTree } = readGit(withWorkTree(command, { commands }));
      const [start] = inFolder ? resolveWord(workTree ?? inFolder, base) : [{ path: base.folder }];
      const whole = putsBackAll(rest) && start ? [{ ...start, by: "git" as const }] : [];
      return [...whole, ...places("git", putBack(rest), { ...base, folder: start?.path })];
    }
    return [...places("option", byOption(words)), ...places("copy", byCopy(words)), ...places("mount", byMount(words))];
  });
}

/** `git checkout -- folder`, `git restore folder`, `git stash push folder`. */
function putBack([verb, ...rest]: readonly ShellWord[]): readonly ShellWord[] {
  const texts = rest.map(({ text }) => text);
  const isIndexOnly = texts.some((text) => /^(?:-\w*S|--staged)/.test(text)) && !texts.some((text) => /^(?:-\w*W|--worktree)/.test(text));
  if (verb?.text === "restore" && isIndexOnly) return [];
  const isMeant = /^(?:checkout|restore)$/.test(verb?.text ?? "") || (verb?.text === "stash" && /^(?:push|--)$/.test(texts[0] ?? ""));
  return isMeant ? rest.filter(({ text }) => !text.startsWith("-")) : [];
}

/** `git stash`, `git reset --hard`, `git checkout -f`: all that git keeps in the work tree may change. */
function putsBackAll([verb, ...rest]: readonly ShellWord[]): boolean {
  const texts = rest.map(({ text }) => text);
  if (verb?.text === "reset") return texts.some((text) => /^--(?:har|kee|mer)/.test(text));
  if (verb?.text === "checkout" || verb?.text === "switch")
    return texts.some((text) => /^(?:-\w*f|--forc|--disc)/.test(text)) && !texts.includes("--");
  if (verb?.text !== "stash") return false;
  const own = texts.find((text) => !text.startsWith("-"));
  return own === undefined || /^(?:push|save|pop|apply|branch)$/.test(own) || texts[0]?.startsWith("-") === true;
}

function byOption(words: readonly ShellWord[]): readonly ShellWord[] {
  if (isKnownTo(nameOf(words), "works-there") || programOf(words)?.onlyReads) return [];
  return words.slice(1).flatMap((word, before) => {
    const [, option] = /^(--?[A-Za-z][\w-]*)=./s.exec(word.text) ?? [];
    if (option !== undefined) return FILLS.test(option) ? [cutWord(word, option.length + 1)] : [];
    return before > 0 && !word.text.startsWith("-") && FILLS.test(words[before]?.text ?? "") ? [word] : [];
  });
}

/** `docker run -v ./src:/x`, `--mount type=bind,src=./src,dst=/x`: what runs there can change it, unless it is given only to be read. */
function byMount(words: readonly ShellWord[]): readonly ShellWord[] {
  if (!/^(?:docker|podman|nerdctl)/.test(nameOf(words))) return [];
  return words.slice(1).flatMap((word, before) => {
    const own = /^(?:-v|--volume|--mount)=?(?=[^=])/.exec(word.text)?.[0].length;
    const isNext = /^(?:-\w*v|--volume|--mount)$/.test(words[before]?.text ?? "");
    if (!isNext && own === undefined) return [];
    const given = isNext ? word : cutWord(word, own ?? 0);
    const [start, end] = (/(?:^|,)(?:src|source)=([^,]+)/d.exec(given.text) ?? /^([^:,=]+):/d.exec(given.text))?.indices?.[1] ?? [];
    return start === undefined || /(?::|,)(?:ro|readonly)(?:,|$)/.test(given.text) ? [] : [cutWord(given, start, end)];
  });
}

/** `aws s3 cp s3://x file`, `docker cp c:/x folder`, `gh repo clone a/b folder`. */
function byCopy(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }, index) => index > 0 && COPIES.has(text));
  const operands = at === -1 || programOf(words) ? [] : words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
  // Options with a value may stand behind the destination.
  return operands
    .slice(1)
    .filter(({ text }, index, all) => index === all.length - 1 || !/:/.test(text) === /:/.test(operands[0]?.text ?? ""));
}
