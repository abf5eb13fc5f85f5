import { EVENTS } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { counted } from "../../diagnostic.ts";
import type { Verdict } from "../merge/types.ts";

export const DEFAULT_STOP_CAP = 8;

export interface StopDecision {
  /** The agent goes on. */
  readonly continues: boolean;
  /** The cap overrode the hooks. */
  readonly warning?: Diagnostic | undefined;
}

/** Keeps hooks from holding an agent forever. One per session; every method takes the subagent's id, or nothing for the main agent. */
export interface StopCap {
  /** What the loop does with the verdict of a stop: go on, or stop although a hook wants to go on. */
  onVerdict(verdict: Verdict, agentId?: string): StopDecision;
  /** A tool was used: the next blocks count from one again. */
  progress(agentId?: string): void;
  /** The value of `stop_hook_active` for the next stop: the agent is going on because of a hook. */
  isActive(agentId?: string): boolean;
  /** A new prompt, or the end of a subagent. */
  reset(agentId?: string): void;
}

const MAIN = "";

/** `cap` continuations in a row are allowed, the next is overridden; 0 allows any number, but for hooks that only fail. With 1 and without `progress()` it is S0's rule. */
export function createStopCap({ cap = DEFAULT_STOP_CAP }: { readonly cap?: number } = {}): StopCap {
  // SECURITY: a cap that is no number must not become "no cap".
  const limit = Number.isInteger(cap) && cap >= 0 ? cap : DEFAULT_STOP_CAP;
  /**
   * Continuations in a row, by agent and event; an agent is in here while a hook keeps it going. One event's yes does not wipe out what
   * another has counted: a teammate that may stop may still be kept from being idle.
   */
  const counts = new Map<string, Map<string, number>>();
  const forget = (agentId: string, event: string): void => {
    const own = counts.get(agentId);
    own?.delete(event);
    if (own?.size === 0) counts.delete(agentId);
  };
  return {
    onVerdict(verdict, agentId = MAIN) {
      if (!wantsToContinue(verdict)) {
        forget(agentId, verdict.event);
        return { continues: false };
      }
      const own = counts.get(agentId) ?? new Map<string, number>();
      const count = own.get(verdict.event) ?? 0;
      // SECURITY: without a cap a guard that always fails would hold the agent forever.
      const most = limit === 0 && isHeldByFailure(verdict) ? DEFAULT_STOP_CAP : limit;
      if (most > 0 && count >= most) {
        forget(agentId, verdict.event);
        return { continues: false, warning: overridden(verdict, most) };
      }
      counts.set(agentId, own.set(verdict.event, count + 1));
      return { continues: true };
    },
    progress(agentId = MAIN) {
      const own = counts.get(agentId);
      for (const event of own?.keys() ?? []) own?.set(event, 0);
    },
    isActive: (agentId = MAIN) => counts.has(agentId),
    reset(agentId = MAIN) {
      counts.delete(agentId);
    },
  };
}

function wantsToContinue({ event, halt, continueWith, contexts }: Verdict): boolean {
  if (halt) return false;
  return continueWith.length > 0 || (EVENTS[event].contextContinues && contexts.length > 0);
}

/** Nothing but hooks that failed keeps the agent going. */
function isHeldByFailure({ continueWith, contexts, outcomes }: Verdict): boolean {
  const hasFailed = (id: string): boolean => outcomes.some(({ hook, failure }) => hook.id === id && failure !== undefined);
  return contexts.length === 0 && continueWith.every(({ hook }) => hasFailed(hook));
}

function overridden({ event, continueWith, contexts }: Verdict, cap: number): Diagnostic {
  return {
    code: "HL_LOOP_STOP_CAP",
    level: "warning",
    text: `${event} hooks kept the agent going ${counted(cap, "time")} in a row without a tool call; the next block is overridden and the agent stops. Let the hook look at stop_hook_active, or change the cap (stopCap of openHooks or of the settings, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP; 0 switches it off).`,
    hook: (continueWith[0] ?? contexts[0])?.hook,
  };
}
