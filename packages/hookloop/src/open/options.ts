import { userInfo } from "node:os";
import path from "node:path";
import { ALL_KINDS, type Dialects, type HookKind, isShippedName, SHIPPED_HOOKS, SHIPPED_NAMES, type UsedHook } from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isObject, nameCure, shown } from "../check-options.ts";
import { type FindOptions, type FoundSources, type Registry, SOURCE_NAMES, type SourceName } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { createDialects } from "../dialects/index.ts";
import type { EventInput, Session, TraceSink } from "../engine/index.ts";
import { checkFields, type Dialect, type Outcome } from "../judge/index.ts";
import {
  type AskUser,
  type JudgeTools,
  type McpServers,
  type Model,
  type ModelMessage,
  type Runner,
  snapshotEnvironment,
} from "../run/index.ts";
import { ownFolder } from "../state-files.ts";
import type { RunTrust, Trust, TrustGate, TrustStore } from "../trust/index.ts";
import { RUNS } from "./trust.ts";

/** Where the engine touches the world; each has a default. */
export interface Ports {
  readonly env?: NodeJS.ProcessEnv;
  readonly home?: string;
  /** Folder of managed configuration. */
  readonly managedRoot?: string;
  readonly managedUid?: number;
  /** Runners for kinds of hooks; they replace the built-in ones, or run a kind that only a dialect of `dialects` knows. */
  readonly runners?: Readonly<Partial<Record<HookKind, Runner>> & Record<string, Runner>>;
  /** How other agents spell hooks, beside the dialects that are built in; their files are read as well. */
  readonly dialects?: readonly Dialect[];
  /** Gets one record per step. */
  readonly trace?: TraceSink;
  /** Asked by prompt and agent hooks; without it they fail, with a diagnostic. */
  readonly model?: Model;
  /** Puts a hook's question to the user; without it such a hook fails. */
  readonly askUser?: AskUser;
  /** Connected MCP servers, for mcp_tool hooks; looked up at each run. */
  readonly mcp?: () => McpServers | undefined;
  /** What agent hooks may use; nothing if left out. */
  readonly judgeTools?: JudgeTools;
  /** The conversation so far, for prompt hooks and functions; `messages` of one firing beats it. */
  readonly messages?: () => readonly ModelMessage[];
  /** Shows the notice for so long, and makes the conversation short before the model is asked again; `auto-compact` calls it. */
  readonly compact?: (notice: { readonly text: string; readonly forMs: number }) => void;
}

export interface OpenOptions extends Pick<FindOptions, "settings" | "plugins" | "tools"> {
  /**
   * Which files are read: `project` and `local` if left out, so that a program does not run the hooks of its user's home. Managed policy always
   * is, and so is what the program names itself (`settings`, `plugins`).
   */
  readonly sources?: readonly SourceName[];
  /** The project; its configuration is read, its hooks run there. */
  readonly cwd: string;
  readonly sessionId?: string;
  /** What the user set for each plugin, by its id: `${user_config.NAME}` in `args`, `CLAUDE_PLUGIN_OPTION_NAME` in the environment. */
  readonly pluginOptions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Who approves hooks that come from files; `store` if left out. */
  readonly trust?: Trust;
  /** Every configured gate must be able to run: one that cannot is in `trust.cannotStart` of the engine. */
  readonly requireHooks?: boolean;
  /** More fields for every payload, such as `transcript_path` or `permission_mode`. */
  readonly commonInput?: EventInput;
  /** Called with everything that is wrong, as it happens; stderr if left out. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** A background hook (`asyncRewake`) wants the agent's attention. */
  readonly onWake?: (outcome: Outcome) => void;
  /** `asyncRewake` hooks are waited for like any other: for a program that ends with its turn, which could not be woken later. */
  readonly waitForRewake?: boolean;
  /** How long `close()` waits for background hooks before it ends them; 1,000 if left out. */
  readonly drainMs?: number;
  /** How many times in a row Stop hooks may keep the agent going; 8 if left out, 0 for any number. */
  readonly stopCap?: number;
  /** The copy of the payload that each function gets is frozen: changing it is a failure. */
  readonly isolate?: boolean;
  /** Every gate that fails blocks, and hooks get an allow-listed environment. */
  readonly strict?: boolean;
  /** Hooks that come with hookloop, besides those that files name with `use`: names, or objects of a name and its options. */
  readonly use?: readonly (string | Readonly<{ name: string } & Record<string, unknown>>)[];
  /** Folders besides `cwd` that the agent works in, at the time of a call: `workspace-boundary` asks about all others. */
  readonly directories?: () => readonly string[];
  /** Files that register hooks when the session opens: with the functions of `hookloop/compat/…`, or in an exported `register(hooks)`. */
  readonly extensions?: readonly string[];
  /** More files that the agent's own tools must leave alone: what else decides which programs this session starts. */
  readonly protectedFiles?: readonly string[];
  readonly ports?: Ports;
}

