import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { spillText, spillVerdict } from "./spill.ts";
import { noVerdict } from "./verdict.ts";

let base: string;
let folder: string;
const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "spill-"));
  folder = path.join(base, "deep", "spill");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("a long text", () => {
  test("of 10,000 characters stays as it is, one more is saved", () => {
    expect(spillText("x".repeat(10_000), { folder, redact })).toEqual({ text: "x".repeat(10_000) });
    expect(existsSync(folder)).toBe(false);
    expect(spillText("x".repeat(10_001), { folder, redact }).file).toMatch(/spill\/hook-[0-9a-f]{32}\.txt$/);
  });

  test("of 5 MB becomes a marked preview of 2 KB with the path, and a 0600 file in a 0700 folder even with umask 000", () => {
    const umask = process.umask(0);
    try {
      const { text, file = "" } = spillText("0123456789".repeat(500_000), { folder, redact });
      expect(text).toBe(
        `<persisted-output>\nThis hook's text has 5000000 characters; only its beginning is shown. The whole text is in ${file}\n\n${"0123456789".repeat(200)}\n</persisted-output>`,
      );
      expect(readFileSync(file, "utf8")).toHaveLength(5_000_000);
      expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
      expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
    } finally {
      process.umask(umask);
    }
  });

  test("is redacted as a whole, in the file and in the preview", () => {
    const { text, file = "" } = spillText(`password hunter2 ${"y".repeat(10_000)} hunter2`, { folder, redact });
    expect(text).toContain("password [redacted]");
    expect(text + readFileSync(file, "utf8")).not.toContain("hunter2");
  });

  test("that was saved before uses the same file", () => {
    const files = [1, 2, 3].map(() => spillText("z".repeat(20_000), { folder, redact }).file);
    expect(new Set(files).size).toBe(1);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("is not cut inside a character", () => {
    const { text } = spillText(`${"a".repeat(1_999)}😀${"b".repeat(10_000)}`, { folder, redact });
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  test("does not follow a symlink planted under its name", () => {
    const { file = "" } = spillText("q".repeat(11_000), { folder, redact });
    const victim = path.join(base, "victim");
    writeFileSync(victim, "mine");
    rmSync(file);
    symlinkSync(victim, file);
    const again = spillText("q".repeat(11_000), { folder, redact });
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(again.file).toBe(file.replace(".txt", "-1.txt"));
    expect(lstatSync(again.file ?? "").isSymbolicLink()).toBe(false);
  });

  test("does not trust a file of the same name with other bytes, or one that others can read", () => {
    const { file = "" } = spillText("r".repeat(11_000), { folder, redact });
    writeFileSync(file, "half");
    const second = spillText("r".repeat(11_000), { folder, redact }).file ?? "";
    expect(second).toBe(file.replace(".txt", "-1.txt"));
    chmodSync(second, 0o644);
    expect(spillText("r".repeat(11_000), { folder, redact }).file).toBe(file.replace(".txt", "-2.txt"));
  });

  test("closes a folder that is open to others", () => {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    spillText("s".repeat(11_000), { folder, redact });
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
  });

  test.each([
    ["cannot be made", "/dev/null/spill"],
    ["is a symlink", "link"],
  ])("is cut, and says so, when the folder %s", (_name, name) => {
    symlinkSync(base, path.join(base, "link"));
    const { text, file, problem } = spillText("t".repeat(11_000), { folder: path.resolve(base, name), redact });
    expect(file).toBeUndefined();
    expect(problem).toBeTruthy();
    expect(text).toContain(
      "This hook's text has 11000 characters; only its beginning is shown. The rest was dropped: it could not be saved (",
    );
    expect(text.length).toBeLessThan(2_500);
  });
});

describe("a verdict", () => {
  test("without long texts comes back itself", () => {
    expect(spillVerdict(noVerdict("Stop"), { folder, redact }).verdict).toBe(noVerdict("Stop"));
  });

  test("gets every list shortened, and keeps who said what", () => {
    const long = { text: "u".repeat(10_001), hook: "user:1" };
    const short = { text: "v", hook: "user:2" };
    const all = {
      reasons: [long, short],
      continueWith: [long],
      contexts: [{ ...long, fromStdout: true as const }],
      feedback: [long],
      tells: [long],
      halt: long,
    };
    const { verdict } = spillVerdict({ ...noVerdict("Stop"), ...all }, { folder, redact });
    for (const list of [verdict.reasons, verdict.continueWith, verdict.contexts, verdict.feedback, verdict.tells, [verdict.halt]]) {
      expect(list[0]).toMatchObject({ hook: "user:1", text: expect.stringMatching(/^<persisted-output>/) });
    }
    expect(verdict.reasons[1]).toBe(short);
    expect(verdict.contexts[0]?.fromStdout).toBe(true);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
