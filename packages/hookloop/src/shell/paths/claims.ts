import { posix, resolve } from "node:path";
import type { Arguments } from "../arguments.ts";
import { type ShellCommand, type ShellWord, type Span, UNKNOWN, type WordPart } from "../types.ts";

/** What happens to a path. */
export type Touch = "read" | "write" | "delete" | "create-link" | "create-folder" | "rename" | "permissions";

/** Where a command runs. */
export interface PathContext {
  readonly cwd: string;
  readonly home: string;
}

/** A place as far as a word tells it. */
export interface Place {
  /** Absolute, as text: links are not followed. Of a pattern: the folder it starts in. Undefined: its beginning is known only at run time. */
  readonly path: string | undefined;
  /** `path` is only the folder; what follows is a pattern or known only at run time. */
  readonly isGlob?: true;
  /** What follows `path`: patterns as written, what only the running shell knows as `UNKNOWN`. */
  readonly pattern?: string;
  /** The known end of a path whose beginning is not known: `x/y` of `$folder/x/y`. */
  readonly tail?: string;
  /** Nothing of it is known only at run time but the folder that the command runs in. */
  readonly isRelative?: true;
  /** It starts in a folder that only the running shell knows: what follows that, patterns as written. */
  readonly beyond?: string;
}

/** A folder in which git may change or take away anything, and everything in the work tree that it is part of. */
export interface WorkTree {
  readonly path: string;
  /** It becomes one of its own. */
  readonly isNew: boolean;
}

/** A path that a command reads or changes. */
export interface TouchedPath extends Place {
  readonly how: Touch;
  /** Everything below it too. */
  readonly isRecursive?: true;
  /** It is touched only if the folder it stands in exists: `cp a b` writes `b`, or `b/a` if `b` is a folder. */
  readonly ifFolder?: true;
  /** The file or folder whose content lands there. */
  readonly from?: string;
  /** Only what lies below it under one of these names or patterns: `find … -name`. */
  readonly names?: readonly string[];
  /** Only what is there already; nothing new is made below it. */
  readonly onlyExisting?: true;
  /** Only what git does not keep, in the whole work tree if it is a folder that the command merely runs in: `git stash -u`. */
  readonly onlyUntracked?: "tree" | "path";
  /** It is a folder that a program looks through for what it changes in place: which of the files is not known. */
  readonly isChosen?: true;
  /** What of it a listing leaves out. */
  readonly spares?: "hidden" | "untracked" | "tracked" | undefined;
  /** Where what lands comes from, if it is what a pattern stands for. */
  readonly fromPattern?: { readonly path: string; readonly pattern: string };
  /** What lies below `.git` is spared: git itself works here. */
  readonly sparesGit?: true;
  /** What lands below it may have any name. */
  readonly hasAnyNames?: true;
  /** After a change of permissions its owner can still enter it. */
  readonly keepsEntry?: true;
  readonly span: Span;
  /** Index into the reading's `commands`. */
  readonly command: number;
}

/** What a program does to what one of its words names. */
export interface Claim {
  /** Undefined: the folder it works in. */
  readonly word: ShellWord | undefined;
  readonly how: Touch;
  readonly isRecursive?: boolean;
  /** The source that lands there, under its own name if the word is a folder. */
  readonly source?: ShellWord;
  /** The word is a folder in any case. */
  readonly isFolder?: boolean;
  /** The folder that the program goes to first: `tar -C`, `git -C`. */
  readonly inFolder?: ShellWord | undefined;
  readonly isChosen?: true;
  readonly spares?: TouchedPath["spares"];
  readonly names?: readonly string[];
  readonly sparesGit?: true;
  readonly keepsEntry?: true;
  readonly onlyExisting?: true;
  readonly onlyUntracked?: true;
  /** What lands below it may have any name. */
  readonly hasAnyNames?: true;
  /** Not if it is given something to read on its input: `ls | rg x`. */
  readonly unlessPiped?: true;
  /** The word is only how the names begin: `split`. */
  readonly isPrefix?: true;
}

/** How a program's words are read. */
export interface Program {
  /** Everything it is given is read or data: no other word of it can be a file that it writes. */
  readonly onlyReads?: true;
  /** Options whose values are read, or are data. */
  readonly readOptions?: readonly string[];
  /** What it reads from its input is a program of its own language, if its words look like this. */
  readonly runsInput?: RegExp;
  claims(read: Arguments, words: readonly ShellWord[]): readonly Claim[];
}

