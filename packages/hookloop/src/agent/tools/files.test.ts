import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createCheckedTargets } from "../toolbox.ts";
import { editTool, multiEditTool, notebookEditTool, readTool, systemText, writeTool } from "./files.ts";
import { openToolLab, type ToolLab } from "./tool-lab.test-suite.ts";
import { ToolFailure } from "./types.ts";

function fileIn({ project }: ToolLab, name: string, text: string | Buffer): string {
  const file = path.join(project, name);
  writeFileSync(file, text);
  return file;
}

describe("Read", () => {
  const numbers = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n");

  test("gives numbered lines from offset on, says that there are more, and the response carries the counts", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", `${numbers}\n`);
    const { text, response } = await readTool.run({ file_path: file, offset: 3, limit: 2 }, lab.context());
    expect(text).toBe("3\tline 3\n4\tline 4\n(lines 3 to 4 of 10; read on with offset 5)");
    expect(response).toEqual({
      type: "text",
      file: { filePath: file, content: "line 3\nline 4", numLines: 2, startLine: 3, totalLines: 11 },
    });
  });

  test.each([
    ["a new line at the end", "one\ntwo\n", {}, { content: "one\ntwo\n", numLines: 3, startLine: 1, totalLines: 3 }, "1\tone\n2\ttwo\n3\t"],
    ["none", "one", {}, { content: "one", numLines: 1, startLine: 1, totalLines: 1 }, "1\tone"],
    ["nothing at all", "", {}, { content: "", numLines: 1, startLine: 1, totalLines: 1 }, /the contents are empty/],
    [
      "more asked for than there is",
      "a\nb\nc\n",
      { offset: 3, limit: 9 },
      { content: "c\n", numLines: 2, startLine: 3, totalLines: 4 },
      "3\tc\n4\t",
    ],
  ])("lines are counted as recorded: %s", async (_, content, part, counts, words) => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", content);
    const { response, text } = await readTool.run({ file_path: file, ...part }, lab.context());
    expect(response).toEqual({ type: "text", file: { filePath: file, ...counts } });
    expect(text).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
  });

  test("what a hook put in the place of the response is shown with its own line numbers", () => {
    const file = { filePath: "x", content: "a\nb\n", numLines: 3, startLine: 7, totalLines: 3 };
    expect(readTool.textOf?.({ type: "text", file })).toBe("7\ta\n8\tb\n9\t");
  });

  test.each([0, -3])("offset %d means the first line", async (offset) => {
    const lab = openToolLab();
    const { text } = await readTool.run({ file_path: fileIn(lab, "a.txt", numbers), offset, limit: 1 }, lab.context());
    expect(text).toMatch(/^1\tline 1\n/);
  });

  test.each([
    [3, "1\ta\n2\tb\n3\tc\n(lines 1 to 3 of 4; read on with offset 4)"],
    [4, "1\ta\n2\tb\n3\tc\n4\td"],
    [5, "1\ta\n2\tb\n3\tc\n4\td\n5\t"],
  ])("the first %d of four lines: the notice counts as people do", async (limit, expected) => {
    const lab = openToolLab();
    const { text, response } = await readTool.run({ file_path: fileIn(lab, "a.txt", "a\nb\nc\nd\n"), limit }, lab.context());
    expect(text).toBe(expected);
    expect(response).toMatchObject({ file: { totalLines: 5 } });
  });

  test("an offset behind the end is said", async () => {
    const lab = openToolLab();
    expect((await readTool.run({ file_path: fileIn(lab, "a.txt", numbers), offset: 99 }, lab.context())).text).toBe(
      "(the file has only 10 lines)",
    );
  });

  test("a text with very long lines does not fill the conversation, and can be read on", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "wide.txt", Array.from({ length: 500 }, () => "x".repeat(5000)).join("\n"));
    const { text } = await readTool.run({ file_path: file }, lab.context());
    expect(text.length).toBeLessThan(120_000);
    expect(text).toMatch(/\(lines 1 to 50 of 500; read on with offset 51\)$/);
  });

  test.each([
    ["nothing", "none.txt", /File does not exist/],
    ["a folder", ".", /is a folder, not a file/],
    ["a binary file", "binary", /is not a text file/],
    ["a fifo, without waiting for a writer", "fifo", /is not a regular file/],
    ["a huge file", "huge", /has 68719476736 bytes, too many to read/],
  ])("%s is refused in words", async (_, name, words) => {
    const lab = openToolLab();
    fileIn(lab, "binary", Buffer.from([1, 0, 2]));
    spawnSync("mkfifo", [path.join(lab.project, "fifo")]);
    spawnSync("truncate", ["-s", "64G", path.join(lab.project, "huge")]);
    await expect(readTool.run({ file_path: path.join(lab.project, name) }, lab.context())).rejects.toThrow(words);
  });
});

