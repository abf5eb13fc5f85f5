import type { EventInputs, EventName, ToolName } from "@hookloop/sdk";
import type { EventRows } from "./row.ts";
import { SESSION_EVENTS, TEAM_EVENTS, WORKSPACE_EVENTS } from "./session-events.ts";
import { MCP_EVENTS, TOOL_EVENTS } from "./tool-events.ts";
import { TOOLS } from "./tools.ts";
import { MODEL_EVENTS, PROMPT_EVENTS, TURN_EVENTS } from "./turn-events.ts";

/** Every event, in the order of a session's life: the order of all tables and pages. */
export const EVENTS: EventRows = {
  Setup: SESSION_EVENTS.Setup,
  SessionStart: SESSION_EVENTS.SessionStart,
  InstructionsLoaded: SESSION_EVENTS.InstructionsLoaded,
  UserPromptSubmit: PROMPT_EVENTS.UserPromptSubmit,
  UserPromptExpansion: PROMPT_EVENTS.UserPromptExpansion,
  PreModelRequest: MODEL_EVENTS.PreModelRequest,
  PostModelResponse: MODEL_EVENTS.PostModelResponse,
  MessageDisplay: PROMPT_EVENTS.MessageDisplay,
  ...TOOL_EVENTS,
  ...TURN_EVENTS,
  ...TEAM_EVENTS,
  Notification: SESSION_EVENTS.Notification,
  ...MCP_EVENTS,
  ...WORKSPACE_EVENTS,
  PreModelSwitch: MODEL_EVENTS.PreModelSwitch,
  PostModelSwitch: MODEL_EVENTS.PostModelSwitch,
  SessionEnd: SESSION_EVENTS.SessionEnd,
};

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS) as EventName[];

export function isEventName(name: unknown): name is EventName {
  // A list of one name reads as that name, and would be registered as nothing.
  return typeof name === "string" && Object.hasOwn(EVENTS, name);
}

const SAMPLE_COMMON = {
  session_id: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
  transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10.jsonl",
  cwd: "/home/user/project",
};

/** On the samples of events that carry more of the conversation; it may be on others too. */
const SAMPLE_PROMPT_ID = "3d0c4f0e-7f43-4f0b-8b5e-6c1f0a9d2e77";

/** A true payload of the event, as an agent writes it to a hook's stdin; of a tool event for another tool than Bash, if one is named. */
export function samplePayload<Event extends EventName>(event: Event, tool?: ToolName): EventInputs[Event] {
  const row = EVENTS[event];
  const payload = {
    ...SAMPLE_COMMON,
    ...(row.carries.length > 0 && { prompt_id: SAMPLE_PROMPT_ID }),
    ...(row.carries.includes("permission_mode") && { permission_mode: "default" }),
    ...(row.carries.includes("effort") && { effort: { level: "high" } }),
    hook_event_name: event,
    ...row.sample,
    ...(tool && { tool_name: tool, tool_input: TOOLS[tool].sample }),
    ...(tool && "tool_response" in row.sample && { tool_response: TOOLS[tool].responseSample ?? {} }),
  };
  return payload as unknown as EventInputs[Event];
}
