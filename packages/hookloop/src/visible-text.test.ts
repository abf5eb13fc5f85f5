import { expect, test } from "vitest";
import { visible, visibleJson, visibleLine } from "./diagnostic.ts";

test.each([
  ["\u001b[31mred", "\\u001b[31mred"],
  ["a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  ["zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"],
  ["tag\u{e0041}", "tag\\udb40\\udc41"],
  ["\r\u0007\u007f\u009b", "\\u000d\\u0007\\u007f\\u009b"],
  ["plain ä 漢 😀 text", "plain ä 漢 😀 text"],
])("%j is shown as %j", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

test("lines stay lines unless one is wanted", () => {
  expect(visible("a\n\tb")).toBe("a\n\tb");
  expect(visibleLine("a\n\tb")).toBe("a\\n\\tb");
});

test("JSON keeps its value", () => {
  const value = { text: "a\u202e\u{e0041}\u001b\n" };
  expect(JSON.parse(visibleJson(value))).toEqual(value);
  expect(visibleJson(value)).not.toMatch(/\u202e|\u{e0041}/u);
});
