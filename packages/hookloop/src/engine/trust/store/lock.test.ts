import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.ts";
import type { Processes } from "./types.ts";

let folder = "";
const file = (): string => path.join(folder, "x.lock");
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const processes = (running: readonly string[]): Processes => ({
  self: () => ({ pid: 1, startTime: "10" }),
  isRunning: ({ pid, startTime }) => running.includes(`${pid} ${startTime}`),
});

test("the lock is given back, also by work that throws", async () => {
  const options = { file: file(), processes: processes([]) };
  expect(await withLock(options, () => existsSync(file()))).toBe(true);
  await expect(
    withLock(options, () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(readdirSync(folder)).toEqual([]);
});

test("fault 95: the lock of a process that is gone is taken over", async () => {
  writeFileSync(file(), "77 5\n");
  expect(await withLock({ file: file(), processes: processes([]) }, () => "done")).toBe("done");
  expect(readdirSync(folder)).toEqual([]);
});

test("fault 95: a pid that is in use again, by another process, does not hold it", async () => {
  writeFileSync(file(), "77 5\n");
  expect(await withLock({ file: file(), processes: processes(["77 9"]) }, () => "done")).toBe("done");
});

test.each([
  ["a process that runs", "77 5\n"],
  ["nobody can tell whom", ""],
  ["something else", "hello"],
])("fault 95: the lock of %s is not taken over", async (_, text) => {
  writeFileSync(file(), text);
  const options = { file: file(), processes: processes(["77 5"]), waitMs: 50 };
  await expect(withLock(options, () => "done")).rejects.toThrow("If no hookloop runs, remove that file.");
  expect(readdirSync(folder)).toEqual(["x.lock"]);
});

test("fault 95: while somebody else takes a dead one's lock over, nobody removes the new one", async () => {
  writeFileSync(file(), "77 5\n");
  // Another process has claimed the takeover and is in the middle of it.
  writeFileSync(`${file()}.stale-77-5`, "88 1\n");
  const options = { file: file(), processes: processes(["88 1"]), waitMs: 50 };
  await expect(withLock(options, () => "done")).rejects.toThrow();
  expect(existsSync(file())).toBe(true);
});
