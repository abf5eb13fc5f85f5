// @ts-check
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runHookFile } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";

const file = fileURLToPath(new URL("./hook.py", import.meta.url));

/** @param {string} file_path */
const read = (file_path) => runHookFile(file, "PreToolUse", { tool_name: "Read", tool_input: { file_path } });

describe("secret files are denied", () => {
  for (const name of ["/p/.env", "/p/.env.production", "/p/.ENV", "/home/x/.ssh/id_ed25519", "/p/certs/server.pem"]) {
    test(name, async () => {
      const answer = await read(name);
      assert.equal(answer.decision, "deny");
      assert.equal(answer.exitCode, 0);
      assert.equal(
        answer.reason,
        `${path.basename(name)} holds secrets. Ask the user for what you need, or read the example file beside it.`,
      );
      assert.deepEqual(answer.diagnostics, []);
    });
  }

  test("also through a link", async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, ".env"), "");
    symlinkSync(".env", path.join(folder, "notes.txt"));
    assert.equal((await read(path.join(folder, "notes.txt"))).decision, "deny");
  });
});

describe("other files get no answer at all", () => {
  for (const name of ["/p/src/env.ts", "/p/.env.example", "/p/.env.local.sample", "/p/id_rsa.pub", "/p/.env/readme.md", "/p/ünïcode.txt"]) {
    test(name, async () => {
      const answer = await read(name);
      assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
    });
  }
});

describe("a search is denied if it names secret files", () => {
  /** @param {object} tool_input */
  const grep = (tool_input) => runHookFile(file, "PreToolUse", { tool_name: "Grep", tool_input: { pattern: ".", ...tool_input } });
  for (const tool_input of [
    { glob: ".env" },
    { glob: "**/.env*" },
    { glob: "*.{pem,ts}" },
    { path: "/p", glob: ".en?" },
    { path: "/p/id_rsa" },
  ]) {
    test(JSON.stringify(tool_input), async () => assert.equal((await grep(tool_input)).decision, "deny"));
  }
  for (const tool_input of [{}, { path: "/p/src" }, { glob: "*.ts" }, { path: "src", glob: "**/*.{js,ts}" }]) {
    test(`not ${JSON.stringify(tool_input)}`, async () => assert.equal((await grep(tool_input)).decision, "none"));
  }
});

describe("a guard that fails blocks", () => {
  for (const stdin of ["", "{", "[]", '{"cwd":"/p","tool_input":{}}', '{"cwd":"/p","tool_input":{"file_path":7}}']) {
    test(`stdin is ${stdin || "empty"}`, async () => {
      const answer = await runHookFile(file, "PreToolUse", {}, { stdin });
      assert.deepEqual([answer.decision, answer.exitCode], ["deny", 2]);
      assert.match(answer.reason ?? "", /failed, so it blocks/);
    });
  }
});

test("its hooks.json, for hookloop, is the same hook and pins its folder", () => {
  const [settings, native] = ["settings.json", "hooks.json"].map((name) =>
    JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")),
  );
  const [hook] = native.hooks.PreToolUse[0].hooks;
  assert.deepEqual(hook.files, [".claude/hooks/plain-python/**"]);
  delete hook.files;
  hook.command = hook.command.replace("HOOKLOOP_PROJECT_DIR", "CLAUDE_PROJECT_DIR");
  assert.deepEqual(native, settings);
});

test("its settings.json switches it on for every tool that reads or writes a file", async (t) => {
  for (const [tool_name, field] of /** @type {const} */ ([
    ["Read", "file_path"],
    ["Write", "file_path"],
    ["Edit", "file_path"],
    ["MultiEdit", "file_path"],
    ["NotebookEdit", "notebook_path"],
    ["Grep", "path"],
  ])) {
    const tool_input = { ...(tool_name === "Grep" && { pattern: "." }), [field]: "/p/.env" };
    const answer = await runAsConfigured(t, new URL(".", import.meta.url), "PreToolUse", { tool_name, tool_input });
    assert.equal(answer.decision, "deny", tool_name);
  }
});
