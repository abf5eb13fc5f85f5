import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { context, deny, type HookResult, rewrite } from "./hook/results.ts";
import { logAnswer } from "./log.ts";
import { encode, type Written } from "./run/encode.ts";
import { sampleInput } from "./testing/index.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hookloop-log-"));
  for (const name of ["HOOK_LOG_LEVEL", "HOOK_LOG_DISABLE", "HOOK_ERROR_LOG_DISABLE"]) vi.stubEnv(name, undefined);
  vi.stubEnv("HOOKLOOP_LOG_FILE", path.join(folder, "log.jsonl"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const payload = { ...sampleInput("PreToolUse") };
const silent: Written = { stdout: "", stderr: "", output: {}, exitCode: 0, problems: [] };
const text = (): string => readFileSync(path.join(folder, "log.jsonl"), "utf8");
const records = (): { level: string; msg: string; data: Record<string, unknown> }[] =>
  text()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const log = (result: HookResult): void =>
  void logAnswer({ hook: "guard", payload: payload, answer: encode("PreToolUse", result.parts), durationMs: 12 });

describe("logAnswer", () => {
  it("says how much a hook gave, and keeps all of it", () => {
    const note = "x".repeat(842);
    const answer = encode("PreToolUse", context(note).parts);
    expect(logAnswer({ hook: "helper", payload: payload, answer, durationMs: 12 })).toEqual([]);
    expect(records()).toMatchObject([
      {
        level: "info",
        hook: "helper",
        msg: "HOOK_OUTPUT [context] 842 chars",
        data: {
          event: "PreToolUse",
          tool: "Bash",
          session: "9b2f6c1e-5a0d-4a57-9d6e-2f1c7b3f8a10",
          exitCode: 0,
          durationMs: 12,
          output: { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: note } },
          additionalContext: note,
        },
      },
    ]);
    expect(records()[0]?.data).not.toHaveProperty("blockReason");
  });

  it("says why a hook blocked it, and keeps the whole reason", () => {
    const stdout = "x".repeat(340);
    logAnswer({
      hook: "guard",
      payload: payload,
      answer: { ...silent, stdout, output: { additionalContext: stdout }, refusal: 'no "force"' },
      durationMs: 12,
    });
    expect(records()).toMatchObject([
      {
        msg: 'HOOK_OUTPUT [block] 10 chars, reason="no \\"force\\""',
        data: { blockReason: 'no "force"', output: { additionalContext: stdout } },
      },
    ]);
  });

  it("counts the reason alone, also when it went to stderr", () => {
    logAnswer({
      hook: "guard",
      payload: payload,
      answer: { ...silent, stderr: "not done\n", exitCode: 2, refusal: "not done" },
      durationMs: 12,
    });
    expect(records()).toMatchObject([
      { msg: 'HOOK_OUTPUT [block] 8 chars, reason="not done"', data: { exitCode: 2, stderr: "not done\n" } },
    ]);
  });

  it("shortens a long reason in the message only", () => {
    const refusal = "x".repeat(1000);
    logAnswer({ hook: "guard", payload: payload, answer: { ...silent, stderr: refusal, refusal }, durationMs: 12 });
    expect(records()).toMatchObject([
      { msg: `HOOK_OUTPUT [block] 1000 chars, reason="${"x".repeat(200)}"`, data: { blockReason: refusal } },
    ]);
  });

  it("records the real answer of a guard", () => {
    log(deny("no force-push").with(context("note")));
    expect(records()).toMatchObject([
      {
        msg: 'HOOK_OUTPUT [block] 13 chars, reason="no force-push"',
        data: {
          output: {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "no force-push",
              additionalContext: "note",
            },
          },
        },
      },
    ]);
  });

  it("records no opinion at the lowest level", () => {
    logAnswer({ hook: "guard", payload: payload, answer: silent, durationMs: 12 });
    expect(records()).toMatchObject([{ level: "debug", msg: "no opinion", data: { event: "PreToolUse", exitCode: 0 } }]);
  });

  it("records every problem as a warning, also without a payload", () => {
    const problems = [
      { code: "HL_SDK_STDIN_EMPTY", message: "HL_SDK_STDIN_EMPTY: no event" },
      { code: "HL_SDK_STDOUT_STRAY", message: "HL_SDK_STDOUT_STRAY: hello" },
    ] as const;
    logAnswer({ hook: "guard", payload: undefined, answer: { ...silent, exitCode: 1, problems }, durationMs: 12 });
    expect(records().map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      "warn HL_SDK_STDIN_EMPTY: no event",
      "warn HL_SDK_STDOUT_STRAY: hello",
      "debug no opinion",
    ]);
  });

  it("gives back one problem if the log cannot be written, however many records there were", () => {
    vi.stubEnv("HOOKLOOP_LOG_FILE", folder);
    const problems = [{ code: "HL_SDK_STDIN_EMPTY", message: "HL_SDK_STDIN_EMPTY: no event" }] as const;
    expect(
      logAnswer({ hook: "guard", payload: undefined, answer: { ...silent, problems }, durationMs: 12 }).map(({ code }) => code),
    ).toEqual(["HL_SDK_LOG_FAILED"]);
  });
});

describe("a secret in an answer", () => {
  it("is not in the record", () => {
    const token = `gh${"p"}_${"a1B2".repeat(9)}`;
    log(deny(`found ${token}`).with(rewrite({ command: `push ${token}` })));
    expect(text()).not.toContain(token);
  });

  it("is not in the record when only its field's name gives it away", () => {
    log(rewrite({ user: "me", password: "hunter2hunter2" }));
    expect(text()).not.toContain("hunter2");
  });

  it("is not in the record when JSON writes it in another way", () => {
    vi.stubEnv("DB_PASSWORD", 'cor"rect\\horse');
    log(deny('the password cor"rect\\horse is in the command'));
    expect(text()).not.toContain("horse");
  });
});
