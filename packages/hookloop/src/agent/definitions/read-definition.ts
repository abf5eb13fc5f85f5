import { createRequire } from "node:module";
import { named, parseHead, plainValue } from "../../config/index.ts";
import { readWithin, type Within } from "../../permissions/index.ts";

/** A Markdown file with a head: a subagent's type, a skill or a slash command. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** What stands below the head. */
  readonly body: string;
  readonly file: string;
  readonly scope: "user" | "project" | "plugin";
  /** The head as written, with its `---` lines, for the hooks in it; empty if there is none. */
  readonly head: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What could not be read of the head, for people. */
  readonly problems?: readonly string[] | undefined;
}

const LARGEST_FILE = 1024 * 1024;
/** SECURITY: a parser of YAML takes a second for a megabyte, and there may be any number of files. */
const LARGEST_HEAD = 64 * 1024;
const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Letters that all heads of one origin may have together. */
export interface HeadBudget {
  left: number;
}

export const ALL_HEADS: number = 512 * 1024;

interface ReadDefinition extends Pick<Definition, "name" | "scope"> {
  readonly within?: Within | undefined;
  readonly budget: HeadBudget;
}

/** Reads one. Throws with words for people if it cannot. */
export function readDefinition(file: string, { name, scope, within, budget }: ReadDefinition): Definition {
  const text = readText(file, within);
  const match = HEAD.exec(text);
  const head = match?.[0] ?? "";
  // What it says about tools would be lost, so it is not used without it.
  if (head.length > LARGEST_HEAD) throw new Error(`${file} is not used: its head is longer than ${LARGEST_HEAD / 1024} KiB`);
  budget.left -= head.length;
  if (budget.left < 0)
    throw new Error(`${file} is not used: the heads of all files there are longer than ${ALL_HEADS / 1024} KiB together`);
  const { fields, problems } = head === "" ? { fields: {}, problems: [] } : readHead(match?.[1] ?? "", file);
  const body = match ? text.slice(match[0].length) : text;
  return {
    name: stringField(fields, "name") ?? name,
    description: stringField(fields, "description") ?? firstLine(body),
    body: body.trim(),
    file,
    scope,
    head,
    fields,
    problems,
  };
}

function readText(file: string, within: Within | undefined): string {
  const found = readWithin(file, { within, limit: LARGEST_FILE });
  if (found.kind === "read") return found.bytes.toString();
  if (found.kind === "outside") throw new Error(outsideText(file, found.target));
  if (found.kind === "too-large") throw new Error(`${file} is larger than ${LARGEST_FILE} bytes`);
  const why = found.kind === "missing" ? "it is not there" : found.why;
  throw new Error(`${file} cannot be read: ${why}`);
}

/** What is said of a file or folder that is a link to somewhere else. */
export function outsideText(file: string, target: string): string {
  return `${file} is not read: it leads outside of the project or plugin it belongs to, to ${target}. Copy what you need into it.`;
}

/** A list in a head: `tools: Read, Grep` or a YAML list. */
export function listField(fields: Definition["fields"], name: string): readonly string[] | undefined {
  const value = fields[name];
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== "string") return undefined;
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

export function stringField(fields: Definition["fields"], name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The fields of a head, and what is wrong with it; what is wrong with its hooks is said when they are put into force. */
function readHead(text: string, file: string): { readonly fields: Definition["fields"]; readonly problems: readonly string[] } {
  // Loaded with the first head that is found: most projects have none.
  const yaml = named(createRequire(import.meta.url)("yaml"));
  const { properties, ofOthers } = parseHead(yaml, { text, file, linesBefore: 1 });
  const fields = properties.flatMap(({ key, value }) => (value ? [[key, plainValue(value)] as const] : []));
  const problems = ofOthers.map((one) => `${one.text} (${file}:${one.place?.line ?? 1})`);
  // SECURITY: fromEntries defines own properties, so a `__proto__` key stays data.
  return { fields: Object.fromEntries(fields), problems };
}

function firstLine(body: string): string {
  return (
    body
      .trim()
      .split("\n", 1)[0]
      ?.replace(/^#+\s*/, "") ?? ""
  );
}
