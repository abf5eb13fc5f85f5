import { embedHooks } from "@hookloop/sdk/host";

// Also if this run opens no engine, as for `--help`: what the program imports must not take its stdin and its exit code.
embedHooks();

export { EVENT_NAMES, EVENTS, isEventName, samplePayload } from "./catalogue/events.ts";
export { type Field, type Fields, type FieldType, inputFieldsOf } from "./catalogue/field.ts";
export { abilitiesOf } from "./catalogue/hook-kinds.ts";
export type {
  BlockMechanism,
  EventRole,
  EventRow,
  EventRows,
  Exit2Effect,
  FailureDirection,
  HookKind,
  Matcher,
  MergeRule,
  StdoutTarget,
} from "./catalogue/row.ts";
export type { SourceName } from "./config/find/find-sources.ts";
export type { RegisteredHook } from "./config/registered-hook.ts";
export { type Diagnostic, diagnosticLine, type Place } from "./diagnostic.ts";
export type { HookEngine } from "./engine/engine.ts";
export type { AppliedEdits, ConfigEdits, ConfigFile, EngineTrust, LightSession } from "./engine/engine-trust.ts";
export { type StartedTurn, type ToolResultPart, toClaudeOutput, toToolResult, toUserMessage } from "./engine/host.ts";
export type { ExecuteInput, GivenCall, Permission, ToolCall, ToolOptions } from "./engine/permit.ts";
export type { Frontmatter, FunctionOptions } from "./engine/register-function.ts";
export type { BegunCall, Execute, ToolEnd, ToolResult } from "./engine/run-tool.ts";
export type { EventInput, FireOptions, Input, ToolInput } from "./engine/session.ts";
export type { Step, TraceRecord, TraceSink } from "./engine/step.ts";
export type { ErrorCode } from "./errors.ts";
export type { Decision, Dialect, Effect, Outcome } from "./judge/effects.ts";
export { blockTexts, modelTexts, type Spoken } from "./judge/texts.ts";
export type { Attributed, Verdict } from "./judge/verdict.ts";
export type { OpenOptions, Ports } from "./open/options.ts";
export { createHooks, openHooks } from "./open.ts";
export { decide } from "./permissions/decide.ts";
export { type GivenUpdate, type PermissionOptions, Permissions } from "./permissions/permissions.ts";
export { isToolDenied } from "./permissions/rules/compile-rule.ts";
export { type ReadRules, readRules } from "./permissions/rules/read-rules.ts";
export type {
  DecideContext,
  DecidedBy,
  PermissionCall,
  PermissionDecision,
  PermissionLists,
  PermissionMode,
  PlacedText,
  Protect,
  RuleReference,
  RuleSet,
  RuleSource,
} from "./permissions/types.ts";
export {
  createWebhookVerifier,
  type ReceivedWebhook,
  type WebhookRefusal,
  type WebhookVerifier,
  type WebhookVerifierOptions,
} from "./run/http/webhook-verifier.ts";
export type { Runner } from "./run/types.ts";
export type { HookPins } from "./trust/pin/examine-hook.ts";
export type { Approval, PendingHook, RefusedHook, RunTrust, Trust, TrustStatus } from "./trust/types.ts";
