/**
 * Takes a tool call. Gives what it would do, whatever the tool is called: the shell commands it runs, the files it reads and writes, the text
 * it writes. Guards judge this, so that a write through `sed -i`, `python -c` or a file tool of an MCP server is a write.
 */

import { resolve } from "node:path";
import type { EventInputs, ToolName } from "@hookloop/sdk";
import { calledElsewhere, TOOLS } from "../catalogue/index.ts";
import { isObject } from "../check-options.ts";
import { COMMAND_FIELD, callFacts, callsOfKind, commandText, PATH_FIELD, pathTexts, touchedFiles } from "../permissions/index.ts";
import { readingOf, type ShellReading } from "../shell/index.ts";

export interface CallEffect {
  readonly commands: readonly ShellEffect[];
  /** Files that a file tool names. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What lands in files, as far as the input has it. */
  readonly texts: readonly string[];
}

type Touched = ReturnType<typeof touchedFiles>[number];

export interface ShellEffect {
  readonly command: string;
  readonly reading: ShellReading;
  readonly touched: readonly Touched[];
  /** The call as rules about files are asked. */
  readonly facts: ReturnType<typeof callFacts>;
}

type Call = Pick<EventInputs["PreToolUse"], "tool_name" | "tool_input" | "cwd">;

/** `read`: how a command becomes a reading, for a guard that leaves some commands out of account. */
export function effectOf(given: Call, home: string, read: (text: string) => ShellReading = readingOf): CallEffect {
  const { tool_input, cwd } = given;
  const { commands, reads, writes } = namesOf(given, home);
  return {
    commands: [...commands].map((command) => {
      const facts = callFacts({ tool: "Bash", input: { command }, cwd, root: cwd, home, read });
      return { command, reading: read(command), touched: touchedFiles(facts), facts };
    }),
    reads: [...reads].map((file) => resolve(cwd, file)),
    writes: [...writes].map((file) => resolve(cwd, file)),
    texts: writes.size > 0 ? textsIn(tool_input) : [],
  };
}

/** Only the shell commands that it runs. */
export function commandsOf(call: Call, home: string): readonly string[] {
  return [...namesOf(call, home).commands];
}

function namesOf({ tool_name: tool, tool_input: input, cwd }: Call, home: string): Found {
  const call = { tool, input, cwd, root: cwd, home };
  const found: Found = {
    commands: new Set(callsOfKind("shell", call).flatMap(({ input: { command } }) => commandText(command))),
    reads: new Set(callsOfKind("file.read", call).flatMap(searchedOrRead)),
    writes: new Set(callsOfKind("file.write", call).flatMap(namedBy)),
  };
  if (!Object.hasOwn(TOOLS, tool)) addMeant(tool, input, found);
  return found;
}

interface Facts {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
}

function namedBy({ tool, input }: Facts): readonly string[] {
  const field = TOOLS[tool].rule?.field;
  return field === undefined ? [] : pathTexts(input[field]);
}

/** A search names what it looks through, and its pattern the files that it shows. */
function searchedOrRead(facts: Facts): readonly string[] {
  const { glob, path = "." } = facts.input;
  if (typeof glob !== "string" || typeof path !== "string") return namedBy(facts);
  // `{.env*,*.pem}`: each as the shortest name that it fits.
  return [...namedBy(facts), ...glob.split(/[{},]/).map((one) => `${path}/${one.replaceAll("*", "")}`)];
}

interface Found {
  readonly commands: Set<string>;
  readonly reads: Set<string>;
  readonly writes: Set<string>;
}

const RUNS = /(?:^|[_-])(?:run|exec|execute|eval|shell|bash|terminal|command|cmd|sh|process|code|python|repl|script)(?:$|[_-])/i;
/** Code of a language that the tool knows: it is looked into for the files that it names. */
const CODE_FIELD = /^(?:code|source_?code|python_?code|expression|snippet)$/i;
const WRITES =
  /write|edit|create|save|append|delete|remove|unlink|move|rename|copy|patch|replace|insert|modify|update|upload|download|put|mkdir|make|touch|truncate|extract|export|set/i;
/** What takes a file along gives it to whoever may read the other place. */
const READS_TOO = /move|rename|copy|upload|view|read|show/i;

/** A tool of an MCP server or of the program: its fields say which files, its name whether it changes them. */
function addMeant(tool: string, input: unknown, { commands, reads, writes }: Found): void {
  const name = tool.replace(/^mcp__.*?__(?=.)/, "");
  const known = calledElsewhere(name);
  const kind = known && TOOLS[known].kind;
  const isShell = kind === "shell" || RUNS.test(name);
  const isWrite = kind === undefined ? WRITES.test(name) : kind === "file.write";
  walk(input, (field, value) => {
    if (isShell) for (const text of commandTexts(field, value)) commands.add(text);
    for (const file of PATH_FIELD.test(field) ? pathTexts(value).filter(mayBePath) : []) {
      if (isWrite) writes.add(file);
      if (!isWrite || READS_TOO.test(name)) reads.add(file);
    }
  });
}

function commandTexts(field: string, value: unknown): readonly string[] {
  if (CODE_FIELD.test(field) && typeof value === "string") return [`python3 -c ${commandText([value])[0]}`];
  return COMMAND_FIELD.test(field) && field !== "args" ? commandText(value) : [];
}

function mayBePath(text: string): boolean {
  return text.length < MAX_PATH && !text.includes("\n") && !/^[a-z][a-z\d+.-]+:\/\//i.test(text);
}

const MAX_PATH = 4096;
const MAX_DEPTH = 4;

function walk(value: unknown, see: (field: string, value: unknown) => void, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) walk(item, see, depth + 1);
  else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value)) {
      see(field, inner);
      walk(inner, see, depth + 1);
    }
  }
}

/** What is looked for in the file is there already. */
const NOT_WRITTEN =
  /^(?:old|search|find|original|before)(?:_?(?:str|string|text|content|code))?$|^(?:description|explanation|instructions?)$/i;

function textsIn(input: unknown): readonly string[] {
  const texts: string[] = [];
  walk(input, (field, value) => {
    if (typeof value === "string" && !NOT_WRITTEN.test(field)) texts.push(value);
  });
  return texts;
}
