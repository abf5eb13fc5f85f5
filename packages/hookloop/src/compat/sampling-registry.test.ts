import { ask, deny } from "@hookloop/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/step.ts";
import { createHooks } from "../open.ts";
import type { HookContext, HookDecision, HookMoment, HookType, SamplingTool } from "./sampling-operation.ts";
import * as front from "./sampling-registry.ts";
import { createSamplingRegistry, type SamplingRegistry, type SamplingRegistryOptions } from "./sampling-registry.ts";

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
const go: HookDecision = { action: "continue" };
/** What an operation of any type has. */
/** Has what every tool of these types must be given. */
const WHOLE = { tool: "Read", input: { file_path: "/a", command: "ls", description: "d", prompt: "p" }, prompt: "p" };
const TYPES: readonly HookType[] = [
  ...(["pre", "post"] as const).flatMap((when) =>
    (["tool", "edit", "bash", "git", "agent", "compact"] as const).map((subject) => `${when}_${subject}` as const),
  ),
  "session_start",
  "session_end",
  "query_start",
  "query_end",
];

describe.each(TYPES)("every type: %s", (type) => {
  test("a handler gets the context itself and what is happening", async () => {
    const registry = open();
    const handler = vi.fn((_context: HookContext, _event: HookMoment) => go);
    registry.registerHook(type, handler);
    const context: HookContext = { toolUseId: "toolu_1", mine: 1 };
    const before = Date.now();
    expect(await registry.executeHooks(type, context)).toMatchObject({ action: "continue", data: [] });
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
    expect((await registry.executeHooks(type, { ...WHOLE })).action).toBe("continue");
    expect(ran.toSorted()).toEqual(["first", "last"]);
    expect(diagnostics.map(({ code, text }) => [code, text.includes('"bad": it threw: broken')])).toEqual([["HL_EXECUTE_THREW", true]]);
  });

  test("a tool of the program's own may be the operation", async () => {
    const registry = open();
    const handler = vi.fn();
    registry.registerHook(type, handler);
    await registry.executeHooks(type, { tool: "OwnTool", input: { command: "ls" } });
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
    ["pre_bash", { command: "rm" }, 'without "tool_input"'],
    ["pre_bash", { args: { command: "rm" } }, 'without "tool_input"'],
    ["pre_bash", { input: '{"command":"rm"}' }, 'with a "tool_input" that is a text'],
    ["pre_bash", { input: { cmd: "rm" } }, 'tool_input of Bash has no text "command"'],
    ["pre_tool", { input: { command: "rm" } }, 'without "tool_name"'],
    ["query_start", { query: "p" }, 'without "prompt"'],
  ] as const)("%s %j blocks where a guard judges it, and is said", async (type, context, text) => {
    expect((await guarded().executeHooks(type, context as never)).action).toBe("cancel");
    expect(diagnostics.map((one) => one.text).join("\n")).toContain(text);
  });

  test("a guard for git is not passed by an input without a command", async () => {
    const registry = open();
    const handler = vi.fn(() => ({ action: "cancel", reason: "no" }) as const);
    registry.registerHook("pre_git", handler);
    expect((await registry.executeToolWithHooks(echo(), { cmd: "git push" })).status).toBe("denied");
    registry.registerHook("pre_git", nothing, { guard: true });
    expect((await registry.executeToolWithHooks(echo(), { cmd: "git push" })).status).toBe("denied");
  });

  test.each([[{ action: "cancel", message: "why" }], [{ action: "cancel", reason: { text: "why" } }]])(
    "%j cancels, and it is said that its reason is lost",
    async (decision) => {
      const registry = open();
      registry.registerHook("pre_tool", () => decision as never);
      const { action, reason } = (await registry.executeHooks("pre_tool", { tool: "Read", input: {} })) as {
        action: string;
        reason?: string;
      };
      expect([action, reason]).toEqual(["cancel", expect.not.stringContaining("[object")]);
      expect(diagnostics.map(({ code, text }) => [code, text])).toEqual([["HL_OUTPUT_WRONG_TYPE", expect.stringContaining("is lost")]]);
    },
  );

  test("what a handler returned and is no decision was not thrown", async () => {
    const registry = open();
    registry.registerHook("pre_tool", () => ({ action: "stop" }) as never, { name: "odd" });
    await registry.executeHooks("pre_tool", { tool: "Read", input: {} });
    expect(diagnostics[0]?.text).toContain('"odd": it returned no decision');
  });

  test("what is no function, no options or no context is refused with a code", async () => {
    const registry = open();
    expect(() => registry.registerHook("pre_bash", undefined as never)).toThrow("HL_CONFIG_OPTION_INVALID: registerHook");
    expect(() => registry.registerHook("pre_bash", nothing, null as never)).toThrow("HL_CONFIG_OPTION_INVALID: registerHook");
    await expect(registry.executeHooks("pre_bash", "rm" as never)).rejects.toThrow("HL_CONFIG_OPTION_INVALID: executeHooks");
    expect(() => createSamplingRegistry({ hooks: {} } as never)).toThrow("hooks of createSamplingRegistry() is no engine");
  });

  test("a tool that other agents call so is named without a matcher that was not written", async () => {
    const registry = open();
    registry.registerHook("pre_bash", nothing, { guard: true, name: "g" });
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
    registry.registerHook("pre_tool", async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      ran.push("slow first");
    });
    registry.registerHook("pre_tool", () => void ran.push("fast second"));
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
    registry.registerHook("post_tool", () => second.then(() => go));
    registry.registerHook("post_tool", () => release());
    expect((await registry.executeToolWithHooks(echo(), {})).status).toBe("ran");
  });
});

