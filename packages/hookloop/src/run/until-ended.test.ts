import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HookFunction } from "../config/registered-hook.ts";
import { FailedCall, FunctionRun, joinRuns, startFunction } from "./function-runner.ts";
import { untilEnded, withinLimit } from "./limits.ts";
import { sampleHook } from "./sample-hook.test-suite.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const THEN: string = "then";
const never = (): Promise<unknown> => new Promise(() => {});

/** What the functions gave, by place; a failure as its text. */
async function settled(results: unknown[], limits: readonly number[] = []): Promise<readonly unknown[]> {
  const found = results.map((result, index) => {
    const handler = (() => result) as HookFunction;
    return startFunction(sampleHook({ target: { kind: "function", handler }, timeoutMs: limits[index] ?? 30_000 }), {}, {});
  });
  const runs = found.flatMap((one, index) => {
    if (!(one instanceof FunctionRun)) return [];
    one.onEnd = (returned) => {
      found[index] = returned;
    };
    return [one];
  });
  joinRuns(runs);
  const all = await untilEnded(runs, {}, () => [...found]);
  return all.map((one) => (one instanceof FailedCall ? one.failure.text : one));
}

describe("settling results", () => {
  test.each<[string, () => unknown[], readonly unknown[]]>([
    ["values and promises keep their places", () => [1, Promise.resolve(2), undefined, sleep(5, 3)], [1, 2, undefined, 3]],
    ["a rejection fails in its place", () => [Promise.reject(new Error("mine")), Promise.resolve(2)], ["it threw: mine", 2]],
    ["a rejection after a while too", () => [sleep(5, 1), sleep(1).then(() => Promise.reject("late"))], [1, "it threw: late"]],
    ["a thenable is adopted", () => [{ [THEN]: (give: (value: number) => void) => give(4) }], [4]],
    ["a thenable that throws fails", () => [{ [THEN]: () => fail() }, Promise.resolve(2)], ["it threw: mine", 2]],
    ["something posing as a promise fails", () => [Object.create(Promise.prototype), 2], [expect.stringContaining("it threw: "), 2]],
  ])("%s", async (_name, results, expected) => {
    expect(await settled(results())).toEqual(expected);
    await sleep(5);
    expect(unhandled).toEqual([]);
  });

  test("a rejection that comes while another promise is awaited is handled", async () => {
    expect(await settled([sleep(30, 1), Promise.reject(new Error("early"))])).toEqual([1, "it threw: early"]);
    expect(unhandled).toEqual([]);
  });

  test("each hook has its own limit, and an answer beside one that never comes counts", async () => {
    const results = await settled([never(), sleep(60, "in time"), Promise.resolve("at once")], [20, 30_000, 20]);
    expect(results).toEqual(["it did not answer within 20 ms", "in time", "at once"]);
  });

  test("two limits pass one after the other", async () => {
    expect(await settled([never(), never()], [10, 40])).toEqual(["it did not answer within 10 ms", "it did not answer within 40 ms"]);
  });

  test("a promise whose own `then` answers twice cannot speak for the next function", async () => {
    const liar = Object.assign(Promise.resolve("mine"), {
      [THEN]: (give: (value: string) => void) => {
        give("mine");
        give("yours");
      },
    });
    expect(await settled([liar, Promise.resolve("deny")])).toEqual(["mine", "deny"]);
  });

  test("many firings at once are kept apart", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => settled([sleep(index % 3, index), Promise.resolve(-index)])));
    expect(all).toEqual(all.map((_, index) => [index, index === 0 ? -0 : -index]));
  });
});

function fail(): never {
  throw new Error("mine");
}

test("a lazy thenable that takes its time is asked once: asking starts its work", async () => {
  let asked = 0;
  const lazy = {
    [THEN](done: (value: string) => void) {
      asked++;
      setTimeout(() => done("row"), 20);
    },
  };
  expect(await withinLimit({ limitMs: 1000, run: () => lazy })).toEqual({ value: "row" });
  expect(await settled([lazy])).toEqual(["row"]);
  expect(asked).toBe(2);
});
