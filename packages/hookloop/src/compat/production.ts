/**
 * The production engine's functions by their own names, on the engine. They keep no hooks, run none and decide nothing: each makes the payload of its
 * event, fires it, and says what the verdict is in the fields of the source. Throws only if there is no engine.
 */

import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import { invalidOption, isObject } from "../check-options.ts";
import type { RegisteredHook } from "../config/index.ts";
import { type EventInput, type FireOptions, type HookEngine, hookTypeCounts, pluginHookCounts, type Step } from "../engine/index.ts";
import { blockText, type Verdict } from "../judge/index.ts";
import type { AskUser, ModelMessage } from "../run/index.ts";
import { queryOf } from "../select/index.ts";
import { blockingText, type HookBlockingError, type HookResultFields } from "./hook-result.ts";

export type { HookBlockingError } from "./hook-result.ts";

/** What the source hands from function to function; here it may name the engine, and whose call it is. */
export interface ToolUseContext {
  /** The engine; that of `useHooks` if left out. */
  readonly hooks?: HookEngine | undefined;
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly messages?: readonly ModelMessage[] | undefined;
}

/** Puts a prompt hook's question to the user; bound to the hook's name and a line about the call. */
export type RequestPrompt = (
  sourceName: string,
  toolInputSummary?: string | null,
) => (request: { readonly prompt: string; readonly message: string }) => Promise<string | { readonly selected?: string } | undefined>;

export interface ExecuteHooksOptions {
  /** With `hook_event_name`, and the fields of the event. */
  readonly hookInput: EventInput;
  readonly toolUseID?: string | undefined;
  /** What matchers are compared with; the field of the input if left out. */
  readonly matchQuery?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly toolUseContext?: ToolUseContext | undefined;
  readonly messages?: readonly ModelMessage[] | undefined;
  /** Hooks of the background are waited for. */
  readonly forceSyncExecution?: boolean | undefined;
  readonly requestPrompt?: RequestPrompt | undefined;
  readonly toolInputSummary?: string | null | undefined;
}

/** One thing that hooks said, or that one of them runs. What decides is said once. */
export interface AggregatedHookResult extends Omit<HookResultFields, "message" | "blockingError" | "additionalContext"> {
  readonly message?: {
    readonly type: "progress" | "system";
    readonly content: string;
    readonly hookEvent: EventName;
    readonly toolUseID: string;
  };
  /** The hook's name. */
  readonly hook?: string;
  readonly blockingError?: HookBlockingError;
  readonly additionalContexts?: readonly string[];
  readonly watchPaths?: readonly string[];
}

let current: HookEngine | undefined;

/** The engine of all these functions, where a call names none in its `toolUseContext`. Gives it back. */
export function useHooks(hooks: HookEngine): HookEngine {
  if (typeof hooks?.fire !== "function") throw invalidOption("useHooks() takes an engine. Write useHooks(await openHooks({ cwd }))");
  current = hooks;
  return hooks;
}

function engineOf(context?: ToolUseContext): HookEngine {
  const hooks = context?.hooks ?? current;
  // SECURITY: without an engine there are no guards, and "no hook said anything" would be a yes.
  if (!hooks) throw invalidOption("there is no engine. Write useHooks(await openHooks({ cwd })) before the first call");
  return hooks;
}

/** Fires one event; yields what runs, each hook's result, blocking errors as they come, and what was decided. */
export async function* executeHooks(options: ExecuteHooksOptions): AsyncGenerator<AggregatedHookResult, void> {
  const { toolUseContext, signal } = options;
  const hooks = engineOf(toolUseContext);
  const { event, input } = eventOf(options);
  if (signal?.aborted) return;
  const toolUseID = options.toolUseID ?? String(input["tool_use_id"] ?? "");
  const told = new Set<string>();
  for await (const step of hooks.stream(event, input, firingOf(options))) {
    if (step.type === "started")
      yield { hook: step.name, message: { type: "progress", content: `${step.label}: ${step.name}`, hookEvent: event, toolUseID } };
    else if (step.type === "outcome") yield* resultOf(step, told);
    else if (step.type === "verdict") yield* decided(step.verdict, { told, toolUseID });
  }
}

