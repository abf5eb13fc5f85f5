import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { eventFacts } from "../event-facts.ts";
import type { EventInputs, EventName } from "../generated/events.ts";
import { scriptSlip } from "../source/script-text.ts";
import {
  awaitedOnly,
  type Diagnostic,
  type FailureOptions,
  type HookAnswer,
  orReject,
  readAnswer,
  silentSlip,
  unusedOutput,
} from "./answer.ts";
import { sampleInput } from "./call-hook.ts";
import { badCall, checkEvent, checkOptions, checkOverrides, madeAbsolute, notCalled, type OwnNames } from "./check-call.ts";
import { firstLine, hookCommand, shebangOf, textOf } from "./hook-command.ts";

export interface RunHookFileOptions extends FailureOptions, OwnNames {
  /** The command to run instead of the one the file's ending suggests. */
  readonly command?: readonly string[];
  /** Working directory and project folder of the hook; this process's own if left out. */
  readonly cwd?: string;
  /** Variables added to the environment; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What to write to stdin instead of the sample payload. */
  readonly stdin?: string | Uint8Array;
  /** After this long the hook and everything it started are killed; 10 seconds if left out. */
  readonly timeoutMs?: number;
}

/**
 * Runs a hook script in any language as an agent would: a real process, the payload on stdin. Rejects if the hook fails: an exit code other
 * than 0 and 2, a signal, a timeout, a guard that blocks because it crashed.
 */
export function runHookFile<Event extends EventName>(
  script: string | URL,
  event: Event,
  overrides: Partial<EventInputs[Event]> = {},
  options: RunHookFileOptions = {},
): Promise<HookAnswer> {
  return awaitedOnly("runHookFile", run(script, event, overrides, options));
}

async function run(script: string | URL, event: EventName, overrides: object, options: RunHookFileOptions): Promise<HookAnswer> {
  checkEvent(event);
  checkOptions("runHookFile", options, OPTIONS);
  const file = path.resolve(script instanceof URL ? fileURLToPath(script) : script);
  const cwd = options.cwd ?? process.cwd();
  if (!existsSync(file)) throw new Error(`There is no hook file ${file}`);
  if (!existsSync(cwd)) throw new Error(`There is no folder ${cwd} to run ${path.basename(file)} in`);
  if (!options.command && (/\.sh$/.test(file) || shebangOf(file)) && firstLine(file).endsWith("\r"))
    throw badCall(`${path.basename(file)} has Windows line endings (CRLF), which the shell reads as part of each line. Save it with LF`);
  const { words, isCompiled } = options.command
    ? { words: options.command, isCompiled: false }
    : hookCommand(file, [file, path.join(cwd, "package.json")]);
  const [program = file, ...args] = words;
  const { payload, stdin } = inputOf(event, { cwd, ...overrides }, options);
  if (options.stdin !== undefined && Object.keys(overrides).length > 0)
    throw badCall("the fields are not sent where stdin is given. Put them into stdin, or leave it out");
  const { timedOut, isInputUnread, ...ended } = await runProcess(program, args, {
    ...options,
    cwd,
    stdin,
    opensStdin: opensStdin(file, program, args),
  });
  const [line, hooks] = /^HL_TEST_NOT_CALLED: (.*)\n/m.exec(ended.stderr) ?? [];
  const raw = { ...ended, stderr: ended.stderr.replace(line ?? "", "") };
  const missed = hooks === undefined || options.stdin !== undefined ? [] : [notCalled(event, hooks, { payload, overrides })];
  if (!options.command && raw.exitCode === 0 && raw.stdout + raw.stderr === "" && onlyExports(file))
    throw badCall(
      `${path.basename(file)} exports a function and does nothing as a script: it is a module hook. Import it and write callHook({ event: "${event}", options: {}, handler }, { … })`,
    );
  const answer = readAnswer(event, raw);
  const message = `HL_TEST_TIMEOUT: the hook did not end within ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms and was killed`;
  const late = timedOut ? [{ code: "HL_TEST_TIMEOUT", message } as const] : [];
  const compiled = isCompiled ? [notPlainNode(path.basename(file))] : [];
  const unread = unreadInput(event, { ...raw, isInputUnread });
  const slips = silentSlip(answer, path.basename(file), () => scriptSlip({ file, text: textOf(file), events: [event] }));
  const notes = [
    ...unusedOutput(payload, answer),
    ...slips,
    ...late,
    ...compiled,
    ...missed,
    ...unread,
    ...madeAbsolute(payload, overrides),
  ];
  return orReject({ ...answer, diagnostics: [...answer.diagnostics, ...notes] }, path.basename(file), options);
}

