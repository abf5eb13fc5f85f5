import { expect, it } from "vitest";
import type { AdmittedHook } from "../trust/types.ts";
import { sampleInput } from "./sample-hook.test-suite.ts";
import type { RawOutcome, Runner } from "./types.ts";

/** One hook per behaviour, in the words of the runner's own kind. */
export interface RunnerSubject {
  readonly runner: Runner;
  readonly hooks: {
    /** Answers with the text `answer`. */
    readonly answers: AdmittedHook;
    /** Answers with the number of characters of `tool_input.command`. */
    readonly measures: AdmittedHook;
    /** Answers with at least 900,000 letters. */
    readonly answersLong: AdmittedHook;
    /** Never ends by itself. */
    readonly hangs: AdmittedHook;
    /** Fails in the worst way its kind knows. */
    readonly breaks: AdmittedHook;
    /** Is of another kind. */
    readonly foreign: AdmittedHook;
  };
  /** What the user would read as the answer. */
  readonly answerOf: (outcome: RawOutcome) => string;
  /** How `breaks` fails. */
  readonly breaksWith: NonNullable<RawOutcome["failure"]>["kind"];
}

/** The rules every runner keeps. */
export function runnerContract({ runner, hooks, answerOf, breaksWith }: RunnerSubject): void {
  it("gives the answer of a hook that ends well, and no failure", async () => {
    const outcome = await runner({ hook: hooks.answers }, sampleInput());
    expect(answerOf(outcome)).toBe("answer");
    expect(outcome.failure).toBeUndefined();
    expect(outcome.hook).toBe(hooks.answers);
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  it("passes four million characters of input whole", async () => {
    const input = { tool_input: { command: "x".repeat(4_000_000) } };
    expect(answerOf(await runner({ hook: hooks.measures }, sampleInput({ input })))).toBe("4000000");
  });

  it("keeps a long answer whole", async () => {
    const outcome = await runner({ hook: hooks.answersLong }, sampleInput());
    expect(answerOf(outcome).length).toBeGreaterThanOrEqual(900_000);
    expect(outcome.isTruncated).toBe(false);
  });

  it("ends a hook that never does at the hook's own limit", async () => {
    const outcome = await runner({ hook: { ...hooks.hangs, timeoutMs: 200 } }, sampleInput());
    expect(outcome.failure).toEqual({ kind: "timeout", text: expect.stringContaining("200 ms") });
  });

  it("ends it at the caller's limit if that is shorter", async () => {
    const outcome = await runner({ hook: hooks.hangs }, sampleInput({ timeoutMs: 150 }));
    expect(outcome.failure).toEqual({ kind: "timeout", text: expect.stringContaining("150 ms") });
  });

  it("does not take a longer limit of the caller", async () => {
    const outcome = await runner({ hook: { ...hooks.hangs, timeoutMs: 150 } }, sampleInput({ timeoutMs: 60_000 }));
    expect(outcome.failure?.text).toContain("150 ms");
  });

  it("ends it when the caller's signal comes", async () => {
    const controller = new AbortController();
    const running = runner({ hook: hooks.hangs }, sampleInput({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 150);
    expect((await running).failure?.kind).toBe("aborted");
  });

  it("does not start a hook whose signal came before", async () => {
    const outcome = await runner({ hook: hooks.answers }, sampleInput({ signal: AbortSignal.abort() }));
    expect(outcome.failure?.kind).toBe("aborted");
    expect(answerOf(outcome)).not.toBe("answer");
  });

  it("turns the worst failure of its kind into an outcome", async () => {
    const outcome = await runner({ hook: hooks.breaks }, sampleInput());
    expect(outcome.failure?.kind).toBe(breaksWith);
    expect(outcome.failure?.text).toMatch(/\S/);
  });

  it("says so if it is given a hook of another kind", async () => {
    const outcome = await runner({ hook: hooks.foreign }, sampleInput());
    expect(outcome.failure).toEqual({ kind: "could-not-start", text: expect.stringContaining(`${hooks.foreign.target.kind} hook`) });
  });

  it("has every field of an outcome whatever happened", async () => {
    for (const hook of [hooks.answers, hooks.breaks, hooks.foreign]) {
      expect(await runner({ hook }, sampleInput())).toMatchObject({
        durationMs: expect.any(Number),
        stdout: expect.any(String),
        stderr: expect.any(String),
        isTruncated: false,
        pipesHeld: false,
        isBinary: false,
      });
    }
  });
}
