import { type EventRow, MODEL_KIND_TIMEOUT_SECONDS } from "../../catalogue/index.ts";
import type { HookDeclaration } from "../config/types.ts";
import { DIALECT_DEFAULTS } from "./dialect-defaults.ts";

/** Native limits (design rule 5): short for what holds the agent up, longer for what only looks. */
const NATIVE_SECONDS = { gate: 30, other: 60, http: 10 } as const;

/** The hook's time limit: its own, or that of its dialect, kind and event. */
export function timeLimitMs({ kind, fields, source }: HookDeclaration, row: EventRow): number {
  const own = fields["timeout"];
  if (typeof own === "number") return Math.ceil(own * 1000);
  return 1000 * (DIALECT_DEFAULTS[source.dialect].defaults === "native" ? nativeSeconds(kind, row) : importedSeconds(kind, row));
}

function nativeSeconds(kind: HookDeclaration["kind"], row: EventRow): number {
  if (row.nativeTimeoutSeconds !== undefined) return row.nativeTimeoutSeconds;
  if (kind === "prompt" || kind === "agent") return MODEL_KIND_TIMEOUT_SECONDS[kind];
  const byRole = row.role === "gate" ? NATIVE_SECONDS.gate : NATIVE_SECONDS.other;
  // A row with a shorter limit than its role has a reason (someone is looking at the screen).
  return Math.min(kind === "http" ? NATIVE_SECONDS.http : byRole, row.timeoutSeconds);
}

function importedSeconds(kind: HookDeclaration["kind"], row: EventRow): number {
  return kind === "prompt" || kind === "agent" ? MODEL_KIND_TIMEOUT_SECONDS[kind] : row.timeoutSeconds;
}