/** The payload, and what is sent. Bytes of the test's own choice are sent as they are; an event among them must be one that agents send. */
function inputOf(
  event: EventName,
  overrides: object,
  { stdin, ownNames = [] }: RunHookFileOptions,
): { readonly payload: object; readonly stdin: string | Uint8Array } {
  if (stdin === undefined) {
    const payload = sampleInput(event, overrides, { ownNames });
    return { payload, stdin: `${JSON.stringify(payload)}\n` };
  }
  try {
    const sent: unknown = JSON.parse(String(Buffer.from(stdin as string)));
    if ((sent as { hook_event_name?: unknown } | null)?.hook_event_name === event) checkOverrides(event, sent, { ownNames });
  } catch (thrown) {
    // No JSON is what the test is about.
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  return { payload: {}, stdin };
}

const OPTIONS = {
  allowFailure: "flag",
  command: "list",
  cwd: "text",
  env: "object",
  ownNames: "list",
  stdin: "any",
  timeoutMs: "number",
} as const;

/** A module hook, which a host calls: run by node, its function is never called, and "no opinion" is what every test of it would see. */
function onlyExports(file: string): boolean {
  if (!/\.[cm]?[jt]s$/.test(file)) return false;
  const source = readFileSync(file, "utf8");
  return /^\s*(?:export\b|module\.exports\s*=|exports\.\w+\s*=)/m.test(source) && !/stdin|readFileSync\(\s*0|@hookloop\/sdk/.test(source);
}

/** The test runs it, but the command in a settings file would not. */
function notPlainNode(name: string): Diagnostic {
  const cure =
    'Write hookloop run in the settings, use Node 22.18 or later, ship it as .mjs, or make it a hook of "type": "module", which hookloop compiles';
  const message = `HL_TEST_TYPESCRIPT: runHookFile compiled ${name}; \`node ${name}\` fails with this Node ${process.versions.node}. ${cure}`;
  return { code: "HL_TEST_TYPESCRIPT", message };
}

const DEFAULT_TIMEOUT_MS = 10_000;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly isInputUnread: boolean;
}

/** One that says something need not read; nor one whose event cannot be refused. */
function unreadInput(event: EventName, { exitCode, stdout, isInputUnread }: Omit<Ended, "timedOut">): readonly Diagnostic[] {
  if (!isInputUnread || exitCode !== 0 || stdout !== "" || eventFacts(event)?.mechanism === "-") return [];
  const cure = "Read it: jq without a file, json.load(sys.stdin), or hook(…) of @hookloop/sdk";
  const message = `HL_TEST_INPUT_UNREAD: the hook did not read the event on its stdin and said nothing. ${cure}`;
  return [{ code: "HL_TEST_INPUT_UNREAD", message }];
}

function runProcess(
  program: string,
  args: readonly string[],
  options: RunHookFileOptions & { cwd: string; stdin: string | Uint8Array; opensStdin: boolean },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // The log stays off unless the test asks for it: a test must not write into the project it tests.
    const env = {
      HOOK_LOG_DISABLE: "1",
      HOOKLOOP_TESTED: "1",
      ...process.env,
      HOOKLOOP_GUARD: "",
      CLAUDE_PROJECT_DIR: options.cwd,
      ...options.env,
    };
    const input = options.opensStdin ? inputFile(options.stdin) : "pipe";
    const child = spawn(program, args, { cwd: options.cwd, env, detached: true, stdio: [input, "pipe", "pipe"] });
    if (typeof input === "number") closeSync(input);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      // The whole session, so that a grandchild that holds the pipes ends as well.
      killSession(child.pid as number);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    const closeInput = giveInput(child, options.stdin);
    let isInputUnread = false;
    child.on("error", (error) => {
      clearTimeout(timer);
      closeInput();
      reject(error);
    });
    child.on("exit", () => {
      isInputUnread ||= hasUnread(child);
      closeInput();
    });
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ stdout: String(Buffer.concat(stdout)), stderr: String(Buffer.concat(stderr)), exitCode, timedOut, isInputUnread });
    });
    child.stdin?.on("error", () => {
      isInputUnread = true;
    });
  });
}

/** Our end stays open until the hook has ended, which is told by what this gives: only then it can be seen whether the hook has read it. */
function giveInput({ stdin }: ChildProcess, text: string | Uint8Array): () => void {
  let hasEnded = false;
  let close = (): void => {};
  if (stdin) {
    const destroy = stdin._destroy.bind(stdin);
    stdin._destroy = (error, done) => {
      close = () => destroy(error, done);
      if (hasEnded) close();
    };
    stdin.end(text);
  }
  return () => {
    hasEnded = true;
    close();
  };
}

/** A Unix socket whose other end was closed with something in it says so to who reads this end. Seen on Linux. */
function hasUnread({ stdin }: ChildProcess): boolean {
  const { fd = -1 } = (stdin as { readonly _handle?: { readonly fd?: number } | null } | null)?._handle ?? {};
  try {
    if (fd >= 0) readSync(fd, Buffer.alloc(1));
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ECONNRESET";
  }
}

/** Node makes a socket of stdin, which Linux does not open by a name: a hook that does gets a file, as in hookloop. */
function opensStdin(file: string, program: string, args: readonly string[]): boolean {
  return process.platform === "linux" && /\/dev\/(?:stdin|fd\/0)\b|\/proc\/self\/fd\/0\b/.test([program, ...args, textOf(file)].join("\n"));
}

function inputFile(text: string | Uint8Array): number {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-stdin-"));
  try {
    writeFileSync(path.join(folder, "event"), text, { mode: 0o600 });
    return openSync(path.join(folder, "event"), "r");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The group of the hook, and what has left it but not the session, as `timeout` does. */
function killSession(pid: number): void {
  for (const target of [...membersOf(pid), -pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function membersOf(session: number): readonly number[] {
  // Without /proc only the group is known.
  const names = existsSync("/proc/self/stat") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return names.map(Number).filter((pid) => sessionOf(pid) === session);
}

function sessionOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
  } catch {
    // It has ended.
    return undefined;
  }
}
