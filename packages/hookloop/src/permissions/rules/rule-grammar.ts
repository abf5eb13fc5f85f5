import { calledElsewhere, FORMER_TOOL_NAMES, otherSpelling, plainName, TOOL_NAMES, TOOLS } from "../../catalogue/index.ts";
import { didYouMean } from "../../diagnostic.ts";

/** A permission rule: `Tool` or `Tool(spec)`. */
export interface Rule {
  /** May hold `*`. */
  readonly tool: string;
  /** Absent: every call of the tool. `*` counts as absent. */
  readonly spec?: string | undefined;
}

const RULE = /^([A-Za-z*][\w\-*]*|mcp__[\w\-*.]+)(?:\((.*)\))?$/s;

export function parseRule(text: string): Rule | undefined {
  const [, tool, spec] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const trimmed = spec?.trim();
  return trimmed === undefined || trimmed === "" || trimmed === "*" ? { tool } : { tool, spec: trimmed };
}

/** What the tool is called now. */
export function presentName(tool: string): string {
  return Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
}

/** What is known of a tool, by its present or former name. */
export function toolRow(tool: string): (typeof TOOLS)[keyof typeof TOOLS] | undefined {
  const name = presentName(tool);
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as keyof typeof TOOLS] : undefined;
}

/**
 * This tool, by its present or former name; for MCP tools also a whole server or a wildcard. `isLoose`: however the name is spelt.
 * SECURITY: what forbids is loose, so that an agent that calls its shell `bash` is bound by a rule for `Bash`; what allows is exact.
 */
export function compileToolName(wanted: string, isLoose = false): (tool: string) => boolean {
  const present = presentName(wanted);
  if (!wanted.startsWith("mcp__")) {
    const plain = plainName(present);
    return isLoose ? (tool) => plainName(presentName(tool)) === plain : (tool) => presentName(tool) === present;
  }
  const isServer = !wanted.slice("mcp__".length).includes("__") && !wanted.includes("*");
  const pattern = isServer ? `${wanted}__*` : wanted;
  return isLoose ? compileLoosely(pattern) : compileWildcard(pattern);
}

/** However a program joins and spells the words: `mcp__GitHub__createIssue`, `mcp_github_create-issue`. */
function compileLoosely(pattern: string): (tool: string) => boolean {
  const fits = compileWildcard(joinedWords(pattern));
  const whole = spellingOf(pattern);
  return (tool) => fits(joinedWords(tool)) || spellingOf(tool) === whole;
}

/** What names have in common that are the same to what forbids, asks or guards, also those of MCP tools. */
export function spellingOf(name: string): string {
  return IS_OF_SERVER.test(name) ? joinedWords(name).replaceAll("_", "") : plainName(name);
}

/** Names that a tool of an MCP server may have where a program joins the words in its own way: `mcp_github_push` is `mcp__github__push`. */
export function serverSpellings(name: string): readonly string[] {
  if (!IS_OF_SERVER.test(name)) return [];
  const words = plainName(name.replace(IS_OF_SERVER, "mcp__")).slice("mcp__".length);
  if (words.includes("__")) return [`mcp__${words}`];
  // Where the server's name ends is not known.
  const joints = [...words.matchAll(/[\s_.:/-]+/g)].slice(0, MOST_JOINTS);
  return joints.map(({ 0: joint, index }) => `mcp__${words.slice(0, index)}__${words.slice(index + joint.length)}`);
}

const IS_OF_SERVER = /^\s*mcp[_.:/-]+/i;
const MOST_JOINTS = 8;

function joinedWords(name: string): string {
  return plainName(name.replace(IS_OF_SERVER, "mcp__")).replace(/[\s_.:/-]+/g, "_");
}

/**
 * The rule for the known tool that is meant by this one: `bash(rm *)` and `shell(rm *)` are `Bash(rm *)`. The name of another agent's tool alone stays what it is.
 * SECURITY: only for rules that forbid or ask.
 */
export function meantRule(rule: Rule): Rule {
  const spelt = otherSpelling(rule.tool);
  if (spelt) return { ...rule, tool: spelt };
  const elsewhere = calledElsewhere(rule.tool);
  if (elsewhere === undefined || rule.spec === undefined) return rule;
  // `Tool(name:value)` is about a parameter of a tool that is not known.
  const isParameter = /^\w+:/.test(rule.spec) && !(TOOLS[elsewhere].rule?.kind === "domain" && rule.spec.startsWith("domain:"));
  return isParameter ? rule : { ...rule, tool: elsewhere };
}

