/** What handlers of a program do with the results they make, and with the fields they read. A guard that lost its denial has failed. */
import { allow, ask, block, context, deny, type HookResult, stop } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
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
