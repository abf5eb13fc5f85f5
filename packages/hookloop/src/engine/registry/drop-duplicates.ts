import { scopeRank } from "./scope-rank.ts";
import type { RegisteredHook } from "./types.ts";

/** Of hooks that all match one firing, each once: across sources the highest one's, inside one source the last declared (D17). */
export function dropDuplicates<Hook extends RegisteredHook>(hooks: readonly Hook[]): readonly Hook[] {
  const winners = new Map<string, Hook>();
  for (const hook of hooks) {
    const known = hook.dedupKey === undefined ? undefined : winners.get(hook.dedupKey);
    if (hook.dedupKey !== undefined && (!known || supersedes(hook, known))) winners.set(hook.dedupKey, hook);
  }
  return hooks.filter((hook) => hook.dedupKey === undefined || winners.get(hook.dedupKey) === hook);
}

/** SECURITY: a lower source never changes the options of a higher one's hook, only its own. */
export function supersedes(hook: RegisteredHook, other: RegisteredHook): boolean {
  const difference = scopeRank(hook.source.scope) - scopeRank(other.source.scope);
  return difference === 0 ? hook.order > other.order : difference < 0;
}
