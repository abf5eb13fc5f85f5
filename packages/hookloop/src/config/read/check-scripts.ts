import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { scriptSlip, serverToolsNamed, spellingSlip } from "@hookloop/sdk/host";
import { type DialectFacts, EVENTS, TOOLS } from "../../catalogue/index.ts";
import { type Diagnostic, nearestName } from "../../diagnostic.ts";
import { readCommand, UNKNOWN } from "../../shell/index.ts";
import { readStart } from "../../state-files.ts";
import { type ConfigDocument, type HookDeclaration, matcherForm } from "../types.ts";

interface ScriptOptions {
  readonly projectRoot: string;
  readonly home: string;
  readonly projectVariable?: string | undefined;
  /** Where programs are looked for. */
  readonly searchPath?: string | undefined;
}

const ANY_EXECUTE_BIT = 0o111;

/** Looks for the files that a document's hooks run, and says which are missing, not executable, no scripts of their interpreter, look for the event where it is not, or are named by a path that a `cd` breaks. */
export function checkScripts(document: ConfigDocument, options: ScriptOptions): readonly Diagnostic[] {
  const projectVariable = document.dialect?.quirks.projectVariable;
  return document.hooks.flatMap((hook) => checkHook(hook, document, { ...options, projectVariable }));
}

function checkHook(hook: HookDeclaration, document: ConfigDocument, options: ScriptOptions): readonly Diagnostic[] {
  const script = scriptOf(hook, options);
  const started = script ? undefined : startedIn(hook, options);
  const path = script?.path ?? started?.path;
  const isRun = (other: HookDeclaration): boolean =>
    other.kind === hook.kind && ["command", "path", "export"].every((name) => other.fields[name] === hook.fields[name]);
  // Nothing stands behind the script's name, or arguments of the line itself, which has none.
  const isBare =
    path !== undefined &&
    hook.fields["args"] === undefined &&
    new RegExp(`${lastPart(path)}["']?(?:\\s+"?\\$[1-9@*]"?)*\\s*$`).test(String(hook.fields["command"]));
  const slipIn = (text: string, file = ""): string | undefined => {
    if ((hook.kind !== "command" && hook.kind !== "module") || !document.dialect || hook.unreadable !== undefined) return undefined;
    const hooks = document.hooks.filter(isRun);
    const events = hooks.map(({ event }) => event);
    // Other names than those of the catalogue are compared only where the dialect says what becomes of them.
    const unset = unsetVariable(text, document.dialect.quirks.inputVariables);
    if (unset !== undefined) return unset;
    if (!document.dialect.quirks.sendsWireNames) return otherNames(text, document.dialect, hooks);
    const exported = hook.kind === "module" ? String(hook.fields["export"] ?? "default") : undefined;
    return scriptSlip({ file, text, events, tools: toolsOf(hooks), hasArguments: !isBare, exported });
  };
  if (!script) return lineSlip(hook, started, slipIn);
  const file = resolve(script.base, script.path);
  const state = stateOf(script, file);
  if (state === "unknown") return [];
  if (state === "missing") return [missing(hook, script, file)];
  const isRelative = hook.kind === "command" && !isAbsolute(script.path);
  const text = readStart(file, TEXT_BYTES)?.toString("latin1") ?? "";
  const unrunnable = firstLineProblem(hook, script, { file, text });
  const blind = slipIn(text, file);
  return [
    ...(state === "locked" ? [notExecutable(hook, file)] : []),
    ...unrunnable,
    ...(unrunnable[0] ? [] : typescriptProblem(hook, script, { file, text, searchPath: options.searchPath })),
    ...(isRelative ? [relativePath(hook, script, options)] : []),
    ...(blind === undefined ? [] : [misreads(hook, `${file} ${blind}`)]),
  ];
}

/** What is wrong with the text that a line starts, else with the line itself. */
function lineSlip(
  hook: HookDeclaration,
  started: StartedText | undefined,
  slipIn: (text: string, file?: string) => string | undefined,
): readonly Diagnostic[] {
  const inside = started && slipIn(started.text, started.path);
  if (inside) return [misreads(hook, `${started.isFile ? started.path : "The hook's command"} ${inside}`)];
  const slip = hook.fields["args"] === undefined ? slipIn(String(hook.fields["command"])) : undefined;
  return slip === undefined ? [] : [misreads(hook, `The hook's command ${slip}`)];
}

