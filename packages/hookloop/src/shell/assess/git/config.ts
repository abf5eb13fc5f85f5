import type { ShellWord } from "../../types.ts";
import type { Call, Report } from "../call/call.ts";
import { isNetwork } from "./push.ts";

/** Settings by which git runs another program, whatever the sub-command. */
const RUNS_PROGRAM =
  /^(?:core\.(?:pager|editor|fsmonitor|hookspath|askpass)|pager\.|diff\.(?:external|.*\.(?:command|textconv))|filter\.|merge\..*\.driver|gpg\.|credential\.|sequence\.editor|interactive\.difffilter|include|uploadpack)/;
/** Settings and variables by which git runs another program to reach a remote. */
const REACHES_REMOTE =
  /^(?:core\.(?:sshcommand|gitproxy)|ssh\.variant|remote\..*\.(?:uploadpack|receivepack|proxy)|protocol\.|url\.|http\.)/;
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
  "GIT_CONFIG_PARAMETERS",
  "GIT_TEMPLATE_DIR",
  "GIT_ALLOW_PROTOCOL",
]);

/** What `-c name=value` and `GIT_CONFIG_*` set for this call; names in lower case. */
export function configOf({ command }: Call, globals: readonly ShellWord[]): ReadonlyMap<string, string> {
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
  const variables = new Map(command.assignments.map(({ name, value }) => [name, value.text]));
  for (const [name, key] of variables) {
    const number = /^GIT_CONFIG_KEY_(\d+)$/.exec(name)?.[1];
    if (number) config.set(key.toLowerCase(), variables.get(`GIT_CONFIG_VALUE_${number}`) ?? "");
  }
  return config;
}

function runsVariable({ command }: Call): boolean {
  return command.assignments.some(({ name, value }) => PROGRAM_VARIABLES.has(name) && !HARMLESS_PROGRAM.test(value.text));
}

/** `export GIT_SSH=…; git fetch`. */
function exportedIn({ scene }: Call): readonly string[] {
  return [...scene.text.matchAll(/(?:^|[\s;&|(])(GIT_\w+|SSH_ASKPASS)=/g)].map(([, name = ""]) => name);
}

/** Programs that git would run because this very call says so. */
export function judgeGitPrograms(
  { inner, config }: { readonly inner: Call; readonly config: ReadonlyMap<string, string> },
  report: Report,
): void {
  const names = [...config.keys()];
  const variables = [...inner.command.assignments.map(({ name }) => name), ...exportedIn(inner)];
  const reaches = names.some((name) => REACHES_REMOTE.test(name)) || variables.some((name) => REMOTE_VARIABLES.has(name));
  const ownConfig = inner.name === "clone" ? inner.given.options.filter(({ name }) => name === "-c" || name === "--config") : [];
  const named = inner.given.options.some(({ name, value }) => /^--(?:upload-pack|receive-pack|exec)$/.test(name) && value !== undefined);
  const isOdd =
    named ||
    ownConfig.some(({ value }) => REACHES_REMOTE.test(value?.toLowerCase() ?? "")) ||
    inner.given.operands.some(({ text }) => /^ext::/.test(text));
  if ((reaches || isOdd) && isNetwork(inner)) report("git-runs-program", "it makes git run a program of its own to reach the remote");
  if (names.some((name) => RUNS_PROGRAM.test(name)) || runsVariable(inner)) {
    report("git-looks-elsewhere", "it makes git run another program than usual");
  }
}
