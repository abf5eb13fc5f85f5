import path from "node:path";
import { modelTexts, toldTexts } from "../../../judge/index.ts";
import { createConversation } from "../../conversation.ts";
import { type Definition, listField, stringField } from "../../definitions/index.ts";
import { reminder } from "../../reminder.ts";
import { attachHooks } from "../../subagents/agent-tool.ts";
import { type Thread, threadIdentity } from "../../thread.ts";
import { openTranscript } from "../../transcript/transcript.ts";
import { releaseOf, type TaskList, type Worker } from "../tasks/index.ts";
import type { AgentCore } from "../types.ts";
import { live, readMessages } from "./live.ts";
import { LEAD, type Member, type Team } from "./team.ts";

export interface TeammateParts {
  readonly core: AgentCore;
  readonly team: Team;
  readonly list: TaskList;
  readonly member: Member;
  readonly worker: Worker;
  readonly definition: Definition | undefined;
  readonly prompt: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Always at hand, whatever tools its type lists. */
const TEAM_TOOLS = ["TaskCreate", "TaskUpdate", "TaskList", "SendMessage"];

/** Runs one teammate until it ends. Never throws. */
export async function runTeammate(parts: TeammateParts): Promise<void> {
  const { core, team, member, list, worker, signal } = parts;
  let why: string;
  try {
    why = await runWithHooks(parts);
  } catch (thrown) {
    why = `it failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
  if (!signal.aborted) core.emit({ type: "tell", text: `The teammate ${member.name} has ended: ${why}` }, member.agentId);
  try {
    await list.change(({ nextId, tasks }) => ({ state: { nextId, tasks: releaseOf(tasks, worker) }, result: undefined }));
  } catch (thrown) {
    core.report({ code: "HL_AGENT_TASKS", level: "error", text: (thrown as Error).message });
  }
  team.end(member, why);
}

async function runWithHooks(parts: TeammateParts): Promise<string> {
  const { core, team, member, list, worker, definition, prompt, signal } = parts;
  const onProblem = (text: string): void => core.report({ code: "HL_TRACE_WRITE_FAILED", level: "warning", text });
  const file = core.stateFolder && path.join(core.stateFolder, "subagents", `agent-${member.agentId}.jsonl`);
  const transcript = file
    ? openTranscript({ file, sessionId: core.sessionId, cwd: () => thread.cwd, agentId: member.agentId, onProblem })
    : undefined;
  const thread = createThread(parts, { file, onEntry: (entry) => transcript?.add(entry) });
  const detach = await attachHooks(thread.runtime, definition, member.agentId, onProblem);
  try {
    const input = threadIdentity(thread, "SubagentStart");
    const verdict = await core.hooks.fire("SubagentStart", input, { signal });
    for (const text of toldTexts(verdict)) core.emit({ type: "tell", text }, member.agentId);
    thread.conversation.addUser([{ type: "text", text: prompt }, ...modelTexts({ verdict, input }).map(reminder)]);
    return await live({ core, team, member, thread, list, worker, signal });
  } finally {
    detach();
    transcript?.close();
  }
}

interface ThreadFiles {
  readonly file: string | undefined;
  readonly onEntry: NonNullable<Parameters<typeof createConversation>[0]>["onEntry"];
}

function createThread({ core, team, member, definition, cwd }: TeammateParts, { file, onEntry }: ThreadFiles): Thread {
  const { name, agentId, agentType } = member;
  const listed = definition && listField(definition.fields, "tools");
  const model = definition && stringField(definition.fields, "model");
  const thread = core.createThread({
    agentId,
    agentType,
    conversation: createConversation({ onEntry }),
    cwd,
    system: () => [opening(name, team.name), definition?.body, MANNERS].filter(Boolean).join("\n\n"),
    allowedTools: listed && [...listed, ...TEAM_TOOLS],
    model: model === "inherit" ? undefined : model,
    stopInput: () => ({ agent_transcript_path: file ?? "" }),
    emit: (step) => core.emit(step, agentId),
    beforeRequest: async () => {
      readMessages(member, thread);
    },
  });
  return thread;
}

/** The first line tells whose request it is; scripts of answers are picked by it. */
function opening(name: string, team: string): string {
  return `You are ${name}, a teammate in the team ${team}.`;
}

const MANNERS = `You work in parallel with ${LEAD} and other teammates on a shared list of tasks. TaskList shows it; TaskUpdate takes a task (status in_progress) and marks it completed. When you have nothing to do, you are given the next task that waits for nothing. Others read only what you send with SendMessage (to: ${LEAD} or a teammate's name).`;
