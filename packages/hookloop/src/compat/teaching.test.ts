import { ask, block, context, stop } from "@hookloop/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/step.ts";
import { createHooks } from "../open.ts";
import * as front from "./teaching.ts";
import { createTeachingLoop, hookResult, type TeachingEventName, type TeachingLoop, type TeachingLoopOptions } from "./teaching.ts";

let diagnostics: Diagnostic[] = [];
afterEach(() => {
  diagnostics = [];
});

function open(options: TeachingLoopOptions = {}): TeachingLoop {
  return createTeachingLoop({ ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one), ...options });
}

const EVENTS: readonly TeachingEventName[] = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
const CALL = { name: "Bash", input: { command: "ls" }, id: "toolu_1" };
const ARGS: Readonly<Record<TeachingEventName, readonly unknown[]>> = {
  UserPromptSubmit: ["x"],
  PreToolUse: [CALL],
  PostToolUse: [CALL, "x"],
  Stop: [],
};

describe.each(EVENTS)("register and trigger: %s", (event) => {
  test("without a callback: nothing", async () => {
    expect(await open().trigger(event, ...ARGS[event])).toBeUndefined();
  });

  test("callbacks run in order and get the arguments themselves", async () => {
    const loop = open();
    const seen: unknown[] = [];
    const argument = { name: "Bash", input: { nested: new Map() } };
    loop.register(event, (...args) => void seen.push("first", ...args));
    loop.register(event, (...args) => void seen.push("second", ...args));
    expect(await loop.trigger(event, argument, 7)).toBeUndefined();
    expect(seen).toEqual(["first", argument, 7, "second", argument, 7]);
    expect(seen[1]).toBe(argument);
  });

  test.each([["text"], [""], [0], [false], [{ any: "thing" }], [["a", "b"]]])(
    "the first that returns something wins: %j",
    async (value) => {
      const loop = open();
      const later = vi.fn(() => "later");
      loop.register(event, () => undefined);
      loop.register(event, () => null);
      loop.register(event, () => value);
      loop.register(event, later);
      // A denial that reads as false, or that is no `{ block }`, is made one that the loop sees.
      const denial = `Blocked by a hook, which returned ${JSON.stringify(value)}.`;
      const isLost = event === "PreToolUse" && !value;
      const isDenied = event === "UserPromptSubmit" && value === false;
      expect(await loop.trigger(event, ...ARGS[event])).toEqual(isLost ? denial : isDenied ? { block: denial } : value);
      expect(later).not.toHaveBeenCalled();
    },
  );

  test("an asynchronous callback wins in its turn, not by being late", async () => {
    const loop = open();
    loop.register(event, () => new Promise((resolve) => setTimeout(resolve, 10, "slow first")));
    loop.register(event, () => "fast second");
    expect(await loop.trigger(event, ...ARGS[event])).toBe("slow first");
  });

  test("a callback that answers after its time limit has not answered", async () => {
    vi.useFakeTimers();
    try {
      const loop = open();
      const after = (seconds: number, value: string) => () => new Promise((resolve) => setTimeout(resolve, seconds * 1000, value));
      loop.register(event, after(61, "late"));
      loop.register(event, after(10, "second"));
      const value = loop.trigger(event, ...ARGS[event]);
      await vi.advanceTimersByTimeAsync(90_000);
      expect(await value).toBe("second");
      expect(diagnostics.map(({ code }) => code)).toEqual(["HL_EXECUTE_TIMEOUT"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a callback that was taken away is not called", async () => {
    const loop = open();
    const remove = loop.register(event, () => "gone");
    loop.register(event, () => "stays");
    remove();
    expect(await loop.trigger(event, ...ARGS[event])).toBe("stays");
  });

  test("a callback that throws is reported, and the next one is called", async () => {
    const loop = open();
    loop.register(event, function broken() {
      throw new Error("no database");
    });
    loop.register(event, () => "answer");
    expect(await loop.trigger(event, ...ARGS[event])).toBe("answer");
    expect(diagnostics.map(({ code, text }) => [code, text.includes('"broken": it threw: no database')])).toEqual([
      ["HL_EXECUTE_THREW", true],
    ]);
  });
});

describe("what an answer does", () => {
  test("PreToolUse: the tool is not run and the value is its result", async () => {
    const loop = open();
    loop.register("PreToolUse", ({ input }) => (input.command.startsWith("rm") ? "Permission denied" : undefined));
    const run = async (command: string): Promise<unknown> => (await loop.trigger("PreToolUse", { ...CALL, input: { command } })) ?? "ran";
    expect([await run("ls"), await run("rm -r /")]).toEqual(["ran", "Permission denied"]);
    const { verdict } = await loop.fire("PreToolUse", { ...CALL, input: { command: "rm x" } });
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "Permission denied"]);
  });

  test("Stop: the text is the next user message", async () => {
    const loop = open();
    loop.register("Stop", () => "Run the tests first.");
    const { value, verdict } = await loop.fire("Stop", []);
    expect([value, verdict.continueWith[0]?.text]).toEqual(["Run the tests first.", "Run the tests first."]);
  });

  test.each([
    ["blocks", { block: "no secrets" }, { decision: "deny" }],
    ["changes", { prompt: "better" }, { decision: "none", updatedPrompt: "better" }],
    ["adds", { context: "cwd: /x" }, { decision: "none", contexts: [{ text: "cwd: /x", hook: "code:UserPromptSubmit:0" }] }],
    ["adds, as a text", "cwd: /x", { decision: "none", contexts: [{ text: "cwd: /x", hook: "code:UserPromptSubmit:0" }] }],
  ])("UserPromptSubmit %s", async (_what, value, expected) => {
    const loop = open();
    loop.register("UserPromptSubmit", () => value);
    const fired = await loop.fire("UserPromptSubmit", "do it");
    expect(fired.value).toBe(value);
    expect(fired.verdict).toMatchObject(expected);
  });

  test("PostToolUse annotates the result", async () => {
    const loop = open();
    loop.register("PostToolUse", (_call, output) => (output.length > 5 ? "long output" : undefined));
    expect([await loop.trigger("PostToolUse", CALL, "short"), await loop.trigger("PostToolUse", CALL, "longer")]).toEqual([
      undefined,
      "long output",
    ]);
  });

  test("a PreToolUse callback that fails and is followed by no answer refuses, unless the user says yes", async () => {
    const fail = (): never => {
      throw new Error("broken check");
    };
    const headless = open();
    headless.register("PreToolUse", fail);
    expect(await headless.trigger("PreToolUse", CALL)).toEqual(expect.stringContaining("fail"));
    for (const [answer, expected] of [
      [true, undefined],
      [false, expect.any(String)],
    ] as const) {
      const asked = vi.fn((_question: string, ..._args: readonly unknown[]) => answer);
      const loop = open({ ask: asked });
      loop.register("PreToolUse", fail);
      expect(await loop.trigger("PreToolUse", CALL)).toEqual(expected);
      expect(asked.mock.calls[0]?.[1]).toBe(CALL);
    }
  });

  test("an ask that throws has not said yes", async () => {
    const loop = open({
      ask: () => {
        throw new Error("no terminal");
      },
    });
    loop.register("PreToolUse", () => ask("sure?"));
    expect(await loop.trigger("PreToolUse", CALL)).toBe("sure?");
  });
});

describe("stop callbacks cannot hold the loop forever", () => {
  const holds = async (loop: TeachingLoop, between: () => Promise<unknown> = async () => {}): Promise<number> => {
    loop.register("Stop", () => "go on");
    let count = 0;
    while (count < 20 && (await loop.trigger("Stop")) !== undefined) {
      count++;
      await between();
    }
    return count;
  };

  test("eight times in a row, then it is overridden and said", async () => {
    expect(await holds(open())).toBe(8);
    expect(diagnostics.map(({ code }) => code)).toEqual(["HL_LOOP_STOP_CAP"]);
  });

  test("with a cap of one, once, also if tools were used in between", async () => {
    const loop = open({ stopCap: 1 });
    expect(await holds(loop, () => loop.trigger("PostToolUse", CALL, "done"))).toBe(1);
  });

  test("using a tool is progress, and a new prompt starts over", async () => {
    const loop = open({ stopCap: 2 });
    expect(await holds(loop, () => loop.trigger("PostToolUse", CALL, "done"))).toBe(20);
    const other = open({ stopCap: 2 });
    expect(await holds(other)).toBe(2);
    await other.trigger("UserPromptSubmit", "again");
    expect([await other.trigger("Stop"), other.isHeldOpen]).toEqual(["go on", true]);
    await other.trigger("UserPromptSubmit", "and again");
    expect(other.isHeldOpen).toBe(false);
  });

  test("the flag says that a callback holds the loop open, in the payload too", async () => {
    const records: TraceRecord[] = [];
    const loop = open({ ports: { env: {}, trace: { write: (record) => records.push(record) } } });
    const flags: boolean[] = [];
    loop.register("Stop", () => {
      flags.push(loop.isHeldOpen);
      return flags.length === 1 ? "once more" : undefined;
    });
    expect([await loop.trigger("Stop"), await loop.trigger("Stop"), loop.isHeldOpen]).toEqual(["once more", undefined, false]);
    expect(flags).toEqual([false, true]);
    const fired = records.flatMap((one) => (one.type === "fired" ? one.input["stop_hook_active"] : []));
    expect(fired).toEqual([false, true]);
  });
});

describe("the nine named fields", () => {
  const fire = async (event: TeachingEventName, fields: Parameters<typeof hookResult>[0]): ReturnType<TeachingLoop["fire"]> => {
    const loop = open();
    loop.register(event, () => hookResult(fields));
    return loop.fire(event, CALL, "output");
  };
  const text = (given: string) => [expect.objectContaining({ text: given })];

  test.each([
    ["message", "PreToolUse", { message: "look" }, { decision: "none", tells: text("look") }],
    ["blockingError", "PreToolUse", { blockingError: "no" }, { decision: "deny", reasons: text("no") }],
    ["blockingError", "PostToolUse", { blockingError: "bad" }, { decision: "none", feedback: text("bad") }],
    ["blockingError", "Stop", { blockingError: "test it" }, { continueWith: text("test it") }],
    ["outcome", "PreToolUse", { outcome: "blocking" }, { decision: "deny" }],
    ["outcome", "PreToolUse", { outcome: "success" }, { decision: "none" }],
    ["preventContinuation, stopReason", "PostToolUse", { preventContinuation: true, stopReason: "done" }, { halt: { text: "done" } }],
    ["permissionBehavior", "PreToolUse", { permissionBehavior: "allow" }, { decision: "allow" }],
    ["permissionBehavior", "PreToolUse", { permissionBehavior: "ask" }, { decision: "ask" }],
    ["permissionBehavior", "PreToolUse", { permissionBehavior: "deny" }, { decision: "deny" }],
    ["permissionBehavior", "PreToolUse", { permissionBehavior: "passthrough" }, { decision: "none" }],
    ["updatedInput", "PreToolUse", { updatedInput: { command: "ls -l" } }, { updatedInput: { command: "ls -l" } }],
    ["additionalContext", "PostToolUse", { additionalContext: "new file" }, { contexts: text("new file") }],
    ["updatedMCPToolOutput", "PostToolUse", { updatedMCPToolOutput: { a: 1 } }, { updatedOutput: { value: { a: 1 } } }],
  ] as const)("%s of %s becomes an effect: %j", async (_field, event, fields, expected) => {
    expect((await fire(event, fields)).verdict).toMatchObject(expected);
    expect(diagnostics).toEqual([]);
  });

  test("what decided is the loop's value; an allow lets the tool run", async () => {
    expect((await fire("PreToolUse", { permissionBehavior: "deny", blockingError: "no" })).value).toBe("no");
    expect((await fire("PreToolUse", { permissionBehavior: "allow" })).value).toBeUndefined();
    expect((await fire("PostToolUse", { additionalContext: "new file" })).value).toBe("new file");
    expect((await fire("UserPromptSubmit", { blockingError: "no" })).value).toEqual({ block: "no" });
  });

  test("the later callbacks are not called after one of them either", async () => {
    const loop = open();
    const later = vi.fn();
    loop.register("PostToolUse", () => stop("enough"));
    loop.register("PostToolUse", later);
    expect((await loop.fire("PostToolUse", CALL, "x")).verdict.halt?.text).toBe("enough");
    expect(later).not.toHaveBeenCalled();
  });

  test.each([
    [{ blockingEror: "no" }, 'Did you mean "blockingError"?'],
    [{ permissionBehavior: "block" }, "Write one of: allow, deny, ask, passthrough"],
    [{ preventContinuation: "yes" }, "Write true or false"],
    ["no", "takes its fields"],
  ])("%j is no result: the callback has failed, and the tool does not run", async (fields, cure) => {
    const { value } = await fire("PreToolUse", fields as never);
    expect(value).toEqual(expect.any(String));
    expect(diagnostics.map(({ text }) => text).join()).toContain(cure);
  });

  test("a field that the event cannot express is said, and still ends the list", async () => {
    const loop = open();
    const later = vi.fn();
    loop.register("Stop", () => hookResult({ updatedInput: {} }));
    loop.register("Stop", later);
    expect(await loop.trigger("Stop")).toBeUndefined();
    expect(later).not.toHaveBeenCalled();
    expect(diagnostics.map(({ code }) => code)).toEqual(["HL_OUTPUT_NOT_HONOURED"]);
  });
});

describe("a result without an opinion", () => {
  const OPINIONLESS = [
    ["hookResult({ message })", hookResult({ message: "look" })],
    ["passthrough", hookResult({ permissionBehavior: "passthrough" })],
    ["success", hookResult({ outcome: "success" })],
    ["context()", context("a note")],
  ] as const;

  test.each([...OPINIONLESS, ["allow", hookResult({ permissionBehavior: "allow" })] as const])(
    "%s does not keep the next callback from denying the tool",
    async (_what, said) => {
      const loop = open();
      loop.register("PreToolUse", () => said);
      loop.register("PreToolUse", () => "Permission denied");
      expect(await loop.trigger("PreToolUse", CALL)).toBe("Permission denied");
    },
  );

  test.each(OPINIONLESS.filter(([what]) => what !== "passthrough"))("%s does not keep it from rejecting a prompt", async (_what, said) => {
    const loop = open();
    loop.register("UserPromptSubmit", () => said);
    loop.register("UserPromptSubmit", () => ({ block: "no secrets" }));
    expect(await loop.trigger("UserPromptSubmit", "p")).toEqual({ block: "no secrets" });
  });

  test("counts all the same", async () => {
    const loop = open();
    loop.register("PreToolUse", () => hookResult({ message: "look", additionalContext: "a note" }));
    loop.register("PreToolUse", () => undefined);
    const { verdict } = await loop.fire("PreToolUse", CALL);
    expect([verdict.tells[0]?.text, verdict.contexts[0]?.text]).toEqual(["look", "a note"]);
  });

  test.each([
    hookResult({ permissionBehavior: "ask" }),
    hookResult({ updatedInput: { command: "pwd" } }),
    hookResult({ preventContinuation: true }),
  ])("is none that asks, replaces or ends the turn: %#", async (said) => {
    const loop = open();
    const later = vi.fn();
    loop.register("PreToolUse", () => said);
    loop.register("PreToolUse", later);
    await loop.trigger("PreToolUse", CALL);
    // A rewrite is judged once more by those that have not seen it.
    expect(later.mock.calls.every(([call]) => call.input.command === "pwd")).toBe(true);
  });

  test("a note of a callback does not hide that another hook blocked the prompt", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    hooks.on("UserPromptSubmit", { guard: true }, () => block("secret"));
    const loop = createTeachingLoop({ hooks });
    loop.register("UserPromptSubmit", () => "a note");
    expect(await loop.trigger("UserPromptSubmit", "p")).toEqual({ block: "secret" });
  });
});

