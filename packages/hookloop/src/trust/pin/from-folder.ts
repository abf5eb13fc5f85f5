// Takes the text of a script or command line; gives what the folder it runs in decides: names without a folder of their own, modules that
// Python looks for there, and the tasks of programs such as npm and make. It is a look at the text; nothing is run.

import path from "node:path";
import { type ShellCommand, UNKNOWN } from "../../shell/index.ts";
import { importsOf, STARTS_PROGRAMS, taskFiles } from "../tasks.ts";
import { OWN, PROJECT } from "./code-reader.ts";
import {
  assignmentsOf,
  CALCULATORS,
  codeOnInput,
  type Family,
  familyOf,
  inlineIndex,
  isFetcher,
  isInput,
  isInterpreter,
  mayBringCode,
  optionValues,
  readShell,
  readsCode,
  runsModule,
} from "./programs.ts";
import { withFolders } from "./read-data.ts";
import { readJavascript } from "./read-javascript.ts";
import { startedByPython } from "./read-python.ts";

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
  /** Of a hook of the user: where it runs something that its text does not say, in words. */
  readonly uncertain: readonly string[];
}

/** SECURITY: a project writes what it likes; more than this is not looked at. */
const MAX_NAMES = 500;
const NOTHING: FromFolder = { loads: [], names: [], python: [], tasks: [], packages: [], uncertain: [] };

export function takenFromFolder(family: Family | undefined, text: string): FromFolder {
  if (family === undefined) return NOTHING;
  return family === "shell" || family === "other shell" ? byShell(text) : byCode(text);
}

/** The same of a hook of the user: a folder that only the running script knows may be the current one, if it is not the script's own. */
export function mayTakeFromFolder(family: Family | undefined, text: string): FromFolder {
  return mayTake(family, text, 0);
}

/** Code in code in code is not followed further. */
const MAX_DEPTH = 3;

function mayTake(family: Family | undefined, text: string, depth: number): FromFolder {
  if (family === undefined || depth > MAX_DEPTH) return NOTHING;
  return family === "shell" || family === "other shell" ? byUsersShell(text, depth) : byUsersCode(family, text, depth);
}

function byUsersShell(text: string, depth: number): FromFolder {
  const readable = withAssigned(withFolders(text).replaceAll(OWN_FOLDER, OWN).replaceAll(CLEANS_UP, "true"));
  const { commands, doubts } = readShell(readable);
  const here = commands.map((one) => (one.folder?.includes(UNKNOWN) ? { ...one, folder: "." } : one));
  const given = commands.map((command) => ({ ...NOTHING, uncertain: uncertainOf(command) }));
  const inline = commands.map((command) => byInline(command, depth));
  const doubted = { ...NOTHING, uncertain: doubts.filter(({ code }) => code !== "zsh").map((doubt) => doubt.text) };
  return joined([...here.filter(({ folder = "." }) => isRelative(folder)).map(byCommand), byLines(readable), doubted, ...given, ...inline]);
}

/** `trap 'rm -f "$tmp"' EXIT` */
const CLEANS_UP = /(?<=^|[\s;&|])trap\s+(?:--\s+)?(?:"rm\s[^`()|;&"]*"|'rm\s[^`()|;&']*'|"rm\s(?:[^`()|;&"\\]|\\")*")/gm;

/** A folder that is put in a variable once stands for it everywhere. */
function withAssigned(text: string): string {
  const assigned = [...text.matchAll(/(?:^|[\s;&|({])(\w+)(\+?=)(?:"([^"\n$`]*)"|'([^'\n]*)'|([^\s;&|)$`"']*))(?=[\s;&|)]|$)/gm)].slice(
    0,
    100,
  );
  let put = text;
  for (const [, name = "", sign, double, single, plain] of assigned) {
    const value = double ?? single ?? plain ?? "";
    const isOnce =
      [...text.matchAll(new RegExp(`(?<![\\w$])${name}(?:\\+?=|\\[)|\\b(?:read|for|local|mapfile|printf -v)\\b[^;\\n]*\\b${name}\\b`, "g"))]
        .length === 1;
    if (sign !== "=" || !isOnce || !/^\/[\w./@+-]*$/.test(value)) continue;
    put = put.replaceAll(new RegExp(`\\$${name}\\b|\\$\\{${name}\\}`, "g"), () => value);
  }
  return put;
}

const FOLDER_OPTION = /^(?:-C|-f|--(?:prefix|directory|cwd|dir|file|makefile|project|manifest-path|project-dir|chdir))(?:=|$)/;

