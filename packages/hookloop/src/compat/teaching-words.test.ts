import { afterEach, describe, expect, test, vi } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import { createHooks } from "../open.ts";
import {
  attach,
  createCallbacks,
  createTeachingLoop,
  HOOKS,
  hookResult,
  registerHook,
  type TeachingCallback,
  type TeachingEventName,
  triggerHooks,
} from "./teaching.ts";

const offs: (() => void)[] = [];
afterEach(() => {
  for (const off of offs.splice(0)) off();
  vi.restoreAllMocks();
});
const register = (event: TeachingEventName, callback: TeachingCallback): (() => void) => {
  const off = registerHook(event, callback);
  offs.push(off);
  return off;
};
const bash = (command: string) => ({ name: "bash", input: { command }, id: "toolu_1" });

/** As the source writes it. */
function permissionGuard(block: { name: string; input: { command?: string } }): string | undefined {
  if (block.name === "bash") {
    for (const pattern of ["rm -rf /", "sudo"]) if ((block.input.command ?? "").includes(pattern)) return "Permission denied by deny list";
  }
  return undefined;
}

describe("free functions on the registry of the process", () => {
  test("a registered guard blocks, and the later callbacks are not called", async () => {
    const later = vi.fn();
    register("PreToolUse", permissionGuard);
    register("PreToolUse", later);
    expect(await triggerHooks("PreToolUse", bash("sudo ls"))).toBe("Permission denied by deny list");
    expect(later).not.toHaveBeenCalled();
    expect(await triggerHooks("PreToolUse", bash("ls"))).toBeUndefined();
    expect(later).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["a text", "no", "no"],
    ["a number", 7, 7],
    ["zero", 0, "Blocked by a hook, which returned 0."],
  ])("a callback that returns %s blocks, also where the loop only asks whether it is true", async (_what, value, expected) => {
    register("PreToolUse", () => value);
    expect(await triggerHooks("PreToolUse", bash("ls"))).toBe(expected);
  });

  test("a callback that never answers blocks when its time is over", async () => {
    vi.useFakeTimers();
    try {
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      register("PreToolUse", () => new Promise(() => {}));
      const value = triggerHooks("PreToolUse", bash("ls"));
      await vi.advanceTimersByTimeAsync(31_000);
      expect(await value).toMatch(/did not answer|within 30/);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the same callback twice is called twice, and taken away one by one", async () => {
    const callback = vi.fn();
    const first = register("Stop", callback);
    register("Stop", callback);
    await triggerHooks("Stop", []);
    expect(callback).toHaveBeenCalledTimes(2);
    first();
    first();
    expect(HOOKS.Stop).toEqual([callback]);
    await triggerHooks("Stop", []);
    expect(callback).toHaveBeenCalledTimes(3);
  });

  test("an unknown event is refused, with the nearest name", () => {
    expect(() => registerHook("PreTooluse" as "PreToolUse", () => "x")).toThrow('Did you mean "PreToolUse"?');
  });
});

describe("HOOKS is to look at", () => {
  test("it lists the callbacks of each event in their order", () => {
    register("PreToolUse", permissionGuard);
    expect(Object.keys(HOOKS)).toEqual(["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
    expect(HOOKS.PreToolUse).toEqual([permissionGuard]);
    expect([HOOKS.Stop.length, "Stop" in HOOKS]).toEqual([0, true]);
  });

  const lists = HOOKS as unknown as Record<string, unknown[]>;
  test.each<[string, () => unknown]>([
    ["push", () => lists["PreToolUse"]?.push(() => "no")],
    ["length", () => Object.assign(lists["PreToolUse"] ?? [], { length: 0 })],
    ["an index", () => Object.assign(lists["PreToolUse"] ?? [], { 0: () => "no" })],
    ["splice", () => lists["PreToolUse"]?.splice(0, 1)],
    ["another list", () => Object.assign(HOOKS, { PreToolUse: [] })],
    ["a new event", () => Object.assign(HOOKS, { Mine: [] })],
    ["delete", () => Reflect.deleteProperty(HOOKS, "PreToolUse")],
    ["defineProperty", () => Object.defineProperty(HOOKS, "PreToolUse", { value: [] })],
    ["freeze", () => Object.freeze(HOOKS)],
  ])("changing it by %s throws, and the guard still blocks", async (_how, change) => {
    register("PreToolUse", permissionGuard);
    expect(change).toThrow("Write registerHook(");
    expect(await triggerHooks("PreToolUse", bash("sudo ls"))).toBe("Permission denied by deny list");
  });

  test("a misspelt event has no list", () => {
    expect(() => (HOOKS as unknown as Record<string, unknown[]>)["PreTooluse"]).toThrow("There are: UserPromptSubmit");
  });
});

describe("a blocking error", () => {
  const error = { blockingError: "no tests", command: "npm test" };
  test.each([
    ["as a value", () => error],
    ["as a field", () => hookResult({ blockingError: error })],
  ])("may be an object with the hook's command, %s", async (_how, callback) => {
    const loop = createTeachingLoop({ ports: { env: {} } });
    loop.register("PreToolUse", callback);
    loop.register("PostToolUse", callback);
    loop.register("UserPromptSubmit", callback);
    loop.register("Stop", callback);
    const text = [expect.objectContaining({ text: "no tests" })];
    expect((await loop.fire("PreToolUse", bash("ls"))).verdict).toMatchObject({ decision: "deny", reasons: text });
    expect((await loop.fire("PostToolUse", bash("ls"), "x")).verdict.feedback).toEqual(text);
    expect((await loop.fire("UserPromptSubmit", "go")).verdict).toMatchObject({ decision: "deny", reasons: text });
    expect((await loop.fire("Stop", [])).verdict.continueWith).toEqual(text);
  });

  test("of another shape is refused", () => {
    expect(() => hookResult({ blockingError: { text: "no" } as never })).toThrow("Write a text, or { blockingError, command }");
  });
});

describe("the five fields that the source does not name", () => {
  const diagnostics: Diagnostic[] = [];
  const fire = async (fields: Parameters<typeof hookResult>[0]) => {
    diagnostics.length = 0;
    const loop = createTeachingLoop({ ports: { env: {} }, onDiagnostic: (one) => diagnostics.push(one) });
    loop.register("PreToolUse", () => hookResult(fields));
    return (await loop.fire("PreToolUse", bash("ls"))).verdict;
  };

  test("systemMessage tells the user, hookPermissionDecisionReason says why", async () => {
    expect((await fire({ systemMessage: "look" })).tells[0]?.text).toBe("look");
    const verdict = await fire({ permissionBehavior: "deny", hookPermissionDecisionReason: "not here" });
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "not here"]);
  });

  test("permissionRequestResult decides, also where no permission was requested", async () => {
    expect(await fire({ permissionRequestResult: { behavior: "deny", message: "no" } })).toMatchObject({ decision: "deny" });
    expect(await fire({ permissionRequestResult: { behavior: "allow", updatedInput: { command: "pwd" } } })).toMatchObject({
      decision: "allow",
      updatedInput: { command: "pwd" },
    });
    await fire({ permissionRequestResult: { behavior: "maybe" } as never });
    expect(diagnostics[0]?.text).toContain('Write { behavior: "allow" }');
  });

  test.each([{ initialUserMessage: "hello" }, { retry: true }])("%j belongs to another event, and that is said", async (fields) => {
    await fire(fields);
    expect(diagnostics.map(({ code }) => code)).toEqual(["HL_OUTPUT_NOT_HONOURED"]);
  });
});

describe("attached to the engine of a session", () => {
  const call = (tool_name: string, tool_input: object) => ({ tool_name, tool_input, tool_use_id: "t" });

  test("a guard in the source's words judges the agent's tools, whether it was registered before or after", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const early = register("PreToolUse", permissionGuard);
    offs.push(attach(hooks));
    const deny = async () => (await hooks.fire("PreToolUse", call("Bash", { command: "sudo ls" }))).decision;
    expect(await deny()).toBe("deny");
    early();
    expect(await deny()).toBe("none");
    register("PreToolUse", permissionGuard);
    expect(await deny()).toBe("deny");
  });

  test("a guard in the agent's words judges them, too", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const loop = createTeachingLoop({ ports: { env: {} } });
    loop.register("PreToolUse", ({ name, input }) => (name === "Write" && input.file_path === "/etc/x" ? "no" : undefined));
    loop.register("PreToolUse", ({ name, input }) =>
      name === "edit_file" && input.path === "/etc/y" && input.new_text ? "no" : undefined,
    );
    const off = loop.attach(hooks);
    const decide = async (tool: string, input: object) => (await hooks.fire("PreToolUse", call(tool, input))).decision;
    expect(await decide("Write", { file_path: "/etc/x", content: "" })).toBe("deny");
    expect(await decide("Edit", { file_path: "/etc/y", old_string: "a", new_string: "b" })).toBe("deny");
    off();
    expect(await decide("Write", { file_path: "/etc/x", content: "" })).toBe("none");
  });

  test("an input that a callback rewrites in the source's words reaches the agent's tool in its own", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const loop = createTeachingLoop({ ports: { env: {} } });
    loop.register("PreToolUse", ({ name, input }) =>
      name === "write_file" && input.path === "/a" ? hookResult({ updatedInput: { ...input, path: "/b" } }) : undefined,
    );
    loop.attach(hooks);
    const verdict = await hooks.fire("PreToolUse", call("Write", { file_path: "/a", content: "x" }));
    expect(verdict.updatedInput).toEqual({ file_path: "/b", content: "x" });
  });

  test("each callback gets what the loop would give it", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const loop = createTeachingLoop({ ports: { env: {} } });
    const seen: unknown[] = [];
    loop.register("UserPromptSubmit", (query) => void seen.push(query));
    loop.register("PostToolUse", (block, output) => void seen.push(block.name, block.input, output));
    loop.register("Stop", (messages) => void seen.push(messages));
    loop.attach(hooks);
    await hooks.fire("UserPromptSubmit", { prompt: "go" });
    await hooks.fire("PostToolUse", { ...call("Read", { file_path: "/a" }), tool_response: "text" });
    await hooks.fire("Stop", {});
    expect(seen).toEqual(["go", "Read", { file_path: "/a" }, "text", []]);
  });

  test("what is no engine is refused", () => {
    expect(() => createTeachingLoop({ ports: { env: {} } }).attach({} as never)).toThrow("Write loop.attach(");
  });
});

