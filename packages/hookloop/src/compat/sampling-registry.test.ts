import { ask, deny } from "@hookloop/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/step.ts";
import { createHooks } from "../open.ts";
import * as front from "./sampling.ts";
import { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "./sampling.ts";
import type { GivenContext, HookAnswer, HookContext, HookEvent, HookType, SamplingTool } from "./sampling-types.ts";

let diagnostics: Diagnostic[] = [];
afterEach(() => {
  diagnostics = [];
});
const codes = (): string[] => diagnostics.map(({ code }) => code);

function open(options: SamplingRegistryOptions = {}): SamplingRegistry {
  return createSamplingRegistry({ sessionId: "s1", ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one), ...options });
}

const echo = (name = "Bash"): SamplingTool => ({ name, execute: (input) => ({ got: input }) });
const failing: SamplingTool = {
  name: "Bash",
  execute: () => {
    throw new Error("disk full");
  },
};
const go: HookAnswer = { status: "continue" };
/** What an operation of any type has. */
/** Has what every tool of these types must be given. */
const WHOLE = { tool: { name: "Read" }, input: { file_path: "/a", command: "ls", description: "d", prompt: "p" }, prompt: "p" };
const TYPES: readonly HookType[] = [
  "pre_tool_sample",
  "pre_edit_sample",
  "pre_bash_sample",
  "pre_git_sample",
  "pre_agent_sample",
  "pre_compact_sample",
  "post_tool_sample",
  "post_edit_sample",
  "post_bash_sample",
  "post_git_sample",
  "post_agent_sample",
  "post_compact_sample",
  "session_start",
  "session_end",
  "query_start",
  "query_end",
];

describe.each(TYPES)("every type: %s", (type) => {
  test("a handler gets the context itself and what is happening", async () => {
    const registry = open();
    const handler = vi.fn((_context: HookContext, _event: HookEvent) => go);
    registry.registerHook(type, handler);
    const context: GivenContext = { toolUseId: "toolu_1", mine: 1 };
    const before = Date.now();
    expect(await registry.executeHooks(type, context)).toEqual({ status: "continue", data: context });
    expect(handler).toHaveBeenCalledTimes(1);
    const [got, event] = handler.mock.calls[0] ?? [];
    expect(got).toBe(context);
    expect(event).toEqual({ type, timestamp: expect.any(Number), sessionId: "s1", toolUseId: "toolu_1" });
    expect(event?.timestamp).toBeGreaterThanOrEqual(before);
  });

  test("only the hooks of the type run", async () => {
    const registry = open();
    const ran: HookType[] = [];
    for (const each of TYPES) registry.registerHook(each, () => void ran.push(each));
    await registry.executeHooks(type, {});
    expect(ran).toEqual([type]);
  });

  test("a handler that throws is reported, and the others still run", async () => {
    const registry = open();
    const ran: string[] = [];
    registry.registerHook(type, () => void ran.push("first"));
    registry.registerHook(
      type,
      () => {
        throw new Error("broken");
      },
      { name: "bad" },
    );
    registry.registerHook(type, () => void ran.push("last"));
    expect((await registry.executeHooks(type, { ...WHOLE })).status).toBe("continue");
    expect(ran.toSorted()).toEqual(["first", "last"]);
    expect(diagnostics.map(({ code, text }) => [code, text.includes('"bad": it threw: broken')])).toEqual([["HL_EXECUTE_THREW", true]]);
  });

  test("a tool of the program's own may be the operation", async () => {
    const registry = open();
    const handler = vi.fn();
    registry.registerHook(type, handler);
    await registry.executeHooks(type, { tool: { name: "OwnTool" }, input: { command: "ls" } });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test("a hook that was taken away does not run", async () => {
    const registry = open();
    const handler = vi.fn();
    registry.registerHook(type, handler)();
    await registry.executeHooks(type);
    expect(handler).not.toHaveBeenCalled();
    expect(registry.listHooks()).toEqual([]);
  });
});

describe("what is no operation of the type", () => {
  const nothing = (): undefined => undefined;
  function guarded(): SamplingRegistry {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one) });
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, nothing);
    hooks.on("UserPromptSubmit", { guard: true }, nothing);
    return createSamplingRegistry({ hooks });
  }

  test.each([
    ["pre_bash_sample", { command: "rm" }, 'without "tool_input"'],
    ["pre_bash_sample", { args: { command: "rm" } }, 'without "tool_input"'],
    ["pre_bash_sample", { input: '{"command":"rm"}' }, 'with a "tool_input" that is a text'],
    ["pre_bash_sample", { input: { cmd: "rm" } }, 'tool_input of Bash has no text "command"'],
    ["pre_tool_sample", { input: { command: "rm" } }, 'without "tool_name"'],
    ["query_start", { query: "p" }, 'without "prompt"'],
  ] as const)("%s %j blocks where a guard judges it, and is said", async (type, context, text) => {
    expect((await guarded().executeHooks(type, context as never)).status).toBe("cancel");
    expect(diagnostics.map((one) => one.text).join("\n")).toContain(text);
  });

  test("a guard for git is not passed by an input without a command", async () => {
    const registry = open();
    const handler = vi.fn(() => ({ status: "cancel", reason: "no" }) as const);
    registry.registerHook("pre_git_sample", handler);
    expect((await registry.executeToolWithHooks(echo(), { cmd: "git push" })).run.status).toBe("denied");
    registry.registerHook("pre_git_sample", nothing, { guard: true });
    expect((await registry.executeToolWithHooks(echo(), { cmd: "git push" })).run.status).toBe("denied");
  });

  test.each([
    [{ status: "cancel" }, "Cancelled by hook"],
    [{ status: "cancel", reason: "" }, "Cancelled by hook"],
    [{ status: "cancel", message: "why" }, 'Cancelled by hook (it has no "reason", but "message")'],
    [{ status: "cancel", reason: { text: "why" } }, "Cancelled by hook (its reason is an object, not a text)"],
  ])("%j cancels, and says that it has no reason", async (answer, reason) => {
    const registry = open();
    registry.registerHook("pre_tool_sample", () => answer as never);
    expect(await registry.executeHooks("pre_tool_sample", { tool: { name: "Read" }, input: {} })).toEqual({ status: "cancel", reason });
    const result = await registry.executeToolWithHooks(echo("Read"), {});
    expect(result).toEqual({ type: "tool_result", content: reason, is_error: true });
  });

  test("what is no function, no options or no context is refused with a code", async () => {
    const registry = open();
    expect(() => registry.registerHook("pre_bash_sample", undefined as never)).toThrow("HL_CONFIG_OPTION_INVALID: registerHook");
    expect(() => registry.registerHook("pre_bash_sample", nothing, null as never)).toThrow("HL_CONFIG_OPTION_INVALID: registerHook");
    await expect(registry.executeHooks("pre_bash_sample", "rm" as never)).rejects.toThrow("HL_CONFIG_OPTION_INVALID: executeHooks");
    expect(() => createSamplingRegistry({ hooks: {} } as never)).toThrow("hooks of createSamplingRegistry() is no engine");
  });

  test("a tool that other agents call so is named without a matcher that was not written", async () => {
    const registry = open();
    registry.registerHook("pre_bash_sample", nothing, { guard: true, name: "g" });
    await registry.executeToolWithHooks(echo("shell"), { command: "ls" });
    expect(diagnostics[0]?.text).toContain('fire the event with "Bash"');
    expect(diagnostics[0]?.text).not.toContain("matcher");
  });
});

