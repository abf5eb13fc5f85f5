export { type Examination, examineHook, isInside, realPath } from "./examine-hook.ts";
export { lookAt } from "./hash-file.ts";
export { digestOf, pinHook } from "./pin-hook.ts";
export type { FilePin, HookPins, HookRecord, PinPlace } from "./types.ts";
export { type Watch, watchHook } from "./watch-hook.ts";
