import path from "node:path";
import { TOOL_FIELDS } from "../generated/facts.ts";
import { type Problem, problem } from "../problem.ts";
import type { Facts } from "../wire/event-facts.ts";
import type { Payload } from "./payload.ts";

/** The `tool` or `match` option of a hook. */
type Filter = string | readonly string[] | RegExp | undefined;

/** The subagent tool was once called Task; both names mean it. */
const SUBAGENT_TOOL = ["Task", "Agent"];

/** Whether a hook with this filter is meant. A pattern must match the whole value; of a path only its last part is compared. */
export function matches(filter: Filter, { matcher, isBasename }: Facts, payload: Payload): boolean {
  if (filter === undefined) return true;
  const text = String(payload[matcher]);
  const value = isBasename ? path.basename(text) : text;
  const names = matcher === "tool_name" && SUBAGENT_TOOL.includes(value) ? SUBAGENT_TOOL : [value];
  if (!(filter instanceof RegExp)) return names.some((name) => [filter].flat().includes(name));
  const whole = new RegExp(`^(?:${filter.source})$`, filter.flags.replace(/[gy]/g, ""));
  return names.some((name) => whole.test(name));
}

/** `bash` is no tool: a guard that waits for it would never run, and nobody would know. */
export function misspeltTool(filter: Filter): Problem | undefined {
  if (filter === undefined || filter instanceof RegExp) return undefined;
  for (const name of [filter].flat()) {
    const meant = Object.keys(TOOL_FIELDS).find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
    if (meant) return problem("TOOL_MISSPELT", `no tool is called "${name}". Write "${meant}"`);
  }
  return undefined;
}

/** A guard that named the tool was promised its fields: without them a test of `undefined` would quietly find nothing. */
export function missingToolField(
  filter: Filter,
  { hook_event_name: event, tool_name: tool, tool_input: input }: Payload,
): Problem | undefined {
  if (filter === undefined || filter instanceof RegExp || !Object.hasOwn(TOOL_FIELDS, String(tool))) return undefined;
  const fields = (TOOL_FIELDS[String(tool)] as string).split(" ");
  const absent = fields.filter((field) => typeof (input as Payload | null)?.[field] !== "string");
  const sample = `hookloop events ${event} --sample --tool ${tool}`;
  return absent[0] ? problem("FIELD_MISSING", `tool_input of ${tool} lacks ${absent.join(", ")}. See \`${sample}\``) : undefined;
}