/** A variable that is nearly one in which the dialect puts the event, and that nothing sets. */
function unsetVariable(text: string, known: readonly string[] = []): string | undefined {
  const [prefix] = known[0]?.match(/^[A-Z]+_/) ?? [];
  if (prefix === undefined) return undefined;
  const read = text.matchAll(
    new RegExp(String.raw`(?:\$\{?|environ(?:\.get\(|\[)\s*["']|getenv\(\s*["']|process\.env(?:\.|\[["']))(${prefix}\w{1,40})`, "g"),
  );
  for (const [, name = ""] of read) {
    const meant = known.includes(name.replace(/_FILE$/, "")) ? undefined : nearestName(name, known);
    if (meant !== undefined && !new RegExp(`\\b${name}=`).test(text)) return `reads $${name}, which is not set. Did you mean $${meant}?`;
  }
  return undefined;
}

/** What the script calls by the names of the catalogue, and its dialect by others. */
function otherNames(text: string, { shape, input }: DialectFacts, hooks: readonly HookDeclaration[]): string | undefined {
  const [event] = hooks.map((one) => one.event);
  if (event === undefined || !hooks.every((one) => EVENTS[one.event].matcher?.isTool)) return undefined;
  const isFor = hooks.map(({ matcher }) => matcherForm(matcher, EVENTS[event].matcher));
  const all = Object.entries(TOOLS).map(([tool, { input: fields }]) => {
    const sent = input.payload(event, { tool_name: tool, tool_input: fields });
    return { tool, name: String(sent["tool_name"]), fields: Object.keys(fields), sent: Object.keys(Object(sent["tool_input"])) };
  });
  // Of tools that the dialect has no name for, nothing is known but that they are sent as they are.
  const own = all.filter(({ name }) => shape.tools.includes(name));
  const tools = own.filter(({ name }) => isFor.some((form) => form.form !== "names" || form.names.includes(name)));
  return spellingSlip(text, tools, shape.title);
}

/** The tools that these hooks are for; nothing unless all of them are known. */
function toolsOf(hooks: readonly HookDeclaration[]): readonly string[] | undefined {
  const names = hooks.flatMap(({ event, matcher }) => {
    const form = matcherForm(matcher, EVENTS[event].matcher);
    return EVENTS[event].matcher?.isTool && form.form === "names" ? form.names : [""];
  });
  return names.every((name) => Object.hasOwn(TOOLS, name)) ? [...new Set(names)] : undefined;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/[^\w-]/g, "\\$&");
}

function misreads({ place, fields }: HookDeclaration, text: string): Diagnostic {
  const isGuard = fields["guard"] === true || fields["onFailure"] === "block";
  return { code: "HL_CONFIG_SCRIPT_EVENT", level: isGuard ? "error" : "warning", text, place };
}

/** By the end of a file's name: what runs it, and which of those to name. */
const LANGUAGES: readonly (readonly [ends: RegExp, runs: RegExp, named: string])[] = [
  [/\.(?:ba|da|k|z)?sh$/i, /^(?:ba|da|k|z|a|mk)?sh$/, "sh"],
  [/\.[cm]?[jt]s$/i, /^(?:node|nodejs|bun|deno|tsx|ts-node)$/, "node"],
  [/\.py$/i, /^(?:python|pypy)[\d.]*$/, "python3"],
  [/\.rb$/i, /^ruby[\d.]*$/, "ruby"],
  [/\.pl$/i, /^perl[\d.]*$/, "perl"],
  [/\.php$/i, /^php[\d.]*$/, "php"],
  [/\.lua$/i, /^lua[\d.]*$/, "lua"],
];
/** Longer scripts are looked at up to here. */
const TEXT_BYTES = 64 * 1024;

/** A byte order mark, as it is read here. */
const MARK = "\u00ef\u00bb\u00bf";

