/** Composes an engine: the only file that knows every stage, every dialect and the machine it runs on. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import type { HookKind } from "./catalogue/index.ts";
import { type Diagnostic, diagnosticLine } from "./diagnostic.ts";
import { createClaudeDialect } from "./dialects/claude/index.ts";
import { createHooksJsonDialect, toHooksJsonTool } from "./dialects/hooks-json/index.ts";
import { createNativeDialect } from "./dialects/native/index.ts";
import { createBackground } from "./engine/background.ts";
import { checkScripts, type FindOptions, type FoundSources, findSources, readFrontmatter } from "./engine/config/index.ts";
import { createRecheck } from "./engine/create-recheck.ts";
import { endBackground } from "./engine/end-background.ts";
import {
  type AskUser,
  boundRunner,
  createBroker,
  createCommandRunner,
  createFunctionRunner,
  createLeftovers,
  frozenCopy,
  type JudgeTools,
  type McpServers,
  type Model,
  type ModelMessage,
  type Runner,
  readAncestry,
  reapOrphans,
  snapshotEnvironment,
  thrownText,
} from "./engine/execute/index.ts";
import { type Frontmatter, HookEngine } from "./engine/hook-engine.ts";
import type { Outcome } from "./engine/interpret/index.ts";
import { createStopCap, DEFAULT_STOP_CAP } from "./engine/loop/index.ts";
import { createPayloadCopier, type PayloadCopier } from "./engine/payload-copy.ts";
import { ruleSources } from "./engine/permit/index.ts";
import { type RegisteredHook, registerHooks } from "./engine/registry/index.ts";
import { createPlanner } from "./engine/select/index.ts";
import type { EventInput, Session } from "./engine/session.ts";
import { eventBudget } from "./engine/time-budget.ts";
import { createRecorder, type TraceSink } from "./engine/trace-sink.ts";
import { type Admission, admitHooks, refusalDiagnostic, type Statuses, type Trust, type TrustGate } from "./engine/trust/index.ts";
import { openEdits } from "./open-edits.ts";
import { openHttpRunner } from "./open-http-runner.ts";
import { openJudges } from "./open-judges.ts";
import { openTrust, stateFolder } from "./open-trust.ts";
import { openWarm } from "./open-warm.ts";
import { openSessionFiles } from "./session-files.ts";
import { sessionTrust } from "./session-trust.ts";
import { createDebugPrinter, createRedactor, wantsDebug } from "./trace/index.ts";
import { VERSION } from "./version.ts";
import { visible } from "./visible-text.ts";

/** Where the engine touches the world; each has a default. */
export interface Ports {
  readonly env?: NodeJS.ProcessEnv;
  readonly home?: string;
  /** Folder of managed configuration. */
  readonly managedRoot?: string;
  readonly managedUid?: number;
  /** Runners for kinds of hooks; they replace or add to the built-in ones. */
  readonly runners?: Readonly<Partial<Record<HookKind, Runner>>>;
  /** Gets one record per step. */
  readonly trace?: TraceSink;
  /** Asked by prompt and agent hooks; without it they fail, out loud. */
  readonly model?: Model;
  /** Puts a hook's question to the person; without it such a hook fails. */
  readonly askUser?: AskUser;
  /** Connected MCP servers, for mcp_tool hooks; looked up at each run. */
  readonly mcp?: () => McpServers | undefined;
  /** What agent hooks may use; nothing if left out. */
  readonly judgeTools?: JudgeTools;
  /** The conversation so far, for prompt hooks of events that are about all of it. */
  readonly messages?: () => readonly ModelMessage[];
}

