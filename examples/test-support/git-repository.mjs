// @ts-check
import { execFileSync } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { temporaryFolder } from "./temporary-folder.mjs";

// The hooks under test inherit this environment: neither a git hook that runs the tests nor the user's configuration reaches them.
for (const name of Object.keys(process.env)) if (name.startsWith("GIT_")) delete process.env[name];
Object.assign(process.env, {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CEILING_DIRECTORIES: realpathSync(tmpdir()),
  GIT_AUTHOR_NAME: "Example",
  GIT_AUTHOR_EMAIL: "example@example.invalid",
  GIT_COMMITTER_NAME: "Example",
  GIT_COMMITTER_EMAIL: "example@example.invalid",
});

/** A repository with one commit. @param {import("node:test").TestContext} t @param {string} [branch] */
export function gitRepository(t, branch = "main") {
  const folder = temporaryFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const write = (/** @type {string} */ name, /** @type {string} */ text) => writeFileSync(path.join(folder, name), text);
  git("init", "--quiet", "--initial-branch", branch);
  write("readme.txt", "one\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "First commit");
  return { folder, git, write };
}
