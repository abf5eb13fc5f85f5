import type { HookRecord } from "../pin/index.ts";

/** How a hook was approved, or refused. */
export interface TrustDecision {
  readonly verdict: "approved" | "refused";
  /** Name of the account. */
  readonly by: string;
  /** ISO time. */
  readonly at: string;
  readonly how: "review" | "command" | "first-sight";
}

/** One hook that somebody has decided about. */
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
  /** When a process was started, as `self` says it; absent: nobody can tell. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
}

export interface ProcessId {
  readonly pid: number;
  readonly startTime: string;
}
