/** The reference agent as a function of a program: its model, its tools and its hooks, with the agent's own loop, tools and rules around them. */

import { CannotStart, openSession, type TurnEnd } from "./agent/index.ts";
import type { AgentTool } from "./agent/tools/types.ts";
import type { LoopStep } from "./agent/types.ts";
import { PERMISSION_MODES } from "./catalogue/index.ts";
import { type Allowed, checkGiven, invalidOption, shown } from "./check-options.ts";
import type { SourceName } from "./config/find/find-sources.ts";
import { type Diagnostic, printDiagnostic } from "./diagnostic.ts";
import type { HookEngine } from "./engine/engine.ts";
import type { ToolOptions } from "./engine/permit.ts";
import type { HookRegistry } from "./open/extensions.ts";
import type { PermissionMode } from "./permissions/types.ts";
import type { Model } from "./run/model/model-port.ts";

export { type AgentTool, type ToolContext, ToolFailure, type ToolOutput } from "./agent/tools/types.ts";
export type { EndReason, LoopStep } from "./agent/types.ts";
export { createOfflineModel } from "./models/index.ts";
export type { HookRegistry } from "./open/extensions.ts";
export {
  type ContentBlock,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
} from "./run/model/model-port.ts";

export interface RunAgentOptions {
  /** The project it works in. */
  readonly cwd: string;
  /** Asked by the agent and by prompt hooks; if left out, chosen by the environment as on the command line. */
  readonly model?: Model | undefined;
  /** Offered besides those of the agent; one with the same name takes the place of the agent's. */
  readonly tools?: readonly AgentTool[] | undefined;
  /** Called before the first event: register functions with `hooks.on`. */
  readonly register?: ((hooks: HookEngine) => Promise<void> | void) | undefined;
  /** Hooks that were registered apart from any engine, in the words of `hookloop/compat/…`: they act in this run. */
  readonly registries?: readonly HookRegistry[] | undefined;
  /** Files that register hooks when the session opens, as `--extension`. */
  readonly extensions?: readonly string[] | undefined;
  /** Which files are read besides managed policy; `project` and `local` if left out. */
  readonly sources?: readonly SourceName[] | undefined;
  /** Permission rules for this run, such as `Bash(npm test)`. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  /** Asks the user about a tool call; without it a call that needs an answer is denied. */
  readonly ask?: ToolOptions["ask"] | undefined;
  /** Trusts the hooks and rules of the project's files. */
  readonly trustWorkspace?: boolean | undefined;
  /** Ends the run after this many model calls. */
  readonly maxTurns?: number | undefined;
  readonly onStep?: ((step: LoopStep, agentId?: string) => void) | undefined;
  /** Gets everything that is wrong; stderr if left out. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How the run ended: `reason` is null if the prompt never reached the model, `text` is the agent's last text. */
export type AgentRun = TurnEnd & { readonly sessionId: string };

const OPTIONS: Readonly<Record<keyof RunAgentOptions, Allowed>> = {
  cwd: "text",
  model: "object",
  tools: "anything",
  register: "function",
  // Each is checked where it is attached.
  registries: "anything",
  extensions: "texts",
  sources: "texts",
  allowedTools: "texts",
  disallowedTools: "texts",
  permissionMode: PERMISSION_MODES,
  ask: "function",
  trustWorkspace: "flag",
  maxTurns: "number",
  onStep: "function",
  onDiagnostic: "function",
  env: "object",
  signal: "signal",
};

const OWN_SOURCES: readonly SourceName[] = ["project", "local"];

/** Runs one prompt to its end, with every event of a session around it. Rejects if the session must not start. */
export async function runAgent(prompt: string, options: RunAgentOptions): Promise<AgentRun> {
  if (typeof prompt !== "string")
    throw invalidOption(`runAgent() takes the prompt first, not ${shown(prompt)}. Write runAgent(prompt, { cwd })`);
  checkGiven("runAgent()", options, OPTIONS, ["cwd"]);
  const { cwd, allowedTools = [], disallowedTools = [], permissionMode, trustWorkspace = false, maxTurns } = options;
  const { onStep = () => {}, onDiagnostic = printDiagnostic, env = process.env, sources = OWN_SOURCES } = options;
  const { model, tools, ask, signal = new AbortController().signal } = options;
  const flags = {
    allowedTools,
    disallowedTools,
    permissionMode,
    trustWorkspace,
    maxTurns,
    extensions: options.extensions,
    mcpConfig: [],
    pluginDirs: [],
    addDirs: [],
    trustedHooks: {},
    requireHooks: false,
    noProjectHooks: false,
  };
  const detach: (() => void)[] = [];
  const register = async (hooks: HookEngine): Promise<void> => {
    for (const registry of registriesOf(options)) detach.push(registry.attach(hooks));
    await options.register?.(hooks);
  };
  const host = { cwd, env, model, ownTools: tools, register, sources, ask, signal, emit: onStep, report: onDiagnostic };
  const session = await openSession(flags, host);
  try {
    const [wrong] = session.hooks.trust.cannotStart;
    if (wrong) throw new CannotStart(wrong.code, wrong.text);
    await session.agent.start({ source: "startup", signal });
    return { ...(await session.agent.submit(prompt, signal)), sessionId: session.id };
  } finally {
    await session.close("other");
    for (const take of detach) take();
  }
}

/** SECURITY: guards that are not attached would be missing without a word. */
function registriesOf({ registries = [] }: RunAgentOptions): readonly HookRegistry[] {
  if (!Array.isArray(registries)) throw invalidOption(`registries of runAgent() is ${shown(registries)}. Write a list`);
  const stranger = registries.findIndex((one) => typeof one?.attach !== "function");
  if (stranger < 0) return registries;
  const text = `registries of runAgent() has ${shown(registries[stranger])} in it. Write what createSamplingRegistry() or createTeachingLoop() gives`;
  throw invalidOption(text);
}
