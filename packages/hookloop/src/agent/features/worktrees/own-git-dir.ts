import { realpathSync } from "node:fs";
import path from "node:path";
import { ownGitFolders } from "../../../permissions/index.ts";
import { type GitOptions, git } from "./git.ts";

/** Where git keeps a worktree of the project's own repository. */
export interface OwnGitDir {
  readonly folder: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * SECURITY: a folder's `.git` is a file that anybody may have written, and git would follow it into any repository and run what that
 * one's configuration says. It is used only if it leads to a worktree of the project's own repository, and that leads back.
 */
export async function ownGitDir(folder: string, options: GitOptions): Promise<OwnGitDir | undefined> {
  try {
    const commonDir = realpathSync(path.resolve(options.root, (await git(["rev-parse", "--git-common-dir"], options)).trim()));
    const found = ownGitFolders(folder);
    const isOwn = found.kind === "own" && found.commonDir === commonDir && path.dirname(found.gitDir) === path.join(commonDir, "worktrees");
    return isOwn ? { folder, gitDir: found.gitDir, commonDir } : undefined;
  } catch {
    // No repository, or one that is not used: either way there is no worktree of ours.
    return undefined;
  }
}

/** git in that worktree, whatever the files in it say about where its repository is. */
export async function gitIn({ folder, gitDir, commonDir }: OwnGitDir, args: readonly string[], options: GitOptions): Promise<string> {
  const place = { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: folder };
  return await git(["-C", folder, ...args], options, place);
}
