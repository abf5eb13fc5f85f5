/** Asks a person about a tool call: what it is, why they are asked, what would change, and which rule would spare them the question. */

import { editProblem } from "../../agent/index.ts";
import type { ToolCall, ToolOptions } from "../../engine/index.ts";
import { type Permissions, proposedChange, suggestUpdates } from "../../permissions/index.ts";
import { askClearly, yesOrNo } from "../clear-answer.ts";
import { colouredDiff } from "../render/trust-page.ts";
import { style } from "../terminal.ts";
import { type Asked, explainQuestion } from "./commands/why.ts";
import type { AskScreen } from "./screen/types.ts";
import { firstLines, shownCall } from "./show/call-text.ts";
import { contents, type Shorten } from "./show/short-paths.ts";

type Ask = NonNullable<ToolOptions["ask"]>;
type Answer = Awaited<ReturnType<Ask>>;

export interface AskOptions {
  readonly screen: AskScreen;
  readonly shorten: Shorten;
  readonly permissions: () => Permissions;
  readonly report: (diagnostic: ReturnType<Permissions["update"]>[number]) => void;
  /** Of the turn. */
  readonly signal: () => AbortSignal | undefined;
}

/** SECURITY: nobody can agree to lines that were not shown. What is longer than this no person reads, and /why shows it. */
const COMMAND_LINES = 2000;

/** One question at a time: calls of one turn run at once, and an answer may spare the next question. */
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
  // A question about it would be one about nothing; if the file changes meanwhile, the model may try again.
  if (problem !== undefined) return { isAllowed: false, reason: problem, isImpossible: true };
  printQuestion(options, asked);
  if (rule) screen.print(style("dim", `  a would add, for this session: ${contents(rule.text)}`), "  ");
  const choices = `y yes · ${rule ? "a always · " : ""}n no (a reason may follow)`;
  const answer = await askClearly({
    ask: (question) => screen.ask(question, signal),
    print: (text) => screen.print(style("dim", `  ${text}`), "  "),
    question: `Allow it? ${choices} [n]`,
    read: (given) => (rule && ["a", "always"].includes(given.trim().toLowerCase()) ? "always" : yesOrNo(given)),
    hint: `Type ${rule ? "y, a" : "y"} or n. What you type after n is told to the model. /why shows what asks, Esc stops the turn.`,
    why: () => explainQuestion(asked, options.shorten),
  });
  if (answer === "always") {
    for (const diagnostic of rule ? permissions().update([rule.update]) : []) options.report(diagnostic);
    return true;
  }
  // SECURITY: whoever went away has not said yes.
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
  const file = input["file_path"];
  const diff = typeof file === "string" ? proposedChange(file, input, shorten(file)) : undefined;
  if (diff) for (const line of colouredDiff(diff).split("\n")) screen.print(`  ${line}`, "  ");
}

interface RuleSuggestion {
  readonly text: string;
  readonly update: object;
}

/** As narrow as the question; nothing where that is not possible. */
function suggestionFor(call: ToolCall): RuleSuggestion | undefined {
  const [suggestion] = suggestUpdates(call);
  if (!suggestion) return undefined;
  const update = { ...suggestion, destination: "session" };
  if (suggestion.type === "setMode")
    return { text: `the mode ${suggestion.mode} (edits inside the workspace are not asked about)`, update };
  const [{ toolName, ruleContent }] = suggestion.rules;
  return { text: `allow ${toolName}${ruleContent === undefined ? "" : `(${ruleContent})`}`, update };
}
