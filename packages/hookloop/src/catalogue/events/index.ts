import type { EventRows } from "../row.ts";
import { MCP_EVENTS } from "./mcp-events.ts";
import { MODEL_EVENTS } from "./model-events.ts";
import { PROMPT_EVENTS } from "./prompt-events.ts";
import { SESSION_EVENTS } from "./session-events.ts";
import { TEAM_EVENTS } from "./team-events.ts";
import { TOOL_EVENTS } from "./tool-events.ts";
import { TURN_EVENTS } from "./turn-events.ts";
import { WORKSPACE_EVENTS } from "./workspace-events.ts";

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
