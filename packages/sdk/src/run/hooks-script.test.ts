import { describe, expect, it } from "vitest";
import type { EventName } from "../generated/events.ts";
import type { HookDefinition } from "../hook/definition.ts";
import { hook } from "../hook/hook.ts";
import { allow, block, context, deny, feedback, replaceOutput, rewrite, tellUser } from "../hook/results.ts";
import { callHook, sampleInput } from "../testing/index.ts";
import type { Written } from "./encode.ts";
import { hooksScript } from "./hooks-script.ts";
import { answerEvent, parsePayload } from "./script.ts";

function answer(definitions: readonly HookDefinition[], event: EventName, overrides: object = {}): Promise<Written> {
  const bytes = Buffer.from(JSON.stringify({ ...sampleInput(event), ...overrides }));
  return answerEvent(hooksScript(definitions, "file"), parsePayload(bytes));
}

/** Whether a hook with this filter is called for this tool. */
async function isCalled(tool: string | readonly string[] | RegExp, toolName: string): Promise<boolean> {
  return (
    (
      await callHook(
        hook("PreToolUse", { tool }, () => deny("called")),
        { tool_name: toolName },
        { allowFailure: true },
      )
    ).decision === "deny"
  );
}

describe("several hooks in one file", () => {
  it("all count: one deny is a deny, whatever the order, and every context is kept", async () => {
    const hooks = [
      hook("PreToolUse", () => allow()),
      hook("PreToolUse", async () => context("one")),
      hook("PreToolUse", { tool: "Bash" }, () => deny("no").with(context("two"))),
      hook("PreToolUse", { tool: "Write" }, () => deny("not called")),
    ];
    const wanted =
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"one\\ntwo"}}\n';
    expect(await answer(hooks, "PreToolUse")).toMatchObject({ stdout: wanted, problems: [] });
    expect(await answer([...hooks].reverse(), "PreToolUse")).toMatchObject({ stdout: wanted.replace("one\\ntwo", "two\\none") });
  });

  it("answer in the order they were declared, not in the order they finish", async () => {
    const slow = hook("PreToolUse", async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return rewrite({ command: "slow" });
    });
    const fast = hook("PreToolUse", () => rewrite({ command: "fast" }));
    const written = await answer([slow, fast], "PreToolUse");
    expect(JSON.parse(written.stdout).hookSpecificOutput.updatedInput).toEqual({ command: "fast" });
    expect(written.problems.map(({ code }) => code)).toEqual(["HL_SDK_RESULT_CONFLICT"]);
  });

  it("may be for several events: only those of the event that came are called", async () => {
    const hooks = [hook("PreToolUse", () => deny("no")), hook("Stop", () => block("not yet"))];
    expect((await answer(hooks, "Stop")).stdout).toBe('{"decision":"block","reason":"not yet"}\n');
  });

  it("say so when none of them is for the event that came", async () => {
    const written = await answer([hook("PreToolUse", () => deny("no")), hook("Stop", () => {})], "PostToolUse");
    expect(written).toMatchObject({ stdout: "", exitCode: 1 });
    expect(written.problems[0]?.message).toBe(
      "HL_SDK_EVENT_UNEXPECTED: configured for PostToolUse, but declared for PreToolUse, Stop. Fix the configuration or the hook",
    );
  });

  it("block if one is a guard, for it would never judge anything", async () => {
    const { stdout } = await answer([hook("UserPromptSubmit", { guard: true }, () => block("no"))], "PreToolUse");
    expect(stdout).toMatch(/"permissionDecision":"deny".*HL_SDK_EVENT_UNEXPECTED/);
  });

  it("fail one by one: the others still count", async () => {
    const hooks = [
      hook("PreToolUse", { name: "broken" }, () => {
        throw new Error("boom");
      }),
      hook("PreToolUse", () => context("note")),
    ];
    const written = await answer(hooks, "PreToolUse");
    expect(written.stdout).toBe('{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"note"}}\n');
    expect(written).toMatchObject({
      exitCode: 0,
      problems: [{ message: expect.stringMatching(/^HL_SDK_HANDLER_FAILED: broken: boom \(hooks-script\.test\.ts:\d+:\d+\)$/) }],
    });
  });

  it("a failed guard beats an allow of its neighbour", async () => {
    const hooks = [
      hook("PreToolUse", () => allow()),
      hook("PreToolUse", { guard: true, name: "g" }, () => {
        throw new Error("boom");
      }),
    ];
    expect((await answer(hooks, "PreToolUse")).refusal).toMatch(/^The guard g failed, so it blocks\. HL_SDK_HANDLER_FAILED: g: boom \(/);
  });
});

