// In-process dispatch: the engine against a bare loop over the same functions with the same fold, and against nothing at all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { allow, deny } from "@hookloop/sdk";
import { EVENT_NAMES, openHooks } from "hookloop";
import { createPayloadCopier } from "../packages/hookloop/dist/engine/payload-copy.js";
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

/** Rows for the table of `npm run bench`. One after the other: V8 makes the floor slower once it has seen several decisions. */
export async function measureFire(rounds = 150) {
  return [...(await measureCalls(rounds)), ...(await measureAnswers(rounds))];
}

async function measureCalls(rounds) {
  const silent = Array.from({ length: 4 }, (_, index) => handler(index, undefined));
  const deciding = Array.from({ length: 4 }, (_, index) => handler(index, ALLOW));
  const slow = silent.map((one) => async (input) => one(input));
  const silentEngine = await engineWith(4, (index) => silent[index]);
  const decidingEngine = await engineWith(4, (index) => deciding[index]);
  const slowEngine = await engineWith(4, (index) => slow[index]);
  const crowded = await engineWith(10_000, (index) => handler(index, undefined), { tool: "Write" });
  const few = await engineWith(10, (index) => handler(index, undefined), { tool: "Write" });
  const empty = await engineWith(0, () => undefined);
  const plans = new Map([...EVENT_NAMES].map((event) => [event, new Map(TOOLS.map((tool) => [tool, { tool }]))]));
  const copyPayload = createPayloadCopier({ session_id: "s", transcript_path: "", cwd: "/srv" }, "PreToolUse");
  const { ns, ratio } = await nanoseconds(
    {
      "one copy of the input alone": () => copyPayload(INPUT),
      "two Map lookups": () => plans.get("PreToolUse").get(INPUT.tool_name),
      "bare loop, 4 silent functions": () => bareLoop(silent, INPUT),
      "fire(), 4 silent functions": () => silentEngine.fire("PreToolUse", INPUT),
      "bare loop, 4 functions that decide": () => bareLoop(deciding, INPUT),
      "fire(), 4 functions that decide": () => decidingEngine.fire("PreToolUse", INPUT),
      "fire(), nothing registered": () => empty.fire("PreToolUse", INPUT),
      "fire(), nothing matches among 10": () => few.fire("PreToolUse", INPUT),
      "fire(), nothing matches among 10,000": () => crowded.fire("PreToolUse", INPUT),
      "has()": () => crowded.has("PreToolUse"),
      "awaiting 4 async functions bare": () => bareAwait(slow, INPUT),
      "fire(), 4 async functions": () => slowEngine.fire("PreToolUse", INPUT),
    },
    rounds,
  );
  const row = (name, floor, target = "") => ({ name, ns: ns(name), ratio: floor ? ratio(name, floor) : "", target });
  const withoutCopy = (name, floor, target = "") => ({
    name: `${name}, without the copies`,
    ns: ns(name) - 4 * ns("one copy of the input alone"),
    ratio: ratio(name, floor) - 4 * ratio("one copy of the input alone", floor),
    target,
  });
  return [
    row("bare loop, 4 silent functions"),
    row("fire(), 4 silent functions", "bare loop, 4 silent functions", "≤ 2 × with the copies"),
    withoutCopy("fire(), 4 silent functions", "bare loop, 4 silent functions", "≤ 1.2 ×"),
    row("bare loop, 4 functions that decide"),
    row("fire(), 4 functions that decide", "bare loop, 4 functions that decide", "≤ 2 × with the copies"),
    withoutCopy("fire(), 4 functions that decide", "bare loop, 4 functions that decide", "≤ 1.2 ×"),
    row("awaiting 4 async functions bare"),
    row("fire(), 4 async functions", "awaiting 4 async functions bare", "≤ 1.1 ×"),
    withoutCopy("fire(), 4 async functions", "awaiting 4 async functions bare"),
    row("fire(), nothing registered", undefined, "≤ 25 ns"),
    row("fire(), nothing matches among 10", undefined, "≤ 25 ns"),
    row("fire(), nothing matches among 10,000", undefined, "≤ 25 ns"),
    row("fire(), nothing matches among 10,000", "fire(), nothing matches among 10", "≤ 1.2 ×"),
    row("has()"),
    row("one copy of the input alone"),
    // What finding a plan costs at the least: it was 9 ns where the target of 25 ns was set.
    row("two Map lookups"),
  ];
}

/** Functions that do not all say the same. */
async function measureAnswers(rounds) {
  const mixed = Array.from({ length: 4 }, (_, index) => handler(index, index === 2 ? deny("no") : ALLOW));
  const fresh = Array.from({ length: 4 }, (_, index) => freshDenier(handler(index, undefined)));
  const mixedEngine = await engineWith(4, (index) => mixed[index]);
  const freshEngine = await engineWith(4, (index) => fresh[index]);
  const { ns, ratio } = await nanoseconds(
    {
      "bare loop, 3 allow, 1 denies": () => bareLoop(mixed, INPUT),
      "fire(), 3 allow, 1 denies": () => mixedEngine.fire("PreToolUse", INPUT),
      "bare loop, 4 deny with a new text each time": () => bareLoop(fresh, INPUT),
      "fire(), 4 deny with a new text each time": () => freshEngine.fire("PreToolUse", INPUT),
    },
    rounds,
  );
  const pair = (what, target = "") => [
    { name: `bare loop, ${what}`, ns: ns(`bare loop, ${what}`), ratio: "", target: "" },
    { name: `fire(), ${what}`, ns: ns(`fire(), ${what}`), ratio: ratio(`fire(), ${what}`, `bare loop, ${what}`), target },
  ];
  return [...pair("3 allow, 1 denies", "≤ 2 × with the copies"), ...pair("4 deny with a new text each time")];
}

/** Blocks, never twice in the same words. */
function freshDenier(test) {
  let count = 0;
  return (input) => test(input) ?? deny(`not now, ${count++}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("In process", await measureFire());