describe("decisions", () => {
  const PRE = TYPES.filter((type) => type.startsWith("pre_"));

  test.each([...PRE, "query_start" as const])("%s: the first cancel wins and the later ones are not called", async (type) => {
    const registry = open();
    const later = vi.fn();
    registry.registerHook(type, () => ({ action: "cancel", reason: "not today" }));
    registry.registerHook(type, later);
    expect(await registry.executeHooks(type)).toMatchObject({ action: "cancel", reason: "not today" });
    expect(later).not.toHaveBeenCalled();
  });

  test.each([
    ["pre_tool", "input", { command: "b" }],
    ["pre_compact", "data", ["keep"]],
    ["query_start", "prompt", "better"],
    ["session_start", "data", 7],
  ] as const)("%s: a modification is what the next hook sees, the last one counts", async (type, field, data) => {
    const registry = open();
    const seen: unknown[] = [];
    registry.registerHook(type, (context) => void seen.push(structuredClone(context[field])), { priority: -1 });
    registry.registerHook(type, () => ({ action: "modify", data }));
    const context: HookContext = { tool: "Bash", input: { command: "a" }, prompt: "first", data: "none" };
    expect(await registry.executeHooks(type, context)).toMatchObject({ action: "modify", data });
    expect(seen).toEqual([data]);
    registry.registerHook(type, () => ({ action: "modify", data: field === "prompt" ? "early" : { early: 1 } }), { priority: 9 });
    expect(await registry.executeHooks(type, context)).toMatchObject({ action: "modify", data });
    expect(codes()).toEqual([]);
  });

  test("continue may carry data", async () => {
    const registry = open();
    registry.registerHook("query_end", () => ({ action: "continue", data: 1 }));
    registry.registerHook("query_end", () => ({ action: "continue", data: 2 }));
    expect(await registry.executeHooks("query_end")).toMatchObject({ action: "continue", data: [1, 2] });
  });

  test.each<[HookDecision, unknown]>([
    [
      { action: "cancel", reason: "later" },
      { action: "cancel", reason: "later" },
    ],
    [
      { action: "modify", data: { a: 1 } },
      { action: "modify", data: { a: 1 } },
    ],
    [go, { action: "continue" }],
  ])("defer promises a decision: %j", async (decision, expected) => {
    const registry = open();
    const promise = new Promise<HookDecision>((resolve) => setTimeout(resolve, 5, decision));
    registry.registerHook("pre_tool", () => ({ action: "defer", promise: Promise.resolve({ action: "defer", promise }) }));
    const { verdict, ...decided } = await registry.executeHooks("pre_tool", { input: {} });
    expect(decided).toMatchObject(expected as object);
    expect(verdict.decision).not.toBe("defer");
  });

  test("a decision deferred for ever, a rejected one and none at all are reported, and the others decide", async () => {
    const registry = open();
    const endless: { action: "defer"; promise: Promise<HookDecision> } = { action: "defer", promise: Promise.resolve(go) };
    endless.promise = Promise.resolve(endless);
    registry.registerHook("pre_tool", () => endless);
    registry.registerHook("pre_tool", () => ({ action: "defer", promise: Promise.reject(new Error("lost")) }));
    registry.registerHook("pre_tool", () => ({ action: "stop" }) as never);
    registry.registerHook("pre_tool", () => ({ action: "modify" }) as never);
    registry.registerHook("pre_tool", () => true as never);
    registry.registerHook("pre_tool", () => ({ action: "defer" }) as never);
    registry.registerHook("pre_tool", () => ({ action: "defer", promise: { action: "cancel" } }) as never);
    expect((await registry.executeHooks("pre_tool", { ...WHOLE })).action).toBe("continue");
    expect(codes()).toEqual(Array(7).fill("HL_EXECUTE_THREW"));
  });

  test("a cancel where nothing can be cancelled is said, and the others run", async () => {
    const registry = open();
    const later = vi.fn();
    registry.registerHook("session_start", () => ({ action: "cancel", reason: "no" }));
    registry.registerHook("session_start", later);
    expect((await registry.executeSessionStartHooks()).action).toBe("continue");
    expect(later).toHaveBeenCalled();
    expect(codes()).toEqual(["HL_OUTPUT_NOT_HONOURED"]);
  });

  test("a guard that throws cancels", async () => {
    const registry = open();
    registry.registerHook(
      "pre_tool",
      () => {
        throw new Error("broken");
      },
      { guard: true },
    );
    expect(await registry.executeToolWithHooks(echo(), {})).toMatchObject({ status: "denied", isError: true });
  });

  test("a result of the SDK is the engine's: a question needs an answer", async () => {
    for (const answer of [true, false]) {
      const registry = open({ ask: () => answer });
      registry.registerHook("pre_bash", ({ input }) => (String(input?.["command"]).startsWith("sudo") ? ask("really?") : undefined));
      expect((await registry.executeToolWithHooks(echo(), { command: "sudo ls" })).isError).toBe(!answer);
    }
  });

  test("permission rules are asked after the hooks", async () => {
    const registry = open({ permission: ({ tool_name }) => (tool_name === "Bash" ? "deny" : "allow") });
    expect([
      (await registry.executeToolWithHooks(echo("Bash"), {})).isError,
      (await registry.executeToolWithHooks(echo("Read"), {})).isError,
    ]).toEqual([true, false]);
  });
});

