import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeHook } from "../judge/outcome.test-suite.ts";
import { Failed, isThenable, settleResults } from "./fire-functions.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const THEN: string = "then";
const never = (): Promise<unknown> => new Promise(() => {});

/** The settled results; a failure as its text. */
async function settled(results: unknown[], limits: readonly number[] = []): Promise<readonly unknown[]> {
  const hooks = results.map((_, index) => makeHook({ order: index, timeoutMs: limits[index] ?? 30_000 }));
  const all = await settleResults(hooks, results, () => [...results]);
  return all.map((result) => (result instanceof Failed ? result.failure.text : result));
}

describe("settling results", () => {
  test.each<[string, () => unknown[], readonly unknown[]]>([
    ["values and promises keep their places", () => [1, Promise.resolve(2), undefined, sleep(5, 3)], [1, 2, undefined, 3]],
    ["a rejection fails in its place", () => [Promise.reject(new Error("mine")), Promise.resolve(2)], ["it threw: mine", 2]],
    ["a rejection after a while too", () => [sleep(5, 1), sleep(1).then(() => Promise.reject("late"))], [1, "it threw: late"]],
    ["a thenable is adopted", () => [{ [THEN]: (give: (value: number) => void) => give(4) }], [4]],
    ["a thenable that throws fails", () => [{ [THEN]: () => fail() }, Promise.resolve(2)], ["it threw: mine", 2]],
    [
      "something posing as a promise fails",
      () => [Object.create(Promise.prototype), 2],
      ["it returned a promise that cannot be awaited", 2],
    ],
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

  test("what throws when looked at is no promise", () => {
    expect(
      isThenable({
        get [THEN](): never {
          return fail();
        },
      }),
    ).toBe(false);
  });
});

function fail(): never {
  throw new Error("mine");
}