describe("order", () => {
  const PRE = TYPES.filter((type) => type.startsWith("pre_") || type.endsWith("_start"));

  test.each(PRE)("%s: higher priority first, ties as registered, 0 if left out", async (type) => {
    const registry = open();
    const ran: string[] = [];
    const add = (name: string, priority?: number) =>
      registry.registerHook(type, () => void ran.push(name), { name, ...(priority !== undefined && { priority }) });
    add("low", -1);
    add("a");
    add("b", 0);
    add("high", 10);
    add("c");
    await registry.executeHooks(type);
    expect(ran).toEqual(["high", "a", "b", "c", "low"]);
    expect(registry.listHooks().map(({ name }) => name)).toEqual(ran);
  });

  test("end hooks run in exactly the reverse order, one failing does not stop the others", async () => {
    const registry = open();
    const ran: string[] = [];
    for (const [name, priority] of [
      ["a", 0],
      ["b", 5],
      ["c", 0],
    ] as const) {
      for (const type of ["session_start", "session_end"] as const) {
        registry.registerHook(
          type,
          () => {
            ran.push(`${type} ${name}`);
            if (name === "a") throw new Error("broken");
          },
          { name, priority },
        );
      }
    }
    await registry.executeSessionStartHooks();
    await registry.executeSessionEndHooks();
    expect(ran).toEqual(["session_start b", "session_start a", "session_start c", "session_end c", "session_end a", "session_end b"]);
    expect(codes()).toEqual(["HL_EXECUTE_THREW", "HL_EXECUTE_THREW"]);
  });

  test("pre hooks wait for each other", async () => {
    const registry = open();
    const ran: string[] = [];
    registry.registerHook("pre_tool_sample", async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      ran.push("slow first");
    });
    registry.registerHook("pre_tool_sample", () => void ran.push("fast second"));
    await registry.executeToolWithHooks(echo(), {});
    expect(ran).toEqual(["slow first", "fast second"]);
  });

  test("post hooks run side by side", async () => {
    const registry = open();
    let release = (): void => {};
    const second = new Promise<void>((resolve) => {
      release = resolve;
    });
    // In a sequence the first would wait for the second for ever.
    registry.registerHook("post_tool_sample", () => second.then(() => go));
    registry.registerHook("post_tool_sample", () => release());
    expect((await registry.executeToolWithHooks(echo(), {})).run.status).toBe("ran");
  });
});

