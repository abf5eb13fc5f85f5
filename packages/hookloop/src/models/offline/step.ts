import type { ToolResultBlock } from "../../run/index.ts";
import type { Quotes } from "./phrase.ts";

/** One thing to do, as a call of a tool. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What it is for; decides how the result is told. */
  readonly purpose: Purpose;
  /** The part of the sentence it comes from. */
  readonly said: string;
  /** What follows from the result, if that is only known then; or why nothing does. */
  readonly next?: ((result: ToolResultBlock) => readonly Draft[] | string) | undefined;
}

export type Purpose =
  | "run"
  | "read"
  | "create"
  | "change"
  | "delete"
  | "find"
  | "search"
  | "summarise"
  | "note"
  | "delegate"
  | "other"
  /** Only to know what to do next: nothing is said about it unless it fails. */
  | "prepare";

export type Draft = Omit<Step, "said">;

/** What a rule knows besides the words. */
export interface About {
  readonly quotes: Quotes;
  /** The file that was spoken of last, for "it". */
  readonly lastFile: string | undefined;
  /** Whether that was in the same sentence: only then "delete it" is clear. */
  readonly isSameSentence: boolean;
  /** Tools that are offered; nothing is known if absent. */
  readonly tools: ReadonlySet<string> | undefined;
  /** The to-do list as it was written last. */
  readonly todos: readonly Todo[];
  /** Tasks that were made in this conversation. */
  readonly tasks: readonly NamedTask[];
  /** What reads on where the last Read ended, if it did not show everything. */
  readonly readOn: Readonly<Record<string, unknown>> | undefined;
}

export interface NamedTask {
  readonly id: string;
  readonly subject: string;
}

export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm: string;
}

/** Steps; or a question back, where something is missing or not sure; or nothing, and the next rule is asked. */
export type Reading = readonly Draft[] | string | undefined;

export interface Rule {
  readonly pattern: RegExp;
  readonly make: (match: readonly (string | undefined)[], about: About) => Reading;
}

/** The pattern must fit the whole of what is asked for. */
export function rule(pattern: string, make: Rule["make"]): Rule {
  return { pattern: new RegExp(`^(?:${pattern})$`, "is"), make };
}

export function bash(command: string, purpose: Purpose = "run", description?: string): Draft {
  return { tool: "Bash", purpose, input: { command, ...(description !== undefined && { description }) } };
}

/** The file or folder that a call leaves behind: what "it" is from then on. */
export function subjectOf({ tool, input }: Pick<Step, "tool" | "input">): string | undefined {
  const file = input["file_path"];
  if (typeof file === "string") return file;
  const command = tool === "Bash" ? input["command"] : undefined;
  const [, source, target, folder] = typeof command === "string" ? (MOVED.exec(command) ?? []) : [];
  if (folder !== undefined) return unquoted(folder);
  if (source === undefined || target === undefined) return undefined;
  const place = unquoted(target);
  return place.endsWith("/") ? `${place}${unquoted(source).split("/").at(-1) ?? ""}` : place;
}

const SHELL_WORD = "('[^']*'|[^\\s'\"$`;|&<>]+)";
const MOVED = new RegExp(`^(?:(?:mv|cp(?: -r)?) ${SHELL_WORD} ${SHELL_WORD}|mkdir(?: -p)? ${SHELL_WORD})$`);

function unquoted(word: string): string {
  return word.replace(/^'(.*)'$/s, "$1");
}
