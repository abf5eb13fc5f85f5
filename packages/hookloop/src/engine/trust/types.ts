import type { RegisteredHook } from "../registry/types.ts";

declare const admitted: unique symbol;

/** A registered hook that passed the gate. Only `trust/` can make one: skipping the gate does not compile. */
export type AdmittedHook = RegisteredHook & { readonly [admitted]: true };

/** A registered hook that must not run, and why. */
export interface RefusedHook {
  readonly hook: RegisteredHook;
  readonly reason: RefusalReason;
  /** For people: why, and how to change it. */
  readonly text: string;
}

export type RefusalReason = "disabled" | "managed-only" | "simple-mode" | "untrusted";
