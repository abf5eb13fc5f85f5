import { basename } from "node:path";
import {
  hasAny,
  isHarmlessSetting,
  optionForms,
  programName,
  readArguments,
  readGit,
  type ShellCommand,
  type ShellReading,
  type ShellWord,
  type TouchedPath,
  UNKNOWN,
  valuesOf,
  wordSet,
} from "../../shell/index.ts";
import type { AgentProcess, Protected } from "./protected-path.ts";

type Setting = Protected & { readonly path: string };

const SWITCH = /^(?:HOOKLOOP_\w*|CLAUDE_CODE_DISABLE_HOOKS)$/;
/** At the start of a command: the reading leaves out commands that only assign. */
const ASSIGNS_SWITCH = /(?:^|[;&|(){}\n]|\b(?:then|do|else|eval)\s)[ \t]*((?:HOOKLOOP_\w*|CLAUDE_CODE_DISABLE_HOOKS)\+?=)/g;
const DECLARING = wordSet("export declare typeset readonly local unset setenv read printf set env launchctl");

/** Settings that make git run a program, or that switch its hooks: what matters where a setting goes, or is for a file that git may never read. */
const GIT_RUNS =
  /^(?:core\.(?:worktree|hookspath|sshcommand|gitproxy|attributesfile|pager|editor|askpass)|sequence\.editor|pager\..*|include\.path|includeif\..*\.path|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|diff\.external|merge\..*\.driver|gpg\..*program|init\.templatedir|protocol\.ext\.allow)$/;
/** What was harmless in one section makes git run a program in another, and an editor can write anything. */
const GIT_CHANGES_ANY = /^(?:--ren[a-z-]*|rename-section|--ed[it]*|-e|edit)$/;
const CONFIG_READS = ["l", "list", "get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool"];
const CONFIG_VERBS = /^(?:set|unset|get|list|remove-section)$/;

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
/** What these are given is text for the user, or names of files. */
const TALKS = wordSet("echo printf cat tee grep egrep fgrep rg ag head tail less more man which gh ls wc");
const GIT_TALKS = wordSet("commit log grep tag notes add show");

/**
 * SECURITY: hookloop's own commands write the trust store. Under whichever name and through whatever starts them: a copy or a link of the
 * program is known by its words.
 */
function decidesTrust({ words, stdin, wrappers }: ShellCommand): readonly Setting[] {
  const texts = words.map(({ text }) => text);
  const name = programName(words);
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
  if (texts[0] === "clone" && clonedSettings(rest).some((setting) => !isHarmlessSetting(...setting)))
    return [{ what: "git configuration", why: "it makes git run a program or skip its hooks", path: clonedSettings(rest)[0]?.[0] ?? "" }];
  // `.git` becomes a file that says where the configuration is.
  if (texts[0] === "init" && texts.some((text) => /^--sep[a-z-]*(?:=|$)/.test(text)))
    return [{ what: "git configuration", why: "it decides where git finds its configuration and hooks", path: ".git" }];
  if (texts[0] === "config" && texts.some((text, at) => at > 0 && GIT_CHANGES_ANY.test(text)))
    return [{ what: "git configuration", why: "it can make git run programs", path: ".git/config" }];
  return texts[0] === "config" ? setsConfig(rest) : [];
}

/** `git clone -c name=value`: what is written into the new repository. */
function clonedSettings(words: readonly ShellWord[]): readonly (readonly [string, string])[] {
  const read = readArguments(words, optionForms("git clone"));
  return valuesOf(read, ["c", "config"]).map(({ text }) => {
    const at = text.indexOf("=");
    return at === -1 ? [text, "true"] : [text.slice(0, at), text.slice(at + 1)];
  });
}

