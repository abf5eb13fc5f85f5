import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { ModelReply, TextBlock, ToolResultBlock, ToolUseBlock } from "../../engine/execute/index.ts";
import type { Entry } from "../conversation.ts";

export interface EarlierSession {
  readonly id: string;
  readonly file: string;
  readonly entries: readonly Entry[];
  /** `uuid` of its last line. */
  readonly last?: string | undefined;
  /** Where the agent was, if the folder is still there. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Milliseconds since 1970 of the last answer. */
  readonly lastReplyAt?: number | undefined;
  /** Lines that could not be read: a crash tears the last one. */
  readonly damaged: number;
}

interface Line {
  readonly type?: unknown;
  readonly subtype?: unknown;
  readonly uuid?: unknown;
  readonly cwd?: unknown;
  readonly timestamp?: unknown;
  readonly message?: {
    readonly role?: unknown;
    readonly content?: unknown;
    readonly id?: unknown;
    readonly model?: unknown;
    readonly stop_reason?: unknown;
  };
}

/** What an earlier session said. Damaged lines are left out and counted; calls without a result get one that says so. */
export function readTranscript(file: string): EarlierSession {
  const lines: Line[] = [];
  let damaged = 0;
  for (const text of readFileSync(file, "utf8").split("\n")) {
    if (text.trim() === "") continue;
    const line = lineOf(text);
    if (line) lines.push(line);
    else damaged++;
  }
  // What was said before a summary is no longer part of the conversation.
  const boundary = lines.findLastIndex(({ type, subtype }) => type === "system" && subtype === "compact_boundary");
  const entries = withoutGaps(lines.slice(boundary + 1).flatMap(entryOf));
  const lastReply = lines.findLast(({ type }) => type === "assistant");
  return {
    id: path.basename(file, ".jsonl"),
    file,
    entries,
    damaged,
    last: stringOf(lines.at(-1)?.uuid),
    cwd: stringOf(lines.at(-1)?.cwd),
    model: stringOf(lastReply?.message?.model),
    lastReplyAt: lastReply ? Date.parse(String(lastReply.timestamp)) || undefined : undefined,
  };
}

function lineOf(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // Torn by a crash: the rest of the file is still good.
    return undefined;
  }
}

/** The transcripts of a folder, the latest first. */
export function listTranscripts(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No session yet.
    return [];
  }
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => path.join(folder, name));
  return files
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ file }) => file);
}

function entryOf({ type, message }: Line): readonly Entry[] {
  const content = message?.content;
  if (type === "user" && (typeof content === "string" || Array.isArray(content))) return [{ type: "user", content }];
  if (type !== "assistant" || !Array.isArray(content)) return [];
  const reply: ModelReply = {
    id: stringOf(message?.id) ?? "",
    model: stringOf(message?.model) ?? "",
    content,
    stopReason: stringOf(message?.stop_reason) ?? "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  return [{ type: "assistant", reply }];
}

/** A session that was killed has calls without results, and no model accepts such a conversation. */
function withoutGaps(entries: readonly Entry[]): readonly Entry[] {
  return entries.flatMap((given, at) => {
    const entry = withoutOrphans(given, entries[at - 1]);
    const missing = entry.type === "assistant" ? unanswered(entry.reply, entries[at + 1]) : [];
    if (missing.length === 0) return [entry];
    const content = missing.map(
      ({ id }): ToolResultBlock => ({ type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true }),
    );
    return [entry, { type: "user", content } as const];
  });
}

/** Results whose call was on a damaged line belong to nothing. */
function withoutOrphans(entry: Entry, before: Entry | undefined): Entry {
  if (entry.type !== "user" || typeof entry.content === "string" || before?.type === "user") return entry;
  const calls = new Set(before?.reply.content.flatMap((block) => (block.type === "tool_use" ? block.id : [])));
  return { type: "user", content: entry.content.filter((block) => block.type !== "tool_result" || calls.has(block.tool_use_id)) };
}

const INTERRUPTED = "The session ended before this call was done. It may or may not have run.";

function unanswered({ content }: ModelReply, next: Entry | undefined): readonly ToolUseBlock[] {
  const blocks: readonly (TextBlock | ToolResultBlock)[] = next?.type === "user" && typeof next.content !== "string" ? next.content : [];
  const answered = new Set(blocks.flatMap((block) => (block.type === "tool_result" ? block.tool_use_id : [])));
  return content.filter((block) => block.type === "tool_use").filter(({ id }) => !answered.has(id));
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
