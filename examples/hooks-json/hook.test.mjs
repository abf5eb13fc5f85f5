// @ts-check
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** @param {string[]} sentences */
function tried(...sentences) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("./try.mjs", import.meta.url)), ...sentences], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("one command says the four sentences, and every hook prints its line", () => {
  const [, pwd = "", list = "", summary = "", created = ""] = tried().split(/^> .*$/m);
  for (const one of [pwd, list, summary, created]) assert.match(one, /^ {2}\[hook\] session started$/m);
  assert.match(pwd, /\[hook\] about to run: \{"command":"pwd"\}\n {2}\[hook\] finished: bash\n`pwd` printed:\n\/.*\/workspace\n/);
  assert.match(
    list,
    /\[hook\] about to run: \{"command":"ls -la"\}\n {2}\[hook\] finished: bash\n`ls -la` printed:\n[\s\S]* \.hooks\.json/,
  );
  const answer = summary.trim().split("\n").at(-1);
  assert.equal(answer, 'This workspace has 2 files, mostly 1 json, 1 md, and README.md is titled "A workspace with hooks".');
  assert.match(created, /\[hook\] about to write: \{"path":".*\/notes\/hello\.ts","content":""\}\n {2}\[hook\] finished: write_file/);
  assert.match(created, /\[hook\] finished: read_file\nI created notes\/hello\.ts\./);
});

test("the sentences work without quotes, and with a text for the file", () => {
  assert.match(tried("run pwd", "run ls -la"), /`pwd` printed:[\s\S]*`ls -la` printed:/);
  assert.match(tried('create notes/hello.ts with "export {};" and print the file content'), /notes\/hello\.ts says:\n.*export \{\};/);
});
