/** Tasks, and teammates that work on them: offered together, because a team shares the task list. */

import path from "node:path";
import { blockTexts } from "../../judge/index.ts";
import { PROCESSES } from "../../run/index.ts";
import type { BackgroundWork } from "../conversation.ts";
import { runSubagent, runThread } from "../thread.ts";
import { fireFrom } from "../toolbox.ts";
import { definitionOf, GENERAL_PURPOSE } from "../tools/basic-tools.ts";
import { type AgentTool, type ToolContext, ToolFailure, type ToolOutput, toolList } from "../tools/types.ts";
import { messageOf, type Thread } from "../types.ts";
import { nextTaskFor, openTaskList, openTasks, releaseOf, type Task, type TaskList, type Worker, wantsTasks } from "./tasks.ts";
import type { AgentCore, Feature } from "./types.ts";

/** How often idle teammates check whether another process has released a task. */
const POLL_MS = 500;

/** `env`: `CLAUDE_CODE_ENABLE_TASKS`, and `HOOKLOOP_TASK_LIST`, a file that several sessions share. */
export function openTeam(core: AgentCore, env: Readonly<Record<string, string | undefined>>): Feature {
  if (!wantsTasks(env, core.isInteractive)) return {};
  const shared = env["HOOKLOOP_TASK_LIST"];
  const own = core.stateFolder && path.join(core.stateFolder, "tasks.json");
  const list = openTaskList({ file: shared ? path.resolve(core.root, shared) : own, processes: PROCESSES });
  const team = new Team(`session-${core.sessionId.slice(0, 8)}`);
  const holder = PROCESSES.self();
  const workerOf = ({ agentId }: Pick<ToolContext, "agentId">): Worker => {
    const name = agentId === undefined ? LEAD : (team.byAgent(agentId)?.name ?? agentId);
    return { name, holder, isLead: agentId === undefined };
  };
  const teamFields = ({ agentId }: ToolContext): Readonly<Record<string, string>> => {
    const member = team.byAgent(agentId);
    return member ? { teammate_name: member.name, team_name: team.name } : {};
  };
  const running: Promise<void>[] = [];
  const start = (input: TeammateInput, { cwd }: ToolContext): Member => {
    const { name, agent_type: type = GENERAL_PURPOSE } = input;
    // Throws if there is no such type, before the name is taken.
    definitionOf(type, core.definitions.agents);
    const member = team.add(name, type);
    running.push(runTeammate({ core, team, list, member, worker: { name, holder, isLead: false } }, input.prompt, cwd));
    return member;
  };
  const wakeIdle = (): void => {
    for (const member of team.members) if (member.state === "idle") team.call(member);
  };
  const stopListening = list.onChange(wakeIdle);
  const polling = shared ? setInterval(() => hasTask(list.read, team) && wakeIdle(), POLL_MS).unref() : undefined;
  const tasks = openTasks({ core, list, workerOf, teamFields });
  return {
    ...tasks,
    tools: [
      ...(tasks.tools ?? []),
      ...toolList(
        createTeammateTool(team, start),
        createSendMessage(team, (context) => workerOf(context).name),
      ),
    ],
    background: team,
    async beforeRequest() {
      for (const text of team.takeMessages()) core.remind(text);
    },
    async close() {
      clearInterval(polling);
      stopListening();
      // Idle ones wait for a call: wake them, so that they see that the session is over.
      for (const member of team.members) team.call(member);
      await Promise.all(running);
    },
  };
}

function hasTask(read: () => Parameters<typeof nextTaskFor>[1], { members }: Team): boolean {
  try {
    const tasks = read();
    return members.some(({ name }) => nextTaskFor(name, tasks) !== undefined);
  } catch {
    // Reported when an agent uses the list.
    return false;
  }
}

interface TeammateInput {
  readonly name: string;
  readonly prompt: string;
  readonly agent_type?: string | undefined;
}

interface MessageInput {
  readonly to: string;
  readonly message: string | ProtocolMessage;
}

interface ProtocolMessage {
  readonly type: "shutdown_request" | "shutdown_response";
  readonly approve?: boolean | undefined;
  readonly reason?: string | undefined;
}

const ALL = "*";
/** Each one asks a model of its own. */
const MOST_TEAMMATES = 8;

const text = (description: string): object => ({ type: "string", description });

function createTeammateTool(team: Team, start: (input: TeammateInput, context: ToolContext) => Member): AgentTool<TeammateInput> {
  return {
    name: "Teammate",
    description:
      "Starts a teammate: a named agent that works in parallel with you on the shared tasks, and stays until it is asked to stop. Talk to it with SendMessage.",
    inputSchema: {
      type: "object",
      properties: {
        name: text("Its name: letters, digits, - and _."),
        prompt: text("What it is to do."),
        agent_type: text("Type of the agent; general-purpose if left out."),
      },
      required: ["name", "prompt"],
      additionalProperties: false,
    },
    async run(input, context) {
      if (context.agentId !== undefined) throw new ToolFailure(`Only ${LEAD} starts teammates. Ask for one with SendMessage.`);
      checkName(input.name, team);
      const { name, agentId, agentType } = start(input, context);
      const response = { status: "teammate_spawned", name, agent_id: agentId, agent_type: agentType, team_name: team.name };
      return { response, text: `${name} works now. You will be told when all are idle, and what they send you.` };
    },
  };
}

