import { allow, ask, context, deny, feedback, replaceOutput, rewrite } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import { toToolResult } from "../../packages/hookloop/src/index.ts";
import { openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" } as const;

describe("a call in two halves", () => {
  test("that is denied has its result at once, and nothing to finish", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, () => deny("no"));
    const begun = await hooks.begin(CALL);
    expect(begun).toMatchObject({ refused: { status: "denied", error: "PreToolUse:Bash hook error: no", texts: [] } });
    expect(begun).not.toHaveProperty("finish");
  });

  test("gives the input as it was judged, the texts so far, and the same result as runTool", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", ({ tool_input }) => rewrite({ ...tool_input, command: "ls -a" }).with(context("before")));
    hooks.on("PostToolUse", () => replaceOutput("short").with(feedback("after")));
    const begun = await hooks.begin(CALL);
    if ("refused" in begun) throw new Error("refused");
    expect([begun.input, begun.texts]).toEqual([{ command: "ls -a" }, ["PreToolUse:Bash hook additional context: before"]]);
    const finished = await begun.finish({ output: "long" });
    const { verdicts: _verdicts, ...whole } = await hooks.runTool(CALL, () => "long");
    expect(finished).toMatchObject(whole);
    expect(finished).toMatchObject({ status: "ran", output: "short", isReplaced: true });
  });

  test("is told of an error, with its cause, and finished once; a second end is said and changes nothing", async () => {
    const project = openProject();
    const hooks = await project.open();
    const seen: unknown[] = [];
    hooks.on("PostToolUseFailure", ({ error }) => void seen.push(error));
    const begun = await hooks.begin(CALL);
    if ("refused" in begun) throw new Error("refused");
    const cause = new Error("disk full");
    const [first, second] = await Promise.all([begun.finish({ error: cause }), begun.finish({ output: 1 })]);
    expect(first).toMatchObject({ status: "failed", error: "disk full", cause });
    expect(second).toBe(first);
    expect(seen).toEqual(["disk full"]);
    expect(await begun.finish({ output: 2 })).toBe(first);
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([
      [
        "HL_LOOP_NOT_FINISHED",
        "error",
        'finish() was called again for "Bash" ("t1"): the call is over, and its first result counts. Call it once, with { output } or { error }.',
      ],
    ]);
  });

  test.each([
    ["close()", async (hooks: HookEngine) => hooks.close()],
    ["SessionEnd", async (hooks: HookEngine) => hooks.fire("SessionEnd", { reason: "other" })],
  ])("that is never finished is said at %s, once", async (_at, end) => {
    const project = openProject();
    const hooks = await project.open();
    await hooks.begin(CALL);
    const finished = await hooks.begin({ ...CALL, tool_use_id: "t2" });
    if ("refused" in finished) throw new Error("refused");
    await finished.finish({ output: 1 });
    const { signal } = { signal: AbortSignal.abort() };
    await hooks.begin({ ...CALL, tool_use_id: "t3" }, { signal });
    await hooks.runTool(CALL, () => 1);
    await end(hooks);
    await hooks.close();
    expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      [
        "HL_LOOP_NOT_FINISHED",
        'A call of "Bash" was begun and never finished: hooks were not told how it ended, and guards of results have not seen it. Write: await begun.finish({ output }), or finish({ error }).',
      ],
    ]);
  });

  test("of a light session that is never finished is said when its engine closes", async () => {
    const project = openProject();
    const hooks = await project.open();
    const light = hooks.session();
    await light.begin(CALL);
    await light.begin({ ...CALL, tool_name: "Glob", tool_input: { pattern: "*" } });
    await hooks.close();
    expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining('2 calls ("Bash", "Glob") were begun')]);
  });

  test("that is finished with nonsense has failed, and the program is told what to write", async () => {
    const project = openProject();
    const hooks = await project.open();
    const begun = await hooks.begin(CALL);
    if ("refused" in begun) throw new Error("refused");
    expect(await begun.finish(undefined as never)).toMatchObject({
      status: "failed",
      error: "How the tool ended is not known.",
    });
    expect(project.diagnostics[0]?.text).toContain("finish() was given undefined");
    expect(project.diagnostics[0]?.text).toContain("Write finish({ output }) or finish({ error }).");
  });
});

