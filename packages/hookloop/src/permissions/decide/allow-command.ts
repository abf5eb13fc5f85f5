import { type ShellCommand, UNKNOWN } from "../../shell/index.ts";
import { folderPath } from "../paths/path-views.ts";
import type { CallFacts, PermissionRule } from "../types.ts";
import { setsVariables } from "./sets-variables.ts";
import { isWorkspaceProgram } from "./workspace.ts";

/** Programs whose purpose is to run what they are given: a rule that covers them covers that too. Kept short by hand, apart from the table of wrappers: it allows. */
const RUNS_OTHERS: ReadonlySet<string> = new Set(
  "bash builtin command dash docker doas env eval exec ksh kubectl nice nohup parallel podman sh ssh stdbuf su sudo time timeout watch xargs zsh".split(
    " ",
  ),
);
/** Interpreters of other languages, tools that start what they are told to, launchers of package managers. */
const RUNS_CODE =
  /^(?:python[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua[\d.]*|Rscript|R|julia|elixir|tclsh|expect|make|gmake|just|rsync|npx|npm|pnpm|pnpx|yarn|bunx|uvx?|pipx|poetry|pipenv|pdm|hatch|rye|pixi|conda|mamba|micromamba|bundle|rbenv|pyenv|asdf|mise|fnm|volta|direnv|rustup|nix|cross-env|env-cmd|dotenvx?|doppler|devbox|opam|stack|cmake|hyperfine|concurrently|nodemon|watchexec|entr|npm-run-all|ansible|gcloud|az|vagrant|heroku|flatpak|snap|corepack|perf|gdb|lldb|xvfb-run)$/;
const SINKS: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

export interface Coverage {
  /** Allow rules for shell commands. */
  readonly rules: readonly PermissionRule[];
  readonly isReadOnly: (command: ShellCommand) => boolean;
  /** Whether the call may write this file anyway: an Edit rule or the mode says so. */
  readonly mayWrite: (file: string) => boolean;
}

/** The rules that together allow every command of a line; nothing if one of them is not allowed. None are needed if all only read. */
export function allowCommand(facts: CallFacts, coverage: Coverage): readonly PermissionRule[] | undefined {
  const line = facts.input["command"];
  if (typeof line !== "string") return undefined;
  const whole = coverage.rules.find((rule) => rule.matches(facts));
  if (whole) return [whole];
  const reading = facts.read(line);
  const { commands, isUncertain } = reading;
  // SECURITY: more may run than was read.
  if (isUncertain || commands.length === 0 || setsVariables(line, reading)) return undefined;
  const used = new Set<PermissionRule>();
  const covered: boolean[] = [];
  for (const [index, command] of commands.entries()) {
    const rule = command.isPlainlyWrapped ? coverage.rules.find((one) => one.covers?.(command)) : undefined;
    const isAllowed =
      rule !== undefined ||
      coverage.isReadOnly(command) ||
      isLookedThrough(commands, index, facts) ||
      isRunByCovered(commands, index, covered);
    if (!isAllowed || !writesOnly(command, facts, coverage)) return undefined;
    covered[index] = rule !== undefined || isRunByCovered(commands, index, covered);
    if (rule) used.add(rule);
  }
  return [...used];
}

/** `timeout 5 npm test`: what it runs is judged instead. */
function isLookedThrough(commands: readonly ShellCommand[], index: number, facts: CallFacts): boolean {
  const outer = commands[index];
  // SECURITY: neither `/tmp/timeout` nor `PATH=/tmp timeout` is the program that is looked through.
  const name = outer?.words[0]?.text ?? "/";
  if (!outer || outer.assignments.length > 0 || name.includes("/") || isWorkspaceProgram(name, facts)) return false;
  // What it starts is repeated for other folders too, but always said to be started by the first.
  const starter = outer.repeats ?? index;
  return commands.some((inner) => inner.startedBy === starter && inner.isPlainlyWrapped);
}

/** `sudo npm test` under `Bash(sudo *)`. */
function isRunByCovered(commands: readonly ShellCommand[], index: number, covered: readonly boolean[]): boolean {
  const starter = commands[index]?.startedBy;
  if (starter === undefined || !covered[starter]) return false;
  const name = commands[starter]?.words[0]?.text ?? "";
  return RUNS_OTHERS.has(name) || RUNS_CODE.test(name);
}

/** SECURITY: `echo x > ~/.bashrc` is more than an echo. */
function writesOnly(command: ShellCommand, { cwd, home }: CallFacts, { mayWrite }: Coverage): boolean {
  const folder = folderPath(command.folder, { cwd, home });
  return command.redirects.every(({ operator, target }) => {
    const isInput = operator.startsWith("<") && operator !== "<>";
    const isDescriptor = operator.endsWith("&") && /^(?:\d+-?|-)$/.test(target.text);
    if (isInput || isDescriptor || SINKS.has(target.text)) return true;
    if (target.text.includes(UNKNOWN) || folder.includes(UNKNOWN)) return false;
    return mayWrite(/^[/~]/.test(target.text) ? target.text : `${folder}/${target.text}`);
  });
}
