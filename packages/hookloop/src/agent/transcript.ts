/**
 * Takes messages, gives a JSONL file in the shape that hooks of the Claude dialect expect at `transcript_path`.
 * A line is in the file before any hook that could read it runs. If it cannot be written, that is reported once and the session continues.
 */

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { isObject } from "../check-options.ts";
import type { ModelReply, TextBlock, ToolResultBlock } from "../run/index.ts";
import { readFolder, VERSION } from "../state-files.ts";
import { type AppendFile, type FileLine, fileLines, openAppendFile, processRedactor, textStart } from "../trace/index.ts";
import type { Entry } from "./conversation.ts";
import type { AttachedHead } from "./heads.ts";

interface Transcript {
  readonly file: string;
  add(entry: Entry): void;
  /** What is not part of the conversation: a hook's text, a summary. */
  note(type: "attachment" | "system", fields: Readonly<Record<string, unknown>>): void;
  close(): void;
}

interface TranscriptOptions {
  readonly file: string;
  readonly sessionId: string;
  readonly cwd: () => string;
  /** The last line of an earlier session, for the chain of `parentUuid`. */
  readonly parent?: string | undefined;
  readonly agentId?: string | undefined;
  readonly onProblem: (text: string) => void;
}

export function openTranscript({ file, sessionId, cwd, parent, agentId, onProblem }: TranscriptOptions): Transcript {
  let target: AppendFile | undefined;
  let isBroken = false;
  let parentUuid: string | null = parent ?? null;
  const write = (type: string, fields: Readonly<Record<string, unknown>>): void => {
    if (isBroken) return;
    const uuid = randomUUID();
    const timestamp = new Date().toISOString();
    const frame = { parentUuid, isSidechain: agentId !== undefined, sessionId, ...(agentId && { agentId }), cwd: cwd(), version: VERSION };
    try {
      target ??= openAppendFile(file);
      target.append(withoutSecrets(JSON.stringify({ ...frame, type, ...fields, uuid, timestamp })));
      parentUuid = uuid;
    } catch (error) {
      isBroken = true;
      onProblem(
        `The transcript ${file} cannot be written: ${(error as Error).message}. The session continues, but it cannot be resumed from here. Free some space, or set XDG_STATE_HOME to a folder that can be written.`,
      );
    }
  };
  return {
    file,
    add: (entry) => write(entry.type, { message: messageIn(entry) }),
    note: write,
    close() {
      isBroken = true;
      try {
        target?.close();
      } catch (error) {
        onProblem(`The transcript ${file} could not be closed: ${(error as Error).message}`);
      }
    },
  };
}

/** SECURITY: transcripts are kept for months; keys and tokens in them are not. */
function withoutSecrets(line: string): string {
  const redactor = processRedactor();
  return redactor.suspects(line) ? JSON.stringify(redactor.value(JSON.parse(line))) : line;
}

function messageIn(entry: Entry): Readonly<Record<string, unknown>> {
  return entry.type === "user" ? { role: "user", content: entry.content } : assistantMessage(entry.reply);
}

/** An answer as transcripts and streams have it. */
export function assistantMessage({ id, model, content, stopReason, usage }: ModelReply): Readonly<Record<string, unknown>> {
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return { id, type: "message", role: "assistant", model, content, stop_reason: stopReason, usage: tokens };
}

export interface EarlierSession {
  readonly id: string;
  readonly file: string;
  readonly entries: readonly Entry[];
  readonly firstPrompt?: string | undefined;
  readonly last?: string | undefined;
  /** Where the agent was, if the folder is still there. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly lastReplyAt?: number | undefined;
  /** Lines that could not be read: a crash tears the last one. */
  readonly damaged: number;
  readonly firstDamaged?: number | undefined;
  /** Skills and commands whose hooks were in force. */
  readonly heads?: readonly AttachedHead[] | undefined;
}

/** A note that the hooks of a skill or command are in force from there on. */
export const HEAD_ATTACHED = "head_attached";

type Json = Readonly<Record<string, unknown>>;

interface Line {
  readonly fields: Json;
  readonly entry?: Entry | undefined;
}

/** No answer and no result of a tool is longer; a longer line is not kept in memory. */
const LINE_LIMIT = 32 * 1024 * 1024;

/** The messages of an earlier session. Damaged lines are left out and counted; calls without a result get one that says that they were interrupted. */
export function readTranscript(file: string): EarlierSession {
  const lines: Line[] = [];
  let damaged = 0;
  let firstDamaged: number | undefined;
  let number = 0;
  for (const text of fileLines(file, LINE_LIMIT)) {
    number++;
    const line = lineOf(text);
    if (line === "empty") continue;
    if (line) lines.push(line);
    else {
      damaged++;
      firstDamaged ??= number;
    }
  }
  // What was said before a summary is no longer part of the conversation.
  const boundary = lines.findLastIndex(({ fields }) => fields["type"] === "system" && fields["subtype"] === "compact_boundary");
  const entries = withoutGaps(lines.slice(boundary + 1).flatMap(({ entry }) => entry ?? []));
  const lastReply = lines.findLast(({ entry }) => entry?.type === "assistant");
  const last = lines.at(-1)?.fields;
  return {
    id: path.basename(file, ".jsonl"),
    file,
    entries,
    firstPrompt: firstOf(lines, ({ entry }) => (entry ? promptText(entry) : undefined)),
    damaged,
    heads: lines.flatMap(({ fields }) => headOf(fields)),
    ...(firstDamaged !== undefined && { firstDamaged }),
    last: stringOf(last?.["uuid"]),
    cwd: stringOf(last?.["cwd"]),
    model: lastReply?.entry?.type === "assistant" ? lastReply.entry.reply.model || undefined : undefined,
    lastReplyAt: Date.parse(stringOf(lastReply?.fields["timestamp"]) ?? "") || undefined,
  };
}

