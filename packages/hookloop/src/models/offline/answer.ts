/** What the offline model answers: the next call of a tool, or what came of the calls so far. It follows from the conversation alone. */

import {
  type ContentBlock,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../run/index.ts";
import { correctedSentence, nearestExample } from "./nearest.ts";
import { bash, type Reading, resultText, type Step, subjectOf, type Todo } from "./phrase.ts";
import { type Before, isLooking, leavesAlone, readSentence } from "./read-sentence.ts";
import type { Talk } from "./talk.ts";
import { type DoneStep, notUnderstood, tellResults } from "./tell-results.ts";

const HELP = `I am the offline model: a grammar of plain sentences, no network, no key. I understand:
- "ls -la", "git status", "run npm test" and other shell lines
- "list the files", "read README.md", "what is in notes.txt?", "search for TODO in src"
- "create hello.txt with the text hi", "add a line "x" to notes.txt", "replace foo with bar in notes.txt", "delete old.txt"
- "summarize this project", "make a to-do list: write tests, fix bug", "use a subagent to search for TODO"
- "exit". Several steps are joined by "and then". "/model offline-brief" answers more briefly.`;
const BRIEF_HELP = 'Say "help" for all that I understand.';
const SHORT_HELP = `${BRIEF_HELP} For example: "ls", "read README.md", "search for TODO", "create a.txt with the text hi", "replace A with B in FILE".`;

const TALK: Readonly<Record<Exclude<Talk, "failure" | "greeting">, string>> = {
  abilities: HELP,
  thanks: 'All right. I am the offline model; say "help" to see what I understand.',
  goodbye: "Goodbye.",
  denial: "All right. I do nothing that you do not ask for.",
  model: "A model is changed by you, not by the model: type /model offline-brief, and /model offline to go back. With a key, /model NAME.",
};

/** It reads sentences of a user: it cannot judge for a hook or sum up a conversation, and reports that instead of making up an answer. */
function refuseOthers({ system, tools }: ModelRequest): void {
  if (system === undefined || (tools && !tools.some(({ name }) => name === "StructuredOutput"))) return;
  throw new ModelError(
    "invalid_request",
    "the offline model only reads plain sentences of people. Set ANTHROPIC_API_KEY for a model that can do this",
  );
}

interface Manner {
  /** What it understands is only listed when it is asked. */
  readonly isBrief: boolean;
}

export function answer(request: ModelRequest, { isBrief }: Manner): readonly (TextBlock | ToolUseBlock)[] {
  refuseOthers(request);
  const { messages, tools } = request;
  const news = newsIn(messages);
  if (news !== undefined) return [text(news)];
  const { sentence: said, contexts, done: results, earlier } = lastTurn(messages);
  const meant = meantBefore(said, earlier) ?? said;
  const help = isBrief ? BRIEF_HELP : earlier.some(hasHelp) ? SHORT_HELP : HELP;
  const stop = stopAnswer(meant);
  if (stop && results.length === 0) return [{ type: "tool_use", id: `offline_${messages.length}_0`, ...stop }];
  const offered = tools && new Set(tools.map(({ name }) => name));
  const before: Before = { tools: offered, ...remembered(earlier) };
  const sentence = slipOf(meant, before) ?? meant;
  const { steps, rest, questions, talk } = readTask(sentence, before);
  const cure = (missed: string): string => cureOf(missed, before, help);
  if (WHAT_DONE.test(sentence.trim()) && results.length === 0) return [text(lastDone(earlier))];
  if (talk === "failure") throw new ModelError("server_error", "The offline model was asked to fail.");
  if (talk === "greeting") return [text(`Hello! ${help === HELP ? HELP : `I am the offline model. ${BRIEF_HELP}`}`)];
  if (talk) return [text(TALK[talk])];
  const { done, next } = follow(steps, results);
  if (next)
    return [
      ...opening(steps, rest, results.length),
      { type: "tool_use", id: `offline_${messages.length}_${results.length}`, name: next.tool, input: next.input },
    ];
  if (done.length > 0)
    return [text([tellResults(done, rest), ...(rest.length > 0 ? [cure(rest.join(" "))] : []), ...questions].join("\n\n"))];
  return [text(missedText(sentence, { contexts, cure, rest, questions }))];
}

interface Missed {
  readonly contexts: readonly string[];
  readonly cure: (missed: string) => string;
  readonly rest: readonly string[];
  readonly questions: readonly string[];
}

/** Nothing is done: a question back, what hooks said about it, or what to say instead. */
function missedText(sentence: string, { contexts, cure, rest, questions }: Missed): string {
  const isHalf = rest.length > 0 && rest[0] !== sentence.trim();
  const missed = isHalf ? `${notUnderstood(rest)} So I did nothing of it.` : notUnderstood([sentence]);
  if (questions.length > 0) return `${[...(isHalf ? [missed] : []), ...questions].join(" ")} (I am the offline model.)`;
  const told = contexts.length === 0 ? "" : `What I was told about this:\n${contexts.join("\n")}`;
  if (told !== "" && isQuestion(sentence)) return told;
  if (FOREIGN.test(sentence)) return ENGLISH_ONLY;
  return [`${missed} ${cure(sentence)}`, told].filter(Boolean).join("\n\n");
}

/** A sentence with slips of the finger is done at once where it only looks at something; anything else is asked back. */
function slipOf(sentence: string, before: Before): string | undefined {
  const { steps, rest, questions, talk } = readSentence(sentence, before);
  if (talk !== undefined || steps.length + questions.length > 0 || rest.length === 0) return undefined;
  return correctedSentence(sentence, (other) => {
    const read = readSentence(other, before);
    return read.rest.length + read.questions.length === 0 && read.steps.length > 0 && read.steps.every(isLooking);
  });
}

/** What was probably meant, and what there is: all of it once, then where to see it. */
function cureOf(missed: string, before: Before, help: string): string {
  const corrected = correctedSentence(missed, (other) => {
    const read = readSentence(other, before);
    return read.rest.length === 0 && (read.steps.length > 0 || read.talk !== undefined);
  });
  // Examples are in the list.
  const example = corrected === undefined && help !== HELP ? nearestExample(missed) : undefined;
  // One suggestion says more than a list.
  const rest = help === SHORT_HELP && (corrected ?? example) !== undefined ? BRIEF_HELP : help;
  const parts = [corrected && `Did you mean "${corrected}"?`, example && `The nearest that I understand: "${example}".`, rest];
  return parts.filter(Boolean).join(" ");
}

const YES =
  /^(?:y|yes|yeah|yep|yup|sure|ok|okay|right|exactly|correct|do (?:it|that)|go ahead)(?:[\s,]+(?:please|pls|thanks|do it|i did|that one))?[.!]*$/i;

const KIND = /^(?:it(?:'s| is) )?(?:(?:the|a) )?(file|folder|directory)(?:,? please)?[.!]*$/i;

/** A yes to "Did you mean …?" is that sentence, and "the folder" is an answer to "a file or a folder?". */
function meantBefore(said: string, earlier: readonly ModelMessage[]): string | undefined {
  const last = blocksOf(earlier.findLast(({ role }) => role === "assistant")?.content ?? "");
  const asked = last.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  const [, kind] = KIND.exec(said.trim()) ?? [];
  const [, name] = /^Is (\S+) a file or a folder\?/.exec(asked) ?? [];
  if (kind !== undefined && name !== undefined) return `delete the ${kind} ${name}`;
  const wanted = filled(asked, said.trim());
  if (wanted !== undefined) return wanted;
  return YES.test(said.trim()) ? /Did you mean "([^\n]+)"\? (?:Say "help"|The nearest|\(?I am the offline)/.exec(asked)?.[1] : undefined;
}

/** "In which file? Say: … in FILE": the name of a file, or a text in quotes, is what was missing. Anything else is a sentence of its own. */
function filled(asked: string, said: string): string | undefined {
  const [, sentence = ""] =
    /\?(?: Put it in quotes)? ?(?:Say(?: its name)?)?: ([^\n]*?)(?:, or: [^\n]*)?\.?(?: \(I am the offline model\.\))?$/.exec(asked) ?? [];
  const missing = sentence.match(/"TEXT"|\bFILE\b|\bNAME\b|\bnotes\.txt$/g) ?? [];
  const [only = ""] = missing;
  if (missing.length !== 1) return undefined;
  const name = said.replace(/^(?:in|to|into|from|it(?:'s| is)|the file|called)\s+/i, "").replace(/[.!]$/, "");
  const isFitting = only === '"TEXT"' ? QUOTED.test(said) : QUOTED.test(name) || /^[\w-]*[./][^\s]+$/.test(name);
  return isFitting ? sentence.replace(only, () => (only === '"TEXT"' ? said : name)) : undefined;
}

const QUOTED = /^(["'`])[^\n]*\1$/;
const TASK = /^Task #(\d+) is yours now: ([^\n]*)\n([\s\S]*)\nWhen it is done, mark it completed with TaskUpdate\.$/;

/** A task that a teammate was given is its description as a sentence; it is marked as done behind the steps, if all of it was understood. */
function readTask(sentence: string, before: Before): ReturnType<typeof readSentence> {
  const [, taskId, subject = "", description = ""] = TASK.exec(sentence) ?? [];
  if (taskId === undefined) return readSentence(sentence, before);
  const read = readSentence(description.trim() || subject, before);
  const isWhole = read.steps.length > 0 && read.rest.length + read.questions.length === 0;
  const done: Step = { tool: "TaskUpdate", purpose: "note", input: { taskId, status: "completed" }, said: subject };
  return isWhole && before.tools?.has("TaskUpdate") ? { ...read, steps: [...read.steps, done] } : read;
}

const WHAT_DONE =
  /^(?:what|which (?:things|steps|tools|commands)) (?:did|have|had) you (?:just |now |last )*(?:do|done|did|run|change|changed|used?)(?: (?:just now|now|there|so far|last|for me))*\s*\??$/i;

const DID: Readonly<Record<string, (input: ToolUseBlock["input"]) => string>> = {
  Bash: ({ command }) => `run \`${String(command)}\``,
  Read: ({ file_path: file }) => `read ${String(file)}`,
  Write: ({ file_path: file }) => `write ${String(file)}`,
  Edit: ({ file_path: file }) => `change ${String(file)}`,
  Grep: ({ pattern }) => `search for ${String(pattern)}`,
  Glob: ({ pattern }) => `look for files (${String(pattern)})`,
};
const PAST: Readonly<Record<string, string>> = {
  run: "ran",
  write: "wrote",
  change: "changed",
  search: "searched",
  look: "looked",
  use: "used",
};

/** What the calls for the sentence before were. */
function lastDone(earlier: readonly ModelMessage[]): string {
  const from = earlier.findLastIndex(({ role, content }) => role === "user" && isAsked(blocksOf(content)));
  const blocks = earlier.slice(Math.max(0, from)).flatMap(({ content }) => blocksOf(content));
  const failed = new Set(blocks.flatMap((block) => (block.type === "tool_result" && block.is_error ? block.tool_use_id : [])));
  const told = blocks.flatMap((block) => {
    if (block.type !== "tool_use") return [];
    const did = (DID[block.name] ?? (() => `use ${block.name}`))(block.input);
    return failed.has(block.id) ? `tried to ${did}, which failed` : did.replace(/^\w+/, (verb) => PAST[verb] ?? verb);
  });
  return told.length === 0 ? "Nothing: I used no tool for your last sentence." : `For your last sentence I ${told.join("; ")}.`;
}

/** Words that are no English ones and begin or fill what people of other languages ask for. */
const FOREIGN =
  /(?<!\p{L})(?:bitte|zeige?n?|lösche?n?|erstelle?n?|lies|datei(?:en)?|ordner|verzeichnis|schreibe?n?|führe|öffne|suche|hilfe|welche[rs]?|nicht|ich|kannst|mach(?:e|en)?|eine[nmrs]?|mir|fichiers?|montre[rz]?|crée[rz]?|supprime[rz]?|archivos?|muestra(?:me)?|borrar?|crear?)(?!\p{L})|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}/iu;
const ENGLISH_ONLY = 'I only know English: I am the offline model, a grammar of plain sentences. Say "help" for what I understand.';

function hasHelp({ role, content }: ModelMessage): boolean {
  return role === "assistant" && blocksOf(content).some((block) => block.type === "text" && block.text.includes(HELP));
}

/** What others did meanwhile: it comes by itself behind an answer, and is told as it is; what was said before is not said again. */
function newsIn(messages: readonly ModelMessage[]): string | undefined {
  const last = messages.at(-1);
  const before = messages.at(-2);
  const blocks = last?.role === "user" ? blocksOf(last.content) : [];
  const isAnswered = before?.role === "assistant" && blocksOf(before.content).every(({ type }) => type === "text");
  if (!isAnswered || blocks.length === 0 || !blocks.every((block) => block.type === "text" && isReminder(block.text))) return undefined;
  return blocks.map((block) => (block.type === "text" ? reminded(block.text).replace(MESSAGE, "$1: $2") : "")).join("\n\n");
}

const MESSAGE = /<teammate-message from="([^"]+)">\n([\s\S]*?)\n<\/teammate-message>/g;

function isQuestion(sentence: string): boolean {
  return /\?\s*$/.test(sentence) || /^(?:what|who|when|where|why|which|how|is|are|does|do|tell)\b/i.test(sentence.trim());
}

/** Results belong to steps in order; some steps are only known when an earlier one has its result. */
function follow(
  steps: readonly Step[],
  results: readonly ToolResultBlock[],
): { readonly done: readonly DoneStep[]; readonly next: Step | undefined } {
  let open = steps;
  const done: DoneStep[] = [];
  for (const result of results) {
    const [step, ...others] = open;
    if (!step) break;
    const follows = step.next?.(result) ?? [];
    done.push({ step, result, ...(typeof follows === "string" && { instead: follows }) });
    open = [...(typeof follows === "string" ? [] : follows).map((draft) => ({ ...draft, said: step.said })), ...others];
  }
  return { done, next: open[0] };
}

/** Said once, before the first of several steps. */
function opening(steps: readonly Step[], rest: readonly string[], at: number): readonly TextBlock[] {
  if (at > 0) return [];
  const parts = [...(steps.length > 1 ? [`I will do ${steps.length} things.`] : []), ...(rest.length > 0 ? [notUnderstood(rest)] : [])];
  return parts.length > 0 ? [text(parts.join(" "))] : [];
}

/** A teammate that is asked to stop has nothing to keep it. */
function stopAnswer(sentence: string): Pick<ToolUseBlock, "name" | "input"> | undefined {
  const [, from] = /^<teammate-message from="([^"]+)">\nYou are asked to stop\./.exec(sentence) ?? [];
  return from === undefined
    ? undefined
    : { name: "SendMessage", input: { to: from, message: { type: "shutdown_response", approve: true } } };
}

/** What earlier calls were about. */
function remembered(earlier: readonly ModelMessage[]): Omit<Before, "tools"> {
  const blocks = earlier.flatMap(({ content }) => blocksOf(content));
  const failed = new Set(blocks.flatMap((block) => (block.type === "tool_result" && block.is_error ? block.tool_use_id : [])));
  const calls = blocks.filter((block) => block.type === "tool_use");
  const done = calls.filter(({ id, input }) => !failed.has(id) && !/^mkdir /.test(String(input["command"])));
  const file = done.map(({ name, input }) => subjectOf({ tool: name, input })).findLast((subject) => subject !== undefined);
  const todos = calls.findLast(({ name }) => name === "TodoWrite")?.input["todos"];
  const results = new Map(
    blocks.flatMap((block) => (block.type === "tool_result" ? [[block.tool_use_id, resultText(block)] as const] : [])),
  );
  const tasks = calls.flatMap(({ id, name, input }) => {
    const [, number] = name === "TaskCreate" ? (/^Task #(\d+) /.exec(results.get(id) ?? "") ?? []) : [];
    return number === undefined ? [] : [{ id: number, subject: String(input["subject"]) }];
  });
  const read = calls.findLast(({ name }) => name === "Read");
  const [, offset] = /\(lines \d+ to \d+ of \d+; read on with offset (\d+)\)$/.exec(results.get(read?.id ?? "") ?? "") ?? [];
  const readOn = read && offset !== undefined ? { ...read.input, offset: Number(offset) } : undefined;
  return { lastFile: file, todos: Array.isArray(todos) ? (todos as readonly Todo[]) : [], tasks, readOn, undo: undoOf(done, results) };
}

/** What takes the last change back. Exactly, if that is known; else it is asked, since it could take back more. */
function undoOf(done: readonly ToolUseBlock[], results: ReadonlyMap<string, string>): Reading {
  const last = done.findLast(
    ({ name, input }) => name === "Edit" || name === "Write" || (name === "Bash" && !leavesAlone(input["command"])),
  );
  if (!last) return undefined;
  const { file_path: file, old_string: old, new_string: fresh, replace_all: isAll, command } = last.input;
  if (last.name === "Write")
    return /^File created/.test(results.get(last.id) ?? "")
      ? `It is new, so it would be deleted. Did you mean "delete the file ${String(file)}"?`
      : undefined;
  if (last.name === "Edit" && fresh !== "")
    return isAll === true
      ? `Did you mean "replace ${JSON.stringify(fresh)} with ${JSON.stringify(old)} in ${String(file)}"?`
      : [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: fresh, new_string: old } }];
  const [, from, folder = "", to] = /^mv ([\w./-]+) ((?:[\w./-]+\/)?)([\w.-]*)$/.exec(String(command)) ?? [];
  if (from !== undefined) return [bash(`mv ${folder}${to || from.split("/").at(-1)} ${from}`, "change")];
  const [, deleted] = /^rm -r ([\w./-]+)$/.exec(String(command)) ?? [];
  return deleted === undefined
    ? undefined
    : `I keep no copies. If it was committed, git has it as it was then. Did you mean "run git restore ${deleted}"?`;
}

interface Turn {
  /** What the user, or a hook in the user's place, asked for last. */
  readonly sentence: string;
  /** What hooks added to it. */
  readonly contexts: readonly string[];
  /** Results since then, in order. */
  readonly done: readonly ToolResultBlock[];
  /** What was said before. */
  readonly earlier: readonly ModelMessage[];
}

function lastTurn(messages: readonly ModelMessage[]): Turn {
  const from = messages.findLastIndex(({ role, content }) => role === "user" && isAsked(blocksOf(content)));
  const asked = blocksOf(messages[from]?.content ?? "");
  const texts = asked.flatMap((block) => (block.type === "text" ? block.text : []));
  const spoken = texts.filter((said) => !isReminder(said));
  const contexts = texts.filter((said) => HOOK_WORDS.test(said)).map(reminded);
  const later = messages.slice(from + 1).flatMap(({ content }) => blocksOf(content));
  const done = later.filter((block) => block.type === "tool_result");
  return {
    sentence: (spoken.at(-1) ?? "").replace(/^\w+ hook feedback:\n/, "").replace(SKILL, ""),
    contexts,
    done,
    earlier: messages.slice(0, Math.max(0, from)),
  };
}

function blocksOf(content: ModelMessage["content"]): readonly ContentBlock[] {
  return typeof content === "string" ? [text(content)] : content;
}

/** What a hook said beside a prompt; what the agent itself says there (plan mode, a summary) answers nothing. */
const HOOK_WORDS = /^<system-reminder>\n?[\w:-]+ hook (?:additional context|success): /;
const SKILL = /^Base directory for this skill: [^\n]*\n\n?/;

/** The user asks for something. The text of a skill that a call has loaded stands beside the call's result. */
function isAsked(blocks: readonly ContentBlock[]): boolean {
  const isResult = blocks.some(({ type }) => type === "tool_result");
  return blocks.some((block) => isSpoken(block) && !(isResult && block.type === "text" && SKILL.test(block.text)));
}

/** A person's text, not what hooks put beside it. */
function isSpoken(block: ContentBlock): boolean {
  return block.type === "text" && !isReminder(block.text);
}

function isReminder(said: string): boolean {
  return said.startsWith("<system-reminder>");
}

function reminded(block: string): string {
  return block
    .replace(/^<system-reminder>\n?|\n?<\/system-reminder>$/g, "")
    .replace(/^[\w:-]+ hook (?:additional context|success): /, "")
    .trim();
}

function text(value: string): TextBlock {
  return { type: "text", text: value };
}
