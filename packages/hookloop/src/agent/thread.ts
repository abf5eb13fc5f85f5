/** One agent at work: the main one, or a subagent. All threads of a session share its hooks, rules and model. */

import path from "node:path";
import { modelTexts } from "../judge/index.ts";
import type { ModelReply } from "../run/index.ts";
import { createConversation } from "./conversation.ts";
import { type Definition, listField, stringField } from "./definitions.ts";
import type { AgentCore } from "./features/types.ts";
import { runLoop } from "./loop.ts";
import { createToolbox, fireFrom, threadIdentity } from "./toolbox.ts";
import { openTranscript } from "./transcript.ts";
import { type LoopEnd, type LoopParts, reminder, type Thread, textOf } from "./types.ts";

/** Works until the model has nothing more to do, or it is aborted. */
export async function runThread(thread: Thread, signal: AbortSignal): Promise<LoopEnd> {
  const fire: LoopParts["fire"] = (event, fields, aborted) => fireFrom(thread, event, fields, aborted);
  return await runLoop({ thread, toolbox: createToolbox(thread), fire, display: (reply) => displayed(thread, reply), signal });
}

/** What hooks show instead of an answer's text; answers of subagents are not shown. */
async function displayed(thread: Thread, { id, content }: ModelReply): Promise<string | undefined> {
  const { hooks, promptId } = thread.core;
  const delta = textOf(content);
  if (thread.agentId !== undefined || delta === "" || !hooks.has("MessageDisplay")) return undefined;
  const input = { ...threadIdentity(thread, "MessageDisplay"), turn_id: promptId() ?? "", message_id: id, index: 0, final: true, delta };
  const { fields } = await hooks.fire("MessageDisplay", input);
  return typeof fields["displayContent"] === "string" ? fields["displayContent"] : undefined;
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
export async function runSubagent<End>(core: AgentCore, subagent: Subagent, work: (thread: Thread) => Promise<End>): Promise<End> {
  const { agentId, definition, ownTools = [], beforeRequest, signal, prompt, ...own } = subagent;
  const { sessionId, stateFolder, onTranscriptProblem: onProblem } = core;
  const file = stateFolder && path.join(stateFolder, "subagents", `agent-${agentId}.jsonl`);
  const transcript = file ? openTranscript({ file, sessionId, cwd: () => thread.cwd, agentId, onProblem }) : undefined;
  const listed = definition && listField(definition.fields, "tools");
  const model = own.model ?? stringField(definition?.fields ?? {}, "model");
  const thread: Thread = {
    ...own,
    core,
    agentId,
    conversation: createConversation({ onEntry: (entry) => transcript?.add(entry) }),
    allowedTools: listed && [...listed, ...ownTools],
    model: model === "inherit" ? undefined : model,
    stopInput: () => ({ agent_transcript_path: file ?? "" }),
    note: (type, fields) => transcript?.note(type, fields),
    beforeRequest: async () => beforeRequest?.(thread),
  };
  const detach = await core.attachAgent(definition, agentId);
  try {
    const spoken = await fireFrom(thread, "SubagentStart", {}, signal);
    thread.conversation.addUser([{ type: "text", text: prompt }, ...modelTexts(spoken).map(reminder)]);
    return await work(thread);
  } finally {
    detach();
    transcript?.close();
  }
}
