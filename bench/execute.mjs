import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createCommandRunner, createRunFile, snapshotEnvironment } from "../packages/hookloop/dist/engine/execute/index.js";

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
      // A session of its own is a scheduling group of its own to Linux (autogroup): on a busy machine this row, not ours, is slow.
      "bare spawn, own process group": () => bareSpawn({ detached: true }),
      "command hook": () => runner({ hook: HOOK }, INPUT),
      "command hook, with run file": () => noting({ hook: HOOK }, INPUT),
    },
    rounds,
  );
  runFile.close();
  rmSync(folder, { recursive: true, force: true });
  const bare = samples["bare spawn of the shell line"];
  return Object.entries(samples).map(([name, times]) => ({
    name,
    "p10 ms": quantile(times, 0.1).toFixed(2),
    "p50 ms": quantile(times, 0.5).toFixed(2),
    ratio: (quantile(times, 0.5) / quantile(bare, 0.5)).toFixed(3),
    "ratio p10": (quantile(times, 0.1) / quantile(bare, 0.1)).toFixed(3),
    target: name.startsWith("command hook") ? "≤ 1.05 ×" : "",
  }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.table(Object.fromEntries((await measureExecute(Number(process.env.BENCH_ROUNDS ?? 300))).map(({ name, ...row }) => [name, row])));
}
