import { existsSync } from "node:fs";
import { ToolFailure } from "../../tools/types.ts";
import type { AgentCore } from "../types.ts";
import { type GitOptions, git } from "./git.ts";
import { type OwnGitDir, ownGitDir } from "./own-git-dir.ts";
import type { Visitor, Worktree } from "./types.ts";
import { type UnsavedWork, unsavedText, unsavedWork } from "./unsaved-work.ts";
import { branchOf } from "./worktree-name.ts";

export interface Removal {
  readonly worktree: Worktree;
  readonly isDiscarding: boolean;
  readonly visitor: Visitor;
}

/** Refuses to lose work unless told to; then WorktreeRemove, and git. Gives what else there is to say. */
export async function removeWorktree(core: AgentCore, { worktree, isDiscarding, visitor }: Removal, options: GitOptions): Promise<string> {
  const { folder } = worktree;
  const own = await ownGitDir(folder, options);
  const unsaved = own && (await unsavedWork(own, options));
  if (!own && worktree.madeBy === "git" && existsSync(folder)) throw new ToolFailure(strayText(folder));
  if (!isDiscarding) refuseLoss(worktree, unsaved);
  await core.fire("WorktreeRemove", { ...visitor.fields, worktree_path: folder }, visitor.signal);
  if (own && existsSync(folder)) await removeFolder(own, isDiscarding, options);
  if (unsaved) await removeBranch(worktree, unsaved, options);
  leaveWorkspace(core, worktree);
  return existsSync(folder) ? `${folder} is still there: the hook that made it has to remove it, on WorktreeRemove.` : "";
}

/** git looks once more whether work would be lost, and must not be led astray then either. */
async function removeFolder({ folder, commonDir }: OwnGitDir, isDiscarding: boolean, options: GitOptions): Promise<void> {
  await git(["worktree", "remove", ...(isDiscarding ? ["--force"] : []), folder], options, { GIT_COMMON_DIR: commonDir });
}

function refuseLoss({ name, folder }: Worktree, unsaved: UnsavedWork | undefined): void {
  const cure = "Commit and push it, keep the worktree, or say discard if the user wants to lose it.";
  if (!unsaved) {
    if (!existsSync(folder)) return;
    throw new ToolFailure(`${folder} is no git worktree of this project, so whether work would be lost cannot be seen. ${cure}`);
  }
  const text = unsavedText(unsaved);
  if (text !== "") throw new ToolFailure(`The worktree ${name} is not removed; this would be lost:\n${text}\n${cure}`);
}

function strayText(folder: string): string {
  return `The .git file in ${folder} does not lead to this repository any more, so it is not touched. Look at it by hand.`;
}

/** The branch that was made for it; not if it has moved on since it was looked at. */
async function removeBranch({ name, madeBy }: Worktree, { head }: UnsavedWork, options: GitOptions): Promise<void> {
  if (madeBy !== "git") return;
  const ref = `refs/heads/${branchOf(name)}`;
  const exists = (await git(["for-each-ref", "--format=%(objectname)", ref], options)).trim();
  if (exists === head) await git(["update-ref", "-d", ref, head], options);
}

function leaveWorkspace({ permissions, report }: AgentCore, { folder, isAdded }: Worktree): void {
  if (!isAdded) return;
  const update = { type: "removeDirectories", directories: [folder], destination: "session" } as const;
  for (const diagnostic of permissions.update([update])) report(diagnostic);
}
