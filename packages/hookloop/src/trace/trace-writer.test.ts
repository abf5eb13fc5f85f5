import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import { createRecorder, type TraceRecord } from "../engine/step.ts";
import { emptyVerdict } from "../judge/verdict.ts";
import type { TraceFiles } from "./append-file.ts";
import { readTrace } from "./append-file.ts";
import { createRedactor } from "./redact.ts";
import { type BlobReference, createTraceWriter, readBlob } from "./trace-writer.ts";

let base: string;
let file: string;
let problems: Diagnostic[];

beforeEach(() => {
  base = fs.mkdtempSync(path.join(tmpdir(), "trace-"));
  file = path.join(base, "traces", "project", "session.jsonl");
  problems = [];
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

function record(seq: number, more: Record<string, unknown> = {}): TraceRecord {
  return { v: 2, seq, t: 1_700_000_000_000, mono: seq, session: "s", type: "verdict", event: "PreToolUse", ...more } as TraceRecord;
}
const open = (files?: TraceFiles) => createTraceWriter({ file, files, onProblem: (problem) => problems.push(problem) });
const sequence = (of = file): number[] => readTrace(of).records.map(({ seq }) => seq);

describe("a trace", () => {
  test("is one line of JSON per record, in a 0600 file in a 0700 folder, also with umask 000", () => {
    const umask = process.umask(0);
    try {
      const writer = open();
      writer.write(record(1, { decision: "deny" }));
      writer.write(record(2));
      writer.close();
    } finally {
      process.umask(umask);
    }
    expect(fs.readFileSync(file, "utf8")).toBe(
      '{"v":2,"seq":1,"t":1700000000000,"mono":1,"session":"s","type":"verdict","event":"PreToolUse","decision":"deny"}\n{"v":2,"seq":2,"t":1700000000000,"mono":2,"session":"s","type":"verdict","event":"PreToolUse"}\n',
    );
    expect(
      [file, path.dirname(file), path.dirname(path.dirname(file))].map((name) => (fs.statSync(name).mode & 0o777).toString(8)),
    ).toEqual(["600", "700", "700"]);
  });

  test("leaves the rights of a folder that was there before as they are", () => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.chmodSync(path.dirname(file), 0o755);
    const writer = open();
    writer.write(record(1));
    writer.close();
    expect([file, path.dirname(file)].map((name) => (fs.statSync(name).mode & 0o777).toString(8))).toEqual(["600", "755"]);
  });

  test("is not there before the first record", () => {
    open().close();
    expect(fs.existsSync(file)).toBe(false);
  });

  test("is redacted and says so", () => {
    const writer = createTraceWriter({ file, redactor: createRedactor({ A_TOKEN: "hunter2hunter2" }) });
    writer.write(record(1, { stdout: "my hunter2hunter2", tool_input: { password: "x" } }));
    writer.write(record(2, { stdout: "clean" }));
    expect(readTrace(file).records).toMatchObject([
      { stdout: "my [redacted]", tool_input: { password: "[redacted]" }, redacted: true },
      { stdout: "clean" },
    ]);
    expect(readTrace(file).records[1]).not.toHaveProperty("redacted");
  });

  test("is redacted with this process's environment unless the program says false", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    createTraceWriter({ file }).write(record(1, { stdout: token }));
    createTraceWriter({ file, redactor: false }).write(record(2, { stdout: token }));
    expect(readTrace(file).records).toMatchObject([{ stdout: "[redacted]" }, { stdout: token }]);
  });

  test.each([
    ["no options", undefined, "takes an object"],
    ["no file", {}, "file of createTraceWriter() is missing"],
    ["an empty file name", { file: "" }, "file of createTraceWriter()"],
    ["another name", { path: "a" }, 'has no option "path"'],
    ["true for a redactor", { file: "a", redactor: true }, "redactor of createTraceWriter()"],
  ])("refuses %s", (_, options, text) => {
    expect(() => createTraceWriter(options as never)).toThrow(text);
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  test.each([
    ["a cycle", { input: cycle }],
    ["a big integer", { input: 1n }],
    [
      "a toJSON that throws",
      {
        input: {
          toJSON: () => {
            throw new Error("mine");
          },
        },
      },
    ],
  ])("names what JSON cannot hold: %s", (_name, more) => {
    open().write(record(1, more));
    expect(readTrace(file).records).toMatchObject([{ seq: 1, unserialisable: expect.any(String) }]);
  });

  test("does not follow a planted symlink", () => {
    const victim = path.join(base, "victim");
    fs.writeFileSync(victim, "mine");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.symlinkSync(victim, file);
    const writer = open();
    writer.write(record(1));
    expect(fs.readFileSync(victim, "utf8")).toBe("mine");
    expect(problems.map(({ code }) => code)).toEqual(["HL_TRACE_WRITE_FAILED"]);
    expect(writer.inMemory()).toHaveLength(1);
  });

  test("is not written into a device or a pipe", () => {
    const writer = createTraceWriter({ file: "/dev/null", onProblem: (problem) => problems.push(problem) });
    writer.write(record(1));
    expect(writer.inMemory()).toHaveLength(1);
    expect(problems).toHaveLength(1);
  });
});

describe("a large record", () => {
  test("of 250 kB stays in one line; 256 KiB and more moves its largest field to a file by hash", () => {
    const writer = open();
    writer.write(record(1, { stdout: "x".repeat(250_000) }));
    writer.write(record(2, { stdout: "é".repeat(200_000), small: "stays" }));
    const [whole, moved] = readTrace(file).records;
    expect(whole).toMatchObject({ stdout: "x".repeat(250_000) });
    expect(moved).toMatchObject({ small: "stays", stdout: { $blob: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 400_002 } });
    expect(readBlob(file, (moved as unknown as { readonly stdout: BlobReference }).stdout)).toBe("é".repeat(200_000));
    expect(
      fs
        .readFileSync(file, "utf8")
        .split("\n")
        .every((line) => Buffer.byteLength(line) < 262_144),
    ).toBe(true);
    const [blob = ""] = fs.readdirSync(`${file}.blobs`);
    expect((fs.statSync(path.join(`${file}.blobs`, blob)).mode & 0o777).toString(8)).toBe("600");
  });

  test("uses a body that was saved before", () => {
    const writer = open();
    for (const seq of [1, 2, 3]) writer.write(record(seq, { stdout: "y".repeat(300_000) }));
    expect(fs.readdirSync(`${file}.blobs`)).toHaveLength(1);
  });

  test("a body that was changed on disk is not believed", () => {
    const writer = open();
    writer.write(record(1, { stdout: "z".repeat(300_000) }));
    const { stdout: reference } = readTrace(file).records[0] as unknown as { readonly stdout: BlobReference };
    fs.writeFileSync(path.join(`${file}.blobs`, fs.readdirSync(`${file}.blobs`)[0] ?? ""), '"other"');
    expect(readBlob(file, reference)).toBeUndefined();
    expect(readBlob(file, { $blob: "../../etc/passwd", bytes: 1 })).toBeUndefined();
  });

  test("whose body cannot be saved says how long it was, with one warning", () => {
    const writer = open();
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(`${file}.blobs`, "in the way");
    for (const seq of [1, 2]) writer.write(record(seq, { stdout: "q".repeat(300_000) }));
    expect(readTrace(file).records).toMatchObject([{ stdout: { $blob: null, bytes: 300_002 } }, { stdout: { $blob: null } }]);
    expect(problems).toHaveLength(1);
  });
});

describe("the tail", () => {
  function after(content: string | Buffer) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    open().write(record(9));
    return readTrace(file);
  }
  const line = JSON.stringify(record(1));

  test("a torn last line stays, is reported, and costs no other record", () => {
    const { records, damage } = after(`${line}\n${line.slice(0, 40)}`);
    expect(records.map(({ seq }) => seq)).toEqual([1, 9]);
    expect(damage).toEqual([{ offset: line.length + 1, bytes: 40, reason: "not JSON" }]);
  });

  test("a whole last line without its end is kept, and the next record stands apart", () => {
    const { records, damage } = after(line);
    expect(records.map(({ seq }) => seq)).toEqual([1, 9]);
    expect(damage).toEqual([]);
  });
});

/** Fails the Nth write in one of several ways; everything else is real. */
function faulty(how: "ENOSPC" | "EIO" | "short", at: number): TraceFiles {
  let calls = 0;
  const writeSync = (fd: number, bytes: Buffer, offset: number, length: number): number => {
    calls += 1;
    if (calls !== at) return fs.writeSync(fd, bytes, offset, length);
    if (how === "short") return fs.writeSync(fd, bytes, offset, Math.floor(length / 2));
    throw Object.assign(new Error(`${how}: injected`), { code: how });
  };
  return { ...fs, writeSync: writeSync as typeof fs.writeSync };
}

describe("a disk that fails at the Nth write", () => {
  const cases = (["ENOSPC", "EIO", "short"] as const).flatMap((how) => [1, 2, 3, 7].map((at) => [how, at] as const));
  test.each(cases)("%s at %i: the file parses, there is one warning, the rest is in memory", (how, at) => {
    const writer = open(faulty(how, at));
    for (let seq = 1; seq <= 8; seq++) writer.write(record(seq));
    const written = fs.existsSync(file) ? readTrace(file) : { records: [], damage: [] };
    expect(written.damage).toEqual([]);
    expect(written.records.map(({ seq }) => seq)).toEqual(Array.from({ length: at - 1 }, (_, index) => index + 1));
    expect(writer.inMemory().map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: 9 - at }, (_, index) => at + index));
    expect(problems).toEqual([expect.objectContaining({ code: "HL_TRACE_WRITE_FAILED", level: "warning", place: { file } })]);
  });

  test.each(["openSync", "fstatSync", "readSync"] as const)("a %s that fails is a warning, nothing more", (name) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "x");
    const files = {
      ...fs,
      [name]: () => {
        throw new Error("EIO");
      },
    };
    const writer = open(files);
    writer.write(record(1));
    writer.write(record(2));
    writer.close();
    expect(problems).toHaveLength(1);
    expect(writer.inMemory()).toHaveLength(2);
  });

  test("half a record is not taken back once another process has written after it", () => {
    const other = `${JSON.stringify(record(50))}\n`;
    const files: TraceFiles = { ...faulty("short", 1), fstatSync: ((fd: number) => fs.fstatSync(fd)) as typeof fs.fstatSync };
    const meddling = {
      ...files,
      writeSync: ((fd: number, bytes: Buffer, offset: number, length: number) => {
        const written = (files.writeSync as unknown as (...all: unknown[]) => number)(fd, bytes, offset, length);
        fs.appendFileSync(file, `\n${other}`);
        return written;
      }) as unknown as typeof fs.writeSync,
    };
    open(meddling).write(record(1));
    expect(sequence()).toEqual([50]);
    expect(readTrace(file).damage).toHaveLength(1);
  });

  test("a listener that throws does not reach the event", () => {
    const writer = createTraceWriter({
      file: undefined,
      onProblem: () => {
        throw new Error("mine");
      },
    });
    expect(() => writer.write(record(1))).not.toThrow();
    expect(writer.inMemory()).toHaveLength(1);
  });

  test("memory is bounded: the latest records stay", () => {
    const writer = createTraceWriter({ file: undefined });
    for (let seq = 1; seq <= 100; seq++) writer.write(record(seq, { stdout: "x".repeat(100_000) }));
    const kept = writer.inMemory();
    expect(kept.length).toBeLessThan(45);
    expect(JSON.parse(kept.at(-1) ?? "{}").seq).toBe(100);
  });
});

