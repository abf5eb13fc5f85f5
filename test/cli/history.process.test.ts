import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openHooks } from "hookloop";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasTmux, openRoom } from "../agent/open-terminal.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));

let home = "";
let project = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-history-cli-")));
  project = path.join(home, "project");
  spawnSync("mkdir", [project]);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function hookloop(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const env = { PATH: process.env["PATH"], HOME: home, TZ: "UTC", LANG: "C.UTF-8" };
  return spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, encoding: "utf8" });
}

/** As a program that embeds the engine does. */
async function edit(name: string, content: string, id: string, sessionId = "s1"): Promise<void> {
  const hooks = await openHooks({
    cwd: project,
    sessionId,
    use: ["file-history"],
    ports: { home, env: { HOME: home }, managedRoot: path.join(home, "none") },
  });
  const file_path = path.join(project, name);
  const call = { tool_name: "Write", tool_input: { file_path, content }, tool_use_id: id };
  const { status } = await hooks.runTool(call, () => writeFileSync(file_path, content));
  expect(status).toBe("ran");
  await hooks.runTool({ tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: `${id}b` }, () => "");
  await hooks.close();
}

const text = (name: string): string => readFileSync(path.join(project, name), "utf8");

test("hookloop history lists time, session, tool use, file and lines, and what is not covered", async () => {
  writeFileSync(path.join(project, "a.txt"), "one\ntwo\n");
  await edit("a.txt", "one\n2\nthree\n", "toolu_1");
  const { status, stdout } = hookloop("history");
  expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME            ")).toBe(
    [
      "Session s1",
      "time              tool   tool use  lines           file",
      "TIME              Write  toolu_1   modified +2 -1  a.txt",
      "Not covered, so what these changed beside it is not known:",
      "  make  it is not known what make writes",
      "",
    ].join("\n"),
  );
  expect(status).toBe(0);
});

test("hookloop history FILE shows its versions with their diffs", async () => {
  writeFileSync(path.join(project, "a.txt"), "one\ntwo\n");
  await edit("a.txt", "one\n2\n", "toolu_1");
  await edit("a.txt", "one\n", "toolu_2", "s2");
  const { stdout } = hookloop("history", "a.txt");
  expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")).toBe(
    [
      "TIME  modified +1 -1  Write toolu_1, session s1",
      "@@ -1,2 +1,2 @@\n one\n-two\n+2",
      "TIME  modified +0 -1  Write toolu_2, session s2",
      "@@ -1,2 +1,1 @@\n one\n-2",
      "",
    ].join("\n"),
  );
  const versions = JSON.parse(hookloop("history", "a.txt", "--session", "s2", "--json").stdout);
  expect(versions).toMatchObject([{ type: "edit", sessionId: "s2", toolUseId: "toolu_2", sizeDelta: -2, added: 0, removed: 1 }]);
});

test("hookloop undo takes back one call, a file's last change or a session, and can be taken back", async () => {
  writeFileSync(path.join(project, "a.txt"), "one");
  await edit("a.txt", "two", "toolu_1");
  await edit("b.txt", "new", "toolu_2");
  expect(hookloop("undo", "--dry-run").stdout).toContain("This would undo 1 change:\n  b.txt  removed (Write)\n");
  expect(text("b.txt")).toBe("new");
  const { stdout, status } = hookloop("undo", "a.txt");
  expect([status, text("a.txt"), text("b.txt")]).toEqual([0, "one", "new"]);
  const [, id = ""] = /undo --tool-use (undo_\w+)/.exec(stdout) ?? [];
  expect(hookloop("undo", "--tool-use", id).status).toBe(0);
  expect(text("a.txt")).toBe("two");
  expect(JSON.parse(hookloop("undo", "--session", "s1", "--json").stdout)).toMatchObject({
    undone: [
      { path: path.join(project, "b.txt"), change: "removed" },
      { path: path.join(project, "a.txt"), change: "restored" },
    ],
    conflicts: [],
    notCovered: [{ command: "make" }, { command: "make" }],
  });
  expect(text("a.txt")).toBe("one");
  expect(hookloop("undo", "--session", "s1")).toMatchObject({ status: 1, stdout: expect.stringContaining("There is nothing to undo.") });
});

test.each<readonly [readonly string[], string]>([
  [["undo", "a.txt", "--session", "s1"], "Give one of FILE, --tool-use and --session."],
  [["undo", "--session", "s7"], 'There is no session "s7" in the history. Did you mean "s1"?'],
  [["undo", "--tool-use", "toolu_11"], 'There is no tool use "toolu_11" in the history. Did you mean "toolu_1"?'],
  [["undo", "b.txt"], "There is no file b.txt, and none in the history."],
  [["history", "--session", "x"], 'There is no session "x" in the history.'],
  [["undo", "--dryrun"], 'Did you mean "--dry-run"?'],
])("%j is wrong usage, with the nearest name", async (args, said) => {
  await edit("a.txt", "one", "toolu_1");
  const { status, stderr } = hookloop(...args);
  expect(stderr).toContain(said);
  expect(status).toBe(2);
});

test.each(["history", "undo"])("hookloop %s without a history says how to have one, and exits with 1", (command) => {
  const { status, stdout } = hookloop(command);
  expect([status, stdout.replace(/\s+/g, " ").trim()]).toEqual([
    1,
    'There is no history here. It is kept while "file-history" is switched on: {"use": ["file-history"]} in .hookloop/hooks.json.',
  ]);
  expect(hookloop(command, "--help").stdout).toContain("Examples:");
});

describe.skipIf(!hasTmux)("in the conversation", () => {
  test.each(["undo that", "/undo"])("%s shows what it would take back, asks, and does it", async (typed) => {
    const room = openRoom();
    room.write(".hookloop/hooks.json", { use: ["file-history"] });
    room.write("keep.txt", "one\n");
    const terminal = await room.start({ rows: 60, args: ["--permission-mode", "bypassPermissions"] });
    terminal.say("run echo two >> keep.txt");
    await terminal.shows("ran and printed nothing.");
    terminal.say(typed);
    await terminal.shows(/This would undo 1 change:\n\s+keep.txt {2}as it was \(Bash\)[\s\S]*Undo it\? y = yes \[n\]/);
    terminal.say("n");
    await terminal.shows("Nothing was undone.");
    expect(room.read("keep.txt")).toBe("one\ntwo\n");
    terminal.say(typed);
    await terminal.shows(/Nothing was undone\.[\s\S]*Undo it\? y = yes \[n\]\n\?/);
    terminal.say("y");
    await terminal.shows("Undid 1 change:");
    expect(room.read("keep.txt")).toBe("one\n");
    terminal.say(typed);
    await terminal.shows("There is nothing to undo in this session.");
  });

  test("the list fits into 80 columns", async () => {
    const room = openRoom();
    room.write(".hookloop/hooks.json", { use: ["file-history"] });
    room.hookloop(
      "agent",
      "-p",
      "run echo x > a-file-with-a-rather-long-name-in-the-project-folder.txt",
      "--permission-mode",
      "bypassPermissions",
    );
    const terminal = await room.start({ command: "history", ready: /a-file/ });
    const screen = terminal.screen();
    expect(screen).toContain("a-file-with-a-rather-long-name-in-the-project-folder.txt");
    for (const line of screen.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });
});
