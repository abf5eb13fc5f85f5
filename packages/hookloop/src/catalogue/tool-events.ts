import {
  ADDITIONAL_CONTEXT,
  any,
  choice,
  either,
  type Field,
  type Fields,
  flag,
  known,
  list,
  MCP_SERVER,
  number,
  optional,
  PERMISSION_MODES,
  record,
  shape,
  TOOL_INPUT,
  TOOL_USE_ID,
  text,
} from "./field.ts";
import { ALL_KINDS, type EventRows, GATE, KINDS_WITHOUT_MODEL, type Matcher, OBSERVER } from "./row.ts";
import { TOOL_NAMES, TOOLS } from "./tools.ts";

const DESTINATION = choice(["userSettings", "projectSettings", "localSettings", "session", "cliArg"], "Where the change is kept.");

/** One change of the permission rules, as a question offers it and as a hook may answer it. */
const PERMISSION_UPDATE: Field = either(
  [
    shape(
      {
        type: choice(["addRules", "replaceRules", "removeRules"], "What to do with the rules."),
        rules: list(
          shape({ toolName: text("The tool."), ruleContent: optional(text("What stands in the rule's brackets.")) }, "One rule."),
          "The rules.",
        ),
        behavior: choice(["allow", "deny", "ask"], "The list they belong to."),
        destination: DESTINATION,
      },
      "Change rules.",
    ),
    shape(
      { type: choice(["setMode"], "Change the mode."), mode: choice(PERMISSION_MODES, "The new mode."), destination: DESTINATION },
      "Change the mode.",
    ),
    shape(
      {
        type: choice(["addDirectories", "removeDirectories"], "Change the working directories."),
        directories: list(text("A directory."), "The directories."),
        destination: DESTINATION,
      },
      "Change directories.",
    ),
  ],
  "One change of the permission rules.",
);

const TOOL_MATCHER: Matcher = { field: "tool_name", values: TOOL_NAMES, isTool: true };
const SAMPLE_CALL = { tool_name: "Bash", tool_input: TOOLS.Bash.sample };
const SAMPLE_CALL_ID = "toolu_01A7mHcQ2Yx5";

export const TOOL_EVENTS: EventRows<
  "PreToolUse" | "PermissionRequest" | "PermissionDenied" | "PostToolUse" | "PostToolUseFailure" | "PostToolBatch"