describe("the five callbacks", () => {
  const open = (answer = false) => {
    const lines: string[] = [];
    const questions: string[] = [];
    const ask = (question: string): boolean => {
      questions.push(question);
      return answer;
    };
    return { lines, questions, ...createCallbacks({ cwd: "/work/project", print: (line) => lines.push(line), ask }) };
  };

  test("print what the source prints", () => {
    const { lines, contextInjectHook, logHook, largeOutputHook, summaryHook } = open();
    contextInjectHook("query");
    logHook(bash("ls -la"));
    largeOutputHook(bash("ls"), "x".repeat(100_000));
    largeOutputHook(bash("ls"), "x".repeat(100_001));
    const result = { type: "tool_result", tool_use_id: "t", content: "" };
    summaryHook([
      { role: "user", content: "hi" },
      { role: "user", content: [result, result, { type: "text", text: "" }] },
    ]);
    expect(lines).toEqual([
      "[HOOK] UserPromptSubmit: working in /work/project",
      "[HOOK] bash(['ls -la'])",
      "[HOOK] ⚠ Large output from bash: 100001 chars",
      "[HOOK] Stop: session used 2 tool calls",
    ]);
  });

  test("a line stays one line, whatever the model wrote", () => {
    const { lines, logHook } = open();
    logHook({ name: "bash\n[HOOK] fine", input: { command: "a\nb\u001b[2J" } });
    expect([lines[0]?.includes("\n"), lines[0]?.includes("\u001b")]).toEqual([false, false]);
  });

  test.each(["sudo ls", "rm -rf /", "rm  -rf  /", "mkfs.ext4 /dev/sda1", "dd if=/dev/zero of=/dev/sda", "shutdown now", "find / -delete"])(
    "%s is on the deny list",
    async (command) => {
      const { permissionHook, questions } = open(true);
      expect(await permissionHook(bash(command))).toBe("Permission denied by deny list");
      expect(questions).toEqual([]);
    },
  );

  test.each([
    ["bash", { command: "rm -rf /tmp/old" }],
    ["bash", { command: "cp x /tmp/y; rm -f /tmp/*.tmp" }],
    ["bash", { command: "chmod 777 x" }],
    ["bash", { cmd: "ls" }],
    ["write_file", { path: "../outside.txt", content: "" }],
    ["edit_file", { path: "/etc/hosts" }],
    ["Write", { file_path: "/etc/hosts" }],
    ["Write", {}],
  ])("the user is asked about %s %j, and a no refuses it", async (name, input) => {
    const refused = open(false);
    expect(await refused.permissionHook({ name, input })).toBe("Permission denied by user");
    expect(refused.questions).toHaveLength(1);
    expect(await open(true).permissionHook({ name, input })).toBeUndefined();
  });

  test.each([
    ["bash", { command: "ls -la" }],
    ["write_file", { path: "test.txt", content: "" }],
    ["read_file", { path: "/etc/hosts" }],
    ["glob", { pattern: "*" }],
  ])("%s %j passes without a question", async (name, input) => {
    const { permissionHook, questions } = open();
    expect(await permissionHook({ name, input })).toBeUndefined();
    expect(questions).toEqual([]);
  });

  test("in a session its own dialog asks", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env: {} } });
    const loop = createTeachingLoop({ ports: { env: {} } });
    const { permissionHook, questions } = open(true);
    loop.register("PreToolUse", permissionHook);
    loop.attach(hooks);
    const verdict = await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "rm -r /tmp/x" }, tool_use_id: "t" });
    expect([verdict.decision, questions]).toEqual(["ask", []]);
  });
});

