// How many hooks run at once, and how deep hooks that start agents that fire hooks may go.
import { onAbort } from "./abort-listeners.ts";
import type { Environment } from "./environment/index.ts";
import { failure } from "./failures.ts";
import type { RunFailure } from "./types.ts";

/** Processes of one engine that run at the same time. */
export const PROCESS_SLOTS = 8;

/** From this depth on no hook runs. */
export const DEPTH_LIMIT = 3;

/** Longer delays overflow Node's timers and would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A time limit as a delay that Node's timers can hold. */
export function timerDelay(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_DELAY_MS);
}

export interface Slots {
  /** Resolves when there is room, with the function that gives it back; `undefined` if the signal came first. */
  take(signal?: AbortSignal): Promise<(() => void) | undefined>;
}

/** First come, first served; nobody is skipped. A hook's own time starts when it has its place. */
export function createSlots(count: number = PROCESS_SLOTS): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const give = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      const [next] = waiting;
      next?.();
    };
  };
  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(undefined);
      if (free > 0) {
        free--;
        return Promise.resolve(give());
      }
      return new Promise((resolve) => {
        const settle = (release: (() => void) | undefined): void => {
          waiting.delete(enter);
          forgetSignal();
          resolve(release);
        };
        const enter = (): void => {
          free--;
          settle(give());
        };
        waiting.add(enter);
        const forgetSignal = onAbort(signal, () => settle(undefined));
      });
    },
  };
}

/** The hook runs this program was started from, outermost first. */
export interface Ancestry {
  readonly depth: number;
  /** Ids of hooks. */
  readonly hooks: readonly string[];
}

export const NO_ANCESTRY: Ancestry = Object.freeze({ depth: 0, hooks: Object.freeze([]) });

/** What the environment says about where this program was started from. */
export function ancestryFromEnvironment(env: Environment): Ancestry {
  const depth = Number(env["HOOKLOOP_DEPTH"]);
  const hooks = (env["HOOKLOOP_CHAIN"] ?? "").split(",").filter(Boolean).map(decodeEntry);
  return { depth: Math.max(Number.isSafeInteger(depth) ? depth : 0, hooks.length > 0 ? 1 : 0), hooks };
}

/** Both together: a hook can strip variables, but not its parent processes (fault 54). */
export function joinAncestry(one: Ancestry, other: Ancestry): Ancestry {
  return { depth: Math.max(one.depth, other.depth), hooks: [...new Set([...one.hooks, ...other.hooks])] };
}

/** The variables by which a program started from a hook knows that it was. */
export function ancestryVariables(ancestry: Ancestry, hookId: string): Environment {
  const hooks = [...new Set([...ancestry.hooks, hookId])];
  return { HOOKLOOP_DEPTH: String(ancestry.depth + 1), HOOKLOOP_CHAIN: hooks.map(encodeURIComponent).join(",") };
}

/** Why a hook may not run here. Ordinary load never gives a reason: only what this program was started from counts. */
export function recursionRefusal(ancestry: Ancestry, hookId: string): RunFailure | undefined {
  if (ancestry.depth >= DEPTH_LIMIT) {
    return failure("could-not-start", `hooks are ${ancestry.depth} deep: a hook started an agent whose hook started an agent, and so on`);
  }
  if (ancestry.hooks.includes(hookId)) {
    return failure("could-not-start", "it is already running: this session was started from a run of the same hook");
  }
  return undefined;
}

function decodeEntry(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    // Not written by us; kept as it is, it matches no hook.
    return entry;
  }
}
