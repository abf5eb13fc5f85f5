import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hookloop(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("node_modules/.bin/hookloop", args, { encoding: "utf8", maxBuffer: 1 << 26 });
}

describe("hookloop events", () => {
  test("lists all 35 in one table, without colour without a terminal", () => {
    const { status, stdout, stderr } = hookloop("events");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(36);
    expect(stdout).toMatch(/^EVENT +ROLE +BLOCKS +MATCHED BY +FIRES\n/);
    expect(stdout).toMatch(/^PreToolUse +gate +yes +tool_name +before each tool call/m);
    expect(stdout).not.toContain("\u001b");
  });

  test("gives the same as JSON", () => {
    const events = JSON.parse(hookloop("events", "--json").stdout) as { name: string }[];
    expect(events).toHaveLength(35);
    expect(events.map(({ name }) => name)).toContain("PostModelResponse");
  });

  test("shows fields, a sample, every answer and the pitfalls of one event", () => {
    const { stdout } = hookloop("events", "PreToolUse");
    for (const part of ["tool_input", '"hook_event_name": "PreToolUse"', "Exit code 1 does not block", "Time limit"])
      expect(stdout).toContain(part);
    expect(stdout).toContain(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Force pushes to main are not allowed"}}',
    );
    expect(JSON.parse(hookloop("events", "PreToolUse", "--json").stdout)).toMatchObject({
      name: "PreToolUse",
      role: "gate",
      block: "permission",
    });
  });

  test("prints a payload that can be piped into a hook", () => {
    const { stdout } = hookloop("events", "Stop", "--sample");
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ hook_event_name: "Stop", stop_hook_active: false });
  });

  test("prints a call of another tool", () => {
    expect(JSON.parse(hookloop("events", "PostToolUse", "--sample", "--tool", "Write").stdout)).toMatchObject({
      tool_name: "Write",
      tool_input: { file_path: "/home/user/project/notes.md" },
      tool_response: { type: "create" },
    });
  });

  test("stops without a word when the reader has seen enough", () => {
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", "set -o pipefail; node_modules/.bin/hookloop events --json | head -c 100 >/dev/null"],
      { encoding: "utf8" },
    );
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("hookloop schema", () => {
  test.each(["settings", "native", "hooks-json", "PreToolUse"])("prints %s as draft 7", (what) => {
    const schema = JSON.parse(hookloop("schema", what).stdout) as Record<string, unknown>;
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
  });

  test("prints one side of an event", () => {
    const input = JSON.parse(hookloop("schema", "Stop", "--input").stdout) as { properties: Record<string, unknown> };
    expect(Object.keys(input.properties)).toContain("stop_hook_active");
    const output = JSON.parse(hookloop("schema", "Stop", "--output").stdout) as { properties: Record<string, unknown> };
    expect(Object.keys(output.properties)).toContain("decision");
  });
});

describe("wrong usage exits with 2 and says what was meant", () => {
  test.each<[string[], string]>([
    [["events", "PreTooluse"], 'HL_CLI_UNKNOWN_EVENT: "PreTooluse" is not an event. Did you mean "PreToolUse"?'],
    [["events", "xyzzy"], "hookloop events` lists all 35."],
    [["events", "__proto__"], "HL_CLI_UNKNOWN_EVENT"],
    [["events", "--sample"], "HL_CLI_USAGE: --sample and --tool need an event"],
    [["events", "Stop", "--sample", "--tool", "Bash"], "HL_CLI_USAGE: Stop is not about a tool call"],
    [["events", "PreToolUse", "--sample", "--tool", "bash"], 'HL_CLI_UNKNOWN_TOOL: "bash" is not a known tool. Did you mean "Bash"?'],
    [["schema", "setings"], 'HL_CLI_UNKNOWN_SCHEMA: There is no schema "setings". Did you mean "settings"?'],
    [["agnet"], 'HL_CLI_USAGE: unknown command "agnet". Did you mean "agent"? `hookloop --help` shows what there is.\n'],
    [["xyzzy"], 'HL_CLI_USAGE: unknown command "xyzzy". `hookloop --help` shows what there is.\n'],
    [["--jsn"], 'HL_CLI_USAGE: unknown option "--jsn".'],
    [["events", "--jsn"], 'HL_CLI_USAGE: unknown option "--jsn". Did you mean "--json"? `hookloop events --help` shows what there is.\n'],
    [["agent", "--allowdTools", "Bash"], 'HL_CLI_USAGE: unknown option "--allowdTools". Did you mean "--allowedTools"?'],
    [["agent", "-p", "x", "--output-format", "jsn"], '--output-format is one of text, json, stream-json, not "jsn". Did you mean "json"?'],
    [["agent", "-p", "x", "--permission-mode", "acceptEdit"], 'is not a permission mode. Did you mean "acceptEdits"? The modes are:'],
    [
      ["agent", "--session-id", "a", "--resume", "b"],
      "HL_CLI_USAGE: --session-id and --resume do not go together: an earlier session keeps its id.",
    ],
    [["agent", "--session-id", "a", "--continue"], "HL_CLI_USAGE: --session-id and --continue do not go together"],
    [["agent", "--init", "--maintenance"], "HL_CLI_USAGE: --init and --maintenance do not go together: Setup fires once, for one of them."],
    [["agent", "--resume", "a", "--continue"], "HL_CLI_USAGE: --resume ID and --continue do not go together"],
    [["agent", "-p", "fix", "it"], 'HL_CLI_USAGE: There are two prompts, "fix" and "it". Put the prompt in quotes.'],
    [
      ["agent", "-p", "go", "--permission-mode", "acceptEdit"],
      'HL_CLI_USAGE: "acceptEdit" is not a permission mode. Did you mean "acceptEdits"?',
    ],
    [["agent", "--allowed"], 'HL_CLI_USAGE: unknown option "--allowed".'],
    [["events", "Stop", "PreToolUse"], 'HL_CLI_USAGE: too many arguments for "events". Expected 1 argument but got 2.'],
    [["trust", "--json", "approve"], 'HL_CLI_USAGE: missing required argument "ids". `hookloop trust approve --help`'],
    [["help", "agnet"], "HL_CLI_USAGE: no such command."],
  ])("hookloop %j", (args, message) => {
    const { status, stdout, stderr } = hookloop(...args);
    expect([status, stdout]).toEqual([2, ""]);
    // As it can be typed on this machine.
    expect(stderr.replaceAll("npx hookloop", "hookloop")).toContain(message);
  });
});

test("every command can print JSON", () => {
  const json = (...args: string[]): unknown => JSON.parse(hookloop(...args).stdout);
  expect(json("agent", "-p", "hello", "--json")).toMatchObject({ type: "result", is_error: false });
  const scenes = json("demo", "--json") as readonly Record<string, unknown>[];
  expect(scenes.map(({ title }) => title)).toContain("A guard blocks a deletion");
  const denied = expect.objectContaining({ name: "no-delete.mjs", effect: expect.stringMatching(/^denied/) });
  expect(scenes[1]).toMatchObject({ prompt: "delete the file notes.txt", hooks: expect.arrayContaining([denied]) });
  for (const args of [["events"], ["schema"], ["trust"], ["trust", "export"], ["trust", "review"]]) json(...args, "--json");
});

test("help has examples and the exit codes, and costs nothing", () => {
  for (const args of [[], ["--help"], ["help"]]) {
    const { status, stdout } = hookloop(...args);
    expect(status).toBe(0);
    expect(stdout).toContain("hookloop events PreToolUse");
    expect(stdout).toContain("Exit codes: 0 fine, 1 the thing checked is not fine, 2 wrong usage.");
  }
  expect(hookloop("events", "--help").stdout).toContain("Examples:");
  expect(hookloop("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("the command that is not built says how to build it", () => {
  cpSync("packages/hookloop/bin/hookloop.js", path.join(folder, "bin/hookloop.js"), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [path.join(folder, "bin/hookloop.js")], { encoding: "utf8" });
  expect([status, stderr]).toEqual([2, "hookloop is not built yet: run npm run build\n"]);
});
