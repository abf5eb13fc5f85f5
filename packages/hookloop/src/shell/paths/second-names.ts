/**
 * Takes what a shell command would run and the links that it makes. Gives the other names of a place: a path through a descriptor that the
 * line opens (`exec 9<..; … /dev/fd/9/x`) or through a link that it makes (`ln -s .. up; … up/x`) is a path from where these lead. Nothing
 * of this is on the disk yet when the line is judged.
 */
import { posix } from "node:path";
import { type ShellReading, type ShellRedirect, UNKNOWN } from "../types.ts";
import { plainWord } from "./programs/changing.ts";
import { folderOf, resolveWord } from "./resolve-word.ts";
import type { PathContext, Place, TouchedPath } from "./types.ts";

/** A link that a command of the line makes. */
export interface MadeLink {
  readonly name: string;
  readonly target: Place;
  readonly command: number;
}

/** What is asked about: a place, and the command that names it. */
type Named = Place & { readonly command: number; readonly how?: TouchedPath["how"] };

// SECURITY: links to links multiply.
const MAX_ROUNDS = 4;
const MAX_FOUND = 64;

/** Finds the places that a place is, beside what its name says. */
export function createSecondNames(
  reading: ShellReading,
  context: PathContext,
  made: readonly MadeLink[],
): (named: Named) => readonly Place[] {
  const links = [...made, ...linksInCode(reading, context)];
  const descriptors = openedIn(reading, context);
  return (named) => {
    const found: Place[] = [];
    let waiting: readonly Place[] = [named];
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0 && found.length < MAX_FOUND; round++) {
      waiting = waiting.flatMap((place) => [
        ...links.flatMap((link) => (link.command === named.command ? [] : throughLink(place, link, named.how))),
        ...throughDescriptor(place, descriptors),
      ]);
      found.push(...waiting.slice(0, MAX_FOUND));
    }
    return found;
  };
}

/** The links that touched paths are; a relative target counts from the folder of the link, or with `-r` from where the program runs. */
export function linksOf(path: TouchedPath, source: Place, folder: string | undefined): readonly MadeLink[] {
  if (path.how !== "create-link" || path.path === undefined) return [];
  // `ln -s ../.* here`: each under its own name.
  if (path.isGlob) return source.isGlob ? [{ name: path.path, target: { path: source.path }, command: path.command }] : [];
  const link = { name: path.path, command: path.command };
  const relative = folder !== undefined && source.path?.startsWith(`${folder}/`) ? source.path.slice(folder.length + 1) : undefined;
  const fromLink = relative === undefined ? [] : [{ ...link, target: { ...source, path: `${posix.dirname(path.path)}/${relative}` } }];
  return [{ ...link, target: source }, ...fromLink];
}

