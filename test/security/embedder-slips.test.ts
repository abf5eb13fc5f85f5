/** A slip of the program that embeds the engine never switches a guard off in silence: what is unclear blocks, and is said. */
import { mkdirSync, writeFileSync } from "node:fs";
import { allow, ask, block, deny, rewrite } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { createHooks, openHooks } from "../../packages/hookloop/src/open.ts";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
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

describe("openHooks rejects values that cannot be meant", () => {
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
    [{ sessionId: "" }, 'sessionId of openHooks() is "". Write a non-empty string'],
    [{ cwd: "" }, 'cwd of openHooks() is "". Write a non-empty string'],
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

describe("createHooks and hooks.session throw at options that they cannot keep", () => {
  test.each([
    [{ cwd: "/", use: ["safety"] }, 'createHooks() has no option "use". Write await openHooks({ cwd, use })'],
    [{ cwd: "/", settings: { permissions: { deny: ["Bash"] } } }, 'createHooks() has no option "settings". Write await openHooks('],
    [{ cwd: "/", stric: true }, 'createHooks() has no option "stric". Did you mean "strict"?'],
    [{ cwd: "/", tools: "deploy" }, 'tools of createHooks() is "deploy". Write a list of texts'],
    [{ cwd: "/", ports: { trace: {} } }, "trace of ports has no write()"],
    [{}, "cwd is missing. Write createHooks({ cwd: process.cwd() })"],
    [undefined, "createHooks() takes an object. Write createHooks({ cwd: process.cwd() })"],
  ])("createHooks(%j)", (options, text) => {
    expect(() => createHooks(options as never)).toThrow(`HL_CONFIG_OPTION_INVALID: ${text}`);
  });

  test.each([
    [{ sessonId: "a" }, 'session() has no option "sessonId". Did you mean "sessionId"?'],
    [{ sessionId: 5 }, "sessionId of session() is 5. Write a non-empty string"],
    [{ signal: 5 }, "signal of session() is 5. Write an AbortSignal"],
    [{ commonInput: "x" }, 'commonInput of session() is "x". Write a plain object'],
    ["a", 'session() was given "a". Write hooks.session({ sessionId })'],
  ])("session(%j)", async (options, text) => {
    const hooks = await openProject().open();
    expect(() => hooks.session(options as never)).toThrow(`HL_CONFIG_OPTION_INVALID: ${text}`);
  });

  test("tools of createHooks are known", async () => {
    const diagnostics: unknown[] = [];
    const hooks = createHooks({ cwd: "/", tools: ["deploy"], onDiagnostic: (one) => diagnostics.push(one) });
    hooks.on("PreToolUse", { tool: "deploy", guard: true }, () => deny("no"));
    expect([(await hooks.fire("PreToolUse", { tool_name: "deploy", tool_input: {}, tool_use_id: "1" })).decision, diagnostics]).toEqual([
      "deny",
      [],
    ]);
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

describe("a tool that is called as a guard means it, in another spelling", () => {
  const spelt = (tool_name: string): ReturnType<typeof bash> => ({ ...bash("git push --force"), tool_name });
  const pushes = ({ tool_input }: { tool_input: object }): ReturnType<typeof deny> | undefined =>
    /push/.test(String(Reflect.get(tool_input, "command"))) ? deny("no") : undefined;

  test.each([
    ["Bash", "bash"],
    ["Bash", "BASH"],
    ["Bash", "Bash "],
    ["Bash|Edit", "bash"],
    [/^Bash$/, "bash"],
    [/^(Bash|Edit)$/, "edit"],
    ["WebFetch", "web_fetch"],
    ["MultiEdit", "multi-edit"],
    ["mcp__github__*", "MCP__github__push"],
    ["Deploy", "deploy"],
  ])("%s and %s: the guard runs, and it is said once", async (tool, name) => {
    const project = openProject();
    const hooks = await project.open({ tools: ["Deploy"] });
    hooks.on("PreToolUse", { tool: tool as string, guard: true, name: "g" }, pushes as never);
    for (let times = 0; times < 2; times++) expect((await hooks.fire("PreToolUse", spelt(name))).decision).toBe("deny");
    const said = project.diagnostics.filter(({ code }) => code === "HL_SELECT_SPELLING");
    expect(said.map(({ text }) => text)).toEqual([expect.stringMatching(/^The guard "g" is for tool_name .*the guard runs/)]);
  });

  test("a hook that is no guard is compared exactly, as in Claude Code, and that is reported once", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", name: "h" }, () => deny("no"));
    for (let times = 0; times < 2; times++) expect((await hooks.fire("PreToolUse", spelt("bash"))).decision).toBe("none");
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_SELECT_SPELLING", expect.stringContaining('"h" is for tool_name "Bash", and PreToolUse has "bash": it is not the same')],
    ]);
  });

  test("tools of openHooks make it known when the guard is registered, and when its file is read", async () => {
    const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2", onFailure: "block" }] }] } };
    const project = openProject();
    const hooks = await project.open({ tools: ["bash"], settings });
    expect(project.codes().filter((code) => code === "HL_SELECT_SPELLING")).toHaveLength(1);
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => undefined);
    expect(project.codes().filter((code) => code === "HL_SELECT_SPELLING")).toHaveLength(2);
    expect((await hooks.fire("PreToolUse", spelt("bash"))).decision).toBe("deny");
    expect(project.codes().filter((code) => code === "HL_SELECT_SPELLING")).toHaveLength(2);
  });

  test("two tools that the agent lists are two tools", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["Bash", "bash"] });
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", spelt("bash"))).decision).toBe("none");
    expect(project.codes()).toEqual([]);
  });

  test("an `if` of a guard is compared in the same way", async () => {
    const hook = { type: "command", command: "cat >/dev/null; exit 2", onFailure: "block", if: "Bash(git push *)" };
    const project = openProject({ project: { hooks: { PreToolUse: [{ hooks: [hook] }] } } });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", spelt("bash"))).decision).toBe("deny");
    expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "bash" })).decision).toBe("none");
    expect(project.codes()).toContain("HL_SELECT_SPELLING");
  });

  test("what other agents call the tool is said, and does not run the guard", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["run_shell"] });
    hooks.on("PreToolUse", { tool: "Bash", guard: true, name: "g" }, () => deny("no"));
    for (const name of ["run_shell", "execute_command", "terminal"])
      expect((await hooks.fire("PreToolUse", spelt(name))).decision).toBe("none");
    expect(project.diagnostics.map(({ text }) => text)).toEqual(
      ["run_shell", "execute_command", "terminal"].map((name) =>
        expect.stringContaining(`does not run for "${name}", which is what some agents call that tool`),
      ),
    );
  });

  test.each([
    ["bash", { command: "git push" }, ["Bash(git push *)"]],
    ["BASH", { command: "cat .env" }, ["Read(.env)"]],
    ["edit", { file_path: ".env" }, ["Edit(.env)"]],
    ["deploy", {}, ["Deploy"]],
    ["web_fetch", { url: "https://example.com/x" }, ["WebFetch(domain:example.com)"]],
  ])("a deny rule binds %s %j", async (tool_name, tool_input, rules) => {
    const project = openProject();
    const texts = (list: readonly string[]): { text: string }[] => list.map((text) => ({ text }));
    const lists = { allow: texts([tool_name]), ask: [], deny: texts(rules) };
    const read = readRules([{ scope: "user", root: project.cwd, isTrusted: true, permissions: lists }], { tools: ["Deploy", tool_name] });
    const call = { tool_name, tool_input, tool_use_id: "1" };
    expect(decide(call, read.rules, { root: project.cwd })).toMatchObject({ decision: "deny" });
    const allowing = readRules(
      [{ scope: "user", root: project.cwd, isTrusted: true, permissions: { allow: texts(rules), ask: [], deny: [] } }],
      { tools: ["Deploy", tool_name] },
    );
    expect(decide(call, allowing.rules, { root: project.cwd })).toMatchObject({ decision: "ask" });
  });

  test.each(["bash", "shell", "run_shell"])("%s is kept from changing the hooks' configuration", async (tool_name) => {
    const hooks = await openProject().open();
    const call = { tool_name, tool_input: { command: "echo x > .claude/settings.json" }, tool_use_id: "1" };
    expect((await hooks.runTool(call, () => 1)).status).toBe("denied");
  });
});

