import type { ContentBlock, ModelMessage, ModelReply, TextBlock, ToolResultBlock } from "../engine/execute/index.ts";
import type { Conversation } from "./loop-types.ts";

/** Something that was said, as it goes into the transcript. */
export type Entry =
  | { readonly type: "user"; readonly content: string | readonly (TextBlock | ToolResultBlock)[] }
  | { readonly type: "assistant"; readonly reply: ModelReply };

export interface ConversationOptions {
  /** What was said in an earlier session. */
  readonly earlier?: readonly Entry[] | undefined;
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

export interface OwnConversation extends Conversation {
  /** Puts other messages in the place of all so far: a summary, or nothing. */
  replaceWith(entries: readonly Entry[]): void;
}

/** Keeps what was said. What a user, hooks and tools say in a row is one message: a model expects the roles to take turns. */
export function createConversation({ earlier = [], onEntry }: ConversationOptions = {}): OwnConversation {
  let messages: ModelMessage[] = [];
  const keep = (entry: Entry): void => {
    const message = asMessage(entry);
    const last = messages.at(-1);
    if (last?.role === "user" && message.role === "user") {
      messages = [...messages.slice(0, -1), { role: "user", content: [...blocksOf(last), ...blocksOf(message)] }];
    } else messages = [...messages, message];
  };
  const add = (entry: Entry): void => {
    keep(entry);
    onEntry?.(entry);
  };
  earlier.forEach(keep);
  return {
    get messages() {
      return messages;
    },
    addUser: (content) => add({ type: "user", content }),
    addAssistant: (reply) => add({ type: "assistant", reply }),
    replaceWith(entries) {
      messages = [];
      entries.forEach(keep);
    },
  };
}

function asMessage(entry: Entry): ModelMessage {
  return entry.type === "user" ? { role: "user", content: entry.content } : { role: "assistant", content: entry.reply.content };
}

function blocksOf({ content }: ModelMessage): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
