// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { callHook, runHookFile } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";
import { main } from "./hook.mjs";

// main() logs, and callHook() runs it in this process.
process.env.HOOK_LOG_DISABLE = "1";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));
// Put together here, so that no scanner takes this file for a leak.
const body = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4hJ5kL6mN7";
const prompt = ["Why does ssh refuse this?\n-----BEGIN", "OPENSSH PRIVATE", `KEY-----\n${body}\n-----END`].join(" ");

test("a prompt with a private key is rejected, and the key is not repeated", async () => {
  const answer = await runHookFile(file, "UserPromptSubmit", { prompt });
  assert.equal(answer.decision, "block");
  assert.match(answer.reason ?? "", /contains a private key\. It was not sent/);
  assert.ok(!(answer.stdout + answer.stderr).includes(body));
  assert.deepEqual(answer.diagnostics, []);
});

test("other prompts pass without a word", async () => {
  for (const harmless of ["Fix the failing test", "What does -----BEGIN RSA PRIVATE KEY----- mean?"]) {
    const answer = await runHookFile(file, "UserPromptSubmit", { prompt: harmless });
    assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
  }
});

test("the log says that it happened, not what was pasted", async (t) => {
  const log = path.join(temporaryFolder(t), "log.jsonl");
  await runHookFile(file, "UserPromptSubmit", { prompt }, { env: { HOOK_LOG_DISABLE: "", HOOKLOOP_LOG_FILE: log } });
  const records = readFileSync(log, "utf8");
  assert.match(records, /"hook":"reject-pasted-key","msg":"rejected a prompt with a private key","data":\{"length":\d+\}/);
  assert.ok(!records.includes(body));
});

test("main can be called in the test's own process", async () => {
  assert.equal((await callHook(main, "UserPromptSubmit", { prompt })).decision, "block");
  assert.equal((await callHook(main, "UserPromptSubmit", { prompt: "Hello" })).decision, "none");
});

for (const stdin of ["", "{", '{"hook_event_name":"UserPromptSubmit"}', '{"hook_event_name":"UserPromptSubmit","prompt":7}']) {
  test(`broken input is blocked: ${stdin || "(nothing)"}`, async () => {
    const options = { stdin, allowFailure: true, ownNames: ["prompt"] };
    assert.equal((await runHookFile(file, "UserPromptSubmit", {}, options)).decision, "block");
  });
}

test("its settings.json switches it on", async (t) => {
  assert.equal((await runAsConfigured(t, new URL(".", import.meta.url), "UserPromptSubmit", { prompt })).decision, "block");
});
