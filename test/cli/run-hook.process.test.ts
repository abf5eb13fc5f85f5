import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { afterThisTest } from "../cleanup.ts";

const PROGRAM = path.resolve("packages/hookloop/bin/hookloop.js");
const SKELETON = `#!/usr/bin/env bun
import { emitBlock, loadHookInput, runHook } from "@hookloop/sdk";
function main(): void {
  const input = loadHookInput<"PreToolUse">();
  const command: string = String((input?.tool_input as { command?: string } | undefined)?.command);
  if (command.includes("push --force")) emitBlock("No force pushes", "Open a pull request");
}
runHook(main, "guard");
`;
const PUSH = JSON.stringify({ command: "git push --force" });

let folder = "";
beforeEach(() => {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-run-")));
  afterThisTest(() => rmSync(made, { recursive: true, force: true }));
  folder = made;
  mkdirSync(path.join(folder, "node_modules", "@hookloop"), { recursive: true });
  symlinkSync(path.resolve("packages/sdk"), path.join(folder, "node_modules", "@hookloop", "sdk"));
});

const write = (name: string, text: string): void =>
  writeFileSync(path.join(folder, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], { input, env = {} }: { input?: string; env?: Record<string, string> } = {}): ChildProcess {
  const own = { PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "dumb", ...env };
  const child = spawn(process.execPath, [PROGRAM, "run", ...args], {
    cwd: folder,
    env: own,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return child;
}

async function run(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Ended> {
  const child = start(args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exit, stdout, stderr };
}

const call = (command: string): string =>
  JSON.stringify({
    session_id: "s",
    transcript_path: "/t",
    cwd: folder,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "1",
  });

describe("hookloop run shows", () => {
  test("what an agent understands of a TypeScript hook, as the skeleton of the source is written", async () => {
    write("guard.ts", SKELETON);
    const { exit, stdout } = await run(["guard.ts", "--event", "PreToolUse", "--tool", "Bash", "--input", PUSH]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^guard\.ts\nEvent +PreToolUse of Bash \{"command":"git push --force"\} \(a sample\)\nDecision +deny: it does not happen$/m,
    );
    expect(stdout).toMatch(/^Reason +No force pushes\nContext +Open a pull request\nExit code +0\nTime +\d+ ms$/m);
  });

  test("no opinion of a true sample, with the event and the tool that the file is for", async () => {
    write("stop.mjs", 'import { hook } from "@hookloop/sdk";\nhook("Stop", () => {});\n');
    expect((await run(["stop.mjs"])).stdout).toContain("Event       Stop (a sample)\nDecision    no opinion");
    write("writes.mjs", 'import { deny, hook } from "@hookloop/sdk";\nhook("PreToolUse", { tool: "Write" }, () => deny("no"));\n');
    expect((await run(["writes.mjs"])).stdout).toMatch(/PreToolUse of Write .*\nDecision +deny/);
  });

  test("the answers of sh and Python, and their exit codes", async () => {
    write("guard.sh", 'grep -q force && { echo "no force" >&2; exit 2; }\nexit 0\n');
    expect((await run(["guard.sh", "--input", PUSH])).stdout).toMatch(/Decision +deny.*\nReason +no force\nExit code +2/);
    write("guard.py", "import json, sys\nprint(json.load(sys.stdin)['hook_event_name'], file=sys.stderr)\nsys.exit(2)\n");
    expect((await run(["guard.py", "--event", "Stop"])).stdout).toMatch(/Decision +block: the agent continues.*\nReason +Stop/);
  });

  test("as JSON all of it", async () => {
    write("guard.ts", SKELETON);
    const { stdout } = await run(["guard.ts", "--input", PUSH, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      event: "PreToolUse",
      tool: "Bash",
      isSample: true,
      decision: "deny",
      reason: "No force pushes",
      context: "Open a pull request",
      exitCode: 0,
      durationMs: expect.any(Number),
    });
  });

  test("a payload that is given, also with fields that only that agent has", async () => {
    write("guard.ts", SKELETON);
    write("event.json", JSON.stringify({ ...JSON.parse(call("git push --force")), own_field: { deep: 1 } }));
    expect((await run(["guard.ts", "--payload", "event.json"])).stdout).toMatch(/\(as given\)\nDecision +deny/);
    expect((await run(["guard.ts", "--payload", "-"], { input: call("ls") })).stdout).toMatch(/\(as given\)\nDecision +no opinion/);
  });

  test.each([
    [
      "an answer without the event's name",
      `cat > /dev/null; echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`,
      "HL_TEST_EVENT_NAME",
    ],
    [
      "a field that the event does not have",
      `cat > /dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","context":"x"}}'`,
      "HL_TEST_FIELD_UNKNOWN",
    ],
    ["text before the JSON", `cat > /dev/null; echo hi; echo '{"decision":"block"}'`, "HL_TEST_OUTPUT_NOISE"],
    ["plain text", "cat > /dev/null; echo deny", "HL_TEST_OUTPUT_TEXT"],
    ["an event that nobody read", "exit 0", "HL_TEST_INPUT_UNREAD"],
  ])("%s as dropped, with exit code 1", async (_, text, code) => {
    write("hook.sh", `${text}\n`);
    const { exit, stdout } = await run(["hook.sh"]);
    expect([exit, stdout]).toEqual([1, expect.stringContaining(`  ${code}: `)]);
  });

  test.each([
    ["exits with 1", "hook.mjs", "process.exit(1)", "exit code 1"],
    [
      "throws",
      "hook.mjs",
      'import { hook } from "@hookloop/sdk";\nhook("PreToolUse", { guard: true }, () => { throw new Error("boom"); });',
      "HL_SDK_HANDLER_FAILED",
    ],
    ["has a syntax error", "hook.ts", "const a: = 1;", "exit code 1"],
    ["cannot be started", "hook.rb", "puts 1", "HL_EXECUTE_COULD_NOT_START"],
    ["is a module hook", "hook.mjs", "export default () => {};", 'a hook of "type": "module"'],
  ])("a hook that %s as failed, with exit code 1", async (_, name, text, said) => {
    write(name, text);
    const { exit, stdout } = await run([name]);
    expect([exit, /^Failed +(.*)$/m.exec(stdout)?.[1]]).toEqual([1, expect.stringContaining(said)]);
  });

  test.each([
    [["none.ts"], "There is no hook file none.ts"],
    [["."], "is not a file"],
    [["guard.ts", "--event", "PreTooluse"], 'Did you mean "PreToolUse"?'],
    [["guard.ts", "--tool", "Bsh"], 'Did you mean "Bash"?'],
    [["guard.ts", "--input", '{"comand":"ls"}'], 'Did you mean "command"?'],
    [["guard.ts", "--input", "ls"], "--input takes a JSON object"],
    [["guard.ts", "--event", "Stop", "--input", "{}"], "Stop is not about a tool call"],
    [["guard.ts", "--payload", "none.json"], "The payload cannot be read"],
    [["guard.ts", "--payload", "guard.ts"], "--payload takes a JSON object"],
    [["guard.ts", "--payload", "x", "--tool", "Bash"], "--payload is the whole event"],
    [["guard.ts", "--evnt", "Stop"], "--event"],
  ])("wrong usage with exit code 2: %j", async (args, said) => {
    write("guard.ts", SKELETON);
    const { exit, stdout, stderr } = await run(args);
    expect([exit, stdout, stderr]).toEqual([2, "", expect.stringContaining(said)]);
  });
});

describe("hookloop run as the hook itself", () => {
  test("gives stdout, stderr and exit code of the hook, and nothing else", async () => {
    write("guard.ts", SKELETON);
    const denied = await run(["guard.ts"], { input: call("git push --force") });
    expect(denied).toEqual({
      exit: 0,
      stderr: "",
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No force pushes","additionalContext":"Open a pull request"}}\n',
    });
    expect(await run(["guard.ts"], { input: call("ls") })).toEqual({ exit: 0, stdout: "", stderr: "" });
    write("odd.sh", 'cat; echo "$1" >&2; exit 7\n');
    expect(await run(["odd.sh", "--", "--fast"], { input: "through" })).toEqual({ exit: 7, stdout: "through", stderr: "--fast\n" });
  });

  test.each([
    ["a file that is not there", "none.ts", "There is no hook file"],
    ["a file that cannot be started", "hook.rb", "HL_EXECUTE_COULD_NOT_START"],
  ])("blocks with a reason for %s", async (_, name, said) => {
    write("hook.rb", "puts 1\n");
    const { exit, stdout, stderr } = await run([name], { input: call("ls") });
    expect([exit, stdout, stderr]).toEqual([2, "", expect.stringContaining(said)]);
  });

  test("is what an agent starts, also with nothing on stdin: no report passes for consent", async () => {
    write("guard.mjs", 'import { hook } from "@hookloop/sdk";\nhook("PreToolUse", { guard: true }, () => {});\n');
    const { stdout } = await run(["guard.mjs"], { env: { CLAUDE_PROJECT_DIR: folder } });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  test("ends the hook when it is ended", async () => {
    write("slow.sh", "trap 'echo ended; exit 3' TERM\necho started\nwhile :; do sleep 0.05; done\n");
    const child = start(["slow.sh"], { input: "" });
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
      if (stdout === "started\n") child.kill("SIGTERM");
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(3);
    expect(stdout).toBe("started\nended\n");
  });
});
