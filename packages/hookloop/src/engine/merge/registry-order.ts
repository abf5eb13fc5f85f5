import type { RegisteredHook, Scope } from "../../config/index.ts";

const SCOPES: readonly Scope[] = ["managed", "flag", "code", "user", "local", "project", "plugin", "skill"];
const RANKS: Readonly<Record<string, number>> = Object.fromEntries(SCOPES.map((scope, rank) => [scope, rank]));

/** How high a scope stands: 0 is the highest. */
export function scopeRank(scope: Scope): number {
  return RANKS[scope] ?? SCOPES.length;
}

/** Highest source first, inside it as declared. The id settles what is left, so that completion order never shows. */
export function compareHooks(a: RegisteredHook, b: RegisteredHook): number {
  return scopeRank(a.source.scope) - scopeRank(b.source.scope) || a.order - b.order || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