function eventOf({ hookInput, matchQuery }: ExecuteHooksOptions): { readonly event: EventName; readonly input: EventInput } {
  const { hook_event_name: event, ...fields } = hookInput;
  if (typeof event !== "string" || !Object.hasOwn(EVENTS, event))
    throw invalidOption(`hookInput of executeHooks() has no event. Write { ...createBaseHookInput(), hook_event_name: "PreToolUse", … }`);
  const { matcher } = EVENTS[event as EventName];
  const isMissing = matcher && matchQuery !== undefined && fields[matcher.field] === undefined;
  const input = isMissing ? { ...fields, [matcher.field]: matchQuery } : fields;
  // SECURITY: another query would choose hooks for one call and show them another.
  if (
    matchQuery &&
    matcher &&
    queryOf(event as EventName, input) !== queryOf(event as EventName, { ...input, [matcher.field]: matchQuery })
  )
    throw invalidOption(`matchQuery of executeHooks() is "${matchQuery}", and ${matcher.field} of its hookInput says something else`);
  return { event: event as EventName, input };
}

function firingOf(options: ExecuteHooksOptions): FireOptions {
  const { signal, timeoutMs, messages = options.toolUseContext?.messages, forceSyncExecution, requestPrompt, toolInputSummary } = options;
  const askUser: AskUser | undefined =
    requestPrompt &&
    (async ({ hook, summary, question }) => {
      const answer = await requestPrompt(hook, toolInputSummary ?? summary)({ prompt: hook, message: question });
      return typeof answer === "string" ? answer : answer?.selected;
    });
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(messages && { messages: () => messages }),
    ...(forceSyncExecution && { waitForAsync: true }),
    ...(askUser && { askUser }),
  };
}

type OutcomeStep = Extract<Step, { readonly type: "outcome" }>;

/** A no stands whatever else is said. What keeps an agent going does not: the cap on stops may override it. */
function* resultOf({ name, event, effects, failure }: OutcomeStep, told: Set<string>): Generator<AggregatedHookResult> {
  const denied = effects.flatMap((effect) => (effect.type === "deny" && !EVENTS[event].neverBlocked ? effect.reason : []));
  const isCancelled = failure?.kind === "aborted" || failure?.kind === "timeout";
  const outcome = isCancelled ? "cancelled" : denied.length > 0 ? "blocking" : failure ? "non_blocking_error" : "success";
  for (const reason of denied) told.add(reason);
  yield { hook: name, outcome, ...(denied.length > 0 && { blockingError: { blockingError: denied.join("\n"), command: name } }) };
}

interface Told {
  readonly told: ReadonlySet<string>;
  readonly toolUseID: string;
}

const BEHAVIORS = { none: undefined, allow: "allow", ask: "ask", defer: "ask", deny: "deny" } as const;

function* decided(verdict: Verdict, { told, toolUseID }: Told): Generator<AggregatedHookResult> {
  const { event, decision, reasons, continueWith, feedback, contexts, tells } = verdict;
  const nameOf = (id: string): string => verdict.outcomes.find(({ hook }) => hook.id === id)?.hook.name ?? id;
  // A question where nobody can be asked is a no.
  const isBlocked = decision === "deny" || (isQuestion(decision) && !canBeAsked(event));
  for (const { text, hook } of [...(isBlocked ? reasons : []), ...continueWith, ...feedback])
    if (!told.has(text)) yield { hook: nameOf(hook), blockingError: { blockingError: text, command: nameOf(hook) } };
  for (const { text } of tells) yield { message: { type: "system", content: text, hookEvent: event, toolUseID } };
  if (contexts.length > 0) yield { additionalContexts: contexts.map(({ text }) => text) };
  const last = decisionOf(verdict);
  if (Object.keys(last).length > 0) yield last;
}

function isQuestion(decision: Verdict["decision"]): boolean {
  return decision === "ask" || decision === "defer";
}

function canBeAsked(event: EventName): boolean {
  return EVENTS[event].block === "permission" || EVENTS[event].block === "request";
}

