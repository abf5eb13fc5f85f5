import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRedactor } from "../packages/hookloop/dist/trace/redact.js";
import { createTraceWriter } from "../packages/hookloop/dist/trace/trace-writer.js";
import { printGroup } from "./print-group.mjs";

const BATCH = 200;
/** About 480 bytes of JSON, as in the measurements of performance.md §6. */
const RECORD = {
  v: 2,
  seq: 4711,
  t: 1_763_244_000_123,
  mono: 12_345.678,
  session: "9b2f6c1e-7a4d-4f0b-8a55-2f6f1c2d3e4f",
  type: "outcome",
  event: "PreToolUse",
  hook: "project:PreToolUse:4f0b8a552f6f",
  durationMs: 12.4,
  exitCode: 0,
  effects: [{ type: "context", text: "The branch is main; two files are changed and not yet committed." }],
  input: {
    tool_name: "Bash",
    tool_input: { command: "npm test -- --run packages/core/src/parser.test.ts", description: "Run the parser's tests" },
  },
};
const LEAKING = { ...RECORD, stdout: "connected with correct horse/battery" };
const SECRETS = {
  ANTHROPIC_API_KEY: "k-4f0b8a552f6f1c2d3e4f",
  DB_PASSWORD: "correct horse/battery",
  GH_TOKEN: "t-0123456789abcdef",
  NPM_TOKEN: "n-fedcba9876543210",
};

function timed(action) {
  const started = process.hrtime.bigint();
  for (let count = 0; count < BATCH; count++) action();
  return Number(process.hrtime.bigint() - started) / BATCH;
}

/** What a trace record costs against serialising it, and against the bare write that the floor of §6 is. Ratios inside each round. */
export async function measureTrace(rounds) {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-trace-"));
  const plain = createTraceWriter({ file: path.join(folder, "plain.jsonl"), redactor: false });
  const redacted = createTraceWriter({ file: path.join(folder, "redacted.jsonl"), redactor: createRedactor(SECRETS) });
  const fd = openSync(path.join(folder, "bare.jsonl"), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  let sink = 0;
  const cases = {
    "JSON.stringify": () => {
      sink += JSON.stringify(RECORD).length;
    },
    "bare writeSync of a line": () => writeSync(fd, `${JSON.stringify(RECORD)}\n`),
    "trace record": () => plain.write(RECORD),
    "trace record, redacted": () => redacted.write(RECORD),
    "trace record, redacted, with a secret in it": () => redacted.write(LEAKING),
  };
  const names = Object.keys(cases);
  for (const name of names) for (let count = 0; count < 20; count++) timed(cases[name]);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds * 10; round++) {
    const ns = {};
    for (const name of [...names].sort(() => Math.random() - 0.5)) ns[name] = timed(cases[name]);
    for (const name of names) samples[name].push({ ns: ns[name], ratio: ns[name] / ns["JSON.stringify"] });
  }
  plain.close();
  redacted.close();
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
  if (sink === 0) throw new Error("nothing was measured");
  const targets = { "trace record": "≤ 3 ×", "trace record, redacted": "≤ 8 ×" };
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return names.map((name) => ({
    name,
    µs: (median(samples[name].map(({ ns }) => ns)) / 1000).toFixed(2),
    ratio: median(samples[name].map(({ ratio }) => ratio)).toFixed(2),
    target: targets[name] ?? "",
  }));
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("Trace", await measureTrace(Number(process.env.BENCH_ROUNDS ?? 15)));
