import type { HookDeclaration } from "../config/types.ts";
import { canonicalJson } from "./canonical-json.ts";
import { DIALECT_DEFAULTS } from "./dialect-defaults.ts";

/** Fields that say how a hook runs, not what it is: two hooks that differ only in these are the same hook (spec §4). */
const OPTIONS: readonly string[] = [
  "timeout",
  "statusMessage",
  "once",
  "async",
  "asyncRewake",
  "onFailure",
  "continueOnBlock",
  "allowedEnvVars",
  "name",
  "guard",
  "warm",
  "files",
  "passEnv",
  "budget",
  "prove",
  "required",
  "isolation",
];

/** What makes two hooks of one event the same; the matcher is not part of it. Each plugin's and each skill's copy is its own. */
export function dedupKey({ kind, fields, source }: HookDeclaration): string {
  const identity = Object.entries(fields).filter(([name]) => !OPTIONS.includes(name));
  return canonicalJson([
    kind,
    Object.fromEntries(identity),
    source.plugin?.id ?? source.skill?.root ?? null,
    DIALECT_DEFAULTS[source.dialect].answers,
  ]);
}