/** `symlink("target", "name")` in many languages, and `Path("name").symlink_to("target")`. */
const LINK_CALL = /\b(?:sym)?link(?:Sync)?\s{0,9}\(?\s{0,9}["']([^"'\n]{1,400})["']\s{0,9},\s{0,9}["']([^"'\n]{1,400})["']/g;
const LINK_METHOD = /\(\s{0,9}["']([^"'\n]{1,400})["']\s{0,9}\)\.(?:sym|hard)?link_to\(\s{0,9}["']([^"'\n]{1,400})["']/g;

function linksInCode({ commands }: ShellReading, context: PathContext): readonly MadeLink[] {
  return commands.flatMap((command, index) => {
    const texts = [...command.words.slice(1).map(({ text }) => text), ...(command.stdin?.kind === "text" ? [command.stdin.text] : [])];
    const pairs = texts
      .filter((text) => text.includes("link"))
      .flatMap((text) => [
        ...[...text.matchAll(LINK_CALL)].map(([, target = "", name = ""]) => ({ target, name })),
        ...[...text.matchAll(LINK_METHOD)].map(([, name = "", target = ""]) => ({ target, name })),
      ]);
    const [at] = command.words;
    const base = { ...context, folder: folderOf(command, context) };
    return pairs.flatMap(({ target, name }) => {
      const [link] = at ? resolveWord(plainWord(name, at), base) : [];
      const [leads] = at ? resolveWord(plainWord(target, at), { ...base, folder: link?.path && posix.dirname(link.path) }) : [];
      return link?.path !== undefined && leads ? [{ name: link.path, target: leads, command: index }] : [];
    });
  });
}

function throughLink(place: Place, { name, target }: MadeLink, how: Named["how"]): readonly Place[] {
  const text = textOf(place);
  // Deleting or renaming a link, or putting another in its place, leaves what it leads to.
  const isItself = text === name && (how === undefined || how === "write" || how === "read" || how === "permissions");
  if (!isItself && !text?.startsWith(`${name}/`)) return [];
  return [placeFrom(target, text?.slice(name.length + 1) ?? "")];
}

interface Opened {
  readonly descriptor: number;
  /** Absent: a copy of another descriptor. */
  readonly place?: Place;
}

function openedIn({ commands }: ShellReading, context: PathContext): readonly Opened[] {
  return commands.flatMap((command) =>
    command.redirects.flatMap((redirect): readonly Opened[] => {
      const descriptor = redirect.descriptor ?? (redirect.operator.startsWith("<") ? 0 : 1);
      if (isCopy(redirect)) return [{ descriptor }];
      return resolveWord(redirect.target, { ...context, folder: folderOf(command, context) }).map((place) => ({ descriptor, place }));
    }),
  );
}

function isCopy({ operator, target }: ShellRedirect): boolean {
  return operator.endsWith("&") && (target.text.includes(UNKNOWN) || /^(?:\d+-?|-)$/.test(target.text));
}

const DESCRIPTOR = /^\/(?:dev\/fd|proc\/[^/]+(?:\/task\/[^/]+)?\/fd)\/([^/]+)$|^\/dev\/(std(?:in|out|err))$/;
const STANDARD: readonly string[] = ["stdin", "stdout", "stderr"];

function throughDescriptor(place: Place, opened: readonly Opened[]): readonly Place[] {
  const text = textOf(place);
  const found = text === undefined || !/^[/.]*\/(?:dev|proc)\//.test(text) ? undefined : descriptorIn(text);
  if (!found) return [];
  const { name, rest } = found;
  const number = STANDARD.includes(name) ? STANDARD.indexOf(name) : /^\d+$/.test(name) ? Number(name) : undefined;
  const isOwn = ({ descriptor }: Opened): boolean => number === undefined || descriptor === number;
  const own = opened.filter(isOwn);
  // Which one a copy is cannot be told; nobody goes through a descriptor by accident.
  const isAny = rest !== "" || own.some(({ place: at }) => at === undefined);
  const targets = (isAny ? opened : own).flatMap(({ place: at }) => (at ? [placeFrom(at, rest)] : []));
  const isInherited = rest !== "" && !own.some(({ place: at }) => at !== undefined);
  return isInherited ? [...targets, placeFrom({ path: undefined }, rest)] : targets;
}

/** The descriptor that a path starts with, and what follows. */
function descriptorIn(text: string): { readonly name: string; readonly rest: string } | undefined {
  const segments = text.split("/");
  for (let count = 3; count <= Math.min(segments.length, MAX_FOUND); count++) {
    const [, numbered, standard] = DESCRIPTOR.exec(posix.normalize(segments.slice(0, count).join("/"))) ?? [];
    const name = numbered ?? standard;
    if (name !== undefined) return { name, rest: segments.slice(count).filter(Boolean).join("/") };
  }
  return undefined;
}

function textOf({ path, pattern }: Place): string | undefined {
  return path === undefined || pattern === undefined ? path : `${path}/${pattern}`;
}

/** The place that `rest` is, seen from another one. */
function placeFrom(start: Place, rest: string): Place {
  const text = textOf(start);
  if (text === undefined) {
    const tail = [start.tail ?? "", rest].filter(Boolean).join("/");
    return tail === "" || tail.includes(UNKNOWN) ? { path: undefined } : { path: undefined, tail, isRelative: true };
  }
  const whole = rest === "" ? text : `${text === "/" ? "" : text}/${rest}`;
  const open = whole.split("/").findIndex((segment) => /[*?[\uFFFF]/.test(segment));
  if (open === -1) return { path: whole };
  const parts = whole.split("/");
  return { path: parts.slice(0, open).join("/") || "/", isGlob: true, pattern: parts.slice(open).join("/") };
}
