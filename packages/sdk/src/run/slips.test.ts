import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hook } from "../hook/hook.ts";
import { deny, rewrite } from "../hook/results.ts";
import { emitBlock } from "../hook-utils/emit.ts";
import { loadHookInput } from "../hook-utils/invocation.ts";
import { callHook, type HookAnswer, sampleInput } from "../testing/index.ts";
import { hooksScript } from "./hooks-script.ts";
import { answerEvent, type Payload, parsePayload } from "./script.ts";
import { watchInput } from "./slips.ts";

type Any = Record<string, Record<string, unknown> & string>;

const PAYLOAD: Payload = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: "/srv" };

describe("a watched input", () => {
  const plain = JSON.parse(JSON.stringify(PAYLOAD)) as unknown;
  test.each<[string, (input: Payload) => unknown]>([
    ["JSON.stringify", (input) => JSON.parse(JSON.stringify(input))],
    ["spread", (input) => ({ ...input, tool_input: { ...(input["tool_input"] as object) } })],
    ["structuredClone", (input) => structuredClone(input)],
    ["Object.entries", (input) => ({ ...Object.fromEntries(Object.entries(input)), tool_input: { command: "ls" } })],
    ["itself", (input) => input],
  ])("is the payload to %s", (_how, use) => {
    expect(use(watchInput(PAYLOAD).input)).toEqual(plain);
  });

  test("is printed, asked for fields with `in` and awaited without a trace", async () => {
    const { input, levels } = watchInput(PAYLOAD);
    expect(inspect(input)).toBe(inspect(PAYLOAD));
    expect(["toolInput" in input, "tool_input" in input, String(input), input instanceof Object]).toEqual([
      false,
      true,
      "[object Object]",
      true,
    ]);
    expect(await input).toBe(input);
    expect(levels.flatMap(({ missed }) => [...missed])).toEqual(["then"]);
  });

  test("can be changed, and the payload stays", () => {
    const { input } = watchInput(PAYLOAD);
    Object.assign(input["tool_input"] as object, { command: "rm" });
    expect(input["tool_input"]).toEqual({ command: "rm" });
    expect(PAYLOAD["tool_input"]).toEqual({ command: "ls" });
  });
});

const READS: readonly [string, (input: Any) => unknown, string][] = [
  ["toolInput", (input) => input["toolInput"]?.["command"], '"tool_input"'],
  ["tool_input.cmd", (input) => input["tool_input"]?.["cmd"], '"command"'],
  ["tool_input.comand", (input) => input["tool_input"]?.["comand"], '"command"'],
  ["a tool's field at the top", ({ command }) => command, "input.tool_input.command"],
  ["toolName", (input) => input["toolName"], '"tool_name"'],
];
const guarding = (read: (input: Any, run: Any) => unknown, guard = true): ReturnType<typeof hook> =>
  hook("PreToolUse", { guard }, (input, run) => {
    if (read(input as never, run as never) === "rm") return deny("no");
    return undefined;
  });
const failureOf = (definition: ReturnType<typeof hook>): Promise<HookAnswer> => callHook(definition, {}, { allowFailure: true });

describe("a field that is read and not sent", () => {
  test.each(READS)("fails a test, and a guard blocks: %s", async (_name, read, meant) => {
    expect(await failureOf(guarding(read))).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^The guard hook failed, so it blocks. HL_SDK_FIELD_MISSPELT: /),
    });
    expect((await failureOf(guarding(read))).reason).toContain(meant);
    await expect(callHook(guarding(read, false))).rejects.toThrow("HL_SDK_FIELD_MISSPELT");
  });

  test("fails a test, also if the hook decides by it", async () => {
    const stubborn = hook("Stop", (input) => ((input as unknown as Any)["stopHookActive"] ? undefined : (deny("go on") as never)));
    await expect(callHook(stubborn)).rejects.toThrow('Did you mean "stop_hook_active"?');
  });

  test("is said where the second argument is taken for the input", async () => {
    const swapped = guarding((_event, input) => input["tool_input"]?.["command"]);
    expect((await failureOf(swapped)).reason).toContain("The input is the first argument");
  });

  test("is said in a main function too", async () => {
    const main = (): unknown => ((loadHookInput() as unknown as Any)["toolInput"]?.["command"] === "rm" ? 1 : undefined);
    await expect(callHook(main, "PreToolUse")).rejects.toThrow('Did you mean "tool_input"?');
  });

  test.each<[string, (input: Any, run: Any) => unknown]>([
    ["both spellings are read", (input) => input["toolInput"]?.["command"] ?? input["tool_input"]?.["command"]],
    ["the tool has no such field", (input) => input["tool_input"]?.["file_path"] ?? input["tool_input"]?.["notebook_path"]],
    ["the event's field is optional", (input) => input["agent_id"]],
    ["everything is written as JSON", (input) => JSON.stringify(input).includes("rm ")],
    ["everything is read", (input) => Object.values({ ...input }) && undefined],
    ["a field of one's own is tried", (input) => input["x_ticket"]],
    ["the second argument is asked for more than it has", (input, run) => input["tool_input"]?.["command"] && run["deadline"]],
  ])("is no mistake where %s", async (_why, read) => {
    expect(await callHook(guarding(read))).toMatchObject({ decision: "none", diagnostics: [] });
  });
});

