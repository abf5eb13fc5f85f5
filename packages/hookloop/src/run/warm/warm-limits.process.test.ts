import { spawnSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { createCommandRunner } from "../command-runner.ts";
import { hookFolder, programFromSource } from "../module/host-from-source.test-suite.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { createWarmPool } from "./warm-pool.ts";

const folder = hookFolder();
const pool = createWarmPool({ run: runProgram, script: await programFromSource("../warm/warm-process.ts") });
const run = createCommandRunner({ environment: { PATH: process.env["PATH"] ?? "" }, version: "0", run: pool.run });
afterAll(() => pool.close());

function hookOf(name: string, text: string): AdmittedHook {
  const command = `node "${folder.write(name, text)}"`;
  return sampleHook({ target: { kind: "command", command, shell: "sh" }, fields: { warm: true } });
}

/** The processes that three runs, one after the other, had. */
async function processesOf(hook: AdmittedHook): Promise<number> {
  const pids = new Set<string>();
  for (let round = 0; round < 3; round++) pids.add((await run({ hook }, sampleInput())).stdout.trim());
  return pids.size;
}

it("a process that took 300 MB is replaced; one that did not is kept", async () => {
  expect(await processesOf(hookOf("small.mjs", "console.log(process.pid);"))).toBe(1);
  expect(await processesOf(hookOf("large.mjs", "globalThis.kept = Buffer.alloc(320 * 1024 * 1024, 1);\nconsole.log(process.pid);"))).toBe(
    3,
  );
});

it("a script that prints without end is ended, and its next run is right", async () => {
  const flood = hookOf(
    "flood.mjs",
    `import fs from "node:fs";
const { tool_input } = JSON.parse(fs.readFileSync(0, "utf8"));
const line = "x".repeat(65_536);
if (tool_input.command === "flood") for (;;) fs.writeSync(1, line);
console.log("calm");`,
  );
  const ask = (command: string) =>
    run(
      { hook: flood },
      sampleInput({ input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } }, timeoutMs: 20_000 }),
    );
  expect((await ask("flood")).failure).toMatchObject({ kind: "flood" });
  expect(await ask("ls")).toMatchObject({ stdout: "calm\n" });
});

it('a script whose first line is {"async": true} is not waited for, and its end comes later', async () => {
  const hook = hookOf("later.mjs", `console.log('{"async": true}');\nsetTimeout(() => console.log('{"later": 1}'), 400);`);
  await run(
    { hook: hookOf("later.mjs", `console.log('{"async": true}');\nsetTimeout(() => console.log('{"later": 1}'), 400);`) },
    sampleInput(),
  );
  const seen: string[] = [];
  const readFirstLine = (line: string): { timeoutMs: number } => {
    seen.push(line.trim());
    return { timeoutMs: 5_000 };
  };
  const { continues, durationMs, stdout } = await run({ hook }, { ...sampleInput(), readFirstLine });
  expect(seen).toEqual(['{"async": true}']);
  expect(stdout.trim()).toBe('{"async": true}');
  expect(durationMs).toBeLessThan(400);
  expect(await continues).toMatchObject({ isFromBackground: true, exitCode: 0, stdout: '{"async": true}\n{"later": 1}\n' });
});

it("a script that goes on for ever after its exit is ended, and its next run is right", async () => {
  const hook = hookOf("stays.mjs", `console.log("out");\ntry { process.exit(3); } catch {}\nfor (;;);`);
  for (let round = 0; round < 2; round++) expect(await run({ hook }, sampleInput())).toMatchObject({ stdout: "out\n", exitCode: 3 });
});

it("a run that waits for the one before to be put back keeps the program alive", async () => {
  const program = await programFromSource("../warm/hold-warm.test-suite.ts");
  const script = folder.write("calm.mjs", "console.log(1);");
  const warm = await programFromSource("../warm/warm-process.ts");
  const { status, stdout } = spawnSync(process.execPath, [program, warm, script], { encoding: "utf8", timeout: 60_000 });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "40" });
});
