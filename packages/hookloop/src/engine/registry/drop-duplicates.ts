import type { FailureDirection } from "../../catalogue/index.ts";
import { EVENTS } from "../../catalogue/index.ts";
import { directionAt, writtenDirection } from "./failure-direction.ts";
import { scopeRank } from "./scope-rank.ts";
import type { HookTarget, RegisteredHook } from "./types.ts";

/** Declarations of one hook that all match one firing, and the one hook that runs for them. */
export interface Kept<Hook extends RegisteredHook> {
  readonly hook: Hook;
  readonly copies: readonly Hook[];
}

/** Of hooks that all match one firing, each once: across sources the highest one's, inside one source the last declared, as strict as the strictest. */
export function dropDuplicates<Hook extends RegisteredHook>(hooks: readonly Hook[]): readonly Kept<Hook>[] {
  const groups = new Map<string, Hook[]>();
  for (const hook of hooks) {
    const group = hook.dedupKey === undefined ? undefined : groups.get(hook.dedupKey);
    if (group) group.push(hook);
    else if (hook.dedupKey !== undefined) groups.set(hook.dedupKey, [hook]);
  }
  return hooks.flatMap((hook) => {
    const copies = hook.dedupKey === undefined ? undefined : groups.get(hook.dedupKey);
    if (copies === undefined || copies.length === 1) return [{ hook, copies: [hook] }];
    const winner = copies.reduce((best, copy) => (supersedes(copy, best) ? copy : best));
    // In a sequence the first place counts: what stands between could end the sequence before the last one's turn.
    const place = winner.sequence === undefined ? winner : copies[0];
    return hook === place ? [{ hook: strictest(copies, winner, place.order), copies }] : [];
  });
}

/** A lower source never changes how a higher one's hook runs, except to make it stricter. */
export function supersedes(hook: RegisteredHook, other: RegisteredHook): boolean {
  const difference = scopeRank(hook.source.scope) - scopeRank(other.source.scope);
  return difference === 0 ? hook.order > other.order : difference < 0;
}

const DIRECTIONS: readonly FailureDirection[] = ["continue", "ask", "block"];
/** What was made of a winner last: runners remember things by hook, and most firings have the same copies. */
const made = new WeakMap<RegisteredHook, Kept<RegisteredHook>>();

/** SECURITY: one more copy, of whatever source, can only tighten: this is why no declaration switches a guard off. */
function strictest<Hook extends RegisteredHook>(copies: readonly Hook[], winner: Hook, order: number): Hook {
  const known = made.get(winner);
  if (known && known.copies.length === copies.length && copies.every((copy, index) => copy === known.copies[index]))
    return known.hook as Hook;
  const isAsync = copies.every((copy) => copy.isAsync);
  const hook = {
    ...winner,
    order,
    isAsync,
    copiedMatchers: copies.flatMap(({ matcher = [] }) => matcher),
    wakesAgent: copies.some(({ wakesAgent }) => wakesAgent),
    isGuard: copies.some(({ isGuard }) => isGuard),
    once: copies.every(({ once }) => once),
    timeoutMs: Math.max(...copies.map(({ timeoutMs }) => timeoutMs)),
    onFailure: isAsync ? winner.onFailure : strictestDirection(copies),
    target: strictestTarget(copies, winner.target),
  };
  made.set(winner, { hook, copies });
  return hook;
}

function strictestDirection(copies: readonly RegisteredHook[]): FailureDirection {
  // A background hook has no direction; what its entry says counts as soon as the hook runs in the foreground.
  const directions = copies.map((copy) => (copy.isAsync ? asWritten(copy) : copy.onFailure));
  return DIRECTIONS[Math.max(...directions.map((direction) => DIRECTIONS.indexOf(direction)))] ?? "block";
}

function asWritten({ event, fields = {} }: RegisteredHook): FailureDirection {
  return directionAt(EVENTS[event], writtenDirection(fields)) ?? "continue";
}

/** A judge's no ends the turn unless every copy says that it does not. */
function strictestTarget(copies: readonly RegisteredHook[], target: HookTarget): HookTarget {
  if (!("fields" in target) || target.fields["continueOnBlock"] !== true) return target;
  const everyOne = copies.every((copy) => "fields" in copy.target && copy.target.fields["continueOnBlock"] === true);
  return everyOne ? target : { ...target, fields: { ...target.fields, continueOnBlock: false } };
}
