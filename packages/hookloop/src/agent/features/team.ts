/** Who is in the team, what they have been told, and what the lead is to hear. It knows no model and no tool. */

import path from "node:path";
import { blockTexts, modelTexts, toldTexts } from "../../judge/index.ts";
import { type BackgroundWork, createConversation } from "../conversation.ts";
import { type Definition, listField, stringField } from "../definitions.ts";
import { type Thread, threadIdentity } from "../thread.ts";
import { attachHooks } from "../tools/basic-tools.ts";
import { openTranscript } from "../transcript.ts";
import { reminder } from "../types.ts";
import { nextTaskFor, releaseOf, type Task, type TaskList, type Worker } from "./tasks.ts";
import type { AgentCore } from "./types.ts";

/** The name of the main agent. */
export const LEAD = "team-lead";

export interface Member {
  readonly name: string;
  readonly agentId: string;
  readonly agentType: string;
  state: "working" | "idle" | "ended";
  /** What others said to it since it last looked. */
  inbox: readonly string[];
  /** Something has happened since it last looked for work. */
  isCalled: boolean;
  /** Ends its rest. */
  wake?: (() => void) | undefined;
  /** Somebody asked it to stop, and it has not answered. */
  isAskedToStop: boolean;
  hasAgreedToStop: boolean;
  /** The lead knows that it is idle. */
  isTold: boolean;
  lastWords: string;
}

export class Team implements BackgroundWork {
  readonly name: string;
  readonly #members = new Map<string, Member>();
  #forLead: readonly string[] = [];
  #waiting: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Those that have not ended. */
  get members(): readonly Member[] {
    return [...this.#members.values()].filter(({ state }) => state !== "ended");
  }

  /** Also one that has ended. */
  member(name: string): Member | undefined {
    return this.#members.get(name);
  }

  byAgent(agentId: string | undefined): Member | undefined {
    return agentId === undefined ? undefined : [...this.#members.values()].find((member) => member.agentId === agentId);
  }

  add(name: string, agentType: string): Member {
    const member: Member = {
      name,
      agentId: `${name}@${this.name}`,
      agentType,
      state: "working",
      inbox: [],
      isCalled: false,
      isAskedToStop: false,
      hasAgreedToStop: false,
      isTold: false,
      lastWords: "",
    };
    this.#members.set(name, member);
    return member;
  }

  tellLead(text: string): void {
    this.#forLead = [...this.#forLead, text];
    this.#look();
  }

  tell(member: Member, text: string): void {
    member.inbox = [...member.inbox, text];
    this.call(member);
  }

  /** Makes it look for work. It counts as working at once: nobody may take the team for idle while it gets up. */
  call(member: Member): void {
    member.isCalled = true;
    if (member.state !== "idle") return;
    member.state = "working";
    member.wake?.();
  }

  /** Until somebody calls it; not at all if somebody has since it looked. */
  async rest(member: Member): Promise<void> {
    if (member.isCalled) return;
    const called = new Promise<void>((resolve) => {
      member.wake = resolve;
    });
    member.state = "idle";
    this.#look();
    await called;
    member.wake = undefined;
  }

  end(member: Member, why: string): void {
    member.state = "ended";
    this.tellLead(`${member.name} has ended: ${why}`);
  }

  isPending(): boolean {
    return this.#forLead.length > 0 || this.members.some(({ state, isTold }) => state === "working" || !isTold);
  }

  async news(): Promise<void> {
    if (this.#hasNews()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What others said to the lead; and who is idle, once everybody is: a lead that heard of each one would be asked for nothing. */
  take(): readonly string[] {
    const said = this.takeMessages();
    if (this.members.some(({ state }) => state === "working")) return said;
    const idle = this.members.filter(({ isTold }) => !isTold);
    for (const member of idle) member.isTold = true;
    return [...said, ...idle.map(({ name, lastWords }) => `${name} is idle.${lastWords === "" ? "" : ` Its last words: ${lastWords}`}`)];
  }

  takeMessages(): readonly string[] {
    const said = this.#forLead;
    this.#forLead = [];
    return said;
  }

  #hasNews(): boolean {
    return this.#forLead.length > 0 || this.members.every(({ state }) => state === "idle");
  }

  #look(): void {
    if (!this.#hasNews()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

interface TeammateParts {
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

/**
 * The life of one teammate: it works until it has nothing to do, looks for messages and tasks, asks TeammateIdle, and rests until it is called.
 * It ends when it agreed to stop, when a hook or an error ended its turn, or when the session closes.
 */

interface Life {
  readonly core: Pick<AgentCore, "hooks" | "runThread" | "emit" | "report">;
  readonly team: Team;
  readonly member: Member;
  readonly thread: Thread;
  readonly list: TaskList;
  readonly worker: Worker;
  readonly signal: AbortSignal;
}

/** Gives why it ended. */
async function live(life: Life): Promise<string> {
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
function readMessages(member: Member, { conversation }: Pick<Thread, "conversation">): boolean {
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
