import { describe, expect, it, test } from "vitest";
import { hook } from "../hook/hook.ts";
import { allow, block, context, deny, feedback, replaceOutput, rewrite, stop, tellUser } from "../hook/results.ts";
import { emitBlock, emitContext, runHook } from "../hook-utils/emit.ts";
import { loadHookInput } from "../hook-utils/invocation.ts";
import { callHook, type HookAnswer } from "./index.ts";

const FAILED = { allowFailure: true } as const;
const codes = ({ diagnostics }: HookAnswer): string[] => diagnostics.map(({ code }) => code);
const garbage = (value: unknown): never => value as never;

describe("callHook", () => {
  it("leaves nothing behind that makes the tests after it slower", async () => {
    const cpuOfPromises = async (): Promise<number> => {
      const before = process.cpuUsage();
      for (let round = 0; round < 50_000; round++) await undefined;
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const guard = hook("PreToolUse", () => undefined);
    await callHook(guard);
    await cpuOfPromises();
    const before = await cpuOfPromises();
    for (let call = 0; call < 300; call++) await callHook(guard);
    expect((await cpuOfPromises()) / before).toBeLessThan(5);
  });

  it("gives decision, reason and context beside the raw output", async () => {
    const guard = hook("PreToolUse", { tool: "Bash" }, ({ tool_input }) =>
      tool_input.command.includes("--force") ? deny("no force-push").with(context("use --force-with-lease")) : undefined,
    );
    expect(await callHook(guard, { tool_input: { command: "git push --force" } })).toMatchObject({
      decision: "deny",
      reason: "no force-push",
      context: "use --force-with-lease",
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no force-push","additionalContext":"use --force-with-lease"}}\n',
      stderr: "",
      exitCode: 0,
      isStopped: false,
      diagnostics: [],
    });
    expect(await callHook(guard)).toMatchObject({ decision: "none", stdout: "", stderr: "", exitCode: 0, diagnostics: [] });
  });

  it("reads back whatever a hook can say", async () => {
    expect(await callHook(hook("PreToolUse", () => rewrite({ command: "ls" }).with(allow())))).toMatchObject({
      decision: "allow",
      updatedInput: { command: "ls" },
    });
    expect(await callHook(hook("PermissionRequest", () => allow().with(rewrite({ command: "ls" }))))).toMatchObject({
      decision: "allow",
      updatedInput: { command: "ls" },
    });
    expect(await callHook(hook("PostToolUse", () => replaceOutput("short").with(feedback("mind"))))).toMatchObject({
      decision: "feedback",
      reason: "mind",
      updatedOutput: "short",
    });
    expect(await callHook(hook("PostToolUseFailure", () => feedback("mind")))).toMatchObject({ decision: "feedback", reason: "mind" });
    expect(await callHook(hook("Stop", () => stop("enough").with(tellUser("bye"))))).toMatchObject({
      isStopped: true,
      systemMessage: "bye",
    });
    expect(await callHook(hook("TaskCreated", () => block("too vague")))).toMatchObject({ decision: "block", reason: "too vague" });
    expect(await callHook(hook("Elicitation", () => block("no")))).toMatchObject({ decision: "block" });
  });

  it("awaits an asynchronous handler", async () => {
    const slow = hook("Stop", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return block("not yet");
    });
    expect(await callHook(slow)).toMatchObject({ decision: "block", reason: "not yet" });
  });

  it("does not call a hook of another tool", async () => {
    const never = hook("PreToolUse", { tool: "Write" }, () => deny("called"));
    expect(await callHook(never, { tool_name: "Bash" })).toMatchObject({ decision: "none", diagnostics: [{ code: "HL_TEST_NOT_CALLED" }] });
  });

  it("gives the handler a payload that went over the wire", async () => {
    let got: unknown;
    const keep = hook("PreToolUse", (input) => {
      got = input.tool_input;
    });
    await callHook(keep, { tool_input: { when: new Date(0), nothing: undefined } }, { ownNames: ["when", "nothing"] });
    expect(got).toEqual({ when: "1970-01-01T00:00:00.000Z" });
  });
});

