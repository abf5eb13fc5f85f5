/** What handlers of a program do with the results they make, and with the fields they read. A guard that lost its denial has failed. */
import { allow, ask, block, context, deny, type HookResult, replaceOutput, stop } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { toToolResult } from "../../packages/hookloop/src/index.ts";
import { bash, openProject } from "../engine/open-project.ts";

const LOST: readonly (readonly [string, () => unknown])[] = [
  ["spreads two results", () => ({ ...deny("no"), ...context("hint") })],
  ["assigns one to the other", () => Object.assign(deny("no"), context("hint"))],
  ["joins them with &&", () => deny("no") && context("hint")],
  ["asks, and allows", () => ask("sure?") && allow()],
  ["blocks, and says something else", () => block("no") && context("hint")],
  ["stops, and says something else", () => stop("enough") && context("hint")],
  ["changes the parts", () => ({ ...deny("no"), parts: [] })],
];

describe("a handler that made a denial and returned something else", () => {
  test.each(LOST)("%s: a guard has failed and blocks, whether it awaits or not", async (_what, handler) => {
    const later = async (): Promise<unknown> => {
      await Promise.resolve();
      return handler();
    };
    for (const one of [handler, later, async () => handler(), () => later()]) {
      const project = openProject();
      const hooks = await project.open();
      hooks.on("PreToolUse", { guard: true, name: "mine" }, one as never);
      const verdict = await hooks.fire("PreToolUse", bash("ls"));
      expect([verdict.decision, project.codes()]).toEqual(["deny", ["HL_OUTPUT_NOT_RETURNED"]]);
    }
  });

  test.each(LOST)("%s: of another hook it is said once, and what it returned counts", async (_what, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { name: "mine" }, handler as never);
    for (let times = 0; times < 2; times++) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toMatch(/none|allow/);
    expect(project.diagnostics.map(({ code, level }) => [code, level])).toEqual([["HL_OUTPUT_NOT_RETURNED", "warning"]]);
    expect(project.diagnostics[0]?.text).toMatch(
      /"mine".* made \w+\(…\) and returned something else in its place\. Write: return \w+\(…\), or/,
    );
  });

  test.each<[string, () => HookResult]>([
    ["joins them with .with()", () => deny("no").with(context("hint"))],
    ["joins them the other way", () => context("hint").with(deny("no"))],
    ["returns another no", () => deny("no") && ask("sure?")],
  ])("%s: that is an answer", async (_what, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, handler as never);
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toMatch(/deny|ask/);
    expect(project.codes()).toEqual([]);
  });

  test("another hook's no, made while this one waits, is not its own", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true, tool: "Read" }, () => deny("no"));
    hooks.on("PreToolUse", { guard: true, tool: "Bash" }, async () => {
      expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "Read", tool_input: { file_path: "a" } })).decision).toBe("deny");
      return context("hint");
    });
    hooks.on("PreToolUse", { guard: true, tool: "Bash" }, async () => context("hint"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect(project.codes()).toEqual([]);
  });

  test("`condition && deny()` that gives false is told what to write", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on(
      "PreToolUse",
      {},
      (({ tool_input }: { tool_input: { command: string } }) => tool_input.command === "rm" && deny("no")) as never,
    );
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("ask");
    expect(project.diagnostics[0]?.text).toContain("returned false, as `condition && deny(…)` does; write condition ? deny(…) : undefined");
  });
});

