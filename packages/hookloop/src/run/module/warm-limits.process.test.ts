import { spawnSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { createCommandRunner } from "../command-runner.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { createWarmScripts } from "./warm-scripts.ts";

const folder = hookFolder();
folder.installSdk();
const hostScript = await programFromSource("./module-host.ts");
const prebootScript = await programFromSource("../process/preboot-process.ts");
const pool = createWarmScripts({ run: runProgram, hostScript, prebootScript });
const run = createCommandRunner({ environment: { PATH: process.env["PATH"] ?? "" }, version: "0", run: pool.run });
afterAll(() => pool.close());

function hookOf(name: string, text: string): AdmittedHook {
  const command = `node "${folder.write(name, text)}"`;
  return sampleHook({ target: { kind: "command", command, shell: "sh" }, fields: { warm: true } });
}

/** The processes that three runs, one after the other, had. */
async function processesOf(hook: AdmittedHook): Promise<number> {
  const pids = new Set<string>();
  for (let round = 0; round < 3; round++) pids.add((await run({ hook }, sampleInput())).stderr.trim());
  return pids.size;
}

it("a script of the SDK keeps its process, unless a run left something open; every other script has one per run", async () => {
  const declare = (body: string): string =>
    `import { hook } from "@hookloop/sdk";\nhook("PreToolUse", () => { console.error(process.pid);${body} });`;
  expect(await processesOf(hookOf("kept.mjs", declare("")))).toBe(1);
  expect(await processesOf(hookOf("open.mjs", declare(" setInterval(() => {}, 1000);")))).toBe(3);
  expect(await processesOf(hookOf("plain.mjs", "console.error(process.pid);"))).toBe(3);
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

it("a script that runs for ever after its exit is ended, and its next run is right", async () => {
  const hook = hookOf("stays.mjs", `console.log("out");\ntry { process.exit(3); } catch {}\nfor (;;);`);
  for (let round = 0; round < 2; round++) expect(await run({ hook }, sampleInput())).toMatchObject({ stdout: "out\n", exitCode: 3 });
});

it("a host that waits for its next run does not keep the program alive, and one that runs does", async () => {
  const program = await programFromSource("./hold-warm.test-suite.ts");
  const script = folder.write("calm.mjs", `import { hook } from "@hookloop/sdk";\nhook("PreToolUse", () => undefined);`);
  const { status, stdout } = spawnSync(process.execPath, [program, hostScript, script], { encoding: "utf8", timeout: 60_000 });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "40" });
});