describe("a guard that reads only fields that do not exist", () => {
  const bashGuard = (read: (input: Any) => unknown, tool: string | undefined = "Bash", event = "PreToolUse"): ReturnType<typeof hook> =>
    hook(event as "PreToolUse", { ...(tool && { tool }), guard: true }, (input) =>
      read(input as never) === "rm" ? deny("no") : undefined,
    );
  const inAgent = async (definition: ReturnType<typeof hook>, payload: object): Promise<{ stdout: string; stderr: string }> =>
    answerEvent(hooksScript([definition], "g"), parsePayload(Buffer.from(JSON.stringify(payload))));
  const input =
    (name: string): ((input: Any) => unknown) =>
    (payload) =>
      payload["tool_input"]?.[name];
  const write = sampleInput("PreToolUse", { tool_name: "Write", tool_input: { file_path: "/a", content: "x" } });
  const bash = sampleInput("PreToolUse");

  test.each(["path", "file", "filename", "file_name", "text"])("blocks: tool_input.%s of Write", async (name) => {
    const { stdout } = await inAgent(bashGuard(input(name), "Write"), write);
    expect(stdout).toContain("HL_SDK_FIELD_MISSPELT");
    expect(stdout).toMatch(/"permissionDecision":"deny"/);
  });

  test.each<[string, (input: Any) => unknown]>([
    ["input.command", (payload) => payload["input"]?.["command"]],
    ["tool.input", (payload) => payload["tool"]?.["input"]],
    ["arguments", (payload) => payload["arguments"]],
    ["tool_args", (payload) => payload["tool_args"]],
    ["params", (payload) => payload["params"]],
    ["payload", (payload) => payload["payload"]],
    ["the tool's name and params", (payload) => payload["tool_name"] && payload["params"]],
    ["tool_input.script", input("script")],
  ])("blocks: %s", async (_name, read) => {
    for (const tool of ["Bash", ""]) expect((await inAgent(bashGuard(read, tool), bash)).stdout).toContain("HL_SDK_FIELD_MISSPELT");
  });

  test("has failed as well if it is no guard", async () => {
    const definition = bashGuard(({ params }) => params);
    const { stdout, stderr } = await inAgent({ ...definition, options: { tool: "Bash" } }, bash);
    expect(stdout).toBe("");
    expect(stderr).toContain('reads "params", which does not exist, and nothing else of PreToolUse. It has tool_name, tool_input');
  });

  test.each(["message", "text"])("blocks a prompt: %s", async (name) => {
    const { stdout } = await inAgent(
      bashGuard((payload) => payload[name], "", "UserPromptSubmit"),
      sampleInput("UserPromptSubmit"),
    );
    expect(JSON.parse(stdout).reason).toContain(
      `reads "${name}", which does not exist, and nothing else of UserPromptSubmit. It has prompt`,
    );
    expect(stdout).toContain('"decision":"block"');
  });

  test.each<[string, (input: Any) => unknown, string]>([
    ["nothing", () => undefined, "Bash"],
    ["an optional field", input("description"), "Bash"],
    ["an optional field that was not sent", input("run_in_background"), "Bash"],
    ["a known field too", (payload) => payload["tool_input"]?.["script"] ?? payload["tool_input"]?.["command"], "Bash"],
    ["a field of another tool that it is for", input("file_path"), "Bash|Write"],
    ["a field of some tool, for all", input("path"), ""],
    ["what every event has", (payload) => payload["permission_mode"] ?? payload["agent_id"], "Bash"],
    ["the whole input", (payload) => JSON.stringify(payload["tool_input"]), "Bash"],
    ["everything", (payload) => JSON.stringify(payload), "Bash"],
    ["the tool's name", (payload) => payload["tool_name"], "Bash"],
  ])("and is fine if it reads %s", async (_name, read, tool) => {
    expect(await inAgent(bashGuard(read, tool), bash)).toMatchObject({ stdout: "", stderr: "" });
  });

  test("and is fine with an unknown tool", async () => {
    const own = sampleInput("PreToolUse", { tool_name: "mcp__db__query", tool_input: { sql: "x" } } as never);
    expect(await inAgent(bashGuard(input("query"), ""), own)).toMatchObject({ stdout: "", stderr: "" });
  });
});