export interface OpenOptions extends Pick<FindOptions, "settings" | "plugins" | "tools"> {
  /** The project; its configuration is read, its hooks run there. */
  readonly cwd: string;
  readonly sessionId?: string;
  /** What the user set for each plugin, by its id: `${user_config.NAME}` in `args`, `CLAUDE_PLUGIN_OPTION_NAME` in the environment. */
  readonly pluginOptions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Who vouches for hooks that come from files; `store` if left out. */
  readonly trust?: Trust;
  /** Every configured gate must be able to run: one that cannot is in `trust.cannotStart` of the engine. */
  readonly requireHooks?: boolean;
  /** More fields for every payload, such as `transcript_path` or `permission_mode`. */
  readonly commonInput?: EventInput;
  /** Hears everything that is wrong, as it happens; stderr if left out. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** A background hook (`asyncRewake`) wants the agent's attention. */
  readonly onWake?: (outcome: Outcome) => void;
  /** How long `close()` waits for background hooks before it ends them; 1,000 if left out. */
  readonly drainMs?: number;
  /** How many times in a row Stop hooks may keep the agent going; 8 if nobody says otherwise, 0 for any number. */
  readonly stopCap?: number;
  /** Functions get a frozen deep copy of the payload, each its own, instead of one shared copy of its first two levels. */
  readonly isolate?: boolean;
  /** Every gate that fails blocks, and hooks get an allow-listed environment. */
  readonly strict?: boolean;
  readonly ports?: Ports;
}

/** Reads the configuration, takes a snapshot, and gives the session's hooks. A broken configuration is reported, never thrown. */
export async function openHooks(options: OpenOptions): Promise<HookEngine> {
  const { ports = {} } = options;
  const machine = lookAround(options);
  const { cwd, home } = machine;
  const find = (): Promise<FoundSources> =>
    findSources({ ...machine, ...pick(options), managedRoot: ports.managedRoot, managedUid: ports.managedUid });
  const found = await find();
  for (const diagnostic of (await reapOrphans(runFolder(machine))).diagnostics) (options.onDiagnostic ?? printDiagnostic)(diagnostic);
  const scripts = await Promise.all(found.documents.map((document) => checkScripts(document, { projectRoot: cwd, home })));
  const configuration = configure(options, machine, { found, find, scripts: scripts.flat() });
  return compose(options, machine, { ...configuration, statuses: await configuration.gate.judge(configuration.registry.hooks) });
}

/** An engine without configuration: no file is read, only functions of the program run, and it is there at once. */
export function createHooks(options: Omit<OpenOptions, "settings" | "plugins" | "tools">): HookEngine {
  const machine = lookAround(options);
  const found = { documents: [], diagnostics: [] };
  return compose(options, machine, {
    ...configure(options, machine, { found, find: async () => found, scripts: [] }),
    statuses: new Map(),
  });
}

interface Sources {
  readonly found: FoundSources;
  /** Reads everything again. */
  readonly find: () => Promise<FoundSources>;
  readonly scripts: readonly Diagnostic[];
}

/** What the files of a session say, and the gate their hooks must pass. */
interface Configuration extends Sources {
  readonly registry: ReturnType<typeof registerHooks>;
  readonly isStrict: boolean;
  readonly gate: TrustGate;
  readonly report: (diagnostic: Diagnostic) => void;
}

function configure(options: OpenOptions, machine: Machine, sources: Sources): Configuration {
  const report = safely(options.onDiagnostic ?? printDiagnostic);
  const registry = registerHooks(sources.found.documents, { env: machine.env, strict: options.strict });
  const isStrict = registry.settings["strict"] === true;
  return {
    ...sources,
    report,
    registry,
    isStrict,
    gate: openTrust({ trust: options.trust ?? "store", isStrict, ...machine, report }).gate,
  };
}

