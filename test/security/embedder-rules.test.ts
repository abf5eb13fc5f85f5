/** What files forbid holds whatever a program hands to `runTool`, and a file of the user does not switch off what the program registered. */
import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import { bash, openProject } from "../engine/open-project.ts";

const rulesOf = (root: string, permissions: object): Permissions =>
  new Permissions({ rules: readRules([{ scope: "code", root, isTrusted: true, permissions }]).rules, root });

describe("rules that were not made of the files' own", () => {
  const files = { project: { permissions: { deny: ["Bash(rm *)"], ask: ["Bash(git push *)"], allow: ["Bash(make *)"] } } };
  test.each([
    ["allow everything", { allow: ["Bash"] }],
    ["are empty", {}],
    ["ask about everything", { ask: ["Bash"] }],
  ])("%s: what the files deny is denied, and names its file", async (_what, permissions) => {
    const project = openProject(files);
    const hooks = await project.open();
    const result = await hooks.runTool(bash("rm -r x"), () => 1, { rules: rulesOf(project.cwd, permissions), ask: () => true });
    expect(result).toMatchObject({ status: "denied", permission: { by: { kind: "rule", rule: { text: "Bash(rm *)", list: "deny" } } } });
  });

  test("what the files ask about is asked, also where the program allows it", async () => {
    const project = openProject(files);
    const hooks = await project.open();
    const why: unknown[] = [];
    const ask = (_call: unknown, _verdict: unknown, reason: unknown): boolean => why.push(reason) === 0;
    const rules = rulesOf(project.cwd, { allow: ["Bash"] });
    expect((await hooks.runTool(bash("git push origin"), () => 1, { rules, ask })).status).toBe("denied");
    expect(why).toMatchObject([{ decision: "ask", by: { kind: "rule", rule: { text: "Bash(git push *)" } } }]);
    expect((await hooks.runTool(bash("make all"), () => 1, { rules, ask })).status).toBe("ran");
  });

  test("what the files allow is not allowed by that", async () => {
    const project = openProject(files);
    const hooks = await project.open();
    expect((await hooks.runTool(bash("make all"), () => 1, { rules: rulesOf(project.cwd, {}) })).status).toBe("denied");
  });
});

describe("disableAllHooks", () => {
  const off = { disableAllHooks: true };

  test.each(["user", "userNative", "project", "local"] as const)("of a %s file leaves functions of the program alone", async (scope) => {
    const project = openProject({ [scope]: off });
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test.each([
    ["managed", { managed: off }, {}],
    ["the program's own settings", {}, { settings: off }],
  ])("of %s reaches them, and says which guard is not run and what follows", async (_what, written, options) => {
    const project = openProject(written);
    const hooks = await project.open(options);
    hooks.on("PreToolUse", { guard: true, name: "no-sudo" }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    const said = project.diagnostics.filter(({ code }) => code === "HL_ADMIT_DISABLED").map(({ text }) => text);
    expect(said.join()).toContain(
      'hooks.on("PreToolUse"): "no-sudo", a guard, is not run, and PreToolUse continues without it. "disableAllHooks" is set in',
    );
  });
});

describe("protect of runTool", () => {
  const write = (file_path: string): { tool_name: string; tool_input: object; tool_use_id: string } => {
    return { tool_name: "Write", tool_input: { file_path, content: "x" }, tool_use_id: "1" };
  };
  const asks = (decision: "ask" | "deny"): { protect: () => { decision: "ask" | "deny"; reason: string } } => {
    return { protect: () => ({ decision, reason: "of the program" }) };
  };

  test.each([".claude/settings.json", ".hookloop/hooks.json", ".git/hooks/pre-commit", "secret.cfg"])(
    "that has nothing against %s leaves the protection of the hooks' own files in place",
    async (file) => {
      const project = openProject();
      const hooks = await project.open({ protectedFiles: ["secret.cfg"] });
      const rules = rulesOf(project.cwd, { allow: ["Write"] });
      const asked: unknown[] = [];
      const ask = (call: unknown): boolean => asked.push(call) === 0;
      for (const given of [{}, { rules }, { rules, ask }])
        expect(await hooks.runTool(write(project.path(file)), () => 1, { ...given, protect: () => undefined })).toMatchObject({
          status: "denied",
          permission: { by: { kind: "protection" } },
        });
      expect(asked).toHaveLength(1);
    },
  );

  test("the stricter of both counts", async () => {
    const project = openProject();
    const hooks = await project.open();
    const yes = { ask: () => true };
    const own = write(project.path(".claude/settings.json"));
    expect((await hooks.runTool(own, () => 1, { ...yes, ...asks("ask") })).status).toBe("ran");
    expect((await hooks.runTool(own, () => 1, { ...yes, ...asks("deny") })).error).toContain("of the program");
    expect((await hooks.runTool(write(project.path("a.txt")), () => 1, asks("ask"))).error).toContain("of the program");
    expect((await hooks.runTool(write(project.path("a.txt")), () => 1, { protect: () => undefined })).status).toBe("ran");
  });
});
