/** A gate that was approved does not vanish because it, its file or the store of approvals was changed, broken or taken away. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rewrite } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS } from "../../packages/hookloop/src/catalogue/events.ts";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { OpenOptions } from "../../packages/hookloop/src/open/options.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { bash, FILES, hooksFor, openProject, type Project } from "../engine/open-project.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const storeOf = ({ cwd }: Project): string => path.join(cwd, "../home/.local/state/hookloop/trust.json");
const settingsOf = (project: Project, file: keyof typeof FILES = "project"): string => path.join(project.cwd, "..", FILES[file]);

/** A project whose gate allows everything and was approved; the same at each event if there are several. */
async function approved(
  event: string | readonly string[],
  { file = "project", group = {}, entry = {} }: Parameters<typeof declared>[1] = {},
): Promise<Project> {
  const project = openProject({ [file]: declared(event, { group, entry }) });
  project.write("project/check.sh", "exit 0\n");
  const hooks = await project.open({ trust: { review: yes } });
  expect(hooks.refused).toEqual([]);
  await hooks.close();
  project.diagnostics.splice(0);
  return project;
}

function declared(
  event: string | readonly string[],
  { group = {}, entry = {} }: { file?: keyof typeof FILES; group?: Record<string, unknown>; entry?: Record<string, unknown> } = {},
): object {
  const groups = [{ ...group, hooks: [{ type: "command", command: "bash check.sh", ...entry }] }];
  return { hooks: Object.fromEntries([event].flat().map((one) => [one, groups])) };
}

/** Whether the thing that the event asks about happens. */
async function happens(hooks: HookEngine, event: string, input: Record<string, unknown> = {}): Promise<boolean> {
  const name = event as (typeof EVENT_NAMES)[number];
  const verdict = await hooks.fire(name, { ...EVENTS[name].sample, ...input });
  return verdict.decision !== "deny" && verdict.halt === undefined;
}

async function happensInNewSession(project: Project, event: string, input: Record<string, unknown> = {}): Promise<boolean> {
  const hooks = await project.open({ trust: "store" });
  const answer = await happens(hooks, event, input);
  await hooks.close();
  return answer;
}

/** Every event whose failed gate can keep something from happening. */
const GATE_EVENTS = EVENT_NAMES.filter((event) => EVENTS[event].failureCanBlock && EVENTS[event].blockEffect !== null);

