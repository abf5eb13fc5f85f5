/** A deny or ask rule that somebody wrote down holds, or it is said that it does not: whatever the spelling, and whatever the embedding program left out. */
import { allow } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { Permissions, readRules } from "../../packages/hookloop/src/index.ts";
import { bash, openProject, type Project } from "../engine/open-project.ts";

/** The texts of one kind of diagnostic. */
function said(project: Project, code: string): readonly string[] {
  return project.diagnostics.filter((one) => one.code === code).map(({ text }) => text);
}

describe("deny and ask rules of settings files, where runTool is given no rules", () => {
  const settings = { permissions: { deny: ["Bash(git push *)"], ask: ["WebFetch"], allow: ["Bash(ls)"] } };
  const fetched = { tool_name: "WebFetch", tool_input: { url: "https://example.com" }, tool_use_id: "1" };

  test("a deny rule denies, trusted or not, and names its place", async () => {
    for (const trust of ["implicit", "store"] as const) {
      const project = openProject({ project: settings });
      const hooks = await project.open({ trust });
      const result = await hooks.runTool(bash("git push a"), () => 1, { permission: () => "allow", ask: () => true });
      expect([result.status, result.permission?.by]).toMatchObject(["denied", { kind: "rule", rule: { text: "Bash(git push *)" } }]);
      expect(result.error).toContain("settings.json:1");
      expect((await hooks.runTool(bash("make"), () => 1)).permission).toMatchObject({ decision: "allow", by: { kind: "default" } });
    }
  });

  test("an ask rule asks, and refuses where nobody can be asked; a hook's allow does not answer it", async () => {
    const project = openProject({ project: settings });
    const hooks = await project.open();
    hooks.on("PermissionRequest", {}, () => allow("fine"));
    expect((await hooks.runTool(fetched, () => 1)).status).toBe("denied");
    expect((await hooks.runTool(fetched, () => 1, { permission: () => "allow" })).status).toBe("denied");
    expect((await hooks.runTool(fetched, () => 1, { ask: () => true })).status).toBe("ran");
    expect((await hooks.runTool(fetched, () => 1, { ask: () => false })).status).toBe("denied");
    expect(project.codes()).toEqual([]);
  });

  test("rules that the program composed itself count in their place", async () => {
    const hooks = await openProject({ project: settings }).open();
    const rules = new Permissions({ root: "/", mode: "bypassPermissions", canBypass: true });
    expect((await hooks.runTool(bash("git push a"), () => 1, { rules })).status).toBe("ran");
    const read = new Permissions({ rules: readRules(hooks.ruleSources).rules, root: "/" });
    expect((await hooks.runTool(bash("git push a"), () => 1, { rules: read })).status).toBe("denied");
  });

  test.each(["plan", "dontAsk"])("the mode %s needs rules, and that is said once", async (defaultMode) => {
    const project = openProject({ user: { permissions: { defaultMode } } });
    const hooks = await project.open();
    for (let times = 0; times < 2; times++) expect((await hooks.runTool(bash("make"), () => 1)).status).toBe("ran");
    expect(said(project, "HL_PERMISSION_NOT_APPLIED")).toEqual([
      expect.stringMatching(new RegExp(`^The mode "${defaultMode}" .*not applied.*readRules\\(hooks.ruleSources\\)`)),
    ]);
  });

  test.each(["default", "acceptEdits"])("the mode %s is none that is missed", async (defaultMode) => {
    const project = openProject({ user: { permissions: { defaultMode } } });
    await (await project.open()).runTool(bash("make"), () => 1);
    expect(project.codes()).toEqual([]);
  });
});

describe("a broken rule of a file", () => {
  test("is said when the file is read, with its place, and once", async () => {
    const project = openProject({ project: { permissions: { deny: ["Bash(rm *", "Bsh", "Write(src/**)"] } } });
    const hooks = await project.open();
    const place = { file: project.path(".claude/settings.json"), line: 1, column: expect.any(Number) };
    expect(project.diagnostics).toMatchObject([
      { code: "HL_PERMISSION_BAD_RULE", level: "error", place },
      { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", place },
      { code: "HL_PERMISSION_NOT_CONSULTED", level: "error", place },
    ]);
    expect(hooks.diagnostics).toHaveLength(3);
  });

  test("tools of the agent and of its dialect are no slips", async () => {
    const project = openProject({ project: { permissions: { deny: ["Deploy", "KillShell", "mcp__a__b"] } } });
    await project.open({ tools: ["Deploy"] });
    expect(project.codes()).toEqual([]);
  });
});
