import { describe, expect, it } from "vitest";
import { createSlots } from "./command-runner.ts";
import { timerDelay } from "./limits.ts";
import { ancestryFromEnvironment, ancestryVariables, joinAncestry, NO_ANCESTRY, recursionRefusal } from "./process/read-run-files.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("slots", () => {
  it("are given in the order they were asked for, never more than there are", async () => {
    const slots = createSlots(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (index: number): Promise<void> => {
      const release = await slots.take();
      order.push(index);
      most = Math.max(most, ++running);
      await turn();
      running--;
      release?.();
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => work(index)));
    expect(order).toEqual([...Array(20).keys()]);
    expect(most).toBe(2);
  });

  it("are not taken by one whose signal came while it waited", async () => {
    const slots = createSlots(1);
    const first = await slots.take();
    const controller = new AbortController();
    const second = slots.take(controller.signal);
    const third = slots.take();
    controller.abort();
    expect(await second).toBeUndefined();
    first?.();
    expect(await third).toBeTypeOf("function");
  });

  it("are given back once, however often", async () => {
    const slots = createSlots(1);
    const release = await slots.take();
    release?.();
    release?.();
    await slots.take();
    let isTaken = false;
    void slots.take().then(() => {
      isTaken = true;
    });
    await turn();
    expect(isTaken).toBe(false);
  });
});

describe("recursion", () => {
  it("passes depth and hooks on in the environment, and reads them back", () => {
    const first = ancestryFromEnvironment(ancestryVariables(NO_ANCESTRY, "user:Stop:a,b%"));
    expect(first).toEqual({ depth: 1, hooks: ["user:Stop:a,b%"] });
    expect(ancestryFromEnvironment(ancestryVariables(first, "project:Stop:c"))).toEqual({
      depth: 2,
      hooks: ["user:Stop:a,b%", "project:Stop:c"],
    });
  });

  it.each([
    ["nothing", {}, { depth: 0, hooks: [] }],
    ["nonsense", { HOOKLOOP_DEPTH: "many", HOOKLOOP_CHAIN: "" }, { depth: 0, hooks: [] }],
    ["a negative depth", { HOOKLOOP_DEPTH: "-5" }, { depth: 0, hooks: [] }],
    ["a chain without a depth", { HOOKLOOP_CHAIN: "a" }, { depth: 1, hooks: ["a"] }],
    ["a chain that is not ours", { HOOKLOOP_DEPTH: "1", HOOKLOOP_CHAIN: "%E0%A4%A" }, { depth: 1, hooks: ["%E0%A4%A"] }],
  ])("reads %s", (_, env, expected) => {
    expect(ancestryFromEnvironment(env as Record<string, string>)).toEqual(expected);
  });

  it("is refused from depth 3 on, for every hook", () => {
    expect([0, 1, 2, 3, 4].map((depth) => recursionRefusal({ depth, hooks: [] }, "a")?.kind)).toEqual([
      undefined,
      undefined,
      undefined,
      "could-not-start",
      "could-not-start",
    ]);
  });

  it("is refused for a hook that is in its own ancestry, and only for that one", () => {
    const ancestry = { depth: 1, hooks: ["a"] };
    expect(recursionRefusal(ancestry, "a")?.text).toContain("already running");
    expect(recursionRefusal(ancestry, "b")).toBeUndefined();
  });

  it("is known if either the environment or the processes tell", () => {
    expect(joinAncestry({ depth: 0, hooks: [] }, { depth: 2, hooks: ["a", "b"] })).toEqual({ depth: 2, hooks: ["a", "b"] });
    expect(joinAncestry({ depth: 3, hooks: ["a"] }, { depth: 1, hooks: ["a"] })).toEqual({ depth: 3, hooks: ["a"] });
  });
});

it("a limit that timers cannot hold becomes the longest they can, not none", () => {
  expect([timerDelay(5), timerDelay(-1), timerDelay(2 ** 40), timerDelay(Number.POSITIVE_INFINITY)]).toEqual([
    5, 0, 2147483647, 2147483647,
  ]);
});
