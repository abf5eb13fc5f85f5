/**
 * The loop. Takes an agent whose conversation ends with the user's message; gives how the turn ended.
 *   ask the model → run its tools through the hooks, all at once → feed the results back → ask again
 * and, when the model uses no tool, ask the Stop hooks whether it may stop. It knows no terminal, no file, no kind of hook and no vendor.
 */

import { counted } from "../diagnostic.ts";
import type { EventInput } from "../engine/index.ts";
import { blockTexts, DEFAULT_STOP_CAP, modelTexts, type Verdict } from "../judge/index.ts";
import { ModelError, type ModelReply, type ModelRequest, type ToolUseBlock } from "../run/index.ts";
import { type CallEnd, type EndReason, type LoopEnd, type LoopParts, messageOf, reminder, textOf } from "./types.ts";

interface Turn extends LoopParts {
  /** How often Stop hooks have kept it going. */
  continued: number;
}

/** Works until the model has nothing more to do, or it is aborted. Never throws: whatever goes wrong is the end's reason. */
export async function runLoop(parts: LoopParts): Promise<LoopEnd> {
  const turn: Turn = { ...parts, continued: 0 };
  const { signal, thread } = parts;
  const { maxTurns } = thread;
  for (let turns = 1; ; turns++) {
    const end = signal.aborted ? ended("aborted") : await runStep(turn).catch((thrown) => failed(turn, thrown));
    if (end) return { ...end, turns };
    if (maxTurns !== undefined && turns >= maxTurns) return { ...ended("max_turns", `It took ${counted(turns, "turn")}.`), turns };
  }
}

type StepEnd = Omit<LoopEnd, "turns">;

/** One model call and what follows from it; undefined if the loop continues. */
async function runStep(turn: Turn): Promise<StepEnd | undefined> {
  const asked = await askModel(turn);
  if ("reason" in asked) return asked;
  const { reply, shown, after } = asked;
  const calls = reply.content.filter((block) => block.type === "tool_use");
  const end = calls.length > 0 ? await runCalls(turn, calls, reply) : await askToStop(turn, reply);
  // After the results: nothing may come between a call and its result.
  addTexts(turn, after, {});
  return end && shown !== undefined && end.text !== "" ? { ...end, shown } : end;
}

interface Asked {
  readonly reply: ModelReply;
  readonly shown: string | undefined;
  readonly after: Verdict | undefined;
}

/** PreModelRequest → the model → PostModelResponse. */
async function askModel(turn: Turn): Promise<Asked | StepEnd> {
  const { thread, toolbox, signal } = turn;
  const { core, conversation, params = {} } = thread;
  const emit: typeof core.emit = (step) => core.emit(step, thread.agentId);
  await core.hooks.settleBackground();
  await thread.beforeRequest?.(signal);
  // Looked at before each model call: the model may change in between.
  const model = thread.model ?? core.modelName();
  const tools = toolbox.offered();
  const described = { model, messages: conversation.messages, tools, params };
  const before = await fireIfHooked(turn, "PreModelRequest", () => described);
  if (before?.halt) return ended("hook_stopped", before.halt.text);
  addTexts(turn, before, described);
  const changed = { ...params, ...(before?.fields["updatedParams"] as object | undefined) };
  // A hook sets parameters of the call; it cannot replace what the call is about.
  const request: ModelRequest = { ...changed, model, system: thread.system(), messages: conversation.messages, tools, signal };
  let reply: ModelReply;
  try {
    reply = await core.model.ask({ ...request, onText: (piece) => emit({ type: "text", piece }) });
  } catch (thrown) {
    return await failed(turn, thrown);
  }
  conversation.addAssistant(reply);
  const shown = await turn.display(reply);
  emit({ type: "reply", reply, shown });
  const { content, stopReason: stop_reason, usage } = reply;
  const after = await fireIfHooked(turn, "PostModelResponse", () => ({ ...described, content, stop_reason, usage: { ...usage } }));
  if (after?.halt) return ended("hook_stopped", after.halt.text, textOf(content));
  const kept = after?.fields["updatedParams"] as EventInput | undefined;
  if (kept) thread.params = { ...thread.params, ...kept };
  return { reply, shown, after };
}

