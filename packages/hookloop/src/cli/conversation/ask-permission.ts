/** Asks a person about a tool call: what it is, why they are asked, what would change, and which rule would spare them the question. */
import type { Verdict } from "../../engine/merge/index.ts";
import type { ToolCall, ToolOptions } from "../../engine/run-tool.ts";
import { type PermissionDecision, type Permissions, proposedChange, suggestUpdates } from "../../permissions/index.ts";
import { colouredDiff } from "../render/trust-page.ts";
import { style } from "../terminal.ts";
import type { Screen } from "./screen/types.ts";
import { callText, firstLines } from "./show/call-text.ts";
import type { Shorten } from "./show/short-paths.ts";

type Ask = NonNullable<ToolOptions["ask"]>;
type Answer = Awaited<ReturnType<Ask>>;

export interface AskOptions {
  readonly screen: Screen;
  readonly shorten: Shorten;
  readonly permissions: () => Permissions;
  readonly report: (diagnostic: ReturnType<Permissions["update"]>[number]) => void;
  /** Of the turn. */
  readonly signal: () => AbortSignal | undefined;
}

const COMMAND_LINES = 12;

/** One question at a time: calls of one turn run at once, and an answer may spare the next question. */
export function createAsk(options: AskOptions): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (call, verdict, why) => {
    const answer = last.then(() => askOne(options, { call, verdict, why }));
    last = answer.catch(() => undefined);
    return answer;
  };
}

interface Asked {
  readonly call: ToolCall;
  readonly verdict: Verdict;
  readonly why: PermissionDecision | undefined;
}

async function askOne(options: AskOptions, asked: Asked): Promise<Answer> {
  const { screen, permissions, signal } = options;
  const { call, why } = asked;
  const rule = why?.by.kind === "default" ? suggestionFor(call) : undefined;
  if (rule && permissions().decide(call).decision === "allow") return true;
  printQuestion(options, asked);
  if (rule) screen.print(style("dim", `  a would add, for this session: ${options.shorten(rule.text)}`), "  ");
  const choices = `y = yes, ${rule ? "a = yes, always, " : ""}n [why] = no`;
  const given = await screen.ask(`Allow it? ${choices} [n]`, signal());
  const [, word = "", reason = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(given ?? "") ?? [];
  if (YES.has(word.toLowerCase()) && reason === "") return true;
  if (rule && ALWAYS.has(word.toLowerCase()) && reason === "") {
    for (const diagnostic of permissions().update([rule.update])) options.report(diagnostic);
    return true;
  }
  // Whatever else was typed is a no; what was typed instead of a letter is its reason.
  const said = NO.has(word.toLowerCase()) ? reason : (given ?? "");
  return said.trim() === "" ? false : { isAllowed: false, reason: said.trim() };
}

const YES: ReadonlySet<string> = new Set(["y", "yes"]);
const ALWAYS: ReadonlySet<string> = new Set(["a", "always"]);
const NO: ReadonlySet<string> = new Set(["n", "no"]);

function printQuestion({ screen, shorten }: AskOptions, { call, verdict, why }: Asked): void {
  const { tool_name: name, tool_input: input } = call;
  const reasons = [...new Set([...verdict.reasons.map(({ text }) => text), why?.reason ?? ""])].filter(Boolean);
  screen.print("");
  screen.print(`${style("yellow", "?")} ${firstLines(shorten(callText({ name, input })), COMMAND_LINES).join("\n")}`, "  ");
  for (const reason of reasons) screen.print(`  ${shorten(reason)}`, "  ");
  const file = input["file_path"];
  const diff = typeof file === "string" ? proposedChange(file, input) : undefined;
  if (diff) for (const line of colouredDiff(shorten(diff)).split("\n")) screen.print(`  ${line}`, "  ");
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