describe("a result that JSON cannot write", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;

  it("is reported, and a guard blocks", async () => {
    const open = await answer([hook("PreToolUse", { name: "h" }, () => rewrite({ size: 1n }))], "PreToolUse");
    expect(open).toMatchObject({ stdout: "", exitCode: 1, problems: [{ code: "HL_SDK_RESULT_INVALID" }] });
    const guarded = await answer([hook("PreToolUse", { guard: true }, () => rewrite(circle))], "PreToolUse");
    expect(guarded.refusal).toMatch(/^The guard file failed, so it blocks\. HL_SDK_RESULT_INVALID: /);
  });

  it("does not undo a denial that was said beside it", async () => {
    expect(await callHook(hook("PreToolUse", () => deny("no").with(rewrite(circle))))).toMatchObject({ decision: "deny", reason: "no" });
    const hooks = [hook("PreToolUse", () => deny("no")), hook("PreToolUse", () => rewrite(circle))];
    expect((await answer(hooks, "PreToolUse")).refusal).toBe("no");
  });
});

describe("a guard", () => {
  it("that says something its event cannot express blocks instead", async () => {
    const misfit = hook("Stop", { guard: true, name: "g" }, () => deny("no") as never);
    expect(await callHook(misfit, {}, { allowFailure: true })).toMatchObject({
      decision: "block",
      reason:
        "The guard g failed, so it blocks. HL_SDK_NOT_EXPRESSIBLE: Stop cannot say deny(). It can say: block, context, stop, tellUser",
    });
  });

  it("that names a tool blocks when the fields of that tool are missing", async () => {
    const guard = hook("PreToolUse", { tool: "Bash", guard: true }, () => allow());
    expect(await callHook(guard, { tool_input: { cmd: "ls" } }, { ownNames: ["cmd"], allowFailure: true })).toMatchObject({
      decision: "deny",
      reason:
        "The guard hook failed, so it blocks. HL_SDK_FIELD_MISSING: tool_input of Bash lacks command. See `hookloop events PreToolUse --sample --tool Bash`",
    });
    expect(await callHook(guard, { tool_input: { command: "ls" } })).toMatchObject({ decision: "allow" });
    expect(await callHook(guard, { tool_name: "Read", tool_input: {} })).toMatchObject({
      decision: "none",
      diagnostics: [{ code: "HL_TEST_NOT_CALLED" }],
    });
  });

  it("declared for an event that does not exist blocks whatever comes", async () => {
    const misspelt = hook("PreTooluse" as "PreToolUse", { guard: true }, () => {});
    const written = await answer([misspelt], "PreToolUse");
    expect(written.refusal).toMatch(/^The guard file failed, so it blocks\. HL_SDK_EVENT_UNKNOWN: a hook is declared for "PreTooluse"/);
  });
});

describe("a value of another kind than a result takes", () => {
  it.each([
    ["context of an object", () => context({ a: 1 } as unknown as string), "context() takes string, got object"],
    ["context of nothing", () => context(undefined as unknown as string), "context() takes string, got undefined"],
    ["context that is not awaited", () => context(Promise.resolve("x") as unknown as string), "context() takes string, got promise"],
    ["an input that is a text", () => rewrite("ls" as unknown as object), "rewrite() takes object, got string"],
    ["an input that is a list", () => rewrite([]), "rewrite() takes object, got array"],
    ["a message that is a number", () => tellUser(5 as unknown as string), "tellUser() takes string, got number"],
  ])("fails: %s", async (_what, handler, text) => {
    expect(await callHook(hook("PreToolUse", { guard: true }, handler), {}, { allowFailure: true })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining(text),
    });
    const open = await callHook(hook("PreToolUse", handler), {}, { allowFailure: true });
    expect(open).toMatchObject({ decision: "none", stdout: "", exitCode: 1, diagnostics: [{ code: "HL_SDK_RESULT_INVALID" }, {}] });
    await expect(callHook(hook("PreToolUse", handler))).rejects.toThrow(text);
  });

  it.each([
    ["feedback that is a number", () => feedback(5 as unknown as string), "feedback() takes string, got number"],
    ["a replacement that was forgotten", () => replaceOutput(undefined), "replaceOutput() takes a value, got undefined"],
  ])("fails after a tool: %s", async (_what, handler, text) => {
    await expect(callHook(hook("PostToolUse", handler))).rejects.toThrow(text);
  });

  it("does not undo a denial", async () => {
    for (const [given, reason] of [
      [{ rule: "no force" }, '{"rule":"no force"}'],
      [new Error("no force"), "no force"],
      [["a", "b"], '["a","b"]'],
      [undefined, "A hook blocked it without a reason."],
    ])
      expect(await callHook(hook("PreToolUse", () => deny(given as string)))).toMatchObject({ decision: "deny", reason });
  });
});

describe("a time limit", () => {
  it("aborts the signal that the handler was given, and not before", async () => {
    const seen: boolean[] = [];
    const slow = hook("PreToolUse", { timeoutMs: 20 }, async (_input, { signal }) => {
      seen.push(signal.aborted);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      seen.push(signal.aborted);
      return deny("too late");
    });
    expect(await callHook(slow, {}, { allowFailure: true })).toMatchObject({ decision: "none" });
    expect(seen).toEqual([false, true]);
  });
});

