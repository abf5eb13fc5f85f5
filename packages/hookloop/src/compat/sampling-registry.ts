/**
 * Typed hooks around operations, on the engine. Takes handlers; gives what they decided. Every execution is one `fire` of the engine:
 * pre hooks are one sequence of it, post hooks run side by side. Throws at an unknown type when it is registered.
 */

import { randomUUID } from "node:crypto";
import { type MakeShipped, useShipped } from "../builtin/index.ts";
import { SHIPPED_HOOKS, type ShippedName } from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isObject, isThenable, mistake, shown } from "../check-options.ts";
import { didYouMean } from "../diagnostic.ts";
import { type FunctionOptions, type HookEngine, looseGuards, type ToolOptions, type ToolResult } from "../engine/index.ts";
import { checkFields, type Verdict } from "../judge/index.ts";
import { checkFrontOptions, type OpenOptions } from "../open/options.ts";
import { createHooks } from "../open.ts";
import { thrownText } from "../run/index.ts";
import {
  type Carrier,
  type Entry,
  FROZEN,
  HOOK_TYPES,
  type HookTypeRow,
  lastResult,
  OPERATION,
  type Operation,
  runEntry,
  startOperation,
  toolNameFor,
  toolsOf,
  withItself,
  write,
} from "./sampling-operation.ts";
import type {
  ExecutedHooks,
  GivenContext,
  HookContext,
  HookEvent,
  HookRegistration,
  HookType,
  ListedHook,
  SamplingHandler,
  SamplingTool,
  SamplingToolResult,
  SamplingToolRun,
} from "./sampling-types.ts";

