import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import type { EventInputs, EventName } from "../generated/events.ts";
import type { Part } from "../hook/results.ts";
import type { Payload } from "../run/payload.ts";

/** One call of an emit function, not yet fitted to the event. */
export interface Emission {
  /** The function that was called. */
  readonly by: "emitContext" | "emitBlock" | "emitBlockPrompt" | "emitBlockTopLevel" | "emitPermissionDecision";
  readonly parts: readonly Part[];
}

/** What belongs to one run of one hook. It is never kept in the module: hooks may share a process. */
export interface Invocation {
  readonly payload: object | undefined;
  emit(emission: Emission): void;
}

type LoadedInput<Event> = Event extends EventName ? EventInputs[Event] : Payload;

/** One store per process, also if two copies of the SDK are loaded: the runner is a bundle of its own. */
function current(): AsyncLocalStorage<Invocation> {
  const shared = globalThis as { [key: symbol]: AsyncLocalStorage<Invocation> | undefined };
  const key = Symbol.for("hookloop.sdk.invocation");
  shared[key] ??= new AsyncLocalStorage<Invocation>();
  return shared[key];
}

/** Runs `main` so that everything it calls finds this invocation, also after an await. */
export function within<Result>(invocation: Invocation, main: () => Result): Result {
  return current().run(invocation, main);
}

/** The payload of the event being answered, or nothing: `loadHookInput<"Stop">()` gives it that event's type. */
export function loadHookInput<Event extends EventName | undefined = undefined>(): LoadedInput<Event> | undefined {
  const invocation = current().getStore();
  if (invocation) return invocation.payload as LoadedInput<Event> | undefined;
  try {
    // Outside runHook() the caller wants it now, and stdin ends when the agent has written it.
    return JSON.parse(readFileSync(0, "utf8")) as LoadedInput<Event>;
  } catch {
    // No event, or none that can be read: both are "nothing" to a caller that asked for a payload.
    return undefined;
  }
}

export function emit(by: Emission["by"], ...parts: readonly Part[]): void {
  const invocation = current().getStore();
  if (!invocation) throw new Error(`${by}() was called outside of runHook(main, name)`);
  invocation.emit({ by, parts });
}
