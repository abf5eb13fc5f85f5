import type { EventName } from "@hookloop/sdk";
import { findMistake, HOOK_OPTIONS, type OptionType, readFilter } from "@hookloop/sdk/host";
import { EVENT_NAMES, EVENTS, type EventRow, isEventName, MORE_TOOL_NAMES, nearestName, TOOL_NAMES } from "../catalogue/index.ts";
import { watchedGuard } from "./execute/index.ts";
import type { FunctionOptions } from "./hook-engine.ts";
import type { HookFunction, RegisteredHook } from "./registry/index.ts";

interface FunctionHook {
  readonly event: EventName;
  readonly options: FunctionOptions;
  readonly handler: HookFunction;
  readonly order: number;
  /** Tools of the agent besides the known ones. */
  readonly tools: readonly string[];
}

/** Native hooks: a gate gets half a minute, the others a minute. */
const GATE_MS = 30_000;
const OBSERVER_MS = 60_000;

const { ownNames: _insteadOfTools, ...SHARED_OPTIONS } = HOOK_OPTIONS as Record<string, OptionType>;

const OPTIONS: Readonly<Record<keyof FunctionOptions, OptionType>> & typeof HOOK_OPTIONS = {
  ...(SHARED_OPTIONS as Record<"name" | "tool" | "match" | "guard" | "timeoutMs", OptionType>),
  priority: "number",
  sequence: "text",
  sequenceMode: ["pipeline", "first-answer", "reverse"],
  onFailure: ["continue", "ask", "block"],
};

/** A function of the program as a hook like any other, and what of its options has no effect. Throws if it is ambiguous what was meant. */
export function registerFunction({ event, options, handler, order, tools }: FunctionHook): {
  readonly hook: RegisteredHook;
  readonly ignored?: string | undefined;
} {
  // The program's own mistake, said to it at once: a guard that is not registered must not look like one that is.
  if (!isEventName(event)) throw new TypeError(unknownEventText(event));
  const row = EVENTS[event];
  const mistake = findMistake(options ?? {}, handler, { ...expectation(row, tools), event });
  if (mistake && mistake.kind !== "ignored") throw new TypeError(`${mistake.code}: hooks.on("${event}"): ${mistake.text}`);
  return { hook: hookOf(row, { event, options: options ?? {}, handler, order, tools }), ignored: mistake?.text };
}

function expectation(row: EventRow, tools: readonly string[]): Omit<Parameters<typeof findMistake>[2], "event"> {
  const { matcher } = row;
  return {
    by: "hooks.on",
    options: OPTIONS,
    field: matcher?.field ?? "",
    isBasename: matcher?.basename === true,
    values: matcher?.isTool ? [...TOOL_NAMES, ...MORE_TOOL_NAMES, ...tools] : (matcher?.values ?? []),
    // The program lists its own tools in `tools`, and may have more.
    isClosed: false,
    canBlock: row.blockEffect !== null,
  };
}

function hookOf(row: EventRow, { event, options, handler, order }: FunctionHook): RegisteredHook {
  const name = options.name ?? (handler.name || `function ${order + 1}`);
  const isGuard = options.guard ?? false;
  const called = isGuard ? watchedGuard(handler) : handler;
  const filter = row.matcher ? (options.tool ?? options.match) : undefined;
  const { looksItself, ...named } = filter === undefined ? {} : matchedBy(filter, row);
  return {
    id: `code:${event}:${order}`,
    name,
    event,
    ...named,
    target: { kind: "function", handler: filter !== undefined && looksItself ? filtered(called, filter, row) : called },
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

function unknownEventText(event: unknown): string {
  const nearest = nearestName(String(event), EVENT_NAMES);
  return `HL_CONFIG_UNKNOWN_EVENT: "${String(event)}" is not an event.${nearest ? ` Did you mean "${nearest}"?` : ""}`;
}

/** How its calls are picked: by a matcher as settings have it, or by the function itself. */
function matchedBy(
  filter: string | readonly string[] | RegExp,
  row: EventRow,
): Pick<RegisteredHook, "matcher" | "names"> & { readonly looksItself?: boolean } {
  if (typeof filter === "object" && !Array.isArray(filter)) return { looksItself: true };
  const named = namedBy(filter as string | readonly string[], row);
  // A path among names of files is no pattern for a name.
  const hasPath = row.matcher?.basename && named.names?.some((name) => name.includes("/"));
  return hasPath ? { names: named.names, looksItself: true } : named;
}

/** A list of names as a matcher of settings: it must fit these names and nothing else. */
function namedBy(filter: string | readonly string[], { matcher }: EventRow): Pick<RegisteredHook, "matcher" | "names"> {
  const { names } = readFilter(filter, matcher?.isTool === true, matcher?.basename === true);
  if (names.some((name) => name === "*" || name === ".*")) return {};
  const isPlain = names.every((name) => (matcher?.exactCharset === "narrow" ? /^\w+$/ : /^[\w -]+$/).test(name));
  return { names, matcher: isPlain ? names.join("|") : `^(?:${names.map(patternOf).join("|")})$` };
}

function patternOf(name: string): string {
  const start = name.replace(/\.?\*$/, "");
  return start.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") + (start === name ? "" : ".*");
}

/** A matcher of settings is text and has no flags, so the function itself looks. Without the field it is called: somebody may have misspelt it. */
function filtered(handler: HookFunction, filter: string | readonly string[] | RegExp, { matcher }: EventRow): HookFunction {
  const { matches } = readFilter(filter, matcher?.isTool === true, matcher?.basename === true);
  return (input, run) => {
    const value = (input as Record<string, unknown>)[matcher?.field ?? ""];
    if (typeof value !== "string" || value === "") return handler(input, run);
    return matches(value) ? handler(input, run) : undefined;
  };
}
