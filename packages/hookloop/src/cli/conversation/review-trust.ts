/** Shows hooks that nobody has vouched for and asks about each. No answer is a no. */
import type { Approval, PendingHook, RunTrust } from "../../engine/trust/index.ts";
import { trustPage } from "../render/trust-page.ts";
import { style } from "../terminal.ts";
import type { Screen } from "./screen/types.ts";

const QUESTION = "Trust it? y = yes, r = never, q = none of the rest [n = not now]";
const REMOVED_QUESTION = "It was removed. Is that all right? y = yes, forget it, q = none of the rest [n = not now]";

/** The signal: the person leaves. */
export function createReview(screen: Screen, signal: AbortSignal): NonNullable<RunTrust["review"]> {
  return async (pending) => {
    const many = pending.length === 1 ? "A hook waits for your word. It runs" : `${pending.length} hooks wait for your word. They run`;
    screen.print("");
    screen.print(
      `${style("yellow", "?")} ${many} programs on this machine, and nobody has looked at ${pending.length === 1 ? "it" : "them"} yet.`,
      "  ",
    );
    const approvals: Approval[] = [];
    for (const hook of pending) {
      const answer = await askAbout(screen, hook, signal);
      if (answer === "quit") break;
      if (answer) approvals.push({ id: hook.hook.id, digest: hook.digest, decision: answer });
      else screen.print(style("dim", `Left as it is; it ${hook.refusal?.blocks ? "blocks what it matches" : "does not run"}.`));
    }
    return approvals;
  };
}

async function askAbout(screen: Screen, hook: PendingHook, signal: AbortSignal): Promise<Approval["decision"] | "quit"> {
  screen.print("");
  screen.print(trustPage({ ...hook, runs: false, reason: hook.refusal?.blocks ? hook.refusal.text : undefined }), " ".repeat(11));
  const given = await screen.ask(hook.isAbsent ? REMOVED_QUESTION : QUESTION, signal);
  const word = (given ?? "q").trim().toLowerCase();
  if (word === "q" || word === "quit") return "quit";
  if (word === "y" || word === "yes") return "approve";
  return word === "r" || word === "never" ? "refuse" : undefined;
}
