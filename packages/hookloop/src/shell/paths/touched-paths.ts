/**
 * Takes what a shell command would run. Gives the paths that it reads or changes, as text; no file is looked at.
 * Refuses to guess: a path whose beginning only the running shell knows has no `path`, and a program that is not in the table claims nothing.
 */

import { posix } from "node:path";
import { type ShellCommand, type ShellReading, type ShellRedirect, UNKNOWN } from "../types.ts";
import { rememberedReading } from "../words.ts";
import { type Claim, folderOf, type PathContext, type Place, plainWord, resolveWord, type TouchedPath, type WorkTree } from "./claims.ts";
import { claimsOf } from "./claims-of.ts";
import { treeClaims, withWorkTree } from "./git-paths.ts";
import { isHandedOn, listingOf } from "./listing.ts";

/** The paths that a command reads or changes. */
export function touchedPaths(reading: ShellReading, context: PathContext): readonly TouchedPath[] {
  const { touched, links } = touchedByName(reading, context);
  return withSecondNames([...touched, ...changedFromLists(touched, reading, context)], createSecondNames(reading, context, links));
}

/** `find . -name x | xargs rm`, `for f in $(grep -l …); do sed -i …; done`: what is changed has names that only the running shell knows, and they come from a list. */
function changedFromLists(touched: readonly TouchedPath[], reading: ShellReading, context: PathContext): readonly TouchedPath[] {
  const open = touched.filter(
    ({ how, path, tail, pattern }) => how !== "read" && (path === undefined ? tail === undefined : pattern?.includes(UNKNOWN)),
  );
  const changes = [...new Map(open.map(({ how, command }) => [how, command]))];
  if (changes.length === 0) return [];
  return reading.commands.flatMap((command, index) => {
    const listing = listingOf(withWorkTree(command, reading));
    if (!listing || !isHandedOn(index, reading)) return [];
    const { roots, names, spares, inFolder } = listing;
    const claim = { isRecursive: true, onlyExisting: true as const, spares, inFolder, ...(names.length > 0 && { names }) };
    const words = roots.length === 0 ? [undefined] : roots;
    const base = { ...context, folder: folderOf(command, context), command };
    return changes.flatMap(([how, by]) => words.flatMap((word) => placesOf({ word, how, ...claim }, { ...base, index: by })));
  });
}

/** The other names of places that the commands of a line name. */
export function secondNames(reading: ShellReading, context: PathContext): ReturnType<typeof createSecondNames> {
  return createSecondNames(reading, context, touchedByName(reading, context).links);
}

/** The same under every name that it has. */
export function withSecondNames<Named extends Place & { readonly command: number }>(
  named: readonly Named[],
  others: ReturnType<typeof createSecondNames>,
): readonly Named[] {
  return named.flatMap((one) => {
    const found = others(one);
    if (found.length === 0) return [one];
    const { path: _path, isGlob: _isGlob, pattern: _pattern, tail: _tail, isRelative: _isRelative, beyond: _beyond, ...rest } = one;
    return [one, ...found.map((place) => ({ ...rest, ...place }) as Named)];
  });
}

interface NamedPaths {
  readonly touched: readonly TouchedPath[];
  readonly links: readonly MadeLink[];
}

const touchedByName = rememberedReading((reading: ShellReading, { cwd, home }: PathContext): NamedPaths => {
  const context = { cwd, home };
  const links: MadeLink[] = [];
  const touched = reading.commands.flatMap((command, index) => {
    const base = { ...context, folder: folderOf(command, context), command, index };
    const claims = [...command.redirects.flatMap(redirectClaims), ...claimsOf(withWorkTree(command, reading))];
    return claims.flatMap((claim) => {
      if (claim.unlessPiped && command.stdin) return [];
      const places = placesOf(claim, base);
      const sources = claim.how === "create-link" && claim.source ? resolveWord(claim.source, base) : [];
      links.push(...places.flatMap((place) => sources.flatMap((source) => linksOf(place, source, base.folder))));
      return places;
    });
  });
  return { touched, links };
});

/** The folders of git whose files a command may change or take away, wherever they lie in the work tree. */
export function workTrees(reading: ShellReading, context: PathContext): readonly WorkTree[] {
  const others = secondNames(reading, context);
  return reading.commands.flatMap((command, index) => {
    const base = { ...context, folder: folderOf(command, context), command, index };
    return treeClaims(withWorkTree(command, reading)).flatMap(({ isNew, ...claim }) =>
      withSecondNames(placesOf(claim, base), others).flatMap(({ path }) => (path === undefined ? [] : [{ path, isNew }])),
    );
  });
}

interface Base extends PathContext {
  readonly folder: string | undefined;
  readonly command: ShellCommand;
  readonly index: number;
}

