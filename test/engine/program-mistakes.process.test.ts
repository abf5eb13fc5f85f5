import { setTimeout as wait } from "node:timers/promises";
import { allow, ask, context, deny, type HookResult } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { openHooks } from "../../packages/hookloop/src/open.ts";
import { hooksFor, openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "ls", nested: { deep: { value: 1 } } }, tool_use_id: "t" };

test("a function for an event that does not exist is refused at once", async () => {
  const { open } = openProject();
  const hooks = await open();
  expect(() => hooks.on("PreTooluse" as "PreToolUse", {}, () => undefined)).toThrow(
    'HL_CONFIG_UNKNOWN_EVENT: "PreTooluse" is not an event. Did you mean "PreToolUse"?',
  );
});

test.each(["permission", "ask"] as const)("%s that throws is a denial", async (broken) => {
  const { open } = openProject();
  const hooks = await open();
  const boom = (): never => {
    throw new Error("boom");
  };
  let hasRun = false;
  const options = broken === "permission" ? { permission: boom } : { permission: () => "ask" as const, ask: boom };
  const result = await hooks.runTool(CALL, () => (hasRun = true), options);
  expect([hasRun, result.status, result.error]).toEqual([false, "denied", "Bash was not run: whether it may could not be decided (boom)."]);
});

test.each([true, false])("isolate: %s decides whether a function may change its own copy", async (isolate) => {
  const { open } = openProject();
  const hooks = await open({ isolate });
  const seen: unknown[] = [];
  hooks.on("PreToolUse", {}, ({ tool_input }) => void seen.push(Reflect.set(tool_input, "command", "changed")));
  hooks.on("PreToolUse", {}, ({ tool_input }) => void seen.push(tool_input["command"]));
  hooks.fire("PreToolUse", CALL);
  expect(seen).toEqual([!isolate, "ls"]);
  expect(CALL.tool_input.command).toBe("ls");
});

describe("hooks.on takes what settings matchers take", () => {
  test.each([
    ["Edit|Write", ["Edit", "Write"], ["Bash", "NotebookEdit"]],
    ["Edit, Write", ["Edit", "Write"], ["Bash"]],
    [["Edit|Write", "Bash"], ["Edit", "Bash"], ["Read"]],
    ["*", ["Bash", "mcp__a__b"], []],
    ["mcp__github__*", ["mcp__github__x"], ["Bash", "mcp__git__x", "mcp__github2__x"]],
    ["mcp__github__.*", ["mcp__github__x"], ["Bash", "mcp__git__x"]],
    ["mcp__.*", ["mcp__github__x"], ["Bash"]],
    ["Bash|mcp__github__*", ["Bash", "mcp__github__x"], ["BashOutput", "Read"]],
    ["Task|Bash", ["Agent", "Task", "Bash"], ["Read"]],
    ["my.tool|fs/read", ["my.tool", "fs/read"], ["myXtool"]],
    ["fs/list", ["fs/list"], ["fs", "list"]],
    [/mcp__.*__write$/, ["mcp__a__write"], ["mcp__a__writer"]],
    [/^mcp__github__/, ["mcp__github__x"], ["mcp__git__x"]],
    [/Edit|Wri/g, ["Edit", "Write"], ["Bash"]],
    [/ash/, ["Bash"], ["Read"]],
    [/Task/, ["Agent", "Task"], ["Bash"]],
  ])("%s", async (tool, fitting, others) => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { tool: tool as string, guard: true }, () => deny("called"));
    const decide = async (name: string): Promise<string> => (await hooks.fire("PreToolUse", { ...CALL, tool_name: name })).decision;
    for (const name of fitting) expect([name, await decide(name)]).toEqual([name, "deny"]);
    for (const name of others) expect([name, await decide(name)]).toEqual([name, "none"]);
  });

  test.each([
    ["SessionStart", "startup|resume", { source: "resume" }, { source: "clear" }],
    ["FileChanged", ".env|.envrc", { file_path: "/p/.env", event: "change" }, { file_path: "/p/x.env", event: "change" }],
    ["FileChanged", "docs/a.txt|b.txt", { file_path: "/p/docs/a.txt", event: "change" }, { file_path: "/p/a.txt", event: "change" }],
    ["StopFailure", "rate_limit", { error: "rate_limit" }, { error: "server_error" }],
    ["FileChanged", /^\.env/, { file_path: "/p/.env", event: "change" }, { file_path: "/p/x.env", event: "change" }],
  ] as const)("match of %s: %s", async (event, match, fitting, other) => {
    const hooks = await openProject().open();
    let calls = 0;
    hooks.on(event, { match }, () => void calls++);
    await hooks.fire(event, fitting);
    await hooks.fire(event, other);
    expect(calls).toBe(1);
  });

  test("and gives the names it watches for, as they were written", async () => {
    const hooks = await openProject().open();
    hooks.on("FileChanged", { match: ".env|Makefile" }, () => undefined);
    expect(hooks.internals.matchers("FileChanged")).toEqual([".env", "Makefile"]);
  });
});

