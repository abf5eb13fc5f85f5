import { ADDITIONAL_CONTEXT } from "../common.ts";
import { type Fields, flag, known, list, optional, shape, text } from "../field.ts";
import { type EventRows, GATE, OBSERVER } from "../row.ts";

const ERRORS = [
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "unknown",
  "max_output_tokens",
  "cloud_credential_error",
];

const BACKGROUND_TASK = shape(
  {
    id: text("Its id."),
    type: text("What it is."),
    status: text("How far it is."),
    description: text("What it does, at most 1,000 characters."),
    command: optional(text("The shell command.")),
    agent_type: optional(text("The subagent's type.")),
    server: optional(text("The MCP server.")),
    tool: optional(text("The MCP tool.")),
    name: optional(text("Its name.")),
  },
  "One background task.",
);

const CRON = shape(
  {
    id: text("Its id."),
    schedule: text("When it runs."),
    recurring: flag("It runs more than once."),
    prompt: text("What it asks, at most 1,000 characters."),
  },
  "One scheduled prompt.",
);

const STOPPING: Fields = {
  stop_hook_active: flag("The agent is already going on because of a Stop hook: block again only if there is progress."),
  last_assistant_message: optional(text("The agent's last text; newer than the transcript.")),
  background_tasks: optional(list(BACKGROUND_TASK, "What still runs in the background.")),
  session_crons: optional(list(CRON, "What is scheduled in this session.")),
};

const AGENT: Fields = { agent_id: text("Id of the subagent."), agent_type: text("Type of the subagent.") };
const AGENT_MATCHER = { field: "agent_type", values: [] };
const SAMPLE_AGENT = { agent_id: "a4d2c8f1e0b3a297", agent_type: "general-purpose" };

const GOES_ON = {
  ...GATE,
  carries: ["permission_mode", "effort"],
  blockEffect: "continueTurn",
  contextContinues: true,
  wording: "feedback",
  role: "loop",
  onFailure: "continue",
  failureCanBlock: false,
} as const;

const STOP_PITFALLS = [
  "Blocking means going on. Look at `stop_hook_active`, or the agent works until the cap: 8 blocks in a row, then the next is overridden.",
  "`additionalContext` also keeps the agent going, under the same cap.",
];

export const TURN_EVENTS: EventRows<"Stop" | "SubagentStart" | "SubagentStop" | "StopFailure"> = {
  Stop: {
    ...GOES_ON,
    fires: "when the agent has finished and wants to stop (not after an interrupt or an API error)",
    input: STOPPING,
    blockMeans: "the agent goes on; it gets the reason as a user message",
    exit2Means: "the agent goes on; stderr is the reason",
    output: ADDITIONAL_CONTEXT,
    pitfalls: [...STOP_PITFALLS, "It has no matcher; one in the configuration is ignored."],
    insideSubagent: "SubagentStop",
    sample: { stop_hook_active: false, last_assistant_message: "All tests pass now.", background_tasks: [], session_crons: [] },
  },
  SubagentStart: {
    ...OBSERVER,
    fires: "when a subagent is started",
    input: AGENT,
    matcher: AGENT_MATCHER,
    blockMeans: "a subagent cannot be refused here; deny the Agent tool in PreToolUse",
    exit2: "tell",
    exit2Means: "stderr is shown in the subagent's transcript",
    honoursContinue: true,
    output: ADDITIONAL_CONTEXT,
    sample: SAMPLE_AGENT,
  },
  SubagentStop: {
    ...GOES_ON,
    fires: "when a subagent has finished",
    input: { ...STOPPING, ...AGENT, agent_transcript_path: text("Path of the subagent's own transcript.") },
    matcher: AGENT_MATCHER,
    blockMeans: "the subagent goes on; it gets the reason as a user message",
    feedbackLabel: "Stop",
    exit2Means: "the subagent goes on; stderr is the reason",
    output: ADDITIONAL_CONTEXT,
    pitfalls: STOP_PITFALLS,
    sample: {
      ...SAMPLE_AGENT,
      stop_hook_active: false,
      last_assistant_message: "Found three callers.",
      agent_transcript_path: "/home/user/.claude/projects/-home-user-project/9b2f/subagents/agent-a4d2c8f1e0b3a297.jsonl",
    },
  },
  StopFailure: {
    ...OBSERVER,
    fires: "when a turn was ended by an API error",
    input: {
      error: known(ERRORS, "What kind of error."),
      error_details: optional(text("More about it.")),
      last_assistant_message: optional(text("The text of the error as it was shown.")),
    },
    matcher: { field: "error", values: ERRORS, exactCharset: "narrow" },
    blockMeans: "the turn is over; this event only observes",
    exit2: "ignore",
    exit2Means: "nothing: output and exit code are ignored",
    pitfalls: ["Stop does not fire for such a turn."],
    sample: { error: "rate_limit", last_assistant_message: "API Error: rate limit reached" },
  },
};
