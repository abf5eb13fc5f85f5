import { createInterface } from "node:readline/promises";
import { isPending } from "../engine/trust/index.ts";
import { visibleLine } from "../visible-text.ts";
import { hooksJson, trustPage } from "./render/trust-page.ts";
import { print } from "./terminal.ts";
import type { ListedHook, TrustDesk } from "./trust-desk.ts";
import { UsageError } from "./usage-error.ts";

export type Ask = (question: string) => Promise<string>;

const QUESTION = "Approve it? y = yes, r = refuse it for good, q = stop, anything else = not now [N] ";
const REMOVED_QUESTION = "It was removed. Is that all right? y = yes, forget it, q = stop, anything else = not now [N] ";

/** Shows what waits and asks about each; without a terminal nothing is asked and nothing approved. */
export async function reviewAtTerminal(desk: TrustDesk, json: boolean): Promise<void> {
  const waiting = desk.hooks.filter(isPending);
  if (json) return print(hooksJson(waiting, "review"));
  if (waiting.length === 0) return print("Nothing waits for review.");
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const ids = waiting
      .map(({ hook, digest, isAbsent }) =>
        isAbsent ? `  hookloop trust revoke ${hook.id}` : `  hookloop trust approve ${hook.id} --digest ${digest}`,
      )
      .join("\n");
    const text = `${waiting.length === 1 ? "A hook waits" : `${waiting.length} hooks wait`}, and a review needs a terminal. Look with \`hookloop trust review --json\`, then:\n${ids}`;
    throw new UsageError("HL_CLI_NO_TERMINAL", text);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    await askAboutEach(desk, waiting, (question) => terminal.question(question));
  } finally {
    terminal.close();
  }
}

/** One question per hook. The answer counts only if the hook is still what was shown. */
export async function askAboutEach(desk: TrustDesk, waiting: readonly ListedHook[], ask: Ask): Promise<void> {
  for (const shown of waiting) {
    print(`\n${trustPage(shown)}\n`);
    const answer = (await ask(shown.isAbsent ? REMOVED_QUESTION : QUESTION)).trim().toLowerCase();
    if (answer === "q" || answer === "quit") return;
    const verdict = verdictOf(answer, shown);
    if (verdict) await decide(desk, shown, verdict);
    else print(`Left as it is; it ${shown.blocks ? "blocks what it matches" : "does not run"}.`);
  }
}

function verdictOf(answer: string, { isAbsent = false }: ListedHook): "approved" | "refused" | undefined {
  if (answer === "y" || answer === "yes") return "approved";
  // What is gone cannot be refused.
  return !isAbsent && (answer === "r" || answer === "refuse") ? "refused" : undefined;
}

async function decide(desk: TrustDesk, shown: ListedHook, verdict: "approved" | "refused"): Promise<void> {
  const now = desk.look(shown.hook);
  // SECURITY: the answer was about what stood on the screen.
  if (now.digest !== shown.digest) {
    print(
      `HL_TRUST_APPROVAL_STALE: "${visibleLine(shown.hook.name)}" has changed since it was shown. Nothing was approved; review it again.`,
    );
    return;
  }
  await desk.decide(now, verdict, "review");
  const done = shown.isAbsent ? "Forgotten." : "Approved.";
  print(verdict === "approved" ? done : "Refused.");
}