/** What the first line of a script does that its author does not see: the errors of the system do not name it. */
function firstLineProblem(
  hook: HookDeclaration,
  { isDirect, interpreter }: NamedScript,
  { file, text }: { file: string; text: string },
): readonly Diagnostic[] {
  if (hook.kind !== "command") return [];
  const [line = ""] = text.split("\n", 1);
  const [ends, runs, named] = LANGUAGES.find(([end]) => end.test(file)) ?? [];
  const isShell = named === "sh";
  if (line.startsWith(MARK) && (isShell || isDirect)) return [badFirstLine(hook, byteOrderMark(file))];
  if (line.endsWith("\r") && (isShell || (isDirect && line.startsWith("#!")))) return [badFirstLine(hook, windowsLines(file))];
  const [, path, program] = line.startsWith("#!") && isDirect ? firstLineOf(line) : [];
  const isOther = (name: string): boolean => LANGUAGES.some(([end, run]) => end !== ends && run.test(name));
  const runBy = isDirect ? program : interpreter;
  if (path !== undefined && isAbsolute(path) && !existsSync(path))
    return [
      badFirstLine(hook, `${file} names ${path} in its first line, and there is no such program, so it cannot start. Fix that line.`),
    ];
  if (runs && runBy !== undefined && !runs.test(runBy) && isOther(runBy))
    return [
      badFirstLine(
        hook,
        `${file} is run by ${runBy}, which does not read its language. Write ${named} ${isDirect ? "in its first line" : 'before it in "command"'}.`,
      ),
    ];
  if (!isDirect || line.startsWith("#!") || !runs || isShell) return [];
  const cure = `Write its interpreter there, as in "#!/usr/bin/env ${named}", or before the script in "command"`;
  return [badFirstLine(hook, `${file} has no first line with "#!", so the shell runs it as a shell script. ${cure}.`)];
}

/** Programs that run TypeScript, and are not everywhere. */
const RUNS_TYPESCRIPT = /^(?:bun|deno|tsx|ts-node)$/;

/** A `.ts` file that nothing here can run: Node runs TypeScript from 22.18 on, and bun may not be installed. */
function typescriptProblem(
  { kind, fields, place }: HookDeclaration,
  { path, isDirect, interpreter }: NamedScript,
  {
    file,
    text,
    searchPath = process.env["PATH"] ?? "",
  }: { readonly file: string; readonly text: string; readonly searchPath?: string | undefined },
): readonly Diagnostic[] {
  // A host compiles what it keeps loaded.
  if (kind !== "command" || !/\.[cm]?ts$/.test(file) || fields["warm"] === true) return [];
  const [, , program] = isDirect && text.startsWith("#!") ? firstLineOf(text.split("\n", 1)[0] ?? "") : [];
  const runBy = isDirect ? program : interpreter;
  const isNode = runBy === "node" && !(process.features as { readonly typescript?: unknown }).typescript;
  const isAbsent =
    RUNS_TYPESCRIPT.test(runBy ?? "") && !searchPath.split(delimiter).some((folder) => existsSync(join(folder, runBy ?? "")));
  if (!isNode && !isAbsent) return [];
  const why = isNode ? `Node ${process.versions.node} does not run it` : `${runBy} is not on your PATH`;
  const cure = `Write "command": "hookloop run ${path.includes(" ") ? `\\"${path}\\"` : path}", or make it a hook of "type": "module"`;
  return [badFirstLine({ place }, `${file} is TypeScript, and ${why}, so the hook fails every time. ${cure}.`)];
}

/** `#!/usr/bin/env -S node --flag`: the program that the system starts, and the one that reads the script. */
function firstLineOf(line: string): readonly (string | undefined)[] {
  const [path = "", ...words] = line.slice(2).trim().split(/\s+/);
  const own = path.slice(path.lastIndexOf("/") + 1);
  const started = own === "env" ? words.find((word) => !/^-|=/.test(word)) : own;
  return [line, path, started?.slice(started.lastIndexOf("/") + 1)];
}

function byteOrderMark(file: string): string {
  return `${file} begins with a byte order mark (BOM), so its first line is not what it seems: the shell looks for a program of that name. Save it as UTF-8 without BOM: sed -i '1s/^\\xef\\xbb\\xbf//' "${file}"`;
}

function windowsLines(file: string): string {
  return `${file} has Windows line endings (CRLF): its interpreter is not found, or reads each line with a character too much. Save it with LF: sed -i 's/\\r$//' "${file}"`;
}

function badFirstLine({ place }: Pick<HookDeclaration, "place">, text: string): Diagnostic {
  return { code: "HL_CONFIG_SCRIPT_FIRST_LINE", level: "error", text, place };
}

/** Why a hook would fail every time if it ran now; nothing if its script is there, or is anyone's guess. */
export function scriptProblem(hook: ScriptedHook, options: ScriptOptions): string | undefined {
  const script = scriptOf(hook, options);
  if (!script) return undefined;
  const file = resolve(script.base, script.path);
  const state = stateOf(script, file);
  if (state === "missing") return `there is no file ${file}`;
  return state === "locked" ? `${file} is not executable` : undefined;
}

