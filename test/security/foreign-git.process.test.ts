/** A project's `.git` is as hostile as its other files: before trust git reads from and writes to the project's own repository only. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isCommitted } from "../../packages/hookloop/src/config/find/find-sources.ts";
import { type AgentLab, type Ended, openAgentLab, say, use } from "../agent/agent-lab.ts";

function git(cwd: string, ...args: readonly string[]): string {
  const settings = ["user.name=tester", "user.email=tester@example.invalid", "init.defaultBranch=main", "protocol.file.allow=always"];
  const own = settings.flatMap((setting) => ["-c", setting]);
  return execFileSync("git", [...own, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

const SECRET = "the private text";

interface Scene extends AgentLab {
  /** A repository of the user's that has nothing to do with the project. */
  readonly priv: string;
  readonly privGit: string;
  /** The project's `.git`, and a path in it. */
  readonly dotGit: string;
  readonly at: (name: string) => string;
  readonly swap: (name: string, target: string) => void;
}

function commitAll(folder: string): void {
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
}

function openScene(): Scene {
  const lab = openAgentLab();
  lab.write("home/priv/secret.txt", `${SECRET}\n`);
  const priv = path.join(lab.home, "priv");
  commitAll(priv);
  lab.write("project/a.txt", "one\n");
  commitAll(lab.project);
  const dotGit = path.join(lab.project, ".git");
  const at = (name: string): string => path.join(dotGit, name);
  const swap = (name: string, target: string): void => {
    rmSync(at(name), { recursive: true, force: true });
    mkdirSync(path.dirname(at(name)), { recursive: true });
    symlinkSync(target, at(name));
  };
  return { ...lab, priv, privGit: path.join(priv, ".git"), dotGit, at, swap };
}

async function enter(lab: AgentLab, { cwd = lab.project, args = [] as readonly string[] } = {}): Promise<Ended> {
  const turns = [
    [use("EnterWorktree", { name: "fix" })],
    [use("Bash", { command: "cat *.txt" })],
    [use("ExitWorktree", { action: "remove" })],
  ];
  const flags = ["-p", "go", "--script", lab.script([...turns, say("bye")]), "--output-format", "stream-json", "--verbose"];
  return await lab.play({ args: [...flags, "--allowedTools", "EnterWorktree,ExitWorktree,Bash", ...args], cwd });
}

/** Every file of a folder with its bytes. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => [name, lstatSync(path.join(folder, name)).isFile() ? readFileSync(path.join(folder, name), "latin1") : ""]),
  );
}

/** The objects of the project's store become those of the private one. */
const useCommitOf = ({ privGit, at }: Scene): void => {
  const commit = git(path.dirname(privGit), "rev-parse", "HEAD");
  writeFileSync(at("refs/heads/main"), `${commit}\n`);
};
const looseObject = (folder: string): string => {
  const blob = git(folder, "rev-parse", "HEAD");
  return `objects/${blob.slice(0, 2)}/${blob.slice(2)}`;
};