describe("hooks.on says which matcher fits nothing that is known", () => {
  test.each([
    ["PreToolUse", { tool: "Shell", guard: true }, 'no known tool_name is called "Shell". Did you mean "Bash"?'],
    [
      "PreToolUse",
      { tool: "run_shell" },
      'Did you mean "Bash"? If the agent has such a tool, list it: openHooks({ tools: ["run_shell"] })',
    ],
    ["PreToolUse", { tool: "execute_command", guard: true }, 'Did you mean "Bash"?'],
    ["PreToolUse", { tool: "Bash|terminal" }, '"terminal"'],
    ["PreToolUse", { tool: /^deploy/ }, "/^deploy/ matches no known tool_name"],
    ["SessionStart", { match: "new" }, 'no known source is called "new". Known are startup'],
    ["SessionStart", { match: /new/ }, "/new/ matches no known source"],
  ] as const)("%s %j", async (event, options, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(event, options as never, () => undefined);
    expect(project.diagnostics.map((one) => [one.code, one.level, one.text])).toEqual([
      ["HL_CONFIG_MATCHER_NEVER", "warning", expect.stringContaining(text)],
    ]);
  });

  test("and nothing about tools of the agent and of MCP servers", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["run_shell"] });
    for (const tool of ["run_shell", "mcp__a__b", "mcp__a__*", "*", "Task", /^mcp__github__/, /run_/])
      hooks.on("PreToolUse", { tool: tool as string, guard: true }, () => undefined);
    expect(project.codes()).toEqual([]);
  });

  test("a tool of a server whose tools the program lists must be one of them", async () => {
    const project = openProject();
    const hooks = await project.open({ tools: ["mcp__gh__push"] });
    for (const tool of ["mcp__gh__push", "mcp__gh__*", "mcp__other__push"]) hooks.on("PreToolUse", { tool, guard: true }, () => undefined);
    expect(project.codes()).toEqual([]);
    hooks.on("PreToolUse", { tool: "mcp__gh__psuh", guard: true }, () => undefined);
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_CONFIG_MATCHER_NEVER", expect.stringContaining('Did you mean "mcp__gh__push"?')],
    ]);
  });

  test("a file that names Shell is asked about Bash, not Skill", async () => {
    const project = openProject({
      project: { hooks: { PreToolUse: [{ matcher: "Shell", hooks: [{ type: "command", command: "true" }] }] } },
    });
    await project.open();
    expect(project.diagnostics[0]?.text).toContain('Did you mean "Bash"?');
  });

  test("a value that an event comes with and no matcher has in this spelling is said", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("SessionStart", { match: "startup" }, () => undefined);
    await hooks.fire("SessionStart", { source: "Startup" });
    expect(project.codes()).toEqual(["HL_SELECT_SPELLING"]);
  });
});

