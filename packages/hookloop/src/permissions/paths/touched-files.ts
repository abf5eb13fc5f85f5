import { readdirSync } from "node:fs";
import { type ShellCommand, UNKNOWN } from "../../shell/index.ts";
import { mentionedPaths, type Place, type TouchedPath, touchedPaths } from "../../shell/paths/index.ts";
import { compileWildcard } from "../grammar/wildcard.ts";
import type { CallFacts } from "../types.ts";

/** Files that a shell command names, as far as reading can tell. */
export interface TouchedFiles {
  readonly isWrite: boolean;
  readonly files: readonly string[];
  /** They are folders, if they are: deleted or renamed whole, or gone through whole. */
  readonly use?: "taken" | "whole" | undefined;
}

/** A folder with more entries is not searched for what a pattern could mean. */
const MAX_FILES = 1000;

const known = new WeakMap<CallFacts, readonly TouchedFiles[]>();

/** What the shell command of a call reads and changes. A program that is not known counts as reading the files it is given. */
export function touchedFiles(facts: CallFacts): readonly TouchedFiles[] {
  let touched = known.get(facts);
  if (!touched) {
    touched = findTouched(facts);
    known.set(facts, touched);
  }
  return touched;
}

/** Entries of folders that are looked at for one call: patterns of several parts multiply. */
const MAX_ENTRIES = 20_000;

function findTouched(facts: CallFacts): readonly TouchedFiles[] {
  const search: Search = { left: MAX_ENTRIES };
  const command = facts.input["command"];
  if (typeof command !== "string") return [];
  const reading = facts.read(command);
  const context = { cwd: facts.cwd, home: facts.home };
  const changed = touchedPaths(reading, context).flatMap((place) => {
    const files = filesOf(place, facts, search);
    // A file under another name is out of reach of the rules about reading it.
    const isRead = place.how === "read" || place.how === "rename";
    const use = useOf(place, reading.commands[place.command]?.words ?? []);
    return [...(isRead ? [{ isWrite: false, files, use }] : []), ...(place.how === "read" ? [] : [{ isWrite: true, files, use }])];
  });
  const mentioned = mentionedPaths(reading, context).map((place) => ({ isWrite: false, files: filesOf(place, facts, search) }));
  return [...changed, ...mentioned];
}

/** `find -name x -delete` takes some files of a folder, `git clean` those that nobody keeps. */
function useOf({ how, isRecursive, ifFolder, names, onlyUntracked }: TouchedPath, words: ShellCommand["words"]): TouchedFiles["use"] {
  if (names || onlyUntracked || (words[0]?.text.endsWith("git") && words.some(({ text }) => text === "clean"))) return undefined;
  if (how === "rename" || (how === "delete" && isRecursive)) return "taken";
  return how === "write" && isRecursive && !ifFolder ? "whole" : undefined;
}

interface Search {
  left: number;
}

function filesOf({ path, pattern, tail }: Place, { cwd }: CallFacts, search: Search): readonly string[] {
  // Whatever stands before it, it may end here.
  if (path === undefined) return tail === undefined ? [] : [`${cwd}/${tail}`];
  return pattern === undefined ? [path] : expand(path, pattern.split("/"), search);
}

/** The files a pattern could mean: read from the disk, because a rule compares whole names. */
function expand(folder: string, [first, ...rest]: readonly string[], search: Search): readonly string[] {
  if (first === undefined) return [folder];
  if (first === "") return expand(folder, rest, search);
  if (search.left <= 0) return [];
  const fits = compileWildcard(first.replaceAll(UNKNOWN, "*").replace(/\[[^\]]*\]|\?/g, "*"));
  const entries = namesIn(folder);
  search.left -= entries.length + 1;
  const names = entries.filter((name) => fits(name));
  return names.flatMap((name) => expand(`${folder}/${name}`, rest, search)).slice(0, MAX_FILES);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MAX_FILES);
  } catch {
    // Not there or no folder: the pattern means nothing in it.
    return [];
  }
}
