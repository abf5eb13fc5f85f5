// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { callHook, runHookFile } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { keepSecretsOut } from "./hook.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));

// Put together here, so that no scanner takes this file for a leak. None of them was ever valid.
const filler = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4hJ5kL6mN7";
/** @type {Record<string, string>} */
const SECRETS = {
  "private key": ["-----BEGIN", "RSA PRIVATE", `KEY-----\n${filler}`].join(" "),
  "AWS access key": `AKIA${"Q7".repeat(8)}`,
  "GitHub token": `ghp_${filler.slice(0, 36)}`,
  "GitLab token": `glpat-${filler.slice(0, 20)}`,
  "Anthropic key": `sk-ant-${filler.slice(0, 40)}`,
  "OpenAI key": `sk-proj-${filler.slice(0, 20)}T3Blbk${"FJ"}${filler.slice(0, 20)}`,
  "Slack token": `xoxb-${filler.slice(0, 30)}`,
  "Google API key": `AIza${filler.slice(0, 35)}`,
  "Stripe key": `sk_live_${filler.slice(0, 24)}`,
  "npm token": `npm_${filler.slice(0, 36)}`,
};
const secret = SECRETS["GitHub token"] ?? "";

/** A model may send this one with another type. */
const ownNames = ["new_string"];

/** @param {string} tool_name @param {Record<string, unknown>} tool_input */
const decide = (tool_name, tool_input) => callHook(keepSecretsOut, { tool_name, tool_input }, { allowFailure: true, ownNames });

test("the file denies a secret and does not repeat it", async () => {
  const answer = await runHookFile(file, "PreToolUse", {
    tool_name: "Write",
    tool_input: { file_path: "/p/.env", content: `TOKEN=${secret}\n` },
  });
  assert.equal(answer.decision, "deny");
  assert.match(answer.reason ?? "", /\(GitHub token\)/);
  assert.ok(!(answer.stdout + answer.stderr).includes(secret.slice(4)));
  assert.deepEqual(answer.diagnostics, []);
});

test("the file says nothing about harmless content", async () => {
  const answer = await runHookFile(file, "PreToolUse", {
    tool_name: "Write",
    tool_input: { file_path: "/p/a.js", content: "process.env.TOKEN\n" },
  });
  assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
});

describe("each kind is recognised, in prose, in quotes and in escaped JSON", () => {
  for (const [name, value] of Object.entries(SECRETS)) {
    test(name, async () => {
      for (const content of [value, `const key = "${value}";`, JSON.stringify({ key: value })]) {
        const { decision, reason = "" } = await decide("Write", { file_path: "/p/a", content });
        assert.equal(decision, "deny", name);
        assert.ok(reason.includes(name), reason);
        assert.ok(!reason.includes(filler.slice(0, 12)), "the reason repeats the secret");
      }
    });
  }
});

describe("every way to write a file is looked at", () => {
  test("Edit", async () => {
    assert.equal((await decide("Edit", { file_path: "/p/a", old_string: "x", new_string: secret })).decision, "deny");
  });
  test("MultiEdit, also when only the last edit has it", async () => {
    const edits = ["y", secret].map((new_string) => ({ old_string: "x", new_string }));
    assert.equal((await decide("MultiEdit", { file_path: "/p/a", edits })).decision, "deny");
  });
  test("NotebookEdit", async () => {
    assert.equal((await decide("NotebookEdit", { notebook_path: "/p/a.ipynb", new_source: secret })).decision, "deny");
  });
});

describe("what is no leak passes", () => {
  test("an edit that removes a secret", async () => {
    assert.equal((await decide("Edit", { file_path: "/p/a", old_string: secret, new_string: "process.env.TOKEN" })).decision, "none");
  });
  for (const content of [
    "AKIAIOSFODNN7EXAMPLE",
    "if (text.includes('-----BEGIN RSA PRIVATE KEY-----')) throw new Error('no keys here');",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ",
    "ghp_ is how a GitHub token starts, sk-ant- one of Anthropic",
    "task-antique-furniture-catalogue-listing",
  ]) {
    test(content.slice(0, 40).replace("\n", " "), async () => {
      assert.equal((await decide("Write", { file_path: "/p/a", content })).decision, "none");
    });
  }
});

test("a token put together by the edits of one call is seen", async () => {
  const edits = [secret.slice(0, 10), secret.slice(10)].map((new_string) => ({ old_string: "x", new_string }));
  assert.equal((await decide("MultiEdit", { file_path: "/p/a", edits })).decision, "deny");
});

describe("a guard that cannot look blocks", () => {
  for (const stdin of ["", "not json", '{"hook_event_name":"PreToolUse","tool_name":"Write"}']) {
    test(`stdin is ${stdin || "empty"}`, async () => {
      const answer = await runHookFile(file, "PreToolUse", {}, { stdin, allowFailure: true });
      assert.equal(answer.decision, "deny");
      assert.match(answer.reason ?? "", /^The guard keep-secrets-out failed, so it blocks/);
    });
  }
  for (const [tool_name, tool_input] of /** @type {const} */ ([
    ["Write", {}],
    ["Edit", { new_string: 7 }],
    ["MultiEdit", {}],
    ["MultiEdit", { edits: [{ new_string: "x" }, {}] }],
    ["NotebookEdit", {}],
  ])) {
    test(`${tool_name} with the input ${JSON.stringify(tool_input)}`, async () => {
      assert.equal((await decide(tool_name, tool_input)).decision, "deny");
    });
  }
});

test("its settings.json switches it on for every tool it knows", async (t) => {
  const edit = { old_string: "", new_string: secret };
  for (const [tool_name, tool_input] of /** @type {const} */ ([
    ["Write", { file_path: "/p/a", content: secret }],
    ["Edit", { file_path: "/p/a", ...edit }],
    ["MultiEdit", { file_path: "/p/a", edits: [edit] }],
    ["NotebookEdit", { notebook_path: "/p/a.ipynb", new_source: secret }],
  ])) {
    const answer = await runAsConfigured(t, new URL(".", import.meta.url), "PreToolUse", { tool_name, tool_input });
    assert.equal(answer.decision, "deny", tool_name);
  }
});
