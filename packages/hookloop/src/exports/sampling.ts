export type {
  ExecutedHooks,
  HookContext,
  HookDecision,
  HookMoment,
  HookRegistration,
  HookType,
  ListedHook,
  SamplingHandler,
  SamplingTool,
  SamplingToolResult,
} from "../compat/sampling-operation.ts";
export { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "../compat/sampling-registry.ts";