/** What an attacker, a slip or a bad disk does between two sessions. */
const TAMPERINGS: Readonly<Record<string, (project: Project, events: readonly string[]) => void>> = {
  "one byte appended to its script": (project) => appendFileSync(project.path("check.sh"), "#"),
  "its script deleted": (project) => rmSync(project.path("check.sh")),
  "its script replaced by a folder": (project) => {
    rmSync(project.path("check.sh"));
    mkdirSync(project.path("check.sh"));
  },
  "its script replaced by a link": (project) => {
    rmSync(project.path("check.sh"));
    symlinkSync("/dev/null", project.path("check.sh"));
  },
  "its command changed": (project, events) => project.write(FILES.project, declared(events, { entry: { command: "true" } })),
  "its matcher changed": (project, events) => project.write(FILES.project, declared(events, { group: { matcher: "NothingAtAll" } })),
  "a condition added": (project, events) => project.write(FILES.project, declared(events, { entry: { if: "Bash(never *)" } })),
  "sent to the background": (project, events) => project.write(FILES.project, declared(events, { entry: { async: true } })),
  "moved to an event that only watches": (project) => project.write(FILES.project, declared("Notification")),
  "made a hook of another kind": (project, events) =>
    project.write(FILES.project, declared(events, { entry: { type: "http", command: undefined, url: "http://127.0.0.1:9/" } })),
  "its entry misspelt": (project, events) =>
    project.write(FILES.project, declared(events, { entry: { command: undefined, comand: "bash check.sh" } })),
  "its event misspelt": (project) => project.write(FILES.project, declared("PreTooluse")),
  "its entry removed": (project) => project.write(FILES.project, { hooks: {} }),
  "its file removed": (project) => rmSync(settingsOf(project)),
  "its file no JSON": (project) => writeFileSync(settingsOf(project), "{ nope"),
  "its file cut off": (project) => truncateSync(settingsOf(project), readFileSync(settingsOf(project)).length - 9),
  "its file empty": (project) => writeFileSync(settingsOf(project), ""),
  "its file binary": (project) => writeFileSync(settingsOf(project), Buffer.from([0xff, 0xfe, 0x7b, 0])),
  "its file too large": (project) => truncateSync(settingsOf(project), 2 * 1024 * 1024),
  "its file a folder": (project) => {
    rmSync(settingsOf(project));
    mkdirSync(settingsOf(project));
  },
  "its file a link to nothing": (project) => {
    rmSync(settingsOf(project));
    symlinkSync("/nonexistent/x", settingsOf(project));
  },
  "hooks switched off in its file": (project, events) => project.write(FILES.project, { ...declared(events), disableAllHooks: true }),
  "the store no JSON": (project) => writeFileSync(storeOf(project), "{ nope"),
  "the store empty": (project) => writeFileSync(storeOf(project), ""),
  "the store cut off": (project) => truncateSync(storeOf(project), 300),
  "the store with NULs": (project) => writeFileSync(storeOf(project), Buffer.alloc(512)),
  "the store too large": (project) => truncateSync(storeOf(project), 65 * 1024 * 1024),
  "the store a folder": (project) => {
    rmSync(storeOf(project));
    mkdirSync(storeOf(project));
  },
  "the store a link": (project) => {
    const text = readFileSync(storeOf(project));
    rmSync(storeOf(project));
    writeFileSync(`${storeOf(project)}.other`, text, { mode: 0o600 });
    symlinkSync(`${storeOf(project)}.other`, storeOf(project));
  },
  "the store writable by others": (project) => chmodSync(storeOf(project), 0o666),
  "a folder above the store a file": (project) => {
    const above = path.join(storeOf(project), "../..");
    rmSync(above, { recursive: true });
    writeFileSync(above, "");
  },
  "the folder of the store a file": (project) => {
    rmSync(path.dirname(storeOf(project)), { recursive: true });
    writeFileSync(path.dirname(storeOf(project)), "");
  },
};

describe("a gate that was approved and cannot run as it was blocks what it matched, whatever its dialect", () => {
  test.each(Object.entries(TAMPERINGS))("%s, at every event", async (name, tamper) => {
    // Where there is no matcher, one changes nothing.
    const events = GATE_EVENTS.filter((one) => name !== "its matcher changed" || EVENTS[one].matcher !== null);
    // Of a file that is cut off, the events before the cut are as they were.
    for (const together of name === "its file cut off" ? events.map((one) => [one]) : [events]) {
      const project = await approved(together);
      const asked = async (): Promise<{ readonly hooks: HookEngine; readonly happened: readonly string[] }> => {
        const hooks = await project.open({ trust: "store" });
        const happened: string[] = [];
        for (const event of together) if (await happens(hooks, event)) happened.push(event);
        await hooks.close();
        return { hooks, happened };
      };
      expect((await asked()).happened).toEqual(together);
      project.diagnostics.splice(0);
      tamper(project, together);
      const { hooks, happened } = await asked();
      expect(happened).toEqual([]);
      expect(hooks.withheld.length).toBeGreaterThanOrEqual(together.length);
      expect(project.diagnostics.filter(({ level }) => level === "error").length).toBeGreaterThan(0);
    }
  });
});

