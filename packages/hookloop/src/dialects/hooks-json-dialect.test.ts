import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { EVENTS, samplePayload } from "../catalogue/events.ts";
import { rawOutcome, sampleHook } from "../judge/raw-outcome.test-suite.ts";
import { dialectContract } from "./contract.test-suite.ts";
import { HOOKS_JSON_DIALECT, toHooksJsonInput, toHooksJsonTool } from "./hooks-json.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hooks-json-"));
afterAll(() => rmSync(folder, { recursive: true }));
const writeTempFile = (name: string, content: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
};
const dialect = HOOKS_JSON_DIALECT;
const variables = (event: "PreToolUse" | "PostToolUse" | "SessionStart", fields: object) =>
  dialect.input.variables({
    event,
    input: { ...(samplePayload(event) as object), ...fields },
    hook: sampleHook(),
    session: { projectRoot: "/srv/project", writeTemporary: writeTempFile },
  });

dialectContract(dialect, [
  { event: "PreToolUse", exitCode: 0, means: [] },
  { event: "PreToolUse", exitCode: 1, means: [{ type: "deny", reason: "why" }] },
  { event: "PreToolUse", exitCode: 2, means: [{ type: "context", text: "why" }] },
  { event: "PreToolUse", exitCode: 3, means: "failure" },
  { event: "PostToolUse", exitCode: 0, means: [] },
  { event: "PostToolUse", exitCode: 1, means: [] },
  { event: "PostToolUse", exitCode: 2, means: [{ type: "feedback", text: "why" }] },
  { event: "PostToolUse", exitCode: 255, means: "failure" },
  { event: "SessionStart", exitCode: 1, means: [] },
  { event: "SessionStart", exitCode: 2, means: [{ type: "context", text: "why" }] },
]);

describe("an answer of a .hooks.json hook (S3)", () => {
  const read = (event: "PreToolUse" | "PostToolUse" | "SessionStart", run: Parameters<typeof rawOutcome>[0]) =>
    dialect.answer.read(EVENTS[event], event, rawOutcome(run));

  test.each([
    ["PostToolUse", 1, "lint failed", "HL_EXECUTE_EXIT", "exit code 1 cannot block here: lint failed"],
    ["SessionStart", 1, "", "HL_EXECUTE_EXIT", "exit code 1 cannot block here"],
    [
      "PreToolUse",
      2,
      " \n",
      "HL_OUTPUT_NOT_BLOCKED",
      "exit code 2 blocks nothing in a .hooks.json. Exit with 1 to block, with 2 to inject stderr",
    ],
    ["SessionStart", 2, "", "HL_OUTPUT_NOT_HONOURED", "exit code 2 injects what is on stderr, and nothing is there"],
  ] as const)("on %s with exit %i and %j does nothing but say so", (event, exitCode, stderr, code, text) => {
    const reading = read(event, { exitCode, stderr });
    expect(reading.effects).toEqual([]);
    expect(reading.diagnostics).toMatchObject([{ code, level: "warning", text: `hook "./guard.sh --secret-flag": ${text}` }]);
  });

  test("blocks with stdout, or a word of ours, when stderr is empty", () => {
    expect(read("PreToolUse", { exitCode: 1, stdout: "no\n" }).effects).toEqual([{ type: "deny", reason: "no" }]);
    expect(read("PreToolUse", { exitCode: 1 }).effects).toEqual([{ type: "deny", reason: "Blocked by a hook." }]);
  });

  test("that exits with 2 where 1 blocks is told the difference, also if stderr was injected", () => {
    const { effects, diagnostics } = read("PreToolUse", { exitCode: 2, stderr: "no rm" });
    expect(effects).toEqual([{ type: "context", text: "no rm" }]);
    expect(diagnostics).toMatchObject([{ code: "HL_OUTPUT_NOT_BLOCKED", level: "warning" }]);
    expect(read("PostToolUse", { exitCode: 2, stderr: "lint" }).diagnostics).toEqual([]);
    expect(read("SessionStart", { exitCode: 2, stderr: "rules" }).diagnostics).toEqual([]);
  });

  test.each([
    ['{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no env"}}', "no env"],
    ['{"decision":"block","reason":"no env"}', "no env"],
    ['{"decision":"deny"}', "Blocked by a hook."],
  ])("a denial in JSON counts, as the SDK writes it, and how to write it here is said: %s", (stdout, reason) => {
    const reading = read("PreToolUse", { stdout });
    expect(reading.effects).toEqual([{ type: "deny", reason }]);
    expect(reading.diagnostics).toMatchObject([{ code: "HL_OUTPUT_NOT_HONOURED" }]);
  });

  test("nothing else is read from JSON, and that is said", () => {
    const reading = read("PreToolUse", { stdout: '{"hookSpecificOutput":{"permissionDecision":"ask"}}' });
    expect(reading.effects).toEqual([]);
    expect(reading.diagnostics).toMatchObject([{ code: "HL_OUTPUT_NOT_HONOURED" }]);
    expect(read("PostToolUse", { stdout: "just text" }).diagnostics).toEqual([]);
    expect(read("PreToolUse", { stdout: "just text" }).diagnostics).toMatchObject([{ code: "HL_OUTPUT_NO_ANSWER", level: "notice" }]);
    expect(read("PreToolUse", { stdout: "BLOCKED" }).diagnostics).toMatchObject([{ code: "HL_OUTPUT_NO_ANSWER", level: "warning" }]);
    expect(read("PreToolUse", { stdout: "text", hook: sampleHook({ onFailure: "block" }) }).failure).toBeUndefined();
    const strict = read("PreToolUse", { stdout: "BLOCKED", hook: sampleHook({ onFailure: "block", isGuard: true }) });
    expect(strict.failure).toMatchObject({ code: "HL_OUTPUT_NO_ANSWER" });
    expect(read("PreToolUse", { stdout: "deny: no rm" })).toMatchObject({ effects: [], diagnostics: [{ code: "HL_OUTPUT_NO_ANSWER" }] });
  });

  test("keeps the reason of a failed run", () => {
    expect(read("PreToolUse", { exitCode: 3, stderr: "boom\n" }).failure).toEqual({
      kind: "exit",
      text: "exit code 3: boom",
      said: "boom",
      cure: "Exit with 0 to continue, with 1 to block, with 2 to inject stderr",
    });
  });
});

