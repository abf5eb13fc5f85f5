/**
 * One operation: what its hooks, the tool and the front share. It travels with the engine's payload under a symbol, so that hooks get
 * the one mutable context itself, while JSON, traces and hooks of other kinds see only the payload.
 */

import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Ability, EventName, HookResult, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS, FORMER_TOOL_NAMES, TOOL_NAMES, TOOLS, type ToolKind } from "../catalogue/index.ts";
import { isObject } from "../check-options.ts";
import type { SequenceMode } from "../config/index.ts";
import type { EventInput, ToolResult } from "../engine/index.ts";
import type { Verdict } from "../judge/index.ts";
import { NoAnswer } from "../run/index.ts";
import { readCommand } from "../shell/index.ts";

export interface Operation {
  readonly context: HookContext;
  /** Only hooks of this type; absent: of every type that describes the call. */
  readonly only?: HookType | undefined;
  readonly data: unknown[];
  /** Beside the effects, because not every event can express a changed value. */
  readonly changes: { readonly order: number; readonly field: string; readonly data: unknown }[];
}

export const OPERATION: unique symbol = Symbol("hookloop.sampling-registry.operation");

/** What a handler of the engine gets. */
export type Carrier = Readonly<Record<string, unknown>> & { readonly hook_event_name: EventName; readonly [OPERATION]?: Operation };

export interface Entry {
  readonly type: HookType;
  readonly name: string;
  readonly priority: number;
  /** Counts registrations. */
  readonly order: number;
  readonly handler: SamplingHandler;
}

export function startOperation(context: HookContext, only?: HookType): Operation {
  return { context, only, data: [], changes: [] };
}

/** Runs one handler, if it is meant; gives its answer for the engine. */
export async function runEntry(entry: Entry, payload: Carrier, operation: Operation): Promise<{ parts: readonly Part[] } | undefined> {
  const row = HOOK_TYPES[entry.type];
  const { context } = operation;
  const given = payload["tool_input"] as HookContext["input"];
  if (!isMeant(entry, operation, given)) return undefined;
  // What the hooks before made of it; a copy, so that a change in place can be seen.
  if (row.field === "input" && isObject(given)) context.input = { ...given };
  const decision = await readDecision(entry.handler(context, momentOf(entry, payload, context)));
  const changed = row.field === "input" && decision.action === "continue" && given && !isDeepStrictEqual(context.input, given);
  const parts = say(entry, payload.hook_event_name, changed ? { action: "modify", data: context.input } : decision, operation);
  return parts.length > 0 ? { parts } : undefined;
}

/** A program that executes one type has said itself what its operation is. */
function isMeant({ type }: Entry, { only }: Operation, input: HookContext["input"]): boolean {
  if (only !== undefined) return only === type;
  return HOOK_TYPES[type].fits?.(input ?? {}) ?? true;
}

function momentOf({ type }: Entry, payload: Carrier, { toolUseId }: HookContext): HookMoment {
  return { type, timestamp: Date.now(), sessionId: String(payload["session_id"] ?? ""), toolUseId };
}

function say({ type, order }: Entry, event: EventName, decision: SettledDecision, operation: Operation): readonly Part[] {
  switch (decision.action) {
    case "say":
      return decision.parts;
    case "continue":
      if (decision.data !== undefined) operation.data.push(decision.data);
      return [];
    case "cancel":
      return [{ can: sayable(event, ["block", "feedback"]) ?? "block", value: decision.reason }];
    case "modify": {
      const { field, mode } = HOOK_TYPES[type];
      // In a sequence the last to run counts, side by side the last registered.
      operation.changes.push({ order: mode ? operation.changes.length : order, field, data: decision.data });
      operation.context[field] = decision.data;
      const can = sayable(event, ["rewrite", "replaceOutput", "rewritePrompt"]);
      return can ? [{ can, value: decision.data }] : [];
    }
  }
}

export function lastChange({ changes }: Operation, field: string): { readonly data: unknown } | undefined {
  return changes
    .filter((change) => change.field === field)
    .sort((a, b) => a.order - b.order)
    .at(-1);
}

function sayable(event: EventName, wanted: readonly Ability[]): Ability | undefined {
  const abilities = abilitiesOf(EVENTS[event]);
  return wanted.find((ability) => abilities.includes(ability));
}

/** A decision that is there; nothing returned is one too. */
type SettledDecision =
  | Exclude<HookDecision, { readonly action: "defer" | "cancel" }>
  /** The engine says so if the reason is no text. */
  | { readonly action: "cancel"; readonly reason: unknown }
  | { readonly action: "say"; readonly parts: readonly Part[] };

/** A promise that promises itself would otherwise keep the process busy for good. */
const MAX_DEFERS = 16;

