import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hookLog, logDebug, logDiagnostic, logError, logInfo, logWarn } from "./hook-utils/emit.ts";
import { type LogRecord, writeLog } from "./log.ts";

let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-log-"));
  file = path.join(folder, ".hookloop", "hook-log.jsonl");
  for (const name of ["HOOK_LOG_LEVEL", "HOOK_LOG_DISABLE", "HOOK_ERROR_LOG_DISABLE", "HOOKLOOP_LOG_FILE"]) vi.stubEnv(name, undefined);
  vi.stubEnv("CLAUDE_PROJECT_DIR", folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const record = (message: string, level: LogRecord["level"] = "info"): LogRecord => ({ level, hook: "guard", message });
const records = (from = file): Record<string, unknown>[] =>
  readFileSync(from, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const mode = (of: string): string => (statSync(of).mode & 0o777).toString(8);

describe("a record", () => {
  it("is one line of JSON with time, level, hook, msg and data", () => {
    const before = new Date().toISOString();
    expect(writeLog({ level: "warn", hook: "guard", message: "two\nlines", data: { list: [1], text: "x\ny" } })).toBeUndefined();
    const text = readFileSync(file, "utf8");
    expect(text.indexOf("\n")).toBe(text.length - 1);
    const { time, ...rest } = JSON.parse(text);
    expect(rest).toEqual({ level: "warn", hook: "guard", msg: "two\nlines", data: { list: [1], text: "x\ny" } });
    expect(new Date(time).toISOString()).toBe(time);
    expect(time >= before).toBe(true);
  });

  it("is appended to those before it", () => {
    for (const message of ["one", "two", "three"]) writeLog(record(message));
    expect(records().map(({ msg }) => msg)).toEqual(["one", "two", "three"]);
  });

  it("is redacted", () => {
    vi.stubEnv("MY_API_TOKEN", "correct-horse");
    writeLog({ level: "info", hook: "guard", message: "uses correct-horse", data: { password: "x" } });
    expect(records()).toMatchObject([{ msg: "uses [redacted]", data: { password: "[redacted]" } }]);
  });

  it("of five megabytes is written whole", () => {
    writeLog(record("x".repeat(5_000_000)));
    expect(String(records()[0]?.["msg"])).toHaveLength(5_000_000);
  });

  it("that is no JSON is given back as a problem, never thrown", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(writeLog({ ...record("x"), data: circle })?.code).toBe("HL_SDK_LOG_FAILED");
    expect(writeLog({ ...record("x"), data: 1n })?.code).toBe("HL_SDK_LOG_FAILED");
  });
});

describe("levels", () => {
  const LEVELS = ["debug", "info", "warn", "error"] as const;

  it.each([
    [undefined, "debug info warn error"],
    ["debug", "debug info warn error"],
    ["info", "info warn error"],
    ["warn", "warn error"],
    ["error", "error"],
    ["WARN", "warn error"],
    ["loud", "debug info warn error"],
  ])("HOOK_LOG_LEVEL=%s keeps %s", (level, kept) => {
    vi.stubEnv("HOOK_LOG_LEVEL", level);
    for (const each of LEVELS) expect(writeLog(record("x", each))).toBeUndefined();
    expect(records().map((written) => written["level"])).toEqual(kept.split(" "));
  });

  it("are those of the functions that S4 names; the first argument is the hook's name", () => {
    logDebug("guard", "a");
    logInfo("guard", "b", { n: 1 });
    logWarn("guard", "c");
    logError("guard", "d");
    hookLog("guard", "warn", "e", [1]);
    logDiagnostic("guard", "f");
    expect(records()).toMatchObject([
      { level: "debug", hook: "guard", msg: "a" },
      { level: "info", hook: "guard", msg: "b", data: { n: 1 } },
      { level: "warn", hook: "guard", msg: "c" },
      { level: "error", hook: "guard", msg: "d" },
      { level: "warn", hook: "guard", msg: "e", data: [1] },
      { level: "debug", hook: "guard", msg: "DIAGNOSTIC f" },
    ]);
  });

  it.each(["HOOK_LOG_DISABLE", "HOOK_ERROR_LOG_DISABLE"])("%s=1 writes nothing at all", (name) => {
    vi.stubEnv(name, "1");
    expect(writeLog(record("x", "error"))).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the file", () => {
  it("is .hookloop/hook-log.jsonl under the project, for its owner only", () => {
    writeLog(record("x"));
    expect(readdirSync(path.join(folder, ".hookloop")).sort()).toEqual([".gitignore", "hook-log.jsonl"]);
    expect(mode(file)).toBe("600");
  });

  it("stays out of the project's history if its folder is new, and only then", () => {
    writeLog(record("x"));
    expect(readFileSync(path.join(folder, ".hookloop", ".gitignore"), "utf8")).toBe("hook-log.jsonl*\n.gitignore\n");
    rmSync(path.join(folder, ".hookloop"), { recursive: true });
    mkdirSync(path.join(folder, ".hookloop"));
    writeLog(record("x"));
    expect(readdirSync(path.join(folder, ".hookloop"))).toEqual(["hook-log.jsonl"]);
  });

  it("is another one if HOOKLOOP_LOG_FILE says so", () => {
    const other = path.join(folder, "other.jsonl");
    vi.stubEnv("HOOKLOOP_LOG_FILE", other);
    writeLog(record("x"));
    expect(records(other)).toMatchObject([{ msg: "x" }]);
    expect(mode(other)).toBe("600");
    expect(existsSync(path.join(folder, ".hookloop"))).toBe(false);
  });

  it("brings nothing else with it when HOOKLOOP_LOG_FILE is in a new folder", () => {
    vi.stubEnv("HOOKLOOP_LOG_FILE", path.join(folder, "new", "log.jsonl"));
    writeLog(record("x"));
    expect(readdirSync(path.join(folder, "new"))).toEqual(["log.jsonl"]);
  });

  it("is not written into a folder that is a link", () => {
    mkdirSync(path.join(folder, "elsewhere"));
    symlinkSync(path.join(folder, "elsewhere"), path.join(folder, ".hookloop"));
    expect(writeLog(record("x"))?.code).toBe("HL_SDK_LOG_FAILED");
    expect(readdirSync(path.join(folder, "elsewhere"))).toEqual([]);
  });

  it("keeps the mode it has", () => {
    mkdirSync(path.dirname(file));
    writeFileSync(file, "");
    chmodSync(file, 0o640);
    writeLog(record("x"));
    expect(mode(file)).toBe("640");
  });

  it("is not followed if it is a link", () => {
    mkdirSync(path.dirname(file));
    const target = path.join(folder, "bashrc");
    writeFileSync(target, "export A=1\n");
    symlinkSync(target, file);
    const failure = writeLog(record("x"));
    expect(failure?.code).toBe("HL_SDK_LOG_FAILED");
    expect(failure?.message).toContain("HOOKLOOP_LOG_FILE");
    expect(readFileSync(target, "utf8")).toBe("export A=1\n");
  });

  it.each([
    ["a link that leads nowhere", () => symlinkSync(path.join(folder, "nowhere"), file)],
    ["a folder", () => mkdirSync(file)],
  ])("is not written if it is %s, and that is given back", (_what, make) => {
    mkdirSync(path.dirname(file));
    make();
    expect(writeLog(record("x"))?.message).toMatch(/^HL_SDK_LOG_FAILED: the hook log was not written \(.+\)\. Set HOOKLOOP_LOG_FILE/);
    expect(existsSync(path.join(folder, "nowhere"))).toBe(false);
  });

  it("is not written if its folder cannot be made, and that is given back", () => {
    writeFileSync(path.join(folder, ".hookloop"), "a file in the way");
    expect(writeLog(record("x"))?.code).toBe("HL_SDK_LOG_FAILED");
  });
});

describe("a log of more than 10 MB", () => {
  const LIMIT = 10 * 1024 * 1024;
  const grow = (size: number): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "");
    truncateSync(file, size);
  };

  it("is set aside: the next record starts a new one, and no record is lost", () => {
    grow(LIMIT + 1);
    writeLog(record("last"));
    writeLog(record("first"));
    expect(records()).toMatchObject([{ msg: "first" }]);
    expect(mode(file)).toBe("600");
    expect(readFileSync(`${file}.1`, "utf8").slice(LIMIT + 1)).toMatch(/^\{.*"msg":"last"\}\n$/);
  });

  it("is set aside once: an older one is replaced", () => {
    for (const message of ["a", "b"]) {
      grow(LIMIT + 1);
      writeLog(record(message));
    }
    writeLog(record("c"));
    expect(readdirSync(path.dirname(file)).sort()).toEqual(["hook-log.jsonl", "hook-log.jsonl.1"]);
  });

  it("is not set aside before", () => {
    grow(LIMIT);
    writeLog(record("x"));
    expect(existsSync(`${file}.1`)).toBe(false);
  });
});
