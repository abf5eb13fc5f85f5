/**
 * The loop. Takes a conversation whose last message is the user's; gives how the turn ended.
 *   ask the model → run its tools through the hooks, all at once → feed the results back → ask again
 * and, when the model uses no tool, ask the Stop hooks whether it may stop. It knows no terminal, no file, no kind of hook and no vendor.
 */

import { counted } from "../diagnostic.ts";
import type { EventInput } from "../engine/index.ts";
import { blockTexts, modelTexts, toldTexts, type Verdict } from "../judge/index.ts";
import { ModelError, type ModelReply, type ModelRequest, type ToolUseBlock } from "../run/index.ts";
import { type CallEnd, type EndReason, type LoopEnd, type LoopParts, reminder } from "./types.ts";

/** Never throws: whatever goes wrong is the end's reason. */
export async function runLoop(parts: LoopParts): Promise<LoopEnd> {
  for (let turns = 1; ; turns++) {
    const end = parts.signal.aborted ? ended("aborted") : await runStep(parts).catch((thrown) => failed(parts, thrown));
    if (end) return { ...end, turns };
    if (parts.maxTurns !== undefined && turns >= parts.maxTurns)
      return { ...ended("max_turns", `It took ${counted(turns, "turn")}.`), turns };
  }
}

type StepEnd = Omit<LoopEnd, "turns">;

/** One model call and what follows from it; undefined if the loop continues. */
async function runStep(parts: LoopParts): Promise<StepEnd | undefined> {
  const asked = await askModel(parts);
  if ("reason" in asked) return asked;
  const { reply, shown, after } = asked;
  const calls = reply.content.filter((block) => block.type === "tool_use");
  const end = calls.length > 0 ? await runCalls(parts, calls, reply) : await askToStop(parts, reply);
  // After the results: nothing may come between a call and its result.
  addTexts(parts, after, {});
  return end && shown !== undefined && end.text !== "" ? { ...end, shown } : end;
}

interface Asked {
  readonly reply: ModelReply;
  readonly shown: string | undefined;
  readonly after: Verdict | undefined;
}

/** PreModelRequest → the model → PostModelResponse. */
async function askModel(parts: LoopParts): Promise<Asked | StepEnd> {
  const { model, conversation, toolbox, signal, emit } = parts;
  await parts.hooks.settleBackground();
  await parts.beforeRequest?.(signal);
  const { model: name, system, params } = parts.request();
  const tools = toolbox.offered();
  const described = { model: name, messages: conversation.messages, tools, params };
  const before = await fireIfHooked(parts, "PreModelRequest", () => described);
  if (before?.halt) return ended("hook_stopped", before.halt.text);
  addTexts(parts, before, described);
  const changed = { ...params, ...(before?.fields["updatedParams"] as object | undefined) };
  // A hook sets parameters of the call; it cannot replace what the call is about.
  const request: ModelRequest = { ...changed, model: name, system, messages: conversation.messages, tools, signal };
  let reply: ModelReply;
  try {
    reply = await model.ask({ ...request, onText: (piece) => emit({ type: "text", piece }) });
  } catch (thrown) {
    return await failed(parts, thrown);
  }
  conversation.addAssistant(reply);
  const shown = await parts.display?.(reply);
  emit({ type: "reply", reply, shown });
  const { content, stopReason: stop_reason, usage } = reply;
  const after = await fireIfHooked(parts, "PostModelResponse", () => ({ ...described, content, stop_reason, usage: { ...usage } }));
  if (after?.halt) return ended("hook_stopped", after.halt.text, textOf(reply));
  const kept = after?.fields["updatedParams"] as EventInput | undefined;
  if (kept) parts.keepParams?.(kept);
  return { reply, shown, after };
}

