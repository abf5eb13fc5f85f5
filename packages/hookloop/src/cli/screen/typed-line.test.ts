import { expect, test } from "vitest";
import { openHistory, TypedLine } from "./typed-line.ts";

function typedLine(...earlier: string[]): TypedLine {
  const history = openHistory({ onProblem: () => {} });
  for (const entry of earlier) history.add(entry);
  return new TypedLine(history);
}

function type(line: TypedLine, text: string): void {
  for (const one of text) line.edit({ name: one }, one);
}

test("up and down go through what was typed before, and back to what is being typed", () => {
  const line = typedLine("first", "second");
  type(line, "new");
  line.edit({ name: "up" }, undefined);
  expect(line.line.text).toBe("second");
  line.edit({ name: "up" }, undefined);
  line.edit({ name: "up" }, undefined);
  expect(line.line.text).toBe("first");
  line.edit({ name: "down" }, undefined);
  line.edit({ name: "down" }, undefined);
  expect(line.line.text).toBe("new");
});

test("a backslash at the end means one more row", () => {
  const line = typedLine();
  type(line, "one\\");
  expect(line.enter()).toBeUndefined();
  type(line, "two");
  expect(line.enter()).toBe("one\ntwo");
  expect(line.line.text).toBe("");
  expect(line.enter()).toBeUndefined();
});

test("a paste is text: its line ends enter nothing and its controls do nothing", () => {
  const line = typedLine();
  line.paste(undefined, { name: "paste-start" });
  for (const sequence of ["a", "\r", "b", "\u0003", "\r", "\n", "c"]) expect(line.paste(sequence, { sequence })).toBe(true);
  line.paste(undefined, { name: "paste-end" });
  expect(line.line.text).toBe("a\nb\nc");
  expect(line.paste("x", { name: "x", sequence: "x" })).toBe(false);
});

test("what was being typed comes back after a question, and the question sees nothing of it", () => {
  const line = typedLine("rm -rf /");
  type(line, "half a prompt");
  line.park();
  expect(line.line.text).toBe("");
  line.edit({ name: "up" }, undefined);
  expect(line.line.text).toBe("");
  expect(line.beforeCursor).toBeUndefined();
  line.unpark();
  expect(line.line.text).toBe("half a prompt");
});

test("Tab fills in what is sure, then offers the rest", () => {
  const line = typedLine();
  type(line, "see @s");
  expect(line.complete("see @s", ["see @src/a", "see @src/b"])).toEqual([]);
  expect(line.line.text).toBe("see @src/");
  expect(line.complete("see @src/", ["see @src/a", "see @src/b"])).toEqual(["@src/a", "@src/b"]);
  expect(line.complete("see @s", ["see @something"])).toEqual([]);
  expect(line.line.text).toBe("see @src/");
});
