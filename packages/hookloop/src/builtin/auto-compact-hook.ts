/** When the conversation is long after a tool call, has it made short. The call is over by then, and nothing waits for the summary. */

import { statSync } from "node:fs";
import { type HookHandler, tellUser } from "@hookloop/sdk";
import type { SessionPlace } from "../engine/index.ts";
import { contextTokens, thrownText } from "../run/index.ts";
import { readStart } from "../state-files.ts";
import type { ShippedHook } from "./index.ts";

export interface AutoCompactOptions {
  readonly threshold?: number | undefined;
}

/** Three quarters of the window that most models have. */
const THRESHOLD = 150_000;
const NOTICE = { text: "Compacting conversation...", forMs: 3000 };

export function autoCompact(
  place: Pick<SessionPlace, "compact" | "messages" | "report">,
  { threshold = THRESHOLD }: AutoCompactOptions = {},
): ShippedHook {
  /** How long each conversation was when this was last said of it. */
  const said = new Map<string, number>();
  const look: HookHandler<"PostToolUse", string> = ({ session_id, transcript_path, agent_id, tool_response }, run) => {
    // A subagent's conversation ends with its task.
    if (agent_id !== undefined) return undefined;
    const messages = run.messages?.length ? run.messages : (place.messages?.() ?? []);
    // What the tool gave is not in the conversation yet.
    const given = contextTokens([{ content: tool_response ?? "" }]);
    const tokens = given + (messages.length === 0 ? transcriptTokens(transcript_path, threshold) : contextTokens(messages));
    if (!isNews(said, session_id, tokens, threshold)) return undefined;
    const { compact, report } = place;
    if (compact === undefined) return tellUser(longText(tokens));
    queueMicrotask(() => {
      try {
        compact(NOTICE);
      } catch (thrown) {
        report({ code: "HL_EXECUTE_THREW", level: "error", text: `compact() of ports threw: ${thrownText(thrown)}` });
      }
    });
    return undefined;
  };
  return { name: "auto-compact", parts: [{ event: "PostToolUse", handler: look }] };
}

/** A hook may have blocked the compaction, or the summary is long itself: the next time is when there is a quarter more. */
const MORE = 1.25;
/** It was compacted meanwhile. */
const LESS = 0.5;
const MOST_SESSIONS = 1000;

function isNews(said: Map<string, number>, session: string, tokens: number, threshold: number): boolean {
  const before = said.get(session);
  if (before !== undefined && tokens < before * LESS) said.delete(session);
  if (tokens < threshold || tokens < (said.get(session) ?? 0) * MORE) return false;
  if (said.size >= MOST_SESSIONS) said.clear();
  said.set(session, tokens);
  return true;
}

function longText(tokens: number): string {
  return `The conversation is long (about ${tokens.toLocaleString("en-US")} tokens). Compact it, as with /compact.`;
}

const BYTES_PER_TOKEN = 4;
const MOST_BYTES = 16 * 1024 * 1024;

/** Of an agent that hands no messages on: from the size of its transcript since the last compaction. */
function transcriptTokens(file: string, threshold: number): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size / BYTES_PER_TOKEN < threshold) return 0;
  const text = readStart(file, MOST_BYTES)?.toString("latin1") ?? "";
  return Math.ceil((text.length - Math.max(0, text.lastIndexOf('"compact_boundary"'))) / BYTES_PER_TOKEN);
}
