import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Allowed, checkEntries, invalidOption, isHolder, shown } from "../check-options.ts";
import { BELOW_USER } from "../config/index.ts";
import { type Diagnostic, withOwnCommand } from "../diagnostic.ts";
import {
  createBackground,
  createListeners,
  createRecheck,
  createReconsider,
  createRecorder,
  type EngineParts,
  endBackground,
  eventBudget,
  type Session,
  type SessionPlace,
  type Step,
  type TraceRecord,
} from "../engine/index.ts";
import type { SpillOptions } from "../judge/index.ts";
import {
  boundRunner,
  type CommandPorts,
  createAgentRunner,
  createBroker,
  createCommandRunner,
  createEnvFile,
  createLazyRunFile,
  createLeftovers,
  createMcpRunner,
  createPromptRunner,
  type EnvFile,
  isModelKey,
  openPrograms,
  type Programs,
  type RunFile,
  RunHandle,
  type Runner,
  readAncestry,
  sensitivityOf,
  thrownText,
} from "../run/index.ts";
import { ownFolder, VERSION } from "../state-files.ts";
import {
  auditPlace,
  createAuditFile,
  createDebugPrinter,
  createRedactor,
  createTraceWriter,
  wantsDebug,
  wantsJson,
} from "../trace/index.ts";
import { type Machine, type Opening, type OpenOptions, type Ports, runFolder } from "./options.ts";

/** The listeners of a session: the trace or debug output gets every step; diagnostics are also reported as such. */
export function openSteps(options: OpenOptions, env: Machine["env"], onDiagnostic: (diagnostic: Diagnostic) => void): Opening["steps"] {
  const id = options.sessionId ?? randomUUID();
  const redactor = createRedactor(env);
  // Without a listener they are printed on stderr anyway.
  const printing = { isJson: wantsJson(env), withoutDiagnostics: options.onDiagnostic === undefined };
  const sink = options.ports?.trace ?? (wantsDebug(env) ? createDebugPrinter({ redactor, ...printing }) : undefined);
  const sayAs = (session: string, step: Step): void => {
    // SECURITY: the stderr of failing hooks, addresses and command lines are in texts of diagnostics.
    const clean = step.type === "diagnostic" ? { ...step, text: withOwnCommand(redactor.text(step.text)) } : step;
    listeners.tell(clean, session);
    if (clean.type !== "diagnostic") return;
    const { type: _type, event: _event, ...diagnostic } = clean;
    onDiagnostic(diagnostic);
  };
  const say = (step: Step): void => sayAs(id, step);
  const onProblem = (thrown: unknown): void => say({ type: "diagnostic", ...lostTrace(thrown) });
  const record = sink && createRecorder({ sink, session: id, onProblem });
  const isWatched = (): boolean => sink?.isWatching?.() === true;
  const onThrown = (thrown: unknown): void =>
    say({ type: "diagnostic", code: "HL_EXECUTE_THREW", level: "error", text: `a listener threw: ${thrownText(thrown)}` });
  const listeners = createListeners(record, onThrown);
  return { id, say, sayAs, listeners, isWatched, hold: () => sink?.hold?.(), flush: () => sink?.flush?.() };
}

