/**
 * S2 in its own words: typed hooks around operations. Takes handlers; gives what they decided. Every execution is one `fire` of the engine:
 * pre hooks are one sequence of it, post hooks run side by side. Refuses an unknown type when it is registered, loudly.
 */

import { type Allowed, checkEntries, invalidOption, shown } from "../../check-options.ts";
import { nearestName } from "../../diagnostic.ts";
import type { FunctionOptions, HookEngine, ToolOptions } from "../../engine/index.ts";
import type { Verdict } from "../../judge/index.ts";
import { checkFrontOptions } from "../../open/options.ts";
import { createHooks, type OpenOptions } from "../../open-hooks.ts";
import { executeTool } from "./execute-tool.ts";
import { createForeignOperations } from "./foreign-operations.ts";
import { HOOK_TYPES, type HookTypeRow, toolNameFor, toolsOf } from "./hook-types.ts";
import { type Carrier, type Entry, lastChange, OPERATION, type Operation, runEntry, startOperation } from "./operation.ts";
import type {
  Decided,
  ExecutedHooks,
  HookContext,
  HookRegistration,
  HookType,
  ListedHook,
  SamplingHandler,
  SamplingTool,
  SamplingToolResult,
} from "./types.ts";
import { withCleanup } from "./with-cleanup.ts";

export interface SamplingRegistryOptions
  extends Partial<Pick<OpenOptions, "cwd" | "sessionId" | "onDiagnostic" | "ports">>,
    Pick<ToolOptions, "permission" | "ask"> {
  /** An engine to hang the hooks on, with its configured hooks; without it, one that has only these. */
  readonly hooks?: HookEngine;
}

const OPTIONS = {
  taken: ["cwd", "sessionId", "onDiagnostic", "ports"],
  own: { hooks: "object", permission: "function", ask: "function" },
} as const;

const REGISTRATION: Readonly<Record<keyof HookRegistration, Allowed>> = {
  priority: "any number",
  name: "text",
  guard: "flag",
  timeoutMs: "limit",
};

