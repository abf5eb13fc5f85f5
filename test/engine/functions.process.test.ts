import { setTimeout as wait } from "node:timers/promises";
import { context, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { FireOptions } from "../../packages/hookloop/src/engine/session.ts";
import { bash, openProject } from "./open-project.ts";

/** Without options the fast path is taken, with them the long way. */
const WAYS: readonly (readonly [string, FireOptions | undefined])[] = [
  ["the fast path", undefined],
  ["the long way", { timeoutMs: 60_000 }],
];
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("hands off");
    },
  },
);

describe.each(WAYS)("a function on %s", (_name, options) => {
  test.each([
    ["throws", () => Promise.resolve().then(() => Promise.reject(new Error("boom"))), "HL_EXECUTE_THREW"],
    ["throws at once", throwing(new Error("boom")), "HL_EXECUTE_THREW"],
    ["throws nothing", throwing(undefined), "HL_EXECUTE_THREW"],
    ["throws something hostile", throwing(hostile), "HL_EXECUTE_THREW"],
    ["rejects with something hostile", () => Promise.reject(hostile), "HL_EXECUTE_THREW"],
    ["throws what cannot be a text", throwing(Object.create(null)), "HL_EXECUTE_THREW"],
    ["returns a text", () => "deny", "HL_OUTPUT_WRONG_TYPE"],
    ["returns a number", () => 5, "HL_OUTPUT_WRONG_TYPE"],
    ["returns a function", () => () => deny("no"), "HL_OUTPUT_WRONG_TYPE"],
    ["returns a promise of a text", async () => "deny", "HL_OUTPUT_WRONG_TYPE"],
    ["returns a hostile object", () => ({ parts: hostile }), "HL_OUTPUT_WRONG_TYPE"],
    ["returns a promise of a hostile object", async () => ({ parts: [hostile] }), "HL_OUTPUT_WRONG_TYPE"],
    [
      "has the message of its error throw",
      throwing(Object.defineProperty(new Error(), "message", { get: throwing(1) })),
      "HL_EXECUTE_THREW",
    ],
  ])("that %s: a gate asks, a guard blocks, an observer fails open; each out loud", async (_what, handler, code) => {
    const project = openProject();
    const hooks = await project.open();
    const off = hooks.on("PreToolUse", { name: "bad" }, handler as never);
    expect((await hooks.fire("PreToolUse", bash("ls"), options)).decision).toBe("ask");
    off();
    hooks.on("PreToolUse", { name: "bad", guard: true }, handler as never);
    expect((await hooks.fire("PreToolUse", bash("ls"), options)).decision).toBe("deny");
    hooks.on("Notification", { name: "bad" }, handler as never);
    expect((await hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }, options)).decision).toBe("none");
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text.includes('"bad"')])).toEqual(
      Array.from({ length: 3 }, () => [code, "error", true]),
    );
  });

  test("that is no arrow function has nothing of the engine as its `this`", async () => {
    const hooks = await openProject().open();
    const seen: unknown[] = [];
    hooks.on("PreToolUse", {}, function (this: unknown) {
      seen.push(this);
    });
    await hooks.fire("PreToolUse", bash("ls"), options);
    expect(seen).toEqual([undefined]);
  });

  test("that fails takes nothing from its neighbours", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, throwing(new Error("boom")) as never);
    hooks.on("PreToolUse", {}, () => deny("no"));
    const verdict = await hooks.fire("PreToolUse", bash("ls"), options);
    expect([verdict.decision, verdict.reasons.map(({ text }) => text)]).toEqual(["deny", ["no"]]);
  });

  test("that changes its input changes nothing of the caller's, two levels down", async () => {
    const hooks = await openProject().open();
    const input = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: { stdout: "out" }, tool_use_id: "1" };
    hooks.on("PostToolUse", {}, (given) => {
      const mine = given as unknown as Record<string, Record<string, unknown>>;
      (mine["tool_input"] as Record<string, unknown>)["command"] = "evil";
      (mine["tool_response"] as Record<string, unknown>)["stdout"] = "evil";
      (mine as Record<string, unknown>)["tool_name"] = "evil";
    });
    await hooks.fire("PostToolUse", input, options);
    expect(input).toEqual({ tool_name: "Bash", tool_input: { command: "ls" }, tool_response: { stdout: "out" }, tool_use_id: "1" });
  });

  test("that never settles ends by its own limit, and its slower neighbour still counts", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { timeoutMs: 50, name: "hangs" }, () => new Promise<undefined>(() => {}));
    hooks.on("PreToolUse", { timeoutMs: 20_000, name: "slow" }, async () => {
      await wait(400);
      return deny("slow no");
    });
    const verdict = await hooks.fire("PreToolUse", bash("ls"), options);
    expect([verdict.decision, verdict.reasons.map(({ text }) => text)]).toEqual(["deny", ["slow no"]]);
    expect(project.codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });

  test("that never settles is dropped when the engine closes", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, () => new Promise<undefined>(() => {}));
    const verdict = hooks.fire("PreToolUse", bash("ls"), options);
    await wait(50);
    const startedAt = performance.now();
    await hooks.close();
    expect((await verdict).decision).toBe("deny");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("gets the whole payload, and a signal", async () => {
    const project = openProject();
    const hooks = await project.open({ commonInput: { permission_mode: "plan" } });
    const seen: unknown[] = [];
    hooks.on("PreToolUse", {}, (input, run) => void seen.push(input, run.signal.aborted));
    await hooks.fire("PreToolUse", { ...bash("ls"), hook_event_name: "Nonsense" } as never, options);
    const common = {
      session_id: "session-1",
      transcript_path: "",
      cwd: project.cwd,
      permission_mode: "plan",
      hook_event_name: "PreToolUse",
    };
    expect(seen).toEqual([{ ...common, ...bash("ls") }, false]);
  });

  test("sees nothing of an earlier firing", async () => {
    const project = openProject();
    const hooks = await project.open();
    const seen: Record<string, unknown>[] = [];
    hooks.on("PreToolUse", {}, (input) => void seen.push(input as unknown as Record<string, unknown>));
    await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "secret" }, tool_use_id: "1" }, options);
    await hooks.fire("PreToolUse", { tool_name: "Bash", cwd: "/tmp", session_id: "other" } as never, options);
    await hooks.fire("PreToolUse", { tool_name: "Bash", toString: "x", tool_use_id: "2" } as never, options);
    expect(JSON.stringify(seen[1])).not.toContain("secret");
    expect(seen[1]?.["tool_use_id"]).toBeUndefined();
    expect(seen[1]).toMatchObject({ cwd: "/tmp", session_id: "other" });
    expect(seen[2]).toMatchObject({ toString: "x", tool_use_id: "2", cwd: project.cwd });
    expect(seen[2]?.["tool_input"]).toBeUndefined();
  });

  test("that says a lot has its text spilled", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => context("x".repeat(50_000)));
    const { contexts } = await hooks.fire("PreToolUse", bash("ls"), options);
    expect(contexts[0]?.text.length).toBeLessThan(3_000);
    expect(contexts[0]?.text).toContain("<persisted-output>");
  });

  test("may take hooks away, itself included, while the event is worked on: the next event has them no more", async () => {
    const hooks = await openProject().open();
    const calls: string[] = [];
    const offs = ["a", "b"].map((name) =>
      hooks.on("PreToolUse", { name }, () => {
        calls.push(name);
        for (const off of offs) off();
      }),
    );
    await hooks.fire("PreToolUse", bash("ls"), options);
    expect([calls, hooks.has("PreToolUse")]).toEqual([["a", "b"], false]);
    await hooks.fire("PreToolUse", bash("ls"), options);
    expect(calls).toEqual(["a", "b"]);
  });
});

