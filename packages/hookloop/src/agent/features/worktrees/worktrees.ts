/**
 * Worktrees: an agent may work in its own checkout of the project, `<project>/.claude/worktrees/<name>`, or where a hook says.
 *   WorktreeCreate (may refuse it, or make it) → git worktree add → CwdChanged … WorktreeRemove → git worktree remove → CwdChanged
 * Work that would be lost is listed instead of removed. What is not left when the session ends is kept.
 */
import type { AgentTool } from "../../tools/types.ts";
import type { AgentCore, Feature } from "../types.ts";
import { createVisits } from "./visits.ts";
import { worktreeCommand } from "./worktree-command.ts";
import { createEnterWorktree, createExitWorktree } from "./worktree-tools.ts";

export interface WorktreeOptions {
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
