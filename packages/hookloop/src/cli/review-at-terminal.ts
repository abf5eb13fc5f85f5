import { visibleLine } from "../diagnostic.ts";
import { isPending, isSwitch } from "../trust/index.ts";
import { askClearly, openLineQuestions, reviewAnswer } from "./clear-answer.ts";
import { wrapText } from "./screen/text-width.ts";
import { print, printData, UsageError, width } from "./terminal.ts";
import { hooksJson, type ListedHook, leftText, type TrustDesk, trustPage, withoutReview } from "./trust-desk.ts";

/** Nothing: the person left. */
type Ask = (question: string) => Promise<string | undefined>;

const QUESTION = "Approve it? y = yes, r = refuse it for good, q = stop, n = not now [n]";
const REMOVED_QUESTION = "It was removed. Is that all right? y = yes, forget it, q = stop, n = not now [n]";
const SWITCH_QUESTION = "Do you want these gates off? y = yes, r = refuse it for good, q = stop, n = not now [n]";

/** Shows what waits and asks about each; without a terminal nothing is asked and nothing approved. */
export async function reviewAtTerminal(desk: TrustDesk, json: boolean): Promise<void> {
  const waiting = desk.hooks.filter(isPending);
  if (json) return printData(hooksJson(waiting, "review"));
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
  const questions = openLineQuestions({ input: process.stdin, output: process.stdout });
  try {
    await askAboutEach(desk, waiting, (question) => questions.ask(wrapText(question, width()).join("\n")));
  } finally {
    questions.close();
  }
}

/** One question per hook. The answer counts only if the hook is still what was shown. */
export async function askAboutEach(desk: TrustDesk, waiting: readonly ListedHook[], ask: Ask): Promise<void> {
  for (const [at, shown] of waiting.entries()) {
    const { isAbsent = false } = shown;
    if (waiting.length > 1) print(`\n${at + 1} of ${waiting.length}`);
    const reason = shown.reason && withoutReview(shown.reason);
    print(`\n${trustPage({ ...shown, reason }, width())}\n`);
    const answer = await askClearly({
      ask,
      print: (text) => print(wrapText(text, width()).join("\n")),
      question: isAbsent ? REMOVED_QUESTION : isSwitch(shown.hook) ? SWITCH_QUESTION : QUESTION,
      read: (given) => reviewAnswer(given, isAbsent),
      hint: `Say y, ${isAbsent ? "" : "r, "}q or n; Enter is n.`,
      why: () => [reason ?? "It is not approved."],
    });
    if (answer === undefined || answer === "quit") return;
    if (answer !== "later") await decide(desk, shown, answer === "approve" ? "approved" : "refused");
    else print(leftText(shown));
  }
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