/** What a command runs that only the running shell knows. */
function uncertainOf({ words, stdin, folder = "" }: ShellCommand): readonly string[] {
  const [name = "", ...operands] = words.map(({ text }) => text);
  const program = path.basename(name);
  if (isFetcher(program) && !/^(?:docker|podman|ssh|direnv)$/.test(program)) {
    const isOpen = operands.some(
      (word, at) => word.includes(UNKNOWN) && (FOLDER_OPTION.test(word) || FOLDER_OPTION.test(operands[at - 1] ?? "")),
    );
    return isOpen || folder.includes(UNKNOWN) ? [`${program} runs in a folder that is known only when it runs`] : [];
  }
  if (!isInterpreter(program) || CALCULATORS.test(program) || inlineIndex(program, operands) !== -1) return [];
  const script = operands.findIndex((word) => !/^[-+]/.test(word) || isInput(program, word));
  if (operands.slice(0, script + 1).some((word) => word.includes(UNKNOWN)))
    return [`${program} runs a script whose name is known only when it runs`];
  if (readsCode(program, operands) !== "yes" || stdin === undefined) return [];
  const isKnown = stdin.kind === "text" && !stdin.text.includes(UNKNOWN);
  return isKnown ? [] : [`${program} runs what stands on its input`];
}

/** Code on a command line, or in a here-document. */
function byInline(command: ShellCommand, depth: number): FromFolder {
  const [name = "", ...operands] = command.words.map(({ text }) => text);
  const program = path.basename(name);
  const family = familyOf(program);
  // The reader has looked into code of shells already.
  if (family === undefined || family === "shell" || family === "other shell" || CALCULATORS.test(program)) return NOTHING;
  const inline = inlineIndex(program, operands);
  const given = inline === -1 ? "" : (operands[inline] ?? "").replace(/^-\w+$|^--\w+=?/, "") + (operands[inline + 1] ?? "");
  const codes = [given, codeOnInput(command) ?? ""].filter((code) => code !== "" && code !== UNKNOWN);
  const { uncertain, tasks, loads } = joined(codes.map((code) => mayTake(family, code, depth + 1)));
  return { ...NOTHING, uncertain, tasks, loads };
}

/** Scripts of other languages: what the calls that start programs come to, and every string that may be a line. */
function byUsersCode(family: Family, text: string, depth: number): FromFolder {
  const taken = byCode(text);
  if (family === "awk") return taken;
  const isStarting = family === "javascript" ? /child_process|execa|\bzx\b|\bBun\b|\bDeno\b/.test(text) : STARTS_PROGRAMS.test(text);
  const { lines, starts } =
    family === "javascript" ? readJavascript(text) : (family === "python" ? startedByPython : startedByOthers)(text);
  const isOpen = isStarting || !starts.includes("its text cannot be taken apart");
  const read = lines.map((line) => mayTake("shell", line, depth + 1));
  const strings = isStarting ? openLiterals(text).map((line) => ({ ...mayTake("shell", line, depth + 1), uncertain: [], loads: [] })) : [];
  return joined([taken, ...read, ...strings, { ...NOTHING, uncertain: isOpen ? starts : [] }]);
}

