import type { HookTarget } from "../../config/index.ts";
import { failure } from "./failures.ts";
import { systemProgram } from "./process/index.ts";
import type { RunFailure } from "./types.ts";

export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  readonly isShell: boolean;
}

type CommandTarget = Extract<HookTarget, { readonly kind: "command" }>;

/** The only names replaced in `command` and `args` of the argv form. */
const PLACEHOLDER = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|HOOKLOOP_PROJECT_DIR|user_config\.[\w.-]+)\}/g;

/** A plugin's option comes to its hooks as a variable, too. */
function variableOf(name: string): string {
  const option = name.split("user_config.")[1];
  return option === undefined ? name : `CLAUDE_PLUGIN_OPTION_${option.toUpperCase().replace(/\W/g, "_")}`;
}

/** What to start for a command hook; `env` is the environment it will have. */
export function commandLine(target: CommandTarget, env: Readonly<Record<string, string>>): CommandLine | RunFailure {
  if (target.args !== undefined) return argvForm([target.command, ...target.args], env);
  if (target.shell === "powershell") return NO_POWERSHELL;
  const shell = target.shell === "bash" ? bashFor(env) : "/bin/sh";
  if (shell === undefined) return failure("could-not-start", "bash was not found in PATH outside of the project");
  // SECURITY: the line reaches the shell as it was declared. Values come to it as variables, never as text (fault 57).
  return { file: shell, args: ["-c", target.command], isShell: true };
}

/** SECURITY: not one of the project, which `npx` would put first in PATH. */
function bashFor(env: Readonly<Record<string, string>>): string | undefined {
  const root = env["CLAUDE_PROJECT_DIR"] ?? env["HOOKLOOP_PROJECT_DIR"];
  return root === undefined || env["PATH"] === undefined ? "bash" : systemProgram("bash", { env, root });
}

const NO_POWERSHELL = failure(
  "could-not-start",
  `"shell": "powershell" is not available on ${process.platform}; leave "shell" out (sh), say "bash", or give "args" to start a program without a shell`,
);

function argvForm(words: readonly string[], env: Readonly<Record<string, string>>): CommandLine | RunFailure {
  const missing = words.flatMap((word) => [...word.matchAll(PLACEHOLDER)]).find(([, name = ""]) => env[variableOf(name)] === undefined);
  if (missing) {
    return failure(
      "could-not-start",
      `${missing[0]} has no value for this hook; it is known only ${KNOWN_IN[missing[1] ?? ""] ?? "if the user set this option of the plugin"}`,
    );
  }
  // One pass, by function: a value that looks like a placeholder, or has `$&` in it, stays what it is.
  const [file = "", ...args] = words.map((word) => word.replace(PLACEHOLDER, (_, name: string) => env[variableOf(name)] ?? ""));
  return { file, args, isShell: false };
}

const KNOWN_IN: Readonly<Record<string, string>> = {
  CLAUDE_PROJECT_DIR: "to hooks of a project",
  CLAUDE_PLUGIN_ROOT: "to hooks of a plugin or skill",
  CLAUDE_PLUGIN_DATA: "to hooks of a plugin",
  HOOKLOOP_PROJECT_DIR: "to hooks of a project",
};
