import { findOption } from "../../arguments/read-arguments.ts";
import type { ShellWord } from "../../types.ts";
import { type Call, has, type Report } from "../call/call.ts";
import { isNetwork } from "./push.ts";
import { isHarmlessSetting } from "./settings.ts";

/** Settings and variables by which git runs another program to reach a remote. */
const REACHES_REMOTE =
  /^(?:core\.(?:sshcommand|gitproxy)|ssh\.variant|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.(?:.*\.)?allow$|url\.(?:ext|fd)::)/;
const REMOTE_VARIABLES = new Set(["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS"]);
const HARMLESS_PROGRAM = /^(?:|true|:|cat|less|more|vim?|nano|emacs|code(?: -w| --wait)?)$/;
const PROGRAM_VARIABLES = new Set([
  "PAGER",
  "EDITOR",
  "VISUAL",
  "GIT_PAGER",
  "GIT_EDITOR",
  "GIT_SEQUENCE_EDITOR",
  "GIT_EXTERNAL_DIFF",
  "GIT_EXEC_PATH",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_TEMPLATE_DIR",
  "GIT_ALLOW_PROTOCOL",
]);

/** What `-c name=value` and `GIT_CONFIG_*` set for this call; names in lower case. */
export function configOf({ command, scene }: Call, globals: readonly ShellWord[]): ReadonlyMap<string, string> {
  const config = new Map<string, string>();
  const add = (text: string): void => {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    config.set(name.toLowerCase(), value);
  };
  globals.forEach(({ text }, at) => {
    if (text === "-c") add(globals[at + 1]?.text ?? "");
    else if (text.startsWith("-c")) add(text.slice(2));
    else if (text === "--config-env") add(globals[at + 1]?.text ?? "");
    else if (text.startsWith("--config-env=")) add(text.slice("--config-env=".length));
  });
  const variables = new Map([
    ...exportedConfig(scene.text),
    ...command.assignments.map(({ name, value }): [string, string] => [name, value.text]),
  ]);
  for (const [name, key] of variables) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number) config.set(key.toLowerCase(), variables.get(`GIT_CONFIG_VALUE_${number}`) ?? "");
    if (name === "GIT_CONFIG_PARAMETERS") for (const [setting, value] of parametersIn(key)) config.set(setting.toLowerCase(), value);
  }
  return config;
}

const PARAMETER = /'([^']*)'(?:='([^']*)')?/g;

/** `'alias.x=reset' 'a.b'='c'`: how git hands the settings of `-c` on. */
function parametersIn(text: string): readonly (readonly [name: string, value: string])[] {
  return [...text.matchAll(PARAMETER)].map(([, name = "", value]) => {
    const [before = "", after = ""] = name.split(/=(.*)/s);
    return value === undefined ? [before, after] : [name, value];
  });
}

/** `export GIT_CONFIG_KEY_0=… GIT_CONFIG_VALUE_0=…; git …`: set for every call that follows. */
function exportedConfig(text: string): readonly [string, string][] {
  if (!/GIT_CONFIG_(?:KEY_|PARAMETERS)/.test(text)) return [];
  return [
    ...text.matchAll(/['"]?(GIT_CONFIG_(?:(?:KEY|VALUE)_\d+|PARAMETERS))=(?:'([^']*)'|"([^"]*)"|([^\s;&|'"]*(?: [^;&|'"=]*(?='))?))/g),
  ].map(([, name = "", ...values]) => [name, values.find((value) => value !== undefined) ?? ""]);
}

function runsVariable({ command }: Call): boolean {
  return command.assignments.some(({ name, value }) => {
    if (name === "GIT_CONFIG_PARAMETERS") return value.text.replace(PARAMETER, "").trim() !== "";
    return PROGRAM_VARIABLES.has(name) && !HARMLESS_PROGRAM.test(value.text);
  });
}

/** `GIT_PAGER='…' git log`: git hands the value to a shell. */
function judgeVariables({ command, scene }: Call): void {
  for (const { name, value } of command.assignments)
    if (PROGRAM_VARIABLES.has(name) || REMOTE_VARIABLES.has(name)) scene.judgeText(value.text, value.span);
}

/** `export GIT_SSH=…; git fetch`. */
function exportedIn({ scene }: Call): readonly string[] {
  return [...scene.text.matchAll(/(?:^|[\s;&|(])(GIT_\w+|SSH_ASKPASS)=/g)].map(([, name = ""]) => name);
}

/** Options that name the program on the other side; so short they may be, and mean nothing else. */
const NAMES_PROGRAM = ["--upload-pack", "--receive-pack", "--exec"];
const SHORTEST = "--rece".length - 1;

/** Programs that git would run because this very call says so. */
export function judgeGitPrograms(
  { inner, config }: { readonly inner: Call; readonly config: ReadonlyMap<string, string> },
  report: Report,
): void {
  judgeVariables(inner);
  const names = [...config.keys()];
  const variables = [...inner.command.assignments.map(({ name }) => name), ...exportedIn(inner)];
  const reaches = names.some((name) => REACHES_REMOTE.test(name)) || variables.some((name) => REMOTE_VARIABLES.has(name));
  const ownConfig = inner.name === "clone" ? inner.given.options.filter(({ name }) => name === "-c" || /^--conf/.test(name)) : [];
  const named = NAMES_PROGRAM.some((option) => findOption(inner.given, [option], SHORTEST)) || (inner.name === "clone" && has(inner, "-u"));
  const isOdd =
    named ||
    ownConfig.some(({ value }) => REACHES_REMOTE.test(value?.toLowerCase() ?? "")) ||
    inner.given.operands.some(({ text }) => /^ext::/.test(text));
  if ((reaches || isOdd) && isNetwork(inner)) report("git-runs-program", "it makes git run a program of its own to reach the remote");
  const isOther = [...config].some(([name, value]) => !isHarmlessSetting(name, value) && !REACHES_REMOTE.test(name));
  if (isOther || runsVariable(inner)) {
    report("git-looks-elsewhere", "it makes git run another program than usual");
  }
}
