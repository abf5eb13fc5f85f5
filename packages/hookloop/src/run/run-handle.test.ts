import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { RunHandle } from "./limits.ts";

test("comes when either comes, and at once if one came before", () => {
  for (const which of [0, 1]) {
    const controllers = [new AbortController(), new AbortController()] as const;
    const { signal } = new RunHandle({ caller: controllers[0].signal, closing: controllers[1].signal });
    expect(signal.aborted).toBe(false);
    controllers[which as 0].abort();
    expect(signal.aborted).toBe(true);
  }
  expect(new RunHandle({ caller: AbortSignal.abort(), closing: new AbortController().signal }).signal.aborted).toBe(true);
});

test("after release it gets no more events, and a long-lived signal keeps no reference to it", () => {
  const long = new AbortController();
  for (let index = 0; index < 1000; index++) {
    const handle = new RunHandle({ caller: long.signal, closing: new AbortController().signal });
    const { signal } = handle;
    handle.release();
    if (index === 999) {
      long.abort();
      expect(signal.aborted).toBe(false);
    }
  }
  expect(getEventListeners(long.signal, "abort").length).toBeLessThanOrEqual(1);
});