describe("a program that calls hook() in its own file", () => {
  const shared = globalThis as unknown as { [key: symbol]: { state?: string; isHosted?: true } };
  const key = Symbol.for("hookloop.sdk");

  test.each([
    [{ state: "scheduled" }, ["HL_CONFIG_OPTION_INVALID"]],
    [{ state: "waiting" }, []],
    [{ state: "scheduled", isHosted: true as const }, []],
  ])("as a hook script would (%j): openHooks says so", async (declared, codes) => {
    const before = shared[key];
    shared[key] = { ...before, ...declared };
    const project = openProject();
    await project.open().finally(() => {
      if (before) shared[key] = before;
      else delete shared[key];
    });
    expect(project.codes()).toEqual(codes);
  });
});

describe("hooks.on without options", () => {
  test("takes event and handler, as hook() does", async () => {
    const hooks = await openProject().open();
    const off = hooks.on("PreToolUse", () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    off();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
  });

  test("takes what hook() gives: its event, options and handler", async () => {
    const hooks = await openProject().open();
    const definition = {
      event: "PreToolUse",
      options: { tool: "Deploy", guard: true, name: "d", ownNames: ["Deploy"] },
      handler: () => deny("no"),
    } as const;
    hooks.on(definition);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "Deploy" })).decision).toBe("deny");
    expect(hooks.admitted.map(({ name, isGuard }) => [name, isGuard])).toEqual([["d", true]]);
  });

  test("still throws where the handler is missing or comes first", async () => {
    const hooks = await openProject().open();
    const calls: readonly unknown[][] = [["PreToolUse"], ["PreToolUse", {}], ["PreToolUse", () => {}, {}], [{}], [undefined]];
    for (const call of calls) expect(() => (hooks.on as (...given: unknown[]) => void)(...call), JSON.stringify(call)).toThrow(/^HL_/);
  });
});