function decisionOf({ event, decision, reasons, halt, updatedInput, updatedOutput, fields }: Verdict): AggregatedHookResult {
  const why = reasons.map(({ text }) => text).join("\n");
  const permissionBehavior = canBeAsked(event) ? BEHAVIORS[decision] : undefined;
  const answer = EVENTS[event].block === "request" && (decision === "allow" || decision === "deny") ? decision : undefined;
  const { watchPaths, initialUserMessage, retry } = fields as Pick<AggregatedHookResult, "watchPaths" | "initialUserMessage" | "retry">;
  return {
    ...(permissionBehavior && { permissionBehavior, hookPermissionDecisionReason: why }),
    ...(answer && { permissionRequestResult: requestResult(answer, updatedInput, why) }),
    ...(updatedInput && { updatedInput }),
    ...(updatedOutput && { updatedMCPToolOutput: updatedOutput.value }),
    ...((halt || decision === "defer") && { preventContinuation: true, stopReason: halt?.text ?? why }),
    ...(watchPaths && { watchPaths }),
    ...(initialUserMessage !== undefined && { initialUserMessage }),
    ...(retry !== undefined && { retry }),
  };
}

function requestResult(
  decision: "allow" | "deny",
  updatedInput: Verdict["updatedInput"],
  message: string,
): NonNullable<HookResultFields["permissionRequestResult"]> {
  return decision === "deny" ? { behavior: "deny", message } : { behavior: "allow", ...(updatedInput && { updatedInput }) };
}

/** One hook's result where there is no conversation. */
export interface HookOutsideReplResult {
  readonly command: string;
  readonly succeeded: boolean;
  readonly output: string;
  readonly blocked: boolean;
  readonly systemMessage?: string;
}

/** The same where there is nothing to talk to: at the end of a session, at a compaction. All at once. */
export async function executeHooksOutsideREPL(options: ExecuteHooksOptions): Promise<readonly HookOutsideReplResult[]> {
  const hooks = engineOf(options.toolUseContext);
  const { event, input } = eventOf(options);
  const results: HookOutsideReplResult[] = [];
  if (options.signal?.aborted) return results;
  for await (const step of hooks.stream(event, input, firingOf(options))) {
    if (step.type !== "outcome") continue;
    const { name, effects, failure, stdout, stderr, exitCode } = step;
    const told = effects.flatMap((effect) => (effect.type === "tell" ? effect.text : []));
    const blocked = effects.some(({ type }) => type === "deny" || type === "continueTurn") && !EVENTS[event].neverBlocked;
    const succeeded = failure === undefined && !blocked && (exitCode ?? 0) === 0;
    results.push({
      command: name,
      succeeded,
      output: stdout || stderr,
      blocked,
      ...(told.length > 0 && { systemMessage: told.join("\n") }),
    });
  }
  return results;
}

/** A hook that would run, as the source describes it. */
export interface MatchedHook {
  readonly hook: { readonly type: string; readonly name: string; readonly command?: string; readonly timeoutMs: number };
  readonly hookSource: string;
  readonly pluginRoot?: string;
  readonly pluginId?: string;
  readonly skillRoot?: string;
  readonly registered: RegisteredHook;
}

export function getMatchingHooks(hookEvent: EventName, hookInput: EventInput, context?: ToolUseContext): readonly MatchedHook[] {
  const { hook_event_name: _event, ...input } = hookInput;
  return engineOf(context)
    .internals.matching(hookEvent, input)
    .map((registered) => {
      const { target, name, timeoutMs, source } = registered;
      const command = target.kind === "command" ? { command: target.command } : {};
      const plugin = source.plugin && { pluginRoot: source.plugin.root, pluginId: source.plugin.id };
      const skill = source.skill && { skillRoot: source.skill.root };
      return { hook: { type: target.kind, name, timeoutMs, ...command }, hookSource: source.scope, ...plugin, ...skill, registered };
    });
}

/** Cheap: no input is needed. */
export function hasHookForEvent(hookEvent: EventName, context?: ToolUseContext): boolean {
  return engineOf(context).has(hookEvent);
}

export function createBaseHookInput(permissionMode?: string, sessionId?: string, context: ToolUseContext = {}): EventInput {
  const { agentId, agentType } = context;
  return {
    ...engineOf(context).internals.commonInput,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(permissionMode !== undefined && { permission_mode: permissionMode }),
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(agentType !== undefined && { agent_type: agentType }),
  };
}

/** Hooks wait for the workspace, or for themselves, to be trusted. Managed hooks run all the same. */
export function shouldSkipHookDueToTrust(context?: ToolUseContext): boolean {
  return engineOf(context)
    .notRunning()
    .some(({ reason }) => reason === "untrusted");
}

/** A managed switch, the only one that reaches managed hooks, is on. */
export function shouldDisableAllHooksIncludingManaged(context?: ToolUseContext): boolean {
  return engineOf(context).refused.some(({ hook, reason }) => hook.source.scope === "managed" && reason === "disabled");
}

