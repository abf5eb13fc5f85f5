import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Diagnostic, Place } from "../diagnostic.ts";

export interface ParsedText {
  readonly root?: ConfigNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The first comment or trailing comma; strict readers refuse the file for it. */
  readonly extension?: { readonly what: string; readonly place: Place } | undefined;
}

// Beyond this it is no configuration with slips in it; it also bounds the search for what an error spoiled.
const MAX_RECOVERED_ERRORS = 100;
const COMMA_EXPECTED = 6;

interface Conversion {
  readonly text: string;
  readonly placeOf: (offset: number) => Place;
  readonly errors: readonly ParseError[];
}

/** Parses JSON with comments and trailing commas; too large or too deep is refused, the rest is recovered as far as it is sure. */
export function parseJson({ text: given, file }: { readonly text: string; readonly file: string }): ParsedText {
  // SECURITY: the size is checked before a single byte is looked at.
  if (given.length > MAX_BYTES || Buffer.byteLength(given) > MAX_BYTES) return { diagnostics: [tooLarge(file)] };
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given;
  const placeOf = placesOf(text, file);
  const scan = scanText(text);
  if (scan.tooDeepAt !== undefined) return { diagnostics: [tooDeep(placeOf(scan.tooDeepAt))] };
  if (text.trim() === "") return { diagnostics: [emptyText(file)] };
  return { ...parseScanned(text, placeOf), extension: extensionOf(scan, placeOf) };
}

function parseScanned(text: string, placeOf: (offset: number) => Place): ParsedText {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    const diagnostics = syntaxDiagnostics(errors, placeOf);
    if (!tree || errors.length > MAX_RECOVERED_ERRORS) return { diagnostics };
    return { root: convert(tree, { text, placeOf, errors }), diagnostics };
  } catch (error) {
    // Unbalanced brackets can lead the parser deeper than the scan saw; a full stack is the only thing it throws.
    if (error instanceof RangeError) return { diagnostics: [tooDeep(placeOf(0))] };
    throw error;
  }
}

function syntaxDiagnostics(errors: readonly ParseError[], placeOf: (offset: number) => Place): Diagnostic[] {
  const all = errors.filter((error, index) => !followsFrom(error, errors[index - 1]));
  // One mistake that runs through a line, such as single quotes, is told once.
  const isSame = (one: ParseError, other: ParseError): boolean =>
    one.error === other.error && placeOf(one.offset).line === placeOf(other.offset).line;
  const first = all.filter((error, index) => !all.slice(Math.max(0, index - 1), index).some((before) => isSame(before, error)));
  const shown = first.slice(0, MAX_SYNTAX_ERRORS).map(({ error, offset }): Diagnostic => {
    return { code: "HL_CONFIG_INVALID_JSON", level: "error", text: syntaxErrorText(error), place: placeOf(offset) };
  });
  const next = first[MAX_SYNTAX_ERRORS];
  if (!next) return shown;
  const text = `There are ${first.length - MAX_SYNTAX_ERRORS} more syntax errors from here on. Fix the ones above first.`;
  return [...shown, { code: "HL_CONFIG_INVALID_JSON", level: "error", text, place: placeOf(next.offset) }];
}

/** The parser reports what it misses right behind a mistake once more. */
function followsFrom(error: ParseError, previous: ParseError | undefined): boolean {
  return previous !== undefined && error.offset <= previous.offset + previous.length;
}

function convert(node: Node, conversion: Conversion): ConfigNode {
  const base = { place: conversion.placeOf(node.offset), isBroken: isBroken(node, conversion) };
  const children = node.children ?? [];
  if (node.type === "object") return { ...base, type: "object", properties: children.map((child) => convertProperty(child, conversion)) };
  if (node.type === "array") {
    const items = children.map((child) => convert(child, conversion));
    return { ...base, type: "list", items, isConfused: isConfused(node, conversion) };
  }
  const type = node.type === "string" || node.type === "property" ? "text" : node.type;
  return { ...base, type, value: node.value };
}

