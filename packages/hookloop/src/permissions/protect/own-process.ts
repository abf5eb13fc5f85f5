/**
 * Takes what a shell command would run. Says whether it stops, ends, limits or attaches to the agent itself: a gate that runs in a stopped
 * or starved process guards nothing. Which process a command means is known only when it runs, so what it says about it counts.
 */
import { basename } from "node:path";
import type { TouchedPath } from "../../shell/index.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import type { AgentProcess, Protected } from "./types.ts";

type Found = Protected & { readonly path: string };

/** Programs that do something to a running process; what they name are processes. */
const ACTS: ReadonlySet<string> = new Set(
  "kill pkill killall killall5 skill snice renice prlimit gdb lldb strace ltrace gcore reptyr nsenter taskset chrt ionice criu cgclassify cpulimit xkill fuser".split(
    " ",
  ),
);
/** Of these, those that choose by name. */
const BY_NAME: ReadonlySet<string> = new Set(["pkill", "killall", "skill", "snice"]);
/** Give the numbers of processes by name. */
const FINDS: ReadonlySet<string> = new Set(["pgrep", "pidof", "grep", "egrep"]);
/** Words for the parent process, in shells and in other languages. */
const PARENT = /ppid|\bHOOKLOOP_\w|hookloop\/runs|\/proc\/(?:self|\$\$|\$BASHPID)/i;
const CODE_ACTS = /\b(?:kill|ptrace|prlimit|setpriority|sched_set|setrlimit|_debugProcess)/;
const LANGUAGES = /^(?:node|nodejs|bun|deno|tsx|python|pypy|perl|ruby|php|lua)[\d.]*$/;

export interface AgentTouch {
  readonly touched: readonly TouchedPath[];
  readonly agent?: AgentProcess | undefined;
}

export function touchedAgent(reading: ShellReading, text: string, { touched, agent = thisProcess() }: AgentTouch): readonly Found[] {
  const isHinted = PARENT.test(text) || reading.commands.some((command) => FINDS.has(nameOf(command)) && namesAgent(command, agent));
  const found = reading.commands.some((command) => {
    const name = nameOf(command);
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
  const isWhole = words.some(({ text }) => /^-\w*f|^--full$/.test(text)) || /^e?grep$/.test(basename(words[0]?.text ?? ""));
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

function nameOf({ words }: ShellCommand): string {
  return basename(words[0]?.text ?? "");
}

function thisProcess(): AgentProcess {
  const { pid, ppid, title, execPath, argv } = process;
  return { pids: [pid, ppid], names: [basename(execPath), basename(title)], commandLine: [execPath, ...argv.slice(1)].join(" ") };
}
