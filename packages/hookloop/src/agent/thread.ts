/** One agent at work: the main one, or a subagent. All threads of a session share its hooks, rules and model. */

import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import type { EventInput, HookEngine, ToolOptions, ToolResult } from "../engine/index.ts";
import { DEFAULT_STOP_CAP, modelTexts, toldTexts, type Verdict } from "../judge/index.ts";
import type { PermissionMode } from "../permissions/index.ts";
import type { Model, ModelReply, ToolUseBlock } from "../run/index.ts";
import { createConversation } from "./conversation.ts";
import { type Definition, listField, stringField } from "./definitions.ts";
import type { Heads } from "./heads.ts";
import { runLoop } from "./loop.ts";
import { createToolbox } from "./toolbox.ts";
import { type AgentTool, agentFields, type ToolContext, ToolFailure } from "./tools/types.ts";
import { openTranscript } from "./transcript.ts";
import { type Conversation, type LoopEnd, type LoopStep, reminder, type Toolbox } from "./types.ts";

export interface Runtime {
  readonly hooks: HookEngine;
  readonly model: Model;
  readonly root: string;
  readonly home: string;
  readonly env: () => Readonly<Record<string, string>>;
  readonly directories: () => readonly string[];
  readonly mode: () => PermissionMode;
  readonly modelName: () => string;
  readonly promptId: () => string | undefined;
  readonly permission: (cwd: string) => Omit<ToolOptions, "signal">;
  /** The tools of the session that no rule took away. */
  readonly tools: () => readonly AgentTool[];
  readonly onDenied: (call: ToolUseBlock) => void;
}