describe("a hook that fails", () => {
  const boom = (): never => {
    throw new Error("boom");
  };

  it("rejects, so that no test takes it for a hook without an opinion, and has the answer with it", async () => {
    const called = callHook(hook("PreToolUse", { name: "format" }, boom));
    await expect(called).rejects.toThrow(
      /^HL_TEST_HOOK_FAILED: format failed: exit code 1\..*allowFailure: true.*\nHL_SDK_HANDLER_FAILED: format: boom/,
    );
    await expect(called).rejects.toMatchObject({ answer: { decision: "none", exitCode: 1 } });
  });

  it("reports and fails open", async () => {
    const answer = await callHook(hook("PreToolUse", { name: "format" }, boom), {}, FAILED);
    expect(answer).toMatchObject({ decision: "none", stdout: "", exitCode: 1 });
    expect(answer.diagnostics[0]).toEqual({
      code: "HL_SDK_HANDLER_FAILED",
      message: expect.stringMatching(/^HL_SDK_HANDLER_FAILED: format: boom \(/),
    });
  });

  it("blocks if it is a guard", async () => {
    const answer = await callHook(hook("PreToolUse", { name: "no-force", guard: true }, boom), {}, { allowFailure: true });
    expect(answer).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^The guard no-force failed, so it blocks\. HL_SDK_HANDLER_FAILED: no-force: boom \(/),
      exitCode: 0,
    });
    expect(codes(answer)).toEqual(["HL_SDK_HANDLER_FAILED"]);
  });

  it.each([
    ["UserPromptSubmit", "block"],
    ["PermissionRequest", "deny"],
    ["PreModelSwitch", "deny"],
    ["TaskCompleted", "block"],
    ["Elicitation", "block"],
    ["WorktreeCreate", "block"],
  ] as const)("blocks in the way of %s if it is a guard", async (event, decision) => {
    expect(await callHook(hook<"Stop">(event as "Stop", { guard: true }, boom), {}, { allowFailure: true })).toMatchObject({ decision });
  });

  it("treats a rejected promise like an exception, also one that is not an Error", async () => {
    const rejects = hook("PreToolUse", { guard: true, name: "g" }, async () => Promise.reject("plain text"));
    expect(await callHook(rejects, {}, { allowFailure: true })).toMatchObject({
      decision: "deny",
      reason: "The guard g failed, so it blocks. HL_SDK_HANDLER_FAILED: g: plain text",
    });
  });

  it("is given up on after its time limit", async () => {
    const hang = (): Promise<never> => new Promise(() => {});
    const open = await callHook(hook("PreToolUse", { name: "slow", timeoutMs: 20 }, hang), {}, FAILED);
    expect(open).toMatchObject({ decision: "none", exitCode: 1 });
    expect(open.diagnostics[0]?.message).toBe("HL_SDK_HANDLER_TIMEOUT: slow gave no answer within 20 ms. Do less, or set timeoutMs");
    expect(await callHook(hook("PreToolUse", { guard: true, timeoutMs: 20 }, hang), {}, { allowFailure: true })).toMatchObject({
      decision: "deny",
    });
  });

  it.each([
    ["the wire's own shape", { decision: "block" }, '{"decision":"block"}'],
    ["false", false, "false"],
    ["text", "no", '"no"'],
    ["zero", 0, "0"],
    ["a list", [1], "[1]"],
    ["a function", () => {}, "a function that it did not call"],
  ])("may return garbage (%s): it is reported, and a guard blocks", async (_what, value, shown) => {
    const open = await callHook(
      hook("PreToolUse", { name: "h" }, () => garbage(value)),
      {},
      FAILED,
    );
    expect(open).toMatchObject({ decision: "none", stdout: "" });
    expect(open.diagnostics[0]?.message).toBe(`HL_SDK_RESULT_INVALID: h returned ${shown}. Return deny(…), context(…) … or nothing`);
    expect(
      await callHook(
        hook("PreToolUse", { guard: true }, () => garbage(value)),
        {},
        { allowFailure: true },
      ),
    ).toMatchObject({ decision: "deny" });
  });

  it.each([
    ["a list of parts that holds nothing", { parts: [null] }],
    ["an unknown helper", { parts: [{ can: "veto", value: "x" }] }],
    ["a circle", Object.assign({}, { self: {} as object })],
  ])("may return %s: no crash, no decision", async (_what, value) => {
    if ("self" in value) value.self = value;
    const answer = await callHook(
      hook("PreToolUse", () => garbage(value)),
      {},
      FAILED,
    );
    expect(answer.decision).toBe("none");
    expect(answer.diagnostics[0]?.code).toMatch(/^HL_SDK_(HANDLER_FAILED|NOT_EXPRESSIBLE|RESULT_INVALID)$/);
  });

  it("is not called with a payload that lacks a field; a guard blocks", async () => {
    const called: unknown[] = [];
    const listen = (options: object) => hook("PreToolUse", options, (input) => void called.push(input));
    const missing = { tool_input: undefined } as never;
    const open = await callHook(listen({}), missing, FAILED);
    expect(open).toMatchObject({ decision: "none", exitCode: 1 });
    expect(open.diagnostics[0]?.message).toBe(
      "HL_SDK_FIELD_MISSING: the PreToolUse payload lacks tool_input. See `hookloop events PreToolUse`",
    );
    expect(await callHook(listen({ guard: true }), missing, { allowFailure: true })).toMatchObject({ decision: "deny" });
    expect(called).toEqual([]);
  });

  it("cannot say what its event cannot express: the rest is still written", async () => {
    const answer = await callHook(hook("PostToolUse", () => garbage(deny("no").with(context("note")))));
    expect(answer).toMatchObject({ decision: "none", context: "note", exitCode: 0 });
    expect(answer.diagnostics[0]?.message).toBe(
      "HL_SDK_NOT_EXPRESSIBLE: PostToolUse cannot say deny(). It can say: context, feedback, replaceOutput, stop, tellUser, output",
    );
  });
});

