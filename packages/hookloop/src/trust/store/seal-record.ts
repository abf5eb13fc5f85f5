import { createHash } from "node:crypto";
import { canonicalJson } from "../../config/index.ts";
import { secretPattern } from "../../secret-patterns.ts";
import type { HookRecord } from "../pin/examine-hook.ts";

/** How a hook was approved, or refused. */
export interface TrustDecision {
  readonly verdict: "approved" | "refused";
  /** Name of the account. */
  readonly by: string;
  /** ISO time. */
  readonly at: string;
  readonly how: "review" | "command" | "first-sight";
}

/** One hook that was approved or refused. */
export interface TrustRecord {
  readonly digest: string;
  readonly id: string;
  readonly name: string;
  /** The configuration it stands in. */
  readonly file: string;
  /** Without secrets: see `sealRecord`. */
  readonly definition: HookRecord;
  readonly unresolved: readonly string[];
  readonly decision: TrustDecision;
  /** What was approved before. */
  readonly previous?: Omit<TrustRecord, "previous"> | undefined;
  /** Of the record itself; absent in records of older versions, which are whole. */
  readonly check?: string | undefined;
}

export type TrustRecords = ReadonlyMap<string, TrustRecord>;

/** What the lock must know about processes: a pid alone is reused. */
export interface Processes {
  self(): ProcessId;
  isRunning(process: ProcessId): boolean;
  /** When a process was started, as `self` says it; absent: it cannot be told. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
}

export interface ProcessId {
  readonly pid: number;
  readonly startTime: string;
}

// What the store keeps of a hook. The approval is bound to the digest of the whole; the record is only for telling people what changed.

/** What decides when a hook runs: it stays as it is, since a gate that is gone blocks by it. */
const KEPT_FIELDS: readonly string[] = ["if"];
/** A header that is put together from variables alone has no secret in it. */
const ONLY_VARIABLES = /^(?:(?:Bearer|Basic|Token|token|ApiKey) )?(?:\$\w+|\$\{\w+\})$/;

/** SECURITY: no header value and no token is kept in clear; a digest in its place shows that it changed. */
export function sealRecord(record: HookRecord): HookRecord {
  const fields = Object.entries(record.fields).map(([name, value]) => [name, KEPT_FIELDS.includes(name) ? value : sealField(name, value)]);
  return { ...record, fields: Object.fromEntries(fields) };
}

function sealField(name: string, value: unknown): unknown {
  if (name !== "headers" || typeof value !== "object" || value === null) return sealValue(value);
  return Object.fromEntries(
    Object.entries(value).map(([header, text]) => [
      header,
      typeof text === "string" && ONLY_VARIABLES.test(text) ? text : sealed(String(text)),
    ]),
  );
}

function sealValue(value: unknown): unknown {
  if (typeof value === "string") return sealText(value);
  if (Array.isArray(value)) return value.map(sealValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, sealValue(part)]));
}

/** A text with its tokens replaced. */
export function sealText(text: string): string {
  return text.replace(secretPattern(), sealed);
}

function sealed(secret: string): string {
  return `[sha256 ${createHash("sha256").update(secret).digest("hex").slice(0, 12)}]`;
}

/** Shows that a record is what was written; like everything in the store, it protects from damage, not from whoever may write there. */
export function checkOf({ digest, id, name, file, definition, unresolved }: Omit<TrustRecord, "decision" | "check">): string {
  return createHash("sha256")
    .update(`hookloop-record-v1\n${canonicalJson({ digest, id, name, file, definition, unresolved })}`)
    .digest("hex");
}

/** A record as it is kept. */
export function sealedRecord<Kept extends Omit<TrustRecord, "check">>(record: Kept): Kept & { readonly check: string } {
  const clean = {
    ...record,
    name: sealText(record.name),
    definition: sealRecord(record.definition),
    unresolved: record.unresolved.map(sealText),
  };
  return { ...clean, check: checkOf(clean) };
}
