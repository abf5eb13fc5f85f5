import type { ModelMessage } from "../../../run/index.ts";

/** About four characters make a token; a count by the vendor would be a call of its own. */
const CHARACTERS_PER_TOKEN = 4;

/** How much of the model's window a conversation takes, roughly. */
export function contextTokens(messages: readonly ModelMessage[]): number {
  const characters = messages.reduce(
    (sum, { content }) => sum + (typeof content === "string" ? content.length : JSON.stringify(content).length),
    0,
  );
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
