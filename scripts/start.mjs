#!/usr/bin/env node
// What `npm start` shows: the example hooks answering real events, as an agent would start them. No network, no key.
import { styleText } from "node:util";
import { buildIfStale } from "./build-if-stale.mjs";

const style = (format, text) => (process.stdout.isTTY && !process.env.NO_COLOR ? styleText(format, text) : text);

buildIfStale();
const { runHookFile } = await import("@hookloop/sdk/testing");

const STEPS = [
  {
    says: "the agent wants to run: git push --force origin main",
    hook: "block-force-push/hook.mjs",
    event: "PreToolUse",
    fields: bash("git push --force origin main"),
  },
  {
    says: "the agent wants to run: git push origin feature",
    hook: "block-force-push/hook.mjs",
    event: "PreToolUse",
    fields: bash("git push origin feature"),
  },
  {
    says: "the agent wants to write a private key into a file",
    hook: "keep-secrets-out/hook.mjs",
    event: "PreToolUse",
    fields: {
      tool_name: "Write",
      tool_input: { file_path: "/tmp/config.ts", content: `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA".repeat(4)}\n` },
    },
  },
  { says: "a session starts", hook: "git-state-at-start/hook.mjs", event: "SessionStart", fields: {} },
  {
    says: "the same wire in Python: the agent wants to read .env",
    hook: "plain-python/hook.py",
    event: "PreToolUse",
    fields: { tool_name: "Read", tool_input: { file_path: "/home/user/project/.env" } },
  },
  { says: "a guard gets a broken event", hook: "block-force-push/hook.mjs", event: "PreToolUse", fields: {}, stdin: "{" },
];

console.log(`${style("bold", "hookloop")}: hooks for AI-agent loops. Hang on the loop, don't write into it.\n`);
for (const { says, hook, event, fields, stdin } of STEPS) {
  const started = performance.now();
  const answer = await runHookFile(`examples/${hook}`, event, fields, stdin === undefined ? {} : { stdin });
  const decision = answer.decision === "none" ? (answer.context ? "context" : "no opinion") : answer.decision;
  console.log(`${style("dim", event.padEnd(13))} ${says}`);
  console.log(
    `  ${style(decision === "deny" ? "red" : "green", decision)}  ${style("dim", `by examples/${hook}, ${Math.round(performance.now() - started)} ms`)}`,
  );
  const lines = (answer.reason ?? answer.context ?? "").split("\n").filter(Boolean);
  for (const line of lines.slice(0, 4)) console.log(`    ${line}`);
  if (lines.length > 4) console.log(`    … ${lines.length - 4} more lines`);
  console.log("");
}
console.log(`Try next:
  npx hookloop events                                        every event there is
  npx hookloop events PreToolUse                             everything about one
  npx hookloop events PreToolUse --sample | sed 's/npm test/git push -f origin main/' | node examples/block-force-push/hook.mjs`);

function bash(command) {
  return { tool_name: "Bash", tool_input: { command } };
}
