/** Asks the user about a tool call: what it is, why, what would change, and which rule would make the question unnecessary. */

import { type AgentSession, editProblem } from "../../agent/index.ts";
import { counted, visibleLine } from "../../diagnostic.ts";
import type { ToolCall, ToolOptions } from "../../engine/index.ts";
import type { AnswerQuestion, McpAnswer, McpQuestion } from "../../mcp/index.ts";
import { type Permissions, proposedChange, suggestUpdates } from "../../permissions/index.ts";
import { type Approval, isSwitch, type PendingHook, type RunTrust } from "../../trust/index.ts";
import { askClearly, yesOrNo } from "../clear-answer.ts";
import type { AskScreen } from "../screen/screen.ts";
import { style } from "../terminal.ts";
import { askAboutHook, colouredDiff, leftText } from "../trust-desk.ts";
import { contents, firstLines, type Shorten, shownCall } from "./call-text.ts";
import { type Asked, explainQuestion } from "./why.ts";

type Ask = NonNullable<ToolOptions["ask"]>;
type Answer = Awaited<ReturnType<Ask>>;

interface AskOptions {
  readonly screen: AskScreen;
  readonly shorten: Shorten;
  readonly permissions: () => Permissions;
  readonly report: (diagnostic: ReturnType<Permissions["update"]>[number]) => void;
  readonly signal: () => AbortSignal | undefined;
  /** An "a" added a rule or changed the mode, for this session; gives the mode before. */
  readonly onAlways?: ((before: Permissions["mode"]) => void) | undefined;
}

/** SECURITY: lines that were not shown cannot be approved. Nobody reads more than this; /why shows all of it. */
const COMMAND_LINES = 2000;

/** One question at a time: calls of one turn run in parallel, and an answer may settle the next question. */
export function createAsk(options: AskOptions): Ask {
  return (call, verdict, why) => {
    const signal = options.signal();
    return options.screen.inTurn(() => askOne(options, { call, verdict, why }, signal));
  };
}

async function askOne(options: AskOptions, asked: Asked, signal: AbortSignal | undefined): Promise<Answer> {
  const { screen, permissions } = options;
  const { call, why } = asked;
  // The turn was stopped while another question was open.
  if (signal?.aborted) return false;
  const rule = why?.by.kind === "default" ? suggestionFor(call) : undefined;
  if (rule && permissions().decide(call).decision === "allow") return true;
  const problem = editProblem(call.tool_name, call.tool_input);
  // There is nothing to ask; if the file changes meanwhile, the model may try again.
  if (problem !== undefined) return { isAllowed: false, reason: problem, isImpossible: true };
  printQuestion(options, asked);
  if (rule) screen.print(style("dim", `  a would add, for this session: ${contents(rule.text)}`), "  ");
  const choices = `y yes · ${rule ? "a always · " : ""}n no (a reason may follow)`;
  const answer = await askOnScreen(
    screen,
    {
      question: `Allow it? ${choices} [n]`,
      read: (given) => (rule && ["a", "always"].includes(given.trim().toLowerCase()) ? "always" : yesOrNo(given)),
      hint: `Type ${rule ? "y, a" : "y"} or n. What you type after n is told to the model. /why shows what asks, Esc stops the turn.`,
      why: () => explainQuestion(asked, options.shorten),
    },
    signal,
  );
  if (answer === "always") {
    const { mode } = permissions();
    for (const diagnostic of rule ? permissions().update([rule.update]) : []) options.report(diagnostic);
    options.onAlways?.(mode);
    return true;
  }
  // SECURITY: no answer is not a yes.
  if (!answer) return false;
  if (answer.isYes) return true;
  return answer.reason === "" ? false : { isAllowed: false, reason: answer.reason };
}

function printQuestion({ screen, shorten }: AskOptions, { call, verdict, why }: Asked): void {
  const { tool_name: name, tool_input: input } = call;
  const reasons = [...new Set([...verdict.reasons.map(({ text }) => text), why?.reason ?? ""])].filter(Boolean);
  screen.print("");
  screen.print(`${style("yellow", "?")} ${firstLines(shownCall({ name, input }, shorten), COMMAND_LINES).join("\n")}`, "  ");
  for (const reason of reasons) screen.print(`  ${shorten(reason)}`, "  ");
  // Users wonder why a command is asked about that only reads.
  if (why?.by.kind === "default" && /^\s*git\s/.test(String(input["command"])))
    screen.print(style("dim", "  git asks also where it only reads: its settings can start programs."), "  ");
  const file = input["file_path"];
  const diff = typeof file === "string" ? proposedChange(file, input, shorten(file)) : undefined;
  if (diff === "") screen.print(style("dim", "  Nothing would change: the file already has this content."), "  ");
  if (diff) for (const line of colouredDiff(diff).split("\n")) screen.print(`  ${line}`, "  ");
}

