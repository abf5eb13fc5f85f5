// Made from the event catalogue by `npm run generate`. Do not edit.
import type { EventName } from "./events.ts";

/**
 * `<how it gives a reason><what it can say>|<fields that must be there>|<fields output() may set>|<limit in seconds, if not 600>`
 * Gives a reason by: p permissionDecision, r a permission request's decision, d top-level decision, a action, x exit code, - not at all.
 * Can say: one base-36 digit per entry of ABILITIES. The field marked `*` is the one a matcher is compared with, with a slash behind the star by its last part only.
 */
export const EVENT_FACTS: Readonly<Record<EventName, string>> = {
  Setup: "-6ab|*trigger",
  SessionStart: "-6abc|*source|initialUserMessage sessionTitle watchPaths reloadSkills",
  InstructionsLoaded: "-|*load_reason",
  UserPromptSubmit: "d469abc|prompt|sessionTitle suppressOriginalPrompt|30",
  UserPromptExpansion: "d46abc|*command_name command_args prompt|suppressOriginalPrompt",
  PreModelRequest: "d46abc|*model messages tools params|updatedParams",
  PostModelResponse: "d46abc|*model messages tools params content usage|updatedParams",
  MessageDisplay: "-c||displayContent|10",
  PreToolUse: "p0123456ab|*tool_name tool_input",
  PermissionRequest: "r0145abc|*tool_name tool_input|updatedPermissions interrupt",
  PermissionDenied: "-abc|*tool_name|retry",
  PostToolUse: "d678abc|*tool_name tool_input tool_response|classifierContext",
  PostToolUseFailure: "x67ab|*tool_name tool_input error",
  PostToolBatch: "d46ab|tool_calls",
  Stop: "d46ab",
  SubagentStart: "-6ab|*agent_type",
  SubagentStop: "d46ab|*agent_type",
  StopFailure: "-|*error",
  TaskCreated: "x4|task_subject",
  TaskCompleted: "x4ab|task_subject",
  TeammateIdle: "x4ab|teammate_name",
  Notification: "-6|*notification_type",
  Elicitation: "a4c|*mcp_server_name message|action content",
  ElicitationResult: "a4c|*mcp_server_name|action content",
  ConfigChange: "d4|*source",
  CwdChanged: "-c||watchPaths",
  DirectoryAdded: "-|*source",
  FileChanged: "-c|*/file_path|watchPaths",
  WorktreeCreate: "x4c|name|worktreePath",
  WorktreeRemove: "-",
  PreCompact: "d4|*trigger",
  PostCompact: "-|*trigger",
  PreModelSwitch: "p0124ab|from_model *to_model",
  PostModelSwitch: "-6ab|*to_model",
  SessionEnd: "-|*reason||1.5",
};

/** Every known tool, with the text fields its input must have. */
export const TOOL_FIELDS: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Write: "file_path content",
  Edit: "file_path old_string new_string",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path new_source",
  Glob: "pattern",
  Grep: "pattern",
  WebFetch: "url prompt",
  WebSearch: "query",
  TodoWrite: "",
  Agent: "description prompt",
  Skill: "skill",
  ExitPlanMode: "",
  AskUserQuestion: "",
  TaskCreate: "subject description",
  TaskUpdate: "taskId",
  TaskList: "",
};
