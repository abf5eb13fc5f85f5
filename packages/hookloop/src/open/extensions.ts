/** Registries of hooks that a session takes along. */

import type { HookEngine } from "../engine/index.ts";

/** Hooks that were registered apart from any engine, and can be hung on one. */
export interface HookRegistry {
  /** Hangs the hooks, also later ones, on an engine; the function it returns takes them from it. */
  attach(hooks: HookEngine): () => void;
}

const REGISTRIES: unique symbol = Symbol.for("hookloop.default-registries") as never;

/** The registries behind the free functions of this process, whichever copy of hookloop they come from. */
export function defaultRegistries(): Set<HookRegistry> {
  const holder = globalThis as { [REGISTRIES]?: Set<HookRegistry> };
  holder[REGISTRIES] ??= new Set();
  return holder[REGISTRIES];
}
