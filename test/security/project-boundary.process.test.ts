/** Which files speak for the project: not what a pull brought in the user's name, not what strangers put above it, and what is left out is said. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../../packages/hookloop/src/open/options.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { type AgentLab, type Ended, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";
import { bash, openProject, type Project } from "../engine/open-project.ts";

const IS_ROOT = process.getuid?.() === 0;
const STRANGER = 65_534;
const GUARD = { matcher: "Bash", hooks: [{ type: "command", command: "grep -q pwned && exit 2; exit 0" }] };
const OFF = { disableAllHooks: true };
const ENV = { PATH: process.env["PATH"] ?? "" };

const git = ({ home }: Pick<AgentLab, "home">, cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "protocol.file.allow=always", ...args], {
    cwd,
    env: { ...ENV, HOME: home },
    encoding: "utf8",
    stdio: "pipe",
  });

function hookloop(lab: AgentLab, cwd: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, "trust", ...args], {
    cwd,
    env: { ...ENV, HOME: lab.home },
    encoding: "utf8",
    stdio: "pipe",
  });
}

function approveAll(lab: AgentLab, cwd = lab.project): void {
  for (const { id } of JSON.parse(hookloop(lab, cwd, "--json")) as readonly { id: string }[]) hookloop(lab, cwd, "approve", id);
}

async function attempt(lab: AgentLab, { cwd = lab.project, args = [] as readonly string[] } = {}): Promise<Ended & { ran: boolean }> {
  const script = lab.script([[use("Bash", { command: "touch pwned" })], say("END")]);
  const ended = await lab.play({ cwd, args: ["-p", "go", "--script", script, "--allowedTools", "Bash", ...args] });
  return { ...ended, ran: existsSync(path.join(cwd, "pwned")) };
}

const review = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

describe("a local file that git keeps switches off nothing but its own hooks", () => {
  const LOCAL = ".claude/settings.local.json";
  const inGit = (project: Project, ...args: readonly string[]): string =>
    git({ home: path.join(project.cwd, "../home") }, project.cwd, ...args);
  /** Each makes the switch arrive with a pull, as the repository's index may look. */
  const ARRIVALS: Readonly<Record<string, (project: Project) => void>> = {
    "index version 2": (project) => arrive(project, LOCAL),
    "index version 4": (project) => {
      arrive(project, LOCAL);
      inGit(project, "update-index", "--index-version", "4");
    },
    "a split index": (project) => {
      arrive(project, LOCAL);
      inGit(project, "update-index", "--split-index");
    },
    "the native file": (project) => arrive(project, ".hookloop/hooks.local.json"),
    "a link that git keeps": (project) => {
      project.write("project/conf/x.json", OFF);
      symlinkSync("../conf/x.json", project.path(LOCAL));
      inGit(project, "add", "-f", LOCAL);
    },
    "a broken index": (project) => {
      project.write(`project/${LOCAL}`, OFF);
      project.write("project/.git/index", "DIRC nonsense and more of it");
    },
    "a pipe in place of the index": (project) => {
      project.write(`project/${LOCAL}`, OFF);
      rmSync(project.path(".git/index"));
      execFileSync("mkfifo", [project.path(".git/index")]);
    },
  };

  function arrive(project: Project, name: string): void {
    project.write(`project/${name}`, OFF);
    inGit(project, "add", "-f", name, "README.md");
  }

  async function approvedProject(cwd?: string): Promise<Project> {
    const project = openProject({ project: { hooks: { PreToolUse: [GUARD] } } });
    project.write("project/README.md", "x");
    inGit(project, "init", "-q");
    inGit(project, "add", ".");
    await approveIn(project, cwd);
    return project;
  }

  async function approveIn(project: Project, cwd = project.cwd): Promise<void> {
    await (await project.open({ cwd, trust: { review } })).close();
  }

  async function isOff(project: Project, cwd = project.cwd): Promise<boolean> {
    const hooks = await project.open({ cwd, trust: "store" });
    return (await hooks.fire("PreToolUse", bash("touch pwned"))).decision !== "deny";
  }

  test.each(Object.entries(ARRIVALS))("%s", async (_, make) => {
    const project = await approvedProject();
    make(project);
    expect(await isOff(project)).toBe(false);
    expect(project.codes()).toContain("HL_CONFIG_COMMITTED");
  });

  test("in a worktree, whose index lies elsewhere", async () => {
    const project = await approvedProject();
    project.write(`project/${LOCAL}`, OFF);
    inGit(project, "add", "-f", ".");
    inGit(project, "commit", "-qm", "x");
    inGit(project, "worktree", "add", "-q", "../tree");
    const cwd = path.join(project.cwd, "../tree");
    await approveIn(project, cwd);
    expect([await isOff(project, cwd), project.codes().includes("HL_CONFIG_COMMITTED")]).toEqual([false, true]);
  });

  test("the user's own local file, which git does not keep, does once that is approved", async () => {
    const project = await approvedProject();
    project.write(`project/${LOCAL}`, OFF);
    expect(await isOff(project)).toBe(false);
    await approveIn(project);
    expect([await isOff(project), project.codes().includes("HL_CONFIG_COMMITTED")]).toEqual([true, false]);
  });
});

