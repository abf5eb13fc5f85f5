import { describe, expect, test } from "vitest";
import { isLive, until } from "./execute/processes.ts";
import { bash, hooksFor, openProject, printing } from "./open-project.ts";

const context = (text: string): string => printing({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: text } });
const done = { ...bash("ls"), tool_response: "x" };

describe("at the end of a session", () => {
  test("a background hook may finish within the bound, and what it said is not lost", async () => {
    const project = openProject({
      project: hooksFor("PostToolUse", [{ command: `sleep 0.3; ${context("linted")}; touch said`, async: true }]),
    });
    const hooks = await project.open({ drainMs: 20_000 });
    await hooks.fire("PostToolUse", done);
    await hooks.close();
    expect(project.read("said")).toBe("");
    expect(project.diagnostics).toMatchObject([{ code: "HL_LOOP_TOO_LATE", text: expect.stringContaining("linted") }]);
  });

  test("one that takes longer is ended at the bound, and is reported", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", [{ command: "echo $$ > pid; sleep 100", async: true }]) });
    const hooks = await project.open({ drainMs: 300 });
    await hooks.fire("PostToolUse", done);
    await until(() => Boolean(project.read("pid")));
    const startedAt = performance.now();
    await hooks.close();
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(isLive(Number(project.read("pid")))).toBe(false);
    expect(project.codes()).toEqual(["HL_EXECUTE_ABORTED"]);
  });

  test("close() waits for nothing where nothing runs in the background", async () => {
    const hooks = await openProject({ project: hooksFor("PostToolUse", "true") }).open({ drainMs: 60_000 });
    await hooks.fire("PostToolUse", done);
    const startedAt = performance.now();
    await hooks.close();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe("SessionEnd", () => {
  const slow = Array.from({ length: 20 }, (_, index) => ({ command: `sleep 100; : ${index}` }));

  test.each([
    ["imported", "project", 1500, {}],
    ["native", "native", 2000, {}],
    ["native and sequential", "native", 2000, { sequential: true }],
  ] as const)("%s hooks share their limit, however many there are", async (_what, file, limitMs, group) => {
    const project = openProject({ [file]: hooksFor("SessionEnd", slow, group) });
    const hooks = await project.open();
    const startedAt = performance.now();
    await hooks.fire("SessionEnd", { reason: "other" });
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThan(limitMs - 100);
    // Twenty hooks one after the other would take twenty limits; a busy machine may double one.
    expect(took).toBeLessThan(limitMs * 5);
    // More is said of one whose `sleep` a busy machine takes longer to end than its pipes are waited for.
    const codes = project.codes().filter((code) => code !== "HL_EXECUTE_PIPES_HELD");
    expect(codes).toEqual(Array.from({ length: 20 }, () => "HL_EXECUTE_TIMEOUT"));
  });

  test("a hook with a limit of its own has that", async () => {
    const project = openProject({
      project: hooksFor("SessionEnd", [{ command: "sleep 2.2; touch saved", timeout: 20 }, { command: "sleep 100" }]),
    });
    await (await project.open()).fire("SessionEnd", { reason: "other" });
    expect(project.read("saved")).toBe("");
    expect(project.codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });
});

describe("a budget", () => {
  test("of a hook is reported when a run is slower, and nothing is ended", async () => {
    const project = openProject({
      native: hooksFor("PreToolUse", [
        { command: "sleep 0.3; touch ran", budget: 50 },
        { command: "true", budget: 20_000 },
      ]),
    });
    await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(project.read("ran")).toBe("");
    expect(project.diagnostics).toMatchObject([{ code: "HL_EXECUTE_OVER_BUDGET", text: expect.stringContaining("its budget is 50 ms") }]);
  });

  test.each([
    [{ PreToolUse: 50 }, 1],
    [{ "*": 50 }, 1],
    [{ PreToolUse: 60_000, "*": 50 }, 0],
    [{ Stop: 50 }, 0],
  ])("of an event, %j in the user's settings, is reported when its hooks together are slower: %i", async (budgets, count) => {
    const project = openProject({ userNative: { settings: { budgets } }, project: hooksFor("PreToolUse", ["sleep 0.2", "sleep 0.21"]) });
    await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(project.codes()).toEqual(Array(count).fill("HL_EXECUTE_OVER_BUDGET"));
  });

  test("of an event in the project's own file counts for nothing", async () => {
    const native = { settings: { budgets: { "*": 1 } }, ...hooksFor("PreToolUse", "sleep 0.1") };
    const project = openProject({ native });
    await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(project.codes()).not.toContain("HL_EXECUTE_OVER_BUDGET");
  });
});

test("an event is not delayed by a slow hook in the background", async () => {
  const project = openProject({ project: hooksFor("PostToolUse", [{ command: "sleep 100", async: true }]) });
  const hooks = await project.open({ drainMs: 0 });
  const startedAt = performance.now();
  await hooks.fire("PostToolUse", done);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});
