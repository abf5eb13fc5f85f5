/**
 * One operation: what its hooks, the tool and the front share. It travels with the engine's payload under a symbol, so that hooks get
 * the one mutable context itself, while JSON, traces and hooks of other kinds see only the payload.
 */
import { isDeepStrictEqual } from "node:util";
import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENTS } from "../../catalogue/index.ts";
import { HOOK_TYPES } from "./hook-types.ts";
import { readDecision, type SettledDecision } from "./read-decision.ts";
import type { HookContext, HookMoment, HookType, SamplingHandler } from "./types.ts";

export interface Operation {
  readonly context: HookContext;
  /** Only hooks of this type; absent: of every type that describes the call. */
  readonly only?: HookType | undefined;
  /** What hooks that continued carried. */
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

/** Runs one handler, if it is meant; gives what the engine should hear. */
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

/** What a field was changed to in the end. */
export function lastChange({ changes }: Operation, field: string): { readonly data: unknown } | undefined {
  return changes
    .filter((change) => change.field === field)
    .sort((a, b) => a.order - b.order)
    .at(-1);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sayable(event: EventName, wanted: readonly Ability[]): Ability | undefined {
  const abilities = abilitiesOf(EVENTS[event]);
  return wanted.find((ability) => abilities.includes(ability));
}
