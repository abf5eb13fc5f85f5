/** EnterWorktree and ExitWorktree. */
import type { AgentTool, ToolContext } from "../../tools/types.ts";
import type { LeaveInput, Visitor, Worktree } from "./types.ts";
import type { Left, Visits } from "./visits.ts";
import { branchOf } from "./worktree-name.ts";

const text = (description: string): object => ({ type: "string", description });

export function createEnterWorktree(visits: Visits): AgentTool<{ readonly name?: string | undefined }> {
  return {
    name: "EnterWorktree",
    description:
      "Makes a git worktree of the project with a branch of its own and goes there, so that work in it does not disturb the project's folder. With the name of a worktree that was kept it goes there again.",
    inputSchema: {
      type: "object",
      properties: { name: text("Letters, digits, - _ and dots; one is made up if left out.") },
      additionalProperties: false,
    },
    async run({ name }, context) {
      const { worktree, isNew } = await visits.enter(name, visitorOf(context));
      context.moveTo(worktree.folder);
      const branch = worktree.madeBy === "git" ? { worktreeBranch: branchOf(worktree.name) } : {};
      return { response: { worktreePath: worktree.folder, ...branch, isNew }, text: enteredText(worktree, isNew) };
    },
  };
}

export function createExitWorktree(visits: Visits): AgentTool<LeaveInput> {
  return {
    name: "ExitWorktree",
    description:
      "Leaves the worktree and goes back to where you were. keep leaves it as it is; remove deletes it with its branch, unless work would be lost: then it says what, and discard must be true as well. Only discard what the user agreed to lose.",
    inputSchema: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["keep", "remove"] },
        name: text("Which one; the one you are in if left out."),
        discard: { type: "boolean", description: "Remove it although work is lost." },
      },
      required: ["action"],
      additionalProperties: false,
    },
    async run(input, context) {
      const left = await visits.leave(input, visitorOf(context));
      if (left.backTo !== undefined) context.moveTo(left.backTo);
      const response = { action: input.action, worktreePath: left.worktree.folder, originalCwd: left.backTo ?? context.cwd };
      return { response, text: leftText(input.action, left) };
    },
  };
}

function visitorOf({ agentId, agentType, cwd, signal }: ToolContext): Visitor {
  const fields = { cwd, ...(agentId !== undefined && { agent_id: agentId }), ...(agentType !== undefined && { agent_type: agentType }) };
  return { id: agentId ?? "", cwd, fields, signal };
}

export function enteredText({ name, folder, madeBy }: Worktree, isNew: boolean): string {
  const branch = madeBy === "git" ? `, on the branch ${branchOf(name)}` : "";
  return isNew
    ? `The worktree ${name} was made. The folder is ${folder} now${branch}.`
    : `Back in the worktree ${name}. The folder is ${folder} now.`;
}

export function leftText(action: "keep" | "remove", { worktree, backTo, note }: Left): string {
  const done =
    action === "keep" ? `The worktree ${worktree.name} was kept: ${worktree.folder}.` : `The worktree ${worktree.name} was removed.`;
  const place = backTo === undefined ? "" : `The folder is ${backTo} now.`;
  return [done, note, place].filter(Boolean).join(" ");
}
