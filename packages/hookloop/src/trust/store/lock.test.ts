import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./announce.ts";
import type { Processes } from "./seal-record.ts";

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

test("the lock of a process that is gone is taken over", async () => {
  writeFileSync(file(), "77 5\n");
  expect(await withLock({ file: file(), processes: processes([]) }, () => "done")).toBe("done");
  expect(readdirSync(folder)).toEqual([]);
});

test("a pid that is in use again, by another process, does not hold it", async () => {
  writeFileSync(file(), "77 5\n");
  expect(await withLock({ file: file(), processes: processes(["77 9"]) }, () => "done")).toBe("done");
});

test.each([
  ["a process that runs", "77 5\n"],
  ["an unknown process", ""],
  ["something else", "hello"],
])("the lock of %s is not taken over", async (_, text) => {
  writeFileSync(file(), text);
  const options = { file: file(), processes: processes(["77 5"]), waitMs: 50 };
  await expect(withLock(options, () => "done")).rejects.toThrow("If no hookloop runs, remove that file.");
  expect(readdirSync(folder)).toEqual(["x.lock"]);
});

test("while another process takes a dead one's lock over, the new one is not removed", async () => {
  writeFileSync(file(), "77 5\n");
  // Another process has claimed the takeover and is in the middle of it.
  writeFileSync(`${file()}.stale-77-5`, "88 1\n");
  const options = { file: file(), processes: processes(["88 1"]), waitMs: 50 };
  await expect(withLock(options, () => "done")).rejects.toThrow();
  expect(existsSync(file())).toBe(true);
});

test.each([
  ["one that was about to take it over", [".stale-77-5"]],
  ["one that was about to take over the takeover", [".stale-77-5", ".stale-77-5.stale-88-1"]],
])("a lock is taken over although %s was killed in that moment", async (_, claims) => {
  writeFileSync(file(), "77 5\n");
  for (const claim of claims) writeFileSync(`${file()}${claim}`, claim.endsWith("88-1") ? "99 1\n" : "88 1\n");
  expect(await withLock({ file: file(), processes: processes([]) }, () => "done")).toBe("done");
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["", "hello"])(
  "a lock that says %j is taken over when no work can have lasted so long: the machine has crashed",
  async (text) => {
    writeFileSync(file(), text);
    utimesSync(file(), 1, 1);
    expect(await withLock({ file: file(), processes: processes([]) }, () => "done")).toBe("done");
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("what killed processes left beside the lock is removed; what live ones need stays", async () => {
  for (const [name, text] of [
    ["x.lock.77-5-0123456789ab", ""],
    ["x.0123456789ab.tmp", "half"],
    ["x.lock.88-1-ba9876543210", ""],
    ["x.backup", "mine"],
  ] as const)
    writeFileSync(path.join(folder, name), text);
  await withLock({ file: file(), processes: processes(["88 1"]) }, () => "done");
  expect(readdirSync(folder).sort()).toEqual(["x.backup", "x.lock.88-1-ba9876543210"]);
});