const OPTIONS: Readonly<Record<keyof OpenOptions, Allowed>> = {
  cwd: "text",
  sessionId: "text",
  pluginOptions: "plain object",
  trust: "trust",
  requireHooks: "flag",
  commonInput: "plain object",
  onDiagnostic: "function",
  onWake: "function",
  waitForRewake: "flag",
  drainMs: "number",
  stopCap: "number",
  isolate: "flag",
  strict: "flag",
  use: "anything",
  directories: "function",
  extensions: "texts",
  protectedFiles: "texts",
  ports: "object",
  settings: "text or plain object",
  plugins: "texts",
  tools: "texts",
  sources: "texts",
};

const PORTS: Readonly<Record<keyof Ports, Allowed>> = {
  env: "object",
  home: "text",
  managedRoot: "text",
  managedUid: "number",
  runners: "object",
  dialects: "anything",
  trace: "object",
  model: "object",
  askUser: "function",
  mcp: "function",
  judgeTools: "object",
  messages: "function",
  compact: "function",
};

const TRUST: Readonly<Record<keyof RunTrust, Allowed>> = {
  workspace: "flag",
  pinned: "object",
  projectHooks: "flag",
  review: "function",
};

/** Throws at an option that cannot be meant: one that is misspelt has no effect, and the session would be less safe than it looks. */
export function checkOptions(options: unknown): asserts options is OpenOptions {
  if (typeof options !== "object" || options === null) throw invalidOption("openHooks() takes an object. Write openHooks({ cwd })");
  checkEntries("openHooks()", options, OPTIONS);
  const { cwd } = options as Partial<OpenOptions>;
  if (cwd === undefined) throw invalidOption("cwd is missing. Write openHooks({ cwd: process.cwd() })");
  const { use = [], sources = [] } = options as Partial<OpenOptions>;
  usedByProgram(use);
  const stranger = sources.find((name) => !SOURCE_NAMES.includes(name));
  if (stranger !== undefined) throw invalidOption(`sources of openHooks() has ${shown(stranger)}. ${nameCure(stranger, SOURCE_NAMES)}`);
  for (const [plugin, values] of Object.entries((options as Partial<OpenOptions>).pluginOptions ?? {}))
    if (!isObject(values) || Object.values(values).some((value) => typeof value !== "string"))
      throw invalidOption(
        `pluginOptions of openHooks() has ${shown(values)} for ${shown(plugin)}. Write { ${JSON.stringify(plugin)}: { NAME: "value" } }`,
      );
  checkParts(options);
}

/** What `use` of a program says. SECURITY: a wrong name or option is thrown; left out, it would be a guard that never runs. */
export function usedByProgram(use: unknown): readonly UsedHook[] {
  const where = "use of openHooks()";
  if (!Array.isArray(use)) throw invalidOption(`${where} is ${shown(use)}. Write a list, as in use: ["safety"]`);
  return use.map((given: unknown) => {
    const { name, ...options } = (typeof given === "string" ? { name: given } : (given ?? {})) as Record<string, unknown>;
    if (!isShippedName(name))
      throw invalidOption(
        `${where} has ${shown(name ?? given)}, which does not come with hookloop. ${nameCure(String(name), SHIPPED_NAMES)}`,
      );
    checkFields(`"${name}" in ${where}`, options, SHIPPED_HOOKS[name].options);
    return { name, options };
  });
}

/** What an engine without files cannot do. `use` loads its hooks from files of its own, which takes a moment. */
const NEEDS_FILES = ["settings", "plugins", "pluginOptions", "use", "directories", "sources", "requireHooks"] as const;

/** Options of an engine that is there at once. */
export type CreateOptions = Omit<OpenOptions, (typeof NEEDS_FILES)[number]>;

/** The same for `createHooks`. SECURITY: an option that it cannot keep is a guard that never runs. */
export function checkCreateOptions(options: unknown): asserts options is CreateOptions {
  if (typeof options !== "object" || options === null)
    throw invalidOption("createHooks() takes an object. Write createHooks({ cwd: process.cwd() })");
  const needing = NEEDS_FILES.find((name) => (options as Partial<OpenOptions>)[name] !== undefined);
  if (needing !== undefined) throw invalidOption(`createHooks() has no option "${needing}". Write await openHooks({ cwd, ${needing} })`);
  checkEntries("createHooks()", options, OPTIONS);
  if ((options as Partial<OpenOptions>).cwd === undefined) throw invalidOption("cwd is missing. Write createHooks({ cwd: process.cwd() })");
  checkParts(options);
}