describe("the environment of a .hooks.json hook", () => {
  test("has the call in this dialect's words", () => {
    expect(variables("PreToolUse", { tool_name: "Write", tool_input: { file_path: "/a", content: "x" } })).toEqual({
      HOOK_EVENT: "PreToolUse",
      HOOK_TOOL_NAME: "write_file",
      HOOK_TOOL_INPUT: '{"path":"/a","content":"x"}',
    });
    expect(variables("SessionStart", {})).toEqual({ HOOK_EVENT: "SessionStart" });
  });

  test.each([
    ["a shell's two outputs", { stdout: "out\n", stderr: "err", interrupted: false }, "out\nerr"],
    ["a shell's outputs without a new line", { stdout: "out", stderr: "err" }, "out\nerr"],
    ["a text", "plain", "plain"],
    ["another object", { filePath: "/a" }, '{"filePath":"/a"}'],
    ["nothing", undefined, ""],
  ])("has the output of %s after a tool only", (_what, tool_response, text) => {
    expect(variables("PostToolUse", { tool_response })["HOOK_TOOL_OUTPUT"]).toBe(text);
    expect(variables("PreToolUse", { tool_response })).not.toHaveProperty("HOOK_TOOL_OUTPUT");
  });

  test("gives the path of a 0600 file for what is too large for a variable", () => {
    const command = "é".repeat(60_000);
    const given = variables("PostToolUse", { tool_name: "Bash", tool_input: { command }, tool_response: "x".repeat(100_001) });
    expect(given).not.toHaveProperty("HOOK_TOOL_INPUT");
    expect(given).not.toHaveProperty("HOOK_TOOL_OUTPUT");
    const inputFile = given["HOOK_TOOL_INPUT_FILE"] ?? "";
    expect(JSON.parse(readFileSync(inputFile, "utf8"))).toEqual({ command });
    expect(readFileSync(given["HOOK_TOOL_OUTPUT_FILE"] ?? "", "utf8")).toHaveLength(100_001);
    expect(statSync(inputFile).mode & 0o777).toBe(0o600);
  });

  test("keeps what just fits in the variable", () => {
    expect(variables("PostToolUse", { tool_response: "x".repeat(100_000) })["HOOK_TOOL_OUTPUT"]).toHaveLength(100_000);
  });

  test("does not throw for an input that is no JSON", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(variables("PreToolUse", { tool_input: circular })["HOOK_TOOL_INPUT"]).toBe("null");
  });

  test("the payload on stdin has the same words", () => {
    const input = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { file_path: "/a", old_string: "x", new_string: "y" } };
    expect(dialect.input.payload("PreToolUse", input)).toEqual({
      hook_event_name: "PreToolUse",
      tool_name: "edit_file",
      tool_input: { path: "/a", old_text: "x", new_text: "y" },
    });
    expect(input.tool_name).toBe("Edit");
  });
});

describe("the tool map", () => {
  test.each([
    ["Bash", "bash", { command: "ls" }, { command: "ls" }],
    ["Read", "read_file", { file_path: "/a", limit: 5 }, { path: "/a", limit: 5 }],
    ["Write", "write_file", { file_path: "/a", content: "c" }, { path: "/a", content: "c" }],
    ["Edit", "edit_file", { file_path: "/a", old_string: "x", new_string: "y" }, { path: "/a", old_text: "x", new_text: "y" }],
    ["mcp__a__b", "mcp__a__b", { file_path: "/a" }, { file_path: "/a" }],
    ["constructor", "constructor", { a: 1 }, { a: 1 }],
  ])("turns %s into %s", (agentName, name, agents, ours) => {
    expect(toHooksJsonTool(agentName)).toBe(name);
    expect(toHooksJsonInput(agentName, agents)).toEqual(ours);
  });
});
