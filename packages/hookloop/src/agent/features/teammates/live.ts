/**
 * The life of one teammate: it works until it has nothing to do, looks for messages and tasks, asks TeammateIdle, and rests until it is called.
 * It ends when it agreed to stop, when a hook or an error ended its turn, or when the session closes.
 */
import { blockTexts, toldTexts } from "../../../judge/index.ts";
import { type Thread, threadIdentity } from "../../thread.ts";
import { nextTaskFor, type Task, type TaskList, type Worker } from "../tasks/index.ts";
import type { AgentCore } from "../types.ts";
import type { Member, Team } from "./team.ts";

export interface Life {
  readonly core: Pick<AgentCore, "hooks" | "runThread" | "emit" | "report">;
  readonly team: Team;
  readonly member: Member;
  readonly thread: Thread;
  readonly list: TaskList;
  readonly worker: Worker;
  readonly signal: AbortSignal;
}

/** Gives why it ended. */
export async function live(life: Life): Promise<string> {
  const { core, member, thread, signal } = life;
  for (;;) {
    const end = await core.runThread(thread, signal);
    if (member.hasAgreedToStop) return "it was asked to stop and agreed.";
    if (signal.aborted) return "the session is over.";
    if (end.reason !== "completed") return `${end.reason}${end.detail === undefined ? "" : `: ${end.detail}`}`;
    member.lastWords = end.text;
    member.isTold = false;
    const why = await nextWork(life);
    if (why !== undefined) return why;
  }
}

/** Waits until there is something to do, and says it to the teammate; gives why it ends, if it does. */
async function nextWork(life: Life): Promise<string | undefined> {
  const { team, member, signal } = life;
  if (await findsWork(life)) return undefined;
  const idle = await askToIdle(life);
  if (idle !== "idle") return idle.ends;
  while (!signal.aborted) {
    if (await findsWork(life)) return undefined;
    await team.rest(member);
  }
  return "the session is over.";
}

/** TeammateIdle: may it rest? */
async function askToIdle({ core, team, member, thread, signal }: Life): Promise<"idle" | { readonly ends?: string | undefined }> {
  const input = { ...threadIdentity(thread, "TeammateIdle"), teammate_name: member.name, team_name: team.name };
  const verdict = await core.hooks.fire("TeammateIdle", input, { signal });
  for (const text of [...toldTexts(verdict), ...core.hooks.notices(verdict)]) core.emit({ type: "tell", text }, member.agentId);
  if (verdict.halt) return { ends: verdict.halt.text };
  if (verdict.continueWith.length === 0) return "idle";
  for (const feedback of blockTexts({ verdict, input })) thread.conversation.addUser(feedback);
  return {};
}

/** Messages first, then the next task that waits for nothing. */
async function findsWork(life: Life): Promise<boolean> {
  const { member, thread } = life;
  member.isCalled = false;
  if (readMessages(member, thread)) return true;
  const task = await claimTask(life);
  if (!task) return false;
  const { id, subject, description } = task;
  thread.conversation.addUser(`Task #${id} is yours now: ${subject}\n${description}\nWhen it is done, mark it completed with TaskUpdate.`);
  return true;
}

/** Puts what others said into the conversation. */
export function readMessages(member: Member, { conversation }: Pick<Thread, "conversation">): boolean {
  const messages = member.inbox;
  member.inbox = [];
  if (messages.length > 0) conversation.addUser(messages.map((text) => ({ type: "text", text })));
  return messages.length > 0;
}

async function claimTask({ core, list, worker }: Life): Promise<Task | undefined> {
  const { name, holder } = worker;
  try {
    if (!nextTaskFor(name, list.read())) return undefined;
    return await list.change(({ nextId, tasks }) => {
      const task = nextTaskFor(name, tasks);
      const mine = task && { ...task, owner: name, holder, status: "in_progress" as const };
      return { state: { nextId, tasks: tasks.map((one) => (mine && one.id === mine.id ? mine : one)) }, result: mine };
    });
  } catch (thrown) {
    core.report({ code: "HL_AGENT_TASKS", level: "error", text: (thrown as Error).message });
    return undefined;
  }
}
