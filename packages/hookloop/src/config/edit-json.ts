/**
 * Takes the text of a settings file, gives the text with entries appended to one of its lists. Only text is inserted: comments, blanks, the order
 * of keys and everything else keep their bytes. Refuses a text that cannot be read, and a path that leads through something else than objects.
 */

import { createScanner, type Node, parseTree } from "jsonc-parser";
import type { Diagnostic } from "../diagnostic.ts";
import { parseJson } from "./parse-json.ts";
import { shown } from "./reading.ts";

export type Edited = { readonly text: string } | { readonly problem: Diagnostic };

interface Style {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

/** Appends to the list at the path. Objects on the way and the list itself are made where they are missing. */
export function appendToList(given: string, options: { file: string; path: readonly string[]; items: readonly unknown[] }): Edited {
  const { file, path, items } = options;
  const { diagnostics } = parseJson({ text: given, file });
  const [problem] = diagnostics;
  if (problem) return { problem };
  const mark = given.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = given.slice(mark.length);
  const found = findList(parseTree(text, [], { allowTrailingComma: true }), path);
  if ("wrong" in found) return { problem: wrongType(found, file) };
  const { node, missing } = found;
  const [key, ...deeper] = missing;
  const list = deeper.reduceRight<unknown>((inner, name) => ({ [name]: inner }), items);
  const members = key === undefined ? items.map((value) => ({ value })) : [{ key, value: list }];
  return { text: mark + insert(text, node, members) };
}

/** What a new file has. */
export function newJson(path: readonly string[], items: readonly unknown[]): string {
  return `${JSON.stringify(
    path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), items),
    null,
    2,
  )}\n`;
}

type Found =
  | { readonly node: Node; readonly missing: readonly string[] }
  | { readonly wrong: Node | undefined; readonly at: readonly string[]; readonly wanted: "an object" | "a list" };

/** The list, or the last object on the way to it and the keys that are missing there. */
function findList(root: Node | undefined, path: readonly string[]): Found {
  let node = root;
  for (const [index, key] of path.entries()) {
    if (node?.type !== "object") return { wrong: node, at: path.slice(0, index), wanted: "an object" };
    // Of equal keys the last one counts, as in JSON.
    const property: Node | undefined = node.children?.findLast(({ children }) => children?.[0]?.value === key);
    if (!property) return { node, missing: path.slice(index) };
    node = property.children?.[1];
  }
  return node?.type === "array" ? { node, missing: [] } : { wrong: node, at: path, wanted: "a list" };
}

function wrongType({ wrong, at, wanted }: Extract<Found, { wrong: unknown }>, file: string): Diagnostic {
  const name = at.length === 0 ? "The file" : at.map(shown).join(" › ");
  const found = wrong?.type === "array" ? "a list" : wrong?.type === "object" ? "an object" : shown(wrong?.value);
  return { code: "HL_CONFIG_WRONG_TYPE", level: "error", text: `${name} must be ${wanted}, not ${found}. Fix it first.`, place: { file } };
}

interface Member {
  readonly key?: string;
  readonly value: unknown;
}

const COMMA = 5;
const TRIVIA = [14, 15];
const COMMENTS = [12, 13];
const LINE_COMMENT = 12;

/** The container of the new members, and where they go. */
interface Spot {
  readonly text: string;
  readonly container: Node;
  readonly first: Node | undefined;
  /** Where the last member ends. */
  readonly lastEnd: number;
  /** Where the last comma or comment behind it ends. */
  readonly at: number;
  readonly closer: number;
  readonly hasComma: boolean;
  readonly hasLines: boolean;
}

/** The new members behind the last one, written as the container is: on lines of their own, or all on one. */
function insert(text: string, container: Node, members: readonly Member[]): string {
  const closer = container.offset + container.length - 1;
  const [first, last] = [container.children?.[0], container.children?.at(-1)];
  const lastEnd = last === undefined ? container.offset + 1 : last.offset + last.length;
  const { end, hasComma, isComment } = lastToken(text.slice(lastEnd, closer));
  const hasLines = text.slice(container.offset, first?.offset ?? closer).includes("\n") || text.slice(lastEnd, closer).includes("\n");
  const spot: Spot = { text, container, first, lastEnd, at: lastEnd + end, closer, hasComma, hasLines };
  const isNested = container.parent !== undefined;
  const isPretty = hasLines || isComment || (first === undefined && (!isNested || text.trim().includes("\n")));
  return isPretty ? insertLines(spot, members) : insertInLine(spot, members);
}

function insertInLine({ text, first, at, hasComma }: Spot, members: readonly Member[]): string {
  const colon = /":\S/.test(text) ? ":" : ": ";
  const gap = /,\S/.test(text) && colon === ":" ? "," : ", ";
  const written = members.map(({ key, value }) => (key === undefined ? "" : `${JSON.stringify(key)}${colon}`) + compact(value, gap, colon));
  const between = first === undefined ? "" : hasComma ? gap.slice(1) : gap;
  return text.slice(0, at) + between + written.join(gap) + (hasComma ? "," : "") + text.slice(at);
}

function insertLines({ text, container, first, lastEnd, at, closer, hasComma, hasLines }: Spot, members: readonly Member[]): string {
  const style = styleOf(text);
  const outer = indentAt(text, container.offset);
  const inner = hasLines && first !== undefined ? memberIndent(text, container, first, outer + style.unit) : outer + style.unit;
  const written = members.map(
    ({ key, value }) => `${inner}${key === undefined ? "" : `${JSON.stringify(key)}: `}${pretty(value, inner, style)}`,
  );
  const isOpen = /\n[ \t]*$/.test(text.slice(at, closer));
  // Blanks before the bracket stay where they are.
  const place = isOpen ? at : closer;
  const separator = first === undefined || hasComma ? "" : ",";
  const added = `${style.eol}${written.join(`,${style.eol}`)}${hasComma ? "," : ""}${isOpen ? "" : style.eol + outer}`;
  return text.slice(0, lastEnd) + separator + text.slice(lastEnd, place) + added + text.slice(place);
}

/** Where the last comma or comment behind the last member ends. */
function lastToken(rest: string): { readonly end: number; readonly hasComma: boolean; readonly isComment: boolean } {
  const scanner = createScanner(rest, false);
  let end = 0;
  let hasComma = false;
  let isComment = false;
  for (let token: number = scanner.scan(); scanner.getTokenLength() > 0; token = scanner.scan()) {
    if (TRIVIA.includes(token)) continue;
    end = scanner.getTokenOffset() + scanner.getTokenLength();
    hasComma ||= token === COMMA;
    isComment ||= COMMENTS.includes(token) && (token === LINE_COMMENT || rest.includes("\n"));
  }
  return { end, hasComma, isComment };
}

function styleOf(text: string): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const unit = /[{[][ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return { eol, unit };
}

/** The blanks before the line on which this stands. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** As the last member that begins a line is indented. */
function memberIndent(text: string, { children = [] }: Node, first: Node, otherwise: string): string {
  const own = [...children, first].findLast(({ offset }) => /(?:^|\n)[ \t]*$/.test(text.slice(0, offset)));
  return own === undefined ? otherwise : indentAt(text, own.offset);
}

function pretty(value: unknown, indent: string, { eol, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** On one line, with the blanks that the file has. */
function compact(value: unknown, gap: string, colon: string): string {
  if (Array.isArray(value)) return `[${value.map((one) => compact(one, gap, colon)).join(gap)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}${colon}${compact(one, gap, colon)}`);
  return `{${members.join(gap)}}`;
}
