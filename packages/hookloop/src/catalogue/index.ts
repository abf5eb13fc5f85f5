import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "./events/index.ts";

export { ABILITY_MEANS, abilitiesOf, outputFieldsOf } from "./abilities.ts";
export { COMMON_INPUT, inputFieldsOf, neededInputOf, PERMISSION_MODES, topLevelOutputOf } from "./common.ts";
export { EVENTS } from "./events/index.ts";
export type { Field, Fields, FieldType } from "./field.ts";
export {
  COMMON_HOOK_FIELDS,
  type ConfiguredKind,
  HOOK_KINDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  NATIVE_SETTINGS,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
} from "./hook-kinds.ts";
export { nearestName } from "./nearest-name.ts";
export {
  ALL_KINDS,
  type BlockMechanism,
  type BlockWording,
  DEFAULT_TIMEOUT_SECONDS,
  type EventRole,
  type EventRow,
  type EventRows,
  type Exit2Effect,
  type FailureDirection,
  type FieldRule,
  type HookKind,
  type Matcher,
  type MergeRule,
  MODEL_KIND_TIMEOUT_SECONDS,
  type StdoutTarget,
} from "./row.ts";
export { samplePayload } from "./sample-payload.ts";
export {
  calledElsewhere,
  FORMER_TOOL_NAMES,
  innerName,
  lookAlike,
  MORE_TOOL_NAMES,
  NAMES_ELSEWHERE,
  otherSpelling,
  plainName,
  TOOL_NAMES,
  TOOLS,
  type ToolKind,
  type ToolRule,
} from "./tools.ts";

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS) as EventName[];

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}
