import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RecordFile } from "../engine/index.ts";
import { auditPlace, createAuditFile } from "./audit-file.ts";
import { createRedactor } from "./redact.ts";
import { type AuditPlace, verifyAudit } from "./verify-audit.ts";

let base: string;
let place: AuditPlace;
let reported: string[];
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "hookloop-audit-"));
  place = auditPlace({ env: { XDG_STATE_HOME: base }, projectRoot: "/p", session: "s1" }) as AuditPlace;
  reported = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function open(env: Record<string, string> = {}): RecordFile {
  return createAuditFile({ place, redactor: createRedactor(env), report: ({ code, text }) => reported.push(`${code} ${text}`) });
}

async function write(file: RecordFile, ...names: readonly string[]): Promise<void> {
  for (const name of names) file.write({ type: "test", name });
  await Promise.resolve();
}

/** Six records in two batches, and the end of the session. */
async function written(): Promise<string[]> {
  const file = open();
  await write(file, "one", "two", "three");
  await write(file, "four", "five", "six");
  file.close();
  return linesOf();
}

const linesOf = (file = place.file): string[] => readFileSync(file, "utf8").trimEnd().split("\n");
const put = (lines: readonly string[]): void => writeFileSync(place.file, lines.map((line) => `${line}\n`).join(""));
const found = (): string[] => verifyAudit(place).findings.map(({ kind, line, seq }) => `${kind} line ${line} seq ${seq}`);
const at = (lines: readonly string[], index: number): string => lines[index] ?? "";

/** A line that says something else, with the hash that belongs to it. */
function forged(line: string, from: string, to: string): string {
  const body = line.slice('{"hash":"",'.length + 64).replace(from, to);
  return `{"hash":"${createHash("sha256").update("{").update(body).digest("hex")}",${body}`;
}

describe("an audit file", () => {
  test("holds JSON in which each record carries the hash of the one before, and nobody else can read it", async () => {
    const records = (await written()).map((line) => JSON.parse(line));
    expect(records.map(({ seq, record }) => [seq, record.name])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
      [4, "four"],
      [5, "five"],
      [6, "six"],
    ]);
    expect(records[0].prev).toBe("0".repeat(64));
    for (const [index, { prev }] of records.entries()) if (index > 0) expect(prev).toBe(records[index - 1].hash);
    for (const file of [place.file, place.head]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(verifyAudit(place)).toEqual({ file: place.file, records: 6, findings: [] });
  });

  test("has no secrets, and long texts as their beginning and hash", async () => {
    const file = open({ API_TOKEN: "abcdefgh12345678" });
    file.write({ type: "test", text: "it is abcdefgh12345678", long: "x".repeat(100_000) });
    file.close();
    const { record } = JSON.parse(at(linesOf(), 0));
    expect(record.text).toBe("it is [redacted]");
    expect(record.long).toEqual({
      $sha256: createHash("sha256").update("x".repeat(100_000)).digest("hex"),
      length: 100_000,
      start: "x".repeat(1000),
    });
    expect(found()).toEqual([]);
  });

  test("says of what JSON cannot hold that it cannot", async () => {
    const file = open();
    const round: Record<string, unknown> = { type: "test", event: "Stop" };
    round["self"] = round;
    file.write(round);
    await write(file, "two");
    file.close();
    expect(linesOf().map((line) => JSON.parse(line).record)).toEqual([
      { event: "Stop", type: "test", unserialisable: expect.stringMatching(/call stack|circular/i) },
      { name: "two", type: "test" },
    ]);
    expect(found()).toEqual([]);
  });

  test("continues where an earlier session ended", async () => {
    await written();
    const file = open();
    await write(file, "seven");
    file.close();
    expect(JSON.parse(at(linesOf(), 6)).seq).toBe(7);
    expect(found()).toEqual([]);
    expect(reported).toEqual([]);
  });

  test("two sessions of one name that are open at once have two files", async () => {
    const [first, second] = [open(), open()];
    await write(first, "a");
    await write(second, "b");
    await write(first, "c");
    first.close();
    second.close();
    const other = path.join(path.dirname(place.file), "s1~2.jsonl");
    expect(linesOf().map((line) => JSON.parse(line).record.name)).toEqual(["a", "c"]);
    expect(linesOf(other).map((line) => JSON.parse(line).record.name)).toEqual(["b"]);
    expect(found()).toEqual([]);
    expect(verifyAudit({ file: other, head: path.join(path.dirname(place.head), "s1~2.json") }).findings).toEqual([]);
  });

  test("one that was changed meanwhile is left as it is, and said", async () => {
    const lines = await written();
    put(lines.slice(0, 4));
    const file = open();
    await write(file, "seven");
    file.close();
    expect(linesOf()).toEqual(lines.slice(0, 4));
    expect(readdirSync(path.dirname(place.file)).sort()).toEqual(["s1.jsonl", "s1~2.jsonl"]);
    expect(reported.join()).toMatch(/^HL_TRACE_AUDIT_CHANGED .*s1\.jsonl is not as it was left/);
  });

  test("a folder that cannot be made is said once", async () => {
    writeFileSync(path.join(base, "hookloop"), "");
    const file = open();
    await write(file, "one");
    await write(file, "two");
    file.close();
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^HL_TRACE_WRITE_FAILED The audit file cannot be written: /);
  });

  test("records that were lost are counted in the next one that can be written", async () => {
    writeFileSync(path.join(base, "hookloop"), "");
    const file = open();
    await write(file, "one", "two");
    rmSync(path.join(base, "hookloop"));
    await write(file, "three");
    file.close();
    expect(linesOf().map((line) => JSON.parse(line).record)).toEqual([
      { lost: 2, type: "gap" },
      { name: "three", type: "test" },
    ]);
    expect(found()).toEqual([]);
  });
});

