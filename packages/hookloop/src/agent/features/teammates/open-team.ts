/** Tasks, and teammates that work on them: offered together, because the list is what a team shares. */
import path from "node:path";
import { PROCESSES } from "../../../open/trust.ts";
import { definitionOf, GENERAL_PURPOSE } from "../../subagents/agent-tool.ts";
import type { AgentTool, ToolContext } from "../../tools/types.ts";
import { nextTaskFor, openTaskList, openTasks, type Worker, wantsTasks } from "../tasks/index.ts";
import type { AgentCore, Feature } from "../types.ts";
import { runTeammate } from "./start-teammate.ts";
import { LEAD, type Member, Team } from "./team.ts";
import { createSendMessage, createTeammateTool, type TeammateInput } from "./teammate-tools.ts";

export interface TeamOptions {
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