/** Waits for a deferred decision and checks it; throws, for the engine to report, if it is none. */
async function readDecision(returned: unknown): Promise<SettledDecision> {
  let decision = await returned;
  for (let count = 0; isDeferred(decision); count++) {
    if (count === MAX_DEFERS) throw new NoAnswer(`its decision was deferred more than ${MAX_DEFERS} times`);
    if (typeof field(decision.promise, "then") !== "function") throw new NoAnswer(`it returned { action: "defer" } without a promise`);
    decision = await decision.promise;
  }
  if (decision === undefined || decision === null) return { action: "continue" };
  const parts = field(decision, "parts");
  if (Array.isArray(parts)) return { action: "say", parts };
  const check = CHECKS[String(field(decision, "action"))];
  if (!check) throw new NoAnswer(`it returned no decision. Return { action: "continue" | "cancel" | "modify" | "defer", … } or nothing`);
  return check(decision);
}

const CHECKS: Readonly<Record<string, ((decision: unknown) => SettledDecision) | undefined>> = {
  __proto__: null as never,
  continue: (decision) => ({ action: "continue", data: field(decision, "data") }),
  // A no counts whatever its reason is.
  cancel: (decision) => {
    const { action: _action, reason, ...others } = decision as Readonly<Record<string, unknown>>;
    return { action: "cancel", reason: reason ?? (Object.keys(others).length > 0 ? others : undefined) };
  },
  modify: (decision) => {
    if (!("data" in Object(decision))) throw new NoAnswer(`it returned { action: "modify" } without data`);
    return { action: "modify", data: field(decision, "data") };
  },
};

