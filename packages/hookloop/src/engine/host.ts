/** What every host does with verdicts and results: the turn of a prompt, and the forms in which a model and another agent take them. */

import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS, isEventName } from "../catalogue/index.ts";
import { invalidOption, nameCure, shown } from "../check-options.ts";
import { type Attributed, blockTexts, checkVerdict, modelTexts, type Verdict } from "../judge/index.ts";
import type { HookEngine } from "./engine.ts";
import type { ToolResult } from "./run-tool.ts";
import type { FireOptions, Input } from "./session.ts";

/** A turn that hooks do not let begin, with why; or its prompt, and the texts that the model gets beside it. */
export type StartedTurn =
  | { readonly blocked: string; readonly verdict: Verdict }
  | { readonly prompt: string; readonly texts: readonly string[]; readonly verdict: Verdict };

export async function startTurn(hooks: HookEngine, input: Input<"UserPromptSubmit">, options?: FireOptions): Promise<StartedTurn> {
  const verdict = await hooks.fire("UserPromptSubmit", input, options);
  const { decision, halt, reasons, updatedPrompt } = verdict;
  // No one is asked about a prompt: a question counts as a denial, also that of a gate that failed.
  const isAccepted = halt === undefined && (decision === "none" || decision === "allow");
  if (isAccepted) return { prompt: updatedPrompt ?? input.prompt, texts: modelTexts({ verdict, input }), verdict };
  return { blocked: said(halt ? [halt] : reasons) || "A hook did not accept the prompt.", verdict };
}

export async function askStop(hooks: HookEngine, input: Input<"Stop">, options?: FireOptions): Promise<readonly string[]> {
  if (hooks.halted) return [];
  const verdict = await hooks.fire("Stop", input, options);
  return verdict.halt ? [] : blockTexts({ verdict, input });
}

function said(texts: readonly Attributed[]): string {
  return texts.map(({ text }) => text).join("\n");
}

interface TextPart {
  type: "text";
  text: string;
}

/** A result as the Messages API takes it; the types of the Anthropic SDK fit. */
export interface ToolResultPart {
  type: "tool_result";
  tool_use_id: string;
  content: TextPart[];
  is_error?: boolean;
}

/** A result for the model: what the tool gave, or why it did not, and beside it what hooks have to say. */
export function toToolResult(result: ToolResult<unknown>): ToolResultPart {
  if (!Array.isArray((result as Partial<ToolResult<unknown>> | undefined)?.texts))
    throw invalidOption(`toToolResult() was given ${shown(result)}, not what runTool() gives. Write toToolResult(await hooks.runTool(…))`);
  const { toolUseId, status, output, response = output, error, texts } = result;
  const main = status === "ran" ? outputText(response) : (error ?? "");
  const content = [main, ...texts].map((text): TextPart => ({ type: "text", text }));
  return { type: "tool_result", tool_use_id: toolUseId, content, ...(status !== "ran" && { is_error: true }) };
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  const { stdout, stderr } = (output ?? {}) as { readonly stdout?: unknown; readonly stderr?: unknown };
  if (typeof stdout === "string") return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  return output === undefined ? "" : (JSON.stringify(output) ?? String(output));
}

/** What a verdict has for the model as a message of its own; nothing if it has nothing. */
export function toUserMessage(verdict: Verdict): { role: "user"; content: string } | undefined {
  checkVerdict("toUserMessage()", verdict, "toUserMessage(verdict)");
  const texts = modelTexts({ verdict, input: {} });
  return texts.length === 0 ? undefined : { role: "user", content: texts.join("\n\n") };
}

type Json = Record<string, unknown>;

/** A verdict as a hook of Claude Code answers: what that program, or its dialect here, reads back means the same. */
export function toClaudeOutput(event: EventName, verdict: Verdict): Json {
  if (!isEventName(event))
    throw invalidOption(`toClaudeOutput() takes an event first, not ${shown(event)}. ${nameCure(String(event), EVENT_NAMES)}`);
  checkVerdict("toClaudeOutput()", verdict, "toClaudeOutput(event, verdict)");
  const { halt, tells, contexts, updatedOutput, updatedPrompt, fields } = verdict;
  const own: Json = {
    ...fields,
    ...(contexts.length > 0 && "additionalContext" in EVENTS[event].output && { additionalContext: said(contexts) }),
    ...(updatedOutput && { updatedToolOutput: updatedOutput.value }),
    ...(updatedPrompt !== undefined && { updatedPrompt }),
    ...decisionFields(event, verdict),
  };
  return {
    ...(halt && { continue: false, stopReason: halt.text }),
    ...(tells.length > 0 && { systemMessage: said(tells) }),
    ...blockFields(event, verdict),
    ...(Object.keys(own).length > 0 && { hookSpecificOutput: { hookEventName: event, ...own } }),
  };
}

/** Where a decision stands among the fields of the event. */
function decisionFields(event: EventName, { decision, reasons, updatedInput, permissionUpdates }: Verdict): Json {
  const { block } = EVENTS[event];
  const input = updatedInput && { updatedInput };
  if (block === "permission")
    return { ...(decision !== "none" && { permissionDecision: decision, permissionDecisionReason: said(reasons) }), ...input };
  if (block !== "request") return {};
  if (decision === "deny") return { decision: { behavior: "deny", message: said(reasons) } };
  const updates = permissionUpdates.length > 0 && { updatedPermissions: permissionUpdates };
  return decision === "allow" ? { decision: { behavior: "allow", ...input, ...updates } } : {};
}

/** Where a denial stands at the top. */
function blockFields(event: EventName, { decision, reasons, continueWith, feedback }: Verdict): Json {
  const { block, feedback: mechanism } = EVENTS[event];
  const isBlock = block === "decision" && (decision === "deny" || continueWith.length > 0);
  if (isBlock) return { decision: "block", reason: said(continueWith.length > 0 ? continueWith : reasons) };
  return mechanism !== null && feedback.length > 0 ? { decision: "block", reason: said(feedback) } : {};
}
