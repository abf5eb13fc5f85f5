/** A result counts for the hook that made it: what the program makes while a hook waits is not the hook's, and what the hook forgets is. */
import { setTimeout as sleep } from "node:timers/promises";
import { context, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { bash, openProject } from "../engine/open-project.ts";

const policy = (command: string): ReturnType<typeof deny> | undefined => (command.includes("evil") ? deny("policy") : undefined);
const commandOf = (input: object): string => (input as { tool_input: { command: string } }).tool_input.command;
const check = async (input: object): Promise<ReturnType<typeof deny> | undefined> => {
  await sleep(30);
  return policy(commandOf(input));
};

const HANDLERS = [
  ["async", async (input: object) => await check(input)],
  ["plain that gives a promise", (input: object) => check(input)],
] as const;
const OPTIONS = [{ guard: true }, { onFailure: "block" }, {}] as const;
const CASES = HANDLERS.flatMap(([kind, handler]) => OPTIONS.map((options) => [kind, options, handler] as const));

describe("a result that the program makes while a hook waits", () => {
  test.each(CASES)("%s, %j: is not the hook's", async (_kind, options, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", name: "net", ...options }, handler);
    for (const signal of [undefined, new AbortController().signal]) {
      const call = hooks.runTool(bash("ls"), () => "ran", { signal });
      await sleep(5);
      policy("evil");
      context("a line of the screen");
      expect((await call).status).toBe("ran");
    }
    expect(project.diagnostics).toEqual([]);
  });

  test("nor if another call's execute makes it", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, async (input) => check(input));
    hooks.on("PreToolUse", { tool: "Read" }, () => undefined);
    const slow = hooks.runTool(bash("ls"), () => "ran");
    await hooks.runTool({ ...bash("x"), tool_name: "Read", tool_input: { file_path: "/x" } }, async () => {
      await sleep(5);
      return String(policy("evil"));
    });
    expect((await slow).status).toBe("ran");
    expect(project.diagnostics.filter(({ code }) => code === "HL_OUTPUT_NOT_RETURNED")).toEqual([]);
  });
});

describe("a result that a hook forgets after it has waited", () => {
  const forget = (): void => void deny("no");
  const later = (done: () => void): unknown =>
    setTimeout(() => {
      forget();
      done();
    }, 5);
  const FORGET = [
    ["after an await", async () => sleep(5).then(forget)],
    ["in forEach", async () => [await sleep(5)].forEach(forget)],
    ["in a callback", async () => await new Promise<void>((done) => void later(done))],
    ["in a promise of a plain function", () => sleep(5).then(forget)],
  ] as const;
  const cases = FORGET.flatMap(([where, handler]) => OPTIONS.map((options) => [where, options, handler] as const));
  test.each(cases)("%s, %j: it has failed, each time, and beside other calls", async (_where, options, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", name: "bad", ...options, onFailure: "block" }, handler as never);
    for (const _ of [1, 2]) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    const both = await Promise.all([1, 2].map(() => hooks.runTool(bash("ls"), () => "ran")));
    expect(both.map(({ status }) => status)).toEqual(["denied", "denied"]);
    expect(project.codes()).toContain("HL_OUTPUT_NOT_RETURNED");
  });
});

describe("the late result of a hook that was cancelled or took too long", () => {
  test.each(CASES)("%s, %j: blames no other guard, nor its own earlier run", async (_kind, options, handler) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { tool: "Bash", guard: true, name: "innocent" }, () => undefined);
    const off = hooks.on("PreToolUse", { tool: "Bash", name: "slow", ...options }, handler);
    expect((await hooks.runTool(bash("ls"), () => 1)).status).toBe("ran");
    await hooks.runTool(bash("evil"), () => 1, { signal: AbortSignal.timeout(5) });
    await sleep(60);
    off();
    hooks.on("PreToolUse", { tool: "Bash", name: "slow", ...options, timeoutMs: 5 }, handler);
    await hooks.fire("PreToolUse", bash("evil"));
    await sleep(60);
    expect(project.diagnostics.filter(({ code }) => code === "HL_OUTPUT_NOT_RETURNED")).toEqual([]);
  });
});
