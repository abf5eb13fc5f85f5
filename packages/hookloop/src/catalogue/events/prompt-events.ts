import { ADDITIONAL_CONTEXT } from "../common.ts";
import { flag, known, number, optional, text } from "../field.ts";
import { type EventRows, GATE, OBSERVER } from "../row.ts";

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
