/** A slip of the program that embeds the engine never switches a guard off in silence: what is unclear blocks, and is said. */
import { mkdirSync, writeFileSync } from "node:fs";
import { allow, ask, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { openHooks } from "../../packages/hookloop/src/index.ts";
import { bash, openProject } from "../engine/open-project.ts";

describe("a permission function that gives no answer it could give", () => {
  test.each([["block"], [undefined], [false], [true], ["no"], ["Deny"], ["allowed"], [null], [{ decision: "deny" }], [0]])(
    "%j denies, and is named with its value",
    async (answer) => {
      const project = openProject();
      const hooks = await project.open();
      let hasRun = false;
      for (const permission of [() => answer, async () => answer]) {
        const result = await hooks.runTool(bash("git push"), () => (hasRun = true), { permission } as never);
        expect([hasRun, result.status, result.permission?.decision]).toEqual([false, "denied", "deny"]);
      }
      expect(project.diagnostics).toMatchObject([
        { code: "HL_PERMISSION_BAD_ANSWER", level: "error", text: expect.stringContaining('Return "allow", "ask" or "deny"') },
        { code: "HL_PERMISSION_BAD_ANSWER" },
      ]);
    },
  );

  test("a capital letter is named with the answer that was meant", async () => {
    const project = openProject();
    const hooks = await project.open();
    await hooks.runTool(bash("ls"), () => 1, { permission: () => "Deny" } as never);
    expect(project.diagnostics[0]?.text).toContain('Did you mean "deny"?');
  });
});

describe("callbacks of runTool that break", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const CASES: readonly (readonly [string, object])[] = [
    ["permission", { permission: boom }],
    ["ask", { permission: () => "ask", ask: boom }],
    ["protect", { protect: boom }],
    ["rules", { rules: {} }],
    ["rules", { rules: { decide: () => undefined } }],
    ["rules", { rules: { decide: () => ({ decision: "yes", by: { kind: "default" }, reason: "" }) } }],
    ["protect", { protect: () => ({ decision: "block", reason: "x" }) }],
    ["protect", { protect: () => "deny" }],
    ["protect", { protect: async () => undefined }],
  ];
  test.each(CASES)("%s of %j: the call is denied and it is said", async (name, options) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const result = await hooks.runTool(bash("ls"), () => (hasRun = true), options as never);
    expect([hasRun, result.status]).toEqual([false, "denied"]);
    expect(result.error).toBeTruthy();
    expect(project.diagnostics.map(({ level }) => level)).toEqual(["error"]);
    expect(project.diagnostics[0]?.text).toContain(name);
  });

  test("a protection without a reason denies with one", async () => {
    const hooks = await openProject().open();
    const result = await hooks.runTool(bash("ls"), () => 1, { protect: () => ({ decision: "deny" }) } as never);
    expect([result.status, result.error]).toEqual(["denied", "Bash is protected."]);
  });

  test.each([
    ["yes", 'ask of runTool() gave "yes"'],
    [{ isAllowed: true }, "ask of runTool() gave an object"],
    [undefined, "ask of runTool() gave undefined"],
  ])("the answer %j of ask is a denial and is said", async (answer, text) => {
    const project = openProject();
    const hooks = await project.open();
    const options = { permission: () => "ask", ask: () => answer } as never;
    const result = await hooks.runTool(bash("ls"), () => 1, options);
    expect([result.status, result.error]).toEqual(["denied", expect.not.stringContaining("undefined")]);
    expect(result.error).not.toContain("The user denied it");
    expect(project.diagnostics.map((one) => one.text)).toEqual([expect.stringContaining(text)]);
  });
});