/** Bookkeeping of the program itself. */
export function isInternalHook({ registered }: MatchedHook): boolean {
  return registered.source.isInternal === true;
}

export function getHookTypeCounts(hooks: readonly MatchedHook[]): Readonly<Record<string, number>> {
  return hookTypeCounts(hooks.map(({ registered }) => registered));
}

export function getPluginHookCounts(hooks: readonly MatchedHook[]): Readonly<Record<string, number>> {
  return pluginHookCounts(hooks.map(({ registered }) => registered));
}

type Results = AsyncGenerator<AggregatedHookResult, void>;
type Common = Pick<
  ExecuteHooksOptions,
  "toolUseContext" | "signal" | "timeoutMs" | "requestPrompt" | "toolInputSummary" | "messages" | "forceSyncExecution"
>;

/** Every function below is this, with the fields of its event. */
function inputOf(event: EventName, fields: EventInput, mode?: string, context?: ToolUseContext, sessionId?: string): EventInput {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...createBaseHookInput(mode, sessionId, context), hook_event_name: event, ...Object.fromEntries(given) };
}

/** The arguments of the source's functions for tool calls, in its order. */
type ToolArguments<Own extends readonly unknown[]> = readonly [toolName: string, toolUseID: string, toolInput: unknown, ...own: Own];

export function executePreToolHooks(
  ...[tool_name, tool_use_id, tool_input, toolUseContext, mode, signal, timeoutMs, requestPrompt, toolInputSummary]: ToolArguments<
    [ToolUseContext?, string?, AbortSignal?, number?, RequestPrompt?, (string | null)?]
  >
): Results {
  const hookInput = inputOf("PreToolUse", { tool_name, tool_input, tool_use_id }, mode, toolUseContext);
  return executeHooks({
    hookInput,
    toolUseID: tool_use_id,
    matchQuery: tool_name,
    toolUseContext,
    signal,
    timeoutMs,
    requestPrompt,
    toolInputSummary,
  });
}

export function executePostToolHooks(
  ...[tool_name, tool_use_id, tool_input, tool_response, toolUseContext, mode, signal, timeoutMs]: ToolArguments<
    [toolResponse: unknown, ToolUseContext?, string?, AbortSignal?, number?]
  >
): Results {
  const hookInput = inputOf("PostToolUse", { tool_name, tool_input, tool_response, tool_use_id }, mode, toolUseContext);
  return executeHooks({ hookInput, toolUseID: tool_use_id, matchQuery: tool_name, toolUseContext, signal, timeoutMs });
}

export function executePostToolUseFailureHooks(
  ...[tool_name, tool_use_id, tool_input, error, toolUseContext, is_interrupt, mode, signal, timeoutMs]: ToolArguments<
    [error: string, ToolUseContext?, boolean?, string?, AbortSignal?, number?]
  >
): Results {
  const hookInput = inputOf("PostToolUseFailure", { tool_name, tool_input, tool_use_id, error, is_interrupt }, mode, toolUseContext);
  return executeHooks({ hookInput, toolUseID: tool_use_id, matchQuery: tool_name, toolUseContext, signal, timeoutMs });
}

export function executePermissionRequestHooks(
  ...[
    tool_name,
    tool_use_id,
    tool_input,
    toolUseContext,
    mode,
    permission_suggestions,
    signal,
    timeoutMs,
    requestPrompt,
    summary,
  ]: ToolArguments<[ToolUseContext?, string?, (readonly unknown[])?, AbortSignal?, number?, RequestPrompt?, (string | null)?]>
): Results {
  const hookInput = inputOf("PermissionRequest", { tool_name, tool_input, permission_suggestions }, mode, toolUseContext);
  const common: Common = { toolUseContext, signal, timeoutMs, requestPrompt, toolInputSummary: summary };
  return executeHooks({ hookInput, toolUseID: tool_use_id, matchQuery: tool_name, ...common });
}

/** With a subagent's id it is SubagentStop. */
export function executeStopHooks(
  permissionMode?: string,
  signal?: AbortSignal,
  timeoutMs?: number,
  stopHookActive?: boolean,
  subagentId?: string,
  toolUseContext?: ToolUseContext,
  messages?: readonly ModelMessage[],
  agentType?: string,
  requestPrompt?: RequestPrompt,
): Results {
  const context = { ...toolUseContext, ...(subagentId !== undefined && { agentId: subagentId, agentType: agentType ?? "" }) };
  const fields = { stop_hook_active: stopHookActive, last_assistant_message: lastTextOf(messages) };
  const hookInput = inputOf(subagentId === undefined ? "Stop" : "SubagentStop", fields, permissionMode, context);
  return executeHooks({ hookInput, toolUseContext, signal, timeoutMs, messages, requestPrompt });
}