interface Machine {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

function lookAround({ cwd, ports = {} }: OpenOptions): Machine {
  const env = snapshotEnvironment(ports.env ?? process.env);
  return { cwd: path.resolve(cwd), home: homeFolder(ports.home ?? env["HOME"]), env };
}

/** SECURITY: a home that is not absolute would be looked for below the working directory, and the project's files would pass for the user's. */
function homeFolder(given: string | undefined): string {
  return given !== undefined && path.isAbsolute(given) ? given : userInfo().homedir;
}

function compose(options: OpenOptions, machine: Machine, configuration: Configuration & { readonly statuses: Statuses }): HookEngine {
  const { cwd, home, env } = machine;
  const { trust = "store" } = options;
  const { found, registry, gate, isStrict, report, statuses } = configuration;
  const readmit = (hooks: readonly RegisteredHook[], judged: Statuses = statuses): Admission =>
    admitHooks({ hooks, switches: registry.switches, statuses: judged });
  const admission = readmit(registry.hooks);
  const diagnostics = [
    ...found.diagnostics,
    ...configuration.scripts,
    ...found.documents.flatMap((document) => document.diagnostics),
    ...registry.diagnostics,
    ...admission.refused.map(refusalDiagnostic),
  ];
  for (const diagnostic of diagnostics) report(diagnostic);
  const plannerOptions = {
    home,
    onDiagnostic: report,
    nameOf: (dialect: string, tool: string) => (dialect === "hooks-json" ? toHooksJsonTool(tool) : tool),
  };
  const http = (closing: AbortSignal): Runner =>
    openHttpRunner({ environment: env, policy: registry.http, settings: registry.settings, trust, closing });
  const { session, close, shellEnv } = openSession({
    options: { ...options, strict: isStrict },
    cwd,
    home,
    env,
    report,
    http,
    gate,
    budgets: registry.settings["budgets"],
  });
  session.planner = createPlanner(admission.admitted, plannerOptions);
  for (const { hook, reason } of admission.refused) session.record?.({ event: hook.event, step: "refused", hook: hook.id, reason });
  const engineTrust = sessionTrust({
    ...configuration,
    admission,
    hasRunner: (kind) => session.runners[kind] !== undefined,
    register: ({ documents }) => registerHooks(documents, { env, strict: options.strict }).hooks,
    requireHooks: options.requireHooks ?? false,
    managedRoot: options.ports?.managedRoot,
  });
  const { plugins, ports } = options;
  return new HookEngine({
    ...openEdits({ ...configuration, ...machine, admission, trust: engineTrust, plugins, managedRoot: ports?.managedRoot }),
    stopCap: createStopCap({ cap: options.stopCap ?? configuredCap(env, registry.settings) }),
    readFrontmatter: frontmatterReader({ env, isStrict, gate, report, readmit }),
    session,
    admission,
    diagnostics,
    plannerOptions,
    shellEnv,
    close,
    readmit: (hooks) => readmit(hooks),
    ruleSources: ruleSources(found.documents, () => vouchesForWorkspace(trust)),
  });
}

interface HeadParts extends Pick<Configuration, "isStrict" | "gate" | "report"> {
  readonly env: Machine["env"];
  readonly readmit: (hooks: readonly RegisteredHook[], judged: Statuses) => Admission;
}

/** Reads, registers and admits the hooks in the head of a skill's or subagent's file. */
function frontmatterReader({ env, isStrict, gate, report, readmit }: HeadParts): (head: Frontmatter) => Promise<Admission> {
  return async ({ text, file, root = path.dirname(file), skill, agentId, isEdited }: Frontmatter): Promise<Admission> => {
    const source = {
      scope: "skill",
      dialect: "claude",
      file,
      root,
      agentId,
      ...(skill !== undefined && { skill: { name: skill, root } }),
    } as const;
    const document = await readFrontmatter({ source, text });
    const { hooks, diagnostics: odd } = registerHooks([document], { env, strict: isStrict });
    const admission = readmit(hooks, await (isEdited ? gate.judgeEdits(hooks) : gate.judge(hooks)));
    for (const diagnostic of [...document.diagnostics, ...odd, ...admission.refused.map(refusalDiagnostic)]) report(diagnostic);
    return admission;
  };
}

/** Where running hooks are noted, for the case that this program is killed. */
function runFolder({ home, env }: Pick<Machine, "home" | "env">): string {
  return path.join(stateFolder({ home, env }), "runs");
}

interface SessionParts {
  readonly options: OpenOptions;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly http: (closing: AbortSignal) => Runner;
  readonly gate: TrustGate;
  /** `settings.budgets` as the files say it. */
  readonly budgets: unknown;
}

function openSession({ options, cwd, home, env, report, http, gate, budgets }: SessionParts): {
  session: Session;
  close: () => Promise<void>;
  shellEnv: () => Readonly<Record<string, string>>;
} {
  const id = options.sessionId ?? randomUUID();
  const runs = runFolder({ home, env });
  const files = openSessionFiles({
    env,
    runFolder: runs,
    onProblem: (text) => report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text }),
    onEnvProblem: (text) => report({ code: "HL_EXECUTE_ENV_FILE", level: "warning", text }),
  });
  const redactor = createRedactor(env);
  const sink = options.ports?.trace ?? (wantsDebug(env) ? createDebugPrinter({ redactor }) : undefined);
  const claude = createClaudeDialect({ projectRoot: cwd, pluginOptions: options.pluginOptions });
  const running = new AbortController();
  const background = createBackground({
    onWake: options.onWake,
    onProblem: (thrown) => report({ code: "HL_EXECUTE_THREW", level: "error", text: `onWake threw: ${thrownText(thrown)}` }),
  });
  const leftovers = createLeftovers({ onDiagnostic: report });
  const broker = createBroker({ onProblem: (text) => report({ code: "HL_EXECUTE_BROKER", level: "warning", text }) });
  const program = { environment: env, version: VERSION, isStrict: options.strict, ancestry: readAncestry(env, runs) };
  const warm = openWarm({ ...program, stateFolder: stateFolder({ home, env }), run: broker.run });
  const commonInput = { session_id: id, transcript_path: "", cwd, ...options.commonInput };
  const session: Session = {
    id,
    projectRoot: cwd,
    commonInput,
    payloadCopier: (event) => (options.isolate ? frozenCopier : createPayloadCopier)(commonInput, event),
    planner: createPlanner([]),
    dialects: {
      claude,
      native: createNativeDialect({ projectRoot: cwd }),
      "hooks-json": createHooksJsonDialect({ writeTempFile: files.writeTemporary }),
    },
    runners: {
      command: createCommandRunner({
        ...program,
        runFile: files.runFile,
        leftovers,
        run: warm.run,
        beforeRun: (hook, cwd) => session.recheck(hook, cwd),
      }),
      function: createFunctionRunner({ isolate: options.isolate }),
      http: http(running.signal),
      module: warm.module,
      ...openJudges(options.ports),
      ...boundRunners(options.ports?.runners),
    },
    background,
    closing: running.signal,
    run: { signal: running.signal },
    spent: new Set(),
    spill: { folder: files.spillFolder, redact: (text) => redactor.text(text) },
    envFile: files.envFile,
    recheck: createRecheck({ gate, report, record: () => session.record }),
    report,
    budgetOf: (event) => eventBudget(budgets, event),
    record: sink && createRecorder({ sink, session: id }),
  };
  const close = async (): Promise<void> => {
    await endBackground(background, { stop: () => running.abort(), drainMs: options.drainMs, report });
    await leftovers.end();
    await warm.close();
    await broker.close();
    files.dispose();
  };
  return { session, close, shellEnv: files.shellEnv };
}

