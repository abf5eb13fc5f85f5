export { permitCall } from "./permit-call.ts";
export { type FileRules, filePermissions } from "./rule-sources.ts";
export type { GivenCall, Permission, Permit, ToolCall, ToolOptions } from "./types.ts";
