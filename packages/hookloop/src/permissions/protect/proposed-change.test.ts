import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { proposedChange } from "./protect.ts";

function fileWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-change-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "a.txt");
  writeFileSync(file, text);
  return file;
}

test("a line between two changed ones is shown as unchanged", () => {
  const file = fileWith("one\ntwo\nthree\n");
  expect(proposedChange(file, { content: "ONE\ntwo\nTHREE\n" })?.split("\n").slice(2)).toEqual([
    "@@ -1,3 +1,3 @@",
    "-one",
    "+ONE",
    " two",
    "-three",
    "+THREE",
  ]);
});

test("a replacement in every place shows each place with a little around it", () => {
  const lines = Array.from({ length: 20 }, (_, at) => (at === 2 || at === 17 ? "x" : `line ${at}`));
  const file = fileWith(`${lines.join("\n")}\n`);
  const diff = proposedChange(file, { old_string: "x", new_string: "y", replace_all: true }) ?? "";
  expect(diff.split("\n").filter((line) => /^(?:@@|[-+](?![-+]))/.test(line))).toEqual([
    "@@ -1,6 +1,6 @@",
    "-x",
    "+y",
    "@@ -15,6 +15,6 @@",
    "-x",
    "+y",
  ]);
});

test("a new file without a text is named; what changes nothing is empty", () => {
  const file = fileWith("one\n");
  expect(proposedChange(`${file}.new`, { content: "" })).toMatch(/^--- \/dev\/null\n.*\n\(a new, empty file\)$/);
  expect(proposedChange(file, { content: "one\n" })).toBe("");
});