describe("what is no call blocks where a guard judges it, and is said", () => {
  const nothing = (): undefined => undefined;
  test.each([
    [[{ id: "1", type: "function", function: { name: "Bash", arguments: '{"command":"rm"}' } }], 'without "tool_name" and "tool_input"'],
    [[], 'without "tool_name" and "tool_input"'],
    [[{ command: "rm" }, "Bash"], 'without "tool_name" and "tool_input"'],
    [[{ name: "Bash", input: '{"command":"rm"}' }], 'with a "tool_input" that is a text'],
    [[{ name: "Bash", args: { command: "rm" } }], 'without "tool_input"'],
    [["Bash"], 'without "tool_input"'],
    [["Bash", '{"command":"rm"}'], 'with a "tool_input" that is a text'],
  ])("%j", async (args, text) => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one) });
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, nothing);
    expect(await createTeachingLoop({ hooks }).trigger("PreToolUse", ...args)).toContain("did not get the input it checks");
    expect(diagnostics.map((one) => one.text).join("\n")).toContain(text);
  });

  test.each([[[]], [[["a", "list"]]], [[7]]])("a prompt that is none: %j", async (args) => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one) });
    hooks.on("UserPromptSubmit", { guard: true }, nothing);
    expect(await createTeachingLoop({ hooks }).trigger("UserPromptSubmit", ...args)).toHaveProperty("block");
    expect(diagnostics.map(({ code }) => code)).toContain("HL_SELECT_FIELD_MISSING");
  });
});

