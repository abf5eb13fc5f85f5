import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { onAbort } from "./limits.ts";

it("a signal calls all that wait, and none that left", () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("a"));
  const leave = onAbort(controller.signal, () => called.push("b"));
  onAbort(controller.signal, () => called.push("c"));
  leave();
  controller.abort();
  expect(called).toEqual(["a", "c"]);
});

it("a signal has one listener of ours, however many wait", () => {
  const { signal } = new AbortController();
  for (let index = 0; index < 50; index++) onAbort(signal, () => {});
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});

it("no signal is no problem", () => {
  expect(onAbort(undefined, () => {})()).toBeUndefined();
});

it("a signal that came earlier still counts, once the caller is ready", async () => {
  const controller = new AbortController();
  controller.abort();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("late"));
  expect(called).toEqual([]);
  await Promise.resolve();
  expect(called).toEqual(["late"]);
});
