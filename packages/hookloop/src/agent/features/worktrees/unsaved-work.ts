import { visibleLine } from "../../../diagnostic.ts";
import type { GitOptions } from "./git.ts";
import { gitIn, type OwnGitDir } from "./own-git-dir.ts";

/** What would be lost with a worktree. */
export interface UnsavedWork {
  /** Lines of `git status --porcelain`. */
  readonly files: readonly string[];
  /** Commits that are on no other branch, remote or tag. */
  readonly commits: readonly string[];
  /** The commit that was looked at. */
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
