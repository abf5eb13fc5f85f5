import { type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Diagnostic, Place } from "../../../diagnostic.ts";
import type { ConfigNode, ConfigProperty } from "./config-node.ts";
import { MAX_BYTES, MAX_DEPTH, MAX_SYNTAX_ERRORS } from "./limits.ts";
import { placesOf } from "./places.ts";
import { scanText, type TextScan } from "./scan-text.ts";
import { syntaxErrorText } from "./syntax-error-text.ts";

/** A parsed text: its value if there is any, and what is wrong with it. */
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

/** An error lies in this value itself. */
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

/** The report for a file that is not even read. */
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