describe("an event that cannot be answered", () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text);
  const guards = [hook("PreToolUse", { guard: true }, () => allow())];

  it.each([
    ["is empty", ""],
    ["is a list", "[]"],
    ["is cut off", "{"],
    ["has no name", '{"tool_name":"Bash"}'],
    ["has an unknown name", '{"hook_event_name":"BeforeToolCall"}'],
  ])("and %s: a guard blocks, another hook fails open", async (_what, text) => {
    const refused = await answerEvent(hooksScript(guards, "file"), parsePayload(bytes(text)));
    expect(refused.refusal).toMatch(/^The guard file failed, so it blocks\. HL_SDK_/);
    const open = await answerEvent(hooksScript([hook("PreToolUse", () => allow())], "file"), parsePayload(bytes(text)));
    expect(open).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^HL_SDK_\w+: /), exitCode: 1 });
    expect(open.problems).toHaveLength(1);
  });

  it("is refused by exit code 2 if the file's guards are for several events", async () => {
    const hooks = [...guards, hook("Stop", { guard: true }, () => {})];
    expect(await answerEvent(hooksScript(hooks, "file"), parsePayload(bytes("{")))).toMatchObject({ stdout: "", exitCode: 2 });
  });
});

describe("a filter", () => {
  it("of a name or a list of names is exact", async () => {
    expect(await isCalled("Bash", "Bash")).toBe(true);
    expect(await isCalled("Bash", "BashOutput")).toBe(false);
    expect(await isCalled("bash", "Bash")).toBe(false);
    expect(await isCalled(["Edit", "Write"], "Write")).toBe(true);
    expect(await isCalled(["Edit", "Write"], "NotebookEdit")).toBe(false);
    expect(await isCalled([], "Bash")).toBe(false);
  });

  it("of a pattern matches as test() does", async () => {
    expect(await isCalled(/mcp__.*/, "mcp__github__create_issue")).toBe(true);
    expect(await isCalled(/Edit/, "NotebookEdit")).toBe(true);
    expect(await isCalled(/^Edit$/, "NotebookEdit")).toBe(false);
    expect(await isCalled(/Edit|Write/, "Write")).toBe(true);
    expect(await isCalled(/bash/i, "Bash")).toBe(true);
  });

  it.each([
    ["an alternative that is the start of another", /Bash|BashOutput/, "BashOutput"],
    ["a lazy quantifier", /mcp__.*?/, "mcp__github__create_issue"],
  ])("of a pattern matches with %s", async (_what, pattern, name) => {
    expect(await isCalled(pattern, name)).toBe(true);
  });

  it.each([
    ["Bash", "bash"],
    ["Edit|Bash", "BASH"],
    [/^Bash$/, "bash"],
    ["WebFetch", "web_fetch"],
    ["Bash", "run_shell_command"],
    [/^Bash$/, "runInTerminal"],
  ])("of a guard also matches another spelling: %s and %s", async (tool, name) => {
    const declared = (guard: boolean): HookDefinition => hook("PreToolUse", { tool: tool as string, guard }, () => deny("called"));
    const input = { tool_name: name, tool_input: { command: "x", url: "u", prompt: "p" } };
    const own = { ownNames: [name] };
    expect((await callHook(declared(true), input, own)).decision).toBe("deny");
    expect((await callHook(declared(false), input, own)).decision).toBe("none");
  });

  it("of a guard that another agent's name of the tool fits fails closed where that agent has other fields", async () => {
    const guard = hook("PreToolUse", { tool: "Write", guard: true }, () => undefined);
    const input = { tool_name: "write_file", tool_input: { path: ".env", content: "" } };
    const called = callHook(guard, input, { ownNames: ["write_file", "path"], allowFailure: true });
    expect((await called).reason).toContain("HL_SDK_FIELD_MISSING: tool_input of write_file lacks file_path");
    expect((await callHook(guard, { ...input, tool_name: "create" }, { ownNames: ["create", "path"] })).decision).toBe("none");
  });

  it("of a pattern with a memory (g, y) gives the same answer every time", async () => {
    for (const pattern of [/Bash/g, /Bash/y]) {
      expect([await isCalled(pattern, "Bash"), await isCalled(pattern, "Bash"), await isCalled(pattern, "Bash")]).toEqual([
        true,
        true,
        true,
      ]);
    }
  });

  it("knows the subagent tool by both of its names", async () => {
    expect(await isCalled("Task", "Agent")).toBe(true);
    expect(await isCalled("Agent", "Task")).toBe(true);
    expect(await isCalled(/^Task$/, "Agent")).toBe(true);
  });

  it("of a match is compared with the field of the event", async () => {
    const onStart = hook("SessionStart", { match: ["startup", "clear"] }, () => context("called"));
    expect((await callHook(onStart, { source: "clear" })).context).toBe("called");
    expect((await callHook(onStart, { source: "compact" })).context).toBeUndefined();
  });

  it("of a changed file is compared with its base name", async () => {
    let called = 0;
    await callHook(
      hook("FileChanged", { match: ".env" }, () => void called++),
      { file_path: "/home/user/project/.env" },
    );
    expect(called).toBe(1);
  });
});