describe("decisions", () => {
  const PRE = TYPES.filter((type) => type.startsWith("pre_"));

  test.each([...PRE, "query_start" as const])("%s: the first cancel wins and the later ones are not called", async (type) => {
    const registry = open();
    const later = vi.fn();
    registry.registerHook(type, () => ({ status: "cancel", reason: "not today" }));
    registry.registerHook(type, later);
    expect(await registry.executeHooks(type)).toMatchObject({ status: "cancel", reason: "not today" });
    expect(later).not.toHaveBeenCalled();
  });

  test.each([
    ["pre_tool_sample", { tool: { name: "Bash" }, input: { command: "b" } }],
    ["pre_bash_sample", { tool: { name: "Bash" }, input: { command: "b", description: "d" }, context: { cwd: "/b" } }],
    ["pre_compact_sample", { keep: [1] }],
    ["query_start", { prompt: "better" }],
    ["session_start", { ready: true }],
  ] as const)("%s: a modification is the whole context, for the next hook and for the caller", async (type, data) => {
    const registry = open();
    const seen: unknown[] = [];
    registry.registerHook(type, (context) => void seen.push(context), { priority: -1 });
    registry.registerHook(type, () => ({ status: "modify", data }));
    registry.registerHook(type, (context) => ({ status: "modify", data: { ...context, prompt: "early", early: 1 } }), { priority: 9 });
    const context: GivenContext = { tool: { name: "Bash" }, input: { command: "a" }, prompt: "first", context: { cwd: "/a" } };
    const result = await registry.executeHooks(type, context);
    expect(result).toEqual({ status: "continue", data });
    expect(seen[0]).toBe(data);
    expect(context).toEqual({ tool: { name: "Bash" }, input: { command: "a" }, prompt: "first", context: { cwd: "/a" } });
    expect(codes()).toEqual([]);
  });

  test("continue may carry data, which goes no further", async () => {
    const registry = open();
    registry.registerHook("query_end", () => ({ status: "continue", data: 1 }));
    const context = { mine: 1 };
    expect((await registry.executeHooks("query_end", context)) satisfies object).toEqual({ status: "continue", data: context });
  });

  test("the caller's event reaches the handlers, with what it leaves out filled in", async () => {
    const registry = open();
    const handler = vi.fn((_context: HookContext, _event: HookEvent) => undefined);
    registry.registerHook("pre_bash_sample", handler);
    const event = { type: "pre_bash_sample", timestamp: 5, sessionId: "theirs", toolUseId: "t9" } as const;
    await registry.executeHooks("pre_bash_sample", { ...WHOLE }, event);
    await registry.executeHooks("pre_bash_sample", { ...WHOLE }, { sessionId: "only" });
    expect(handler.mock.calls.map(([, given]) => given)).toEqual([
      event,
      { type: "pre_bash_sample", timestamp: expect.any(Number), sessionId: "only", toolUseId: undefined },
    ]);
    await expect(registry.executeHooks("pre_bash_sample", {}, "now" as never)).rejects.toThrow('was given "now" for an event');
  });

  test.each<[HookAnswer, object]>([
    [
      { status: "cancel", reason: "later" },
      { status: "cancel", reason: "later" },
    ],
    [
      { status: "modify", data: { input: { a: 1 } } },
      { status: "continue", data: { input: { a: 1 } } },
    ],
    [go, { status: "continue", data: { input: {} } }],
  ])("defer promises an answer: %j", async (answer, expected) => {
    const registry = open();
    const promise = new Promise<HookAnswer>((resolve) => setTimeout(resolve, 5, answer));
    registry.registerHook("pre_tool_sample", () => ({ status: "defer", promise: Promise.resolve({ status: "defer", promise }) }));
    const result = await registry.executeHooks("pre_tool_sample", { input: {} });
    expect(result).toEqual(expected);
    expect(result.verdict.decision).not.toBe("defer");
  });

  const endless: { status: "defer"; promise: Promise<HookAnswer> } = { status: "defer", promise: Promise.resolve(go) };
  endless.promise = Promise.resolve(endless);
  const UNREADABLE: readonly (readonly [answer: unknown, why: string])[] = [
    ["cancel", 'it returned "cancel", which is no answer. Write { status:'],
    [false, "it returned false, which is no answer"],
    [7, "it returned 7, which is no answer"],
    [[], "it returned a list, which is no answer"],
    [{ action: "cancel", reason: "no" }, 'it returned { action: "cancel" }, and the field is called "status"'],
    [{ reason: "no" }, 'it returned an object without "status"'],
    [{ status: "cansel" }, 'it returned { status: "cansel" }, which is no status (Did you mean "cancel"?)'],
    [{ status: true }, "it returned { status: true }, which is no status"],
    [{ status: "modify" }, 'it returned { status: "modify" } without data'],
    [{ status: "modify", data: "ls" }, 'its "modify" has "ls" for data. It replaces the whole context'],
    [{ status: "modify", data: { command: "ls" } }, 'the data of its "modify" has no "input"'],
    [{ status: "modify", data: { input: "ls" } }, 'the data of its "modify" has "ls" for "input"'],
    [{ status: "defer" }, 'it returned { status: "defer" } without a promise'],
    [{ status: "defer", promise: { action: "cancel" } }, 'it returned { status: "defer" } without a promise'],
    [endless, "its answer was deferred more than 16 times"],
    [
      {
        get status() {
          throw new Error("no");
        },
      },
      "it returned an object whose fields cannot be read",
    ],
  ];

  describe.each(UNREADABLE.map(([answer, why]) => [why, () => answer] as const))("what cannot be read: %s", (why, answer) => {
    test.each(["pre_tool_sample", "pre_bash_sample"] as const)(
      "%s counts as a cancel that says so; the tool does not run",
      async (type) => {
        const registry = open();
        const execute = vi.fn();
        registry.registerHook(type, () => answer() as never, { name: "copied" });
        const result = await registry.executeToolWithHooks({ name: "Bash", execute }, { command: "ls" });
        expect([result.is_error, result.content]).toEqual([
          true,
          expect.stringContaining(`The hook "copied" (${type}) counts as a cancel: ${why}`),
        ]);
        expect(execute).not.toHaveBeenCalled();
      },
    );

    // After the tool, any data can be its result.
    test.skipIf(why.includes('its "modify" has'))("of a post hook it is said, and the result stays", async () => {
      const registry = open();
      registry.registerHook("post_tool_sample", () => answer() as never, { name: "copied" });
      const result = await registry.executeToolWithHooks(echo("Bash"), { command: "ls" });
      expect(diagnostics.map(({ code, text }) => [code, text])).toEqual([
        ["HL_EXECUTE_THREW", expect.stringContaining(`"copied": ${why}`)],
      ]);
      expect(result).toEqual({ type: "tool_result", content: { got: { command: "ls" } }, is_error: false });
    });
  });

  test("a deferred answer that is rejected has thrown: it is reported, and the others decide", async () => {
    const registry = open();
    registry.registerHook("pre_tool_sample", () => ({ status: "defer", promise: Promise.reject(new Error("lost")) }));
    expect((await registry.executeHooks("pre_tool_sample", { ...WHOLE })).status).toBe("continue");
    expect(codes()).toEqual(["HL_EXECUTE_THREW"]);
  });

  test.each([...PRE, "query_start" as const])("%s: a hook that never answers is a no when its time is over", async (type) => {
    const registry = open();
    const later = vi.fn();
    registry.registerHook(type, () => new Promise<undefined>(() => {}), { timeoutMs: 10, name: "slow" });
    registry.registerHook(type, later);
    const result = await registry.executeHooks(type, { ...WHOLE });
    expect(result).toEqual({ status: "cancel", reason: "The hook slow did not answer (timeout 10 ms)." });
    expect([later.mock.calls, codes()]).toEqual([[], ["HL_EXECUTE_TIMEOUT"]]);
  });

  test("a frozen context is a no, and a handler that freezes it does not get the next one past", async () => {
    const registry = open();
    const execute = vi.fn();
    registry.registerHook("pre_tool_sample", (context) => void Object.freeze(context), { name: "first" });
    const guard = vi.fn(() => ({ status: "cancel", reason: "guarded" }) as const);
    registry.registerHook("pre_tool_sample", guard, { name: "second" });
    const texts = [
      await registry.executeToolWithHooks({ name: "Bash", execute }, {}, Object.freeze({})),
      await registry.executeToolWithHooks({ name: "Bash", execute }, {}),
    ].map(({ content }) => content);
    expect(texts).toEqual([
      expect.stringContaining("Cancelled by hook: the context cannot be written"),
      expect.stringContaining(
        'The hook "second" (pre_tool_sample) counts as a cancel: it was not asked, because the context cannot be written',
      ),
    ]);
    const frozen = await registry.executeHooks("pre_tool_sample", Object.freeze({ ...WHOLE }));
    expect(frozen).toMatchObject({ status: "cancel", reason: expect.stringContaining("cannot be written") });
    expect(execute).not.toHaveBeenCalled();
  });

  test("a cancel where nothing can be cancelled is said, and the others run", async () => {
    const registry = open();
    const later = vi.fn();
    registry.registerHook("session_start", () => ({ status: "cancel", reason: "no" }));
    registry.registerHook("session_start", later);
    expect((await registry.executeSessionStartHooks()).status).toBe("continue");
    expect(later).toHaveBeenCalled();
    expect(codes()).toEqual(["HL_OUTPUT_NOT_HONOURED"]);
  });

  test("a guard that throws cancels", async () => {
    const registry = open();
    registry.registerHook(
      "pre_tool_sample",
      () => {
        throw new Error("broken");
      },
      { guard: true },
    );
    expect(await registry.executeToolWithHooks(echo(), {})).toMatchObject({ is_error: true, run: { status: "denied" } });
  });

  test("a result of the SDK is the engine's: a question needs an answer", async () => {
    for (const answer of [true, false]) {
      const registry = open({ ask: () => answer });
      registry.registerHook("pre_bash_sample", ({ input }) => (String(input?.["command"]).startsWith("sudo") ? ask("really?") : undefined));
      expect((await registry.executeToolWithHooks(echo(), { command: "sudo ls" })).is_error).toBe(!answer);
    }
  });

  test("permission rules are asked after the hooks", async () => {
    const registry = open({ permission: ({ tool_name }) => (tool_name === "Bash" ? "deny" : "allow") });
    expect([
      (await registry.executeToolWithHooks(echo("Bash"), {})).is_error,
      (await registry.executeToolWithHooks(echo("Read"), {})).is_error,
    ]).toEqual([true, false]);
  });
});

