import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { readGit } from "../../shell/paths/index.ts";
import type { Protected } from "./types.ts";

type Setting = Protected & { readonly path: string };

const SWITCH = /^(?:HOOKLOOP_\w*|CLAUDE_CODE_DISABLE_HOOKS)$/;
/** At the start of a command: the reading leaves out commands that only assign. */
const ASSIGNS_SWITCH = /(?:^|[;&|(){}\n]|\b(?:then|do|else|eval)\s)[ \t]*((?:HOOKLOOP_\w*|CLAUDE_CODE_DISABLE_HOOKS)\+?=)/g;
const DECLARING = new Set([
  "export",
  "declare",
  "typeset",
  "readonly",
  "local",
  "unset",
  "setenv",
  "read",
  "printf",
  "set",
  "env",
  "launchctl",
]);

/** Git settings that make git run a program, or that switch its hooks. */
const GIT_RUNS =
  /^(?:core\.(?:hookspath|sshcommand|gitproxy|attributesfile|pager|editor|askpass)|sequence\.editor|pager\..*|include\.path|includeif\..*\.path|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|diff\.external|merge\..*\.driver|gpg\..*program|init\.templatedir|protocol\.ext\.allow)$/;
const GIT_RUNS_IF_COMMAND = /^(?:core\.fsmonitor|alias\..*|credential\..*helper)$/;
const GIT_READS = new Set(["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list", "--get-urlmatch"]);

/** What a command changes that is no file by name: hookloop's switches, git's settings, scheduled jobs. */
export function changedSettings(reading: ShellReading, text: string): readonly Setting[] {
  const found = reading.commands.flatMap((command) => [
    ...setsSwitch(command),
    ...setsUnknown(command, text),
    ...setsGit(command.words),
    ...setsJobs(command),
  ]);
  return [...found, ...assignsSwitch(reading, text)];
}

function switchSetting(name: string): Setting {
  return { what: "hookloop's own switches", why: "it changes how hooks run", path: name };
}

function setsSwitch({ words, assignments }: ShellCommand): readonly Setting[] {
  const names = assignments.map(({ name }) => name);
  const declared = DECLARING.has(words[0]?.text ?? "") ? words.slice(1).map(({ text }) => text.replace(/\+?=.*$/s, "")) : [];
  return [...names, ...declared].filter((name) => SWITCH.test(name)).map(switchSetting);
}

/** `export $(…)`: what is set is known only at run time, but the name stands in the text. */
function setsUnknown({ words }: ShellCommand, text: string): readonly Setting[] {
  const isOpen = DECLARING.has(words[0]?.text ?? "") && words.some((word) => word.text.includes(UNKNOWN));
  return isOpen
    ? [...text.matchAll(/\b(?:HOOKLOOP_\w+|CLAUDE_CODE_DISABLE_HOOKS)=/g)].map(([name]) => switchSetting(name.slice(0, -1)))
    : [];
}

function assignsSwitch({ data }: ShellReading, text: string): readonly Setting[] {
  return [...text.matchAll(ASSIGNS_SWITCH)]
    .filter(({ index }) => !data.some(({ start, end }) => index >= start && index < end))
    .map(([, name = ""]) => switchSetting(name.replace(/\+?=$/, "")));
}

function setsGit(words: readonly ShellWord[]): readonly Setting[] {
  if (!/(^|\/)git$/.test(words[0]?.text ?? "")) return [];
  const { words: rest } = readGit(words);
  const texts = rest.map(({ text }) => text);
  const template = texts.find((text) => text.startsWith("--template"));
  if (/^(init|clone)$/.test(texts[0] ?? "") && template !== undefined)
    return [{ what: "git hooks", why: "git copies hooks from there", path: template }];
  if (texts[0] !== "config" || texts.some((text) => GIT_READS.has(text))) return [];
  const isRemoval = texts.some((text) => /^(--)?(unset|remove-section)/.test(text));
  return texts.flatMap((text, at) => {
    const key = text.toLowerCase();
    const value = texts[at + 1];
    // Without a value it only prints the setting.
    if (at === 0 || (value === undefined && !isRemoval)) return [];
    const isCommand =
      value !== undefined && (/^!/.test(value) || (key === "core.fsmonitor" && !/^(true|false|1|0|yes|no|on|off)$/i.test(value)));
    if (!GIT_RUNS.test(key) && !(GIT_RUNS_IF_COMMAND.test(key) && isCommand)) return [];
    return [{ what: "git configuration", why: "it makes git run a program or skip its hooks", path: text } as const];
  });
}

/** `crontab file`, `crontab -` and `crontab -r` replace the jobs; `-l` lists them. */
function setsJobs({ words }: ShellCommand): readonly Setting[] {
  const name = words[0]?.text.replace(/^.*\//s, "");
  const isUnit =
    name === "systemctl" && words.some(({ text }) => /^(enable|link)$/.test(text)) && words.slice(1).some(({ text }) => text.includes("/"));
  if (isUnit) return [{ what: "scheduled job", why: "it runs by itself", path: "systemd unit" }];
  if (name !== "crontab" || words.some(({ text }) => text === "-l")) return [];
  return [{ what: "scheduled job", why: "it runs by itself", path: "crontab" }];
}
