// Takes the text of a script or command line; gives what the folder it runs in decides: names without a folder of their own, modules that
// Python looks for there, and the tasks of programs such as npm and make. It is a look at the text; nothing is run.

import path from "node:path";
import { type ShellCommand, UNKNOWN } from "../../shell/index.ts";
import { PROJECT } from "./code-tokens.ts";
import { assignmentsOf, type Family, familyOf, inlineIndex, isInterpreter, mayBringCode, optionValues, readShell } from "./loads-others.ts";
import { importsOf, taskFiles } from "./tasks.ts";

/** A file that is loaded or started, by a name that is relative to the current folder. */
export interface RelativeLoad {
  readonly path: string;
  readonly program?: string | undefined;
}

/** Python that runs without a script of its own: it looks for modules in this folder first. */
export interface FolderPython {
  readonly folder: string;
  readonly code: string;
}

interface FromFolder {
  /** They count whether they are there or not. */
  readonly loads: readonly RelativeLoad[];
  /** Whatever else may be a file. */
  readonly names: readonly string[];
  readonly python: readonly FolderPython[];
  /** Files and folders (these end in `/`) that say what a started program runs. */
  readonly tasks: readonly string[];
  /** Names that a JavaScript runtime looks for from the folder it runs in, as it does for what `--import` names. */
  readonly packages: readonly string[];
}

/** SECURITY: a project writes what it likes; more than this is not looked at. */
const MAX_NAMES = 500;
const NOTHING: FromFolder = { loads: [], names: [], python: [], tasks: [], packages: [] };

export function takenFromFolder(family: Family | undefined, text: string): FromFolder {
  if (family === undefined) return NOTHING;
  return family === "shell" || family === "other shell" ? byShell(text) : byCode(text);
}

/** The same of a hook of the user: a folder that only the running script knows may be the current one, if it is not the script's own. */
export function mayTakeFromFolder(family: Family | undefined, text: string): FromFolder {
  if (family !== "shell" && family !== "other shell") return takenFromFolder(family, text);
  const readable = placed(text.replaceAll(OWN_FOLDER, "/hookloop-own-folder"));
  const { commands } = readShell(readable);
  const here = commands.map((one) => (one.folder?.includes(UNKNOWN) ? { ...one, folder: "." } : one));
  return joined([...here.filter(({ folder = "." }) => isRelative(folder)).map(byCommand), byLines(readable)]);
}

