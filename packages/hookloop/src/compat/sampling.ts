/** The sampling registry as a source of such hooks imports it: functions on one registry of the program, and registries of one's own. */

import { type AutoCompactOptions, autoCompact, type MetricsOptions, metrics } from "../builtin/index.ts";
import { announceRegistry } from "../open/extensions.ts";
import type { ModelMessage } from "../run/index.ts";
import { createSamplingRegistry, type SamplingRegistry } from "./sampling-registry.ts";
import * as guards from "./sampling-shipped.ts";
import { registerFileHistory, registerGitTracking } from "./sampling-shipped.ts";

export { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "./sampling-registry.ts";
export type { SamplingGuardOptions, SamplingSafetyOptions } from "./sampling-shipped.ts";
export type {
  ExecutedHooks,
  GivenContext,
  HookAnswer,
  HookContext,
  HookEvent,
  HookRegistration,
  HookType,
  ListedHook,
  SamplingHandler,
  SamplingTool,
  SamplingToolResult,
  SamplingToolRun,
} from "./sampling-types.ts";

/** What the functions below use. */
export const defaultRegistry: SamplingRegistry = createSamplingRegistry();
// A session that loads an extension finds there what the extension has registered.
announceRegistry(defaultRegistry);

export const registerHook: SamplingRegistry["registerHook"] = defaultRegistry.registerHook;
export const executeHooks: SamplingRegistry["executeHooks"] = defaultRegistry.executeHooks;
export const executeToolWithHooks: SamplingRegistry["executeToolWithHooks"] = defaultRegistry.executeToolWithHooks;
export const executeSessionStartHooks: SamplingRegistry["executeSessionStartHooks"] = defaultRegistry.executeSessionStartHooks;
export const executeSessionEndHooks: SamplingRegistry["executeSessionEndHooks"] = defaultRegistry.executeSessionEndHooks;
export const withCleanup: SamplingRegistry["withCleanup"] = defaultRegistry.withCleanup;
export const listHooks: SamplingRegistry["listHooks"] = defaultRegistry.listHooks;
/** What the program can do that the agent does by itself. */
export interface AutoCompactParts {
  /** The conversation so far. */
  readonly messages?: () => readonly ModelMessage[];
  /** Shows the notice for so long, and makes the conversation short. */
  readonly compact?: (notice: { readonly text: string; readonly forMs: number }) => void;
}

/** After a tool, when the conversation is long: the notice, then the compaction, which no tool waits for. */
export function registerAutoCompactHooks(options?: AutoCompactOptions, parts: AutoCompactParts = {}): () => void {
  return defaultRegistry.registerShipped(
    "post_tool_sample",
    "auto-compact",
    (place, given: AutoCompactOptions = {}) => autoCompact({ ...place, ...parts }, given),
    options,
  );
}
export const resetHooks: SamplingRegistry["resetHooks"] = defaultRegistry.resetHooks;

// The shipped hooks by the names of the source; each gives the function that takes them away.
export function registerGitTrackingHooks(registry: SamplingRegistry = defaultRegistry): () => void {
  return registerGitTracking(registry);
}
export function registerFileHistoryHooks(registry: SamplingRegistry = defaultRegistry): () => void {
  return registerFileHistory(registry);
}
/** `tool_executed` and `bash_executed` for every tool that is run with these hooks: as steps of the trace, and in a file if one is named. */
export function registerTelemetryHooks(options?: MetricsOptions): () => void {
  return defaultRegistry.registerShipped("post_tool_sample", "metrics", metrics, options);
}
/** The guards that come with hookloop; the function they return takes them away. */
export const registerSafetyHooks = (options?: guards.SamplingSafetyOptions): (() => void) =>
  guards.registerSafetyHooks(defaultRegistry, options);
export const registerPermissionHooks = (options?: guards.SamplingGuardOptions): (() => void) =>
  guards.registerPermissionHooks(defaultRegistry, options);
