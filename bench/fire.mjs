// In-process dispatch: the engine against a bare loop over the same functions with the same fold, and against nothing at all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { allow, deny } from "@hookloop/sdk";
import { EVENT_NAMES, openHooks } from "hookloop";
import { createTraceWriter } from "hookloop/trace";
import { createPayloadCopier } from "../packages/hookloop/dist/run/payload-copy.js";
import { nanoseconds } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

export const INPUT = {
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
const TOOLS = ["Bash", "Edit", "Read", "Write"];
const ALLOW = allow("fine");

/** A handler with a real body: four string tests on the command. */
export const handler = (index, answer) => (input) => {
  const { command } = input.tool_input;
  for (let test = 0; test < 4; test++) if (command.includes(PATTERNS[(index * 4 + test) % PATTERNS.length])) return ALLOW;
  return answer;
};

const STRICTNESS = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4 };
const NOTHING = Object.freeze([]);
const NO_FIELDS = Object.freeze({});
const RUN = { signal: new AbortController().signal };
const NAMES = ["hook 0", "hook 1", "hook 2", "hook 3"];

/** What both sides give: the whole verdict, or its floor would be cheaper by an object that every caller needs. */
const emptyVerdict = () => ({
  event: "PreToolUse",
  decision: "none",
  reasons: NOTHING,
  halt: undefined,
  continueWith: NOTHING,
  contexts: NOTHING,
  feedback: NOTHING,
  tells: NOTHING,
  updatedInput: undefined,
  updatedOutput: undefined,
  updatedPrompt: undefined,
  permissionUpdates: NOTHING,
  fields: NO_FIELDS,
  outcomes: NOTHING,
});
const NONE = Object.freeze(emptyVerdict());

/**
 * The floor: a bare loop with the same fold. Call them all, keep the strictest decision with its reasons and who gave them.
 * No copy of the input, no plan, nothing read twice, no text cleaned, no promise looked for, a throw caught and forgotten.
 */
export function bareLoop(handlers, input) {
  let verdict;
  for (let index = 0; index < handlers.length; index++) {
    let result;
    try {
      result = handlers[index](input, RUN);
    } catch {
      continue;
    }
    if (result === undefined) continue;
    verdict ??= emptyVerdict();
    for (let part = 0; part < result.parts.length; part++) {
      const { can, value } = result.parts[part];
      const difference = STRICTNESS[can] - STRICTNESS[verdict.decision];
      if (difference < 0) continue;
      if (difference === 0) {
        verdict.reasons.push({ text: value, hook: NAMES[index] });
        continue;
      }
      verdict.decision = can;
      verdict.reasons = [{ text: value, hook: NAMES[index] }];
    }
  }
  return verdict ?? NONE;
}

export async function engineWith(count, make, more = {}) {
  const home = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const hooks = await openHooks({ cwd: home, ports: { home, managedRoot: path.join(home, "none") }, onDiagnostic: () => {} });
  rmSync(home, { recursive: true });
  for (let index = 0; index < count; index++) hooks.on("PreToolUse", { tool: "Bash", ...more }, make(index));
  return hooks;
}

/** Starts all, then awaits each: less than `Promise.all`, which costs 1.4 times as much, and without its care for rejections. */
export async function bareAwait(handlers, input) {
  const all = handlers.map((one) => one(input));
  for (const one of all) await one;
}

/** Rows for the table of `npm run bench`. One after the other: V8 makes code slower once it has seen several kinds of firings. */
export async function measureFire(rounds = 150) {
  const groups = [measureSilent, measureNothing, measureAsync, measureListened, measureAnswers];
  const rows = [];
  for (const measure of groups) rows.push(...(await measure(rounds)));
  return rows;
}

const silent = Array.from({ length: 4 }, (_, index) => handler(index, undefined));

async function measureSilent(rounds) {
  const engine = await engineWith(4, (index) => silent[index]);
  const copyPayload = createPayloadCopier({ session_id: "s", transcript_path: "", cwd: "/srv" }, "PreToolUse").whole;
  return await rowsOf(rounds, {
    "bare loop, 4 silent functions": { call: () => bareLoop(silent, INPUT) },
    "fire(), 4 silent functions": {
      call: () => engine.fire("PreToolUse", INPUT),
      floor: "bare loop, 4 silent functions",
      target: "≤ 2 ×",
    },
    "one copy of the input alone": { call: () => copyPayload(INPUT) },
  });
}

