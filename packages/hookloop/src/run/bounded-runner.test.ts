import { describe, expect, test } from "vitest";
import { boundRunner } from "./limits.ts";
import { sampleHook, sampleInput } from "./sample-hook.test-suite.ts";
import { NO_OUTPUT, type RawOutcome, type RunInput, type Runner } from "./types.ts";

const hook = sampleHook({ timeoutMs: 50 });
const run = (runner: Runner, input: Partial<RunInput> = {}): Promise<RawOutcome> => boundRunner(runner)({ hook }, sampleInput(input));
const never = (): Promise<never> => new Promise(() => {});

describe("a runner of the embedding program", () => {
  // Tried again: a busy machine can make one run late.
  test("that never settles is a timeout, within the limit and a second", { retry: 2 }, async () => {
    const startedAt = performance.now();
    const outcome = await run(never);
    expect(outcome.failure?.kind).toBe("timeout");
    expect(performance.now() - startedAt).toBeLessThan(1050);
    expect(outcome.durationMs).toBeGreaterThan(40);
  });

  test("is told at the limit, and its own word counts if it comes soon", async () => {
    const outcome = await run(async (selected, { signal }) => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      return { ...NO_OUTPUT, hook: selected.hook, failure: { kind: "timeout", text: "gave up" } };
    });
    expect(outcome.failure).toEqual({ kind: "timeout", text: "gave up" });
  });

  test("that ignores the signal is cancelled all the same", async () => {
    const controller = new AbortController();
    const running = boundRunner(never)({ hook: sampleHook({ timeoutMs: 60_000 }) }, sampleInput({ signal: controller.signal }));
    controller.abort();
    expect((await running).failure?.kind).toBe("aborted");
  });

  test.each([
    ["throws", () => Promise.reject(new Error("broken"))],
    [
      "throws at once",
      () => {
        throw new Error("broken");
      },
    ],
    ["gives nothing", async () => undefined as never],
  ] as [string, Runner][])("that %s has failed, and the loop gets an outcome", async (_what, runner) => {
    expect(await run(runner)).toMatchObject({ failure: { kind: "threw" }, hook, stdout: "" });
  });

  test("that gives half an outcome gives a whole one", async () => {
    expect(await run(async () => ({ stdout: "x" }) as never)).toEqual({ ...NO_OUTPUT, hook, stdout: "x" });
  });

  test("whose background part never ends is dropped when the session closes", async () => {
    const controller = new AbortController();
    const outcome = await run(async (selected) => ({ ...NO_OUTPUT, hook: selected.hook, continues: never() }), {
      signal: controller.signal,
    });
    controller.abort();
    expect((await outcome.continues)?.failure?.kind).toBe("aborted");
  });
});