describe("executeToolWithHooks", () => {
  test("one context for pre hooks, the tool and post hooks", async () => {
    const registry = open();
    const context: HookContext = {};
    const seen: HookContext[] = [];
    registry.registerHook("pre_edit", (given) => {
      given["original"] = "before";
      seen.push(given);
    });
    registry.registerHook("post_edit", (given) => void seen.push(given));
    const tool: SamplingTool = { name: "Write", execute: (_input, given) => void seen.push(given) };
    await registry.executeToolWithHooks(tool, { file_path: "/a" }, context);
    expect(seen.every((one) => one === context)).toBe(true);
    expect(seen).toHaveLength(3);
    expect(context).toMatchObject({ tool: "Write", original: "before", input: { file_path: "/a" }, durationMs: expect.any(Number) });
  });

  test("a modification reaches the next hook and the tool, not the caller's input", async () => {
    const registry = open();
    const input = { command: "ls", keep: true };
    registry.registerHook("pre_tool", ({ input: given }) => ({ action: "modify", data: { ...given, command: "ls -l" } }));
    registry.registerHook("pre_bash", ({ input: given }) => ({
      action: "modify",
      data: { ...given, command: `${given?.["command"]} -a` },
    }));
    const result = await registry.executeToolWithHooks(echo(), input);
    expect(result.content).toEqual({ got: { command: "ls -l -a", keep: true } });
    expect(input).toEqual({ command: "ls", keep: true });
    expect(codes()).toEqual([]);
  });

  test("so does a change made in the context itself", async () => {
    const registry = open();
    registry.registerHook("pre_tool", (context) => {
      context.input = { ...context.input, command: "pwd" };
    });
    const mutated = vi.fn();
    registry.registerHook("pre_tool", (context) => {
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
    registry.registerHook("pre_bash", () => ({ action: "cancel", reason: "root deletion" }));
    registry.registerHook("post_tool", post);
    const result = await registry.executeToolWithHooks({ name: "Bash", execute }, { command: "rm -rf /" });
    expect(result).toMatchObject({ isError: true, status: "denied", durationMs: undefined });
    expect(result.content).toBe("PreToolUse:Bash hook error: root deletion");
    expect([execute.mock.calls, post.mock.calls]).toEqual([[], []]);
  });

  test("a tool that fails is an error result, and the post hooks run with what it threw", async () => {
    const registry = open();
    const seen: unknown[] = [];
    registry.registerHook(
      "post_tool",
      ({ error, durationMs, result }) => void seen.push((error as Error).message, typeof durationMs, result),
    );
    expect(await registry.executeToolWithHooks(failing, {})).toMatchObject({ isError: true, status: "failed", content: "disk full" });
    expect(seen).toEqual(["disk full", "number", undefined]);
  });

  test.each([
    ["a result", echo(), false],
    ["an error, which stays one", failing, true],
  ])("a post hook replaces %s", async (_what, tool, isError) => {
    const registry = open();
    registry.registerHook("pre_tool", () => ({ action: "modify", data: { changed: 1 } }));
    registry.registerHook("post_tool", () => ({ action: "modify", data: { summary: "short" } }));
    const result = await registry.executeToolWithHooks(tool, {});
    expect(result).toMatchObject({ isError, content: { summary: "short" } });
    expect(result.context.result).toEqual({ summary: "short" });
  });

  test.each([
    ["ran", echo(), "PostToolUse:Bash hook blocking error: tests fail now"],
    ["failed", failing, "PostToolUseFailure:Bash hook blocking error: tests fail now"],
  ])("a post hook that cancels cannot undo what %s; its reason stands beside the result", async (status, tool, text) => {
    const registry = open();
    registry.registerHook("post_tool", () => ({ action: "cancel", reason: "tests fail now" }));
    expect(await registry.executeToolWithHooks(tool, {})).toMatchObject({ status, texts: [text] });
    expect(codes()).toEqual([]);
  });

  test("two post hooks that replace a result: the last registered counts, and that is reported", async () => {
    const registry = open();
    registry.registerHook(
      "post_tool",
      () => new Promise((resolve) => setTimeout(resolve, 5, { action: "modify", data: "first" } as const)),
    );
    registry.registerHook("post_tool", () => ({ action: "modify", data: "second" }));
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
    expect(ran.filter((type) => type.startsWith("pre"))).toEqual(subjects.map((subject) => `pre_${subject}`));
    expect(ran.filter((type) => !type.startsWith("pre"))).toEqual(subjects.map((subject) => `post_${subject}`));
  });

  test("whether it runs git is asked of the command as it is by then", async () => {
    const registry = open();
    const git = vi.fn();
    registry.registerHook("pre_bash", () => ({ action: "modify", data: { command: "git push" } }), { priority: 1 });
    registry.registerHook("pre_git", git);
    await registry.executeToolWithHooks(echo(), { command: "ls" });
    expect(git).toHaveBeenCalledTimes(1);
  });

  test("a context that is still in use is not shared with a second operation", async () => {
    const registry = open();
    const context: HookContext = { shared: 1 };
    const seen: unknown[] = [];
    registry.registerHook("pre_tool", async (given) => {
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
    const context: HookContext = {};
    await registry.executeToolWithHooks(failing, {}, context);
    await registry.executeToolWithHooks(echo(), { a: 1 }, context);
    expect([context.error, context.result]).toEqual([undefined, { got: { a: 1 } }]);
  });

  test("the signal reaches the hooks' run", async () => {
    const registry = open();
    const controller = new AbortController();
    registry.registerHook("pre_tool", () => {
      setTimeout(() => controller.abort(), 5);
      return new Promise<undefined>(() => {});
    });
    await registry.executeToolWithHooks(echo(), {}, {}, { signal: controller.signal });
    expect(codes()).toEqual(["HL_EXECUTE_ABORTED"]);
  });
});

describe("withCleanup", () => {
  test("registers the cleanup, runs the setup, gives what unregisters and cleans up", async () => {
    const registry = open();
    const ran: unknown[] = [];
    const cleanUp = await registry.withCleanup(
      () => {
        ran.push(
          "setup",
          registry.listHooks().map(({ type }) => type),
        );
        return "server";
      },
      (resource) => void ran.push(`cleanup ${resource}`),
    );
    await cleanUp();
    await cleanUp();
    await registry.executeSessionEndHooks();
    expect(ran).toEqual(["setup", ["session_end"], "cleanup server"]);
    expect(registry.listHooks()).toEqual([]);
  });

  test("at the end of the session what is left is cleaned up, last set up first", async () => {
    const registry = open();
    const ran: string[] = [];
    for (const name of ["a", "b"])
      await registry.withCleanup(
        () => name,
        (resource) => void ran.push(String(resource)),
      );
    await registry.executeSessionEndHooks();
    await registry.executeSessionEndHooks();
    expect(ran).toEqual(["b", "a"]);
  });

  test("a setup that fails is cleaned up at the end of the session", async () => {
    const registry = open();
    const cleanup = vi.fn();
    const setUp = registry.withCleanup(() => Promise.reject(new Error("port in use")), cleanup);
    await expect(setUp).rejects.toThrow("port in use");
    await registry.executeSessionEndHooks();
    expect(cleanup).toHaveBeenCalledTimes(1);
  });
});

describe("debugging", () => {
  test.each(["CLAUDE_CODE_DISABLE_HOOKS", "HOOKLOOP_DISABLE"])(
    "%s=git_tracking,safety_checks switches them off by name, loudly",
    async (variable) => {
      const registry = open({ ports: { env: { [variable]: "git_tracking,safety_checks" } } });
      const ran: string[] = [];
      for (const name of ["git_tracking", "safety_checks", "metrics"])
        registry.registerHook("pre_tool", () => void ran.push(name), { name });
      await registry.executeToolWithHooks(echo(), {});
      expect(ran).toEqual(["metrics"]);
      expect(codes()).toEqual(["HL_ADMIT_DISABLED", "HL_ADMIT_DISABLED"]);
      expect(registry.listHooks()).toEqual([
        { name: "git_tracking", type: "pre_tool", priority: 0, switchedOff: expect.stringContaining(variable) },
        { name: "safety_checks", type: "pre_tool", priority: 0, switchedOff: expect.stringContaining(variable) },
        { name: "metrics", type: "pre_tool", priority: 0 },
      ]);
    },
  );

  test("DEBUG=hooks logs every execution by name", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const registry = open({ ports: { env: { DEBUG: "hooks" } } });
      registry.registerHook("pre_bash", () => ({ action: "cancel", reason: "no" }), { name: "safety_checks" });
      registry.registerHook("pre_edit", () => go, { name: "git_tracking" });
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
    registry.registerHook("pre_tool", () => undefined);
    await registry.executeToolWithHooks(echo(), { command: "ls" }, { secretOfTheContext: "x" });
    expect(records[0]).toMatchObject({ type: "fired", input: { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s1" } });
    expect(JSON.stringify(records)).not.toContain("secretOfTheContext");
  });

  test("a handler that takes too long is given up on, and the others decide", async () => {
    const registry = open();
    registry.registerHook("pre_tool", () => new Promise<undefined>(() => {}), { timeoutMs: 20 });
    expect((await registry.executeToolWithHooks(echo(), {})).status).toBe("ran");
    expect(codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });
});

describe("on the engine", () => {
  test("an unknown type is refused where it is registered and where it is executed", async () => {
    const registry = open();
    expect(() => registry.registerHook("pre_tools" as "pre_tool", () => go)).toThrow('Did you mean "pre_tool"?');
    await expect(registry.executeHooks("pre_read" as "pre_tool")).rejects.toThrow("is not a hook type");
  });

  test("hung on an engine, its other hooks count", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    hooks.on("PreToolUse", { tool: "Bash" }, () => deny("not here"));
    const registry = open({ hooks });
    expect(await registry.executeToolWithHooks(echo(), {})).toMatchObject({ isError: true, content: expect.stringContaining("not here") });
    expect(await registry.executeHooks("pre_tool", { tool: "Bash" })).toMatchObject({ action: "cancel", reason: "not here" });
  });

  test("a tool by its former name keeps it for the engine's other hooks", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const names: string[] = [];
    hooks.on("PreToolUse", {}, ({ tool_name }) => void names.push(tool_name));
    const registry = open({ hooks });
    registry.registerHook("pre_agent", () => go);
    await registry.executeHooks("pre_agent", { tool: "Task" });
    await registry.executeHooks("pre_agent", { tool: "Own" });
    expect(names).toEqual(["Task", ""]);
  });

  test("a program that runs tools on the engine itself gets the hooks too, with one context per call", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const registry = open({ hooks });
    registry.registerHook("pre_bash", (context) => {
      context["before"] = context.input?.["command"];
    });
    const after = vi.fn();
    registry.registerHook("post_bash", ({ before, result, toolUseId }) => after(before, result, toolUseId));
    await hooks.runTool({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" }, () => "files");
    expect(after).toHaveBeenCalledWith("ls", "files", "t1");
  });
});

test("what can be imported is a deliberate list", () => {
  expect(Object.keys(front).sort()).toEqual(["createSamplingRegistry"]);
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
    expect(() => registry.registerHook("pre_tool", () => go, registration as never)).toThrow(text);
    expect(registry.listHooks()).toEqual([]);
  });

  test("executeToolWithHooks does not run the tool", async () => {
    const { isError, content } = await open().executeToolWithHooks(echo(), {}, {}, { singal: new AbortController().signal } as never);
    expect([isError, content]).toEqual([true, expect.stringContaining('Did you mean "signal"?')]);
    expect(codes()).toEqual(["HL_CONFIG_OPTION_INVALID"]);
  });
});
