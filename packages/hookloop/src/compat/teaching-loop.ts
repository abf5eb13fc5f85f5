/**
 * A loop that only ever calls `trigger`, and behaviour registered from outside, on the engine.
 * Takes callbacks; gives the value of the first that answers. Every trigger is one `fire` of the engine, and its callbacks are one sequence
 * of it that ends with the first answer. Throws at an unknown event when it is registered.
 */

import { isDeepStrictEqual } from "node:util";
import type { Ability, HookHandler, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS } from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isObject, isThenable, mistake, shown } from "../check-options.ts";
import { IS_ANSWER } from "../config/index.ts";
import { didYouMean } from "../diagnostic.ts";
import type { EventInput, HookEngine } from "../engine/index.ts";
import type { Attributed, Verdict } from "../judge/index.ts";
import { checkFrontOptions, type OpenOptions } from "../open/options.ts";
import { createHooks } from "../open.ts";

export interface TeachingLoopOptions extends Partial<Pick<OpenOptions, "cwd" | "sessionId" | "stopCap" | "onDiagnostic" | "ports">> {
  /** An engine to hang the callbacks on, with its configured hooks; without it, one that has only the callbacks. */
  readonly hooks?: HookEngine;
  /** Asks the user where a hook wants that, or where a callback failed; without it, a question is a refusal. */
  readonly ask?: (question: string, ...args: readonly unknown[]) => boolean | Promise<boolean>;
}

const OPTIONS = {
  taken: ["cwd", "sessionId", "stopCap", "onDiagnostic", "ports"],
  own: { hooks: "object", ask: "function" },
} as const;

export interface Triggered {
  /** What the winning callback returned; nothing if none did. */
  readonly value: unknown;
  /** The engine's verdict: `halt`, `updatedInput`, `contexts`, … */
  readonly verdict: Verdict;
}

export interface TeachingLoop {
  /** Adds a callback at the end of the event's list; the function it returns takes it away again. */
  register(event: TeachingEventName, callback: TeachingCallback): () => void;
  /** The value of the first callback that returns something; the later ones are not called. No callback can make it reject. */
  trigger(event: TeachingEventName, ...args: readonly unknown[]): Promise<unknown>;
  /** The same, with the engine's verdict. */
  fire(event: TeachingEventName, ...args: readonly unknown[]): Promise<Triggered>;
  /** A Stop callback is holding the loop open. */
  readonly isHeldOpen: boolean;
  readonly hooks: HookEngine;
}

/** What one trigger carries beside the payload: JSON and traces do not see it. */
interface Trigger {
  readonly args: readonly unknown[];
  /** Plain values, by the handler that gave them: effects cannot hold any value, and the loop wants the value itself. */
  readonly values: Map<unknown, unknown>;
}

const TRIGGER: unique symbol = Symbol("hookloop.teaching-loop.trigger");
type Carrier = Readonly<Record<string, unknown>> & { readonly [TRIGGER]?: Trigger };

export function createTeachingLoop(options: TeachingLoopOptions = {}): TeachingLoop {
  checkFrontOptions("createTeachingLoop()", options, OPTIONS);
  const { hooks: given, ask, cwd = process.cwd(), ...opened } = options;
  const hooks = given ?? createHooks({ ...opened, cwd });
  let isHeldOpen = false;
  const fire = async (event: TeachingEventName, ...args: readonly unknown[]): Promise<Triggered> => {
    const row = rowOf(event);
    const trigger: Trigger = { args, values: new Map() };
    const input = { ...row.toInput(args), ...(row.turn === "ends" && { stop_hook_active: isHeldOpen }), [TRIGGER]: trigger };
    // Options of its own, even if empty: only the long way hands the trigger on.
    const verdict = await answered(await hooks.fire(event, input, {}), args, ask);
    if (row.turn === "starts") isHeldOpen = false;
    // With a cap of one, work between two stops does not count: held once is held once.
    if (row.turn === "starts" || (row.turn === "works" && options.stopCap !== 1)) hooks.progress();
    if (row.turn !== "ends") return { value: wonValue(row, verdict, trigger), verdict };
    // The engine takes the texts out of the verdict when callbacks have held the loop too often.
    isHeldOpen = verdict.continueWith.length > 0;
    return { value: isHeldOpen ? wonValue(row, verdict, trigger) : undefined, verdict };
  };
  return {
    register(event, callback) {
      rowOf(event);
      if (typeof callback !== "function")
        throw invalidOption(`register("${event}") was given ${shown(callback)} for a callback. Write register("${event}", (…) => …)`);
      const name = callback.name || "callback";
      return hooks.on(event, { name, sequence: "teaching-loop", sequenceMode: "first-answer" }, handlerOf(event, callback));
    },
    trigger: async (event, ...args) => (await fire(event, ...args)).value,
    fire,
    get isHeldOpen() {
      return isHeldOpen;
    },
    hooks,
  };
}