/** Everything of one session that touches the world, and how it ends. */
export function openSession(opening: Opening): {
  session: Session;
  close: () => Promise<void>;
  shellEnv: () => Readonly<Record<string, string>>;
  openLight: EngineParts["openLight"];
  programs: Pick<Programs, "run">;
  post: SessionPlace["post"];
} {
  const { options, steps, isStrict, report, gate, registry, cwd, home, env, dialects } = opening;
  const { id, say } = steps;
  const runs = runFolder({ home, env });
  const files = openSessionFiles({ env, runFolder: runs, report });
  const redactor = createRedactor(env);
  const running = new AbortController();
  const openBackground = (): ReturnType<typeof createBackground> =>
    createBackground({
      ...options,
      onProblem: (thrown) => report({ code: "HL_EXECUTE_THREW", level: "error", text: `onWake threw: ${thrownText(thrown)}` }),
    });
  const background = openBackground();
  const leftovers = createLeftovers({ onDiagnostic: report });
  const broker = createBroker({ onProblem: (text) => report({ code: "HL_EXECUTE_BROKER", level: "warning", text }) });
  const program = { environment: env, version: VERSION, isStrict, ancestry: readAncestry(env, runs) };
  const warm = openWarm({ ...program, stateFolder: ownFolder("state", { env, home }), run: broker.run, runFile: files.runFile });
  const programs = once(async () => openPrograms({ runFile: files.sharedRunFile, ancestry: program.ancestry, onDiagnostic: report }));
  const commonInput = { session_id: id, transcript_path: "", cwd, ...options.commonInput };
  const { sayAs, ...ofSession } = steps;
  const session: Session = {
    ...ofSession,
    projectRoot: cwd,
    commonInput,
    isolate: options.isolate ?? false,
    dialects,
    dialectSession: { projectRoot: cwd, pluginOptions: options.pluginOptions, writeTemporary: files.writeTemporary },
    runners: {
      command: createCommandRunner({
        ...program,
        runFile: files.runFile,
        leftovers,
        run: warm.run,
        beforeRun: (hook, cwd) => session.recheck(hook, cwd),
      }),
      http: openHttpRunner(opening, running.signal),
      module: warm.module,
      ...openJudges(options.ports),
      ...boundRunners(options.ports?.runners),
    },
    background,
    messages: options.ports?.messages,
    closing: running.signal,
    spent: new Set(),
    told: new Set(),
    turn: { halt: undefined },
    spill: files.spill((text) => redactor.text(text)),
    envFile: files.envFile,
    recheck: createRecheck({ gate, say }),
    reconsider: createReconsider({ gate, say }),
    budgetOf: (event) => eventBudget(registry.settings["budgets"], event),
  };
  const close = async (): Promise<void> => {
    await endBackground(background, { stop: () => running.abort(), drainMs: options.drainMs, report });
    await (await programs.made)?.close();
    await leftovers.end();
    await warm.close();
    await broker.close();
    files.dispose();
  };
  const openLight = lightSessions({ session, sayAs, openBackground, drainMs: options.drainMs, report });
  const run: Programs["run"] = async (...given) => (await programs.get()).run(...given);
  const post = openPost(opening, running.signal);
  return { session, close, shellEnv: files.shellEnv, openLight, post, programs: { run } };
}

/** Files that hooks which come with hookloop write to, without the secrets of this environment. */
export function openRecords({ cwd, home, env, steps, report }: Opening): Pick<SessionPlace, "redact" | "openRecords" | "openAudit"> {
  const redactor = createRedactor(env);
  return {
    redact: redactor.text,
    openRecords: (file) => {
      const writer = createTraceWriter({ file: path.resolve(cwd, file), redactor, onProblem: report });
      return { write: (record) => writer.write(record as TraceRecord), close: writer.close };
    },
    openAudit: () =>
      createAuditFile({ place: auditPlace({ env: { ...env, HOME: home }, projectRoot: cwd, session: steps.id }), redactor, report }),
  };
}

interface LightParts extends Pick<Opening, "report">, Pick<Opening["steps"], "sayAs"> {
  readonly session: Session;
  readonly openBackground: () => Session["background"];
  readonly drainMs: number | undefined;
}

const LIGHT_OPTIONS: Readonly<Record<keyof Parameters<EngineParts["openLight"]>[0], Allowed>> = {
  sessionId: "text",
  signal: "signal",
  commonInput: "plain object",
};

function checkLightOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || isHolder(options))
    throw invalidOption(`session() was given ${shown(options)}. Write hooks.session({ sessionId })`);
  checkEntries("session()", options, LIGHT_OPTIONS);
}

