// For programs that keep hook files loaded and call their hooks themselves: nothing they declare runs on its own.

import { eventFacts } from "./event-facts.ts";
import { declarations, type HookDefinition } from "./hook/definition.ts";
import type { HookResult } from "./hook/results.ts";
import { type Invocation, within } from "./hook-utils/invocation.ts";
import type { Written } from "./run/encode.ts";
import { hooksScript } from "./run/hooks-script.ts";
import type { StandIn } from "./run/run-script.ts";
import { answerEvent, crashed, type ParsedPayload, type Payload, parsePayload, type Said, type Script } from "./run/script.ts";
import { armed, scriptOf } from "./run/script-of.ts";
import { awaitLate, lateResult, spokenSlip, watchCall } from "./run/slips.ts";
import type { ProcessWatch } from "./run/watch-process.ts";

export { besideResult, type HookResult, type ResultListener, resultListeners } from "./hook/results.ts";
export { thrownPlace } from "./problem.ts";
export { encode, type Written } from "./run/encode.ts";
export { alternativesOf, fitsServers, readFilter, serverGlob } from "./run/matchers.ts";
export { findMistake, HOOK_OPTIONS, type Mistake, misreadField, type OptionType } from "./run/mistakes.ts";
export type { ScriptProcess, StandIn } from "./run/run-script.ts";
export { WATCHED, type WatchedInput, watchInput } from "./run/slips.ts";
export { type ProcessWatch, strayOutput } from "./run/watch-process.ts";
export { scriptSlip, serverToolsNamed, spellingSlip } from "./source/script-text.ts";
export { type HookCommand, hookCommand } from "./testing/hook-command.ts";
export type { Script };

/** Must be called before a hook file is loaded; `file` where it is the only one. */
export function hostHooks(file?: string): void {
  Object.assign(declarations(), { isHosted: true, file });
}

/** Before the same file is loaded once more: what it has declared is gone, nothing it declares runs on its own. */
export function forgetHooks(file?: string): void {
  const key = Symbol.for("hookloop.sdk");
  (globalThis as { [key: symbol]: unknown })[key] = { definitions: [], mains: [], isHosted: true, file };
}

/** Runs everything that is declared as the script's own process would, and gives whether anything is; `standIn` takes what would go to the process. */
export async function runHosted(watch: ProcessWatch, standIn: StandIn): Promise<boolean> {
  const declared = declarations();
  if (declared.definitions.length + declared.mains.length === 0) return false;
  const { runDeclared } = await import("./run/index.ts");
  await runDeclared(declared, watch, false, standIn);
  return true;
}

/**
 * Says that this program has an engine: what imported files declare is for it to register, and is not run at the end of the process.
 * SECURITY: where an agent started the process as a hook, they are its hooks all the same, and so are those of its own file.
 */
export function embedHooks(): void {
  const declared = declarations();
  const isFree = !declared.state || declared.state === "waiting";
  if (isFree && !AGENTS.some((name) => process.env[`${name}_PROJECT_DIR`])) declared.state = "embedded";
}

/** Handlers of definitions that an engine has, or that were named as missing. */
function registered(): WeakSet<object> {
  const shared = globalThis as { [key: symbol]: WeakSet<object> | undefined };
  const key = Symbol.for("hookloop.sdk.registered");
  shared[key] ??= new WeakSet();
  return shared[key];
}

/** Says that an engine has this handler, whether or not `hook()` gave it. */
export function noteRegistered(handler: object): void {
  registered().add(handler);
}

/** What files that the program imported have declared, and no engine has; each is given once. Nothing in hook scripts and hosts of hooks. */
export function unregisteredHooks(): readonly HookDefinition[] {
  const { state, isHosted, definitions } = declarations();
  if (state !== "embedded" || isHosted) return [];
  const missing = definitions.filter(({ handler }) => typeof handler === "function" && !registered().has(handler));
  for (const { handler } of missing) registered().add(handler);
  return missing;
}

/** Each says to its hooks where the project is. */
const AGENTS = ["CLAUDE", "HOOKLOOP", "GEMINI", "CURSOR"];

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

interface WatchedCall {
  readonly input: object;
  /** Its second argument, watched as well. */
  second<Run extends object>(run: Run): Run;
  /** Runs the function, so that what it makes later is known to be its own. */
  run<Result>(call: () => Result): Result;
  /** Must be called when it has answered; gives what is wrong if it has said nothing. */
  misread(isSilent: boolean): Promise<string | undefined>;
}

interface CalledFunction extends Pick<Script, "name" | "isGuard">, Pick<ParsedPayload, "deadline"> {
  /** Those it is called for, where they are known. */
  readonly tools?: readonly string[] | undefined;
}

/** A function that was not declared with `hook()`. */
export function watchedCall(payload: object, { tools = [], deadline, ...script }: CalledFunction): WatchedCall {
  const watch = watchCall(payload as Payload);
  const invocation: Invocation = { payload, made: [] };
  const late = awaitLate(script);
  return {
    input: watch.input,
    second: watch.run,
    run: (call) => within(invocation, call),
    misread: async (isSilent) => {
      const said: Said[] = isSilent ? [] : [{ parts: [{ can: "output", value: {} }], problems: [] }];
      const onLate = ({ parts }: HookResult): unknown => said.push({ parts, problems: [] });
      invocation.onLate = onLate;
      for (const [made] of invocation.made) onLate(made);
      const [open] = await late(said, { payload: payload as Payload, deadline });
      if (!isSilent) return undefined;
      const facts = eventFacts((payload as Payload).hook_event_name);
      const slip = await spokenSlip({ watch, script, parts: [], names: tools, invocation, facts });
      const [made] = invocation.made;
      return (slip ?? (made && lateResult(script.name, made[0])) ?? open?.problems[0])?.message;
    },
  };
}

interface HostedEvent extends Pick<ParsedPayload, "deadline"> {
  readonly payload: Uint8Array;
}

/** One event in, one answer out. Calls may overlap: each sees its own event. */
export function answerWith(script: Script, { payload, deadline }: HostedEvent): Promise<Written> {
  const late = awaitLate(script);
  const answer: Script["answer"] = async (parsed, listener) => {
    const all: Said[] = [];
    try {
      await script.answer(parsed, (said) => {
        all.push(said);
        listener(said);
      });
    } catch (thrown) {
      all.push(crashed(script, thrown));
      throw thrown;
    } finally {
      for (const failure of await late(all, parsed)) listener(failure);
    }
  };
  return answerEvent({ ...script, answer }, { ...parsePayload(payload), deadline });
}