/** All calls of a turn at once: one that is blocked does not stop its siblings. */
async function runCalls(turn: Turn, calls: readonly ToolUseBlock[], { content }: ModelReply): Promise<StepEnd | undefined> {
  const { thread, toolbox, signal } = turn;
  const ends = await Promise.all(calls.map((call) => toolbox.run(call, signal)));
  const results = ends.flatMap(({ result }) => result ?? []);
  thread.core.emit({ type: "results", results }, thread.agentId);
  const over = ends.findIndex(({ ends: reason }) => reason !== undefined);
  const { ends: reason, detail } = ends[over] ?? {};
  // Kept even if the model is not asked again: a resumed session must not run it again.
  const after = ends.flatMap((end) => (end.after === undefined ? [] : { type: "text" as const, text: end.after }));
  if (results.length > 0) thread.conversation.addUser([...results, ...after]);
  if (signal.aborted) return ended("aborted");
  // The batch is what goes to the model next. After a call that ended the turn nothing does.
  if (reason) return { ...ended(reason, detail, textOf(content)), ...(reason === "tool_deferred" && { deferred: calls[over] }) };
  const batch = await fireIfHooked(turn, "PostToolBatch", () => ({ tool_calls: calls.map((call, at) => toolCall(call, ends[at])) }));
  if (batch?.halt) return ended("hook_stopped", batch.halt.text, textOf(content));
  addTexts(turn, batch, {});
  return undefined;
}

function toolCall({ id, name, input }: ToolUseBlock, end: CallEnd | undefined): EventInput {
  const content = end?.result?.content;
  const tool_response = typeof content === "string" ? content : content?.map(({ text }) => text).join("\n");
  return { tool_name: name, tool_input: input, tool_use_id: id, ...(tool_response !== undefined && { tool_response }) };
}

async function askToStop(turn: Turn, { content, stopReason }: ModelReply): Promise<StepEnd | undefined> {
  const { thread, signal } = turn;
  const text = textOf(content);
  if (stopReason === "max_tokens")
    return await failed(turn, new ModelError("max_output_tokens", "The answer was cut off at its token limit."));
  const event = thread.agentId === undefined ? "Stop" : "SubagentStop";
  const { verdict, input } = await turn.fire(event, { ...thread.stopInput?.(), last_assistant_message: text }, signal);
  if (signal.aborted) return ended("aborted", undefined, text);
  if (verdict.halt) return ended("stop_hook_prevented", verdict.halt.text, text);
  if (verdict.continueWith.length === 0) return ended("completed", undefined, text);
  warnOfEndlessTurn(turn, verdict);
  for (const feedback of blockTexts({ verdict, input })) thread.conversation.addUser(feedback);
  return undefined;
}

/** The cap counts only stops without a tool call between them: the user must know which hook keeps an endless turn going. */
function warnOfEndlessTurn(turn: Turn, { event, continueWith, outcomes }: Verdict): void {
  const continued = ++turn.continued;
  if (continued % DEFAULT_STOP_CAP !== 1 || continued === 1) return;
  const id = continueWith[0]?.hook ?? "";
  const name = outcomes.find(({ hook }) => hook.id === id)?.hook.name ?? id;
  const text = `The ${event} hook "${name}" has continued this turn ${continued} times; Ctrl-C ends it.`;
  turn.thread.core.emit({ type: "tell", text }, turn.thread.agentId);
}

/** An error of the model ends the turn and fires StopFailure. */
async function failed({ fire, signal }: Turn, thrown: unknown): Promise<StepEnd> {
  if (signal.aborted) return ended("aborted");
  const { kind, message } = thrown instanceof ModelError ? thrown : new ModelError("unknown", messageOf(thrown));
  await fire("StopFailure", { error: kind, error_details: message, last_assistant_message: `API Error: ${message}` });
  return ended("model_error", `${kind}: ${message}`);
}

/** Builds the input only if there is a hook. */
async function fireIfHooked(
  { thread, fire, signal }: Turn,
  event: "PreModelRequest" | "PostModelResponse" | "PostToolBatch",
  input: () => EventInput,
): Promise<Verdict | undefined> {
  return thread.core.hooks.has(event) ? (await fire(event, input(), signal)).verdict : undefined;
}

/** What hooks say to the model goes beside the last message. */
function addTexts({ thread }: Turn, verdict: Verdict | undefined, input: EventInput): void {
  const texts = verdict ? modelTexts({ verdict, input }) : [];
  if (texts.length > 0) thread.conversation.addUser(texts.map(reminder));
}

function ended(reason: EndReason, detail?: string, text = ""): StepEnd {
  return { reason, text, ...(detail !== undefined && { detail }) };
}