/** What the embedding program brings along is held to a hook's limits like everything else. */
function boundRunners(runners: NonNullable<Ports["runners"]> = {}): Ports["runners"] {
  return Object.fromEntries(Object.entries(runners).flatMap(([kind, runner]) => (runner ? [[kind, boundRunner(runner)]] : [])));
}

/** Whether the run was told to believe what the project says about permissions. Approved hooks are no reason: they say nothing about its rules. */
function vouchesForWorkspace(trust: Trust): boolean {
  return trust === "implicit" || (typeof trust === "object" && trust.workspace === true);
}

function pick({ settings, plugins, tools }: OpenOptions): Pick<FindOptions, "settings" | "plugins" | "tools"> {
  return { settings, plugins, tools };
}

/** A listener that throws must not hurt the event it is told about. */
function safely(listener: (diagnostic: Diagnostic) => void): (diagnostic: Diagnostic) => void {
  return (diagnostic) => {
    try {
      listener(diagnostic);
    } catch {
      // What was to be said is still said.
      printDiagnostic(diagnostic);
    }
  };
}

function printDiagnostic(diagnostic: Diagnostic): void {
  // SECURITY: names and file contents of a checkout stand in it, and a terminal would obey them.
  process.stderr.write(`${visible(diagnosticLine(diagnostic))}\n`);
}

function frozenCopier(common: EventInput, event: EventName): PayloadCopier {
  return (input) => frozenCopy({ ...common, ...input, hook_event_name: event }, new Map()) as Record<string, unknown>;
}

/** The variable of Claude Code, else the setting; anything that is no number is passed on and means the default. */
function configuredCap(env: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>>): number {
  const value = env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] ?? settings["stopCap"] ?? DEFAULT_STOP_CAP;
  return Number(value);
}