/** SECURITY: of the settings that stay, only the harmless are known by name. */
function setsConfig(words: readonly ShellWord[]): readonly Setting[] {
  const outer = readArguments(words, optionForms("git config"));
  const verb = CONFIG_VERBS.exec(outer.operands[0]?.text ?? "")?.[0];
  const read = verb ? readArguments(outer.operands, optionForms("git config")) : outer;
  const [key, value] = read.operands.map(({ text }) => text);
  if (key === undefined || verb === "get" || verb === "list" || hasAny(read, CONFIG_READS)) return [];
  const isRemoval = verb === "unset" || verb === "remove-section" || hasAny(read, ["unset", "unset-all", "remove-section"]);
  // Without a value it only prints the setting.
  if (value === undefined && !isRemoval) return [];
  const isElsewhere = hasAny(read, ["f", "file"]);
  const isHarmless = isRemoval || isElsewhere ? !GIT_RUNS.test(key.toLowerCase()) : isHarmlessSetting(key, value);
  return isHarmless ? [] : [{ what: "git configuration", why: "it makes git run a program or skip its hooks", path: key }];
}

const GIT_HOOKS = { what: "git hooks", why: "it installs hooks that git runs", path: ".git/hooks" } as const;
const JOB = { what: "scheduled job", why: "it runs by itself", path: "scheduled jobs" } as const;
/** Programs that are made to write protected files, which no word names. */
const INSTALLERS: readonly { readonly line: RegExp; readonly setting: Setting }[] = [
  { line: /^(?:python[\d.]* -m )?pre[-_]commit (?:-\S+ )*(?:install|init-templatedir)\b/, setting: GIT_HOOKS },
  { line: /^git(?: -\S+)* lfs (?:install|update)\b/, setting: GIT_HOOKS },
  {
    line: /^(?:(?:npx|bunx|pnpx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x|run)?) ?(?:-\S+ )*)?(?:husky|lefthook install|simple-git-hooks)(?:@\S+)?(?: (?:install|init|\.?\w+))?$/,
    setting: GIT_HOOKS,
  },
  {
    line: /^(?:conda|mamba|micromamba) (?:\S+ )*init\b/,
    setting: { what: "shell start file", why: "shells run it", path: "shell start files" },
  },
  { line: /^systemctl (?=.*--user\b)(?:-\S+ )*(?:enable|link|edit)\b/, setting: JOB },
  { line: /^git(?: -\S+)* maintenance start\b/, setting: JOB },
];

/** `crontab file`, `crontab -` and `crontab -r` replace the jobs; `-l` lists them. */
function setsJobs({ words }: ShellCommand): readonly Setting[] {
  const name = programName(words);
  const isUnit =
    name === "systemctl" && words.some(({ text }) => /^(enable|link)$/.test(text)) && words.slice(1).some(({ text }) => text.includes("/"));
  if (isUnit) return [{ what: "scheduled job", why: "it runs by itself", path: "systemd unit" }];
  const installed = INSTALLERS.find(({ line }) => line.test([name, ...words.slice(1).map(({ text }) => text)].join(" ")));
  if (installed) return [installed.setting];
  if (name !== "crontab" || words.some(({ text }) => text === "-l")) return [];
  return [{ what: "scheduled job", why: "it runs by itself", path: "crontab" }];
}

type Found = Protected & { readonly path: string };

/** Programs that do something to a running process; what they name are processes. */
const ACTS = wordSet(
  "kill pkill killall killall5 skill snice renice prlimit gdb lldb strace ltrace gcore reptyr nsenter taskset chrt ionice criu cgclassify cpulimit xkill fuser",
);
/** Of these, those that choose by name. */
const BY_NAME = wordSet("pkill killall skill snice");
/** Give the numbers of processes by name. */
const FINDS = wordSet("pgrep pidof grep egrep");
/** Words for the parent process, in shells and in other languages. */
const PARENT = /ppid|\bHOOKLOOP_\w|hookloop\/runs|\/proc\/(?:self|\$\$|\$BASHPID)/i;
const CODE_ACTS = /\b(?:kill|ptrace|prlimit|setpriority|sched_set|setrlimit|_debugProcess)/;
const LANGUAGES = /^(?:node|nodejs|bun|deno|tsx|python|pypy|perl|ruby|php|lua)[\d.]*$/;

interface AgentTouch {
  readonly touched: readonly TouchedPath[];
  readonly agent?: AgentProcess | undefined;
}

