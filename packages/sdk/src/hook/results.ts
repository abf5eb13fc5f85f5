import type { Ability } from "../event-facts.ts";
import { partsText } from "../problem.ts";
import { declarations } from "./definition.ts";

/** One thing a hook says. */
export interface Part<Can extends Ability = Ability, Value = unknown> {
  readonly can: Can;
  readonly value: Value;
}

/** What a handler returns: one or more things said at once. */
export interface HookResult<Said extends Part = Part> {
  readonly parts: readonly Said[];
  /** This and the other. */
  with<Other extends Part>(other: HookResult<Other>): HookResult<Said | Other>;
}

/**
 * Why a result does not say what its author meant, as the rest of a sentence: a field was put beside it, as by `result.decision = "deny"` and
 * `{ ...allow(), decision: "deny" }`, where nothing reads it. Results are not frozen: code that is not strict would not notice.
 */
export function besideResult(result: HookResult): string | undefined {
  const own = result as unknown as Readonly<Record<string, unknown>>;
  const field = Object.keys(own).find((name) => name !== "parts" && name !== "with" && own[name] !== undefined);
  const made = partsText(result.parts);
  return (
    field && `returned ${made} with "${field.slice(0, 60)}" beside it, which is not read. Return deny(…), or add to ${made} by .with(…)`
  );
}

/** Told about a result the moment it is made; `from` are those that `.with()` joined in it. */
export type ResultListener = (result: HookResult, from: readonly HookResult[]) => void;

/** Shared by all copies of the SDK in a process: whoever calls handlers notices a result that was made and not returned. */
export function resultListeners(): Set<ResultListener> {
  const shared = globalThis as { [key: symbol]: Set<ResultListener> | undefined };
  const key = Symbol.for("hookloop.sdk.results");
  shared[key] ??= new Set();
  return shared[key];
}

function say<Can extends Ability, Value>(can: Can, value: Value): HookResult<Part<Can, Value>> {
  if (/^(deny|block|ask|defer|stop)$/.test(can)) declarations().refusal ??= can;
  return joined([{ can, value }]);
}

function joined<Said extends Part>(parts: readonly Said[], ...from: readonly HookResult[]): HookResult<Said> {
  const result: HookResult<Said> = { parts, with: (other) => joined([...parts, ...other.parts], result, other) };
  for (const listener of resultListeners()) listener(result, from);
  return result;
}

/** Skip the question. Never beats a deny or ask rule; not the same as returning nothing. */
export function allow(reason?: string): HookResult<Part<"allow", string | undefined>> {
  return say("allow", reason);
}

/** The call must not happen. The model gets the reason. */
export function deny(reason: string): HookResult<Part<"deny", string>> {
  return say("deny", reason);
}

/** Let the user decide, with this reason. Where there is no user to ask, it is a refusal. */
export function ask(reason: string): HookResult<Part<"ask", string>> {
  return say("ask", reason);
}

/** End the run here and leave the call to whoever resumes it (headless runs). */
export function defer(reason?: string): HookResult<Part<"defer", string | undefined>> {
  return say("defer", reason);
}

/** Block in the way of the event: deny a call, reject a prompt, keep the agent going. */
export function block(reason: string): HookResult<Part<"block", string>> {
  return say("block", reason);
}

/** Run the tool with this input instead. It replaces the whole input: copy what you keep. */
export function rewrite<Input extends object>(input: Input): HookResult<Part<"rewrite", Input>> {
  return say("rewrite", input);
}

/** Give the model this text. */
export function context(text: string): HookResult<Part<"context", string>> {
  return say("context", text);
}

/** Put this beside a result that cannot be undone; the model gets both. */
export function feedback(text: string): HookResult<Part<"feedback", string>> {
  return say("feedback", text);
}

/** Show the model this instead of the tool's output. */
export function replaceOutput(value: unknown): HookResult<Part<"replaceOutput", unknown>> {
  return say("replaceOutput", value);
}

/** Send the model this prompt instead. hookloop only: Claude Code keeps the prompt. */
export function rewritePrompt(text: string): HookResult<Part<"rewritePrompt", string>> {
  return say("rewritePrompt", text);
}

/** End the agent's work after this step. The user gets the reason. */
export function stop(reason: string): HookResult<Part<"stop", string>> {
  return say("stop", reason);
}

/** Show the user this text; the model does not see it. */
export function tellUser(text: string): HookResult<Part<"tellUser", string>> {
  return say("tellUser", text);
}

/** Set output fields that only this event has, such as `{ sessionTitle }` or `{ watchPaths }`. */
export function output<Fields extends object>(fields: Fields): HookResult<Part<"output", Fields>> {
  return say("output", fields);
}
