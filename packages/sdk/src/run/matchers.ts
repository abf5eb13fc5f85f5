/**
 * Takes a matcher as `hook()` or `hooks.on()` was given it; gives what it fits, or what is wrong with it and what to write instead.
 * A matcher that never fits does nothing, without a word, so it must fit something that is known, or be about an MCP server.
 */

import path from "node:path";
import { TOOLS_ELSEWHERE } from "../generated/match-values.ts";
import type { ProblemCode } from "../problem.ts";

export interface Matched {
  /** The field of the payload; empty if the event has none. */
  readonly field: string;
  /** The field holds a path; its last part is compared, unless what it is compared with is a path itself. */
  readonly isBasename: boolean;
  /** Values the field is known to take: the tools, or what agents send. Nothing is known of a field without any. */
  readonly values: readonly string[];
  /** Whoever has other values lists them in `ownNames`: a matcher that fits neither is a mistake. */
  readonly isClosed: boolean;
}

interface MatcherMistake {
  readonly code: ProblemCode;
  readonly text: string;
}

/** The subagent tool was once called Task; both names mean it. */
const SUBAGENT_TOOL = ["Task", "Agent"];
const ALL_CURE = 'To match everything, write "*" or leave it out';
const SERVER_CURE = 'Tools of an MCP server are written "mcp__server__tool" or "mcp__server__*"';

/** A matcher in which nothing is wrong. */
export function readFilter(
  filter: string | readonly string[] | RegExp,
  isTool: boolean,
  isBasename: boolean,
): { readonly names: readonly string[]; matches(value: string): boolean } {
  const nameIn = (value: string): string => (isBasename ? path.basename(value) : value);
  const namesOf = (value: string): readonly string[] => (isTool && SUBAGENT_TOOL.includes(value) ? SUBAGENT_TOOL : [value]);
  if (isPattern(filter)) {
    const pattern = steady(filter);
    return { names: [], matches: (value) => namesOf(nameIn(value)).some((name) => pattern.test(name)) };
  }
  const names = [filter].flat().flatMap((text) => namesIn(text, isBasename));
  const fits = (wanted: string, value: string): boolean => {
    if (isBasename && wanted.includes("/")) return isPathOf(wanted, value);
    return isStar(wanted) ? nameIn(value).startsWith(startOf(wanted)) : namesOf(nameIn(value)).includes(wanted);
  };
  return { names, matches: (value) => names.some((wanted) => fits(wanted, value)) };
}

/** A file's path ends with the one that was asked for, or is it. */
function isPathOf(wanted: string, file: string): boolean {
  const whole = path.posix.normalize(wanted).replace(/^(?:\.\.\/)+/, "");
  return file === whole || (!whole.startsWith("/") && file.endsWith(`/${whole}`));
}

export function filterMistake(filter: string | readonly string[] | RegExp, matched: Matched): MatcherMistake | undefined {
  if (isPattern(filter)) return patternMistake(filter, matched);
  if (Array.isArray(filter) && filter.length === 0) return invalid(`the list is empty. ${ALL_CURE}`);
  for (const text of [filter].flat() as string[])
    for (const name of namesIn(text, matched.isBasename)) {
      const found = nameMistake(name, matched);
      if (found) return { ...found, text: `${JSON.stringify(text.slice(0, 80))}: ${found.text}` };
    }
  return undefined;
}

/** Also one of another realm. */
export function isPattern(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}

function invalid(text: string): MatcherMistake {
  return { code: "HL_SDK_MATCHER_INVALID", text };
}

function unknown(text: string): MatcherMistake {
  return { code: "HL_SDK_TOOL_MISSPELT", text };
}

function isTool({ field }: Matched): boolean {
  return field === "tool_name";
}

function knownOf(matched: Matched): readonly string[] {
  return isTool(matched) ? [...matched.values, ...SUBAGENT_TOOL] : matched.values;
}

