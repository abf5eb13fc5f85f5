import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { boundCall } from "./open-mcp-servers.ts";

/** A call that ends when it is told to. */
const endless = async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
  await once(signal, "abort");
  throw new Error("aborted");
};

test("a call that takes too long is ended, and the error says how long it had", async () => {
  await expect(boundCall(endless, { isPaused: () => false, limitMs: 30 })).rejects.toThrow("did not answer within 30 ms");
});

test("the limit does not run out while the user is asked, and does once they have answered", async () => {
  let isWaiting = true;
  const startedAt = performance.now();
  const call = boundCall(endless, { isPaused: () => isWaiting, limitMs: 30 });
  const outcome = call.catch((error: Error) => error.message);
  expect(await Promise.race([outcome, sleep(150, "still open")])).toBe("still open");
  isWaiting = false;
  expect(await outcome).toContain("did not answer");
  expect(performance.now() - startedAt).toBeGreaterThan(140);
});

test("whoever called may end it before", async () => {
  const caller = new AbortController();
  const call = boundCall(endless, { isPaused: () => false, signal: caller.signal, limitMs: 5000 });
  caller.abort();
  await expect(call).rejects.toThrow("aborted");
});

test("what the call gives is given", async () => {
  expect(await boundCall(async () => 7, { isPaused: () => false })).toBe(7);
});
