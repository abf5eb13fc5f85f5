export { type ConversationFlags, runConversation } from "./run-conversation.ts";
