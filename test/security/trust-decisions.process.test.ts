/** What an agent may run is decided by the user: neither its tools nor its hooks approve, refuse or take back, whatever they do it with. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { OpenOptions } from "../../packages/hookloop/src/open/options.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { type AgentLab, openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";
import { bash as call, FILES, hooksFor, openProject, type Project } from "../engine/open-project.ts";

const HAS_PROC = process.platform === "linux";
const GUARD = { matcher: "Bash", hooks: [{ type: "command", command: "grep -q pwned && exit 2; exit 0" }] };
const SNEAKY = { hooks: [{ type: "command", command: "touch sneaky-ran" }] };

type Terminal = (...args: readonly string[]) => string;

/** A project with an approved guard and a hook that is not approved; `terminal` runs hookloop in a terminal of its own. */
function openLab(): AgentLab & { readonly terminal: Terminal; readonly guard: string; readonly sneaky: string } {
  const lab = openAgentLab();
  lab.settings({ hooks: { PreToolUse: [GUARD], SessionStart: [SNEAKY] } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  const terminal: Terminal = (...args) => execFileSync(process.execPath, [PROGRAM, ...args], { cwd: lab.project, env, encoding: "utf8" });
  const ids = (JSON.parse(terminal("trust", "--json")) as readonly { id: string }[]).map(({ id }) => id);
  const idOf = (event: string): string => ids.find((id) => id.includes(event)) ?? "";
  const guard = idOf("PreToolUse");
  terminal("trust", "approve", guard);
  return { ...lab, terminal, guard, sneaky: idOf("SessionStart") };
}

const store = (lab: AgentLab): string | undefined => lab.read("home/.local/state/hookloop/trust.json");

async function bash(lab: AgentLab, command: string): Promise<string> {
  const script = lab.script([[use("Bash", { command })], say("END")]);
  const { stdout, stderr } = await lab.play({
    args: ["-p", "go", "--script", script, "--allowedTools", "Bash", "--output-format", "stream-json"],
  });
  return stdout + stderr;
}

test("the agent's Bash tool is not allowed to run hookloop's commands that decide about trust", async () => {
  const lab = openLab();
  const before = store(lab);
  for (const [verb, id] of [
    ["approve", lab.sneaky],
    ["revoke", lab.guard],
  ])
    expect(await bash(lab, `${process.execPath} ${PROGRAM} trust ${verb} ${id}`)).toContain("trust store");
  expect(store(lab)).toBe(before);
  await bash(lab, "touch pwned");
  expect([lab.read("project/pwned"), lab.read("project/sneaky-ran")]).toEqual([undefined, undefined]);
});

/** Scripts that a command line cannot be seen to run hookloop with. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "as it is": "@@",
  "without the variables of the session": "env -u HOOKLOOP_RUN -u HOOKLOOP_SESSION_ID @@",
  "with no variable at all": 'env -i HOME="$HOME" PATH="$PATH" @@',
  "in a process session of its own": 'setsid -w env -i HOME="$HOME" PATH="$PATH" @@',
  "left running by its parent": '(env -i HOME="$HOME" PATH="$PATH" @@ &) ; sleep 3',
};

test.runIf(HAS_PROC).each(Object.entries(SCRIPTS))(
  "a script of the project that runs it (%s) is refused, and says where to do it",
  async (_, text) => {
    const lab = openLab();
    const before = store(lab);
    lab.write("project/x.sh", text.replace("@@", `${process.execPath} ${PROGRAM} trust approve ${lab.sneaky}`));
    const said = await bash(lab, "sh x.sh");
    expect(said).toContain("HL_TRUST_OF_AGENT");
    expect(said).toContain("in your own terminal");
    expect(store(lab)).toBe(before);
  },
);

test.runIf(HAS_PROC)("a hook cannot approve another one", async () => {
  const lab = openLab();
  const command = `env -i HOME="$HOME" ${process.execPath} ${PROGRAM} trust approve ${lab.sneaky} 2> said`;
  lab.write("home/.claude/settings.json", { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } });
  await lab.play({ args: ["-p", "go", "--script", lab.script([say("END")])] });
  expect(lab.read("project/said")).toContain("HL_TRUST_OF_AGENT");
  expect(store(lab)).not.toContain(`"id": "${lab.sneaky}"`);
});

test.runIf(HAS_PROC)("a program of the agent that opens hooks itself approves nothing that lasts", async () => {
  const lab = openLab();
  const before = store(lab);
  const index = path.resolve(path.dirname(PROGRAM), "../dist/lib/index.js");
  const review = "review: (all) => all.map(({ hook, digest }) => ({ id: hook.id, digest, decision: 'approve' }))";
  lab.write(
    "project/open.mjs",
    `import { openHooks } from ${JSON.stringify(index)}; await (await openHooks({ cwd: process.cwd(), sources: ["user", "project", "local", "plugin"], trust: { ${review} } })).close();`,
  );
  expect(await bash(lab, `${process.execPath} open.mjs`)).toContain("HL_TRUST_STORE_WRITE");
  expect(store(lab)).toBe(before);
  // The same program, started by the user, may.
  spawnSync(process.execPath, ["open.mjs"], { cwd: lab.project, env: { PATH: process.env["PATH"] ?? "", HOME: lab.home } });
  expect(store(lab)).not.toBe(before);
});

test("while an agent runs, the user approves in another terminal", async () => {
  const lab = openLab();
  const running = bash(lab, "for i in $(seq 100); do test -e done && break; sleep 0.1; done; cat done");
  await expect.poll(() => lab.stateFiles("sessions").length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(lab.terminal("trust", "approve", lab.sneaky)).toContain("Approved");
  lab.write("project/done", "yes");
  await running;
});

describe("a switch in the project's folder that would silence an approved gate must be approved itself", () => {
  const OFF = { disableAllHooks: true };
  const SWITCH = /^local:disableAllHooks:/;
  const answering =
    (decision: Approval["decision"] = "approve") =>
    async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
      pending.map(({ hook, digest }) => ({ id: hook.id, digest, decision }));

  /** A project with a gate that denies everything and was approved; what `arrive` does comes later. */
  async function guarded(file: "project" | "local" | "native" = "project", arrive?: (project: Project) => void): Promise<Project> {
    const project = openProject({ [file]: hooksFor("PreToolUse", "exit 2") });
    await (await project.open({ trust: { review: answering() } })).close();
    arrive?.(project);
    project.diagnostics.splice(0);
    return project;
  }
  const passes = async (hooks: HookEngine): Promise<boolean> => (await hooks.fire("PreToolUse", call("ls"))).decision !== "deny";
  const passesIn = async (project: Project, trust: OpenOptions["trust"] = "store"): Promise<boolean> => {
    const hooks = await project.open({ trust });
    const answer = await passes(hooks);
    await hooks.close();
    return answer;
  };
  const git = (project: Project, ...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: project.cwd, stdio: "ignore" });
  /** The local file came with a commit; what keeps it is undone. */
  const pulledThen =
    (...undo: readonly (readonly string[])[]) =>
    (project: Project): void => {
      git(project, "init", "-q");
      project.write(FILES.local, OFF);
      git(project, "add", "-f", ".");
      git(project, "commit", "-qm", "x");
      for (const args of undo) git(project, ...args);
    };

  const ARRIVALS: Readonly<Record<string, (project: Project) => void>> = {
    "no repository around it": (project) => void project.write(FILES.local, OFF),
    "a native local file": (project) => void project.write("project/.hookloop/hooks.local.json", OFF),
    "a repository that never listed it": (project) => {
      git(project, "init", "-q");
      project.write(FILES.local, OFF);
    },
    "git rm --cached": pulledThen(["rm", "-q", "--cached", ".claude/settings.local.json"]),
    "git read-tree --empty": pulledThen(["read-tree", "--empty"]),
    "git update-index --force-remove": pulledThen(["update-index", "--force-remove", ".claude/settings.local.json"]),
    "no index": (project) => {
      pulledThen()(project);
      rmSync(project.path(".git/index"));
    },
    "no .git": (project) => {
      pulledThen()(project);
      rmSync(project.path(".git"), { recursive: true });
    },
    "the gate's own entry gone, too": (project) => {
      project.write(FILES.local, OFF);
      project.write(FILES.project, {});
    },
    "the gate sent to the background, too": (project) => {
      project.write(FILES.local, OFF);
      project.write(FILES.project, hooksFor("PreToolUse", [{ command: "exit 2", async: true }]));
    },
    "both in the gate's own file": (project) =>
      void project.write(FILES.project, { ...OFF, ...hooksFor("PreToolUse", [{ command: "exit 2", async: true }]) }),
  };

  test.each(Object.entries(ARRIVALS))("%s: the gate blocks", async (_, arrive) => {
    const project = await guarded("project", arrive);
    const hooks = await project.open({ trust: "store" });
    expect([await passes(hooks), hooks.withheld.length]).toEqual([false, 1]);
  });

  test("a local file of the folder above that has the .git: the gate blocks", async () => {
    const project = openProject();
    project.write("project/sub/.claude/settings.json", hooksFor("PreToolUse", "exit 2"));
    mkdirSync(project.path(".git"));
    const cwd = project.path("sub");
    await (await project.open({ cwd, trust: { review: answering() } })).close();
    project.write(FILES.local, OFF);
    const hooks = await project.open({ cwd, trust: { workspace: true } });
    expect([await passes(hooks), hooks.withheld.length]).toEqual([false, 1]);
  });

  test("said with place and cure, and once approved outside of the project it counts, in a running session, too", async () => {
    for (const file of ["project", "local", "native"] as const) {
      const project = await guarded(file, (one) => void one.write("project/.hookloop/hooks.local.json", OFF));
      const running = await project.open({ trust: "store" });
      expect(await passes(running)).toBe(false);
      const said = project.diagnostics.find(({ code }) => code === "HL_TRUST_SWITCH");
      expect(said).toMatchObject({ level: "error", place: { file: project.path(".hookloop/hooks.local.json") } });
      expect(said?.text).toContain(`hookloop trust approve ${said?.hook}`);
      expect(said?.hook).toMatch(SWITCH);
      expect(await passesIn(project, { review: answering() })).toBe(true);
      expect([await passes(running), await passesIn(project)]).toEqual([true, true]);
    }
  });

  test("refused, it counts for nothing and the gate runs", async () => {
    const project = await guarded("project", (one) => void one.write(FILES.local, OFF));
    const hooks = await project.open({ trust: { review: answering("refuse") } });
    expect([hooks.withheld, hooks.admitted.length, await passes(hooks)]).toEqual([[], 1, false]);
  });

  test("its approval ends with the switch: one that comes later is asked about again", async () => {
    const project = await guarded("project", (one) => void one.write(FILES.local, OFF));
    expect(await passesIn(project, { review: answering() })).toBe(true);
    project.write(FILES.local, {});
    expect(await passesIn(project)).toBe(false);
    project.write(FILES.local, OFF);
    expect(await passesIn(project)).toBe(false);
  });

  test("its approval is for one file", async () => {
    const project = await guarded("project", (one) => void one.write(FILES.local, OFF));
    expect(await passesIn(project, { review: answering() })).toBe(true);
    rmSync(path.join(project.cwd, "..", FILES.local));
    project.write("project/.hookloop/hooks.local.json", OFF);
    expect(await passesIn(project)).toBe(false);
  });

  test("a gate that was pinned for the run is kept in force by its pin", async () => {
    for (const off of [{ local: OFF }, { project: { ...hooksFor("PreToolUse", "exit 2"), ...OFF } }]) {
      const project = openProject({ project: hooksFor("PreToolUse", "exit 2") });
      const [status] = (await project.open({ trust: "store" })).trust.statuses;
      const trust = { pinned: { [status?.hook.id ?? ""]: status?.digest ?? "" } };
      for (const [file, content] of Object.entries(off)) project.write(FILES[file as "local"], content);
      const hooks = await project.open({ trust });
      expect([await passes(hooks), await passes(hooks)]).toEqual([false, false]);
    }
  });

  test.each<readonly [string, Partial<OpenOptions>, (project: Project) => void]>([
    ["the user's own settings switch hooks off", {}, (project) => void project.write(FILES.user, OFF)],
    ["the project's hooks are off for this run", { trust: { projectHooks: false } }, () => {}],
    ["the variable names the gate", { ports: { env: { HOOKLOOP_DISABLE: "exit 2" } } }, () => {}],
    ["the workspace is trusted for this run", { trust: { workspace: true } }, () => {}],
    ["the embedding program is the authority", { trust: "implicit" }, () => {}],
    [
      "nothing was approved",
      {},
      (project) => rmSync(path.join(project.cwd, "../home/.local/state/hookloop"), { recursive: true, force: true }),
    ],
  ])("no approval is needed where %s", async (_, options, decide) => {
    const project = await guarded("project", (one) => void one.write(FILES.local, OFF));
    decide(project);
    const hooks = await project.open({ trust: "store", ...options });
    expect([await passes(hooks), hooks.withheld]).toEqual([true, []]);
    expect(project.codes()).not.toContain("HL_TRUST_SWITCH");
  });

  test("a list in the project's folder does not take the server of an approved gate away: the gate blocks", async () => {
    const headers = { Authorization: "Bearer $GATE_TOKEN" };
    const entry = { type: "http", url: "https://guard.invalid/", headers, allowedEnvVars: ["GATE_TOKEN"] };
    const gate = { hooks: { PreToolUse: [{ hooks: [entry] }] } };
    for (const list of [{ allowedHttpHookUrls: [] }, { allowedHttpHookUrls: ["https://other.invalid/*"] }, { httpHookAllowedEnvVars: [] }])
      for (const file of ["local", "project"] as const) {
        const project = openProject({ project: gate });
        await (await project.open({ trust: { review: answering() } })).close();
        project.write(FILES[file], file === "project" ? { ...gate, ...list } : list);
        expect([file, list, await passesIn(project)]).toEqual([file, list, false]);
        // Those of the user are the user's word.
        project.write(FILES[file], file === "project" ? gate : {});
        project.write(FILES.user, list);
        if ("allowedHttpHookUrls" in list) expect(await passesIn(project)).toBe(true);
      }
  });

  test("without a terminal nothing starts until the user has approved it by the command that is shown", async () => {
    const lab = openLab();
    lab.write("project/.claude/settings.local.json", OFF);
    const [, id = ""] = /hookloop trust approve (local:disableAllHooks:\w+)/.exec(await bash(lab, "touch pwned")) ?? [];
    expect(lab.read("project/pwned")).toBeUndefined();
    expect(lab.terminal("trust")).toMatch(/local:disableAllHooks:\w+\s+new\s+no/);
    expect(lab.terminal("trust", "approve", id)).toContain("Approved");
    await bash(lab, "touch pwned");
    expect(lab.read("project/pwned")).toBe("");
    expect(lab.terminal("trust", "revoke", id)).toContain("new");
    rmSync(path.join(lab.project, "pwned"));
    expect(await bash(lab, "touch pwned")).toContain("HL_TRUST_GATE_WITHHELD");
    expect(lab.read("project/pwned")).toBeUndefined();
  });
});
