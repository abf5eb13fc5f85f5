/**
 * A loop that only ever calls `trigger`, and behaviour registered from outside, on the engine.
 * Takes callbacks; gives the value of the first that answers. Every trigger is one `fire` of the engine, and its callbacks are one sequence
 * of it that ends with the first answer. Throws at an unknown event when it is registered.
 */

import { isDeepStrictEqual } from "node:util";
import type { HookHandler, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS } from "../catalogue/index.ts";
import { invalidOption, isObject, isThenable, mistake, shown } from "../check-options.ts";
import { IS_ANSWER } from "../config/index.ts";
import { didYouMean } from "../diagnostic.ts";
import { fromHooksJsonInput, toHooksJsonInput, toHooksJsonTool } from "../dialects/index.ts";
import type { EventInput, HookEngine } from "../engine/index.ts";
import type { Attributed, Verdict } from "../judge/index.ts";
import { checkFrontOptions, type OpenOptions } from "../open/options.ts";
import { createHooks } from "../open.ts";
import { fieldsOf, isBlockingError, partsOfFields } from "./hook-result.ts";

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
  /**
   * Hangs the callbacks on another engine as well, such as that of a real session, also those that are registered later; the function it returns
   * takes them away there. A callback gets what the loop would give it, made from the event's payload.
   */
  attach(hooks: HookEngine): () => void;
}

/** Every limit of a callback that waits for the user is long; others have that of the event. */
export const CALLBACK_LIMITS: WeakMap<TeachingCallback, number> = new WeakMap();

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
  const places = new Set([hooks]);
  const registered = new Set<Registered>();
  return {
    register(event, callback) {
      rowOf(event);
      if (typeof callback !== "function")
        throw invalidOption(`register("${event}") was given ${shown(callback)} for a callback. Write register("${event}", (…) => …)`);
      const one: Registered = { event, callback, offs: new Map() };
      registered.add(one);
      for (const place of places) hang(one, place);
      return () => {
        registered.delete(one);
        for (const off of one.offs.values()) off();
        one.offs.clear();
      };
    },
    trigger: async (event, ...args) => {
      const { value } = await fire(event, ...args);
      // SECURITY: the source's loop asks `if (blocked)`: a no that reads as false there would let the tool run.
      const isLost = event === "PreToolUse" && value !== undefined && value !== null && !value;
      return isLost ? blockedBy(value) : value;
    },
    fire,
    get isHeldOpen() {
      return isHeldOpen;
    },
    hooks,
    attach(other) {
      if (typeof other?.on !== "function")
        throw invalidOption(`attach() was given ${shown(other)}. Write loop.attach(await openHooks({ cwd }))`);
      if (places.has(other)) return () => {};
      places.add(other);
      for (const one of registered) hang(one, other);
      return () => {
        places.delete(other);
        for (const one of registered) {
          one.offs.get(other)?.();
          one.offs.delete(other);
        }
      };
    },
  };
}

interface Registered {
  readonly event: TeachingEventName;
  readonly callback: TeachingCallback;
  /** What takes it away again, by engine. */
  readonly offs: Map<HookEngine, () => void>;
}

function hang({ event, callback, offs }: Registered, hooks: HookEngine): void {
  const options = { name: callback.name || "callback", sequence: "teaching-loop", sequenceMode: "first-answer" } as const;
  const timeoutMs = CALLBACK_LIMITS.get(callback);
  offs.set(hooks, hooks.on(event, { ...options, ...(timeoutMs !== undefined && { timeoutMs }) }, handlerOf(event, callback, hooks)));
}

function rowOf(event: string): TeachingEvent {
  if (Object.hasOwn(TEACHING_EVENTS, event)) return TEACHING_EVENTS[event as TeachingEventName];
  const text = `"${event}" is not an event of the teaching loop.${didYouMean(event, TEACHING_EVENT_NAMES)} There are: ${TEACHING_EVENT_NAMES.join(", ")}. Other events: openHooks().on().`;
  throw mistake("HL_CONFIG_UNKNOWN_EVENT", text);
}

/** A callback as a function of the engine: its value becomes what the engine understands, and is kept for the loop. */
function handlerOf(event: TeachingEventName, callback: TeachingCallback, hooks: HookEngine): HookHandler<TeachingEventName> {
  const words = wordsOf(callback);
  let isTold = false;
  const tellDenial = (value: unknown): void => {
    if (isTold) return;
    isTold = true;
    const text = `${shown(callback.name || "callback")} of ${event} returned ${textOf(value).slice(0, 200)}, which counts as a denial. Write { block: "why" }.`;
    hooks.report({ code: "HL_OUTPUT_WRONG_TYPE", level: "warning", text });
  };
  const handler = (input: unknown, run: unknown): unknown => {
    const trigger = (input as Carrier)[TRIGGER];
    const session: OfSession = { input: input as Carrier, words, messages: () => messagesOf(run) };
    const returned = callback(...(trigger ? argsOf(event, trigger.args, input as Carrier) : TEACHING_EVENTS[event].fromSession(session)));
    const answer = (value: unknown): unknown => {
      if (event === "UserPromptSubmit" && isOtherDenial(value)) tellDenial(value);
      const result = resultOf(event, value, (plain) => trigger?.values.set(handler, plain));
      return trigger ? result : inAgentsWords(result, session);
    };
    return isThenable(returned) ? returned.then(answer) : answer(returned);
  };
  return handler as HookHandler<TeachingEventName>;
}

/** An event that a session fired, not `trigger`: the payload is all there is. */
interface OfSession {
  readonly input: Carrier;
  readonly words: "source" | "agent";
  readonly messages: () => readonly unknown[];
}

