import type { ToolResultBlock, ToolUseBlock } from "../../../engine/execute/index.ts";
import { counted } from "../../../wording.ts";

const MAIN_FIELDS = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "skill",
  "subject",
  "prompt",
];

/** A call as a person reads it: `Bash  npm test`. */
export function callText({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const field = MAIN_FIELDS.find((one) => typeof input[one] === "string");
  const main = field === undefined ? JSON.stringify(input) : String(input[field]);
  return main === "{}" ? name : `${name}  ${main}`;
}

/** What a tool gave, without what hooks told the model beside it. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === "string") return content;
  return content[0]?.text ?? "";
}

function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** The first lines of a text, and how many more there are. */
export function firstLines(text: string, count: number): readonly string[] {
  const lines = withoutEnd(text, "\n").split("\n");
  // A line that says "1 more" would take the place of that one.
  if (lines.length <= count + 1) return lines;
  return [...lines.slice(0, count), `… ${counted(lines.length - count, "more line")}`];
}
