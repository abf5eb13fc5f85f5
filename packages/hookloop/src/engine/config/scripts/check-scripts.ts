import { stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import type { ConfigDocument, HookDeclaration } from "../types.ts";
import { type CommandFields, type NamedScript, scriptOfCommand } from "./script-of-command.ts";

export interface ScriptOptions {
  readonly projectRoot: string;
  readonly home: string;
}

const ANY_EXECUTE_BIT = 0o111;

/** Looks for the files that a document's hooks run, and says which are missing, not executable, or named by a path that a `cd` breaks. */
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
  return [...(isLocked ? [notExecutable(hook, file)] : []), ...(isRelative ? [relativePath(hook, script)] : [])];
}

function scriptOf(
  { kind, fields, source, unreadable }: HookDeclaration,
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

function notExecutable({ place }: HookDeclaration, file: string): Diagnostic {
  const text = `${file} is not executable, so the hook cannot start. Run: chmod +x "${file}"`;
  return { code: "HL_CONFIG_SCRIPT_NOT_EXECUTABLE", level: "error", text, place };
}

function relativePath({ place, fields }: HookDeclaration, { path }: NamedScript): Diagnostic {
  const plain = path.replace(/^\.\//, "");
  const cure = fields["args"] === undefined ? `"$CLAUDE_PROJECT_DIR"/${plain}` : `\${CLAUDE_PROJECT_DIR}/${plain}`;
  const text = `${path} is found only while the agent stays in its first folder; after a cd the hook fails. Write ${cure}.`;
  return { code: "HL_CONFIG_RELATIVE_PATH", level: "warning", text, place };
}
