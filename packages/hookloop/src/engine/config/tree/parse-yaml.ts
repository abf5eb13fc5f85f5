import type { Alias, Document, LineCounter, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import type { Diagnostic, Place } from "../../../diagnostic.ts";
import type { ConfigNode, ConfigProperty } from "./config-node.ts";
import { MAX_DEPTH } from "./limits.ts";
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
  const text = `More than ${MAX_DEPTH} maps and lists stand inside each other here; the frontmatter is not read.`;
  return { code: "HL_CONFIG_TOO_DEEP", level: "error", text, place };
}

function aliasFound(name: string, place: Place): Diagnostic {
  const text = `The alias *${name} is not followed in configuration. Write the value out.`;
  return { code: "HL_CONFIG_INVALID_YAML", level: "error", text, place };
}
