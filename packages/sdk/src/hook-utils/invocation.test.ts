import { describe, expect, it, vi } from "vitest";
import { hook } from "../hook/hook.ts";
import { deny } from "../hook/results.ts";
import { answerEvent } from "../run/script.ts";
import { callHook, sampleInput } from "../testing/index.ts";
import { emitBlock, emitBlockViaExit, emitContext, emitPermissionDecision, isInternalCall, runHook, runHookAsync } from "./emit.ts";
import { loadHookInput } from "./invocation.ts";
import { mainScript } from "./main-script.ts";

/** A promise and the function that fulfils it: the test decides who goes on, and when. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("two mains in one process", () => {
  it("each see their own payload and say their own things, however they interleave", async () => {
    const first = gate();
    const second = gate();
    const seen: unknown[] = [];
    const guard = callHook(
      async () => {
        seen.push(loadHookInput()?.hook_event_name);
        emitContext("from the guard");
        second.open();
        await first.opened;
        seen.push(loadHookInput()?.hook_event_name);
        emitBlock("denied");
      },
      "PreToolUse",
      { session_id: "one" },
    );
    const stopper = callHook(
      async () => {
        await second.opened;
        seen.push(loadHookInput()?.hook_event_name);
        emitBlock("not yet");
        first.open();
        await guard;
        seen.push(loadHookInput()?.["session_id"]);
        emitBlock("from the stopper");
      },
      "Stop",
      { session_id: "two" },
    );
    expect((await guard).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"denied","additionalContext":"from the guard"}}\n',
    );
    expect((await stopper).stdout).toBe('{"decision":"block","reason":"not yet\\nfrom the stopper"}\n');
    expect(seen).toEqual(["PreToolUse", "Stop", "PreToolUse", "two"]);
  });

  it("stay apart when one of them ends early or fails", async () => {
    const { opened, open } = gate();
    const [exited, failed, fine] = await Promise.all([
      callHook(async () => {
        await opened;
        emitBlockViaExit("over");
      }, "PostToolUse"),
      callHook(
        async () => {
          await opened;
          throw new Error("boom");
        },
        "SessionStart",
        {},
        { allowFailure: true },
      ),
      callHook(async () => {
        open();
        await opened;
        emitContext("fine");
      }, "UserPromptSubmit"),
    ]);
    expect(exited).toMatchObject({ stdout: "", stderr: "over\n", exitCode: 2, diagnostics: [] });
    expect(failed).toMatchObject({ stdout: "", exitCode: 0, diagnostics: [{ code: "HL_SDK_HANDLER_FAILED" }] });
    expect(fine).toMatchObject({ context: "fine", exitCode: 0, diagnostics: [] });
  });

  it("are a hundred runs of one main, each with its own payload", async () => {
    const main = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      emitContext(`prompt ${loadHookInput()?.["prompt"]}`);
    };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => callHook(main, "UserPromptSubmit", { prompt: `${index}` })),
    );
    expect(answers.map(({ context }) => context)).toEqual(Array.from({ length: 100 }, (_, index) => `prompt ${index}`));
  });

  it("share nothing with a hook of the new way", async () => {
    const other = hook("Stop", () => {
      expect(() => emitContext("x")).toThrow("outside of runHook");
    });
    const main = async (): Promise<void> => {
      emitBlock("mine");
    };
    const [first, second] = await Promise.all([callHook(main, "Stop"), callHook(other)]);
    expect(first).toMatchObject({ decision: "block", reason: "mine" });
    expect(second).toMatchObject({ decision: "none", stdout: "", diagnostics: [] });
  });
});

describe("a main declared as a guard", () => {
  const boom = (): void => {
    throw new Error("boom");
  };

  it("blocks when it throws, in the way of the event", async () => {
    const written = await answerEvent(mainScript({ main: boom, name: "my-guard", guard: true }), {
      payload: { ...sampleInput("PreToolUse") },
    });
    expect(written).toMatchObject({
      stdout: expect.stringMatching(
        /"permissionDecision":"deny","permissionDecisionReason":"The guard my-guard failed, so it blocks\. HL_SDK_HANDLER_FAILED: my-guard: boom \(invocation\.test\.ts:\d+:\d+\)"/,
      ),
      exitCode: 0,
    });
  });

  it("blocks by exit code 2 when there is no payload at all, and is not called", async () => {
    const problem = { code: "HL_SDK_STDIN_EMPTY", message: "HL_SDK_STDIN_EMPTY: no event" } as const;
    const written = await answerEvent(mainScript({ main: boom, name: "my-guard", guard: true }), { problem });
    expect(written).toMatchObject({
      stdout: "",
      stderr: "The guard my-guard failed, so it blocks. HL_SDK_STDIN_EMPTY: no event\n",
      exitCode: 2,
    });
  });
});

describe("a main that says something by what it returns", () => {
  const answers: [string, () => unknown, string][] = [
    ["a result", () => deny("x"), "made deny(…) and did not return it. Results count in hook() only: use emitBlock()"],
    ["JSON", () => ({ decision: "block" }), 'returned {"decision":"block"}. A main function returns nothing: call emitBlock(reason) in it'],
    ["a function", () => emitBlock, "returned a function that it did not call. A main function returns nothing"],
    ["a text", async () => "deny", 'returned "deny"'],
  ];
  it.each(answers)("%s: a guard blocks, another fails", async (_what, main, text) => {
    const run = (guard: boolean): ReturnType<typeof answerEvent> =>
      answerEvent(mainScript({ main, name: "m", guard }), { payload: { ...sampleInput("PreToolUse") } });
    expect((await run(true)).refusal).toContain(text);
    expect((await run(false)).problems[0]?.message).toContain(text);
  });

  it("has failed with exit code 1 in hookloop, which shows it and honours onFailure, and with 0 elsewhere", async ({ onTestFinished }) => {
    const main = (): void => {
      throw new Error("boom");
    };
    const exitCode = async (): Promise<number> =>
      (await answerEvent(mainScript({ main, name: "m", guard: false }), { payload: { ...sampleInput("PreToolUse") } })).exitCode;
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("HOOKLOOP_VERSION", undefined);
    expect(await exitCode()).toBe(0);
    vi.stubEnv("HOOKLOOP_VERSION", "0.1.0");
    expect(await exitCode()).toBe(1);
  });

  it("and emits as well is taken at its word; so is an observer that returns a number", async () => {
    const main = (): object => {
      emitContext("x");
      return { decision: "block" };
    };
    expect(await callHook(main, "PreToolUse")).toMatchObject({ context: "x", diagnostics: [] });
    expect(await callHook(() => [].length, "PreToolUse")).toMatchObject({ decision: "none", diagnostics: [] });
  });
});

describe("a main that runHook was given", () => {
  it("is called under the name and the direction it was declared with", async () => {
    const main = (): void => {
      throw new Error("boom");
    };
    runHook(main, "declared-guard", { guard: true });
    expect(await callHook(main, "PreToolUse", {}, { allowFailure: true })).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^The guard declared-guard failed, so it blocks\. HL_SDK_HANDLER_FAILED: declared-guard: boom \(/),
    });
  });

  it("that allowed and then failed does not allow if it is a guard", async () => {
    const main = async (): Promise<void> => {
      emitPermissionDecision("allow");
      throw new Error("boom");
    };
    void runHookAsync(main, "declared-guard", { guard: true });
    expect(await callHook(main, "PreToolUse", {}, { allowFailure: true })).toMatchObject({ decision: "deny" });
  });
});

describe("loadHookInput", () => {
  it("gives the whole payload, unknown fields included", async () => {
    let payload: unknown;
    const main = (): void => {
      payload = loadHookInput();
    };
    await callHook(main, "Stop", { cwd: "/tmp", new_field: [1] } as object, { ownNames: ["new_field"] });
    expect(payload).toEqual({ ...sampleInput("Stop"), cwd: "/tmp", new_field: [1] });
  });

  it("gives nothing when the event could not be read", async () => {
    let payload: unknown = "untouched";
    const main = (): void => {
      payload = loadHookInput();
    };
    const written = await answerEvent(mainScript({ main, name: "m", guard: false }), {
      problem: { code: "HL_SDK_STDIN_EMPTY", message: "HL_SDK_STDIN_EMPTY: no event" },
    });
    expect(payload).toBeUndefined();
    expect(written).toMatchObject({ stdout: "", exitCode: 0, problems: [{ code: "HL_SDK_STDIN_EMPTY" }] });
  });
});

describe("isInternalCall", () => {
  it("is true only for _CC_INTERNAL=1", ({ onTestFinished }) => {
    const before = process.env["_CC_INTERNAL"];
    onTestFinished(() => {
      if (before === undefined) delete process.env["_CC_INTERNAL"];
      else process.env["_CC_INTERNAL"] = before;
    });
    delete process.env["_CC_INTERNAL"];
    expect(isInternalCall()).toBe(false);
    process.env["_CC_INTERNAL"] = "0";
    expect(isInternalCall()).toBe(false);
    process.env["_CC_INTERNAL"] = "1";
    expect(isInternalCall()).toBe(true);
  });
});
