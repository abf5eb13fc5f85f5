import { counted } from "../../diagnostic.ts";
import type { ToolResultBlock } from "../../run/index.ts";
import { resultText, type Step } from "./phrase.ts";

/** A step and what came of it. */
export interface DoneStep {
  readonly step: Step;
  readonly result: ToolResultBlock;
  /** Why nothing follows from it. */
  readonly instead?: string | undefined;
}

const LONGEST_RESULT = 1200;
const LONGEST_QUOTE = 200;

/** The answer when every step is done. */
export function tellResults(done: readonly DoneStep[], rest: readonly string[]): string {
  const told = merged(done)
    .map(tellOne)
    .filter((text) => text !== "");
  const isOneSentence = done.every(({ step }) => step.purpose === "summarise" && /\bone sentence\b/i.test(step.said));
  if (isOneSentence && rest.length === 0 && told.length > 1) return oneSentence(told);
  return [...told, ...(rest.length > 0 ? [notUnderstood(rest)] : [])].join("\n\n") || "Done.";
}

/** How a text begins stays out of it: that is a sentence, too. */
function oneSentence(told: readonly string[]): string {
  return `${told
    .map((text) => text.replace(/ ?It begins: [\s\S]*$/, "").replace(/\.$/, ""))
    .filter(Boolean)
    .join(", and ")}.`;
}

/** The same change of several files is one thing. */
function merged(done: readonly DoneStep[]): readonly DoneStep[] {
  const same = ({ step, result }: DoneStep): string =>
    step.tool === "Edit" && !result.is_error ? JSON.stringify([step.said, step.input["old_string"], step.input["new_string"]]) : "";
  return done.flatMap((one, at) => {
    const all = same(one) === "" ? [] : done.filter((other) => same(other) === same(one));
    if (all.length < 2) return one;
    const files = all.map(({ step }) => field(step, "file_path"));
    const names = withoutShared(files).join(", ");
    return done.findIndex((other) => same(other) === same(one)) === at
      ? { ...one, instead: `I changed ${files.length} files: ${names}.` }
      : [];
  });
}

/** Paths below the folder that has all of them. */
function withoutShared(files: readonly string[]): readonly string[] {
  const parts = files.map((file) => file.split("/"));
  const [first = []] = parts;
  let depth = 0;
  while (depth < first.length - 1 && parts.every((one) => one.length - 1 > depth && one[depth] === first[depth])) depth++;
  return parts.map((one) => one.slice(depth).join("/"));
}

function tellOne({ step, result, instead }: DoneStep, at: number, all: readonly DoneStep[]): string {
  const text = resultText(result);
  if (result.is_error) return [failureText(step, text, all[at + 1] !== undefined), instead].filter(Boolean).join("\n\n");
  return instead ?? TELL[step.purpose](text, step);
}

/** What was only looked at to know what comes next is not worth a word if that came. */
function failureText({ purpose, said: words, tool, input }: Step, text: string, goesOn: boolean): string {
  if (purpose === "prepare" && goesOn) return "";
  const cure =
    tool === "WebFetch" && /there is no tool/i.test(text)
      ? " Pages are only fetched where a rule allows it: start with --allowedTools WebFetch."
      : "";
  const isLine = tool === "Bash" && [input["command"], `run ${String(input["command"])}`].includes(words);
  const said = isLine ? `run \`${String(input["command"])}\`` : words.replace(/^(\w+) (?:me|us) /i, "$1 ");
  const [, code, output = ""] = /^Exit code (\d+)(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (tool === "Bash" && code !== undefined) {
    const what = input["command"] === "npm test" ? "The tests" : `\`${String(input["command"])}\``;
    return `${what} failed (exit code ${code})${output.trim() === "" ? "." : `:\n${shortened(output)}`}${NO_NETWORK.test(output) ? OFFLINE : ""}`;
  }
  const isAsked = /^(?:what|which|where|who|how|when|why|is|are|do|does)\b/i.test(said);
  const why = plainReason(text, input);
  return isAsked ? `I could not find out (${said}): ${why}${cure}` : `I could not ${said}: ${why}${cure}`;
}

const NO_NETWORK =
  /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ETIMEDOUT)\b|Could not resolve host|Network is unreachable|Temporary failure in name resolution/;
