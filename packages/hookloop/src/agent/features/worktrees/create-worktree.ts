import { existsSync } from "node:fs";
import { blockTexts } from "../../../judge/index.ts";
import { ToolFailure } from "../../tools/types.ts";
import type { AgentCore } from "../types.ts";
import { type GitOptions, git } from "./git.ts";
import { ownGitDir } from "./own-git-dir.ts";
import type { Visitor, Worktree } from "./types.ts";
import { folderOf, hookFolder, isReallyInside, makeParent } from "./worktree-folder.ts";
import { branchOf } from "./worktree-name.ts";

/** The worktree of this name that git already has; nothing if there is none. Something else in its place is not touched. */
export async function existingWorktree(name: string, options: GitOptions): Promise<Worktree | undefined> {
  const folder = folderOf(options.root, name);
  if (!existsSync(folder)) return undefined;
  const isOwn = isReallyInside(options.root, folder) && (await ownGitDir(folder, options));
  if (isOwn) return { name, folder, madeBy: "git", isAdded: false };
  throw new ToolFailure(`${folder} exists, and is no worktree of this repository. Choose another name.`);
}

/** WorktreeCreate: hooks may refuse it, or make it and say where; otherwise git does. */
export async function createWorktree(core: AgentCore, name: string, visitor: Visitor, options: GitOptions): Promise<Worktree> {
  const input = { ...visitor.fields, name };
  const verdict = await core.fire("WorktreeCreate", input, visitor.signal);
  // A guard that failed asks; here nobody can say yes.
  if (verdict.decision === "deny" || verdict.decision === "ask") {
    throw new ToolFailure(blockTexts({ verdict: { ...verdict, decision: "deny" }, input }).join("\n"));
  }
  if (visitor.signal.aborted) throw new ToolFailure("It was interrupted; there is no worktree.");
  const given = verdict.fields["worktreePath"];
  if (typeof given === "string") return addToWorkspace(core, name, hookFolder(given, options.root));
  makeParent(options.root);
  const folder = folderOf(options.root, name);
  await git(["worktree", "add", "--no-track", "-b", branchOf(name), folder, "HEAD"], options);
  return { name, folder, madeBy: "git", isAdded: false };
}

function addToWorkspace({ root, permissions, report }: AgentCore, name: string, folder: string): Worktree {
  const isAdded = ![root, ...permissions.directories].some((one) => isReallyInside(one, folder));
  const update = { type: "addDirectories", directories: [folder], destination: "session" } as const;
  if (isAdded) for (const diagnostic of permissions.update([update])) report(diagnostic);
  return { name, folder, madeBy: "hook", isAdded };
}
