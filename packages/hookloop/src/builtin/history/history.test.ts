import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileHistory, createGitTracking, type FileHistory, type FileHistoryOptions } from "./history-hooks.ts";
import { type EditEntry, type HistoryEntry, historyFolder, openHistoryStore, readHistory } from "./history-store.ts";
import { applyUndo, planUndo, type Selection, type UndoResult } from "./undo.ts";

let base = "";
let project = "";
let told: string[] = [];
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-history-")));
  project = path.join(base, "project");
  mkdirSync(project);
  told = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string): string => path.join(project, name);
const write = (name: string, content: string | Buffer): void => writeFileSync(at(name), content);
const text = (name: string): string => readFileSync(at(name), "utf8");
const stateFolder = (): string => path.join(base, "state");
const folder = (): string => historyFolder(stateFolder(), project);

function open(options: FileHistoryOptions = {}): FileHistory {
  return createFileHistory({ cwd: project, home: base, stateFolder: stateFolder(), report: ({ text }) => void told.push(text) }, options);
}

let calls = 0;
/** A tool call with the history around it; gives what was noted. */
function during(
  history: Pick<FileHistory, "before" | "after">,
  [tool_name, tool_input]: readonly [string, object],
  work: () => void,
  session_id = "s1",
): readonly HistoryEntry[] {
  const call = { session_id, tool_use_id: `toolu_${++calls}`, tool_name, tool_input, cwd: project };
  history.before(call);
  work();
  return history.after(call);
}

/** A shell command that really runs. */
function bash(history: FileHistory, command: string, session?: string): readonly HistoryEntry[] {
  return during(
    history,
    ["Bash", { command }],
    () => void execFileSync("bash", ["-c", command], { cwd: project, stdio: "ignore" }),
    session,
  );
}

function writes(history: FileHistory, name: string, content: string, session?: string): readonly HistoryEntry[] {
  return during(history, ["Write", { file_path: at(name), content }], () => write(name, content), session);
}

function undo(selection: Selection): UndoResult {
  return applyUndo(planUndo(readHistory(folder()).entries, selection));
}

const changesOf = (entries: readonly HistoryEntry[]): readonly string[] =>
  entries
    .map((entry) => (entry.type === "not-covered" ? `? ${entry.why}` : `${entry.change} ${path.relative(project, entry.path)}`))
    .sort();

/** Everything below a folder: kind, mode and content. */
function snapshot(start: string): Readonly<Record<string, string>> {
  const names = readdirSync(start, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(start, name);
      const stats = lstatSync(file);
      const content = stats.isSymbolicLink() ? readlinkSync(file) : stats.isFile() ? readFileSync(file, "latin1") : "folder";
      return [name, `${(stats.mode & 0o7777).toString(8)} ${content}`];
    }),
  );
}

test("an edit is noted with its session, tool use, time and size delta", () => {
  write("a.txt", "one\n");
  const before = Date.now();
  const [entry] = writes(open(), "a.txt", "one\ntwo\n") as readonly EditEntry[];
  expect(entry).toMatchObject({
    type: "edit",
    sessionId: "s1",
    toolUseId: `toolu_${calls}`,
    tool: "Write",
    change: "modified",
    sizeDelta: 4,
  });
  expect(entry?.path).toBe(at("a.txt"));
  expect(entry?.timestamp).toBeGreaterThanOrEqual(before);
  expect(readHistory(folder()).entries).toMatchObject([{ ...entry }]);
});

test.each<readonly [string, readonly string[]]>([
  ["echo x > new.txt", ["created new.txt"]],
  ["sed -i s/one/two/ a.txt", ["modified a.txt"]],
  ["rm a.txt", ["deleted a.txt"]],
  ["mv a.txt b.txt", ["created b.txt", "deleted a.txt"]],
  ["mv dir moved", ["created moved", "created moved/in.txt", "deleted dir", "deleted dir/in.txt"]],
  ["rm -rf dir", ["deleted dir", "deleted dir/in.txt"]],
  ["cp -r dir copy", ["created copy", "created copy/in.txt"]],
  ["mkdir -p x/y && touch x/y/z", ["created x", "created x/y", "created x/y/z"]],
  ["chmod 600 a.txt", ["modified a.txt"]],
  ["ln -s a.txt link", ["created link"]],
  ["echo more | tee -a a.txt > /dev/null", ["modified a.txt"]],
  ["cat a.txt", []],
  ["rm -f *.txt", ["deleted a.txt"]],
  ["cd dir && echo x > in.txt", ["modified dir/in.txt"]],
  ["cat > here.txt << EOF\nx\nEOF", ["created here.txt"]],
])("a shell command's changes are seen: %s", (command, expected) => {
  write("a.txt", "one\n");
  mkdirSync(at("dir"));
  write("dir/in.txt", "in\n");
  chmodSync(at("a.txt"), 0o644);
  const before = snapshot(project);
  expect(changesOf(bash(open(), command))).toEqual(expected);
  const { conflicts } = undo({ isLast: true });
  expect(conflicts).toEqual([]);
  expect(snapshot(project)).toEqual(before);
});