/** The names that a program's input has among files. */
export const INPUT: RegExp = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/;

export const RECURSIVE: readonly string[] = ["r", "R", "recursive"];

/** The same for each of some words. */
export function each(words: readonly (ShellWord | undefined)[] | undefined, how: Touch, more: Partial<Claim> = {}): readonly Claim[] {
  return (words ?? []).map((word) => ({ word, how, ...more }));
}

/** A word that stands for text found inside another one. */
export function plainWord(text: string, { span }: ShellWord): ShellWord {
  const parts = text.includes(UNKNOWN) ? [{ kind: "computed", source: text } as const] : [{ kind: "text", text, isQuoted: false } as const];
  return { text, source: text, span, parts };
}

/** What stands for a word where there is none. */
export const NO_WORD: ShellWord = { text: "", source: "", span: { start: 0, end: 0 }, parts: [] };

/** A piece of a path: known text, a pattern, or `UNKNOWN`. */
interface Piece {
  readonly text: string;
  readonly isKnown: boolean;
}

interface Base extends PathContext {
  /** Undefined: a `cd` went where only the running shell knows. */
  readonly folder: string | undefined;
}

const MAX_ALTERNATIVES = 64;
const BRACES = /^\{([^{}$`]*,[^{}$`]*)\}$/;

/** Where a command runs: the caller's folder, or where a `cd` before it went. */
export function folderOf({ folder }: Pick<ShellCommand, "folder">, { cwd, home }: PathContext): string | undefined {
  if (folder === undefined) return cwd;
  // SECURITY: a line can name a folder of thousands of characters for each of its commands.
  if (folders.cwd !== cwd || folders.home !== home || folders.found.size > MAX_FOLDERS) folders = { cwd, home, found: new Map() };
  if (!folders.found.has(folder)) folders.found.set(folder, findFolder(folder, { cwd, home }));
  return folders.found.get(folder);
}

const MAX_FOLDERS = 4096;
let folders: PathContext & { readonly found: Map<string, string | undefined> } = { cwd: "", home: "", found: new Map() };

function findFolder(folder: string, { cwd, home }: PathContext): string | undefined {
  if (folder === "~" || folder.startsWith("~/")) return resolve(home, folder.slice(2));
  return folder.startsWith("~") || folder.includes(UNKNOWN) ? undefined : resolve(cwd, folder);
}

/** Whether a path is a folder or lies in it, by its text. */
export function liesIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The places a word can name; several if it holds `{a,b}`. */
export function resolveWord(word: ShellWord, base: Base): readonly Place[] {
  if (word.text === "") return [];
  // `parallel rm`, `fd -x rm`: it is not part of the line.
  if (word.text === UNKNOWN && word.parts.every(({ kind }) => kind === "text")) return [{ path: undefined }];
  return spellingsOf(word.parts, base).flatMap((pieces) => placesOf(pieces, base.folder));
}

/** The ways to spell out parts of which some have several values. */
function spellingsOf(parts: readonly WordPart[], base: Base): readonly (readonly Piece[])[] {
  // SECURITY: a word can have thousands of parts, so each spelling is a chain that shares its beginning with others.
  let spellings: readonly (Spelling | undefined)[] = [undefined];
  for (const [index, part] of parts.entries()) {
    const values = piecesOf(part, { ...base, isFirst: index === 0 });
    const isTooMany = spellings.length * values.length > MAX_ALTERNATIVES;
    spellings = spellings.flatMap((before) => (isTooMany ? [[unknown]] : values).map((pieces) => ({ before, pieces })));
  }
  return spellings.map(piecesUpTo);
}

interface Spelling {
  readonly before: Spelling | undefined;
  readonly pieces: readonly Piece[];
}

function piecesUpTo(last: Spelling | undefined): readonly Piece[] {
  const found: (readonly Piece[])[] = [];
  for (let at = last; at; at = at.before) found.push(at.pieces);
  return found.reverse().flat();
}

const unknown: Piece = { text: UNKNOWN, isKnown: false };

/** The values of a part, each in pieces. */
function piecesOf(part: WordPart, base: Base & { readonly isFirst: boolean }): readonly (readonly Piece[])[] {
  const { home, isFirst } = base;
  switch (part.kind) {
    case "text":
      // `of=~/x` and the like: the shell expands a tilde after a `=` too.
      return [
        [{ text: isFirst && !part.isQuoted && /^~(\/|$)/.test(part.text) ? `${home}${part.text.slice(1)}` : part.text, isKnown: true }],
      ];
    case "home":
      return [[part.text === "~" ? { text: home, isKnown: true } : unknown]];
    case "variable":
      return [[variablePiece(part, base)], ...(part.instead?.flatMap((parts) => spellingsOf(parts, base)) ?? [])];
    case "glob":
      return patternPieces(part.text, true).map((piece) => [piece]);
    default:
      return [
        ...patternPieces(part.source, false).map((piece) => [piece]),
        ...(part.instead?.flatMap((parts) => spellingsOf(parts, base)) ?? []),
      ];
  }
}