> = {
  PreToolUse: {
    ...GATE,
    asksUser: true,
    fires: "before each tool call, in every permission mode and before the permission rules are consulted",
    carries: ["permission_mode", "effort"],
    input: { ...TOOL_INPUT, ...TOOL_USE_ID, ...MCP_SERVER },
    matcher: TOOL_MATCHER,
    block: "permission",
    blockMeans: "the tool is not run; the model gets the reason as the tool's result",
    exit2Means: "denies the call; stderr goes to the model",
    output: {
      permissionDecision: optional(
        choice(["allow", "deny", "ask", "defer"], "`allow` skips the question but never beats a deny or ask rule."),
      ),
      permissionDecisionReason: optional(text("Why; to the model on deny, to the user on ask.")),
      updatedInput: optional(record("Replaces the whole tool input: a field left out is gone.")),
      ...ADDITIONAL_CONTEXT,
    },
    merge: "strictest",
    haltDenies: true,
    wording: "error",
    pitfalls: [
      'Exit code 1 does not block in the Claude dialect; only exit 2 or `permissionDecision: "deny"` does.',
      "`python3 missing.py` exits 2, so a missing Python script denies every call; `bash missing.sh` exits 127 and denies none.",
      "One line printed before the JSON makes Claude Code ignore the decision.",
      "`updatedInput` is not merged into the old input; copy what you keep.",
      "A matcher is the tool's name (`Bash`), not a rule: `Bash(git *)` belongs into `if`. `mcp__server` alone matches nothing; write `mcp__server__.*`.",
      "`continue: false` alone lets Claude Code run this one call before it stops; hookloop does not run it. Deny as well.",
    ],
    sample: { ...SAMPLE_CALL, tool_use_id: SAMPLE_CALL_ID },
  },
  PermissionRequest: {
    ...GATE,
    asksUser: true,
    carries: ["permission_mode", "effort"],
    fires: "when the user is about to be asked about a tool call, or the call would be refused because there is no user to ask",
    input: {
      ...TOOL_INPUT,
      permission_suggestions: optional(list(PERMISSION_UPDATE, "Rule changes the question would offer.")),
      ...MCP_SERVER,
    },
    matcher: TOOL_MATCHER,
    block: "request",
    blockMeans: "the call is refused without asking",
    exit2Means: "refuses the call in hookloop; Claude Code does not honour it, so answer with JSON",
    output: {
      decision: optional(
        either(
          [
            shape(
              {
                behavior: choice(["allow"], "Run the call without asking."),
                updatedInput: optional(record("Replaces the whole tool input.")),
                updatedPermissions: optional(list(PERMISSION_UPDATE, "Rule changes to apply as well.")),
              },
              "Run it.",
            ),
            shape(
              {
                behavior: choice(["deny"], "Refuse the call."),
                message: optional(text("Why; goes to the model.")),
                interrupt: optional(flag("Also end the turn.")),
              },
              "Refuse it.",
            ),
          ],
          "The answer to the question.",
        ),
      ),
    },
    merge: "strictest",
    combine: { interrupt: "any" },
    haltDenies: true,
    wording: "error",
    pitfalls: [
      "The answer is `hookSpecificOutput.decision.behavior`, not `permissionDecision`.",
      "It does not fire when a PreToolUse hook said ask in a headless run: that is already a refusal.",
      "There is no `tool_use_id` in this payload.",
    ],
    sample: {
      ...SAMPLE_CALL,
      permission_suggestions: [
        { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "npm test" }], behavior: "allow", destination: "localSettings" },
      ],
    },
  },
  PermissionDenied: {
    ...OBSERVER,
    fires: "after auto mode has refused a tool call",
    carries: ["permission_mode"],
    input: { ...TOOL_INPUT, ...TOOL_USE_ID, reason: text("Why the call was refused."), ...MCP_SERVER },
    matcher: TOOL_MATCHER,
    kinds: ALL_KINDS,
    blockMeans: "the call is already refused; `retry: true` lets the model try again",
    exit2: "ignore",
    exit2Means: "nothing",
    honoursContinue: true,
    output: { retry: optional(flag("Tell the model that it may try the call again.")) },
    pitfalls: ["Only refusals of auto mode fire it; a deny rule or a hook's deny does not."],
    sample: { ...SAMPLE_CALL, tool_use_id: SAMPLE_CALL_ID, reason: "Deletes files outside the workspace" },
  },
  PostToolUse: {
    ...OBSERVER,
    fires: "after a tool call has succeeded",
    carries: ["permission_mode", "effort"],
    input: {
      ...TOOL_INPUT,
      ...TOOL_USE_ID,
      tool_response: any("What the tool gave back; its shape depends on the tool."),
      duration_ms: optional(number("How long the tool took.")),
      ...MCP_SERVER,
    },
    matcher: TOOL_MATCHER,
    kinds: ALL_KINDS,
    blockEffect: "feedback",
    feedback: "decision",
    blockMeans: "the tool has already run; `feedback` puts a reason beside its result for the model",
    exit2: "feedback",
    exit2Means: "stderr goes to the model beside the result",
    honoursContinue: true,
    output: {
      ...ADDITIONAL_CONTEXT,
      classifierContext: optional(text("Text for the permission classifier, at most 2,000 characters in all.")),
      updatedToolOutput: optional(any("Replaces what the model sees of the result; a wrong shape for a built-in tool is ignored.")),
      updatedMCPToolOutput: optional(any("The older name of updatedToolOutput, for MCP tools only.")),
    },
    role: "rewrite",
    combine: { classifierContext: "join" },
    pitfalls: [
      'The tool has run: a top-level `decision: "block"` only adds a reason for the model.',
      "Plain stdout goes to the log, not to the model; use `additionalContext`.",
      "A tool that failed fires PostToolUseFailure instead.",
    ],
    sample: { ...SAMPLE_CALL, tool_use_id: SAMPLE_CALL_ID, tool_response: TOOLS.Bash.responseSample, duration_ms: 1840 },
  },
  PostToolUseFailure: {
    ...OBSERVER,
    fires: "after a tool call that was started has failed",
    carries: ["permission_mode", "effort"],
    input: {
      ...TOOL_INPUT,
      ...TOOL_USE_ID,
      error: text("What went wrong; for Bash `Exit code N`, a new line and what it printed."),
      is_interrupt: optional(flag("The user interrupted it.")),
      duration_ms: optional(number("How long the tool took.")),
      ...MCP_SERVER,
    },
    matcher: TOOL_MATCHER,
    kinds: ALL_KINDS,
    blockEffect: "feedback",
    feedback: "exit",
    blockMeans: "the tool has already failed; `feedback` puts a reason beside the error for the model",
    exit2: "feedback",
    exit2Means: "stderr goes to the model beside the error",
    honoursContinue: true,
    output: ADDITIONAL_CONTEXT,
    pitfalls: ["A call that was denied never started and does not fire it."],
    sample: { ...SAMPLE_CALL, tool_use_id: SAMPLE_CALL_ID, error: "Exit code 1\n2 failing", is_interrupt: false, duration_ms: 2210 },
  },
  PostToolBatch: {
    ...GATE,
    fires: "when all parallel tool calls of one turn are done, before the next model call; not after a call that ended the turn",
    carries: ["permission_mode", "effort"],
    input: {
      tool_calls: list(
        shape({ ...TOOL_INPUT, ...TOOL_USE_ID, tool_response: optional(text("The result as the text the model sees.")) }, "One call."),
        "Every call of the turn.",
      ),
    },
    blockEffect: "halt",
    blockMeans: "the turn ends before the next model call",
    exit2Means: "ends the turn before the next model call",
    output: ADDITIONAL_CONTEXT,
    role: "loop",
    onFailure: "continue",
    pitfalls: ["`tool_response` is text here, not the object PostToolUse gets."],
    sample: { tool_calls: [{ ...SAMPLE_CALL, tool_use_id: SAMPLE_CALL_ID, tool_response: "12 passing" }] },
  },
};