describe("a repository above the project that is not the user's does not speak for it", () => {
  function openShared(): AgentLab & { readonly inner: string } {
    const lab = openAgentLab();
    lab.write("shared/proj/.claude/settings.json", { hooks: { PreToolUse: [GUARD] } });
    const inner = path.join(lab.base, "shared/proj");
    approveAll(lab, inner);
    return { ...lab, inner };
  }

  function plant(lab: AgentLab, parts: readonly string[]): void {
    mkdirSync(path.join(lab.base, "shared/.git"));
    lab.write("shared/.claude/settings.local.json", OFF);
    for (const name of parts) chownSync(path.join(lab.base, "shared", name), STRANGER, STRANGER);
  }

  test.runIf(IS_ROOT).each([[["."]], [[".git"]], [[".claude"]], [[".claude/settings.local.json"]]])(
    "%j is another user's",
    async (parts) => {
      const lab = openShared();
      plant(lab, parts);
      const { ran, stderr } = await attempt(lab, { cwd: lab.inner });
      expect(ran).toBe(false);
      expect(stderr).toContain("HL_CONFIG_NOT_OF_PROJECT");
    },
  );

  test("one above the home folder", async () => {
    const lab = openAgentLab();
    lab.write("home/proj/.claude/settings.json", { hooks: { PreToolUse: [GUARD] } });
    const cwd = path.join(lab.home, "proj");
    approveAll(lab, cwd);
    mkdirSync(path.join(lab.base, ".git"));
    lab.write(".claude/settings.local.json", OFF);
    const { ran, stderr } = await attempt(lab, { cwd });
    expect([ran, stderr.includes("HL_CONFIG_NOT_OF_PROJECT")]).toEqual([false, true]);
  });

  test("the user's own does, once that is approved", async () => {
    const lab = openShared();
    plant(lab, []);
    expect((await attempt(lab, { cwd: lab.inner })).ran).toBe(false);
    approveAll(lab, lab.inner);
    expect((await attempt(lab, { cwd: lab.inner })).ran).toBe(true);
  });
});

describe("a session in a folder below a project's says that its guards are not there", () => {
  function openBelow(isApproved: boolean): AgentLab & { readonly sub: string } {
    const lab = openAgentLab();
    lab.write("work/app/.claude/settings.json", { hooks: { PreToolUse: [GUARD] } });
    if (isApproved) approveAll(lab, path.join(lab.base, "work/app"));
    const sub = path.join(lab.base, "work/app/packages/one");
    mkdirSync(sub, { recursive: true });
    return { ...lab, sub };
  }

  test("with the folder to start in, and --require-hooks does not start", async () => {
    const lab = openBelow(false);
    const { stderr, exit } = await attempt(lab, { cwd: lab.sub });
    expect([exit, stderr.includes("HL_CONFIG_ABOVE"), stderr.includes(`cd ${path.join(lab.base, "work/app")}`)]).toEqual([0, true, true]);
    mkdirSync(path.join(lab.base, "work/app/packages/two"));
    const strict = await attempt(lab, { cwd: path.join(lab.base, "work/app/packages/two"), args: ["--require-hooks"] });
    expect([strict.exit, strict.ran]).toEqual([1, false]);
    expect(hookloop(lab, lab.sub)).toBe("No hooks count in this folder; there are some above it.\n");
  });

  test("a repository of its own below it changes nothing about that", async () => {
    const lab = openBelow(false);
    mkdirSync(path.join(lab.sub, ".git"));
    expect((await attempt(lab, { cwd: lab.sub })).stderr).toContain("HL_CONFIG_ABOVE");
  });

  test("if a gate was approved there, nothing starts without a terminal, whether or not its file is left", async () => {
    const lab = openBelow(true);
    const { exit, ran, stderr } = await attempt(lab, { cwd: lab.sub });
    expect([exit, ran]).toEqual([1, false]);
    expect(stderr).toContain("HL_TRUST_GATE_ABOVE");
    rmSync(path.join(lab.base, "work/app/.claude"), { recursive: true });
    const again = await attempt(lab, { cwd: lab.sub });
    expect([again.exit, again.ran]).toEqual([1, false]);
    expect((await attempt(lab, { cwd: lab.sub, args: ["--allow-changed-hooks"] })).exit).toBe(0);
    const [, id = ""] = /hookloop trust revoke (\S+)\./.exec(again.stderr) ?? [];
    expect(hookloop(lab, lab.sub)).toMatch(/\sabove\s+no\s/);
    expect(hookloop(lab, lab.sub, "revoke", id)).toContain("forgotten");
    expect((await attempt(lab, { cwd: lab.sub })).exit).toBe(0);
  });

  test("gates of an added directory are named", async () => {
    const lab = openBelow(true);
    const { exit, stderr } = await attempt(lab, { args: ["--add-dir", lab.sub] });
    expect([exit, stderr.includes("HL_TRUST_GATE_ABOVE"), stderr.includes(path.join(lab.base, "work/app"))]).toEqual([0, true, true]);
  });

  test("where nothing lies above, nothing is said", async () => {
    const lab = openAgentLab();
    mkdirSync(path.join(lab.project, "sub"));
    expect((await attempt(lab, { cwd: path.join(lab.project, "sub") })).stderr).not.toContain("HL_CONFIG_ABOVE");
  });
});

