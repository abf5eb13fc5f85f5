import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../../catalogue/index.ts";
import { isObject } from "../../engine/interpret/index.ts";
import { toHooksJsonInput, toHooksJsonTool } from "./tool-map.ts";

/** Writes a text to a new file that only this user can read (0600) and gives its path. Who hands it in removes the file. */
export type WriteTempFile = (name: string, content: string) => string;

type Input = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/** Linux refuses a variable of 131,072 bytes or more (E2BIG), name included. */
const MAX_VARIABLE_BYTES = 100_000;

/** The payload in variables; what is too large for one is in a file whose path stands in `…_FILE`. */
export function hooksJsonVariables(event: EventName, input: Input, writeTempFile: WriteTempFile): Variables {
  const isToolEvent = typeof input["tool_name"] === "string";
  return {
    HOOK_EVENT: event,
    ...(isToolEvent && { HOOK_TOOL_NAME: withoutNul(toHooksJsonTool(String(input["tool_name"]))) }),
    ...(isToolEvent && inVariable("HOOK_TOOL_INPUT", toolInputText(input), writeTempFile)),
    ...("tool_response" in EVENTS[event].input && inVariable("HOOK_TOOL_OUTPUT", outputText(input["tool_response"]), writeTempFile)),
  };
}

/** The payload on stdin, with the tool in this dialect's words. */
export function hooksJsonPayload(input: Input): Input {
  const { tool_name: name, tool_input: toolInput } = input;
  if (typeof name !== "string") return input;
  return { ...input, tool_name: toHooksJsonTool(name), ...(isObject(toolInput) && { tool_input: toHooksJsonInput(name, toolInput) }) };
}

function toolInputText(input: Input): string {
  return jsonText(hooksJsonPayload(input)["tool_input"] ?? {});
}

/** The text the model would see: a shell's two outputs one after the other, other results as JSON. */
function outputText(response: unknown): string {
  if (typeof response === "string") return response;
  if (isObject(response) && typeof response["stdout"] === "string") {
    const parts = [response["stdout"], response["stderr"]].filter((part): part is string => typeof part === "string" && part !== "");
    return parts.join(parts[0]?.endsWith("\n") ? "" : "\n");
  }
  return response === undefined ? "" : jsonText(response);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    // Circular or a BigInt: the payload on stdin cannot be made either, and that run fails as bad input.
    return "null";
  }
}

function inVariable(name: string, value: string, writeTempFile: WriteTempFile): Variables {
  const text = withoutNul(value);
  return Buffer.byteLength(text) <= MAX_VARIABLE_BYTES ? { [name]: text } : { [`${name}_FILE`]: writeTempFile(name, text) };
}

/** A NUL in a variable makes spawn throw. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
