import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type EarlierSession, readTranscript } from "./read-transcript.ts";

function readLines(...written: readonly unknown[]): EarlierSession {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "s-1.jsonl");
  writeFileSync(file, written.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return readTranscript(file);
}

const user = (content: unknown): object => ({ type: "user", uuid: "u", message: { role: "user", content } });
const calls = (...ids: readonly string[]): object => ({
  type: "assistant",
  uuid: "a",
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "assistant", model: "m", content: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: {} })) },
});
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "ok" });

test("a torn line and lines that are no objects are left out and counted", () => {
  const { entries, damaged, id } = readLines(user("hello"), "null", "42", '{"type":"assi');
  expect({ entries, damaged, id }).toEqual({ entries: [{ type: "user", content: "hello" }], damaged: 3, id: "s-1" });
});

test("a call without a result gets one that says it may have run", () => {
  const { entries } = readLines(user("go"), calls("one", "two"), user([result("one")]));
  expect(entries[2]).toMatchObject({ type: "user", content: [{ tool_use_id: "two", is_error: true }] });
  expect(entries[3]).toEqual({ type: "user", content: [result("one")] });
});

test("a result whose call was on a damaged line is left out", () => {
  const { entries } = readLines(calls("kept"), user([result("kept"), result("lost"), { type: "text", text: "and" }]));
  expect(entries[1]).toEqual({ type: "user", content: [result("kept"), { type: "text", text: "and" }] });
});

test("what was said before a summary is no longer part of it", () => {
  const { entries } = readLines(user("old"), { type: "system", subtype: "compact_boundary" }, user("summary"));
  expect(entries).toEqual([{ type: "user", content: "summary" }]);
});