describe("a command that needs no permission is never a program of the project", () => {
  const run = async (lab: AgentLab, command: string, folder: string, cwd = lab.project): Promise<boolean> => {
    const script = lab.script([[use("Bash", { command })], say("END")]);
    await lab.play({ cwd, args: ["-p", "go", "--script", script], env: { PATH: `${folder}${path.delimiter}${ENV.PATH}` } });
    return existsSync(path.join(lab.base, "ran"));
  };
  const plant = (lab: AgentLab, name: string): void => {
    lab.write(name, `#!/bin/sh\n/bin/touch ${lab.base}/ran\n`);
  };

  test.each([
    ["ls", "ls"],
    ["grep x README.md", "grep"],
    ["timeout 5 ls", "timeout"],
    ["nice cat README.md", "cat"],
    ["cat README.md | head -1", "head"],
  ])("%s, with %s in node_modules/.bin", async (command, name) => {
    const lab = openAgentLab();
    lab.write("project/README.md", "x\n");
    plant(lab, `project/node_modules/.bin/${name}`);
    expect(await run(lab, command, path.join(lab.project, "node_modules/.bin"))).toBe(false);
  });

  test("through a link to the project, and from a folder above the session's in the same repository", async () => {
    const lab = openAgentLab();
    plant(lab, "project/bin/ls");
    symlinkSync(lab.project, path.join(lab.base, "link"));
    expect(await run(lab, "ls", path.join(lab.base, "link/bin"))).toBe(false);
    mkdirSync(path.join(lab.project, ".git"));
    mkdirSync(path.join(lab.project, "sub"));
    expect(await run(lab, "ls", path.join(lab.project, "bin"), path.join(lab.project, "sub"))).toBe(false);
  });

  test("programs of the user's own folders run as before", async () => {
    const lab = openAgentLab();
    plant(lab, "home/bin/ls");
    chmodSync(path.join(lab.home, "bin/ls"), 0o755);
    expect(await run(lab, "ls", path.join(lab.home, "bin"))).toBe(true);
  });
});

