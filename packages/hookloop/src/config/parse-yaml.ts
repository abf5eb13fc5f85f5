import type { Alias, Document, LineCounter, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import type { Diagnostic, Place } from "../diagnostic.ts";
import { type ConfigNode, type ConfigProperty, MAX_BYTES, MAX_DEPTH, type ParsedText, tooLarge } from "./parse-json.ts";

interface YamlText {
  readonly text: string;
  readonly file: string;
  readonly linesBefore: number;
}

type Yaml = typeof import("yaml");
type AnyNode = Node | Alias | Scalar | YAMLMap | YAMLSeq | null | undefined;

interface Conversion {
  readonly yaml: Yaml;
  readonly placeOf: (offset: number) => Place;
  readonly diagnostics: Diagnostic[];
}

/** Loaded only here: most sessions read no YAML at all. */
export async function loadYaml(): Promise<Yaml> {
  return named(await import("yaml"));
}

/** In a bundle the package has only a default export: it is CommonJS. */
export function named(loaded: Yaml & { readonly default?: Yaml }): Yaml {
  return "LineCounter" in loaded ? loaded : (loaded as { readonly default: Yaml }).default;
}

/** A whole file of YAML. */
export async function parseYaml(text: YamlText): Promise<ParsedText> {
  if (text.text.length > MAX_BYTES || Buffer.byteLength(text.text) > MAX_BYTES) return { diagnostics: [tooLarge(text.file)] };
  return parseYamlWith(await loadYaml(), text);
}

/** Parses YAML into the same tree as JSON. After a syntax error nothing of it is used: indentation leaves too much to guess. */
function parseYamlWith(yaml: Yaml, { text, file, linesBefore }: YamlText): ParsedText {
  const lines = new yaml.LineCounter();
  const placeOf = (offset: number): Place => placeIn(lines, { offset, file, linesBefore });
  if (isYamlTooDeep(text, (source) => new yaml.Lexer().lex(source))) return { diagnostics: [tooDeep(placeOf(0))] };
  try {
    const document = composeUpToError(yaml, text, lines);
    if (!document || document.contents === null) return { diagnostics: [] };
    const diagnostics: Diagnostic[] = [];
    const root = convert(document.contents as AnyNode, { yaml, placeOf, diagnostics }, 0);
    return diagnostics.length > 0 ? { diagnostics } : { root, diagnostics };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { diagnostics: [syntaxDiagnostic(error, placeOf)] };
    // A caller deep in its own stack leaves less of it; nothing else makes the parser throw.
    if (error instanceof RangeError) return { diagnostics: [tooDeep(placeOf(0))] };
    throw error;
  }
}

class SyntaxProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Where an error is, in the three ways in which the parser says it. */
type ErrorSource = number | readonly [number, number] | { readonly offset: number };

/**
 * The one document of a text. SECURITY: the first error ends it. A text of 64 KiB can have as many errors, and to collect them takes seconds,
 * of which one head after the other would make minutes.
 */
function composeUpToError(yaml: Yaml, text: string, lines: LineCounter): Document | undefined {
  const composer = new yaml.Composer({ uniqueKeys: false, prettyErrors: false });
  let problem: SyntaxProblem | undefined;
  const stop = (source: ErrorSource, _code: string, message: string, isWarning?: boolean): void => {
    const offset = typeof source === "number" ? source : "offset" in source ? source.offset : source[0];
    if (isWarning === true) return;
    // The composer catches what is thrown, and comes here again with it, one level further out each time.
    problem ??= new SyntaxProblem(message, offset);
    throw problem;
  };
  Object.assign(composer, { onError: stop });
  let first: Document | undefined;
  const take = (documents: Iterable<Document>): void => {
    for (const document of documents) {
      const [error] = document.errors;
      if (error) throw new SyntaxProblem(error.message, error.pos[0]);
      if (first) throw new SyntaxProblem("Only one document can stand here", document.range?.[0] ?? 0);
      first = document;
    }
  };
  for (const token of new yaml.Parser(lines.addNewLine).parse(text)) {
    if (token.type === "error") throw new SyntaxProblem(token.message, token.offset);
    take(composer.next(token));
  }
  take(composer.end(true, text.length));
  return first;
}

function syntaxDiagnostic({ message, offset }: SyntaxProblem, placeOf: (offset: number) => Place): Diagnostic {
  const text = `${message}. Fix it: what it belongs to is not used until then.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place: placeOf(offset) };
}

function convert(node: AnyNode, conversion: Conversion, depth: number): ConfigNode {
  const { yaml, placeOf, diagnostics } = conversion;
  const place = placeOf(node?.range?.[0] ?? 0);
  const base = { place, isBroken: false };
  if (depth > MAX_DEPTH) diagnostics.push(tooDeep(place));
  if (depth > MAX_DEPTH || !node) return { ...base, type: "null", value: null };
  if (yaml.isMap(node)) return { ...base, type: "object", properties: node.items.map((pair) => convertPair(pair, conversion, depth)) };
  if (yaml.isSeq(node)) {
    const items = node.items.map((item) => convert(item as AnyNode, conversion, depth + 1));
    return { ...base, type: "list", items, isConfused: false };
  }
  // SECURITY: aliases are never followed, so a few lines cannot grow into millions.
  if (yaml.isAlias(node)) diagnostics.push(aliasFound(node.source, place));
  return scalar(yaml.isScalar(node) ? node.value : null, base);
}

function convertPair(pair: Pair, conversion: Conversion, depth: number): ConfigProperty {
  const key = pair.key as AnyNode;
  const name = conversion.yaml.isScalar(key) ? String(key.value) : "";
  const place = conversion.placeOf(key?.range?.[0] ?? 0);
  return { key: name, place, value: convert(pair.value as AnyNode, conversion, depth + 1) };
}

function scalar(value: unknown, base: { readonly place: Place; readonly isBroken: boolean }): ConfigNode {
  if (typeof value === "string") return { ...base, type: "text", value };
  if (typeof value === "number") return { ...base, type: "number", value };
  if (typeof value === "boolean") return { ...base, type: "boolean", value };
  return { ...base, type: "null", value: null };
}

function placeIn(lines: LineCounter, at: { readonly offset: number; readonly file: string; readonly linesBefore: number }): Place {
  const { line, col } = lines.linePos(at.offset);
  return { file: at.file, line: Math.max(line, 1) + at.linesBefore, column: Math.max(col, 1) };
}

function tooDeep(place: Place): Diagnostic {
  const text = `More than ${MAX_DEPTH} maps and lists stand inside each other here; the text is not read.`;
  return { code: "HL_CONFIG_TOO_DEEP", level: "error", text, place };
}

function aliasFound(name: string, place: Place): Diagnostic {
  const text = `The alias *${name} is not followed in configuration. Write the value out.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place };
}