function rowOf(event: string): TeachingEvent {
  if (Object.hasOwn(TEACHING_EVENTS, event)) return TEACHING_EVENTS[event as TeachingEventName];
  const names = Object.keys(TEACHING_EVENTS);
  const text = `"${event}" is not an event of the teaching loop.${didYouMean(event, names)} There are: ${names.join(", ")}. Other events: openHooks().on().`;
  throw mistake("HL_CONFIG_UNKNOWN_EVENT", text);
}

/** A callback as a function of the engine: its value becomes what the engine understands, and is kept for the loop. */
function handlerOf(event: TeachingEventName, callback: TeachingCallback): HookHandler<TeachingEventName> {
  const handler = (input: unknown): unknown => {
    const trigger = (input as Carrier)[TRIGGER];
    // Fired by the program itself, not by `trigger`: then the payload is all there is.
    const returned = callback(...(trigger ? argsOf(event, trigger.args, input as Carrier) : [input]));
    const answer = (value: unknown): unknown => resultOf(event, value, (plain) => trigger?.values.set(handler, plain));
    return isThenable(returned) ? returned.then(answer) : answer(returned);
  };
  return handler as HookHandler<TeachingEventName>;
}

/** SECURITY: what the loop gave, unless a hook rewrote it: then callbacks must judge what will be used. */
function argsOf(event: TeachingEventName, args: readonly unknown[], input: Carrier): readonly unknown[] {
  const { toInput, withInput } = TEACHING_EVENTS[event];
  const given = toInput(args);
  const isGiven = ["tool_input", "prompt"].every((field) => isDeepStrictEqual(given[field], input[field]));
  return isGiven || !withInput ? args : withInput(args, input);
}

/** Nothing stays nothing, a result of the SDK stays what it is, fields are read, and any other value means what the event says. */
function resultOf(event: TeachingEventName, value: unknown, keep: (plain: unknown) => void): unknown {
  if (value === undefined || value === null || isResult(value)) return value;
  const fields = fieldsOf(value);
  if (fields) return { parts: partsOfFields(fields, abilitiesOf(EVENTS[event])) };
  keep(value);
  return { parts: TEACHING_EVENTS[event].say(value), [IS_ANSWER]: true };
}

/** A callback that failed, or ran out of time before it answered, has no value. */
function wonValue(row: TeachingEvent, verdict: Verdict, { values }: Trigger): unknown {
  const winner = verdict.outcomes.find(
    ({ hook, failure }) => !failure && hook.target.kind === "function" && values.has(hook.target.registered ?? hook.target.handler),
  );
  // SECURITY: a note of a callback must not hide that another hook blocked or asks; the question of a callback that failed is answered by it.
  const isAsked = verdict.outcomes.some(
    ({ failure, effects }) => !failure && effects.some(({ type }) => type === "ask" || type === "defer"),
  );
  const isBlocked = verdict.decision === "deny" || (isRefused(verdict.decision) && isAsked);
  const isOutdone = isBlocked && !winner?.effects.some(({ type }) => type === "deny");
  if (winner?.hook.target.kind === "function" && !isOutdone) return values.get(winner.hook.target.registered ?? winner.hook.target.handler);
  return row.fromVerdict(verdict);
}

async function answered(verdict: Verdict, args: readonly unknown[], ask: TeachingLoopOptions["ask"]): Promise<Verdict> {
  if (verdict.decision !== "ask" || !ask) return verdict;
  try {
    const isAllowed = await ask(verdict.reasons.map(({ text }) => text).join("\n"), ...args);
    return isAllowed === true ? { ...verdict, decision: "none", reasons: [] } : verdict;
  } catch {
    // SECURITY: who cannot be asked has not said yes; the question stays a refusal.
    return verdict;
  }
}

function isResult(value: unknown): value is { readonly parts: readonly Part[] } {
  const parts = typeof value === "object" && value !== null ? (value as { readonly parts?: unknown }).parts : undefined;
  return Array.isArray(parts) && parts.every((part) => typeof part === "object" && part !== null && "can" in part);
}

