import type { EventName, HookHandler } from "@hookloop/sdk";
import { SHIPPED_HOOKS, type ShippedName, type UsedHook } from "../catalogue/index.ts";
import { invalidOption, shown } from "../check-options.ts";
import type { FunctionOptions, HookEngine, SessionPlace } from "../engine/index.ts";
import { checkFields } from "../judge/index.ts";
import { permission } from "./permission-hook.ts";
import { protectBranches } from "./protect-branches-hook.ts";
import { safety } from "./safety-hook.ts";
import { secretGuard } from "./secret-guard-hook.ts";
import { workspaceBoundary } from "./workspace-boundary-hook.ts";

export { commandsOf } from "./call-effect.ts";
export { DENIED_BY_LIST, DENIED_BY_USER, judgePermission, permission } from "./permission-hook.ts";
export { protectBranches } from "./protect-branches-hook.ts";
export { safety } from "./safety-hook.ts";
export { secretGuard } from "./secret-guard-hook.ts";
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

/** Of a command hook, seconds. */
const SECONDS = { guard: 30, observer: 60 } as const;

/** What a settings file of another agent needs to run it: for which events, with which matcher and limit. */
export function shippedEntries(
  name: ShippedName,
): readonly { readonly event: EventName; readonly matcher: string | undefined; readonly seconds: number }[] {
  const nowhere: SessionPlace = { cwd: "/", home: "/", env: {}, stateFolder: "/", directories: () => [], report: () => {} };
  const parts = MAKERS[name](nowhere).parts.map(({ event, options: { tool, match, timeoutMs } = {} }) => {
    const given = tool ?? match;
    const matcher = given instanceof RegExp ? given.source : typeof given === "object" ? given.join("|") : given;
    const seconds = timeoutMs === undefined ? SECONDS[SHIPPED_HOOKS[name].role] : Math.ceil(timeoutMs / 1000);
    return { event, matcher, seconds };
  });
  // Several functions for the same calls are one command.
  return parts.filter((one, index) => parts.findIndex(({ event, matcher }) => event === one.event && matcher === one.matcher) === index);
}

/** Registers those that files and the program name. */
export function useNamed(hooks: HookEngine, used: readonly UsedHook[]): void {
  for (const { name, options } of used) useShipped(hooks, MAKERS[name], options);
}
