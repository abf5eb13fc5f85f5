import { existsSync } from "node:fs";
import path from "node:path";
import { readCommand, type ShellCommand, UNKNOWN } from "../../../shell/index.ts";
import { INLINE_OPTION, isFetcher, isInterpreter } from "./programs.ts";

type Language = "shell" | "javascript" | "python" | "ruby" | "perl" | "php";

const LANGUAGES: readonly (readonly [Language, extension: RegExp, interpreter: RegExp])[] = [
  ["shell", /\.(?:sh|bash|zsh|ksh)$/, /\b(?:ba|z|da|k)?sh\b/],
  ["javascript", /\.[cm]?[jt]sx?$/, /\b(?:node|nodejs|bun|deno|tsx|ts-node)\b/],
  ["python", /\.py$/, /\bpython/],
  ["ruby", /\.rb$/, /\bruby\b/],
  ["perl", /\.p[lm]$/, /\bperl\b/],
  ["php", /\.php$/, /\bphp\b/],
];

const JAVASCRIPT =
  /["'`](?:\.{1,2}\/|#\w)|\b(?:import|require)\s*\(\s*[^"'`\s)]|\b(?:__dirname|__filename|createRequire|_load)\b|\bimport\.meta\b|\bprocess\.cwd\b/;

/** Names of files of its own, ways to make such names, and ways to start programs. */
const LOADS: Readonly<Record<Language, (text: string) => boolean>> = {
  shell: startsOthers,
  javascript: (text) => JAVASCRIPT.test(text) || callsStartOthers(text),
  python: fits(
    /^[^\S\n]*from\s+\.|["']\.{1,2}\/|\b(?:exec|execfile|__import__|import_module|runpy|__file__|subprocess|popen|sys\.path|os\.(?:system|exec\w+|spawn\w+))\b/m,
  ),
  ruby: fits(/\brequire_relative\b|\bload\s+["']|\b(?:__dir__|__FILE__)\b/),
  perl: fits(/\b(?:require|do)\s+["']\.{0,2}\/|\buse\s+lib\b|\b(?:__FILE__|FindBin)\b/),
  php: fits(/\b(?:include|require)(?:_once)?\b/),
};

function fits(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

export interface ScriptFile {
  readonly file: string;
  readonly text: string;
  readonly isScript: boolean;
}

/** Whether a script loads or runs other files of its own: a cheap look, which rather says yes. */
export function loadsOthers(script: ScriptFile): boolean {
  const language = languageOf(script);
  if (language === undefined) return false;
  return LOADS[language](script.text) || siblingsOf(script).some((file) => existsSync(file));
}

/** The same of code that is part of the command line. */
export function inlineLoadsOthers(program: string, code: string): boolean {
  const language = LANGUAGES.find(([, , interpreter]) => interpreter.test(program))?.[0];
  // The reader has looked into code of shells already.
  return language !== undefined && language !== "shell" && LOADS[language](code);
}

/** The files that would be loaded in place of a module that a Python script names, whether they are there or not. */
export function siblingsOf(script: ScriptFile): readonly string[] {
  if (languageOf(script) !== "python") return [];
  const folder = path.dirname(script.file);
  return importedFiles(script.text).map((file) => path.join(folder, file));
}

/** `import x` is a file beside the script, or part of the language: only the folder can tell. */
export function importedFiles(python: string): readonly string[] {
  const lists = [...python.matchAll(/(?:^|[;\n])[^\S\n]*(?:from\s+(\w+)|import\s+([\w., \t]+))/g)];
  const names = lists.flatMap(([, from, list = ""]) => (from === undefined ? list.split(",") : [from]));
  const modules = new Set(names.map((name) => /^\s*(\w+)/.exec(name)?.[1] ?? "").filter(Boolean));
  return [...modules].slice(0, 200).flatMap((name) => [`${name}.py`, path.join(name, "__init__.py")]);
}

function languageOf({ file, text, isScript }: ScriptFile): Language | undefined {
  const byName = LANGUAGES.find(([, extension]) => extension.test(file));
  if (byName) return byName[0];
  const first = text.startsWith("#!") ? text.slice(0, text.indexOf("\n") >>> 0) : "";
  const byFirst = first === "" ? undefined : LANGUAGES.find(([, , interpreter]) => interpreter.test(first));
  return byFirst?.[0] ?? (isScript ? "shell" : undefined);
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

function startsOthers(script: string): boolean {
  const { commands, doubts } = readCommand(script);
  return doubts.length > 0 || commands.some(startsFile);
}

/** Folders of the machine, as opposed to those of a project. */
const OF_THE_MACHINE = /^\/(?:bin|sbin|usr|opt|etc)\//;

function startsFile({ words, stdin }: ShellCommand): boolean {
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  if (name === "." || name === "source" || isFetcher(program)) return true;
  if (name.includes("/") && !OF_THE_MACHINE.test(name)) return true;
  if (!isInterpreter(program)) return false;
  // What awk is given is code and data; only `-f` names a script.
  if (/awk$/.test(program)) return operands.some((word) => /^(?:-f|--file)/.test(word));
  if (stdin?.kind === "text" || operands.some((word) => INLINE_OPTION.test(word))) return false;
  return operands.some((word) => word.includes(UNKNOWN) || !word.startsWith("-"));
}