/** `2>&1` and `>&-` name no file; every other output redirection makes or changes one. */
function redirectClaims({ operator, target }: ShellRedirect): readonly Claim[] {
  if (operator.endsWith("&") && /^(\d+-?|-)$/.test(target.text)) return [];
  if (operator.startsWith("<") && operator !== "<>") return operator === "<" ? [{ word: target, how: "read" }] : [];
  return [{ word: target, how: "write" }];
}

function placesOf(claim: Claim, base: Base): readonly TouchedPath[] {
  const start = claim.inFolder ? resolveWord(claim.inFolder, base)[0] : { path: base.folder };
  const here = { ...base, folder: start?.isGlob ? undefined : start?.path };
  const named = claim.word ? resolveWord(claim.word, here) : [placeOfFolder(here.folder)];
  const places = claim.inFolder ? named.map(fromUnknown) : named;
  const sources = claim.source ? resolveWord(claim.source, base) : [];
  const shared = {
    how: claim.how,
    span: claim.word?.span ?? base.command.span,
    command: base.index,
    ...(claim.isRecursive ? { isRecursive: true as const } : {}),
    ...(claim.names ? { names: claim.names } : {}),
    ...(claim.isChosen ? { isChosen: true as const } : {}),
    ...(claim.spares ? { spares: claim.spares } : {}),
    ...(claim.onlyExisting ? { onlyExisting: true as const } : {}),
    ...(claim.onlyUntracked ? { onlyUntracked: claim.word ? ("path" as const) : ("tree" as const) } : {}),
    ...(claim.sparesGit ? { sparesGit: true as const } : {}),
    ...(claim.hasAnyNames ? { hasAnyNames: true as const } : {}),
    ...(claim.keepsEntry ? { keepsEntry: true as const } : {}),
  };
  return places.flatMap((place): readonly TouchedPath[] => {
    const at = claim.isPrefix ? asPrefix(place) : place;
    if (sources.length === 0) return [{ ...at, ...shared }];
    return sources.flatMap((source) => landings(at, source, claim.isFolder).map((landing) => ({ ...landing, ...shared })));
  });
}

function placeOfFolder(folder: string | undefined): Place {
  return folder === undefined ? { path: folder, beyond: "." } : { path: folder };
}

/** What is known of the command's own folder does not count: `git -C $x`. */
function fromUnknown(place: Place): Place {
  return place.beyond === undefined ? place : { ...place, beyond: `${UNKNOWN}/${place.beyond}` };
}

function asPrefix(place: Place): Place {
  if (place.path === undefined || place.isGlob) return place;
  const cut = place.path.lastIndexOf("/");
  return { path: place.path.slice(0, cut) || "/", isGlob: true, pattern: `${place.path.slice(cut + 1)}${UNKNOWN}` };
}

type Landing = Place & Pick<TouchedPath, "from" | "fromPattern" | "ifFolder">;

/** Where a source lands: at the destination itself, or under its own name in it. `isFolder` false: its content is spread over the destination. */
function landings(at: Place, source: Place, isFolder: boolean | undefined): readonly Landing[] {
  const from = sourceOf(source);
  // `cp -r folder/. there`: what is in the folder.
  if (isFolder === false || (source.path?.endsWith("/.") && !source.isGlob)) return [{ ...at, ...from }];
  const inside = insideOf(at, source);
  if (isFolder) return inside.map((place) => ({ ...place, ...from }));
  const direct: readonly Landing[] = [{ ...at, ...(source.isGlob ? {} : from) }];
  return [...direct, ...inside.map((place): Landing => ({ ...place, ...from, ifFolder: true }))];
}

function sourceOf({ path, isGlob, pattern }: Place): Pick<Landing, "from" | "fromPattern"> {
  if (path === undefined) return {};
  return isGlob ? { fromPattern: { path, pattern: pattern ?? UNKNOWN } } : { from: path };
}

function insideOfUnknown(at: Place, name: string): readonly Place[] {
  if (at.tail === undefined && at.beyond === undefined) return [];
  const tail = at.tail === undefined ? {} : { tail: `${at.tail}/${name}` };
  return [{ ...at, ...tail, ...(at.beyond !== undefined && { beyond: `${at.beyond}/${name}` }) }];
}

function insideOf(at: Place, source: Place): readonly Place[] {
  if (source.isGlob) {
    const name = source.pattern?.split("/").at(-1) ?? UNKNOWN;
    if (at.path === undefined) return insideOfUnknown({ path: undefined, ...(at.beyond !== undefined && { beyond: at.beyond }) }, name);
    return at.isGlob ? [] : [{ path: at.path, isGlob: true, pattern: name }];
  }
  const name = (source.path ?? source.tail ?? "").split("/").findLast((part) => part !== "" && part !== ".");
  if (name === undefined || name === "..") return at.path === undefined ? [] : [{ path: at.path, isGlob: true, pattern: UNKNOWN }];
  if (at.path === undefined) return insideOfUnknown(at, name);
  return at.isGlob ? [{ ...at, pattern: `${at.pattern}/${name}` }] : [{ path: `${at.path}/${name}` }];
}