describe("hooks.on throws at what cannot be meant", () => {
  const handler = (): undefined => undefined;
  test.each([
    [[{ gaurd: true }, handler], 'HL_SDK_OPTION_UNKNOWN: hooks.on("PreToolUse"): there is no option "gaurd". Did you mean "guard"?'],
    [[{ matcher: "Bash" }, handler], 'Did you mean "tool"?'],
    [[{ onFail: "block" }, handler], 'Did you mean "onFailure"?'],
    [[{ onFailure: "deny" }, handler], 'onFailure is "deny". Write one of: continue, ask, block'],
    [[{ priority: "high" }, handler], 'priority is "high". Write a number'],
    [[{ guard: 1 }, handler], "guard is 1. Write true or false"],
    [[{ timeoutMs: -1 }, handler], "timeoutMs is -1. Write milliseconds, more than 0"],
    [
      [{ tool: "Bash(git *)" }, handler],
      'HL_SDK_MATCHER_INVALID: hooks.on("PreToolUse"): tool: "Bash(git *)": a matcher is only the tool\'s name',
    ],
    [[{ tool: "^Edit" }, handler], "it is a pattern"],
    [[{ tool: "" }, handler], "a name is missing"],
    [[{ tool: [] }, handler], "the list is empty"],
    [[{ tool: "bash" }, handler], 'no known tool is called "bash". Write "Bash"'],
    [[{ tool: /bash/ }, handler], "or /bash/i"],
    [[{ tool: "Bash" }], 'undefined is no handler. Write hooks.on("PreToolUse", options, (input) => …)'],
    [[handler, { tool: "Bash" }], "the handler comes last"],
    [[{ tool: "Bash" }, deny("no")], "an object is no handler"],
    [["Bash", handler], 'the options are "Bash"'],
  ])("%j", async (given, text) => {
    const hooks = await openProject().open();
    const on = hooks.on.bind(hooks) as unknown as (...all: unknown[]) => void;
    expect(() => on("PreToolUse", ...given)).toThrow(TypeError);
    expect(() => on("PreToolUse", ...given)).toThrow(text);
    expect(hooks.has("PreToolUse")).toBe(false);
  });

  test("but knows the tools of the agent", async () => {
    const hooks = await openProject().open({ tools: ["bash", "Exit"] });
    hooks.on("PreToolUse", { tool: "bash|Exit" }, () => deny("no"));
    expect(await hooks.fire("PreToolUse", { ...CALL, tool_name: "bash" })).toMatchObject({ decision: "deny" });
  });

  test("and reports what has no effect", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("SessionEnd", { guard: true }, handler);
    hooks.on("Stop", { match: "x" }, handler);
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_CONFIG_OPTION_IGNORED", expect.stringContaining("SessionEnd cannot block: guard has no effect")],
      ["HL_CONFIG_OPTION_IGNORED", expect.stringContaining("Stop is not matched by anything: match is ignored")],
    ]);
  });
});

