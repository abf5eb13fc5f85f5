import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSlots } from "../../../packages/hookloop/src/run/command-runner.ts";
import { liveGroup, readIfThere, runLine, temporaryFolder, until } from "./processes.ts";

const MARK = 'echo $$ > "$F/group"; ';

describe("a run that is cancelled", () => {
  it("before it starts has no process", async () => {
    const { outcome, file } = await runLine({ line: 'touch "$F/ran"', input: { signal: AbortSignal.abort() } });
    await wait(100);
    expect(outcome.failure?.kind).toBe("aborted");
    expect(file("ran")).toBeUndefined();
  });

  it("while it runs leaves nothing of its group, even if it ignores SIGTERM", async () => {
    const controller = new AbortController();
    const running = runLine({
      line: `${MARK}trap '' TERM; sleep 100 & while :; do sleep 0.05; done`,
      input: { signal: controller.signal },
    });
    await wait(300);
    const abortedAt = performance.now();
    controller.abort();
    const { outcome, file } = await running;
    // Left alone it would run for ever; a busy machine takes some seconds.
    expect(performance.now() - abortedAt).toBeLessThan(10_000);
    expect(outcome.failure?.kind).toBe("aborted");
    expect(liveGroup(Number(file("group")))).toEqual([]);
  });

  it("while output is still awaited leaves nothing of its group", async () => {
    const controller = new AbortController();
    const running = runLine({
      line: `${MARK}sleep 100 & echo answer`,
      input: { signal: controller.signal },
      ports: { limits: { drainMs: 1500 } },
    });
    await wait(500);
    controller.abort();
    const { outcome, file } = await running;
    expect(outcome).toMatchObject({ failure: { kind: "aborted" }, exitCode: 0 });
    expect(liveGroup(Number(file("group")))).toEqual([]);
  });

  it("twice, and by its limit as well, has one outcome: the first reason", async () => {
    const controller = new AbortController();
    const running = runLine({
      line: "trap '' TERM; while :; do sleep 0.05; done",
      hook: { timeoutMs: 350 },
      input: { signal: controller.signal },
    });
    await wait(250);
    controller.abort();
    controller.abort();
    expect((await running).outcome.failure?.kind).toBe("aborted");
  });

  it("after its limit has come is still a timeout", async () => {
    const controller = new AbortController();
    const told = `${temporaryFolder()}/told`;
    const running = runLine({
      // The limit has come when it is told to end; it stays until it is killed.
      line: "trap 'echo told > \"$TOLD\"' TERM; while :; do sleep 0.05; done",
      env: { TOLD: told },
      hook: { timeoutMs: 150 },
      input: { signal: controller.signal },
    });
    // On a busy machine it may be ended before it has begun.
    await Promise.race([until(() => readIfThere(told) !== undefined), running]);
    controller.abort();
    expect((await running).outcome.failure?.kind).toBe("timeout");
  });

  it("while it waits for its turn never starts", async () => {
    const slots = createSlots(1);
    const release = await slots.take();
    const controller = new AbortController();
    const running = runLine({ line: 'touch "$F/ran"', input: { signal: controller.signal }, ports: { slots } });
    controller.abort();
    const { outcome, folder } = await running;
    release?.();
    await wait(100);
    expect(outcome.failure?.kind).toBe("aborted");
    expect(readIfThere(`${folder}/ran`)).toBeUndefined();
  });

  it("after its outcome changes nothing", async () => {
    const controller = new AbortController();
    const { outcome } = await runLine({ line: "echo done", input: { signal: controller.signal } });
    controller.abort();
    await wait(50);
    expect(outcome).toMatchObject({ failure: undefined, stdout: "done\n" });
  });
});

it("no rejection and no error of a cancelled run reaches the host", async () => {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", note);
  process.on("uncaughtExceptionMonitor", note);
  const payload = { input: { tool_input: { command: "x".repeat(4_000_000) } } };
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), index * 20);
      await runLine({ line: "sleep 100", input: { ...payload, signal: controller.signal } });
    }),
  );
  await until(() => true);
  process.off("unhandledRejection", note);
  process.off("uncaughtExceptionMonitor", note);
  expect(seen).toEqual([]);
});
