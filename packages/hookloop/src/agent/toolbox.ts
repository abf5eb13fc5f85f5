/**
 * Takes the calls of a model; gives each a result, with every hook and rule around it.
 *   find the tool → check the input → absolute paths → PreToolUse → permission → the tool → PostToolUse
 * Refuses what is no tool and what is no input before any hook sees it. Never throws.
 */

import { randomUUID } from "node:crypto";
import type { EventName, ToolName } from "@hookloop/sdk";
import * as z from "zod";
import { EVENTS, TOOLS } from "../catalogue/index.ts";
import { objectSchema } from "../catalogue/schemas.ts";
import { didYouMean } from "../diagnostic.ts";
import type { EventInput, HookEngine, ToolResult } from "../engine/index.ts";
import { hookLabel, toldTexts, type Verdict } from "../judge/index.ts";
import {
  callFacts,
  matchesSome,
  type PermissionCall,
  type Permissions,
  type RealTarget,
  realTarget,
  suggestUpdates,
} from "../permissions/index.ts";
import type { ModelTool, TextBlock, ToolUseBlock } from "../run/index.ts";
import { type AgentTool, agentFields, type ToolContext, ToolFailure, toolPath } from "./tools/types.ts";
import { type CallEnd, type FiredEvent, type HookStopped, reminder, type Thread, type Toolbox } from "./types.ts";

/** The tools of an agent, with every hook and rule around each call. `onMoved`: called at once after a `cd`. */
export function createToolbox(thread: Thread, onMoved: (folder: string) => void = () => {}): Toolbox {
  const checks = new Map<AgentTool, InputCheck>();
  const checkOf = (tool: AgentTool): InputCheck => {
    const check = checks.get(tool) ?? inputCheck(tool);
    checks.set(tool, check);
    return check;
  };
  const describe = (tool: AgentTool): ModelTool => ({
    name: tool.name,
    description: tool.description,
    input_schema: checkOf(tool).jsonSchema,
  });
  let movedFrom: string | undefined;
  const moveTo = (folder: string): void => {
    movedFrom ??= thread.cwd;
    thread.cwd = folder;
    onMoved(folder);
  };
  const fireMoved = async (): Promise<void> => {
    const old_cwd = movedFrom;
    movedFrom = undefined;
    if (old_cwd !== undefined && old_cwd !== thread.cwd) await fireFrom(thread, "CwdChanged", { old_cwd, new_cwd: thread.cwd });
  };
  return {
    offered: () => offeredTools(thread).map(describe),
    async run(call, signal) {
      const tools = offeredTools(thread);
      const tool = tools.find(({ name }) => name === call.name);
      if (!tool) return refused(call, unknownTool(call.name, tools));
      const problem = call.brokenInput === undefined ? checkOf(tool).problemOf(call.input) : notJson(call.brokenInput);
      if (problem !== undefined) return refused(call, `The input of ${call.name} is not valid: ${problem}`);
      const { result, ran } = await runChecked(thread, { tool, call, signal, moveTo, problemOf: checkOf(tool).problemOf });
      tellCall(thread, call, result);
      await fireMoved();
      return callEnd(call, tool, withCure(call, acceptedResult(thread.core.hooks, tool, result, ran)), ran);
    },
  };
}

/**
 * A type of agent that lists its tools gets only those; if it lists neither Bash nor Write, Bash is offered as well and refuses:
 * programs that count model calls recognize those of an agent by these two tools.
 */
function offeredTools({ core, allowedTools }: Thread): readonly AgentTool[] {
  const all = core.tools();
  if (!allowedTools) return all;
  const own = all.filter(({ name }) => allowedTools.includes(name));
  if (own.some(({ name }) => name === "Bash" || name === "Write")) return own;
  return [...own, ...all.filter(({ name }) => name === "Bash").map(refusing)];
}

function refusing(tool: AgentTool): AgentTool {
  return {
    ...tool,
    async run() {
      throw new ToolFailure(`This type of agent may not use ${tool.name}.`);
    },
  };
}

function tellCall(thread: Thread, call: ToolUseBlock, result: ToolResult<unknown>): void {
  const { core, agentId } = thread;
  const { status, error, verdicts } = result;
  core.emit({ type: "call", call, result }, agentId);
  for (const verdict of verdicts) noteHalt(thread, { verdict, input: { tool_name: call.name, tool_use_id: call.id } });
  const notices = verdicts.flatMap((verdict) => toldBy(thread, verdict));
  if (status === "denied") core.onDenied(call);
  if (status === "denied" && notices.length === 0) notices.push(`${call.name} was not run: ${error ?? ""}`);
  for (const text of notices) core.emit({ type: "tell", text }, agentId);
}