function checkName(name: string, team: Team): void {
  if (!/^[a-z0-9][\w-]{0,31}$/i.test(name)) {
    throw new ToolFailure(`"${name}" is no name. Use up to 32 letters, digits, - and _, beginning with a letter or digit.`);
  }
  const { members } = team;
  if (name === LEAD || members.some((member) => member.name === name)) throw new ToolFailure(`There is a ${name} already.`);
  if (members.length >= MOST_TEAMMATES) {
    throw new ToolFailure(
      `There are ${members.length} teammates, and there cannot be more. Ask one to stop: ${members.map((one) => one.name).join(", ")}.`,
    );
  }
}

function createSendMessage(team: Team, nameOf: (context: ToolContext) => string): AgentTool<MessageInput> {
  return {
    name: "SendMessage",
    description: `Says something to a teammate, to ${LEAD}, or to all (to: "*"). The message {"type": "shutdown_request"} asks a teammate to stop; it answers with {"type": "shutdown_response", "approve": true}.`,
    inputSchema: {
      type: "object",
      properties: {
        to: text(`Name of a teammate, ${LEAD}, or *.`),
        message: {
          description: "What to say.",
          anyOf: [
            { type: "string" },
            {
              type: "object",
              properties: {
                type: { type: "string", enum: ["shutdown_request", "shutdown_response"] },
                approve: { type: "boolean" },
                reason: { type: "string" },
              },
              required: ["type"],
              additionalProperties: false,
            },
          ],
        },
        summary: text("The message in a few words."),
      },
      required: ["to", "message"],
      additionalProperties: false,
    },
    async run({ to, message }, context) {
      const from = nameOf(context);
      if (typeof message === "string") return say(team, { from, to, text: message });
      return message.type === "shutdown_request" ? askToStop(team, to, message, context) : answerToStop(team, message, context);
    },
  };
}

function say(team: Team, { from, to, text: said }: { readonly from: string; readonly to: string; readonly text: string }): ToolOutput {
  const others = team.members.filter(({ name }) => name !== from);
  const receivers = to === ALL ? others : to === LEAD ? [] : [receiver(team, to)];
  for (const member of receivers) team.tell(member, messageText(from, said));
  if (from !== LEAD && (to === LEAD || to === ALL)) team.tellLead(messageText(from, said));
  return { response: { success: true, to }, text: `Sent to ${to === ALL ? "all" : to}.` };
}

function receiver(team: Team, to: string): Member {
  const member = team.member(to);
  if (member && member.state !== "ended") return member;
  const names = [LEAD, ...team.members.map(({ name }) => name)].join(", ");
  throw new ToolFailure(`${member ? `${to} has ended.` : `There is no teammate "${to}".`} You can write to: ${names}.`);
}

function askToStop(team: Team, to: string, { reason }: ProtocolMessage, { agentId }: ToolContext): ToolOutput {
  if (agentId !== undefined) throw new ToolFailure(`Only ${LEAD} asks others to stop.`);
  const member = receiver(team, to);
  member.isAskedToStop = true;
  const answer = `Answer with SendMessage to ${LEAD}: the message is {"type": "shutdown_response", "approve": true}, or approve false with a reason if you must continue.`;
  team.tell(member, messageText(LEAD, `You are asked to stop.${reason === undefined ? "" : ` ${reason}`}\n${answer}`));
  return { response: { success: true, to }, text: `${to} was asked to stop. You will be told what it answers.` };
}

function answerToStop(team: Team, { approve, reason }: ProtocolMessage, { agentId }: ToolContext): ToolOutput {
  const member = team.byAgent(agentId);
  if (!member?.isAskedToStop) throw new ToolFailure("You have not been asked to stop.");
  if (approve === undefined) throw new ToolFailure("Say whether you stop: approve is true or false.");
  member.isAskedToStop = false;
  const response = { success: true, to: LEAD };
  if (!approve) {
    team.tellLead(messageText(member.name, `I do not stop yet.${reason === undefined ? "" : ` ${reason}`}`));
    return { response, text: `${LEAD} knows that you continue.` };
  }
  member.hasAgreedToStop = true;
  return { response, text: "You stop now.", ends: "The teammate agreed to stop." };
}

/** An agent's words to another: it is told whose they are, and they cannot close the frame they stand in. */
function messageText(from: string, text: string): string {
  const framed = text.replace(/<(?=\/?(?:system-reminder|teammate-message)\b)/gi, "&lt;");
  return `<teammate-message from="${from}">\n${framed}\n</teammate-message>`;
}

export const LEAD = "team-lead";

export interface Member {
  readonly name: string;
  readonly agentId: string;
  readonly agentType: string;
  state: "working" | "idle" | "ended";
  inbox: readonly string[];
  isCalled: boolean;
  wake?: (() => void) | undefined;
  isAskedToStop: boolean;
  hasAgreedToStop: boolean;
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

  /** Without those that have ended. */
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

