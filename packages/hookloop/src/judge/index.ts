export {
  contextEffects,
  type Dialect,
  diagnosticsOf,
  type Effect,
  effectRow,
  effectsExcept,
  effectWords,
  type Failure,
  type Note,
  type Outcome,
  type Reading,
  refusalEffects,
  sanitiseText,
  shortText,
} from "./effects.ts";
export { checkFields, fieldEffects, typeProblem } from "./function-result.ts";
export { interpreterSign, interpretOutcome, stdinCure } from "./interpret.ts";
export { type Merged, mergeOutcomes } from "./merge-outcomes.ts";
export { isRefusal, lostAnswer, readStdout } from "./read-json.ts";
export { type SpillOptions, spillVerdict } from "./spill.ts";
export {
  blockText,
  blockTexts,
  checkVerdict,
  contextTexts,
  createStopCap,
  DEFAULT_STOP_CAP,
  denyText,
  feedbackTexts,
  hookLabel,
  modelTexts,
  type StopCap,
  toldTexts,
  userNotices,
} from "./texts.ts";
export {
  type Attributed,
  decisionOf,
  noVerdict,
  STRICTNESS,
  type Verdict,
  withheldOutput,
} from "./verdict.ts";