function convertProperty(property: Node, conversion: Conversion): ConfigProperty {
  const [key, value] = property.children ?? [];
  return {
    key: String(key?.value),
    place: conversion.placeOf(property.offset),
    value: value && convert(value, conversion),
  };
}

function isBroken(node: Node, conversion: Conversion): boolean {
  return isUnclosed(node, conversion.text) || ownErrors(node, conversion.errors).length > 0;
}

function isConfused(node: Node, conversion: Conversion): boolean {
  return isUnclosed(node, conversion.text) || ownErrors(node, conversion.errors).some(({ error }) => error !== COMMA_EXPECTED);
}

/** Errors inside, but not inside a child that has them as its own. */
function ownErrors(node: Node, errors: readonly ParseError[]): readonly ParseError[] {
  const inside = errors.length === 0 ? errors : errors.filter(({ offset }) => isInside(node, offset));
  if (inside.length === 0) return inside;
  const nested = (node.children ?? []).flatMap((child) => (child.type === "property" ? (child.children?.slice(1) ?? []) : [child]));
  return inside.filter(({ offset }) => !nested.some((child) => isInside(child, offset)));
}

function isInside({ type, offset, length }: Node, at: number): boolean {
  // A container that starts where the error is (a missing comma before it) is whole; a text or number is not.
  const isContainer = type === "object" || type === "array";
  return (isContainer ? at > offset : at >= offset) && at < offset + length;
}

/** A closed container has its bracket behind its last child. */
function isUnclosed({ type, offset, length, children }: Node, text: string): boolean {
  if (type !== "object" && type !== "array") return false;
  const end = offset + length;
  const last = children?.at(-1);
  return length < 2 || text[end - 1] !== (type === "object" ? "}" : "]") || (last !== undefined && last.offset + last.length >= end);
}

function extensionOf({ firstExtension }: TextScan, placeOf: (offset: number) => Place): ParsedText["extension"] {
  return firstExtension && { what: firstExtension.what, place: placeOf(firstExtension.offset) };
}

export function tooLarge(file: string): Diagnostic {
  const text = "The file is larger than 1 MiB and is not read. Keep only configuration in it.";
  return { code: "HL_CONFIG_TOO_LARGE", level: "error", text, place: { file } };
}

function tooDeep(place: Place): Diagnostic {
  const text = `More than ${MAX_DEPTH} objects and lists stand inside each other here; the file is not read. A hook needs 6.`;
  return { code: "HL_CONFIG_TOO_DEEP", level: "error", text, place };
}

function emptyText(file: string): Diagnostic {
  const text = "The file is empty. Write {} or remove it.";
  return { code: "HL_CONFIG_INVALID_JSON", level: "error", text, place: { file, line: 1, column: 1 } };
}

function placesOf(text: string, file: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    const line = lineAt(lineStarts, offset);
    return { file, line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
  };
}