const UNASKED = /^There is no user to ask here: [^\n]* needs permission: no rule allows it\.$/;

/** Where there is no user to ask, the flag that would have allowed it. */
function withCure({ name, input }: ToolUseBlock, result: ToolResult<unknown>): ToolResult<unknown> {
  if (result.status !== "denied" || !UNASKED.test(result.error ?? "")) return result;
  const [suggestion] = suggestUpdates({ tool_name: name, tool_input: input });
  if (!suggestion) return result;
  if (suggestion.type === "setMode")
    return { ...result, error: `${result.error} To allow it, start with --permission-mode ${suggestion.mode}.` };
  const [{ toolName, ruleContent }] = suggestion.rules;
  const rule = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
  const quoted = /["$`\\!]/.test(rule) ? `'${rule.replaceAll("'", `'\\''`)}'` : `"${rule}"`;
  return { ...result, error: `${result.error} To allow it, start with --allowedTools ${quoted}.` };
}

interface CheckedCall {
  readonly tool: AgentTool;
  readonly call: ToolUseBlock;
  readonly signal: AbortSignal;
  readonly moveTo: ToolContext["moveTo"];
  readonly problemOf: InputCheck["problemOf"];
}

interface Ran {
  readonly response?: unknown;
  readonly text: string;
  readonly after?: string | undefined;
  readonly ends?: string | undefined;
}

async function runChecked(thread: Thread, checked: CheckedCall): Promise<{ result: ToolResult<unknown>; ran: Ran | undefined }> {
  const { tool, call, signal, moveTo, problemOf } = checked;
  const { core, cwd, agentId, agentType } = thread;
  const { root, home, permissions, shellEnv } = core;
  const permission = core.permission();
  const { remember, targetOf } = createCheckedTargets({ cwd, home });
  const effort = effortOf(thread);
  const context: ToolContext = {
    cwd,
    root,
    home,
    directories: [root, ...permissions.directories],
    env: () => ({ ...shellEnv(), ...(effort !== undefined && { CLAUDE_EFFORT: effort }) }),
    signal,
    toolUseId: call.id,
    agentId,
    agentType,
    moveTo,
    targetOf,
    mayRead: createMayRead(permission.rules, { cwd, root, home }),
  };
  let ran: Ran | undefined;
  const execute = async (input: EventInput): Promise<unknown> => {
    const problem = problemOf(input);
    try {
      if (problem !== undefined) throw new ToolFailure(`The call was valid, but a hook's rewrite of it was not: ${problem}`);
      const output = await tool.run(tool.resolve?.(input, context) ?? input, context);
      ran = output;
      return output.response;
    } catch (thrown) {
      if (thrown instanceof ToolFailure) ran = { text: thrown.text, ends: thrown.ends };
      throw thrown;
    }
  };
  const tool_input = tool.resolve?.(call.input, context) ?? call.input;
  const payload = { ...threadIdentity(thread, "PreToolUse"), ...tool.payload, tool_name: tool.name, tool_input, tool_use_id: call.id };
  const result = await core.hooks.runTool(payload, execute, {
    ...permission,
    // Asked right after the rules: what they saw is what the tool must find.
    permission(asked, verdict) {
      remember(asked);
      return permission.permission?.(asked, verdict) ?? "allow";
    },
    // The call may have changed the folder.
    afterwards: () => threadIdentity(thread, "PostToolUse"),
    signal,
    messages: () => thread.conversation.messages,
  });
  return { result, ran };
}

/** A hook may replace what a built-in tool gave only by something of the same shape. */
function acceptedResult(hooks: HookEngine, tool: AgentTool, result: ToolResult<unknown>, ran: Ran | undefined): ToolResult<unknown> {
  if (result.status !== "ran" || !ran || result.output === ran.response) return result;
  const problem = outputProblem(tool, ran.response, result.output);
  if (problem === undefined) return result;
  const hook = result.verdicts.at(-1)?.outcomes.find(({ effects }) => effects.some(({ type }) => type === "rewriteOutput"))?.hook;
  const text = `A hook's updatedToolOutput for ${tool.name} is not used, the model gets the tool's own output: ${problem}.`;
  hooks.report({ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text, ...(hook && { hook: hook.id, place: hook.place }) });
  return { ...result, output: ran.response };
}

function callEnd(call: ToolUseBlock, tool: AgentTool, result: ToolResult<unknown>, ran: Ran | undefined): CallEnd {
  if (result.status === "deferred") return { ends: "tool_deferred", detail: result.error };
  if (result.isInterrupted) return { ends: "aborted_tools", detail: result.error };
  const main: TextBlock = { type: "text", text: resultText(tool, result, ran) };
  const content = result.texts.length === 0 ? main.text : [main, ...result.texts.map(reminder)];
  const isError = result.status !== "ran" || isReplacedByFailure(tool, result, ran);
  const block = { type: "tool_result" as const, tool_use_id: call.id, content, ...(isError && { is_error: true }) };
  const ends = result.halt?.text ?? ran?.ends;
  return { result: block, after: ran?.after, ...(ends !== undefined && { ends: "hook_stopped" as const, detail: ends }) };
}

function isReplacedByFailure(tool: AgentTool, { output }: ToolResult<unknown>, ran: Ran | undefined): boolean {
  return output !== ran?.response && typeof output === "object" && tool.isFailure?.(output) === true;
}

function resultText(tool: AgentTool, { status, output, error = "" }: ToolResult<unknown>, ran: Ran | undefined): string {
  if (status === "failed") return ran?.text ?? error;
  if (status !== "ran") return error;
  if (ran && output === ran.response) return ran.text;
  // A hook has put something else in its place.
  if (typeof output === "string") return output;
  return tool.textOf?.(output) ?? JSON.stringify(output) ?? "";
}

function refused(call: ToolUseBlock, text: string): CallEnd {
  return { result: { type: "tool_result", tool_use_id: call.id, content: text, is_error: true } };
}

function unknownTool(name: string, tools: readonly AgentTool[]): string {
  const names = tools.map((tool) => tool.name);
  return `There is no tool "${name}".${didYouMean(name, names)} The tools are: ${names.join(", ")}.`;
}

function notJson(written: string): string {
  return `it is not a JSON object: ${written.slice(0, 200)}`;
}

type Place = Pick<ToolContext, "cwd" | "root" | "home">;

/** Where paths led when rules judged the call: the tool runs later, and the user may have taken minutes to approve it. */
interface CheckedTargets {
  remember(call: PermissionCall): void;
  readonly targetOf: ToolContext["targetOf"];
}

export function createCheckedTargets({ cwd, home }: Omit<Place, "root">): CheckedTargets {
  const targets = new Map<string, RealTarget>();
  const look = (path: string): RealTarget => realTarget(path, { cwd });
  return {
    remember({ tool_name, tool_input }) {
      const { kind, rule } = (Object.hasOwn(TOOLS, tool_name) && TOOLS[tool_name as keyof typeof TOOLS]) || {};
      const given = rule && tool_input[rule.field];
      if (kind !== "file.write" || typeof given !== "string") return;
      const path = toolPath(given, { cwd, home });
      targets.set(path, look(path));
    },
    targetOf: (path) => targets.get(path) ?? look(path),
  };
}

const MOST_REMEMBERED = 2000;

/** SECURITY: Read rules are about files, and a search must not be a way around them. */
export function createMayRead(permissions: Permissions | undefined, { cwd, root, home }: Place): ToolContext["mayRead"] {
  const factsOf = (): ReturnType<typeof callFacts> =>
    callFacts({ tool: "Read", input: {}, cwd, root, home, folders: permissions?.directories });
  let shared = factsOf();
  let count = 0;
  return (file) => {
    const { deny = [], ask = [] } = permissions?.rules ?? {};
    if (deny.length + ask.length === 0) return true;
    // A search asks about thousands of files: where the folders of rules really are is looked up once, and forgotten before it fills memory.
    if (++count % MOST_REMEMBERED === 0) shared = factsOf();
    const facts = { ...shared, input: { file_path: file }, work: { left: shared.work.left } };
    return !matchesSome(deny, facts) && !matchesSome(ask, facts);
  };
}

interface InputCheck {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** What is wrong with an input, in words the model can use; nothing if it is right. */
  problemOf(input: unknown): string | undefined;
}

/** What an input of the tool must look like: the catalogue's fields, or the tool's own JSON Schema. */
export function inputCheck({ name, inputSchema }: Pick<AgentTool, "name" | "inputSchema">): InputCheck {
  if (inputSchema) return { jsonSchema: inputSchema, problemOf: checker(() => fromJsonSchema(inputSchema)) };
  const row = Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : undefined;
  const schema = objectSchema(row?.input ?? {}, "closed");
  const { $schema: _version, ...jsonSchema } = z.toJSONSchema(schema, { io: "input" });
  return { jsonSchema, problemOf: checker(() => schema) };
}

/** What is wrong with an output that a hook put in the place of a tool's own; nothing if it can be used. Fields that a tool may leave out, a hook may, too. */
export function outputProblem(
  { name, inputSchema }: Pick<AgentTool, "name" | "inputSchema">,
  own: unknown,
  given: unknown,
): string | undefined {
  // Tools of servers have no shape we know.
  if (inputSchema) return undefined;
  const response = Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName].response : undefined;
  if (response) return checker(() => objectSchema(response, "open"))(given);
  return hasShapeOf(own, given) ? undefined : `it needs the fields of the tool's own: ${Object.keys((own ?? {}) as object).join(", ")}`;
}

