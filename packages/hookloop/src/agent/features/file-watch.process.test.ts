import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answer, commands, type FeatureLab, openFeatureLab, RECORD, use } from "./feature-lab.test-suite.ts";

const watching = (matcher: string, command = RECORD): object => ({ FileChanged: [{ matcher, hooks: [{ type: "command", command }] }] });
const SETTLED_MS = 600;

describe("the matchers of FileChanged hooks", () => {
  test("name the files that are watched, in the project", async () => {
    const lab = await openFeatureLab({ hooks: { ...watching("a.txt|.env") }, files: { "project/a.txt": "one" } });
    const changed = lab.write("project/a.txt", "two");
    const added = lab.write("project/.env", "X=1");
    lab.write("project/b.txt", "not watched");
    await lab.submit("hello");
    expect(lab.recorded("FileChanged")).toMatchObject([
      { file_path: changed, event: "change" },
      { file_path: added, event: "add" },
    ]);
    rmSync(added);
    await lab.submit("again");
    expect(lab.recorded("FileChanged")[2]).toMatchObject({ file_path: added, event: "unlink" });
    expect(lab.recorded("FileChanged")[2]).not.toHaveProperty("permission_mode");
  });

  test("watch while the model is not asked", async () => {
    const lab = await openFeatureLab({ hooks: { ...watching("a.txt") } });
    const file = lab.write("project/a.txt", "one");
    await sleep(SETTLED_MS);
    expect(lab.recorded("FileChanged")).toMatchObject([{ file_path: file, event: "add" }]);
  });

  test("see what the agent's own tools write", async () => {
    const lab = await openFeatureLab({
      hooks: { ...watching("a.txt") },
      allow: ["Bash"],
      turns: [[use("Bash", { command: "echo one > a.txt" })]],
    });
    await lab.submit("hello");
    expect(lab.recorded("FileChanged")).toMatchObject([{ event: "add" }]);
  });
});

describe("watchPaths", () => {
  test("of SessionStart add files, wherever they are", async () => {
    const lab = await openFeatureLab({
      hooks: {
        FileChanged: commands(RECORD),
        SessionStart: commands(`printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s/far.txt"]}}' "$HOME"`),
      },
    });
    const file = lab.write("home/far.txt", "one");
    await lab.submit("hello");
    expect(lab.recorded("FileChanged")).toMatchObject([{ file_path: file, event: "add" }]);
  });

  test("of FileChanged and CwdChanged replace what hooks said before, not what matchers name", async () => {
    const answered = `${RECORD}; printf '{"hookSpecificOutput":{"hookEventName":"FileChanged","watchPaths":["%s/two.txt"]}}' "$CLAUDE_PROJECT_DIR"`;
    const lab = await openFeatureLab({
      hooks: {
        FileChanged: [{ matcher: "a.txt|one.txt|two.txt|three.txt", hooks: [{ type: "command", command: answered }] }],
        CwdChanged: commands(
          `printf '{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["%s/sub/three.txt"]}}' "$CLAUDE_PROJECT_DIR"`,
        ),
      },
      allow: ["Bash"],
      turns: [[], [use("Bash", { command: "cd sub" })]].filter((turn) => turn.length > 0),
    });
    mkdirSync(path.join(lab.project, "sub"));
    await lab.submit("hello");
    const three = lab.write("project/sub/three.txt", "x");
    await lab.submit("again");
    expect(lab.recorded("FileChanged").map(({ file_path }) => file_path)).toEqual([three]);
    // Its answer has put two.txt in the place of three.txt.
    appendFileSync(three, "y");
    const two = lab.write("project/two.txt", "x");
    await lab.submit("and again");
    expect(lab.recorded("FileChanged").map(({ file_path }) => file_path)).toEqual([three, two]);
  });

  test("that are not absolute are not watched, and the run says so", async () => {
    const lab = await openFeatureLab({
      hooks: { FileChanged: commands(RECORD), SessionStart: commands(answer("SessionStart", { watchPaths: ["a.txt"] })) },
    });
    lab.write("project/a.txt", "one");
    await lab.submit("hello");
    expect(lab.recorded("FileChanged")).toEqual([]);
    expect(lab.diagnostics).toContainEqual(expect.objectContaining({ code: "HL_AGENT_WATCH", text: expect.stringContaining("a.txt") }));
  });
});

test("exit 2 of a FileChanged hook tells the user, and changes nothing", async () => {
  const lab = await openFeatureLab({ hooks: { ...watching("a.txt", "echo look at it >&2; exit 2") } });
  lab.write("project/a.txt", "one");
  expect(await lab.submit("hello")).toMatchObject({ reason: "completed" });
  expect(lab.tells().join("\n")).toContain("look at it");
});

test("a matcher with a path runs its hook for the file in that folder", async () => {
  const lab = await openFeatureLab({ hooks: { ...watching("docs/notes.txt") }, files: { "project/docs/notes.txt": "one" } });
  const changed = lab.write("project/docs/notes.txt", "two");
  await lab.submit("hello");
  expect(lab.recorded("FileChanged")).toMatchObject([{ file_path: changed, event: "change" }]);
});

test("a hook for which nothing is watched is named once, with its place and the cure", async () => {
  const watched = (diagnostics: FeatureLab["diagnostics"]): unknown => diagnostics.filter(({ code }) => code === "HL_AGENT_WATCH");
  const lab = await openFeatureLab({ hooks: { FileChanged: commands(RECORD) } });
  await lab.submit("hello");
  expect(watched(lab.diagnostics)).toMatchObject([
    { level: "warning", place: { file: expect.stringContaining("settings.json") }, text: expect.stringMatching(/matcher.*watchPaths/) },
  ]);
  const named = await openFeatureLab({
    hooks: { FileChanged: [...commands(RECORD), { matcher: "a.txt", hooks: [] }, ...Object.values(watching("b.txt", "true")).flat()] },
  });
  expect(watched(named.diagnostics)).toEqual([]);
});
