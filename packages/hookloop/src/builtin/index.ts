import type { EventName, HookHandler } from "@hookloop/sdk";
import type { ShippedName, UsedHook } from "../catalogue/index.ts";
import type { FunctionOptions, HookEngine, SessionPlace } from "../engine/index.ts";
import { safety } from "./safety-hook.ts";
import { workspaceBoundary } from "./workspace-boundary-hook.ts";

export { safety } from "./safety-hook.ts";
export { workspaceBoundary } from "./workspace-boundary-hook.ts";

/** A hook that comes with hookloop: one or more ordinary function hooks under one name. */
export interface ShippedHook {
  readonly name: ShippedName;
  readonly parts: readonly ShippedPart[];
}

/** One of its functions, for one event. */
export interface ShippedPart<Event extends EventName = EventName> {
  readonly event: Event;
  readonly options?: Omit<FunctionOptions, "name"> | undefined;
  // A method, so that a part for one event is a part.
  handler(...given: Parameters<HookHandler<Event, string>>): ReturnType<HookHandler<Event, string>>;
}

/** Makes a shipped hook for the place a session works in, with the options that stand beside its name in `use`. */
export type MakeShipped<Options extends object = object> = (place: SessionPlace, options?: Options) => ShippedHook;

const MAKERS: Readonly<Record<ShippedName, MakeShipped>> = {
  safety,
  "workspace-boundary": workspaceBoundary,
};

/** Registers it as any program would; `HOOKLOOP_DISABLE=name` reaches it. Gives the function that takes it away. */
export function useShipped<Options extends object>(hooks: HookEngine, make: MakeShipped<Options>, options?: Options): () => void {
  const { name, parts } = make(hooks.internals.place, options);
  const takeAway = parts.map(({ event, options, handler }) => hooks.on(event, { ...options, name }, handler));
  return () => {
    for (const one of takeAway) one();
  };
}

/** Registers those that files and the program name. */
export function useNamed(hooks: HookEngine, used: readonly UsedHook[]): void {
  for (const { name, options } of used) useShipped(hooks, MAKERS[name], options);
}