const ACTIONS = ["accept", "decline", "cancel"];
const MODE: Fields = { mode: optional(known(["form", "url"], "A form to fill in, or a page to open.")) };
const ELICITATION_ID: Fields = { elicitation_id: optional(text("Id of the question.")) };
const SERVER_MATCHER = { field: "mcp_server_name", values: [] };

const ANSWER: Fields = {
  action: optional(choice(ACTIONS, "The answer.")),
  content: optional(record("The filled-in form, with `accept`.")),
};

const ELICITATION = {
  ...GATE,
  matcher: SERVER_MATCHER,
  kinds: KINDS_WITHOUT_MODEL,
  block: "action",
  honoursContinue: false,
  output: ANSWER,
  merge: "answer",
} as const;

export const MCP_EVENTS: EventRows<"Elicitation" | "ElicitationResult"> = {
  Elicitation: {
    ...ELICITATION,
    fires: "when an MCP server asks the user for input, before the user is asked",
    input: {
      mcp_server_name: text("The server."),
      message: text("What it asks."),
      ...MODE,
      url: optional(text("The page to open.")),
      ...ELICITATION_ID,
      requested_schema: optional(record("JSON Schema of the form.")),
    },
    blockMeans: "the question is declined and the user is not asked",
    exit2Means: "declines the question",
    sample: {
      mcp_server_name: "github",
      message: "Which repository?",
      mode: "form",
      requested_schema: { type: "object", properties: { repository: { type: "string" } } },
    },
  },
  ElicitationResult: {
    ...ELICITATION,
    fires: "when the user has answered an MCP server's question, before the answer goes back",
    input: {
      mcp_server_name: text("The server."),
      action: known(ACTIONS, "What the user chose."),
      content: optional(record("The filled-in form.")),
      ...MODE,
      ...ELICITATION_ID,
    },
    blockMeans: "the server gets `decline` instead of the answer",
    exit2Means: "turns the answer into `decline`",
    sample: { mcp_server_name: "github", action: "accept", content: { repository: "hookloop" }, mode: "form" },
  },
};
