import type { Alias, Document, LineCounter, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import type { Diagnostic, Place } from "../../../diagnostic.ts";
import type { ConfigNode, ConfigProperty } from "./config-node.ts";
import { MAX_DEPTH, MAX_SYNTAX_ERRORS } from "./limits.ts";
import type { ParsedText } from "./parse-json.ts";
import { isYamlTooDeep } from "./yaml-depth.ts";

export interface YamlText {
  readonly text: string;
  readonly file: string;
  /** Lines of the file before the text. */
  readonly linesBefore: number;
}

export type Yaml = typeof import("yaml");
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

/** Parses YAML into the same tree as JSON. After a syntax error nothing of it is used: indentation leaves too much to guess. */
export function parseYamlWith(yaml: Yaml, { text, file, linesBefore }: YamlText): ParsedText {
  const lines = new yaml.LineCounter();
  const placeOf = (offset: number): Place => placeIn(lines, { offset, file, linesBefore });
  if (isYamlTooDeep(text, (source) => new yaml.Lexer().lex(source))) return { diagnostics: [tooDeep(placeOf(0))] };
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
    if (document.errors.length > 0) return { diagnostics: syntaxDiagnostics(document, placeOf) };
    if (document.contents === null) return { diagnostics: [] };
    const diagnostics: Diagnostic[] = [];
    const root = convert(document.contents as AnyNode, { yaml, placeOf, diagnostics }, 0);
    return diagnostics.length > 0 ? { diagnostics } : { root, diagnostics };
  } catch (error) {
    // A caller deep in its own stack leaves less of it; nothing else makes the parser throw.
    if (error instanceof RangeError) return { diagnostics: [tooDeep(placeOf(0))] };
    throw error;
  }
}

function syntaxDiagnostics(document: Document, placeOf: (offset: number) => Place): Diagnostic[] {
  return document.errors.slice(0, MAX_SYNTAX_ERRORS).map(({ message, pos }): Diagnostic => {
    const text = `${message}. Fix it: what it belongs to is not used until then.`;
    return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place: placeOf(pos[0]) };
  });
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
  const text = `More than ${MAX_DEPTH} maps and lists stand inside each other here; the frontmatter is not read.`;
  return { code: "HL_CONFIG_TOO_DEEP", level: "error", text, place };
}

function aliasFound(name: string, place: Place): Diagnostic {
  const text = `The alias *${name} is not followed in configuration. Write the value out.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place };
}
