/** Takes an agent hook and an event; lets a model look around with read-only tools, for a bounded number of turns, until it gives its judgement. */

import { counted } from "../../../diagnostic.ts";
import { failure } from "../failures.ts";
import type { Runner } from "../types.ts";
import { judgePrompt } from "./judge-prompt.ts";
import { asJudgement, JUDGEMENT_SCHEMA, type Judgement } from "./judgement.ts";
import type { ModelMessage, ModelReply, ModelTool, ToolResultBlock, ToolUseBlock } from "./model-port.ts";
import { type Judged, type JudgeRun, type ModelRunnerOptions, modelRunner } from "./model-runner.ts";

/** What an agent hook may do; whoever embeds the engine hands the tools in. Only those that read, unless it decides otherwise. */
export interface JudgeTools {
  readonly offered: readonly ModelTool[];
  /** Runs one call; gives the text for the model. Throws if it cannot. */
  run(call: ToolUseBlock, context: { readonly cwd: string; readonly signal: AbortSignal }): Promise<string>;
}

export interface AgentRunnerOptions extends ModelRunnerOptions {
  readonly tools?: JudgeTools | undefined;
  readonly maxTurns?: number | undefined;
}

const MOST_TURNS = 50;
const MAX_TOKENS = 4096;
/** What the model sees of one tool's result. */
const LONGEST_RESULT = 100_000;

const ANSWER_TOOL: ModelTool = {
  name: "StructuredOutput",
  description: "Gives your judgement. Use it once, when you are done.",
  input_schema: JUDGEMENT_SCHEMA,
};
const REMINDER = `Give your judgement with the tool ${ANSWER_TOOL.name}.`;

export function createAgentRunner(options: AgentRunnerOptions): Runner {
  return modelRunner("agent", options, (run) => judgeInTurns(run, options));
}

async function judgeInTurns(run: JudgeRun, { tools, maxTurns = MOST_TURNS }: AgentRunnerOptions): Promise<Judged> {
  const prompt = String(run.fields["prompt"] ?? "");
  const asked = judgePrompt({
    prompt,
    payload: run.payload,
    canAsk: false,
    answer: `Look around with your tools where you need to. ${REMINDER}`,
  });
  const offered = [...(tools?.offered ?? []), ANSWER_TOOL];
  let messages: readonly ModelMessage[] = asked.messages;
  for (let turn = 0; turn < maxTurns; turn++) {
    const reply = await run.ask({ system: asked.system, messages, tools: offered, maxTokens: MAX_TOKENS });
    const judgement = judgementOf(reply);
    if (judgement) return { judgement };
    // A run that was given up must not go on using tools behind the event's back.
    run.signal.throwIfAborted();
    messages = [...messages, ...answered(reply, await resultsOf(reply, run, tools))];
  }
  return { problem: failure("bad-answer", `the model gave no judgement within ${counted(maxTurns, "turn")}`) };
}

function judgementOf({ content }: ModelReply): Judgement | undefined {
  const answer = content.find((block) => block.type === "tool_use" && block.name === ANSWER_TOOL.name);
  const judgement = answer?.type === "tool_use" ? asJudgement(answer.input) : undefined;
  return judgement?.question === undefined ? judgement : undefined;
}

/** An answer without a single block cannot be sent back. */
function answered({ content }: ModelReply, results: ModelMessage["content"]): readonly ModelMessage[] {
  const reaction: ModelMessage = { role: "user", content: results };
  return content.length === 0 ? [reaction] : [{ role: "assistant", content }, reaction];
}

async function resultsOf({ content }: ModelReply, run: JudgeRun, tools: JudgeTools | undefined): Promise<ModelMessage["content"]> {
  const calls = content.filter((block) => block.type === "tool_use");
  return calls.length > 0 ? await Promise.all(calls.map((call) => resultOf(call, run, tools))) : REMINDER;
}

async function resultOf(call: ToolUseBlock, run: JudgeRun, tools: JudgeTools | undefined): Promise<ToolResultBlock> {
  const frame = { type: "tool_result" as const, tool_use_id: call.id };
  const refused = (content: string): ToolResultBlock => ({ ...frame, content, is_error: true });
  if (call.brokenInput !== undefined) return refused("The input is not a JSON object.");
  if (call.name === ANSWER_TOOL.name) return refused("ok must be true or false.");
  // SECURITY: only what was offered; a name the model made up must not reach a tool that writes.
  if (!tools?.offered.some(({ name }) => name === call.name)) return refused(`There is no tool ${call.name}.`);
  try {
    const text = await tools.run(call, { cwd: run.input.cwd, signal: run.signal });
    return { ...frame, content: text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}\n(the rest was cut off)` : text };
  } catch (thrown) {
    return refused(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
