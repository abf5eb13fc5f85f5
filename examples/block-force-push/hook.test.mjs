// @ts-check
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { callHook, runHookFile } from "@hookloop/sdk/testing";
import { gitRepository } from "../test-support/git-repository.mjs";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";
import { blockForcePush } from "./hook.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));

/** @param {string} command @param {string} [cwd] */
const decide = async (command, cwd = "/nowhere") => {
  const { decision, reason, diagnostics } = await callHook(blockForcePush, { tool_input: { command }, cwd });
  assert.deepEqual(diagnostics, [], command);
  return { decision, reason };
};

describe("the file, as a process", () => {
  test("a force push to main is denied, with a reason", async () => {
    const answer = await runHookFile(file, "PreToolUse", { tool_input: { command: "git push --force origin main" } });
    assert.equal(answer.decision, "deny");
    assert.match(answer.reason ?? "", /force push to main is not allowed/);
    assert.deepEqual(answer.diagnostics, []);
  });

  test("a harmless command gets no answer at all", async () => {
    const answer = await runHookFile(file, "PreToolUse", { tool_input: { command: "npm test" } });
    assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
  });

  for (const stdin of [
    "",
    "{",
    "null",
    '{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
    '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}',
  ]) {
    test(`broken input is denied: ${stdin || "(nothing)"}`, async () => {
      const answer = await runHookFile(file, "PreToolUse", {}, { stdin, allowFailure: true });
      assert.equal(answer.decision, "deny");
      assert.match(answer.reason ?? "", /^The guard block-force-push failed, so it blocks/);
    });
  }

  test("its settings.json switches it on", async (t) => {
    const answer = await runAsConfigured(t, new URL(".", import.meta.url), "PreToolUse", {
      tool_name: "Bash",
      tool_input: { command: "git push -f origin main" },
    });
    assert.equal(answer.decision, "deny");
  });
});

describe("a branch that is named", () => {
  for (const command of [
    "git push --force origin main",
    "git push --forc origin main",
    "git push -4f origin main",
    "git push -f origin master",
    "git push origin main -f",
    "git push -uf origin main",
    "git push --force-with-lease origin main",
    "git push --force-with-lease=main:abc123 origin main",
    "git push origin +main",
    "git push origin +HEAD:main",
    "git push origin dev +feature:refs/heads/main",
    "git push origin :main",
    "git push --delete origin main",
    "git push -f -o ci.skip origin main",
    "git -C sub -c user.name=x push -f origin main",
    "npm test && git push -f origin main",
    "npm test; (git push -f origin main)",
    "x=$(git push -f origin main)",
    "GIT_TRACE=1 sudo -u git /usr/bin/git push -f origin main",
    "git push -f origin 'main'",
    'git push -f origin ma"in"',
    "git push -f origin main>/dev/null 2>&1",
    "git push \\\n  --force \\\n  origin main",
    "if true; then git push -f origin main; fi",
  ]) {
    test(`denied: ${command}`, async () => {
      const { decision, reason } = await decide(command);
      assert.equal(decision, "deny");
      assert.match(reason ?? "", /force push to (main|master) is not allowed/);
    });
  }

  for (const command of [
    "git push -f origin feature",
    "git push --force-with-lease origin feature 2>&1 | tail -5",
    "git push origin +main:backup",
    "git push -f origin refs/heads/fix/main-menu",
    "git push -f origin feature # not main",
    "git push origin main",
    "git push --follow-tags origin main",
    "git push origin feature && git log --format=%h -f main",
    "git commit -m 'never git push -f origin main'",
    "git fetch --force origin main",
    "echo 'git push -f origin main'",
  ]) {
    test(`let through: ${command}`, async () => {
      assert.equal((await decide(command)).decision, "none");
    });
  }
});

