export { createStopCap, DEFAULT_STOP_CAP, type StopCap, type StopDecision } from "./stop-cap.ts";
export { blockAudience, blockTexts, contextTexts, denyText, feedbackTexts, hookLabel, modelTexts, type Spoken } from "./texts.ts";
export { type NamedHook, type UserNotice, userNotices } from "./user-notice.ts";
