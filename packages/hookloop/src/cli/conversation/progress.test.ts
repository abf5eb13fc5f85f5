import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userWho } from "./scripted-user.test-suite.ts";
import { askingScreen, createProgress, type Progress } from "./show-steps.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

function watched(): { readonly progress: Progress; readonly last: () => string | undefined } {
  const seen: (string | undefined)[] = [];
  const screen = { setProgress: (text: string | undefined) => void seen.push(text) };
  return { progress: createProgress({ screen, hookOf: () => undefined, shorten: (text) => text }), last: () => seen.at(-1) };
}

test("seconds are counted while something works, and not while a question is open", async () => {
  const { progress, last } = watched();
  const done = progress.start("working");
  vi.advanceTimersByTime(2500);
  expect(last()).toBe("… working 2 s");
  let answer = (_text: string): void => {};
  const { screen } = userWho();
  const asked = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const given = askingScreen({ ...screen, ask: () => asked }, progress).ask("Allow it?");
  vi.advanceTimersByTime(60_000);
  answer("y");
  expect(await given).toBe("y");
  expect(last()).toBe("… working 2 s");
  vi.advanceTimersByTime(1000);
  expect(last()).toBe("… working 3 s");
  done();
  expect(last()).toBeUndefined();
});

test("what began while a question was open counts from its end on", async () => {
  const { progress, last } = watched();
  let answer = (): void => {};
  const given = progress.notCounted(
    new Promise<void>((resolve) => {
      answer = resolve;
    }),
  );
  vi.advanceTimersByTime(10_000);
  progress.start("working");
  vi.advanceTimersByTime(10_000);
  answer();
  await given;
  vi.advanceTimersByTime(1500);
  expect(last()).toBe("… working 1 s");
});
