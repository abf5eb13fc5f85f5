/** Tasks, and teammates that work on them: offered together, because the list is what a team shares. */

import path from "node:path";
import { PROCESSES } from "../../open/trust.ts";
import { definitionOf, GENERAL_PURPOSE } from "../tools/basic-tools.ts";
import { type AgentTool, type ToolContext, ToolFailure, type ToolOutput } from "../tools/types.ts";
import { nextTaskFor, openTaskList, openTasks, type Worker, wantsTasks } from "./tasks.ts";
import { LEAD, type Member, runTeammate, Team } from "./team.ts";
import type { AgentCore, Feature } from "./types.ts";

interface TeamOptions {
  /** `CLAUDE_CODE_ENABLE_TASKS`, and `HOOKLOOP_TASK_LIST`: a file that several sessions share. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How often idle teammates look whether another process has freed a task. */
const LOOK_MS = 500;

export function openTeam(core: AgentCore, { env }: TeamOptions): Feature {
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
  const lives: Promise<void>[] = [];
  const start = ({ name, prompt, agent_type: type = GENERAL_PURPOSE }: TeammateInput, { cwd }: ToolContext): Member => {
    const definition = definitionOf(type, core.definitions.agents);
    const member = team.add(name, type);
    const worker = { name, holder, isLead: false };
    lives.push(runTeammate({ core, team, list, member, worker, definition, prompt, cwd, signal: core.closing }));
    return member;
  };
  const callIdle = (): void => {
    for (const member of team.members) if (member.state === "idle") team.call(member);
  };
  const stopListening = list.onChange(callIdle);
  const looking = shared ? setInterval(() => hasTask(list.read, team) && callIdle(), LOOK_MS).unref() : undefined;
  const tools = [createTeammateTool(team, start), createSendMessage(team, (context) => workerOf(context).name)];
  const tasks = openTasks({ core, list, workerOf, teamFields });
  return {
    ...tasks,
    // Each tool knows its own input; the toolbox has checked it before the tool sees it.
    tools: [...(tasks.tools ?? []), ...(tools as readonly unknown[] as readonly AgentTool[])],
    background: team,
    async beforeRequest() {
      for (const text of team.takeMessages()) core.remind(text);
    },
    async close() {
      clearInterval(looking);
      stopListening();
      // They rest until they are called; the session is over, so they end.
      for (const member of team.members) team.call(member);
      await Promise.all(lives);
    },
  };
}

function hasTask(read: () => Parameters<typeof nextTaskFor>[1], { members }: Team): boolean {
  try {
    const tasks = read();
    return members.some(({ name }) => nextTaskFor(name, tasks) !== undefined);
  } catch {
    // It is said when somebody needs the list.
    return false;
  }
}

/** Teammate starts one, SendMessage talks to them: words, the request to stop, and the answer to it. */

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

const EVERYBODY = "*";
/** More would be a crowd: each holds a model. */
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
      return { response, text: `${name} works now. You will be told when everybody is idle, and what they send you.` };
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
    description: `Says something to a teammate, to ${LEAD}, or to everybody (to: "*"). The message {"type": "shutdown_request"} asks a teammate to stop; it answers with {"type": "shutdown_response", "approve": true}.`,
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
  const receivers = to === EVERYBODY ? others : to === LEAD ? [] : [receiver(team, to)];
  for (const member of receivers) team.tell(member, messageText(from, said));
  if (from !== LEAD && (to === LEAD || to === EVERYBODY)) team.tellLead(messageText(from, said));
  return { response: { success: true, to }, text: `Sent to ${to === EVERYBODY ? "everybody" : to}.` };
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
  const answer = `Answer with SendMessage to ${LEAD}: the message is {"type": "shutdown_response", "approve": true}, or approve false with a reason if you must go on.`;
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
    return { response, text: `${LEAD} knows that you go on.` };
  }
  member.hasAgreedToStop = true;
  return { response, text: "You stop now.", ends: "The teammate agreed to stop." };
}

/** An agent's words to another: it is told whose they are, and they cannot close the frame they stand in. */
function messageText(from: string, text: string): string {
  const framed = text.replace(/<(?=\/?(?:system-reminder|teammate-message)\b)/gi, "&lt;");
  return `<teammate-message from="${from}">\n${framed}\n</teammate-message>`;
}