async function measureNothing(rounds) {
  const crowded = await engineWith(10_000, (index) => handler(index, undefined), { tool: "Write" });
  const empty = await engineWith(0, () => undefined);
  const plans = new Map([...EVENT_NAMES].map((event) => [event, new Map(TOOLS.map((tool) => [tool, { tool }]))]));
  return await rowsOf(rounds, {
    // What finding a plan costs at the least.
    "two Map lookups": { call: () => plans.get("PreToolUse").get(INPUT.tool_name) },
    "fire(), nothing registered": { call: () => empty.fire("PreToolUse", INPUT), target: "≤ 25 ns" },
    "fire(), nothing matches among 10,000": { call: () => crowded.fire("PreToolUse", INPUT), target: "≤ 25 ns" },
    "has()": { call: () => crowded.has("PreToolUse") },
  });
}

async function measureAsync(rounds) {
  const slow = silent.map((one) => async (input) => one(input));
  const engine = await engineWith(4, (index) => slow[index]);
  return await rowsOf(rounds, {
    "awaiting 4 async functions bare": { call: () => bareAwait(slow, INPUT) },
    "fire(), 4 async functions": {
      call: () => engine.fire("PreToolUse", INPUT),
      floor: "awaiting 4 async functions bare",
      target: "≤ 1.25 ×",
    },
  });
}

/** As an agent fires: with options and a listener, and with the trace. */
async function measureListened(rounds) {
  const engine = await engineWith(4, (index) => silent[index]);
  const traced = await tracedEngine(silent);
  let steps = 0;
  const options = { signal: new AbortController().signal, timeoutMs: 60_000, onStep: () => steps++ };
  const floor = "bare loop, 4 silent functions ";
  const rows = await rowsOf(rounds, {
    [floor]: { call: () => bareLoop(silent, INPUT) },
    "fire(), 4 silent functions, options and a listener": {
      call: () => engine.fire("PreToolUse", INPUT, options),
      floor,
      target: "≤ 12 ×",
    },
    "fire(), 4 silent functions, trace file, redacted": { call: () => traced.hooks.fire("PreToolUse", INPUT), floor },
  });
  traced.close();
  return rows;
}

/** With the trace file as the agent has it. */
export async function tracedEngine(handlers) {
  const home = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  const trace = createTraceWriter({ file: path.join(home, "trace.jsonl") });
  const ports = { home, managedRoot: path.join(home, "none"), trace };
  const hooks = await openHooks({ cwd: home, ports, onDiagnostic: () => {} });
  for (const one of handlers) hooks.on("PreToolUse", { tool: "Bash" }, one);
  const close = () => {
    trace.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { hooks, close };
}

async function rowsOf(rounds, cases) {
  const { ns, ratio } = await nanoseconds(Object.fromEntries(Object.entries(cases).map(([name, { call }]) => [name, call])), rounds);
  return Object.entries(cases).map(([name, { floor, target = "" }]) => ({
    name,
    ns: ns(name),
    ratio: floor ? ratio(name, floor) : "",
    target,
  }));
}

/** Functions that do not all say the same. */
async function measureAnswers(rounds) {
  const deciding = Array.from({ length: 4 }, (_, index) => handler(index, ALLOW));
  const mixed = Array.from({ length: 4 }, (_, index) => handler(index, index === 2 ? deny("no") : ALLOW));
  const fresh = Array.from({ length: 4 }, (_, index) => freshDenier(handler(index, undefined)));
  const kinds = { "4 functions that decide": deciding, "3 allow, 1 denies": mixed, "4 deny with a new text each time": fresh };
  const cases = {};
  for (const [what, functions] of Object.entries(kinds)) {
    const engine = await engineWith(4, (index) => functions[index]);
    cases[`bare loop, ${what}`] = { call: () => bareLoop(functions, INPUT) };
    cases[`fire(), ${what}`] = { call: () => engine.fire("PreToolUse", INPUT), floor: `bare loop, ${what}` };
  }
  return await rowsOf(rounds, cases);
}

/** Blocks, never twice in the same words. */
function freshDenier(test) {
  let count = 0;
  return (input) => test(input) ?? deny(`not now, ${count++}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("In process", await measureFire());
