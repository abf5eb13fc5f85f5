import { ADDITIONAL_CONTEXT } from "../common.ts";
import { choice, type Fields, flag, known, list, nullable, number, optional, record, text } from "../field.ts";
import { type EventRows, GATE, KINDS_WITHOUT_MODEL, OBSERVER } from "../row.ts";

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