const LEADS_OUT: Readonly<Record<string, (scene: Scene) => void>> = {
  "a file .git with the path of another repository": ({ dotGit, privGit }) => {
    rmSync(dotGit, { recursive: true });
    writeFileSync(dotGit, `gitdir: ${privGit}\n`);
  },
  "the same with a relative path, a carriage return and a folder that git does not mean": ({ dotGit, privGit, project }) => {
    renameSync(dotGit, path.join(project, "store\r"));
    symlinkSync(privGit, path.join(project, "store"));
    writeFileSync(dotGit, "gitdir: store\r\n");
  },
  "a link .git to another repository": ({ dotGit, privGit }) => {
    rmSync(dotGit, { recursive: true });
    symlinkSync(privGit, dotGit);
  },
  "a link .git to the file .git of another worktree": ({ dotGit, priv, home }) => {
    git(priv, "worktree", "add", "-q", path.join(home, "feature"));
    rmSync(dotGit, { recursive: true });
    symlinkSync(path.join(home, "feature/.git"), dotGit);
  },
  "a file .git with the entry of another worktree": ({ dotGit, priv, privGit, home }) => {
    git(priv, "worktree", "add", "-q", path.join(home, "feature"));
    rmSync(dotGit, { recursive: true });
    writeFileSync(dotGit, `gitdir: ${privGit}/worktrees/feature\n`);
  },
  "a commondir": ({ at, privGit }) => writeFileSync(at("commondir"), `${privGit}\n`),
  "a commondir in an entry of its own that claims to be a worktree": ({ dotGit, privGit, project, home }) => {
    const entry = path.join(home, "planted/worktrees/x");
    mkdirSync(entry, { recursive: true });
    writeFileSync(path.join(entry, "commondir"), `${privGit}\n`);
    writeFileSync(path.join(entry, "gitdir"), `${path.join(project, ".git")}\n`);
    writeFileSync(path.join(entry, "HEAD"), "ref: refs/heads/main\n");
    rmSync(dotGit, { recursive: true });
    writeFileSync(dotGit, `gitdir: ${entry}\n`);
  },
  "alternates, and a branch that is a link": (scene) => {
    writeFileSync(scene.at("objects/info/alternates"), `${scene.privGit}/objects\n`);
    scene.swap("refs/heads/main", path.join(scene.privGit, "refs/heads/main"));
  },
  "alternates, and a known commit": (scene) => {
    writeFileSync(scene.at("objects/info/alternates"), `# none\n\n${scene.privGit}/objects\n`);
    useCommitOf(scene);
  },
  "alternates of alternates": (scene) => {
    scene.write("project/store/info/alternates", `${scene.privGit}/objects\n`);
    writeFileSync(scene.at("objects/info/alternates"), "../../store\n");
    useCommitOf(scene);
  },
  "alternates that are a link": (scene) => {
    scene.write("project/list", `${scene.privGit}/objects\n`);
    scene.swap("objects/info/alternates", "../../../list");
    useCommitOf(scene);
  },
  "http-alternates": ({ at, privGit }) => writeFileSync(at("objects/info/http-alternates"), `${privGit}/objects\n`),
  "objects as a link": (scene) => {
    scene.swap("objects", path.join(scene.privGit, "objects"));
    useCommitOf(scene);
  },
  "objects as a link to a folder of the project that borrows": (scene) => {
    renameSync(scene.at("objects"), path.join(scene.project, "store"));
    scene.write("project/store/info/alternates", `${scene.privGit}/objects\n`);
    symlinkSync("../store", scene.at("objects"));
    useCommitOf(scene);
  },
  "objects as a link to an unused place": (scene) => {
    mkdirSync(scene.at("modules"), { recursive: true });
    renameSync(scene.at("objects"), scene.at("modules/store"));
    writeFileSync(scene.at("modules/store/info/alternates"), `${scene.privGit}/objects\n`);
    symlinkSync("modules/store", scene.at("objects"));
    useCommitOf(scene);
  },
  "objects/pack as a link": (scene) => scene.swap("objects/pack", path.join(scene.privGit, "objects/pack")),
  "a single object as a link": (scene) => {
    const name = looseObject(scene.priv);
    scene.swap(name, path.join(scene.privGit, name));
  },
  "refs as a link": (scene) => scene.swap("refs", path.join(scene.privGit, "refs")),
  "refs/heads as a link": (scene) => scene.swap("refs/heads", path.join(scene.privGit, "refs/heads")),
  "a branch as a link": (scene) => scene.swap("refs/heads/other", path.join(scene.privGit, "refs/heads/main")),
  "packed-refs as a link": (scene) => {
    git(scene.priv, "pack-refs", "--all");
    scene.swap("packed-refs", path.join(scene.privGit, "packed-refs"));
  },
  "logs as a link": (scene) => scene.swap("logs", path.join(scene.privGit, "logs")),
  "a log that is a link to nothing": (scene) => scene.swap("logs/refs/heads/worktree-fix", path.join(scene.home, "planted")),
  "HEAD as a link": (scene) => scene.swap("HEAD", path.join(scene.privGit, "HEAD")),
  "index as a link": (scene) => scene.swap("index", path.join(scene.privGit, "index")),
  "config as a link": (scene) => scene.swap("config", path.join(scene.privGit, "config")),
  "worktrees as a link": (scene) => {
    mkdirSync(path.join(scene.privGit, "worktrees"));
    scene.swap("worktrees", path.join(scene.privGit, "worktrees"));
  },
  "another worktree's HEAD as a link": (scene) => scene.swap("worktrees/x/HEAD", path.join(scene.privGit, "HEAD")),
  "info as a link": (scene) => scene.swap("info", path.join(scene.privGit, "info")),
  "a list of tables with paths": ({ at, privGit, write }) => {
    write("project/.git/reftable/tables.list", `../../../home/priv/.git/reftable/0x1.ref\n`);
    appendFileSync(at("config"), `[extra]\n path = ${privGit}\n`);
  },
  "references kept elsewhere": ({ at, privGit }) =>
    appendFileSync(at("config"), `[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = files://${privGit}\n`),
  "a pipe for HEAD": ({ at }) => {
    rmSync(at("HEAD"));
    execFileSync("mkfifo", [at("HEAD")]);
  },
  "a .git of another user": ({ dotGit }) => chownSync(dotGit, 12_345, 12_345),
  "objects of another user": ({ at }) => chownSync(at("objects"), 12_345, 12_345),
};
const isRoot = process.getuid?.() === 0;
const rows = Object.entries(LEADS_OUT).filter(([name]) => isRoot || !name.includes("another user"));