describe("verifying says which line", () => {
  test.each<[string, (lines: string[]) => string[], string[]]>([
    ["is missing", (lines) => lines.toSpliced(2, 1), ["removed line 2 seq 3"]],
    ["are missing", (lines) => lines.toSpliced(1, 3), ["removed line 1 seq 2"]],
    ["is missing at the start", (lines) => lines.slice(1), ["removed line 0 seq 1"]],
    ["was changed", (lines) => lines.with(2, at(lines, 2).replace("three", "THREE")), ["changed line 3 seq 3"]],
    ["has another number", (lines) => lines.with(2, at(lines, 2).replace('"seq":3', '"seq":999999999')), ["changed line 3 seq 3"]],
    ["has another hash", (lines) => lines.with(2, at(lines, 2).replace(/"hash":"./, '"hash":"g')), ["changed line 3 seq 3"]],
    ["was changed and given a hash", (lines) => lines.with(2, forged(at(lines, 2), "three", "THREE")), ["changed line 3 seq 3"]],
    ["was the last and was given a hash", (lines) => lines.with(5, forged(at(lines, 5), "six", "SIX")), ["changed line 6 seq 6"]],
    ["was moved", (lines) => lines.toSpliced(4, 1).toSpliced(1, 0, at(lines, 4)), ["reordered line 2 seq 5"]],
    ["stands there twice", (lines) => lines.toSpliced(4, 0, at(lines, 1)), ["duplicated line 5 seq 2"]],
    ["was cut off", (lines) => lines.slice(0, 5), ["cut off line 5 seq 6"]],
    ["were cut off, all of them", () => [], ["cut off line 0 seq 1"]],
    ["is no record", (lines) => lines.toSpliced(2, 1, "nonsense"), ["changed line 3 seq 3"]],
    [
      "was changed, another is missing",
      (l) => l.with(1, at(l, 1).replace("two", "2")).toSpliced(4, 1),
      ["changed line 2 seq 2", "removed line 4 seq 5"],
    ],
  ])("%s", async (_what, change, expected) => {
    put(change(await written()));
    expect(found()).toEqual(expected);
  });

  test("that was added at the end", async () => {
    const lines = await written();
    const body = `"prev":"${JSON.parse(at(lines, 5)).hash}","record":{"type":"test"},"seq":7,"t":1,"v":1}`;
    appendFileSync(place.file, `{"hash":"${createHash("sha256").update("{").update(body).digest("hex")}",${body}\n`);
    expect(found()).toEqual(["added line 7 seq 7"]);
  });

  test("of half a line at the end that no killed program explains", async () => {
    const lines = await written();
    writeFileSync(place.file, lines.join("\n").slice(0, -20));
    expect(found()).toEqual(["changed line 6 seq 6", "cut off line 6 seq 6"]);
  });

  test("of a file that is gone", async () => {
    await written();
    rmSync(place.file);
    expect(verifyAudit(place).findings).toEqual([{ kind: "missing", text: "the file is gone; it had 6 records" }]);
  });

  test("of a head that is gone", async () => {
    await written();
    rmSync(place.head);
    expect(found()).toEqual(["no head line undefined seq undefined"]);
  });
});

describe("a program that is killed", () => {
  /** As if it had been killed when this much of the second batch was written. */
  async function killedAt(part: number): Promise<string[]> {
    const file = open();
    await write(file, "one", "two", "three");
    const before = readFileSync(place.head, "utf8");
    await write(file, "four", "five", "six");
    const whole = readFileSync(place.file, "utf8");
    const after = JSON.parse(readFileSync(place.head, "utf8"));
    file.close();
    const { owner: _owner, ...end } = JSON.parse(before);
    const { owner: _other, v: _v, ...next } = after;
    writeFileSync(place.head, `${JSON.stringify({ ...end, next, owner: { pid: 999_999_999, startTime: "1" } })}\n`);
    const bytes = end.bytes + Math.floor((whole.length - end.bytes) * part);
    writeFileSync(place.file, whole.slice(0, bytes));
    return whole.split("\n");
  }

  test.each([0, 0.2, 0.5, 0.9, 1])(
    "while it wrote (%d of it is there) leaves a file that is in order, and that continues",
    async (part) => {
      await killedAt(part);
      expect(found()).toEqual([]);
      const file = open();
      await write(file, "after");
      file.close();
      expect(JSON.parse(at(linesOf(), -1 + linesOf().length)).record.name).toBe("after");
      expect(found()).toEqual([]);
      expect(reported).toEqual([]);
    },
  );

  test("hides nothing that was written before", async () => {
    const lines = await killedAt(0.5);
    writeFileSync(place.file, `${lines.slice(0, 2).join("\n")}\n`);
    expect(found()).toEqual(["cut off line 2 seq 3"]);
  });
});
