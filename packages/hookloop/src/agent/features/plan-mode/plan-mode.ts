/**
 * Plan mode: the agent looks and plans and changes nothing, until the person agrees to its plan. That files stay as they are is the
 * permissions' doing; here is the way in (`/plan`, `--permission-mode plan`) and the way out (the tool ExitPlanMode, which always asks).
 */

import type { AgentTool } from "../../tools/types.ts";
import { type CatalogueTool, ToolFailure } from "../../tools/types.ts";
import type { AgentCore, Feature } from "../types.ts";

const PLAN_TEXT =
  "Plan mode is on: read, search and think, but change nothing. When the plan is ready, call ExitPlanMode with it; the user decides.";
const WORK_TEXT = "Plan mode is off: files may be changed again.";

export function openPlanMode(core: AgentCore): Feature {
  const { permissions } = core;
  // The toolbox has checked its input before the tool sees it.
  const onExit = (): void => {
    isTold = false;
  };
  const tools: readonly AgentTool[] = [exitPlanMode(core, onExit) as unknown as AgentTool];
  /** The model knows that plan mode is on. */
  let isTold = false;
  const tell = (): void => {
    const isOn = permissions.mode === "plan";
    if (isOn !== isTold) core.remind(isOn ? PLAN_TEXT : WORK_TEXT);
    isTold = isOn;
  };
  return {
    get tools() {
      return permissions.mode === "plan" ? tools : [];
    },
    commands: {
      plan: { description: "make a plan before anything is changed", usage: "[off]", run: async (args) => enter(core, args, tell) },
    },
    async started() {
      tell();
    },
    // The mode can also be changed by a key, a command or a hook.
    async beforeRequest() {
      tell();
    },
  };
}

function enter({ permissions }: AgentCore, args: string, tell: () => void): string {
  const wanted = args === "off" ? "default" : "plan";
  if (args !== "" && args !== "off") return "Say /plan, or /plan off.";
  if ((permissions.mode === "plan") === (wanted === "plan")) return `Plan mode is ${wanted === "plan" ? "on" : "off"} already.`;
  permissions.setMode(wanted);
  tell();
  return `Plan mode is ${wanted === "plan" ? "on: nothing is changed until you agree to a plan" : "off"}.`;
}

function exitPlanMode({ permissions }: AgentCore, onExit: () => void): CatalogueTool<"ExitPlanMode"> {
  return {
    name: "ExitPlanMode",
    description: "Shows the user your plan and asks whether to go ahead. Only in plan mode, when the plan is ready.",
    async run({ plan = "" }, { agentId }) {
      if (agentId !== undefined) throw new ToolFailure("Only the main agent can leave plan mode. Give your plan as your answer.");
      permissions.setMode("default");
      onExit();
      return { response: { plan, isAgent: false }, text: `The user agreed to the plan. ${WORK_TEXT} Go ahead.\n\n${plan}` };
    },
  };
}
