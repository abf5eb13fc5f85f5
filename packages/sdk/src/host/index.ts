// For programs that keep hook files loaded and call their hooks themselves: nothing they declare runs on its own.
import { declarations } from "../hook/declarations.ts";
import type { HookDefinition } from "../hook/definition.ts";
import { changeable, hooksScript } from "../run/hooks-script.ts";
import { changedInput } from "../run/mistakes.ts";
import { type Payload, parsePayload } from "../run/payload.ts";
import { answerEvent, type Script } from "../run/script.ts";
import { armed, scriptOf } from "../run/script-of.ts";
import { misspeltField, watchInput } from "../run/slips.ts";
import type { Written } from "../wire/encode.ts";
import { eventFacts } from "../wire/event-facts.ts";

export { type HookResult, type ResultListener, resultListeners } from "../hook/results.ts";
export { thrownPlace } from "../problem.ts";
export { alternativesOf, fitsServers, readFilter } from "../run/matchers.ts";
export { findMistake, HOOK_OPTIONS, type Mistake, misreadField, type OptionType } from "../run/mistakes.ts";
export { WATCHED, type WatchedInput, watchInput } from "../run/slips.ts";
export { encode, type Written } from "../wire/encode.ts";
export type { Script };

/** Must be called before a hook file is loaded. */
export function hostHooks(): void {
  Object.assign(declarations(), { isHosted: true });
}

/** Whether `hook()` or `runHook()` in the program's own file has made a hook script of it: it takes stdin and stdout, and ends when it has answered. */
export function isHookScript(): boolean {
  const { state, isHosted } = declarations();
  return !isHosted && (state === "scheduled" || state === "answering");
}

/** Everything the loaded files have declared as one script; nothing if they have declared nothing. */
export function declaredScript(name: string, isGuarded: boolean): Script | undefined {
  return scriptOf(declarations(), name, isGuarded);
}

/** The hooks that the loaded files have declared; nothing if a main function, which may be for anything, is among what they have. */
export function declaredHooks(): readonly HookDefinition[] {
  const { definitions, mains } = declarations();
  return mains.length > 0 ? [] : definitions;
}

/** One declared hook as a script of its own. */
export function definitionScript(definition: HookDefinition, name: string, isGuarded: boolean): Script {
  return hooksScript(isGuarded ? armed({ definitions: [definition], mains: [] }).definitions : [definition], name);
}

/** Whether a value is what `hook()` gives. */
export function isDefinition(value: unknown): value is HookDefinition {
  const { event, options, handler } = (value ?? {}) as Partial<HookDefinition>;
  return typeof event === "string" && typeof options === "object" && typeof handler === "function";
}

/** A function that is a guard, but was not declared with `hook()`: what it must be given, and what is wrong if it then says nothing. */
export function watchedCall(payload: object, name: string): { readonly input: object; misread(): Promise<string | undefined> } {
  const watch = watchInput(payload as Payload);
  const script = { name, isGuard: true };
  const before = changeable(payload as Payload);
  return {
    input: watch.input,
    misread: async () => {
      const misread = await misspeltField({ watch, script, parts: [], names: [] });
      const facts = eventFacts((payload as Payload).hook_event_name);
      return (misread ?? (facts && changeable(watch.input) !== before ? changedInput(name, facts) : undefined))?.message;
    },
  };
}

/** One event in, one answer out. Calls may overlap: each sees its own event. */
export function answerWith(script: Script, payload: Uint8Array): Promise<Written> {
  return answerEvent(script, parsePayload(payload));
}