/** Each of its alternatives must fit something: of `/Bash|Wirte/`, one never does. */
function patternMistake(pattern: RegExp, matched: Matched): MatcherMistake | undefined {
  const dead = alternativesOf(pattern).find((one) => !canFit(one, matched));
  if (!dead) return undefined;
  if (matched.isBasename)
    return invalid(`${pattern}: a pattern is compared with the last part of the path. Look at input.file_path in the handler`);
  const { source, flags } = steady(pattern);
  const isPart = dead.source !== source;
  const found = `${isPart ? `${dead} in ${pattern}` : pattern} matches no known ${matched.field}.`;
  const loose = flags.includes("i") ? pattern : new RegExp(source, `${flags}i`);
  const meant = knownOf(matched).find((value) => new RegExp(dead, "i").test(value));
  if (meant !== undefined && !patternMistake(loose, matched)) return unknown(`${found} Write ${isPart ? "" : `"${meant}", or `}${loose}`);
  // Agents have tools of their own, and programs list them elsewhere.
  return matched.isClosed
    ? unknown(`${found} ${serverCure(dead.source, matched) ?? knownCure(matched, "the agent's own names")}`)
    : undefined;
}

function canFit(pattern: RegExp, matched: Matched): boolean {
  if (matched.isBasename) return !needsSlash(pattern.source);
  const known = knownOf(matched);
  return known.length === 0 || known.some((value) => pattern.test(value)) || (isTool(matched) && fitsServers(pattern));
}

/** Whether a pattern may fit a tool of an MCP server. Which servers there are is not known here: where it is nearly a name, one that it should fit is made up. */
export function fitsServers(pattern: RegExp): boolean {
  if (!pattern.source.includes("__")) return false;
  const glob = serverGlob(pattern.source);
  if (glob !== undefined) return pattern.test(glob.replaceAll("*", "x"));
  const name = pattern.source.replace(/^\^|\$$/g, "").replace(/(\.|\\[wS]|\[[^\]]*\])[*+]\??/g, "x");
  if (/[^\w-]/.test(name)) return true;
  const likely = [name, `${name}x`, `${name}__x`, `${name}x__x`, `mcp__x${name}`, `mcp__x${name}x`];
  return likely.some((one) => isServerTool(one) && pattern.test(one));
}

/** `mcp__*__push`, with a star as in the name of a file. In a pattern it repeats the sign before it. */
export function serverGlob(source: string): string | undefined {
  return /^\^?(mcp__[\w-]*\*[\w*-]*)\$?$/.exec(source)?.[1];
}

function isServerTool(name: string): boolean {
  return /^mcp__.+?__./.test(name) && !/[\s|,;&]/.test(name);
}

/** A slash that is not in a group or class and must be there. */
function needsSlash(source: string): boolean {
  const plain = source.replaceAll("\\/", "/").replace(/\\./g, "");
  return /\/(?![?*{])/.test(plain.replace(/\[[^\]]*\]|\([^()]*\)/g, ""));
}

/** The alternatives of a pattern, also of a group that it consists of: `^(Edit|Write)$` is `^Edit$` and `^Write$`. */
export function alternativesOf(pattern: RegExp): readonly RegExp[] {
  const { source, flags } = steady(pattern);
  try {
    return partsOf(source).map((part) => new RegExp(part, flags));
  } catch {
    // A part that is nothing by itself, such as one that refers to a group of another.
    return [steady(pattern)];
  }
}

function partsOf(source: string): readonly string[] {
  const parts = splitTop(source);
  if (parts.length > 1) return parts.flatMap(partsOf);
  const [, start = "", inner, end = ""] = /^((?:\^|\\b)*)\((?:\?:|(?!\?))(.*)\)((?:\$|\\b)*)$/s.exec(source) ?? [];
  // Two groups side by side are not one.
  if (inner === undefined || splitTop(inner).length === 0) return parts;
  return splitTop(inner).flatMap((part) => partsOf(start + part + end));
}