test.each([
  ["npm test", "it is not known what npm writes"],
  ["./gen.sh", "it is not known what gen.sh writes"],
  ["make -j4 all", "it is not known what make writes"],
  ["python3 gen.py", "it is not known what python3 writes"],
  ["node -e 'x()'", "it is not known what node writes"],
  ["echo x > $OUT/a", "only the running shell knows which folder it writes to"],
])("what a command writes that the reading cannot know is listed as not covered: %s", (command, why) => {
  expect(changesOf(during(open(), ["Bash", { command }], () => {}))).toEqual([`? ${why}`]);
});

test.each(["ls -la", "git status", "grep -r x . | head", "cat a b && echo done", "cd src; pwd", "true"])(
  "%s is covered, and notes nothing",
  (command) => {
    expect(during(open(), ["Bash", { command }], () => {})).toEqual([]);
    expect(existsSync(stateFolder())).toBe(false);
  },
);

test("code on the line is followed to the files it names, and is said to be not covered whole", () => {
  write("a.txt", "one");
  const entries = bash(open(), `python3 -c "open('a.txt','w').write('two')"`);
  expect(changesOf(entries)).toEqual(["? it is not known what python3 writes", "modified a.txt"]);
});

test.each([
  ["mcp__fs__write_file", { path: "a.txt", content: "two" }],
  ["write_file", { path: "a.txt", content: "two" }],
  ["MultiEdit", { file_path: "a.txt", edits: [] }],
])("a file tool is one under any name: %s", (tool, input) => {
  write("a.txt", "one");
  expect(changesOf(during(open(), [tool, input], () => write("a.txt", "two")))).toEqual(["modified a.txt"]);
});

test("the mode bits and bytes that are no text come back", () => {
  const bytes = Buffer.from([0, 255, 254, 10, 13, 0]);
  write("run.bin", bytes);
  chmodSync(at("run.bin"), 0o751);
  const history = open();
  bash(history, "rm run.bin");
  expect(undo({ isLast: true }).conflicts).toEqual([]);
  expect(readFileSync(at("run.bin")).equals(bytes)).toBe(true);
  expect((statSync(at("run.bin")).mode & 0o777).toString(8)).toBe("751");
});

test("a file that somebody changed since is a conflict and left alone; the others come back", () => {
  write("mine.txt", "1");
  write("theirs.txt", "1");
  const history = open();
  writes(history, "mine.txt", "2");
  writes(history, "theirs.txt", "2");
  write("theirs.txt", "a person's");
  const { restored, conflicts } = undo({ sessionId: "s1" });
  expect(restored.map(({ path: file }) => file)).toEqual([at("mine.txt")]);
  expect(conflicts).toEqual([{ path: at("theirs.txt"), why: "it was changed, not by a call of the history, since" }]);
  expect([text("mine.txt"), text("theirs.txt")]).toEqual(["1", "a person's"]);
});

test("a change by a person between two of the session's edits is a conflict", () => {
  write("a.txt", "1");
  const history = open();
  writes(history, "a.txt", "2");
  write("a.txt", "a person's");
  writes(history, "a.txt", "3");
  expect(undo({ sessionId: "s1" }).conflicts).toMatchObject([{ why: expect.stringContaining("between two of these changes") }]);
  expect(text("a.txt")).toBe("3");
  // One step back gives what the person wrote.
  expect(undo({ file: at("a.txt") }).conflicts).toEqual([]);
  expect(text("a.txt")).toBe("a person's");
});

test("two sessions that edit one file: the edit below another session's is a conflict, and says whose", () => {
  write("a.txt", "1");
  const [one, two] = [open(), open()];
  writes(one, "a.txt", "2", "s1");
  writes(two, "a.txt", "3", "s2");
  expect(undo({ sessionId: "s1" }).conflicts).toMatchObject([
    { why: expect.stringMatching(/changed by Write \(toolu_\d+\) of session s2 since/) },
  ]);
  expect(undo({ sessionId: "s2" }).conflicts).toEqual([]);
  expect(undo({ sessionId: "s1" }).conflicts).toEqual([]);
  expect(text("a.txt")).toBe("1");
});