function headOf({ type, subtype, name, file }: Json): readonly AttachedHead[] {
  if (type !== "system" || subtype !== HEAD_ATTACHED || typeof name !== "string" || typeof file !== "string") return [];
  return [{ name, file }];
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The prompt that the user typed; undefined for anything else: results, texts of hooks, a shell line. */
export function promptText(entry: Entry): string | undefined {
  if (entry.type !== "user") return undefined;
  const { content } = entry;
  const texts = typeof content === "string" ? [content] : content.flatMap((block) => (block.type === "text" ? block.text : []));
  return texts.findLast((text) => !/^<(?:system-reminder|bash-input|bash-stdout)>/.test(text));
}

/** Nothing: it is torn, too long, or not of the shape it should have. */
function lineOf(line: FileLine): Line | "empty" | undefined {
  if (line.length > line.bytes.length) return undefined;
  const text = line.bytes.toString("utf8", textStart(line));
  if (text.trim() === "") return line.bytes.length > text.length ? undefined : "empty";
  try {
    const fields: unknown = JSON.parse(text);
    return isObject(fields) && !isDeeper(fields, MAX_DEPTH) ? checkedLine(fields) : undefined;
  } catch {
    // Torn by a crash: the rest of the file is still good.
    return undefined;
  }
}

/** Writing deeper values as JSON overflows the stack. */
const MAX_DEPTH = 200;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** Lines of other kinds are passed through; those of the conversation must be complete, or a later step fails on them. */
function checkedLine(fields: Json): Line | undefined {
  const { type, message } = fields;
  if (typeof type !== "string") return undefined;
  if (type !== "user" && type !== "assistant") return { fields };
  const content = isObject(message) ? message["content"] : undefined;
  if (type === "user" && typeof content === "string") return { fields, entry: { type, content } };
  if (!isObject(message) || !Array.isArray(content) || !content.every(type === "user" ? isUserBlock : isReplyBlock)) return undefined;
  if (type === "user") return { fields, entry: { type, content } };
  const reply: ModelReply = {
    id: stringOf(message["id"]) ?? "",
    model: stringOf(message["model"]) ?? "",
    content,
    stopReason: stringOf(message["stop_reason"]) ?? "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  return { fields, entry: { type, reply } };
}

function isUserBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text, tool_use_id: id, content } = block;
  if (type === "text") return typeof text === "string";
  if (type !== "tool_result") return typeof type === "string" && type !== "tool_use";
  const isContent = content === undefined || typeof content === "string" || (Array.isArray(content) && content.every(isTyped));
  return typeof id === "string" && id !== "" && isContent;
}

function isReplyBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text, id, name, input } = block;
  if (type === "text") return typeof text === "string";
  if (type === "tool_use") return typeof id === "string" && id !== "" && typeof name === "string" && isObject(input);
  return typeof type === "string" && type !== "tool_result";
}

function isTyped(block: unknown): boolean {
  return isObject(block) && typeof block["type"] === "string" && (block["type"] !== "text" || typeof block["text"] === "string");
}

export function listTranscripts(folder: string): readonly string[] {
  const files = readFolder(folder).map(({ name }) => path.join(folder, name));
  return files
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ file }) => file);
}

/** No model accepts a conversation with calls without results, results without calls, or one that begins with an answer. */
function withoutGaps(entries: readonly Entry[]): readonly Entry[] {
  const whole: Entry[] = [];
  if (entries[0]?.type === "assistant") whole.push({ type: "user", content: NO_BEGINNING });
  let open = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    if (entry.type === "user") {
      const kept = withoutOrphans(entry, open);
      if (kept.content.length > 0) whole.push(kept);
      continue;
    }
    whole.push(entry);
    open = new Set(entry.reply.content.flatMap((block) => (block.type === "tool_use" ? block.id : [])));
    const missing = [...unanswered(open, entries, at + 1)];
    for (const id of missing) open.delete(id);
    const content = missing.map((id): ToolResultBlock => ({ type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true }));
    if (content.length > 0) whole.push({ type: "user", content });
  }
  return whole;
}

const NO_BEGINNING = "The beginning of this session could not be read.";
const INTERRUPTED = "The session ended before this call was done. It may or may not have run.";

/** Results whose call was on a damaged line, and a second result of one call, belong to nothing. */
function withoutOrphans(entry: Extract<Entry, { type: "user" }>, open: Set<string>): typeof entry {
  if (typeof entry.content === "string") return entry;
  // A result is taken once.
  const content = entry.content.filter((block) => block.type !== "tool_result" || open.delete(block.tool_use_id));
  return { type: "user", content };
}

/** The calls that nothing answers before the next answer of the model. */
function unanswered(calls: ReadonlySet<string>, entries: readonly Entry[], from: number): ReadonlySet<string> {
  const missing = new Set(calls);
  for (let at = from; missing.size > 0; at++) {
    const entry = entries[at];
    if (entry?.type !== "user") break;
    const blocks: readonly (TextBlock | ToolResultBlock)[] = typeof entry.content === "string" ? [] : entry.content;
    for (const block of blocks) if (block.type === "tool_result") missing.delete(block.tool_use_id);
  }
  return missing;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
