/** Opens everything an agent works with, from flags and the machine. The host (a stream, a terminal) provides how to show and ask. */

import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { SHIPPED_HOOKS, SHIPPED_NAMES } from "../catalogue/index.ts";
import { SOURCE_NAMES, type SourceName } from "../config/index.ts";
import { counted, type Diagnostic } from "../diagnostic.ts";
import type { HookEngine, ToolOptions, TraceRecord, TraceSink } from "../engine/index.ts";
import type { Outcome, Verdict } from "../judge/index.ts";
import { type AnswerQuestion, type McpConfig, type McpConnections, openMcpServers, readMcpConfig, serverFiles } from "../mcp/index.ts";
import { type OpenOptions, type Ports, runFolder } from "../open/options.ts";
import { openHooks } from "../open.ts";
import { isInFolders, type Permissions, projectRoot } from "../permissions/index.ts";
import {
  type AskUser,
  createRunFile,
  isModelKey,
  type Model,
  openPrograms,
  othersOn,
  type Programs,
  readAncestry,
  sensitivityOf,
  snapshotEnvironment,
} from "../run/index.ts";
import { createRedactor, createTraceWriter, type Redactor, type TraceWriter, tracePath, transcriptFolder } from "../trace/index.ts";
import type { RunTrust } from "../trust/index.ts";
import { FEATURE_TOOL_NAMES } from "./features/features.ts";
import { knownServers, mcpTools } from "./features/mcp-servers.ts";
import type { Notice } from "./features/types.ts";
import { openAgent, transcriptFile } from "./open-agent.ts";
import {
  type AgentFlags,
  CannotStart,
  checkGates,
  checkServerMatchers,
  chooseModel,
  findEarlierSession,
  gatesOfDirectories,
  judgeTools,
  permissionMode,
  sessionPermissions,
  unknownNames,
} from "./session-options.ts";
import { type AgentTool, ToolFailure } from "./tools/types.ts";
import type { EarlierSession } from "./transcript.ts";
import type { Agent, LoopStep } from "./types.ts";

export interface SessionHost {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of managed configuration; that of the machine if left out. */
  readonly managedRoot?: string | undefined;
  readonly commands?: readonly string[] | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly emit: (step: LoopStep, agentId?: string) => void;
  readonly trace?: ((record: TraceRecord) => void) | undefined;
  /** Whether the user reads along how hooks are chosen. */
  readonly isWatching?: (() => boolean) | undefined;
  /** Asks about a tool call; absent where there is no user to ask. */
  readonly ask?: ToolOptions["ask"] | undefined;
  readonly confirm?: ((verdict: Verdict) => Promise<boolean>) | undefined;
  readonly askUser?: AskUser | undefined;
  readonly elicit?: AnswerQuestion | undefined;
  readonly review?: RunTrust["review"] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asked instead of the model that flags and environment choose. */
  readonly model?: Model | undefined;
  readonly ownTools?: readonly AgentTool[] | undefined;
  /** Whose hooks and rules count besides managed policy; all if left out. */
  readonly sources?: readonly SourceName[] | undefined;
  /** Registers functions, before the first event is fired. */
  readonly register?: ((hooks: HookEngine) => Promise<void> | void) | undefined;
}

export interface AgentSession {
  readonly id: string;
  readonly agent: Agent;
  readonly hooks: HookEngine;
  readonly permissions: Permissions;
  readonly modelName: string;
  readonly isScripted: boolean;
  readonly earlier: EarlierSession | undefined;
  /** Without a reason nothing was done in it, and no event is fired. */
  close(reason: string | undefined): Promise<void>;
}

const MANAGED_ROOT = "/etc/hookloop";

/** Throws a `CannotStart` before anything was started if something asked for is not there. */
export async function openSession(flags: AgentFlags, host: SessionHost): Promise<AgentSession> {
  const closers: Closers = [];
  try {
    return await openParts(flags, host, closers);
  } catch (thrown) {
    await closeAll(closers);
    throw thrown;
  }
}

type Closers = (() => Promise<void> | void)[];