test("functions that are synchronous give a plain verdict", async () => {
  const hooks = await openProject().open();
  hooks.on("PreToolUse", {}, () => deny("no"));
  expect(hooks.fire("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny" });
  expect(hooks.fire("Stop", {})).toMatchObject({ decision: "none" });
});

describe("limits of one firing", () => {
  test("a signal that is aborted already: nothing runs, and a guard blocks", async () => {
    const project = openProject();
    const hooks = await project.open();
    let calls = 0;
    hooks.on("PreToolUse", { guard: true }, () => void calls++);
    const verdict = await hooks.fire("PreToolUse", bash("ls"), { signal: AbortSignal.abort() });
    expect([verdict.decision, calls, project.codes()]).toEqual(["deny", 0, ["HL_EXECUTE_ABORTED"]]);
  });

  test("a signal while a function runs ends the wait for it, and the function is told", async () => {
    const hooks = await openProject().open();
    const controller = new AbortController();
    let heard = false;
    hooks.on("PreToolUse", { guard: true }, (_input, { signal }) => {
      signal.addEventListener("abort", () => {
        heard = true;
      });
      setTimeout(() => controller.abort(), 50);
      return new Promise<undefined>(() => {});
    });
    expect([(await hooks.fire("PreToolUse", bash("ls"), { signal: controller.signal })).decision, heard]).toEqual(["deny", true]);
  });

  test("timeoutMs shortens every hook's own limit", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", { guard: true }, () => new Promise<undefined>(() => {}));
    const startedAt = performance.now();
    expect((await hooks.fire("PreToolUse", bash("ls"), { timeoutMs: 50 })).decision).toBe("deny");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(project.codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });
});

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}
