export { CASE_FIELDS, CASES_FILE, EXPECT_FIELDS, EXPECTED_DECISIONS, type ExpectedDecision } from "./cases-file.ts";
export {
  type Dialect,
  type DialectDefaults,
  type DialectFacts,
  type DialectFile,
  type DialectQuirks,
  type DialectSession,
  type DialectShape,
  type Dialects,
  dialectSet,
  OWN_DIALECT,
} from "./dialect.ts";
export { EVENT_NAMES, EVENTS, isEventName, samplePayload } from "./events.ts";
export {
  type Field,
  type Fields,
  type FieldType,
  inputFieldsOf,
  LOOSE_MODES,
  neededInputOf,
  PERMISSION_MODES,
  STRICT_MODES,
  topLevelOutputOf,
} from "./field.ts";
export {
  ABILITY_MEANS,
  abilitiesOf,
  COMMON_HOOK_FIELDS,
  type ConfiguredKind,
  HOOK_KINDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  NATIVE_SETTINGS,
  outputFieldsOf,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
} from "./hook-kinds.ts";
export {
  ALL_KINDS,
  type BlockWording,
  type EventRow,
  type FailureDirection,
  type FieldRule,
  type HookKind,
  type Matcher,
  MODEL_KIND_TIMEOUT_SECONDS,
} from "./row.ts";
export { isShippedName, SHIPPED_HOOKS, SHIPPED_NAMES, type ShippedName, type UsedHook } from "./shipped-hooks.ts";
export {
  calledElsewhere,
  FORMER_TOOL_NAMES,
  innerName,
  lookAlike,
  MORE_TOOL_NAMES,
  otherSpelling,
  plainName,
  TOOL_NAMES,
  TOOLS,
  type ToolKind,
  type ToolRule,
} from "./tools.ts";
