import { allow, ask, context, defer, deny, feedback, replaceOutput, rewrite, stop } from "@hookloop/sdk";
import { describe, expect, test, vi } from "vitest";
import { bash, decides, hooksFor, openProject, printing } from "./open-project.ts";

const call = bash("ls");
const echo = (input: Readonly<Record<string, unknown>>): string => `ran ${input["command"]}`;

describe("before the tool", () => {
  test("without hooks the tool just runs", async () => {
    const hooks = await openProject().open();
    expect(await hooks.runTool(call, echo)).toMatchObject({ status: "ran", output: "ran ls", texts: [], halt: undefined });
  });

  test("a denied call does not run, and the model is told why", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "echo not here >&2; exit 2") });
    const hooks = await project.open();
    const execute = vi.fn(echo);
    const result = await hooks.runTool(call, execute);
    expect([result.status, result.error, execute.mock.calls]).toEqual(["denied", "PreToolUse:Bash hook error: not here", []]);
  });

  test.each([
    ["yes", (): boolean => true, "ran"],
    ["no", (): boolean => false, "denied"],
    ["no user", undefined, "denied"],
  ] as const)("a hook's question, answered by %s", async (_who, answer, status) => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", decides("ask", { permissionDecisionReason: "really?" })) }).open();
    const result = await hooks.runTool(call, echo, answer ? { ask: answer } : {});
    expect(result.status).toBe(status);
    if (status === "denied") expect(result.error).toContain("really?");
  });

  test.each([
    ["deny", undefined, "denied"],
    ["ask", undefined, "denied"],
    ["ask", () => true, "ran"],
    ["allow", undefined, "ran"],
  ] as const)("a rule that says %s beats a hook's allow (asker: %s): %s", async (permission, answer, status) => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => allow("fine"));
    const options = { permission: () => permission, ...(answer && { ask: answer }) };
    expect((await hooks.runTool(call, echo, options)).status).toBe(status);
  });

  test("a hook's deny is not put to the rules, a hook's question stands against a rule that allows", async () => {
    const hooks = await openProject().open();
    const permission = vi.fn(() => "allow" as const);
    const off = hooks.on("PreToolUse", {}, () => deny("no"));
    expect((await hooks.runTool(call, echo, { permission })).status).toBe("denied");
    expect(permission).not.toHaveBeenCalled();
    off();
    hooks.on("PreToolUse", {}, () => ask("sure?"));
    expect((await hooks.runTool(call, echo, { permission })).status).toBe("denied");
  });

  test("a rewritten input is what the rules, the asker, the tool and PostToolUse get", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", "cat > after.json") });
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => rewrite({ command: "pwd" }));
    hooks.on("PreToolUse", {}, () => ask("sure?"));
    const seen: unknown[] = [];
    const result = await hooks.runTool(call, echo, {
      permission: ({ tool_input }) => {
        seen.push(tool_input);
        return "allow";
      },
      ask: ({ tool_input }) => seen.push(tool_input) > 0,
    });
    expect([result.status, result.output, seen]).toEqual(["ran", "ran pwd", [{ command: "pwd" }, { command: "pwd" }]]);
    expect(JSON.parse(project.read("after.json") ?? "")).toMatchObject({ tool_input: { command: "pwd" }, tool_response: "ran pwd" });
  });

  test("defer is neither run nor denied", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => defer("later"));
    expect(await hooks.runTool(call, echo)).toMatchObject({ status: "deferred", error: "later" });
  });

  test("a halt before the tool: it does not run, and the work ends", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", printing({ continue: false, stopReason: "enough" })) }).open();
    const execute = vi.fn(echo);
    const result = await hooks.runTool(call, execute);
    expect([result.status, result.halt?.text, execute.mock.calls]).toEqual(["denied", "enough", []]);
  });

  test("a rule that throws means that the tool does not run", async () => {
    const hooks = await openProject().open();
    const execute = vi.fn(echo);
    const permission = (): never => {
      throw new Error("no rules");
    };
    await hooks.runTool(call, execute, { permission }).catch(() => undefined);
    expect(execute).not.toHaveBeenCalled();
  });
});

