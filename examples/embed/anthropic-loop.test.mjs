// @ts-check
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { ask, block, context, deny, rewrite } from "@hookloop/sdk";
import { runAgent } from "./anthropic-loop.mjs";

/** @param {string} id @param {string} name @param {object} input */
const use = (id, name, input) => ({ type: "tool_use", id, name, input });

/**
 * A model that says what it is told to, on loopback.
 * @param {import("node:test").TestContext} t
 * @param {readonly (readonly object[])[]} turns
 */
async function scripted(t, turns) {
  const left = [...turns];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      const content = left.shift() ?? [{ type: "text", text: "Done." }];
      response.end(JSON.stringify({ id: "m", type: "message", role: "assistant", model: "claude", content, usage: {} }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { client: new Anthropic({ apiKey: "test", baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 }), left };
}

/** @param {import("node:test").TestContext} t */
function project(t) {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-embed-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
}

test("deny, rewrite, annotation, context, Stop, parallel calls, an own tool and an own question", async (t) => {
  const cwd = project(t);
  writeFileSync(path.join(cwd, "kept.txt"), "still here");
  const { client } = await scripted(t, [
    [
      use("t1", "Bash", { command: "rm kept.txt" }),
      use("t2", "Bash", { command: "echo one" }),
      use("t3", "save_note", { text: "hello" }),
      use("t4", "save_note", { text: "secret" }),
    ],
    [{ type: "text", text: "Done." }],
  ]);
  /** @type {string[]} */
  const seen = [];
  const { messages } = await runAgent({
    cwd,
    prompt: "Clean up",
    client,
    approve: async (tool, why) => {
      seen.push(`${tool}: ${why}`);
      return !why.includes("secret");
    },
    attach: (hooks) => {
      hooks.on("UserPromptSubmit", () => context("The branch is main."));
      hooks.on("PreToolUse", { tool: "Bash", guard: true }, ({ tool_input: { command } }) =>
        command.startsWith("rm ")
          ? deny("Deleting is not allowed.")
          : rewrite({ command: command.replace(/^echo one$/, "echo one; echo two") }),
      );
      hooks.on("PreToolUse", { tool: "save_note" }, ({ tool_input }) => ask(`save ${tool_input["text"]}?`));
      hooks.on("PostToolUse", { tool: "Bash" }, () => context("Seen."));
      hooks.on("Stop", ({ stop_hook_active }) => (stop_hook_active ? undefined : block("Run the tests.")));
      hooks.on("SessionEnd", ({ reason }) => void seen.push(`end: ${reason}`));
    },
  });
  const text = JSON.stringify(messages);
  assert.match(String(messages[0]?.content), /^Clean up\n\n.*The branch is main\.$/);
  assert.match(
    text,
    /"tool_use_id":"t1","content":\[\{"type":"text","text":"PreToolUse:Bash hook error: Deleting is not allowed\."\}\],"is_error":true/,
  );
  assert.match(text, /"text":"one\\ntwo\\n"\},\{"type":"text","text":"PostToolUse:Bash hook additional context: Seen\."/);
  assert.equal(readFileSync(path.join(cwd, "notes.txt"), "utf8"), "hello\n");
  assert.equal(existsSync(path.join(cwd, "kept.txt")), true);
  assert.match(String(messages[4]?.content), /Run the tests\.$/);
  assert.deepEqual(seen.sort(), ["end: other", "save_note: save hello?", "save_note: save secret?"].sort());
});

test("an abort ends the tool, the hooks and the loop", async (t) => {
  const { client } = await scripted(t, [[use("t1", "Bash", { command: "sleep 10" })]]);
  const signal = AbortSignal.timeout(400);
  const startedAt = performance.now();
  await assert.rejects(runAgent({ cwd: project(t), prompt: "Wait", client, approve: async () => true, signal }));
  assert.ok(performance.now() - startedAt < 5000);
});

test("a prompt that a guard does not accept never reaches the model", async (t) => {
  const { client, left } = await scripted(t, [[{ type: "text", text: "Hi." }]]);
  const { blocked } = await runAgent({
    cwd: project(t),
    prompt: "hi",
    client,
    approve: async () => true,
    attach: (hooks) => void hooks.on("UserPromptSubmit", { guard: true }, () => block("Not now.")),
  });
  assert.deepEqual([blocked, left.length], ["Not now.", 1]);
});
