import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { EventName, HookOptions } from "@hookloop/sdk";
import {
  findMistake,
  HOOK_OPTIONS,
  isDefinition,
  noteRegistered,
  type OptionType,
  readFilter,
  unregisteredHooks,
} from "@hookloop/sdk/host";
import {
  calledElsewhere,
  EVENT_NAMES,
  EVENTS,
  type EventRow,
  type FailureDirection,
  FORMER_TOOL_NAMES,
  isEventName,
  type Matcher,
  MORE_TOOL_NAMES,
  OWN_DIALECT,
  TOOL_NAMES,
} from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isHolder, mistake, shown } from "../check-options.ts";
import { canBlockIfWritten, directionAt, type HookFunction, NO_QUESTION, type RegisteredHook, type SequenceMode } from "../config/index.ts";
import { type Diagnostic, nearestName, type Place } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import { inOwnContext, isWatchedGuard, type TellGuard, watchedGuard } from "../run/index.ts";
import { type RefusedHook, refusalDiagnostic } from "../trust/index.ts";

/** Options of a hook registered by the program. */
export interface FunctionOptions<Tool extends string = string>
  extends Pick<HookOptions<Tool>, "tool" | "match" | "guard" | "timeoutMs" | "name"> {
  /** Higher runs first and is shown first; 0 if left out. */
  readonly priority?: number | undefined;
  /** Functions of one event with the same word here run one after the other; without it, all at once. */
  readonly sequence?: string | undefined;
  /** How they follow each other; a pipeline if left out. */
  readonly sequenceMode?: SequenceMode | undefined;
  /** What a failed run does; as the event's row says if left out. A guard blocks, at every event that a failed hook can block. */
  readonly onFailure?: FailureDirection | undefined;
  /** The same for one that has not answered in time; `onFailure` if left out. */
  readonly onTimeout?: FailureDirection | undefined;
  /** It runs only in the session, or inside the subagent, with this id. */
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
}

/** The head of a skill's or subagent's file. */
export interface Frontmatter {
  readonly text: string;
  readonly file: string;
  /** Folder that relative paths belong to; the file's own if left out. */
  readonly root?: string | undefined;
  readonly skill?: string | undefined;
  /** Id of the running subagent: the hooks fire only inside of it. */
  readonly agentId?: string | undefined;
  /** The file was edited while the session runs. */
  readonly isEdited?: boolean | undefined;
}

interface FunctionHook {
  readonly event: EventName;
  readonly options: FunctionOptions;
  readonly handler: HookFunction;
  readonly order: number;
  /** Tools of the agent besides the known ones. */
  readonly tools: readonly string[];
  /** Called with mistakes of a guard. */
  readonly tell: TellGuard;
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
  sessionId: "text",
  agentId: "text",
  onFailure: ["continue", "ask", "block"],
  onTimeout: ["continue", "ask", "block"],
};

/** What `hooks.on` was given: an event and a handler, with options between them, or what `hook()` gave. What makes no sense is left as it is. */
export function readRegistration(given: readonly unknown[], tools: readonly string[]): Omit<FunctionHook, "order" | "tell"> {
  const [first] = given;
  if (isDefinition(first) && given.length === 1) {
    const { ownNames = [], ...options } = first.options;
    return { event: first.event, options, handler: first.handler, tools: [...tools, ...ownNames] };
  }
  const [event, options, handler] = given.length === 2 && typeof given[1] === "function" ? [first, {}, given[1]] : given;
  return { event, options, handler, tools } as Omit<FunctionHook, "order" | "tell">;
}

/** A function of the program as a hook like any other, and what is odd about its options. Throws if it is ambiguous what was meant. */
export function registerFunction({ event, options, handler, order, tools, tell }: FunctionHook): {
  readonly hook: RegisteredHook;
  /** An option that has no effect. */
  readonly ignored?: string | undefined;
  /** Its matcher fits nothing that is known. */
  readonly unknown?: string | undefined;
} {
  // The program's own mistake, said to it at once: a guard that is not registered must not look like one that is.
  if (!isEventName(event)) throw mistake("HL_CONFIG_UNKNOWN_EVENT", unknownEventText(event));
  if (isHolder(options)) throw invalidOption(`hooks.on("${event}"): the options are ${shown(options)}. Write a plain object`);
  const row = EVENTS[event];
  const found = findMistake(options ?? {}, handler, { ...expectation(row, tools), event });
  if (found && found.kind !== "ignored") throw mistake(found.code as ErrorCode, `hooks.on("${event}"): ${found.text}`);
  if (options?.sequenceMode !== undefined && options.sequence === undefined)
    throw invalidOption(`hooks.on("${event}"): sequenceMode is for a sequence. Write sequence: "NAME", too`);
  const registration: FunctionHook = { event, options: options ?? {}, handler, order, tools, tell };
  const hook = hookOf(row, registration);
  noteRegistered(handler);
  return {
    hook,
    ignored: found?.text ?? cannotBlock(row, registration),
    unknown: row.matcher ? unknownMatch(hook, row.matcher, registration) : undefined,
  };
}

