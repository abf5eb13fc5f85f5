import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, type Block, lines, openAgentLab, PROGRAM, say, use } from "./agent-lab.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";

/** Everything in the project but the configuration: kind, mode and content. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".hookloop"));
  return Object.fromEntries(
    names.sort().map((name) => {
      const file = path.join(folder, name);
      const stats = lstatSync(file);
      const content = stats.isSymbolicLink() ? readlinkSync(file) : stats.isFile() ? readFileSync(file, "latin1") : "folder";
      return [name, `${(stats.mode & 0o7777).toString(8)} ${content}`];
    }),
  );
}

function hookloop(
  lab: AgentLab,
  ...args: readonly string[]
): { readonly exit: number | null; readonly stdout: string; readonly stderr: string } {
  const env = { PATH: process.env["PATH"], HOME: lab.home, TERM: "dumb" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { cwd: lab.project, env, encoding: "utf8" });
  return { exit: status, stdout, stderr };
}

async function session(lab: AgentLab, blocks: readonly Block[], ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const script = lab.script([...blocks.map((block) => [block]), say("done")]);
  const ran = await lab.run({ args: ["-p", "work", "--script", script, "--permission-mode", "bypassPermissions", ...args] });
  expect(ran.exit, ran.stderr).toBe(0);
  return ran;
}

const bash = (command: string): Block => use("Bash", { command });

describe("a session that creates, edits, renames and deletes files by tools and by shell commands", () => {
  test("is undone byte for byte; a file that a person changed in between is reported and left alone", async () => {
    const lab = openAgentLab();
    lab.write("project/.hookloop/hooks.json", { use: ["file-history", "git-tracking"] });
    const at = (name: string): string => path.join(lab.project, name);
    lab.write("project/edited.txt", "one\ntwo\nthree");
    lab.write("project/shell-edited.txt", "one\r\ntwo\r\n");
    lab.write("project/theirs.txt", "before");
    lab.write("project/renamed.txt", "renamed");
    lab.write("project/deleted.sh", "#!/bin/sh\necho x\n");
    writeFileSync(at("bytes.bin"), Buffer.from([0, 255, 1, 254]));
    mkdirSync(at("folder/deep"), { recursive: true });
    lab.write("project/folder/deep/in.txt", "in");
    lab.write("project/folder/tool.sh", "#!/bin/sh\n");
    chmodSync(at("folder"), 0o750);
    symlinkSync("edited.txt", at("link"));
    const before = snapshot(lab.project);

    await session(
      lab,
      [
        use("Write", { file_path: at("made/by/tool.txt"), content: "new" }),
        use("Edit", { file_path: at("edited.txt"), old_string: "two", new_string: "2" }),
        use("Edit", { file_path: at("theirs.txt"), old_string: "before", new_string: "agent" }),
        bash("sed -i s/one/1/ shell-edited.txt && echo made > made-by-shell.txt"),
        bash("mv renamed.txt other.txt && rm deleted.sh bytes.bin"),
      ],
      "--session-id",
      SESSION,
    );
    writeFileSync(at("theirs.txt"), "a person's");
    await session(
      lab,
      [
        bash("mv folder moved && chmod 600 edited.txt"),
        use("Write", { file_path: at("edited.txt"), content: "whole" }),
        bash("rm -rf moved/deep && ln -sf other.txt link && mkdir -p more/folders && cp other.txt more/folders/"),
        bash("npm run none || true"),
      ],
      "--resume",
      SESSION,
    );
    expect(snapshot(lab.project)).not.toEqual({ ...before, "theirs.txt": "644 a person's" });

    const listed = hookloop(lab, "history", "--json");
    const entries = JSON.parse(listed.stdout) as readonly { readonly type: string; readonly path?: string; readonly sessionId: string }[];
    expect(new Set(entries.map(({ sessionId }) => sessionId))).toEqual(new Set([SESSION]));
    expect(entries.find((entry) => entry.path === at("edited.txt"))).toMatchObject({
      type: "edit",
      tool: "Edit",
      change: "modified",
      sizeDelta: -2,
      added: 1,
      removed: 1,
    });

    const shown = hookloop(lab, "undo", "--session", SESSION, "--dry-run");
    expect(shown.stdout).toContain("This would undo");
    const undone = hookloop(lab, "undo", "--session", SESSION);
    expect(undone.stdout).toContain("Left alone:\n  theirs.txt: it was changed, not by a call of the history, since");
    expect(undone.stdout).toContain("npm run none || true  it is not known what npm writes");
    expect(undone.exit).toBe(1);
    expect(snapshot(lab.project)).toEqual({ ...before, "theirs.txt": "644 a person's" });
  });
});

test("the changed files are announced in the stream, with the call and the size", async () => {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: ["git-tracking"] });
  const { stdout } = await session(
    lab,
    [
      use("Bash", { command: "echo x > a.txt" }, "call_a"),
      use("Write", { file_path: path.join(lab.project, "a.txt"), content: "xyz" }, "call_b"),
    ],
    ...["--output-format", "stream-json", "--verbose"],
  );
  const announced = lines(stdout).filter(({ subtype }) => subtype === "file_changed");
  const file = path.join(lab.project, "a.txt");
  expect(announced).toMatchObject([
    { path: file, change: "created", tool_use_id: "call_a", size_delta: 2 },
    { path: file, change: "modified", tool_use_id: "call_b", size_delta: 1 },
  ]);
});

test.each(["git_tracking,file_history", "git-tracking,file-history"])("CLAUDE_CODE_DISABLE_HOOKS=%s switches both off", async (names) => {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: ["file-history", "git-tracking"] });
  const script = lab.script([[bash("echo x > a.txt")], say("done")]);
  const args = ["-p", "x", "--script", script, "--permission-mode", "bypassPermissions", "--output-format", "stream-json", "--verbose"];
  const { stdout } = await lab.run({ args, env: { CLAUDE_CODE_DISABLE_HOOKS: names } });
  expect(lab.read("project/a.txt")).toBe("x\n");
  expect(stdout).not.toContain("file_changed");
  expect(hookloop(lab, "history")).toMatchObject({ exit: 1, stdout: expect.stringContaining("There is no history here") });
});

test("the agent's own tools cannot change the history, nor ask for an undo", async () => {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: ["file-history"] });
  const state = path.join(lab.home, ".local/state/hookloop/history");
  await session(lab, [bash("echo one > a.txt")]);
  const before = execFileSync("find", [state, "-type", "f"], { encoding: "utf8" });
  const { stdout } = await session(
    lab,
    [
      bash(`rm -rf ${state}`),
      use("Write", { file_path: path.join(state, "x"), content: "x" }),
      bash(`${process.execPath} ${PROGRAM} undo > said.txt 2>&1; true`),
    ],
    ...["--output-format", "stream-json", "--verbose"],
  );
  expect(stdout.match(/"is_error":true/g)?.length).toBeGreaterThanOrEqual(2);
  expect(lab.read("project/a.txt")).toBe("one\n");
  expect(lab.read("project/said.txt")).toContain("HL_HISTORY_OF_AGENT");
  for (const file of before.trim().split("\n")) expect(lstatSync(file).isFile()).toBe(true);
});

/** Needs root and a kernel that mounts. */
const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test.skipIf(!canMount).each([
  ["continue", "new", "could not be kept"],
  ["block", "old", "cannot be kept"],
])(
  "a full disk during the snapshot, onStorageFailure %s: the file is %s, it is said, nothing is half-written",
  async (onStorageFailure, content, said) => {
    const lab = openAgentLab();
    lab.write("project/.hookloop/hooks.json", { use: [{ name: "file-history", onStorageFailure }] });
    lab.write("project/a.txt", "old".padEnd(50_000));
    const script = lab.script([[bash("echo -n new > a.txt")], say("done")]);
    const state = path.join(lab.base, "disk/hookloop/history");
    mkdirSync(state, { recursive: true });
    const list = path.join(lab.base, "files.txt");
    const line = `mount -t tmpfs -o size=16k tmpfs ${state} && "$@"; code=$?; find ${state} -type f -size +0 > ${list}; exit $code`;
    const { stderr, stdout } = await lab.run({
      before: ["unshare", "-m", "sh", "-c", line, "sh"],
      args: ["-p", "x", "--script", script, "--permission-mode", "bypassPermissions", "--output-format", "stream-json", "--verbose"],
      env: { XDG_STATE_HOME: path.join(lab.base, "disk") },
    });
    expect(lab.read("project/a.txt")?.slice(0, 3)).toBe(content);
    expect(stdout + stderr).toContain(said);
    expect(stdout + stderr).toContain("ENOSPC");
    expect(readFileSync(list, "utf8")).not.toMatch(/blobs\/(?![0-9a-f]{64}\n)/);
    rmSync(list);
  },
);
