/** `/worktree`: the same for the person. */
import { ToolFailure } from "../../tools/types.ts";
import type { AgentCore, BuiltinCommand } from "../types.ts";
import type { LeaveInput, Visitor } from "./types.ts";
import type { Visits } from "./visits.ts";
import { enteredText, leftText } from "./worktree-tools.ts";

const USAGE = "Say /worktree NAME, /worktree --keep, or /worktree --remove [NAME] [--discard].";

export function worktreeCommand(core: AgentCore, visits: Visits): BuiltinCommand {
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
