import { createRequire } from "node:module";
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
}

const LARGEST_FILE = 1024 * 1024;
const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Reads one. Throws with words for people if it cannot. */
export function readDefinition(
  file: string,
  { name, scope, within }: Pick<Definition, "name" | "scope"> & { readonly within?: Within | undefined },
): Definition {
  const text = readText(file, within);
  const match = HEAD.exec(text);
  const head = match?.[0] ?? "";
  const fields = head === "" ? {} : readHead(match?.[1] ?? "", file);
  const body = match ? text.slice(match[0].length) : text;
  return {
    name: stringField(fields, "name") ?? name,
    description: stringField(fields, "description") ?? firstLine(body),
    body: body.trim(),
    file,
    scope,
    head,
    fields,
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

function readHead(head: string, file: string): Readonly<Record<string, unknown>> {
  // Loaded with the first head that is found: most projects have none.
  const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  let value: unknown;
  try {
    value = parse(head, { maxAliasCount: 0, prettyErrors: true });
  } catch (error) {
    throw new Error(`the head of ${file} is not valid YAML: ${(error as Error).message}`);
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (value !== null && !isObject) throw new Error(`the head of ${file} is not a list of fields`);
  return (value ?? {}) as Record<string, unknown>;
}

function firstLine(body: string): string {
  return (
    body
      .trim()
      .split("\n", 1)[0]
      ?.replace(/^#+\s*/, "") ?? ""
  );
}