describe("a result that a function made and did not return", () => {
  const later = <Value>(value: Value): Promise<Value> => wait(5, value);
  const forgets: [string, () => unknown][] = [
    ["at once", () => void deny("x")],
    ["in an async function", async () => void ask("x")],
    ["after an await", async () => void context(await later("x"))],
    ["in a promise's callback", () => later("x").then((text) => void deny(text))],
    ["in a callback", () => void ["a", "b"].map((text) => deny(text))],
    ["by adding to another", () => addedTo(context("y"))],
  ];
  const WAYS = [
    ["the fast path", undefined],
    ["the long way", { timeoutMs: 60_000 }],
  ] as const;
  for (const [way, options] of WAYS)
    test.each(forgets)(`%s, on ${way}: a guard blocks, a gate asks, an observer fails open, all out loud`, async (_what, handler) => {
      const project = openProject();
      const hooks = await project.open();
      const off = hooks.on("PreToolUse", { name: "bad" }, handler as never);
      expect((await hooks.fire("PreToolUse", CALL, options)).decision).toBe("ask");
      off();
      hooks.on("PreToolUse", { name: "bad", guard: true }, handler as never);
      expect((await hooks.fire("PreToolUse", CALL, options)).decision).toBe("deny");
      hooks.on("Notification", { name: "bad" }, handler as never);
      await hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }, options);
      expect(project.diagnostics.map(({ code, level }) => [code, level])).toEqual(
        Array.from({ length: 3 }, () => ["HL_OUTPUT_NOT_RETURNED", "error"]),
      );
      expect(project.diagnostics[1]?.text).toMatch(
        /guard "bad": made .*\(…\).* and did not return it\. Write: return .*; that counts as a denial/,
      );
    });

  for (const [way, options] of WAYS)
    test(`is no mistake if another is returned, and it was no refusal, on ${way}`, async () => {
      const project = openProject();
      const hooks = await project.open();
      const note = context("kept");
      for (const handler of [
        () => [context("x"), allow()].at(-1),
        async () => [context("x"), allow(await later("fine"))].at(-1),
        async () => (await later([context("x"), context("y")])).at(-1)?.with(note),
        async () => [await later(1), context("x"), allow()].at(-1),
        () => (note.parts.length > 5 ? note : undefined),
      ])
        hooks.on("PreToolUse", { guard: true }, handler as never);
      expect((await hooks.fire("PreToolUse", CALL, options)).decision).toBe("allow");
      expect(project.codes()).toEqual([]);
    });

  test("is a guard's own also while others wait and speak", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "wrong", guard: true }, async ({ tool_use_id }) => {
      if ((await later(tool_use_id)) === "a") deny("x");
    });
    hooks.on("PreToolUse", { name: "right", guard: true }, async () => void (await later(1)));
    hooks.on("PreToolUse", { name: "speaks" }, async () => allow(await later("fine")));
    const decisions = await Promise.all(["a", "b", "c"].map((tool_use_id) => hooks.fire("PreToolUse", { ...CALL, tool_use_id })));
    expect(decisions.map(({ decision }) => decision)).toEqual(["deny", "allow", "allow"]);
    expect(project.diagnostics.map(({ text }) => text.slice(0, 13))).toEqual(['guard "wrong"']);
  });

  test("is not looked for where one function calls another by firing an event", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("Notification", {}, () => context("inner"));
    hooks.on("PreToolUse", { guard: true }, () => void hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }));
    expect((await hooks.fire("PreToolUse", CALL)).decision).toBe("none");
    expect(project.codes()).toEqual([]);
  });
});

describe("a call of a tool that the program's own list does not have", () => {
  const unlisted = async (tools: readonly string[], name: string): Promise<readonly string[]> => {
    const project = openProject();
    const hooks = await project.open({ tools });
    hooks.on("PreToolUse", () => undefined);
    for (let times = 0; times < 2; times++) await hooks.fire("PreToolUse", { tool_name: name, tool_input: {}, tool_use_id: "t" });
    return project.diagnostics.map(({ code, text }) => `${code} ${text}`);
  };

  test("is said once, with the name that was meant", async () => {
    expect(await unlisted(["my_shell"], "my_shel")).toEqual([
      'HL_SELECT_SPELLING PreToolUse has the tool "my_shel", which is neither a known one nor in tools of openHooks. Did you mean "my_shell"? Only matchers and rules that name it bind it.',
    ]);
  });

  test.each([
    [["my_shell"], "my_shell"],
    [["my_shell"], "mcp__server__tool"],
    [["my_shell"], "TodoWrite"],
    [[], "my_shel"],
  ])("with the list %j %s is none", async (tools, name) => {
    expect(await unlisted(tools, name)).toEqual([]);
  });
});

describe("a call of a tool whose name is nearly one that hooks name", () => {
  const said = async (tool: string, name: string, options: object = {}): Promise<readonly string[]> => {
    const project = openProject();
    const hooks = await project.open(options);
    hooks.on("PreToolUse", { tool, guard: true }, () => deny("no"));
    for (let times = 0; times < 2; times++) await hooks.fire("PreToolUse", { tool_name: name, tool_input: {}, tool_use_id: "t" });
    return project.diagnostics.map(({ code, text }) => `${code} ${text}`);
  };

  test.each([
    ["Write", "Wirte"],
    ["Edit|Write", "Wriet"],
    ["Bash", "Bsh"],
    ["Bash", "Bahs"],
    ["deploy_site", "deploy_sites"],
    ["NotebookEdit", "NotebokEdit"],
  ])("%s, called %s, is said once, with the name that was meant", async (tool, name) => {
    const meant = tool.split("|").at(-1);
    expect(await said(tool, name)).toEqual([
      ...(tool === "deploy_site" ? [expect.stringContaining("HL_CONFIG_MATCHER_NEVER")] : []),
      `HL_SELECT_SPELLING PreToolUse has the tool "${name}", which is no known one. Did you mean "${meant}"? The hooks for "${meant}" are not asked about it. If it is a tool of your own, name it in tools of openHooks.`,
    ]);
  });

  test.each([
    ["Write", "Wirte", { tools: ["Wirte"] }],
    ["Bash", "Push", {}],
    ["Write", "Route", {}],
    ["Write", "Edit", {}],
    ["*", "Wirte", {}],
  ])("%s, called %s, with %j is another tool", async (tool, name, options) => {
    expect(await said(tool, name, options)).toEqual([]);
  });
});

