import { replaceOutput } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "env" }, tool_use_id: "t1" };
const SECRET = { stdout: "TOKEN=hunter2", stderr: "", interrupted: false };
const throws = (): never => {
  throw new Error("no rules");
};
const native = (hook: object): object => ({ hooks: { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", ...hook }] }] } });

describe("a guard of results that fails", () => {
  test.each([{ guard: true }, { onFailure: "block" as const }])("withholds the result, %j: the model gets the reason", async (options) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { ...options, name: "redact" }, throws);
    // Whatever another hook makes of the result, the guard has not judged it.
    hooks.on("PostToolUse", () => replaceOutput({ ...SECRET, stderr: "seen" }));
    const result = await hooks.runTool(CALL, () => SECRET);
    const who = "guard" in options ? "guard" : "hook";
    expect(result).toMatchObject({ status: "withheld", error: `The result was withheld: The ${who} redact threw an error.` });
    expect(JSON.stringify([result.output, result.error, result.texts])).not.toContain("hunter2");
    expect(project.diagnostics.at(-1)?.text).toBe(
      `${who} "redact": it threw: no rules; the result is withheld from the model. Fix the handler`,
    );
  });

  test.each<[string, object]>([
    ["exits with 1", { command: "exit 1", guard: true }],
    ["cannot be started", { command: "./missing.sh", onFailure: "block" }],
    ["takes too long", { command: "sleep 5", guard: true, timeout: 0.2 }],
    ["prints no answer", { command: "echo '{\"decision\": '", guard: true }],
  ])("withholds it where it is a command that %s", async (_how, hook) => {
    const project = openProject({ native: native(hook) });
    const result = await (await project.open()).runTool(CALL, () => SECRET);
    expect(result).toMatchObject({ status: "withheld", error: expect.stringMatching(/^The result was withheld: The (?:guard|hook) /) });
  });

  test("withholds it when the caller no longer waits", async () => {
    const project = openProject({ native: native({ command: "sleep 5", guard: true }) });
    const hooks = await project.open();
    const verdict = await hooks.fire("PostToolUse", { ...CALL, tool_response: SECRET }, { signal: AbortSignal.timeout(100) });
    expect(verdict.updatedOutput).toMatchObject({ isWithheld: true });
  });

  test("withholds it when the engine is closed, or the result cannot be read", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { guard: true, name: "redact" }, () => undefined);
    const unreadable = { ...CALL, tool_response: new Proxy({}, { getPrototypeOf: throws }) };
    expect((await hooks.fire("PostToolUse", unreadable)).updatedOutput).toMatchObject({ isWithheld: true });
    await hooks.close();
    expect((await hooks.fire("PostToolUse", { ...CALL, tool_response: SECRET })).updatedOutput).toMatchObject({ isWithheld: true });
  });

  test("a hook that is no guard does not: the agent continues without its answer", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { name: "format" }, throws);
    expect(await hooks.runTool(CALL, () => SECRET)).toMatchObject({ status: "ran", output: SECRET });
  });
});
