import type { EventName, HookHandler } from "@hookloop/sdk";
import type { FunctionOptions, HookEngine } from "../engine/index.ts";

/** A hook that comes with hookloop: an ordinary function hook with a name of its own. */
export interface ShippedHook<Event extends EventName = EventName> {
  readonly name: string;
  readonly event: Event;
  readonly options: Omit<FunctionOptions, "name">;
  readonly handler: HookHandler<Event, string>;
}

/** Registers it as any program would; `HOOKLOOP_DISABLE=name` reaches it. Gives the function that takes it away. */
export function useShipped<Event extends EventName>(hooks: HookEngine, { name, event, options, handler }: ShippedHook<Event>): () => void {
  return hooks.on(event, { ...options, name }, handler);
}
