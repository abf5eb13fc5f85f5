// @ts-check
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runHookFile } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));

/** A folder of programs that write down their arguments, one per line. @param {import("node:test").TestContext} t @param {string[]} names */
function recorders(t, ...names) {
  const folder = temporaryFolder(t);
  for (const name of names)
    writeFileSync(path.join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/${name}.said'\n`, { mode: 0o755 });
  const said = (/** @type {string} */ name) =>
    existsSync(path.join(folder, `${name}.said`)) ? readFileSync(path.join(folder, `${name}.said`), "utf8") : undefined;
  return { folder, said };
}

test("the program of HOOK_NOTIFY_COMMAND gets title and message, whatever is in them", async (t) => {
  const { folder, said } = recorders(t, "my notifier");
  const message = `--help "quoted" $(touch hacked) \`touch hacked\` ; 'x'`;
  const answer = await runHookFile(
    file,
    "Notification",
    { title: "-t", message, cwd: "/srv/my project" },
    { cwd: folder, env: { HOOK_NOTIFY_COMMAND: `${folder}/my notifier` } },
  );
  assert.equal(said("my notifier"), `-t: my project\n${message}\n`);
  assert.ok(!existsSync(path.join(folder, "hacked")));
  assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
});

test("HOOK_NOTIFY_COMMAND is used instead of the desktop's own program", async (t) => {
  const { folder, said } = recorders(t, "own", "notify-send");
  await runHookFile(file, "Notification", {}, { cwd: folder, env: { PATH: folder, HOOK_NOTIFY_COMMAND: "own" } });
  assert.ok(said("own"));
  assert.equal(said("notify-send"), undefined);
});

test("a HOOK_NOTIFY_COMMAND that does not run is reported, and nothing is blocked", async (t) => {
  const env = { HOOK_NOTIFY_COMMAND: path.join(temporaryFolder(t), "missing") };
  const answer = await runHookFile(file, "Notification", {}, { env, allowFailure: true });
  assert.deepEqual([answer.decision, answer.exitCode], ["none", 1]);
  assert.match(answer.stderr, /HL_SDK_HANDLER_FAILED: .*HOOK_NOTIFY_COMMAND \(.*missing\) did not run/);
});

test("on Linux notify-send shows it", async (t) => {
  const { folder, said } = recorders(t, "notify-send", "osascript");
  await runHookFile(file, "Notification", { message: "Waiting" }, { cwd: folder, env: { PATH: folder, HOOK_NOTIFY_COMMAND: "" } });
  assert.equal(said("notify-send"), `--\nClaude Code: ${path.basename(folder)}\nWaiting\n`);
  assert.equal(said("osascript"), undefined);
});

test("on macOS osascript shows it, and the message is no part of the script", async (t) => {
  const { folder, said } = recorders(t, "osascript");
  await runHookFile(
    file,
    "Notification",
    { message: 'Waiting" & (do shell script "x")' },
    { cwd: folder, env: { PATH: folder, HOOK_NOTIFY_COMMAND: "" } },
  );
  assert.deepEqual(said("osascript")?.split("\n").slice(-4), [
    "end run",
    `Claude Code: ${path.basename(folder)}`,
    'Waiting" & (do shell script "x")',
    "",
  ]);
});

test("with neither desktop nor terminal it stays silent", async (t) => {
  const answer = await runHookFile(file, "Notification", {}, { env: { PATH: temporaryFolder(t), HOOK_NOTIFY_COMMAND: "" } });
  assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
});

test("its settings.json switches it on", async (t) => {
  const { folder, said } = recorders(t, "own");
  await runAsConfigured(
    t,
    new URL(".", import.meta.url),
    "Notification",
    { message: "Waiting" },
    { env: { HOOK_NOTIFY_COMMAND: `${folder}/own` } },
  );
  assert.match(said("own") ?? "", /\nWaiting\n$/);
});