test("a renamed file stays where it is if its old name is taken", () => {
  write("a.txt", "precious");
  bash(open(), "mv a.txt b.txt");
  write("a.txt", "a person's");
  const { conflicts } = undo({ isLast: true });
  expect(conflicts.map(({ path: file }) => path.basename(file)).sort()).toEqual(["a.txt", "b.txt"]);
  expect([text("a.txt"), text("b.txt")]).toEqual(["a person's", "precious"]);
});

test("a folder that a call made stays if something of somebody else is in it", () => {
  const history = open();
  bash(history, "mkdir made && touch made/own");
  write("made/theirs", "x");
  const { conflicts } = undo({ isLast: true });
  expect(conflicts).toEqual([{ path: at("made"), why: "it holds something that these calls did not make" }]);
  expect(readdirSync(at("made"))).toEqual(["theirs"]);
});

test("undo steps back call by call, and can be undone itself", () => {
  const history = open();
  writes(history, "a.txt", "1");
  writes(history, "a.txt", "2");
  const { toolUseId } = undo({ isLast: true });
  expect(text("a.txt")).toBe("1");
  undo({ toolUseId });
  expect(text("a.txt")).toBe("2");
  undo({ isLast: true });
  undo({ isLast: true });
  expect(existsSync(at("a.txt"))).toBe(false);
  expect(undo({ isLast: true })).toMatchObject({ restored: [], conflicts: [] });
});

test("a file deleted between snapshot and diff is a deletion", () => {
  write("a.txt", "1");
  const entries = during(open(), ["Edit", { file_path: at("a.txt") }], () => rmSync(at("a.txt")));
  expect(changesOf(entries)).toEqual(["deleted a.txt"]);
  undo({ isLast: true });
  expect(text("a.txt")).toBe("1");
});

test("a call whose file is never there notes nothing", () => {
  expect(during(open(), ["Edit", { file_path: at("none") }], () => {})).toEqual([]);
});

test("a file of 100 MB is not kept, which is said, and undo leaves it alone", () => {
  write("big", "");
  truncateSync(at("big"), 100_000_000);
  const entries = during(open(), ["Bash", { command: "truncate -s 0 big" }], () => truncateSync(at("big"), 0));
  expect(changesOf(entries)).toEqual(["modified big"]);
  expect(told).toEqual([`file-history: ${at("big")} is not kept: it is larger than 10 MB. It cannot be undone.`]);
  expect(undo({ isLast: true }).conflicts).toEqual([{ path: at("big"), why: "what was in it is not kept: it is larger than 10 MB" }]);
});

test("a large file that is no text is not kept", () => {
  write("image", Buffer.alloc(1_500_000));
  during(open(), ["Bash", { command: "rm image" }], () => rmSync(at("image")));
  expect(told.join()).toContain("it is no text and larger than 1 MB");
});

test("what a link leads to is what a write changes; the link stays", () => {
  mkdirSync(path.join(base, "outside"));
  writeFileSync(path.join(base, "outside/real"), "1");
  symlinkSync(path.join(base, "outside/real"), at("link"));
  const entries = bash(open(), "echo 2 > link");
  expect(changesOf(entries)).toEqual(["modified ../outside/real"]);
  undo({ isLast: true });
  expect(readFileSync(path.join(base, "outside/real"), "utf8")).toBe("1");
  expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
});

test("a link is put back as a link", () => {
  write("a", "1");
  symlinkSync("a", at("link"));
  bash(open(), "rm link && echo x > link");
  undo({ isLast: true });
  expect(readlinkSync(at("link"))).toBe("a");
  expect(text("a")).toBe("1");
});

test("undo does not go through a link that has taken the place of a folder", () => {
  mkdirSync(at("dir"));
  mkdirSync(path.join(base, "elsewhere"));
  write("dir/a", "1");
  bash(open(), "rm dir/a");
  rmSync(at("dir"), { recursive: true });
  symlinkSync(path.join(base, "elsewhere"), at("dir"));
  expect(undo({ isLast: true }).conflicts).toMatchObject([{ why: expect.stringContaining("is a link to") }]);
  expect(readdirSync(path.join(base, "elsewhere"))).toEqual([]);
});

