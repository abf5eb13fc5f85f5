import { counted, terminalText, visible, withOwnCommand } from "../../diagnostic.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../run/index.ts";
import { asIs } from "../terminal.ts";

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

type Input = ToolUseBlock["input"];

/** Calls of which one field says too little. */
const TEXTS: Readonly<Record<string, (input: Input) => string | undefined>> = {
  Grep: ({ pattern, path, glob }) => text(pattern) && `${JSON.stringify(pattern)}${inPlace(path ?? glob)}`,
  Glob: ({ pattern, path }) => text(pattern) && `${text(pattern)}${inPlace(path)}`,
  SendMessage: ({ to, message }) => text(to) && `to ${text(to)}: ${messageText(message)}`,
  Teammate: ({ name, prompt }) => text(name) && `${text(name)}: ${text(prompt) ?? ""}`,
  TaskUpdate: ({ taskId, ...changes }) => text(taskId) && `#${text(taskId)}: ${changesText(changes)}`,
  ExitPlanMode: ({ plan }) => text(plan),
  EnterWorktree: ({ name }) => text(name) ?? "a new one",
  ExitWorktree: ({ action, name, discard }) =>
    text(action) &&
    `${text(action)}${text(name) === undefined ? "" : ` ${text(name)}`}${discard === true ? ", and discard what is not committed" : ""}`,
  TodoWrite: ({ todos }) => (Array.isArray(todos) ? todos.map(todoText).join("; ") : undefined),
};

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function inPlace(place: unknown): string {
  return text(place) === undefined ? "" : ` in ${text(place)}`;
}

function messageText(message: unknown): string {
  if (typeof message === "string") return message;
  const { type, approve, reason } = (message ?? {}) as { readonly type?: unknown; readonly approve?: unknown; readonly reason?: unknown };
  const why = text(reason) === undefined ? "" : `: ${text(reason)}`;
  if (type === "shutdown_request") return `please stop${why}`;
  if (type === "shutdown_response") return `${approve === true ? "I stop" : "I go on"}${why}`;
  return JSON.stringify(message);
}

function changesText(changes: Input): string {
  const { status, ...others } = changes;
  const more = Object.entries(others).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [...(text(status) === undefined ? [] : [String(status).replace("_", " ")]), ...more].join(", ");
}

function todoText(todo: unknown): string {
  const { content, status } = (todo ?? {}) as { readonly content?: unknown; readonly status?: unknown };
  return `${text(content) ?? JSON.stringify(todo)}${status === "pending" || text(status) === undefined ? "" : ` (${String(status).replace("_", " ")})`}`;
}

/** The input of these is where they look: a path of it may be shorter. What is run, sent or noted is shown to the letter. */
const PLACES: ReadonlySet<string> = new Set(["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob"]);

/** The same, fit to be shown. SECURITY: a command that is agreed to is the one that was shown. */
export function shownCall(call: Pick<ToolUseBlock, "name" | "input">, shorten: Shorten): string {
  return PLACES.has(call.name) ? asIs(shorten(callText(call))) : contents(callText(call));
}

export function callText({ name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const own = Object.hasOwn(TEXTS, name) ? TEXTS[name]?.(input) : undefined;
  const field = MAIN_FIELDS.find((one) => typeof input[one] === "string");
  const main = own || (field === undefined ? JSON.stringify(input) : String(input[field]));
  const how = input["run_in_background"] === true ? `${name} in the background` : name;
  return main === "{}" ? name : `${how}  ${main}`;
}

/** A tool result without the texts of hooks beside it. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === "string") return content;
  return content[0]?.text ?? "";
}

/** A tool result as it is shown: line numbers aligned, and files of the project by their short names. */
export function shownResult(tool: string | undefined, given: string, shorten: Shorten): string {
  if (tool === "Read") return contents(alignedNumbers(given.replace(/\n *\d+(?:\t|→)$/, "")));
  if (tool !== "Grep" && tool !== "Glob") return contents(given);
  return given
    .split("\n")
    .map((line) => {
      const [, file = "", rest = ""] = (tool === "Grep" ? /^(\/[^:]*)(:\d+(?::.*)?)?$/s : /^(\/.*)$/s).exec(line) ?? [];
      return file === "" ? contents(line) : `${asIs(shorten(file))}${contents(rest)}`;
    })
    .join("\n");
}

function alignedNumbers(text: string): string {
  const lines = text.split("\n");
  const numbers = lines.map((line) => /^ *(\d+)(\t|→)/.exec(line));
  // Only those that are shown decide how wide the column is.
  const width = Math.max(0, ...numbers.slice(0, ALIGNED_LINES).map((number) => number?.[1]?.length ?? 0));
  return lines.map((line, at) => (numbers[at] ? line.replace(/^ *(\d+)/, (_, number: string) => number.padStart(width)) : line)).join("\n");
}

const ALIGNED_LINES = 7;

function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

export function firstLines(text: string, count: number): readonly string[] {
  const lines = withoutEnd(text, "\n").split("\n");
  // A line that says "1 more" would take the place of that one.
  if (lines.length <= count + 1) return lines;
  return [...lines.slice(0, count), `… ${counted(lines.length - count, "more line")}`];
}

/** Of what failed: how it ended, where the error is. What it begins with stays, if that is the exit code. */
export function endLines(text: string, count: number): readonly string[] {
  const lines = withoutEnd(text, "\n").split("\n");
  if (lines.length <= count + 1) return lines;
  const head = /^Exit code \d+$/.test(lines[0] ?? "") ? lines.slice(0, 1) : [];
  const tail = lines.slice(-(count - head.length));
  return [...head, `… ${counted(lines.length - head.length - tail.length, "line")} before`, ...tail];
}

/** Makes a text fit to be shown: nothing in it controls the terminal, paths are short and commands can be typed as they are. */
export type Shorten = (text: string) => string;

export function createShorten({ cwd, home }: { readonly cwd: string; readonly home: string | undefined }): Shorten {
  const inProject = wholePaths(cwd);
  const atHome = home === undefined ? undefined : wholePaths(home);
  return (given) => {
    const text = withOwnCommand(visible(given));
    const inside = inProject ? text.replace(inProject, "") : text;
    return atHome ? inside.replace(atHome, "~/") : inside;
  };
}

/** The folder at the beginning of a word: `x/tmp/p/y` is no path in `/tmp/p`, and `/tmp/p/` alone has no shorter name. */
function wholePaths(folder: string): RegExp | undefined {
  if (folder === "/" || folder === "") return undefined;
  const literal = folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![^\\s"'\`(\\[{<])${literal}/(?=[^\\s"'\`)\\]}>/])`, "g");
}

/** Contents: a diff, a file, a command and its output. Nothing in them controls the terminal, and nothing is shortened. */
export function contents(text: string): string {
  return asIs(visible(text));
}

/** The model's text: nothing in it controls the terminal, but marks that belong to letters and emoji stay. */
export function spokenText(text: string): string {
  return asIs(terminalText(text));
}

/** A folder with `~` for the home folder. */
export function shortFolder(folder: string, home: string | undefined = process.env["HOME"]): string {
  return home && (folder === home || folder.startsWith(`${home}/`)) ? `~${folder.slice(home.length)}` : folder;
}
