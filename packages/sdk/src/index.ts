export type {
  Ability,
  EventInputs,
  EventName,
  EventOutputs,
  HookDefinition,
  HookHandler,
  HookInput,
  HookOptions,
  HookResult,
  HookRun,
  HookSays,
  Part,
  ToolEvent,
  ToolInputs,
  ToolName,
  ToolResponses,
} from "./hook/index.ts";
export {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  feedback,
  hook,
  output,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "./hook/index.ts";
export type { LogLevel } from "./log/write-log.ts";
export {
  emitBlock,
  emitBlockPrompt,
  emitBlockTopLevel,
  emitBlockViaExit,
  emitContext,
  emitContextAndBlock,
  emitPermissionDecision,
} from "./s4/emit.ts";
export { loadHookInput } from "./s4/invocation.ts";
export {
  eprint,
  hookLog,
  isInternalCall,
  logBlocking,
  logDebug,
  logDiagnostic,
  logError,
  logHookError,
  logInfo,
  logWarn,
} from "./s4/log.ts";
export { type RunHookOptions, runHook, runHookAsync } from "./s4/run-hook.ts";
