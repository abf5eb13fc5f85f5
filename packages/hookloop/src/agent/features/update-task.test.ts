import { describe, expect, test } from "vitest";
import { type Task, updateTask, type Worker } from "./tasks.ts";

const HERE = { pid: 1, startTime: "10" };
const ELSEWHERE = { pid: 2, startTime: "20" };
const lead: Worker = { name: "team-lead", holder: HERE, isLead: true };
const alice: Worker = { name: "alice", holder: HERE, isLead: false };
const stranger: Worker = { name: "alice", holder: ELSEWHERE, isLead: true };

const task = (id: string, fields: Partial<Task> = {}): Task => ({
  id,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  blockedBy: [],
  ...fields,
});
const mine = { status: "in_progress", owner: "alice", holder: HERE } as const;

describe("dependencies", () => {
  test("a task waits for others until they are completed", () => {
    const tasks = [task("1"), task("2", { blockedBy: ["1"] })];
    for (const status of ["in_progress", "completed"]) {
      expect(() => updateTask(tasks, { taskId: "2", status }, lead)).toThrow("Task 2 waits for 1. Complete that first.");
    }
    const [first] = updateTask(tasks, { taskId: "1", status: "completed" }, lead).tasks;
    expect(updateTask([first as Task, tasks[1] as Task], { taskId: "2", status: "in_progress" }, lead).after?.status).toBe("in_progress");
  });

  test("both directions can be said, each once", () => {
    const { tasks } = updateTask(
      [task("1"), task("2", { blockedBy: ["1"] }), task("3")],
      { taskId: "2", addBlockedBy: ["1"], addBlocks: ["3"] },
      lead,
    );
    expect(tasks.map(({ blockedBy }) => blockedBy)).toEqual([[], ["1"], ["2"]]);
  });

  test.each([
    [{ taskId: "1", addBlockedBy: ["1"] }, "task 1 waits for 1"],
    [{ taskId: "1", addBlockedBy: ["3"] }, "task 1 waits for 3 waits for 2 waits for 1"],
    [{ taskId: "3", addBlocks: ["1"] }, "task 3 waits for 2 waits for 1 waits for 3"],
    [{ taskId: "1", addBlockedBy: ["9"] }, "There is no task 9. The tasks are: 1, 2, 3."],
    [{ taskId: "1", addBlocks: ["9"] }, "There is no task 9."],
  ])("%j is refused", (update, text) => {
    const tasks = [task("1"), task("2", { blockedBy: ["1"] }), task("3", { blockedBy: ["2"] })];
    expect(() => updateTask(tasks, update, lead)).toThrow(text);
  });

  test("nothing waits for a task that is deleted", () => {
    const { tasks, after } = updateTask([task("1"), task("2", { blockedBy: ["1"] })], { taskId: "1", status: "deleted" }, lead);
    expect(after).toBeUndefined();
    expect(tasks).toEqual([task("2")]);
  });
});

describe("owners", () => {
  test("whoever begins a task owns it", () => {
    expect(updateTask([task("1")], { taskId: "1", status: "in_progress" }, alice).after).toMatchObject(mine);
  });

  test("what was given to an agent stays theirs when the lead begins it", () => {
    const { after } = updateTask([task("1", { owner: "bob" })], { taskId: "1", status: "in_progress" }, lead);
    expect(after).toMatchObject({ owner: "bob", holder: HERE });
  });

  test.each([{ status: "pending" }, { owner: "" }])("with %j it has no owner again", (fields) => {
    expect(updateTask([task("1", mine)], { taskId: "1", ...fields }, alice).after).toEqual(task("1"));
  });

  test.each([
    ["another teammate", { ...alice, name: "bob" }],
    ["an agent of the same name in another process", stranger],
  ])("%s can neither take, finish nor delete what another agent works on", (_, worker) => {
    for (const fields of [{ status: "in_progress" }, { status: "completed" }, { status: "deleted" }, { owner: "bob" }]) {
      expect(() => updateTask([task("1", mine)], { taskId: "1", ...fields }, worker)).toThrow("alice works on task 1.");
    }
    expect(updateTask([task("1", mine)], { taskId: "1", subject: "better" }, worker).after?.subject).toBe("better");
  });

  test("the lead may finish what its own teammate works on", () => {
    expect(updateTask([task("1", mine)], { taskId: "1", status: "completed" }, lead).after?.status).toBe("completed");
  });
});

test("an unknown status and an unknown task are named, with what there is", () => {
  expect(() => updateTask([task("1")], { taskId: "1", status: "done" }, lead)).toThrow(
    '"done" is no status. A task is pending, in_progress, completed or deleted.',
  );
  expect(() => updateTask([], { taskId: "7" }, lead)).toThrow("There is no task 7. The tasks are: none.");
});