describe("executeToolWithHooks", () => {
  test("one context for pre hooks, the tool and post hooks", async () => {
    const registry = open();
    const context: GivenContext = {};
    const seen: HookContext[] = [];
    registry.registerHook("pre_edit_sample", (given) => {
      given["original"] = "before";
      seen.push(given);
    });
    registry.registerHook("post_edit_sample", (given) => void seen.push(given));
    const tool: SamplingTool = { name: "Write", execute: (_input, given) => void seen.push(given) };
    await registry.executeToolWithHooks(tool, { file_path: "/a" }, context);
    expect(seen.every((one) => one === context)).toBe(true);
    expect(seen).toHaveLength(3);
    expect(context).toMatchObject({
      tool: { name: "Write" },
      original: "before",
      input: { file_path: "/a" },
      duration: expect.any(Number),
    });
    expect(context["context"]).toBe(context);
    expect(() => JSON.stringify(context)).not.toThrow();
  });

  test("a modification reaches the next hook and the tool, not the caller's input", async () => {
    const registry = open();
    const input = { command: "ls", keep: true };
    registry.registerHook("pre_tool_sample", (context) => ({
      status: "modify",
      data: { tool: context.tool, input: { ...context.input, command: "ls -l" }, context: context["context"] },
    }));
    registry.registerHook("pre_bash_sample", (context) => ({
      status: "modify",
      data: { ...context, input: { ...context.input, command: `${context.input?.["command"]} -a` } },
    }));
    const result = await registry.executeToolWithHooks(echo(), input);
    expect(result.content).toEqual({ got: { command: "ls -l -a", keep: true } });
    expect(input).toEqual({ command: "ls", keep: true });
    expect(codes()).toEqual([]);
  });

  test("so does a change made in the context itself", async () => {
    const registry = open();
    registry.registerHook("pre_tool_sample", (context) => {
      context.input = { ...context.input, command: "pwd" };
    });
    const mutated = vi.fn();
    registry.registerHook("pre_tool_sample", (context) => {
      mutated(structuredClone(context.input));
      (context.input as Record<string, unknown>)["timeout"] = 5;
    });
    expect((await registry.executeToolWithHooks(echo(), { command: "ls" })).content).toEqual({ got: { command: "pwd", timeout: 5 } });
    expect(mutated).toHaveBeenCalledWith({ command: "pwd" });
  });

  test("a cancel becomes an error result; the tool and the post hooks do not run", async () => {
    const registry = open();
    const execute = vi.fn();
    const post = vi.fn();
    registry.registerHook("pre_bash_sample", () => ({ status: "cancel", reason: "root deletion" }));
    registry.registerHook("post_tool_sample", post);
    const result = await registry.executeToolWithHooks({ name: "Bash", execute }, { command: "rm -rf /" });
    expect(result).toEqual({ type: "tool_result", content: "root deletion", is_error: true });
    expect(result.run).toMatchObject({ status: "denied", context: { duration: undefined } });
    expect([execute.mock.calls, post.mock.calls]).toEqual([[], []]);
  });

  test("a tool that fails is an error result, and the post hooks run with what it threw", async () => {
    const registry = open();
    const seen: unknown[] = [];
    registry.registerHook(
      "post_tool_sample",
      ({ error, duration, result }) => void seen.push((error as Error).message, typeof duration, result),
    );
    expect(await registry.executeToolWithHooks(failing, {})).toEqual({ type: "tool_result", is_error: true, content: "disk full" });
    expect(seen).toEqual(["disk full", "number", undefined]);
  });

  test.each([
    ["a result", echo(), false],
    ["an error, which stays one", failing, true],
  ])("a post hook replaces %s", async (_what, tool, is_error) => {
    const registry = open();
    registry.registerHook("pre_tool_sample", (context) => ({ status: "modify", data: { ...context, input: { changed: 1 } } }));
    registry.registerHook("post_tool_sample", (context) => ({ status: "modify", data: { ...context, result: { summary: "short" } } }));
    const result = await registry.executeToolWithHooks(tool, {});
    expect(result).toMatchObject({ is_error, content: { summary: "short" } });
    expect(result.run.context.result).toEqual({ summary: "short" });
  });

  test.each([
    ["ran", echo(), "PostToolUse:Bash hook blocking error: tests fail now"],
    ["failed", failing, "PostToolUseFailure:Bash hook blocking error: tests fail now"],
  ])("a post hook that cancels cannot undo what %s; its reason stands beside the result", async (status, tool, text) => {
    const registry = open();
    registry.registerHook("post_tool_sample", () => ({ status: "cancel", reason: "tests fail now" }));
    expect(await registry.executeToolWithHooks(tool, {})).toMatchObject({ run: { status, texts: [text] } });
    expect(codes()).toEqual([]);
  });

  test("two post hooks that replace a result: the last registered counts, and that is reported", async () => {
    const registry = open();
    registry.registerHook(
      "post_tool_sample",
      () => new Promise((resolve) => setTimeout(resolve, 5, { status: "modify", data: "first" } as const)),
    );
    registry.registerHook("post_tool_sample", () => ({ status: "modify", data: "second" }));
    expect((await registry.executeToolWithHooks(echo(), {})).content).toBe("second");
    expect(codes()).toEqual(["HL_MERGE_REWRITE_CONFLICT"]);
  });

  test.each([
    ["Read", {}, ["tool"]],
    ["mcp__git__commit", { command: "git" }, ["tool"]],
    ["Edit", {}, ["tool", "edit"]],
    ["Write", {}, ["tool", "edit"]],
    ["MultiEdit", {}, ["tool", "edit"]],
    ["NotebookEdit", {}, ["tool", "edit"]],
    ["Agent", {}, ["tool", "agent"]],
    ["Task", {}, ["tool", "agent"]],
    ["Bash", { command: "ls" }, ["tool", "bash"]],
    ["Bash", { command: "echo git status" }, ["tool", "bash"]],
    ["Bash", { command: "cat .git/config" }, ["tool", "bash"]],
    ["Bash", { command: "git status" }, ["tool", "bash", "git"]],
    ["Bash", { command: "cd /x && sudo /usr/bin/git push" }, ["tool", "bash", "git"]],
    ["Bash", { command: "bash -c 'git commit -m x'" }, ["tool", "bash", "git"]],
    ["Bash", { command: "echo $(git rev-parse HEAD)" }, ["tool", "bash", "git"]],
    ["Bash", { command: "$program push" }, ["tool", "bash", "git"]],
  ])("%s %j is %j, before and after", async (name, input, subjects) => {
    const registry = open();
    const ran: string[] = [];
    for (const type of TYPES) registry.registerHook(type, () => void ran.push(type));
    await registry.executeToolWithHooks(echo(name), input);
    expect(ran.filter((type) => type.startsWith("pre"))).toEqual(subjects.map((subject) => `pre_${subject}_sample`));
    expect(ran.filter((type) => !type.startsWith("pre"))).toEqual(subjects.map((subject) => `post_${subject}_sample`));
  });

  test("whether it runs git is asked of the command as it is by then", async () => {
    const registry = open();
    const git = vi.fn();
    registry.registerHook("pre_bash_sample", (context) => ({ status: "modify", data: { ...context, input: { command: "git push" } } }), {
      priority: 1,
    });
    registry.registerHook("pre_git_sample", git);
    await registry.executeToolWithHooks(echo(), { command: "ls" });
    expect(git).toHaveBeenCalledTimes(1);
  });

  test("a context that is still in use is not shared with a second operation", async () => {
    const registry = open();
    const context: GivenContext = { shared: 1 };
    const seen: unknown[] = [];
    registry.registerHook("pre_tool_sample", async (given) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push([given.input?.["command"], given["shared"]]);
    });
    await Promise.all(["a", "b"].map((command) => registry.executeToolWithHooks(echo(), { command }, context)));
    expect(seen).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  test("a context can be used again; nothing of the last operation's outcome is left", async () => {
    const registry = open();
    const context: GivenContext = {};
    await registry.executeToolWithHooks(failing, {}, context);
    await registry.executeToolWithHooks(echo(), { a: 1 }, context);
    expect([context.error, context.result]).toEqual([undefined, { got: { a: 1 } }]);
  });

  test("the signal reaches the hooks' run", async () => {
    const registry = open();
    const controller = new AbortController();
    registry.registerHook("pre_tool_sample", () => {
      setTimeout(() => controller.abort(), 5);
      return new Promise<undefined>(() => {});
    });
    await registry.executeToolWithHooks(echo(), {}, {}, { signal: controller.signal });
    expect(codes()).toEqual(["HL_EXECUTE_ABORTED"]);
  });
});

describe("withCleanup", () => {
  test("registers the cleanup, runs the setup, and gives at once what unregisters and cleans up", async () => {
    const registry = open();
    const ran: unknown[] = [];
    const cleanUp = registry.withCleanup(
      () => {
        ran.push(
          "setup",
          registry.listHooks().map(({ type }) => type),
        );
        return "server";
      },
      (resource) => void ran.push(`cleanup ${resource}`),
    );
    cleanUp();
    cleanUp();
    expect(ran).toEqual(["setup", ["session_end"], "cleanup server"]);
    await registry.executeSessionEndHooks();
    expect(ran).toHaveLength(3);
    expect(registry.listHooks()).toEqual([]);
  });

  test("at the end of the session what is left is cleaned up, last set up first", async () => {
    const registry = open();
    const ran: string[] = [];
    for (const name of ["a", "b"])
      registry.withCleanup(
        () => name,
        (resource) => void ran.push(String(resource)),
      );
    await registry.executeSessionEndHooks();
    await registry.executeSessionEndHooks();
    expect(ran).toEqual(["b", "a"]);
  });

  test("a setup that throws is thrown, and cleaned up at the end of the session", async () => {
    const registry = open();
    const cleanup = vi.fn();
    const setup = (): never => {
      throw new Error("port in use");
    };
    expect(() => registry.withCleanup(setup, cleanup)).toThrow("port in use");
    await registry.executeSessionEndHooks();
    expect(cleanup).toHaveBeenCalledTimes(1);
  });

  test("the cleanup waits for an asynchronous setup; one that fails is reported, and cleaned up all the same", async () => {
    const registry = open();
    const cleanup = vi.fn();
    await registry.withCleanup(async () => "server", cleanup)();
    await registry.withCleanup(() => Promise.reject(new Error("port in use")), cleanup)();
    expect(cleanup.mock.calls).toEqual([["server"], [undefined]]);
    expect(diagnostics.map(({ code, text }) => [code, text.includes("port in use")])).toEqual([["HL_EXECUTE_THREW", true]]);
  });

  test("a cleanup that throws is thrown where it was called, and counts as done; at the end of the session it is reported", async () => {
    const registry = open();
    const broken = vi.fn(() => {
      throw new Error("stuck");
    });
    const cleanUp = registry.withCleanup(() => {}, broken);
    expect(cleanUp).toThrow("stuck");
    expect(cleanUp()).toBeUndefined();
    registry.withCleanup(() => {}, broken);
    const last = vi.fn();
    registry.withCleanup(() => {}, last);
    await registry.executeSessionEndHooks();
    expect([broken.mock.calls.length, last.mock.calls.length, codes()]).toEqual([2, 1, ["HL_EXECUTE_THREW"]]);
  });
});

describe("registering", () => {
  test("a handler that is registered twice runs twice; each registration is taken away by its own function, once", async () => {
    const registry = open();
    const handler = vi.fn();
    const [first] = [registry.registerHook("pre_tool_sample", handler), registry.registerHook("pre_tool_sample", handler)];
    await registry.executeHooks("pre_tool_sample", {});
    first();
    first();
    await registry.executeHooks("pre_tool_sample", {});
    expect(handler).toHaveBeenCalledTimes(3);
    expect(registry.listHooks()).toHaveLength(1);
    registry.resetHooks();
    expect(registry.listHooks()).toEqual([]);
  });

  test("hung on an engine, its hooks are there, also later ones, until they are taken from it", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const registry = open();
    const ran: string[] = [];
    registry.registerHook("pre_bash_sample", ({ tool }) => void ran.push(`first ${tool?.name}`));
    const detach = registry.attach(hooks);
    registry.attach(hooks);
    const unregister = registry.registerHook("pre_bash_sample", () => void ran.push("later"));
    const run = () =>
      hooks.runTool({ tool_name: "Bash", tool_input: { command: "ls", description: "d" }, tool_use_id: "t1" }, () => "files");
    await run();
    unregister();
    await run();
    detach();
    await run();
    expect(ran).toEqual(["first Bash", "later", "first Bash"]);
  });

  test("the free functions share one registry of the program", async () => {
    const ran: string[] = [];
    front.resetHooks();
    const unregister = front.registerHook("pre_bash_sample", ({ input }) =>
      input?.["command"].includes("rm -rf") ? { status: "cancel", reason: "root deletion" } : { status: "continue" },
    );
    front.registerHook("session_start", () => void ran.push("start"));
    front.registerHook("session_end", () => void ran.push("end"));
    const cleanUp = front.withCleanup(
      () => ran.push("setup"),
      () => ran.push("cleanup"),
    );
    await front.executeSessionStartHooks();
    await front.executeSessionEndHooks();
    cleanUp();
    expect(ran).toEqual(["setup", "start", "cleanup", "end"]);
    expect(front.listHooks().map(({ type }) => type)).toEqual(["pre_bash_sample", "session_start", "session_end"]);
    const tool = { name: "Bash", execute: () => "ran" };
    expect(await front.executeToolWithHooks(tool, { command: "rm -rf /" }, {})).toEqual({
      type: "tool_result",
      content: "root deletion",
      is_error: true,
    });
    unregister();
    expect(await front.executeHooks("pre_bash_sample", { ...WHOLE })).toMatchObject({ status: "continue" });
    front.resetHooks();
    expect(front.defaultRegistry.listHooks()).toEqual([]);
  });
});

