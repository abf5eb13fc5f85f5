/**
 * A model without a network: a handful of rules that read plain imperative sentences, so that hooks can be tried without a key.
 * It has no memory: every answer follows from the conversation alone. It says what it is, and what it did not understand.
 */
import type {
  ContentBlock,
  Model,
  ModelMessage,
  ModelReply,
  ModelRequest,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../../engine/execute/index.ts";
import { readSentence } from "./read-sentence.ts";
import { type DoneStep, notUnderstood, tellResults } from "./tell-results.ts";

export const OFFLINE_MODEL = "offline";

export function createOfflineModel(): Model {
  return {
    defaultModel: OFFLINE_MODEL,
    async ask(request) {
      request.signal?.throwIfAborted();
      const content = answer(request);
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      return replyOf(request, content);
    },
  };
}

const HELP =
  'I am the offline model: a few rules, no network, no key. I understand sentences such as "run ls -la", "read the file README.md", "create a file called test.txt", "search for TODO", "summarise this workspace in one sentence", joined by "and" or "then".';

function answer({ messages }: ModelRequest): readonly (TextBlock | ToolUseBlock)[] {
  const { sentence, contexts, done: results, isFirst } = lastTurn(messages);
  const { steps, rest } = readSentence(sentence);
  const next = steps[results.length];
  if (next)
    return [
      ...opening(steps, rest, results.length),
      { type: "tool_use", id: `offline_${messages.length}_${results.length}`, name: next.tool, input: next.input },
    ];
  const done = results.flatMap((result, at): readonly DoneStep[] => (steps[at] ? [{ step: steps[at], result }] : []));
  if (done.length > 0) return [text(tellResults(done, rest))];
  if (contexts.length > 0) return [text(`What I was told about this:\n${contexts.join("\n")}`)];
  return [text(isFirst ? `${notUnderstood([sentence])} ${HELP}` : notUnderstood([sentence]))];
}

/** Said once, before the first of several steps. */
function opening(steps: readonly { readonly said: string }[], rest: readonly string[], at: number): readonly TextBlock[] {
  if (at > 0) return [];
  const parts = [...(steps.length > 1 ? [`I will do ${steps.length} things.`] : []), ...(rest.length > 0 ? [notUnderstood(rest)] : [])];
  return parts.length > 0 ? [text(parts.join(" "))] : [];
}

interface Turn {
  /** What the user, or a hook in the user's place, asked for last. */
  readonly sentence: string;
  /** What hooks added to it. */
  readonly contexts: readonly string[];
  /** Results since then, in order. */
  readonly done: readonly ToolResultBlock[];
  /** Nothing was answered before. */
  readonly isFirst: boolean;
}

function lastTurn(messages: readonly ModelMessage[]): Turn {
  const from = messages.findLastIndex(({ role, content }) => role === "user" && blocksOf(content).some(isSpoken));
  const asked = blocksOf(messages[from]?.content ?? "");
  const texts = asked.flatMap((block) => (block.type === "text" ? block.text : []));
  const spoken = texts.filter((said) => !isReminder(said));
  const contexts = texts.filter(isReminder).map(reminded);
  const later = messages.slice(from + 1).flatMap(({ content }) => blocksOf(content));
  const done = later.filter((block) => block.type === "tool_result");
  return { sentence: (spoken.at(-1) ?? "").replace(/^\w+ hook feedback:\n/, ""), contexts, done, isFirst: from <= 0 };
}

function blocksOf(content: ModelMessage["content"]): readonly ContentBlock[] {
  return typeof content === "string" ? [text(content)] : content;
}

/** A person's text, not what hooks put beside it. */
function isSpoken(block: ContentBlock): boolean {
  return block.type === "text" && !isReminder(block.text);
}

function isReminder(said: string): boolean {
  return said.startsWith("<system-reminder>");
}

function reminded(block: string): string {
  return block
    .replace(/^<system-reminder>\n?|\n?<\/system-reminder>$/g, "")
    .replace(/^[\w:-]+ hook (?:additional context|success): /, "")
    .trim();
}

function text(value: string): TextBlock {
  return { type: "text", text: value };
}

function replyOf(request: ModelRequest, content: readonly (TextBlock | ToolUseBlock)[]): ModelReply {
  const usesTools = content.some(({ type }) => type === "tool_use");
  return {
    id: `offline_${request.messages.length}`,
    model: OFFLINE_MODEL,
    content,
    stopReason: usesTools ? "tool_use" : "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
