/** A command is judged in the folder it runs in: where that is gone, or has a name that no text can hold, it does not run elsewhere. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openAgentLab, say, use } from "../agent/agent-lab.ts";

const FOLDERS: readonly (readonly [string, string])[] = [
  ["a folder whose name is not UTF-8", "cd $'deep/\\xff'"],
  ["a folder that is removed by the command itself", "cd deep/gone && rmdir ../gone"],
];

test.each(FOLDERS)("%s", async (_, first) => {
  const lab = openAgentLab();
  lab.write("outside/secret.txt", "SECRETCANARY");
  execFileSync("bash", ["-c", "mkdir -p deep/gone $'deep/\\xff'"], { cwd: lab.project });
  const turns = [[use("Bash", { command: first })], [use("Bash", { command: "cat ../outside/secret.txt" })], say("END")];
  const allowed = ["--allowedTools", "Bash(rmdir *)"];
  const { stdout, stderr } = await lab.play({
    args: ["-p", "go", "--script", lab.script(turns), ...allowed, "--output-format", "stream-json"],
  });
  expect(stdout).toContain("END");
  expect(stdout + stderr).not.toContain("SECRETCANARY");
});

test("a folder that is gone when the next command starts: the command is not run, and the session is back in the project", async () => {
  const lab = openAgentLab();
  lab.write("project/remove.sh", 'rmdir "$PWD"');
  execFileSync("mkdir", ["-p", "deep/gone"], { cwd: lab.project });
  const turns = [
    [use("Bash", { command: "cd deep/gone" })],
    [use("Bash", { command: "sh ../../remove.sh" })],
    [use("Bash", { command: "touch ran-elsewhere" })],
    [use("Bash", { command: "pwd > where.txt" })],
    say("END"),
  ];
  const { stdout } = await lab.play({
    args: ["-p", "go", "--script", lab.script(turns), "--allowedTools", "Bash", "--output-format", "stream-json"],
  });
  expect(stdout).toContain("does not exist any more. The current folder is");
  expect([lab.read("project/ran-elsewhere"), lab.read("project/where.txt")?.trim()]).toEqual([undefined, lab.project]);
});

test("after `cd src`, a deny rule and a hook's `if` still mean the folder that the session started in", async () => {
  const lab = openAgentLab();
  lab.write("project/.env", "SECRETCANARY");
  lab.write("project/src/a.ts", "");
  lab.write("project/notes.txt", "NOTECANARY");
  lab.write("home/.claude/settings.json", {
    hooks: {
      PreToolUse: [
        { matcher: "Read", hooks: [{ type: "command", if: "Read(./notes.txt)", command: "echo 'a guard denied it' >&2; exit 2" }] },
      ],
    },
  });
  const turns = [
    [use("Bash", { command: "cd src" })],
    [use("Read", { file_path: "../.env" })],
    [use("Grep", { pattern: "CANARY", path: "..", output_mode: "content" })],
    [use("Bash", { command: "cat ../.env" })],
    [use("Read", { file_path: "../notes.txt" })],
    say("END"),
  ];
  const flags = ["--disallowedTools", "Read(./.env)", "--allowedTools", "Bash", "Read", "Grep"];
  const { stdout, stderr } = await lab.play({
    args: ["-p", "go", "--script", lab.script(turns), ...flags, "--output-format", "stream-json"],
  });
  expect(stdout).toContain("END");
  expect(stdout).toContain("a guard denied it");
  expect(stdout + stderr).not.toContain("SECRETCANARY");
});