test.each(rows)("before trust nothing is read from or written to another repository: %s", async (_, set) => {
  const scene = openScene();
  set(scene);
  const before = snapshot(scene.priv);
  const { exit, stdout } = await enter(scene);
  expect(stdout).toMatch(/HL_AGENT_FOREIGN_GIT: .*--trust-workspace/);
  expect(stdout).not.toContain(SECRET);
  expect([exit, existsSync(path.join(scene.project, ".claude/worktrees/fix")), existsSync(path.join(scene.home, "planted/a"))]).toEqual([
    0,
    false,
    false,
  ]);
  expect(snapshot(scene.priv)).toEqual(before);
});

test("a repository of the home folder is not that of a project below it that has none", async () => {
  const scene = openScene();
  rmSync(scene.dotGit, { recursive: true });
  const inHome = path.join(scene.priv, "unpacked");
  cpSync(scene.project, inHome, { recursive: true });
  const { stdout } = await scene.play({
    args: [
      "-p",
      "go",
      "--script",
      scene.script([[use("EnterWorktree", { name: "fix" })], say("bye")]),
      "--output-format",
      "stream-json",
      "--verbose",
      "--allowedTools",
      "EnterWorktree",
    ],
    cwd: inHome,
    env: { HOME: scene.priv },
  });
  expect(stdout).toContain("HL_AGENT_FOREIGN_GIT");
  expect(existsSync(path.join(inHome, ".claude/worktrees/fix"))).toBe(false);
});

test("core.worktree and variables of the caller's git lead nowhere else", async () => {
  const scene = openScene();
  appendFileSync(scene.at("config"), `[core]\n worktree = ${scene.priv}\n`);
  const before = snapshot(scene.priv);
  const script = scene.script([[use("EnterWorktree", { name: "fix" })], [use("Bash", { command: "cat *.txt" })], say("bye")]);
  const { stdout } = await scene.play({
    args: ["-p", "go", "--script", script, "--output-format", "stream-json", "--verbose", "--allowedTools", "EnterWorktree,Bash"],
    env: {
      GIT_DIR: scene.privGit,
      GIT_WORK_TREE: scene.priv,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: `${scene.privGit}/objects`,
      GIT_COMMON_DIR: scene.privGit,
    },
  });
  expect(stdout).toContain("was made");
  expect(stdout).not.toContain(SECRET);
  expect(snapshot(scene.priv)).toEqual(before);
});