/** In reverse order. One that fails does not keep the others open. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function openParts(flags: AgentFlags, given: SessionHost, closers: Closers): Promise<AgentSession> {
  const { place, chosen, mode } = prepare(flags, given);
  const host = withoutSecrets(given, createRedactor(place.env));
  const { cwd, home, env, id, earlier, directories } = place;
  const switching = switchable(chosen.model, flags, place, host.model !== undefined);
  const { model } = switching;
  reportFirst(chosen.note, earlier, host.report);
  const programs = openSessionPrograms(place, host);
  closers.push(() => programs.close());
  let servers: McpConnections | undefined;
  let rules: Permissions | undefined;
  let agent: Agent | undefined;
  const onWake = host.ask && ((outcome: Outcome): void => agent?.woken(outcome));
  const configs = readServers(flags, place);
  const judges = judgeTools({ root: cwd, home, permissions: () => rules });
  const ports = { model, mcp: () => servers, judgeTools: judges, compact: (notice: Notice) => agent?.compactSoon(notice) };
  const { hooks, writer } = await openSessionHooks(flags, host, place, { ports, onWake, configs, permissions: () => rules });
  // SECURITY: programs end before the hooks' last look at the trust store: what tools have left running may still change it then.
  for (const part of [writer, hooks, programs]) closers.push(() => part.close());
  await host.register?.(hooks);
  checkGates(flags, host, hooks);
  for (const diagnostic of gatesOfDirectories(hooks, directories)) host.report(diagnostic);
  servers = await connectServers(configs, place, host, programs);
  closers.push(async () => await servers?.close());
  if (host.signal?.aborted)
    throw new CannotStart("HL_AGENT_INTERRUPTED", "The start was interrupted; nothing has been asked of the model.");
  const names = [...FEATURE_TOOL_NAMES, ...ownNames(host), ...(servers ? mcpTools(servers).map(({ name }) => name) : [])];
  const { permissions, diagnostics } = sessionPermissions({ ...place, hooks, flags, mode, tools: names });
  rules = permissions;
  for (const diagnostic of [...diagnostics, ...permissions.diagnostics, ...unknownNames(hooks, env)]) host.report(diagnostic);
  const modelName = flags.model ?? model.defaultModel;
  const opened = openAgent({
    ...flags,
    ...host,
    ...place,
    ...switching,
    hooks,
    permissions,
    modelName,
    programs,
    managedRoot: host.managedRoot ?? MANAGED_ROOT,
    env: withoutModelKeys(env),
    sessionId: id,
    mcp: servers,
  });
  agent = opened;
  await attachHeads(opened, flags, host, hooks);
  if (servers) checkServerMatchers(flags, { ...host, ...place }, hooks, knownServers(servers, configs));
  const close = async (reason: string | undefined): Promise<void> => {
    closers.push(() => opened.close(reason));
    await closeAll(closers);
  };
  return { id, agent: opened, hooks, permissions, modelName, isScripted: switching.isScripted, earlier, close };
}

/** SECURITY: a session that is resumed, or started as an agent, has the guards that belong to it, or does not start. */
async function attachHeads(agent: Agent, flags: AgentFlags, host: SessionHost, hooks: HookEngine): Promise<void> {
  const gone = await agent.attachHeads().catch((thrown: unknown) => {
    throw thrown instanceof ToolFailure ? new CannotStart("HL_TRUST_REQUIRED", thrown.message) : thrown;
  });
  const [first] = gone;
  if (first && !flags.allowChangedHooks) {
    const text = `Hooks of "${first.name}" were in force in this session, and ${first.file} cannot be read any more, so nothing was started. Put the file back, or begin a new session. To start all the same: --allow-changed-hooks`;
    throw new CannotStart("HL_TRUST_GATE_WITHHELD", text);
  }
  checkGates(flags, host, hooks);
}

/** Throws the same `CannotStart` as opening would, and does nothing else. */
export function checkSession(flags: AgentFlags, host: Pick<SessionHost, "cwd" | "env">): void {
  prepare(flags, host);
}

/** Checks everything that may be missing before anything is started. */
function prepare(flags: AgentFlags, host: Pick<SessionHost, "cwd" | "env" | "model">) {
  const place = placeOf(flags, host);
  const { cwd, home, env } = place;
  const own = host.model && { model: host.model, note: undefined };
  const chosen = own ?? chooseModel({ cwd, home, env, isTrusted: flags.trustWorkspace, model: flags.model, script: flags.script });
  return { place, chosen, mode: permissionMode(flags.permissionMode) };
}

/** The one model of the session, also for hooks; `/model` can change which one it is. */
function switchable(
  first: Model,
  { trustWorkspace: isTrusted, script }: AgentFlags,
  { cwd, home, env }: SessionPlace,
  isGiven: boolean,
): { readonly model: Model; readonly prepareModel: (name: string) => () => void; readonly isScripted: boolean } {
  let current = first;
  const model: Model = {
    get defaultModel() {
      return current.defaultModel;
    },
    effortOf: (name) => current.effortOf?.(name),
    ask: (request) => current.ask(request),
  };
  const prepareModel = (name: string): (() => void) => {
    // A script answers under every name, and continues where it is; so does a model of the embedding program.
    const next =
      script === undefined && !isGiven ? chooseModel({ cwd, home, env, isTrusted, model: name, isRunning: true }).model : current;
    return () => {
      current = next;
    };
  };
  return { model, prepareModel, isScripted: script !== undefined };
}

