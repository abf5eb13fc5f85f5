import { thrownText } from "./execute/index.ts";
import type { HookEngine } from "./hook-engine.ts";
import { contextTexts, denyText, feedbackTexts } from "./loop/index.ts";
import type { Verdict } from "./merge/index.ts";
import type { EventInput } from "./session.ts";

export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
  /** More fields of the payload: `cwd`, `permission_mode`, `agent_id`, … */
  readonly [field: string]: unknown;
}

export type Permission = "allow" | "ask" | "deny";

export interface ToolOptions {
  /** The program's own rules, asked after the hooks. Without it, only what hooks said counts. */
  readonly permission?: (call: ToolCall, verdict: Verdict) => Permission | Promise<Permission>;
  /** Asks the user; without it a question is a refusal. */
  readonly ask?: (call: ToolCall, verdict: Verdict) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}

/** How one tool call ended, with the texts for the model. */
export interface ToolResult<Output> {
  readonly status: "ran" | "failed" | "denied" | "deferred";
  /** What the tool gave, or what a hook put in its place; only if it ran. */
  readonly output?: Output | unknown;
  /** Why it did not run, or how it failed, as the model is told. */
  readonly error?: string | undefined;
  /** Texts of hooks that belong beside the result, labelled. */
  readonly texts: readonly string[];
  /** The agent's work ends here. */
  readonly halt: Verdict["halt"];
  readonly verdicts: readonly Verdict[];
}

/** PreToolUse → permission → the tool → PostToolUse or PostToolUseFailure. */
export async function runTool<Output>(
  hooks: HookEngine,
  call: ToolCall,
  execute: (input: EventInput) => Output | Promise<Output>,
  options: ToolOptions,
): Promise<ToolResult<Output>> {
  const { signal } = options;
  const pre = await hooks.fire("PreToolUse", call, signal && { signal });
  const actual: ToolCall = pre.updatedInput ? { ...call, tool_input: pre.updatedInput } : call;
  const preTexts = contextTexts({ verdict: pre, input: actual });
  const refusal = await refuse(hooks, actual, pre, options).catch((thrown: unknown) => undecided(call, thrown));
  if (refusal) return { ...refusal, texts: preTexts, halt: pre.halt, verdicts: [pre] };
  const startedAt = performance.now();
  const ran = await attempt(() => execute(actual.tool_input));
  const duration_ms = Math.round(performance.now() - startedAt);
  hooks.progress(typeof call["agent_id"] === "string" ? call["agent_id"] : undefined);
  const event = "error" in ran ? "PostToolUseFailure" : "PostToolUse";
  const isAborted = signal?.aborted ?? false;
  const result = "error" in ran ? { error: ran.error, is_interrupt: isAborted } : { tool_response: ran.output };
  // What has happened is told even if nobody waits for it any more: with an aborted signal no hook would ever see `is_interrupt`.
  const post = await hooks.fire(event, { ...actual, ...result, duration_ms }, isAborted ? undefined : signal && { signal });
  const spoken = { verdict: post, input: actual };
  return {
    status: "error" in ran ? "failed" : "ran",
    ...("error" in ran ? { error: ran.error } : { output: post.updatedOutput ? post.updatedOutput.value : ran.output }),
    texts: [...preTexts, ...feedbackTexts(spoken), ...contextTexts(spoken)],
    halt: pre.halt ?? post.halt,
    verdicts: [pre, post],
  };
}

async function refuse(
  hooks: HookEngine,
  call: ToolCall,
  verdict: Verdict,
  { permission, ask, signal }: ToolOptions,
): Promise<{ status: "denied" | "deferred"; error: string } | undefined> {
  const spoken = { verdict, input: call };
  if (verdict.decision === "deny") return { status: "denied", error: denyText(spoken) };
  if (verdict.decision === "defer") return { status: "deferred", error: verdict.reasons.map(({ text }) => text).join("\n") };
  // SECURITY: hooks that were interrupted have not said yes.
  if (signal?.aborted || hooks.isClosing) return { status: "denied", error: `${call.tool_name} was interrupted before it ran.` };
  const ruled = permission ? await permission(call, verdict) : "allow";
  if (ruled === "deny") return { status: "denied", error: `${call.tool_name} is not allowed.` };
  // A hook's question stands even if the rules would allow the call; a hook's allow never beats a rule that asks.
  if (ruled === "allow" && verdict.decision !== "ask") return undefined;
  if (await ask?.(call, verdict)) return undefined;
  const reasons = verdict.reasons.map(({ text }) => text).join("\n") || `${call.tool_name} needs permission`;
  return { status: "denied", error: ask ? `The user said no: ${reasons}` : `Nobody can be asked here: ${reasons}` };
}

/** SECURITY: rules or a question that broke have not said yes. */
function undecided(call: ToolCall, thrown: unknown): { status: "denied"; error: string } {
  return { status: "denied", error: `${call.tool_name} was not run: whether it may could not be decided (${thrownText(thrown)}).` };
}

async function attempt<Output>(run: () => Output | Promise<Output>): Promise<{ output: Output } | { error: string }> {
  try {
    return { output: await run() };
  } catch (thrown) {
    return { error: thrownText(thrown) };
  }
}