describe("a guard whose tool comes with hidden or wide letters", () => {
  test.each(["Ba\u200bsh", "\uff22ash"])("%j: it runs, deny rules bind, and the name is shown with what is hidden", async (tool_name) => {
    const project = openProject({ native: { permissions: { deny: ["Bash(git push *)"] } } });
    const hooks = await project.open();
    expect((await hooks.runTool({ ...bash("git push x"), tool_name }, () => "ran")).status).toBe("denied");
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name })).decision).toBe("deny");
    const said = project.diagnostics.filter(({ code, text }) => code === "HL_SELECT_SPELLING" && text.includes("guard"));
    expect(said).toHaveLength(1);
    expect(said[0]?.text).not.toContain("\u200b");
  });
});

describe("hooks under a key that is not read", () => {
  const map = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }] };
  const guarded = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2", guard: true }] }] };
  const KEYS = ["hoks", "hokos", "hooks ", "hoooks", "hookss", "hooks_", "Hooks", "hook", "claudeHooks", "x"];

  test.each(KEYS)("%j is said, in a file and in settings of openHooks, and the session must not start with requireHooks", async (key) => {
    const file = openProject({ project: { model: "x", [key]: map } });
    const option = openProject();
    for (const [project, settings] of [
      [file, {}],
      [option, { settings: { [key]: map } }],
    ] as const) {
      const hooks = await project.open({ ...settings, requireHooks: true });
      expect(hooks.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([
        ["HL_CONFIG_UNKNOWN_FIELD", "error", expect.stringMatching(/^".*" is not a key of .* the hooks in it are ignored\. .*"hooks"/)],
      ]);
      expect(hooks.trust.cannotStart.map(({ text }) => text)).toEqual([expect.stringContaining("A gate may be missing")]);
    }
  });

  test.each([
    ["hoks", guarded],
    ["x", guarded],
    ["settings", { hooks: guarded }],
  ])("a guard under %j blocks", async (key, value) => {
    const hooks = await openProject({ project: { [key]: value } }).open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("one level too deep is said", async () => {
    const project = openProject();
    const hooks = await project.open({ settings: { settings: { hooks: map } }, requireHooks: true });
    expect(hooks.diagnostics.map(({ text }) => text)).toEqual([
      '"hooks" must stand at the top, not inside "settings"; here it is ignored. Move it there.',
    ]);
    expect(hooks.trust.cannotStart).toHaveLength(1);
  });

  test("inside of permissions they are said, and the rules hold", async () => {
    const project = openProject();
    const hooks = await project.open({ settings: { permissions: { deny: ["Bash"], hooks: map } } });
    expect(project.diagnostics[0]?.text).toContain('not inside "permissions"');
    expect((await hooks.runTool(bash("ls"), () => 1)).status).toBe("denied");
  });

  test("a slip of both names is one of the key", async () => {
    const project = openProject({ project: { hoks: { PreToolUes: map.PreToolUse } } });
    await project.open();
    expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining('Did you mean "hooks"?')]);
  });

  test.each(["hooks_disabled", "//hooks", "old-hooks"])("%j, put aside on purpose, is a warning and stops nothing", async (key) => {
    const project = openProject({ project: { [key]: guarded } });
    const hooks = await project.open({ requireHooks: true });
    expect(hooks.diagnostics.map(({ level }) => level)).toEqual(["warning"]);
    expect([hooks.trust.cannotStart, (await hooks.fire("PreToolUse", bash("ls"))).decision]).toEqual([[], "none"]);
  });

  test("keys of other programs are theirs", async () => {
    const project = openProject({
      project: { tools: {}, books: { a: [] }, keys: { Stop: "ctrl-c" }, hosts: ["a"], sounds: { Stop: ["a.wav"] } },
    });
    await project.open();
    expect(project.diagnostics).toEqual([]);
  });
});