/** The nine named fields of the production system's hook result. */
export interface HookResultFields {
  /** Shown to the user. */
  readonly message?: string;
  /** Why it must not happen. */
  readonly blockingError?: string;
  readonly outcome?: "success" | "blocking" | "non_blocking_error" | "cancelled";
  /** The agent's work ends here, as a completion. */
  readonly preventContinuation?: boolean;
  readonly stopReason?: string;
  readonly permissionBehavior?: "allow" | "deny" | "ask" | "passthrough";
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
  readonly updatedMCPToolOutput?: unknown;
}

const FIELDS: unique symbol = Symbol("hookloop.teaching-loop.fields");

/** A value of a callback that is not handed to the loop as it is, but read field by field. */
interface HookResultValue {
  readonly [FIELDS]: HookResultFields;
}

const FIELD_TYPES: Readonly<Record<keyof HookResultFields, Allowed>> = {
  message: "any text",
  blockingError: "any text",
  outcome: ["success", "blocking", "non_blocking_error", "cancelled"],
  preventContinuation: "flag",
  stopReason: "any text",
  permissionBehavior: ["allow", "deny", "ask", "passthrough"],
  updatedInput: "object",
  additionalContext: "any text",
  updatedMCPToolOutput: "anything",
};

/**
 * Says it with the production system's fields; any other value of a callback is the tool's result, the next message, … itself.
 * Throws at other fields: a misspelt no would be a yes.
 */
export function hookResult(fields: HookResultFields): HookResultValue {
  if (typeof fields !== "object" || fields === null) throw invalidOption(`hookResult() takes its fields, not ${shown(fields)}`);
  checkEntries("hookResult()", fields, FIELD_TYPES);
  return { [FIELDS]: fields };
}

function fieldsOf(value: unknown): HookResultFields | undefined {
  return typeof value === "object" && value !== null && FIELDS in value ? (value as HookResultValue)[FIELDS] : undefined;
}

/** What a field says, or nothing. `canBlock` is false where the thing has already happened. */
type Reader = (fields: HookResultFields, canBlock: boolean) => readonly Part[];

const READERS: Readonly<Record<keyof HookResultFields, Reader>> = {
  message: ({ message }) => said("tellUser", message),
  blockingError: ({ blockingError, outcome }, canBlock) =>
    blockingError !== undefined || outcome === "blocking" ? [{ can: canBlock ? "block" : "feedback", value: blockingError ?? "" }] : [],
  // "blocking" is read with blockingError; the others say how the run went, which the engine sees for itself.
  outcome: () => [],
  preventContinuation: ({ preventContinuation, stopReason }) => (preventContinuation ? [{ can: "stop", value: stopReason }] : []),
  // Belongs to preventContinuation.
  stopReason: () => [],
  permissionBehavior: ({ permissionBehavior = "passthrough", blockingError, message }) =>
    permissionBehavior === "passthrough" ? [] : [{ can: permissionBehavior, value: blockingError ?? message }],
  updatedInput: ({ updatedInput }) => said("rewrite", updatedInput),
  additionalContext: ({ additionalContext }) => said("context", additionalContext),
  updatedMCPToolOutput: ({ updatedMCPToolOutput }) => said("replaceOutput", updatedMCPToolOutput),
};

/** What the fields say, for an event with these abilities; what it cannot say is left in, for the engine to report. */
function partsOfFields(fields: HookResultFields, abilities: readonly Ability[]): readonly Part[] {
  const canBlock = abilities.includes("block");
  return Object.values(READERS).flatMap((read) => read(fields, canBlock));
}

function said(can: Ability, value: unknown): readonly Part[] {
  return value === undefined ? [] : [{ can, value }];
}

export type TeachingEventName = "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Stop";

/** Gets what `trigger` was given; the first that returns something other than nothing (undefined, null) wins. */
// biome-ignore lint/suspicious/noExplicitAny: the loop decides what its events carry
export type TeachingCallback = (...args: any[]) => unknown;

/** The four events of a full cycle: how the loop's arguments, the engine's payload, a callback's value and the verdict fit together. */
interface TeachingEvent {
  /** The payload, as far as the loop's arguments say it. */
  readonly toInput: (args: readonly unknown[]) => EventInput;
  /** The loop's arguments for a payload that another hook rewrote; absent where none can. */
  readonly withInput?: (args: readonly unknown[], input: EventInput) => readonly unknown[];
  readonly say: (value: unknown) => readonly Part[];
  /** What the loop gets where no callback's plain value decided; undefined: continue. */
  readonly fromVerdict: (verdict: Verdict) => unknown;
  /** What it is to the turn: stops in a row that were held are counted between its start and its end. */
  readonly turn?: "starts" | "works" | "ends";
}

