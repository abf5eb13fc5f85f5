import type { Scope } from "../config/types.ts";

/** Scopes by authority, highest first. */
const SCOPES: readonly Scope[] = ["managed", "flag", "code", "user", "local", "project", "plugin", "skill"];

/** 0 is the highest authority. */
export function scopeRank(scope: Scope): number {
  return SCOPES.indexOf(scope);
}
