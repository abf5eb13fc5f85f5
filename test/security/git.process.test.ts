/** What git is asked to do for the agent starts no program that the repository's own configuration names. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentLab, type Block, type Ended, openAgentLab, say, use } from "../agent/agent-lab.ts";

function git(cwd: string, ...args: readonly string[]): string {
  const own = [
    "-c",
    "user.name=tester",
    "-c",
    "user.email=tester@example.invalid",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "protocol.file.allow=always",
  ];
  return execFileSync("git", [...own, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

interface Repository extends AgentLab {
  readonly mark: string;
  /** A program that leaves the mark and passes its input on. */
  readonly trap: string;
  /** One that leaves the mark and ends: a transport that waits would outlive the test. */
  readonly transport: string;
  readonly config: (text: string) => void;
  readonly tree: string;
}

/** An unpacked repository: what stands in `.git` is as hostile as the rest. */
function openRepository(): Repository {
  const lab = openAgentLab();
  const mark = path.join(lab.base, "mark");
  const trap = lab.write("trap.sh", `#!/bin/sh\ntouch ${mark}\ncat\n`);
  const transport = lab.write("transport.sh", `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
  lab.write("project/a.txt", "one\n");
  lab.write("project/.gitattributes", "* filter=evil diff=evil merge=evil\n*.odd filter=o=d.d\n");
  lab.write("project/b.odd", "one\n");
  git(lab.project, "init", "-q");
  git(lab.project, "add", ".");
  git(lab.project, "commit", "-qm", "first");
  const config = (text: string): void => {
    const file = path.join(lab.project, ".git/config");
    writeFileSync(file, `${readFileSync(file, "utf8")}\n${text}\n`);
  };
  return { ...lab, mark, trap, transport, config, tree: path.join(lab.project, ".claude/worktrees/fix") };
}

async function run(lab: Repository, turns: readonly (readonly Block[])[], args: readonly string[] = []): Promise<Ended> {
  const flags = ["-p", "go", "--script", lab.script([...turns, say("bye")]), "--output-format", "stream-json"];
  return await lab.play({ args: [...flags, "--allowedTools", "EnterWorktree,ExitWorktree,Bash", ...args] });
}

/** In and out again, with a file that git has to look into. */
const VISIT: readonly (readonly Block[])[] = [
  [use("EnterWorktree", { name: "fix" })],
  [use("Bash", { command: "test -e a.txt && touch -d '1 hour ago' a.txt b.odd" })],
  [use("ExitWorktree", { action: "remove" })],
];

const TRAPS: Readonly<Record<string, (lab: Repository) => void>> = {
  filters: ({ config, trap }) =>
    config(`[filter "evil"]\n smudge = ${trap}\n clean = ${trap}\n required = true\n[filter "o=d.d"]\n smudge = ${trap}\n clean = ${trap}`),
  "a filter that stays open": ({ config, trap }) => config(`[filter "evil"]\n process = ${trap}\n`),
  hooks: (lab) => {
    for (const name of ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-commit"])
      lab.write(`project/.git/hooks/${name}`, `#!/bin/sh\ntouch ${lab.mark}\n`);
    for (const name of ["post-checkout", "reference-transaction"]) lab.write(`project/.husky/${name}`, `#!/bin/sh\ntouch ${lab.mark}\n`);
    lab.config(`[core]\n hooksPath = .husky\n[hook "x"]\n event = post-checkout\n command = ${lab.trap}`);
  },
  "pager, editor, file watcher, ssh, proxy, credentials, signatures": ({ config, trap }) =>
    config(
      `[core]\n fsmonitor = ${trap}\n pager = ${trap}\n editor = ${trap}\n sshCommand = ${trap}\n gitProxy = ${trap}\n askPass = ${trap}\n alternateRefsCommand = ${trap}\n[pager]\n branch = ${trap}\n status = ${trap}\n[gpg]\n program = ${trap}\n[credential]\n helper = ${trap}\n[diff "evil"]\n textconv = ${trap}\n command = ${trap}\n[diff]\n external = ${trap}\n[merge "evil"]\n driver = ${trap}\n[alias]\n worktree = !${trap}\n status = !${trap}\n rev-parse = !${trap}\n[log]\n showSignature = true\n[status]\n submoduleSummary = true`,
    ),
  "a missing object that would be fetched": (lab) => {
    const blob = git(lab.project, "rev-parse", "HEAD:a.txt");
    rmSync(path.join(lab.project, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    lab.config(
      `[core]\n repositoryformatversion = 1\n sshCommand = ${lab.transport}\n[extensions]\n partialClone = origin\n[remote "origin"]\n url = "ext::${lab.transport}"\n promisor = true\n uploadpack = ${lab.transport}\n[protocol "ext"]\n allow = always`,
    );
  },
  "a remote that is a path with a program of its own": (lab) => {
    const blob = git(lab.project, "rev-parse", "HEAD:a.txt");
    rmSync(path.join(lab.project, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    lab.config(
      `[core]\n repositoryformatversion = 1\n[extensions]\n partialClone = origin\n[remote "origin"]\n url = ${lab.project}\n promisor = true\n uploadpack = ${lab.transport}\n[protocol]\n allow = always`,
    );
  },
  "settings from another file": (lab) => {
    lab.write("project/.gitsettings", `[filter "evil"]\n smudge = ${lab.trap}\n clean = ${lab.trap}\n`);
    lab.config("[include]\n path = ../.gitsettings");
  },
  "settings that count only on the new branch": (lab) => {
    const file = lab.write("project/.gitsettings", `[filter "evil"]\n smudge = ${lab.trap}\n clean = ${lab.trap}\n`);
    lab.config(`[includeIf "onbranch:worktree-*"]\n path = ${file}\n[includeIf "gitdir:**/worktrees/**"]\n path = ${file}`);
  },
  "settings of one worktree": (lab) => {
    lab.config("[extensions]\n worktreeConfig = true");
    lab.write("project/.git/config.worktree", `[filter "evil"]\n smudge = ${lab.trap}\n clean = ${lab.trap}\n`);
  },
};

test.each(Object.entries(TRAPS))("git starts nothing for: %s", async (_, set) => {
  const lab = openRepository();
  set(lab);
  const { exit } = await run(lab, VISIT);
  expect([exit, existsSync(lab.mark)]).toEqual([0, false]);
});

test("filters of the repository are left out before the workspace is trusted, so the worktree is made all the same; hooks never run", async () => {
  const lab = openRepository();
  lab.config(`[filter "evil"]\n smudge = ${lab.trap}\n clean = ${lab.trap}`);
  await run(lab, [[use("EnterWorktree", { name: "fix" })]]);
  expect(readFileSync(path.join(lab.tree, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(lab.mark)).toBe(false);
});

test("in a trusted workspace its filters run", async () => {
  const lab = openRepository();
  lab.config(`[filter "evil"]\n smudge = ${lab.trap}\n clean = cat`);
  await run(lab, [[use("EnterWorktree", { name: "fix" })]], ["--trust-workspace"]);
  expect(existsSync(lab.mark)).toBe(true);
});

test("settings that are included are refused in words before the workspace is trusted", async () => {
  const lab = openRepository();
  lab.config("[include]\n path = ../.gitsettings");
  const { stdout } = await run(lab, [[use("EnterWorktree", { name: "fix" })]]);
  expect(stdout).toMatch(/include\.path.*--trust-workspace/);
  expect(existsSync(lab.tree)).toBe(false);
});

test("a folder of the project that looks like a repository is none: the project's own is used", async () => {
  const lab = openRepository();
  const folder = path.join(lab.project, "fake");
  execFileSync("cp", ["-r", path.join(lab.project, ".git"), folder]);
  writeFileSync(
    path.join(folder, "config"),
    `[core]\n repositoryformatversion = 0\n bare = false\n worktree = ..\n fsmonitor = ${lab.trap}\n[filter "evil"]\n smudge = ${lab.trap}\n`,
  );
  const flags = [
    "-p",
    "go",
    "--script",
    lab.script([...VISIT, say("bye")]),
    "--output-format",
    "stream-json",
    "--allowedTools",
    "EnterWorktree,ExitWorktree,Bash",
  ];
  const { stdout } = await lab.play({ args: flags, cwd: folder });
  expect(existsSync(lab.mark)).toBe(false);
  expect(stdout).toContain("was made");
  expect(git(lab.project, "branch", "--list", "worktree-fix")).toBe("");
});

test("a pipe in place of a worktree's .git holds nothing up", async () => {
  const lab = openRepository();
  mkdirSync(lab.tree, { recursive: true });
  execFileSync("mkfifo", [path.join(lab.tree, ".git")]);
  const { exit, stdout } = await run(lab, [[use("EnterWorktree", { name: "fix" })]]);
  expect(exit).toBe(0);
  expect(stdout).toContain("is no worktree of this repository");
});

test("a .gitignore of worktrees that is a link to nothing creates no file elsewhere", async () => {
  const lab = openRepository();
  mkdirSync(path.dirname(lab.tree), { recursive: true });
  symlinkSync(path.join(lab.home, "planted"), path.join(path.dirname(lab.tree), ".gitignore"));
  await run(lab, VISIT);
  expect(existsSync(path.join(lab.home, "planted"))).toBe(false);
});

test("one file of the program starts git, and nothing else is started by its bare name", () => {
  const source = path.resolve("packages/hookloop/src");
  const starts = '(spawn|spawnSync|execFile|execFileSync|exec|execSync|systemProgram)\\("|file: "[a-z]';
  const options = [
    "-rnE",
    starts,
    source,
    "--include=*.ts",
    "--exclude=*.test.ts",
    "--exclude=*.test-suite.ts",
    "--exclude-dir=shell",
    "--exclude-dir=offline",
  ];
  const found = execFileSync("grep", options, { encoding: "utf8" }).trim().split("\n");
  const lines = found.map((line) => line.slice(source.length + 1)).filter((line) => !/\/\*\*|checkEntries\(|file: "text"/.test(line));
  expect(lines.filter((line) => !line.includes('systemProgram("'))).toEqual([]);
  expect(lines.filter((line) => line.includes('"git"')).map((line) => line.replace(/:.*/, ""))).toEqual(["run/process/git.ts"]);
});
