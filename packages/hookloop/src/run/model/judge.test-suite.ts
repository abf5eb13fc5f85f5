import type { EventName } from "@hookloop/sdk";
import type { AdmittedHook } from "../../trust/types.ts";
import { sampleHook } from "../sample-hook.test-suite.ts";
import type { ContentBlock, Model, ModelReply, ModelRequest } from "./model-port.ts";

/** A hook that asks a model. */
export function judgeHook(
  kind: "prompt" | "agent",
  fields: Readonly<Record<string, unknown>> = {},
  event: EventName = "PreToolUse",
): AdmittedHook {
  return sampleHook({ event, target: { kind, fields: { prompt: "Is this safe? $ARGUMENTS", ...fields } } });
}

export interface TestModel extends Model {
  readonly asked: ModelRequest[];
}

/** A model whose answers are a function of the question: texts, blocks, or a promise. */
export function testModel(answer: (request: ModelRequest, turn: number) => unknown): TestModel {
  const asked: ModelRequest[] = [];
  return {
    defaultModel: "test",
    asked,
    async ask(request) {
      asked.push(request);
      const given = await answer(request, asked.length - 1);
      const content = (typeof given === "string" ? [{ type: "text", text: given }] : given) as ModelReply["content"];
      return { id: "m", model: "test", content, stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 2 } };
    },
  };
}

/** Everything a request says to the model besides its system prompt. */
export function saidTo({ messages }: ModelRequest): string {
  return messages.map(({ content }) => (typeof content === "string" ? content : textOf(content))).join("\n");
}

function textOf(blocks: readonly ContentBlock[]): string {
  return JSON.stringify(blocks);
}

/** Answers by what the hook's own prompt wants: for the contract of runners. */
export function contractAnswer(request: ModelRequest): string | Promise<string> {
  const said = saidTo(request);
  const no = (reason: string): string => JSON.stringify({ ok: false, reason });
  if (said.startsWith("MEASURE")) {
    const payload = JSON.parse(said.slice(said.indexOf("<event>\n") + 8, said.indexOf("\n</event>"))) as {
      tool_input: { command: string };
    };
    return no(String(payload.tool_input.command.length));
  }
  if (said.startsWith("LONG")) return no("x".repeat(900_000));
  if (said.startsWith("HANG")) return new Promise(() => {});
  if (said.startsWith("BREAK")) throw new Error("boom");
  return no("answer");
}