const TEACHING_EVENTS: Readonly<Record<TeachingEventName, TeachingEvent>> = {
  UserPromptSubmit: {
    turn: "starts",
    toInput: ([prompt]) => (isObject(prompt) ? prompt : present({ prompt })),
    withInput: ([first, ...rest], { prompt }) => [isObject(first) ? { ...first, prompt } : prompt, ...rest],
    say: sayOfPrompt,
    fromVerdict: ({ decision, reasons, updatedPrompt, contexts }) => {
      if (isRefused(decision)) return { block: joined(reasons) };
      const change = updatedPrompt === undefined ? {} : { prompt: updatedPrompt };
      const addition = contexts.length === 0 ? {} : { context: joined(contexts) };
      const answer = { ...change, ...addition };
      return Object.keys(answer).length === 0 ? undefined : answer;
    },
  },
  PreToolUse: {
    toInput: (args) => toolCall(args).call,
    withInput: ([first, ...rest], { tool_input }) =>
      isObject(first)
        ? [{ ...first, [first["input"] === undefined ? "tool_input" : "input"]: tool_input }, ...rest]
        : [first, tool_input, ...rest.slice(1)],
    say: (value) => [{ can: "deny", value: textOf(value) }],
    fromVerdict: ({ decision, reasons }) => (isRefused(decision) ? joined(reasons) : undefined),
  },
  PostToolUse: {
    turn: "works",
    toInput: (args) => {
      const { call, rest } = toolCall(args);
      return { ...call, tool_response: rest[0] };
    },
    say: (value) => [{ can: "context", value: textOf(value) }],
    fromVerdict: ({ feedback, contexts }) => joined([...feedback, ...contexts]) || undefined,
  },
  Stop: {
    turn: "ends",
    toInput: () => ({}),
    say: (value) => [{ can: "block", value: textOf(value) }],
    fromVerdict: ({ continueWith }) => (continueWith.length === 0 ? undefined : joined(continueWith)),
  },
};

/** `{ block }` rejects the prompt, `{ prompt }` replaces it, `{ context }` adds to it; anything else is added as text. */
function sayOfPrompt(value: unknown): readonly Part[] {
  const { block, prompt, context } = isObject(value) ? value : {};
  const parts: Part[] = [];
  if (block !== undefined) parts.push({ can: "block", value: textOf(block) });
  if (prompt !== undefined) parts.push({ can: "rewritePrompt", value: textOf(prompt) });
  if (context !== undefined) parts.push({ can: "context", value: textOf(context) });
  return parts.length > 0 ? parts : [{ can: "context", value: textOf(value) }];
}

/**
 * `{ name, input, id }`, the same with the engine's names, or `name, input`; and what follows it.
 * SECURITY: what is not there is left out, and what is odd stays as it is: the engine's guards block what they are not given to judge.
 */
function toolCall(args: readonly unknown[]): { readonly call: EventInput; readonly rest: readonly unknown[] } {
  const [first, ...rest] = args;
  if (!isObject(first)) return { call: present({ tool_name: first, tool_input: rest[0], tool_use_id: "" }), rest: rest.slice(1) };
  const { name: _name, input: _input, id: _id, ...others } = first;
  const tool_name = first["name"] ?? first["tool_name"];
  const tool_input = first["input"] ?? first["tool_input"];
  const tool_use_id = first["id"] ?? first["tool_use_id"] ?? "";
  // Of what is no call at all, the engine names the fields.
  return { call: present({ ...(tool_name === undefined ? others : {}), tool_name, tool_input, tool_use_id }), rest };
}

function present(fields: EventInput): EventInput {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Without an answer of the user, a question is a refusal. */
function isRefused(decision: Verdict["decision"]): boolean {
  return decision === "deny" || decision === "defer" || decision === "ask";
}

function joined(texts: readonly Attributed[]): string {
  return texts.map(({ text }) => text).join("\n");
}

function textOf(value: unknown): string {
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle or a BigInt: the loop still gets the value itself; only the engine's text of it is less precise.
    return Object.prototype.toString.call(value);
  }
}
