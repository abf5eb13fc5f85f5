// Takes a selected command hook and the event; gives how its process ended.
// Refuses to start: recursion, what `beforeRun` says, a shell this system has not, input that cannot be written as JSON.

import type { HookTarget } from "../config/index.ts";
import { usersSearchPath } from "../permissions/index.ts";
import { type Environment, scrubEnvironment } from "./environment.ts";
import { guardVariable } from "./function-runner.ts";
import { onAbort } from "./limits.ts";
import { opensStdin, runProgram } from "./process/process-group.ts";
import { RUN_VARIABLE } from "./process/process-identity.ts";
import type { ProcessLimits, Program, ProgramEnd } from "./process/program.ts";
import { type Leftovers, systemProgram } from "./process/programs.ts";
import { type Ancestry, ancestryVariables, NO_ANCESTRY, recursionRefusal } from "./process/read-run-files.ts";
import type { RunFile } from "./process/run-file.ts";
import {
  ABORTED_BEFORE,
  createRunner,
  failure,
  type HookRun,
  NO_OUTPUT,
  payloadOf,
  type RawOutcome,
  type RunFailure,
  type RunInput,
  type Runner,
} from "./types.ts";

type Hook = RawOutcome["hook"];

export interface CommandPorts {
  /** The program's variables, taken once per engine: `snapshotEnvironment()`. */
  readonly environment: Environment;
  /** Of hookloop; hooks find it in `HOOKLOOP_VERSION`. */
  readonly version: string;
  readonly isStrict?: boolean | undefined;
  /** The hook runs this program was itself started from. */
  readonly ancestry?: Ancestry | undefined;
  readonly slots?: Slots | undefined;
  /** For `async` hooks, so that long ones in the background never keep a gate waiting. */
  readonly backgroundSlots?: Slots | undefined;
  readonly runFile?: RunFile | undefined;
  /** Is told what hooks that ended by themselves left running. */
  readonly leftovers?: Leftovers | undefined;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** How programs are started: directly if left out, or by `createBroker().run`. */
  readonly run?: ((program: Program, hook: Hook) => Promise<ProgramEnd>) | undefined;
  /** Called right before each start; the content digest is checked here. */
  readonly beforeRun?: ((hook: Hook, cwd: string) => RunFailure | undefined) | undefined;
}

export function createCommandRunner(ports: CommandPorts): Runner {
  const slots = ports.slots ?? createSlots();
  const backgroundSlots = ports.backgroundSlots ?? createSlots();
  const environmentOf = rememberedEnvironment(ports);
  return createRunner("command", async (run) => {
    const { hook, input } = run;
    const refusal = recursionRefusal(ports.ancestry ?? NO_ANCESTRY, hook.id);
    if (refusal) return { failure: refusal };
    const release = await (hook.isAsync ? backgroundSlots : slots).take(input.signal);
    if (!release) return { failure: ABORTED_BEFORE };
    try {
      const outcome = await runCommand({ ...run, ports, environment: environmentOf(hook) });
      if (outcome.continues) holdWhile(outcome.continues, backgroundSlots);
      return outcome;
    } finally {
      release();
    }
  });
}

interface CommandRun extends HookRun<"command"> {
  readonly ports: CommandPorts;
  readonly environment: LastingEnvironment;
}

const LINE_END = Buffer.from("\n");

async function runCommand(run: CommandRun): Promise<Partial<RawOutcome>> {
  const { ports, hook, target, input } = run;
  const env = runEnvironment(run);
  const line = commandLine(target, env);
  if ("kind" in line) return { failure: line };
  const payload = payloadOf(input);
  if ("kind" in payload) return { failure: payload };
  // SECURITY: last, so that nothing can change between the check and the start but what the system itself allows.
  const refusal = ports.beforeRun?.(hook, input.cwd);
  if (refusal) return { failure: refusal };
  const starting = ports.runFile?.starting({ hook: hook.id, ancestry: ports.ancestry });
  // A guard of the SDK so answers before it is ended: what it has decided if it fails does not depend on its configuration.
  const timed = { ...env, HOOKLOOP_DEADLINE: String(Date.now() + run.limitMs) };
  let pid = 0;
  let ended: ReturnType<RunFile["started"]> | undefined;
  const program: Program = {
    ...line,
    env: starting ? { ...timed, [RUN_VARIABLE]: starting.mark } : timed,
    mark: starting?.mark,
    cwd: input.cwd,
    fallbackCwd: input.projectRoot,
    // One whole line, as Claude Code sends it: `read` of a shell fails where the line does not end.
    stdin: Buffer.concat([payload, LINE_END]),
    opensStdin: opensStdin({ words: [target.command, ...(target.args ?? [])], env, cwd: input.cwd }),
    timeoutMs: run.limitMs,
    limits: ports.limits,
    onStart: (started) => {
      pid = started;
      ended = starting?.started(pid);
    },
    onFirstLine: backgroundLimit(hook, input),
    signal: input.signal,
  };
  const end = await (ports.run ?? runProgram)(program, hook);
  const outcomeOf = ({ leftRunning, leftApart, continues: _, ...rest }: ProgramEnd): RawOutcome => {
    const left = { leftRunning, leftApart };
    ended?.(left);
    const run = { leader: pid, mark: starting?.mark };
    if (leftRunning || leftApart) ports.leftovers?.note({ run, ...left, of: { text: `hook "${hook.name}"`, hook: hook.id } });
    return { ...NO_OUTPUT, ...rest, hook };
  };
  if (!end.continues) return outcomeOf(end);
  const { leftRunning: _, leftApart: __, ...soFar } = end;
  return { ...soFar, hook, continues: end.continues.then((last) => ({ ...outcomeOf(last), isFromBackground: true })) };
}

