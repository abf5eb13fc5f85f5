/** An edit on disk while a session runs: what of it is applied, and what stays. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { openProject, type Project } from "./open-project.ts";

const command = (text: string, more: object = {}): object => ({ hooks: [{ type: "command", command: text, ...more }] });
const on = (event: string, ...texts: readonly string[]): object => ({ hooks: { [event]: texts.map((text) => command(text)) } });
const SETTINGS = "project/.claude/settings.json";
const approve = async (pending: readonly PendingHook[]): Promise<readonly { id: string; digest: string }[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const stop = async (hooks: HookEngine): Promise<unknown> => await hooks.fire("Stop", { stop_hook_active: false });
const call = async (hooks: HookEngine): Promise<string> =>
  (await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" })).decision;
const end = async (hooks: HookEngine): Promise<unknown> => await hooks.fire("SessionEnd", { reason: "other" });
const ran = (project: Project, name: string): boolean => existsSync(project.path(name));

test("rules that an edit changes count from the next session on, and that is reported once", async () => {
  const project = openProject({ project: { permissions: { deny: ["Bash(a *)"] } } });
  const hooks = await project.open();
  const file = project.write(SETTINGS, { permissions: { deny: ["Bash(a *)", "Bash(rm *)"] } });
  await hooks.internals.applyEdits([file]);
  await hooks.internals.applyEdits([file]);
  const said = project.diagnostics.filter(({ code }) => code === "HL_CONFIG_EDITED");
  expect(said).toMatchObject([{ level: "warning", text: expect.stringContaining("count from the next session on"), place: { file } }]);
});

describe("what an edit adds", () => {
  test("runs once it is approved", async () => {
    const project = openProject({ project: on("Stop", "true") });
    const hooks = await project.open({ trust: { workspace: true, review: approve } });
    const file = project.write(SETTINGS, on("Stop", "true", "touch ran"));
    const applied = await hooks.internals.applyEdits([file]);
    expect(applied.added.map(({ name }) => name)).toEqual(["touch ran"]);
    await stop(hooks);
    expect(ran(project, "ran")).toBe(true);
    expect(await hooks.trust.checkForEdits()).toEqual({ files: [file], pending: [] });
  });

  test("does not run because the workspace was trusted when the session began", async () => {
    const project = openProject({ project: on("SessionEnd", "touch old") });
    const hooks = await project.open({ trust: { workspace: true } });
    const file = project.write(SETTINGS, on("SessionEnd", "touch old", "touch pwned"));
    const { added, refused } = await hooks.internals.applyEdits([file]);
    expect([added, refused.map(({ reason }) => reason)]).toEqual([[], ["untrusted"]]);
    await end(hooks);
    expect([ran(project, "old"), ran(project, "pwned")]).toEqual([true, false]);
    expect(project.codes()).toContain("HL_ADMIT_UNTRUSTED");
    expect(hooks.refused.map(({ hook }) => hook.name)).toEqual(["touch pwned"]);
  });

  test("runs if the embedding program is the authority", async () => {
    const project = openProject();
    const hooks = await project.open({ trust: "implicit" });
    await hooks.internals.applyEdits([project.write(SETTINGS, on("Stop", "touch ran"))]);
    await stop(hooks);
    expect(ran(project, "ran")).toBe(true);
  });

  test("an edit of a file that is not named is not applied", async () => {
    const project = openProject();
    const hooks = await project.open({ trust: "implicit" });
    project.write(SETTINGS, on("Stop", "touch pwned"));
    await hooks.internals.applyEdits([project.write("project/.claude/settings.local.json", on("Stop", "touch ran"))]);
    await stop(hooks);
    expect([ran(project, "ran"), ran(project, "pwned")]).toEqual([true, false]);
  });

  test("a script that changed stays refused, whatever is edited beside it", async () => {
    const project = openProject({ project: on("SessionEnd", "sh check.sh") });
    project.write("project/check.sh", "true\n");
    const hooks = await project.open({ trust: { workspace: true } });
    writeFileSync(project.path("check.sh"), "touch pwned\n");
    await hooks.internals.applyEdits([project.write(SETTINGS, on("SessionEnd", "sh check.sh", "true"))]);
    await end(hooks);
    expect(ran(project, "pwned")).toBe(false);
    expect(project.codes()).toContain("HL_TRUST_CHANGED");
  });

  test("the agent's tools must leave its script alone from then on, and those of before", async () => {
    const project = openProject({ project: on("SessionEnd", "sh tools/old.sh") });
    for (const name of ["check", "old"]) project.write(`project/tools/${name}.sh`, "true\n");
    const hooks = await project.open({ trust: "implicit" });
    const wrote = async (name = "check"): Promise<string> => {
      const tool_input = { file_path: project.path(`tools/${name}.sh`), content: "x" };
      return (await hooks.runTool({ tool_name: "Write", tool_input, tool_use_id: "t" }, () => "ok")).status;
    };
    expect([await wrote(), await wrote("old")]).toEqual(["ran", "denied"]);
    await hooks.internals.applyEdits([project.write(SETTINGS, on("Stop", "sh tools/check.sh"))]);
    expect([await wrote(), await wrote("old")]).toEqual(["denied", "denied"]);
  });
});

describe("what an edit takes away", () => {
  test("an observer goes", async () => {
    const project = openProject({ project: on("SessionEnd", "touch ran") });
    const hooks = await project.open({ trust: { workspace: true } });
    const { removed, kept } = await hooks.internals.applyEdits([project.write(SETTINGS, {})]);
    expect([removed.length, kept.length]).toEqual([1, 0]);
    await end(hooks);
    expect(ran(project, "ran")).toBe(false);
  });

  test.each([
    ["removed", {}],
    ["switched off", { disableAllHooks: true, ...on("PreToolUse", "exit 2") }],
    ["changed", on("PreToolUse", "true")],
    ["made unreadable", "{ not json"],
  ])("a gate that is %s stays until the session ends, and the run says so", async (_, edited) => {
    const project = openProject({ project: on("PreToolUse", "exit 2") });
    const hooks = await project.open({ trust: { workspace: true } });
    const { kept } = await hooks.internals.applyEdits([project.write(SETTINGS, edited)]);
    expect(kept).toHaveLength(1);
    expect(await call(hooks)).toBe("deny");
    expect(project.codes()).toContain("HL_CONFIG_EDITED");
  });

  test("an observer stays if something else in its place waits for review", async () => {
    const project = openProject({ project: on("SessionEnd", "touch old") });
    const hooks = await project.open({ trust: { workspace: true } });
    await hooks.internals.applyEdits([project.write(SETTINGS, on("SessionEnd", "touch pwned"))]);
    await end(hooks);
    expect([ran(project, "old"), ran(project, "pwned")]).toEqual([true, false]);
  });

  test("back to what it was, nothing is different", async () => {
    const project = openProject({ project: on("PreToolUse", "exit 2") });
    const hooks = await project.open({ trust: { workspace: true } });
    await hooks.internals.applyEdits([project.write(SETTINGS, {})]);
    const { added, kept } = await hooks.internals.applyEdits([project.write(SETTINGS, on("PreToolUse", "exit 2"))]);
    expect([added, kept]).toEqual([[], []]);
    const verdict = await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
    expect(verdict.outcomes).toHaveLength(1);
  });
});

describe("managed policy", () => {
  test("never loosens: what is removed or switched off stays, observers too", async () => {
    const project = openProject({ managed: { hooks: { PreToolUse: [command("exit 2")], SessionEnd: [command("touch ran")] } } });
    const hooks = await project.open({ trust: "store" });
    const file = project.write("managed/hooks.json", { disableAllHooks: true });
    await hooks.internals.applyEdits([file]);
    expect(await call(hooks)).toBe("deny");
    await end(hooks);
    expect(ran(project, "ran")).toBe(true);
  });

  test("tightens at once, and no user is asked", async () => {
    const project = openProject();
    const hooks = await project.open({ trust: "store" });
    expect(await call(hooks)).toBe("none");
    await hooks.internals.applyEdits([project.write("managed/hooks.json", on("PreToolUse", "exit 2"))]);
    expect(await call(hooks)).toBe("deny");
  });

  test("that allowed only its own hooks when the session began still does", async () => {
    const project = openProject({ managed: { allowManagedHooksOnly: true } });
    const hooks = await project.open({ trust: "implicit" });
    const files = [project.write("managed/hooks.json", {}), project.write(SETTINGS, on("Stop", "touch pwned"))];
    await hooks.internals.applyEdits(files);
    await stop(hooks);
    expect(ran(project, "pwned")).toBe(false);
  });
});

test("functions of the program and hooks of skills are not touched by an edit", async () => {
  const project = openProject({ project: on("SessionEnd", "true") });
  const hooks = await project.open({ trust: "implicit" });
  let times = 0;
  hooks.on("Stop", {}, () => void times++);
  await hooks.internals.applyEdits([project.write(SETTINGS, {})]);
  await stop(hooks);
  expect(times).toBe(1);
});

test("the files of a configuration are known before they are there", async () => {
  const project = openProject();
  const hooks = await project.open();
  const files = await hooks.internals.configFiles();
  expect(files).toContainEqual({ scope: "project", file: project.path(".claude/settings.json") });
  expect(files).toContainEqual({ scope: "managed", file: path.join(project.cwd, "../managed/hooks.json") });
  expect(files.map(({ scope }) => scope)).toEqual(expect.arrayContaining(["user", "local"]));
});
