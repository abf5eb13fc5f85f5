/** Composes an engine: the only file that knows every stage, every dialect and the machine it runs on. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import path from "node:path";
import type { HookKind } from "./catalogue/index.ts";
import { type Diagnostic, diagnosticLine } from "./diagnostic.ts";
import { createClaudeDialect } from "./dialects/claude/index.ts";
import { createHooksJsonDialect, toHooksJsonTool } from "./dialects/hooks-json/index.ts";
import { createNativeDialect } from "./dialects/native/index.ts";
import { createBackground } from "./engine/background.ts";
import { checkScripts, type FindOptions, type FoundSources, findSources, readFrontmatter } from "./engine/config/index.ts";
import {
  createBroker,
  createCommandRunner,
  createFunctionRunner,
  frozenCopy,
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
import { registerHooks } from "./engine/registry/index.ts";
import { createPlanner } from "./engine/select/index.ts";
import type { EventInput, Session } from "./engine/session.ts";
import { createRecorder, type TraceSink } from "./engine/trace-sink.ts";
import { type Admission, admitHooks, refusalDiagnostic, type Trust } from "./engine/trust/index.ts";
import { openSessionFiles } from "./session-files.ts";
import { createDebugPrinter, createRedactor, wantsDebug } from "./trace/index.ts";
import { VERSION } from "./version.ts";

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
}

export interface OpenOptions extends Pick<FindOptions, "settings" | "plugins" | "tools"> {
  /** The project; its configuration is read, its hooks run there. */
  readonly cwd: string;
  readonly sessionId?: string;
  /** Who vouches for hooks that come with the project; `store` if left out. */
  readonly trust?: Trust;
  /** More fields for every payload, such as `transcript_path` or `permission_mode`. */
  readonly commonInput?: EventInput;
  /** Hears everything that is wrong, as it happens; stderr if left out. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** A background hook (`asyncRewake`) wants the agent's attention. */
  readonly onWake?: (outcome: Outcome) => void;
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
  const found = await findSources({ ...machine, ...pick(options), managedRoot: ports.managedRoot, managedUid: ports.managedUid });
  for (const diagnostic of (await reapOrphans(runFolder(machine))).diagnostics) (options.onDiagnostic ?? printDiagnostic)(diagnostic);
  const scripts = await Promise.all(found.documents.map((document) => checkScripts(document, { projectRoot: cwd, home })));
  return compose(options, machine, { documents: found.documents, diagnostics: [...found.diagnostics, ...scripts.flat()] });
}

/** An engine without configuration: no file is read, only functions of the program run, and it is there at once. */
export function createHooks(options: Omit<OpenOptions, "settings" | "plugins" | "tools">): HookEngine {
  return compose(options, lookAround(options), { documents: [], diagnostics: [] });
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

function compose(options: OpenOptions, { cwd, home, env }: Machine, found: FoundSources): HookEngine {
  const { trust = "store" } = options;
  const report = safely(options.onDiagnostic ?? printDiagnostic);
  const registry = registerHooks(found.documents, { env, strict: options.strict });
  const isStrict = registry.settings["strict"] === true;
  const readmit = (hooks: Parameters<typeof admitHooks>[0]["hooks"]): ReturnType<typeof admitHooks> =>
    admitHooks({ hooks, switches: registry.switches, trust });
  const admission = readmit(registry.hooks);
  const diagnostics = [
    ...found.diagnostics,
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
  const { session, close, shellEnv } = openSession({ options: { ...options, strict: isStrict }, cwd, home, env, report });
  session.planner = createPlanner(admission.admitted, plannerOptions);
  const readHead = async ({ text, file, root = path.dirname(file), skill, agentId }: Frontmatter): Promise<Admission> => {
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
    const admission = readmit(hooks);
    for (const diagnostic of [...document.diagnostics, ...odd, ...admission.refused.map(refusalDiagnostic)]) report(diagnostic);
    return admission;
  };
  const stopCap = createStopCap({ cap: options.stopCap ?? configuredCap(env, registry.settings) });
  return new HookEngine({ stopCap, readFrontmatter: readHead, session, admission, diagnostics, readmit, plannerOptions, shellEnv, close });
}

/** Where running hooks are noted, for the case that this program is killed. */
function runFolder({ home, env }: Pick<Machine, "home" | "env">): string {
  const state = env["XDG_STATE_HOME"];
  return path.join(state !== undefined && path.isAbsolute(state) ? state : path.join(home, ".local", "state"), "hookloop", "runs");
}

interface SessionParts {
  readonly options: OpenOptions;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (diagnostic: Diagnostic) => void;
}

function openSession({ options, cwd, home, env, report }: SessionParts): {
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
  });
  const redactor = createRedactor(env);
  const sink = options.ports?.trace ?? (wantsDebug(env) ? createDebugPrinter({ redactor }) : undefined);
  const claude = createClaudeDialect({ projectRoot: cwd });
  const running = new AbortController();
  const background = createBackground({
    onWake: options.onWake,
    onProblem: (thrown) => report({ code: "HL_EXECUTE_THREW", level: "error", text: `onWake threw: ${thrownText(thrown)}` }),
  });
  const broker = createBroker({ onProblem: (text) => report({ code: "HL_EXECUTE_BROKER", level: "warning", text }) });
  const commonInput = { session_id: id, transcript_path: "", cwd, ...options.commonInput };
  const session: Session = {
    id,
    projectRoot: cwd,
    commonInput,
    copyPayload: options.isolate ? frozenCopier(commonInput) : createPayloadCopier(commonInput),
    planner: createPlanner([]),
    dialects: {
      claude,
      native: createNativeDialect({ projectRoot: cwd }),
      "hooks-json": createHooksJsonDialect({ writeTempFile: files.writeTemporary }),
    },
    runners: {
      command: createCommandRunner({
        environment: env,
        version: VERSION,
        isStrict: options.strict,
        ancestry: readAncestry(env, runs),
        runFile: files.runFile,
        run: broker.run,
      }),
      function: createFunctionRunner({ isolate: options.isolate }),
      ...options.ports?.runners,
    },
    background,
    closing: running.signal,
    run: { signal: running.signal },
    spent: new Set(),
    spill: { folder: files.spillFolder, redact: (text) => redactor.text(text) },
    envFile: files.envFile,
    report,
    record: sink && createRecorder({ sink, session: id }),
  };
  const close = async (): Promise<void> => {
    running.abort();
    await background.idle();
    await broker.close();
    files.dispose();
  };
  return { session, close, shellEnv: files.shellEnv };
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
  process.stderr.write(`${diagnosticLine(diagnostic)}\n`);
}

function frozenCopier(common: EventInput): PayloadCopier {
  return (event, input) => frozenCopy({ ...common, ...input, hook_event_name: event }, new Map()) as Record<string, unknown>;
}

/** The variable of Claude Code, else the setting; anything that is no number is passed on and means the default. */
function configuredCap(env: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>>): number {
  const value = env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] ?? settings["stopCap"] ?? DEFAULT_STOP_CAP;
  return Number(value);
}
