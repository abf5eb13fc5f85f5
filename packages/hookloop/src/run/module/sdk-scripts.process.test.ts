import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { createCommandRunner } from "../command-runner.ts";
import { runnerContract } from "../contract.test-suite.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { createWarmScripts } from "./warm-scripts.ts";

const folder = hookFolder();
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root", HOOK_LOG_DISABLE: "1" };
/** Scripts that were given a process of their own. */
const cold: string[] = [];
const run: typeof runProgram = (program) => {
  cold.push(program.args.join(" "));
  return runProgram(program);
};
const hostScript = await programFromSource("./module-host.ts");
const pool = createWarmScripts({ run, hostScript, prebootScript: await programFromSource("../process/preboot-process.ts") });
const warm = createCommandRunner({ environment, version: "1.2.3", run: pool.run });
const plain = createCommandRunner({ environment, version: "1.2.3" });
afterAll(async () => {
  await pool.close();
  expect(pool.size).toBe(0);
});

folder.installSdk();
const IMPORT = `import { context, deny, hook } from "@hookloop/sdk";\n`;

function hookOf(name: string, text: string, ...args: readonly string[]): AdmittedHook {
  const target = { kind: "command", command: "node", args: [folder.write(name, text), ...args], shell: "sh" } as const;
  return sampleHook({ target, fields: { warm: true } });
}

const textOf = (stdout: string): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;

describe("a script of the SDK, kept loaded, keeps the rules of a runner", () => {
  runnerContract({
    // A script of the SDK answers nothing but events.
    runner: (selected, input) => {
      const event = { hook_event_name: "PreToolUse", tool_name: "Bash", ...input.input };
      return warm(selected, { ...input, payload: () => Buffer.from(JSON.stringify(event)) });
    },
    hooks: {
      answers: hookOf("answers.mjs", `${IMPORT}hook("PreToolUse", () => context("answer"));`),
      measures: hookOf(
        "measures.ts",
        `${IMPORT}hook("PreToolUse", ({ tool_input }) => context(String(tool_input.command.length as number)));`,
      ),
      answersLong: hookOf("long.mjs", `${IMPORT}hook("PreToolUse", () => context("x".repeat(900000)));`),
      hangs: hookOf("hangs.mjs", `${IMPORT}hook("PreToolUse", () => { for (;;); });`),
      breaks: hookOf("breaks.mjs", `${IMPORT}hook("PreToolUse", () => process.kill(process.pid, "SIGKILL"));`),
      foreign: sampleHook({ target: { kind: "function", handler: () => undefined } }),
    },
    answerOf: ({ stdout }) => (stdout === "" ? "" : textOf(stdout)),
    breaksWith: "signal",
  });
});

describe("a script of the SDK gives the same answer as in a process of its own", () => {
  const fixture = (name: string): string =>
    readFileSync(fileURLToPath(new URL(`../../../../../test/sdk/fixtures/${name}`, import.meta.url)), "utf8")
      // As a file that it imports would do it: in its own text it would get a process of its own.
      .replaceAll("process.exitCode", 'process["exitCode"]');
  const MISBEHAVING = fixture("misbehaving.mjs");
  const deeds = [...MISBEHAVING.matchAll(/^ {2}(?:"([^"]+)"|(\w+)): (?:async )?(?:\(|never)/gm)]
    .map(([, quoted, bare]) => quoted ?? bare ?? "")
    .filter((deed) => deed !== "leaves a server");
  // Each way with a part of the deeds: starting three processes per case takes its time.
  const WAYS = ["guard", "plain", "guard", "S4 guard", "guard", "S4 plain"];
  const TOP_LEVEL = [
    "prints after hook()",
    "throws",
    "forgets a rejected promise",
    "throws in a timer",
    "holds a timer",
    "sets exit code 2",
  ];

  it.each([
    ...deeds.map((deed, at) => ["misbehaving.mjs", WAYS[at % WAYS.length] ?? "", deed] as const),
    ...TOP_LEVEL.flatMap((deed) => ["S4 plain", "guard that denies"].map((way) => ["top-level.mjs", way, deed] as const)),
    ...["prints before hook()", "throws after an await", "waits for ever"].map((deed) => ["top-level.mjs", "guard", deed] as const),
  ])("%s %s: %s", async (name, way, deed) => {
    const hook = hookOf(path.join(`${way} ${deed}`.replace(/\W+/g, "-"), name), fixture(name), way, deed);
    const input = sampleInput({ cwd: folder.root, projectRoot: folder.root });
    const seen = async (runner: typeof warm) => {
      const { stdout, stderr, exitCode, failure } = await runner({ hook: { ...hook, timeoutMs: 6000 } }, input);
      // Where the SDK itself threw depends on how it is bundled, and how long it waited on how late it started.
      const text = JSON.stringify({ stdout, stderr, exitCode, failure });
      return text.replaceAll(/\((?:mistakes\.js|module-host\.mjs):[\d:]+\)/g, "").replaceAll(/within \d+ ms/g, "within its limit");
    };
    const expected = await seen(plain);
    for (let round = 0; round < 2; round++) expect(await seen(warm)).toEqual(expected);
  });

  it.each([
    ["a promise of a timer", "() => { w(600).then(() => deny('no')); }"],
    ["a function beside it", "() => { later(); }"],
  ])("also where a guard decides after it has returned: %s", async (what, handler) => {
    const text = `import { setTimeout as w } from "node:timers/promises";
import { deny, hook } from "@hookloop/sdk";
async function later() { for (let n = 0; n < 3; n++) { if (n > 1) return deny("no"); await w(300); } }
hook("PreToolUse", { tool: "Bash", guard: true }, ${handler});\n`;
    const hook = hookOf(`late-${what.replaceAll(" ", "-")}.mjs`, text);
    const input = sampleInput({
      input: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
      cwd: folder.root,
      projectRoot: folder.root,
    });
    for (const runner of [plain, warm, warm]) expect((await runner({ hook }, input)).stdout).toContain("HL_SDK_RESULT_NOT_RETURNED");
  });

  it("was run by the host", () => expect(cold.length).toBeLessThan(60));
});
