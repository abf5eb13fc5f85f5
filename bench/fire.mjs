// In-process dispatch: the engine against a bare loop over the same functions with the same fold, and against nothing at all.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { allow } from "@hookloop/sdk";
import { openHooks } from "hookloop";

const INPUT = {
  tool_name: "Bash",
  tool_input: { command: "npm test -- --run src/parser.test.ts", description: "Run the tests" },
  tool_use_id: "toolu_1",
};
const PATTERNS = [
  "rm -rf",
  "git push --force",
  "curl | sh",
  "mkfs",
  "dd if=",
  "chmod -R 777",
  "> /dev/sda",
  ":(){",
  "sudo",
  "shutdown",
  "reboot",
  "eval",
  "wget",
  "nc -l",
  "kill -9",
  "chown -R",
];
const ALLOW = allow("fine");

/** A handler with a real body: four string tests on the command. */
const handler = (index, answer) => (input) => {
  const { command } = input.tool_input;
  for (let test = 0; test < 4; test++) if (command.includes(PATTERNS[(index * 4 + test) % PATTERNS.length])) return ALLOW;
  return answer;
};

/** The floor: call them all, keep the strictest decision. */
function bareLoop(handlers, input) {
  let decision = 0;
  let reasons;
  for (let index = 0; index < handlers.length; index++) {
    const result = handlers[index](input);
    if (result === undefined) continue;
    for (const { value } of result.parts) {
      decision = Math.max(decision, 1);
      reasons = reasons ?? [];
      reasons.push({ text: value, hook: index });
    }
  }
  return decision === 0 ? undefined : { decision, reasons };
}

async function engineWith(count, make, more = {}) {
  const home = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const hooks = await openHooks({ cwd: home, ports: { home, managedRoot: path.join(home, "none") }, onDiagnostic: () => {} });
  for (let index = 0; index < count; index++) hooks.on("PreToolUse", { tool: "Bash", ...more }, make(index));
  return hooks;
}

/** Nanoseconds per call, in batches short enough that a neighbour's noise hits all cases alike. */
function batch(call, times) {
  const started = process.hrtime.bigint();
  for (let index = 0; index < times; index++) call();
  return Number(process.hrtime.bigint() - started) / times;
}

async function asyncBatch(call, times) {
  const started = process.hrtime.bigint();
  for (let index = 0; index < times; index++) await call();
  return Number(process.hrtime.bigint() - started) / times;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Rows for the table of `npm run bench`. */
export async function measureFire(rounds = 150) {
  const silent = Array.from({ length: 4 }, (_, index) => handler(index, undefined));
  const deciding = Array.from({ length: 4 }, (_, index) => handler(index, ALLOW));
  const slow = Array.from({ length: 4 }, (_, index) => async (input) => handler(index, undefined)(input));
  const silentEngine = await engineWith(4, (index) => silent[index]);
  const decidingEngine = await engineWith(4, (index) => deciding[index]);
  const slowEngine = await engineWith(4, (index) => slow[index]);
  const crowded = await engineWith(10_000, (index) => handler(index, undefined), { tool: "Write" });
  const empty = await engineWith(0, () => undefined);
  const cases = {
    "bare loop, 4 silent functions": () => bareLoop(silent, INPUT),
    "fire(), 4 silent functions": () => silentEngine.fire("PreToolUse", INPUT),
    "bare loop, 4 functions that decide": () => bareLoop(deciding, INPUT),
    "fire(), 4 functions that decide": () => decidingEngine.fire("PreToolUse", INPUT),
    "fire(), nothing registered": () => empty.fire("PreToolUse", INPUT),
    "fire(), nothing matches among 10,000": () => crowded.fire("PreToolUse", INPUT),
    "has()": () => crowded.has("PreToolUse"),
  };
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  const asynchronous = { bare: [], engine: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(cases).sort(() => Math.random() - 0.5)) samples[name].push(batch(cases[name], 2000));
    asynchronous.bare.push(
      await asyncBatch(async () => {
        const all = slow.map((one) => one(INPUT));
        for (const one of all) await one;
      }, 300),
    );
    asynchronous.engine.push(await asyncBatch(() => slowEngine.fire("PreToolUse", INPUT), 300));
  }
  const ratio = (name, floor) => median(samples[name].map((value, round) => value / samples[floor][round])).toFixed(2);
  const row = (name, floor, target = "") => ({
    name,
    ns: Math.round(median(samples[name])),
    ratio: floor ? ratio(name, floor) : "",
    target,
  });
  return [
    row("bare loop, 4 silent functions"),
    row("fire(), 4 silent functions", "bare loop, 4 silent functions", "≤ 1.35 × with the copy"),
    row("bare loop, 4 functions that decide"),
    row("fire(), 4 functions that decide", "bare loop, 4 functions that decide", "≤ 1.35 × with the copy"),
    row("fire(), nothing registered", undefined, "≤ 25 ns"),
    row("fire(), nothing matches among 10,000", "fire(), nothing registered", "≤ 25 ns, ≤ 1.2 ×"),
    row("has()"),
    { name: "awaiting 4 async functions bare", ns: Math.round(median(asynchronous.bare)), ratio: "", target: "" },
    {
      name: "fire(), 4 async functions",
      ns: Math.round(median(asynchronous.engine)),
      ratio: median(asynchronous.engine.map((value, round) => value / asynchronous.bare[round])).toFixed(2),
      target: "≤ 1.1 ×",
    },
  ];
}
