import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import type { EventInput } from "../engine/index.ts";
import { toldTexts, type Verdict } from "../judge/index.ts";
import { agentFields } from "./tools/types.ts";
import type { FiredEvent, Thread } from "./types.ts";

/** The one way in which an agent fires an event, but those around a tool call: fills in the common fields, and shows the user what hooks said. */
export async function fireFrom(thread: Thread, event: EventName, fields: EventInput, signal?: AbortSignal): Promise<FiredEvent> {
  const { core, agentId } = thread;
  const input = { ...threadIdentity(thread, event), ...fields };
  const verdict = await core.hooks.fire(event, input, signal && { signal });
  core.emit({ type: "verdict", verdict }, agentId);
  for (const text of toldBy(thread, verdict)) core.emit({ type: "tell", text }, agentId);
  if (agentId === undefined) core.onVerdict(verdict);
  return { verdict, input };
}

export function toldBy({ core: { hooks } }: Thread, verdict: Verdict): readonly string[] {
  return [...toldTexts(verdict), ...hooks.notices(verdict)];
}

/** The fields that all payloads of this thread have; some events carry only some of them. */
export function threadIdentity(thread: Thread, event: EventName): EventInput {
  const { core, cwd } = thread;
  const { carries } = EVENTS[event];
  const effort = effortOf(thread);
  const promptId = core.promptId();
  return {
    cwd,
    ...(carries.includes("permission_mode") && { permission_mode: core.permissions.mode }),
    ...(carries.includes("effort") && effort !== undefined && { effort: { level: effort } }),
    ...agentFields(thread),
    ...(promptId !== undefined && { prompt_id: promptId }),
  };
}

/** The level of effort that its model is asked with: what a hook set, or the model's own. */
export function effortOf({ core, model, params }: Thread): string | undefined {
  const set = (params?.["output_config"] as { readonly effort?: unknown } | undefined)?.effort;
  return typeof set === "string" ? set : core.model.effortOf?.(model ?? core.modelName());
}