function lastTextOf(messages: readonly ModelMessage[] = []): string | undefined {
  const content = messages.findLast(({ role }) => role === "assistant")?.content;
  if (content === undefined || typeof content === "string") return content;
  return content.flatMap((block) => (isObject(block) && block["type"] === "text" ? String(block["text"]) : [])).join("\n");
}

export function executeUserPromptSubmitHooks(
  prompt: string,
  mode?: string,
  toolUseContext?: ToolUseContext,
  requestPrompt?: RequestPrompt,
): Results {
  return executeHooks({ hookInput: inputOf("UserPromptSubmit", { prompt }, mode, toolUseContext), toolUseContext, requestPrompt });
}

export function executeSessionStartHooks(
  source: string,
  sessionId?: string,
  agent_type?: string,
  model?: string,
  signal?: AbortSignal,
  timeoutMs?: number,
  forceSyncExecution?: boolean,
): Results {
  const hookInput = inputOf("SessionStart", { source, agent_type, model }, undefined, undefined, sessionId);
  return executeHooks({ hookInput, matchQuery: source, signal, timeoutMs, forceSyncExecution });
}

export async function executeSessionEndHooks(reason: string, options: Common = {}): Promise<void> {
  await executeHooksOutsideREPL({
    ...options,
    hookInput: inputOf("SessionEnd", { reason }, undefined, options.toolUseContext),
    matchQuery: reason,
  });
}

export async function executeNotificationHooks(
  { message, title, notificationType }: { readonly message: string; readonly title?: string; readonly notificationType: string },
  timeoutMs?: number,
): Promise<void> {
  const hookInput = inputOf("Notification", { message, title, notification_type: notificationType });
  await executeHooksOutsideREPL({ hookInput, matchQuery: notificationType, timeoutMs });
}

/** What hooks of a compaction leave for people. */
export interface CompactHooksResult {
  readonly userDisplayMessage?: string;
  /** Before a compaction: it does not happen. */
  readonly blocked: boolean;
}

export async function executePreCompactHooks(
  { trigger, customInstructions = null }: { readonly trigger: string; readonly customInstructions?: string | null },
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<CompactHooksResult> {
  const hookInput = inputOf("PreCompact", { trigger, custom_instructions: customInstructions });
  return compacted(await executeHooksOutsideREPL({ hookInput, matchQuery: trigger, signal, timeoutMs }));
}

export async function executePostCompactHooks(
  { trigger, compactSummary }: { readonly trigger: string; readonly compactSummary: string },
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<CompactHooksResult> {
  const hookInput = inputOf("PostCompact", { trigger, compact_summary: compactSummary });
  return compacted(await executeHooksOutsideREPL({ hookInput, matchQuery: trigger, signal, timeoutMs }));
}

function compacted(results: readonly HookOutsideReplResult[]): CompactHooksResult {
  const said = results.map(({ command, succeeded, output }) => {
    const text = output.trim();
    return `[${command}] ${succeeded ? "completed successfully" : "failed"}${text === "" ? "" : `: ${text}`}`;
  });
  return { blocked: results.some(({ blocked }) => blocked), ...(said.length > 0 && { userDisplayMessage: said.join("\n") }) };
}

const formatter =
  (event: EventName) =>
  (error: string | HookBlockingError): string =>
    blockText(event, blockingText(error) ?? "");

export function getPreToolHookBlockingMessage(hookName: string, error: string | HookBlockingError): string {
  return blockText("PreToolUse", blockingText(error) ?? "", hookName);
}
type Formatter = (error: string | HookBlockingError) => string;
export const getStopHookMessage: Formatter = formatter("Stop");
export const getTeammateIdleHookMessage: Formatter = formatter("TeammateIdle");
export const getTaskCreatedHookMessage: Formatter = formatter("TaskCreated");
export const getTaskCompletedHookMessage: Formatter = formatter("TaskCompleted");
export const getUserPromptSubmitHookBlockingMessage: Formatter = formatter("UserPromptSubmit");