function hasShapeOf(own: unknown, other: unknown): boolean {
  if (typeof own !== "object" || own === null) return typeof own === typeof other;
  if (typeof other !== "object" || other === null || Array.isArray(other) !== Array.isArray(own)) return false;
  return Object.entries(own).every(
    ([name, value]) => value === undefined || typeof (other as Record<string, unknown>)[name] === typeof value,
  );
}

/** Schemas of servers may use what zod does not know; then the server checks the input. */
function fromJsonSchema(inputSchema: Readonly<Record<string, unknown>>): z.ZodType {
  try {
    return z.fromJSONSchema(inputSchema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.record(z.string(), z.unknown());
  }
}

function checker(make: () => z.ZodType): InputCheck["problemOf"] {
  let schema: z.ZodType | undefined;
  return (input) => {
    schema ??= make();
    const { error } = schema.safeParse(input);
    return error?.issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join("; ");
  };
}

/** The one way in which an agent fires an event, but those around a tool call: fills in the common fields, and shows the user what hooks said. */
export async function fireFrom(thread: Thread, event: EventName, fields: EventInput, signal?: AbortSignal): Promise<FiredEvent> {
  const { core, agentId } = thread;
  const input = { ...threadIdentity(thread, event), ...fields };
  const verdict = await core.hooks.fire(event, input, { ...(signal && { signal }), messages: () => thread.conversation.messages });
  core.emit({ type: "verdict", verdict }, agentId);
  noteHalt(thread, { verdict, input });
  for (const text of toldBy(thread, verdict)) core.emit({ type: "tell", text }, agentId);
  if (agentId === undefined) core.onVerdict(verdict);
  return { verdict, input };
}

/** That a hook ended the work is in the transcript and in the stream, as Claude Code leaves it. */
function noteHalt({ core, agentId, note = core.note }: Thread, { verdict, input }: FiredEvent): void {
  if (!verdict.halt) return;
  const { event, halt } = verdict;
  const id = input["tool_use_id"];
  const attachment: HookStopped = {
    type: "hook_stopped_continuation",
    message: halt.text || "Execution stopped by hook",
    hookName: hookLabel({ verdict, input }),
    hookEvent: event,
    toolUseID: typeof id === "string" && id !== "" ? id : `hook-${randomUUID()}`,
  };
  note("attachment", { attachment });
  core.emit({ type: "attachment", attachment }, agentId);
}

export function toldBy({ core: { hooks } }: Thread, verdict: Verdict): readonly string[] {
  return [...toldTexts(verdict), ...hooks.notices(verdict)];
}

/** The fields that all payloads of this thread have; some events carry only some of them. */
export function threadIdentity(thread: Thread, event: EventName): EventInput {
  const { core, cwd } = thread;
  const { carries } = EVENTS[event];
  const effort = effortOf(thread);
  const promptId = core.promptId();
  return {
    cwd,
    ...(carries.includes("permission_mode") && { permission_mode: core.permissions.mode }),
    ...(carries.includes("effort") && effort !== undefined && { effort: { level: effort } }),
    ...agentFields(thread),
    ...(promptId !== undefined && { prompt_id: promptId }),
  };
}

/** The level of effort that its model is asked with: what a hook set, or the model's own. */
export function effortOf({ core, model, params }: Thread): string | undefined {
  const set = (params?.["output_config"] as { readonly effort?: unknown } | undefined)?.effort;
  return typeof set === "string" ? set : core.model.effortOf?.(model ?? core.modelName());
}
