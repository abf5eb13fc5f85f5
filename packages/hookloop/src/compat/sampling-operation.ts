/**
 * One operation: what its hooks, the tool and the front share. It travels with the engine's payload under a symbol, so that hooks get
 * the one mutable context itself, while JSON, traces and hooks of other kinds see only the payload.
 */

import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS, FORMER_TOOL_NAMES, TOOL_NAMES, TOOLS, type ToolKind } from "../catalogue/index.ts";
import { isObject, isThenable, shown } from "../check-options.ts";
import type { SequenceMode } from "../config/index.ts";
import { didYouMean } from "../diagnostic.ts";
import type { EventInput } from "../engine/index.ts";
import { NoAnswer } from "../run/index.ts";
import { readCommand } from "../shell/index.ts";
import type { GivenContext, HookContext, HookEvent, HookType, SamplingHandler } from "./sampling-types.ts";

export interface Operation {
  /** Of a program that executes one type, what a `modify` put in the place of its context. */
  context: GivenContext;
  /** Only hooks of this type; absent: of every type that describes the call. */
  readonly only?: HookType | undefined;
  /** What the caller says is happening. */
  readonly event?: Partial<HookEvent> | undefined;
  /** Those that have modified it. After a rewrite they judge it once more; then only their no counts. */
  readonly modifiedBy: Set<Entry>;
  /** Beside the effects, because the engine cannot replace an error. */
  readonly results: { readonly order: number; readonly result: unknown }[];
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

export function startOperation(context: GivenContext, more: Pick<Operation, "only" | "event"> = {}): Operation {
  return { context, ...more, modifiedBy: new Set(), results: [] };
}

/** What one handler was called for. */
interface Call {
  readonly entry: Entry;
  readonly operation: Operation;
  readonly context: GivenContext;
  readonly event: EventName;
  /** What the hooks before made of it. */
  readonly given: unknown;
}

/** Runs one handler, if it is meant; gives its answer for the engine. What the handler throws is for the engine, too. */
export async function runEntry(entry: Entry, payload: Carrier, operation: Operation): Promise<{ parts: readonly Part[] } | undefined> {
  const { told } = HOOK_TYPES[entry.type];
  if (!isMeant(entry, operation, payload["tool_input"])) return undefined;
  // What it notes of its own modification must not replace what it noted before.
  const context = operation.modifiedBy.has(entry) ? withItself({ ...operation.context }) : operation.context;
  const call: Call = { entry, operation, context, event: payload.hook_event_name, given: told && payload[told] };
  const wrong = prepare(call);
  if (wrong !== undefined) return refused(call, wrong);
  const returned = await entry.handler(context as HookContext, momentOf(call, payload));
  try {
    const parts = say(call, withChange(call, await readAnswer(returned)));
    return parts.length > 0 ? { parts } : undefined;
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return refused(call, thrown.message);
    throw thrown;
  }
}

/** SECURITY: before something happens, what cannot be read is a no: it may have been meant as one. */
function refused(call: Call, text: string): { parts: readonly Part[] } {
  const { type, name } = call.entry;
  if (!HOOK_TYPES[type].isBefore) throw new NoAnswer(text);
  return { parts: cancelled(call, `The hook "${name}" (${type}) counts as a cancel: ${text}.`) };
}

/** A program that executes one type has said itself what its operation is. */
function isMeant({ type }: Entry, { only }: Operation, input: unknown): boolean {
  if (only !== undefined) return only === type;
  return HOOK_TYPES[type].fits?.(isObject(input) ? input : {}) ?? true;
}

/** Puts what is judged into the context: a copy, so that a change in place can be seen. Gives what is wrong with the context. */
function prepare({ entry, context, given }: Call): string | undefined {
  const { field, isBefore } = HOOK_TYPES[entry.type];
  if (!isBefore || field === undefined || given === undefined) return undefined;
  const isWritten = write(context, { [field]: isObject(given) ? { ...given } : given });
  return isWritten ? undefined : `it was not asked, because ${FROZEN}`;
}

export const FROZEN = "the context cannot be written (is it frozen?), and hooks and tool share what they put into it";

/** What hooks know as the tool's context is the one they share with it. Not enumerable: a circle could be neither printed nor copied. */
export function withItself(context: GivenContext): GivenContext {
  if (!Object.hasOwn(context, "context")) Object.defineProperty(context, "context", { value: context, configurable: true, writable: true });
  return context;
}

/** Whether it could be. */
export function write(context: GivenContext, fields: object): boolean {
  try {
    Object.assign(context, fields);
    return Object.isExtensible(context);
  } catch {
    // Frozen, or a field without a setter.
    return false;
  }
}

function momentOf({ entry: { type }, context, operation: { event } }: Call, payload: Carrier): HookEvent {
  return { type, timestamp: Date.now(), sessionId: String(payload["session_id"] ?? ""), toolUseId: context.toolUseId, ...event };
}

/** Who writes into the context itself has modified it. */
function withChange({ entry, context, given }: Call, answer: SettledAnswer): SettledAnswer {
  const { field, isBefore } = HOOK_TYPES[entry.type];
  if (!isBefore || field === undefined || given === undefined || answer.status !== "continue") return answer;
  return isDeepStrictEqual(context[field], given) ? answer : { status: "modify", data: context };
}

function say(call: Call, answer: SettledAnswer): readonly Part[] {
  switch (answer.status) {
    case "say":
      return answer.parts;
    case "continue":
      return [];
    case "cancel":
      return cancelled(call, answer.reason);
    case "modify":
      return HOOK_TYPES[call.entry.type].field === "result" ? replaceResult(call, answer.data) : replaceContext(call, answer.data);
  }
}

function cancelled({ event }: Call, reason: string): readonly Part[] {
  return [{ can: sayable(event, ["block", "feedback"]) ?? "block", value: reason }];
}

/** The data is a whole context. */
function replaceContext(call: Call, data: unknown): readonly Part[] {
  const { entry, operation, given } = call;
  const { field } = HOOK_TYPES[entry.type];
  if (!isObject(data)) throw new NoAnswer(`its "modify" has ${shown(data)} for data. ${WHOLE}`);
  const value = field === undefined || given === undefined ? undefined : data[field];
  const isFit = field === "input" ? isObject(value) : typeof value === "string";
  if (field !== undefined && given !== undefined && !isFit)
    throw new NoAnswer(
      `the data of its "modify" has ${value === undefined ? `no "${field}"` : `${shown(value)} for "${field}"`}. ${WHOLE}`,
    );
  if (!operation.modifiedBy.has(entry)) putContext(operation, data);
  operation.modifiedBy.add(entry);
  const can = isDeepStrictEqual(value, given) ? undefined : sayable(call.event, ["rewrite", "rewritePrompt"]);
  return can === undefined ? [] : [{ can, value }];
}

const WHOLE = "It replaces the whole context: return { ...context, input: { … } }";

/** The tool has the context as well, so there its fields are replaced: which tool it is, and for which call, stays. */
function putContext(operation: Operation, data: Readonly<Record<string, unknown>>): void {
  const { context, only } = operation;
  if (data === context) return;
  if (only !== undefined) {
    operation.context = Object.isExtensible(data) ? data : { ...data };
    return;
  }
  const { context: inner, ...fields } = data;
  const { tool, toolUseId } = context;
  if (isObject(inner) && inner !== context) write(context, inner);
  write(context, { ...fields, tool, toolUseId });
}

/** The data is the whole context with another result, or the result. */
function replaceResult({ entry, operation, event, given }: Call, data: unknown): readonly Part[] {
  const { context } = operation;
  const isContext = isObject(data) && (data === context || ["tool", "input", "context"].some((name) => Object.hasOwn(data, name)));
  if (isContext && data !== context) {
    const { result: _result, context: _context, ...fields } = data;
    write(context, fields);
  }
  const result = isContext ? data["result"] : data;
  if (isContext && isDeepStrictEqual(result, given)) return [];
  operation.results.push({ order: entry.order, result });
  const can = sayable(event, ["replaceOutput"]);
  return can ? [{ can, value: result }] : [];
}

/** Side by side, the last registered counts. */
export function lastResult({ results }: Operation): { readonly result: unknown } | undefined {
  return [...results].sort((a, b) => a.order - b.order).at(-1);
}

function sayable(event: EventName, wanted: readonly Ability[]): Ability | undefined {
  const abilities = abilitiesOf(EVENTS[event]);
  return wanted.find((ability) => abilities.includes(ability));
}

// Reads what a handler returned. Refuses what is no answer with a text that says what was wrong.

/** An answer that is there; nothing returned is one too. */
type SettledAnswer =
  | { readonly status: "continue" }
  | { readonly status: "cancel"; readonly reason: string }
  | { readonly status: "modify"; readonly data: unknown }
  | { readonly status: "say"; readonly parts: readonly Part[] };

/** The words of the source for a cancel without a reason. */
const NO_REASON = "Cancelled by hook";
const STATUSES = ["continue", "cancel", "modify", "defer"];
const CURE = 'Write { status: "continue" | "cancel" | "modify" | "defer", … }, or return nothing';

/** A promise that promises itself would otherwise keep the process busy for good. */
const MAX_DEFERS = 16;

/** Waits for a deferred answer and checks it. Throws `NoAnswer` if it is none, and whatever its promise is rejected with. */
async function readAnswer(returned: unknown): Promise<SettledAnswer> {
  let answer = fieldsOf(returned);
  for (let count = 0; isObject(answer) && answer["status"] === "defer"; count++) {
    if (count === MAX_DEFERS) throw new NoAnswer(`its answer was deferred more than ${MAX_DEFERS} times`);
    const { promise } = answer;
    if (!isThenable(promise)) throw new NoAnswer('it returned { status: "defer" } without a promise');
    answer = fieldsOf(await promise);
  }
  if (answer === undefined || answer === null) return { status: "continue" };
  if (!isObject(answer)) throw new NoAnswer(`it returned ${shown(answer)}, which is no answer. ${CURE}`);
  if (Array.isArray(answer["parts"])) return { status: "say", parts: answer["parts"] };
  const read = READERS[String(answer["status"])];
  if (!read) throw new NoAnswer(`${unreadable(answer)}. ${CURE}`);
  return read(answer);
}

/** Read once: an answer may have code in its fields. */
function fieldsOf(returned: unknown): unknown {
  if (!isObject(returned)) return returned;
  try {
    return { ...returned };
  } catch {
    throw new NoAnswer("it returned an object whose fields cannot be read");
  }
}

type Answer = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, ((answer: Answer) => SettledAnswer) | undefined>> = {
  __proto__: null as never,
  continue: () => ({ status: "continue" }),
  // A no counts whatever its reason is.
  cancel: ({ reason, status: _status, ...others }) => ({ status: "cancel", reason: reasonOf(reason, Object.keys(others)) }),
  modify: (answer) => {
    if (answer["data"] === undefined) throw new NoAnswer('it returned { status: "modify" } without data');
    return { status: "modify", data: answer["data"] };
  },
};

function reasonOf(reason: unknown, others: readonly string[]): string {
  if (typeof reason === "string" && reason !== "") return reason;
  if (reason !== undefined && reason !== null && reason !== "") return `${NO_REASON} (its reason is ${shown(reason)}, not a text)`;
  return others.length === 0 ? NO_REASON : `${NO_REASON} (it has no "reason", but ${others.map((name) => `"${name}"`).join(", ")})`;
}

function unreadable({ status, action }: Answer): string {
  if (status === undefined && action !== undefined) return `it returned { action: ${shown(action)} }, and the field is called "status"`;
  if (status === undefined) return 'it returned an object without "status"';
  const hint = typeof status === "string" ? didYouMean(status, STATUSES).replace(/^ (.*)\?$/, " ($1?)") : "";
  return `it returned { status: ${shown(status)} }, which is no status${hint}`;
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
  /** Something comes that can be cancelled. */
  readonly isBefore?: true;
  /** What of the context the engine can replace. */
  readonly field?: "input" | "prompt" | "result";
  /** What of the payload that is. */
  readonly told?: "tool_input" | "prompt" | "tool_response";
  readonly toInput: (context: GivenContext) => EventInput;
  readonly kind?: ToolKind;
  readonly fits?: (input: EventInput) => boolean;
}

const PRE_TOOL: HookTypeRow = {
  events: ["PreToolUse"],
  mode: "pipeline",
  isBefore: true,
  field: "input",
  told: "tool_input",
  toInput: callOf,
};
const POST_TOOL: HookTypeRow = {
  events: ["PostToolUse", "PostToolUseFailure"],
  field: "result",
  told: "tool_response",
  toInput: (context) => ({
    ...callOf(context),
    ...(context.error === undefined ? { tool_response: context.result } : { error: messageOf(context.error) }),
    duration_ms: context.duration ?? 0,
  }),
};
const EDIT = { kind: "file.write" } as const;
const BASH = { kind: "shell" } as const;
// SECURITY: as with a command that cannot be read to the end, an input without one may be anything.
const GIT = { kind: "shell", fits: ({ command }: EventInput) => typeof command !== "string" || runsGit(command) } as const;
const AGENT = { kind: "agent" } as const;

/** The sixteen types: which events of the engine they are, what they are about, and how their hooks follow each other. */
export const HOOK_TYPES: Readonly<Record<HookType, HookTypeRow>> = {
  pre_tool_sample: PRE_TOOL,
  post_tool_sample: POST_TOOL,
  pre_edit_sample: { ...PRE_TOOL, ...EDIT },
  post_edit_sample: { ...POST_TOOL, ...EDIT },
  pre_bash_sample: { ...PRE_TOOL, ...BASH },
  post_bash_sample: { ...POST_TOOL, ...BASH },
  pre_git_sample: { ...PRE_TOOL, ...GIT },
  post_git_sample: { ...POST_TOOL, ...GIT },
  pre_agent_sample: { ...PRE_TOOL, ...AGENT },
  post_agent_sample: { ...POST_TOOL, ...AGENT },
  pre_compact_sample: {
    events: ["PreCompact"],
    mode: "pipeline",
    isBefore: true,
    toInput: ({ trigger = "manual", instructions = null }) => ({ trigger, custom_instructions: instructions }),
  },
  post_compact_sample: {
    events: ["PostCompact"],
    toInput: ({ trigger = "manual", summary = "" }) => ({ trigger, compact_summary: summary }),
  },
  session_start: { events: ["SessionStart"], mode: "pipeline", toInput: ({ source = "startup" }) => ({ source }) },
  session_end: { events: ["SessionEnd"], mode: "reverse", toInput: ({ reason = "other" }) => ({ reason }) },
  query_start: {
    events: ["UserPromptSubmit"],
    mode: "pipeline",
    isBefore: true,
    field: "prompt",
    told: "prompt",
    toInput: ({ prompt }) => (prompt === undefined ? {} : { prompt }),
  },
  query_end: {
    events: ["Stop"],
    mode: "pipeline",
    toInput: ({ stopHookActive = false }) => ({ stop_hook_active: stopHookActive }),
  },
};

/** The tools a type is about; nothing: all. The engine knows what they were called before. */
export function toolsOf({ kind }: HookTypeRow): readonly string[] | undefined {
  return kind && TOOL_NAMES.filter((name) => TOOLS[name].kind === kind);
}

/** The name of the tool for the engine: a type about one tool names it, and a tool that it is not about has none. */
export function toolNameFor(row: HookTypeRow, context: GivenContext): { readonly tool_name?: string } {
  const tools = toolsOf(row);
  const tool = nameOf(context);
  if (tools === undefined) return {};
  if (tool === undefined) return { tool_name: tools.length === 1 ? (tools[0] ?? "") : "" };
  const name = Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
  return tools.includes(name) ? {} : { tool_name: "" };
}

/** A name alone is one, too. */
function nameOf({ tool }: GivenContext): string | undefined {
  const name: unknown = isObject(tool) ? tool["name"] : tool;
  return typeof name === "string" ? name : undefined;
}

/** SECURITY: what is not there is left out: the engine's guards block what they are not given to judge. */
function callOf(context: GivenContext): EventInput {
  const { input, toolUseId = "" } = context;
  const tool = nameOf(context);
  return { ...(tool !== undefined && { tool_name: tool }), ...(input !== undefined && { tool_input: input }), tool_use_id: toolUseId };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
