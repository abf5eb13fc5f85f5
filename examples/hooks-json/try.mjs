#!/usr/bin/env node
// @ts-check
// One command to try `.hooks.json`: the reference agent does what you say, in a new folder that has this configuration, and every line that a
// hook prints is shown. `node examples/hooks-json/try.mjs ["a sentence" …]`.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SENTENCES = [
  "run `pwd`",
  "run `ls -la`",
  "summarize the current workspace in one sentence",
  "create notes/hello.ts and print the file content",
];
const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));

/** What the agent and its hooks print for one sentence. @param {string} sentence @param {string} folder */
async function ask(sentence, folder) {
  console.log(`\n> ${sentence}`);
  const args = ["agent", "-p", sentence, "--model", "offline", "--trust-workspace", "--permission-mode", "acceptEdits"];
  const child = spawn(process.execPath, [PROGRAM, ...args, "--output-format", "stream-json", "--include-hook-events"], {
    cwd: path.join(folder, "workspace"),
    // Nothing stays behind.
    env: { ...process.env, HOME: path.join(folder, "home"), XDG_STATE_HOME: path.join(folder, "state") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface(child.stdout)) {
    const { type, subtype, stdout, stderr, result } = JSON.parse(line);
    if (subtype === "hook_response" && (stdout || stderr)) process.stdout.write(`  ${stdout}${stderr}`);
    if (type === "result") console.log(result);
  }
  if ((await ended) !== 0) process.exitCode = 1;
}

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-s3-"));
try {
  mkdirSync(path.join(folder, "workspace"));
  mkdirSync(path.join(folder, "home"));
  copyFileSync(new URL("./.hooks.json", import.meta.url), path.join(folder, "workspace", ".hooks.json"));
  writeFileSync(path.join(folder, "workspace", "README.md"), "# A workspace with hooks\n");
  const given = process.argv.slice(2);
  for (const sentence of given.length > 0 ? given : SENTENCES) await ask(sentence, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
