import { chmodSync, chownSync } from "node:fs";
import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { hooksFor, openProject, type Project } from "./open-project.ts";

const EVERYWHERE = ["managed", "userNative", "user", "local", "native", "project"] as const;
type Where = (typeof EVERYWHERE)[number];

/** A Stop hook in every file, each leaving its own mark. */
function marked(extra: Partial<Record<Where, object>> = {}): Project {
  return openProject(
    Object.fromEntries(EVERYWHERE.map((where) => [where, { ...hooksFor("Stop", `touch ran-${where}`), ...extra[where] }])),
  );
}

async function whoRan(project: Project, env: Record<string, string> = {}): Promise<readonly Where[]> {
  const hooks = await project.open({ ports: { env } });
  await hooks.fire("Stop", { stop_hook_active: false });
  return EVERYWHERE.filter((where) => project.read(`ran-${where}`) !== undefined);
}

describe("disableAllHooks", () => {
  test.each([
    ["managed", []],
    ["user", ["managed"]],
    ["userNative", ["managed"]],
    ["local", ["managed", "userNative", "user"]],
    ["project", ["managed", "userNative", "user", "local", "native"]],
    ["native", ["managed", "userNative", "user", "local", "project"]],
  ] as const)("in %s leaves %j", async (where, left) => {
    const project = marked({ [where]: { disableAllHooks: true } });
    expect(await whoRan(project)).toEqual(left);
    expect(project.codes().filter((code) => code === "HL_ADMIT_DISABLED")).toHaveLength(EVERYWHERE.length - left.length);
  });

  test("without it all run", async () => {
    expect(await whoRan(marked())).toEqual(EVERYWHERE);
  });
});

describe("policy and variables", () => {
  test("allowManagedHooksOnly counts in the managed file", async () => {
    const project = marked({ managed: { allowManagedHooksOnly: true } });
    expect(await whoRan(project)).toEqual(["managed"]);
    expect(project.codes().filter((code) => code === "HL_ADMIT_MANAGED_ONLY")).toHaveLength(5);
  });

  test("allowManagedHooksOnly counts nowhere else", async () => {
    expect(await whoRan(marked({ user: { allowManagedHooksOnly: true }, project: { allowManagedHooksOnly: true } }))).toEqual(EVERYWHERE);
  });

  test.each(["HOOKLOOP_SIMPLE", "CLAUDE_CODE_SIMPLE"])("%s stops everything but managed hooks", async (name) => {
    const project = marked();
    expect(await whoRan(project, { [name]: "1" })).toEqual(["managed"]);
    expect(project.codes()).toContain("HL_ADMIT_SIMPLE_MODE");
  });

  test.each(["HOOKLOOP_DISABLE", "CLAUDE_CODE_DISABLE_HOOKS"])("%s names hooks that do not run, managed ones excepted", async (name) => {
    const entry = (mark: string): object => hooksFor("Stop", [{ command: `touch ran-${mark}`, name: "noisy" }]);
    const project = openProject({ managed: entry("managed"), userNative: entry("userNative"), user: hooksFor("Stop", "touch ran-user") });
    expect(await whoRan(project, { [name]: "other, noisy" })).toEqual(["managed", "user"]);
  });

  test("simple mode reaches functions, and is reported", async () => {
    const project = openProject();
    const hooks = await project.open({ ports: { env: { HOOKLOOP_SIMPLE: "1" } } });
    hooks.on("PreToolUse", { name: "mine" }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "" } })).decision).toBe("none");
    expect(project.codes()).toEqual(["HL_ADMIT_SIMPLE_MODE"]);
    expect(hooks.refused.map(({ hook }) => hook.name)).toEqual(["mine"]);
  });
});

describe("a managed file", () => {
  test("that others can write is not read, and is reported", async () => {
    const project = marked({ managed: { disableAllHooks: true } });
    chmodSync(project.write("managed/hooks.json", { ...hooksFor("Stop", "touch ran-managed"), disableAllHooks: true }), 0o666);
    expect(await whoRan(project)).toEqual(EVERYWHERE.slice(1));
    expect(project.codes()).toContain("HL_CONFIG_MANAGED_WRITABLE");
  });

  test("that belongs to another user is not read", async () => {
    const project = marked();
    if (process.getuid?.() === 0) chownSync(project.write("managed/hooks.json", hooksFor("Stop", "touch ran-managed")), 12_345, 12_345);
    const hooks = await project.open({ ports: { managedUid: 0 } });
    await hooks.fire("Stop", {});
    expect(project.read("ran-managed")).toBeUndefined();
    expect(project.codes()).toContain("HL_CONFIG_MANAGED_WRITABLE");
  });
});

test("a duplicate in a lower source cannot change the options of the higher one", async () => {
  const project = openProject({
    user: hooksFor("Stop", [{ command: "echo ran >> count", timeout: 20 }]),
    project: hooksFor("Stop", [{ command: "echo ran >> count", timeout: 0.001 }]),
  });
  await (await project.open()).fire("Stop", {});
  expect(project.read("count")).toBe("ran");
  expect(project.codes()).toEqual(["HL_CONFIG_DUPLICATE"]);
});
