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
  /^(?:core\.(?:worktree|hookspath|sshcommand|gitproxy|attributesfile|pager|editor|askpass)|sequence\.editor|pager\..*|include\.path|includeif\..*\.path|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|diff\.external|merge\..*\.driver|gpg\..*program|init\.templatedir|protocol\.ext\.allow)$/;
const GIT_RUNS_IF_COMMAND = /^(?:core\.fsmonitor|alias\..*|credential\..*helper)$/;
/** What was harmless in one section makes git run a program in another, and an editor can write anything. */
const GIT_CHANGES_ANY = /^(?:--ren[a-z-]*|rename-section|--ed[it]*|-e|edit)$/;
const GIT_READS = new Set(["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list", "--get-urlmatch"]);

/** What a command changes that is no file by name: hookloop's switches, git's settings, scheduled jobs. */
export function changedSettings(reading: ShellReading, text: string): readonly Setting[] {
  const found = reading.commands.flatMap((command) => [
    ...setsSwitch(command),
    ...setsUnknown(command, text),
    ...setsGit(command.words),
    ...setsJobs(command),
    ...decidesTrust(command),
  ]);
  return [...found, ...assignsSwitch(reading, text), ...(reading.isUncertain && mayDecideTrust(text) ? [trustSetting()] : [])];
}

/** `trust approve` as words of a command, in a text for a shell, or as a list in code; options may stand between. */
const DECIDES = /\btrust[^\w-]{1,8}(?:-{1,2}[a-z]{1,20}[^\w-]{1,8}){0,4}(?:approve|revoke|review)\b/i;
const OWN_NAME = /(?:^|\/)hookloop(?:\.js|@[^/]*)?$|\/hookloop\/(?:bin|dist)\/[^ ]*\.js$/;
/** What these are given is text for people, or names of files. */
const TALKS: ReadonlySet<string> = new Set("echo printf cat tee grep egrep fgrep rg ag head tail less more man which gh ls wc".split(" "));
const GIT_TALKS: ReadonlySet<string> = new Set("commit log grep tag notes add show".split(" "));

/**
 * SECURITY: hookloop's own commands write the trust store. Under whichever name and through whatever starts them: a copy or a link of the
 * program is known by its words.
 */
function decidesTrust({ words, stdin, wrappers }: ShellCommand): readonly Setting[] {
  const texts = words.map(({ text }) => text);
  const name = (texts[0] ?? "").replace(/^.*\//s, "");
  if (TALKS.has(name) || (name === "git" && GIT_TALKS.has(readGit(words).words[0]?.text ?? ""))) return [];
  const own = texts.findIndex((text) => OWN_NAME.test(text));
  const [first, second] = texts.slice(own + 1).filter((text) => !text.startsWith("-"));
  if (own >= 0 && first === "trust" && second === "review" && texts.includes("--json")) return [];
  const isOpen = wrappers.some((wrapper) => /(?:^|\/)(?:xargs|parallel)$/.test(wrapper));
  const isKnown = (text: string | undefined): boolean => (text === undefined ? !isOpen : !text.includes(UNKNOWN));
  const isOwnChange = own >= 0 && (!isKnown(first) || (first === "trust" && (!isKnown(second) || !LISTS_TRUST.has(second))));
  const whole = [...texts, ...(stdin?.kind === "text" ? [stdin.text] : [])].join(" ");
  return isOwnChange || DECIDES.test(whole) ? [trustSetting()] : [];
}

const LISTS_TRUST: ReadonlySet<string | undefined> = new Set([undefined, "export", "help"]);

function mayDecideTrust(text: string): boolean {
  return DECIDES.test(text) || (text.includes("hookloop") && /\b(?:approve|revoke)\b/.test(text));
}

function trustSetting(): Setting {
  return { what: "trust store", why: "the command decides which hooks may run", path: "what hookloop trusts" };
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
  // `.git` becomes a file that says where the configuration is.
  if (texts[0] === "init" && texts.some((text) => /^--sep[a-z-]*(?:=|$)/.test(text)))
    return [{ what: "git configuration", why: "it decides where git finds its configuration and hooks", path: ".git" }];
  if (texts[0] === "config" && texts.some((text, at) => at > 0 && GIT_CHANGES_ANY.test(text)))
    return [{ what: "git configuration", why: "it can make git run programs", path: ".git/config" }];
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