/** All calls of a turn at once: one that is blocked does not stop its siblings. */
async function runCalls(parts: LoopParts, calls: readonly ToolUseBlock[], reply: ModelReply): Promise<StepEnd | undefined> {
  const { toolbox, conversation, signal, emit } = parts;
  const ends = await Promise.all(calls.map((call) => toolbox.run(call, signal)));
  const results = ends.flatMap(({ result }) => result ?? []);
  emit({ type: "results", results });
  const over = ends.findIndex(({ ends: reason }) => reason !== undefined);
  const { ends: reason, detail } = ends[over] ?? {};
  // Kept even if the model is not asked again: a resumed session must not run it again.
  const after = ends.flatMap((end) => (end.after === undefined ? [] : { type: "text" as const, text: end.after }));
  if (results.length > 0) conversation.addUser([...results, ...after]);
  if (signal.aborted) return ended("aborted");
  // The batch is what goes to the model next. After a call that ended the turn nothing does.
  if (reason) return { ...ended(reason, detail, textOf(reply)), ...(reason === "tool_deferred" && { deferred: calls[over] }) };
  const batch = await fireIfHooked(parts, "PostToolBatch", () => ({ tool_calls: calls.map((call, at) => toolCall(call, ends[at])) }));
  if (batch?.halt) return ended("hook_stopped", batch.halt.text, textOf(reply));
  addTexts(parts, batch, {});
  return undefined;
}

function toolCall({ id, name, input }: ToolUseBlock, end: CallEnd | undefined): EventInput {
  const content = end?.result?.content;
  const tool_response = typeof content === "string" ? content : content?.map(({ text }) => text).join("\n");
  return { tool_name: name, tool_input: input, tool_use_id: id, ...(tool_response !== undefined && { tool_response }) };
}

async function askToStop(parts: LoopParts, reply: ModelReply): Promise<StepEnd | undefined> {
  const { hooks, stopEvent, conversation, signal } = parts;
  const text = textOf(reply);
  if (reply.stopReason === "max_tokens")
    return await failed(parts, new ModelError("max_output_tokens", "The answer was cut off at its token limit."));
  const input = { ...parts.identity(stopEvent), ...parts.stopInput?.(), last_assistant_message: text };
  const verdict = await hooks.fire(stopEvent, input, { signal });
  tell(parts, verdict);
  if (signal.aborted) return ended("aborted", undefined, text);
  if (verdict.halt) return ended("stop_hook_prevented", verdict.halt.text, text);
  if (verdict.continueWith.length === 0) return ended("completed", undefined, text);
  for (const feedback of blockTexts({ verdict, input })) conversation.addUser(feedback);
  return undefined;
}

/** An error of the model ends the turn and fires StopFailure. */
async function failed(parts: LoopParts, thrown: unknown): Promise<StepEnd> {
  if (parts.signal.aborted) return ended("aborted");
  const { kind, message } =
    thrown instanceof ModelError ? thrown : new ModelError("unknown", thrown instanceof Error ? thrown.message : String(thrown));
  const verdict = await parts.hooks.fire("StopFailure", {
    ...parts.identity("StopFailure"),
    error: kind,
    error_details: message,
    last_assistant_message: `API Error: ${message}`,
  });
  tell(parts, verdict);
  return ended("model_error", `${kind}: ${message}`);
}

/** Builds the input only if there is a hook. */
async function fireIfHooked(
  parts: LoopParts,
  event: "PreModelRequest" | "PostModelResponse" | "PostToolBatch",
  input: () => EventInput,
): Promise<Verdict | undefined> {
  if (!parts.hooks.has(event)) return undefined;
  const verdict = await parts.hooks.fire(event, { ...parts.identity(event), ...input() }, { signal: parts.signal });
  tell(parts, verdict);
  return verdict;
}

/** What hooks say to the model goes beside the last message. */
function addTexts({ conversation }: LoopParts, verdict: Verdict | undefined, input: EventInput): void {
  const texts = verdict ? modelTexts({ verdict, input }) : [];
  if (texts.length > 0) conversation.addUser(texts.map(reminder));
}

function tell({ emit, hooks }: LoopParts, verdict: Verdict): void {
  emit({ type: "verdict", verdict });
  for (const text of toldTexts(verdict)) emit({ type: "tell", text });
  for (const text of hooks.notices(verdict)) emit({ type: "tell", text });
}

function textOf({ content }: ModelReply): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

function ended(reason: EndReason, detail?: string, text = ""): StepEnd {
  return { reason, text, ...(detail !== undefined && { detail }) };
}
