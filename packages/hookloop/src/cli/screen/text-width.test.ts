import { expect, test } from "vitest";
import { characters, cutText, textWidth, wrapText } from "./text-width.ts";

test.each([
  ["plain", 5],
  ["\u001b[31mred\u001b[39m", 3],
  ["日本", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["", 0],
])("%j takes %i columns", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test("a family of three is one character", () => {
  expect(characters("a👩‍👩‍👧b")).toEqual(["a", "👩‍👩‍👧", "b"]);
});

test("lines break at blanks, and inside of words that fit nowhere", () => {
  expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrapText("one two three", 9, "  ")).toEqual(["one two", "  three"]);
  expect(wrapText("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  expect(wrapText("a\n\nb", 4)).toEqual(["a", "", "b"]);
});

test("no line is wider than the terminal, whatever is in it", () => {
  const text = "The folder /very/long/path/to/something/that/fits/nowhere holds 日本語 and \u001b[31mred words in a row\u001b[39m.";
  for (let columns = 8; columns <= 60; columns++) {
    const lines = wrapText(text, columns, "  ");
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
    expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
  }
});

test("what is cut ends with a sign that it was", () => {
  expect(cutText("abcdef", 4)).toBe("abc…");
  expect(cutText("abcd", 4)).toBe("abcd");
  expect(textWidth(cutText("日本語日本語", 5))).toBeLessThanOrEqual(5);
});