/** Conversations beside the first one: what belongs to a conversation is their own. */
function lightSessions({ session, sayAs, openBackground, drainMs, report }: LightParts): EngineParts["openLight"] {
  return (options) => {
    checkLightOptions(options);
    const { sessionId = randomUUID(), signal, commonInput } = options;
    const background = openBackground();
    const handle = new RunHandle({ caller: signal, closing: session.closing });
    const light: Session = {
      ...session,
      id: sessionId,
      say: (step) => sayAs(sessionId, step),
      commonInput: { ...session.commonInput, ...commonInput, session_id: sessionId },
      background,
      closing: handle.signal,
      spent: new Set(),
      turn: { halt: undefined },
    };
    const close = async (): Promise<void> => {
      await endBackground(background, { stop: () => handle.abort(), drainMs, report });
      handle.release();
    };
    return { session: light, close };
  };
}

function lostTrace(thrown: unknown): Diagnostic {
  const text = `write() of the trace threw, so records are lost: ${thrownText(thrown)}`;
  return { code: "HL_TRACE_WRITE_FAILED", level: "warning", text };
}

/** What the embedding program brings along is held to a hook's limits like everything else. */
function boundRunners(runners: NonNullable<Ports["runners"]> = {}): Ports["runners"] {
  return Object.fromEntries(Object.entries(runners).flatMap(([kind, runner]) => (runner ? [[kind, boundRunner(runner)]] : [])));
}

/** The runners of hooks that ask a model or a server which the embedding program has connected. */
function openJudges({ model, askUser, judgeTools, mcp }: Ports = {}): Readonly<Record<"mcp_tool" | "prompt" | "agent", Runner>> {
  return {
    mcp_tool: createMcpRunner(() => mcp?.()),
    prompt: createPromptRunner({ model, askUser }),
    agent: createAgentRunner({ model, tools: judgeTools }),
  };
}

interface WarmParts extends Pick<CommandPorts, "environment" | "version" | "isStrict" | "ancestry"> {
  /** Our own folder; compiled files are kept below. */
  readonly stateFolder: string;
  /** How programs are started that are not warm. */
  readonly run: (program: Parameters<NonNullable<CommandPorts["run"]>>[0]) => ReturnType<NonNullable<CommandPorts["run"]>>;
  readonly runFile: RunFile;
}

/** What is kept between events: hosts of modules and of warm scripts, and processes that have booted already. */
interface Warm {
  readonly module: Runner;
  /** Starts programs; scripts of warm hooks in what is kept. */
  readonly run: NonNullable<CommandPorts["run"]>;
  close(): Promise<void>;
}

/** Loaded by the first hook that needs it, and ended with the session. */
function openWarm({ stateFolder, run, runFile, ...parts }: WarmParts): Warm {
  const cacheFolder = path.join(stateFolder, "cache");
  const modules = once(async () => {
    const { createModuleRunner } = await import("../run/module/module-runner.ts");
    return createModuleRunner({ ...parts, cacheFolder, runFile });
  });
  const scripts = once(async () => (await import("../run/module/warm-scripts.ts")).createWarmScripts({ run, cacheFolder }));
  return {
    module: async (selected, input) => (await modules.get()).run(selected, input),
    run: async (program, hook) => (hook.fields?.["warm"] === true ? (await scripts.get()).run(program, hook) : run(program)),
    close: async () => {
      await Promise.all([modules.made, scripts.made].map(async (made) => (await made)?.close()));
    },
  };
}

interface Once<Made> {
  get(): Promise<Made>;
  readonly made: Promise<Made> | undefined;
}

function once<Made>(make: () => Promise<Made>): Once<Made> {
  let made: Promise<Made> | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    get made() {
      return made;
    },
  };
}

/** Files that live as long as a session, each made on first use, all in private folders. */
interface SessionFiles {
  /** Path of the file behind `CLAUDE_ENV_FILE`. */
  envFile(): string;
  /** What hooks have written into it. */
  shellEnv(): Readonly<Record<string, string>>;
  /** Saves something too large for a variable; gives the path. */
  writeTemporary(name: string, content: string): string;
  /** Where texts too long for the model are saved, without secrets, until the session ends. */
  spill(redact: (text: string) => string): SpillOptions;
  /** Notes running hooks and temporary folders, so that nothing stays if this program is killed. */
  readonly runFile: RunFile;
  /** The same for one of its users: it stays open when that one closes it. */
  readonly sharedRunFile: RunFile;
  dispose(): void;
}