function variablePiece({ name, source }: { readonly name: string; readonly source: string }, known: Omit<Base, "cwd">): Piece {
  const isPlain = source === `$${name}` || source === `\${${name}}`;
  const value = name === "HOME" ? known.home : name === "PWD" ? known.folder : undefined;
  return isPlain && value !== undefined ? { text: value, isKnown: true } : unknown;
}

function patternPieces(source: string, isGlob: boolean): readonly Piece[] {
  const alternatives = BRACES.exec(source)?.[1]?.split(",");
  if (alternatives) return alternatives.map((text) => ({ text, isKnown: !/[*?[]/.test(text) }));
  return [isGlob ? { text: source, isKnown: false } : unknown];
}

function placesOf(pieces: readonly Piece[], folder: string | undefined): readonly Place[] {
  const place = placeOf(pieces, folder);
  const isUnknown = place.path === undefined && place.isRelative === undefined;
  const pattern = isUnknown ? pieces.map(({ text }) => text).join("") : place.pattern;
  const start = isUnknown ? folder : place.path;
  return pattern === undefined || !CLIMBS.test(pattern) ? [place] : [place, ...abovePlaces(start, pattern)];
}

const CLIMBS = /\/\.\.(?:\/|$)/;

/**
 * `X?/../rest`: the `rest` of the folder that X stands in. SECURITY: what fits X may be a link, so it is the `rest` of any other folder, too.
 */
function abovePlaces(start: string | undefined, pattern: string): readonly Place[] {
  const names = posix
    .normalize(pattern)
    .replace(/^\.$|\/$/g, "")
    .split("/")
    .filter(Boolean);
  const open = names.findIndex((name) => /[*?[\uFFFF]/.test(name));
  const path = [start === "/" ? "" : start, ...names.slice(0, open === -1 ? undefined : open)].join("/") || "/";
  const rest = open === -1 ? undefined : names.slice(open).join("/");
  const last = pattern.split("/").filter(Boolean);
  const known = last.slice(last.findLastIndex((name) => name === ".." || name.includes(UNKNOWN)) + 1).join("/");
  return [
    ...(start === undefined ? [] : [rest === undefined ? { path } : { path, isGlob: true as const, pattern: rest }]),
    ...(known === "" ? [] : [{ path: undefined, ...(!/[*?[]/.test(known) && { tail: known }), beyond: pattern }]),
  ];
}

function placeOf(pieces: readonly Piece[], folder: string | undefined): Place {
  const open = pieces.findIndex(({ isKnown }) => !isKnown);
  const text = pieces.map((piece) => piece.text).join("");
  if (open === -1) return placeOfText(text, folder);
  const before = pieces
    .slice(0, open)
    .map((piece) => piece.text)
    .join("");
  if (before === "" && pieces[open]?.text === UNKNOWN) return { path: undefined, ...tailOf(pieces) };
  const cut = before.lastIndexOf("/") + 1;
  const { path } = placeOfText(before.slice(0, cut).replace(/(?<=.)\/+$/, "") || ".", folder);
  return path === undefined ? { path, ...tailOf(pieces), beyond: text } : { path, isGlob: true, pattern: text.slice(cut) };
}

function placeOfText(text: string, folder: string | undefined): Place {
  // Not `resolve` alone: a guard must see `link/../x` as the kernel does.
  if (text.startsWith("/")) return { path: text };
  if (folder === undefined) return { path: undefined, tail: text, isRelative: true, beyond: text };
  return { path: text === "." ? folder : `${folder}/${text}` };
}

/** What is known from the first `/` after the last unknown part on. */
function tailOf(pieces: readonly Piece[]): { readonly tail?: string } {
  const last = pieces.findLastIndex(({ isKnown }) => !isKnown);
  const after = pieces
    .slice(last + 1)
    .map((piece) => piece.text)
    .join("");
  const slash = after.indexOf("/");
  return slash === -1 || slash === after.length - 1 ? {} : { tail: after.slice(slash + 1) };
}