describe("mistakes of the program", () => {
  test("a callback that is none is refused", () => {
    expect(() => open().register("PreToolUse", undefined as never)).toThrow('register("PreToolUse") was given undefined for a callback');
  });

  test.each([
    [{}, "hooks of createTeachingLoop() is no engine"],
    [Promise.resolve({}), "hooks of createTeachingLoop() is a promise. Write hooks: await openHooks({ cwd })"],
  ])("hooks that are no engine are refused", (hooks, text) => {
    expect(() => createTeachingLoop({ hooks } as never)).toThrow(text);
  });
});

describe("on the engine", () => {
  test("an unknown event is refused where it is registered and where it is triggered", async () => {
    const loop = open();
    expect(() => loop.register("PreTooluse" as "PreToolUse", () => "x")).toThrow('Did you mean "PreToolUse"?');
    await expect(loop.trigger("Nothing" as "Stop")).rejects.toThrow("There are: UserPromptSubmit, PreToolUse, PostToolUse, Stop");
  });

  test("every callback that ran is in the trace, by name, and none that did not", async () => {
    const records: TraceRecord[] = [];
    const loop = open({ ports: { env: {}, trace: { write: (record) => records.push(record) } } });
    loop.register("PreToolUse", function log() {});
    loop.register("PreToolUse", function check() {
      return "no";
    });
    loop.register("PreToolUse", function never() {});
    await loop.trigger("PreToolUse", CALL);
    expect(records.flatMap((one) => (one.type === "started" ? one.name : []))).toEqual(["log", "check"]);
    expect(records[0]).toMatchObject({ input: { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" } });
  });

  test("HOOKLOOP_DISABLE switches a callback off by name, and reports it", async () => {
    const loop = open({ ports: { env: { HOOKLOOP_DISABLE: "check" } } });
    loop.register("PreToolUse", function check() {
      return "no";
    });
    expect(await loop.trigger("PreToolUse", CALL)).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(["HL_ADMIT_DISABLED"]);
  });

  test("hung on an engine, its other hooks count, and the engine's own firings reach the callbacks", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const loop = open({ hooks });
    hooks.on("PreToolUse", { name: "other" }, () => ask("other asks"));
    expect(await loop.trigger("PreToolUse", CALL)).toBe("other asks");
    loop.register("PreToolUse", ({ tool_name }) => `no ${tool_name}`);
    const verdict = await hooks.fire("PreToolUse", { tool_name: "Read", tool_input: { file_path: "/a" }, tool_use_id: "t" });
    expect(verdict.reasons.map(({ text }) => text)).toEqual(["no Read"]);
  });

  test("name and input may be given one by one", async () => {
    const records: TraceRecord[] = [];
    const loop = open({ ports: { env: {}, trace: { write: (record) => records.push(record) } } });
    loop.register("PostToolUse", () => undefined);
    await loop.trigger("PostToolUse", "Read", { file_path: "/a" }, "content");
    expect(records[0]).toMatchObject({ input: { tool_name: "Read", tool_input: { file_path: "/a" }, tool_response: "content" } });
  });
});

test.each([
  [{ stopcap: 1 }, 'createTeachingLoop() has no option "stopcap". Did you mean "stopCap"?'],
  [{ aks: () => true }, 'Did you mean "ask"?'],
  [{ ask: true }, "ask of createTeachingLoop() is true. Write a function"],
  [
    { trust: "implicit" },
    'createTeachingLoop() has no option "trust". There are: cwd, sessionId, stopCap, onDiagnostic, ports, hooks, ask',
  ],
  [{ ports: { trase: {} } }, 'ports has no option "trase". Did you mean "trace"?'],
  [null, "createTeachingLoop() takes an object"],
])("options %j are refused, with what was probably meant", (options, text) => {
  expect(() => createTeachingLoop(options as never)).toThrow(TypeError);
  expect(() => createTeachingLoop(options as never)).toThrow(text);
});

test("what can be imported is a deliberate list", () => {
  expect(Object.keys(front).sort()).toEqual([
    "HOOKS",
    "attach",
    "contextInjectHook",
    "createCallbacks",
    "createTeachingLoop",
    "hookResult",
    "largeOutputHook",
    "logHook",
    "permissionHook",
    "registerHook",
    "summaryHook",
    "triggerHooks",
  ]);
});
