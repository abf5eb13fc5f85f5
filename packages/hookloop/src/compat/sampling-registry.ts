/**
 * Typed hooks around operations, on the engine. Takes handlers; gives what they decided. Every execution is one `fire` of the engine:
 * pre hooks are one sequence of it, post hooks run side by side. Throws at an unknown type when it is registered.
 */

import { randomUUID } from "node:crypto";
import { type Allowed, checkEntries, invalidOption, mistake, shown } from "../check-options.ts";
import { didYouMean } from "../diagnostic.ts";
import type { FunctionOptions, HookEngine, ToolOptions, ToolResult } from "../engine/index.ts";
import type { Verdict } from "../judge/index.ts";
import { checkFrontOptions, type OpenOptions } from "../open/options.ts";
import { createHooks } from "../open.ts";
import {
  type Carrier,
  type Decided,
  type Entry,
  type ExecutedHooks,
  HOOK_TYPES,
  type HookContext,
  type HookRegistration,
  type HookType,
  type HookTypeRow,
  type ListedHook,
  lastChange,
  OPERATION,
  type Operation,
  runEntry,
  type SamplingHandler,
  type SamplingTool,
  type SamplingToolResult,
  startOperation,
  toolNameFor,
  toolsOf,
} from "./sampling-operation.ts";

export type {
  ExecutedHooks,
  HookContext,
  HookDecision,
  HookMoment,
  HookRegistration,
  HookType,
  ListedHook,
  SamplingHandler,
  SamplingTool,
  SamplingToolResult,
} from "./sampling-operation.ts";

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
  throw mistake("HL_CONFIG_UNKNOWN_EVENT", `"${type}" is not a hook type.${didYouMean(type, names)} There are: ${names.join(", ")}.`);
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
      const refusal = refused.find(({ hook }) => hook.target.kind === "function" && hook.target.registered === handler);
      return { name, type, priority, ...(refusal && { switchedOff: refusal.text }) };
    });
  });
}

interface ToolExecution {
  readonly tool: SamplingTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: HookContext;
  readonly options: ToolOptions;
}

const inUse = new WeakSet<HookContext>();

/** Pre hooks, the tool (timed), post hooks: the engine's `runTool`, with the one context handed through. */
async function executeTool(hooks: HookEngine, { tool, input, context: given, options }: ToolExecution): Promise<SamplingToolResult> {
  // SECURITY: a context that another operation still uses is not shared: its guards would look at this one's input.
  const context = inUse.has(given) ? { ...given } : given;
  inUse.add(context);
  const toolUseId = given.toolUseId ?? `toolu_${randomUUID()}`;
  Object.assign(context, { tool: tool.name, toolUseId, input, result: undefined, error: undefined, durationMs: undefined });
  const operation = startOperation(context);
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, [OPERATION]: operation };
  try {
    const result = await hooks.runTool(call, (actual) => runTimed(tool, actual, context), options);
    return toToolResult(result, operation, toolUseId);
  } finally {
    inUse.delete(context);
  }
}

async function runTimed(tool: SamplingTool, input: Readonly<Record<string, unknown>>, context: HookContext): Promise<unknown> {
  context.input = input;
  const startedAt = performance.now();
  try {
    context.result = await tool.execute(input, context);
    return context.result;
  } catch (thrown) {
    // A tool may throw nothing at all, and it has failed all the same.
    context.error = thrown ?? new Error("the tool failed without saying why");
    throw context.error;
  } finally {
    context.durationMs = performance.now() - startedAt;
  }
}

function toToolResult(result: ToolResult<unknown>, operation: Operation, toolUseId: string): SamplingToolResult {
  const { status, texts, halt, verdicts, output, error } = result;
  const { context } = operation;
  const isError = status !== "ran";
  if (!isError) context.result = output;
  // The engine cannot replace an error, so what a post hook put there is carried beside.
  const replaced = status === "failed" ? lastChange(operation, "result") : undefined;
  const content = isError ? (replaced ? replaced.data : error) : output;
  return { toolUseId, content, isError, status, texts, halt, verdicts, durationMs: context.durationMs, context };
}

/** Calls that were denied never come back; what is remembered of them is bounded. */
const MAX_CONTEXTS = 256;

/** Operations of a program that fires the engine itself: one context per tool call, from the payloads. */
function createForeignOperations(): (payload: Carrier) => Operation {
  const contexts = new Map<string, HookContext>();
  return (payload) => {
    const id = payload["tool_use_id"];
    if (typeof id !== "string" || id === "") return startOperation(filled({}, payload));
    const context = filled(contexts.get(id) ?? {}, payload);
    contexts.set(id, context);
    const oldest = contexts.size > MAX_CONTEXTS ? contexts.keys().next().value : undefined;
    if (oldest !== undefined) contexts.delete(oldest);
    return startOperation(context);
  };
}

function filled(context: HookContext, payload: Carrier): HookContext {
  const names = { tool_name: "tool", tool_use_id: "toolUseId", tool_input: "input", tool_response: "result", duration_ms: "durationMs" };
  for (const [name, value] of Object.entries(payload))
    context[Object.hasOwn(names, name) ? names[name as keyof typeof names] : name] = value;
  return context;
}

/** The cleanup is registered before the setup runs: a setup that fails half-way is cleaned up when the session ends. */
async function withCleanup<Resource>(
  registerHook: SamplingRegistry["registerHook"],
  setup: () => Resource | PromiseLike<Resource>,
  cleanup: (resource: Resource | undefined) => unknown,
): Promise<() => Promise<void>> {
  let resource: Resource | undefined;
  let isDone = false;
  const cleanUp = async (): Promise<void> => {
    if (isDone) return;
    isDone = true;
    unregister();
    await cleanup(resource);
  };
  const unregister = registerHook("session_end", cleanUp, { name: cleanup.name || "cleanup" });
  resource = await setup();
  return cleanUp;
}