/** More are counted: a program that imports a whole library of hooks gets a short list. */
const MOST_NAMED = 20;

/** SECURITY: a definition that was imported and not registered looks like a guard that agrees. */
export function unregisteredDiagnostics(): readonly Diagnostic[] {
  return [...unregisteredDefinitions(), ...looseDiagnostics()];
}

/** Guards that a front has registered, and hung on no engine yet; one list for each process, whichever copy of this module it is. */
export function looseGuards(): Map<object, string> {
  const shared = globalThis as { [key: symbol]: Map<object, string> | undefined };
  const key = Symbol.for("hookloop.loose-guards");
  shared[key] ??= new Map();
  return shared[key];
}

function looseDiagnostics(): readonly Diagnostic[] {
  const loose = looseGuards();
  const names = [...loose.values()].slice(0, MOST_NAMED);
  loose.clear();
  return names.map((named) => ({
    code: "HL_CONFIG_NOT_REGISTERED",
    level: "error",
    text: `${named} is on no engine, so it does not run here. Write attach(hooks) of its registry before the first event, or run tools with executeToolWithHooks().`,
  }));
}

function unregisteredDefinitions(): readonly Diagnostic[] {
  const all = unregisteredHooks();
  if (all.length === 0) return [];
  const named = all.slice(0, MOST_NAMED);
  const places = placesOf(named.map(({ handler }) => handler));
  const cure = "Write hooks.on(definition) with what hook() returned, before the first event.";
  const diagnostics = named.map(({ event, options, handler }, index): Diagnostic => {
    const { name = handler.name, guard } = (options ?? {}) as FunctionOptions;
    const called = name === "" ? "" : ` "${String(name).slice(0, 60)}"`;
    return {
      code: "HL_CONFIG_NOT_REGISTERED",
      level: guard === true ? "error" : "warning",
      place: places[index],
      text: `hook("${String(event).slice(0, 60)}") declared the ${guard === true ? "guard" : "hook"}${called}, and no engine has it, so it does not run. ${cure}`,
    };
  });
  const more = all.length - named.length;
  if (more === 0) return diagnostics;
  const text = `${more} more hooks were declared with hook(), and no engine has them, so they do not run. ${cure}`;
  const isGuard = all.slice(MOST_NAMED).some(({ options }) => ((options ?? {}) as FunctionOptions).guard === true);
  return [...diagnostics, { code: "HL_CONFIG_NOT_REGISTERED", level: isGuard ? "error" : "warning", text }];
}

/**
 * Where functions stand, asked of V8 itself: `hook()` notes no place, because that would cost every hook script. Asked only where something is
 * wrong, and once for all: each session is told of every script that was ever loaded.
 */
function placesOf(handlers: readonly object[]): readonly (Place | undefined)[] {
  const files = new Map<string, string>();
  const holder = Symbol.for("hookloop.placed");
  const places: (Place | undefined)[] = handlers.map(() => undefined);
  try {
    const { Session } = createRequire(import.meta.url)("node:inspector") as typeof import("node:inspector");
    const session = new Session();
    session.connect();
    Object.assign(globalThis, { [holder]: handlers });
    session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
    session.post("Debugger.enable");
    const look = (objectId: string, index: number): void =>
      session.post("Runtime.getProperties", { objectId }, (_none, { internalProperties = [] }) => {
        const inside = (wanted: RegExp) => internalProperties.find(({ name }) => wanted.test(name))?.value;
        // A bound function or a proxy stands nowhere; what it calls does.
        const target = inside(/^\[\[Target(?:Function)?\]\]$/)?.objectId;
        if (target !== undefined) return look(target, index);
        const { scriptId, lineNumber, columnNumber } = inside(/^\[\[FunctionLocation\]\]$/)?.value ?? {};
        const url = files.get(scriptId) ?? "";
        if (url !== "")
          places[index] = { file: url.startsWith("file:") ? fileURLToPath(url) : url, line: lineNumber + 1, column: columnNumber + 1 };
      });
    for (const index of handlers.keys()) {
      const expression = `globalThis[Symbol.for("${holder.description}")][${index}]`;
      session.post("Runtime.evaluate", { expression }, (_failed, { result }) => look(String(result.objectId), index));
    }
    session.disconnect();
  } catch {
    // A Node without an inspector: the hook is named by its event all the same.
  }
  delete (globalThis as { [key: symbol]: unknown })[holder];
  return places;
}

