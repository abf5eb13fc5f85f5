import { afterAll, describe, expect, it } from "vitest";
import type { AdmittedHook } from "../../trust/types.ts";
import { createCommandRunner } from "../command-runner.ts";
import { runnerContract } from "../contract.test-suite.ts";
import { runProgram } from "../process/process-group.ts";
import { sampleHook, sampleInput } from "../sample-hook.test-suite.ts";
import { hookFolder, programFromSource } from "./host-from-source.test-suite.ts";
import { createWarmScripts } from "./warm-scripts.ts";

const hostScript = await programFromSource("./module-host.ts");
const prebootScript = await programFromSource("../process/preboot-process.ts");
const folder = hookFolder();
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root" };
const pools: ReturnType<typeof createWarmScripts>[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  expect(pools.map(({ size }) => size)).toEqual(pools.map(() => 0));
});

function open() {
  const pool = createWarmScripts({ run: runProgram, hostScript, prebootScript });
  pools.push(pool);
  return { pool, run: createCommandRunner({ environment, version: "1.2.3", run: pool.run }) };
}

function warmHook(file: string, more: Partial<AdmittedHook> = {}): AdmittedHook {
  return sampleHook({ target: { kind: "command", command: `node "${file}"`, shell: "sh" }, fields: { warm: true }, ...more });
}

const READ = `import { readFileSync } from "node:fs";\nconst input = JSON.parse(readFileSync(0, "utf8"));\n`;
const script_ = (name: string, text: string): AdmittedHook => warmHook(folder.write(name, text));

describe("a warm script keeps the rules of a runner", () => {
  runnerContract({
    runner: open().run,
    hooks: {
      answers: script_("answers.mjs", `process.stdout.write("answer");`),
      measures: script_("measures.mjs", `${READ}console.log(input.tool_input.command.length);`),
      answersLong: script_("long.cjs", `process.stdout.write("x".repeat(900000));`),
      hangs: script_("hangs.mjs", "for (;;);"),
      // Without a shell, which would turn the signal into an exit code.
      breaks: warmHook("", {
        target: {
          kind: "command",
          command: "node",
          args: [folder.write("breaks.mjs", `process.kill(process.pid, "SIGKILL");`)],
          shell: "sh",
        },
      }),
      foreign: sampleHook({ target: { kind: "function", handler: () => undefined } }),
    },
    answerOf: ({ stdout }) => stdout.trim(),
    breaksWith: "signal",
  });
});

describe("a script without the SDK, run warm", () => {
  const { pool, run } = open();
  const ask = (hook: AdmittedHook, more = {}) => run({ hook }, sampleInput({ cwd: folder.root, projectRoot: folder.root, ...more }));

  it.each([
    ["sync.mjs", `${READ}console.log(input.tool_name);`],
    [
      "sync.cjs",
      `const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));\nif (require.main === module) console.log(input.tool_name);`,
    ],
    ["stream.mjs", `let text = "";\nfor await (const chunk of process.stdin) text += chunk;\nconsole.log(JSON.parse(text).tool_name);`],
    [
      "events.cjs",
      `let t = "";\nprocess.stdin.setEncoding("utf8").on("data", (c) => { t += c; }).on("end", () => { console.log(JSON.parse(t).tool_name); process.exit(0); });`,
    ],
    [
      "child.mjs",
      `import { spawnSync } from "node:child_process";\nspawnSync("sh", ["-c", "sed 's/.*tool_name.:.//; s/\\".*//'"], { stdio: "inherit" });`,
    ],
  ])("reads its event and answers, again and again (%s)", async (name, text) => {
    const hook = script_(name, text);
    for (let round = 0; round < 5; round++) {
      expect(await ask(hook)).toMatchObject({ stdout: "Bash\n", stderr: "", exitCode: 0 });
    }
  });

  it("has its own exit code, folder, arguments and variables each time, and fresh globals", async () => {
    const file = folder.write(
      "each.mjs",
      `import fs from "node:fs";
globalThis.count = (globalThis.count ?? 0) + 1;
process.on("exit", () => fs.writeSync(2, "bye"));
process.chdir(process.cwd());
fs.writeSync(1, JSON.stringify([globalThis.count, process.cwd(), process.argv.slice(2), process.env.N]));
setTimeout(() => process.exit(9), 5000).unref();
try { process.exit(Number(process.env.N)); } catch { process.exit(0); }
`,
    );
    const hook = sampleHook({ target: { kind: "command", command: "node", args: [file, "a b"], shell: "sh" }, fields: { warm: true } });
    for (const N of ["2", "0", "7"]) {
      const cwd = N === "0" ? "/" : folder.root;
      expect(await ask(hook, { cwd, env: { N } })).toMatchObject({
        stdout: JSON.stringify([1, cwd, ["a b"], N]),
        stderr: "bye",
        exitCode: Number(N),
      });
    }
  });

  it.each([
    ["throws", "throw new Error('boom');", 1, /boom[\s\S]+throws\.mjs:1:7/],
    ["rejects", "Promise.reject(new Error('boom'));", 1, /boom/],
    ["never settles", "await new Promise(() => {});", 13, /^/],
    ["exit code", "process.exitCode = 5;", 5, /^/],
  ])("ends as in a process of its own when it %s", async (name, text, exitCode, stderr) => {
    const hook = script_(`${name.replaceAll(" ", "-")}.mjs`, text);
    for (let round = 0; round < 2; round++) {
      const outcome = await ask(hook);
      expect(outcome.exitCode).toBe(exitCode);
      expect(outcome.stderr).toMatch(stderr);
    }
  });

  it.each([
    [
      "leaves a server open",
      `import net from "node:net";\nnet.createServer().listen(0, "127.0.0.1", () => { console.log(typeof Array.prototype.bad); process.exit(0); });`,
    ],
    ["changes a built-in", `console.log(typeof Array.prototype.bad);\nArray.prototype.bad = () => {};`],
  ])("is given a fresh process after it %s", async (name, text) => {
    const hook = script_(`${name.replaceAll(" ", "-")}.mjs`, text);
    for (let round = 0; round < 3; round++) expect(await ask(hook)).toMatchObject({ stdout: "undefined\n", exitCode: 0 });
  });

  it("is started as always, with a word about it, where a shell is needed", async () => {
    const file = folder.write("plain.mjs", `console.log("plain");`);
    const hook = sampleHook({ target: { kind: "command", command: `node "${file}" | cat`, shell: "sh" }, fields: { warm: true } });
    const outcome = await ask(hook);
    expect(outcome).toMatchObject({ stdout: "plain\n", notes: [{ code: "HL_EXECUTE_NOT_WARM" }] });
    expect((await ask(hook)).notes).toBeUndefined();
    expect(pool.size).toBeGreaterThan(0);
  });
});