/**
 * Takes what a shell command would run. Says whether it stops, ends, limits or attaches to the agent itself: a gate that runs in a stopped
 * or starved process guards nothing. Which process a command means is known only when it runs, so what it says about it counts.
 */
export function touchedAgent(reading: ShellReading, text: string, { touched, agent = thisProcess() }: AgentTouch): readonly Found[] {
  const isHinted =
    PARENT.test(text) || reading.commands.some((command) => FINDS.has(programName(command.words)) && namesAgent(command, agent));
  const found = reading.commands.some((command) => {
    const name = programName(command.words);
    if (LANGUAGES.test(name)) return actsInCode(command);
    if (!ACTS.has(name) || isListing(command)) return false;
    if (BY_NAME.has(name) && namesAgent(command, agent)) return true;
    return command.words.slice(1).some((word) => isParent(word) || isPid(word, agent)) || (isHinted && isOpen(command));
  });
  const writes = touched.some(({ path = "", pattern = "", how }) => how !== "read" && isOfProcess(`${path}/${pattern}`, agent));
  return found || writes ? [{ what: "running agent", why: "its guards run in it", path: "the agent's own process" }] : [];
}

/** What it acts on is known only when it runs: `kill $p`, `kill $(…)`, `… | xargs kill`. */
function isOpen({ words, wrappers }: ShellCommand): boolean {
  return words.some(({ text }) => text.includes(UNKNOWN)) || wrappers.some((wrapper) => /(?:^|\/)(?:xargs|parallel)$/.test(wrapper));
}

function isParent({ source }: ShellWord): boolean {
  return /\bPPID\b|\bHOOKLOOP_/.test(source);
}

/** `123`, `-123`, `-p123`, `--pid=123`. */
function isPid({ text }: ShellWord, { pids }: AgentProcess): boolean {
  const [, digits] = /^(?:-{1,2}[a-z-]*=?)?(\d+)$/i.exec(text) ?? [];
  return digits !== undefined && pids.includes(Number(digits));
}

/** It lists something, or only looks whether a process is there. */
function isListing({ words }: ShellCommand): boolean {
  const [, first, second] = words.map(({ text }) => text);
  return (
    (words.length === 2 && /^(?:-l|-L|--list|--help|--version)$/.test(first ?? "")) || first === "-0" || (first === "-s" && second === "0")
  );
}

/** Whether a pattern of the command may fit the agent: each text in it is a part of its name, or of its whole line. */
function namesAgent({ words }: ShellCommand, { names, commandLine }: AgentProcess): boolean {
  const isWhole = words.some(({ text }) => /^-\w*f|^--full$/.test(text)) || /^e?grep$/.test(programName(words));
  const within = (isWhole ? commandLine : names.join(" ")).toLowerCase();
  const patterns = words.slice(1).filter(({ text }) => text !== "" && !text.startsWith("-") && !text.includes(UNKNOWN));
  // SECURITY: not run as a pattern: one can be written that never ends.
  return patterns.some(({ text }) => text.split("|").some((choice) => textsIn(choice).every((part) => within.includes(part))));
}

function textsIn(pattern: string): readonly string[] {
  return pattern
    .toLowerCase()
    .split(/[^\w/@-]+/)
    .filter((part) => part !== "");
}

function actsInCode({ words, stdin }: ShellCommand): boolean {
  const code = [...words.map(({ text }) => text), ...(stdin?.kind === "text" ? [stdin.text] : [])].join("\n");
  return /ppid/i.test(code) && CODE_ACTS.test(code);
}

/** `/proc/123/oom_score_adj`, with a number that is the agent's or known only when it runs, and control groups. */
function isOfProcess(path: string, { pids }: AgentProcess): boolean {
  if (path.startsWith("/sys/fs/cgroup/")) return true;
  const [, which = ""] = /^\/proc\/+([^/]+)\//.exec(path) ?? [];
  return which.includes(UNKNOWN) || pids.includes(Number(which));
}

function thisProcess(): AgentProcess {
  const { pid, ppid, title, execPath, argv } = process;
  return { pids: [pid, ppid], names: [basename(execPath), basename(title)], commandLine: [execPath, ...argv.slice(1)].join(" ") };
}