/** What options promise that a failed hook of the event does not do. */
function cannotBlock(row: EventRow, { event, options }: FunctionHook): string | undefined {
  const { guard, onFailure } = options;
  if (row.failureCanBlock || (canBlockIfWritten(row) && (guard === true || onFailure === "block"))) return undefined;
  if (onFailure === "ask" && canBlockIfWritten(row)) return `onFailure: "ask" has no effect: ${NO_QUESTION}`;
  if (guard === true)
    return `guard: a hook of ${event} that fails cannot block; the failure is reported, and the agent continues. What it returns counts`;
  return onFailure === "block" || onFailure === "ask"
    ? `onFailure: "${onFailure}" has no effect: a hook of ${event} that fails cannot block. Leave it out`
    : undefined;
}

/** What a matcher names that is not known: a typo would be silent, so it is reported. Agents have tools of their own, so it is no error. */
function unknownMatch({ names = [], fits }: RegisteredHook, matcher: Matcher, { options, tools }: FunctionHook): string | undefined {
  const { field, isTool } = matcher;
  const known = isTool ? [...TOOL_NAMES, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES), ...tools] : matcher.values;
  if (known.length === 0) return undefined;
  const pattern = String(options?.tool ?? options?.match);
  // Which MCP servers there will be is not known here.
  if (fits && !known.some(fits) && !(isTool && /mcp/i.test(pattern)))
    return `${pattern.slice(0, 60)} matches no known ${field}. ${cureFor(undefined, matcher, tools)}`;
  // Of a server whose tools the program lists, every tool is known.
  const isOfServer = (name: string): boolean => {
    const server = /^mcp__.+?__(?=.)/.exec(name)?.[0];
    return server !== undefined && !tools.some((tool) => tool.startsWith(server));
  };
  const stranger = names.find((name) => !known.includes(name) && !name.endsWith("*") && !isOfServer(name));
  return stranger && `no known ${field} is called "${stranger.slice(0, 60)}". ${cureFor(stranger, matcher, tools)}`;
}

