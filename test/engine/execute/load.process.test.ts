import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createCommandRunner, createSlots } from "../../../packages/hookloop/src/run/command-runner.ts";
import { sampleHook, sampleInput } from "../../../packages/hookloop/src/run/sample-hook.test-suite.ts";
import { PORTS, runLine, temporaryFolder } from "./processes.ts";

it("200 parallel calls with 5 gates each are all decided, at most 8 at a time", async () => {
  const folder = temporaryFolder();
  const log = path.join(folder, "log");
  appendFileSync(log, "");
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  const runner = createCommandRunner(PORTS);
  const controller = new AbortController();
  const gates = Array.from({ length: 5 }, (_, index) =>
    sampleHook({
      id: `gate-${index}`,
      timeoutMs: 5000,
      target: { kind: "command", command: 'echo + >> "$LOG"; echo decided; echo - >> "$LOG"', shell: "sh" },
    }),
  );
  const input = sampleInput({ env: { LOG: log }, signal: controller.signal });
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => gates.map((hook) => runner({ hook }, input))).flat());
  process.off("warning", note);

  expect(outcomes).toHaveLength(1000);
  expect(outcomes.filter(({ stdout, failure }) => stdout !== "decided\n" || failure)).toEqual([]);
  let running = 0;
  let most = 0;
  for (const mark of readFileSync(log, "utf8").trim().split("\n")) {
    running += mark === "+" ? 1 : -1;
    most = Math.max(most, running);
  }
  expect(running).toBe(0);
  expect(most).toBeLessThanOrEqual(8);
  expect(warnings).toEqual([]);
}, 60_000);

it("time spent waiting for a turn does not count against a hook's limit", async () => {
  const slots = createSlots(1);
  const runs = Array.from({ length: 5 }, () => runLine({ line: "sleep 0.4; echo decided", hook: { timeoutMs: 1500 }, ports: { slots } }));
  const ends = await Promise.all(runs);
  expect(ends.map(({ outcome }) => outcome.stdout)).toEqual(Array(5).fill("decided\n"));
  expect(Math.max(...ends.map(({ elapsedMs }) => elapsedMs))).toBeGreaterThan(1900);
  expect(Math.max(...ends.map(({ outcome }) => outcome.durationMs))).toBeLessThan(1500);
}, 30_000);

it("eight long hooks in the background keep no gate waiting", async () => {
  const controller = new AbortController();
  const runner = createCommandRunner(PORTS);
  const background = sampleHook({ isAsync: true, target: { kind: "command", command: "sleep 100", shell: "sh" } });
  const running = Array.from({ length: 9 }, () => runner({ hook: background }, sampleInput({ signal: controller.signal })));
  const gate = sampleHook({ target: { kind: "command", command: "echo decided", shell: "sh" } });
  expect((await runner({ hook: gate }, sampleInput())).stdout).toBe("decided\n");
  controller.abort();
  await Promise.all(running);
});
