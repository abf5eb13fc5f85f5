/**
 * Worktrees: an agent may work in its own checkout of the project, `<project>/.claude/worktrees/<name>`, or where a hook says.
 *   WorktreeCreate (may refuse it, or make it) → git worktree add → CwdChanged … WorktreeRemove → git worktree remove → CwdChanged
 * Work that would be lost is listed instead of removed. What is not left when the session ends is kept.
 */

import { type AgentTool, type ToolContext, ToolFailure } from "../tools/types.ts";
import type { AgentCore, BuiltinCommand, Feature } from "./types.ts";
import { branchOf, createVisits, type LeaveInput, type Left, type Visitor, type Visits, type Worktree } from "./worktree-visits.ts";

interface WorktreeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openWorktrees(core: AgentCore, { env }: WorktreeOptions): Feature {
  const visits = createVisits(core, env);
  return {
    // The toolbox has checked their input before the tools see it.
    tools: [createEnterWorktree(visits), createExitWorktree(visits)] as readonly unknown[] as readonly AgentTool[],
    commands: { worktree: worktreeCommand(core, visits) },
    close() {
      for (const { worktree } of visits.stays) {
        core.emit({ type: "tell", text: `The worktree ${worktree.name} was kept: ${worktree.folder}` });
      }
    },
  };
}

/** `/worktree`: the same for the person. */

const USAGE = "Say /worktree NAME, /worktree --keep, or /worktree --remove [NAME] [--discard].";

function worktreeCommand(core: AgentCore, visits: Visits): BuiltinCommand {
  return {
    description: "work in a git worktree of its own",
    usage: "NAME | --keep | --remove [NAME] [--discard]",
    async run(args, signal) {
      const visitor: Visitor = { id: "", cwd: core.cwd(), fields: {}, signal };
      try {
        return await obey(core, visits, args.split(/\s+/).filter(Boolean), visitor);
      } catch (error) {
        if (error instanceof ToolFailure) return error.text;
        throw error;
      }
    },
  };
}

async function obey(core: AgentCore, visits: Visits, words: readonly string[], visitor: Visitor): Promise<string> {
  const [first] = words;
  if (first === undefined) {
    const stay = visits.stayOf(visitor.id);
    return stay
      ? `The agent is in the worktree ${stay.worktree.name}: ${stay.worktree.folder}. ${USAGE}`
      : `The agent is in no worktree. ${USAGE}`;
  }
  const leaving = leaveInput(words);
  if (leaving) {
    const left = await visits.leave(leaving, visitor);
    if (left.backTo !== undefined) await core.moveTo(left.backTo, visitor.signal);
    const said = leftText(leaving.action, left);
    core.remind(`The user did this: ${said}`);
    return said;
  }
  if (words.length > 1 || first.startsWith("--")) return USAGE;
  const { worktree, isNew } = await visits.enter(first, visitor);
  await core.moveTo(worktree.folder, visitor.signal);
  const said = enteredText(worktree, isNew);
  core.remind(`The user did this: ${said}`);
  return said;
}

function leaveInput(words: readonly string[]): LeaveInput | undefined {
  const [first, ...rest] = words;
  if (first === "--keep" && rest.length === 0) return { action: "keep" };
  const names = rest.filter((word) => word !== "--discard");
  if (first !== "--remove" || names.length > 1 || names[0]?.startsWith("--")) return undefined;
  return { action: "remove", name: names[0], discard: rest.includes("--discard") };
}

/** EnterWorktree and ExitWorktree. */

const text = (description: string): object => ({ type: "string", description });

function createEnterWorktree(visits: Visits): AgentTool<{ readonly name?: string | undefined }> {
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

function createExitWorktree(visits: Visits): AgentTool<LeaveInput> {
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

function enteredText({ name, folder, madeBy }: Worktree, isNew: boolean): string {
  const branch = madeBy === "git" ? `, on the branch ${branchOf(name)}` : "";
  return isNew
    ? `The worktree ${name} was made. The folder is ${folder} now${branch}.`
    : `Back in the worktree ${name}. The folder is ${folder} now.`;
}

function leftText(action: "keep" | "remove", { worktree, backTo, note }: Left): string {
  const done =
    action === "keep" ? `The worktree ${worktree.name} was kept: ${worktree.folder}.` : `The worktree ${worktree.name} was removed.`;
  const place = backTo === undefined ? "" : `The folder is ${backTo} now.`;
  return [done, note, place].filter(Boolean).join(" ");
}
