import type { EventName, HookHandler } from "@hookloop/sdk";
import type { SHIPPED_HOOKS } from "../catalogue/index.ts";
import type { FunctionOptions, HookEngine } from "../engine/index.ts";
import { safetyHook } from "./safety-hook.ts";
import { workspaceBoundaryHook } from "./workspace-boundary-hook.ts";

export { safetyHook } from "./safety-hook.ts";
export { workspaceBoundaryHook } from "./workspace-boundary-hook.ts";

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

interface ShippedOptions {
  readonly home: string;
  /** The shell that runs commands. */
  readonly shell?: string | undefined;
  /** The project and the folders added to it, at the time of the call. */
  readonly directories: () => readonly string[];
}

const SHIPPED: Readonly<Record<(typeof SHIPPED_HOOKS)[number], (options: ShippedOptions) => ShippedHook<"PreToolUse">>> = {
  safety: ({ home, shell }) => safetyHook({ home, shell }),
  "workspace-boundary": ({ home, directories }) => workspaceBoundaryHook({ home, directories }),
};

/** Registers those that files and the program name, each once. */
export function useNamed(hooks: HookEngine, names: ReadonlySet<string>, options: ShippedOptions): void {
  for (const [name, shipped] of Object.entries(SHIPPED)) if (names.has(name)) useShipped(hooks, shipped(options));
}