describe("a question that is put off", () => {
  const asking = async (): Promise<{ hooks: Awaited<ReturnType<ReturnType<typeof openProject>["open"]>>; judged: string[] }> => {
    const hooks = await openProject().open();
    const judged: string[] = [];
    hooks.on("PreToolUse", ({ tool_input }) => {
      judged.push(String(tool_input["command"]));
      return ask("sure?");
    });
    return { hooks, judged };
  };

  test("suspends the call; the answer runs it without asking PreToolUse hooks again", async () => {
    const { hooks, judged } = await asking();
    const begun = await hooks.begin(CALL, { ask: () => "suspend" });
    expect(begun).toMatchObject({ refused: { status: "suspended", error: "Bash waits for the user's answer: sure?" } });
    expect(await hooks.runTool(CALL, () => "ran", { answered: true })).toMatchObject({ status: "ran", output: "ran" });
    expect(judged).toEqual(["ls"]);
  });

  test("may be answered with no", async () => {
    const { hooks } = await asking();
    await hooks.runTool(CALL, () => "ran", { ask: () => "suspend" });
    expect(await hooks.runTool(CALL, () => "ran", { answered: false })).toMatchObject({
      status: "denied",
      error: "The user denied it: sure?",
    });
  });

  test("is judged anew where the arguments are others, or nothing was suspended", async () => {
    const { hooks, judged } = await asking();
    await hooks.runTool(CALL, () => "ran", { ask: () => "suspend" });
    await hooks.runTool({ ...CALL, tool_input: { command: "rm -r ." } }, () => "ran", { answered: true });
    await hooks.runTool({ ...CALL, tool_use_id: "t2" }, () => "ran", { answered: true });
    expect(judged).toEqual(["ls", "rm -r .", "ls"]);
  });

  test("does not loosen what denies it meanwhile", async () => {
    const { hooks } = await asking();
    await hooks.runTool(CALL, () => "ran", { ask: () => "suspend" });
    const result = await hooks.runTool(CALL, () => "ran", { answered: true, permission: () => "deny" });
    expect(result).toMatchObject({ status: "denied", error: "Bash is not allowed." });
  });
});

describe("what a host throws to steer itself", () => {
  class Interrupt extends Error {}
  const isSignal = (thrown: unknown): boolean => thrown instanceof Interrupt;

  test("passes through untouched, and is no failure of the tool", async () => {
    const hooks = await openProject().open();
    let failures = 0;
    hooks.on("PostToolUseFailure", () => void failures++);
    hooks.on("PreToolUse", { tool: "Write" }, () => ask("write?"));
    const interrupt = new Interrupt("later");
    const throwing = (): never => {
      throw interrupt;
    };
    await expect(hooks.runTool(CALL, throwing, { isSignal })).rejects.toBe(interrupt);
    const write = { tool_name: "Write", tool_input: { file_path: "/a", content: "" }, tool_use_id: "t2" } as const;
    await expect(hooks.runTool(write, () => 1, { ask: throwing, isSignal })).rejects.toBe(interrupt);
    expect(failures).toBe(0);
    expect(await hooks.runTool(CALL, throwing)).toMatchObject({ status: "failed", cause: interrupt });
    expect(failures).toBe(1);
  });
});

test("parallel calls of one signal never warn about listeners", async () => {
  const hooks = await openProject().open();
  hooks.on("PreToolUse", async () => allow());
  const warnings: unknown[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 40 }, (_, at) => hooks.runTool({ ...CALL, tool_use_id: `t${at}` }, () => at, { signal })));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

