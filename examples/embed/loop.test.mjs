// @ts-check
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runAgent } from "./loop.mjs";

test("the loop gets a guard, context for the model, and one more round before it stops", async (t) => {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-embed-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL("./project", import.meta.url)), cwd, { recursive: true });
  writeFileSync(path.join(cwd, "kept.txt"), "still here");
  const kept = path.join(cwd, "kept.txt");

  /** @type {import("./loop.mjs").Block[][]} */
  const turns = [
    [{ type: "tool_use", id: "t1", name: "Bash", input: { command: `rm -f ${kept}` } }],
    [{ type: "tool_use", id: "t2", name: "Bash", input: { command: "echo fine" } }],
    [{ type: "text", text: "Done." }],
    [{ type: "text", text: "The tests pass." }],
  ];
  /** @type {string[][]} */
  const asked = [];
  const ask = async (/** @type {string[]} */ soFar) => {
    asked.push([...soFar]);
    return turns.shift() ?? [];
  };
  const messages = await runAgent({ cwd, prompt: "Clean up", ask });

  assert.equal(existsSync(kept), true, "the guard stops the deletion");
  assert.deepEqual(asked[0], ["Clean up", "The branch is main"], "the context reaches the model");
  assert.match(messages[2] ?? "", /^PreToolUse:Bash hook error: Deleting is not allowed here/);
  assert.equal(messages[3], "fine\n");
  assert.deepEqual(messages.slice(4), ["Done.", "Run the tests first", "The tests pass."]);
});

test("a hook that halts ends the loop after the tool, before the model is asked again", async (t) => {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-embed-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const command = `echo '{"continue": false, "stopReason": "enough"}'`;
  mkdirSync(path.join(cwd, ".claude"));
  const hooks = { PostToolUse: [{ hooks: [{ type: "command", command }] }] };
  writeFileSync(path.join(cwd, ".claude/settings.json"), JSON.stringify({ hooks }));
  let asked = 0;
  /** @returns {Promise<import("./loop.mjs").Block[]>} */
  const ask = async () => {
    asked += 1;
    return [{ type: "tool_use", id: `t${asked}`, name: "Bash", input: { command: "echo fine" } }];
  };
  await runAgent({ cwd, prompt: "Go on for ever", ask });
  assert.equal(asked, 1);
});

test("a prompt whose gate fails does not reach the model", async (t) => {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-embed-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(path.join(cwd, ".hookloop"));
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "exit 1" }] }] };
  writeFileSync(path.join(cwd, ".hookloop/hooks.json"), JSON.stringify({ hooks }));
  const ask = async () => assert.fail("the model was asked");
  assert.deepEqual(await runAgent({ cwd, prompt: "a secret", ask }), []);
});