export interface SamplingRegistryOptions
  extends Partial<Pick<OpenOptions, "cwd" | "sessionId" | "onDiagnostic" | "ports">>,
    Pick<ToolOptions, "permission" | "ask"> {
  /** An engine to hang the hooks on, with its configured hooks; without it, one that has only these, made when it is first needed. */
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
  /** The function it returns takes the hook away again; called twice, it does so once. A handler that is registered twice runs twice. */
  registerHook(type: HookType, handler: SamplingHandler, registration?: HookRegistration): () => void;
  /** A hook that comes with hookloop, as one of this type: it hangs on every engine that these hooks hang on. */
  registerShipped<Options extends object>(type: HookType, name: ShippedName, make: MakeShipped<Options>, options?: Options): () => void;
  /** Runs the hooks of one type around an operation that the program performs itself. */
  executeHooks(type: HookType, context?: GivenContext, event?: Partial<HookEvent>): Promise<ExecutedHooks>;
  /** Pre hooks, the tool, post hooks. A cancel becomes an error result; never rejects because of a hook or the tool. */
  executeToolWithHooks(
    tool: SamplingTool,
    input: Readonly<Record<string, unknown>>,
    context?: GivenContext,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SamplingToolResult>;
  /** In order. */
  executeSessionStartHooks(context?: GivenContext, event?: Partial<HookEvent>): Promise<ExecutedHooks>;
  /** In reverse order; one that fails does not stop the others. */
  executeSessionEndHooks(context?: GivenContext, event?: Partial<HookEvent>): Promise<ExecutedHooks>;
  /**
   * Registers the cleanup for the end of the session, runs the setup, and gives the function that takes it from there and cleans up now, once.
   * Where the setup is asynchronous, the cleanup waits for it.
   */
  withCleanup<Resource>(setup: () => Resource, cleanup: (resource: Awaited<Resource> | undefined) => unknown): () => unknown;
  /** Every registered hook, type by type, in the order they run. */
  listHooks(): readonly ListedHook[];
  /** Takes every hook away: for tests. */
  resetHooks(): void;
  /** Hangs the hooks, also later ones, on an engine as well: there they act as its own. The function it returns takes them from it. */
  attach(hooks: HookEngine): () => void;
  /** The function it returns takes away what was registered since. */
  mark(): () => void;
  /** What the functions above use. */
  readonly hooks: HookEngine;
}

export function createSamplingRegistry(options: SamplingRegistryOptions = {}): SamplingRegistry {
  checkFrontOptions("createSamplingRegistry()", options, OPTIONS);
  const { hooks: given, permission: _permission, ask: _ask, cwd, ...opened } = options;
  const shelf = createShelf();
  let home = given;
  if (home) shelf.attach(home);
  const hooksOf = (): HookEngine => {
    if (home) return home;
    home = createHooks({ ...opened, cwd: cwd ?? process.cwd() });
    shelf.attach(home);
    return home;
  };
  const { registerHook, registerShipped } = shelf;
  const executeHooks: SamplingRegistry["executeHooks"] = (type, context, event) => execute(hooksOf, type, context, event);
  return {
    registerHook,
    registerShipped,
    executeHooks,
    executeToolWithHooks: (tool, input, context = {}, more = {}) =>
      executeTool(hooksOf(), { tool, input, context, options: { ...pickAsking(options), ...more } }),
    executeSessionStartHooks: (context, event) => executeHooks("session_start", context, event),
    executeSessionEndHooks: (context, event) => executeHooks("session_end", context, event),
    withCleanup: (setup, cleanup) =>
      withCleanup(registerHook, setup, cleanup, (text) => hooksOf().report({ code: "HL_EXECUTE_THREW", level: "error", text })),
    listHooks: () => shelf.list(hooksOf()),
    resetHooks: shelf.reset,
    attach: shelf.attach,
    mark: shelf.mark,
    get hooks() {
      return hooksOf();
    },
  };
}

function pickAsking({ permission, ask }: SamplingRegistryOptions): Pick<ToolOptions, "permission" | "ask"> {
  return { ...(permission && { permission }), ...(ask && { ask }) };
}

function rowOf(type: string): HookTypeRow {
  if (Object.hasOwn(HOOK_TYPES, type)) return HOOK_TYPES[type as HookType];
  const names = Object.keys(HOOK_TYPES);
  const whole = `${type}_sample`;
  const hint = didYouMean(String(type), names) || didYouMean(whole, names);
  throw mistake("HL_CONFIG_UNKNOWN_EVENT", `"${type}" is not a hook type.${hint} There are: ${names.join(", ")}.`);
}

interface Shelf extends Pick<SamplingRegistry, "registerHook" | "registerShipped" | "attach" | "mark"> {
  readonly list: (hooks: HookEngine) => readonly ListedHook[];
  readonly reset: () => void;
}

/** The registered handlers, and the engines they hang on. */
function createShelf(): Shelf {
  const entries = new Map<Entry, { readonly hang: (hooks: HookEngine) => () => void; readonly hook: unknown }>();
  const hanging = new Map<HookEngine, Map<Entry, () => void>>();
  let nextOrder = 0;
  const remove = (entry: Entry): void => {
    looseGuards().delete(entries.get(entry)?.hook as object);
    entries.delete(entry);
    for (const removers of hanging.values()) {
      removers.get(entry)?.();
      removers.delete(entry);
    }
  };
  const add = (entry: Entry, hook: unknown, hang: (hooks: HookEngine) => () => void): (() => void) => {
    for (const [hooks, removers] of hanging) {
      if (hooks.isClosing) hanging.delete(hooks);
      else removers.set(entry, hang(hooks));
    }
    entries.set(entry, { hang, hook });
    return () => remove(entry);
  };
  return {
    registerShipped(type, name, make, options) {
      checkFields(`registerShipped("${name}")`, { ...options }, SHIPPED_HOOKS[name].options);
      const entry: Entry = { type, name, priority: 0, order: nextOrder++, handler: () => undefined };
      return add(entry, name, (hooks) => useShipped(hooks, make, options));
    },
    registerHook(type, handler, registration = {}) {
      const row = rowOf(type);
      checkRegistration(type, handler, registration);
      const { name = handler.name || type, priority = 0 } = registration;
      const entry: Entry = { type, name, priority, order: nextOrder++, handler };
      const hook = hookOf(entry);
      // SECURITY: a guard that no engine has looks like one that agrees.
      if (registration.guard === true) looseGuards().set(hook, `The guard ${shown(name)} of registerHook("${type}")`);
      const hang = (hooks: HookEngine): (() => void) => {
        looseGuards().delete(hook);
        const removers = row.events.map((event) => event && hooks.on(event, { ...registration, ...optionsOf(row), name }, hook as never));
        return () => {
          for (const take of removers) take?.();
        };
      };
      return add(entry, hook, hang);
    },
    mark() {
      const since = nextOrder;
      return () => {
        for (const entry of [...entries.keys()]) if (entry.order >= since) remove(entry);
      };
    },
    attach(hooks) {
      if (typeof hooks?.on !== "function")
        throw invalidOption(`attach() was given ${shown(hooks)}. Write registry.attach(await openHooks({ cwd }))`);
      if (!hanging.has(hooks)) hanging.set(hooks, new Map([...entries].map(([entry, { hang }]) => [entry, hang(hooks)])));
      return () => {
        for (const take of hanging.get(hooks)?.values() ?? []) take();
        hanging.delete(hooks);
      };
    },
    list: (hooks) => listHooks(new Map([...entries].map(([entry, { hook }]) => [entry, hook])), hooks),
    reset() {
      for (const entry of [...entries.keys()]) remove(entry);
    },
  };
}

function checkRegistration(type: HookType, handler: unknown, registration: unknown): void {
  if (typeof handler !== "function")
    throw invalidOption(`registerHook("${type}") was given ${shown(handler)} for a handler. Write registerHook("${type}", (context) => …)`);
  if (typeof registration !== "object" || registration === null)
    throw invalidOption(`registerHook("${type}") was given ${shown(registration)} for its options. Write an object`);
  checkEntries("registerHook()", registration, REGISTRATION);
}

/** The operations that an engine's own events are, if nobody else says which: of all hooks of this program, the same. */
const foreign: (payload: Carrier) => Operation = createForeignOperations();

function hookOf(entry: Entry): (payload: Carrier) => unknown {
  return (payload) => runEntry(entry, payload, payload[OPERATION] ?? foreign(payload));
}

/** How the engine runs hooks of this type. One that throws is reported and the rest decide, unless it is a guard; one that never answers is a no. */
function optionsOf(row: HookTypeRow): FunctionOptions {
  const tool = toolsOf(row);
  return {
    ...(tool && { tool }),
    sequence: row.mode && "sampling-registry",
    sequenceMode: row.mode,
    onFailure: "continue",
    ...(row.isBefore && { onTimeout: "block" }),
  };
}

async function execute(
  hooksOf: () => HookEngine,
  type: HookType,
  context: GivenContext = {},
  event: Partial<HookEvent> = {},
): Promise<ExecutedHooks> {
  const row = rowOf(type);
  if (!isObject(context))
    throw invalidOption(`executeHooks("${type}") was given ${shown(context)} for a context. Write an object: { tool, input, context }`);
  if (!isObject(event))
    throw invalidOption(`executeHooks("${type}") was given ${shown(event)} for an event. Write an object: { type, timestamp, sessionId }`);
  const operation = startOperation(context, { only: type, event });
  const [succeeded, failed] = row.events;
  // A program may say of any tool of its own that it edits, or runs git: then no hook is left out because of the tool's name.
  const input = { ...row.toInput(context), ...toolNameFor(row, context), [OPERATION]: operation };
  const before = row.isBefore && row.field && context[row.field];
  // Options of its own, even if empty: only the long way hands the operation on.
  const verdict = await hooksOf().fire(context.error === undefined ? succeeded : (failed ?? succeeded), input, {});
  if (row.field) settle(operation, row.field, verdict, before);
  return Object.defineProperty(outcomeOf(operation, verdict), "verdict", { value: verdict }) as ExecutedHooks;
}

/** Handlers that judged a rewritten value once more have their own copy in the context: what counts is what the engine says. */
function settle(operation: Operation, field: "input" | "prompt" | "result", verdict: Verdict, before: unknown): void {
  const { context } = operation;
  const { updatedInput, updatedPrompt, updatedOutput } = verdict;
  if (field === "input" && before !== undefined) write(context, { input: updatedInput ?? before });
  if (field === "prompt" && before !== undefined) write(context, { prompt: updatedPrompt ?? before });
  const result = updatedOutput ? { result: updatedOutput.value } : lastResult(operation);
  if (field === "result" && result) write(context, result);
}

type Outcome = { readonly status: "continue"; readonly data: GivenContext } | { readonly status: "cancel"; readonly reason: string };

function outcomeOf({ context }: Operation, { decision, reasons, continueWith, feedback }: Verdict): Outcome {
  const isRefused = decision === "deny" || decision === "ask" || decision === "defer";
  const noes = [...(isRefused ? reasons : []), ...continueWith, ...feedback].map(({ text }) => text);
  return isRefused || noes.length > 0 ? { status: "cancel", reason: noes.join("\n") } : { status: "continue", data: context };
}

function listHooks(entries: ReadonlyMap<Entry, unknown>, { refused }: HookEngine): readonly ListedHook[] {
  const types = Object.keys(HOOK_TYPES) as HookType[];
  return types.flatMap((type) => {
    const sorted = [...entries].filter(([entry]) => entry.type === type).sort(([a], [b]) => b.priority - a.priority);
    const ordered = HOOK_TYPES[type].mode === "reverse" ? sorted.reverse() : sorted;
    return ordered.map(([{ name, priority }, handler]) => {
      const refusal = refused.find(
        ({ hook }) => hook.target.kind === "function" && (hook.target.registered === handler || hook.name === handler),
      );
      return { name, type, priority, ...(refusal && { switchedOff: refusal.text }) };
    });
  });
}

interface ToolExecution {
  readonly tool: SamplingTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: GivenContext;
  readonly options: ToolOptions;
}

const inUse = new WeakSet<GivenContext>();

/** Pre hooks, the tool (timed), post hooks: the engine's `runTool`, with the one context handed through. */
async function executeTool(hooks: HookEngine, { tool, input, context: given, options }: ToolExecution): Promise<SamplingToolResult> {
  if (!isObject(given)) throw invalidOption(`executeToolWithHooks() was given ${shown(given)} for a context. Write an object`);
  // SECURITY: a context that another operation still uses is not shared: its guards would look at this one's input.
  const context: GivenContext = inUse.has(given) ? { ...given } : given;
  const toolUseId = given.toolUseId ?? `toolu_${randomUUID()}`;
  const fields = { tool, toolUseId, input, result: undefined, error: undefined, duration: undefined };
  if (!write(context, fields)) return resultOf(`Cancelled by hook: ${FROZEN}`, true, { ...NOT_RUN, toolUseId, context });
  withItself(context);
  inUse.add(context);
  const operation = startOperation(context);
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, [OPERATION]: operation };
  try {
    return toToolResult(await hooks.runTool(call, (actual) => runTimed(tool, actual, context), options), operation);
  } finally {
    inUse.delete(context);
  }
}