describe("a withheld gate", () => {
  const edit = { tool_name: "Edit", tool_input: { file_path: "/x" } };

  test("blocks what it matched when it was approved and what it matches now, and nothing else", async () => {
    const project = await approved("PreToolUse", { group: { matcher: "Bash" } });
    project.write(FILES.project, declared("PreToolUse", { group: { matcher: "Write" } }));
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
    expect(await happens(hooks, "PreToolUse", { tool_name: "Write", tool_input: {} })).toBe(false);
    expect(await happens(hooks, "PreToolUse", edit)).toBe(true);
  });

  test("keeps the condition it was approved with", async () => {
    const project = await approved("PreToolUse", { entry: { if: "Bash(git push *)" } });
    appendFileSync(project.path("check.sh"), "#");
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("git push origin"))).toBe(false);
    expect(await happens(hooks, "PreToolUse", bash("git status"))).toBe(true);
  });

  test("runs nothing, keeps the tool from running, and tells the user which one it is and what to do", async () => {
    const project = await approved("PreToolUse");
    writeFileSync(project.path("check.sh"), "touch pwned\n");
    const hooks = await project.open({ trust: "store" });
    const result = await hooks.runTool({ ...bash("ls"), cwd: project.cwd } as never, () => writeFileSync(project.path("ran"), ""));
    expect(result.status).toBe("denied");
    expect([project.read("ran"), project.read("pwned")]).toEqual([undefined, undefined]);
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect(hooks.notices(verdict).join()).toMatch(/"check\.sh".*hookloop trust review.*HOOKLOOP_DISABLE=/s);
    expect(verdict.reasons.map(({ text }) => text).join()).not.toContain("check.sh");
    expect(hooks.withheld).toMatchObject([{ reason: "changed", blocks: true, diff: expect.stringContaining("+ touch pwned") }]);
  });

  test("is not replaced by a copy of it that may run", async () => {
    const project = await approved("PreToolUse");
    project.write(FILES.user, declared("PreToolUse"));
    appendFileSync(project.path("check.sh"), "#");
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(false);
  });

  test("judges rewritten input, too", async () => {
    const project = await approved("PreToolUse", { entry: { if: "Bash(git push *)" } });
    appendFileSync(project.path("check.sh"), "#");
    const hooks = await project.open({ trust: "store" });
    hooks.on("PreToolUse", {}, () => rewrite({ command: "git push x" }) as never);
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
  });

  test.each([
    ["the change is undone", (project: Project) => writeFileSync(project.path("check.sh"), "touch ran\n"), true],
    ["it is approved in another terminal", async (project: Project) => (await project.open({ trust: { review: yes } })).close(), true],
    ["its approval is taken back", (project: Project) => writeFileSync(storeOf(project), '{"v":1,"hooks":{}}', { mode: 0o600 }), false],
  ])("stops blocking in the same session once %s", async (_name, cure, runsAgain) => {
    const project = openProject({ project: declared("PreToolUse") });
    project.write("project/check.sh", "touch ran\n");
    await (await project.open({ trust: { review: yes } })).close();
    appendFileSync(project.path("check.sh"), "#");
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
    await cure(project);
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(true);
    expect(existsSync(project.path("ran"))).toBe(runsAgain);
  });

  test("that was removed is forgotten once the user accepts that, and runs again once it is back", async () => {
    const project = await approved("PreToolUse");
    project.write(FILES.project, {});
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
    project.write(FILES.project, declared("PreToolUse"));
    await hooks.internals.applyEdits([settingsOf(project)]);
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(true);
    project.write(FILES.project, {});
    const seen: string[] = [];
    const review = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> => {
      seen.push(...pending.map(({ state }) => state));
      return yes(pending);
    };
    expect(await happens(await project.open({ trust: { review } }), "PreToolUse", bash("ls"))).toBe(true);
    expect(seen).toEqual(["removed"]);
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(true);
  });

  test("that stands in another file now, and was approved there, is not missing", async () => {
    const project = await approved("PreToolUse");
    project.write(FILES.project, {});
    project.write(FILES.local, declared("PreToolUse"));
    const review = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
      yes(pending.filter(({ state }) => state === "new"));
    await (await project.open({ trust: { review } })).close();
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(true);
  });
});