export interface Thread {
  readonly runtime: Runtime;
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly conversation: Conversation;
  readonly system: () => string;
  /** Tools this kind of agent may use; all if left out. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Where it works; `cd` of the shell changes it. */
  cwd: string;
  /** Parameters of its model calls that hooks have set. */
  params?: EventInput | undefined;
  readonly stopInput?: (() => EventInput) | undefined;
  readonly emit: (step: LoopStep) => void;
  readonly maxTurns?: number | undefined;
  readonly onMoved?: ((verdict: Verdict) => void) | undefined;
  readonly beforeRequest?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Works until the model has nothing more to do, or it is aborted. */
export async function runThread(thread: Thread, signal: AbortSignal): Promise<LoopEnd> {
  const { runtime, conversation, emit, maxTurns, stopInput } = thread;
  const identity = (event: EventName): EventInput => threadIdentity(thread, event);
  const toolbox = threadToolbox(thread);
  return await runLoop({
    hooks: runtime.hooks,
    model: runtime.model,
    conversation,
    toolbox,
    stopEvent: thread.agentId === undefined ? "Stop" : "SubagentStop",
    identity,
    stopInput,
    request: () => ({ model: thread.model ?? runtime.modelName(), system: thread.system(), params: thread.params ?? {} }),
    keepParams: (params) => {
      thread.params = { ...thread.params, ...params };
    },
    emit: warnOfEndlessTurn(emit),
    maxTurns,
    beforeRequest: thread.beforeRequest,
    display: (reply) => displayed(thread, reply),
    signal,
  });
}

export interface SubagentHost {
  readonly runtime: () => Runtime;
  readonly sessionId: string;
  /** Folder of their transcripts; absent: none are written. */
  readonly transcripts: string | undefined;
  readonly emit: (step: LoopStep, agentId: string) => void;
  readonly onProblem: (text: string) => void;
  /** Puts the hooks of its definition in force, until the function it gives is called. */
  readonly attach: Heads["attachAgent"];
}

export interface Subagent extends Pick<Thread, "cwd" | "system" | "model"> {
  readonly agentId: string;
  readonly agentType: string;
  readonly definition: Definition | undefined;
  readonly prompt: string;
  /** Offered whatever tools its definition lists. */
  readonly ownTools?: readonly string[] | undefined;
  readonly beforeRequest?: ((thread: Thread) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Opens a subagent's transcript, attaches the hooks of its definition, fires SubagentStart, and lets `work` run the thread. */
export async function runSubagent<End>(host: SubagentHost, subagent: Subagent, work: (thread: Thread) => Promise<End>): Promise<End> {
  const { agentId, definition, ownTools = [], beforeRequest, signal, prompt, ...own } = subagent;
  const { sessionId, transcripts, onProblem } = host;
  const runtime = host.runtime();
  const file = transcripts && path.join(transcripts, `agent-${agentId}.jsonl`);
  const transcript = file ? openTranscript({ file, sessionId, cwd: () => thread.cwd, agentId, onProblem }) : undefined;
  const listed = definition && listField(definition.fields, "tools");
  const model = own.model ?? stringField(definition?.fields ?? {}, "model");
  const thread: Thread = {
    ...own,
    runtime,
    agentId,
    conversation: createConversation({ onEntry: (entry) => transcript?.add(entry) }),
    allowedTools: listed && [...listed, ...ownTools],
    model: model === "inherit" ? undefined : model,
    stopInput: () => ({ agent_transcript_path: file ?? "" }),
    emit: (step) => host.emit(step, agentId),
    beforeRequest: async () => beforeRequest?.(thread),
  };
  const detach = await host.attach(definition, agentId);
  try {
    const input = threadIdentity(thread, "SubagentStart");
    const verdict = await runtime.hooks.fire("SubagentStart", input, { signal });
    for (const text of toldBy(runtime.hooks, verdict)) host.emit({ type: "tell", text }, agentId);
    thread.conversation.addUser([{ type: "text", text: prompt }, ...modelTexts({ verdict, input }).map(reminder)]);
    return await work(thread);
  } finally {
    detach();
    transcript?.close();
  }
}

/** The cap counts only stops without a tool call between them: the user must know which hook keeps an endless turn going. */
function warnOfEndlessTurn(emit: Thread["emit"]): Thread["emit"] {
  let continued = 0;
  return (step) => {
    emit(step);
    if (step.type !== "verdict" || !/^(?:Subagent)?Stop$/.test(step.verdict.event) || step.verdict.continueWith.length === 0) return;
    continued++;
    if (continued % DEFAULT_STOP_CAP !== 1 || continued === 1) return;
    const { event, continueWith, outcomes } = step.verdict;
    const name = outcomes.find(({ hook }) => hook.id === continueWith[0]?.hook)?.hook.name ?? continueWith[0]?.hook ?? "";
    emit({ type: "tell", text: `The ${event} hook "${name}" has continued this turn ${continued} times; Ctrl-C ends it.` });
  };
}

/** The tools of a thread, with every hook and rule around each call. `onMoved`: called at once after a `cd`. */
export function threadToolbox(thread: Thread, onMoved: (folder: string) => void = () => {}): Toolbox {
  const { runtime, emit } = thread;
  const identity = (event: EventName): EventInput => threadIdentity(thread, event);
  let movedFrom: string | undefined;
  return createToolbox({
    hooks: runtime.hooks,
    identity,
    tools: () => offeredTools(thread),
    permission: () => runtime.permission(thread.cwd),
    context: (call, callSignal) =>
      toolContext(thread, call, callSignal, (folder) => {
        movedFrom ??= thread.cwd;
        thread.cwd = folder;
        onMoved(folder);
      }),
    async onEnd(call, result) {
      tellCall(thread, call, result);
      const from = movedFrom;
      movedFrom = undefined;
      if (from !== undefined && from !== thread.cwd) {
        const verdict = await runtime.hooks.fire("CwdChanged", { ...identity("CwdChanged"), old_cwd: from, new_cwd: thread.cwd });
        for (const text of toldBy(runtime.hooks, verdict)) emit({ type: "tell", text });
        thread.onMoved?.(verdict);
      }
    },
  });
}

/** What hooks show instead of an answer's text; answers of subagents are not shown. */
async function displayed(thread: Thread, { id, content }: ModelReply): Promise<string | undefined> {
  const { hooks, promptId } = thread.runtime;
  const delta = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  if (thread.agentId !== undefined || delta === "" || !hooks.has("MessageDisplay")) return undefined;
  const input = { ...threadIdentity(thread, "MessageDisplay"), turn_id: promptId() ?? "", message_id: id, index: 0, final: true, delta };
  const { fields } = await hooks.fire("MessageDisplay", input);
  return typeof fields["displayContent"] === "string" ? fields["displayContent"] : undefined;
}

function tellCall({ runtime, emit }: Thread, call: ToolUseBlock, result: ToolResult<unknown>): void {
  const { status, error, verdicts } = result;
  emit({ type: "call", call, result });
  const notices = verdicts.flatMap((verdict) => toldBy(runtime.hooks, verdict));
  for (const text of notices) emit({ type: "tell", text });
  if (status !== "denied") return;
  runtime.onDenied(call);
  if (notices.length === 0) emit({ type: "tell", text: `${call.name} was not run: ${error ?? ""}` });
}

function toldBy(hooks: HookEngine, verdict: Verdict): readonly string[] {
  return [...toldTexts(verdict), ...hooks.notices(verdict)];
}

/** The fields that all payloads of this thread have; some events carry only some of them. */
export function threadIdentity(thread: Thread, event: EventName): EventInput {
  const { runtime, cwd } = thread;
  const { carries } = EVENTS[event];
  const effort = effortOf(thread);
  const promptId = runtime.promptId();
  return {
    cwd,
    ...(carries.includes("permission_mode") && { permission_mode: runtime.mode() }),
    ...(carries.includes("effort") && effort !== undefined && { effort: { level: effort } }),
    ...agentFields(thread),
    ...(promptId !== undefined && { prompt_id: promptId }),
  };
}

/** The level of effort that its model is asked with: what a hook set, or the model's own. */
function effortOf({ runtime, model, params }: Thread): string | undefined {
  const set = (params?.["output_config"] as { readonly effort?: unknown } | undefined)?.effort;
  return typeof set === "string" ? set : runtime.model.effortOf?.(model ?? runtime.modelName());
}

function toolContext(
  thread: Thread,
  call: ToolUseBlock,
  signal: AbortSignal,
  moveTo: (folder: string) => void,
): Omit<ToolContext, "targetOf" | "mayRead"> {
  const { agentId, agentType } = thread;
  const { root, home, directories } = thread.runtime;
  const effort = effortOf(thread);
  const env = (): Readonly<Record<string, string>> => ({ ...thread.runtime.env(), ...(effort !== undefined && { CLAUDE_EFFORT: effort }) });
  return { cwd: thread.cwd, root, home, env, directories: directories(), signal, toolUseId: call.id, agentId, agentType, moveTo };
}

/**
 * A type of agent that lists its tools gets only those; if it lists neither Bash nor Write, Bash is offered as well and refuses:
 * programs that count model calls recognize those of an agent by these two tools.
 */
function offeredTools({ runtime, allowedTools }: Thread): readonly AgentTool[] {
  const all = runtime.tools();
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