describe("a guard that reads a field that is not sent", () => {
  type Any = Record<string, Record<string, unknown> & string>;
  const READS: readonly [string, (input: Any, run: Any) => unknown, string][] = [
    ["toolInput", (input) => input["toolInput"]?.["command"], 'Did you mean "tool_input"?'],
    ["cmd", (input) => input["tool_input"]?.["cmd"], 'Did you mean "command"?'],
    ["command of the input", (input) => input["command"], "Write input.tool_input.command"],
    ["the second argument", (_run, input) => input["tool_input"]?.["command"], "The input is the first argument"],
    ["a field of the tool in the second argument", (_name, input) => input["command"], "The input is the first argument"],
    [
      "any field of the second argument, and none of the first",
      (_name, input) => input["cmd"] ?? input["name"],
      "The input is the first argument",
    ],
  ];
  const guardOf =
    (read: (input: Any, run: Any) => unknown) =>
    (input: Any, run: Any): ReturnType<typeof deny> | undefined =>
      /push/.test(String(read(input, run))) ? deny("no") : undefined;

  test.each(READS)("%s: it has failed and blocks, and what was meant is said", async (_name, read, text) => {
    for (const handler of [guardOf(read), async (input: Any, run: Any) => guardOf(read)(input, run)]) {
      for (const isolate of [false, true]) {
        const project = openProject();
        const hooks = await project.open({ isolate });
        const off = hooks.on("PreToolUse", { tool: "Bash", onFailure: "block", name: "b" }, handler as never);
        expect((await hooks.fire("PreToolUse", bash("git push"))).decision).toBe("deny");
        expect(project.diagnostics.splice(0)).toMatchObject([{ code: "HL_EXECUTE_FIELD_MISSPELT", level: "error" }]);
        off();
        hooks.on("PreToolUse", { tool: "Bash", guard: true, name: "g" }, handler as never);
        expect((await hooks.fire("PreToolUse", bash("git push"))).decision).toBe("deny");
        expect((await hooks.fire("PreToolUse", bash("git push"), { timeoutMs: 1000 })).decision).toBe("deny");
        expect(project.diagnostics[0]).toMatchObject({ code: "HL_EXECUTE_FIELD_MISSPELT", level: "error" });
        expect(project.diagnostics[0]?.text).toMatch(/^guard "g": it reads ".*(?:;|\?) [tT]hat counts as a denial\. Fix the handler$/s);
        expect(project.diagnostics[0]?.text).toContain(text);
      }
    }
  });

  test.each<[string, (input: Any) => unknown]>([
    ["both spellings", (input) => [input["tool_input"]?.["command"], input["tool_input"]?.["cmd"], input["toolInput"]]],
    ["a field that may be left out", (input) => input["agent_id"]],
    ["everything as JSON", (input) => JSON.stringify(input)],
    ["everything in a copy", (input) => structuredClone({ ...input })],
  ])("%s is no mistake", async (_what, read) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, guardOf(read) as never);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect(project.diagnostics).toEqual([]);
  });

  test("a field of the program's own that an earlier call had, or that comes with commonInput, is no mistake", async () => {
    const project = openProject();
    const hooks = await project.open({ commonInput: { region: "eu" } as never });
    const read = (name: string) => (input: object) => ((input as Record<string, unknown>)[name] === "bob" ? deny("no") : undefined);
    hooks.on("PreToolUse", { guard: true }, read("tenant"));
    hooks.on("PreToolUse", { guard: true }, read("region"));
    const decisions = [{ tenant: "al" }, {}, { tenant: "bob" }].map(
      async (own) => (await hooks.fire("PreToolUse", { ...bash("ls"), ...own })).decision,
    );
    expect([await Promise.all(decisions), project.diagnostics]).toEqual([["none", "none", "deny"], []]);
    hooks.on("PreToolUse", { guard: true }, read("tenat"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("its input is plain data to rules, to another engine and as a rewrite", async () => {
    const hooks = await openProject().open();
    const other = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, async (input) => {
      const { rules } = readRules([{ scope: "code", root: "/", isTrusted: true, permissions: { deny: ["Bash(git push *)"] } }]);
      if (decide(input as never, rules, { root: "/" }).decision === "deny") return deny("rule");
      const { status } = await other.runTool(input as never, () => 1);
      return status === "ran" ? (rewrite(input.tool_input as object) as never) : deny(status);
    });
    expect((await hooks.fire("PreToolUse", bash("git push -f"))).reasons[0]?.text).toBe("rule");
    const { decision, updatedInput } = await hooks.fire("PreToolUse", bash("ls"));
    expect([decision, updatedInput]).toEqual(["none", { command: "ls" }]);
    expect(Object.getPrototypeOf(updatedInput)).toBe(Object.prototype);
  });
});

describe("a guard that changes its input", () => {
  test("has failed, unless it returns a rewrite", async () => {
    const project = openProject();
    const hooks = await project.open();
    const change = (input: { readonly tool_input: object }): object => Object.assign(input.tool_input, { command: "echo" });
    hooks.on("PreToolUse", { guard: true, name: "ok" }, (input) => rewrite({ ...change(input as never) }) as never);
    hooks.on("PreToolUse", { guard: true, name: "g" }, (input) => void change(input as never));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    const said = project.diagnostics.filter(({ code }) => code === "HL_OUTPUT_INPUT_CHANGED");
    expect(said[0]?.text).toContain("it changed its input, which changes nothing. Return rewrite({ ...input.tool_input, … })");
  });

  test.each([
    ["PostToolUse", { ...bash("ls"), tool_response: { stdout: "key" } }, "tool_response", "Return replaceOutput(…)"],
    ["UserPromptSubmit", { prompt: "key" }, "prompt", "Return rewritePrompt(…)"],
  ] as const)("at %s what changes it is named", async (event, payload, field, cure) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(event, { guard: true }, (input) => void Object.assign(input, { [field]: "" }));
    await hooks.fire(event, payload);
    expect(project.diagnostics.find(({ code }) => code === "HL_OUTPUT_INPUT_CHANGED")?.text).toContain(cure);
  });

  test("also where its failure blocks by onFailure", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { onFailure: "block" }, (input) => void Object.assign(input.tool_input as object, { command: "echo" }));
    await hooks.fire("PreToolUse", bash("ls"));
    expect(project.codes()).toEqual(["HL_OUTPUT_INPUT_CHANGED"]);
  });

  test("has failed where inputs are isolated", async () => {
    const hooks = await openProject().open({ isolate: true });
    hooks.on("PreToolUse", { guard: true }, (input) => void Object.assign(input.tool_input as object, { command: "echo" }));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });
});