function lineAt(lineStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What one pass over the tokens finds before anything is parsed. */
interface TextScan {
  /** Where the text goes deeper than allowed. */
  readonly tooDeepAt?: number | undefined;
  /** The first thing that JSON itself does not have. */
  readonly firstExtension?: { readonly offset: number; readonly what: "comment" | "trailing comma" } | undefined;
}

// The token kinds of jsonc-parser; its own names are a const enum, which one-file compilers cannot read.
const OPENERS: Readonly<Record<number, number>> = { 1: 2, 3: 4 };
const CLOSERS = [2, 4];
const COMMA = 5;
const COMMENTS = [12, 13];
const TRIVIA = [12, 13, 14, 15];
const END_OF_FILE = 17;

/**
 * Finds depth and extensions without recursion.
 * SECURITY: jsonc-parser is recursive and overflows the stack at some thousand levels; this pass comes first.
 */
function scanText(text: string): TextScan {
  const scanner = createScanner(text, false);
  const open: number[] = [];
  let firstExtension: TextScan["firstExtension"];
  let comma: number | undefined;
  for (let token: number = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    const offset = scanner.getTokenOffset();
    if (COMMENTS.includes(token)) firstExtension ??= { offset, what: "comment" };
    if (TRIVIA.includes(token)) continue;
    if (comma !== undefined && CLOSERS.includes(token)) firstExtension ??= { offset: comma, what: "trailing comma" };
    comma = token === COMMA ? offset : undefined;
    const closer = OPENERS[token];
    if (closer !== undefined) open.push(closer);
    // A closer that does not fit closes nothing: the parser would not go up either.
    else if (token === open.at(-1)) open.pop();
    if (open.length > MAX_DEPTH) return { tooDeepAt: offset, firstExtension };
  }
  return { firstExtension };
}

/** What each error of jsonc-parser means, in plain words, by its number. */
const TEXTS: Readonly<Record<number, string>> = {
  1: "This is not a JSON value. Write a text in double quotes, a number, true, false or null",
  2: "This is not a number",
  3: "A property name in double quotes is missing here",
  4: "A value is missing here",
  5: "A colon is missing here",
  6: "A comma is missing before this",
  7: "A closing } is missing here",
  8: "A closing ] is missing here",
  9: "The document has already ended; remove what follows",
  10: "A comment cannot stand here",
  11: "This comment is never closed",
  12: "This text is never closed; add the double quote",
  13: "This number breaks off",
  14: "This \\u escape needs four hexadecimal digits",
  15: "This escape is unknown; a backslash itself is written \\\\",
  16: "A control character stands in this text; write it as an escape",
};

function syntaxErrorText(code: number): string {
  return `${TEXTS[code] ?? "This is not JSON"}. A hook entry with such a mistake inside is left out.`;
}

/** One value of a configuration text with its place, whatever language it was written in. */
export type ConfigNode = ObjectNode | ArrayNode | ScalarNode;

interface NodeBase {
  readonly place: Place;
  /** A syntax error lies in this value itself, outside of the objects and lists inside it. */
  readonly isBroken: boolean;
}

export interface ObjectNode extends NodeBase {
  readonly type: "object";
  readonly properties: readonly ConfigProperty[];
}

interface ArrayNode extends NodeBase {
  readonly type: "list";
  readonly items: readonly ConfigNode[];
  /** More than a comma is missing, so what belongs behind the list may have landed in it. */
  readonly isConfused: boolean;
}

interface ScalarNode extends NodeBase {
  readonly type: "text" | "number" | "boolean" | "null";
  readonly value: string | number | boolean | null;
}

export interface ConfigProperty {
  readonly key: string;
  readonly place: Place;
  /** Absent if a syntax error took it. */
  readonly value: ConfigNode | undefined;
}

export function isBrokenAnywhere(node: ConfigNode): boolean {
  if (node.isBroken) return true;
  if (node.type === "object") return node.properties.some(({ value }) => value === undefined || isBrokenAnywhere(value));
  return node.type === "list" && node.items.some(isBrokenAnywhere);
}

/** The plain value. Of equal keys the last one counts, as in JSON. */
export function plainValue(node: ConfigNode): unknown {
  if (node.type === "list") return node.items.map(plainValue);
  if (node.type !== "object") return node.value;
  // SECURITY: fromEntries defines own properties, so a `__proto__` key stays data.
  return Object.fromEntries(node.properties.flatMap(({ key, value }) => (value ? [[key, plainValue(value)]] : [])));
}

/** No configuration needs more; anything larger is refused before it is read. */
export const MAX_BYTES: number = 1024 * 1024;
/** Objects and lists inside each other. A hook entry stands at depth 6. */
export const MAX_DEPTH = 64;
/** After this many, more syntax errors are only counted: one slip can cause thousands. */
const MAX_SYNTAX_ERRORS = 20;