test("a file with two names stays one file", () => {
  write("a", "1");
  linkSync(at("a"), at("b"));
  bash(open(), "echo 2 > a");
  undo({ isLast: true });
  expect(text("b")).toBe("1");
  expect(statSync(at("a")).nlink).toBe(2);
});

test("a file outside of the project is kept as well", () => {
  const file = path.join(base, "outside.txt");
  writeFileSync(file, "1");
  bash(open(), "echo 2 > ../outside.txt");
  undo({ isLast: true });
  expect(readFileSync(file, "utf8")).toBe("1");
});

test("what the tool found counts, where the user edited the file while the question was open", () => {
  write("a.txt", "1");
  const history = open();
  const call = { session_id: "s1", tool_use_id: "t", tool_name: "Write", tool_input: { file_path: at("a.txt") }, cwd: project };
  history.before(call);
  write("a.txt", "the user's");
  write("a.txt", "2");
  history.after(call, "the user's");
  undo({ isLast: true });
  expect(text("a.txt")).toBe("the user's");
});

test("the folders are private, and so are the files in them", () => {
  writes(open(), "a.txt", "secret");
  const modes = readdirSync(stateFolder(), { recursive: true, encoding: "utf8" }).map((name) => {
    const stats = statSync(path.join(stateFolder(), name));
    return `${stats.isFile() ? "file" : "folder"} ${(stats.mode & 0o777).toString(8)}`;
  });
  expect([...new Set(modes)].sort()).toEqual(["file 600", "folder 700"]);
});

test("a torn or damaged line costs only itself", () => {
  const history = open();
  writes(history, "a.txt", "1");
  const journal = path.join(folder(), "s1/journal.jsonl");
  writeFileSync(journal, `${readFileSync(journal, "utf8")}{"v":1,"type":"ed`);
  writes(history, "a.txt", "2");
  const { entries, damaged } = readHistory(folder());
  expect([entries.length, damaged]).toEqual([2, 1]);
});

test("a content that was tampered with is not put back", () => {
  write("a.txt", "1");
  writes(open(), "a.txt", "2");
  for (const name of readdirSync(path.join(folder(), "s1/blobs"))) writeFileSync(path.join(folder(), "s1/blobs", name), "x");
  expect(undo({ isLast: true }).conflicts).toMatchObject([{ why: expect.stringContaining("not in the history any more") }]);
  expect(text("a.txt")).toBe("2");
});

test("the oldest sessions are dropped when there is no room, never those that run here", async () => {
  writes(open(), "a.txt", "x".repeat(600_000), "old");
  await new Promise((resolve) => setTimeout(resolve, 20));
  const history = open({ maxMegabytes: 1 });
  writes(history, "b.txt", "y".repeat(600_000), "new");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(readdirSync(folder())).toEqual(["new"]);
  expect(told.join()).toContain("the oldest sessions were dropped, because the history of this project is full: old");
  expect(openHistoryStore(folder()).makeRoom(1_000_000)).toEqual([]);
});

test("what lies in the state folder is never kept", () => {
  mkdirSync(stateFolder());
  const entries = during(open(), ["Write", { file_path: path.join(stateFolder(), "trust.json") }], () =>
    writeFileSync(path.join(stateFolder(), "trust.json"), "x"),
  );
  expect(entries).toEqual([]);
});

test("secrets on the line of a command that is not covered are not noted", () => {
  const [entry] = during(open(), ["Bash", { command: "npm run deploy -- --token=ghp_0123456789abcdefghij0123456789" }], () => {});
  expect(JSON.stringify(entry)).not.toContain("ghp_");
});

test("git-tracking announces changed files and keeps nothing, with or without git", () => {
  write("a.txt", "1");
  const tracking = createGitTracking({ home: base, stateFolder: stateFolder() });
  const call = {
    session_id: "s1",
    tool_use_id: "t1",
    tool_name: "Bash",
    tool_input: { command: "mv a.txt b.txt; echo 1 >> c.txt" },
    cwd: project,
  };
  tracking.before(call);
  execFileSync("bash", ["-c", call.tool_input.command], { cwd: project });
  const announced = tracking.after(call);
  expect(announced.map(({ type, path: file, change }) => ({ type, path: file, change }))).toEqual(
    expect.arrayContaining([
      { type: "file_changed", path: at("a.txt"), change: "deleted" },
      { type: "file_changed", path: at("b.txt"), change: "created" },
      { type: "file_changed", path: at("c.txt"), change: "created" },
    ]),
  );
  expect(announced).toHaveLength(3);
  expect(existsSync(stateFolder())).toBe(false);
});
