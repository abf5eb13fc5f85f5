import path from "node:path";
import { TOOL_FIELDS } from "../generated/facts.ts";
import { type Problem, problem } from "../problem.ts";
import type { Payload } from "./payload.ts";

/** The `tool` or `match` option of a hook. */
type Filter = string | readonly string[] | RegExp | undefined;

/** Whether a hook with this filter is meant. A pattern must match the whole value; of a path only its last part is compared. */
export function matches(filter: Filter, field: string, payload: Payload): boolean {
  if (filter === undefined) return true;
  const text = String(payload[field]);
  const value = field === "file_path" ? path.basename(text) : text;
  // The subagent tool was once called Task; both names mean it.
  const names = value === "Task" || value === "Agent" ? ["Task", "Agent"] : [value];
  if (!(filter instanceof RegExp)) return names.some((name) => [filter].flat().includes(name));
  const whole = new RegExp(`^(?:${filter.source})$`, filter.flags.replace(/[gy]/g, ""));
  return names.some((name) => whole.test(name));
}

/** A guard that named the tool was promised its fields: without them a test of `undefined` would quietly find nothing. */
export function missingToolField(filter: Filter, { tool_name: tool, tool_input: input }: Payload): Problem | undefined {
  if (filter === undefined || filter instanceof RegExp || !Object.hasOwn(TOOL_FIELDS, String(tool))) return undefined;
  const fields = (TOOL_FIELDS[String(tool)] as string).split(" ");
  const absent = fields.filter((field) => typeof (input as Payload | null)?.[field] !== "string");
  return absent[0]
    ? problem("FIELD_MISSING", `tool_input of ${tool} lacks ${absent.join(", ")}. See \`hookloop events PreToolUse\``)
    : undefined;
}
