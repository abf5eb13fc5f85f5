// @ts-check
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runHookFile, sampleInput } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";

const file = fileURLToPath(new URL("./hook.sh", import.meta.url));

/** @param {string} file_path @param {string} [content] */
const write = (file_path, content = "") => runHookFile(file, "PreToolUse", { tool_name: "Write", tool_input: { file_path, content } });

describe("lockfiles are refused", () => {
  for (const name of [
    "/p/package-lock.json",
    "/p/deep/er/yarn.lock",
    "/p/Cargo.lock",
    "/p/go.sum",
    "/p/YARN.LOCK",
    "C:\\p\\pnpm-lock.yaml",
    '/p/a "quoted" folder/uv.lock',
    "bun.lockb",
  ]) {
    test(name, async () => {
      const answer = await write(name);
      assert.equal(answer.decision, "deny");
      assert.equal(answer.exitCode, 2);
      assert.match(answer.reason ?? "", /Lockfiles are not edited by hand/);
      assert.equal(answer.stdout, "");
    });
  }

  test("also when the event is printed over several lines, and the path comes last", async () => {
    const event = sampleInput("PreToolUse", {
      tool_name: "Write",
      tool_input: { content: "x\n".repeat(200_000), file_path: "/p/yarn.lock" },
    });
    const answer = await runHookFile(file, "PreToolUse", {}, { stdin: JSON.stringify(event, null, 2) });
    assert.match(answer.reason ?? "", /Lockfiles are not edited by hand/);
  });
});

describe("other files are let through without a word", () => {
  for (const name of ["/p/package.json", "/p/src/yarn.lock.ts", "/p/my-package-lock.json", "/p/yarn.lock/readme.md"]) {
    test(name, async () => {
      const answer = await write(name);
      assert.deepEqual([answer.decision, answer.stdout, answer.stderr, answer.exitCode], ["none", "", "", 0]);
    });
  }

  test("content that looks like the field", async () => {
    assert.equal((await write("/p/notes.json", '{"file_path": "/p/yarn.lock"}')).decision, "none");
    assert.equal((await write("/p/notes.txt", '\\"file_path":"/p/yarn.lock"')).decision, "none");
  });
});

describe("a guard that cannot look blocks", () => {
  for (const stdin of [
    "",
    "not json",
    '{"hook_event_name":"PreToolUse","tool_input":{"file_path":"/p/a.js"',
    '{"hook_event_name":"PreToolUse","tool_na',
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}',
  ]) {
    test(`stdin is ${stdin || "empty"}`, async () => {
      const answer = await runHookFile(file, "PreToolUse", {}, { stdin });
      assert.equal(answer.decision, "deny");
      assert.match(answer.reason ?? "", /so it blocks/);
    });
  }

  test("grep is missing", async (t) => {
    const tools = temporaryFolder(t);
    symlinkSync("/bin/cat", path.join(tools, "cat"));
    const overrides = { tool_name: "Write", tool_input: { file_path: "/p/a.js", content: "" } };
    const answer = await runHookFile(file, "PreToolUse", overrides, { env: { PATH: tools }, command: ["/bin/sh", file] });
    assert.equal(answer.decision, "deny");
  });
});

test("its settings.json switches it on", async (t) => {
  for (const tool_name of ["Write", "Edit", "MultiEdit"]) {
    const answer = await runAsConfigured(t, new URL(".", import.meta.url), "PreToolUse", {
      tool_name,
      tool_input: { file_path: "/p/yarn.lock" },
    });
    assert.match(answer.reason ?? "", /Lockfiles are not edited by hand/);
  }
});