const NOT_RUN = { status: "denied", texts: [], halt: undefined, verdicts: [] } as const;

async function runTimed(tool: SamplingTool, input: Readonly<Record<string, unknown>>, context: GivenContext): Promise<unknown> {
  write(context, { input });
  const startedAt = performance.now();
  try {
    const result = await tool.execute(input, context as HookContext);
    write(context, { result });
    return result;
  } catch (thrown) {
    // A tool may throw nothing at all, and it has failed all the same.
    const error = thrown ?? new Error("the tool failed without saying why");
    write(context, { error });
    throw error;
  } finally {
    write(context, { duration: performance.now() - startedAt });
  }
}

function toToolResult(result: ToolResult<unknown>, operation: Operation): SamplingToolResult {
  const { status, texts, halt, verdicts, output, error, toolUseId } = result;
  const { context } = operation;
  const run: SamplingToolRun = { toolUseId, status, texts, halt, verdicts, context };
  if (status === "ran") {
    write(context, { result: output });
    // A tool of the source gives such a block itself.
    const block = isObject(output) && output["type"] === "tool_result" ? output : undefined;
    return resultOf(block ? block["content"] : output, block?.["is_error"] === true, run);
  }
  // The engine cannot replace an error, so what a post hook put there is carried beside.
  const replaced = status === "failed" ? lastResult(operation) : undefined;
  if (replaced) write(context, replaced);
  const denial = status === "denied" ? verdicts.find(({ decision }) => decision === "deny") : undefined;
  const reason = denial?.reasons.map(({ text }) => text).join("\n") || error;
  return resultOf(replaced ? replaced.result : reason, true, run);
}

