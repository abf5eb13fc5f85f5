import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHistory } from "./typed-line.ts";

let folder = "";
const file = (): string => path.join(folder, "state", "history.jsonl");
const problems: string[] = [];
const open = (): ReturnType<typeof openHistory> => openHistory({ file: file(), onProblem: (text) => problems.push(text) });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-history-"));
  problems.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("what was typed is there in the next session, several lines too", () => {
  const history = open();
  history.add("one");
  history.add("two\nlines");
  history.add("two\nlines");
  history.add("  ");
  expect(open().entries).toEqual(["one", "two\nlines"]);
});

test("only the user can read it", () => {
  open().add("secret");
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file())).mode & 0o777).toBe(0o700);
});

test("two sessions keep each other's", () => {
  const [first, second] = [open(), open()];
  first.add("a");
  second.add("b");
  expect(open().entries).toEqual(["a", "b"]);
});

test("a torn line costs itself only", () => {
  mkdirSync(path.dirname(file()));
  writeFileSync(file(), '"a"\n"b\n7\n"c"\n');
  expect(open().entries).toEqual(["a", "c"]);
});

test("a file that cannot be written is said once, and the session has its history all the same", () => {
  writeFileSync(path.join(folder, "state"), "not a folder");
  const history = open();
  history.add("a");
  history.add("b");
  expect(problems).toHaveLength(1);
  expect(history.entries).toEqual(["a", "b"]);
});