describe("what the user decided does not block", () => {
  test.each([
    ["it was never approved", {}, async (project: Project) => rmSync(storeOf(project))],
    ["hooks of the project are off for this run", { trust: { projectHooks: false } }, async () => {}],
    ["the workspace is trusted for this run", { trust: { workspace: true } }, async () => {}],
    ["the variable names it", { ports: { env: { HOOKLOOP_DISABLE: "checker" } } }, async () => {}],
    ["the user's own settings switch hooks off", {}, async (project: Project) => void project.write(FILES.user, { disableAllHooks: true })],
    [
      "the change was refused",
      {},
      async (project: Project) => {
        const review = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
          pending.map(({ hook, digest }) => ({ id: hook.id, digest, decision: "refuse" }));
        await (await project.open({ trust: { review } })).close();
      },
    ],
  ])("%s", async (_name, options, decide) => {
    const project = await approved("PreToolUse", { file: "native", entry: { name: "checker" } });
    appendFileSync(project.path("check.sh"), "#");
    await decide(project);
    const hooks = await project.open({ trust: "store", ...options } as never);
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(true);
    expect(hooks.withheld).toEqual([]);
  });

  test("a gate that the user took out of their own settings", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", "exit 2") });
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(false);
    project.write(FILES.user, {});
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(true);
  });
});

