/** The lines of the teaching loop: one for each tool call, for the folder, for a large output, and for the end. `compat/teaching` prints the same ones. */

import { inspect } from "node:util";
import { context, type HookHandler, tellUser } from "@hookloop/sdk";
import { isObject } from "../check-options.ts";
import { visibleLine } from "../diagnostic.ts";
import type { RecordFile, SessionPlace } from "../engine/index.ts";
import type { ShippedHook } from "./index.ts";

const PREVIEW = 60;

/** `[HOOK] Bash(['ls -la'])`: the first two values, on one line and without control characters. */
export function callLine(name: unknown, input: unknown): string {
  return `[HOOK] ${visibleLine(String(name))}(${callPreview(input)})`;
}

export function callPreview(input: unknown): string {
  const values = Object.values(isObject(input) ? input : {}).slice(0, 2);
  const shown = values.map((value) => inspect(shortened(value), { breakLength: Number.POSITIVE_INFINITY }));
  return visibleLine(`[${shown.join(", ")}]`.slice(0, PREVIEW));
}

/** A file's whole text need not be quoted for its first letters. */
function shortened(value: unknown): unknown {
  return typeof value === "string" && value.length > 2 * PREVIEW ? value.slice(0, 2 * PREVIEW) : value;
}

export function folderLine(folder: string): string {
  return `[HOOK] UserPromptSubmit: working in ${visibleLine(folder)}`;
}

export function largeLine(name: unknown, length: number): string {
  return `[HOOK] ⚠ Large output from ${visibleLine(String(name))}: ${length} chars`;
}

export function summaryLine(calls: number): string {
  return `[HOOK] Stop: session used ${calls} tool calls`;
}

export const LARGE_OUTPUT = 100_000;

/** How many characters a tool gave back. */
export function outputLength(output: unknown): number {
  if (typeof output === "string") return output.length;
  if (isObject(output) && typeof output["stdout"] === "string") return output["stdout"].length + String(output["stderr"] ?? "").length;
  try {
    return JSON.stringify(output)?.length ?? 0;
  } catch {
    return String(output).length;
  }
}

export interface ToolLogOptions {
  readonly to?: "user" | "stderr" | undefined;
  readonly file?: string | undefined;
}

export function toolLog(
  { openRecords, redact, steps }: Pick<SessionPlace, "openRecords" | "redact" | "steps">,
  { to = "user", file }: ToolLogOptions = {},
): ShippedHook {
  let records: RecordFile | undefined;
  const log: HookHandler<"PreToolUse"> = ({ tool_name, tool_input, tool_use_id }) => {
    const line = callLine(tool_name, tool_input);
    if (file !== undefined) {
      records ??= openRecords(file);
      records.write({ t: Date.now(), session: steps.id, tool_use_id, line });
      return undefined;
    }
    if (to === "user") return tellUser(redact(line));
    process.stderr.write(`${redact(line)}\n`);
    return undefined;
  };
  return { name: "tool-log", parts: [{ event: "PreToolUse", handler: log }], close: () => records?.close() };
}

export function workingDirectory(): ShippedHook {
  const add: HookHandler<"UserPromptSubmit"> = ({ cwd }) => context(`Working directory: ${visibleLine(cwd)}`);
  return { name: "working-directory", parts: [{ event: "UserPromptSubmit", handler: add }] };
}

export interface LargeOutputOptions {
  readonly limit?: number | undefined;
}

export function largeOutput(_place: unknown, { limit = LARGE_OUTPUT }: LargeOutputOptions = {}): ShippedHook {
  const warn: HookHandler<"PostToolUse"> = ({ tool_name, tool_response }) => {
    const length = outputLength(tool_response);
    return length > limit ? tellUser(largeLine(tool_name, length)) : undefined;
  };
  return { name: "large-output", parts: [{ event: "PostToolUse", handler: warn }] };
}

/** Conversations whose calls are counted; the oldest are forgotten. */
const MOST_COUNTED = 1000;

export function toolSummary(): ShippedHook {
  const counts = new Map<string, number>();
  const count: HookHandler<"PreToolUse"> = ({ session_id, agent_id }) => {
    // What a subagent does is one call of the session.
    if (agent_id !== undefined) return undefined;
    const before = counts.get(session_id) ?? 0;
    const [oldest] = counts.keys();
    if (before === 0 && counts.size >= MOST_COUNTED && oldest !== undefined) counts.delete(oldest);
    counts.set(session_id, before + 1);
    return undefined;
  };
  const say: HookHandler<"Stop"> = ({ session_id }) => tellUser(summaryLine(counts.get(session_id) ?? 0));
  return {
    name: "tool-summary",
    parts: [
      { event: "PreToolUse", handler: count },
      { event: "Stop", handler: say },
    ],
  };
}
