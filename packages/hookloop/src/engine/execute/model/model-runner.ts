import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../../../catalogue/index.ts";
import { failure, NO_OUTPUT, notRun, thrownText } from "../failures.ts";
import type { RunFailure, RunInput, Runner } from "../types.ts";
import { limitOf, withinLimit } from "../within-limit.ts";
import type { AskUser } from "./ask-user-port.ts";
import { answerOf, type Judgement } from "./judgement.ts";
import { type Model, ModelError, type ModelMessage, type ModelReply, type ModelRequest, type ModelUsage } from "./model-port.ts";

export interface ModelRunnerOptions {
  /** Absent where no model is configured: then such a hook has failed, out loud. */
  readonly model: Model | undefined;
  readonly askUser?: AskUser | undefined;
  /** The conversation, for events that are about all of it. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
}

/** One judgement of one hook. */
export interface JudgeRun {
  /** Asks the model the hook names; its tokens are counted. */
  readonly ask: (request: Omit<ModelRequest, "model" | "signal">) => Promise<ModelReply>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly hookName: string;
  readonly event: EventName;
  readonly input: RunInput;
  /** The payload as the hook's dialect spells it. */
  readonly payload: string;
  readonly signal: AbortSignal;
}

/** How it ended: with a judgement, or with what went wrong. */
export type Judged = { readonly judgement: Judgement } | { readonly problem: RunFailure; readonly said?: string };

/** What prompt and agent hooks have in common: a time limit, a model that may be missing, and an answer in the words of a hook. */
export function modelRunner(kind: "prompt" | "agent", { model }: ModelRunnerOptions, judge: (run: JudgeRun) => Promise<Judged>): Runner {
  return async ({ hook }, input) => {
    const { target, event } = hook;
    if (target.kind !== kind) return notRun(hook, failure("could-not-start", `it is a ${target.kind} hook, not a ${kind} hook`));
    if (!model) return notRun(hook, failure("no-model", `no model is configured, and a ${kind} hook needs one`));
    if (input.signal?.aborted) return notRun(hook, failure("aborted", "it was cancelled before it started"));
    const startedAt = performance.now();
    const { fields } = target;
    const { usage, asker } = countingModel(model, fields);
    const payload = input.payload().toString();
    const ended = await withinLimit({
      limitMs: limitOf(hook, input),
      signal: input.signal,
      run: (signal) => judge({ ask: asker(signal), fields, hookName: hook.name, event, input, payload, signal }),
      onThrow: modelFailure,
    });
    const common = { ...NO_OUTPUT, hook, durationMs: performance.now() - startedAt, usage: usage() };
    if ("failure" in ended) return { ...common, failure: ended.failure };
    const { value } = ended;
    if ("problem" in value) return { ...common, stdout: value.said ?? "", failure: value.problem };
    const continues = kind === "agent" || fields["continueOnBlock"] === true;
    return { ...common, ...answerOf(value.judgement, { row: EVENTS[event], event, continues, isGuard: hook.isGuard }) };
  };
}

interface CountingModel {
  /** What was used so far, also by a run that was cut off; nothing if the model was never heard. */
  readonly usage: () => ModelUsage | undefined;
  readonly asker: (signal: AbortSignal) => JudgeRun["ask"];
}

function countingModel(model: Model, fields: Readonly<Record<string, unknown>>): CountingModel {
  const name = typeof fields["model"] === "string" ? fields["model"] : undefined;
  let sum: ModelUsage | undefined;
  return {
    usage: () => sum,
    asker: (signal) => async (request) => {
      const reply = await model.ask({ ...request, model: name, signal });
      sum = {
        inputTokens: (sum?.inputTokens ?? 0) + reply.usage.inputTokens,
        outputTokens: (sum?.outputTokens ?? 0) + reply.usage.outputTokens,
      };
      return reply;
    },
  };
}

function modelFailure(thrown: unknown): RunFailure {
  const kind = thrown instanceof ModelError ? `${thrown.kind}: ` : "";
  return failure("model-failed", `the model did not answer: ${kind}${thrownText(thrown)}`);
}
