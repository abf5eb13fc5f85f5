export type { Ability } from "../event-facts.ts";
export type { EventInputs, EventName, EventOutputs } from "../generated/events.ts";
export type { ToolInputs, ToolName, ToolResponses } from "../generated/tools.ts";
export type { HookDefinition, HookHandler, HookInput, HookOptions, HookRun, HookSays, ToolEvent } from "./definition.ts";
export { hook } from "./hook.ts";
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
} from "./results.ts";
