// @ts-check
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runHookFile, sampleInput } from "@hookloop/sdk/testing";
import { gitRepository } from "../test-support/git-repository.mjs";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));

/** @param {import("node:test").TestContext} t */
function dirtyRepository(t) {
  const repository = gitRepository(t);
  repository.write("work.txt", "not committed\n");
  return repository;
}

/** @param {string} cwd @param {string} command @param {boolean} [stop_hook_active] */
const stop = (cwd, command, stop_hook_active = false) =>
  runHookFile(file, "Stop", { stop_hook_active }, { cwd, env: { HOOK_TEST_COMMAND: command } });

describe("HOOK_TEST_COMMAND", () => {
  test("red tests send the agent back, with the end of the output", async (t) => {
    const { folder } = dirtyRepository(t);
    const answer = await stop(folder, "echo first; seq 1 5000; echo 'expected 1, got 2' >&2; exit 3");
    assert.equal(answer.decision, "block");
    assert.match(answer.reason ?? "", /failed with exit code 3\. The end of its output:\n[\s\S]*5000\nexpected 1, got 2$/);
    assert.ok((answer.reason ?? "").length < 3300);
    assert.deepEqual(answer.diagnostics, []);
  });

  test("green tests let it stop without a word", async (t) => {
    const answer = await stop(dirtyRepository(t).folder, "echo fine");
    assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
  });

  test("the agent is sent back only once; the second time the user is told", async (t) => {
    const { folder } = dirtyRepository(t);
    const answer = await stop(folder, "echo broken; exit 1", true);
    assert.equal(answer.decision, "none");
    assert.match(answer.systemMessage ?? "", /tests still fail[\s\S]*broken$/);
    assert.equal((await stop(folder, "true", true)).stdout, "");
  });

  test("the command runs in the project's folder", async (t) => {
    const { folder } = dirtyRepository(t);
    assert.match((await stop(folder, "pwd; exit 1")).reason ?? "", new RegExp(`\n${folder}$`));
  });
});

describe("when there is nothing to test, nothing runs", () => {
  test("the tree is clean", async (t) => {
    const { folder } = gitRepository(t);
    assert.equal((await stop(folder, "touch ran; exit 1")).decision, "none");
    assert.ok(!existsSync(path.join(folder, "ran")));
  });

  test("there is no repository", async (t) => {
    const folder = temporaryFolder(t);
    assert.equal((await stop(folder, "touch ran; exit 1")).decision, "none");
    assert.ok(!existsSync(path.join(folder, "ran")));
  });

  test("there is no test command", async (t) => {
    const { folder, write } = dirtyRepository(t);
    const run = () => runHookFile(file, "Stop", {}, { cwd: folder });
    assert.equal((await run()).stdout, "");
    write("package.json", '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}');
    assert.equal((await run()).stdout, "");
  });
});

test("package.json's test script is run by npm", async (t) => {
  const { folder, write } = dirtyRepository(t);
  write("package.json", '{"scripts":{"test":"echo from the script; exit 1"}}');
  const answer = await runHookFile(file, "Stop", {}, { cwd: folder, env: { npm_config_update_notifier: "false" } });
  assert.equal(answer.decision, "block");
  assert.match(answer.reason ?? "", /`npm test` failed with exit code 1[\s\S]*from the script/);
});

describe("tests that do not end", { concurrency: true }, () => {
  // Leaves a mark if it lives long enough, from a process that the shell does not wait for.
  const command = "touch started; (sleep 2; touch survived) & wait";

  test("time is up: the agent is sent back and nothing is left running", async (t) => {
    const { folder } = dirtyRepository(t);
    const answer = await runHookFile(file, "Stop", {}, { cwd: folder, env: { HOOK_TEST_COMMAND: command, HOOK_TEST_SECONDS: "0.5" } });
    assert.equal(answer.decision, "block");
    assert.match(answer.reason ?? "", /did not end within 0\.5 s/);
    await wait(2500);
    assert.ok(!existsSync(path.join(folder, "survived")));
  });

  test("the agent ends the hook: nothing is left running", async (t) => {
    const { folder } = dirtyRepository(t);
    const env = { ...process.env, HOOK_LOG_DISABLE: "1", CLAUDE_PROJECT_DIR: folder, HOOK_TEST_COMMAND: command };
    const child = spawn(process.execPath, [file], { cwd: folder, env });
    child.stdin.end(JSON.stringify(sampleInput("Stop", { cwd: folder })));
    while (!existsSync(path.join(folder, "started"))) await wait(20);
    child.kill("SIGTERM");
    await once(child, "exit");
    await wait(2500);
    assert.ok(!existsSync(path.join(folder, "survived")));
  });
});

test("its settings.json switches it on", async (t) => {
  // The project of this test is no repository, so it points git at one that has changes.
  const { folder } = dirtyRepository(t);
  const env = { HOOK_TEST_COMMAND: "exit 1", GIT_DIR: path.join(folder, ".git"), GIT_WORK_TREE: folder };
  const answer = await runAsConfigured(t, new URL(".", import.meta.url), "Stop", {}, { env });
  assert.equal(answer.decision, "block");
});