/** What the script of this hook is for among the tools of MCP servers; nothing if that is in no file, or not certain. */
export function serverToolsOf(hook: ScriptedHook, options: ScriptOptions): readonly string[] {
  const script = scriptOf(hook, options);
  return script ? serverToolsNamed(readStart(resolve(script.base, script.path), TEXT_BYTES)?.toString("latin1") ?? "") : [];
}

type ScriptedHook = Pick<HookDeclaration, "kind" | "fields" | "source" | "unreadable">;

function scriptOf(
  { kind, fields, source, unreadable }: ScriptedHook,
  options: ScriptOptions,
): (NamedScript & { readonly base: string }) | undefined {
  if (unreadable !== undefined) return undefined;
  if (kind === "module") {
    const base = source.file === undefined ? source.root : dirname(source.file);
    return { path: String(fields["path"]), isDirect: false, base };
  }
  if (kind !== "command") return undefined;
  const script = scriptOfCommand(fields as unknown as CommandFields, folderVariables(source, options));
  // A hook starts in the session's folder, whatever file declared it.
  return script && { ...script, base: options.projectRoot };
}

/** Variables that a command can name files by, with the folders they stand for. */
export function folderVariables(
  { plugin, skill }: HookDeclaration["source"],
  { projectRoot, home, projectVariable }: ScriptOptions,
): Readonly<Record<string, string>> {
  const root = plugin?.root ?? skill?.root;
  return {
    HOME: home,
    CLAUDE_PROJECT_DIR: projectRoot,
    HOOKLOOP_PROJECT_DIR: projectRoot,
    ...(projectVariable !== undefined && { [projectVariable]: projectRoot }),
    ...(root !== undefined && { CLAUDE_PLUGIN_ROOT: root }),
  };
}

function stateOf({ isDirect }: NamedScript, file: string): "ready" | "missing" | "locked" | "unknown" {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return "missing";
    return isDirect && (found.mode & ANY_EXECUTE_BIT) === 0 ? "locked" : "ready";
  } catch (error) {
    // A folder on the way that cannot be looked into: running it tells.
    return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? "missing" : "unknown";
  }
}

function missing({ place }: HookDeclaration, { path }: NamedScript, file: string): Diagnostic {
  const where = path === file ? "" : ` (${file})`;
  const text = `The hook runs ${path}${where}, and there is no such file. Create it or fix the path; until then the hook fails every time.`;
  return { code: "HL_CONFIG_SCRIPT_MISSING", level: "error", text, place };
}

function notExecutable({ place }: HookDeclaration, file: string): Diagnostic {
  const text = `${file} is not executable, so the hook cannot start. Run: chmod +x "${file}"`;
  return { code: "HL_CONFIG_SCRIPT_NOT_EXECUTABLE", level: "error", text, place };
}

