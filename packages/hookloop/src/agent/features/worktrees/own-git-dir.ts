import { realpathSync } from "node:fs";
import path from "node:path";
import { readWithin } from "../../../permissions/index.ts";
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
    const named = /^gitdir: (.+)\n?$/.exec(noteIn(path.join(folder, ".git")))?.[1];
    if (named === undefined) return undefined;
    const gitDir = realpathSync(path.resolve(folder, named));
    const leadsTo = (file: string): string => realpathSync(path.resolve(gitDir, noteIn(path.join(gitDir, file)).trim()));
    const isOwn =
      path.dirname(gitDir) === path.join(commonDir, "worktrees") &&
      leadsTo("commondir") === commonDir &&
      path.dirname(leadsTo("gitdir")) === realpathSync(folder);
    return isOwn ? { folder, gitDir, commonDir } : undefined;
  } catch {
    // No repository, no `.git`, or it leads nowhere: either way it is no worktree of ours.
    return undefined;
  }
}

/** One of the short files in which git notes a path. A pipe in its place must not hold the agent. */
function noteIn(file: string): string {
  const found = readWithin(file, { limit: 16 * 1024 });
  if (found.kind !== "read") throw new Error(`${file} cannot be read`);
  return found.bytes.toString();
}

/** git in that worktree, whatever the files in it say about where its repository is. */
export async function gitIn({ folder, gitDir, commonDir }: OwnGitDir, args: readonly string[], options: GitOptions): Promise<string> {
  const place = { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: folder };
  return await git(["-C", folder, ...args], options, place);
}