/** Whether it is a tool of the catalogue, of an MCP server, or one of these. */
export function isKnownTool(tool: string, more: readonly string[] = []): boolean {
  return tool.startsWith("mcp__") || more.includes(tool) || toolRow(tool) !== undefined;
}

/** ` Did you mean "Bash"?`, or nothing. */
export function toolHint(tool: string, more: readonly string[] = []): string {
  if (isKnownTool(tool, more)) return "";
  const elsewhere = calledElsewhere(tool);
  return elsewhere === undefined ? didYouMean(tool, [...TOOL_NAMES, ...more]) : ` Did you mean "${elsewhere}"?`;
}

/** The literal texts between the stars of a pattern, in order; `\*` stands for itself. One text: there is no star. */
export function wildcardPieces(pattern: string): readonly string[] {
  const pieces = [""];
  for (const [token, escaped] of pattern.matchAll(/\\([*\\])|\*|[^*\\]+|\\/g)) {
    if (token === "*") pieces.push("");
    else pieces[pieces.length - 1] += escaped ?? token;
  }
  return pieces;
}

export function compileWildcard(pattern: string): (text: string) => boolean {
  const pieces = wildcardPieces(pattern);
  return (text) => coversText(pieces, text);
}

/**
 * Whether the pieces, with anything between them, make up the text.
 * SECURITY: the leftmost place of each piece is the best one, so nothing is ever tried twice: time is pattern + text, whatever they are.
 */
export function coversText(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length < 2) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? "";
    const found = placeOf(piece, text, at, end);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}

/** The same of a text with parts that are not known yet, each marked by one character: whether it could turn out to be covered. */
export function mayCoverText(pieces: readonly string[], text: string, unknown: string): boolean {
  const parts = text.split(unknown);
  if (parts.length < 2) return coversText(pieces, text);
  if (pieces.length < 2) return coversText(parts, pieces[0] ?? "");
  // With something open on both sides only the ends can disagree.
  return isSameStart(pieces[0] ?? "", parts[0] ?? "") && isSameEnd(pieces.at(-1) ?? "", parts.at(-1) ?? "");
}

function isSameStart(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function isSameEnd(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

/** Shorter texts are found fast by any search. */
const SHORT = 16;

/** Where a piece stands between two places of a text; less than 0 if it does not. */
function placeOf(piece: string, text: string, from: number, end: number): number {
  if (piece.length > end - from) return -1;
  if (piece.length > SHORT) return placeOfLong(piece, text, from, end);
  const found = text.indexOf(piece, from);
  return found + piece.length <= end ? found : -1;
}

/** Knuth, Morris and Pratt: `indexOf` takes piece × text for `aaa…ab` in `aaa…a`. */
function placeOfLong(piece: string, text: string, from: number, end: number): number {
  const borders = bordersOf(piece);
  let length = 0;
  for (let at = from; at < end; at++) {
    while (length > 0 && text[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (text[at] === piece[length]) length++;
    if (length === piece.length) return at + 1 - length;
  }
  return -1;
}

/** Of each start of the piece, how much of its end is also its start. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  for (let at = 1, length = 0; at < piece.length; at++) {
    while (length > 0 && piece[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[at] === piece[length]) length++;
    borders[at] = length;
  }
  return borders;
}

/** Any run of items, also none. */
export const ANY: unique symbol = Symbol("any run");

/** One step of a pattern: a run of anything, or one item that passes a test. */
export type Step<Item> = typeof ANY | ((item: Item) => boolean);

/**
 * Whether the steps cover all items, from one of them on. Time is steps × items at most, whatever the pattern: only the last run is ever made longer,
 * because what stands between two runs fits best where it fits first.
 */
export function coversAll<Item>(steps: readonly Step<Item>[], items: ArrayLike<Item>, from = 0): boolean {
  let step = 0;
  let item = from;
  let run = -1;
  let runEnd = 0;
  while (item < items.length) {
    const test = steps[step];
    if (test === ANY) {
      run = step++;
      runEnd = item;
    } else if (test?.(items[item] as Item)) {
      step++;
      item++;
    } else if (run >= 0) {
      step = run + 1;
      item = ++runEnd;
    } else return false;
  }
  while (steps[step] === ANY) step++;
  return step === steps.length;
}