describe("a payload with a misspelt field", () => {
  const { tool_name: _name, ...NAMELESS } = CALL;
  const WAYS = [
    ["the fast path", undefined],
    ["the long way", { timeoutMs: 60_000 }],
  ] as const;

  for (const [way, options] of WAYS) {
    test(`is named with the field it stands for, once, on ${way}; guards fail and block, whatever their matcher says`, async () => {
      const project = openProject();
      const hooks = await project.open();
      for (const tool of ["Bash", "Edit|Write", /Bash/, "mcp__a__*"])
        hooks.on("PreToolUse", { tool: tool as string, guard: true }, () => deny("no"));
      for (let times = 0; times < 3; times++) {
        const verdict = await hooks.fire("PreToolUse", { ...NAMELESS, toolName: "Bash" } as never, options);
        expect([verdict.decision, verdict.reasons.length]).toEqual(["deny", 4]);
      }
      const ofHooks = project.diagnostics.filter(({ hook }) => hook);
      expect(new Set(ofHooks.map(({ text }) => text))).toHaveProperty("size", 4);
      expect(ofHooks[0]?.text).toContain('it was not asked, because there is no "tool_name"; that counts as a denial');
      expect(project.diagnostics.filter(({ hook }) => !hook)).toEqual([
        {
          code: "HL_SELECT_FIELD_MISSING",
          level: "error",
          text: 'PreToolUse was fired without "tool_name". "toolName" is no field of it: did you mean "tool_name"? Matchers are compared with "tool_name", so every hook of the event runs.',
        },
      ]);
    });

    test.each([
      [
        "UserPromptSubmit",
        { promt: "hi" },
        'UserPromptSubmit was fired without "prompt". "promt" is no field of it: did you mean "prompt"?',
      ],
      [
        "PreToolUse",
        { tool_name: "Bash", toolInput: {} },
        'without "tool_input". "toolInput" is no field of it: did you mean "tool_input"?',
      ],
      ["PreToolUse", { tool_name: "Bash", args: {} }, 'without "tool_input". It has args instead.'],
      ["PreToolUse", { tool_name: 5, tool_input: {} }, 'without "tool_name". It is a number, and must be a text.'],
      ["PreToolUse", { tool_name: undefined, tool_input: {}, tool_use_id: "1" }, 'without "tool_name".'],
      ["PreToolUse", { tool_name: "Bash", tool_input: undefined, tool_use_id: "1" }, 'without "tool_input".'],
      ["PostToolUse", { tool_name: "Bash", tool_input: {}, tool_use_id: "1" }, 'PostToolUse was fired without "tool_response".'],
      ["PreToolUse", "Bash", 'PreToolUse was fired without "tool_name" and "tool_input".'],
      [
        "PreToolUse",
        { ...CALL, permissionMode: "plan" },
        'with "permissionMode", which is no field of it. Did you mean "permission_mode"?',
      ],
      ["SessionStart", { Source: "startup" }, 'without "source". "Source" is no field of it: did you mean "source"?'],
      ["Stop", { stopHookActive: true, agentId: "a" }, 'with "agentId", which is no field of it. Did you mean "agent_id"?'],
    ] as const)(`%s %j, on ${way}`, async (event, input, text) => {
      const project = openProject();
      const hooks = await project.open();
      hooks.on(event, {}, () => undefined);
      await hooks.fire(event, input as never, options);
      await hooks.fire(event, input as never, options);
      const texts = project.diagnostics.map((diagnostic) => diagnostic.text);
      expect(texts.filter((one) => one.includes(text))).toHaveLength(1);
      expect(new Set(texts).size).toBe(texts.length);
    });
  }

  test("of a command hook is named as well, and a condition does not keep a guard from running", async () => {
    const hook = { command: "cat >/dev/null; echo no >&2; exit 2", if: "Bash(git *)" };
    const project = openProject({ project: hooksFor("PreToolUse", [hook], { matcher: "Bash" }) });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", { ...NAMELESS, toolName: "Bash" } as never)).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_SELECT_FIELD_MISSING"]);
  });

  test("nothing is said about fields of the program's own, of every payload, or without a listener", async () => {
    const project = openProject();
    const hooks = await project.open({ commonInput: { permission_mode: "plan", tenant: "t" } });
    await hooks.fire("PreToolUse", { toolName: "Bash" } as never);
    hooks.on("PreToolUse", {}, () => undefined);
    await hooks.fire("PreToolUse", { ...CALL, x_kind: "shell", requestId: "r", agent_id: "a" } as never);
    await hooks.fire("PreToolUse", { ...CALL, tool_name: "" });
    expect(project.codes()).toEqual([]);
  });

  test.each([
    [{ ...NAMELESS, toolName: "Bash" } as never, 'runTool() was called without "tool_name": it has "toolName". The call was not run'],
    [{ tool_name: "Bash", toolInput: {}, tool_use_id: "1" }, 'without "tool_input": it has "toolInput".'],
    [{}, 'without "tool_name", and without "tool_input".'],
    [undefined, 'without "tool_name", and without "tool_input".'],
  ])("runTool(%j) runs nothing and says why", async (call, text) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const result = await hooks.runTool(call as never, () => (hasRun = true), { permission: () => "allow" });
    expect([hasRun, result.status, result.error]).toEqual([false, "denied", expect.stringContaining("cannot be judged")]);
    expect(project.diagnostics.map((diagnostic) => diagnostic.text)).toEqual([expect.stringContaining(text)]);
  });

  test.each([
    [{ permisson: () => "deny" }, 'runTool() has no option "permisson". Did you mean "permission"?'],
    [{ permission: "deny" }, 'permission of runTool() is "deny". Write a function'],
  ])("runTool with options %j runs nothing: a rule that is misspelt is none", async (options, text) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const result = await hooks.runTool(CALL, () => (hasRun = true), options as never);
    expect([hasRun, result.status, result.error]).toEqual([false, "denied", expect.stringContaining(text)]);
    expect(project.codes()).toEqual(["HL_CONFIG_OPTION_INVALID"]);
  });
});

