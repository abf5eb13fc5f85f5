export { permitCall } from "./permit-call.ts";
export { ruleSources } from "./rule-sources.ts";
export type { Permission, Permit, ToolCall, ToolOptions } from "./types.ts";
