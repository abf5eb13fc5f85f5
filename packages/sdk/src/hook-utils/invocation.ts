import { AsyncLocalStorage } from "node:async_hooks";
import { readSync } from "node:fs";
import type { EventInputs, EventName } from "../generated/events.ts";
import { declarations } from "../hook/definition.ts";
import { type HookResult, type Part, type ResultListener, resultListeners } from "../hook/results.ts";
import { documentScanner, type Payload } from "../run/script.ts";

/** One call of an emit function, not yet fitted to the event. */
export interface Emission {
  /** The function that was called. */
  readonly by: "emitContext" | "emitBlock" | "emitContextAndBlock" | "emitBlockPrompt" | "emitBlockTopLevel" | "emitPermissionDecision";
  readonly parts: readonly Part[];
}

/** What belongs to one run of one hook. It is never kept in the module: hooks may share a process. */
export interface Invocation {
  readonly payload: object | undefined;
  /** Absent in the handlers of `hook()`, which return what they say. */
  readonly emit?: (emission: Emission) => void;
  /** The results that its code has made, each with those that went into it. */
  readonly made: [result: HookResult, from: readonly HookResult[]][];
  /** Set when its code has returned: told about a result that is made afterwards, which is not waited for. */
  onLate?: (result: HookResult) => void;
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
  resultListeners().add(noteResult);
  return current().run(invocation, main);
}

const noteResult: ResultListener = (...made) => {
  const invocation = current().getStore();
  invocation?.made.push(made);
  invocation?.onLate?.(made[0]);
};

/** What it made and did not return; nothing if it returned something else instead, which is its own business. */
export function forgottenResult(returned: unknown, { made }: Invocation): HookResult | undefined {
  return (returned ?? undefined) === undefined ? made.at(-1)?.[0] : made.find(([, from]) => from[0] === returned)?.[0];
}

/** The payload of the event being answered, or nothing: `loadHookInput<"Stop">()` gives it that event's type. */
export function loadHookInput<Event extends EventName | undefined = undefined>(): LoadedInput<Event> | undefined {
  const invocation = current().getStore();
  if (invocation) return invocation.payload as LoadedInput<Event> | undefined;
  declarations().isUsed = true;
  try {
    return JSON.parse(readDocument()) as LoadedInput<Event>;
  } catch {
    // No event, or none that can be read: both are "nothing" to a caller that asked for a payload.
    return undefined;
  }
}

/** Outside of runHook() the caller wants it now: read to the end of the document, not to the end of the stream. */
function readDocument(): string {
  const chunks: Buffer[] = [];
  const endOf = documentScanner();
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    const size = readSync(0, chunk);
    const end = endOf(chunk.subarray(0, size));
    chunks.push(chunk.subarray(0, end || size));
    if (end > 0 || size === 0) return Buffer.concat(chunks).toString();
  }
}

export function emit(by: Emission["by"], ...parts: readonly Part[]): void {
  const invocation = current().getStore();
  if (!invocation?.emit) {
    if (parts.some(({ can }) => can === "block" || can === "deny")) declarations().refusal ??= by;
    throw new Error(`${by}() was called outside of runHook(main, name)`);
  }
  invocation.emit({ by, parts });
}
