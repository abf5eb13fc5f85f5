/** Shows hooks that are not approved and asks about each. No answer is a no. */

import type { AgentSession } from "../../agent/index.ts";
import { counted, visibleLine } from "../../diagnostic.ts";
import { type Approval, isSwitch, type PendingHook, type RunTrust } from "../../trust/index.ts";
import { askClearly, type ReviewAnswer, reviewAnswer } from "../clear-answer.ts";
import type { AskScreen } from "../screen/text-width.ts";
import { style } from "../terminal.ts";
import { leftText, trustPage, withoutReview } from "../trust-desk.ts";

const QUESTION = "Trust it? y = yes, r = never, q = none of the rest [n = not now]";
const SWITCH_QUESTION = "Do you want these gates off? y = yes, r = never, q = none of the rest [n = not now]";
const REMOVED_QUESTION = "It was removed. Is that all right? y = yes, forget it, q = none of the rest [n = not now]";

/** The signal: the person leaves. */
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
  for (const [at, hook] of pending.entries()) {
    screen.print("");
    if (pending.length > 1) screen.print(style("dim", `${at + 1} of ${pending.length}`));
    const answer = await askAbout(screen, hook, signal);
    if (answer === "quit") break;
    if (answer) {
      approvals.push({ id: hook.hook.id, digest: hook.digest, decision: answer });
      screen.print(style("dim", answeredText(hook, answer)), "  ");
    } else screen.print(style("dim", leftText({ hook: hook.hook, blocks: hook.refusal?.blocks })));
  }
  return approvals;
}

function answeredText({ hook, isAbsent }: PendingHook, answer: "approve" | "refuse"): string {
  const name = visibleLine(hook.name);
  if (isAbsent) return `Forgotten: ${name}.`;
  if (isSwitch(hook)) return answer === "approve" ? "The gates are off." : "The gates stay on.";
  return answer === "approve" ? `Approved: ${name} runs from now on.` : `Refused: ${name} does not run.`;
}

async function askAbout(screen: AskScreen, hook: PendingHook, signal: AbortSignal): Promise<Exclude<ReviewAnswer, "later"> | undefined> {
  const { isAbsent = false, refusal } = hook;
  const reason = refusal && withoutReview(refusal.text);
  const isOff = isSwitch(hook.hook);
  screen.print(trustPage({ ...hook, runs: false, reason: refusal?.blocks || isOff ? reason : undefined }, screen.columns()));
  const answer = await askClearly({
    ask: (question) => screen.ask(question, signal),
    print: (text) => screen.print(style("dim", `  ${text}`), "  "),
    question: isAbsent ? REMOVED_QUESTION : isOff ? SWITCH_QUESTION : QUESTION,
    read: (given) => reviewAnswer(given, isAbsent),
    hint: `Say y, ${isAbsent ? "" : "r, "}q or n; Enter is n.`,
    why: () => [reason ?? "It is not approved."],
  });
  // SECURITY: whoever went away has approved nothing.
  return answer === undefined ? "quit" : answer === "later" ? undefined : answer;
}

/** The line below what is typed: what does not run, which model, how much it may do, and where. What matters most comes first: narrow terminals cut its end. */
export function statusText(
  { agent, permissions, hooks, isScripted }: Pick<AgentSession, "agent" | "permissions" | "hooks" | "isScripted">,
  folder: string,
): string {
  const waiting = hooks.notRunning();
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