/** What stands between the `|` outside of groups; nothing if a group is closed that was never opened. */
function splitTop(source: string): readonly string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (depth < 0) return [];
    if (token === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function nameMistake(name: string, matched: Matched): MatcherMistake | undefined {
  if (name === "") return invalid(`a name is missing. ${ALL_CURE}`);
  if (isStar(name) || knownOf(matched).includes(name)) return undefined;
  return formMistake(name, matched) ?? (isTool(matched) && name.startsWith("mcp__") ? serverMistake(name) : strangerMistake(name, matched));
}

/** What is wrong with a value that is to be compared with matchers. */
export function valueMistake(value: string, matched: Matched): MatcherMistake | undefined {
  if (knownOf(matched).includes(value)) return undefined;
  return isTool(matched) && value.startsWith("mcp__") ? serverMistake(value) : strangerMistake(value, matched);
}

function formMistake(name: string, matched: Matched): MatcherMistake | undefined {
  if (matched.isBasename && name.includes("/")) return pathMistake(name, matched);
  const rule = isTool(matched) ? /^(\w+)\(.*\)?$/s.exec(name)?.[1] : undefined;
  if (rule) return invalid(`a matcher is only the tool's name. Write "${rule}", and look at input.tool_input in the handler`);
  const list = separated(name, matched);
  if (list) return invalid(`names are separated by "|". Write "${list}"`);
  const isForPattern = (matched.isBasename ? /[*^$\\]/ : /[*^$\\()[\]{}+?]/).test(name);
  return isForPattern ? invalid(`it is a pattern. ${patternCure(name, matched)}`) : undefined;
}

function serverMistake(name: string): MatcherMistake | undefined {
  if (isServerTool(name)) return undefined;
  const isServer = /^mcp__[\w.-]*$/.test(name);
  return invalid(isServer ? `it names a server. Write "${name.replace(/_*$/, "")}__*" for all of its tools` : SERVER_CURE);
}

function strangerMistake(name: string, matched: Matched): MatcherMistake | undefined {
  const { values, isClosed } = matched;
  if (values.length === 0) return undefined;
  const near = nearest(name, values, isTool(matched) ? ONE_SLIP : ANY_SLIP);
  const meant = near ?? (isClosed ? ((isTool(matched) ? toolElsewhere(name) : undefined) ?? related(name, values)) : undefined);
  if (!meant && !isClosed) return undefined;
  const found = `no known ${isTool(matched) ? "tool" : matched.field} is called "${name.slice(0, 60)}".`;
  if (meant) return unknown(`${found} Write "${meant}", or ${ownCure(matched, name)} if the agent has one of that name`);
  return unknown(`${found} ${serverCure(name, matched) ?? knownCure(matched, JSON.stringify(name.slice(0, 60)))}`);
}

/** The known tool that other agents call so: `Shell`, `read_file`. */
export function toolElsewhere(name: string): string | undefined {
  const isIt = ([, names]: [string, string]): boolean => names.split(" ").includes(plain(name));
  return Object.entries(TOOLS_ELSEWHERE).find(isIt)?.[0];
}

/** The value that is a part of the name, or that the name is a part of: `BashTool`, `automatic`, `idle`. */
function related(name: string, values: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  return values.find((value) => {
    const other = value.toLowerCase();
    return Math.min(given.length, other.length) > 3 && (given.includes(other) || other.includes(given));
  });
}

/** A list as people write it: `Edit or Write`, `Edit/Write`. Nothing if it is something else. */
function separated(name: string, matched: Matched): string | undefined {
  if (matched.isBasename || matched.values.length === 0) return undefined;
  const parts = name.split(/[\s;&/+]+/).filter((part) => part && !/^(or|and)$/i.test(part));
  const isKnown = (part: string): boolean => knownOf(matched).includes(part) || (isTool(matched) && (isServerTool(part) || isStar(part)));
  return parts.length > 1 && parts.every(isKnown) ? parts.join("|") : undefined;
}

/** The path of one file is fine. */
function pathMistake(name: string, matched: Matched): MatcherMistake | undefined {
  const last = name.slice(name.lastIndexOf("/") + 1);
  if (last !== "" && !/[*^$\\]/.test(name)) return undefined;
  const more = last && nameMistake(last, matched);
  const cure = more ? `Of "${last}": ${more.text}` : "Look at input.file_path in the handler";
  return invalid(`${last === "" ? "it is a folder" : "a path is no pattern"}. ${cure}`);
}

/** Settings have patterns as texts; some write globs, which JavaScript reads as something else. */
function patternCure(name: string, matched: Matched): string {
  if (/^\*+$/.test(name)) return ALL_CURE;
  const isGlob = !/[\^$\\()[\]{}+?|]|\.\*/.test(name);
  const glob = `^${name.replaceAll(".", "\\.").replace(/\*+/g, ".*")}$`.replace(/^\^\.\*|\.\*\$$/g, "");
  try {
    const pattern = new RegExp(isGlob ? glob : name);
    const mistake = patternMistake(pattern, { ...matched, isClosed: true });
    return mistake ? `As a RegExp, ${mistake.text}` : `Write it as a RegExp: ${pattern}`;
  } catch {
    // Not a pattern of JavaScript either.
    return 'Write names, as in "one|other", or a RegExp';
  }
}

/** `mcp_github_*` and the like: the name as it is written, if it says which server is meant. */
function serverCure(text: string, matched: Matched): string | undefined {
  const glob = isTool(matched) ? serverGlob(text) : undefined;
  if (glob !== undefined) return `In a pattern, * repeats the sign before it: write /^${glob.replaceAll("*", ".*")}$/`;
  const [, server, rest = ""] = (isTool(matched) && /^\^?mcp[\W_]+([a-z\d-]+)[\W_]*(.*?)\$?$/i.exec(text)) || [];
  if (server === undefined) return undefined;
  const tool = rest.replace(/\.?\*$/, "*");
  return `Write "mcp__${server}__${/^[\w-]+\*?$/.test(tool) ? tool : "*"}"`;
}

function knownCure(matched: Matched, own: string): string {
  const { values } = matched;
  const known = values.slice(0, 12).join(", ") + (values.length > 12 ? " …" : "");
  const servers = isTool(matched) ? ` ${SERVER_CURE}.` : "";
  return `Known are ${known}.${servers} If the agent has others, add ownNames: [${own}]`;
}

function ownCure(matched: Matched, name: string): string {
  const own = JSON.stringify(name.slice(0, 60));
  if (matched.isClosed) return `add ownNames: [${own}]`;
  return isTool(matched) ? `list it as in openHooks({ tools: [${own}] })` : `/${name.slice(0, 60)}/`;
}

/** `*` and `.*` are everything, `mcp__server__*` and `mcp__server__.*` all tools of a server. */
function isStar(name: string): boolean {
  return /^(mcp__[\w-]*)?\.?\*$/.test(name);
}

function startOf(star: string): string {
  return star.replace(/\.?\*$/, "");
}

/** The names of a list as settings write it: `Edit|Write`, `Edit, Write`. A file's name may have a comma. */
function namesIn(text: string, isBasename: boolean): string[] {
  return text.split(isBasename ? "|" : /[|,]/).map((name) => name.trim());
}

/** Without the flags that remember where they were. */
function steady({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ""));
}

