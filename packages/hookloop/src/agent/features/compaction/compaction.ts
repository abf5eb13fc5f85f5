/**
 * Makes a long conversation short: by hand (`/compact [instructions]`), and by itself before the model's window is full.
 *   PreCompact (may block) → a summary → the conversation begins with it → SessionStart(compact) → PostCompact
 */

import { counted } from "../../../diagnostic.ts";
import type { ModelMessage } from "../../../run/index.ts";
import { reminder } from "../../reminder.ts";
import type { AgentCore, Feature } from "../types.ts";
import { contextTokens } from "./context-tokens.ts";
import { summarise } from "./summarise.ts";

export interface CompactionOptions {
  /** Tokens the model can hold. */
  readonly window: number;
}

/** The answer needs room, too. */
const FULL_SHARE = 0.9;

type Trigger = "manual" | "auto";

export function openCompaction(core: AgentCore, { window }: CompactionOptions): Feature {
  /** How long the conversation was when a hook blocked it: it is not asked again before there is more to say. */
  let refusedAt = 0;
  const compact = async (trigger: Trigger, instructions: string, signal: AbortSignal): Promise<string> => {
    const { messages } = core.conversation;
    if (messages.length < 2) return "There is nothing to compact yet.";
    const verdict = await core.fire("PreCompact", { trigger, custom_instructions: instructions || null }, signal);
    if (verdict.decision === "deny" || verdict.decision === "ask") return refusal(verdict.reasons.map(({ text }) => text));
    const { summary, problem } = await summarise({ model: core.model, modelName: core.modelName(), messages, instructions, signal });
    if (problem) core.report({ code: "HL_AGENT_COMPACT", level: "warning", text: problem });
    begin(core, trigger, summary, messages);
    await core.fireAndRemind("SessionStart", { source: "compact", model: core.modelName() }, signal);
    await core.fire("PostCompact", { trigger, compact_summary: summary }, signal);
    return `The conversation was compacted: ${counted(messages.length, "message")} became one.`;
  };
  return {
    commands: {
      compact: {
        description: "summarize the conversation to make room",
        usage: "[instructions]",
        run: (args, signal) => compact("manual", args, signal),
      },
    },
    async beforeRequest(signal) {
      const { messages } = core.conversation;
      const tokens = contextTokens(messages);
      if (tokens < window * FULL_SHARE || messages.length <= refusedAt) return;
      const said = await compact("auto", "", signal);
      refusedAt = core.conversation.messages.length;
      core.emit({ type: "tell", text: said });
    },
  };
}

/** The last message stays as it is: it is what the model is about to answer. */
function begin({ conversation, note }: AgentCore, trigger: Trigger, summary: string, messages: readonly ModelMessage[]): void {
  const last = messages.at(-1);
  const kept = last?.role === "user" && typeof last.content !== "string" ? last.content.filter((block) => block.type === "text") : [];
  note("system", { subtype: "compact_boundary", compactMetadata: { trigger, preTokens: contextTokens(messages) } });
  conversation.replaceWith([]);
  conversation.addUser([reminder(`This is a summary of the conversation so far:\n${summary}`), ...(trigger === "auto" ? kept : [])]);
}

function refusal(reasons: readonly string[]): string {
  return `The conversation was not compacted; a hook blocked it: ${reasons.join("; ")}`;
}
