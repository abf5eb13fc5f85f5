export type { Ability } from "./event-facts.ts";
export type { EventInputs, EventName, EventOutputs } from "./generated/events.ts";
export type { ToolInputs, ToolName, ToolResponses } from "./generated/tools.ts";
export type { HookDefinition, HookHandler, HookInput, HookOptions, HookRun, HookSays, ToolEvent } from "./hook/definition.ts";
export { hook } from "./hook/hook.ts";
export {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  feedback,
  type HookResult,
  output,
  type Part,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "./hook/results.ts";
export {
  emitBlock,
  emitBlockPrompt,
  emitBlockTopLevel,
  emitBlockViaExit,
  emitContext,
  emitContextAndBlock,
  emitPermissionDecision,
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
  type RunHookOptions,
  runHook,
  runHookAsync,
} from "./hook-utils/emit.ts";
export { loadHookInput } from "./hook-utils/invocation.ts";
export type { LogLevel } from "./log.ts";
