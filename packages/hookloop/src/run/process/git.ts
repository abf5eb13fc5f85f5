/**
 * The one way to git. Takes arguments for git in a repository whose configuration may be hostile; gives what it printed.
 * Refuses to let that configuration start a program: hooks, watchers, pagers, transports never; filters only in a trusted workspace. Before trust it
 * also refuses a repository that is not the project's own.
 */

import path from "node:path";
import { toldOf } from "../../diagnostic.ts";
import { ownRepository, systemSearchPath } from "../../permissions/index.ts";
import { readFolder } from "../../state-files.ts";
import { type Programs, systemProgram } from "./programs.ts";

export interface GitOptions {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project is trusted: filters of the repository, such as git-lfs, may run, and its `.git` may lead elsewhere. */
  readonly isTrusted: boolean;
  readonly signal: AbortSignal;
  readonly programs: Pick<Programs, "run">;
  /** Two minutes if left out. */
  readonly timeoutMs?: number | undefined;
}

/** git did not do it; the message has its own words. */
export class GitFailure extends Error {
  override readonly name = "GitFailure";
}

type Variables = Readonly<Record<string, string>>;

const LIMIT_MS = 120_000;

/** SECURITY: what stands in a repository's configuration under a fixed name and makes git start a program. */
const SAFE: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.askPass=",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "diff.external=",
  "gpg.program=false",
  "log.showSignature=false",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  // A folder of the project that only looks like a repository is none.
  "safe.bareRepository=explicit",
  // It names files, and could name those of another repository.
  "core.multiPackIndex=false",
].flatMap((setting) => ["-c", setting]);

/** SECURITY: the same for variables, which win over every configuration. Nothing is fetched: a missing object could name any program as its transport. */
const ENVIRONMENT: Variables = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_ASKPASS: "",
  GIT_SSH_COMMAND: "false",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

/** What git printed. Throws a `GitFailure`. */
export async function git(args: readonly string[], options: GitOptions, more: Variables = {}): Promise<string> {
  if (options.isTrusted) return await start(args, options, more);
  const found = ownRepository(options.root, options.home);
  if (found.kind === "foreign") throw foreign(`${found.why}. Nothing outside of the project is used before the project is trusted`);
  // SECURITY: what was looked at is what is used, whatever git would make of the files and settings that say where it is.
  const place = { GIT_DIR: found.gitDir, GIT_COMMON_DIR: found.commonDir, GIT_WORK_TREE: found.folder, ...more };
  return await start(args, options, { ...place, ...(await withoutPrograms(found.commonDir, options, place)) });
}

function foreign(why: string): GitFailure {
  return new GitFailure(
    `HL_AGENT_FOREIGN_GIT: git is not started: ${why}. If all of this is yours, the user can start the agent with --trust-workspace.`,
  );
}

async function start(
  args: readonly string[],
  { root, env, signal, programs, timeoutMs = LIMIT_MS }: GitOptions,
  more: Variables,
): Promise<string> {
  const file = systemProgram("git", { env, root });
  if (file === undefined) throw new GitFailure("git was not found in PATH outside of the project.");
  const program = {
    file,
    args: ["--no-pager", ...SAFE, ...args],
    isShell: false,
    // Nothing of what the caller's own git was told: `GIT_DIR` would lead to another repository.
    env: { PATH: systemSearchPath({ env, root }), HOME: env["HOME"] ?? "", ...ENVIRONMENT, ...more },
    cwd: root,
    fallbackCwd: root,
    stdin: Buffer.alloc(0),
    timeoutMs,
    signal,
  };
  const { stdout, stderr, exitCode, failure } = await programs.run(program, { text: "git", endsWhole: true });
  if (failure && failure.kind !== "exit") throw new GitFailure(toldOf(`git ${args[0]}`, failure.text));
  if (exitCode !== 0) throw new GitFailure(stderr.trim() || `git ${args[0]} ended with exit code ${exitCode}.`);
  return stdout;
}

/** Names of settings that are free to choose, and whose values are programs. */
const FREE_NAMED = /^(?:filter|hook)\..+\.(?:clean|smudge|process|command|event)$/i;
/** SECURITY: these name a file, and a project chooses none outside of itself. Those of the user's own configuration stay. */
const NAMES_FILE = /^core\.(?:excludesfile|attributesfile)$/i;
const INCLUDED = /^include(?:if\..*)?\.path$/i;

/**
 * Variables that empty every filter and hook that git's configuration defines under a name of its own: there is no switch that turns all of them off.
 * SECURITY: the repository's own files are read without what they include: a condition may hold only later, on the branch or in the folder that is
 * made. So an include there is refused.
 */
async function withoutPrograms(common: string, options: GitOptions, more: Variables): Promise<Variables> {
  const list = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await start(["config", ...args, "--name-only", "-z", "--list"], options, more)).split("\0").filter(Boolean);
  const files = [path.join(common, "config"), path.join(common, "config.worktree"), ...worktreeFiles(common)];
  const own = await Promise.all(
    files.map(async (file) => {
      // Not every repository has each of them.
      const names: readonly string[] = await list("--file", file, "--no-includes").catch((error: unknown) =>
        isMissing(error) ? [] : Promise.reject(error),
      );
      if (names.includes(REFERENCES))
        checkReferences(file, await start(["config", "--file", file, "--no-includes", "--get-all", REFERENCES], options, more));
      const include = names.find((name) => INCLUDED.test(name));
      if (include === undefined) return names;
      throw new GitFailure(
        `${file} includes other settings (${include}), which could make git start programs. Remove that, or trust the project: --trust-workspace.`,
      );
    }),
  );
  const names = [...new Set([...(await list("--includes")), ...own.flat()])].filter((name) => FREE_NAMED.test(name));
  const required = names.map((name) => name.replace(/\.[^.]*$/, ".required"));
  const emptied = [...names, ...new Set(own.flat().filter((name) => NAMES_FILE.test(name)))];
  const settings = [...emptied.map((name) => [name, ""]), ...[...new Set(required)].map((name) => [name, "false"])];
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([name = "", value = ""], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

/** SECURITY: newer versions of git take an address here, of references that lie elsewhere. */
const REFERENCES = "extensions.refstorage";

function checkReferences(file: string, values: string): void {
  if (/[^a-z\n]/i.test(values)) throw foreign(`${REFERENCES} in ${file} leads to other references`);
}

function worktreeFiles(common: string): readonly string[] {
  return readFolder(path.join(common, "worktrees")).map(({ name }) => path.join(common, "worktrees", name, "config.worktree"));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && /No such file or directory|unable to read config file/.test(error.message);
}