describe("an input that is changed in place", () => {
  const changing = (result: () => ReturnType<typeof rewrite> | undefined): ReturnType<typeof hook> =>
    hook("PreToolUse", { tool: "Bash" }, (input) => {
      Object.assign(input.tool_input, { command: "echo changed" });
      return result() as never;
    });

  test("has failed without rewrite()", async () => {
    await expect(callHook(changing(() => undefined))).rejects.toThrow("HL_SDK_INPUT_CHANGED");
  });

  test("makes a guard block", async () => {
    const guard = hook("PreToolUse", { tool: "Bash", guard: true }, (input) => {
      Object.assign(input.tool_input, { command: "echo changed" });
    });
    const answer = await failureOf(guard);
    expect(answer).toMatchObject({ decision: "deny", reason: expect.stringContaining("HL_SDK_INPUT_CHANGED") });
  });

  test("names what the event can change", async () => {
    const after = hook("PostToolUse", { tool: "Bash" }, (input) => {
      Object.assign(input.tool_response as object, { stdout: "[redacted]" });
    });
    await expect(callHook(after)).rejects.toThrow("Return replaceOutput({ ...input.tool_response, … })");
  });

  test("is fine with it", async () => {
    expect(await callHook(changing(() => rewrite({ command: "echo changed" })))).toMatchObject({
      updatedInput: { command: "echo changed" },
      diagnostics: [],
    });
  });
});

describe("a result that is made after the handler has returned", () => {
  const late = (guard: boolean): ReturnType<typeof hook> =>
    hook("PreToolUse", { guard }, () => {
      setTimeout(() => deny("too late"), 20);
    });

  test("makes a guard block and fails the test of another", async () => {
    expect((await failureOf(late(true))).reason).toContain("HL_SDK_RESULT_NOT_RETURNED: hook made deny(…) after it had returned");
    await expect(callHook(late(false))).rejects.toThrow("after it had returned");
  });

  test.each([0, 1, 2, 3, 4, 5, 8, 12, 20, 50])("also %i steps of promises later", async (steps) => {
    const deep = async (left: number): Promise<unknown> => (left === 0 ? deny("too late") : await deep(left - 1));
    const forgetful = hook("PreToolUse", { guard: true }, async () => void deep(steps));
    expect((await failureOf(forgetful)).reason).toContain("HL_SDK_RESULT_NOT_RETURNED");
  });
});

test("a main function that expects the input as an argument gets it", async () => {
  const main = ((input: Any) => emitBlock(String(input["tool_name"]))) as unknown as () => void;
  expect(await callHook(main, "PreToolUse")).toMatchObject({ decision: "deny", reason: "Bash" });
});

describe("a guard that its settings call for other tools than its own", () => {
  const guard = hook("PreToolUse", { tool: "Write", guard: true }, () => undefined);
  const called = async (definitions: readonly (typeof guard)[], matcher: string): Promise<string> => {
    vi.stubEnv("HOOKLOOP_MATCHER", matcher);
    const payload = parsePayload(Buffer.from(JSON.stringify(sampleInput("PreToolUse"))));
    return (await answerEvent(hooksScript(definitions, "g"), payload)).stderr;
  };
  afterEach(() => vi.unstubAllEnvs());

  test("blocks", async () => {
    vi.stubEnv("HOOKLOOP_MATCHER", "Bash");
    const payload = parsePayload(Buffer.from(JSON.stringify(sampleInput("PreToolUse"))));
    expect((await answerEvent(hooksScript([guard], "g"), payload)).stdout).toContain('"permissionDecision":"deny"');
  });

  test("says so, and names both", async () => {
    expect(await called([guard], "Bash")).toMatch(/^HL_SDK_EVENT_UNEXPECTED: configured for Bash, but its hooks are for Write/);
    expect(await called([guard, guard], "Bash|Edit")).toContain("for Write, Write");
  });

  test("says nothing where one of the tools or one of its hooks fits, and where the matcher is a pattern", async () => {
    expect(await called([guard], "Bash|Write")).toBe("");
    expect(await called([guard], ".*")).toBe("");
    expect(await called([guard, hook("PreToolUse", () => undefined)], "Bash")).toBe("");
    expect(await called([hook("PreToolUse", { tool: "Write" }, () => undefined)], "Bash")).toBe("");
  });
});

test("a guard that returns nothing because its result stands on the line behind return blocks", async () => {
  // Neither the formatter nor the compiler leaves such a line as it is.
  const handler = new Function("deny", "return (i) => { if (/rm/.test(i.tool_input.command)) return\n deny('no') }")(deny);
  const guard = hook("PreToolUse", { tool: "Bash", guard: true }, handler);
  const answer = await callHook(guard, { tool_input: { command: "rm x" } }, { allowFailure: true });
  expect(answer).toMatchObject({ decision: "deny", reason: expect.stringContaining("deny(…) on the next, which is never reached") });
});
