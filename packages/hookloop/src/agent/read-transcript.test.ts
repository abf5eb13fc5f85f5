import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { growth } from "../growth.test-suite.ts";
import { createConversation } from "./conversation.ts";
import { type EarlierSession, readTranscript } from "./transcript.ts";

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
  const { entries } = readLines(user("go"), calls("kept"), user([result("kept"), result("lost"), { type: "text", text: "and" }]));
  expect(entries[2]).toEqual({ type: "user", content: [result("kept"), { type: "text", text: "and" }] });
});

test("what was said before a summary is no longer part of it", () => {
  const { entries } = readLines(user("old"), { type: "system", subtype: "compact_boundary" }, user("summary"));
  expect(entries).toEqual([{ type: "user", content: "summary" }]);
});

describe("a line of the wrong type is left out, counted and named", () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  test.each([
    ["a number", "42"],
    ["null", "null"],
    ["a list", '[{"type":"user"}]'],
    ["a text", '"user"'],
    ["no type", '{"message":{"content":"x"}}'],
    ["a type that is no text", '{"type":7}'],
    ["a user without a message", '{"type":"user"}'],
    ["a message that is null", '{"type":"user","message":null}'],
    ["a message that is a list", '{"type":"assistant","message":[]}'],
    ["content that is a number", '{"type":"user","message":{"content":5}}'],
    ["blocks that are null", '{"type":"user","message":{"content":[null]}}'],
    ["blocks that are texts", '{"type":"assistant","message":{"content":["x"]}}'],
    ["a text block without text", '{"type":"assistant","message":{"content":[{"type":"text","text":{}}]}}'],
    ["a call without an id", '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}'],
    ["a call whose input is a text", '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"B","input":"x"}]}}'],
    ["a call said by the user", '{"type":"user","message":{"content":[{"type":"tool_use","id":"a","name":"B","input":{}}]}}'],
    ["a result said by the model", '{"type":"assistant","message":{"content":[{"type":"tool_result","tool_use_id":"a"}]}}'],
    ["a result with a wrong content", '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":[null]}]}}'],
    ["a nesting without end", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"B","input":${deep(5000)}}]}}`],
    ["NUL bytes alone", "\u0000\u0000\u0000"],
    ["a torn line", '{"type":"assi'],
  ])("%s", (_, line) => {
    const { entries, damaged, firstDamaged } = readLines(user("one"), line, user("two"));
    expect({ entries, damaged, firstDamaged }).toEqual({
      entries: [
        { type: "user", content: "one" },
        { type: "user", content: "two" },
      ],
      damaged: 1,
      firstDamaged: 2,
    });
  });

  test("a line behind NUL bytes, lines of other kinds and odd fields are read", () => {
    const odd = { type: "assistant", uuid: 5, cwd: [], timestamp: { toString: 1 }, message: { model: 7, content: [] } };
    const session = readLines(`\u0000\u0000${JSON.stringify(user("kept"))}`, { type: "of-tomorrow" }, odd);
    expect(session).toMatchObject({ damaged: 0, entries: [{ content: "kept" }, { type: "assistant" }] });
    expect([session.last, session.cwd, session.model, session.lastReplyAt]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

test("results answer a call once, wherever they stand before the next answer, and nothing begins with an answer", () => {
  const { entries } = readLines(calls("a"), user("wait"), user([result("a"), result("a")]), calls("b"), calls("c"), user([result("b")]));
  expect(entries).toMatchObject([
    { type: "user", content: "The beginning of this session could not be read." },
    { type: "assistant" },
    { content: "wait" },
    { content: [{ tool_use_id: "a" }] },
    { type: "assistant" },
    { content: [{ tool_use_id: "b", is_error: true }] },
    { type: "assistant" },
    { content: [{ tool_use_id: "c", is_error: true }] },
  ]);
});

test.each([
  ["turns", (at: number) => (at % 2 === 0 ? user(`q${at}`) : { type: "assistant", message: { content: [{ type: "text", text: "a" }] } })],
  ["one side talking", (at: number) => user(`q${at}`)],
])(
  "reading %s takes time in proportion to the lines",
  (_, line) => {
    const read = (count: number): void => {
      const lines = Array.from({ length: count }, (__, at) => line(at));
      expect(createConversation({ earlier: readLines(...lines).entries }).messages.length).toBeGreaterThan(0);
    };
    // Four times the lines took 16 times as long when each line copied the list.
    expect(growth(read, 5_000, 20_000)).toBeLessThan(10);
  },
  30_000,
);
