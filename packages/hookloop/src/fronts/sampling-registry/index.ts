export { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "./create-sampling-registry.ts";
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
} from "./types.ts";