/** A link that a command of the line makes. */
interface MadeLink {
  readonly name: string;
  readonly target: Place;
  readonly command: number;
}

/** What is asked about: a place, and the command that names it. */
type Named = Place & { readonly command: number; readonly how?: TouchedPath["how"] };

// SECURITY: links to links multiply.
const MAX_ROUNDS = 4;
const MAX_FOUND = 64;

/**
 * Takes what a shell command would run and the links that it makes. Gives the other names of a place: a path through a descriptor that the
 * line opens (`exec 9<..; … /dev/fd/9/x`) or through a link that it makes (`ln -s .. up; … up/x`) is a path from where these lead. Nothing
 * of this is on the disk yet when the line is judged.
 */
function createSecondNames(reading: ShellReading, context: PathContext, made: readonly MadeLink[]): (named: Named) => readonly Place[] {
  const links = indexLinks(fewestLinks([...made, ...linksInCode(reading, context)]));
  const descriptors = openedIn(reading, context);
  return (named) => {
    const found = new Map<string, Place>();
    let waiting: readonly Place[] = [named];
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0 && found.size < MAX_FOUND; round++) {
      const next = waiting.flatMap((place) => [
        ...linksOn(place, links).flatMap((link) => (link.command === named.command ? [] : throughLink(place, link, named.how))),
        ...throughDescriptor(place, descriptors),
      ]);
      waiting = next.slice(0, MAX_FOUND).filter((place) => {
        const key = textOf(place) ?? `\0${place.tail}`;
        return !found.has(key) && found.set(key, place);
      });
    }
    return [...found.values()];
  };
}

/** The links whose names a path is or begins with. */
function linksOn(place: Place, links: Links): readonly MadeLink[] {
  const text = links.names.size === 0 ? undefined : textOf(place);
  if (text === undefined) return [];
  const found: MadeLink[] = [];
  for (let start = 0; start <= text.length; ) {
    const slash = text.indexOf("/", start);
    const end = slash === -1 ? text.length : slash;
    // A long path is put together only up to a name that some link has.
    if (links.names.has(text.slice(start, end))) found.push(...(links.byPath.get(text.slice(0, end)) ?? []));
    start = end + 1;
  }
  return found;
}

interface Links {
  readonly byPath: ReadonlyMap<string, readonly MadeLink[]>;
  /** The last names of their paths. */
  readonly names: ReadonlySet<string>;
}

function indexLinks(links: readonly MadeLink[]): Links {
  const byPath = new Map<string, MadeLink[]>();
  for (const link of links) {
    const same = byPath.get(link.name);
    if (same) same.push(link);
    else byPath.set(link.name, [link]);
  }
  return { byPath, names: new Set(links.map(({ name }) => name.slice(name.lastIndexOf("/") + 1))) };
}

/** SECURITY: a line can make the same link hundreds of times. Two of each are enough: one is of another command than the one that is asked about. */
function fewestLinks(links: readonly MadeLink[]): readonly MadeLink[] {
  const counts = new Map<string, number>();
  return links.filter(({ name, target }) => {
    const key = `${name}\0${textOf(target) ?? `\0${target.tail ?? ""}`}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count < 2;
  });
}

/** The links that touched paths are; a relative target counts from the folder of the link, or with `-r` from where the program runs. */
function linksOf(path: TouchedPath, source: Place, folder: string | undefined): readonly MadeLink[] {
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
  const opened = commands.flatMap((command) =>
    command.redirects.flatMap((redirect): readonly Opened[] => {
      const descriptor = redirect.descriptor ?? (redirect.operator.startsWith("<") ? 0 : 1);
      if (isCopy(redirect)) return [{ descriptor }];
      return resolveWord(redirect.target, { ...context, folder: folderOf(command, context) }).map((place) => ({ descriptor, place }));
    }),
  );
  // SECURITY: a line can open the same file hundreds of times.
  return [...new Map(opened.map((one) => [`${one.descriptor} ${one.place ? JSON.stringify(one.place) : ""}`, one])).values()];
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
  // Which one a copy is cannot be told; a path through a descriptor is never an accident.
  const isAny = rest !== "" || own.some(({ place: at }) => at === undefined);
  const targets = (isAny ? opened : own).slice(0, MAX_FOUND).flatMap(({ place: at }) => (at ? [placeFrom(at, rest)] : []));
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