describe("Edit", () => {
  test("hooks see whether all is replaced, also where the call leaves it out", () => {
    const { context } = openToolLab();
    const one = { old_string: "a", new_string: "b" };
    expect(editTool.resolve?.({ file_path: "/f", ...one }, context())).toEqual({ file_path: "/f", ...one, replace_all: false });
    expect(editTool.resolve?.({ file_path: "/f", ...one, replace_all: true }, context())).toMatchObject({ replace_all: true });
    expect(multiEditTool.resolve?.({ file_path: "/f", edits: [one] }, context()).edits).toEqual([{ ...one, replace_all: false }]);
  });
});

describe("Write", () => {
  test("the same content again is not told as an update", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", "one\n");
    const { text } = await writeTool.run({ file_path: file, content: "one\n" }, lab.context());
    expect(text).toBe(`The file ${file} already has this content; nothing was changed.`);
  });

  test("makes the folders above; the response has the recorded shape", async () => {
    const lab = openToolLab();
    const file = path.join(lab.project, "new/deep/a.txt");
    const { response } = await writeTool.run({ file_path: file, content: "one\n" }, lab.context());
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect(response).toEqual({
      type: "create",
      filePath: file,
      content: "one\n",
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    });
  });

  test("over an old file it tells what changed, keeps its mode and leaves nothing beside it", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "run.sh", "one\ntwo\n");
    chmodSync(file, 0o755);
    const { response } = await writeTool.run({ file_path: file, content: "one\n2\n" }, lab.context());
    expect(response).toMatchObject({
      type: "update",
      originalFile: "one\ntwo\n",
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" one", "-two", "+2"] }],
    });
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readdirSync(lab.project)).toEqual(["run.sh"]);
  });

  test("a file with other names stays one file", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a", "1");
    linkSync(file, path.join(lab.project, "b"));
    await writeTool.run({ file_path: file, content: "2" }, lab.context());
    expect(readFileSync(path.join(lab.project, "b"), "utf8")).toBe("2");
  });

  test("through a link that was there when the call was judged, the file behind it is written", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "real", "1");
    symlinkSync("real", path.join(lab.project, "link"));
    await writeTool.run({ file_path: path.join(lab.project, "link"), content: "2" }, lab.context());
    expect(readFileSync(file, "utf8")).toBe("2");
  });

  test.each([
    ["a folder", "sub", /is a folder/],
    ["a path through a file", "a/b/c", /cannot be (?:read|written): a part of its path is not a folder/],
    ["a name that is too long", "x".repeat(300), /the name is too long/],
  ])("%s is refused in words", async (_, name, words) => {
    const lab = openToolLab();
    fileIn(lab, "a", "");
    mkdirSync(path.join(lab.project, "sub"));
    await expect(writeTool.run({ file_path: path.join(lab.project, name), content: "" }, lab.context())).rejects.toThrow(words);
  });

  test.each([
    ["EACCES", "permission denied"],
    ["EROFS", "the file system is read-only"],
    ["ENOSPC", "the disk is full"],
  ])("%s is said as: %s", (code, words) => {
    expect(systemText(Object.assign(new Error("x"), { code }))).toBe(words);
  });

  test("a device is not written to", async () => {
    const lab = openToolLab();
    await expect(writeTool.run({ file_path: "/dev/full", content: "x" }, lab.context())).rejects.toThrow(/not a regular file/);
  });
});

