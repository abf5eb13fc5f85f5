export { proposedChange } from "./proposed-change.ts";
export { protect } from "./protect.ts";
export { protectedPath } from "./protected-path.ts";
export type { ProtectContext } from "./types.ts";