/** Strings with something put in: `"make -C $CLAUDE_PROJECT_DIR lint"`, `` `cd ${x} && make` ``. */
function openLiterals(text: string): readonly string[] {
  const found = text.matchAll(/(["'`])((?:\\.|\$\{[^{}\n]*\}|(?!\1)[^\\\n]){3,2000})\1/g);
  const open = [...found].map(([, , string = ""]) => string).filter((one) => /[$#{]/.test(one) && /^\S+\s+\S/.test(one));
  return open.slice(0, 50).map((one) => holes(one.replace(/\\(["'`\\])/g, "$1")));
}

const PROJECT_VALUE =
  /[#$]?\{\s*(?:process\.env|os\.environ|ENV)(?:\.fetch\(|\.get\(|\[|\.)["']?(?:CLAUDE|HOOKLOOP)_PROJECT_DIR["']?[^{}]*\}/g;

function holes(text: string): string {
  return text
    .replaceAll(PROJECT_VALUE, PROJECT)
    .replace(/[#$]\{(?!(?:CLAUDE|HOOKLOOP)_PROJECT_DIR)[^{}\n]*\}|\{[A-Za-z_][^{}\n;]*\}/g, "${unknown}");
}

const OTHER_STARTS =
  /(?<![\w.:$@-]|def |sub |function )(?:Kernel\.|Process\.|IO\.|Open3\.|PTY\.|os\.|io\.)?(system|exec|spawn|popen\w*|capture\w*|pipeline\w*|shell_exec|passthru|proc_open|execute)\b[ \t]*\(?[ \t]*([^\n]{0,600})/g;
const OTHER_QUOTED = /`([^`\n]{1,2000})`|(?:%x|\bqx)\s*(?:\(([^)\n]*)\)|\{([^}\n]*)\}|\[([^\]\n]*)\]|([/|!])([^\n]*?)\5)/g;
const OTHER_LOADS =
  /(?<![\w.$@])(?:eval|instance_eval|class_eval|module_eval|dofile|loadfile|loadstring|load|require|include|include_once|require_once)\b(?![ \t]*\(?[ \t]*(?:["'][^"'#$\n]*["']|__dir__|__DIR__|[\w:]+\s*;|[=)\]}.,:]|$))|\$LOAD_PATH|\$:|\buse\s+lib\s+(?!["']\/)|@INC|\bDir\.glob\b[^\n]*\b(?:load|require)\b/m;

/** Ruby, Perl, PHP and the rest: by how calls that start programs are written. */
function startedByOthers(code: string): { readonly lines: readonly string[]; readonly starts: readonly string[] } {
  const text = code.replace(/^\s*#(?!\{)[^\n]*$/gm, "");
  const put = holes(text);
  const quotedLines = [...put.matchAll(OTHER_QUOTED)].map((found) => [1, 2, 3, 4, 6].map((at) => found[at] ?? "").join(""));
  const calls = [...put.matchAll(OTHER_STARTS)].map(([, , rest = ""]) => {
    const words = [...rest.matchAll(/(?:^|,\s*)(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,"')]+))/g)];
    const [first, ...others] = words.map(([, double, single]) => double ?? single);
    if (first === undefined) return "${unknown}";
    return [first, ...others.map((word) => (word === undefined ? `"\${unknown}"` : `'${word.replaceAll("'", "")}'`))].join(" ");
  });
  const starts = OTHER_LOADS.test(text) ? ["it loads code by a name that is put together"] : [];
  return { lines: [...quotedLines, ...calls].slice(0, 100), starts };
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

function byShell(text: string): FromFolder {
  const { commands } = readShell(withFolders(text));
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
    uncertain: [...new Set(found.flatMap(({ uncertain }) => uncertain))].slice(0, 20),
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
  // `sh < lint.sh`, `run-parts scripts`.
  const fed = isInterpreter(program) ? inputs.map((one) => ({ path: one, program })) : [];
  const parts = program === "run-parts" ? operands.filter((word) => !word.startsWith("-")).map((one) => ({ path: one })) : [];
  return {
    loads: [
      ...started,
      ...[...sourced, ...given.loads, ...brought.loads, ...fed, ...parts]
        .filter((one) => isRelative(one.path))
        .map((one) => ({ ...one, path: at(one.path) })),
    ],
    names: [...names, ...given.names].map(at),
    python: given.python.map(({ code }) => ({ folder, code })),
    tasks: [...tasksOf(program, operands), ...given.tasks].map(at),
    packages: [...given.packages, ...brought.packages],
    uncertain: [],
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

function byInterpreter({ program, operands, input }: Interpreter): FromFolder {
  const family = familyOf(program);
  const isInline = inlineIndex(program, operands) !== -1;
  const script = operands.find((word) => !/^[-+]/.test(word));
  const isModule = runsModule(program, operands);
  const role = readsCode(program, operands);
  // SECURITY: which options take a value, and which values are code, differs between programs and versions: each may be.
  const values = optionValues(operands);
  const brought = values.flatMap(mayBeFiles);
  const packages = family === "javascript" ? values.filter(isPackage) : [];
  // These go through the folder by themselves.
  const runsTests = operands.includes("--test") || (isModule && /\b(?:unittest|pytest|nose2?|doctest)\b/.test(operands.join(" ")));
  const folder = runsTests ? [{ path: "." }] : [];
  // `node --run lint`
  const tasks = operands.some((word) => /^--run(?:=|$)/.test(word)) ? taskFiles("npm") : [];
  const scripts = isInline || isModule || script === undefined || role === "yes" ? [] : [{ path: script, program }];
  const loads = [...scripts, ...brought, ...folder];
  if (scripts.length > 0 && (role === "no" || input === undefined)) return { ...NOTHING, loads, tasks, packages };
  const code = [...operands, input ?? ""].join("\n");
  const modules = isModule ? operands.flatMap((word) => taskFiles(word.replace(/^-[a-zA-Z]*m/, ""))) : [];
  if (family === "python") return { ...NOTHING, loads, python: [{ folder: "", code }], tasks: modules };
  if (family === "shell" || family === "other shell") return { ...NOTHING, loads: [...scripts, ...brought] };
  // `node -e 'require("./x")'` looks in the current folder, and so do the others.
  const imported = family === "javascript" ? importsOf(code) : { relative: literals(code), packages: [], hasOwn: false };
  const files = imported.relative.flatMap((one) =>
    ["", ".js", ".mjs", ".cjs", ".json", "/index.js"].map((end) => ({ path: `${one}${end}` })),
  );
  return {
    ...NOTHING,
    loads: [...files, ...loads],
    tasks,
    packages: [...packages, ...imported.packages, ...(imported.hasOwn ? ["#"] : [])],
  };
}

/** Relative to the current folder, or to the project's. */
function isRelative(word: string): boolean {
  if (word === "" || word.includes(UNKNOWN) || /[\n=:]/.test(word)) return false;
  return word.startsWith(PROJECT) || !/^[-+~/]/.test(word);
}

/** Other languages: the strings in a text, without those that are imported, or that stand behind a folder. */
function byCode(text: string): FromFolder {
  const strings = literals(text).map((one) => one.replace(/\\(["'`\\])/g, "$1"));
  // Where it goes is not read.
  const isElsewhere = /\bchdir\b/.test(text);
  const names = isElsewhere ? [] : [...strings, ...joins(text)].filter((one) => isRelative(one) && !/\s/.test(one));
  if (!STARTS_PROGRAMS.test(text)) return { ...NOTHING, names: names.slice(0, MAX_NAMES) };
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