/** Marks a call of a session: whoever asks the user there asks through the engine. */
const OF_SESSION: unique symbol = Symbol("hookloop.teaching-loop.session");

export function isOfSession(call: unknown): boolean {
  return isObject(call) && OF_SESSION in call;
}

const SOURCE_TOOLS = /["'`](?:bash|read_file|write_file|edit_file|glob)["'`]/;

/**
 * SECURITY: the source calls the shell `bash` and the agent calls it `Bash`. A guard that was written for the one and is asked about the other
 * would let every call pass, so one that names a tool of the source gets the source's names.
 */
function wordsOf(callback: TeachingCallback): OfSession["words"] {
  return SOURCE_TOOLS.test(Function.prototype.toString.call(callback)) ? "source" : "agent";
}

function messagesOf(run: unknown): readonly unknown[] {
  const { messages } = (run ?? {}) as { readonly messages?: unknown };
  return Array.isArray(messages) ? messages : [];
}

/** The call as a block of the loop; the names of the payload are there as well. */
function blockOf({ input, words }: OfSession): Readonly<Record<string, unknown>> {
  const { tool_name: tool, tool_input, tool_use_id: id } = input;
  const isSource = words === "source" && typeof tool === "string" && isObject(tool_input);
  const name = isSource ? (tool === "Glob" ? "glob" : toHooksJsonTool(tool)) : tool;
  return { ...input, name, input: isSource ? toHooksJsonInput(tool, tool_input) : tool_input, id, [OF_SESSION]: true };
}

/** A new input that a callback gave in the source's words. */
function inAgentsWords(result: unknown, { input, words }: OfSession): unknown {
  const tool = input["tool_name"];
  if (words === "agent" || typeof tool !== "string" || !isResult(result)) return result;
  const parts = result.parts.map((part) =>
    part.can === "rewrite" && isObject(part.value) ? { ...part, value: fromHooksJsonInput(tool, part.value) } : part,
  );
  return { ...result, parts };
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
  // The loop looks for `block`, so it gets that.
  if (event !== "UserPromptSubmit" || !isOtherDenial(value)) keep(value);
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

/** The four events of a full cycle: how the loop's arguments, the engine's payload, a callback's value and the verdict fit together. */

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
  /** The loop's arguments for an event of a session. */
  readonly fromSession: (session: OfSession) => readonly unknown[];
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
    fromSession: ({ input }) => [input["prompt"], { ...input, [OF_SESSION]: true }],
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
    fromSession: (session) => [blockOf(session)],
    say: (value) => [{ can: "deny", value: textOf(value) }],
    fromVerdict: ({ decision, reasons }) => (isRefused(decision) ? joined(reasons) : undefined),
  },
  PostToolUse: {
    turn: "works",
    toInput: (args) => {
      const { call, rest } = toolCall(args);
      return { ...call, tool_response: rest[0] };
    },
    fromSession: (session) => [blockOf(session), session.input["tool_response"]],
    say: (value) => [isBlockingError(value) ? { can: "feedback", value: textOf(value) } : { can: "context", value: textOf(value) }],
    fromVerdict: ({ feedback, contexts }) => joined([...feedback, ...contexts]) || undefined,
  },
  Stop: {
    turn: "ends",
    toInput: () => ({}),
    fromSession: ({ messages, input }) => [messages(), { ...input, [OF_SESSION]: true }],
    say: (value) => [{ can: "block", value: textOf(value) }],
    fromVerdict: ({ continueWith }) => (continueWith.length === 0 ? undefined : joined(continueWith)),
  },
};

export const TEACHING_EVENT_NAMES = Object.keys(TEACHING_EVENTS) as readonly TeachingEventName[];

function blockedBy(value: unknown): string {
  return `Blocked by a hook, which returned ${shown(value)}.`;
}

/** How other systems spell a denial, by field. */
const DENIALS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(["blocked", "deny", "denied"].map((name) => [name, Boolean])),
  ...Object.fromEntries(
    ["decision", "permissionDecision", "permissionBehavior", "behavior"].map((name) => [
      name,
      (value) => value === "block" || value === "deny",
    ]),
  ),
  ...Object.fromEntries(["allow", "allowed", "continue"].map((name) => [name, (value) => value === false])),
  status: (value) => value === "cancel",
};

/** SECURITY: a denial in the words of another system must not become a text that is added to the prompt. */
function isOtherDenial(value: unknown): boolean {
  if (!isObject(value) || isResult(value) || fieldsOf(value) || value["block"] !== undefined || isBlockingError(value))
    return value === false;
  return Object.entries(DENIALS).some(([name, isDenial]) => isDenial(value[name]));
}

function reasonOf(value: unknown): string {
  const fields = isObject(value) ? value : {};
  const names = ["reason", "message", "hookPermissionDecisionReason", "stopReason", "blocked", "deny", "denied"];
  const reason = names.map((name) => fields[name]).find((text) => typeof text === "string" && text !== "");
  return typeof reason === "string" ? reason : blockedBy(value);
}

/** `{ block }` rejects the prompt, `{ prompt }` replaces it, `{ context }` adds to it; anything else is added as text. */
function sayOfPrompt(value: unknown): readonly Part[] {
  const { block, prompt, context } = isObject(value) ? value : {};
  if (isOtherDenial(value)) return [{ can: "block", value: reasonOf(value) }];
  if (isBlockingError(value)) return [{ can: "block", value: textOf(value) }];
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
  if (isBlockingError(value)) return value.blockingError;
  if (typeof value !== "object") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle or a BigInt: the loop still gets the value itself; only the engine's text of it is less precise.
    return Object.prototype.toString.call(value);
  }
}