  /** Makes it look for work. It counts as working at once, or the team would seem idle while it wakes. */
  call(member: Member): void {
    member.isCalled = true;
    if (member.state !== "idle") return;
    member.state = "working";
    member.wake?.();
  }

  /** Until it is called; returns at once if it has been called since it last looked. */
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

  /** Messages to the lead; and who is idle, once all are: the lead has nothing to do for each single one. */
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

interface Teammate {
  readonly core: AgentCore;
  readonly team: Team;
  readonly list: TaskList;
  readonly member: Member;
  readonly worker: Worker;
}

/** Always offered, whatever tools its type lists. */
const TEAM_TOOLS = ["TaskCreate", "TaskUpdate", "TaskList", "SendMessage"];

async function runTeammate(teammate: Teammate, prompt: string, cwd: string): Promise<void> {
  const { core, team, member, list, worker } = teammate;
  const { name, agentId, agentType } = member;
  const definition = core.definitions.agents.get(agentType);
  // The first line identifies the teammate; scripted answers are picked by it.
  const opening = `You are ${name}, a teammate in the team ${team.name}.`;
  const system = (): string => [opening, definition?.body, INSTRUCTIONS].filter(Boolean).join("\n\n");
  const beforeRequest = (thread: Thread): void => void readMessages(member, thread);
  const subagent = { agentId, agentType, definition, prompt, cwd, system, ownTools: TEAM_TOOLS, beforeRequest, signal: core.closing };
  const why = await runSubagent(core, subagent, (thread) => workUntilEnd(teammate, thread)).catch(
    (thrown: unknown) => `it failed: ${messageOf(thrown)}`,
  );
  if (!core.closing.aborted) core.emit({ type: "tell", text: `The teammate ${name} has ended: ${why}` }, agentId);
  try {
    await list.change(({ nextId, tasks }) => ({ state: { nextId, tasks: releaseOf(tasks, worker) }, result: undefined }));
  } catch (thrown) {
    core.report({ code: "HL_AGENT_TASKS", level: "error", text: (thrown as Error).message });
  }
  team.end(member, why);
}

const INSTRUCTIONS = `You work in parallel with ${LEAD} and other teammates on a shared list of tasks. TaskList shows it; TaskUpdate takes a task (status in_progress) and marks it completed. When you have nothing to do, you are given the next task that waits for nothing. Others read only what you send with SendMessage (to: ${LEAD} or a teammate's name).`;

/**
 * Works until there is nothing to do, looks for messages and tasks, fires TeammateIdle, and rests until it is called. It ends when it agreed to
 * stop, when a hook or an error ended its turn, or when the session closes. Gives why it ended.
 */
async function workUntilEnd(teammate: Teammate, thread: Thread): Promise<string> {
  const { core, member } = teammate;
  for (;;) {
    const end = await runThread(thread, core.closing);
    if (member.hasAgreedToStop) return "it was asked to stop and agreed.";
    if (core.closing.aborted) return "the session is over.";
    if (end.reason !== "completed") return `${end.reason}${end.detail === undefined ? "" : `: ${end.detail}`}`;
    member.lastWords = end.text;
    member.isTold = false;
    const why = await nextWork(teammate, thread);
    if (why !== undefined) return why;
  }
}

/** Waits until there is something to do, and tells the teammate; gives why it ends, if it does. */
async function nextWork(teammate: Teammate, thread: Thread): Promise<string | undefined> {
  const { core, team, member } = teammate;
  if (await findsWork(teammate, thread)) return undefined;
  const idle = await fireIdle(teammate, thread);
  if (idle !== "idle") return idle.ends;
  while (!core.closing.aborted) {
    if (await findsWork(teammate, thread)) return undefined;
    await team.rest(member);
  }
  return "the session is over.";
}

async function fireIdle({ core, team, member }: Teammate, thread: Thread): Promise<"idle" | { readonly ends?: string | undefined }> {
  const fields = { teammate_name: member.name, team_name: team.name };
  const { verdict, input } = await fireFrom(thread, "TeammateIdle", fields, core.closing);
  if (verdict.halt) return { ends: verdict.halt.text };
  if (verdict.continueWith.length === 0) return "idle";
  for (const feedback of blockTexts({ verdict, input })) thread.conversation.addUser(feedback);
  return {};
}

/** Messages first, then the next task that waits for nothing. */
async function findsWork(teammate: Teammate, thread: Thread): Promise<boolean> {
  const { member } = teammate;
  member.isCalled = false;
  if (readMessages(member, thread)) return true;
  const task = await claimTask(teammate);
  if (!task) return false;
  const { id, subject, description } = task;
  thread.conversation.addUser(`Task #${id} is yours now: ${subject}\n${description}\nWhen it is done, mark it completed with TaskUpdate.`);
  return true;
}

function readMessages(member: Member, { conversation }: Thread): boolean {
  const messages = member.inbox;
  member.inbox = [];
  if (messages.length > 0) conversation.addUser(messages.map((text) => ({ type: "text", text })));
  return messages.length > 0;
}

async function claimTask({ core, list, worker }: Teammate): Promise<Task | undefined> {
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