describe("PermissionRequest hooks are asked by whatever asks", () => {
  test.each(["the program", "a hook", "a protection"])("%s", async (who) => {
    const hooks = await openProject().open();
    hooks.on("PermissionRequest", { tool: "Bash", guard: true }, () => deny("never"));
    const asking = {
      "the program": { permission: () => "ask" },
      "a hook": {},
      "a protection": { protect: () => ({ decision: "ask", reason: "r" }) },
    }[who];
    if (who === "a hook") hooks.on("PreToolUse", {}, () => ask("sure?"));
    const result = await hooks.runTool(bash("ls"), () => 1, { ...asking, ask: () => true } as never);
    expect([result.status, result.error]).toEqual(["denied", expect.stringContaining("never")]);
  });

  test("their allow does not answer what the program asks", async () => {
    const hooks = await openProject().open();
    hooks.on("PermissionRequest", { tool: "Bash" }, () => allow("fine"));
    let asked = 0;
    const ask = (): boolean => {
      asked++;
      return false;
    };
    const result = await hooks.runTool(bash("ls"), () => 1, { permission: () => "ask", ask });
    expect([result.status, asked]).toEqual(["denied", 1]);
  });
});

describe("openHooks rejects values that nobody can have meant", () => {
  test.each([
    [{ trust: { workspace: true, projectHook: false } }, 'trust has no option "projectHook". Did you mean "projectHooks"?'],
    [{ trust: { projectHooks: "no" } }, 'projectHooks of trust is "no". Write true or false'],
    [{ trust: { review: true } }, "review of trust is true. Write a function"],
    [{ trust: { pinned: "sha256:1" } }, 'pinned of trust is "sha256:1". Write an object'],
    [{ trust: null }, "trust of openHooks() is null"],
    [{ trust: [] }, "trust of openHooks() is a list"],
    [{ stopCap: -1 }, "stopCap of openHooks() is -1. Write 0 or more"],
    [{ stopCap: Number.NaN }, "stopCap of openHooks() is NaN. Write 0 or more"],
    [{ drainMs: -5 }, "drainMs of openHooks() is -5. Write 0 or more"],
    [{ sessionId: "" }, 'sessionId of openHooks() is "". Write a text that is not empty'],
    [{ cwd: "" }, 'cwd of openHooks() is "". Write a text that is not empty'],
    [{ tools: [5] }, "tools of openHooks() has 5 in it. Write a list of texts"],
    [{ plugins: [{}] }, "plugins of openHooks() has an object in it. Write a list of texts"],
    [{ ports: { trace: {} } }, "trace of ports has no write()"],
    [{ ports: { runners: { comand: () => {} } } }, 'ports.runners has no option "comand". Did you mean "command"?'],
    [{ ports: [] }, "ports of openHooks() is a list. Write an object"],
  ])("%j", async (options, text) => {
    await expect(openHooks({ cwd: "/", ...options } as never)).rejects.toThrow(TypeError);
    await expect(openHooks({ cwd: "/", ...options } as never)).rejects.toThrow(text);
  });
});

describe("a cwd that is no folder", () => {
  test.each([true, false])("is said and the session must not start, with requireHooks: %s", async (requireHooks) => {
    const project = openProject();
    writeFileSync(project.path("file"), "");
    mkdirSync(project.path("sub"));
    const cases: [string, string][] = [
      [project.path("missing/never"), "does not exist"],
      [project.path("file"), "is not a folder"],
    ];
    for (const [cwd, text] of cases) {
      project.diagnostics.length = 0;
      const hooks = await project.open({ cwd, requireHooks });
      expect(hooks.diagnostics.map(({ code, level }) => [code, level])).toContainEqual(["HL_CONFIG_NO_FOLDER", "error"]);
      expect(hooks.trust.cannotStart.map((one) => one.text)).toEqual([expect.stringContaining(text)]);
    }
    expect((await project.open({ cwd: project.path("sub") })).trust.cannotStart).toEqual([]);
  });

  test("below a project is named as missing, not as below it", async () => {
    const project = openProject({ project: { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } } });
    await project.open({ cwd: project.path("missing") });
    expect(project.codes()).toContain("HL_CONFIG_NO_FOLDER");
    expect(project.codes()).not.toContain("HL_CONFIG_ABOVE");
  });
});
