import { randomUUID } from "node:crypto";
import type { HookEngine, ToolOptions, ToolResult } from "../../engine/index.ts";
import { lastChange, OPERATION, type Operation, startOperation } from "./operation.ts";
import type { HookContext, SamplingTool, SamplingToolResult } from "./types.ts";

export interface ToolExecution {
  readonly tool: SamplingTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: HookContext;
  readonly options: ToolOptions;
}

/** Contexts of operations that have not ended. */
const inUse = new WeakSet<HookContext>();

/** Pre hooks, the tool (timed), post hooks: the engine's `runTool`, with the one context handed through. */
export async function executeTool(hooks: HookEngine, { tool, input, context: given, options }: ToolExecution): Promise<SamplingToolResult> {
  // SECURITY: a context that another operation still uses is not shared: its guards would look at this one's input.
  const context = inUse.has(given) ? { ...given } : given;
  inUse.add(context);
  const toolUseId = given.toolUseId ?? `toolu_${randomUUID()}`;
  Object.assign(context, { tool: tool.name, toolUseId, input, result: undefined, error: undefined, durationMs: undefined });
  const operation = startOperation(context);
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: toolUseId, [OPERATION]: operation };
  try {
    const result = await hooks.runTool(call, (actual) => runTimed(tool, actual, context), options);
    return toToolResult(result, operation, toolUseId);
  } finally {
    inUse.delete(context);
  }
}

async function runTimed(tool: SamplingTool, input: Readonly<Record<string, unknown>>, context: HookContext): Promise<unknown> {
  context.input = input;
  const startedAt = performance.now();
  try {
    context.result = await tool.execute(input, context);
    return context.result;
  } catch (thrown) {
    // A tool may throw nothing at all, and it has failed all the same.
    context.error = thrown ?? new Error("the tool failed without saying why");
    throw context.error;
  } finally {
    context.durationMs = performance.now() - startedAt;
  }
}

function toToolResult(result: ToolResult<unknown>, operation: Operation, toolUseId: string): SamplingToolResult {
  const { status, texts, halt, verdicts, output, error } = result;
  const { context } = operation;
  const isError = status !== "ran";
  if (!isError) context.result = output;
  // The engine cannot replace an error, so what a post hook put there is carried beside.
  const replaced = status === "failed" ? lastChange(operation, "result") : undefined;
  const content = isError ? (replaced ? replaced.data : error) : output;
  return { toolUseId, content, isError, status, texts, halt, verdicts, durationMs: context.durationMs, context };
}
