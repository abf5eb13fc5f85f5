import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { createCommandRunner } from "../command-runner.ts";
import { runnerContract } from "../contract.test-suite.ts";
import { hookFolder, programFromSource } from "../module/host-from-source.test-suite.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { createPrebootPool, type PrebootPool } from "./preboot-pool.ts";
import { runProgram } from "./process-group.ts";

const script = await programFromSource("../process/preboot-process.ts");
const folder = hookFolder();
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root" };
const pools: PrebootPool[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  expect(pools.map(({ size }) => size)).toEqual(pools.map(() => 0));
});

function open() {
  /** Programs that were started as always. */
  const cold: string[] = [];
  const run: typeof runProgram = (program) => {
    cold.push(program.args.join(" "));
    return runProgram(program);
  };
  const pool = createPrebootPool({ run, script });
  pools.push(pool);
  return { pool, cold, run: createCommandRunner({ environment, version: "1.2.3", run: pool.run }) };
}

function hookOf(name: string, text: string): AdmittedHook {
  const command = `node "${folder.write(name, text)}" one "two words"`;
  return sampleHook({ target: { kind: "command", command, shell: "sh" }, fields: { warm: true } });
}

const READ = `import { readFileSync } from "node:fs";\nconst input = JSON.parse(readFileSync(0, "utf8"));\n`;

describe("a script in a process that has booted already keeps the rules of a runner", async () => {
  const { run } = open();
  const hooks = {
    answers: hookOf("answers.mjs", `process.stdout.write("answer");`),
    measures: hookOf("measures.mjs", `${READ}console.log(input.tool_input.command.length);`),
    answersLong: hookOf("long.cjs", `process.stdout.write("x".repeat(900000));`),
    hangs: hookOf("hangs.mjs", "for (;;);"),
    breaks: hookOf("breaks.mjs", `process.kill(process.pid, "SIGKILL");`),
    foreign: sampleHook({ target: { kind: "function", handler: () => undefined } }),
  };
  // The first run of each is started as always; the suite is about the others.
  for (const hook of Object.values(hooks)) await run({ hook }, sampleInput({ timeoutMs: 300 }));
  runnerContract({ runner: run, hooks, answerOf: ({ stdout }) => stdout.trim(), breaksWith: "signal" });
});

describe("a process that has booted already", () => {
  const { pool, cold, run } = open();
  const ask = (hook: AdmittedHook, more = {}) => run({ hook }, sampleInput({ cwd: folder.root, projectRoot: folder.root, ...more }));

  it.each([
    ["esm.mjs", "import.meta.url === (await import('node:url')).pathToFileURL(process.argv[1]).href"],
    ["common.cjs", "require.main === module"],
  ])("is what node would have started: %s", async (name, isMain) => {
    const hook = hookOf(
      name,
      `console.log(JSON.stringify([${isMain}, process.argv.slice(2), process.execArgv, process.cwd(), process.env.N, typeof process.send,
  process.listenerCount("exit"), Object.keys(globalThis).length]));
process.exitCode = Number(process.env.N);`,
    );
    const first = await ask(hook, { env: { N: "1" } });
    const started = cold.length;
    const second = await ask(hook, { env: { N: "1" } });
    expect(second).toMatchObject({ stdout: first.stdout, stderr: "", exitCode: 1 });
    expect(JSON.parse(second.stdout).slice(0, 6)).toEqual([true, ["one", "two words"], [], folder.root, "1", "undefined"]);
    expect(await ask(hook, { env: { N: "3" }, cwd: "/" })).toMatchObject({ exitCode: 3, stdout: expect.stringContaining('"/","3"') });
    expect(cold.length).toBe(started);
  });

  it("is used once: whatever a run leaves behind is gone with it", async () => {
    const hook = hookOf(
      "leaves.mjs",
      `console.log(process.pid, typeof Array.prototype.bad);\nArray.prototype.bad = 1;\nawait new Promise(() => {});`,
    );
    const seen = [await ask(hook), await ask(hook), await ask(hook)].map(({ stdout, exitCode }) => [...stdout.trim().split(" "), exitCode]);
    expect(new Set(seen.map(([pid]) => pid)).size).toBe(3);
    expect(seen.map(([, ...rest]) => rest)).toEqual(seen.map(() => ["undefined", 13]));
  });

  it.each(["cjs", "mjs"])("process.exit() without a code is exit code 0 (%s)", async (kind) => {
    const hook = hookOf(`exits.${kind}`, "process.exit();");
    expect([(await ask(hook)).exitCode, (await ask(hook)).exitCode]).toEqual([0, 0]);
  });

  it("has read nothing of the script: an edit counts at once", async () => {
    const hook = hookOf("edited.mjs", `console.log("old");`);
    await ask(hook);
    hookOf("edited.mjs", `console.log("new");`);
    expect((await ask(hook)).stdout).toBe("new\n");
  });

  it("is not used where variables differ that Node reads when it starts", async () => {
    const hook = hookOf("zone.mjs", "console.log(new Date(0).getHours());");
    await ask(hook, { env: { TZ: "UTC" } });
    expect((await ask(hook, { env: { TZ: "Etc/GMT-3" } })).stdout).toBe("3\n");
    expect((await ask(hook, { env: { TZ: "UTC" } })).stdout).toBe("0\n");
  });

  it("says once why a line that needs a shell is started as always", async () => {
    const hook = sampleHook({ target: { kind: "command", command: "echo hi | cat", shell: "sh" }, fields: { warm: true } });
    expect(await ask(hook)).toMatchObject({ stdout: "hi\n", notes: [{ code: "HL_EXECUTE_NOT_WARM" }] });
    expect((await ask(hook)).notes).toBeUndefined();
    expect(pool.size).toBeGreaterThan(0);
  });

  it("keeps the program alive until it is closed", async () => {
    const program = await programFromSource("./hold-warm.test-suite.ts");
    const args = [program, script, folder.write("calm.mjs", "console.log(1);"), "preboot"];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "40" });
  });
});
