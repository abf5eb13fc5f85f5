/**
 * S0 in its own words: a loop that only ever calls `trigger`, and behaviour registered from outside.
 * Takes callbacks; gives the value of the first that answers. Every trigger is one `fire` of the engine, and its callbacks are one sequence
 * of it that ends with the first answer. Refuses an unknown event when it is registered, loudly.
 */
import { isDeepStrictEqual } from "node:util";
import type { HookHandler, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS } from "../../catalogue/index.ts";
import { invalidOption, shown } from "../../check-options.ts";
import { IS_ANSWER } from "../../config/index.ts";
import { nearestName } from "../../diagnostic.ts";
import type { HookEngine } from "../../engine/index.ts";
import type { Verdict } from "../../judge/index.ts";
import { checkFrontOptions } from "../../open/options.ts";
import { createHooks, type OpenOptions } from "../../open-hooks.ts";
import { fieldsOf, partsOfFields } from "./hook-result.ts";
import { isRefused, TEACHING_EVENTS, type TeachingCallback, type TeachingEvent, type TeachingEventName } from "./teaching-events.ts";

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

/** How one trigger ended. */
export interface Triggered {
  /** What the winning callback returned; nothing if none did. */
  readonly value: unknown;
  /** The engine's own word: `halt`, `updatedInput`, `contexts`, … */
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

/** Opens a registry of callbacks for a loop's four events. */
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
  const nearest = nearestName(event, names);
  const hint = nearest ? ` Did you mean "${nearest}"?` : "";
  throw new TypeError(
    `HL_CONFIG_UNKNOWN_EVENT: "${event}" is not an event of the teaching loop.${hint} There are: ${names.join(", ")}. Other events: openHooks().on().`,
  );
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
    ({ hook, failure }) => !failure && hook.target.kind === "function" && values.has(hook.target.handler),
  );
  // SECURITY: a note of a callback must not hide that another hook blocked or asks; the question of a callback that failed is answered by it.
  const isAsked = verdict.outcomes.some(
    ({ failure, effects }) => !failure && effects.some(({ type }) => type === "ask" || type === "defer"),
  );
  const isBlocked = verdict.decision === "deny" || (isRefused(verdict.decision) && isAsked);
  const isOutdone = isBlocked && !winner?.effects.some(({ type }) => type === "deny");
  if (winner?.hook.target.kind === "function" && !isOutdone) return values.get(winner.hook.target.handler);
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

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}