export interface SamplingRegistry {
  /** The function it returns takes the hook away again. */
  registerHook(type: HookType, handler: SamplingHandler, registration?: HookRegistration): () => void;
  /** Runs the hooks of one type around an operation that the program performs itself. */
  executeHooks(type: HookType, context?: HookContext): Promise<ExecutedHooks>;
  /** Pre hooks, the tool, post hooks. A cancel becomes an error result; never rejects because of a hook or the tool. */
  executeToolWithHooks(
    tool: SamplingTool,
    input: Readonly<Record<string, unknown>>,
    context?: HookContext,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SamplingToolResult>;
  /** In order. */
  executeSessionStartHooks(context?: HookContext): Promise<ExecutedHooks>;
  /** In reverse order; one that fails does not stop the others. */
  executeSessionEndHooks(context?: HookContext): Promise<ExecutedHooks>;
  /** Registers the cleanup for the end of the session, runs the setup, and gives the function that cleans up now. It cleans up once. */
  withCleanup<Resource>(
    setup: () => Resource | PromiseLike<Resource>,
    cleanup: (resource: Resource | undefined) => unknown,
  ): Promise<() => Promise<void>>;
  /** Every registered hook, type by type, in the order they run. */
  listHooks(): readonly ListedHook[];
  readonly hooks: HookEngine;
}

/** Opens a registry of typed hooks. */
export function createSamplingRegistry(options: SamplingRegistryOptions = {}): SamplingRegistry {
  checkFrontOptions("createSamplingRegistry()", options, OPTIONS);
  const { hooks: given, permission: _permission, ask: _ask, cwd = process.cwd(), ...opened } = options;
  const hooks = given ?? createHooks({ ...opened, cwd });
  const entries = new Map<Entry, unknown>();
  const foreign = createForeignOperations();
  let nextOrder = 0;
  const registerHook: SamplingRegistry["registerHook"] = (type, handler, registration = {}) => {
    const row = rowOf(type);
    if (typeof handler !== "function")
      throw invalidOption(
        `registerHook("${type}") was given ${shown(handler)} for a handler. Write registerHook("${type}", (context) => …)`,
      );
    if (typeof registration !== "object" || registration === null)
      throw invalidOption(`registerHook("${type}") was given ${shown(registration)} for its options. Write an object`);
    checkEntries("registerHook()", registration, REGISTRATION);
    const { name = handler.name || type, priority = 0 } = registration;
    const entry: Entry = { type, name, priority, order: nextOrder++, handler };
    const hook = (payload: Carrier): unknown => runEntry(entry, payload, payload[OPERATION] ?? foreign(payload));
    const unregister = row.events.map((event) => event && hooks.on(event, { ...registration, ...optionsOf(row), name }, hook as never));
    entries.set(entry, hook);
    return () => {
      entries.delete(entry);
      for (const remove of unregister) remove?.();
    };
  };
  const executeHooks: SamplingRegistry["executeHooks"] = async (type, context = {}) => {
    const row = rowOf(type);
    if (typeof context !== "object" || context === null)
      throw invalidOption(`executeHooks("${type}") was given ${shown(context)} for a context. Write an object: { tool, input }`);
    const operation = startOperation(context, type);
    const [event, failed] = row.events;
    // A program may say of any tool of its own that it edits, or runs git: then no hook is left out because of the tool's name.
    const input = { ...row.toInput(context), ...toolNameFor(row, context.tool), [OPERATION]: operation };
    // Options of its own, even if empty: only the long way hands the operation on.
    const verdict = await hooks.fire(context.error === undefined ? event : (failed ?? event), input, {});
    const outcome = outcomeOf(type, operation, verdict);
    // Hooks that judged a rewritten value once more may have put their own into the context; only the first rewrite counts.
    if (outcome.action === "modify") context[row.field] = outcome.data;
    return { ...outcome, context, verdict };
  };
  return {
    registerHook,
    executeHooks,
    executeToolWithHooks: (tool, input, context = {}, more = {}) =>
      executeTool(hooks, { tool, input, context, options: { ...pickAsking(options), ...more } }),
    executeSessionStartHooks: (context) => executeHooks("session_start", context),
    executeSessionEndHooks: (context) => executeHooks("session_end", context),
    withCleanup: (setup, cleanup) => withCleanup(registerHook, setup, cleanup),
    listHooks: () => listHooks(entries, hooks),
    hooks,
  };
}

function pickAsking({ permission, ask }: SamplingRegistryOptions): Pick<ToolOptions, "permission" | "ask"> {
  return { ...(permission && { permission }), ...(ask && { ask }) };
}

function rowOf(type: string): HookTypeRow {
  if (Object.hasOwn(HOOK_TYPES, type)) return HOOK_TYPES[type as HookType];
  const names = Object.keys(HOOK_TYPES);
  const nearest = nearestName(type, names);
  const hint = nearest ? ` Did you mean "${nearest}"?` : "";
  throw new TypeError(`HL_CONFIG_UNKNOWN_EVENT: "${type}" is not a hook type.${hint} There are: ${names.join(", ")}.`);
}

/** How the engine runs hooks of this type. One that throws is reported and the rest decide, unless it is a guard. */
function optionsOf(row: HookTypeRow): FunctionOptions {
  const tool = toolsOf(row);
  return {
    ...(tool && { tool }),
    sequence: row.mode && "sampling-registry",
    sequenceMode: row.mode,
    onFailure: "continue",
  };
}

/** The verdict in this registry's words. */
function outcomeOf(type: HookType, operation: Operation, verdict: Verdict): Decided {
  const { decision, reasons, continueWith, feedback, updatedInput, updatedOutput, updatedPrompt } = verdict;
  const isRefused = decision === "deny" || decision === "ask" || decision === "defer";
  const noes = [...(isRefused ? reasons : []), ...continueWith, ...feedback].map(({ text }) => text);
  if (isRefused || noes.length > 0) return { action: "cancel", reason: noes.join("\n") };
  const said = updatedInput ?? updatedPrompt ?? updatedOutput?.value;
  if (said !== undefined) return { action: "modify", data: said };
  // Some events cannot express a changed value.
  const change = lastChange(operation, HOOK_TYPES[type].field);
  return change ? { action: "modify", data: change.data } : { action: "continue", data: operation.data };
}

function listHooks(entries: ReadonlyMap<Entry, unknown>, { refused }: HookEngine): readonly ListedHook[] {
  const types = Object.keys(HOOK_TYPES) as HookType[];
  return types.flatMap((type) => {
    const sorted = [...entries].filter(([entry]) => entry.type === type).sort(([a], [b]) => b.priority - a.priority);
    const ordered = HOOK_TYPES[type].mode === "reverse" ? sorted.reverse() : sorted;
    return ordered.map(([{ name, priority }, handler]) => {
      const refusal = refused.find(({ hook }) => hook.target.kind === "function" && hook.target.handler === handler);
      return { name, type, priority, ...(refusal && { switchedOff: refusal.text }) };
    });
  });
}
