import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createCommandRunner } from "../command-runner.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { createModuleRunner } from "./module-runner.ts";
import { createWarmScripts } from "./warm-scripts.ts";

const hostScript = await programFromSource("./module-host.ts");
const prebootScript = await programFromSource("../process/preboot-process.ts");
const folder = hookFolder();
folder.installSdk();
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root" };
const EVENTS = 400;

/** Children of this process that run one of our programs. */
function ownChildren(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return parent === process.pid && (line.includes(hostScript) || line.includes(prebootScript)) ? [Number(pid)] : [];
      } catch {
        // It has just ended.
        return [];
      }
    });
}

it("400 events through 8 warm hooks, one of them killed at random: every event has the right verdict, and nothing is left", async () => {
  const modules = createModuleRunner({ environment, version: "0", script: hostScript });
  const pool = createWarmScripts({ run: runProgram, hostScript, prebootScript });
  const command = createCommandRunner({ environment, version: "0", run: pool.run });
  const source = { scope: "user", dialect: "native", root: folder.root } as const;
  const hooks = Array.from({ length: 8 }, (_, index) => {
    if (index >= 6) {
      const file = folder.write(
        `warm-${index}.mjs`,
        `import { context, hook } from "@hookloop/sdk";\nhook("PreToolUse", ({ n }) => context(n % 3 ? "yes" : "no"));\n`,
      );
      const hook = sampleHook({ target: { kind: "command", command: `node ${file}`, shell: "sh" }, fields: { warm: true }, source });
      return async (n: number) => {
        const { stdout, failure } = await command({ hook }, sampleInput({ input: { ...sampleInput().input, n } }));
        return { stdout: String(JSON.parse(stdout || "{}").hookSpecificOutput?.additionalContext), failure };
      };
    }
    const path = folder.write(`guard-${index}.ts`, `export default ({ n }: { n: number }): string => (n % 3 ? "yes" : "no");\n`);
    const hook = sampleHook({ target: { kind: "module", fields: { path, isolation: index >= 3 ? "process" : "worker" } }, source });
    return (n: number) => modules.run({ hook }, sampleInput({ input: { n } }));
  });
  let killed = 0;
  for (let n = 0; n < EVENTS; n++) {
    const running = Promise.all(hooks.map((run) => run(n)));
    if (n % 20 === 19) {
      const children = ownChildren();
      const victim = children[Math.floor(Math.random() * children.length)];
      if (victim !== undefined) {
        process.kill(victim, "SIGKILL");
        killed++;
      }
    }
    for (const { stdout, failure } of await running)
      expect([n, stdout.trim(), failure?.text]).toEqual([n, n % 3 ? "yes" : "no", undefined]);
  }
  expect(killed).toBeGreaterThan(10);
  await Promise.all([modules.close(), pool.close()]);
  expect(pool.size).toBe(0);
  expect(ownChildren()).toEqual([]);
});