describe("fire says what is wrong with its options, once, and hooks decide all the same", () => {
  test.each([
    [{ singal: new AbortController().signal }, 'fire() has no option "singal". Did you mean "signal"?'],
    [{ timeout: 5 }, 'fire() has no option "timeout". Did you mean "timeoutMs"?'],
    [{ onStep: "log" }, 'onStep of fire() is "log". Write a function'],
    [{ timeoutMs: "5" }, 'timeoutMs of fire() is "5". Write milliseconds, more than 0'],
    [new AbortController().signal, "fire() was given a signal. Write fire(event, input, { signal })"],
  ])("%j", async (options, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => deny("no"));
    for (const _ of [1, 2]) expect((await hooks.fire("PreToolUse", CALL, options as never)).decision).toBe("deny");
    const found = project.diagnostics.filter(({ code }) => code === "HL_CONFIG_OPTION_INVALID");
    expect(found.map((diagnostic) => diagnostic.text)).toEqual([expect.stringContaining(text)]);
  });
});

describe("openHooks rejects", () => {
  test.each([
    [undefined, "openHooks() takes an object. Write openHooks({ cwd })"],
    [{}, "cwd is missing"],
    [{ cwd: 5 }, "cwd of openHooks() is 5. Write a non-empty string"],
    [{ cwd: "/", onDiagnostics: () => {} }, 'openHooks() has no option "onDiagnostics". Did you mean "onDiagnostic"?'],
    [{ cwd: "/", session_id: "s" }, 'Did you mean "sessionId"?'],
    [{ cwd: "/", trust: "implict" }, 'trust of openHooks() is "implict". Write one of: store, implicit'],
    [{ cwd: "/", trust: true }, "Write one of: store, implicit"],
    [{ cwd: "/", strict: "yes" }, 'strict of openHooks() is "yes". Write true or false'],
    [{ cwd: "/", tools: "Deploy" }, "Write a list"],
    [{ cwd: "/", onDiagnostic: "stderr" }, "Write a function"],
    [{ cwd: "/", ports: { askuser: () => {} } }, 'ports has no option "askuser". Did you mean "askUser"?'],
    [{ cwd: "/", zzzzzzzzzz: 1 }, "There are: cwd, sessionId"],
  ])("%j", async (options, text) => {
    await expect(openHooks(options as never)).rejects.toThrow(TypeError);
    await expect(openHooks(options as never)).rejects.toThrow(text);
  });
});

/** As if `.with()` changed it. */
function addedTo(note: HookResult): HookResult {
  note.with(deny("x"));
  return note;
}
