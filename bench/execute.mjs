import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createCommandRunner } from "../packages/hookloop/dist/run/command-runner.js";
import { snapshotEnvironment } from "../packages/hookloop/dist/run/environment.js";
import { createRunFile } from "../packages/hookloop/dist/run/process/run-file.js";
import { printGroup } from "./print-group.mjs";

const LINE = "cat >/dev/null; echo '{}'";
const PAYLOAD = Buffer.from(JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x".repeat(800) } }));

/** The least a program must do to ask a shell line: stdin written, stdout read, end awaited. */
function bareSpawn(options = {}) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", LINE], options);
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(PAYLOAD);
    child.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

const HOOK = {
  id: "project:PreToolUse:bench",
  target: { kind: "command", command: LINE, shell: "sh" },
  source: { scope: "project", dialect: "claude", root: "/" },
  timeoutMs: 60_000,
  isAsync: false,
  passEnv: [],
};

const INPUT = {
  payload: () => PAYLOAD,
  input: {},
  cwd: process.cwd(),
  projectRoot: process.cwd(),
  sessionId: "bench",
  env: { CLAUDE_PROJECT_DIR: process.cwd() },
};

/** Single shots, every case once per round in random order; p50 and p10 of each, and the p50 of the ratios inside a round. */
async function interleaved(cases, rounds) {
  const names = Object.keys(cases);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds + 20; round++) {
    for (const name of [...names].sort(() => Math.random() - 0.5)) {
      const startedAt = performance.now();
      await cases[name]();
      if (round >= 20) samples[name].push(performance.now() - startedAt);
    }
  }
  return samples;
}

const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];

/** A command hook through the runner, against a bare spawn of the same shell line. */
export async function measureExecute(rounds = 300) {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const runFile = createRunFile({ folder });
  const ports = { environment: snapshotEnvironment(), version: "0" };
  const runner = createCommandRunner(ports);
  const noting = createCommandRunner({ ...ports, runFile });
  const samples = await interleaved(
    {
      "bare spawn of the shell line": () => bareSpawn(),
      // For comparison: hooks run in a group of their own. Slower on a busy machine, perhaps because Linux schedules sessions against each other.
      "bare spawn, own process group": () => bareSpawn({ detached: true }),
      "command hook": () => runner({ hook: HOOK }, INPUT),
      "command hook, with run file": () => noting({ hook: HOOK }, INPUT),
    },
    rounds,
  );
  runFile.close();
  rmSync(folder, { recursive: true, force: true });
  const inRound = (times, floor) =>
    quantile(
      times.map((time, round) => time / samples[floor][round]),
      0.5,
    );
  return Object.entries(samples).map(([name, times]) => ({
    name,
    "p10 ms": quantile(times, 0.1),
    "p50 ms": quantile(times, 0.5),
    ratio: inRound(times, "bare spawn of the shell line"),
    "to own group": inRound(times, "bare spawn, own process group"),
    "ratio p10": quantile(times, 0.1) / quantile(samples["bare spawn of the shell line"], 0.1),
    target: name.startsWith("command hook") ? "≤ 1.05 ×" : "",
  }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  printGroup("Command hooks", await measureExecute(Number(process.env.BENCH_ROUNDS ?? 300)));
}
