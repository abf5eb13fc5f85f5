import { sep } from "node:path";
import { isThere } from "../../state-files.ts";
import { spendWork } from "../call-facts.ts";
import { gitRoot, inOtherTree } from "../paths/project-files.ts";
import { comparableName, foldsCase, isInside, pathViews } from "../paths/real-target.ts";
import { type Below, type Entry, entriesBelow } from "../paths/touched-files.ts";
import { keptByGit } from "../protect/places.ts";
import type { CallFacts } from "../types.ts";
import { ANY, compileWildcard, coversAll, type Step } from "./rule-grammar.ts";

export interface PathAnchors {
  /** Folder of the rule's settings: `/src/**`; that of whoever asks if it has none. */
  readonly root: string | undefined;
  /** The user's home: `~/.ssh/**`. */
  readonly home?: string | undefined;
  /** The project that the rule came with: it means files of that one, whatever a program takes for the session's root. */
  readonly project?: string | undefined;
}

/**
 * How a path rule is read. `every`: the name and the real target must both fit (allow rules).
 * `some`: one of them is enough (`if`). `anyDepth`: as `some`, and a relative pattern fits at any depth of the project (deny and ask rules).
 */
export type PathManner = "every" | "some" | "anyDepth";

/** Whether a file, given relative to `cwd` or absolute, is one the rule names. */
export type PathTest = (file: string, facts: Pick<CallFacts, "cwd" | "anchor" | "root" | "folders" | "home" | "target">) => boolean;

/**
 * `Edit(spec)`: a gitignore pattern under one of four anchors: `//absolute`, `~/home`, `/settings`, and the working directory: for allow rules the
 * current one, for the others also the folder that the session started in, the project of the rule, and the other folders of the workspace.
 */
export function compilePathSpec(spec: string, anchors: PathAnchors, manner: PathManner): PathTest {
  const { anchor, pattern } = anchorOf(spec);
  const isLoose = manner === "anyDepth" && anchor === "cwd" && !spec.startsWith("./");
  const fits = compileSegments(pattern, isLoose);
  let folding: typeof fits | undefined;
  return (file, facts) => {
    const { named, real, isUnclear } = pathViews(file, facts.cwd, facts);
    const bases = basesOf(anchor, anchors, facts, { manner, files: [named, ...real] }).map((base) => facts.target(base));
    // SECURITY: a link into a folder that the rule names is not a file of that folder, and a link out of it is.
    if (manner === "every") {
      return bases.some(
        ({ written, path: base }) => !isUnclear && (fits(named, written) || fits(named, base)) && real.every((one) => fits(one, base)),
      );
    }
    const isFolding = foldsCase(real[0] ?? named);
    if (isFolding) folding ??= compileSegments(comparableName(pattern), isLoose);
    const folds = isFolding ? folding : undefined;
    const isNamed = (path: string, base: string): boolean =>
      fits(path, base) || folds?.(comparableName(path), comparableName(base)) === true;
    const paths = new Set([named, ...real]);
    const folders = new Set(bases.flatMap(({ written, path }) => [written, path]));
    for (const folder of folders) for (const path of paths) if (isNamed(path, folder)) return true;
    return false;
  };
}

/** How a command uses a folder: it takes it away whole, or goes through all that is in it. */
type FolderUse = "taken" | "whole";
export type FolderTest = (folder: string, use: FolderUse, facts: Parameters<PathTest>[1]) => boolean;

/**
 * Whether a folder holds what a deny or ask rule names: `src`, and what is above it, for `src/**` if it is deleted or renamed, and `src`
 * itself if all of it is read or filled. A rule that starts with a wildcard says of no folder that it holds something.
 */
export function compileFolderSpec(spec: string, anchors: PathAnchors): FolderTest {
  const { anchor, pattern } = anchorOf(spec);
  const isLoose = anchor === "cwd" && !spec.startsWith("./");
  const { fixed, isOfAll } = partsOf(pattern);
  if (fixed.length === 0) return () => false;
  return (folder, use, facts) => {
    if (use === "whole" && !isOfAll) return false;
    const { named, real } = pathViews(folder, facts.cwd, facts);
    const spell = foldsCase(real[0] ?? named) ? comparableName : (text: string): string => text;
    const paths = [...new Set([named, ...real])].map((path) => segmentsOf(spell(path)));
    const manner = { manner: "anyDepth", files: [named, ...real] } as const;
    const bases = basesOf(anchor, anchors, facts, manner).map((base) => facts.target(base));
    const folders = [...new Set(bases.flatMap(({ written, path }) => [written, path]))].map((base) => segmentsOf(spell(base)));
    const wanted = fixed.map(spell);
    const isAtDepth = (path: readonly string[], base: readonly string[]): boolean =>
      isLoose && path.length >= base.length + wanted.length && startsWith(path, base) && startsWith(path.slice(-wanted.length), wanted);
    return paths.some((path) =>
      folders.some((base) => {
        const whole = [...base, ...wanted];
        const isHolder = startsWith(whole, path) && (use === "taken" || path.length === whole.length);
        return isHolder || isAtDepth(path, base);
      }),
    );
  };
}

