import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import type { EventInput } from "../engine/index.ts";
import type { PermissionMode } from "../permissions/index.ts";

/** What is true of an agent right now. */
export interface AgentState {
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** Absent on the main thread. */
  readonly agentId?: string | undefined;
  /** Of the subagent, or what `--agent` said. */
  readonly agentType?: string | undefined;
  /** Level of effort of the model that it asks; absent where the model has none. */
  readonly effort?: string | undefined;
  /** Of the prompt that is worked on; absent before the first. */
  readonly promptId?: string | undefined;
}

/** The fields that payloads of one agent have in common; some events carry only some of them. */
export function identityFields(event: EventName, { cwd, mode, agentId, agentType, effort, promptId }: AgentState): EventInput {
  const { carries } = EVENTS[event];
  return {
    cwd,
    ...(carries.includes("permission_mode") && { permission_mode: mode }),
    ...(carries.includes("effort") && effort !== undefined && { effort: { level: effort } }),
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(agentType !== undefined && { agent_type: agentType }),
    ...(promptId !== undefined && { prompt_id: promptId }),
  };
}