/** SECURITY: what hooks print and diagnostics quote is shown without secrets; output of the model and its tools is not changed. */
function withoutSecrets(host: SessionHost, { text, value }: Redactor): SessionHost {
  const { trace } = host;
  return {
    ...host,
    report: (diagnostic) => host.report({ ...diagnostic, text: text(diagnostic.text) }),
    emit: (step, agentId) => host.emit(step.type === "tell" ? { ...step, text: text(step.text) } : step, agentId),
    ...(trace && { trace: (record) => trace(value(record)) }),
  };
}

export interface SessionPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly id: string;
  readonly earlier: EarlierSession | undefined;
  readonly transcripts: string | undefined;
  readonly directories: readonly string[];
  readonly plugins: readonly string[];
}

function placeOf(flags: AgentFlags, { cwd, env: given }: Pick<SessionHost, "cwd" | "env">): SessionPlace {
  const env = snapshotEnvironment(given);
  const home = env["HOME"] && path.isAbsolute(env["HOME"]) ? env["HOME"] : userInfo().homedir;
  const transcripts = transcriptFolder({ env, projectRoot: cwd });
  const earlier = flags.resume === undefined ? undefined : findEarlierSession(transcripts, flags.resume);
  const folder = (one: string): string => existingFolder(path.resolve(cwd, one));
  const id = earlier?.id ?? newId(flags.sessionId, transcripts);
  checkFiles(flags, cwd);
  return { cwd, home, env, id, earlier, transcripts, directories: flags.addDirs.map(folder), plugins: flags.pluginDirs.map(folder) };
}

function newId(wanted: string | undefined, transcripts: string | undefined): string {
  if (wanted === undefined) return randomUUID();
  if (!existsSync(transcriptFile(transcripts, wanted))) return wanted;
  throw new CannotStart(
    "HL_CLI_USAGE",
    `There is a session "${wanted}" of this project already. Resume it (--resume ${wanted}), or choose another id.`,
  );
}

function reportFirst(note: string | undefined, earlier: EarlierSession | undefined, report: SessionHost["report"]): void {
  // SECURITY: in the first line, since it says where the conversation is sent.
  if (note !== undefined) report({ code: "HL_AGENT_PROJECT_MODEL", level: "warning", text: note });
  const { damaged = 0, firstDamaged, file } = earlier ?? {};
  if (damaged === 0) return;
  // A crash damages lines; the rest of the session is there.
  const text = `${counted(damaged, "line")} of the transcript ${file} could not be read (the first is line ${firstDamaged}) and ${damaged === 1 ? "is" : "are"} left out; the session continues without.`;
  report({ code: "HL_AGENT_NO_SESSION", level: "warning", text });
}

interface SessionParts {
  readonly ports: Pick<Ports, "model" | "mcp" | "judgeTools" | "compact">;
  readonly onWake: OpenOptions["onWake"] | undefined;
  readonly configs: readonly McpConfig[];
  readonly permissions: () => Permissions | undefined;
}

async function openSessionHooks(
  flags: AgentFlags,
  host: SessionHost,
  { cwd, home, env, id, transcripts, plugins }: SessionPlace,
  { ports, onWake, configs, permissions }: SessionParts,
): Promise<{ readonly hooks: HookEngine; readonly writer: TraceWriter }> {
  const file = tracePath({ env, projectRoot: cwd, session: id });
  const writer = createTraceWriter({ file, redactor: createRedactor(env), onProblem: host.report });
  const hooks = await openHooks({
    cwd,
    sessionId: id,
    trust: runTrust(flags, host),
    sources: host.sources ?? SOURCE_NAMES,
    tools: ownNames(host),
    requireHooks: flags.requireHooks,
    ...(onWake ? { onWake } : { waitForRewake: true }),
    plugins,
    ...(flags.extensions !== undefined && { extensions: flags.extensions }),
    use: SHIPPED_NAMES.filter((name) => SHIPPED_HOOKS[name].isOnInAgent),
    directories: () => permissions()?.directories ?? [],
    protectedFiles: [...flags.mcpConfig, ...configs.flatMap((config) => serverFiles(config, cwd))],
    ...(flags.settings !== undefined && { settings: flags.settings }),
    commonInput: { transcript_path: transcriptFile(transcripts, id) },
    onDiagnostic: host.report,
    ports: {
      ...ports,
      env: host.env,
      home,
      trace: bothSinks(writer, host),
      ...(host.managedRoot !== undefined && { managedRoot: host.managedRoot }),
      ...(host.askUser && { askUser: host.askUser }),
    },
  });
  return { hooks, writer };
}

