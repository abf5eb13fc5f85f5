import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readTrace } from "./append-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "read-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const line = (seq: number, more: object = {}): string =>
  JSON.stringify({ v: 2, seq, t: 0, mono: 0, session: "s", type: "verdict", event: "Stop", ...more });

function read(content: string | Buffer) {
  const file = path.join(folder, "trace.jsonl");
  writeFileSync(file, content);
  const { records, damage, problem } = readTrace(file);
  return { seqs: records.map(({ seq }) => seq), damage, problem };
}

describe("reading a trace", () => {
  const one = line(1);
  test.each<[string, string, readonly number[], readonly unknown[]]>([
    ["an empty file", "", [], []],
    ["empty lines", `\n${one}\n\n${line(2)}\n`, [1, 2], []],
    ["a last line without its end", `${one}\n${line(2)}`, [1, 2], []],
    ["a torn last line", `${one}\n{"v":1,"se`, [1], [{ offset: one.length + 1, bytes: 10, reason: "torn" }]],
    ["a garbage line", `${one}\ngarbage\n${line(3)}\n`, [1, 3], [{ offset: one.length + 1, bytes: 7, reason: "not JSON" }]],
    ["two fused records", `${one}${line(2)}\n${line(3)}\n`, [3], [{ offset: 0, bytes: one.length * 2, reason: "not JSON" }]],
    [
      "JSON of another program",
      `${one}\n{"a":1}\nnull\n[]\n`,
      [1],
      [
        { offset: one.length + 1, bytes: 7, reason: "not a record" },
        { offset: one.length + 9, bytes: 4, reason: "not a record" },
        { offset: one.length + 14, bytes: 2, reason: "not a record" },
      ],
    ],
    [
      "a run of NUL bytes",
      `${one}\n${"\0".repeat(50)}\n${line(3)}\n`,
      [1, 3],
      [{ offset: one.length + 1, bytes: 50, reason: "nul bytes" }],
    ],
    ["a record behind NUL bytes", `${"\0".repeat(9)}${one}\n`, [1], [{ offset: 0, bytes: 9, reason: "nul bytes" }]],
    ["a record of a later version", `${line(1, { v: 3 })}\n`, [], [{ offset: 0, bytes: one.length, reason: "not a record" }]],
  ])("%s", (_name, content, seqs, damage) => {
    expect(read(content)).toMatchObject({ seqs, damage });
  });

  test("a line of 3 MB is skipped without being kept, over the borders of chunks", () => {
    const long = "x".repeat(3 * 1024 * 1024);
    expect(read(`${one}\n${long}\n${line(2)}\n`)).toMatchObject({
      seqs: [1, 2],
      damage: [{ offset: one.length + 1, bytes: long.length, reason: "too long" }],
    });
  });

  test("many records over the borders of chunks are all there, with multi-byte characters whole", () => {
    const records = Array.from({ length: 5_000 }, (_, index) => line(index, { text: "ä€😀".repeat(40) }));
    const { seqs, damage } = read(records.join("\n"));
    expect(seqs).toEqual(records.map((_, index) => index));
    expect(damage).toEqual([]);
  });

  test("damage is said with its place", () => {
    expect(read(`garbage\n${one}\n`).problem).toEqual({
      code: "HL_TRACE_DAMAGED",
      level: "warning",
      text: "Parts of the trace are damaged and were skipped: not JSON at byte 0 (7 bytes). A crash or a full disk does that; the other records are whole.",
      place: { file: path.join(folder, "trace.jsonl") },
    });
  });

  test("a file that is not there is a problem, not an exception", () => {
    expect(readTrace(path.join(folder, "none"))).toMatchObject({ records: [], damage: [], problem: { code: "HL_TRACE_DAMAGED" } });
    expect(readTrace(folder)).toMatchObject({ records: [], problem: { code: "HL_TRACE_DAMAGED" } });
  });
});

describe("a trace of the first version", () => {
  const old = (fields: object): string => JSON.stringify({ v: 1, seq: 1, t: 0, mono: 0, session: "s", event: "PreToolUse", ...fields });
  test.each<[object, object]>([
    [
      { step: "fired", input: {} },
      { type: "fired", input: {}, hookName: "PreToolUse", numCommands: 0, hookTypeCounts: {}, pluginHookCounts: {} },
    ],
    [
      { step: "outcome", hook: "user:1", exitCode: 2 },
      { type: "outcome", hook: "user:1", name: "user:1", exitCode: 2 },
    ],
    [
      { step: "judged-again", hooks: [] },
      { type: "judgedAgain", hooks: [] },
    ],
    [
      { step: "verdict", decision: "deny" },
      { type: "verdict", decision: "deny" },
    ],
  ])("%j is read as %j", (before, after) => {
    const file = path.join(folder, "old.jsonl");
    writeFileSync(file, `${old(before)}\n`);
    const { records, problem } = readTrace(file);
    expect(problem).toBeUndefined();
    expect(records).toEqual([{ v: 2, seq: 1, t: 0, mono: 0, session: "s", event: "PreToolUse", ...after }]);
  });
});