function isDeferred(decision: unknown): decision is Extract<HookDecision, { readonly action: "defer" }> {
  return field(decision, "action") === "defer";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Whether a shell command runs git, through whatever wraps it. What cannot be read to the end counts as if it did. */
function runsGit(command: string): boolean {
  const { commands, isUncertain } = readCommand(command);
  // SECURITY: a guard on git must not be passed by a command that cannot be read.
  return isUncertain || commands.some(({ words }) => path.basename(words[0]?.text ?? "") === "git");
}

export interface HookTypeRow {
  /** The event; the second, if there is one, fires instead when the operation failed. */
  readonly events: readonly [EventName, EventName?];
  /** Absent: at the same time. */
  readonly mode?: SequenceMode;
  /** The field of the context that `modify` replaces. */
  readonly field: string;
  readonly toInput: (context: HookContext) => EventInput;
  readonly kind?: ToolKind;
  readonly fits?: (input: EventInput) => boolean;
}

const PRE_TOOL: HookTypeRow = { events: ["PreToolUse"], mode: "pipeline", field: "input", toInput: callOf };
const POST_TOOL: HookTypeRow = {
  events: ["PostToolUse", "PostToolUseFailure"],
  field: "result",
  toInput: (context) => ({
    ...callOf(context),
    ...(context.error === undefined ? { tool_response: context.result } : { error: messageOf(context.error) }),
    duration_ms: context.durationMs ?? 0,
  }),
};
const EDIT = { kind: "file.write" } as const;
const BASH = { kind: "shell" } as const;
// SECURITY: as with a command that cannot be read to the end, an input without one may be anything.
const GIT = { kind: "shell", fits: ({ command }: EventInput) => typeof command !== "string" || runsGit(command) } as const;
const AGENT = { kind: "agent" } as const;

/** The sixteen types: which events of the engine they are, what they are about, and how their hooks follow each other. */
export const HOOK_TYPES: Readonly<Record<HookType, HookTypeRow>> = {
  pre_tool: PRE_TOOL,
  post_tool: POST_TOOL,
  pre_edit: { ...PRE_TOOL, ...EDIT },
  post_edit: { ...POST_TOOL, ...EDIT },
  pre_bash: { ...PRE_TOOL, ...BASH },
  post_bash: { ...POST_TOOL, ...BASH },
  pre_git: { ...PRE_TOOL, ...GIT },
  post_git: { ...POST_TOOL, ...GIT },
  pre_agent: { ...PRE_TOOL, ...AGENT },
  post_agent: { ...POST_TOOL, ...AGENT },
  pre_compact: {
    events: ["PreCompact"],
    mode: "pipeline",
    field: "data",
    toInput: ({ trigger = "manual", instructions = null }) => ({ trigger, custom_instructions: instructions }),
  },
  post_compact: {
    events: ["PostCompact"],
    field: "summary",
    toInput: ({ trigger = "manual", summary = "" }) => ({ trigger, compact_summary: summary }),
  },
  session_start: { events: ["SessionStart"], mode: "pipeline", field: "data", toInput: ({ source = "startup" }) => ({ source }) },
  session_end: { events: ["SessionEnd"], mode: "reverse", field: "data", toInput: ({ reason = "other" }) => ({ reason }) },
  query_start: {
    events: ["UserPromptSubmit"],
    mode: "pipeline",
    field: "prompt",
    toInput: ({ prompt }) => (prompt === undefined ? {} : { prompt }),
  },
  query_end: {
    events: ["Stop"],
    mode: "pipeline",
    field: "data",
    toInput: ({ stopHookActive = false }) => ({ stop_hook_active: stopHookActive }),
  },
};

/** The tools a type is about; nothing: all. The engine knows what they were called before. */
export function toolsOf({ kind }: HookTypeRow): readonly string[] | undefined {
  return kind && TOOL_NAMES.filter((name) => TOOLS[name].kind === kind);
}

/** The name of the tool for the engine: a type about one tool names it, and a tool that it is not about has none. */
export function toolNameFor(row: HookTypeRow, tool: string | undefined): { readonly tool_name?: string } {
  const tools = toolsOf(row);
  if (tools === undefined) return {};
  if (tool === undefined) return { tool_name: tools.length === 1 ? (tools[0] ?? "") : "" };
  const name = Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
  return tools.includes(name) ? {} : { tool_name: "" };
}

/** SECURITY: what is not there is left out: the engine's guards block what they are not given to judge. */
function callOf({ tool, input, toolUseId = "" }: HookContext): EventInput {
  return { ...(tool !== undefined && { tool_name: tool }), ...(input !== undefined && { tool_input: input }), tool_use_id: toolUseId };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Subject = "tool" | "edit" | "bash" | "git" | "agent" | "compact";

export type HookType = `${"pre" | "post"}_${Subject}` | "session_start" | "session_end" | "query_start" | "query_end";

/** One per operation, shared by its pre hooks, the tool and its post hooks; what one puts there, the next finds. */
export interface HookContext {
  /** Name of the tool. */
  tool?: string;
  toolUseId?: string;
  /** What the tool gets; a pre hook's `modify` replaces it. */
  input?: Readonly<Record<string, unknown>>;
  /** What the tool gave; a post hook's `modify` replaces it. */
  result?: unknown;
  /** What the tool threw. */
  error?: unknown;
  durationMs?: number;
  /** What the user asked, for query hooks. */
  prompt?: string;
  // biome-ignore lint/suspicious/noExplicitAny: hooks agree among themselves what they put there
  [field: string]: any;
}

/** What is happening, for a handler. */
export interface HookMoment {
  readonly type: HookType;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly sessionId: string;
  readonly toolUseId?: string | undefined;
}

export type HookDecision =
  | { readonly action: "continue"; readonly data?: unknown }
  | { readonly action: "cancel"; readonly reason: string }
  | { readonly action: "modify"; readonly data: unknown }
  /** The decision comes later. Not the engine's `defer`, which leaves a call to the resumed run. */
  | { readonly action: "defer"; readonly promise: PromiseLike<HookDecision | undefined> };

/** Nothing means continue. A result of the SDK (`ask("…")`) is handed to the engine as it is. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may have no return statement
type HandlerResult = HookDecision | HookResult | undefined | void;

export type SamplingHandler = (context: HookContext, event: HookMoment) => HandlerResult | PromiseLike<HandlerResult>;

export interface HookRegistration {
  /** Higher first, ties in order of registration; 0 if left out. */
  readonly priority?: number;
  /** For logs, `listHooks` and the variables that switch hooks off. */
  readonly name?: string;
  /** If it fails, that is a denial; otherwise it is reported and the others decide. */
  readonly guard?: boolean;
  readonly timeoutMs?: number;
}

/** A registered hook, as `listHooks` shows it. */
export interface ListedHook {
  readonly name: string;
  readonly type: HookType;
  readonly priority: number;
  /** Why it does not run; absent if it does. */
  readonly switchedOff?: string | undefined;
}

/** A decision of all hooks of one type together. */
export type Decided =
  | { readonly action: "continue" /** What hooks that continued carried. */; readonly data: readonly unknown[] }
  | { readonly action: "cancel"; readonly reason: string }
  | { readonly action: "modify"; readonly data: unknown };

/** The same, with the operation's context and the engine's verdict. */
export type ExecutedHooks = Decided & { readonly context: HookContext; readonly verdict: Verdict };

export interface SamplingTool {
  readonly name: string;
  readonly execute: (input: Readonly<Record<string, unknown>>, context: HookContext) => unknown;
}

/** What goes back to the model, and how it came about. */
export interface SamplingToolResult extends Pick<ToolResult<unknown>, "status" | "texts" | "halt" | "verdicts"> {
  readonly toolUseId: string;
  /** What the tool gave, what a post hook put in its place, or why there is nothing. */
  readonly content: unknown;
  readonly isError: boolean;
  /** How long the tool itself took; absent if it did not run. */
  readonly durationMs?: number | undefined;
  readonly context: HookContext;
}