function ownNames({ ownTools = [] }: SessionHost): readonly string[] {
  return ownTools.map(({ name }) => name);
}

/** Once: a descriptor (`--mcp-config <(…)`) can be read only once. */
function readServers({ mcpConfig, trustWorkspace: isTrusted }: AgentFlags, place: SessionPlace): readonly McpConfig[] {
  return mcpConfig.map((name) => {
    const file = path.resolve(place.cwd, name);
    const withheld = withheldFrom(file, place, isTrusted);
    const env = Object.fromEntries(Object.entries(place.env).filter(([variable]) => !withheld.includes(variable)));
    return readMcpConfig(file, env, withheld);
  });
}

async function connectServers(
  configs: readonly McpConfig[],
  { cwd, env }: SessionPlace,
  { report, signal }: SessionHost,
  programs: Programs,
): Promise<McpConnections | undefined> {
  if (configs.length === 0 || signal?.aborted) return undefined;
  const onProblem = (text: string): void => report({ code: "HL_AGENT_MCP", level: "error", text });
  for (const problem of configs.flatMap(({ problems }) => problems)) onProblem(problem);
  const servers = Object.assign({}, ...configs.map((config) => config.servers));
  return await openMcpServers({ servers, cwd, onProblem, programs, signal, connectMs: connectLimit(env) });
}

/** Claude Code's variable, in milliseconds; anything else is ignored. */
function connectLimit({ MCP_TIMEOUT: text = "" }: SessionPlace["env"]): number | undefined {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}

/** Starts programs for the session, and says if another program works on it. */
function openSessionPrograms({ home, env, transcripts, id }: SessionPlace, { report }: SessionHost): Programs {
  const folder = runFolder({ home, env });
  const session = transcriptFile(transcripts, id) || id;
  const onProblem = (text: string): void => report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text });
  // Written first, then read: of two that start at once, at least one sees the other.
  const runFile = createRunFile({ folder, session, onProblem });
  const others = othersOn(folder, session).map(({ pid }) => pid);
  if (others.length > 0) {
    const who = others.length === 1 ? `process ${others[0]}` : `the processes ${others.join(", ")}`;
    const text = `Session ${id} is also open in ${who}. Both add to one transcript, and neither sees what the other does. Leave one of them, or begin a new session: /clear in a conversation, else a start without --resume and --continue`;
    report({ code: "HL_AGENT_SESSION_IN_USE", level: "warning", text });
  }
  return openPrograms({ runFile, ancestry: readAncestry(env, folder), onDiagnostic: report });
}

/**
 * What `${NAME}` in a file of servers does not stand for.
 * SECURITY: naming a file of the project starts its servers; it does not give them the user's secrets, and never the model's key.
 */
function withheldFrom(file: string, { cwd, home, env }: SessionPlace, isTrusted: boolean): readonly string[] {
  if (!isInFolders(path.dirname(file), [projectRoot(cwd, home), cwd])) return [];
  const isWithheld = (name: string, value: string): boolean => isModelKey(name) || (!isTrusted && sensitivityOf(name, value) !== undefined);
  return Object.entries(env).flatMap(([name, value]) => (isWithheld(name, value) ? [name] : []));
}

function runTrust({ trustWorkspace, trustedHooks, noProjectHooks }: AgentFlags, { review }: SessionHost): RunTrust {
  return { workspace: trustWorkspace, pinned: trustedHooks, ...(noProjectHooks && { projectHooks: false }), ...(review && { review }) };
}

function bothSinks(writer: TraceSink, { trace, isWatching }: SessionHost): TraceSink {
  if (!trace) return writer;
  return {
    write(record) {
      writer.write(record);
      trace(record);
    },
    hold: () => writer.hold?.(),
    flush: () => writer.flush?.(),
    ...(isWatching && { isWatching }),
  };
}

/** Shell commands do not need the model's key, and one that prints its environment would reveal it. */
function withoutModelKeys(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isModelKey(name)));
}

/** SECURITY: without the file of `--settings` or `--extension` the agent would work without the guards in it. */
function checkFiles({ settings = "{}", mcpConfig, extensions = [] }: AgentFlags, cwd: string): void {
  const isJson = /^\s*[{[]/.test(settings);
  const missing = [...(isJson ? [] : [settings]), ...mcpConfig, ...extensions]
    .map((file) => path.resolve(cwd, file))
    .find((file) => !existsSync(file));
  if (missing !== undefined) throw new CannotStart("HL_CLI_USAGE", `There is no file ${missing}.`);
}

function existingFolder(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new CannotStart("HL_CLI_USAGE", `There is no folder ${folder}.`);
}
