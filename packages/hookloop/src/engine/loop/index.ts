export { createStopCap, DEFAULT_STOP_CAP, type StopCap } from "./stop-cap.ts";
export { blockTexts, checkVerdict, contextTexts, denyText, feedbackTexts, modelTexts, type Spoken } from "./texts.ts";
export { toldTexts, userNotices } from "./user-notice.ts";