const OFFLINE = "\n\nIt wanted the network, and there is none here, or the server does not answer.";

/** The same for people: what a model is told has the names of fields and events in it. */
function plainReason(text: string, input: Step["input"]): string {
  return text
    .replace(/^The user denied it: [^\n]* needs permission: no rule allows it\.$/, "you denied it.")
    .replace(/^The user denied it/, "you denied it")
    .replace(/^File does not exist\. Note: [^\n]*$/, `there is no file ${String(input["file_path"])}.`)
    .replace(/^PreToolUse:\S+ hook error: /, "a hook blocked it: ")
    .replace(
      /^(?:old_string was not found in|The text to replace is not in) .*$/s,
      `"${String(input["old_string"])}" is not in ${String(input["file_path"])}.`,
    )
    .replace(/^The mode plan forbids (\w+)\.$/, "plan mode is on, and nothing is changed.");
}

const UNCHANGED = / already has this content; nothing was changed\.$/;
const EMPTY_FILE = /^\(the file is empty\)$|^<system-reminder>[^<]*contents are empty|^$/;

const field = (step: Step, name: string): string => String(step.input[name]);

const TELL: Readonly<Record<Step["purpose"], (text: string, step: Step) => string>> = {
  run: (text, step) =>
    step.input["run_in_background"] === true
      ? `I started \`${field(step, "command")}\` in the background; it ends with the session. ${shortened(text)}`
      : isNothing(text)
        ? `\`${field(step, "command")}\` ran and printed nothing.`
        : `\`${field(step, "command")}\` printed:\n${shortened(text)}`,
  read: (text, step) =>
    EMPTY_FILE.test(text)
      ? `${field(step, "file_path")} is empty.`
      : `${field(step, "file_path")} says:\n${shortened(text.replace(LAST_EMPTY_LINE, ""))}${JUDGE.test(step.said) ? CANNOT_JUDGE : EXPLAIN.test(step.said) ? CANNOT_EXPLAIN : ""}`,
  create: (text, step) =>
    UNCHANGED.test(text)
      ? `${field(step, "file_path")} already has this content, so I changed nothing.`
      : `I ${/^The file /.test(text) ? "replaced what was in" : "created"} ${writtenFile(text, step)}.${step.input["content"] === "" ? " It is empty." : ""}`,
  change: (text, step) =>
    step.tool === "Bash"
      ? `I ran \`${field(step, "command")}\`${isNothing(text) ? "." : `, which printed:\n${shortened(text)}`}`
      : `I changed ${writtenFile(text, step)}.`,
  delete: (_, step) => `I ran \`${field(step, "command")}\`.`,
  find: (text) => findText(text),
  search: (text, step) =>
    /^no (?:matches|files) found/i.test(text)
      ? nothingFound(step)
      : `${matchCount(text)}:\n${shortened(text)}${EXPLAIN.test(step.said) ? CANNOT_EXPLAIN : ""}`,
  summarise: (text, step) => (step.tool === "Glob" ? summaryOf(text) : aboutItself(text, step)),
  note: (text, step) => (step.tool === "TodoWrite" ? `I wrote the to-do list:\n${shortened(text)}` : shortened(text)),
  delegate: (text) => `The subagent answered:\n${shortened(text)}`,
  other: (text, step) => (OTHERS[step.tool] ?? (() => `${step.tool} gave:\n${shortened(text)}`))(text, step),
  prepare: () => "",
};

/** A hook may have changed which file it is: the tool says which one it was. */
function writtenFile(text: string, step: Step): string {
  const asked = field(step, "file_path");
  const [, written = asked] =
    /^(?:File created successfully at: |The file )(\/.+?)(?: has been updated successfully\.)?$/m.exec(text) ?? [];
  return written === asked || written.endsWith(`/${asked.replace(/^\.\//, "")}`) ? asked : (written.split("/").at(-1) ?? written);
}

