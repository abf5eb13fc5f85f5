import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSlots } from "../../../packages/hookloop/src/run/command-runner.ts";
import type { RawOutcome, RunInput } from "../../../packages/hookloop/src/run/types.ts";
import { liveGroup, runLine, type ShellEnd } from "./processes.ts";

const BACKGROUND: Partial<RunInput> = { readFirstLine: (line) => (line === '{"go":1}' ? {} : undefined) };
const MARK = 'echo $$ > "$F/group"; ';

function end({ outcome }: ShellEnd): Promise<RawOutcome> {
  if (!outcome.continues) throw new Error("it is not in the background");
  return outcome.continues;
}

describe("a hook whose first line asks for the background", () => {
  it("is not waited for, and its end comes later with everything it printed", async () => {
    const run = await runLine({
      line: `echo '{"go":1}'; until [ -e "$F/go" ]; do sleep 0.02; done; echo later; exit 3`,
      input: BACKGROUND,
    });
    expect([run.outcome.failure, run.outcome.exitCode]).toEqual([undefined, null]);
    writeFileSync(`${run.folder}/go`, "");
    expect(await end(run)).toMatchObject({ failure: undefined, exitCode: 3, stdout: '{"go":1}\nlater\n', isFromBackground: true });
  });

  it("may leave the line open", async () => {
    const run = await runLine({ line: `printf '{"go":1}'; sleep 0.3; echo`, input: BACKGROUND });
    expect(run.elapsedMs).toBeLessThan(5000);
    expect((await end(run)).exitCode).toBe(0);
  });

  it("is there even if it ends at once", async () => {
    const run = await runLine({ line: `echo '{"go":1}'; echo done`, input: BACKGROUND });
    expect(await end(run)).toMatchObject({ stdout: '{"go":1}\ndone\n', exitCode: 0 });
  });

  it("has the time it asks for, from then on", async () => {
    const input: Partial<RunInput> = { readFirstLine: () => ({ timeoutMs: 300 }) };
    const run = await runLine({ line: `${MARK}echo '{"go":1}'; sleep 100`, input, hook: { timeoutMs: 60_000 } });
    const last = await end(run);
    expect(last.failure?.kind).toBe("timeout");
    expect(last.durationMs).toBeLessThan(10_000);
    expect(liveGroup(Number(run.file("group")))).toEqual([]);
  });

  it("is not held to the shorter limit of the event", async () => {
    const run = await runLine({ line: `echo '{"go":1}'; sleep 1; echo late`, input: { ...BACKGROUND, timeoutMs: 500 } });
    expect(await end(run)).toMatchObject({ failure: undefined, stdout: '{"go":1}\nlate\n' });
  });

  it("ends when the signal comes", async () => {
    const controller = new AbortController();
    const run = await runLine({
      line: `${MARK}trap '' TERM; echo '{"go":1}'; while :; do sleep 0.05; done`,
      input: { ...BACKGROUND, signal: controller.signal },
    });
    controller.abort();
    expect((await end(run)).failure?.kind).toBe("aborted");
    expect(liveGroup(Number(run.file("group")))).toEqual([]);
  });

  it("gives its place to others", async () => {
    const slots = createSlots(1);
    const first = await runLine({ line: `echo '{"go":1}'; sleep 1`, input: BACKGROUND, ports: { slots } });
    const second = await runLine({ line: "echo now", ports: { slots } });
    expect(second.outcome.stdout).toBe("now\n");
    await end(first);
  });
});

describe("a hook stays in the foreground", () => {
  it.each([
    ["with another first line", `echo '{"other":1}'; echo '{"go":1}'`, BACKGROUND],
    ["with the line as its second", `echo text; echo '{"go":1}'`, BACKGROUND],
    ["where it is not asked for", `echo '{"go":1}'`, {}],
  ])("%s", async (_what, line, input) => {
    const { outcome } = await runLine({ line, input });
    expect([outcome.continues, outcome.exitCode]).toEqual([undefined, 0]);
  });
});