interface SessionFilesOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly runFolder: string;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** SECURITY: `$NAME` in the file must not bring a hook what its environment was kept from. */
function withoutSecrets(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isModelKey(name) && sensitivityOf(name, value) === undefined));
}

function openSessionFiles({ env, runFolder, report }: SessionFilesOptions): SessionFiles {
  const runFile = createLazyRunFile({
    folder: runFolder,
    onProblem: (text) => report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text }),
  });
  let folder: string | undefined;
  let spillFolder: string | undefined;
  let envFile: EnvFile | undefined;
  const own = (): string => {
    folder ??= runFile.makeFolder("session");
    return folder;
  };
  const temporary: string[] = [];
  const said = new Set<string>();
  // The file is read before every shell command.
  const sayOnce = (text: string): void => {
    if (said.has(text)) return;
    said.add(text);
    report({ code: "HL_EXECUTE_ENV_FILE", level: "warning", text });
  };
  return {
    envFile() {
      envFile ??= createEnvFile({ parent: own(), base: withoutSecrets(env) });
      return envFile.path;
    },
    shellEnv() {
      if (!envFile) return {};
      const { variables, problems } = envFile.read();
      for (const { line, text } of problems) sayOnce(`line ${line} of CLAUDE_ENV_FILE is not used: ${text}`);
      return variables;
    },
    writeTemporary(name, content) {
      const file = path.join(own(), `${temporary.length}-${path.basename(name)}`);
      writeFileSync(file, content, { mode: 0o600, flag: "wx" });
      temporary.push(file);
      return file;
    },
    spill: (redact) => ({
      redact,
      // Not made before there is a text to save; its name cannot be guessed until then.
      get folder() {
        spillFolder ??= runFile.reserveFolder("texts");
        return spillFolder;
      },
    }),
    runFile,
    sharedRunFile: { ...runFile, close: () => {} },
    dispose() {
      envFile?.dispose();
      for (const file of temporary.splice(0)) rmSync(file, { force: true });
      runFile.close();
      envFile = undefined;
      folder = undefined;
      spillFolder = undefined;
    },
  };
}

/** The runner for http hooks of one engine. Node's http modules cost some milliseconds, so they are loaded by the first hook that needs them. */
function openHttpRunner(opening: Opening, closing: AbortSignal): Runner {
  const runner = once(() => loadHttpRunner(opening, closing));
  return async (selected, input) => (await runner.get())(selected, input);
}

/** SECURITY: the lists of addresses bind it as they bind the user's own hooks. */
function openPost({ env, registry }: Opening, closing: AbortSignal): SessionPlace["post"] {
  const poster = once(async () => {
    const { createPoster } = await import("../run/http/http-runner.ts");
    return createPoster({ environment: env, version: VERSION, policy: registry.http, closing });
  });
  return async (request) => (await poster.get())(request);
}

async function loadHttpRunner({ env, registry, trust }: Opening, closing: AbortSignal): Promise<Runner> {
  const { createHttpRunner } = await import("../run/http/http-runner.ts");
  // SECURITY: a checkout cannot let itself reach this machine; the user, managed policy or a program that trusts all of it can.
  const isOpen = registry.settings["allowLoopback"] === true || trust === "implicit";
  // Trusting the workspace is trusting what its own files say; a plugin may come from elsewhere.
  const isWorkspaceTrusted = typeof trust === "object" && trust.workspace === true;
  return createHttpRunner({
    environment: env,
    version: VERSION,
    policy: registry.http,
    allowLoopback: ({ source: { scope } }) => isOpen || !BELOW_USER.includes(scope) || (isWorkspaceTrusted && scope !== "plugin"),
    closing,
  });
}
