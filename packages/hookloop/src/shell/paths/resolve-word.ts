import { resolve } from "node:path";
import { type ShellCommand, type ShellWord, UNKNOWN, type WordPart } from "../types.ts";
import type { PathContext, Place } from "./types.ts";

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
export function folderOf({ folder }: ShellCommand, { cwd, home }: PathContext): string | undefined {
  if (folder === undefined) return cwd;
  const [first = "", ...rest] = folder.split("/");
  if (first === "~") return resolve(home, ...rest);
  if (first.startsWith("~")) return undefined;
  const unknown = folder.indexOf(UNKNOWN);
  return unknown === -1 ? resolve(cwd, folder) : undefined;
}

/** The places a word can name; several if it holds `{a,b}`. */
export function resolveWord(word: ShellWord, base: Base): readonly Place[] {
  if (word.text === "") return [];
  let spellings: readonly (readonly Piece[])[] = [[]];
  for (const [index, part] of word.parts.entries()) {
    const pieces = piecesOf(part, { ...base, isFirst: index === 0 });
    const longer = spellings.flatMap((before) => pieces.map((piece) => [...before, piece]));
    spellings = longer.length > MAX_ALTERNATIVES ? spellings.map((before) => [...before, unknown]) : longer;
  }
  return spellings.map((pieces) => placeOf(pieces, base.folder));
}

const unknown: Piece = { text: UNKNOWN, isKnown: false };

function piecesOf(part: WordPart, { home, folder, isFirst }: Base & { readonly isFirst: boolean }): readonly Piece[] {
  switch (part.kind) {
    case "text":
      // `of=~/x` and the like: the shell expands a tilde after a `=` too.
      return [
        { text: isFirst && !part.isQuoted && /^~(\/|$)/.test(part.text) ? `${home}${part.text.slice(1)}` : part.text, isKnown: true },
      ];
    case "home":
      return part.text === "~" ? [{ text: home, isKnown: true }] : [unknown];
    case "variable":
      return [variablePiece(part, { home, folder })];
    default:
      return patternPieces(part.kind === "glob" ? part.text : part.source, part.kind === "glob");
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
