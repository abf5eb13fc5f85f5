// @ts-check
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const chapter = fileURLToPath(new URL("./chapter.mjs", import.meta.url));

/** @param {import("node:test").TestContext} t @param {string[]} lines what is typed */
function play(t, lines) {
  const cwd = mkdtempSync(path.join(tmpdir(), "hookloop-chapter-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(path.join(cwd, "README.md"), "The words of the read me.\n");
  const { stdout, stderr, status } = spawnSync(process.execPath, [chapter], {
    cwd,
    input: lines.map((line) => `${line}\n`).join(""),
    encoding: "utf8",
  });
  return { cwd, stdout, stderr, status };
}

test("reading a file passes, with a line for each of the four events that says something", (t) => {
  const { cwd, stdout, stderr, status } = play(t, ["Read the file README.md", "exit"]);
  assert.deepEqual([stderr, status], ["", 0]);
  assert.match(stdout, new RegExp(`\\[HOOK\\] UserPromptSubmit: working in .*${path.basename(cwd)}`));
  assert.match(stdout, /\[HOOK\] read_file\(\['README\.md'\]\)/);
  assert.match(stdout, /The words of the read me\./);
  assert.match(stdout, /\[HOOK\] Stop: session used 1 tool calls/);
});

test("creating a file makes it, without a question", (t) => {
  const { cwd, stdout } = play(t, ["Create a file called test.txt"]);
  assert.equal(readFileSync(path.join(cwd, "test.txt"), "utf8"), "");
  assert.match(stdout, /\[HOOK\] write_file\(\['test\.txt', ''\]\)/);
  assert.doesNotMatch(stdout, /Allow\?/);
});

test("deleting temporary files is stopped and asks; without a yes nothing is deleted", (t) => {
  const kept = path.join(tmpdir(), `hookloop-kept-${process.pid}.tmp`);
  writeFileSync(kept, "");
  t.after(() => rmSync(kept, { force: true }));
  for (const answer of ["n", ""]) {
    const { stdout } = play(t, ["Delete all temporary files in /tmp", answer, "exit"]);
    assert.match(stdout, /Potentially destructive command\n {3}Tool: bash\(\['rm -f \/tmp\/\*\.tmp'/);
    assert.match(stdout, /Allow\? \[y\/N\]/);
    assert.match(stdout, /Permission denied by user/);
  }
  // The input ends at the question: nobody has said yes.
  assert.match(play(t, ["Delete all temporary files in /tmp"]).stdout, /Permission denied by user/);
  assert.equal(existsSync(kept), true);
});

test("a yes runs what was asked about", (t) => {
  const { stdout } = play(t, ["run rm -r missing-folder-of-this-test", "y"]);
  assert.match(stdout, /Potentially destructive command/);
  assert.match(stdout, /No such file/);
});

test("the deny list refuses without a question, and the next sentence works", (t) => {
  const { stdout } = play(t, ["run sudo ls", "Read the file README.md"]);
  assert.match(stdout, /⛔ Blocked: 'sudo'/);
  assert.match(stdout, /Permission denied by deny list/);
  assert.doesNotMatch(stdout, /Allow\?/);
  assert.match(stdout, /The words of the read me\./);
});

test("large output is named", (t) => {
  const { stdout } = play(t, ["run seq 1 30000"]);
  assert.match(stdout, /\[HOOK\] ⚠ Large output from bash: 1\d{5} chars/);
});
