import { type Carrier, type Operation, startOperation } from "./operation.ts";
import type { HookContext } from "./types.ts";

/** Calls that were denied never come back; what is remembered of them is bounded. */
const MAX_CONTEXTS = 256;

/** Operations of a program that fires the engine itself: one context per tool call, from the payloads. */
export function createForeignOperations(): (payload: Carrier) => Operation {
  const contexts = new Map<string, HookContext>();
  return (payload) => {
    const id = payload["tool_use_id"];
    if (typeof id !== "string" || id === "") return startOperation(filled({}, payload));
    const context = filled(contexts.get(id) ?? {}, payload);
    contexts.set(id, context);
    const oldest = contexts.size > MAX_CONTEXTS ? contexts.keys().next().value : undefined;
    if (oldest !== undefined) contexts.delete(oldest);
    return startOperation(context);
  };
}

function filled(context: HookContext, payload: Carrier): HookContext {
  const names = { tool_name: "tool", tool_use_id: "toolUseId", tool_input: "input", tool_response: "result", duration_ms: "durationMs" };
  for (const [name, value] of Object.entries(payload))
    context[Object.hasOwn(names, name) ? names[name as keyof typeof names] : name] = value;
  return context;
}
