// One tool call with everything around it, and a session of many: how much of the time is ours.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHooks, Permissions, readRules } from "hookloop";
import { assessCommand } from "hookloop/shell";
import { createTraceWriter } from "hookloop/trace";
import { nanoseconds } from "./nanoseconds.mjs";
import { printGroup } from "./print-group.mjs";

const COMMAND = "npm test -- --run src/parser.test.ts && git status --short";
const CALL = { tool_name: "Bash", tool_input: { command: COMMAND, description: "Run the tests" }, tool_use_id: "toolu_1" };
const RULES = { deny: ["Bash(rm -rf *)", "Read(./.env)"], ask: ["Bash(git push *)"], allow: ["Bash(npm test *)", "Bash(git status *)"] };

async function openWith(more, file) {
  const home = mkdtempSync(path.join(tmpdir(), "hookloop-bench-"));
  if (file) writeFileSync(path.join(home, "settings.json"), JSON.stringify(file));
  const ports = { home, managedRoot: path.join(home, "none"), ...more.ports };
  const settings = file ? { settings: path.join(home, "settings.json"), trust: "implicit" } : {};
  const hooks = await openHooks({ cwd: home, onDiagnostic: () => {}, ...settings, ...more, ports });
  const close = async () => {
    await hooks.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { hooks, home, close };
}

/** A Bash command through rules, shipped guards and self-protection, against judging the same command alone. */
export async function measureCall(rounds = 100) {
  const { hooks, home, close } = await openWith({ use: ["safety", "workspace-boundary"] });
  const source = { scope: "code", root: home, isTrusted: true, permissions: RULES };
  const rules = new Permissions({ rules: readRules([source], { home }).rules, root: home });
  const run = () => hooks.runTool(CALL, () => ({ stdout: "", stderr: "", interrupted: false }), { rules });
  const first = await run();
  if (first.status !== "ran") throw new Error(`the call was not run: ${first.error}`);
  let serial = 0;
  const fresh = () => `${COMMAND} # ${serial++}`;
  const { ns, ratio } = await nanoseconds(
    {
      // Another text each time: what was read before is remembered.
      "assessCommand of the command": async () => assessCommand(fresh(), { cwd: home, home }),
      "runTool with rules, shipped guards, self-protection": () =>
        hooks.runTool({ ...CALL, tool_input: { command: fresh() } }, () => ({ stdout: "", stderr: "", interrupted: false }), { rules }),
    },
    rounds,
  );
  await close();
  const floor = "assessCommand of the command";
  const name = "runTool with rules, shipped guards, self-protection";
  return [
    { name: floor, ns: ns(floor), ratio: "", target: "" },
    { name, ns: ns(name), ratio: ratio(name, floor), target: "≤ 2 ×" },
    ...(await measureSession()),
  ];
}

const CALLS = 100;

/** 100 calls with 5 command hooks each: CPU of this process that is not starting them, against the time of the runs. */
async function measureSession() {
  const hook = { type: "command", command: "cat >/dev/null" };
  const trace = createTraceWriter({ file: path.join(mkdtempSync(path.join(tmpdir(), "hookloop-bench-")), "trace.jsonl") });
  const { hooks, close } = await openWith(
    { ports: { trace } },
    {
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: Array.from({ length: 5 }, (_, index) => ({ ...hook, command: `${hook.command}; : ${index}` })) },
        ],
      },
    },
  );
  let waited = 0;
  const startedAt = performance.now();
  for (let call = 0; call < CALLS; call++) {
    const steps = new Map();
    const verdict = await hooks.fire("PreToolUse", CALL, {
      onStep: (step) => {
        if (step.type === "started") steps.set(step.hook, performance.now());
        if (step.type === "outcome") steps.set("end", performance.now());
      },
    });
    if (verdict.outcomes.length !== 5) throw new Error("the hooks did not run");
    const [first] = steps.values();
    waited += (steps.get("end") ?? 0) - (first ?? 0);
  }
  const whole = performance.now() - startedAt;
  trace.close();
  await close();
  return [
    { name: `${CALLS} calls with 5 command hooks: until the last had ended`, ns: (waited / CALLS) * 1e6, ratio: "", target: "" },
    {
      name: "the rest of each call, in parts of it",
      ns: ((whole - waited) / CALLS) * 1e6,
      ratio: (whole - waited) / waited,
      target: "≤ 0.03 ×",
    },
  ];
}

if (process.argv[1] === new URL(import.meta.url).pathname) printGroup("One call", await measureCall());
