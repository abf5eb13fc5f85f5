/** Takes a prompt hook and an event; asks a model once whether the hook's condition holds. It may put one question to the user first. */
import { EVENTS } from "../../../catalogue/index.ts";
import { failure, thrownText } from "../failures.ts";
import type { RunFailure, Runner } from "../types.ts";
import { type AskUser, questionText, summaryOf } from "./ask-user-port.ts";
import { judgePrompt } from "./judge-prompt.ts";
import { type Judgement, readJudgement } from "./judgement.ts";
import type { ModelMessage, ModelReply } from "./model-port.ts";
import { type Judged, type JudgeRun, type ModelRunnerOptions, modelRunner } from "./model-runner.ts";

const MAX_TOKENS = 1024;

export function createPromptRunner(options: ModelRunnerOptions): Runner {
  return modelRunner("prompt", options, (run) => judgeOnce(run, options));
}

async function judgeOnce(run: JudgeRun, { askUser, messages }: ModelRunnerOptions): Promise<Judged> {
  const { fields, event, payload } = run;
  const row = EVENTS[event];
  const isAboutAll = row.blockEffect === "continueTurn";
  const asked = judgePrompt({
    prompt: String(fields["prompt"] ?? ""),
    payload,
    canAsk: row.asksUser,
    messages: isAboutAll ? messages?.() : [],
  });
  const first = await run.ask({ ...asked, maxTokens: MAX_TOKENS });
  const judged = judgedBy(first);
  const question = questionOf(judged);
  if (question === undefined) return judged;
  if (!row.asksUser) return { problem: failure("bad-answer", "the model asked the user something, which this event does not allow") };
  const answer = await answerOfUser(run, question, askUser);
  if (typeof answer !== "string") return { problem: answer };
  const said: ModelMessage[] = [
    ...asked.messages,
    { role: "assistant", content: textOf(first) },
    { role: "user", content: `The user answered: ${JSON.stringify(answer)}\nNow judge. You cannot ask again.` },
  ];
  const second = judgedBy(await run.ask({ ...asked, messages: said, maxTokens: MAX_TOKENS }));
  return questionOf(second) === undefined ? second : { problem: failure("bad-answer", "the model asked the user a second time") };
}

function questionOf(judged: Judged): string | undefined {
  return "judgement" in judged ? judged.judgement.question : undefined;
}

/** What the user said, or why nobody did. */
async function answerOfUser(run: JudgeRun, question: string, askUser: AskUser | undefined): Promise<string | RunFailure> {
  const wanted = questionText(question);
  if (!askUser) return failure("unanswered", `it wants to ask the user, and there is no user to ask here: ${wanted}`);
  try {
    const answer = await askUser({ hook: run.hookName, summary: summaryOf(run.input.input), question: wanted, signal: run.signal });
    return answer ?? failure("unanswered", `the user gave no answer to its question: ${wanted}`);
  } catch (thrown) {
    return failure("unanswered", `its question could not be put to the user: ${thrownText(thrown)}`);
  }
}

function judgedBy(reply: ModelReply): Judged {
  const text = textOf(reply);
  const judgement: Judgement | undefined = readJudgement(text);
  if (judgement) return { judgement };
  const end = reply.stopReason === "end_turn" ? "" : ` (it ended with ${reply.stopReason})`;
  const problem = failure("bad-answer", `the model did not answer as asked${end}: ${JSON.stringify(text.slice(0, 200))}`);
  return { said: text, problem };
}

function textOf({ content }: ModelReply): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
}