/** Exactly what a model is sent: the rest is beside it. */
function resultOf(content: unknown, isError: boolean, run: SamplingToolRun): SamplingToolResult {
  const block = { type: "tool_result", content, is_error: isError };
  return Object.defineProperty(block, "run", { value: run }) as unknown as SamplingToolResult;
}

/** Calls that were denied never come back; what is remembered of them is bounded. */
const MAX_OPERATIONS = 256;

/** Operations of a program that fires the engine itself, such as the agent: one per tool call, from the payloads. */
function createForeignOperations(): (payload: Carrier) => Operation {
  const operations = new Map<string, Operation>();
  return (payload) => {
    const id = payload["tool_use_id"];
    if (typeof id !== "string" || id === "") return startOperation(filled({}, payload));
    const key = `${String(payload["session_id"])} ${id}`;
    const operation = operations.get(key) ?? startOperation({});
    filled(operation.context, payload);
    operations.set(key, operation);
    const oldest = operations.size > MAX_OPERATIONS ? operations.keys().next().value : undefined;
    if (oldest !== undefined) operations.delete(oldest);
    return operation;
  };
}

const NAMES = { tool_use_id: "toolUseId", tool_input: "input", tool_response: "result", duration_ms: "duration" };

function filled(context: GivenContext, payload: Carrier): GivenContext {
  const named = Object.entries(payload).map(([name, value]) => [
    Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : name,
    value,
  ]);
  const { tool_name: name } = payload;
  // If it cannot be written, whoever judges it will say so.
  if (write(context, { ...Object.fromEntries(named), ...(typeof name === "string" && { tool: { name } }) })) withItself(context);
  return context;
}