/** How long a hook may take in the background that goes there by itself: what it says, else the rest of its own limit. */
function backgroundLimit(hook: Hook, { readFirstLine }: RunInput): Program["onFirstLine"] {
  if (!readFirstLine || hook.isAsync) return undefined;
  const startedAt = performance.now();
  return (line) => {
    const said = readFirstLine(line);
    return said && (said.timeoutMs ?? Math.max(0, hook.timeoutMs - (performance.now() - startedAt)));
  };
}

/** Such a hook runs already; those that want to start in the background wait for it all the same. */
function holdWhile(run: Promise<unknown>, slots: Slots): void {
  const place = slots.take();
  void run.then(async () => (await place)?.());
}

function runEnvironment({ hook, input, environment }: CommandRun): Environment {
  const { plugin, skill } = hook.source;
  const own = plugin ?? skill;
  return {
    ...environment.inherited,
    ...usersSearchPath(hook.source.scope, { env: environment.inherited, root: input.projectRoot }),
    HOOKLOOP_PROJECT_DIR: input.projectRoot,
    CLAUDE_PROJECT_DIR: input.projectRoot,
    ...(own && { CLAUDE_PLUGIN_ROOT: own.root }),
    ...input.env,
    ...environment.own,
  };
}

interface LastingEnvironment {
  readonly inherited: Environment;
  readonly own: Environment;
}

function lastingEnvironment({ environment, isStrict, version, ancestry = NO_ANCESTRY }: CommandPorts, hook: Hook): LastingEnvironment {
  const env = scrubEnvironment({ base: environment, hook, isStrict });
  // `bash -c` takes Node's stdin, a socket, for a remote login: at the first shell level it reads ~/.bashrc, whose output would stand
  // before the hook's answer. So no hook is at the first level.
  const level = Number(env["SHLVL"]) >= 1 ? {} : { SHLVL: "1" };
  // Python would leave compiled code beside a hook's modules, which is loaded in their place: a change that was not approved.
  return {
    inherited: { PYTHONDONTWRITEBYTECODE: "1", ...env, ...level },
    own: { HOOKLOOP_VERSION: version, ...guardVariable(hook, env), ...ancestryVariables(ancestry, hook.id) },
  };
}

/** Filtering a whole environment for every run would cost more than the rest of the runner. */
function rememberedEnvironment(ports: CommandPorts): (hook: Hook) => LastingEnvironment {
  const known = new WeakMap<Hook, LastingEnvironment>();
  return (hook) => {
    const found = known.get(hook) ?? lastingEnvironment(ports, hook);
    known.set(hook, found);
    return found;
  };
}

interface CommandLine {
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

export function commandLine(target: CommandTarget, env: Readonly<Record<string, string>>): CommandLine | RunFailure {
  if (target.args !== undefined) return argvForm([target.command, ...target.args], env);
  if (target.shell === "powershell") return NO_POWERSHELL;
  const shell = target.shell === "bash" ? bashFor(env) : "/bin/sh";
  if (shell === undefined) return failure("could-not-start", "bash was not found in PATH outside of the project");
  // SECURITY: the line reaches the shell as it was declared. Values come to it as variables, never as text.
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

const PROCESS_SLOTS = 8;

export interface Slots {
  /** Resolves when there is room, with the function that gives it back; `undefined` if the signal came first. */
  take(signal?: AbortSignal): Promise<(() => void) | undefined>;
}

/** First come, first served. A hook's own time starts when it has its place. */
export function createSlots(count: number = PROCESS_SLOTS): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const give = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      const [next] = waiting;
      next?.();
    };
  };
  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(undefined);
      if (free > 0) {
        free--;
        return Promise.resolve(give());
      }
      return new Promise((resolve) => {
        const settle = (release: (() => void) | undefined): void => {
          waiting.delete(enter);
          forgetSignal();
          resolve(release);
        };
        const enter = (): void => {
          free--;
          settle(give());
        };
        waiting.add(enter);
        const forgetSignal = onAbort(signal, () => settle(undefined));
      });
    },
  };
}
