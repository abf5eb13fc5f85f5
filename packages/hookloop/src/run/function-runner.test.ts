import vm from "node:vm";
import { describe, expect, it } from "vitest";
import type { HookFunction } from "../config/registered-hook.ts";
import { runnerContract } from "./contract.test-suite.ts";
import { dataCopy, frozenCopy } from "./data-copy.ts";
import { FailedCall, FunctionRun, joinRuns, startFunction } from "./function-runner.ts";
import { untilEnded } from "./limits.ts";
import { sampleHook, sampleInput } from "./sample-hook.test-suite.ts";
import { limitOf, NO_OUTPUT, type RawOutcome, type RunInput, type Runner } from "./types.ts";

type Loose = (input: { tool_input: { command: string } }) => unknown;

function hookOf(handler: Loose, timeoutMs = 5000): ReturnType<typeof sampleHook> {
  return sampleHook({ target: { kind: "function", handler: handler as unknown as HookFunction }, timeoutMs });
}

/** A function as a runner of its own would run it. */
function functionRunner(isolate = false): Runner {
  return async ({ hook }, input) => {
    const signals = { caller: input.signal };
    const startedAt = performance.now();
    let returned = startFunction(hook, (isolate ? frozenCopy : dataCopy)(input.input), signals);
    if (returned instanceof FunctionRun) {
      const open = returned;
      open.limitMs = limitOf(hook, input);
      open.onEnd = (value) => {
        returned = value;
      };
      joinRuns([open]);
      await untilEnded([open], signals, () => undefined);
    }
    const how = returned instanceof FailedCall ? { failure: returned.failure } : { returned };
    return { ...NO_OUTPUT, ...how, hook, durationMs: performance.now() - startedAt };
  };
}

function run(handler: Loose, input: Partial<RunInput> = {}, isolate = false): Promise<RawOutcome> {
  return functionRunner(isolate)({ hook: hookOf(handler, 200) }, sampleInput(input));
}

type Then = (done: (value: unknown) => void) => void;

function thenable(then: Then, target: object = {}): object {
  // biome-ignore lint/suspicious/noThenProperty: thenables are what these tests are about.
  return Object.defineProperty(target, "then", { value: then });
}

function trap(text: string): never {
  throw new Error(text);
}

describe("the contract of runners", () => {
  runnerContract({
    runner: functionRunner(),
    hooks: {
      answers: hookOf(() => "answer"),
      measures: hookOf(async ({ tool_input }) => String(tool_input.command.length)),
      answersLong: hookOf(async () => "x".repeat(900_000)),
      hangs: hookOf(() => new Promise(() => {})),
      breaks: hookOf(() => {
        throw new Error("broken");
      }),
      foreign: sampleHook(),
    },
    answerOf: ({ returned }) => String(returned),
    breaksWith: "threw",
  });
});

it("the signal that a function was given is aborted when its limit passes, also if it asks for it later", async () => {
  const runs: { readonly signal: AbortSignal }[] = [];
  const hangs = (asks: boolean) => (_: unknown, run: { readonly signal: AbortSignal }) => {
    runs.push(run);
    if (asks) expect(run.signal.aborted).toBe(false);
    return new Promise(() => {});
  };
  for (const asks of [true, false]) expect((await run(hangs(asks) as unknown as Loose)).failure?.kind).toBe("timeout");
  expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

describe("whatever a function does is in the outcome", () => {
  const unreadable = Object.defineProperty({}, "message", {
    get: () => {
      throw new Error("no");
    },
  });
  const failures: [string, Loose, string][] = [
    [
      "throws an error",
      () => {
        throw new Error("no luck");
      },
      "no luck",
    ],
    [
      "throws a string",
      () => {
        throw "plain";
      },
      "plain",
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      "undefined",
    ],
    [
      "throws what cannot be read",
      () => {
        throw unreadable;
      },
      "cannot be shown",
    ],
    ["rejects", () => Promise.reject(new Error("later")), "later"],
    ["answers with a thenable whose then throws", () => thenable(() => trap("bad then")), "bad then"],
    ["answers with an object whose then cannot be read", () => new Proxy({}, { get: () => trap("unreadable") }), "unreadable"],
    ["resolves with a proxy that throws", () => thenable((done) => done(new Proxy({}, { get: () => trap("deep") }))), "deep"],
    ["throws an error of another realm", () => vm.runInNewContext("throw new TypeError('foreign')"), "foreign"],
  ];
  it.each(failures)("%s", async (_, handler, text) => {
    expect((await run(handler)).failure).toEqual({ kind: "threw", text: expect.stringContaining(text) });
  });

  it("awaits a promise of another realm", async () => {
    expect((await run(() => vm.runInNewContext("Promise.resolve('from afar')"))).returned).toBe("from afar");
  });

  it("awaits a thenable that is a function", async () => {
    expect(
      (
        await run(() =>
          thenable(
            (done) => done("called"),
            () => {},
          ),
        )
      ).returned,
    ).toBe("called");
  });

  it("drops a rejection that comes after the limit, without an unhandled one", async () => {
    const seen: unknown[] = [];
    const note = (reason: unknown): void => void seen.push(reason);
    process.on("unhandledRejection", note);
    const outcome = await run(() => new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), 260)));
    await new Promise((resolve) => setTimeout(resolve, 150));
    process.off("unhandledRejection", note);
    expect(outcome.failure?.kind).toBe("timeout");
    expect(seen).toEqual([]);
  });

  it("takes a limit longer than timers can hold as the longest they can", async () => {
    const hook = hookOf(() => new Promise((resolve) => setTimeout(resolve, 50, "slow")), Number.POSITIVE_INFINITY);
    expect((await functionRunner()({ hook }, sampleInput())).returned).toBe("slow");
  });
});