/** The cleanup is registered before the setup runs: a setup that fails half-way is cleaned up when the session ends. */
function withCleanup<Resource>(
  registerHook: SamplingRegistry["registerHook"],
  setup: () => Resource,
  cleanup: (resource: Awaited<Resource> | undefined) => unknown,
  report: (text: string) => void,
): () => unknown {
  for (const [what, given] of Object.entries({ setup, cleanup }))
    if (typeof given !== "function") throw invalidOption(`withCleanup() was given ${shown(given)} for its ${what}. Write a function`);
  let resource: unknown;
  let isDone = false;
  const run = (value: unknown): unknown => cleanup(value as Awaited<Resource> | undefined);
  const cleanUp = (): unknown => {
    if (isDone) return undefined;
    isDone = true;
    unregister();
    // A setup that failed has given nothing.
    return isThenable(resource) ? resource.then(run, () => run(undefined)) : run(resource);
  };
  const unregister = registerHook("session_end", async () => void (await cleanUp()), { name: cleanup.name || "cleanup" });
  resource = setup();
  if (isThenable(resource)) resource.then(undefined, (thrown: unknown) => report(setupFailed(thrown)));
  return cleanUp;
}

function setupFailed(thrown: unknown): string {
  return `The setup of withCleanup() failed: ${thrownText(thrown)}. Its cleanup runs at the end of the session.`;
}
