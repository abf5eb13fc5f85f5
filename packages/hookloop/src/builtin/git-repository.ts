/** Takes a folder. Gives what its repository says: the branch that is checked out, which branches there are, settings. Reads git's files; starts nothing. */

import path from "node:path";
import { gitRoot, notedGitFolders } from "../permissions/index.ts";
import { isThere, readStart } from "../state-files.ts";

export interface GitRepository {
  /** What is checked out; nothing if it is a commit. */
  readonly branch: string | undefined;
  hasBranch(name: string): boolean;
  /** The values of a setting, `remote.origin.push`, lowest authority first. */
  settings(name: string): readonly string[];
}

const MOST_BYTES = 1024 * 1024;

/** Nothing if the folder is in none. `given`: the repository that the call names, where that is not the one around the folder. */
export function repositoryAt(folder: string, home: string, given?: string): GitRepository | undefined {
  const root = gitRoot(folder);
  if (given === undefined && !isThere(path.join(root, ".git"))) return undefined;
  const gitDir = given === undefined ? notedGitFolders(root).gitDir : given;
  const commonDir = given === undefined ? notedGitFolders(root).commonDir : given;
  const branch = /^ref: refs\/heads\/(\S+)/.exec(textOf(path.join(gitDir, "HEAD")))?.[1];
  let settings: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    branch,
    hasBranch: (name) =>
      isThere(path.join(commonDir, "refs/heads", name)) ||
      textOf(path.join(commonDir, "packed-refs")).includes(` refs/heads/${name}\n`) ||
      isThere(path.join(commonDir, "refs/remotes/origin", name)),
    settings: (name) => {
      settings ??= readSettings([path.join(home, ".config/git/config"), path.join(home, ".gitconfig"), path.join(commonDir, "config")]);
      return settings.get(name.toLowerCase()) ?? [];
    },
  };
}

function textOf(file: string): string {
  return readStart(file, MOST_BYTES)?.toString() ?? "";
}

/** Names without regard to case, which is more than git does for the middle part. */
function readSettings(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const file of files) {
    let section = "";
    for (const line of textOf(file).split("\n")) {
      const [, name, below] = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line) ?? [];
      if (name !== undefined) section = below === undefined ? name : `${name}.${below}`;
      const [, key, value = "true"] = /^\s*(?:\[[^\]]*\])?\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*?))?\s*$/.exec(line) ?? [];
      if (key === undefined || section === "") continue;
      const full = `${section}.${key}`.toLowerCase();
      found.set(full, [...(found.get(full) ?? []), value.replace(/^"(.*)"$/, "$1")]);
    }
  }
  return found;
}
