import type { EventName, HookHandler } from "@hookloop/sdk";
import { SHIPPED_HOOKS, type ShippedName, type UsedHook } from "../catalogue/index.ts";
import { invalidOption, shown } from "../check-options.ts";
import type { FunctionOptions, HookEngine, SessionPlace } from "../engine/index.ts";
import { checkFields } from "../judge/index.ts";
import { autoCompact } from "./auto-compact-hook.ts";
import { formatOnEdit } from "./format-on-edit-hook.ts";
import { gitContext } from "./git-context-hook.ts";
import { permission } from "./permission-hook.ts";
import { protectBranches } from "./protect-branches-hook.ts";
import { safety } from "./safety-hook.ts";
import { secretGuard } from "./secret-guard-hook.ts";
import { testBeforeStop } from "./test-before-stop-hook.ts";
import { workspaceBoundary } from "./workspace-boundary-hook.ts";

export { type AutoCompactOptions, autoCompact } from "./auto-compact-hook.ts";
export { commandsOf } from "./call-effect.ts";
export { formatOnEdit } from "./format-on-edit-hook.ts";
export { gitContext } from "./git-context-hook.ts";
export { DENIED_BY_LIST, DENIED_BY_USER, judgePermission, permission } from "./permission-hook.ts";
export { protectBranches } from "./protect-branches-hook.ts";
export { safety } from "./safety-hook.ts";
export { secretGuard } from "./secret-guard-hook.ts";
export { testBeforeStop } from "./test-before-stop-hook.ts";
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
  "secret-guard": secretGuard,
  "protect-branches": protectBranches,
  permission,
  "auto-compact": autoCompact,
  "format-on-edit": formatOnEdit,
  "test-before-stop": testBeforeStop,
  "git-context": gitContext,
};

/** Registers it as any program would; `HOOKLOOP_DISABLE=name` reaches it. Gives the function that takes it away. */
export function useShipped<Options extends object>(hooks: HookEngine, make: MakeShipped<Options>, options?: Options): () => void {
  if (typeof make !== "function")
    throw invalidOption(`useShipped() takes a shipped hook, not ${shown(make)}. Write useShipped(hooks, safety, { … })`);
  const { name, parts } = make(hooks.internals.place, options);
  checkFields(`useShipped(hooks, "${name}")`, { ...options }, SHIPPED_HOOKS[name].options);
  const takeAway = parts.map(({ event, options, handler }) => hooks.on(event, { ...options, name }, handler));
  return () => {
    for (const one of takeAway) one();
  };
}

/** Registers those that files and the program name. */
export function useNamed(hooks: HookEngine, used: readonly UsedHook[]): void {
  for (const { name, options } of used) useShipped(hooks, MAKERS[name], options);
}
