import { ADDITIONAL_CONTEXT, choice, type Fields, flag, known, list, nullable, number, optional, record, shape, text } from "./field.ts";
import { type EventRows, GATE, KINDS_WITHOUT_MODEL, OBSERVER } from "./row.ts";

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
  stop_hook_active: flag("The agent is already continuing because of a Stop hook: block again only if there is progress."),
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
  "Blocking makes the agent continue. Look at `stop_hook_active`, or the agent works until the cap: 8 blocks in a row, then the next is overridden.",
  "`additionalContext` also keeps the agent going, under the same cap.",
];

export const TURN_EVENTS: EventRows<"Stop" | "SubagentStart" | "SubagentStop" | "StopFailure"> = {
  Stop: {
    ...GOES_ON,
    fires: "when the agent has finished and wants to stop (not after an interrupt or an API error)",
    input: STOPPING,
    blockMeans: "the agent continues; it gets the reason as a user message",
    exit2Means: "the agent continues; stderr is the reason",
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
    blockMeans: "the subagent continues; it gets the reason as a user message",
    feedbackLabel: "Stop",
    exit2Means: "the subagent continues; stderr is the reason",
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

const SUPPRESS = { suppressOriginalPrompt: optional(flag("On a block: do not show the prompt again to the user.")) };

export const PROMPT_EVENTS: EventRows<"UserPromptSubmit" | "UserPromptExpansion" | "MessageDisplay"> = {
  UserPromptSubmit: {
    ...GATE,
    asksUser: true,
    fires: "when a prompt was submitted, before the model sees it",
    input: {
      prompt: text("The prompt."),
      source: optional(known(["user", "sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"], "Who sent it.")),
      session_title: optional(text("The session's title.")),
    },
    blockMeans: "the prompt is rejected and erased; the user gets the reason, the model nothing",
    exit2Means: "rejects and erases the prompt; stderr goes to the user only",
    stdout: "context",
    output: {
      ...ADDITIONAL_CONTEXT,
      sessionTitle: optional(text("New title of the session.")),
      ...SUPPRESS,
      updatedPrompt: optional(text("Replaces the prompt. hookloop only: Claude Code ignores it.")),
    },
    timeoutSeconds: 30,
    combine: { suppressOriginalPrompt: "any" },
    pitfalls: [
      "It has no matcher; one in the configuration is ignored.",
      "Plain stdout reaches the model: a debugging line becomes context.",
      "Claude Code cannot rewrite a prompt; `updatedPrompt` works in hookloop only.",
    ],
    sample: { prompt: "Fix the failing test in src/parser.test.ts" },
  },
  UserPromptExpansion: {
    ...GATE,
    fires: "when a typed slash command or an MCP prompt is about to be expanded",
    input: {
      expansion_type: known(["slash_command", "mcp_prompt"], "What is expanded."),
      command_name: text("Name of the command, without the slash."),
      command_args: text("What was typed after it."),
      command_source: optional(text("Where the command comes from: `projectSettings`, `userSettings`, `plugin`, or an MCP server's name.")),
      prompt: text("The prompt as typed."),
    },
    matcher: { field: "command_name", values: [] },
    blockMeans: "the command is not expanded; the user gets the reason",
    exit2Means: "blocks the expansion; stderr goes to the user",
    stdout: "context",
    output: { ...ADDITIONAL_CONTEXT, ...SUPPRESS },
    combine: { suppressOriginalPrompt: "any" },
    pitfalls: ["A typed command fires UserPromptSubmit as well."],
    sample: {
      expansion_type: "slash_command",
      command_name: "review",
      command_args: "src",
      command_source: "projectSettings",
      prompt: "/review src",
    },
  },
  MessageDisplay: {
    ...OBSERVER,
    fires: "when text of the assistant is about to be shown (per batch of lines; once per message in headless runs)",
    input: {
      turn_id: text("The turn."),
      message_id: text("The message."),
      index: number("Number of the batch inside the message."),
      final: flag("It is the message's last batch."),
      delta: text("The text of this batch."),
    },
    blockMeans: "a message cannot be blocked; `displayContent` replaces what is shown",
    exit2: "ignore",
    exit2Means: "nothing: the original text is shown",
    output: { displayContent: optional(text("Shown instead; what is stored and what the model sees stay as they are.")) },
    timeoutSeconds: 10,
    role: "rewrite",
    merge: "answer",
    pitfalls: ["It changes what is shown, never what is stored."],
    sample: { turn_id: "turn_1", message_id: "msg_01XyQ", index: 0, final: true, delta: "All tests pass now." },
  },
};

const REQUEST: Fields = {
  model: text("The model that is asked."),
  messages: list(record("One message."), "The conversation as it is sent."),
  tools: list(record("One tool."), "The tools that are offered."),
  params: record("Everything else of the request: token limit, temperature, …"),
};

const SWITCH: Fields = {
  from_model: text("The model so far."),
  to_model: text("The model from now on."),
  requested_model: nullable(text("What was asked for, before aliases were resolved.")),
  source: known(["command", "picker", "sdk", "auto", "resume"], "What switched it; `auto` and `resume` only after the switch."),
  context_tokens: number("Size of the context that the new model must read."),
  prompt_cache_warm: flag("The old model's cache is still warm."),
  cache_ttl: known(["5m", "1h"], "How long the cache lives."),
  estimated_cache_write_usd: number("What filling the new model's cache may cost."),
  pricing: known(["configured", "catalog", "default"], "Where the price comes from."),
};

const SAMPLE_REQUEST = {
  model: "claude-opus-5-5",
  messages: [{ role: "user", content: "Fix the failing test" }],
  tools: [{ name: "Bash", description: "Runs a shell command" }],
  params: { max_tokens: 8192 },
};

const SAMPLE_SWITCH = {
  from_model: "claude-opus-5-5",
  to_model: "claude-sonnet-4-5",
  requested_model: "sonnet",
  source: "command",
  context_tokens: 48213,
  prompt_cache_warm: true,
  cache_ttl: "5m",
  estimated_cache_write_usd: 0.18,
  pricing: "catalog",
};

const UPDATED_PARAMS: Fields = { updatedParams: optional(record("Merged over `params`: a key set here wins, the others stay.")) };

export const MODEL_EVENTS: EventRows<"PreModelRequest" | "PostModelResponse" | "PreModelSwitch" | "PostModelSwitch"> = {
  PreModelRequest: {
    ...GATE,
    origin: "hookloop",
    fires: "before each model call of the agent",
    input: REQUEST,
    matcher: { field: "model", values: [] },
    kinds: KINDS_WITHOUT_MODEL,
    blockEffect: "halt",
    blockMeans: "the call is not made and the turn ends as hook_stopped",
    exit2Means: "ends the turn as hook_stopped before the call; stderr goes to the user",
    output: { ...ADDITIONAL_CONTEXT, ...UPDATED_PARAMS },
    combine: { updatedParams: "assign" },
    pitfalls: [
      "hookloop only: Claude Code does not know this event.",
      "prompt and agent hooks are refused here: they would call a model before every model call.",
    ],
    sample: SAMPLE_REQUEST,
  },
  PostModelResponse: {
    ...GATE,
    origin: "hookloop",
    fires: "after each model call of the agent, before its tool calls are run",
    input: {
      ...REQUEST,
      content: list(record("One block."), "What the model answered."),
      stop_reason: nullable(text("Why the model stopped.")),
      usage: record("Token counts."),
    },
    matcher: { field: "model", values: [] },
    kinds: KINDS_WITHOUT_MODEL,
    blockEffect: "halt",
    blockMeans: "the answer is kept, no tool of it is run and the turn ends as hook_stopped",
    exit2Means: "ends the turn as hook_stopped; stderr goes to the user",
    output: { ...ADDITIONAL_CONTEXT, ...UPDATED_PARAMS },
    combine: { updatedParams: "assign" },
    role: "loop",
    onFailure: "continue",
    pitfalls: ["hookloop only: Claude Code does not know this event.", "`updatedParams` counts from the next model call on."],
    sample: {
      ...SAMPLE_REQUEST,
      content: [{ type: "text", text: "I will run the tests first." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 812, output_tokens: 64 },
    },
  },
  PreModelSwitch: {
    ...GATE,
    fires: "when another model was asked for, before the switch",
    carries: [],
    input: SWITCH,
    matcher: { field: "to_model", values: [] },
    kinds: KINDS_WITHOUT_MODEL,
    block: "permission",
    blockMeans: "the model stays as it is; whoever asked gets the reason",
    exit2Means: "refuses the switch; stderr goes to the user (not established for Claude Code: answer with JSON)",
    output: {
      permissionDecision: optional(choice(["allow", "deny", "ask"], "Whether the switch happens.")),
      permissionDecisionReason: optional(text("Why.")),
    },
    merge: "strictest",
    haltDenies: true,
    pitfalls: ["A switch by the program itself (resume, fallback) fires only PostModelSwitch."],
    sample: SAMPLE_SWITCH,
  },
  PostModelSwitch: {
    ...OBSERVER,
    fires: "after the model has changed, whatever the cause",
    input: SWITCH,
    matcher: { field: "to_model", values: [] },
    blockMeans: "the switch has happened; PreModelSwitch can refuse one",
    exit2: "ignore",
    exit2Means: "nothing (not established for Claude Code)",
    honoursContinue: true,
    output: ADDITIONAL_CONTEXT,
    sample: SAMPLE_SWITCH,
  },
};
