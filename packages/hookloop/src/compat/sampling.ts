/** The sampling registry as a source of such hooks imports it: functions on one registry of the program, and registries of one's own. */

import { announceRegistry } from "../open/extensions.ts";
import * as guards from "./sampling-guards.ts";
import { createSamplingRegistry, type SamplingRegistry } from "./sampling-registry.ts";

export type { SamplingGuardOptions, SamplingSafetyOptions } from "./sampling-guards.ts";
export { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "./sampling-registry.ts";
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
export const resetHooks: SamplingRegistry["resetHooks"] = defaultRegistry.resetHooks;

/** The guards that come with hookloop; the function they return takes them away. */
export const registerSafetyHooks = (options?: guards.SamplingSafetyOptions): (() => void) =>
  guards.registerSafetyHooks(defaultRegistry, options);
export const registerPermissionHooks = (options?: guards.SamplingGuardOptions): (() => void) =>
  guards.registerPermissionHooks(defaultRegistry, options);