describe("debugging", () => {
  test.each(["CLAUDE_CODE_DISABLE_HOOKS", "HOOKLOOP_DISABLE"])(
    "%s=git_tracking,safety_checks switches them off by name, loudly",
    async (variable) => {
      const registry = open({ ports: { env: { [variable]: "git_tracking,safety_checks" } } });
      const ran: string[] = [];
      for (const name of ["git_tracking", "safety_checks", "metrics"])
        registry.registerHook("pre_tool_sample", () => void ran.push(name), { name });
      await registry.executeToolWithHooks(echo(), {});
      expect(ran).toEqual(["metrics"]);
      expect(codes()).toEqual(["HL_ADMIT_DISABLED", "HL_ADMIT_DISABLED"]);
      expect(registry.listHooks()).toEqual([
        { name: "git_tracking", type: "pre_tool_sample", priority: 0, switchedOff: expect.stringContaining(variable) },
        { name: "safety_checks", type: "pre_tool_sample", priority: 0, switchedOff: expect.stringContaining(variable) },
        { name: "metrics", type: "pre_tool_sample", priority: 0 },
      ]);
    },
  );

  test("DEBUG=hooks logs every execution by name", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const registry = open({ ports: { env: { DEBUG: "hooks" } } });
      registry.registerHook("pre_bash_sample", () => ({ status: "cancel", reason: "no" }), { name: "safety_checks" });
      registry.registerHook("pre_edit_sample", () => go, { name: "git_tracking" });
      await registry.executeToolWithHooks(echo(), {});
      const log = write.mock.calls.map(([line]) => String(line)).join("");
      expect(log).toContain("hooks     safety_checks denied: no (");
      expect(log).not.toMatch(/git_tracking (?:denied|had no answer)/);
    } finally {
      write.mockRestore();
    }
  });

  test("the trace holds the payload, and nothing of the context", async () => {
    const records: TraceRecord[] = [];
    const registry = open({ ports: { env: {}, trace: { write: (record) => records.push(record) } } });
    registry.registerHook("pre_tool_sample", () => undefined);
    await registry.executeToolWithHooks(echo(), { command: "ls" }, { secretOfTheContext: "x" });
    expect(records[0]).toMatchObject({ type: "fired", input: { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s1" } });
    expect(JSON.stringify(records)).not.toContain("secretOfTheContext");
  });
});

describe("on the engine", () => {
  test.each(["pre_tool", "pre_tools", "pre_tools_sample"])("the unknown type %s is refused with the nearest one", (type) => {
    expect(() => open().registerHook(type as never, () => go)).toThrow('Did you mean "pre_tool_sample"?');
  });

  test("an unknown type is refused where it is registered and where it is executed", async () => {
    const registry = open();
    expect(() => registry.registerHook("pre_tools" as "pre_tool_sample", () => go)).toThrow('Did you mean "pre_tool_sample"?');
    await expect(registry.executeHooks("pre_read" as "pre_tool_sample")).rejects.toThrow("is not a hook type");
  });

  test("hung on an engine, its other hooks count", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    hooks.on("PreToolUse", { tool: "Bash" }, () => deny("not here"));
    const registry = open({ hooks });
    expect(await registry.executeToolWithHooks(echo(), {})).toMatchObject({ is_error: true, content: expect.stringContaining("not here") });
    expect(await registry.executeHooks("pre_tool_sample", { tool: { name: "Bash" } })).toMatchObject({
      status: "cancel",
      reason: "not here",
    });
  });

  test("a tool by its former name keeps it for the engine's other hooks", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const names: string[] = [];
    hooks.on("PreToolUse", {}, ({ tool_name }) => void names.push(tool_name));
    const registry = open({ hooks });
    registry.registerHook("pre_agent_sample", () => go);
    await registry.executeHooks("pre_agent_sample", { tool: { name: "Task" } });
    await registry.executeHooks("pre_agent_sample", { tool: { name: "Own" } });
    expect(names).toEqual(["Task", ""]);
  });

  test("a program that runs tools on the engine itself gets the hooks too, with one context per call", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const registry = open({ hooks });
    registry.registerHook("pre_bash_sample", (context) => {
      context["before"] = context.input?.["command"];
    });
    const after = vi.fn();
    registry.registerHook("post_bash_sample", ({ before, result, toolUseId }) => after(before, result, toolUseId));
    await hooks.runTool({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" }, () => "files");
    expect(after).toHaveBeenCalledWith("ls", "files", "t1");
  });
});