/** Collections inside each other in flow form, and indicators in a row (`- - - x`) in block form. */
const MAX_NESTED = 64;
/** Block collections nest by columns; more than this is no frontmatter. */
const MAX_INDENT = 200;
const CLOSERS: Readonly<Record<string, string>> = { "[": "]", "{": "}" };
const INDICATORS = ["-", "?", ":"];

/**
 * Whether a text nests too deep for the YAML parser, found from its tokens, without recursion.
 * SECURITY: the parser is recursive, and at some thousand levels it does not throw: Node itself aborts (measured, Node 20, yaml 2.9.1).
 */
function isYamlTooDeep(text: string, lex: (text: string) => Iterable<string>): boolean {
  // A block collection inside another needs a column, so indentation bounds them all.
  if (longestIndent(text) > MAX_INDENT) return true;
  const open: string[] = [];
  let run = 0;
  for (const token of lex(text)) {
    const closer = CLOSERS[token];
    if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    if (INDICATORS.includes(token)) run++;
    else if (token.trim() !== "") run = 0;
    if (open.length > MAX_NESTED || run > MAX_NESTED) return true;
  }
  return false;
}

function longestIndent(text: string): number {
  const indents = text.match(/^(?:[ \t]|[-?:](?=[ \t]))+/gm) ?? [];
  return indents.reduce((longest, { length }) => Math.max(longest, length), 0);
}

// Takes the head of a Markdown file (what stands between its `---` lines); gives its keys, each with its place.
// People write heads by hand, and other programs read them kindly: `argument-hint: [a] [b]` and `description: Use when: …` are no YAML, and
// meant as text. So a head that is no YAML as a whole is read key by key. Refuses nothing as a whole but what nests too deep.

export interface Head {
  readonly properties: readonly ConfigProperty[];
  readonly ofHooks: readonly Diagnostic[];
  readonly ofOthers: readonly Diagnostic[];
  /** Text that holds hooks and could not be read. */
  readonly lostHooks: readonly { readonly text: string; readonly place: Place; readonly why: string }[];
}

/** A key at the left margin with everything that belongs to it; or lines that belong to none. */
interface Part {
  readonly key: string | undefined;
  readonly value: string;
  readonly text: string;
  readonly at: number;
}

