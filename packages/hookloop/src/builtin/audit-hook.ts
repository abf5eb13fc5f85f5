/** Records what the engine did, so also verdicts and calls that were denied: each record carries the hash of the one before. */

import { createHash } from "node:crypto";
import type { EventName } from "@hookloop/sdk";
import type { EVENT_NAMES } from "../catalogue/index.ts";
import type { RecordFile, SessionPlace, Step } from "../engine/index.ts";
import type { ShippedHook } from "./index.ts";

/** An event without a hook has no steps: these are recorded whether or not there is another hook. */
const RECORDED: readonly EventName[] = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "ConfigChange",
  "Stop",
  "SessionEnd",
] satisfies (typeof EVENT_NAMES)[number][];

export function audit({ openAudit }: Pick<SessionPlace, "openAudit">): ShippedHook {
  let file: RecordFile | undefined;
  const onStep = (step: Step): void => {
    const record = recordOf(step);
    if (record === undefined) return;
    file ??= openAudit();
    file.write(record);
  };
  const parts = RECORDED.map((event) => ({ event, handler: () => undefined }));
  return { name: "audit", parts, onStep, close: () => file?.close() };
}

/** What counts of a step; nothing of one that only says how the engine got there. */
function recordOf(step: Step): object | undefined {
  const { type } = step;
  switch (type) {
    case "fired":
      return { type, event: step.event, input: withoutOutput(step.input) };
    case "considered":
    case "judgedAgain":
    case "refused":
    case "notRun":
    case "diagnostic":
      return step;
    case "outcome": {
      const { event, hook, name, effects, failure, exitCode, durationMs } = step;
      return effects.length > 0 || failure ? { type, event, hook, name, effects, failure, exitCode, durationMs } : undefined;
    }
    case "verdict": {
      const { event, verdict } = step;
      const { decision, reasons, halt, updatedInput } = verdict;
      return { type, event, decision, reasons, halt, updatedInput };
    }
    default:
      return undefined;
  }
}

/** What a tool gave back may be long and is no decision: its length and hash say whether it is what stands elsewhere. */
function withoutOutput(input: Readonly<Record<string, unknown>>): object {
  const { tool_response: output, ...rest } = input;
  if (output === undefined) return input;
  const json = textOf(output);
  return { ...rest, tool_response: { $sha256: createHash("sha256").update(json).digest("hex"), length: json.length } };
}

function textOf(output: unknown): string {
  try {
    return JSON.stringify(output) ?? "";
  } catch {
    // What is no data has no text that could be compared.
    return "";
  }
}