describe("the input of a function", () => {
  const change: Loose = (input) => {
    Object.assign(input, { added: true });
    input.tool_input.command = "changed";
    return "done";
  };

  it("is a copy: changes do not reach the caller, on no level", async () => {
    const input = { tool_input: { command: "ls", edits: [{ line: 1 }] } };
    expect((await run(change, { input })).returned).toBe("done");
    await run((given) => void Reflect.set((given.tool_input as unknown as typeof input.tool_input).edits[0] ?? {}, "line", 2), { input });
    expect(input).toEqual({ tool_input: { command: "ls", edits: [{ line: 1 }] } });
  });

  it("is frozen with isolate: changing it is a failure, and the caller's objects stay unfrozen", async () => {
    const input = { tool_input: { command: "ls", edits: [{ line: 1 }] } };
    expect((await run(change, { input }, true)).failure?.kind).toBe("threw");
    const deep: Loose = ({ tool_input }) => ((tool_input as unknown as typeof input.tool_input).edits[0] as { line: number }).line++;
    expect((await run(deep, { input }, true)).failure?.kind).toBe("threw");
    expect(input).toEqual({ tool_input: { command: "ls", edits: [{ line: 1 }] } });
    expect(Object.isFrozen(input.tool_input)).toBe(false);
  });

  it("may have cycles", () => {
    const input: Record<string, unknown> = { name: "a" };
    input["self"] = input;
    for (const copy of [frozenCopy(input), dataCopy(input)] as Record<string, unknown>[]) {
      expect(copy["self"]).toBe(copy);
      expect(copy).not.toBe(input);
    }
  });

  it("keeps a field called __proto__ a field", () => {
    const input = JSON.parse('{"a": {"__proto__": {"allowed": true}}}');
    for (const copy of [dataCopy(input), frozenCopy(input)] as { a: { allowed?: boolean } }[]) {
      expect(Object.keys(copy.a)).toEqual(["__proto__"]);
      expect(copy.a.allowed).toBeUndefined();
    }
  });

  it("has copies of dates, maps and sets, and of objects at any depth", () => {
    const deepest = { value: 1 };
    let nested: object = deepest;
    for (let level = 0; level < 200; level++) nested = { nested };
    const input = { date: new Date(0), map: new Map([["a", { b: 1 }]]), set: new Set([{ c: 1 }]), nested };
    for (const copy of [dataCopy(input), frozenCopy(input)] as (typeof input)[]) {
      expect(copy).toStrictEqual(input);
      copy.date.setFullYear(1999);
      Object.assign(copy.map.get("a") ?? {}, { b: 2 });
      for (const one of copy.set) one.c = 2;
      expect([input.date.getTime(), input.map.get("a"), [...input.set]]).toEqual([0, { b: 1 }, [{ c: 1 }]]);
    }
  });

  it("hands on what is more than data, and what is kept under a symbol", () => {
    const { signal } = new AbortController();
    const own = Symbol("own");
    for (const copy of [dataCopy({ signal, [own]: signal }), frozenCopy({ signal, [own]: signal })] as Record<symbol | string, unknown>[])
      expect([copy["signal"], copy[own]]).toEqual([signal, signal]);
  });
});
