import { expect, test } from "vitest";
import { afterName, clause, counted, toldOf } from "./diagnostic.ts";

test("one thing is not several", () => {
  expect([0, 1, 2].map((count) => counted(count, "message"))).toEqual(["0 messages", "1 message", "2 messages"]);
  expect(counted(1, "dependency", "dependencies")).toBe("1 dependency");
  expect(counted(3, "dependency", "dependencies")).toBe("3 dependencies");
});

test("a text inside a sentence loses its own end, and nothing else", () => {
  expect(["was not run.", "x;", "x: ", "why?", "and so on...", "a.b", ""].map(clause)).toEqual([
    ...["was not run", "x", "x", "why?", "and so on...", "a.b", ""],
  ]);
});

test("a name is not said twice", () => {
  expect(afterName("safety", "safety: it deletes")).toBe("it deletes");
  expect(afterName("safety", "safety first")).toBe("safety first");
  expect(afterName("", ": x")).toBe(": x");
});

test.each([
  ["the run was cancelled", "The command was cancelled"],
  ["it did not end within 40 ms", "The command did not end within 40 ms"],
  ["it was ended by SIGKILL", "The command was ended by SIGKILL"],
  ["the shell could not find it: x", "The command failed: the shell could not find it: x"],
])('"%s" is told of a command as "%s"', (end, told) => {
  expect(toldOf("The command", end)).toBe(told);
});
