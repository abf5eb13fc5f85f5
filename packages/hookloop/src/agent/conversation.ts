import { type ContentBlock, type ModelMessage, type ModelReply, onAbort, type TextBlock, type ToolResultBlock } from "../run/index.ts";
import type { Conversation } from "./types.ts";

export type Entry =
  | { readonly type: "user"; readonly content: string | readonly (TextBlock | ToolResultBlock)[] }
  | { readonly type: "assistant"; readonly reply: ModelReply };

interface ConversationOptions {
  readonly earlier?: readonly Entry[] | undefined;
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

export interface OwnConversation extends Conversation {
  /** Replaces all messages: by a summary, or by nothing. */
  replaceWith(entries: readonly Entry[]): void;
}

/** Keeps the messages. What a user, hooks and tools say in a row is one message: a model expects the roles to alternate. */
export function createConversation({ earlier = [], onEntry }: ConversationOptions = {}): OwnConversation {
  let messages: ModelMessage[] = [];
  /** The blocks of the last message, if they can still grow. */
  let growing: ContentBlock[] | undefined;
  /** A caller has the list, so it must not change. Copied only then: a session can have 40,000 lines. */
  let isShown = false;
  const keep = (entry: Entry): void => {
    if (isShown) {
      messages = [...messages];
      growing = undefined;
      isShown = false;
    }
    const last = messages.at(-1);
    const message = withResults(asMessage(entry), last);
    // An answer with nothing in it is no message: no model takes it back.
    if (message.role === "assistant" && message.content.length === 0) return;
    if (last?.role !== "user" || message.role !== "user") {
      messages.push(message);
      growing = undefined;
      return;
    }
    if (!growing) {
      growing = [...blocksOf(last)];
      messages[messages.length - 1] = { role: "user", content: growing };
    }
    for (const block of blocksOf(message)) growing.push(block);
  };
  const add = (entry: Entry): void => {
    keep(entry);
    onEntry?.(entry);
  };
  earlier.forEach(keep);
  return {
    get messages() {
      isShown = true;
      return messages;
    },
    addUser: (content) => add({ type: "user", content }),
    addAssistant: (reply) => add({ type: "assistant", reply }),
    replaceWith(entries) {
      messages = [];
      growing = undefined;
      isShown = false;
      entries.forEach(keep);
    },
  };
}

function asMessage(entry: Entry): ModelMessage {
  return entry.type === "user" ? { role: "user", content: entry.content } : { role: "assistant", content: entry.reply.content };
}

const NOT_RUN = "This call was not run: the turn was over before it.";

/** Calls without a result get one before anything else: models reject a conversation without. */
function withResults(message: ModelMessage, last: ModelMessage | undefined): ModelMessage {
  if (message.role !== "user" || last?.role !== "assistant") return message;
  const own = blocksOf(message);
  const answered = new Set(own.flatMap((block) => (block.type === "tool_result" ? block.tool_use_id : [])));
  const open = blocksOf(last).flatMap((block) => (block.type === "tool_use" && !answered.has(block.id) ? block.id : []));
  if (open.length === 0) return message;
  const missing = open.map((tool_use_id) => ({ type: "tool_result" as const, tool_use_id, content: NOT_RUN, is_error: true }));
  return { role: "user", content: [...missing, ...own] };
}

export function blocksOf({ content }: ModelMessage): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Work in the background: the main agent's turn does not end before it does. */
export interface BackgroundWork {
  isPending(): boolean;
  /** Resolves when there is something to report, or nothing runs any more. */
  news(): Promise<void>;
  /** What the main agent is told; each text once. */
  take(): readonly string[];
}

/** What was reported since the last time; waits while something runs. Empty if nothing does, or if it was aborted. */
export async function takeNews(works: readonly BackgroundWork[], signal: AbortSignal): Promise<readonly string[]> {
  while (!signal.aborted) {
    const pending = works.filter((work) => work.isPending());
    if (pending.length === 0) return [];
    let stop: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => {
      stop = onAbort(signal, resolve);
    });
    await Promise.race([...pending.map((work) => work.news()), aborted]);
    stop?.();
    const texts = signal.aborted ? [] : works.flatMap((work) => work.take());
    if (texts.length > 0) return texts;
  }
  return [];
}