function relativePath({ place, fields }: HookDeclaration, { path }: NamedScript, options: ScriptOptions): Diagnostic {
  const root = options.projectVariable ?? "HOOKLOOP_PROJECT_DIR";
  const plain = path.replace(/^\.\//, "");
  const cure = fields["args"] === undefined ? `"$${root}"/${plain}` : `\${${root}}/${plain}`;
  const text = `${path} is found only while the agent stays in its first folder; after a cd the hook fails. Write ${cure}.`;
  return { code: "HL_CONFIG_RELATIVE_PATH", level: "warning", text, place };
}

interface NamedScript {
  readonly path: string;
  /** The file itself is started, not handed to an interpreter. */
  readonly isDirect: boolean;
  /** What it is handed to. */
  readonly interpreter?: string | undefined;
}

interface StartedText {
  /** Where it is inline code, a name that tells its language. */
  readonly path: string;
  readonly text: string;
  readonly isFile: boolean;
}

const INLINE: readonly (readonly [program: RegExp, option: RegExp, name: string])[] = [
  [/^(?:node|bun)$/, /^(?:-e|--eval)$/, "inline.mjs"],
  [/^python[\d.]*$/, /^-[uBsE]*c$/, "inline.py"],
];
/** Reading a line takes time, and a checkout may bring any number of them. */
const LONGEST_LINE = 1000;

/**
 * The one script that a shell line starts behind a `cd` or by a program such as `env`, `timeout` and `exec`, or the code that stands in it; its text
 * only: whether it runs at all may depend on the line. Nothing if there are several, or none that is there.
 */
function startedIn(hook: HookDeclaration, options: ScriptOptions): StartedText | undefined {
  const line = String(hook.fields["command"]);
  if (hook.kind !== "command" || hook.fields["args"] !== undefined || hook.unreadable !== undefined || line.length > LONGEST_LINE)
    return undefined;
  const variables = { ...folderVariables(hook.source, options), "": options.projectRoot };
  const names = Object.keys(variables);
  const marked = line
    .replace(/\$\(git rev-parse --show-toplevel\)|`git rev-parse --show-toplevel`/g, () => `\uE000${names.indexOf("")}\uE001`)
    .replace(/\$(?:\{(\w+)(?::?-[^{}]*)?\}|(\w+))/g, (whole, braced?: string, bare = "") =>
      names.includes(braced ?? bare) ? `\uE000${names.indexOf(braced ?? bare)}\uE001` : whole,
    );
  const unmark = (text: string): string => text.replace(/\uE000(\d+)\uE001/g, (_, at) => variables[names[Number(at)] as never] ?? "");
  const { commands } = readCommand(marked);
  const found = commands.flatMap(({ words, folder = "", repeats }, at) => {
    if (repeats !== undefined || commands.some(({ startedBy }) => startedBy === at) || folder.includes(UNKNOWN)) return [];
    const known = words.map(({ text }) => ({ text: unmark(text), isDynamic: text.includes(UNKNOWN) }));
    return textOf(known, resolve(options.projectRoot, unmark(folder))) ?? [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function textOf(words: readonly ShellWord[], base: string): StartedText | undefined {
  const script = scriptOfWords(words);
  if (script) {
    const path = resolve(base, script.path);
    const text = stateOf(script, path) === "ready" ? readStart(path, TEXT_BYTES)?.toString("latin1") : undefined;
    return text === undefined ? undefined : { path, text, isFile: true };
  }
  const [program, ...rest] = words;
  const inline = INLINE.find(([name]) => name.test(program?.text.replace(/^.*\//, "") ?? ""));
  const code = inline && rest[rest.findIndex(({ text }) => inline[1].test(text)) + 1];
  return !inline || !code || code === rest[0] || code.isDynamic ? undefined : { path: inline[2], text: code.text, isFile: false };
}

interface CommandFields {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
}

const SHELLS = ["sh", "bash", "zsh", "dash", "ksh"];
const INTERPRETERS = [...SHELLS, "node", "bun", "tsx", "python", "python3", "ruby", "perl", "php"];
/** Options without a value; any other may take the next word with it, and then the script is anyone's guess. */
const PLAIN_OPTIONS: Readonly<Record<string, RegExp>> = { python: /^-[uBsE]+$/, python3: /^-[uBsE]+$/ };
const SHELL_OPTIONS = /^-[eux]+$/;

/** Programs that start the one behind them. */
const STARTERS = /^(?:env|timeout|nice|ionice|nohup|stdbuf|setsid|time|sudo)$/;

/** The script a command names, or nothing unless it is certain. */
export function scriptOfCommand({ command, args }: CommandFields, variables: Readonly<Record<string, string>>): NamedScript | undefined {
  const words = args === undefined ? shellWords(command, variables) : [command, ...args].map((word) => argumentWord(word, variables));
  return scriptOfWords(words);
}

function scriptOfWords(words: readonly ShellWord[]): NamedScript | undefined {
  const [program, ...rest] = words;
  if (!program || program.isDynamic) return undefined;
  const name = program.text.slice(program.text.lastIndexOf("/") + 1);
  if (INTERPRETERS.includes(name)) return interpreted(name, rest);
  const [run, script] = name === "npx" && rest[0]?.text === "hookloop" ? rest.slice(1) : name === "hookloop" ? rest : [];
  if (run?.text === "run")
    return script && !script.isDynamic && /^[^-]/.test(script.text) ? { path: script.text, isDirect: false } : undefined;
  return program.text.includes("/") && !(STARTERS.test(name) && rest.length > 0) ? { path: program.text, isDirect: true } : undefined;
}

/** Words of the first command; a `cd` before it or an assignment in front would change what a path means. */
function shellWords(line: string, variables: Readonly<Record<string, string>>): readonly ShellWord[] {
  const { words } = firstWords(line, variables);
  const start = words.findIndex(({ text }) => !/^\w+=/.test(text));
  return start === -1 ? [] : words.slice(start);
}

/** Without a shell only `${NAME}` is replaced; everything else stands for itself. */
function argumentWord(word: string, variables: Readonly<Record<string, string>>): ShellWord {
  const text = word.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
  return { text, isDynamic: text.includes("${") };
}

function interpreted(name: string, words: readonly ShellWord[]): NamedScript | undefined {
  const plain = SHELLS.includes(name) ? SHELL_OPTIONS : PLAIN_OPTIONS[name];
  // `bun run hook.ts`
  if (name === "bun" && words[0]?.text === "run" && /\.[cm]?[jt]s$/.test(words[1]?.text ?? "")) return interpreted(name, words.slice(1));
  const script = words.find(({ text }) => !plain?.test(text));
  return script && !script.isDynamic && /^[^-]/.test(script.text) && !SUBCOMMANDS.includes(script.text)
    ? { path: script.text, isDirect: false, interpreter: name }
    : undefined;
}

/** Words behind `bun` and the like that are no files. */
const SUBCOMMANDS = ["run", "x", "test", "exec", "inspect", "watch"];

/** One word of a shell line, as far as it can be known without running a shell. */
interface ShellWord {
  readonly text: string;
  /** A `$`, backtick or glob that only the shell can resolve stands in it. */
  readonly isDynamic: boolean;
  /** It has a value without quotes that a shell would split, or look for files in. */
  readonly isSplit?: boolean;
}

const SEPARATORS = ";&|<>()\n";
const DYNAMIC = "$`*?[{";

/** The words of the first simple command of a line, variables that are given put in, and what follows it. */
function firstWords(
  line: string,
  variables: Readonly<Record<string, string>>,
): { readonly words: readonly ShellWord[]; readonly rest: string } {
  const words: ShellWord[] = [];
  let rest = line.trimStart();
  while (rest !== "" && !SEPARATORS.includes(rest[0] ?? "") && !rest.startsWith("#")) {
    const [word, length] = readWord(rest, variables);
    words.push(word);
    rest = rest.slice(length).replace(/^(?:[ \t]|\\\n)+/, "");
  }
  return { words, rest };
}

/** The words of a line that is one command and needs no shell; nothing if it is more. */
export function wordsOfLine(line: string, variables: Readonly<Record<string, string>>): readonly string[] | undefined {
  const { words, rest } = firstWords(line.trim(), variables);
  return rest === "" && !words.some(({ isDynamic, isSplit }) => isDynamic || isSplit) ? words.map(({ text }) => text) : undefined;
}

function readWord(line: string, variables: Readonly<Record<string, string>>): readonly [ShellWord, number] {
  let text = "";
  let isDynamic = false;
  let isSplit = false;
  let at = 0;
  while (at < line.length && !` \t${SEPARATORS}`.includes(line[at] ?? "")) {
    const piece = readPiece(line.slice(at), variables, at === 0);
    text += piece.text;
    isDynamic ||= piece.isDynamic;
    isSplit ||= piece.isSplit ?? false;
    at += piece.length;
  }
  return [{ text, isDynamic, isSplit }, at];
}

/** A quoted stretch, a variable, or one character. */
function readPiece(rest: string, variables: Readonly<Record<string, string>>, isStart: boolean): ShellWord & { readonly length: number } {
  const single = /^'([^']*)'/.exec(rest);
  if (single) return { text: single[1] ?? "", isDynamic: false, length: single[0].length };
  const double = /^"((?:[^"\\]|\\.)*)"/s.exec(rest);
  if (double) return { ...expand(double[1] ?? "", variables), length: double[0].length };
  const variable = /^\$(?:\{(\w+)\}|(\w+))/.exec(rest);
  if (variable) {
    const word = expand(variable[0], variables);
    return { ...word, isSplit: !/^[\w./@%+=:,-]*$/.test(word.text), length: variable[0].length };
  }
  if (rest.startsWith("\\")) return { text: rest[1] ?? "", isDynamic: false, length: 2 };
  if (isStart && rest.startsWith("~/") && variables["HOME"] !== undefined) return { text: variables["HOME"], isDynamic: false, length: 1 };
  const [character = ""] = rest;
  const isOpenQuote = character === "'" || character === '"';
  return { text: character, isDynamic: isOpenQuote || DYNAMIC.includes(character) || (isStart && character === "~"), length: 1 };
}

/** Puts the given variables in; any other makes the text dynamic. */
function expand(text: string, variables: Readonly<Record<string, string>>): ShellWord {
  let isDynamic = false;
  const known = text.replace(/\\(["\\$`])|\$(?:\{(\w+)\}|(\w+))|[$`]/g, (whole, escaped?: string, braced?: string, bare?: string) => {
    const value = escaped ?? variables[braced ?? bare ?? ""];
    if (value === undefined) isDynamic = true;
    return value ?? whole;
  });
  return { text: known, isDynamic };
}