describe("a guard whose result comes after it has answered", () => {
  const steps = async (left: number): Promise<unknown> => (left === 0 ? deny("late") : await steps(left - 1));

  test.each([0, 1, 2, 5, 20])("blocks if %i promises later, by a missing await", async (left) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true, name: "g" }, async () => {
      for (const _ of [1, 2]) void steps(left);
    });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining("made deny(…) and did not return it")]);
  });

  test.each([
    ["async", async () => void setTimeout(() => deny("late"), 20)],
    ["plain", () => void setTimeout(() => deny("late"), 20)],
  ])("is named if it takes longer: %s", async (_kind, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true, name: "g" }, handler as never);
    for (const _ of [1, 2]) {
      expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([
      [
        "HL_OUTPUT_NOT_RETURNED",
        "warning",
        'guard "g" of PreToolUse may have made deny(…) after it had answered without an opinion: it was made where no hook was running, and counts for nothing. If the guard made it, await what makes it, and return it.',
      ],
    ]);
  });

  test("is not accused of what the program made: not as an error, not if it had blocked, and not after close()", async () => {
    const [blocking, closed, open] = [openProject(), openProject(), openProject()];
    const misread = await blocking.open();
    misread.on("PreToolUse", { guard: true }, (input) => void (input as unknown as Record<string, unknown>)["toolInput"]);
    const over = await closed.open();
    over.on("PreToolUse", { guard: true }, () => undefined);
    await over.fire("PreToolUse", bash("ls"));
    await over.close();
    expect((await misread.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    deny("of the program");
    expect(blocking.codes()).toEqual(["HL_EXECUTE_FIELD_MISSPELT"]);
    expect(closed.codes()).toEqual([]);
    const hooks = await open.open();
    hooks.on("PreToolUse", { guard: true }, () => undefined);
    await hooks.fire("PreToolUse", bash("ls"));
    deny("of the program");
    expect(open.diagnostics.map(({ level }) => level)).toEqual(["warning"]);
  });
});

