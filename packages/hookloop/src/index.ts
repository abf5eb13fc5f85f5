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
export type { AppliedEdits, ConfigEdits, ConfigFile, EngineTrust } from "./engine/engine-trust.ts";
export {
  createWebhookVerifier,
  type ReceivedWebhook,
  type Runner,
  type WebhookRefusal,
  type WebhookVerifier,
  type WebhookVerifierOptions,
} from "./engine/execute/index.ts";
export type { Frontmatter, FunctionOptions, HookEngine } from "./engine/hook-engine.ts";
export type { Effect, Outcome } from "./engine/interpret/index.ts";
export { blockTexts, modelTexts, type Spoken } from "./engine/loop/index.ts";
export type { Attributed, Decision, Verdict } from "./engine/merge/index.ts";
export type { RegisteredHook } from "./engine/registry/index.ts";
export type { Permission, ToolCall, ToolOptions, ToolResult } from "./engine/run-tool.ts";
export type { EventInput, FireOptions, Step } from "./engine/session.ts";
export type { TraceRecord, TraceSink } from "./engine/trace-sink.ts";
export type {
  Approval,
  HookPins,
  PendingHook,
  RefusedHook,
  RunTrust,
  Trust,
  TrustStatus,
} from "./engine/trust/index.ts";
export type { ErrorCode } from "./errors.ts";
export { type OpenOptions, openHooks, type Ports } from "./open-hooks.ts";
export {
  type DecideContext,
  type DecidedBy,
  decide,
  isToolDenied,
  type PermissionCall,
  type PermissionDecision,
  type PermissionLists,
  type PermissionMode,
  type PermissionOptions,
  Permissions,
  type PlacedText,
  type Protect,
  type ReadRules,
  type RuleReference,
  type RuleSet,
  type RuleSource,
  readRules,
} from "./permissions/index.ts";