/** The folders that a pattern names without a wildcard, and whether it is about all that is in them. */
function partsOf(pattern: string): { readonly segments: readonly string[]; readonly fixed: readonly string[]; readonly isOfAll: boolean } {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  const open = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  const fixed = open === -1 ? segments : segments.slice(0, open);
  const isOfAll = open === -1 ? pattern.endsWith("/") : segments.slice(open).every((segment) => /^\*+$/.test(segment));
  return { segments, fixed, isOfAll };
}

/** The last names of a path in a folder that only the running shell knows, and what happens to it. */
interface Beyond {
  readonly names: readonly string[];
  readonly use: FolderUse | undefined;
  readonly isWrite: boolean;
}
export type BeyondTest = (beyond: Beyond, facts: CallFacts) => boolean;

/**
 * Whether a path of which only the end is known may be one that a deny or ask rule names: if one with that end is there, or could be made.
 * SECURITY: where there is too much to look at, the end alone decides.
 */
export function compileBeyondSpec(spec: string, anchors: PathAnchors): BeyondTest {
  const { anchor, pattern } = anchorOf(spec);
  const isLoose = anchor === "cwd" && !spec.startsWith("./");
  const { segments, fixed, isOfAll } = partsOf(pattern);
  const isLeftOut = isLoose && segments.some((segment) => segment === "node_modules" || segment === ".git");
  const fits = compileSegments(comparableName(pattern), isLoose);
  return ({ names, use, isWrite }, facts) => {
    if (names.length === 0 && use === undefined) return false;
    if (!spendWork(facts, 1)) return true;
    const wanted = names.map(nameTest);
    const last = names.at(-1);
    const isNamed = (path: string, base: string): boolean => fits(comparableName(path), comparableName(base));
    const isReached = ({ path, isFolder }: Entry, base: string): boolean => {
      const own = segmentsOf(path);
      if (use !== undefined && own.some((_, at) => fitAt(wanted, own, at)) && isNamed(path, base)) return true;
      if (last !== undefined && fitAt(wanted, own, own.length - wanted.length) && isNamed(path, base)) return true;
      const isMade = isWrite && isFolder && last !== undefined && fitAt(wanted.slice(0, -1), own, own.length - wanted.length + 1);
      return isMade && isNamed(`${path}/${last}`, base);
    };
    const bases = basesOf(anchor, anchors, facts, { manner: "anyDepth", files: [] }).map((base) => facts.target(base).path);
    return [...new Set(bases)].some((base) => {
      const start = startOf(base, fixed, isLoose);
      const entries = isLeftOut ? undefined : entriesBelow(start, facts);
      if (isTooMuch(entries, facts)) return true;
      if (entries) return [...entries, ...(isWrite ? [{ path: start, isFolder: false }] : [])].some((entry) => isReached(entry, base));
      return isOfAll || (last !== undefined && (/[*?[]/.test(last) || segmentTest(segments.at(-1) ?? "")(last)));
    });
  };
}

export type BelowTest = (below: Below & { readonly folder: string }, facts: CallFacts) => boolean;

/**
 * Whether something that a deny or ask rule names is there below a folder, and among what is meant of it.
 * SECURITY: where there is too much to look at, the names alone decide.
 */
export function compileBelowSpec(spec: string, anchors: PathAnchors): BelowTest {
  const { anchor, pattern } = anchorOf(spec);
  const isLoose = anchor === "cwd" && !spec.startsWith("./");
  const { segments, fixed, isOfAll } = partsOf(pattern);
  const hasLeftOut = segments.some((segment) => segment === "node_modules" || segment === ".git");
  const fits = compileSegments(comparableName(pattern), isLoose);
  const needed = comparableName(requiredName(spec) ?? "");
  const isLast = segmentTest(segments.at(-1) ?? "");
  const isSoCalled = (names: Below["names"]): boolean => !names || names.some((name) => isOfAll || /[*?[]/.test(name) || isLast(name));
  return ({ folder: given, names, isChosen, spares, from }, facts) => {
    // What a formatter leaves alone is not known: it changes a folder that a rule is about as a whole.
    if (isChosen && !(isOfAll && fixed.length > 0)) return false;
    if (!spendWork(facts, 1)) return true;
    const { named, real } = pathViews(given, facts.cwd, facts);
    const bases = basesOf(anchor, anchors, facts, { manner: "anyDepth", files: [named, ...real] }).map((base) => facts.target(base).path);
    const isMeant = meantBelow(names, spares);
    const isNamed = (entry: Entry, folder: string, base: string): boolean => {
      const path = from === undefined ? entry.path : folder + entry.path.slice(from.length);
      const text = comparableName(path);
      return text.includes(needed) && fits(text, comparableName(base)) && isMeant(folder, { ...entry, path });
    };
    const isReached = (folder: string, base: string): boolean => {
      const start = startOf(base, fixed, isLoose);
      const isBelow = isInside(start, folder);
      if (!isBelow && !isInside(folder, start)) return false;
      const entries = allBelow(from ?? (isBelow ? folder : start), hasLeftOut, facts);
      if (isTooMuch(entries, facts)) return true;
      if (entries) return entries.some((entry) => isNamed(entry, folder, base));
      return from === undefined ? isSoCalled(names) : isThere([from, ...fixed].join(sep)) || isThere(from + start.slice(folder.length));
    };
    return [...new Set([named, ...real])].some((folder) => [...new Set(bases)].some((base) => isReached(folder, base)));
  };
}

function isTooMuch(entries: readonly Entry[] | undefined, facts: CallFacts): boolean {
  return !spendWork(facts, (entries?.length ?? 0) >> 4);
}

function startOf(base: string, fixed: readonly string[], isLoose: boolean): string {
  return isLoose ? base : ["", ...segmentsOf(base), ...fixed].join(sep);
}

/** With what is in folders that are left out otherwise, for a rule that is about them. */
function allBelow(start: string, hasLeftOut: boolean, facts: CallFacts): readonly Entry[] | undefined {
  const entries = entriesBelow(start, facts);
  if (!entries || !hasLeftOut) return entries;
  const found = [...entries];
  for (const { path } of entries) {
    const more = path !== start && /\/(?:node_modules|\.git)$/.test(path) ? entriesBelow(path, facts) : [];
    if (!more) return undefined;
    found.push(...more);
  }
  return found;
}

function meantBelow(names: Below["names"], spares: Below["spares"]): (folder: string, entry: Entry) => boolean {
  const tests = names?.map(nameTest);
  let isKept: ((path: string) => boolean) | undefined;
  return (folder, { path, isFolder }) => {
    const parts = segmentsOf(path.slice(folder.length));
    if (tests && !parts.some((part) => tests.some((test) => test(part)))) return false;
    if (spares === undefined) return true;
    if (spares === "hidden") return !parts.some((part) => part.startsWith("."));
    if (isFolder) return false;
    const root = gitRoot(folder);
    isKept ??= keptByGit(root);
    return isKept(path.slice(root.length + 1)) === (spares === "untracked");
  };
}

/** A name, or a pattern of the shell, read generously. */
function nameTest(name: string): (name: string) => boolean {
  const test = compileWildcard(comparableName(name).replace(/\[[^\]]*\]|\?/g, "*"));
  return (other) => test(comparableName(other));
}

function fitAt(tests: readonly ((name: string) => boolean)[], names: readonly string[], at: number): boolean {
  return at >= 0 && at + tests.length <= names.length && tests.every((test, index) => test(names[at + index] ?? ""));
}

function startsWith(segments: readonly string[], start: readonly string[]): boolean {
  return start.length <= segments.length && start.every((segment, at) => segment === segments[at]);
}

/** A name that every path the rule names has, if there is one without a wildcard. */
export function requiredName(spec: string): string | undefined {
  const names = anchorOf(spec)
    .pattern.split("/")
    .filter((segment) => segment !== "" && segment !== "." && segment !== ".." && !/[*?[\\]/.test(segment));
  return names.at(-1);
}

function compileSegments(pattern: string, isLoose: boolean): (path: string, base: string) => boolean {
  const steps = segmentSteps(pattern, isLoose);
  return (path, base) => {
    if (path !== base && !path.startsWith(base.endsWith(sep) ? base : base + sep)) return false;
    return coversAll(steps, segmentsOf(path), segmentsOf(base).length);
  };
}

type Anchor = "file-system" | "home" | "settings" | "cwd";

function anchorOf(spec: string): { readonly anchor: Anchor; readonly pattern: string } {
  if (spec.startsWith("//")) return { anchor: "file-system", pattern: spec.slice(1) };
  if (spec === "~" || spec.startsWith("~/")) return { anchor: "home", pattern: `/${spec.slice(2)}` };
  if (spec.startsWith("/")) return { anchor: "settings", pattern: spec };
  return { anchor: "cwd", pattern: spec.startsWith("./") ? spec.slice(1) : spec };
}

interface Bases {
  readonly manner: PathManner;
  readonly files: readonly string[];
}

function basesOf(anchor: Anchor, anchors: PathAnchors, facts: Parameters<PathTest>[1], { manner, files }: Bases): readonly string[] {
  const { cwd, anchor: strictAnchor, root, folders = [], home } = facts;
  if (anchor === "file-system") return ["/"];
  if (anchor === "home") return [anchors.home ?? home];
  if (manner === "every") return [anchor === "settings" ? (anchors.root ?? root) : strictAnchor];
  if (anchor === "settings") return withOtherTrees([anchors.root ?? root], files, facts);
  // SECURITY: `cd` must not carry the call out of reach of a rule that tightens: it holds where the session started, too.
  return [...new Set([cwd, ...withOtherTrees([root, anchors.project ?? root, ...folders], files, facts)])];
}

const knownTrees = new WeakMap<CallFacts["target"], Map<string, string | undefined>>();

/** SECURITY: the same folders in the worktree that the call, or what it names, is in: EnterWorktree must not lead past a deny rule. */
function withOtherTrees(folders: readonly string[], files: readonly string[], { cwd, target }: Parameters<PathTest>[1]): readonly string[] {
  const known = knownTrees.get(target) ?? new Map<string, string | undefined>();
  knownTrees.set(target, known);
  const own = [...new Set(folders)];
  const others = [...new Set([cwd, ...files])].flatMap((file) =>
    own.map((folder) => {
      const key = `${folder}\0${file}`;
      if (!known.has(key)) known.set(key, inOtherTree(folder, file));
      return known.get(key);
    }),
  );
  return [...new Set([...own, ...others.filter((other) => other !== undefined)])];
}

const MAX_KNOWN = 4096;
const knownSegments = new Map<string, readonly string[]>();

/** The names in a path. Every rule takes the same paths apart. */
function segmentsOf(path: string): readonly string[] {
  let segments = knownSegments.get(path);
  if (!segments) {
    segments = path.split(sep).filter(Boolean);
    if (knownSegments.size >= MAX_KNOWN) knownSegments.clear();
    knownSegments.set(path, segments);
  }
  return segments;
}

/** A pattern without a slash, but at its end, fits at any depth. What fits a folder fits everything in it. */
function segmentSteps(pattern: string, isLoose: boolean): readonly Step<string>[] {
  const segments = pattern.split("/").filter(Boolean);
  const isAnchored = !isLoose && pattern.replace(/\/$/, "").includes("/");
  const steps: Step<string>[] = isAnchored ? [] : [ANY];
  segments.forEach((segment, index) => {
    if (segment !== "**") steps.push(segmentTest(segment));
    else if (index === segments.length - 1 && index > 0) steps.push(isAnything, ANY);
    else steps.push(ANY);
  });
  return pattern.endsWith("/") && segments.length > 0 ? [...steps, isAnything, ANY] : [...steps, ANY];
}
function isAnything(): boolean {
  return true;
}

const SEGMENT_TOKEN = /\\(.)|\[([!^]?)((?:\\.|[^\]\\]){1,128})\]|./gsu;

/** One part of a path: `*`, `?`, `[a-z]`, `[!a-z]`; a backslash takes a character literally. */
function segmentTest(segment: string): (name: string) => boolean {
  if (!/[?[\\]/.test(segment)) return compileWildcard(segment);
  const steps = [...segment.matchAll(SEGMENT_TOKEN)].map(([token, escaped, negation, set]) => {
    if (set !== undefined) return classTest(set, negation !== "");
    if (token === "*") return ANY;
    if (token === "?") return isAnything;
    return (character: string) => character === (escaped ?? token);
  });
  return (name) => coversAll(steps, [...name]);
}

function classTest(set: string, isNegated: boolean): (character: string) => boolean {
  const ranges = [...set.matchAll(/(\\?.)-(\\?.)|(\\?.)/gsu)].map(([, from, to, single]) => ({
    from: withoutEscape(from ?? single ?? ""),
    to: withoutEscape(to ?? single ?? ""),
  }));
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to) !== isNegated;
}

function withoutEscape(character: string): string {
  return character.length > 1 && character.startsWith("\\") ? character.slice(1) : character;
}
