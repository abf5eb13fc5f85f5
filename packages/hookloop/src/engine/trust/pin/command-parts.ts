// Takes a command line as a hook declares it; gives the files and programs it names, as far as reading can tell, and what reading cannot tell.
// Refuses to guess: a word that only the running shell knows is said to be so.
import { randomBytes } from "node:crypto";
import path from "node:path";
import { readCommand, type ShellCommand, UNKNOWN } from "../../../shell/index.ts";
import { importedFiles, inlineLoadsOthers } from "./loads-others.ts";
import { INLINE_OPTION, isBuiltin, isDataProgram, isFetcher, isInterpreter } from "./programs.ts";

/** A word that may be a file. */
export interface NamedFile {
  /** As the hook's own folder sees it; relative unless a variable or the author made it absolute. */
  readonly path: string;
  /** `script`: it is what runs, so it should be there. `program`: an interpreter by its path. */
  readonly role: "script" | "argument" | "program";
}

export interface CommandParts {
  readonly files: readonly NamedFile[];
  /** Names that are looked up in `PATH`. */
  readonly programs: readonly string[];
  readonly unresolved: readonly string[];
  /** Interpreters whose script is one of the words behind them: at least one of `scripts` should be there. */
  readonly interpreted: readonly { readonly program: string; readonly scripts: readonly string[] }[];
}

type Variables = Readonly<Record<string, string>>;

interface Parts {
  readonly files: NamedFile[];
  readonly programs: Set<string>;
  readonly unresolved: Set<string>;
  readonly interpreted: { readonly program: string; readonly scripts: readonly string[] }[];
}

