import { declarations } from "../hook/declarations.ts";
import type { Part } from "../hook/results.ts";
import { ExitSignal } from "./exit-signal.ts";
import { emit } from "./invocation.ts";

/** Something that may be left out. */
const optional = (can: Part["can"], value: unknown): Part[] => (value === undefined ? [] : [{ can, value }]);

/** Gives the model this text. */
export function emitContext(text: string): void {
  emit("emitContext", { can: "context", value: text });
}

/** Blocks in the way of the current event; events that cannot block warn and do nothing. */
export function emitBlock(reason: string, context?: string): void {
  emit("emitBlock", { can: "block", value: reason }, ...optional("context", context));
}

/** As emitBlock, context first. */
export function emitContextAndBlock(context: string, reason: string): void {
  emitBlock(reason, context);
}

/** Rejects the prompt. */
export function emitBlockPrompt(reason: string, context?: string): void {
  emit("emitBlockPrompt", { can: "block", value: reason }, ...optional("context", context));
}

/** Ends the hook at once with exit code 2, the context and then the reason on stderr. */
export function emitBlockViaExit(reason: string, context?: string): never {
  declarations().refusal ??= "emitBlockViaExit";
  throw new ExitSignal(context === undefined ? reason : `${context}\n${reason}`);
}

/** Blocks with the top-level decision. */
export function emitBlockTopLevel(reason: string): void {
  emit("emitBlockTopLevel", { can: "block", value: reason });
}

/** Answers a permission question, or decides a tool call. */
export function emitPermissionDecision(
  behavior: "allow" | "deny",
  options: { message?: string; updatedInput?: Record<string, unknown> } = {},
): void {
  emit("emitPermissionDecision", { can: behavior, value: options.message }, ...optional("rewrite", options.updatedInput));
}