const KEY = /^(?:"([^"\n]+)"|'([^'\n]+)'|([^\s#&*!|>'"%@`{}[\],?:-][^:#]*?|-[^\s:]+?))[ \t]*:(?=[ \t\r]|$)/;
const BELONGS = /^(?:[ \t]|-[ \t\r]|-$|#|\r?$)/;
const HOOKS = /^[ \t]*["']?hooks["']?[ \t]*:/m;

export function parseHead(yaml: Yaml, head: YamlText): Head {
  const whole = parseYamlWith(yaml, head);
  if (whole.root?.type === "object") return { properties: whole.root.properties, ofHooks: [], ofOthers: whole.diagnostics, lostHooks: [] };
  if (!whole.root && whole.diagnostics.length === 0) return NOTHING;
  if (whole.diagnostics.some(({ code }) => code === "HL_CONFIG_TOO_DEEP")) return lost(head, whole.diagnostics);
  const parts = partsOf(head.text);
  // SECURITY: each is parsed on its own; a head of thousands would take as many parsers.
  if (parts.length > MOST_PARTS) return lost(head, [whole.diagnostics[0] ?? unknownLines(head)]);
  return join(parts.map((part) => readPart(yaml, head, part)));
}

/** Keys of a head that is no YAML. */
const MOST_PARTS = 200;

const NOTHING: Head = { properties: [], ofHooks: [], ofOthers: [], lostHooks: [] };

function join(heads: readonly Head[]): Head {
  return {
    properties: heads.flatMap(({ properties }) => properties),
    ofHooks: heads.flatMap(({ ofHooks }) => ofHooks),
    ofOthers: heads.flatMap(({ ofOthers }) => ofOthers),
    lostHooks: heads.flatMap(({ lostHooks }) => lostHooks),
  };
}

function partsOf(text: string): readonly Part[] {
  const parts: { key: string | undefined; value: string; lines: string[]; at: number }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const found = KEY.exec(line);
    const last = parts.at(-1);
    if (found) {
      const key = found[1] ?? found[2] ?? found[3] ?? "";
      parts.push({ key, value: line.slice(found[0].length).trim(), lines: [line], at });
    } else if (last && (last.key === undefined || BELONGS.test(line))) last.lines.push(line);
    else if (line.trim() !== "" && !line.startsWith("#")) parts.push({ key: undefined, value: "", lines: [line], at });
  }
  return parts.map(({ lines, ...part }) => ({ ...part, text: lines.join("\n") }));
}

function readPart(yaml: Yaml, { file, linesBefore }: YamlText, part: Part): Head {
  const { key, value, text } = part;
  const own: YamlText = { text, file, linesBefore: linesBefore + part.at };
  if (key === undefined) return lost(own, [unknownLines(own)]);
  const { root, diagnostics } = parseYamlWith(yaml, own);
  if (root?.type === "object" && root.properties.length === 1) return { ...NOTHING, properties: root.properties };
  // A value that begins beside its key and is no YAML is meant as text; hooks never are.
  const isText = value !== "" && key !== "hooks" && !HOOKS.test(text.slice(text.indexOf("\n") + 1 || text.length));
  if (isText) return { ...NOTHING, properties: [asText(key, part, own)] };
  // Errors that follow from the first one do not help.
  const [first = unknownLines(own)] = diagnostics;
  return lost(own, [{ ...first, text: `"${key}" cannot be read: ${first.text}` }]);
}

function asText(key: string, { value, text }: Part, own: YamlText): ConfigProperty {
  const more = text
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
  const place = startOf(own);
  const whole = [value, ...more].filter((line) => line !== "" && !line.startsWith("#")).join(" ");
  const node: ConfigNode = { type: "text", value: whole, place, isBroken: false };
  return { key, place, value: node };
}

/** It is said, and as an error if there are hooks in it. */
function lost(own: YamlText, diagnostics: readonly Diagnostic[]): Head {
  if (!HOOKS.test(own.text)) return { ...NOTHING, ofOthers: diagnostics.map((one) => ({ ...one, level: "warning" as const })) };
  const why = diagnostics[0]?.text ?? "it is not YAML";
  return { ...NOTHING, ofHooks: diagnostics, lostHooks: [{ text: own.text, place: diagnostics[0]?.place ?? startOf(own), why }] };
}

function startOf({ file, linesBefore }: YamlText): Place {
  return { file, line: linesBefore + 1, column: 1 };
}

function unknownLines(own: YamlText): Diagnostic {
  const text = `These lines are neither "key: value" nor part of a key, and are left out: ${JSON.stringify(own.text.trim().slice(0, 80))}.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place: startOf(own) };
}
