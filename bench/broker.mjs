import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { snapshotEnvironment } from "../packages/hookloop/dist/run/environment.js";
import { createBroker } from "../packages/hookloop/dist/run/process/broker.js";
import { runProgram } from "../packages/hookloop/dist/run/process/process-group.js";

const LINE = "cat >/dev/null; echo '{}'";
const PAYLOAD = Buffer.from(JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x".repeat(800) } }));
const PROGRAM = {
  file: "/bin/sh",
  args: ["-c", LINE],
  isShell: true,
  env: snapshotEnvironment(),
  cwd: process.cwd(),
  fallbackCwd: "/",
  stdin: PAYLOAD,
  timeoutMs: 60_000,
};

/** The least a program must do to ask a shell line: stdin written, stdout read, end awaited. */
function bareSpawn(options = {}) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", LINE], { env: PROGRAM.env, ...options });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(PAYLOAD);
    child.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];

/** One launch: until its end, the call alone (nothing else can run meanwhile), and all that this process did for it. */
async function shot(run) {
  const before = performance.eventLoopUtilization();
  const startedAt = performance.now();
  const running = run();
  const launch = performance.now() - startedAt;
  await running;
  return { total: performance.now() - startedAt, launch, busy: performance.eventLoopUtilization(before).active };
}

/** Shots of one case in a row, cases in random order: after a fork() every page this process writes is copied once, whoever made the fork. */
const IN_A_ROW = 10;

async function measureHere({ ballastBytes, rounds }) {
  // Filled, so that the pages exist; fork() copies the tables of those.
  const ballast = Array.from({ length: Math.ceil(ballastBytes / 2 ** 25) }, () => Buffer.alloc(2 ** 25, 1));
  const broker = createBroker({ fromHostBytes: 0 });
  if (!(await broker.start())) throw new Error("the broker does not start here");
  const cases = {
    "bare spawn": () => bareSpawn(),
    // A session of its own is a scheduling group of its own to Linux: on a busy machine compare with this row.
    "bare spawn, own session": () => bareSpawn({ detached: true }),
    direct: () => runProgram(PROGRAM),
    broker: () => broker.run(PROGRAM),
  };
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const name of Object.keys(cases).sort(() => Math.random() - 0.5)) {
      for (let count = 0; count < IN_A_ROW; count++) {
        const sample = await shot(cases[name]);
        if (round >= 0 && count >= 2) samples[name].push(sample);
      }
    }
  }
  if (broker.pid === undefined) throw new Error("the broker was lost");
  await broker.close();
  const p50 = (name, field) =>
    quantile(
      samples[name].map((sample) => sample[field]),
      0.5,
    );
  return {
    "rss MB": Math.round(process.memoryUsage.rss() / 1e6),
    ballast: ballast.length,
    ...Object.fromEntries(
      Object.keys(cases).map((name) => [name, { total: p50(name, "total"), launch: p50(name, "launch"), busy: p50(name, "busy") }]),
    ),
  };
}

/** The same in a process of its own, so that the ballast is its only load. */
async function measureElsewhere(options) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`measuring the broker ended with ${code}`);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** A command hook through the broker, against direct starts, from a small process and from one with 1 GB of Buffers. */
export async function measureBroker({ rounds = 25, largeRounds = 8 } = {}) {
  const sizes = [
    { name: "small host", target: 1.1, options: { ballastBytes: 0, rounds } },
    { name: "host with 1 GB of Buffers", target: 0.2, options: { ballastBytes: 2 ** 30, rounds: largeRounds } },
  ];
  const rows = [];
  for (const { name, target, options } of sizes) {
    const found = await measureElsewhere(options);
    for (const way of ["bare spawn", "bare spawn, own session", "direct", "broker"]) {
      rows.push({
        name: `${name}, ${way}`,
        "p50 ms": found[way].total.toFixed(2),
        "ratio to spawn": (found[way].total / found["bare spawn"].total).toFixed(3),
        "to own session": (found[way].total / found["bare spawn, own session"].total).toFixed(3),
        "launch blocks ms": found[way].launch.toFixed(3),
        "loop busy ms": found[way].busy.toFixed(3),
        target: way === "broker" ? `≤ ${target} ×, launch ≤ 0.2 ms` : "",
      });
    }
  }
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv[2] !== undefined) console.log(JSON.stringify(await measureHere(JSON.parse(process.argv[2]))));
  else console.table(Object.fromEntries((await measureBroker()).map(({ name, ...row }) => [name, row])));
}
