import { constants, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { EVENTS, TOOLS } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { type ConfigDocument, type HookDeclaration, matcherForm } from "../types.ts";
import { scriptSlip } from "./script-text.ts";

interface ScriptOptions {
  readonly projectRoot: string;
  readonly home: string;
  /** What the hook's dialect calls the project's folder. */
  readonly projectVariable?: string | undefined;
}

const ANY_EXECUTE_BIT = 0o111;

/** Looks for the files that a document's hooks run, and says which are missing, not executable, no scripts of their interpreter, look for the event where it is not, or are named by a path that a `cd` breaks. */
export async function checkScripts(document: ConfigDocument, options: ScriptOptions): Promise<readonly Diagnostic[]> {
  const projectVariable = document.dialect?.quirks.projectVariable;
  const found = await Promise.all(document.hooks.map((hook) => checkHook(hook, document, { ...options, projectVariable })));
  return found.flat();
}

async function checkHook(hook: HookDeclaration, document: ConfigDocument, options: ScriptOptions): Promise<readonly Diagnostic[]> {
  const script = scriptOf(hook, options);
  const isRun = (other: HookDeclaration): boolean => other.kind === "command" && other.fields["command"] === hook.fields["command"];
  // Nothing stands behind the script's name, or arguments of the line itself, which has none.
  const isBare =
    script !== undefined &&
    hook.fields["args"] === undefined &&
    new RegExp(`${lastPart(script.path)}["']?(?:\\s+"?\\$[1-9@*]"?)*\\s*$`).test(String(hook.fields["command"]));
  const slipIn = (text: string, file = ""): string | undefined =>
    // Only names of the catalogue can be compared.
    hook.kind === "command" && document.dialect?.quirks.sendsWireNames && hook.unreadable === undefined
      ? scriptSlip({
          file,
          text,
          events: document.hooks.filter(isRun).map(({ event }) => event),
          tools: toolsOf(document.hooks.filter(isRun)),
          hasArguments: !isBare,
        })
      : undefined;
  if (!script) {
    const slip = hook.fields["args"] === undefined ? slipIn(String(hook.fields["command"])) : undefined;
    return slip === undefined ? [] : [misreads(hook, `The hook's command ${slip}`)];
  }
  const file = resolve(script.base, script.path);
  const state = await stateOf(file);
  if (state === "unknown") return [];
  if (state === "missing" || !state.isFile) return [missing(hook, script, file)];
  const isRelative = hook.kind === "command" && !isAbsolute(script.path);
  const isLocked = script.isDirect && (state.mode & ANY_EXECUTE_BIT) === 0;
  const text = hook.kind === "command" ? await textOf(file) : "";
  const unrunnable = firstLineProblem(hook, script, { file, text });
  const blind = slipIn(text, file);
  return [
    ...(isLocked ? [notExecutable(hook, file)] : []),
    ...unrunnable,
    ...(isRelative ? [relativePath(hook, script, options)] : []),
    ...(blind === undefined ? [] : [misreads(hook, `${file} ${blind}`)]),
  ];
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

/** Languages whose scripts a shell would run as its own where no first line says otherwise. */
const OTHER_LANGUAGE = /\.(?:[cm]?[jt]s|py|rb|pl|php|lua)$/i;
/** Longer scripts are looked at up to here. */
const TEXT_BYTES = 64 * 1024;

/** What the first line of a script does that its author does not see: the errors of the system do not name it. */
function firstLineProblem(
  hook: HookDeclaration,
  { isDirect }: NamedScript,
  { file, text }: { file: string; text: string },
): readonly Diagnostic[] {
  if (hook.kind !== "command") return [];
  const [line = ""] = text.split("\n", 1);
  const isShell = /\.(?:ba|da|k|z)?sh$/i.test(file);
  if (line.endsWith("\r") && (isShell || (isDirect && line.startsWith("#!")))) return [badFirstLine(hook, windowsLines(file))];
  if (!isDirect || line.startsWith("#!") || !OTHER_LANGUAGE.test(file)) return [];
  const cure = 'Write its interpreter there, as in "#!/usr/bin/env python3", or before the script in "command"';
  return [badFirstLine(hook, `${file} has no first line with "#!", so the shell runs it as a shell script. ${cure}.`)];
}

function windowsLines(file: string): string {
  return `${file} has Windows line endings (CRLF): its interpreter is not found, or reads each line with a character too much. Save it with LF: sed -i 's/\\r$//' "${file}"`;
}

async function textOf(file: string): Promise<string> {
  try {
    // SECURITY: a project's file may have become a pipe since it was looked at.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TEXT_BYTES), 0, TEXT_BYTES, 0);
      return buffer.toString("latin1", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    // Not readable: running it tells.
    return "";
  }
}

function badFirstLine({ place }: HookDeclaration, text: string): Diagnostic {
  return { code: "HL_CONFIG_SCRIPT_FIRST_LINE", level: "error", text, place };
}

/** Why a hook would fail every time if it ran now; nothing if its script is there, or is anyone's guess. */
export function scriptProblem(hook: ScriptedHook, options: ScriptOptions): string | undefined {
  const script = scriptOf(hook, options);
  if (!script) return undefined;
  const file = resolve(script.base, script.path);
  try {
    const state = statSync(file, { throwIfNoEntry: false });
    if (!state?.isFile()) return `there is no file ${file}`;
    return script.isDirect && (state.mode & ANY_EXECUTE_BIT) === 0 ? `${file} is not executable` : undefined;
  } catch {
    // It cannot be looked at from here: running it tells.
    return undefined;
  }
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

async function stateOf(file: string): Promise<{ readonly isFile: boolean; readonly mode: number } | "missing" | "unknown"> {
  try {
    const found = await stat(file);
    return { isFile: found.isFile(), mode: found.mode };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unknown";
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

/** The file a command runs, as it is written there. */
interface NamedScript {
  readonly path: string;
  /** The file itself is started, not handed to an interpreter. */
  readonly isDirect: boolean;
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

/** The script a command names, or nothing unless it is certain. */
export function scriptOfCommand({ command, args }: CommandFields, variables: Readonly<Record<string, string>>): NamedScript | undefined {
  const words = args === undefined ? shellWords(command, variables) : [command, ...args].map((word) => argumentWord(word, variables));
  const [program, ...rest] = words;
  if (!program || program.isDynamic) return undefined;
  const name = program.text.slice(program.text.lastIndexOf("/") + 1);
  if (INTERPRETERS.includes(name)) return interpreted(name, rest);
  return program.text.includes("/") ? { path: program.text, isDirect: true } : undefined;
}

/** Words of the first command; a `cd` before it or an assignment in front would change what a path means. */
function shellWords(line: string, variables: Readonly<Record<string, string>>): readonly ShellWord[] {
  const words = firstWords(line, variables);
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
  const script = words.find(({ text }) => !plain?.test(text));
  return script && !script.isDynamic && /^[^-]/.test(script.text) && !SUBCOMMANDS.includes(script.text)
    ? { path: script.text, isDirect: false }
    : undefined;
}

/** Words behind `bun` and the like that are no files. */
const SUBCOMMANDS = ["run", "x", "test", "exec", "inspect", "watch"];

/** One word of a shell line, as far as it can be known without running a shell. */
interface ShellWord {
  readonly text: string;
  /** A `$`, backtick or glob that only the shell can resolve stands in it. */
  readonly isDynamic: boolean;
}

const SEPARATORS = ";&|<>()\n";
const DYNAMIC = "$`*?[{";

/** The words of the first simple command of a line; variables that are given are put in. */
function firstWords(line: string, variables: Readonly<Record<string, string>>): readonly ShellWord[] {
  const words: ShellWord[] = [];
  let rest = line.trimStart();
  while (rest !== "" && !SEPARATORS.includes(rest[0] ?? "") && !rest.startsWith("#")) {
    const [word, length] = readWord(rest, variables);
    words.push(word);
    rest = rest.slice(length).replace(/^(?:[ \t]|\\\n)+/, "");
  }
  return words;
}

function readWord(line: string, variables: Readonly<Record<string, string>>): readonly [ShellWord, number] {
  let text = "";
  let isDynamic = false;
  let at = 0;
  while (at < line.length && !` \t${SEPARATORS}`.includes(line[at] ?? "")) {
    const piece = readPiece(line.slice(at), variables, at === 0);
    text += piece.text;
    isDynamic ||= piece.isDynamic;
    at += piece.length;
  }
  return [{ text, isDynamic }, at];
}

type Piece = ShellWord & { readonly length: number };

/** A quoted stretch, a variable, or one character. */
function readPiece(rest: string, variables: Readonly<Record<string, string>>, isStart: boolean): Piece {
  const single = /^'([^']*)'/.exec(rest);
  if (single) return { text: single[1] ?? "", isDynamic: false, length: single[0].length };
  const double = /^"((?:[^"\\]|\\.)*)"/s.exec(rest);
  if (double) return { ...expand(double[1] ?? "", variables), length: double[0].length };
  const variable = /^\$(?:\{(\w+)\}|(\w+))/.exec(rest);
  if (variable) return { ...expand(variable[0], variables), length: variable[0].length };
  if (rest.startsWith("\\")) return { text: rest[1] ?? "", isDynamic: false, length: 2 };
  if (isStart && rest.startsWith("~/") && variables["HOME"] !== undefined) return { text: variables["HOME"], isDynamic: false, length: 1 };
  const [character = ""] = rest;
  const isOpenQuote = character === "'" || character === '"';
  return { text: character, isDynamic: isOpenQuote || DYNAMIC.includes(character) || (isStart && character === "~"), length: 1 };
}

/** Puts the given variables in; any other makes the text dynamic. */
function expand(text: string, variables: Readonly<Record<string, string>>): ShellWord {
  const known = text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced: string | undefined, bare: string | undefined) => {
    return variables[braced ?? bare ?? ""] ?? whole;
  });
  const leftover = text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) =>
    variables[braced ?? bare ?? ""] === undefined ? whole : "",
  );
  return { text: known.replace(/\\(["\\$`])/g, "$1"), isDynamic: /[$`]/.test(leftover) };
}