describe("after the tool", () => {
  test("feedback and context stand beside the result, labelled, those of before first", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => context("know this"));
    hooks.on("PostToolUse", {}, () => feedback("not formatted").with(context("and this")));
    const result = await hooks.runTool(call, echo);
    expect(result.output).toBe("ran ls");
    expect(result.texts).toEqual([
      "PreToolUse:Bash hook additional context: know this",
      "PostToolUse:Bash hook blocking error: not formatted",
      "PostToolUse:Bash hook additional context: and this",
    ]);
    expect(result.verdicts.map(({ event }) => event)).toEqual(["PreToolUse", "PostToolUse"]);
  });

  test("a command's block is feedback: the result stays", async () => {
    const hooks = await openProject({ project: hooksFor("PostToolUse", printing({ decision: "block", reason: "lint" })) }).open();
    const result = await hooks.runTool(call, echo);
    expect([result.output, result.texts]).toEqual(["ran ls", ["PostToolUse:Bash hook blocking error: lint"]]);
  });

  test.each([["text"], [""], [null], [{ a: 1 }]])("a replaced output takes the tool's place: %j", async (value) => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", {}, () => replaceOutput(value));
    expect(await hooks.runTool(call, echo)).toMatchObject({ status: "ran", output: value });
  });

  test("a tool that throws is a failure with its text, for PostToolUseFailure and the model", async () => {
    const project = openProject({ project: hooksFor("PostToolUseFailure", "cat > failure.json; echo try again >&2; exit 2") });
    const hooks = await project.open();
    hooks.on("PostToolUse", {}, () => deny("never asked") as never);
    const result = await hooks.runTool(call, () => {
      throw new Error("Exit code 1\nnope");
    });
    expect([result.status, result.error, result.output]).toEqual(["failed", "Exit code 1\nnope", undefined]);
    expect(result.texts).toEqual(["PostToolUseFailure:Bash hook blocking error: try again"]);
    expect(JSON.parse(project.read("failure.json") ?? "")).toMatchObject({
      hook_event_name: "PostToolUseFailure",
      error: "Exit code 1\nnope",
      is_interrupt: false,
      tool_use_id: "toolu_1",
    });
  });

  test("a halt while the tool throws ends the work", async () => {
    const halting = hooksFor("PostToolUseFailure", printing({ continue: false, stopReason: "enough" }));
    const run = async (files: Parameters<typeof openProject>[0]): Promise<unknown> => {
      const result = await (await openProject(files).open()).runTool(call, () => Promise.reject(new Error("broken")));
      return [result.status, result.halt?.text];
    };
    expect(await run({ native: halting })).toEqual(["failed", "enough"]);
    // As in Claude Code, where it changes nothing there.
    expect(await run({ project: halting })).toEqual(["failed", undefined]);
  });

  test("a halt after the tool keeps its result", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", {}, () => stop("enough"));
    expect(await hooks.runTool(call, echo)).toMatchObject({ status: "ran", output: "ran ls", halt: { text: "enough" } });
  });

  test("an interrupted tool says so", async () => {
    const hooks = await openProject().open();
    const controller = new AbortController();
    const seen: unknown[] = [];
    hooks.on("PostToolUseFailure", {}, ({ is_interrupt }) => void seen.push(is_interrupt));
    const interrupted = (): never => {
      controller.abort();
      throw new Error("interrupted");
    };
    expect((await hooks.runTool(call, interrupted, { signal: controller.signal })).status).toBe("failed");
    expect(seen).toEqual([true]);
  });

  test("what a tool throws may be anything", async () => {
    const hooks = await openProject().open();
    const result = await hooks.runTool(call, () => Promise.reject(Object.create(null)));
    expect(result.status).toBe("failed");
  });
});
