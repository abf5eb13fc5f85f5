export { foldResults } from "./fold.ts";
export { type Merged, type MergeInput, mergeOutcomes } from "./merge-outcomes.ts";
export { noVerdict } from "./no-verdict.ts";
export { compareHooks, scopeRank } from "./registry-order.ts";
export { attributed, STRICTNESS } from "./said.ts";
export { type Spilled, type SpillOptions, spillText, spillVerdict } from "./spill.ts";
export type { Attributed, Decision, Verdict } from "./types.ts";
