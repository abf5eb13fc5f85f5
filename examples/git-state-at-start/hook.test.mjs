// @ts-check
import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { callHook, runHookFile } from "@hookloop/sdk/testing";
import { gitRepository } from "../test-support/git-repository.mjs";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";
import { gitStateAtStart } from "./hook.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));

test("branch, changed files and commits reach the model", async (t) => {
  const { folder, git, write } = gitRepository(t, "feature");
  write("readme.txt", "two\n");
  write("new.txt", "new\n");
  const { context, decision, diagnostics } = await runHookFile(file, "SessionStart", {}, { cwd: folder });
  const commit = git("rev-parse", "--short", "HEAD").trim();
  assert.equal(
    context,
    `Git state when the session started. Branch: feature\nChanged files (2):\n M readme.txt\n?? new.txt\nLast commits:\n${commit} First commit`,
  );
  assert.equal(decision, "none");
  assert.deepEqual(diagnostics, []);
});

test("ahead and behind are told, and that nothing has changed", async (t) => {
  const { folder, git } = gitRepository(t);
  const clone = temporaryFolder(t);
  git("clone", "--quiet", folder, clone);
  git("commit", "--quiet", "--allow-empty", "--message", "Theirs");
  git("-C", clone, "fetch", "--quiet");
  git("-C", clone, "commit", "--quiet", "--allow-empty", "--message", "Mine");
  const { context = "" } = await callHook(gitStateAtStart, { cwd: clone });
  assert.match(context, /Branch: main\.\.\.origin\/main \[ahead 1, behind 1\]\nNo changed files\./);
});

test("the list of files, the list of commits and each line have a limit", async (t) => {
  const { folder, git, write } = gitRepository(t);
  for (let count = 1; count <= 30; count++) write(`file-${String(count).padStart(2, "0")}`, "");
  for (let count = 1; count <= 6; count++) git("commit", "--quiet", "--allow-empty", "--message", `Commit ${count} ${"long ".repeat(100)}`);
  const { context = "" } = await callHook(gitStateAtStart, { cwd: folder });
  assert.match(context, /Changed files \(30\):\n(\?\? file-\d\d\n){20}… and 10 more\n/);
  assert.equal(context.split("Last commits:\n")[1]?.split("\n").length, 5);
  assert.ok(context.split("\n").every((line) => line.length <= 120));
});

test("a repository without a commit has a state too", async (t) => {
  const { folder, git } = gitRepository(t);
  git("update-ref", "-d", "HEAD");
  const { context = "" } = await callHook(gitStateAtStart, { cwd: folder });
  assert.match(context, /Branch: No commits yet on main\nChanged files \(1\):\nA {2}readme\.txt$/);
});

test("outside a repository it says nothing", async (t) => {
  const answer = await runHookFile(file, "SessionStart", {}, { cwd: temporaryFolder(t) });
  assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
});

test("the index is not rewritten", async (t) => {
  const { folder } = gitRepository(t);
  const index = path.join(folder, ".git", "index");
  const before = readFileSync(index);
  // An index that is out of date is what a plain `git status` would refresh.
  utimesSync(path.join(folder, "readme.txt"), 1, 1);
  const { context } = await runHookFile(file, "SessionStart", {}, { cwd: folder });
  assert.ok(context);
  assert.ok(readFileSync(index).equals(before));
});

test("the repository's own configuration starts no program", async (t) => {
  const { folder, git, write } = gitRepository(t);
  const trace = path.join(folder, ".git", "called");
  write(".git/monitor", `#!/bin/sh\necho called > '${trace}'\n`);
  git("config", "core.fsmonitor", `sh '${folder}/.git/monitor'`);
  const { context } = await runHookFile(file, "SessionStart", {}, { cwd: folder });
  assert.ok(context);
  assert.throws(() => readFileSync(trace), { code: "ENOENT" });
});

test("a git that hangs is not waited for", async (t) => {
  const tools = temporaryFolder(t);
  writeFileSync(path.join(tools, "git"), "#!/bin/sh\nsleep 30\n", { mode: 0o755 });
  const answer = await runHookFile(
    file,
    "SessionStart",
    {},
    { cwd: tools, env: { PATH: `${tools}:${process.env.PATH}` }, timeoutMs: 8000 },
  );
  assert.deepEqual([answer.stdout, answer.exitCode, answer.diagnostics.length], ["", 0, 0]);
});

test("its settings.json switches it on", async (t) => {
  const { folder } = gitRepository(t, "elsewhere");
  const { context = "" } = await runAsConfigured(t, new URL(".", import.meta.url), "SessionStart", { cwd: folder });
  assert.match(context, /Branch: elsewhere/);
});
