import type { TextBlock } from "../run/index.ts";

/** Text that hooks or the agent itself put beside what a user or a tool said; the frame tells the model whose words these are not. */
export function reminder(text: string): TextBlock {
  return { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` };
}