/** The line behind the last new line, which Read numbers as well. */
const LAST_EMPTY_LINE = /\n *\d+(?:\t|→)$/;
const EXPLAIN =
  /\b(?:explain|describe|summari[sz]e|sum up|summary|overview|purpose|meaning)\b|^(?:what|how|why)\b.*\b(?:do|does|work|works|mean|return|take|about|for|good)\b|\bwhat it does\b/i;
const JUDGE =
  /^(?:is there|are there|does|do|find|check|look|has|have|show)\b.*\b(?:bugs?|mistakes?|problems?|issues?|errors?|vulnerabilit(?:y|ies)|faults?|flaws?|wrong)\b|^what(?:'s| is) wrong\b|^is \S+ (?:correct|right|ok|okay|good|buggy|broken|safe|secure|clean|well written|fine|valid)\b/i;
const CANNOT_JUDGE = "\n\nI can show it, but I cannot judge code: I am the offline model, a grammar of plain sentences.";
const CANNOT_EXPLAIN = "\n\nI can show it, but not explain it: I am the offline model, a grammar of plain sentences.";

/** Words without quotes were taken as they stand, and may have meant something else. */
function nothingFound(step: Step): string {
  const pattern = field(step, "pattern").replace(/\\(?=[^\w\s])/g, "");
  const isSure = !/\s/.test(pattern) || /["'`“‘«]/.test(step.said);
  return isSure
    ? `I found nothing for ${pattern}.`
    : `I looked for exactly "${pattern}", and no line has it. If you meant something else: I read words as they stand; put the text that you look for in quotes.`;
}

/** Results that are shown as they are, and those that need more. */
const OTHERS: Readonly<Record<string, (text: string, step: Step) => string>> = {
  Teammate: (text) => text,
  SendMessage: (text) => text,
  TaskList: (text) => text,
  Skill: (_, step) =>
    `The skill ${field(step, "skill")} is loaded, and its hooks count from now on. Its instructions are for a language model: I cannot follow them.`,
};

function matchCount(text: string): string {
  const count = text.split("\n").filter((line) => line !== "" && !line.startsWith("(")).length;
  return counted(count, "match", "matches");
}

function isNothing(text: string): boolean {
  return text === "" || /^\((?:no output|Bash completed with no output)\)$/i.test(text);
}

export function notUnderstood(parts: readonly string[]): string {
  return `I did not understand: ${parts.map((part) => `"${part.length > LONGEST_QUOTE ? `${part.slice(0, LONGEST_QUOTE)}…` : part}"`).join(", ")}.`;
}

function findText(text: string): string {
  const count = text.split("\n").filter((line) => line.startsWith("/")).length;
  if (count === 0) return "I found no such files.";
  return `I found ${counted(count, "file")}:\n${shortened(text)}`;
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
  const kind = names.length === 1 ? ` (${[...kinds.keys()][0]})` : `, mostly ${most.join(", ")}`;
  return `This workspace has ${counted(names.length, "file")}${kind}.`;
}

/** Its title and first sentence, or the name and description of a package. */
function aboutItself(shown: string, step: Step): string {
  const own = shown.split("\n").map((line) => line.replace(/^ *\d+\t/, "").trim());
  const file = field(step, "file_path").split("/").at(-1) ?? "";
  if (file === "package.json") {
    const [name, description] = ["name", "description"].map((key) => new RegExp(`"${key}": *"([^"]*)"`).exec(own.join("\n"))?.[1]);
    return name === undefined ? "" : `package.json calls it ${name}${description === undefined ? "" : `: ${description}`}.`;
  }
  const title = own.find((line) => line.startsWith("#"))?.replace(/^#+ */, "");
  const first = own.find((line) => line !== "" && !/^(?:[#<![|`>-]|\()/.test(line));
  return [title === undefined ? "" : `${file} is titled "${title}".`, first === undefined ? "" : `It begins: ${first.slice(0, 300)}`]
    .filter(Boolean)
    .join(" ");
}

function shortened(text: string): string {
  return text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}… [${text.length - LONGEST_RESULT} more characters]` : text;
}
