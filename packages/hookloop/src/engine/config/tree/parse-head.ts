// Takes the head of a Markdown file (what stands between its `---` lines); gives its keys, each with its place.
// People write heads by hand, and other programs read them kindly: `argument-hint: [a] [b]` and `description: Use when: …` are no YAML, and
// meant as text. So a head that is no YAML as a whole is read key by key. Refuses nothing as a whole but what nests too deep.
import type { Diagnostic, Place } from "../../../diagnostic.ts";
import type { ConfigNode, ConfigProperty } from "./config-node.ts";
import { parseYamlWith, type Yaml, type YamlText } from "./parse-yaml.ts";

export interface Head {
  readonly properties: readonly ConfigProperty[];
  /** What could not be read of its hooks. */
  readonly ofHooks: readonly Diagnostic[];
  /** What could not be read of everything else. */
  readonly ofOthers: readonly Diagnostic[];
  /** Text that holds hooks and could not be read. */
  readonly lostHooks: readonly { readonly text: string; readonly place: Place; readonly why: string }[];
}

/** A key at the left margin with everything that belongs to it; or lines that belong to none. */
interface Part {
  readonly key: string | undefined;
  /** Of the first line, behind the colon. */
  readonly value: string;
  readonly text: string;
  /** Lines of the head before it. */
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
  // What follows from the first mistake helps nobody.
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