describe("the way to a file changes after the call was allowed", () => {
  test.each([
    ["Write", (file: string, context: ReturnType<ToolLab["context"]>) => writeTool.run({ file_path: file, content: "bad" }, context)],
    [
      "Edit",
      (file: string, context: ReturnType<ToolLab["context"]>) =>
        editTool.run({ file_path: file, old_string: "old", new_string: "bad" }, context),
    ],
    [
      "MultiEdit",
      (file: string, context: ReturnType<ToolLab["context"]>) =>
        multiEditTool.run({ file_path: file, edits: [{ old_string: "old", new_string: "bad" }] }, context),
    ],
  ])("%s does not follow a folder that has become a link", async (name, run) => {
    const lab = openToolLab();
    const folder = path.join(lab.project, "src");
    const file = path.join(folder, "a.txt");
    mkdirSync(folder);
    writeFileSync(file, "old");
    writeFileSync(path.join(lab.base, "outside/a.txt"), "old");
    const { remember, targetOf } = createCheckedTargets(lab.context());
    remember({ tool_name: name, tool_input: { file_path: file } });
    renameSync(folder, path.join(lab.project, "moved"));
    symlinkSync(path.join(lab.base, "outside"), folder);
    await expect(run(file, lab.context({ targetOf }))).rejects.toThrow(/a part of its path has changed since the call was allowed/);
    expect(readFileSync(path.join(lab.base, "outside/a.txt"), "utf8")).toBe("old");
  });

  test("nor does a new file", async () => {
    const lab = openToolLab();
    const file = path.join(lab.project, "src/new.txt");
    const { remember, targetOf } = createCheckedTargets(lab.context());
    remember({ tool_name: "Write", tool_input: { file_path: file } });
    symlinkSync(path.join(lab.base, "outside"), path.join(lab.project, "src"));
    await expect(writeTool.run({ file_path: file, content: "x" }, lab.context({ targetOf }))).rejects.toThrow(ToolFailure);
    expect(existsSync(path.join(lab.base, "outside/new.txt"))).toBe(false);
  });
});