describe("a guard that reads a field which its tool does not have", () => {
  const call = (tool_name: string, tool_input: object): object => ({ tool_name, tool_input, tool_use_id: "t" });
  const write = call("Write", { file_path: ".env", content: "x" });

  test.each<[string, string | RegExp | readonly string[], string, object]>([
    ["path of Write", "Write", "path", write],
    ["path of Write and Edit", ["Write", "Edit"], "path", write],
    ["path of Write|Edit", "Write|Edit", "path", write],
    ["path of a pattern", /^(Write|Edit)$/, "path", write],
    ["path of Read", "Read", "path", call("Read", { file_path: ".env" })],
    ["query of Grep", "Grep", "query", call("Grep", { pattern: "secret" })],
    ["file of Edit", "Edit", "file", call("Edit", { file_path: ".env", old_string: "a", new_string: "b" })],
  ])("%s has failed, and blocks", async (_what, tool, field, payload) => {
    const project = openProject();
    const hooks = await project.open();
    const guard = (input: { tool_input: Record<string, unknown> }): unknown =>
      String(input.tool_input[field]).includes(".env") ? deny("no") : undefined;
    hooks.on("PreToolUse", { tool, guard: true } as never, guard as never);
    expect((await hooks.fire("PreToolUse", payload as never)).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_EXECUTE_FIELD_MISSPELT"]);
  });

  test("a guard for several tools may look for the fields of each, and one for all tools for those of all", async () => {
    for (const tool of [["Write", "Grep"], "*"]) {
      const project = openProject();
      const hooks = await project.open();
      const guard = ({ tool_input }: { tool_input: Record<string, unknown> }): unknown =>
        tool_input["path"] === ".env" ? deny("no") : undefined;
      hooks.on("PreToolUse", { tool, guard: true } as never, guard as never);
      expect((await hooks.fire("PreToolUse", write as never)).decision).toBe("none");
      expect(project.codes()).toEqual([]);
    }
  });
});

describe("the user's answer to a call that was suspended", () => {
  const deploy = (target: string, tool_use_id = "t1"): GivenDeploy => ({ tool_name: "deploy", tool_input: { target }, tool_use_id });
  type GivenDeploy = { readonly tool_name: "deploy"; readonly tool_input: { readonly target: string }; readonly tool_use_id: string };
  const open = async (): Promise<{
    hooks: Awaited<ReturnType<ReturnType<typeof openProject>["open"]>>;
    codes: () => readonly string[];
  }> => {
    const project = openProject();
    const hooks = await project.open({ tools: ["deploy"] });
    hooks.on("PreToolUse", { tool: "deploy", guard: true }, () => ask("deploy?"));
    return { hooks, codes: project.codes };
  };
  const suspended = async (hooks: Awaited<ReturnType<typeof open>>["hooks"]): Promise<string> =>
    String((await hooks.runTool(deploy("staging"), () => 1, { ask: () => "suspend" })).token);

  test.each([
    ["other arguments", deploy("production")],
    ["another id", deploy("staging", "t2")],
  ])("is none for %s: that is said, and the call is asked about anew", async (_what, call) => {
    const { hooks, codes } = await open();
    await suspended(hooks);
    expect(await hooks.runTool(call, () => 1, { answered: true })).toMatchObject({
      status: "denied",
      error: "There is no user to ask here: deploy?",
    });
    expect(await hooks.runTool(call, () => 1, { answered: true, ask: () => true })).toMatchObject({ status: "ran" });
    expect(codes()).toEqual(["HL_PERMISSION_BAD_ANSWER", "HL_PERMISSION_BAD_ANSWER"]);
    expect(await hooks.runTool(deploy("staging"), () => 1, { answered: true })).toMatchObject({ status: "ran" });
  });

  test("counts once, and in its own session", async () => {
    const { hooks } = await open();
    await suspended(hooks);
    expect(await hooks.session().runTool(deploy("staging"), () => 1, { answered: true })).toMatchObject({ status: "denied" });
    expect(await hooks.runTool(deploy("staging"), () => 1, { answered: true })).toMatchObject({ status: "ran" });
    expect(await hooks.runTool(deploy("staging"), () => 1, { answered: true })).toMatchObject({ status: "denied" });
  });

  test("counts in another engine with the token of the result, for the same call only", async () => {
    const token = await suspended((await open()).hooks);
    const { hooks, codes } = await open();
    const answered = { yes: true, token };
    expect(await hooks.runTool(deploy("production"), () => 1, { answered })).toMatchObject({ status: "denied" });
    expect(codes()).toEqual(["HL_PERMISSION_BAD_ANSWER"]);
    expect(await hooks.runTool(deploy("staging"), () => 1, { answered: { yes: false, token } })).toMatchObject({ status: "denied" });
    expect(await hooks.runTool(deploy("staging"), () => 1, { answered })).toMatchObject({ status: "ran" });
  });

  test.each([
    ["yes", 'answered of runTool() is "yes". Write true, false or { yes, token }'],
    [{ yes: true }, 'answered of runTool() lacks "token". Write { yes, token }'],
    [{ yes: 1, token: "a" }, "yes of answered of runTool() is 1. Write true or false"],
  ])("that is %j does not run the call", async (answered, text) => {
    const { hooks } = await open();
    expect((await hooks.runTool(deploy("staging"), () => 1, { answered } as never)).error).toContain(text);
  });
});

describe("a guard that hides secrets in results, where the tool fails", () => {
  const leak = (): never => {
    throw new Error("Exit code 1\ntoken sk-SECRET");
  };
  const READS: readonly (readonly [string, (response: Readonly<Record<string, unknown>>) => string])[] = [
    ["stdout", ({ stdout }) => String(stdout)],
    ["stderr", ({ stderr }) => String(stderr)],
    ["all of it", (response) => JSON.stringify(response)],
  ];
  test.each(READS)("one that reads %s withholds the error", async (_what, read) => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", { tool: "Bash", guard: true }, ({ tool_response }) =>
      read(tool_response as never).includes("sk-") ? replaceOutput("[hidden]") : undefined,
    );
    const result = await hooks.runTool(bash("x"), leak);
    expect([result.status, JSON.stringify([result, toToolResult(result)])]).toEqual(["withheld", expect.not.stringContaining("sk-")]);
    const harmless = await hooks.runTool(bash("x"), () => {
      throw new Error("no such file");
    });
    expect(harmless).toMatchObject({ status: "failed", error: expect.stringContaining("no such file") });
  });

  test("one that fails withholds it, for a tool of the program's own and for all tools", async () => {
    const hooks = await openProject().open({ tools: ["deploy"] });
    hooks.on("PostToolUse", { guard: true }, ({ tool_response }) => {
      if (String(tool_response).includes("sk-")) throw new Error("broken");
    });
    const result = await hooks.runTool({ tool_name: "deploy", tool_input: {}, tool_use_id: "1" }, leak);
    expect([result.status, String(result.error).includes("sk-")]).toEqual(["withheld", false]);
  });

  test("hooks that are no guards are not told of a result that there is not", async () => {
    const hooks = await openProject().open();
    let calls = 0;
    hooks.on("PostToolUse", () => void calls++);
    expect([(await hooks.runTool(bash("x"), leak)).status, calls]).toEqual(["failed", 0]);
  });
});

describe("two hooks that replace one result", () => {
  const hide = (word: string) => (input: { readonly tool_response?: unknown }) =>
    replaceOutput(String(input.tool_response).replace(word, "[hidden]"));
  const run = async (first: object, second: object): Promise<{ readonly status: string; readonly output?: unknown }> => {
    const hooks = await openProject().open({ tools: ["fetch_log"] });
    hooks.on("PostToolUse", first, hide("one"));
    hooks.on("PostToolUse", second, hide("two"));
    return await hooks.runTool({ tool_name: "fetch_log", tool_input: {}, tool_use_id: "1" }, () => "one two");
  };

  test.each([
    [{ guard: true }, { guard: true }],
    [{ guard: true }, {}],
  ])("withhold it if one is a guard whose value would be dropped: %j %j", async (first, second) => {
    expect(await run(first, second)).toMatchObject({ status: "withheld" });
  });

  test.each(["pipeline", "reverse"])("in a sequence (%s) the second sees what the first made", async (sequenceMode) => {
    const sequence = { guard: true, sequence: "hide", sequenceMode };
    expect(await run(sequence, sequence)).toMatchObject({ status: "ran", output: "[hidden] [hidden]" });
  });
});