describe("a branch that cannot be told", () => {
  for (const command of [
    "git -c remote.origin.push=+main push",
    'git push -f origin "$BRANCH"',
    "git push -f origin $(git branch --show-current)",
    "git push -f origin `cat branch`",
    "x=`git push -f origin main`",
    "git push -f origin {main,dev}",
    "git push -f origin 'refs/heads/*:refs/heads/*'",
    "git push --mirror backup",
    "git push --all --force",
    "git push -f",
  ]) {
    test(`denied, with the way out: ${command}`, async () => {
      const { decision, reason } = await decide(command);
      assert.equal(decision, "deny");
      assert.match(reason ?? "", /not clear which branch.*Name it/);
    });
  }
});

describe("a branch that is implied", () => {
  const implied = [
    "git push -f",
    "git push --force-with-lease origin",
    "git push -f origin HEAD",
    "git push -f -o ci.skip origin 2>&1",
    "git push -fo ci.skip origin",
    "git push -f \\\n origin",
  ];

  test("the current branch is main: denied", async (t) => {
    const { folder } = gitRepository(t, "main");
    for (const command of implied) assert.equal((await decide(command, folder)).decision, "deny", command);
    assert.equal((await decide("git push", folder)).decision, "none");
  });

  test("the current branch is another one: let through", async (t) => {
    const { folder } = gitRepository(t, "feature");
    for (const command of implied) assert.equal((await decide(command, folder)).decision, "none", command);
    assert.equal((await decide("git push --all --force", folder)).decision, "deny");
  });

  test("-C and cd name the folder whose branch counts", async (t) => {
    const { folder } = gitRepository(t, "main");
    const feature = gitRepository(t, "feature");
    const outside = temporaryFolder(t);
    mkdirSync(path.join(folder, "sub"));
    for (const command of [`git -C ${folder} push -f`, `cd ${folder} && git push -f`, `cd ${folder}; git -C sub push -f`]) {
      assert.match((await decide(command, outside)).reason ?? "", /force push to main/, command);
      assert.match((await decide(command, feature.folder)).reason ?? "", /force push to main/, command);
    }
    assert.equal((await decide(`git -C ${feature.folder} push -f`, folder)).decision, "none");
  });

  test("a checkout in the same command makes the branch unclear", async (t) => {
    const { folder } = gitRepository(t, "feature");
    assert.match((await decide("git checkout main && git push -f", folder)).reason ?? "", /not clear/);
    assert.equal((await decide("git checkout main && git push -f origin feature", folder)).decision, "none");
  });

  test("a branch configured to be pushed to main counts as main", async (t) => {
    const { folder, git } = gitRepository(t, "main");
    const clone = temporaryFolder(t);
    git("clone", "--quiet", folder, clone);
    git("-C", clone, "checkout", "--quiet", "-b", "feature", "origin/main");
    assert.equal((await decide("git push -f", clone)).decision, "none");
    git("-C", clone, "config", "push.default", "upstream");
    assert.match((await decide("git push -f", clone)).reason ?? "", /force push to main/);
    assert.match((await decide("git push -f origin feature", clone)).reason ?? "", /force push to main/);
  });
});

describe("scripts in words of a command are read", () => {
  for (const command of [
    "bash -c 'git push -f origin main'",
    'sh -ec "cd /p && git push --force origin main"',
    "/bin/bash -lc 'git push origin +main'",
    "sudo bash -c 'git push origin +HEAD:refs/heads/main'",
    'eval "git push -f origin main"',
    "eval git push -f origin main",
    `bash -c "sh -c 'git push -f origin main'"`,
    "git push origin '+main'",
    'git push origin +refs/heads/ma"in"',
    "git push origin +feature:main",
  ])
    test(command, async () => assert.equal((await decide(command, "/")).decision, "deny"));
  for (const command of ["bash -c 'git push origin main'", "bash -c 'git push -f origin feature'", "echo bash -c ok"])
    test(`not ${command}`, async () => assert.equal((await decide(command, "/")).decision, "none"));
});

test("other tools are none of its business", async () => {
  const { decision } = await callHook(blockForcePush, {
    tool_name: "Write",
    tool_input: { file_path: "/x", content: "git push -f origin main" },
  });
  assert.equal(decision, "none");
});
