/**
 * Takes what a shell command would run. Gives the paths that it reads or changes, as text; no file is looked at.
 * Refuses to guess: a path whose beginning only the running shell knows has no `path`, and a program that is not in the table claims nothing.
 */
import { type ShellCommand, type ShellReading, type ShellRedirect, UNKNOWN } from "../types.ts";
import type { Claim } from "./programs/claim.ts";
import { claimsOf } from "./programs/claims-of.ts";
import { treeClaims, withWorkTree } from "./programs/git-paths.ts";
import { folderOf, resolveWord } from "./resolve-word.ts";
import { createSecondNames, linksOf, type MadeLink } from "./second-names.ts";
import type { PathContext, Place, TouchedPath, WorkTree } from "./types.ts";

/** The paths that a command reads or changes. */
export function touchedPaths(reading: ShellReading, context: PathContext): readonly TouchedPath[] {
  const { touched, links } = touchedByName(reading, context);
  return withSecondNames(touched, createSecondNames(reading, context, links));
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

function touchedByName(
  reading: ShellReading,
  context: PathContext,
): { readonly touched: readonly TouchedPath[]; readonly links: readonly MadeLink[] } {
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
}

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

type Landing = Place & Pick<TouchedPath, "from" | "ifFolder">;

/** Where a source lands: at the destination itself, or under its own name in it. `isFolder` false: its content is spread over the destination. */
function landings(at: Place, source: Place, isFolder: boolean | undefined): readonly Landing[] {
  const from = source.path === undefined ? {} : { from: source.path };
  const spread = source.isGlob ? [] : [{ ...at, ...from }];
  if (isFolder === false) return spread;
  const inside = insideOf(at, source);
  if (isFolder) return inside.map((place) => ({ ...place, ...(source.isGlob ? {} : from) }));
  const direct: readonly Landing[] = [{ ...at, ...(source.isGlob ? {} : from) }];
  return [...direct, ...inside.map((place): Landing => ({ ...place, ...(source.isGlob ? {} : from), ifFolder: true }))];
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