describe("an S4 main", () => {
  it("is called with the sample of the event it is given", async () => {
    const main = (): void => {
      emitContext(`cwd ${loadHookInput()?.["cwd"]}`);
      emitBlock("not yet");
    };
    expect(await callHook(main, "UserPromptSubmit", { cwd: "/tmp/x" })).toMatchObject({
      decision: "block",
      reason: "not yet",
      context: "cwd /tmp/x",
      exitCode: 0,
      diagnostics: [],
    });
  });

  it("that throws keeps what it said, reports, and exits 0", async () => {
    const main = (): void => {
      emitContext("half done");
      throw new Error("boom");
    };
    await expect(callHook(main, "PreToolUse")).rejects.toThrow("HL_TEST_HOOK_FAILED: hook failed: HL_SDK_HANDLER_FAILED");
    const answer = await callHook(main, "PreToolUse", {}, FAILED);
    expect(answer).toMatchObject({ decision: "none", context: "half done", exitCode: 0 });
    expect(answer.diagnostics).toEqual([
      { code: "HL_SDK_HANDLER_FAILED", message: expect.stringMatching(/^HL_SDK_HANDLER_FAILED: hook: boom \(/) },
    ]);
  });

  it("still runs with a payload that lacks a field, and that is reported", async () => {
    const answer = await callHook(() => emitBlock("no"), "PreToolUse", { tool_input: undefined } as never);
    expect(answer.decision).toBe("deny");
    expect(codes(answer)).toEqual(["HL_SDK_FIELD_MISSING"]);
  });
});

describe("a call that makes no sense is refused", () => {
  const call = callHook as unknown as (...given: unknown[]) => Promise<unknown>;
  const guard = hook("PreToolUse", { guard: true }, () => {});
  it.each([
    ["nothing to call", [undefined], "callHook() takes what hook() returned, or a main function, not undefined. Is it exported?"],
    ["a module instead of a hook", [{ guard }], "takes what hook() returned"],
    ["an event that the hook has itself", [guard, "PreToolUse", {}], 'Leave "PreToolUse" out'],
    ["a main without an event", [() => {}, { tool_name: "Bash" }], 'Write callHook(main, "PreToolUse", { … })'],
    ["a main with an unknown event", [() => {}, "PreTooluse"], 'Did you mean "PreToolUse"?'],
    ["a misspelt option", [guard, {}, { alowFailure: true }], 'callHook() has no option "alowFailure". Did you mean "allowFailure"?'],
    [
      "an option of another type",
      [guard, {}, { allowFailure: "yes" }],
      'the option allowFailure of callHook() is "yes", not true or false',
    ],
    ["options that are none", [guard, {}, true], "the options of callHook() are true"],
    ["a payload that no agent sends", [guard, { toolInput: { command: "rm" } }], 'Did you mean "tool_input"?'],
  ])("%s", async (_what, given, text) => {
    await expect(call(...given)).rejects.toThrow(text);
    await expect(call(...given)).rejects.toThrow(/^HL_TEST_BAD_CALL: /);
  });

  it("but not a tool that the hook lists as its agent's own", async () => {
    const own = hook("PreToolUse", { tool: "deploy", ownNames: ["deploy"] }, () => deny("no"));
    expect(await callHook(own, { tool_name: "deploy" })).toMatchObject({ decision: "deny", diagnostics: [] });
  });
});

describe("a hook that sets process.exitCode", () => {
  const setting = (code: number): ReturnType<typeof hook> =>
    hook("PreToolUse", () => {
      process.exitCode = code;
    });

  it("to 2 blocks, and the tests continue as before", async () => {
    const before = process.exitCode;
    expect(await callHook(setting(2))).toMatchObject({ decision: "deny", exitCode: 2 });
    expect(process.exitCode).toBe(before);
  });

  it("to another code has failed", async () => {
    await expect(callHook(setting(3))).rejects.toThrow("set process.exitCode to 3");
  });
});

describe("an output that an agent does not use", () => {
  const replacing = (value: (response: object) => unknown): ReturnType<typeof hook> =>
    hook("PostToolUse", { tool: "Bash" }, (input) => replaceOutput(value(input.tool_response as object) as never));

  test("is said, with what to write", async () => {
    const { diagnostics } = await callHook(replacing(() => "[redacted]"));
    expect(diagnostics).toMatchObject([
      { code: "HL_OUTPUT_NOT_HONOURED", message: expect.stringContaining("Return replaceOutput({ ...input.tool_response, stdout: … })") },
    ]);
  });

  test("is no matter if it has the tool's shape", async () => {
    expect((await callHook(replacing((response) => ({ ...response, stdout: "[redacted]" })))).diagnostics).toEqual([]);
  });
});

it("a guard that crashed makes the call reject: its denial is no judgement", async () => {
  const guard = hook("PreToolUse", { tool: "Bash", guard: true, name: "g" }, () => {
    throw new Error("broken");
  });
  await expect(callHook(guard)).rejects.toThrow(/HL_TEST_HOOK_FAILED: g failed: HL_SDK_HANDLER_FAILED[\s\S]*broken/);
  const main = (): never => {
    throw new Error("broken");
  };
  runHook(main, "m", { guard: true });
  await expect(callHook(main, "PreToolUse")).rejects.toThrow("HL_TEST_HOOK_FAILED");
});

describe("a hook that the sample does not call", () => {
  const edits = hook("PreToolUse", { tool: "Edit|Write" }, () => deny("no"));

  it("makes the call reject if the test named no tool: what it expects of the hook was never asked", async () => {
    await expect(callHook(edits)).rejects.toThrow(
      'HL_TEST_BAD_CALL: the sample of PreToolUse has tool_name "Bash", and the hook is for Edit|Write: it did not run. Add tool_name',
    );
    await expect(callHook(hook("SessionStart", { match: "clear" }, () => context("x")))).rejects.toThrow('has source "startup"');
  });

  it("is said if the test named the tool", async () => {
    expect(codes(await callHook(edits, { tool_name: "Read" }))).toEqual(["HL_TEST_NOT_CALLED"]);
    expect(codes(await callHook(edits, { tool_name: "Write" }))).toEqual([]);
  });
});

describe("a function of a module, given as a definition", () => {
  const event = "PreToolUse";

  it("may return what an agent honours: an answer object", async () => {
    const handler = () => ({ decision: "block", reason: "no rm" });
    expect(await callHook({ event, options: {}, handler })).toMatchObject({ decision: "deny", reason: "no rm", diagnostics: [] });
    const own = { hookSpecificOutput: { hookEventName: event, permissionDecision: "ask", permissionDecisionReason: "sure?" } };
    expect(await callHook({ event, options: {}, handler: async () => own })).toMatchObject({ decision: "ask", reason: "sure?" });
  });

  it("needs no options, and an object that no agent reads is refused", async () => {
    expect((await callHook(garbage({ event, handler: () => deny("no") }))).decision).toBe("deny");
    await expect(callHook({ event, options: {}, handler: () => ({ deny: "no" }) })).rejects.toThrow("HL_SDK_RESULT_INVALID");
    const wrong = await callHook({ event, options: {}, handler: () => ({ decision: "denied" }) });
    expect(codes(wrong)).toEqual(["HL_TEST_VALUE_UNKNOWN"]);
    await expect(
      callHook(
        hook(
          event,
          garbage(() => ({ decision: "block" })),
        ),
      ),
    ).rejects.toThrow("HL_SDK_RESULT_INVALID");
  });
});

describe("what a test takes for an answer", () => {
  it("is not the promise of one", async () => {
    const answer = callHook(hook("PreToolUse", () => deny("no")));
    expect(() => (answer as never as HookAnswer).decision).toThrow(
      "HL_TEST_BAD_CALL: decision was read of what callHook() gives, which is a promise. Write: await callHook(…)",
    );
    expect((await answer).decision).toBe("deny");
  });

  it("is not the silence of a hook that decides behind a timer", async () => {
    const late = hook("PreToolUse", () => void setTimeout(() => deny("no"), 500));
    await expect(callHook(late)).rejects.toThrow("HL_SDK_RESULT_NOT_RETURNED");
    const started = Date.now();
    const bounded = hook("PreToolUse", () => void AbortSignal.timeout(30_000));
    expect(await callHook(bounded)).toMatchObject({ decision: "none" });
    expect(Date.now() - started).toBeLessThan(900);
  });

  it("is about paths as agents send them: absolute", async () => {
    const name = ".env";
    const guard = hook("PreToolUse", { tool: "Read" }, ({ tool_input }) => (tool_input.file_path === name ? deny("no") : undefined));
    const answer = await callHook(guard, { tool_name: "Read", cwd: "/home/user/p", tool_input: { file_path: ".env" } });
    expect(answer.decision).toBe("none");
    expect(answer.diagnostics).toEqual([
      { code: "HL_TEST_PATH_ABSOLUTE", message: expect.stringContaining('file_path ".env" was sent as "/home/user/p/.env"') },
    ]);
    const exact = await callHook(guard, { tool_name: "Read", tool_input: { file_path: "/home/user/.env" } });
    expect(exact.diagnostics).toEqual([]);
  });
});

test("a hook that says nothing because it compares a path with a bare name rejects", async () => {
  const call = { tool_name: "Write", tool_input: { file_path: "/p/.env", content: "" } };
  const bare = hook("PreToolUse", { tool: "Write" }, (i) => (i.tool_input.file_path === ".env" ? deny("no") : undefined));
  await expect(callHook(bare, call)).rejects.toThrow(/HL_TEST_SCRIPT_SLIP: .*endsWith\("\/\.env"\)/);
  expect(codes(await callHook(bare, call, FAILED))).toEqual(["HL_TEST_SCRIPT_SLIP"]);
  const end = hook("PreToolUse", { tool: "Write" }, (i) => (i.tool_input.file_path.endsWith("/.env") ? deny("no") : undefined));
  expect((await callHook(end, call)).decision).toBe("deny");
});
