import path from "node:path";
import { readCommand, type ShellCommand, type ShellReading, touchedPaths, UNKNOWN } from "../../../shell/index.ts";
import { type Family, familyOf, inlineIndex, isFetcher, isInterpreter, readsScriptFile } from "./programs.ts";

const EXTENSIONS: readonly (readonly [extension: RegExp, program: string])[] = [
  [/\.(?:sh|bash)$/, "bash"],
  [/\.(?:zsh|ksh)$/, "zsh"],
  [/\.[cm]?[jt]sx?$/, "node"],
  [/\.py[cw]?$/, "python"],
  [/\.rb$/, "ruby"],
  [/\.p[lm]$/, "perl"],
  [/\.php$/, "php"],
  [/\.lua$/, "lua"],
  [/\.awk$/, "awk"],
  [/\.tcl$/, "tclsh"],
];

const JAVASCRIPT =
  /["'`](?:\.{1,2}\/|#\w)|\b(?:import|require)\s*\(\s*[^"'`\s)]|\b(?:__dirname|__filename|createRequire|_load|_compile|eval|runIn\w+|compileFunction|WebAssembly|dlopen)\b|\bFunction\s*\(|\bvm\b|\bimport\.meta\b|\bprocess\.cwd\b|\b(?:import|require)\s*\(\s*["'`][^"'`]*[\uFFFF$]|\bPATH["']?\s*[:=]/;

/** Code on a command line that brings in more, by its words or by options such as `-Mlib=…`. */
const INLINE: Readonly<Record<Family, (text: string) => boolean>> = {
  // The reader has looked into code of shells already.
  shell: () => false,
  "other shell": () => false,
  javascript: (text) => loadsJavascript(text) || /^-[rC]|^--(?:require|import|loader|experimental-loader|env-file)/m.test(text),
  python: (text) => /\b(?:import|exec|eval|compile|open|runpy|__\w+__)\b/.test(text),
  awk: (text) => /@(?:include|load)\b|\bsystem\s*\(|\bgetline\b/.test(text),
  other: (text) => /^-[MmIrldC]|\b(?:use|require\w*|do|load\w*|include\w*|source|import|eval|exec|system|open)\b|[`|]/m.test(text),
};

function loadsJavascript(text: string): boolean {
  return JAVASCRIPT.test(text) || callsStartOthers(text);
}

export interface ScriptFile {
  readonly file: string;
  readonly text: string;
  /** It is started, or loaded, by its path. */
  readonly isScript: boolean;
  /** The interpreter that the command gives it to. */
  readonly program?: string | undefined;
}

/** Whether a shell or JavaScript file loads or runs other files of its own: a cheap look, which rather says yes. */
export function loadsOthers(script: ScriptFile): boolean {
  const program = interpreterOf(script);
  const family = program === undefined ? undefined : familyOf(program);
  return family === "shell" ? startsOthers(script.text) : family === "javascript" && loadsJavascript(script.text);
}

/** The same of code that is part of the command line. */
export function inlineLoadsOthers(program: string, words: readonly string[]): boolean {
  return INLINE[familyOf(program) ?? "other"](words.join("\n"));
}

/** `import x` is a file beside the script, or part of the language: only the folder can tell. */
export function importedModules(python: string): readonly string[] {
  const lists = [...python.matchAll(/(?:^|[;\n])[^\S\n]*(?:from\s+(\w+)|import\s+([\w., \t]+))/g)];
  const names = lists.flatMap(([, from, list = ""]) => (from === undefined ? list.split(",") : [from]));
  return [...new Set(names.map((name) => /^\s*(\w+)/.exec(name)?.[1] ?? "").filter(Boolean))].slice(0, 200);
}

/**
 * What runs a file: the interpreter that the command names, the one of its first line, or for what is started without either, the shell.
 * By its name only if it is a mere argument; nothing if it is data.
 */
export function interpreterOf({ file, text, isScript, program }: ScriptFile): string | undefined {
  if (program !== undefined) return program;
  const first = /^#![^\S\n]*(\S+)(?:[^\S\n]+([^\n]*))?/.exec(text);
  if (first) {
    const [, named = "", rest = ""] = first;
    // `env -S VAR=1 node -r x`: the first word that is neither an option nor a variable.
    const behind = path.basename(named) === "env" ? rest.split(/\s+/).find((word) => !/^-|=/.test(word)) : named;
    return path.basename(behind ?? named);
  }
  return isScript ? "sh" : EXTENSIONS.find(([extension]) => extension.test(file))?.[1];
}

/** Reading each takes time, and a script that starts so many is not one that can be known. */
const MAX_CALLS = 500;

/** `execFile("git", …)` starts a program of the machine; `execFile("bash", …)` and what is put together at run time may start anything. */
function callsStartOthers(text: string): boolean {
  if (!text.includes("child_process")) return false;
  const calls = [...text.matchAll(/\b(?:exec|spawn|fork)\w*\s*\(\s*(?:"([^"\\]*)"|'([^'\\]*)')?/g)];
  const isPlain = ([, double, single]: RegExpMatchArray): boolean => {
    const line = double ?? single;
    return line !== undefined && !isInterpreter(path.basename(line)) && !startsOthers(line);
  };
  return calls.length === 0 || calls.length > MAX_CALLS || !calls.every(isPlain);
}

let lastRead: { readonly text: string; readonly reading: ShellReading } | undefined;

/** The same script is asked about several things in a row, and is read once. */
export function readShell(text: string): ShellReading {
  if (lastRead?.text !== text) lastRead = { text, reading: readCommand(text) };
  return lastRead.reading;
}

/** An assignment that stands alone starts nothing itself, but decides what the next lines start. */
const SETS_FINDER =
  /(?:^|[\s;&|({])(?:PATH|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|CDPATH|LD_PRELOAD|LD_LIBRARY_PATH|PYTHON[A-Z]+|PERL5[A-Z]+|RUBY(?:OPT|LIB)|LUA_\w+|CLASSPATH|ZDOTDIR)\+?=/m;

function startsOthers(script: string): boolean {
  if (SETS_FINDER.test(script)) return true;
  const { commands, doubts } = readShell(script);
  return doubts.length > 0 || commands.some(startsFile);
}

/** Folders of the machine, as opposed to those of a project. */
const OF_THE_MACHINE = /^\/(?:bin|sbin|usr|opt|etc)\//;

function startsFile({ words, stdin }: ShellCommand): boolean {
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  if (name === "." || name === "source" || isFetcher(program)) return true;
  if (name.includes("/") && !OF_THE_MACHINE.test(name)) return true;
  // What awk and sed are given is code and data; only `-f` names a script.
  if (readsScriptFile(program, operands)) return true;
  if (familyOf(program) === "awk") return inlineLoadsOthers(program, operands);
  if (!isInterpreter(program)) return false;
  if (stdin?.kind === "text") return false;
  if (inlineIndex(program, operands) !== -1) return inlineLoadsOthers(program, operands);
  return operands.some((word) => word.includes(UNKNOWN) || !word.startsWith("-"));
}

/** A script that reads more by name is not one whose rules stand in a few files. */
const MAX_DATA = 20;
const READS_FILE = /\b(?:readFile(?:Sync)?|createReadStream|readJson(?:Sync)?)\s*\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)/g;
const WRITES_FILE = /\b(?:writ\w*|append\w*|createWriteStream|rm\w*|unlink\w*|rename\w*|copyFile\w*|cp\w*|open\w*)\s*\(/i;

/** Files of data that a shell or JavaScript file reads by a name in its text, and never changes: their paths, or how those end. */
export function readData(family: Family | undefined, text: string): readonly string[] {
  if (family === "shell") return readByShell(text);
  return family === "javascript" ? readByJavascript(text) : [];
}

function readByShell(text: string): readonly string[] {
  const touched = touchedPaths(readShell(text), { cwd: HERE, home: "/\u0000home" });
  const named = touched.flatMap(({ path: full, tail, isGlob, how }) => {
    const name = full?.startsWith(`${HERE}/`) ? full.slice(HERE.length + 1) : (full ?? tail);
    return name === undefined || isGlob ? [] : [{ name, isRead: how === "read" }];
  });
  const changed = new Set(named.filter(({ isRead }) => !isRead).map(({ name }) => path.basename(name)));
  const read = named.filter(({ name, isRead }) => isRead && !changed.has(path.basename(name)));
  return [...new Set(read.map(({ name }) => name))].slice(0, MAX_DATA);
}

/** Whether a shell text reads files by a pattern, so that one that appears is read as well. */
export function readsByPattern(text: string): boolean {
  if (/\bfor\s+\w+\s+in\b[^;\n]*[*?[]/.test(text)) return true;
  const placed = text.replaceAll(/"?\$\{?(?:CLAUDE|HOOKLOOP)_PROJECT_DIR(?::-[^{}]*)?\}?"?/g, ".");
  return touchedPaths(readShell(placed), { cwd: HERE, home: "/\u0000home" }).some(({ isGlob, how }) => isGlob && how === "read");
}

/** A folder that is not there: what is named from it is relative. */
const HERE = "/\u0000here";

function readByJavascript(text: string): readonly string[] {
  const literals = (code: string): readonly string[] =>
    [...code.matchAll(/(["'`])((?:(?!\1)[^\\\n$]){1,200})\1/g)].map(([, , name = ""]) => name);
  const changed = new Set(
    text
      .split("\n")
      .filter((line) => WRITES_FILE.test(line))
      .flatMap(literals)
      .map((name) => path.basename(name)),
  );
  const read = [...text.matchAll(READS_FILE)].map(([, inside = ""]) => {
    const parts = literals(inside).filter((name) => !/^(?:utf-?8|latin1|ascii|r\+?)$/i.test(name));
    return parts.length === 0 ? "" : path.join(...parts).replace(/^(?:\.\.\/)+/, "");
  });
  return [...new Set(read)].filter((name) => name !== "" && !changed.has(path.basename(name))).slice(0, MAX_DATA);
}
