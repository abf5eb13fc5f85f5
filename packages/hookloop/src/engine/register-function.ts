import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS, isEventName, nearestName } from "../catalogue/index.ts";
import type { FunctionOptions } from "./hook-engine.ts";
import type { HookFunction, RegisteredHook } from "./registry/index.ts";

interface FunctionHook {
  readonly event: EventName;
  readonly options: FunctionOptions;
  readonly handler: HookFunction;
  readonly order: number;
}

/** Native hooks: a gate gets half a minute, the others a minute. */
const GATE_MS = 30_000;
const OBSERVER_MS = 60_000;

/** A function of the program as a hook like any other. */
export function registerFunction({ event, options, handler, order }: FunctionHook): RegisteredHook {
  // The program's own mistake, said to it at once: a guard that is not registered must not look like one that is.
  if (!isEventName(event)) throw new TypeError(unknownEventText(event));
  const row = EVENTS[event];
  const name = options.name ?? (handler.name || `function ${order + 1}`);
  const isGuard = options.guard ?? false;
  const filter = options.tool ?? options.match;
  return {
    id: `code:${event}:${order}`,
    name,
    event,
    matcher: matcherOf(filter),
    target: { kind: "function", handler: filter instanceof RegExp ? filtered(handler, filter, row.matcher?.field) : handler },
    source: { scope: "code", dialect: "native", root: "" },
    order,
    priority: options.priority ?? 0,
    sequence: options.sequence === undefined ? undefined : `code:${options.sequence}`,
    sequenceMode: options.sequenceMode,
    isGuard,
    onFailure: isGuard && row.failureCanBlock ? "block" : (options.onFailure ?? row.onFailure),
    timeoutMs: options.timeoutMs ?? (row.role === "gate" ? GATE_MS : OBSERVER_MS),
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    dedupKey: `code:${order}`,
  };
}

function unknownEventText(event: string): string {
  const nearest = nearestName(String(event), EVENT_NAMES);
  return `HL_CONFIG_UNKNOWN_EVENT: "${event}" is not an event.${nearest ? ` Did you mean "${nearest}"?` : ""}`;
}

/** A name or a list as an exact matcher; a pattern must match the whole value, as in the SDK. */
function matcherOf(filter: string | readonly string[] | RegExp | undefined): string | undefined {
  if (filter === undefined) return undefined;
  // A matcher is text and has no flags: the function itself looks, see below.
  if (filter instanceof RegExp) return undefined;
  const names = [filter].flat();
  const isPlain = names.every((name) => /^[\w -]+$/.test(name));
  return isPlain ? names.join("|") : `^(?:${names.map(escaped).join("|")})$`;
}

/** Called only for values that the pattern matches whole, with the pattern's own flags. */
function filtered(handler: HookFunction, filter: RegExp, field: string | undefined): HookFunction {
  const whole = new RegExp(`^(?:${filter.source})$`, filter.flags.replace(/[gy]/g, ""));
  return (input, run) => {
    const value = field === undefined ? undefined : (input as Record<string, unknown>)[field];
    return field === undefined || whole.test(String(value)) ? handler(input, run) : undefined;
  };
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
