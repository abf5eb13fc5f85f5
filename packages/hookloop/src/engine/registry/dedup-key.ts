import type { HookDeclaration } from "../config/types.ts";
import { canonicalJson } from "./canonical-json.ts";

/** Fields that say how a hook runs, not what it is: two hooks that differ only in these are the same hook (spec §4). */
const OPTIONS: readonly string[] = [
  "timeout",
  "statusMessage",
  "once",
  "async",
  "asyncRewake",
  "rewakeMessage",
  "rewakeSummary",
  "onFailure",
  "continueOnBlock",
  "allowedEnvVars",
  "name",
  "guard",
  "warm",
  "files",
  "passEnv",
  "budget",
  "required",
  "isolation",
];

/**
 * What makes two hooks of one event the same; the matcher is not part of it. Each plugin's and each skill's copy is its own.
 * SECURITY: so is a copy in another dialect, whose answers are read by other rules, and one in another sequence, where it may
 * see another input or never have its turn: a copy must do at least what the one it stands for would have done.
 */
export function dedupKey({ kind, fields, source }: HookDeclaration, sequence: string | undefined): string {
  const identity = Object.entries(fields).filter(([name]) => !OPTIONS.includes(name));
  return canonicalJson([
    kind,
    Object.fromEntries(identity),
    source.plugin?.id ?? source.skill?.root ?? null,
    source.dialect,
    sequence ?? null,
  ]);
}
