import { setTimeout as wait } from "node:timers/promises";
import { replaceOutput } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import { toToolResult } from "../../packages/hookloop/src/engine/host.ts";
import { openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "env" }, tool_use_id: "t1" };
const SECRET = { stdout: "TOKEN=hunter2", stderr: "", interrupted: false };
const throws = (): never => {
  throw new Error("no rules");
};
const native = (hook: object): object => ({ hooks: { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", ...hook }] }] } });

describe("a result of a known tool that has other fields than the tool's", () => {
  const said = async (tool: string, response: unknown, way: "fire" | "runTool", named?: string): Promise<readonly string[]> => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", named === undefined ? {} : { tool: named }, () => undefined);
    const call = { tool_name: tool, tool_input: { command: "ls", file_path: "/a", content: "" }, tool_use_id: "t1" };
    for (let times = 0; times < 2; times++)
      if (way === "fire") await hooks.fire("PostToolUse", { ...call, tool_response: response });
      else expect(await hooks.runTool(call, () => response)).toMatchObject({ status: "ran", output: response });
    expect(project.diagnostics.every(({ code, level }) => code === "HL_SELECT_FIELD_MISSING" && level === "warning")).toBe(true);
    return project.diagnostics.map(({ text }) => text.replace(/: PostToolUse hooks.*/, ""));
  };
  const FILE = { filePath: "/a", content: "", numLines: 1, startLine: 1, totalLines: 1 };

  describe.each(["fire", "runTool"] as const)("by %s", (way) => {
    test.each<[string, string | undefined, unknown, string]>([
      ["Bash", undefined, { ...SECRET, isImg: true }, 'an object with "isImg" (did you mean "isImage"?)'],
      [
        "Bash",
        undefined,
        { stdOut: "", std_err: "" },
        'with "stdOut" (did you mean "stdout"?), and with "std_err" (did you mean "stderr"?)',
      ],
      ["Read", undefined, { type: "text", file: { ...FILE, num_lines: 1, numLines: undefined } }, "an object"],
      ["Read", undefined, { type: "text", file: { filepath: "/a", content: "" } }, 'with "filepath" (did you mean "filePath"?)'],
      ["Bash", "Bash", { output: "" }, 'without "stdout", "stderr", "interrupted"'],
      ["Bash", "Bash", { ...SECRET, stdout: Buffer.from("x") }, 'with a "stdout" that is an object of the class Buffer, not a text'],
    ])("%s, where a hook is for %s: %j is said once, with the nearest name", async (tool, named, response, text) => {
      const found = await said(tool, response, way, named);
      expect(found).toEqual(text === "an object" ? [] : [expect.stringContaining(text)]);
    });

    test.each<[string, string | undefined, unknown]>([
      ["Bash", "Bash", { ...SECRET, exitCode: 0, x_own: 1 }],
      ["Bash", undefined, { output: "" }],
      ["Bash", undefined, "text"],
      ["Read", "Read", { type: "image", file: { base64: "", type: "image/png", originalSize: 1 } }],
      ["deploy", undefined, { stdOut: "" }],
    ])("%s, where a hook is for %s: %j is fine", async (tool, named, response) => {
      expect(await said(tool, response, way, named)).toEqual([]);
    });
  });

  test("fails a guard that looked for one of the tool's, found nothing, and had no opinion", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PostToolUse", { guard: true, name: "redact" }, ({ tool_response }) =>
      String((tool_response as { stdout?: unknown }).stdout).includes("hunter2") ? replaceOutput("…") : undefined,
    );
    expect(await hooks.runTool(CALL, () => ({ output: "TOKEN=hunter2" }))).toMatchObject({ status: "withheld" });
    expect(project.diagnostics.at(-1)?.text).toContain('it reads "stdout" in tool_response of Bash, which has only: output');
    expect(await hooks.runTool({ ...CALL, tool_name: "my_shell" }, () => ({ output: "" }))).toMatchObject({ status: "ran" });
    expect(await hooks.runTool(CALL, () => ({ ...SECRET, stdout: "fine" }))).toMatchObject({ status: "ran" });
  });

  test("is no slip of a guard that takes either", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", { guard: true }, ({ tool_response }) => {
      const { stdout, output = stdout } = tool_response as { stdout?: string; output?: string };
      return output?.includes("hunter2") ? replaceOutput("…") : undefined;
    });
    expect(await hooks.runTool(CALL, () => ({ output: "fine" }))).toMatchObject({ status: "ran" });
  });
});

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