describe("other sources", () => {
  test("a gate of the user that changed, or whose file broke, blocks; with a lost store it runs as it is", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", 'bash "$HOME/g.sh"') });
    const env = { HOME: path.join(project.cwd, "../home") };
    const open = (): Promise<HookEngine> => project.open({ trust: "store", ports: { env } });
    project.write("home/g.sh", "touch ran\n");
    expect(await happens(await open(), "PreToolUse", bash("ls"))).toBe(true);
    writeFileSync(path.join(env.HOME, "g.sh"), "touch ran\n#");
    expect(await happens(await open(), "PreToolUse", bash("ls"))).toBe(false);
    writeFileSync(path.join(env.HOME, "g.sh"), "touch ran\n");
    writeFileSync(settingsOf(project, "user"), "{ nope");
    expect(await happens(await open(), "PreToolUse", bash("ls"))).toBe(false);
    project.write(FILES.user, hooksFor("PreToolUse", 'bash "$HOME/g.sh"'));
    writeFileSync(storeOf(project), "{ nope");
    rmSync(project.path("ran"));
    expect(await happens(await open(), "PreToolUse", bash("ls"))).toBe(true);
    expect(existsSync(project.path("ran"))).toBe(true);
  });

  test.each([
    ["changed", (text: string) => text.replace("check.sh", "other.sh")],
    ["broken", (text: string) => text.replace("PreToolUse:", "PreToolUse: [")],
    ["removed", () => "---\nname: careful\n---\n"],
  ])("a gate in the head of a skill that was %s", async (_name, change) => {
    const text =
      '---\nname: careful\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: "bash check.sh"\n---\n';
    const project = openProject();
    project.write("project/check.sh", "exit 0\n");
    const file = project.path(".claude/skills/careful/SKILL.md");
    const first = await project.open({ trust: { review: yes } });
    await first.attach({ text, file, skill: "careful" });
    expect(await happens(first, "PreToolUse", bash("ls"))).toBe(true);
    await first.close();
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(true);
    const detach = await hooks.attach({ text: change(text), file, skill: "careful" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
    detach();
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(true);
  });

  test.each([
    ["its hooks file broke", (root: string) => writeFileSync(path.join(root, "hooks/hooks.json"), "{ nope")],
    ["its hooks file is gone", (root: string) => rmSync(path.join(root, "hooks"), { recursive: true })],
    ["its hook changed", (root: string) => writeFileSync(path.join(root, "g.sh"), "#")],
    [
      "its folder is a link to another",
      (root: string) => {
        rmSync(root, { recursive: true });
        mkdirSync(path.join(root, "../other"));
        symlinkSync("other", root);
      },
    ],
  ])("a gate of a plugin: %s", async (_name, tamper) => {
    const project = openProject();
    const root = path.join(project.cwd, "../plugin");
    project.write("plugin/.claude-plugin/plugin.json", { name: "p" });
    project.write("plugin/hooks/hooks.json", hooksFor("PreToolUse", 'sh "$CLAUDE_PLUGIN_ROOT"/g.sh'));
    project.write("plugin/g.sh", "exit 0\n");
    await (await project.open({ trust: { review: yes }, plugins: [root] })).close();
    expect(await happens(await project.open({ trust: "store", plugins: [root] }), "PreToolUse", bash("ls"))).toBe(true);
    tamper(root);
    expect(await happens(await project.open({ trust: "store", plugins: [root] }), "PreToolUse", bash("ls"))).toBe(false);
    expect((await project.open({ trust: "store", plugins: [root] })).trust.statuses).toMatchObject([{ refusal: { blocks: true } }]);
    // Left out on the command line, it is not missing.
    expect(await happens(await project.open({ trust: "store" }), "PreToolUse", bash("ls"))).toBe(true);
  });

  test.each([
    ["a folder above it is a link to another", "kits/plugin", "kits", "plain"],
    ["the link to it leads elsewhere", "link", "link", "plain/plugin"],
  ])("a gate of a plugin: %s", async (_name, given, replaced, other) => {
    const project = openProject();
    project.write("project/kits/plugin/.claude-plugin/plugin.json", { name: "p" });
    project.write("project/kits/plugin/hooks/hooks.json", hooksFor("PreToolUse", "true"));
    project.write("project/plain/plugin/README.md", "");
    symlinkSync("kits/plugin", project.path("link"));
    await (await project.open({ trust: { review: yes }, plugins: [given] })).close();
    expect(await happens(await project.open({ trust: "store", plugins: [given] }), "PreToolUse", bash("ls"))).toBe(true);
    rmSync(project.path(replaced), { recursive: true });
    symlinkSync(other, project.path(replaced));
    expect(await happens(await project.open({ trust: "store", plugins: [given] }), "PreToolUse", bash("ls"))).toBe(false);
  });

  test.each<readonly [string, NonNullable<OpenOptions["trust"]>, (project: Project) => void]>([
    [
      "the list of installed plugins broke",
      "store",
      (project) => void project.write("home/.claude/plugins/installed_plugins.json", "{ nope"),
    ],
    ["it is not in that list", "store", (project) => void project.write("home/.claude/plugins/installed_plugins.json", { plugins: {} })],
    ["its marketplace is gone", "store", (project) => rmSync(path.join(project.cwd, "../home/.claude/plugins/known_marketplaces.json"))],
    ["its folder is gone", "store", (project) => rmSync(path.join(project.cwd, "../plugin"), { recursive: true })],
    [
      "the project switches it off, and is trusted",
      { workspace: true },
      (project) => void project.write(FILES.project, { enabledPlugins: { "p@mk": false } }),
    ],
    [
      "the local file switches it off, the user says nothing, and the project is trusted",
      { workspace: true },
      (project) => project.write(FILES.user, {}) && project.write(FILES.local, { enabledPlugins: { "p@mk": false } }),
    ],
  ])("a gate of an installed plugin: %s", async (_name, trust, tamper) => {
    const project = openProject({ user: { enabledPlugins: { "p@mk": true } } });
    project.write("plugin/.claude-plugin/plugin.json", { name: "p" });
    project.write("plugin/hooks/hooks.json", hooksFor("PreToolUse", "true"));
    const entry = { scope: "user", installPath: path.join(project.cwd, "../plugin") };
    project.write("home/.claude/plugins/installed_plugins.json", { version: 2, plugins: { "p@mk": [entry] } });
    project.write("home/.claude/plugins/known_marketplaces.json", { mk: { source: { source: "github", repo: "x/y" } } });
    await (await project.open({ trust: { review: yes } })).close();
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(true);
    // Until it is trusted, a project's word does not count.
    project.write(FILES.project, { enabledPlugins: { "p@mk": false } });
    const hooks = await project.open({ trust: "store" });
    expect(hooks.admitted.filter(({ source }) => source.scope === "plugin")).toHaveLength(1);
    project.write(FILES.project, {});
    tamper(project);
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(false);
    // The user's own word does: it is switched off.
    project.write(FILES.project, {});
    project.write(FILES.user, { enabledPlugins: { "p@mk": false } });
    expect(await happens(await project.open({ trust: "store" }), "PreToolUse", bash("ls"))).toBe(true);
  });

  test.each([
    ["not installed any more", (project: Project) => rmSync(project.path("node_modules"), { recursive: true })],
    ["not named any more", (project: Project) => void project.write(FILES.native, {})],
  ])("a gate of a pack that is %s", async (_name, tamper) => {
    const project = openProject({ native: { plugins: ["hookpack"] } });
    project.write("project/node_modules/hookpack/package.json", { name: "hookpack", hookloop: { hooks: "./hooks.json" } });
    project.write("project/node_modules/hookpack/hooks.json", hooksFor("PreToolUse", "true"));
    await (await project.open({ trust: { review: yes } })).close();
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(true);
    tamper(project);
    expect(await happensInNewSession(project, "PreToolUse", bash("ls"))).toBe(false);
  });

  test("a gate that was pinned for the run and is another one now", async () => {
    const project = openProject({ project: declared("PreToolUse") });
    project.write("project/check.sh", "exit 0\n");
    const [status] = (await project.open({ trust: "store" })).trust.statuses;
    const trust = { pinned: { [status?.hook.id ?? ""]: status?.digest ?? "" } };
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(true);
    appendFileSync(project.path("check.sh"), "#");
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(false);
    project.write(FILES.project, declared("PreToolUse", { entry: { command: "true" } }));
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(false);
    rmSync(settingsOf(project));
    expect(await happens(await project.open({ trust }), "PreToolUse", bash("ls"))).toBe(false);
  });

  test("disableAllHooks that is committed leaves the deny hook in the local settings alone", async () => {
    const project = openProject({ local: hooksFor("PreToolUse", "exit 2"), project: { disableAllHooks: true } });
    expect(await happens(await project.open({ trust: { review: yes } }), "PreToolUse", bash("ls"))).toBe(false);
    expect(await happens(await project.open({ trust: "implicit" }), "PreToolUse", bash("ls"))).toBe(false);
  });

  test("a gate in the local settings of a git root whose .git is gone", async () => {
    const project = openProject({ local: hooksFor("PreToolUse", "true") });
    mkdirSync(project.path(".git"));
    mkdirSync(project.path("sub"));
    const open = (trust: "store" | { review: typeof yes }): Promise<HookEngine> => project.open({ trust, cwd: project.path("sub") });
    await (await open({ review: yes })).close();
    expect(await happens(await open("store"), "PreToolUse", bash("ls"))).toBe(true);
    rmSync(project.path(".git"), { recursive: true });
    expect(await happens(await open("store"), "PreToolUse", bash("ls"))).toBe(false);
  });

  test("the same folder by another name does not make a changed gate new", async () => {
    const project = await approved("PreToolUse");
    appendFileSync(project.path("check.sh"), "#");
    const link = path.join(project.cwd, "../link");
    symlinkSync(project.cwd, link);
    expect(await happens(await project.open({ trust: "store", cwd: link }), "PreToolUse", bash("ls"))).toBe(false);
  });
});

describe("a guard whose entry cannot be read blocks what it was meant for", () => {
  const guard = { type: "command", command: "exit 0", guard: true };
  const one = (entry: object, group: object = {}, event = "PreToolUse"): object => ({ hooks: { [event]: [{ ...group, hooks: [entry] }] } });
  const BROKEN: Readonly<Record<string, unknown>> = {
    "a misspelt field": one({ type: "command", comand: "exit 0", guard: true }),
    "an empty command": one({ ...guard, command: " " }),
    "a command that is no text": one({ ...guard, command: 5 }),
    "an unknown kind": one({ ...guard, type: "comand" }),
    "no kind": one({ command: "exit 0", guard: true }),
    "a limit that is none": one({ ...guard, timeout: -1 }),
    "a key twice": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 0","command":"exit 0","guard":true}]}]}}',
    "an event twice": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 0","guard":true}]}],"PreToolUse":[]}}',
    "hooks twice": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 0","guard":true}]}]},"hooks":{}}',
    "a matcher that is no pattern": one(guard, { matcher: "Ba[sh" }),
    "a matcher that is no text": one(guard, { matcher: 7 }),
    "guard as a word": one({ ...guard, guard: "yes" }),
    "onFailure misspelt": one({ type: "command", command: "exit 0", onFailure: "blok" }),
    "onFailure and no command": one({ type: "command", onFailure: "block" }),
    "an url that is none": one({ type: "http", url: "not a url", guard: true }),
    "a module without a path": one({ type: "module", guard: true }),
    "no group around it": { hooks: { PreToolUse: [guard] } },
    "no list around the group": { hooks: { PreToolUse: { hooks: [guard] } } },
    "no list around the hook": { hooks: { PreToolUse: [{ hooks: guard }] } },
    "an event near the right one": one(guard, {}, "PreTooluse"),
    "an event of another agent": one(guard, {}, "BeforeTool"),
    "an event outside of hooks": { PreToolUse: [{ hooks: [guard] }] },
    "hooks one level too deep": { hooks: one(guard) },
    "a syntax error in it": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command" "command":"exit 0","guard":true}]}]}}',
  };

  test.each(Object.entries(BROKEN))("%s", async (_name, content) => {
    for (const file of ["userNative", "managed", "native"] as const) {
      const project = openProject({ [file]: content });
      const trust = file === "native" ? { workspace: true } : ("store" as const);
      const hooks = await project.open({ trust });
      expect([file, await happens(hooks, "PreToolUse", bash("ls"))]).toEqual([file, false]);
      expect(project.codes()).toContain("HL_TRUST_GATE_UNREADABLE");
    }
    const program = openProject({ native: content });
    expect(await happens(await program.open({ trust: "implicit" }), "PreToolUse", bash("ls"))).toBe(false);
    const unknown = openProject({ native: content });
    expect(await happens(await unknown.open({ trust: "store" }), "PreToolUse", bash("ls"))).toBe(true);
  });

  test("and nothing else: its matcher counts where it can be read", async () => {
    const project = openProject({ userNative: one({ type: "command", comand: "exit 0", guard: true }, { matcher: "Bash" }) });
    const hooks = await project.open({ trust: "store" });
    expect(await happens(hooks, "PreToolUse", bash("ls"))).toBe(false);
    expect(await happens(hooks, "PreToolUse", { tool_name: "Edit", tool_input: {} })).toBe(true);
  });

  test.each([
    ["no rule", "PreToolUse", { if: "Bash(" }],
    ["a rule that can never match", "PreToolUse", { if: "*" }],
    ["at an event without a call", "UserPromptSubmit", { if: "Bash(ls)" }],
  ])("a condition that says nothing (%s) does not switch a guard off", async (_name, event, more) => {
    const project = openProject({ native: one({ ...guard, command: "exit 2", ...more }, {}, event) });
    expect(await happens(await project.open(), event, bash("ls"))).toBe(false);
  });
});

describe("a guard that cannot start blocks, whatever its kind", () => {
  const KINDS: Readonly<Record<string, Record<string, unknown>>> = {
    "a program that is not there": { type: "command", command: "/nonexistent/guard" },
    "a program that is not there, without a shell": { type: "command", command: "/nonexistent/guard", args: [] },
    "a script that is not executable": { type: "command", command: "./plain.txt" },
    "a script whose interpreter is not there": { type: "command", command: "./strange", args: [] },
    "a warm script that is not there": { type: "command", command: "node gone.mjs", warm: true },
    "a module that is not there": { type: "module", path: "gone.mjs" },
    "a server that is not there": { type: "http", url: "http://127.0.0.1:9/" },
    "no model": { type: "prompt", prompt: "Is it fine?" },
    "no model to work with": { type: "agent", prompt: "Look." },
    "no MCP server": { type: "mcp_tool", server: "s", tool: "t" },
  };

  test.each(Object.entries(KINDS))("%s", async (_name, entry) => {
    for (const mark of [{ guard: true }, { onFailure: "block" }]) {
      const content = { hooks: { PreToolUse: [{ hooks: [{ ...entry, ...mark }] }] } };
      for (const file of ["native", "managed", "project"] as const) {
        const project = openProject({ [file]: content });
        project.write("project/plain.txt", "exit 0\n");
        chmodSync(project.write("project/strange", "#!/nonexistent/interpreter\n"), 0o755);
        expect([file, await happens(await project.open(), "PreToolUse", bash("ls"))]).toEqual([file, false]);
      }
    }
  });
});

describe("a gate that can never match", () => {
  const never = (fields: object, matcher = "bash"): object => hooksFor("PreToolUse", [{ command: "exit 2", ...fields }], { matcher });

  test.each([
    ["a misspelt tool", { guard: true }, "bash"],
    ["one misspelt tool of two", { guard: true }, "Edit|Wrtie"],
    ["one misspelt tool of two in a pattern", { guard: true }, "^(Edit|Wirte)$"],
    ["a pattern in the wrong case", { guard: true }, "\\bbash\\b"],
    ["a rule", { guard: true }, "Bash\\(git.*\\)"],
    ["another separator", { guard: true }, "Edit or Bash"],
    ["a pattern for an empty name", { guard: true }, "^$"],
    ["no name", { guard: true }, "|"],
    ["no name, as a hook whose failure blocks", { onFailure: "block" }, " "],
    ["a condition that its matcher leaves out", { guard: true, if: "Write(*.ts)" }, "Bash"],
    ["a condition that its matcher leaves out, as a hook whose failure blocks", { onFailure: "block", if: "Write(*.ts)" }, "Bash"],
    ["a condition that is a regular expression", { guard: true, if: "Bash(.*deploy.*)" }, "Bash"],
    ["a condition in quotes", { guard: true, if: 'Bash("touch *")' }, "Bash"],
  ])("with %s, as a guard of a hookloop file, blocks everything of its event, out loud", async (_name, fields, matcher) => {
    const project = openProject({ native: never(fields, matcher) });
    const hooks = await project.open({ trust: { workspace: true } });
    expect([await happens(hooks, "PreToolUse"), await happens(hooks, "PreToolUse", { tool_name: "Read", tool_input: {} })]).toEqual([
      false,
      false,
    ]);
    expect(project.codes()).toContain("HL_TRUST_GATE_UNREADABLE");
    expect((await project.open({ trust: "implicit", requireHooks: true })).trust.cannotStart).not.toEqual([]);
  });

  test.each(["Bash(rm *),Bash(touch *)", "Bash(rm *|touch *)"])(
    "a guard whose condition is several rules (%s) runs for all",
    async (rules) => {
      const project = openProject({ native: never({ guard: true, if: rules }, "Bash") });
      const hooks = await project.open({ trust: "implicit" });
      expect([await happens(hooks, "PreToolUse", bash("touch x")), await happens(hooks, "PreToolUse", bash("ls"))]).toEqual([false, false]);
      expect(project.codes()).toContain("HL_CONFIG_MATCHER_NEVER");
    },
  );

  test.each(["(bash|shell)", "Bash;Edit", "/Bash/"])("with matcher %s in a file that Claude Code reads is reported", async (matcher) => {
    const project = openProject({ project: never({ guard: true }, matcher) });
    expect(await happens(await project.open(), "PreToolUse")).toBe(true);
    expect(project.codes()).toContain("HL_CONFIG_MATCHER_NEVER");
    expect((await project.open({ requireHooks: true })).trust.cannotStart).toMatchObject([{ code: "HL_TRUST_REQUIRED" }]);
  });

  test("in a file that Claude Code reads never runs, as there, and with requireHooks the session must not start", async () => {
    const project = openProject({ project: never({}) });
    expect(await happens(await project.open(), "PreToolUse")).toBe(true);
    expect(project.codes()).toContain("HL_CONFIG_MATCHER_NEVER");
    const { trust } = await project.open({ requireHooks: true });
    expect(trust.cannotStart).toMatchObject([{ code: "HL_TRUST_REQUIRED", text: expect.stringContaining('Did you mean "Bash"?') }]);
  });

  test("because its file has the wrong name is named, and with requireHooks the session must not start", async () => {
    const project = openProject();
    const file = project.write("project/.claude/hooks.json", hooksFor("PreToolUse", "exit 2"));
    expect(await happens(await project.open(), "PreToolUse")).toBe(true);
    expect(project.diagnostics).toMatchObject([{ code: "HL_CONFIG_MISNAMED", place: { file } }]);
    const { trust } = await project.open({ requireHooks: true });
    expect(trust.cannotStart).toMatchObject([{ code: "HL_TRUST_REQUIRED", place: { file } }]);
  });
});
