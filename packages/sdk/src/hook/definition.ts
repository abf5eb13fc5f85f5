import type { EventAbilities, EventInputs, EventName, EventOutputs } from "../generated/events.ts";
import type { ToolInputs, ToolName, ToolResponses } from "../generated/tools.ts";
import type { HookResult, Part } from "./results.ts";

/** Events about one tool call. */
export type ToolEvent = { [Event in EventName]: EventInputs[Event] extends { tool_input: unknown } ? Event : never }[EventName];

/** The payload a handler gets; a known tool narrows `tool_input` and `tool_response`, and so does a list as in `"Edit|Write"`. */
export type HookInput<Event extends EventName = EventName, Tool extends string = string> = Event extends ToolEvent
  ? ToolCallInput<Event, NamesIn<Tool>>
  : EventInputs[Event];

/** The names of a list as settings write it. */
type NamesIn<List extends string> = string extends List
  ? string
  : List extends `${infer One}${"|" | ","}${infer Others}`
    ? NamesIn<One> | NamesIn<Others>
    : Trimmed<List>;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trimmed<Rest> : Text;

type ToolCallInput<Event extends ToolEvent, Tool extends string> = Tool extends ToolName
  ? Omit<EventInputs[Event], "tool_name" | "tool_input" | "tool_response"> & {
      readonly tool_name: Tool;
      readonly tool_input: ToolInputs[Tool];
    } & (EventInputs[Event] extends { tool_response: unknown }
        ? { readonly tool_response: Tool extends keyof ToolResponses ? ToolResponses[Tool] : unknown }
        : unknown)
  : EventInputs[Event];

/** What a handler of this event may say. Anything else does not compile. */
export type HookSays<Event extends EventName, Tool extends string = string> = {
  [Can in EventAbilities[Event]]: Part<Can, SaidValue<Can, Event, NamesIn<Tool>>>;
}[EventAbilities[Event]];

type SaidValue<Can, Event extends EventName, Tool extends string> = Can extends "rewrite"
  ? Tool extends ToolName
    ? ToolInputs[Tool]
    : object
  : Can extends "output"
    ? EventOutputs[Event]
    : unknown;

type MaybePromise<Value> = Value | Promise<Value>;

/** What a handler is told about its own run. */
export interface HookRun {
  /** Aborted when the time limit passes: end what the hook has started. */
  readonly signal: AbortSignal;
  /** The conversation so far, for functions of an engine; absent in a script. */
  readonly messages?: readonly { readonly role: "user" | "assistant"; readonly content: unknown }[] | undefined;
}

/** Returns what the hook says; nothing means no opinion. */
export type HookHandler<Event extends EventName, Tool extends string = string> = (
  input: HookInput<Event, Tool>,
  run: HookRun,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is a handler with no opinion
) => MaybePromise<HookResult<HookSays<Event, Tool>> | undefined | void>;

type Filter<Value extends string> = Value | readonly Value[] | RegExp;

export interface HookOptions<Tool extends string = string> {
  /** Name in logs and messages; the script's file name if left out. */
  readonly name?: string;
  /** Only these tools: a name, several (`"Edit|Write"`, a list), `"*"`, `"mcp__server__*"`, or a RegExp, which matches as `test()` does. */
  readonly tool?: Filter<Tool>;
  /** Only these values of the field the event is matched by, as in `source: "startup"` of SessionStart; written as `tool` is. */
  readonly match?: Filter<string>;
  /** Names that only your agent has, such as tools of your own: a matcher for an unknown name is an error. */
  readonly ownNames?: readonly string[];
  /** If the hook fails, block instead of letting the call continue. */
  readonly guard?: boolean;
  /** Give up after this long; by default shortly before the agent would. */
  readonly timeoutMs?: number;
}

/** Options that make no sense for the event are type errors. */
export type OptionLimits<Event extends EventName> = (Event extends ToolEvent ? { readonly match?: never } : { readonly tool?: never }) &
  ("block" extends EventAbilities[Event] ? unknown : { readonly guard?: never });

/** A declared hook: what `hook()` returns, `callHook()` takes and a module exports. */
export interface HookDefinition<Event extends EventName = EventName> {
  readonly event: Event;
  readonly options: HookOptions;
  readonly handler: (input: never, run: HookRun) => unknown;
}

/** An S4-style main function, as `runHook` was given it. */
export interface MainDefinition {
  readonly main: () => unknown;
  readonly name: string;
  readonly guard: boolean;
  /** What is wrong with how it was declared: then it is a guard that blocks. */
  readonly mistake?: string | undefined;
}

/** Everything declared in this process. */
export interface Declarations {
  readonly definitions: HookDefinition[];
  readonly mains: MainDefinition[];
  /** `waiting`: declared by an imported file; `scheduled`: by the script itself; `answering`: the event has been read; `embedded`: what files declare is for an engine. */
  state?: "waiting" | "scheduled" | "answering" | "embedded";
  /** Set by a program that calls the hooks itself (a test, a warm worker): then nothing runs on its own. */
  isHosted?: true;
  /** The file that such a program has loaded, if it is one. */
  file?: string | undefined;
  /** Set when the exit of the process is watched. */
  isWatched?: true;
  /** The script does something with the SDK that needs no hook, such as logging. */
  isUsed?: true;
  /** What was called where nothing may listen: `deny` without a hook, or `hook` itself in a script that imports the testing entry. */
  refusal?: string;
  /** Set by tests: they look closer at what a hook does than an agent has time to. */
  isTested?: true;
  /** Set by tests: calling a hook must not write into the project it is tested in. */
  isLogOff?: true;
}

/** One list even if a script has loaded two copies of the SDK: it must answer once. */
export function declarations(): Declarations {
  const shared = globalThis as { [key: symbol]: Declarations | undefined };
  const key = Symbol.for("hookloop.sdk");
  shared[key] ??= { definitions: [], mains: [] };
  return shared[key];
}
