export { createBackground, endBackground, wakeTexts } from "./background.ts";
export { HookEngine } from "./engine.ts";
export {
  type Admit,
  type AppliedEdits,
  type ConfigFile,
  type Configuration,
  createRecheck,
  createReconsider,
  type EngineParts,
  inOrder,
  type RecordFile,
  type SessionPlace,
} from "./engine-trust.ts";
export { filePermissions, type ToolCall, type ToolOptions } from "./permit.ts";
export { type Frontmatter, type FunctionOptions, looseGuards } from "./register-function.ts";
export type { ToolResult } from "./run-tool.ts";
export { type EventInput, eventBudget, type FireOptions, type Session, type ToolWatch } from "./session.ts";
export {
  createListeners,
  createRecorder,
  hookTypeCounts,
  pluginHookCounts,
  type Stamp,
  type Step,
  type TraceRecord,
  type TraceSink,
  type WrittenStep,
} from "./step.ts";