describe("what a guard of results has seen is what the model gets", () => {
  const slowGuard = async (): Promise<HookEngine> => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", { guard: true, name: "redact" }, async ({ tool_response }) => {
      const seen = JSON.stringify(tool_response);
      await wait(20);
      return seen.includes("hunter2") ? replaceOutput("…") : undefined;
    });
    return hooks;
  };

  test("although the tool changes its object while the guard waits", async () => {
    const hooks = await slowGuard();
    const output = { stdout: "fine", stderr: "", interrupted: false, nested: { list: ["fine"] } };
    const running = hooks.runTool(CALL, () => output);
    await wait(5);
    output.stdout = "hunter2";
    output.nested.list.push("hunter2");
    const result = await running;
    output.stderr = "hunter2";
    expect(result).toMatchObject({ status: "ran", output: { stdout: "fine", stderr: "", nested: { list: ["fine"] } } });
  });

  class Own {
    readonly stdout = "fine";
    toJSON(): string {
      return "hunter2";
    }
  }
  test.each<[string, () => object]>([
    ["in a field that is not enumerable", () => Object.defineProperty({ interrupted: false }, "stdout", { value: "hunter2" })],
    ["behind a toJSON", () => ({ stdout: "fine", toJSON: () => "hunter2" })],
    ["behind the toJSON of a class", () => new Own()],
    ["in an inherited field", () => Object.assign(Object.create({ stderr: "hunter2" }), { stdout: "fine" })],
    ["behind a getter that gives something else each time", () => turning(["fine", "fine", "hunter2", "hunter2", "hunter2"])],
  ])("and has nothing %s", async (_where, make) => {
    const result = await (await slowGuard()).runTool(CALL, make);
    expect([result.status, JSON.stringify([result, toToolResult(result)]).includes("hunter2")]).toEqual(["ran", false]);
  });

  test.each([Buffer.from("fine"), new Date(0), "fine", 5, null, ["fine"]])("%s stays what it is", async (output) => {
    expect(await (await slowGuard()).runTool({ ...CALL, tool_name: "own" }, () => output)).toMatchObject({ status: "ran", output });
  });

  test("without a guard, the program gets its own object", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", () => undefined);
    const output = new Own();
    expect((await hooks.runTool(CALL, () => output)).output).toBe(output);
  });

  test.each<[string, () => Error]>([
    ["in its stderr", () => Object.assign(new Error("exit 1"), { stderr: "hunter2" })],
    ["in its stdout, as bytes", () => Object.assign(new Error("exit 1"), { stdout: Buffer.from("hunter2") })],
    ["in its cause", () => new Error("exit 1", { cause: new Error("hunter2") })],
    ["in its errors", () => new AggregateError([new Error("hunter2")], "all failed")],
  ])("a tool that failed with a secret %s is withheld, with its cause", async (_where, make) => {
    const result = await (await slowGuard()).runTool(CALL, () => {
      throw make();
    });
    expect(result).toMatchObject({ status: "withheld" });
    expect(result.cause).toBe(undefined);
    expect(await (await slowGuard()).runTool(CALL, () => Promise.reject(new Error("exit 1")))).toMatchObject({
      status: "failed",
      error: "exit 1",
    });
  });
});

function turning(values: string[]): object {
  return Object.defineProperty({}, "stdout", { enumerable: true, get: () => values.shift() });
}