function cureFor(name: string | undefined, { isTool, values }: Matcher, tools: readonly string[]): string {
  if (!isTool) return `Known are ${values.join(", ")}`;
  const meant = name === undefined ? undefined : (calledElsewhere(name) ?? nearestName(name, [...tools, ...TOOL_NAMES]));
  const own = name === undefined ? "names of its own tools" : `"${name.slice(0, 60)}"`;
  return `${meant === undefined ? "" : `Did you mean "${meant}"? `}If the agent has such a tool, list it: openHooks({ tools: [${own}] })`;
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

function hookOf(row: EventRow, { event, options, handler, order, tell }: FunctionHook): RegisteredHook {
  const name = options.name ?? (handler.name || `function ${order + 1}`);
  const isGuard = options.guard ?? false;
  const filter = row.matcher ? (options.tool ?? options.match) : undefined;
  const { looksItself, ...named } = filter === undefined ? {} : matchedBy(filter, row);
  const { names, fits } = named as ReturnType<typeof matchedBy>;
  const onFailure = directionAt(row, isGuard ? "block" : (options.onFailure ?? row.onFailure)) ?? "continue";
  // SECURITY: whoever says that its failure blocks means a guard, by whatever option.
  const isWatched = isGuard || isWatchedGuard({ event, isGuard, onFailure });
  const called = isWatched ? watchedGuard(handler, tell, names ?? (fits ? TOOL_NAMES.filter(fits) : [])) : handler;
  const picked = looksItself ? filtered(called, filter as NonNullable<typeof filter>, row) : called;
  return {
    id: `code:${event}:${order}`,
    name,
    event,
    ...named,
    target: { kind: "function", handler: isWatched ? picked : inOwnContext(picked), registered: handler },
    source: { scope: "code", dialect: OWN_DIALECT, root: "", ...boundTo(options, handler) },
    order,
    priority: options.priority ?? 0,
    sequence: options.sequence === undefined ? undefined : `code:${options.sequence}`,
    sequenceMode: options.sequenceMode,
    isGuard,
    onFailure,
    onTimeout: directionAt(row, options.onTimeout),
    timeoutMs: options.timeoutMs ?? (row.role === "gate" ? GATE_MS : OBSERVER_MS),
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    dedupKey: `code:${order}`,
  };
}

/** Functions of the program's own bookkeeping. No option: a guard of a program must not be able to hide. */
export const INTERNAL: WeakSet<object> = new WeakSet();

function boundTo({ sessionId, agentId }: FunctionOptions, handler: HookFunction): Partial<RegisteredHook["source"]> {
  const bound = { ...(sessionId !== undefined && { sessionId }), ...(agentId !== undefined && { agentId }) };
  return INTERNAL.has(handler) ? { ...bound, isInternal: true } : bound;
}

function unknownEventText(event: unknown): string {
  if (typeof event !== "string") return `hooks.on() takes the name of one event first, not ${shown(event)}. ${eventCure(event)}`;
  const nearest = nearestName(String(event), EVENT_NAMES);
  return `"${String(event)}" is not an event.${nearest ? ` Did you mean "${nearest}"?` : " `hookloop events` lists all."}`;
}

function eventCure(event: unknown): string {
  const values: readonly unknown[] = typeof event === "object" && event !== null ? Object.values(event) : [];
  if (values.some(isDefinition)) return "Register each definition: for (const definition of Object.values(…)) hooks.on(definition)";
  return values.some(isEventName) ? "Call it once for each event" : 'Write hooks.on("PreToolUse", options, handler)';
}

/** How its calls are picked: by a matcher as settings have it, by a test of the name, or by the function itself. */
function matchedBy(
  filter: string | readonly string[] | RegExp,
  row: EventRow,
): Pick<RegisteredHook, "matcher" | "names" | "fits"> & { readonly looksItself?: boolean } {
  // A matcher of settings is text and has no flags.
  if (typeof filter === "object" && !Array.isArray(filter))
    return { fits: readFilter(filter, row.matcher?.isTool === true, row.matcher?.basename === true).matches };
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

/** What is compared with a whole path is not in the plan, so the function itself looks. Without the field it is called: its name may be misspelt. */
function filtered(handler: HookFunction, filter: string | readonly string[] | RegExp, { matcher }: EventRow): HookFunction {
  const { matches } = readFilter(filter, matcher?.isTool === true, matcher?.basename === true);
  return (input, run) => {
    const value = (input as Record<string, unknown>)[matcher?.field ?? ""];
    if (typeof value !== "string" || value === "") return handler(input, run);
    return matches(value) ? handler(input, run) : undefined;
  };
}

/** Of a function: there is no file that would say which one it is. */
export function functionRefusal(refused: RefusedHook): Diagnostic {
  const { name, event, isGuard } = refused.hook;
  const diagnostic = refusalDiagnostic(refused);
  const guard = isGuard ? ", a guard," : "";
  return {
    ...diagnostic,
    text: `hooks.on("${event}"): "${name.slice(0, 60)}"${guard} is not run, and ${event} continues without it. ${diagnostic.text}`,
  };
}

const FRONTMATTER: Readonly<Record<keyof Frontmatter, Allowed>> = {
  text: "any text",
  file: "text",
  root: "text",
  skill: "any text",
  agentId: "text",
  isEdited: "flag",
};

/** SECURITY: a head under another name is one that is not read, with its guards. */
export function checkFrontmatter(given: unknown): void {
  const cure = "Write hooks.attach({ text, file })";
  if (typeof given !== "object" || given === null || isHolder(given)) throw invalidOption(`attach() was given ${shown(given)}. ${cure}`);
  checkEntries("attach()", given, FRONTMATTER);
  const missing = (["text", "file"] as const).find((name) => (given as Partial<Frontmatter>)[name] === undefined);
  if (missing) throw invalidOption(`${missing} of attach() is missing. ${cure}`);
}