describe("the recorder", () => {
  test("stamps records; a wall clock that jumps leaves the durations alone", () => {
    const records: TraceRecord[] = [];
    const wall = [1_700_000_000_000, 1_700_000_000_000 - 3_600_000, 1_700_000_000_000 + 86_400_000];
    let tick = 0;
    const clock = { wall: () => wall[tick++] ?? 0, mono: () => tick * 10 };
    const trace = createRecorder({ sink: { write: (one) => records.push(one) }, session: "s", clock });
    for (let count = 0; count < 3; count++) trace({ type: "refused", event: "Stop", hook: "user:1", name: "n", reason: "changed" });
    expect(records.map(({ v, seq, session }) => [v, seq, session])).toEqual([
      [2, 1, "s"],
      [2, 2, "s"],
      [2, 3, "s"],
    ]);
    expect(records.map(({ mono }) => mono)).toEqual([10, 20, 30]);
    expect(records[0]).toMatchObject({
      type: "refused",
      event: "Stop",
      hook: "user:1",
      name: "n",
      reason: "changed",
      t: 1_700_000_000_000,
    });
  });

  test("writes of a verdict what it decided and why, not the live object", () => {
    const records: TraceRecord[] = [];
    const verdict = { ...emptyVerdict("Stop"), decision: "deny" as const, reasons: [{ text: "no", hook: "user:1" }] };
    createRecorder({ sink: { write: (one) => records.push(one) }, session: "s" })({ type: "verdict", event: "Stop", verdict });
    const { v: _v, seq: _seq, t: _t, mono: _mono, session: _session, ...step } = records[0] as TraceRecord;
    expect(step).toEqual({ type: "verdict", event: "Stop", decision: "deny", reasons: verdict.reasons, halt: undefined });
  });

  test("keeps a sink that throws away from the event", () => {
    const trace = createRecorder({
      sink: {
        write: () => {
          throw new Error("mine");
        },
      },
      session: "s",
    });
    expect(() => trace({ type: "considered", event: "Stop", hooks: [], names: [] })).not.toThrow();
  });
});
