export {
  abilitiesOf,
  type BlockMechanism,
  EVENT_NAMES,
  EVENTS,
  type EventRole,
  type EventRow,
  type EventRows,
  type Exit2Effect,
  type FailureDirection,
  type Field,
  type Fields,
  type FieldType,
  type HookKind,
  inputFieldsOf,
  isEventName,
  type Matcher,
  type MergeRule,
  type StdoutTarget,
  samplePayload,
} from "./catalogue/index.ts";
export { type Diagnostic, diagnosticLine, type Place } from "./diagnostic.ts";
export type { Runner } from "./engine/execute/index.ts";
export type { Frontmatter, FunctionOptions, HookEngine } from "./engine/hook-engine.ts";
export type { Effect, Outcome } from "./engine/interpret/index.ts";
export { blockTexts, modelTexts, type Spoken } from "./engine/loop/index.ts";
export type { Attributed, Decision, Verdict } from "./engine/merge/index.ts";
export type { RegisteredHook } from "./engine/registry/index.ts";
export type { Permission, ToolCall, ToolOptions, ToolResult } from "./engine/run-tool.ts";
export type { EventInput, FireOptions, Step } from "./engine/session.ts";
export type { TraceRecord, TraceSink } from "./engine/trace-sink.ts";
export type { RefusedHook, Trust } from "./engine/trust/index.ts";
export type { ErrorCode } from "./errors.ts";
export { type OpenOptions, openHooks, type Ports } from "./open-hooks.ts";
