/** git for worktrees: which folder is a worktree of the project's own repository, and what would be lost with it. */

import { realpathSync } from "node:fs";
import path from "node:path";
import { visibleLine } from "../../diagnostic.ts";
import { ownGitFolders } from "../../permissions/index.ts";
import { GitFailure, type GitOptions, git as runGit } from "../../run/index.ts";
import { ToolFailure } from "../tools/types.ts";

export type { GitOptions } from "../../run/index.ts";

/** What git printed. Throws a `ToolFailure` with git's own words. */
export async function git(...given: Parameters<typeof runGit>): Promise<string> {
  try {
    return await runGit(...given);
  } catch (thrown) {
    throw thrown instanceof GitFailure ? new ToolFailure(thrown.message) : thrown;
  }
}

export interface OwnGitDir {
  readonly folder: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * SECURITY: a folder's `.git` is a file that may be hostile, and git would follow it into any repository and run what that
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

export interface UnsavedWork {
  /** Lines of `git status --porcelain`. */
  readonly files: readonly string[];
  /** Commits that are on no other branch, remote or tag. */
  readonly commits: readonly string[];
  readonly head: string;
}

const MOST_SHOWN = 20;

export async function unsavedWork(own: OwnGitDir, options: GitOptions): Promise<UnsavedWork> {
  const head = (await gitIn(own, ["rev-parse", "HEAD"], options)).trim();
  const branch = (await gitIn(own, ["branch", "--show-current"], options)).trim();
  // SECURITY: git would look into submodules with their own configuration, or wherever their `.git` leads. It refuses to remove a worktree that has any.
  const submodules = options.isTrusted ? "dirty" : "all";
  const files = lines(
    await gitIn(own, ["status", "--porcelain", "--untracked-files=normal", `--ignore-submodules=${submodules}`], options),
  );
  const others = [...(branch === "" ? [] : [`--exclude=${branch}`]), "--branches", "--remotes", "--tags"];
  const commits = lines(await gitIn(own, ["rev-list", "--oneline", head, "--not", ...others], options));
  return { files, commits, head };
}

export function unsavedText({ files, commits }: UnsavedWork): string {
  return [part("Not committed", files), part("Commits that are nowhere else", commits)].filter(Boolean).join("\n");
}

function part(title: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const rest = items.length > MOST_SHOWN ? [`  … and ${items.length - MOST_SHOWN} more`] : [];
  return [`${title}:`, ...items.slice(0, MOST_SHOWN).map((item) => `  ${visibleLine(item)}`), ...rest].join("\n");
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
