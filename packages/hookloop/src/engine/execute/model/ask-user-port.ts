import { visibleLine } from "../../../diagnostic.ts";

/** A question of a hook to the person at the agent. */
export interface UserQuestion {
  /** The hook that asks. */
  readonly hook: string;
  /** What the agent is about to do, in one line. */
  readonly summary: string;
  readonly question: string;
  readonly signal?: AbortSignal | undefined;
}

/** Asks; nothing if the person gave no answer. Absent where nobody can be asked. */
export type AskUser = (question: UserQuestion) => Promise<string | undefined>;

const LONGEST_SUMMARY = 120;
const LONGEST_QUESTION = 500;

/** One line about a tool call or prompt, for people. */
export function summaryOf(input: Readonly<Record<string, unknown>>): string {
  const { tool_name: tool, tool_input: call, prompt } = input;
  const fields = typeof call === "object" && call !== null ? (call as Record<string, unknown>) : {};
  const main = fields["command"] ?? fields["file_path"] ?? fields["url"] ?? fields["pattern"] ?? (tool === undefined ? prompt : call);
  const text = typeof main === "string" ? main : JSON.stringify(main ?? "");
  return oneLine(`${typeof tool === "string" ? `${tool}: ` : ""}${text}`, LONGEST_SUMMARY);
}

/** SECURITY: a model wrote it, maybe after something it read: nothing in it may steer a terminal or look like more than one line. */
export function questionText(question: string): string {
  return oneLine(question, LONGEST_QUESTION);
}

function oneLine(text: string, limit: number): string {
  const line = visibleLine(text.slice(0, limit * 4).replace(/\s+/g, " ")).trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