/** The same for a front that takes some of these options, and some of its own. */
export function checkFrontOptions(
  where: string,
  options: object,
  { taken, own }: { readonly taken: readonly (keyof OpenOptions)[]; readonly own: Readonly<Record<string, Allowed>> },
): void {
  if (typeof options !== "object" || options === null) throw invalidOption(`${where} takes an object. Write ${where.slice(0, -1)}{})`);
  const { hooks } = options as { readonly hooks?: { readonly fire?: unknown } };
  const found = hooks instanceof Promise ? "a promise" : "no engine";
  if (hooks !== undefined && typeof hooks.fire !== "function")
    throw invalidOption(`hooks of ${where} is ${found}. Write hooks: await openHooks({ cwd })`);
  checkEntries(where, options, { ...Object.fromEntries(taken.map((name) => [name, OPTIONS[name]])), ...own });
  checkParts(options);
}

function checkParts({ ports, trust, tools = [] }: Partial<OpenOptions>): void {
  const odd = tools.find((name) => /^\s*$|[()*|,]/.test(name));
  if (odd !== undefined)
    throw invalidOption(`tools has ${shown(odd)}, which is no name of a tool. Write each name alone, as in ["my_shell", "deploy"]`);
  if (typeof trust === "object") checkEntries("trust", trust, TRUST);
  if (ports === undefined) return;
  checkEntries("ports", ports, PORTS);
  const kinds = [...ALL_KINDS, ...checkDialects(ports.dialects).flatMap(({ shape }) => Object.keys(shape.kinds))];
  if (ports.model && typeof ports.model.ask !== "function")
    throw invalidOption("model of ports has no ask(). Write { defaultModel, ask: async (request) => … }");
  if (ports.judgeTools && (typeof ports.judgeTools.run !== "function" || !Array.isArray(ports.judgeTools.offered)))
    throw invalidOption("judgeTools of ports has no run() or no list offered. Write { offered: [], run: async (call) => … }");
  for (const [name, value] of Object.entries(ports.env ?? {}))
    if (value !== undefined && typeof value !== "string") throw invalidOption(`${name} of env of ports is ${shown(value)}. Write a text`);
  if (ports.runners) checkEntries("ports.runners", ports.runners, Object.fromEntries(kinds.map((kind) => [kind, "function"])));
  if (ports.trace && typeof ports.trace.write !== "function")
    throw invalidOption('trace of ports has no write(). Write createTraceWriter(…) of "hookloop/trace", or { write(record) {} }');
}

/** SECURITY: a second dialect of one name would change what approved hooks of the first one mean. */
function checkDialects(dialects: unknown = []): readonly Dialect[] {
  const parts = ["files", "shape", "defaults", "quirks", "input", "answer"];
  const isDialect = (one: Partial<Record<string, unknown>> | null): boolean => parts.every((part) => typeof one?.[part] === "object");
  if (!Array.isArray(dialects) || !dialects.every(isDialect))
    throw invalidOption(`dialects of ports must be a list of objects with ${parts.join(", ")}`);
  const names = [...createDialects().all, ...(dialects as readonly Dialect[])].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidOption(`dialects of ports has a second "${twice}". Give it a name of its own`);
  return dialects;
}

/** Where a session runs. */
export interface Machine {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly dialects: Dialects<Dialect>;
  readonly sources: readonly SourceName[];
}

/** What a session is opened with. Each part of it is made from this one value and from a snapshot of the configuration. */
export interface Opening extends Machine {
  readonly options: OpenOptions;
  readonly trust: Trust;
  /** No file is read or written. */
  readonly hasNoFiles: boolean;
  readonly isStrict: boolean;
  readonly managedRoot: string | undefined;
  readonly steps: Pick<Session, "id" | "say" | "listeners" | "isWatched" | "hold" | "flush"> & {
    /** As `say`, for a light session. */
    readonly sayAs: (session: string, step: Parameters<Session["say"]>[0]) => void;
  };
  /** Says a diagnostic, as one of the steps. */
  readonly report: (diagnostic: Diagnostic) => void;
  /** What the files said at first. */
  readonly found: FoundSources;
  readonly find: () => Promise<FoundSources>;
  readonly registry: Registry;
  /** Registers what the files say by now; strict stays what it was. */
  readonly register: (documents: FoundSources["documents"]) => Registry;
  readonly gate: TrustGate;
  readonly store: TrustStore;
}

const OWN_SOURCES: readonly SourceName[] = ["project", "local"];

export function machineOf({ cwd, sources = OWN_SOURCES, ports = {} }: OpenOptions): Machine {
  const env = snapshotEnvironment(ports.env ?? process.env);
  const home = homeFolder(ports.home ?? env["HOME"]);
  return { cwd: path.resolve(cwd), home, env, dialects: createDialects(ports.dialects), sources };
}

/** SECURITY: a home that is not absolute would be looked for below the working directory, and the project's files would pass for the user's. */
function homeFolder(given: string | undefined): string {
  return given !== undefined && path.isAbsolute(given) ? given : userInfo().homedir;
}

/** Where running hooks are noted, for the case that this program is killed. */
export function runFolder({ home, env }: Pick<Machine, "home" | "env">): string {
  return path.join(ownFolder("state", { home, env }), RUNS);
}
