import { expect, test } from "vitest";
import { openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "ls", nested: { deep: { value: 1 } } }, tool_use_id: "t" };

test("a function for an event that does not exist is refused at once", async () => {
  const { open } = openProject();
  const hooks = await open();
  expect(() => hooks.on("PreTooluse" as "PreToolUse", {}, () => undefined)).toThrow(
    'HL_CONFIG_UNKNOWN_EVENT: "PreTooluse" is not an event. Did you mean "PreToolUse"?',
  );
});

test.each(["permission", "ask"] as const)("%s that throws is a no", async (broken) => {
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

test.each([true, false])("isolate: %s decides whether functions share what they get", async (isolate) => {
  const { open } = openProject();
  const hooks = await open({ isolate });
  const seen: unknown[] = [];
  hooks.on("PreToolUse", {}, ({ tool_input }) => void Reflect.set(tool_input, "command", "changed"));
  hooks.on("PreToolUse", {}, ({ tool_input }) => void seen.push(tool_input["command"]));
  hooks.fire("PreToolUse", CALL);
  expect(seen).toEqual([isolate ? "ls" : "changed"]);
  expect(CALL.tool_input.command).toBe("ls");
});