describe("Edit and MultiEdit", () => {
  test("dollar signs in the replacement mean nothing", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", "price: X\n");
    await editTool.run({ file_path: file, old_string: "X", new_string: "$& $1 $$ $`" }, lab.context());
    expect(readFileSync(file, "utf8")).toBe("price: $& $1 $$ $`\n");
  });

  test("edits that multiply a file are refused before the work is done", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", "a".repeat(100_000));
    const grow = { old_string: "a", new_string: "aaaaaaaa", replace_all: true };
    const run = multiEditTool.run({ file_path: file, edits: Array.from({ length: 12 }, () => grow) }, lab.context());
    await expect(run).rejects.toThrow(/would make .* 51200000 characters long/);
    expect(readFileSync(file, "utf8")).toHaveLength(100_000);
  });

  test("replace_all replaces all; the response tells the hunks", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\na\n");
    const { response } = await editTool.run({ file_path: file, old_string: "a\n", new_string: "A\n", replace_all: true }, lab.context());
    expect(response).toMatchObject({
      replaceAll: true,
      structuredPatch: [
        { oldStart: 1, oldLines: 4, newStart: 1, newLines: 4, lines: ["-a", "+A", " b", " c", " d"] },
        { oldStart: 7, oldLines: 4, newStart: 7, newLines: 4, lines: [" g", " h", " i", "-a", "+A"] },
      ],
    });
  });

  test("of several edits, one that does not fit leaves the file as it was", async () => {
    const lab = openToolLab();
    const file = fileIn(lab, "a.txt", "one two");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ];
    await expect(multiEditTool.run({ file_path: file, edits }, lab.context())).rejects.toThrow(/was not found/);
    expect(readFileSync(file, "utf8")).toBe("one two");
    await multiEditTool.run({ file_path: file, edits: [edits[0] as never, { old_string: "1 two", new_string: "both" }] }, lab.context());
    expect(readFileSync(file, "utf8")).toBe("both");
  });

  test.each([
    ["the same text", { old_string: "a", new_string: "a" }, /nothing to change/],
    ["an empty text", { old_string: "", new_string: "a" }, /is empty/],
    ["a text that is not there", { old_string: "zz", new_string: "a" }, /was not found/],
    ["a text that is there twice", { old_string: "x", new_string: "y" }, /found 2 times/],
  ])("%s is refused", async (_, edit, words) => {
    const lab = openToolLab();
    await expect(editTool.run({ file_path: fileIn(lab, "a.txt", "x x"), ...edit }, lab.context())).rejects.toThrow(words);
  });

  test("a file that is not UTF-8 is not touched: writing it back would damage it", async () => {
    const lab = openToolLab();
    const bytes = Buffer.from([0x61, 0xe9, 0x62]);
    const file = fileIn(lab, "latin.txt", bytes);
    await expect(editTool.run({ file_path: file, old_string: "a", new_string: "c" }, lab.context())).rejects.toThrow(/not UTF-8/);
    expect(readFileSync(file)).toEqual(bytes);
  });
});

describe("NotebookEdit", () => {
  const cells = [
    { cell_type: "code", id: "a", metadata: {}, execution_count: 3, outputs: [{}], source: ["1"] },
    { cell_type: "markdown", metadata: {}, source: ["text"] },
  ];
  const notebook = (lab: ToolLab): string => fileIn(lab, "n.ipynb", JSON.stringify({ cells, nbformat: 4 }));
  const cellsOf = (file: string): readonly Record<string, unknown>[] => JSON.parse(readFileSync(file, "utf8")).cells;

  test("a replaced cell loses what it printed, and keeps its id", async () => {
    const lab = openToolLab();
    const file = notebook(lab);
    await notebookEditTool.run({ notebook_path: file, cell_id: "a", new_source: "x\ny" }, lab.context());
    expect(cellsOf(file)[0]).toEqual({
      cell_type: "code",
      id: "a",
      metadata: {},
      execution_count: null,
      outputs: [],
      source: ["x\n", "y"],
    });
  });

  test("cells are inserted behind one or first, and deleted by number", async () => {
    const lab = openToolLab();
    const file = notebook(lab);
    await notebookEditTool.run({ notebook_path: file, new_source: "first", edit_mode: "insert", cell_type: "markdown" }, lab.context());
    await notebookEditTool.run({ notebook_path: file, new_source: "", edit_mode: "delete", cell_id: "cell-2" }, lab.context());
    expect(cellsOf(file).map(({ source }) => source)).toEqual([["first"], ["1"]]);
  });

  test.each([
    ["no such cell", { cell_id: "zz" }, /has no cell zz/],
    ["no cell at all", {}, /Say which cell/],
  ])("%s is refused, and nothing is written", async (_, fields, words) => {
    const lab = openToolLab();
    const file = notebook(lab);
    const before = readFileSync(file, "utf8");
    await expect(notebookEditTool.run({ notebook_path: file, new_source: "", ...fields }, lab.context())).rejects.toThrow(words);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test.each(["{", "[]", "{}"])("%s is no notebook", async (text) => {
    const lab = openToolLab();
    const run = notebookEditTool.run({ notebook_path: fileIn(lab, "n.ipynb", text), new_source: "", cell_id: "0" }, lab.context());
    await expect(run).rejects.toThrow(/is not a notebook/);
  });
});
