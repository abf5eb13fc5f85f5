import { homedir } from "node:os";
import { resolve, sep } from "node:path";
import { ANY, coversAll, type Step } from "./sequence-pattern.ts";

/** Where the anchors of a path rule point. */
export interface PathAnchors {
  /** Folder of the rule's settings: `/src/**`. */
  readonly root: string;
  /** The user's home: `~/.ssh/**`. */
  readonly home?: string | undefined;
}

/** Whether a file, given relative to `cwd` or absolute, is one the rule names. */
export type PathTest = (file: string, cwd: string) => boolean;

/** `Write(spec)`: a gitignore pattern under one of four anchors: `//absolute`, `~/home`, `/settings`, and the working directory. */
export function compilePathSpec(spec: string, anchors: PathAnchors): PathTest {
  const home = anchors.home ?? homedir();
  const { base, pattern } = anchorOf(spec, { ...anchors, home });
  const steps = segmentSteps(pattern);
  return (file, cwd) => {
    const path = file === "~" || file.startsWith("~/") ? resolve(home, file.slice(2)) : resolve(cwd, file);
    const inside = segmentsBelow(path, base ?? cwd);
    return inside !== undefined && coversAll(steps, inside);
  };
}

/** No base: the working directory of the call. */
function anchorOf(spec: string, { root, home }: Required<PathAnchors>): { readonly base?: string | undefined; readonly pattern: string } {
  if (spec.startsWith("//")) return { base: "/", pattern: spec.slice(1) };
  if (spec === "~" || spec.startsWith("~/")) return { base: home, pattern: `/${spec.slice(2)}` };
  if (spec.startsWith("/")) return { base: root, pattern: spec };
  return { pattern: spec.startsWith("./") ? spec.slice(1) : spec };
}

function segmentsBelow(path: string, base: string): readonly string[] | undefined {
  const folder = resolve(base);
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  if (path !== folder && !path.startsWith(prefix)) return undefined;
  return path.slice(prefix.length).split(sep).filter(Boolean);
}

/** A pattern without a slash, but at its end, fits at any depth. What fits a folder fits everything in it. */
function segmentSteps(pattern: string): readonly Step<string>[] {
  const segments = pattern.split("/").filter(Boolean);
  const isAnchored = pattern.replace(/\/$/, "").includes("/");
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

const SEGMENT_TOKEN = /\\(.)|\[([!^]?)((?:\\.|[^\]\\])+)\]|./gsu;

/** One part of a path: `*`, `?`, `[a-z]`, `[!a-z]`; a backslash takes a character literally. */
function segmentTest(segment: string): (name: string) => boolean {
  if (!/[*?[\\]/.test(segment)) return (name) => name === segment;
  const steps = [...segment.matchAll(SEGMENT_TOKEN)].map(([token, escaped, negation, set]) => {
    if (set !== undefined) return classTest(set, negation !== "");
    if (token === "*") return ANY;
    if (token === "?") return isAnything;
    return (character: string) => character === (escaped ?? token);
  });
  return (name) => coversAll(steps, name);
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