test("what can be imported is a deliberate list", () => {
  expect(Object.keys(front).sort()).toEqual([
    "createSamplingRegistry",
    "defaultRegistry",
    "executeHooks",
    "executeSessionEndHooks",
    "executeSessionStartHooks",
    "executeToolWithHooks",
    "listHooks",
    "registerAutoCompactHooks",
    "registerFileHistoryHooks",
    "registerGitTrackingHooks",
    "registerHook",
    "registerPermissionHooks",
    "registerSafetyHooks",
    "registerTelemetryHooks",
    "resetHooks",
    "withCleanup",
  ]);
});

describe("a misspelt option is refused, with what was probably meant", () => {
  test.each([
    [{ permision: () => "deny" }, 'createSamplingRegistry() has no option "permision". Did you mean "permission"?'],
    [{ permission: "deny" }, 'permission of createSamplingRegistry() is "deny". Write a function'],
    [{ stopCap: 1 }, 'createSamplingRegistry() has no option "stopCap". There are:'],
    [{ ports: { askuser: () => {} } }, 'Did you mean "askUser"?'],
  ])("createSamplingRegistry(%j)", (options, text) => {
    expect(() => createSamplingRegistry(options as never)).toThrow(TypeError);
    expect(() => createSamplingRegistry(options as never)).toThrow(text);
  });

  test.each([
    [{ gaurd: true }, 'registerHook() has no option "gaurd". Did you mean "guard"?'],
    [{ priorty: 5 }, 'Did you mean "priority"?'],
    [{ priority: "high" }, 'priority of registerHook() is "high". Write a number'],
    [{ tool: "Bash" }, 'registerHook() has no option "tool". There are: priority, name, guard, timeoutMs'],
  ])("registerHook(…, %j) registers nothing", (registration, text) => {
    const registry = open();
    expect(() => registry.registerHook("pre_tool_sample", () => go, registration as never)).toThrow(text);
    expect(registry.listHooks()).toEqual([]);
  });

  test("executeToolWithHooks does not run the tool", async () => {
    const { is_error, content } = await open().executeToolWithHooks(echo(), {}, {}, { singal: new AbortController().signal } as never);
    expect([is_error, content]).toEqual([true, expect.stringContaining('Did you mean "signal"?')]);
    expect(codes()).toEqual(["HL_CONFIG_OPTION_INVALID"]);
  });
});
