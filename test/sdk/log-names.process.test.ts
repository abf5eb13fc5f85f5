import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runScript, temporaryFolder, toolCall } from "./run-script.ts";

const SDK = path.resolve("packages/sdk/dist/index.js");

async function run(body: string): Promise<{ stderr: string; records: { level: string; hook: string; msg: string; data?: unknown }[] }> {
  const folder = temporaryFolder();
  const file = path.join(folder, "hook.mjs");
  const log = path.join(folder, "log.jsonl");
  writeFileSync(file, `import * as sdk from ${JSON.stringify(SDK)};\nsdk.runHook(() => { ${body} }, "names");\n`);
  const { stderr } = await runScript(file, { stdin: toolCall("ls"), env: { HOOKLOOP_LOG_FILE: log, HOOK_LOG_DISABLE: "" } });
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  return { stderr, records: lines.map((line) => JSON.parse(line)) };
}

test.each(["logDebug", "logInfo", "logWarn", "logError"])("%s writes to the file only", async (name) => {
  const { stderr, records } = await run(`sdk.${name}("my-hook", "hello", { a: 1 });`);
  expect(stderr).toBe("");
  expect(records[0]).toMatchObject({ level: name.slice(3).toLowerCase(), hook: "my-hook", msg: "hello", data: { a: 1 } });
});

test("logBlocking writes to the file and to stderr", async () => {
  const { stderr, records } = await run(`sdk.logBlocking("my-hook", "it is serious");`);
  expect(stderr).toBe("it is serious\n");
  expect(records[0]).toMatchObject({ level: "error", hook: "my-hook", msg: "it is serious" });
});

test("logHookError writes the message to both and the stack to the file", async () => {
  const { stderr, records } = await run(`sdk.logHookError("my-hook", new Error("boom"));`);
  expect(stderr).toBe("UNHANDLED boom\n");
  expect(records[0]).toMatchObject({ msg: "UNHANDLED boom", data: { stack: expect.stringContaining("hook.mjs") } });
});

test("logDiagnostic and hookLog write to the file, eprint to stderr", async () => {
  const { stderr, records } = await run(`sdk.logDiagnostic("h", "odd"); sdk.hookLog("h", "warn", "careful"); sdk.eprint("raw");`);
  expect(stderr).toBe("raw\n");
  expect(records.slice(0, 2)).toMatchObject([
    { level: "debug", msg: "DIAGNOSTIC odd" },
    { level: "warn", msg: "careful" },
  ]);
});
