/** The sixteen types: which events of the engine they are, what they are about, and how their hooks follow each other. */
import type { EventName } from "@hookloop/sdk";
import { FORMER_TOOL_NAMES, TOOL_NAMES, TOOLS, type ToolKind } from "../../catalogue/index.ts";
import type { SequenceMode } from "../../config/index.ts";
import type { EventInput } from "../../engine/index.ts";
import { runsGit } from "./runs-git.ts";
import type { HookContext, HookType } from "./types.ts";

export interface HookTypeRow {
  /** The event; the second, if there is one, fires instead when the operation failed. */
  readonly events: readonly [EventName, EventName?];
  /** Absent: at the same time. */
  readonly mode?: SequenceMode;
  /** The field of the context that `modify` replaces. */
  readonly field: string;
  readonly toInput: (context: HookContext) => EventInput;
  /** Only these tools. */
  readonly kind?: ToolKind;
  /** Only calls of them with such an input. */
  readonly fits?: (input: EventInput) => boolean;
}

const PRE_TOOL: HookTypeRow = { events: ["PreToolUse"], mode: "pipeline", field: "input", toInput: callOf };
const POST_TOOL: HookTypeRow = {
  events: ["PostToolUse", "PostToolUseFailure"],
  field: "result",
  toInput: (context) => ({
    ...callOf(context),
    ...(context.error === undefined ? { tool_response: context.result } : { error: messageOf(context.error) }),
    duration_ms: context.durationMs ?? 0,
  }),
};
const EDIT = { kind: "file.write" } as const;
const BASH = { kind: "shell" } as const;
// SECURITY: as with a command that cannot be read to the end, an input without one may be anything.
const GIT = { kind: "shell", fits: ({ command }: EventInput) => typeof command !== "string" || runsGit(command) } as const;
const AGENT = { kind: "agent" } as const;

export const HOOK_TYPES: Readonly<Record<HookType, HookTypeRow>> = {
  pre_tool: PRE_TOOL,
  post_tool: POST_TOOL,
  pre_edit: { ...PRE_TOOL, ...EDIT },
  post_edit: { ...POST_TOOL, ...EDIT },
  pre_bash: { ...PRE_TOOL, ...BASH },
  post_bash: { ...POST_TOOL, ...BASH },
  pre_git: { ...PRE_TOOL, ...GIT },
  post_git: { ...POST_TOOL, ...GIT },
  pre_agent: { ...PRE_TOOL, ...AGENT },
  post_agent: { ...POST_TOOL, ...AGENT },
  pre_compact: {
    events: ["PreCompact"],
    mode: "pipeline",
    field: "data",
    toInput: ({ trigger = "manual", instructions = null }) => ({ trigger, custom_instructions: instructions }),
  },
  post_compact: {
    events: ["PostCompact"],
    field: "summary",
    toInput: ({ trigger = "manual", summary = "" }) => ({ trigger, compact_summary: summary }),
  },
  session_start: { events: ["SessionStart"], mode: "pipeline", field: "data", toInput: ({ source = "startup" }) => ({ source }) },
  session_end: { events: ["SessionEnd"], mode: "reverse", field: "data", toInput: ({ reason = "other" }) => ({ reason }) },
  query_start: {
    events: ["UserPromptSubmit"],
    mode: "pipeline",
    field: "prompt",
    toInput: ({ prompt }) => (prompt === undefined ? {} : { prompt }),
  },
  query_end: {
    events: ["Stop"],
    mode: "pipeline",
    field: "data",
    toInput: ({ stopHookActive = false }) => ({ stop_hook_active: stopHookActive }),
  },
};

/** The tools a type is about; nothing: all. The engine knows what they were called before. */
export function toolsOf({ kind }: HookTypeRow): readonly string[] | undefined {
  return kind && TOOL_NAMES.filter((name) => TOOLS[name].kind === kind);
}

/** The name of the tool for the engine: a type about one tool names it, and a tool that it is not about has none. */
export function toolNameFor(row: HookTypeRow, tool: string | undefined): { readonly tool_name?: string } {
  const tools = toolsOf(row);
  if (tools === undefined) return {};
  if (tool === undefined) return { tool_name: tools.length === 1 ? (tools[0] ?? "") : "" };
  const name = Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
  return tools.includes(name) ? {} : { tool_name: "" };
}

/** SECURITY: what is not there is left out: the engine's guards block what they are not given to judge. */
function callOf({ tool, input, toolUseId = "" }: HookContext): EventInput {
  return { ...(tool !== undefined && { tool_name: tool }), ...(input !== undefined && { tool_input: input }), tool_use_id: toolUseId };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
