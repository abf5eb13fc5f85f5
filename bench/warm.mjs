import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createCommandRunner } from "../packages/hookloop/dist/run/command-runner.js";
import { snapshotEnvironment } from "../packages/hookloop/dist/run/environment.js";
import { createModuleRunner } from "../packages/hookloop/dist/run/module/module-runner.js";
import { createWarmScripts } from "../packages/hookloop/dist/run/module/warm-scripts.js";
import { runProgram } from "../packages/hookloop/dist/run/process/process-group.js";
import { printGroup } from "./print-group.mjs";

const PAYLOAD = Buffer.from(JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x".repeat(800) } }));
const INPUT = { payload: () => PAYLOAD, input: {}, cwd: "/", projectRoot: "/", sessionId: "bench", env: {} };
const SCRIPT = `import { readFileSync } from "node:fs";
const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(tool_input.command.includes("rm") ? { decision: "block", reason: "no" } : {}));
`;
const SDK_SCRIPT = `import { context, deny, hook } from "@hookloop/sdk";
hook("PreToolUse", ({ tool_input }) => (tool_input.command.includes("rm") ? deny("no") : context("fine")));
`;
const MODULE = `interface Input { tool_input: { command: string } }
export default ({ tool_input }: Input): object => (tool_input.command.includes("rm") ? { decision: "block", reason: "no" } : {});
`;
/** A hook that waits for something, as most do that are worth having. */
const WAITING = `export default async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return {};
};
`;
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];

function hookOf(target, fields) {
  const source = { scope: "user", dialect: "native", root: "/" };
  const event = "PreToolUse";
  return {
    id: `user:${event}:${JSON.stringify(target).length}`,
    event,
    target,
    fields,
    source,
    timeoutMs: 60_000,
    isAsync: false,
    passEnv: [],
  };
}

/** The least that runs the script: a process, its stdin written, its stdout read. */
function bareNode(file) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file]);
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.stdin.end(PAYLOAD);
    child.on("close", () => resolve(text.trim()));
  });
}

/** `pauseMs`: between two calls, as between two events; not measured. */
async function timesOf(run, rounds, pauseMs = 0) {
  const times = [];
  for (let round = -rounds; round < rounds; round++) {
    const startedAt = performance.now();
    const answer = await run();
    const took = performance.now() - startedAt;
    if (!answer.startsWith("{")) throw new Error(`it gave ${answer}`);
    if (round >= 0) times.push(took);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return times;
}

/** Modules and warm scripts against a process per call, in one run. */
export async function measureWarm(rounds = 900) {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const write = (name, text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const cacheFolder = path.join(folder, "cache");
  const ports = { environment: snapshotEnvironment(), version: "0" };
  const modules = createModuleRunner({ ...ports, cacheFolder });
  const pool = createWarmScripts({ run: runProgram, cacheFolder });
  const command = createCommandRunner({ ...ports, run: pool.run });
  const [script, sdkScript] = [write("guard.mjs", SCRIPT), write("sdk-guard.mjs", SDK_SCRIPT)];
  mkdirSync(path.join(folder, "node_modules/@hookloop"), { recursive: true });
  symlinkSync(path.resolve("packages/sdk"), path.join(folder, "node_modules/@hookloop/sdk"));
  const module = (name, fields = {}, text = MODULE) => hookOf({ kind: "module", fields: { path: write(name, text), ...fields } }, {});
  const warm = (file) => hookOf({ kind: "command", command: `node ${file}`, shell: "sh" }, { warm: true });
  const answer = (runner, hook) => async () => {
    const { failure, stdout, stderr } = await runner({ hook }, INPUT);
    return failure?.text ?? (stdout.trim() || stderr);
  };
  const sixteen = Array.from({ length: 16 }, (_, index) => module(`guard-${index}.ts`));
  const [one] = sixteen;
  const together = (hooks) => async () => {
    const outcomes = await Promise.all(hooks.map((hook) => modules.run({ hook }, INPUT)));
    return outcomes.every(({ stdout }) => stdout === "{}") ? "{}" : "wrong";
  };
  const slow = Array.from({ length: 16 }, (_, index) => module(`slow-${index}.mjs`, {}, WAITING));
  const same = Array.from({ length: 16 }, () => ({ ...one }));
  const cold = async () => {
    const fresh = createModuleRunner({ ...ports, cacheFolder: path.join(folder, `cache-${Math.random()}`) });
    const startedAt = performance.now();
    await fresh.run({ hook: one }, INPUT);
    const took = performance.now() - startedAt;
    await fresh.close();
    return took;
  };
  try {
    const spawned = [];
    const spawnedSdk = [];
    const first = [];
    const booted = [];
    for (let round = 0; round < Math.max(10, rounds / 60); round++) {
      spawned.push(...(await timesOf(() => bareNode(script), 1)));
      spawnedSdk.push(...(await timesOf(() => bareNode(sdkScript), 1)));
      first.push(await cold());
      booted.push(...(await timesOf(answer(command, warm(script)), 1, 150)));
    }
    const floor = quantile(spawned, 0.5);
    const rows = [
      ["spawning node for the script", spawned, ""],
      ["first run of a TypeScript module, nothing cached", first, "≤ 1.1 ×"],
      ["module in a worker", await timesOf(answer(modules.run, one), rounds), "≤ 0.002 ×"],
      ["module in a process", await timesOf(answer(modules.run, module("own.ts", { isolation: "process" })), rounds), "≤ 0.002 ×"],
      ["warm script without the SDK, in a process that has booted already", booted, ""],
    ].map(([name, times, target]) => row(name, times, floor, target));
    const sdkFloor = quantile(spawnedSdk, 0.5);
    rows.push(
      row("spawning node for the script of the SDK", spawnedSdk, sdkFloor, ""),
      row("warm script of the SDK", await timesOf(answer(command, warm(sdkScript)), rounds, 2), sdkFloor, ""),
    );
    const single = await timesOf(answer(modules.run, one), rounds);
    const files = await timesOf(together(sixteen), rounds);
    const shared = await timesOf(together(same), rounds);
    const oneSlow = await timesOf(together(slow.slice(0, 1)), 40);
    const slowOnes = await timesOf(together(slow), 40);
    return [
      ...rows,
      row("16 modules of 16 files at once, against one", files, quantile(single, 0.5), "≤ 3 ×"),
      row("16 hooks of one file at once, against one", shared, quantile(single, 0.5), "≤ 3 ×"),
      row("16 modules of 16 files that wait 5 ms, against one", slowOnes, quantile(oneSlow, 0.5), ""),
    ];
  } finally {
    await Promise.all([modules.close(), pool.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(name, times, floor, target) {
  const p50 = quantile(times, 0.5);
  return {
    name,
    "p10 ms": quantile(times, 0.1).toFixed(3),
    "p50 ms": p50.toFixed(3),
    "p99 ms": quantile(times, 0.99).toFixed(3),
    ratio: p50 / floor < 0.1 ? (p50 / floor).toFixed(5) : p50 / floor,
    target,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printGroup("Warm hooks", await measureWarm());
