/** What an embedding program does at the wrong time, or with the wrong word, is said; where it concerns a guard, the guard's direction counts. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { allow, ask, block, deny, rewrite, stop } from "@hookloop/sdk";
import { describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import { blockTexts, modelTexts } from "../../packages/hookloop/src/judge/texts.ts";
import { Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import { bash, hooksFor, openProject } from "../engine/open-project.ts";

const silent = (): undefined => undefined;
const texts = (diagnostics: readonly Diagnostic[]): string => diagnostics.map(({ text }) => text).join("\n");

describe("a verdict that is read without await", () => {
  test("denies where a hook could have, and is said once", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, async () => undefined);
    for (let times = 0; times < 2; times++) {
      const verdict = hooks.fire("PreToolUse", bash("ls")) as unknown as Record<string, unknown>;
      expect(verdict["decision"]).toBe("deny");
      expect((await (verdict as unknown as Promise<{ decision: string }>)).decision).toBe("none");
    }
    expect(project.diagnostics.map(({ code, level }) => [code, level])).toEqual([["HL_LOOP_NOT_AWAITED", "error"]]);
    expect(texts(project.diagnostics)).toContain('await hooks.fire("PreToolUse", …)');
  });

  test("ends the turn where that is how an event blocks, and holds nothing where nothing can be blocked", async () => {
    const project = openProject();
    const hooks = await project.open();
    for (const event of ["PostToolBatch", "Notification"] as const) hooks.on(event, {}, async () => undefined);
    const batch = hooks.fire("PostToolBatch", { tool_calls: [] }) as unknown as { halt?: object };
    expect(batch.halt).toBeDefined();
    const note = hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }) as unknown as { decision: string };
    expect(note.decision).toBe("none");
  });
});

describe("what else is read without await", () => {
  test("a verdict that is written as JSON is a denial", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, async () => undefined);
    expect(JSON.parse(JSON.stringify(hooks.fire("PreToolUse", bash("ls"))))).toMatchObject({ decision: "deny" });
    expect(project.codes()).toEqual(["HL_LOOP_NOT_AWAITED"]);
  });

  test.each<[string, (pending: object) => object]>([
    ["a spread", (pending) => ({ ...pending })],
    ["Object.assign", (pending) => Object.assign({}, pending)],
    ["Object.entries", (pending) => Object.fromEntries(Object.entries(pending))],
  ])("a copy by %s is a denial, too", async (_what, copy) => {
    const project = openProject();
    const hooks = await project.open();
    for (const event of ["PreToolUse", "PostToolBatch"] as const) hooks.on(event, {}, async () => undefined);
    expect(copy(hooks.fire("PreToolUse", bash("ls")))).toMatchObject({ decision: "deny" });
    expect(copy(hooks.fire("PostToolBatch", { tool_calls: [] }))).toMatchObject({ halt: { text: expect.any(String) } });
    const running = hooks.runTool(bash("ls"), () => 1);
    expect(copy(running)).toMatchObject({ status: "denied" });
    expect((await running).status).toBe("ran");
    expect(project.codes()).toEqual(["HL_LOOP_NOT_AWAITED", "HL_LOOP_NOT_AWAITED", "HL_LOOP_NOT_AWAITED"]);
  });

  test("a tool that has not ended was denied, and its result is there when it is awaited", async () => {
    const project = openProject();
    const hooks = await project.open();
    const running = hooks.runTool(bash("ls"), () => 1);
    expect((running as unknown as { status: string }).status).toBe("denied");
    expect(JSON.parse(JSON.stringify(running))).toMatchObject({ status: "denied" });
    expect(await running).toMatchObject({ status: "ran", output: 1 });
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_LOOP_NOT_AWAITED", expect.stringContaining("await hooks.runTool(…)")],
    ]);
  });
});

describe("a call, a turn and a stop that are read without await", () => {
  test("are refused, blocked and empty, each said once; awaited, they are what they are", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, () => undefined);
    const begun = hooks.begin(bash("ls"));
    const turn = hooks.startTurn("hello");
    const stop = hooks.askStop();
    expect(["refused" in begun, "blocked" in turn, Reflect.get(stop, "length")]).toEqual([true, true, 0]);
    expect([Reflect.get(begun, "refused").status, { ...turn }]).toMatchObject(["denied", { blocked: expect.any(String) }]);
    expect(Reflect.get(hooks.begin(bash("ls")), "refused")).toMatchObject({ status: "denied" });
    expect(project.diagnostics.map(({ code, text }) => `${code} ${text.slice(-35)}`)).toEqual([
      expect.stringMatching(/^HL_LOOP_NOT_AWAITED .*await hooks\.askStop\(…\)$/),
      expect.stringMatching(/await hooks\.begin\(…\)$/),
      expect.stringMatching(/await hooks\.startTurn\(…\)$/),
    ]);
    expect([await begun, await turn, await stop]).toMatchObject([{ input: { command: "ls" } }, { prompt: "hello" }, []]);
    expect("refused" in (await begun) || "blocked" in (await turn)).toBe(false);
  });
});

describe("a stream is no verdict", () => {
  test.each(["PreToolUse", "preToolUse"])("%s: what is not iterated reads as a denial, and is said once", async (event) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, () => deny("no"));
    for (let times = 0; times < 2; times++) {
      const verdict = (await hooks.stream(event as "PreToolUse", bash("ls"))) as unknown as Record<string, unknown>;
      expect([verdict["decision"], JSON.parse(JSON.stringify(verdict))]).toEqual(["deny", expect.objectContaining({ decision: "deny" })]);
    }
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([
      [
        "HL_LOOP_NOT_AWAITED",
        "error",
        'A verdict was read from hooks.stream("PreToolUse", …), which gives steps, and asks no hook before it is iterated: that counts as a denial. Write: await hooks.fire("PreToolUse", …), or for await (const step of hooks.stream(…)) and step.verdict of the last step.',
      ],
    ]);
  });

  test("nor is a step, except that the last one has it", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => undefined);
    const seen: unknown[] = [];
    for await (const step of hooks.stream("PreToolUse", bash("ls"))) {
      expect(Object.keys(step)).not.toContain("decision");
      if (step.type === "verdict") seen.push(step.verdict.decision);
      seen.push((step as unknown as { decision: string }).decision);
    }
    expect(seen).toEqual(["deny", "deny", "deny", "deny", "none", "deny"]);
    expect(project.codes()).toEqual(["HL_LOOP_NOT_AWAITED"]);
  });

  test("its options are checked as those of fire are", async () => {
    const project = openProject();
    const hooks = await project.open();
    for (const options of [new AbortController().signal, null, undefined])
      for await (const _ of hooks.stream("PreToolUse", bash("ls"), options as never));
    expect(texts(project.diagnostics)).toBe("fire() was given a signal. Write fire(event, input, { signal })");
  });
});

describe("an event that is none", () => {
  test.each(["PreTooluse", "pre_tool_use", "preToolUse", "PreToolUsee", "user-prompt-submit"])(
    "%s: a gate was meant, so it is denied",
    async (event) => {
      const project = openProject();
      const hooks = await project.open();
      const verdict = await hooks.fire(event as "PreToolUse", bash("ls"));
      expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", expect.stringContaining("is not an event. Did you mean")]);
      expect(texts(project.diagnostics)).toContain("counts as a denial");
    },
  );

  test.each(["notification", "SomethingElse"])("%s: nothing hangs on it", async (event) => {
    const project = openProject();
    const verdict = await (await project.open()).fire(event as "PreToolUse", {} as never);
    expect([verdict.decision, project.codes()]).toEqual(["none", ["HL_CONFIG_UNKNOWN_EVENT"]]);
  });
});

describe("applyEdits", () => {
  test("takes paths that are relative to the session's folder, and says what was added", async () => {
    const project = openProject({ project: {} });
    const hooks = await project.open();
    project.write("project/.claude/settings.json", hooksFor("PreToolUse", "exit 2"));
    const applied = await hooks.internals.applyEdits([".claude/settings.json"]);
    expect(applied.added).toHaveLength(1);
    expect(project.diagnostics).toMatchObject([
      { code: "HL_CONFIG_EDITED", text: expect.stringContaining("was added while the session runs") },
    ]);
    project.write("project/.claude/settings.json", {});
    await hooks.internals.applyEdits([project.path(".claude/settings.json")]);
    expect(project.codes()).toEqual(["HL_CONFIG_EDITED", "HL_CONFIG_EDITED"]);
  });

  test("says which hook is gone", async () => {
    const project = openProject({ project: hooksFor("Notification", "true") });
    const hooks = await project.open();
    project.write("project/.claude/settings.json", {});
    expect((await hooks.internals.applyEdits([".claude/settings.json"])).removed).toHaveLength(1);
    expect(texts(project.diagnostics)).toContain("was removed while the session runs");
  });

  test("takes the folder of managed policy", async () => {
    const project = openProject();
    const hooks = await project.open();
    const file = project.write("managed/hooks.d/a.json", hooksFor("PreToolUse", "exit 2"));
    expect((await hooks.internals.applyEdits([file.replace("/a.json", "")])).added).toHaveLength(1);
  });

  test.each([
    [[".claude"], ".claude is no configuration file of this session"],
    [["settings.json"], "settings.json is no configuration file of this session"],
    [[], "names no file"],
  ])("%j is said", async (files, text) => {
    const project = openProject({ project: {} });
    const hooks = await project.open();
    project.write("project/.claude/settings.json", hooksFor("PreToolUse", "exit 2"));
    expect((await hooks.internals.applyEdits(files)).added).toEqual([]);
    expect(texts(project.diagnostics)).toContain(text);
    expect(texts(project.diagnostics)).toContain("hooks.internals.configFiles()");
  });

  test("a known file that is not there is nothing to say", async () => {
    const project = openProject();
    await (await project.open()).internals.applyEdits([".claude/settings.json"]);
    expect(project.diagnostics).toEqual([]);
  });

  test.each([undefined, "x.json", [5]])("%j is refused with a code", async (files) => {
    await expect((await openProject().open()).internals.applyEdits(files as never)).rejects.toThrow(
      "HL_CONFIG_OPTION_INVALID: applyEdits()",
    );
  });
});

describe("options without an effect", () => {
  test("sequenceMode without a sequence throws", async () => {
    const hooks = await openProject().open();
    expect(() => hooks.on("PreToolUse", { sequenceMode: "reverse" }, silent)).toThrow("HL_CONFIG_OPTION_INVALID");
  });

  test.each([
    ["x", '"x"'],
    [Promise.resolve({}), "an object of the class Promise"],
    [[1], "a list"],
  ])("afterwards that gives %j is said, and the result stays", async (fields, text) => {
    const project = openProject();
    const hooks = await project.open();
    const result = await hooks.runTool(bash("ls"), () => 1, { afterwards: () => fields } as never);
    expect([result.status, texts(project.diagnostics)]).toEqual(["ran", expect.stringContaining(`afterwards of runTool() gave ${text}`)]);
  });

  test("fields of commonInput in another spelling are said", async () => {
    const project = openProject();
    const hooks = await project.open({ commonInput: { permissionMode: "plan", transcriptPath: "/x", x_mine: 1 } });
    hooks.on("PreToolUse", {}, silent);
    for (let times = 0; times < 2; times++) await hooks.fire("PreToolUse", bash("ls"));
    expect(project.codes()).toEqual(["HL_SELECT_FIELD_UNKNOWN", "HL_SELECT_FIELD_UNKNOWN"]);
    expect(texts(project.diagnostics)).toContain('Did you mean "permission_mode"?');
  });

  test("a reason that is no text is said to be lost", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "h" }, () => deny({ why: "x" } as never));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(texts(project.diagnostics)).toContain("the reason of deny() is lost: it is an object, not a text");
  });

  test("deny() and block() are two words for the same where something can be denied", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("UserPromptSubmit", {}, (() => deny("no")) as never);
    hooks.on("PreToolUse", {}, (() => block("no")) as never);
    await hooks.fire("UserPromptSubmit", { prompt: "p" });
    await hooks.fire("PreToolUse", bash("ls"));
    expect(project.diagnostics).toEqual([]);
  });
});

test("an asynchronous onDiagnostic that rejects ends nothing, and what it was told is printed", async () => {
  const unhandled: unknown[] = [];
  const listen = (thrown: unknown): unknown => unhandled.push(thrown);
  process.on("unhandledRejection", listen);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const hooks = await openProject().open({ onDiagnostic: (async () => Promise.reject(new Error("no log"))) as never });
    hooks.has("Nothing" as "PreToolUse");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([unhandled, stderr.mock.calls.join()]).toEqual([[], expect.stringContaining('"Nothing" is not an event')]);
  } finally {
    process.off("unhandledRejection", listen);
    stderr.mockRestore();
  }
});

describe("after close()", () => {
  test.each(["a function", "a file"])("gates with %s block, and it is said that the engine is closed", async (kind) => {
    const project = openProject(kind === "a file" ? { project: hooksFor("PreToolUse", "exit 0") } : {});
    const hooks = await project.open();
    if (kind === "a function") hooks.on("PreToolUse", {}, silent);
    await hooks.close();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    const result = await hooks.runTool(bash("ls"), () => 1);
    expect([result.status, result.error]).toEqual(["denied", expect.stringContaining("closed")]);
    expect(project.diagnostics.map(({ code, level }) => [code, level])).toContainEqual(["HL_LOOP_CLOSED", "error"]);
  });

  test("observers are not called, and a call without hooks is not run either", async () => {
    const project = openProject();
    const hooks = await project.open();
    let calls = 0;
    hooks.on("Notification", {}, () => void calls++);
    await hooks.close();
    expect((await hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" })).decision).toBe("none");
    expect(calls).toBe(0);
    const result = await hooks.runTool(bash("ls"), () => 1);
    expect([result.status, result.error]).toEqual(["denied", "Bash was not run: the hooks of this session are closed."]);
    expect(texts(project.diagnostics)).toContain("closed");
  });

  test("on() throws, and close() may be called again", async () => {
    const hooks = await openProject().open();
    await hooks.close();
    await hooks.close();
    expect(() => hooks.on("PreToolUse", { guard: true }, silent)).toThrow("HL_LOOP_CLOSED");
  });
});

describe("options of fire", () => {
  test.each([
    [{ singal: new AbortController().signal }, 'fire() has no option "singal". Did you mean "signal"?'],
    [{ timeout: 5 }, 'fire() has no option "timeout". Did you mean "timeoutMs"?'],
    [{ timeoutMs: "5" }, 'timeoutMs of fire() is "5". Write milliseconds, more than 0'],
    [{ timeoutMs: 0 }, "timeoutMs of fire() is 0. Write milliseconds, more than 0"],
    [{ signal: new AbortController() }, "signal of fire() is an object of the class AbortController. Write an AbortSignal"],
    ["x", "the options of fire() are"],
  ])("%j are named and left out: the hooks run", async (options, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, async () => deny("no"));
    const verdict = await hooks.fire("PreToolUse", bash("ls"), options as never);
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "no"]);
    expect(project.diagnostics.map(({ code }) => code)).toEqual(["HL_CONFIG_OPTION_INVALID"]);
    expect(texts(project.diagnostics)).toContain(text);
  });
});

test("has() of an event that is none is said once", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PreToolUse", {}, silent);
  expect([hooks.has("PreTooluse" as "PreToolUse"), hooks.has("PreTooluse" as "PreToolUse")]).toEqual([true, true]);
  expect(texts(project.diagnostics)).toBe('"PreTooluse" is not an event. Did you mean "PreToolUse"?');
});

describe("a spoken no that the event says in another way", () => {
  test.each([
    ["UserPromptSubmit", { prompt: "p" }, deny("no"), { decision: "deny" }],
    ["PreToolUse", bash("ls"), block("no"), { decision: "deny" }],
    ["Stop", {}, deny("no"), { continueWith: [{ text: "no" }] }],
    ["PostToolUse", { ...bash("ls"), tool_response: {} }, deny("no"), { feedback: [{ text: "no" }] }],
  ] as const)("%s: it counts as that", async (event, input, said, verdict) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(event, { name: "h" }, (() => said) as never);
    expect(await hooks.fire(event, input as never)).toMatchObject(verdict);
  });

  test.each([ask("sure?"), stop("enough").with(ask("x"))])("a question that cannot be put is a failure, not a yes", async (said) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("UserPromptSubmit", { name: "h", onFailure: "block" }, (() => said) as never);
    const verdict = await hooks.fire("UserPromptSubmit", { prompt: "p" });
    expect(verdict.decision).toBe("deny");
    expect(texts(project.diagnostics)).toContain('hook "h": ask() is not available here');
  });

  test("where nothing can be blocked it is reported with the hook's name", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("Notification", { name: "h" }, (() => deny("no")) as never);
    await hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" });
    expect(texts(project.diagnostics)).toContain('hook "h": deny() is not available here');
  });
});

test("a guard that took too long is named with its own limit", async () => {
  const hooks = await openProject().open();
  hooks.on("PreToolUse", { guard: true, name: "slow", timeoutMs: 30 }, () => new Promise<undefined>(() => {}));
  const { reasons } = await hooks.fire("PreToolUse", bash("ls"));
  expect(reasons[0]?.text).toBe("The guard slow did not answer (timeout 30 ms).");
});

test("a trace sink that throws is said once", async () => {
  const project = openProject();
  const trace = {
    write() {
      throw new Error("disk full");
    },
  };
  const hooks = await project.open({ ports: { trace } });
  hooks.on("PreToolUse", {}, () => allow("fine"));
  for (let times = 0; times < 2; times++) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("allow");
  expect(project.diagnostics).toMatchObject([{ code: "HL_TRACE_WRITE_FAILED", text: expect.stringContaining("disk full") }]);
});

test.each([
  ["Stop", { stopHookActive: true }, 'with "stopHookActive", which is no field of it. Did you mean "stop_hook_active"?'],
  ["SessionStart", { source: "boot" }, 'source "boot"'],
] as const)("%s %j is said", async (event, input, text) => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on(event, event === "SessionStart" ? { match: "startup" } : {}, silent);
  await hooks.fire(event, input);
  expect(texts(project.diagnostics)).toContain(text);
});

test("a rewrite that lacks what the tool's input must have is said", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PreToolUse", { name: "r" }, () => rewrite({ cmd: "ls" }) as never);
  await hooks.fire("PreToolUse", bash("ls"));
  expect(texts(project.diagnostics)).toContain('tool_input of Bash has no text "command", but "cmd"');
});

describe("trust of the embedding program", () => {
  const files = { project: hooksFor("PreToolUse", "exit 2") };
  test.each([
    [async () => true, "gave a promise"],
    [() => "yes", 'gave "yes"'],
    [
      () => {
        throw new Error("boom");
      },
      "threw: boom",
    ],
  ])("a function that gives no answer is named: %#", async (trust, text) => {
    const project = openProject(files);
    await project.open({ trust: trust as never });
    expect(texts(project.diagnostics)).toContain(text);
  });

  test.each([
    [() => undefined, "gave undefined"],
    [() => ({ id: "x" }), "gave an object"],
    [() => [{ id: "project:PreToolUse:nope", digest: "d" }], '"project:PreToolUse:nope"'],
    [() => [true], "true"],
    [
      (pending: { hook: { id: string }; digest: string }[]) => [{ id: pending[0]?.hook.id, digest: pending[0]?.digest, decision: "yes" }],
      '"yes"',
    ],
  ])("answers of review that name nothing are said: %#", async (review, text) => {
    const project = openProject(files);
    const hooks = await project.open({ trust: { review } as never });
    expect(hooks.admitted).toEqual([]);
    expect(texts(project.diagnostics.filter(({ code }) => code === "HL_TRUST_REVIEW_FAILED"))).toContain(text);
  });
});

describe("rules that are written in another way than they are read", () => {
  const source = (permissions: object, more: object = {}): never =>
    ({ scope: "user", root: "/", isTrusted: true, permissions, ...more }) as never;
  const push = bash("git push");

  test("plain texts are rules, as settings have them, and lists may be left out", () => {
    const { rules, diagnostics } = readRules([source({ deny: ["Bash(git push *)"] })]);
    expect(diagnostics).toEqual([]);
    expect(new Permissions({ rules, root: "/" }).decide(push).decision).toBe("deny");
  });

  test.each([
    [source({ denied: [{ text: "Bash" }] }), 'permissions has no list "denied". There are: allow, ask, deny'],
    [source({ deny: [{ text: "Bash" }] }, { scope: "users" }), 'scope of a rule source is "users"'],
    [source({ deny: "Bash" }), 'deny of permissions is "Bash". Write a list'],
    [source({ deny: [5] }), "deny of permissions has 5 in it"],
    [{ scope: "user", root: "/" } as never, "a rule source has no permissions"],
    [source({ deny: [] }, { root: undefined }), "root of a rule source is undefined"],
  ])("%j is an error", (one, text) => {
    expect(() => readRules([one])).toThrow(TypeError);
    expect(() => readRules([one])).toThrow(text);
  });

  test.each([
    [undefined, "readRules() takes a list"],
    [source({ deny: [] }), "readRules() takes a list"],
  ])("readRules(%j) is an error", (given, text) => {
    expect(() => readRules(given as never)).toThrow(text);
  });

  test.each([
    [{ root: "/", mode: "plna" }, 'mode of Permissions is "plna". Write one of: default, plan'],
    [{ root: "/", defaultMode: "plan" }, 'Permissions has no option "defaultMode". Did you mean "mode"?'],
    [{ root: "/", rule: {} }, 'Permissions has no option "rule". Did you mean "rules"?'],
    [{ root: "/", rules: { rules: {}, diagnostics: [] } }, "rules of Permissions are no rules. Write readRules(hooks.ruleSources).rules"],
    [{ root: "/", rules: [] }, "rules of Permissions"],
    [{}, "root of Permissions is missing"],
    [undefined, "Permissions takes an object"],
    [{ root: "/", directories: "/x" }, "directories of Permissions"],
  ])("new Permissions(%j) is an error", (options, text) => {
    expect(() => new Permissions(options as never)).toThrow(TypeError);
    expect(() => new Permissions(options as never)).toThrow(text);
  });

  test("a mode that is none is not set", () => {
    const permissions = new Permissions({ root: "/" });
    expect(() => permissions.setMode("palan" as never)).toThrow('"palan" is not a mode');
    expect(permissions.mode).toBe("default");
  });
});

describe("a guard where a failure cannot block", () => {
  const EVENTS = ["PostToolUseFailure"] as const;

  test.each(EVENTS)("%s: what guard does not do is said at registration", async (event) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(event, { guard: true, name: "g" }, silent);
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([
      [
        "HL_CONFIG_OPTION_IGNORED",
        "warning",
        `hooks.on("${event}"): guard: a hook of ${event} that fails cannot block; the failure is reported, and the agent continues. What it returns counts.`,
      ],
    ]);
  });

  test.each([...EVENTS, "SessionStart"] as const)("%s: and so is onFailure", async (event) => {
    const project = openProject();
    const hooks = await project.open();
    for (const onFailure of ["block", "ask", "continue"] as const) hooks.on(event, { onFailure }, silent);
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual(
      ["block", "ask"].map((word) => [
        "HL_CONFIG_OPTION_IGNORED",
        `hooks.on("${event}"): onFailure: "${word}" has no effect: a hook of ${event} that fails cannot block. Leave it out.`,
      ]),
    );
  });

  test("one that failed is said to have blocked nothing", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUseFailure", { guard: true, name: "g" }, () => {
      throw new Error("x");
    });
    await hooks.fire("PostToolUseFailure", { ...bash("ls"), error: "no" });
    expect(project.diagnostics.at(-1)?.text).toBe(
      'guard "g": it threw: x; a guard that fails cannot block PostToolUseFailure, so the agent continues without its answer. Fix the handler',
    );
  });
});

describe("a guard that fails where a block keeps the agent at work", () => {
  const fails = (): never => {
    throw new Error("x");
  };

  test.each([{ guard: true }, { onFailure: "block" as const }])("Stop, %j: blocks as a script does, and says so", async (options) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("Stop", { ...options, name: "g" }, fails);
    expect((await hooks.fire("Stop", {})).continueWith).toEqual([{ text: expect.stringContaining("threw an error"), hook: "code:Stop:0" }]);
    expect(project.diagnostics.map(({ text }) => text)).toEqual([
      expect.stringMatching(/"g": it threw: x; the agent is kept at work, up to the stop cap\. Fix the handler$/),
    ]);
  });

  test.each([
    ["SubagentStop", { agent_id: "a", agent_type: "t" }],
    ["TeammateIdle", { teammate_name: "t" }],
  ] as const)("%s: blocks, too", async (event, input) => {
    const hooks = await openProject().open();
    hooks.on(event, { guard: true }, fails);
    expect((await hooks.fire(event, input)).continueWith).toHaveLength(1);
  });

  test("TaskCompleted: the task stays open", async () => {
    const hooks = await openProject().open();
    hooks.on("TaskCompleted", { guard: true }, fails);
    expect((await hooks.fire("TaskCompleted", { task_id: "1", task_subject: "s" })).decision).toBe("deny");
  });

  test("another hook that fails does not", async () => {
    const hooks = await openProject().open();
    hooks.on("Stop", fails);
    expect((await hooks.fire("Stop", {})).continueWith).toEqual([]);
  });

  test("asking is no direction there, and that is reported", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("Stop", { onFailure: "ask" }, silent);
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      [
        "HL_CONFIG_OPTION_IGNORED",
        'hooks.on("Stop"): onFailure: "ask" has no effect: a failed hook of this event blocks or does nothing. Write "block", or remove it.',
      ],
    ]);
  });

  test.each([0, 3, 8])("never holds the agent forever: with a cap of %s it ends", async (stopCap) => {
    const project = openProject();
    const hooks = await project.open({ stopCap });
    hooks.on("Stop", { guard: true }, fails);
    let times = 0;
    while ((await hooks.fire("Stop", {})).continueWith.length > 0 && times < 50) times++;
    expect(times).toBe(stopCap || 8);
    expect(project.codes()).toContain("HL_LOOP_STOP_CAP");
  });

  test("without a cap, a hook that blocks in words keeps the agent going for as long as it likes", async () => {
    const hooks = await openProject().open({ stopCap: 0 });
    hooks.on("Stop", { guard: true, name: "broken" }, fails);
    hooks.on("Stop", { name: "tests" }, () => block("the tests fail"));
    for (let times = 0; times < 20; times++) expect((await hooks.fire("Stop", {})).continueWith.length).toBeGreaterThan(0);
  });
});

describe("messages about failed functions", () => {
  test.each([
    ["deny", () => deny("x"), "it threw deny(…): return it instead"],
    ["two results", () => deny("x").with(stop("y")), "it threw deny(…).with(stop(…)): return it instead"],
  ])("a thrown %s is named", async (_what, make, text) => {
    const project = openProject();
    const hooks = await project.open();
    for (const handler of [
      () => {
        throw make();
      },
      async () => {
        throw make();
      },
    ]) {
      hooks.on("PreToolUse", { guard: true, name: "g" }, handler as never);
      expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    }
    expect(texts(project.diagnostics)).toContain(text);
    expect(texts(project.diagnostics)).not.toContain("[object Object]");
  });

  test("a run that was aborted does not say that the user is asked", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "h" }, () => new Promise<undefined>(() => {}));
    const result = await hooks.runTool(bash("ls"), () => 1, { signal: AbortSignal.timeout(10) });
    expect(result.status).toBe("denied");
    expect(texts(project.diagnostics)).toBe('hook "h": the run was cancelled; it has approved nothing. Run the step again');
  });

  test.each([
    ["only the package", "/nowhere", "Look at it: npx hookloop trust review"],
    ["the command", undefined, "Look at it: hookloop trust review"],
  ])("a command in a diagnostic can be typed by who has %s", async (_what, searched, cure) => {
    const project = openProject({ project: hooksFor("PreToolUse", "exit 0") });
    const bin = path.dirname(project.write("bin/hookloop", "#!/bin/sh\n"));
    chmodSync(path.join(bin, "hookloop"), 0o755);
    vi.stubEnv("PATH", searched ?? bin);
    const hooks = await project.open({ trust: "store" });
    expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringMatching(new RegExp(`\\. ${cure}$`))]);
    expect(hooks.diagnostics).toEqual(project.diagnostics);
  });

  test("of two rewrites the one that counts is named", async () => {
    const project = openProject();
    const hooks = await project.open();
    for (const name of ["a", "b"]) hooks.on("PreToolUse", { name }, () => rewrite({ command: name }));
    const { updatedInput } = await hooks.fire("PreToolUse", bash("ls"));
    expect(updatedInput).toEqual({ command: "b" });
    expect(texts(project.diagnostics)).toContain('The value from "b" counts, the one from "a" is dropped.');
  });
});

describe("what is asked in the wrong way is said in words", () => {
  test("methods that are taken out of the engine", async () => {
    const engine = await openProject().open();
    const methods = ["fire", "has", "on", "stream", "runTool", "notices", "close"] as const;
    for (const name of methods) {
      const method = engine[name] as unknown as () => unknown;
      const text = `HL_CONFIG_OPTION_INVALID: ${name}() was called without its engine. Write hooks.${name}(…), or hooks.${name}.bind(hooks)`;
      await expect((async () => method())()).rejects.toThrow(text);
    }
  });

  test("texts of what is no verdict", async () => {
    const hooks = await openProject().open();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    const result = await hooks.runTool(bash("ls"), () => 1);
    const cases: readonly (readonly [() => unknown, string])[] = [
      [() => modelTexts(verdict as never), "modelTexts() was given a verdict alone. Write modelTexts({ verdict, input })"],
      [() => blockTexts(undefined as never), "blockTexts() was given undefined, not a verdict. Write blockTexts({ verdict, input })"],
      [() => modelTexts({ verdict } as never), "input of modelTexts() is undefined. Write modelTexts({ verdict, input })"],
      [() => modelTexts({ verdict: Promise.resolve(), input: {} } as never), "modelTexts() was given a promise. Await it first"],
      [
        () => hooks.notices(result as never),
        "notices() was given the result of runTool(), not a verdict. Write result.verdicts.flatMap((verdict) => hooks.notices(verdict))",
      ],
      [
        () => hooks.notices({ verdict } as never),
        "notices() was given an object around a verdict, not a verdict. Write hooks.notices(verdict)",
      ],
    ];
    for (const [ask, text] of cases) expect(ask).toThrow(`HL_CONFIG_OPTION_INVALID: ${text}`);
    expect([modelTexts({ verdict, input: bash("ls") }), hooks.notices(verdict)]).toEqual([[], []]);
  });

  test("a trust that is none lists everything it may be", async () => {
    await expect(openProject().open({ trust: "all" as never })).rejects.toThrow("Write one of: store, implicit, a function or an object");
  });

  test("an event of two other agents", async () => {
    const project = openProject({ project: hooksFor("preToolUse", "true") });
    await project.open();
    expect(texts(project.diagnostics)).toContain('it is a name of Copilot and Cursor. Write "PreToolUse".');
  });

  test("an answer of the review without an id says where it is", async () => {
    const project = openProject({ project: hooksFor("Stop", "true") });
    await project.open({ trust: { review: async () => [{ decision: "approve" }] as never } });
    expect(texts(project.diagnostics)).toContain("Return { id: pending.hook.id, digest: pending.digest, decision }");
  });
});

describe("an event under a name that does not exist", () => {
  test.each(["BeforeTool", "Foo", undefined, {}])("with a tool call in it counts as a gate: %j", async (event) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "g", guard: true }, () => deny("no"));
    expect((await hooks.fire(event as never, bash("ls"))).decision).toBe("deny");
    expect(texts(project.diagnostics)).not.toContain("[object");
    expect((await hooks.fire(event as never, { ...bash("ls"), tool_response: 1 })).decision).toBe("none");
  });

  test("has() answers for the event that is meant, and reports it", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "g" }, () => deny("no"));
    expect(hooks.has("preToolUse" as never)).toBe(true);
    expect(texts(project.diagnostics)).toContain('Did you mean "PreToolUse"?');
  });
});

test("a stream that is not iterated is a denial where it is read, and is said at the end", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PreToolUse", { name: "g" }, () => deny("no"));
  const stream = (await hooks.stream("PreToolUse", bash("ls"))) as unknown as { verdict: { decision: string } };
  expect(stream.verdict.decision).toBe("deny");
  hooks.stream("PreToolUse", bash("ls"));
  for await (const _ of hooks.stream("PreToolUse", bash("ls")));
  project.diagnostics.length = 0;
  await hooks.close();
  expect(texts(project.diagnostics)).toMatch(/2 streams .*PreToolUse.* never iterated/);
});