describe("a tool of an MCP server whose words are joined in another way", () => {
  const call = (tool_name: string): { tool_name: string; tool_input: object; tool_use_id: string } => {
    return { tool_name, tool_input: {}, tool_use_id: "1" };
  };
  const OTHERS = ["mcp_github_push", "mcp-github-push", "mcp.github.push", "mcp:github/push", "MCP__GitHub__push"];
  const spelling = (text: string): object => expect.objectContaining({ code: "HL_SELECT_SPELLING", text: expect.stringContaining(text) });

  test.each(["mcp__github__push", "mcp__github__*", "mcp__github__.*"])("a guard for %s runs, out loud", async (tool) => {
    for (const other of OTHERS) {
      const project = openProject();
      const hooks = await project.open();
      hooks.on("PreToolUse", { tool, guard: true, name: "g" }, () => deny("no"));
      expect([other, (await hooks.runTool(call(other), () => 1)).status]).toEqual([other, "denied"]);
      expect(project.diagnostics).toEqual([spelling("it is taken for the same, and the guard runs")]);
    }
  });

  test("a guard for another tool or server does not run, nor does a hook that is no guard", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: ["mcp__github__pull", "mcp__gitlab__push"], guard: true }, () => deny("no"));
    hooks.on("PreToolUse", { tool: "mcp__github__push" }, () => deny("no"));
    for (const other of OTHERS) expect([other, (await hooks.runTool(call(other), () => 1)).status]).toEqual([other, "ran"]);
    expect(project.diagnostics).toContainEqual(spelling("the hook does not run"));
  });

  test.each(["mcp__github__push", "mcp__github__*", "mcp__github"])(
    "a deny rule for %s holds, out loud, once for each name",
    async (rule) => {
      const project = openProject({ project: { permissions: { deny: [rule] } } });
      const hooks = await project.open();
      for (const other of [...OTHERS, ...OTHERS]) expect((await hooks.runTool(call(other), () => 1)).status).toBe("denied");
      expect(project.diagnostics).toEqual(OTHERS.map((other) => spelling(`holds for "${other}", which is taken for ${rule}`)));
      expect((await hooks.runTool(call("mcp__github__push"), () => 1)).status).toBe("denied");
      expect(project.diagnostics).toHaveLength(OTHERS.length);
    },
  );

  test("a deny rule for a tool of the program's own says so, too", async () => {
    const project = openProject({ project: { permissions: { deny: ["deploy_app"] } } });
    const hooks = await project.open({ tools: ["deploy_app"] });
    expect((await hooks.runTool(call("Deploy-App"), () => 1)).status).toBe("denied");
    expect(project.diagnostics).toEqual([spelling('"deploy_app" of project scope')]);
  });
});

