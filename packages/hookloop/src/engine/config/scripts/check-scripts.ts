import { constants, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import type { ConfigDocument, HookDeclaration } from "../types.ts";
import { type CommandFields, type NamedScript, scriptOfCommand } from "./script-of-command.ts";

export interface ScriptOptions {
  readonly projectRoot: string;
  readonly home: string;
}

const ANY_EXECUTE_BIT = 0o111;

/** Looks for the files that a document's hooks run, and says which are missing, not executable, no scripts of their interpreter, or named by a path that a `cd` breaks. */
export async function checkScripts(document: ConfigDocument, options: ScriptOptions): Promise<readonly Diagnostic[]> {
  const found = await Promise.all(document.hooks.map((hook) => checkHook(hook, options)));
  return found.flat();
}

async function checkHook(hook: HookDeclaration, options: ScriptOptions): Promise<readonly Diagnostic[]> {
  const script = scriptOf(hook, options);
  if (!script) return [];
  const file = resolve(script.base, script.path);
  const state = await stateOf(file);
  if (state === "unknown") return [];
  if (state === "missing" || !state.isFile) return [missing(hook, script, file)];
  const isRelative = hook.kind === "command" && !isAbsolute(script.path);
  const isLocked = script.isDirect && (state.mode & ANY_EXECUTE_BIT) === 0;
  const unrunnable = await firstLineProblem(hook, script, file);
  return [...(isLocked ? [notExecutable(hook, file)] : []), ...unrunnable, ...(isRelative ? [relativePath(hook, script)] : [])];
}

/** Languages whose scripts a shell would run as its own where no first line says otherwise. */
const OTHER_LANGUAGE = /\.(?:[cm]?[jt]s|py|rb|pl|php|lua)$/i;
const HEAD_BYTES = 256;

/** What the first line of a script does that its author does not see: the errors of the system do not name it. */
async function firstLineProblem(hook: HookDeclaration, { isDirect }: NamedScript, file: string): Promise<readonly Diagnostic[]> {
  if (hook.kind !== "command") return [];
  const head = await headOf(file);
  const [line = ""] = head.split("\n", 1);
  const isShell = /\.(?:ba|da|k|z)?sh$/i.test(file);
  if (line.endsWith("\r") && (isShell || (isDirect && line.startsWith("#!")))) return [badFirstLine(hook, windowsLines(file))];
  if (!isDirect || line.startsWith("#!") || !OTHER_LANGUAGE.test(file)) return [];
  const cure = 'Write its interpreter there, as in "#!/usr/bin/env python3", or before the script in "command"';
  return [badFirstLine(hook, `${file} has no first line with "#!", so the shell runs it as a shell script. ${cure}.`)];
}

function windowsLines(file: string): string {
  return `${file} has Windows line endings (CRLF): its interpreter is not found, or reads each line with a character too much. Save it with LF: sed -i 's/\\r$//' "${file}"`;
}

async function headOf(file: string): Promise<string> {
  try {
    // SECURITY: a project's file may have become a pipe since it was looked at.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
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
  const root = source.plugin?.root ?? source.skill?.root;
  const variables = {
    HOME: options.home,
    CLAUDE_PROJECT_DIR: options.projectRoot,
    HOOKLOOP_PROJECT_DIR: options.projectRoot,
    ...(root !== undefined && { CLAUDE_PLUGIN_ROOT: root }),
  };
  const script = scriptOfCommand(fields as unknown as CommandFields, variables);
  // A hook starts in the session's folder, whatever file declared it.
  return script && { ...script, base: options.projectRoot };
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

/** What a file of this dialect calls the project's folder; hooks get both. */
export function projectVariable({ dialect }: Pick<HookDeclaration["source"], "dialect">): string {
  return dialect === "native" ? "HOOKLOOP_PROJECT_DIR" : "CLAUDE_PROJECT_DIR";
}

function notExecutable({ place }: HookDeclaration, file: string): Diagnostic {
  const text = `${file} is not executable, so the hook cannot start. Run: chmod +x "${file}"`;
  return { code: "HL_CONFIG_SCRIPT_NOT_EXECUTABLE", level: "error", text, place };
}

function relativePath({ place, fields, source }: HookDeclaration, { path }: NamedScript): Diagnostic {
  const plain = path.replace(/^\.\//, "");
  const root = projectVariable(source);
  const cure = fields["args"] === undefined ? `"$${root}"/${plain}` : `\${${root}}/${plain}`;
  const text = `${path} is found only while the agent stays in its first folder; after a cd the hook fails. Write ${cure}.`;
  return { code: "HL_CONFIG_RELATIVE_PATH", level: "warning", text, place };
}
