export { runConversation } from "./run-conversation.ts";