const OWN: Readonly<Record<string, (scene: Scene) => string>> = {
  "a repository of the usual kind": ({ project }) => project,
  "a folder below it": (scene) => path.dirname(scene.write("project/deep/er/b.md", "b")),
  "packed objects and references": ({ project }) => {
    git(project, "gc", "-q");
    return project;
  },
  "a linked worktree of the user's own": ({ priv, home }) => {
    git(priv, "worktree", "add", "-q", path.join(home, "feature"));
    return path.join(home, "feature");
  },
  "a submodule of the user's own": ({ project, priv }) => {
    git(priv, "submodule", "add", "-q", project, "lib");
    return path.join(priv, "lib");
  },
  "a worktree of a submodule": ({ project, priv, home }) => {
    git(priv, "submodule", "add", "-q", project, "lib");
    git(path.join(priv, "lib"), "worktree", "add", "-q", path.join(home, "lib-feature"));
    return path.join(home, "lib-feature");
  },
  "a git folder under another name in the project": ({ project, dotGit }) => {
    renameSync(dotGit, path.join(project, ".bare"));
    writeFileSync(dotGit, "gitdir: ./.bare\n");
    return project;
  },
  "hooks that are a link, which is not used": (scene) => {
    scene.swap("hooks", scene.home);
    return scene.project;
  },
  "HEAD as a link to its branch, as old versions write it": (scene) => {
    scene.swap("HEAD", "refs/heads/main");
    return scene.project;
  },
};

test.each(Object.entries(OWN))("before trust a worktree is made and removed in %s", async (_, set) => {
  const scene = openScene();
  const cwd = set(scene);
  const { stdout } = await enter(scene, { cwd });
  expect(stdout).not.toContain("HL_AGENT_FOREIGN_GIT");
  expect(stdout).toMatch(/The worktree fix was made[\s\S]*(?:the private text|one)[\s\S]*The worktree fix was removed/);
});

test("a list of ignored files that the project's configuration names is not read", async () => {
  const scene = openScene();
  const list = scene.write("home/ignored", "new.txt\n");
  appendFileSync(scene.at("config"), `[core]\n excludesFile = ${list}\n`);
  const turns = [
    [use("EnterWorktree", { name: "fix" })],
    [use("Bash", { command: "touch new.txt" })],
    [use("ExitWorktree", { action: "remove" })],
  ];
  const flags = ["-p", "go", "--script", scene.script([...turns, say("bye")]), "--output-format", "stream-json", "--verbose"];
  const { stdout } = await scene.play({ args: [...flags, "--allowedTools", "EnterWorktree,ExitWorktree,Bash"] });
  expect(stdout).toContain("?? new.txt");
});

test("in a trusted workspace git goes where .git leads", async () => {
  const scene = openScene();
  writeFileSync(scene.at("objects/info/alternates"), `${scene.privGit}/objects\n`);
  const { stdout } = await enter(scene, { args: ["--trust-workspace"] });
  expect(stdout).toContain("The worktree fix was made");
});

test("whether git keeps a file is not asked of another repository: then it counts as kept", () => {
  const scene = openScene();
  const file = scene.write("project/.claude/settings.local.json", {});
  expect(isCommitted(file)).toBe(false);
  for (const name of ["a file .git with the path of another repository", "a link .git to another repository", "index as a link"]) {
    const other = openScene();
    LEADS_OUT[name]?.(other);
    expect([name, isCommitted(other.write("project/.claude/settings.local.json", {}))]).toEqual([name, true]);
  }
});