describe("an object of the host's own", () => {
  class Message {
    readonly id = "m1";
    readonly #secret = "hunter2";
    readonly parts: { text: string }[] = [{ text: "hello" }];
    send(): string {
      return this.#secret;
    }
  }
  const responseOf = (output: unknown): object => ({ text: (output as Message).parts.map(({ text }) => text).join("") });

  test.each([undefined, { guard: true }])(
    "comes back itself where responseOf gives its plain form, which hooks judge, %j",
    async (options) => {
      const hooks = await openProject().open();
      const seen: unknown[] = [];
      hooks.on("PostToolUse", { ...options, name: "look" }, ({ tool_response }) => {
        seen.push(structuredClone(tool_response));
      });
      const own = new Message();
      const result = await hooks.runTool(CALL, () => own, { responseOf });
      expect(result).toMatchObject({ status: "ran", response: { text: "hello" } });
      expect(result.output).toBe(own);
      expect(result.isReplaced).toBeUndefined();
      expect(seen).toEqual([{ text: "hello" }]);
    },
  );

  test("is replaced by a hook as any other result is", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", () => replaceOutput({ text: "***" }));
    const result = await hooks.runTool(CALL, () => new Message(), { responseOf });
    expect(result).toMatchObject({ status: "ran", output: { text: "***" }, isReplaced: true });
    expect(result).not.toHaveProperty("response");
  });

  test("is given to the model in its plain form, also in two halves", async () => {
    const hooks = await openProject().open();
    const own = new Message();
    const asText = (output: unknown): string => (output as Message).parts.map(({ text }) => text).join("");
    expect(toToolResult(await hooks.runTool(CALL, () => own, { responseOf: asText })).content).toEqual([{ type: "text", text: "hello" }]);
    const begun = await hooks.begin(CALL, { responseOf: asText });
    if ("refused" in begun) throw new Error("refused");
    const result = await begun.finish({ output: own });
    expect(result.output).toBe(own);
    expect(result.response).toBe("hello");
  });

  test("whose plain form cannot be had is withheld where a guard must see it, and said", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { guard: true, name: "redact" }, () => undefined);
    const broken = (): never => {
      throw new Error("no form");
    };
    expect(await hooks.runTool(CALL, () => new Message(), { responseOf: broken })).toMatchObject({ status: "withheld" });
    expect(project.diagnostics.map(({ text }) => text)).toContain(
      "responseOf of runTool() threw: no form. Hooks see nothing of the result.",
    );
  });

  const ofNothing: readonly [string, (output: unknown) => unknown][] = [
    ["a field that is not there", (output) => (output as Record<string, unknown>)["content"]],
    ["null", () => null],
    ["a promise", async () => ({ text: "hello" })],
    ["a function", () => () => "hello"],
  ];

  test.each(ofNothing)("is withheld where a guard must see it and responseOf gives %s", async (_what, given) => {
    const project = openProject();
    const hooks = await project.open();
    const seen: unknown[] = [];
    hooks.on("PostToolUse", { guard: true, name: "redact" }, ({ tool_response }) => {
      seen.push(tool_response);
    });
    const options = { responseOf: given as () => object };
    const result = await hooks.runTool(CALL, () => new Message(), options);
    expect(result).toMatchObject({ status: "withheld" });
    expect(result).not.toHaveProperty("output");
    const begun = await hooks.begin(CALL, options);
    if ("refused" in begun) throw new Error("refused");
    expect(await begun.finish({ output: new Message() })).toMatchObject({ status: "withheld" });
    expect(seen).toEqual([]);
    expect(project.diagnostics.map(({ text }) => text).join("\n")).toMatch(/responseOf of runTool\(\) gave .*Return the plain form/);
  });

  test("of a tool that gives nothing has no plain form, and nothing is wrong", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { guard: true, name: "redact" }, () => undefined);
    const result = await hooks.runTool(CALL, () => undefined, { responseOf: ((output: unknown) => output) as () => object });
    expect(result).toMatchObject({ status: "ran" });
    expect(project.diagnostics).toEqual([]);
  });

  test("of plain data nothing else is told", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", () => undefined);
    const own = { stdout: "", stderr: "", interrupted: false };
    const result = await hooks.runTool(CALL, () => own);
    expect(result.output).toBe(own);
    expect(result).not.toHaveProperty("response");
  });
});
