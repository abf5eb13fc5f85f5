import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { runHookFile } from "@hookloop/sdk/testing";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, runScript, temporaryFolder, toolCall } from "./run-script.ts";

const SDK = pathToFileURL(path.resolve("packages/sdk/dist/index.js")).href;

/** A hook file with this handler. */
function hookFile(handler: string, options = "tool: 'Bash', guard: true"): string {
  const file = path.join(temporaryFolder(), "hook.mjs");
  const imports = `import { deny, hook } from ${JSON.stringify(SDK)};
import { execFile } from "node:child_process";
import { connect, createServer } from "node:net";
import { promisify } from "node:util";
import { setTimeout as wait } from "node:timers/promises";`;
  writeFileSync(file, `${imports}\nhook("PreToolUse", { ${options} }, ${handler});\n`);
  return file;
}

function run(file: string): Promise<Ended> {
  return runScript(file, { stdin: toolCall("touch deploy"), limitMs: 8000 });
}

const FORGETS = [
  ["a child process", "async () => { promisify(execFile)('sleep', ['0.45']).then(() => deny('no')); }"],
  [
    "forEach with an async function",
    "() => { ['0.45'].forEach(async (s) => { await promisify(execFile)('sleep', [s]); return deny('no'); }); }",
  ],
  ["a timer behind a child process", "() => { promisify(execFile)('sleep', ['0.45']).then(() => wait(50)).then(() => deny('no')); }"],
  [
    "a socket",
    "() => { const s = createServer((c) => setTimeout(() => c.end('x'), 450)).listen(0, () => connect(s.address().port).on('data', () => { deny('no'); s.close(); })); }",
  ],
  ["a short timer", "() => { wait(50).then(() => deny('no')); }"],
  ["a timer", "() => { setTimeout(() => deny('no'), 700); }"],
  ["a timer that calls a function", "() => { const late = () => deny('no'); setTimeout(late, 700); }"],
  ["a promise of a timer", "() => { wait(700).then(() => deny('no')); }"],
  ["a timer under another name", "() => { const w = wait; w(700).then(() => deny('no')); }"],
  [
    "a function above it that waits under another name",
    "() => { const w = wait; const check = async () => { await w(700); return deny('no'); }; check(); }",
  ],
  [
    "a loop that tries again",
    "() => { const check = async () => { for (let n = 0; n < 4; n++) { if (n > 2) return deny('no'); await wait(300); } }; check(); }",
  ],
  ["a promise made by hand", "() => { const p = (ms) => new Promise((r) => setTimeout(() => r(), ms)); p(700).then(() => deny('no')); }"],
  ["a function with a timer in it", "() => { const check = async () => { await wait(700); return deny('no'); }; check(); }"],
] as const;

describe.concurrent("a guard that returns before its check is over, which takes longer than a moment:", () => {
  test.each(FORGETS)("%s: it blocks", async (_name, handler) => {
    const ended = await run(hookFile(handler));
    expect(answerOf(ended)).toEqual(denial(expect.stringContaining("HL_SDK_RESULT_NOT_RETURNED")));
  });

  test.each(FORGETS)("%s: runHookFile rejects", async (_name, handler) => {
    await expect(runHookFile(hookFile(handler), "PreToolUse")).rejects.toThrow("RESULT_NOT_RETURNED");
  });
});

describe.concurrent("a guard that returns nothing", () => {
  test("and leaves a process that does not end within its limit has failed", async () => {
    const ended = await run(hookFile("() => { execFile('sleep', ['5']); }", "guard: true, timeoutMs: 500"));
    expect(answerOf(ended)).toEqual(denial(expect.stringMatching(/HL_SDK_HANDLER_TIMEOUT: .*ProcessWrap.*write await before it/)));
    expect(ended.durationMs).toBeLessThan(4000);
  });

  test.each([
    ["the timer of a race", "async () => { await Promise.race([wait(10), wait(30000).then(() => deny('too slow'))]); }"],
    ["an interval", "() => { setInterval(() => {}, 50); }"],
    [
      "a race made by hand",
      "() => new Promise((resolve) => { setTimeout(() => resolve(deny('too slow')), 30000); wait(10).then(() => resolve(undefined)); })",
    ],
    [
      "a timer that clears a cache",
      "async () => { setTimeout(() => globalThis.cache?.clear(), 30000); await wait(5); if (Date.now() < 0) return deny('no'); }",
    ],
    ["a timer that makes no result", "() => { setTimeout(() => {}, 30000); if (Date.now() < 0) return deny('no'); }"],
  ])("and leaves only timers agrees, after a moment: %s", async (_name, handler) => {
    const ended = await run(hookFile(handler));
    expect(ended).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    expect(ended.durationMs).toBeLessThan(3000);
  });

  test("and leaves a timer that makes its result after its limit has failed", async () => {
    const ended = await run(hookFile("() => { wait(6000).then(() => deny('no')); }", "guard: true, timeoutMs: 900"));
    expect(answerOf(ended)).toEqual(denial(expect.stringMatching(/HL_SDK_HANDLER_TIMEOUT: .*Timeout.*write await before it/)));
    expect(ended.durationMs).toBeLessThan(4000);
  });

  test("and leaves something that ends agrees", async () => {
    expect(await run(hookFile("() => { execFile('sleep', ['0.3']); }"))).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("is not waited for because of what its file had started before", async () => {
    const file = hookFile("() => {}");
    writeFileSync(file, `setInterval(() => {}, 1000);\n${readFileSync(file, "utf8")}`);
    const ended = await run(file);
    expect(ended).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    expect(ended.durationMs).toBeLessThan(3000);
  });
});

describe.concurrent("a hook that is no guard", () => {
  test("and makes its result a moment too late says so, and does not block", async () => {
    const ended = await run(hookFile("async () => { wait(20).then(() => deny('no')); }", "tool: 'Bash'"));
    expect(ended).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining("HL_SDK_RESULT_NOT_RETURNED") });
  });

  test.each(["() => { wait(600).then(() => deny('no')); }", "() => { setTimeout(() => deny('no'), 60000); }"])(
    "and makes its result far too late says so, and is not waited for: %s",
    async (handler) => {
      const ended = await run(hookFile(handler, "tool: 'Bash'"));
      expect(ended).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining("HL_SDK_RESULT_NOT_RETURNED") });
      expect(ended.durationMs).toBeLessThan(3000);
    },
  );

  test("is waited for only a moment", async () => {
    const ended = await run(hookFile("() => { setInterval(() => {}, 50); }", "tool: 'Bash'"));
    expect(ended).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    expect(ended.durationMs).toBeLessThan(3000);
  });

  test.each([
    ["(input) => { if (/deploy/.test(input.command)) return deny('no'); }", "command"],
    ["({ tool_input }) => { if (/deploy/.test(tool_input.cmd)) return deny('no'); }", "cmd"],
    ["({ toolInput }) => { if (/deploy/.test(toolInput?.command)) return deny('no'); }", "toolInput"],
  ])("and reads a field that does not exist says so: %s", async (handler, field) => {
    const ended = await run(hookFile(handler, "tool: 'Bash'"));
    expect(ended).toMatchObject({ stdout: "", exitCode: 1 });
    expect(ended.stderr).toMatch(new RegExp(`^HL_SDK_FIELD_MISSPELT: .*"${field}"`));
  });
});
