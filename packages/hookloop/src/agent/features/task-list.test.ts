import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Processes } from "../../trust/store/seal-record.ts";
import { nextTaskFor, openTaskList, type Task, type TaskList } from "./tasks.ts";

let folder = "";
const file = (): string => path.join(folder, "tasks.json");
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-tasks-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PROCESSES: Processes = { self: () => ({ pid: 1, startTime: "10" }), isRunning: ({ pid }) => pid === 1 };
const open = (where: string | undefined = file()): TaskList => openTaskList({ file: where, processes: PROCESSES });
const task = (id: string, fields: Partial<Task> = {}): Task => ({
  id,
  subject: id,
  description: "",
  status: "pending",
  blockedBy: [],
  ...fields,
});

async function fill(list: TaskList, ...tasks: readonly Task[]): Promise<void> {
  await list.change(({ nextId }) => ({ state: { nextId, tasks }, result: undefined }));
}

test.each([
  ["a file", file],
  ["memory", () => undefined],
])("a list in %s gives what was put in, also after a change that throws", async (_, where) => {
  const list = openTaskList({ file: where(), processes: PROCESSES });
  expect(list.read()).toEqual([]);
  await fill(list, task("1"));
  const failing = list.change(() => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(list.read()).toEqual([task("1")]);
});

test("lists of the same file see each other, whole, and nothing else is left in the folder", async () => {
  const lists = [open(), open(), open()];
  await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      lists[at % 3]?.change(({ nextId, tasks }) => ({
        state: { nextId: nextId + 1, tasks: [...tasks, task(String(nextId))] },
        result: undefined,
      })),
    ),
  );
  expect(
    open()
      .read()
      .map(({ id }) => Number(id)),
  ).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(readdirSync(folder)).toEqual(["tasks.json"]);
});

test("what a dead process worked on is free; what it completed stays, and what a living one holds, too", async () => {
  const dead = { pid: 2, startTime: "20" };
  const held = { owner: "alice", holder: dead };
  const list = open();
  await fill(
    list,
    task("1", { ...held, status: "in_progress" }),
    task("2", { ...held, status: "completed" }),
    task("3", held),
    task("4", { owner: "bob", holder: { pid: 1, startTime: "10" }, status: "in_progress" }),
  );
  expect(list.read().map(({ status, owner }) => [status, owner])).toEqual([
    ["pending", undefined],
    ["completed", "alice"],
    ["pending", undefined],
    ["in_progress", "bob"],
  ]);
});

test.each(["", "[]", '{"version": 2, "nextId": 1, "tasks": []}', '{"version": 1, "nextId": 2, "tasks": [{"id": "1"}]}'])(
  "%j is no list: it is named, and left as it is",
  async (text) => {
    writeFileSync(file(), text);
    expect(() => open().read()).toThrow(`The task list ${file()} is not used`);
    await expect(fill(open(), task("1"))).rejects.toThrow("fix it, or move it away");
    expect(readFileSync(file(), "utf8")).toBe(text);
  },
);

test("a link is not followed", () => {
  writeFileSync(path.join(folder, "other"), "{}");
  symlinkSync("other", file());
  expect(() => open().read()).toThrow("it is not a file");
});

test("listeners are told of changes until they are taken away", async () => {
  const list = open();
  let heard = 0;
  const stop = list.onChange(() => heard++);
  await fill(list, task("1"));
  stop();
  await fill(list, task("2"));
  expect(heard).toBe(1);
});

test("the next task is one's own before a free one, never another's, and waits for nothing", () => {
  const tasks = [task("1", { blockedBy: ["4"] }), task("2", { owner: "bob" }), task("3"), task("4"), task("5", { owner: "alice" })];
  expect(nextTaskFor("alice", tasks)?.id).toBe("5");
  expect(nextTaskFor("carol", tasks)?.id).toBe("3");
  expect(nextTaskFor("bob", [task("1", { blockedBy: ["2"] }), task("2", { owner: "carol" })])).toBeUndefined();
});