test("a guard that keeps a subagent going runs for another spelling of its name, out loud", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("SubagentStop", { match: "reviewer", guard: true, name: "g" }, () => block("not yet"));
  const verdict = await hooks.fire("SubagentStop", { agent_id: "a", agent_type: "Reviewer", stop_hook_active: false });
  expect(verdict.continueWith?.length ?? 0).toBeGreaterThan(0);
  expect(project.diagnostics.map(({ text }) => text).join()).toContain("it is taken for the same, and the guard runs");
});

describe("messages that were wrong", () => {
  test("an `if` for a tool of the program's own is no unknown tool", async () => {
    const entry = { type: "command", command: "cat", if: "deploy(to:prod)", guard: true };
    const project = openProject({ native: { hooks: { PreToolUse: [{ matcher: "deploy", hooks: [entry] }] } } });
    const hooks = await project.open({ tools: ["deploy"] });
    await hooks.fire("PreToolUse", { tool_name: "deploy", tool_input: { to: "test" }, tool_use_id: "1" });
    expect(project.codes()).not.toContain("HL_SELECT_CONDITION_INVALID");
  });

  test("an input that is no plain object is told so", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => undefined);
    for (const tool_input of [Object.create({ command: "ls" }) as object, new (class Args {})()])
      expect((await hooks.fire("PreToolUse", { ...bash(""), tool_input })).decision).toBe("deny");
    const texts = project.diagnostics.map(({ text }) => text).join();
    expect(texts).toContain('"tool_input" is an object, not a plain object');
    expect(texts).toContain('"tool_input" is an object of the class Args, not a plain object');
  });

  test("an event that is none is told where all are listed, and a thrown object is shown", async () => {
    const hooks = await openProject().open();
    expect(() => hooks.on("tool_call" as never, {}, () => undefined)).toThrow("`hookloop events` lists all.");
    const result = await hooks.runTool(bash("ls"), () => Promise.reject({ code: 7 }));
    expect(result).toMatchObject({ status: "failed", error: 'no message ({"code":7} was thrown)' });
  });
});

describe("a guard that makes a text of an object", () => {
  test.each([
    ["String()", (value: unknown) => String(value)],
    ["a template", (value: unknown) => `${value}`],
    ["RegExp", (value: unknown) => (/push/.test(value as string) ? "push" : "")],
    ["toString()", (value: object) => value.toString()],
  ])("by %s has failed, and blocks", async (_how, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, ({ tool_input }) => (text(tool_input).includes("push") ? deny("no") : undefined));
    expect((await hooks.fire("PreToolUse", bash("git push"))).decision).toBe("deny");
    expect(project.diagnostics[0]?.text).toContain('reads tool_input as a text, which is "[object Object]"');
  });

  test("by JSON, or that reads its fields as well, has not", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, ({ tool_input }) => (JSON.stringify(tool_input).includes("push") ? deny("no") : undefined));
    hooks.on("PreToolUse", { guard: true }, ({ tool_input }) =>
      `${tool_input} ${tool_input["command"]}`.includes("push") ? deny("no") : undefined,
    );
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
  });
});
