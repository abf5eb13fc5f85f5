import type { ToolResultBlock } from "../../engine/execute/index.ts";
import type { Step } from "./read-sentence.ts";

/** A step and what came of it. */
export interface DoneStep {
  readonly step: Step;
  readonly result: ToolResultBlock;
}

const LONGEST_RESULT = 1200;

/** The answer when every step is done. */
export function tellResults(done: readonly DoneStep[], rest: readonly string[]): string {
  return [...done.map(tellOne), ...(rest.length > 0 ? [notUnderstood(rest)] : [])].join("\n\n");
}

function tellOne({ step, result }: DoneStep): string {
  const text = textOf(result);
  if (result.is_error) return `I could not ${step.said}: ${text}`;
  return TELL[step.purpose](text, step);
}

const TELL: Readonly<Record<Step["purpose"], (text: string, step: Step) => string>> = {
  run: (text, { input }) => `\`${String(input["command"])}\` printed:\n${shortened(text)}`,
  read: (text, { input }) => `${String(input["file_path"])} says:\n${shortened(text)}`,
  create: (_, { input }) => `I created ${String(input["file_path"])}.`,
  delete: (_, { input }) => `I ran \`${String(input["command"])}\`.`,
  find: (text) => `The files are:\n${shortened(text)}`,
  search: (text) => `I found:\n${shortened(text)}`,
  summarise: (text) => summaryOf(text),
};

export function notUnderstood(parts: readonly string[]): string {
  return `I did not understand: ${parts.map((part) => `"${part}"`).join(", ")}.`;
}

/** The text of a result, without what hooks said beside it. */
export function textOf({ content }: ToolResultBlock): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ text }) => (text.startsWith("<system-reminder>") ? [] : text)).join("\n");
}

function summaryOf(files: string): string {
  const names = files.split("\n").filter((line) => line.startsWith("/"));
  if (names.length === 0) return "This workspace is empty.";
  const kinds = new Map<string, number>();
  for (const name of names) {
    const kind = /\.(\w+)$/.exec(name)?.[1] ?? "no ending";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const most = [...kinds]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([kind, count]) => `${count} ${kind}`);
  return `This workspace has ${names.length} files, mostly ${most.join(", ")}.`;
}

function shortened(text: string): string {
  return text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}… [${text.length - LONGEST_RESULT} more characters]` : text;
}