/** What a shell line, or with `args` a program and its arguments, names. */
export function commandParts(
  line: { readonly command: string; readonly args?: readonly string[] | undefined },
  known: Variables,
): CommandParts {
  const parts: Parts = { files: [], programs: new Set(), unresolved: new Set(), interpreted: [] };
  const text = line.args === undefined ? line.command : [line.command, ...line.args].map(quoted).join(" ");
  const { marked, unmark } = markVariables(text, known, line.args !== undefined);
  const { commands, doubts } = readCommand(marked);
  for (const doubt of doubts) parts.unresolved.add(unmark(doubt.text));
  for (const command of commands) readParts(parts, command, unmark);
  return { files: parts.files, programs: [...parts.programs], unresolved: [...parts.unresolved], interpreted: parts.interpreted };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Puts a mark where the value of a known variable will stand: the value itself could be read as shell syntax. */
function markVariables(
  text: string,
  known: Variables,
  isArgv: boolean,
): { readonly marked: string; readonly unmark: (text: string) => string } {
  // SECURITY: a command that sets such a name itself means another value by it.
  const names = Object.keys(known).filter((name) => !new RegExp(`(?<![\\w$]|\\$\\{)${name}\\b`).test(text));
  const mark = `HLV${randomBytes(8).toString("hex")}x`;
  const place = (name: string): string => `${mark}${names.indexOf(name)}x`;
  const pattern = isArgv ? /\$\{(\w+)\}/g : /\$(?:\{(\w+)\}|(\w+))/g;
  const replaced = text.replace(pattern, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    return names.includes(name) ? place(name) : whole;
  });
  const withHome =
    isArgv || !names.includes("HOME")
      ? replaced
      : replaced.replace(/(^|[\s=:;&|(])~(?=\/)/g, (_, before: string) => `${before}${place("HOME")}`);
  const unmark = (word: string): string =>
    word.replace(new RegExp(`${mark}(\\d+)x`, "g"), (_, index: string) => known[names[Number(index)] ?? ""] ?? "");
  return { marked: withHome, unmark };
}

function readParts(parts: Parts, command: ShellCommand, unmark: (text: string) => string): void {
  const words = command.words.map((word) => ({ source: unmark(word.source), text: isHome(word.source) ? UNKNOWN : unmark(word.text) }));
  const [name, ...operands] = words.map(({ text }) => text);
  const folder = command.folder === undefined ? "" : unmark(command.folder);
  const at = (word: string): string => (folder === "" || path.isAbsolute(word) ? word : path.join(folder, word));
  readEnvironment(parts, command, (word) => at(unmark(word)));
  if (name?.includes(UNKNOWN)) parts.unresolved.add(`${words[0]?.source} is known only at run time`);
  if (name === undefined || name.includes(UNKNOWN)) return;
  if (folder.includes(UNKNOWN)) parts.unresolved.add("it runs in a folder that is known only at run time");
  const program = path.basename(name);
  if (name === "." || name === "source")
    return void parts.files.push(...literal(operands).map((word) => ({ path: at(word), role: "script" }) as const));
  if (name.includes("/")) parts.files.push({ path: at(name), role: isInterpreter(program) ? "program" : "script" });
  else if (!isBuiltin(name)) parts.programs.add(name);
  if (isDataProgram(program)) return;
  if (isFetcher(program)) parts.unresolved.add(`${program} runs code that its arguments only name`);
  readOperands(parts, { command, words: words.slice(1), at, unmark });
  if (isInterpreter(program)) readInterpreter(parts, { program, operands, at, hasInput: command.stdin?.kind === "text" });
}

interface Operands {
  readonly command: ShellCommand;
  readonly words: readonly { readonly text: string; readonly source: string }[];
  readonly at: (word: string) => string;
  readonly unmark: (text: string) => string;
}

/** Another user's home, or one's own after the command has changed what that means. */
function isHome(source: string): boolean {
  return source.startsWith("~");
}

function readOperands(parts: Parts, { command, words, at, unmark }: Operands): void {
  for (const { text, source } of words) if (text.includes(UNKNOWN)) parts.unresolved.add(`${source} is known only at run time`);
  const inputs = command.redirects.filter(({ operator }) => operator === "<").map(({ target }) => unmark(target.text));
  for (const word of literal([...words.map(({ text }) => text), ...inputs])) {
    // `--require=./x.js` names a file, too.
    const value = /^-[\w-]+=(.+)$/s.exec(word)?.[1];
    for (const one of value === undefined ? [word] : [value]) parts.files.push({ path: at(one), role: "argument" });
  }
}

/** Folders in which an interpreter looks for code. */
const SEARCH_PATHS = /^(?:PATH|PYTHONPATH|PYTHONHOME|NODE_PATH|RUBYLIB|PERL5LIB|CLASSPATH|LUA_PATH|LD_LIBRARY_PATH)$/;

function readEnvironment(parts: Parts, command: ShellCommand, at: (word: string) => string): void {
  for (const { name, value } of assignmentsOf(command)) {
    if (SEARCH_PATHS.test(name)) parts.unresolved.add(`it sets ${name}, so what it runs is found elsewhere`);
    if (value === "" || value.includes(UNKNOWN)) continue;
    // NODE_OPTIONS, LD_PRELOAD and their like bring code by a variable.
    for (const word of value.split(/[\s:]+/)) parts.files.push({ path: at(word.replace(/^-[\w-]+=/, "")), role: "argument" });
  }
}

/** `NAME=value` before a command, and `export NAME=value`. */
function assignmentsOf({ assignments, words }: ShellCommand): readonly { readonly name: string; readonly value: string }[] {
  const before = assignments.map(({ name, value }) => ({ name, value: value.text }));
  if (!/^(?:export|declare|typeset)$/.test(words[0]?.text ?? "")) return before;
  const exported = words.slice(1).flatMap(({ text }) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  return [...before, ...exported];
}

interface Interpreter {
  readonly program: string;
  readonly operands: readonly string[];
  readonly at: (word: string) => string;
  readonly hasInput: boolean;
}

function readInterpreter(parts: Parts, { program, operands, at, hasInput }: Interpreter): void {
  // Inline code is part of the definition, and so is a here-document.
  const inline = operands.findIndex((word) => INLINE_OPTION.test(word));
  if (inline !== -1) readInline(parts, { program, code: operands.slice(inline).join("\n"), at });
  if (inline !== -1 || hasInput) return;
  if (/^python/.test(program) && operands.some((word) => /^-[a-zA-Z]*m$/.test(word))) {
    parts.unresolved.add(`${program} -m runs a module that is found only at run time`);
    return;
  }
  const scripts = literal(operands).filter((word) => !word.startsWith("-"));
  parts.interpreted.push({ program, scripts: scripts.map(at) });
}

interface InlineCode {
  readonly program: string;
  readonly code: string;
  readonly at: (word: string) => string;
}

function readInline(parts: Parts, { program, code, at }: InlineCode): void {
  if (inlineLoadsOthers(program, code)) parts.unresolved.add(`the code that ${program} is given loads other files`);
  // SECURITY: a file of this name in the hook's folder is loaded in place of a module of the language, also if it appears later.
  if (/^python/.test(program)) parts.files.push(...importedFiles(code).map((file) => ({ path: at(file), role: "argument" }) as const));
}

function literal(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== "" && !word.includes(UNKNOWN));
}
