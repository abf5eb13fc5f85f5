import type { AdmittedHook } from "../trust/types.ts";

/** An admitted hook whose matcher and condition fit the event at hand. */
export interface SelectedHook {
  readonly hook: AdmittedHook;
}

/** The hooks whose matcher fits one (event, query), compiled once. */
export interface Plan {
  /** In registry order: highest source first, then as declared. */
  readonly hooks: readonly AdmittedHook[];
  /** Every hook is a function without a condition: the fast path needs nothing else. */
  readonly isFunctionsOnly: boolean;
}
