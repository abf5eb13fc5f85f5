/**
 * Takes what is said, gives a JSONL file in the shape that hooks of the Claude dialect expect at `transcript_path`.
 * A line is in the file before anybody who could read it is told. If it cannot be written, that is said once and the session goes on.
 */
import { randomUUID } from "node:crypto";
import { VERSION } from "../../state-files.ts";
import { type AppendFile, openAppendFile, processRedactor } from "../../trace/index.ts";
import type { Entry } from "../conversation.ts";

export interface Transcript {
  readonly file: string;
  add(entry: Entry): void;
  /** Something that happened beside the conversation: a hook's words, a summary. */
  note(type: "attachment" | "system", fields: Readonly<Record<string, unknown>>): void;
  close(): void;
}

export interface TranscriptOptions {
  readonly file: string;
  readonly sessionId: string;
  readonly cwd: () => string;
  /** The last line of an earlier session, for the chain of `parentUuid`. */
  readonly parent?: string | undefined;
  /** Id of the subagent whose transcript it is. */
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
        `The transcript ${file} cannot be written: ${(error as Error).message}. The session goes on, but it cannot be resumed from here. Free some space, or set XDG_STATE_HOME to a folder that can be written.`,
      );
    }
  };
  return {
    file,
    add: (entry) => write(entry.type, { message: messageOf(entry) }),
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

/** SECURITY: what tools read and hooks print is kept for months; keys and tokens in it are not. */
function withoutSecrets(line: string): string {
  const redactor = processRedactor();
  return redactor.suspects(line) ? JSON.stringify(redactor.value(JSON.parse(line))) : line;
}

function messageOf(entry: Entry): Readonly<Record<string, unknown>> {
  if (entry.type === "user") return { role: "user", content: entry.content };
  const { id, model, content, stopReason, usage } = entry.reply;
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return { id, type: "message", role: "assistant", model, content, stop_reason: stopReason, usage: tokens };
}