/** Names that differ only in this are the same to hookloop. */
export function spelling(name: string): string {
  // As hookloop reads names: an invisible letter, or a wide one, makes no other tool.
  const seen = name.normalize("NFKC").replace(/[\p{Cc}\p{Cf}\p{DI}]/gu, "");
  const lower = seen.trim().toLowerCase();
  return lower.startsWith("mcp__") ? lower : lower.replace(/[\s_-]/g, "");
}

type Tolerance = (length: number) => number;
/** More than a third is another word. */
export const ANY_SLIP: Tolerance = (length) => Math.max(2, Math.floor(length / 3));
/** Agents have tools of their own, whose names may be close to a known one. */
export const ONE_SLIP: Tolerance = (length) => (length < 4 ? 0 : length < 8 ? 1 : 2);

export function nearest(given: string, known: readonly string[], tolerance: Tolerance): string | undefined {
  const wanted = plain(given);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = plain(name);
    const limit = tolerance(other.length);
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = slips(wanted, other);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Case, quotes and what joins words are no difference: `web_fetch` is WebFetch. */
export function plain(name: string): string {
  return name.slice(0, 60).toLowerCase().replace(/[\W_]/g, "");
}

/** Letters to insert, remove, replace or swap with a neighbour. */
function slips(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const step = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
      rows[row]?.push(isSwapped ? Math.min(step, at(row - 2, column - 2) + 1) : step);
    }
  }
  return at(from.length, to.length);
}
