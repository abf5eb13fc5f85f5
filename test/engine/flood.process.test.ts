import { expect, test } from "vitest";
import { bash, decides, hooksFor, openProject } from "./open-project.ts";

/** Far more than is kept, and less than what is called a flood on a machine that takes seconds for it. */
const noise = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;
const LINES = "yes 'a line of a log that is not read' | head -c 2000000";

test("a denial by exit code counts however much was printed before it, in the Claude dialect too", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", `${noise(12_000_000)}; ${noise(3_000_000)} >&2; exit 2`) });
  const hooks = await project.open();
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  expect(project.codes()).toEqual(["HL_EXECUTE_TRUNCATED"]);
});

test.each([
  ["an imported hook continues, out loud", "project", {}, "none"],
  ["an imported hook with onFailure block blocks", "project", { onFailure: "block" }, "deny"],
  ["a native gate asks", "native", {}, "ask"],
  ["a native guard blocks", "native", { guard: true }, "deny"],
] as const)("a hook that prints without end is ended long before its limit: %s", async (_what, file, options, decision) => {
  const project = openProject({ [file]: hooksFor("PreToolUse", [{ command: "yes", timeout: 50, ...options }]) });
  const hooks = await project.open();
  const startedAt = performance.now();
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe(decision);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(project.codes()).toContain("HL_EXECUTE_FLOOD");
});

test.each([
  ["a native guard whose answer was cut off blocks", "native", { guard: true }, "deny"],
  ["a native gate whose answer was cut off asks", "native", {}, "ask"],
  ["an imported hook continues, out loud", "project", {}, "none"],
] as const)("%s", async (_what, file, options, decision) => {
  const project = openProject({ [file]: hooksFor("PreToolUse", [{ command: `${LINES}; echo; ${decides("deny")}`, ...options }]) });
  const hooks = await project.open();
  expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe(decision);
  expect(project.codes()).toContain("HL_EXECUTE_TRUNCATED");
});
