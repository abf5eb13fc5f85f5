import type { EventRow } from "./row.ts";

/** One value's shape, as plain data: types, JSON Schema, docs and samples are all made from it. */
export type FieldType =
  | { readonly kind: "string"; readonly known?: readonly string[] }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  | { readonly kind: "record" }
  | { readonly kind: "any" }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "shape"; readonly fields: Fields }
  | { readonly kind: "either"; readonly options: readonly FieldType[] };

export interface Field {
  readonly type: FieldType;
  readonly description: string;
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** Free text. */
export function text(description: string): Field {
  return { type: { kind: "string" }, description };
}

/** Text with known values that may grow: another value is never an error. */
export function known(values: readonly string[], description: string): Field {
  return { type: { kind: "string", known: values }, description };
}

/** Text with a closed list of values: anything else is a mistake. */
export function choice(values: readonly string[], description: string): Field {
  return { type: { kind: "choice", values }, description };
}

export function number(description: string): Field {
  return { type: { kind: "number" }, description };
}

export function flag(description: string): Field {
  return { type: { kind: "boolean" }, description };
}

/** An object whose keys are not ours to know (a tool's input, a schema). */
export function record(description: string): Field {
  return { type: { kind: "record" }, description };
}

/** Any JSON value. */
export function any(description: string): Field {
  return { type: { kind: "any" }, description };
}

export function shape(fields: Fields, description: string): Field {
  return { type: { kind: "shape", fields }, description };
}

/** A list; the item's own description is not shown, only its type. */
export function list(item: Field, description: string): Field {
  return { type: { kind: "list", item: item.type }, description };
}

export function either(options: readonly Field[], description: string): Field {
  return { type: { kind: "either", options: options.map((option) => option.type) }, description };
}

export function nullable(field: Field): Field {
  return { ...field, type: { kind: "either", options: [field.type, { kind: "null" }] } };
}

export function optional(field: Field): Field {
  return { ...field, optional: true };
}

export const PERMISSION_MODES = ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"] as const;
/** Anyone who sets one of these expects it to allow less, so a warning says where it is not applied. */
export const STRICT_MODES: readonly unknown[] = ["plan", "dontAsk"] satisfies (typeof PERMISSION_MODES)[number][];
/** SECURITY: a file that comes with a checkout must not set one of these, trusted or not. */
export const LOOSE_MODES: readonly unknown[] = ["auto", "bypassPermissions"] satisfies (typeof PERMISSION_MODES)[number][];

/** In every payload. */
export const COMMON_INPUT: Fields = {
  session_id: text("Id of the session."),
  transcript_path: text("Path of the session's transcript (JSONL). It may lag behind: prefer fields of the payload."),
  cwd: text("Current working directory; follows `cd`."),
  prompt_id: optional(text("Id of the prompt being worked on; absent before the first one.")),
  agent_id: optional(text("Id of the subagent; present only inside a subagent, and that is how a hook tells.")),
  agent_type: optional(text("Type of the subagent, or the type the session was started with.")),
  x_native: optional(record("The untouched payload, when another agent's payload was translated by hookloop.")),
  x_kind: optional(
    known(
      ["shell", "file.read", "file.write", "mcp", "web", "agent", "other"],
      "What kind of tool it is, whatever the agent calls it; set by hookloop.",
    ),
  ),
};

/** In the payload of the events that list them in `carries`. */
const CARRIED_INPUT: Fields = {
  permission_mode: optional(known(PERMISSION_MODES, "The permission mode in force.")),
  effort: optional(shape({ level: text("Name of the effort level.") }, "The model's effort setting.")),
};

export const TOOL_INPUT: Fields = {
  tool_name: text("Name of the tool, as in `Bash`, `Edit` or `mcp__server__tool`."),
  tool_input: record("The tool's input; its fields depend on the tool."),
};

export const TOOL_USE_ID: Fields = { tool_use_id: text("Id of this call; the same before and after it.") };

export const MCP_SERVER: Fields = {
  mcp_server: optional(
    shape({ name: text("Name of the server."), source: text("Where it was configured.") }, "The MCP server, when the tool belongs to one."),
  ),
};

/** Top-level output fields that every event accepts, whether or not it acts on them. */
const UNIVERSAL_OUTPUT: Fields = {
  continue: optional(flag("`false` ends the agent's work after this step; outranks the event's own decision.")),
  stopReason: optional(text("Shown to the user with `continue: false`.")),
  suppressOutput: optional(flag("Accepted and without effect.")),
  systemMessage: optional(text("Shown to the user.")),
  terminalSequence: optional(text("A terminal title, notification or bell sequence; interactive sessions only.")),
};

/** Top-level decision, read on events that block by `decision` (and as a legacy spelling on PreToolUse). */
const DECISION_OUTPUT: Fields = {
  decision: optional(
    choice(
      ["approve", "block"],
      '`"block"` denies or blocks; `"approve"` is an older allow of PreToolUse; "allow" and "deny" are not values of this field.',
    ),
  ),
  reason: optional(text("Why; goes where the event sends a block.")),
};

/** First line of stdout that turns the running hook into a background one. */
const ASYNC_OUTPUT: Fields = {
  async: optional(flag("`true` as the first output line sends the hook to the background.")),
  asyncTimeout: optional(number("Milliseconds the background hook may take.")),
};

export const ADDITIONAL_CONTEXT: Fields = {
  additionalContext: optional(text("Text added for the model, labelled with the event.")),
};

/** Top-level output fields the event reads. The older `decision: "block"` still counts where a permission decision is asked for. */
export function topLevelOutputOf({ block, feedback }: EventRow): Fields {
  return block === "decision" || block === "permission" || feedback !== null ? DECIDING_OUTPUT : PLAIN_OUTPUT;
}

// Asked for with every answer, so each is made once.
const PLAIN_OUTPUT: Fields = { ...UNIVERSAL_OUTPUT, ...ASYNC_OUTPUT };
const DECIDING_OUTPUT: Fields = { ...UNIVERSAL_OUTPUT, ...DECISION_OUTPUT, ...ASYNC_OUTPUT };

/** Every field of the event's payload but `hook_event_name`: common, carried, own. Own ones win. */
export function inputFieldsOf(row: EventRow): Fields {
  const carried = Object.fromEntries(Object.entries(CARRIED_INPUT).filter(([name]) => (row.carries as readonly string[]).includes(name)));
  return { ...COMMON_INPUT, ...carried, ...row.input };
}

/**
 * Fields without which a hook must not decide: the one it is matched by and, where it can block, the content it judges.
 * Ids, paths and figures are left out: agents that speak the same dialect differ there.
 */
export function neededInputOf(row: EventRow): readonly string[] {
  const canSayNo = (row.block ?? row.feedback) !== null;
  return Object.entries(row.input).flatMap(([name, { type, optional }]) => {
    if (optional || (/_(id|path)$/.test(name) && name !== row.matcher?.field)) return [];
    const isContent = ["record", "list", "any"].includes(type.kind) || (type.kind === "string" && !type.known);
    return name === row.matcher?.field || (isContent && canSayNo) ? [name] : [];
  });
}