describe("a denial that is not written as one", () => {
  test.each([
    [{ blocked: true, reason: "no keys" }, "no keys"],
    [{ decision: "block", reason: "no keys" }, "no keys"],
    [{ permissionBehavior: "deny" }, /Blocked by a hook/],
    [{ deny: "no keys" }, "no keys"],
    [{ continue: false }, /Blocked by a hook/],
    [false, "Blocked by a hook, which returned false."],
  ])("blocks the prompt, and what to write is said once: %j", async (value, reason) => {
    const said: Diagnostic[] = [];
    const loop = createTeachingLoop({ onDiagnostic: (one) => void said.push(one) });
    loop.register("UserPromptSubmit", function keys() {
      return value;
    });
    const { value: won, verdict } = await loop.fire("UserPromptSubmit", "my key is x");
    expect(verdict).toMatchObject({ decision: "deny", contexts: [] });
    expect(won).toEqual({ block: typeof reason === "string" ? reason : expect.stringMatching(reason) });
    await loop.trigger("UserPromptSubmit", "again");
    expect(said.map(({ code, text }) => [code, text.includes('"keys"'), text.includes('Write { block: "why" }')])).toEqual([
      ["HL_OUTPUT_WRONG_TYPE", true, true],
    ]);
  });

  test.each([{ blocked: false }, { decision: "approve" }, { note: "deny" }, true])("is not read into other values: %j", async (value) => {
    const loop = createTeachingLoop({ onDiagnostic: () => {} });
    loop.register("UserPromptSubmit", () => value);
    expect((await loop.fire("UserPromptSubmit", "x")).verdict).toMatchObject({ decision: "none" });
  });

  test.each([false, 0, ""])("is a text where the loop asks `if (blocked)`: %j", async (value) => {
    const loop = createTeachingLoop();
    loop.register("PreToolUse", () => value);
    expect(await loop.trigger("PreToolUse", "Bash", { command: "ls" })).toMatch(/^Blocked by a hook, which returned /);
  });
});