describe("the store, not the file, says which gates were approved above the session's folder", () => {
  /** A gate that was approved in `work/app`; sessions start in `work/app/sub`. */
  async function openApproved(): Promise<Project & { readonly app: string; readonly sub: string }> {
    const project = openProject();
    project.write("work/app/.claude/settings.json", { hooks: { PreToolUse: [GUARD] } });
    const app = path.join(project.cwd, "../work/app");
    await (await project.open({ cwd: app, trust: { review } })).close();
    mkdirSync(path.join(app, "sub"));
    project.diagnostics.splice(0);
    return { ...project, app, sub: path.join(app, "sub") };
  }
  type Approved = Awaited<ReturnType<typeof openApproved>>;
  const settings = (app: string): string => path.join(app, ".claude/settings.json");
  /** How the folder is reached, if not by its own name. */
  type Way = { readonly cwd?: string; readonly pwd?: string };

  const CASES: Readonly<Record<string, (project: Approved) => Way | undefined>> = {
    "the file is there": () => ({}),
    "the file is gone": ({ app }) => void rmSync(settings(app)),
    "the folder of the file is gone": ({ app }) => void rmSync(path.dirname(settings(app)), { recursive: true }),
    "the folder of the file is empty": ({ app }) => {
      rmSync(path.dirname(settings(app)), { recursive: true });
      return void mkdirSync(path.dirname(settings(app)));
    },
    "the folder of the file is a link to nothing": ({ app }) => {
      rmSync(path.dirname(settings(app)), { recursive: true });
      return void symlinkSync("/nonexistent", path.dirname(settings(app)));
    },
    "a repository of its own below": ({ app, sub }) => {
      rmSync(settings(app));
      return void mkdirSync(path.join(sub, ".git"));
    },
    "several folders below": ({ app, sub }) => {
      rmSync(settings(app));
      mkdirSync(path.join(sub, "a/b/c"), { recursive: true });
      return { cwd: path.join(sub, "a/b/c") };
    },
    "a link that leads into it": ({ app, sub }) => {
      symlinkSync(sub, path.join(app, "../../link"));
      return { cwd: path.join(app, "../../link") };
    },
    "a link in it that leads out of it": ({ app, sub }) => {
      mkdirSync(path.join(app, "../other"));
      rmSync(sub, { recursive: true });
      symlinkSync("../other", sub);
      return {};
    },
    "a link in it that leads out of it, which only the shell knows": ({ app, sub }) => {
      mkdirSync(path.join(app, "../other"));
      rmSync(sub, { recursive: true });
      symlinkSync("../other", sub);
      return { cwd: path.join(app, "../other"), pwd: sub };
    },
    "a link in its own place": ({ app }) => {
      renameSync(app, `${app}.moved`);
      symlinkSync("app.moved", app);
      return { cwd: `${app}.moved`, pwd: app };
    },
    "moved, with a link to where it is now": ({ app }) => {
      renameSync(app, `${app}.moved`);
      symlinkSync("app.moved", app);
      return { cwd: `${app}.moved/sub` };
    },
  };

  test.each(Object.entries(CASES))("%s", async (_, tamper) => {
    const project = await openApproved();
    const { cwd = project.sub, pwd } = tamper(project) ?? {};
    const options = { cwd, trust: "store", ports: { env: pwd === undefined ? {} : { PWD: pwd } } } as const;
    const hooks = await project.open(options);
    expect(hooks.trust.gatesAbove).toMatchObject([{ source: { root: project.app } }]);
    expect(project.codes()).toContain("HL_TRUST_GATE_ABOVE");
    const strict = await project.open({ ...options, requireHooks: true });
    expect(strict.trust.cannotStart.map(({ code }) => code)).toContain("HL_TRUST_REQUIRED");
  });

  test.runIf(IS_ROOT)("the file is another user's", async () => {
    const project = await openApproved();
    for (const file of [settings(project.app), path.dirname(settings(project.app))]) chownSync(file, STRANGER, STRANGER);
    expect((await project.open({ cwd: project.sub, trust: "store" })).trust.gatesAbove).toHaveLength(1);
  });

  test("a store that cannot be read says nothing: what is there may have been approved", async () => {
    const project = await openApproved();
    project.write("home/.local/state/hookloop/trust.json", "{ nope");
    expect((await project.open({ cwd: project.sub, trust: "store" })).trust.gatesAbove).toHaveLength(1);
  });

  test("not above: a folder whose name begins alike, the home folder, the folder itself, a program that decides itself", async () => {
    const project = await openApproved();
    mkdirSync(`${project.app}2`);
    const home = path.join(project.cwd, "../home");
    project.write("home/.claude/settings.local.json", { hooks: { PreToolUse: [GUARD] } });
    await (await project.open({ cwd: home, trust: { review } })).close();
    mkdirSync(path.join(home, "other"));
    const above = async (cwd: string, trust: OpenOptions["trust"] = "store"): Promise<number> =>
      (await project.open({ cwd, trust })).trust.gatesAbove.length;
    expect(await Promise.all([`${project.app}2`, path.join(home, "other"), project.app].map((cwd) => above(cwd)))).toEqual([0, 0, 0]);
    expect([await above(project.sub, "implicit"), await above(project.sub, { projectHooks: false })]).toEqual([0, 0]);
  });
});
