import { expect, test } from "vitest";
import { createInput } from "./run-conversation.ts";

function user(): { readonly one: ReturnType<typeof createInput>; readonly said: string[] } {
  const said: string[] = [];
  return { one: createInput({ say: (text) => said.push(text), giveUp: () => said.push("gave up"), hasHistory: true }), said };
}

test("lines are taken in the order in which they were typed, also those that came early", async () => {
  const { one } = user();
  one.say("a");
  one.say("b");
  expect([await one.next(), await one.next()]).toEqual(["a", "b"]);
  const later = one.next();
  one.say("c");
  expect(await later).toBe("c");
});

test("Ctrl-C once stops the turn, and what waited for it is dropped", async () => {
  const { one } = user();
  let stopped = 0;
  const over = one.onStop(() => stopped++);
  one.say("typed ahead");
  one.interrupt(false);
  over();
  expect(stopped).toBe(1);
  expect(one.leaving.aborted).toBe(false);
  const next = one.next();
  one.say("afterwards");
  expect(await next).toBe("afterwards");
});

test.each(["stop", "interrupt"] as const)("what is dropped by %s is said, in the order in which it was typed", (key) => {
  const { one, said } = user();
  const over = one.onStop(() => {});
  one.say("pwd");
  one.say(`a long one ${"x".repeat(200)}\nwith two lines`);
  one[key](false);
  over();
  expect(said.at(-1)).toMatch(/^2 queued prompts were dropped: "pwd", "a long one x+…"\. The up key brings them back\.$/);
});

test("one prompt that is dropped is said in the singular, and nothing is said where nothing waited", () => {
  const { one, said } = user();
  one.onStop(() => {});
  one.say("pwd");
  one.stop();
  expect(said).toEqual(["Stopping.", '1 queued prompt was dropped: "pwd". The up key brings it back.']);
  const { one: other, said: nothing } = user();
  other.onStop(() => {});
  other.interrupt(false);
  expect(nothing).toEqual(["Stopping. Ctrl-C once more leaves."]);
});

test("Ctrl-C twice leaves, during a turn and without one", async () => {
  for (const isBusy of [true, false]) {
    const { one } = user();
    if (isBusy) one.onStop(() => {});
    const next = one.next();
    one.interrupt(false);
    expect(one.leaving.aborted).toBe(false);
    one.interrupt(false);
    expect(one.leaving.aborted).toBe(true);
    expect(await next).toBeUndefined();
  }
});

test("an interrupt, a line, another interrupt: those are two times once", () => {
  const { one } = user();
  one.interrupt(false);
  one.say("go on");
  one.interrupt(false);
  expect(one.leaving.aborted).toBe(false);
});

test("Ctrl-C on a line that was typed takes away the line and says nothing", () => {
  const { one, said } = user();
  one.interrupt(true);
  expect(said).toEqual([]);
});

test("whoever has left and asks again gets out at once", () => {
  const { one, said } = user();
  one.leave();
  one.leave();
  expect(said).toEqual([]);
  one.interrupt(false);
  expect(said).toEqual(["gave up"]);
});

test("Esc stops the turn and what waited for it, says so once, and never leaves", async () => {
  const { one, said } = user();
  let stopped = 0;
  one.stop();
  expect(said).toEqual([]);
  const over = one.onStop(() => stopped++);
  one.say("typed ahead");
  for (let times = 0; times < 5; times++) one.stop();
  over();
  expect([stopped, said, one.leaving.aborted]).toEqual([1, ["Stopping.", expect.stringContaining("typed ahead")], false]);
  const next = one.next();
  one.say("afterwards");
  expect(await next).toBe("afterwards");
});
