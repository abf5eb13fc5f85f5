/** The lines of `--output-format stream-json`: one JSON object per line, in the words that readers of such streams know. */
import { randomUUID } from "node:crypto";
import type { Diagnostic } from "../../diagnostic.ts";
import type { TraceRecord } from "../../engine/index.ts";
import type { LoopStep } from "../loop-types.ts";

type Line = Readonly<Record<string, unknown>>;

export interface StreamLines {
  line(line: Line): void;
  step(step: LoopStep, agentId?: string): void;
  diagnostic(diagnostic: Diagnostic): void;
  /** Hooks as they run, from the trace. */
  trace(record: TraceRecord): void;
}

export interface StreamOptions {
  readonly sessionId: string;
  readonly write: (text: string) => void;
  /** Hook events of SessionStart and Setup are always shown, the others if asked for. */
  readonly hasAllHookEvents: boolean;
  /** Pieces of text as they come. */
  readonly hasPartialMessages: boolean;
}

const ALWAYS_SHOWN: ReadonlySet<string> = new Set(["SessionStart", "Setup"]);

export function createStreamLines({ sessionId, write, hasAllHookEvents, hasPartialMessages }: StreamOptions): StreamLines {
  /** Hooks of the program itself, by id: no file names them. */
  const inProcess = new Map<unknown, unknown>();
  const line = (fields: Line): void => write(`${JSON.stringify({ ...fields, session_id: sessionId, uuid: randomUUID() })}\n`);
  return {
    line,
    step(step, agentId) {
      const parent = { parent_tool_use_id: null, ...(agentId !== undefined && { agent_id: agentId }) };
      if (step.type === "reply") line({ type: "assistant", message: assistantMessage(step.reply), ...parent });
      else if (step.type === "results") line({ type: "user", message: { role: "user", content: step.results }, ...parent });
      else if (step.type === "tell") line({ type: "system", subtype: "informational", content: step.text, ...parent });
      else if (step.type === "text" && hasPartialMessages) {
        line({ type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta", text: step.piece } }, ...parent });
      }
    },
    diagnostic: ({ code, level, text, place, hook }) =>
      line({ type: "system", subtype: "informational", level, code, content: text, place, hook }),
    trace(record) {
      if (record.step === "started" && record.hook?.startsWith("code:")) inProcess.set(record.hook, record["name"]);
      if (!hasAllHookEvents && !ALWAYS_SHOWN.has(record.event)) return;
      const shown = hookLine(record, inProcess.get(record.hook));
      if (shown) line(shown);
    },
  };
}

function assistantMessage({ id, model, content, stopReason, usage }: Extract<LoopStep, { type: "reply" }>["reply"]): Line {
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return { id, type: "message", role: "assistant", model, content, stop_reason: stopReason, usage: tokens };
}

function hookLine({ step, event, hook, label, stdout, stderr, exitCode, failure }: TraceRecord, name: unknown): Line | undefined {
  const common = { type: "system", hook_id: hook, hook_name: name ?? label ?? event, hook_event: event };
  if (step === "started") return { ...common, subtype: "hook_started" };
  if (step !== "outcome") return undefined;
  const { kind } = (failure ?? {}) as { readonly kind?: string };
  const outcome = outcomeOf(kind, exitCode);
  const code = outcome === "cancelled" ? CANCELLED_EXIT : (exitCode ?? undefined);
  return { ...common, subtype: "hook_response", stdout, stderr, output: stdout || stderr, exit_code: code, outcome };
}

/** As recorded: whoever was ended before it was done ends with this. */
const CANCELLED_EXIT = 1;
/** Exit codes end here; what an http hook has instead, its status, begins here. */
const EXIT_CODES = 100;

/** As recorded: every exit code but 0 is an error, also the 2 that blocks. */
function outcomeOf(failure: string | undefined, exitCode: unknown): "success" | "error" | "cancelled" {
  if (failure === "timeout" || failure === "aborted") return "cancelled";
  const isError = typeof exitCode === "number" && exitCode > 0 && exitCode < EXIT_CODES;
  return failure !== undefined || isError ? "error" : "success";
}
