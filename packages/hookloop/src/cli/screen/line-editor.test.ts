import { expect, test } from "vitest";
import { EMPTY_LINE, editLine, type Key, type Line, lineOf, moveRow } from "./typed-line.ts";

function typed(line: Line, ...keys: (string | Key)[]): Line {
  return keys.reduce<Line>((now, key) => {
    const next = typeof key === "string" ? editLine(now, { name: key }, key) : editLine(now, key, key.sequence);
    return next ?? now;
  }, line);
}

test("what is typed stands where the cursor is", () => {
  expect(typed(EMPTY_LINE, "a", "c", { name: "left" }, "b")).toEqual({ text: "abc", cursor: 2 });
});

test("one key takes away one character, however many codes it has", () => {
  expect(typed(lineOf("a👩‍👩‍👧"), { name: "backspace" })).toEqual({ text: "a", cursor: 1 });
  expect(typed(lineOf("日本"), { name: "left" }, { name: "delete" }).text).toBe("日");
});

test("Ctrl-W takes a word, Ctrl-U what is left of the cursor, Ctrl-K what is right of it", () => {
  expect(typed(lineOf("one two "), { name: "w", ctrl: true }).text).toBe("one ");
  expect(typed({ text: "one\ntwo", cursor: 5 }, { name: "u", ctrl: true })).toEqual({ text: "one\nwo", cursor: 4 });
  expect(typed({ text: "one\ntwo", cursor: 5 }, { name: "k", ctrl: true }).text).toBe("one\nt");
});

test("Alt-Enter begins a new row, and the arrows reach it", () => {
  const two = typed(lineOf("one"), { name: "return", meta: true, sequence: "\u001b\r" }, "x");
  expect(two.text).toBe("one\nx");
  expect(moveRow(two, -1)).toEqual({ text: "one\nx", cursor: 1 });
  expect(moveRow({ ...two, cursor: 3 }, 1)).toEqual({ text: "one\nx", cursor: 5 });
  expect(moveRow(two, 1)).toBeUndefined();
  expect(moveRow(lineOf("one"), -1)).toBeUndefined();
});

test("a key without a meaning types nothing", () => {
  for (const key of [
    { name: "f5", sequence: "\u001b[15~" },
    { name: "escape", sequence: "\u001b" },
    { name: "x", ctrl: true, sequence: "\u0018" },
  ]) {
    expect(editLine(lineOf("a"), key, key.sequence)).toBeUndefined();
  }
});
