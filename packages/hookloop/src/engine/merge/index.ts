export { compileFold, type Fold } from "./fold.ts";
export { type Merged, mergeOutcomes } from "./merge-outcomes.ts";
export { noVerdict } from "./no-verdict.ts";

export { attributed, decisionOf, STRICTNESS } from "./said.ts";
export { type SpillOptions, spillVerdict } from "./spill.ts";
export type { Attributed, Decision, Verdict } from "./types.ts";
