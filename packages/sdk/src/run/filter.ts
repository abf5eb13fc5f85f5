import { TOOL_FIELDS } from "../generated/facts.ts";
import type { HookDefinition } from "../hook/definition.ts";
import type { Facts } from "../wire/event-facts.ts";
import type { Payload } from "./payload.ts";

/** Whether the options can be understood; if not, the hook may have been meant as a guard. `mistakes.ts` finds what is wrong with them. */
export function isReadable({ event, options, handler }: HookDefinition): boolean {
  return (
    typeof event === "string" &&
    typeof handler === "function" &&
    /boolean|undefined/.test(typeof options.guard) &&
    Object.keys(options).every((name) => /^(name|tool|match|ownNames|guard|timeoutMs)$/.test(name))
  );
}

/**
 * The tools of a hook that needs no closer look, because it has no matcher or a list of known tools; most do. Nothing for the others:
 * `mistakes.ts` reads them, which costs the start of another file.
 */
export function plainTools(definition: HookDefinition, { can, matcher }: Facts, payload: Payload): string[] | undefined {
  const { tool, match, ownNames, guard, timeoutMs } = definition.options;
  const names = tool === undefined ? [] : String(tool).split(/\s*[|,]\s*/);
  const isPlain =
    isReadable(definition) &&
    (match ?? ownNames ?? timeoutMs) === undefined &&
    (!guard || can.includes("block")) &&
    // An unknown tool may be one that a guard means, in another spelling.
    (!names[0] || (matcher === "tool_name" && (!guard || (payload["tool_name"] as string) in TOOL_FIELDS))) &&
    names.every((name) => Object.hasOwn(TOOL_FIELDS, name));
  return isPlain ? names : undefined;
}

/** A guard that named the tool was promised its fields: without them a test of `undefined` would quietly find nothing. */
export function missingToolFields(tool: string, input: unknown): string[] {
  // What every object has, such as "constructor", is no text.
  const fields = TOOL_FIELDS[tool]?.match?.(/\w+/g) ?? [];
  return fields.filter((field) => typeof (input as Payload | null)?.[field] !== "string");
}