/** As narrow as the question; nothing where that is not possible. */
type Update = Parameters<Permissions["update"]>[0][number];

function suggestionFor(call: ToolCall): { readonly text: string; readonly update: Update } | undefined {
  const [suggestion] = suggestUpdates(call);
  if (!suggestion) return undefined;
  const update: Update = { ...suggestion, destination: "session" };
  if (suggestion.type === "setMode")
    return { text: `the mode ${suggestion.mode} (edits inside the workspace are not asked about)`, update };
  const [{ toolName, ruleContent }] = suggestion.rules;
  return { text: `allow ${toolName}${ruleContent === undefined ? "" : `(${ruleContent})`}`, update };
}

/** Shows the user a question of an MCP server: a form, field by field, or a page to open. Only what they type here is sent. */

export function createAnswer(screen: AskScreen, shorten: Shorten): AnswerQuestion {
  return (question, signal) => screen.inTurn(() => answer(screen, shorten, question, signal));
}

async function answer(screen: AskScreen, shorten: Shorten, question: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  if (signal.aborted) return { action: "cancel" };
  const { server, message, mode, url } = question;
  screen.print(`${style("yellow", "?")} The MCP server "${shorten(server)}" asks: ${contents(message)}`, "  ");
  if (mode === "url") screen.print(`  ${contents(url ?? "")}`, "  ");
  const choice = await askOnScreen(
    screen,
    {
      question: mode === "url" ? "Have you opened it? y = yes [n]" : "Answer it? y = yes [n]",
      read: yesOrNo,
      hint: "Type y or n; Enter is n, and declines.",
      why: () => [`The MCP server "${shorten(server)}" waits for an answer. Only what you type here is sent.`],
    },
    signal,
  );
  if (choice === undefined) return { action: "cancel" };
  if (!choice.isYes) return { action: "decline" };
  return mode === "url" ? { action: "accept" } : await fillIn(screen, shorten, question, signal);
}

interface FormField {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
}

async function fillIn(screen: AskScreen, shorten: Shorten, { schema }: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  const fields = (schema?.["properties"] ?? {}) as Readonly<Record<string, FormField>>;
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = await askOnScreen(
      screen,
      {
        question: shorten(labelOf(name, field)),
        read: (typed) => fieldValue(field, typed.trim()),
        hint: shorten(`${hintOf(field)} Enter leaves it empty.`),
      },
      signal,
    );
    if (given === undefined) return { action: "cancel" };
    // A field that is left empty is not sent; the server's schema says whether it had to be.
    if (given.value !== "") content[name] = given.value;
  }
  return { action: "accept", content };
}

function labelOf(name: string, { title, description, type, enum: values }: FormField): string {
  const choices = Array.isArray(values) ? ` (${values.join(", ")})` : type === "boolean" ? " (y, n)" : "";
  const about = typeof description === "string" ? `: ${description}` : "";
  return `${typeof title === "string" ? title : name}${about}${choices}`;
}

/** What was typed as the field wants it; nothing if it cannot be that. */
function fieldValue({ type, enum: values }: FormField, given: string): { readonly value: unknown } | undefined {
  if (given === "") return { value: "" };
  if (Array.isArray(values)) {
    const chosen = values.find((one) => String(one) === given) ?? values.find((one) => String(one).toLowerCase() === given.toLowerCase());
    return chosen === undefined ? undefined : { value: chosen };
  }
  if (type === "boolean") {
    const answer = /^(?:true|false)$/i.test(given) ? { isYes: given.toLowerCase() === "true", reason: "" } : yesOrNo(given);
    return answer && (answer.isYes || answer.reason === "") ? { value: answer.isYes } : undefined;
  }
  if (type !== "number" && type !== "integer") return { value: given };
  const number = Number(given);
  return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? { value: number } : undefined;
}

function hintOf({ type, enum: values }: FormField): string {
  if (Array.isArray(values)) return `Type one of ${values.join(", ")}.`;
  return type === "boolean" ? "Type y or n." : `Type ${type === "integer" ? "a whole number" : "a number"}.`;
}

