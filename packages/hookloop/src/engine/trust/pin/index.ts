export { type Examination, examineHook, isInside, moduleFolders, realPath } from "./examine-hook.ts";
export { type Glimpse, glimpse, Look, lookAt } from "./hash-file.ts";
export { digestOf, digestOfOldForm } from "./hook-record.ts";
export { interpreterOf } from "./loads-others.ts";
export { pinHook } from "./pin-hook.ts";
export { type Family, familyOf } from "./programs.ts";
export type { FilePin, HookPins, HookRecord, PinPlace } from "./types.ts";
export { type Watch, watchHook } from "./watch-hook.ts";