/** An assignment on a line of its own is no command, and counts for those that follow. */
function byLines(text: string): FromFolder {
  const assigned = text.matchAll(/(?:^|[\s;&|({])(\w+)\+?=("[^"\n]*"|'[^'\n]*'|[^\s;&|)]*)/gm);
  const values = [...assigned].flatMap(([, name = "", value = ""]) =>
    mayBringCode(name) ? valuesOf(name, value.replace(/^["']|["']$/g, "")) : [],
  );
  const known = values.filter((value) => !value.includes("$"));
  return { ...NOTHING, loads: known.flatMap(mayBeFiles), packages: known.filter(isPackage) };
}

const OWN_FOLDER =
  /\$\((?:cd -- )?"?\$?\(?(?:dirname|realpath|readlink)\b[^()]*(?:\([^()]*\)[^()]*)*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}|\$\{?HOME\}?|(?<=\s)~(?=\/)/g;

const CURRENT_FOLDER = /\$\{PWD\}|\$PWD\b|\$\(pwd\)|`pwd`/g;
const PROJECT_FOLDER =
  /\$(?:CLAUDE|HOOKLOOP)_PROJECT_DIR\b|\$\{(?:CLAUDE|HOOKLOOP)_PROJECT_DIR(?::?[-=?+][^{}]*)?\}|\$\(git rev-parse --show-toplevel[^()]*\)/g;

function placed(text: string): string {
  return text.replaceAll(CURRENT_FOLDER, ".").replaceAll(PROJECT_FOLDER, PROJECT);
}

function byShell(text: string): FromFolder {
  const { commands } = readShell(placed(text));
  // Where a command would run if a `cd` before it failed need not be known.
  return joined(commands.filter(({ folder = ".", repeats }) => repeats === undefined && isRelative(folder)).map(byCommand));
}

function joined(found: readonly FromFolder[]): FromFolder {
  return {
    loads: found.flatMap(({ loads }) => loads).slice(0, MAX_NAMES),
    names: [...new Set(found.flatMap(({ names }) => names))].slice(0, MAX_NAMES),
    python: found.flatMap(({ python }) => python).slice(0, MAX_NAMES),
    tasks: [...new Set(found.flatMap(({ tasks }) => tasks))],
    packages: [...new Set(found.flatMap(({ packages }) => packages))].slice(0, MAX_NAMES),
  };
}

function byCommand(command: ShellCommand): FromFolder {
  const { words, redirects, stdin, folder = "" } = command;
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  const at = (word: string): string => (path.isAbsolute(word) ? word : path.join(folder, word));
  const inputs = redirects.filter(({ operator }) => operator === "<").map(({ target }) => target.text);
  const names = [...operands, ...inputs].map((word) => word.replace(/^-[\w-]+=/, "")).filter(isRelative);
  const started = isRelative(name) && name.includes("/") ? [{ path: at(name) }] : [];
  const sourced = name === "." || name === "source" ? operands.slice(0, 1).map((word) => ({ path: word, program: "bash" })) : [];
  const given = isInterpreter(program)
    ? byInterpreter({ program, operands, input: stdin?.kind === "text" ? stdin.text : undefined })
    : NOTHING;
  const brought = byVariables(command);
  return {
    loads: [
      ...started,
      ...[...sourced, ...given.loads, ...brought.loads]
        .filter((one) => isRelative(one.path))
        .map((one) => ({ ...one, path: at(one.path) })),
    ],
    names: [...names, ...given.names].map(at),
    python: given.python.map(({ code }) => ({ folder, code })),
    tasks: [...tasksOf(program, operands), ...given.tasks].map(at),
    packages: [...given.packages, ...brought.packages],
  };
}

/** `NODE_OPTIONS='--import tsx'`, `BASH_ENV=.hookrc`, `PATH=.:$PATH`: each word of the value may be code, or a folder with some. */
function byVariables(command: ShellCommand): Pick<FromFolder, "loads" | "packages"> {
  const values = assignmentsOf(command).flatMap(({ name, value }) => (mayBringCode(name) ? valuesOf(name, value) : []));
  return { loads: values.flatMap(mayBeFiles), packages: values.filter(isPackage) };
}

function valuesOf(name: string, value: string): readonly string[] {
  // An empty entry means the current folder.
  if (/PATH$|LIB$/.test(name)) return value.split(":").map((entry) => entry || ".");
  return optionValues(value.split(/[\s:,]+/));
}

/** A name in an option may stand for a file with any of these endings. */
const ENDS = ["", ".js", ".json", ".node", ".cjs", ".mjs", ".rb", ".pm", ".py"];

function mayBeFiles(value: string): readonly RelativeLoad[] {
  return isRelative(value) ? ENDS.map((end) => ({ path: `${value}${end}` })) : [];
}

/** What Node would look for in `node_modules`, or in the package it is part of. */
function isPackage(value: string): boolean {
  return /^(?:#|(?:@[\w.-]+\/)?[A-Za-z_][\w.-]*(?:\/|$))/.test(value);
}

/** `make -C sub`, `npm --prefix sub`: the files may be in a folder that is named. */
function tasksOf(program: string, operands: readonly string[]): readonly string[] {
  const files = taskFiles(program);
  if (files.length === 0) return [];
  const folders = operands.map((word) => word.replace(/^--?[\w-]+=|^-C(?=.)/, "")).filter(isRelative);
  return ["", ...folders.slice(0, 8)].flatMap((folder) => files.map((file) => path.join(folder, file)));
}

interface Interpreter {
  readonly program: string;
  readonly operands: readonly string[];
  /** What stands on its input, where that is known. */
  readonly input: string | undefined;
}

function byInterpreter({ program, operands, input = "" }: Interpreter): FromFolder {
  const family = familyOf(program);
  const isInline = inlineIndex(program, operands) !== -1;
  const script = operands.find((word) => !/^[-+]/.test(word));
  const isModule = family === "python" && operands.some((word) => /^-[a-zA-Z]*m/.test(word));
  // SECURITY: which options take a value, and which values are code, differs between programs and versions: each may be.
  const values = optionValues(operands);
  const brought = values.flatMap(mayBeFiles);
  const packages = family === "javascript" ? values.filter(isPackage) : [];
  // These go through the folder by themselves.
  const runsTests = operands.includes("--test") || (isModule && /\b(?:unittest|pytest|nose2?|doctest)\b/.test(operands.join(" ")));
  const folder = runsTests ? [{ path: "." }] : [];
  // `node --run lint`
  const tasks = operands.some((word) => /^--run(?:=|$)/.test(word)) ? taskFiles("npm") : [];
  if (!isInline && !isModule && script !== undefined)
    return { ...NOTHING, loads: [{ path: script, program }, ...brought, ...folder], tasks, packages };
  const code = [...operands, input].join("\n");
  const modules = isModule ? operands.flatMap((word) => taskFiles(word.replace(/^-[a-zA-Z]*m/, ""))) : [];
  if (family === "python") return { ...NOTHING, loads: [...brought, ...folder], python: [{ folder: "", code }], tasks: modules };
  if (family === "shell" || family === "other shell") return { ...NOTHING, loads: brought };
  // `node -e 'require("./x")'` looks in the current folder, and so do the others.
  const imported = family === "javascript" ? importsOf(code) : { relative: literals(code), packages: [], hasOwn: false };
  const files = imported.relative.flatMap((one) =>
    ["", ".js", ".mjs", ".cjs", ".json", "/index.js"].map((end) => ({ path: `${one}${end}` })),
  );
  return {
    ...NOTHING,
    loads: [...files, ...brought, ...folder],
    tasks,
    packages: [...packages, ...imported.packages, ...(imported.hasOwn ? ["#"] : [])],
  };
}

/** Relative to the current folder, or to the project's. */
function isRelative(word: string): boolean {
  if (word === "" || word.includes(UNKNOWN) || /[\n=:]/.test(word)) return false;
  return word.startsWith(PROJECT) || !/^[-+~/]/.test(word);
}

const STARTS = /child_process|subprocess|\bos\.(?:system|popen|exec|spawn)|\b(?:execa|zx|Bun|Deno|system|exec|spawn|popen)\b|`/;

/** Other languages: the strings in a text, without those that are imported, or that stand behind a folder. */
function byCode(text: string): FromFolder {
  const strings = literals(text).map((one) => one.replace(/\\(["'`\\])/g, "$1"));
  // Where it goes is not read.
  const isElsewhere = /\bchdir\b/.test(text);
  const names = isElsewhere ? [] : [...strings, ...joins(text)].filter((one) => isRelative(one) && !/\s/.test(one));
  if (!STARTS.test(text)) return { ...NOTHING, names: names.slice(0, MAX_NAMES) };
  const lines = strings.filter((one) => /^\S+\s+\S/.test(one) && one.length < 4000).slice(0, 50);
  const started = joined(lines.map(byShell));
  // The program and its code may be separate strings.
  const hasPython = strings.some((one) => familyOf(path.basename(one)) === "python");
  const hasNode =
    /\bexecPath\b|\bNODE_OPTIONS\b|\bfork\b/.test(text) || strings.some((one) => familyOf(path.basename(one)) === "javascript");
  const given = hasNode ? [...strings.flatMap((one) => optionValues(one.split(/\s+/))), ...importsOf(strings.join("\n")).packages] : [];
  return {
    ...started,
    loads: [...started.loads, ...given.flatMap(mayBeFiles)].slice(0, MAX_NAMES),
    packages: [...started.packages, ...given.filter(isPackage)].slice(0, MAX_NAMES),
    names: [...names, ...started.names].slice(0, MAX_NAMES),
    python: [...started.python, ...(hasPython ? [{ folder: "", code: strings.join("\n") }] : [])],
    tasks: [...started.tasks, ...strings.filter((one) => /^[\w.-]+$/.test(one)).flatMap(taskFiles)],
  };
}

function literals(text: string): readonly string[] {
  const found = text.matchAll(/(.{0,24}?)(["'`])((?:\\.|(?!\2)[^\\\n$]){1,4000})\2/gs);
  return [...found].flatMap(([, before = "", , string = ""]) => (ELSEWHERE.test(before) ? [] : [string])).slice(0, 3000);
}

/** `import "./x"`, `require("./x")`, `new URL("./x", …)`, `join(root, "x")`, `root + "x"`, `Path(root) / "x"`. */
const ELSEWHERE = /(?:\b(?:from|import|require(?:\.resolve)?|URL)\s*\(?\s*|[\w)\]}]\s*[,+/]\s*)$/;

/** `join("hooks", "rules.txt")`. */
function joins(text: string): readonly string[] {
  const calls = text.matchAll(/\b(?:join|resolve|Path)\s*\(\s*((?:["'`][^"'`$\n]{1,200}["'`]\s*,?\s*){1,8})\)/g);
  return [...calls].map(([, list = ""]) => path.join(...[...list.matchAll(/["'`]([^"'`]+)["'`]/g)].map(([, part = ""]) => part)));
}