type Asking<Answer> = Omit<Parameters<typeof askClearly<Answer>>[0], "ask" | "print">;

/** Asks until the answer is clear, with hints in the conversation's style. */
export function askOnScreen<Answer>(
  screen: Pick<AskScreen, "ask" | "print">,
  asking: Asking<Answer>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const print = (text: string): void => screen.print(style("dim", `  ${text}`), "  ");
  return askClearly({ ...asking, ask: (question) => screen.ask(question, signal), print });
}

/** Shows hooks that are not approved and asks about each. No answer approves nothing. The signal: the user leaves. */
export function createReview(screen: AskScreen, signal: AbortSignal): NonNullable<RunTrust["review"]> {
  return (pending) => screen.inTurn(() => review(screen, pending, signal));
}

async function review(screen: AskScreen, pending: readonly PendingHook[], signal: AbortSignal): Promise<readonly Approval[]> {
  if (signal.aborted) return [];
  const hooks = pending.filter(({ hook, isAbsent }) => !isSwitch(hook) && !isAbsent).length;
  const gone = pending.filter(({ isAbsent }) => isAbsent).length;
  const [many, runs, it] = hooks === 1 ? ["A hook is", "It runs", "it"] : [`${hooks} hooks are`, "They run", "them"];
  screen.print("");
  if (hooks > 0) screen.print(`${style("yellow", "?")} ${many} not approved. ${runs} programs on this machine: look at ${it} first.`, "  ");
  if (gone > 0)
    screen.print(
      `${style("yellow", "?")} ${gone === 1 ? "A hook that was approved is" : `${gone} hooks that were approved are`} not there any more.`,
      "  ",
    );
  const approvals: Approval[] = [];
  const io = {
    ask: (question: string) => screen.ask(question, signal),
    print: (text: string) => screen.print(text),
    columns: screen.columns(),
  };
  for (const [at, hook] of pending.entries()) {
    screen.print("");
    if (pending.length > 1) screen.print(style("dim", `${at + 1} of ${pending.length}`));
    const { refusal } = hook;
    const reason = refusal?.blocks || isSwitch(hook.hook) ? refusal?.text : undefined;
    const answer = await askAboutHook({ ...hook, runs: false, reason }, io, refusal?.text);
    if (answer === "quit") break;
    if (answer === "later") screen.print(style("dim", leftText({ hook: hook.hook, blocks: refusal?.blocks })));
    else {
      approvals.push({ id: hook.hook.id, digest: hook.digest, decision: answer });
      screen.print(style("dim", answeredText(hook, answer)), "  ");
    }
  }
  return approvals;
}

function answeredText({ hook, isAbsent }: PendingHook, answer: "approve" | "refuse"): string {
  const name = visibleLine(hook.name);
  if (isAbsent) return `Forgotten: ${name}.`;
  if (isSwitch(hook)) return answer === "approve" ? "The gates are off." : "The gates stay on.";
  return answer === "approve" ? `Approved: ${name} runs from now on.` : `Refused: ${name} does not run.`;
}

/** The line below what is typed: what does not run, which model, how much it may do, and where. What matters most comes first: narrow terminals cut its end. */
export function statusText(
  { agent, permissions, hooks, isScripted }: Pick<AgentSession, "agent" | "permissions" | "hooks" | "isScripted">,
  folder: string,
  waiting: ReturnType<AgentSession["hooks"]["notRunning"]> = hooks.notRunning(),
): string {
  const idle = new Set(waiting.map(({ hook }) => hook.id));
  const shut = new Set(waiting.filter(({ blocks }) => blocks).map(({ hook }) => hook.id)).size;
  const off = idle.size - shut;
  const all = idle.size + hooks.admitted.filter(({ id }) => !idle.has(id)).length;
  const count = counted(all, "hook");
  const model = isScripted ? `script as ${agent.modelName()}` : agent.modelName();
  const parts = [model, permissions.mode, count, folder];
  if (idle.size === 0) return parts.join(" · ");
  const blocks = shut === 1 ? "blocks what it matches" : "block what they match";
  const what = off === 0 ? `${shut} of ${count} ${blocks}` : `${off} of ${count} will not run${shut === 0 ? "" : `, ${shut} ${blocks}`}`;
  return [`${what}: /hooks`, model, permissions.mode, folder].join(" · ");
}
