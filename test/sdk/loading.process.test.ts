import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, fixture, type RunOptions, runScript, temporaryFolder, toolCall } from "./run-script.ts";

const run = (file: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  runScript(fixture(file), { args, stdin: toolCall("ls"), ...options });

describe.concurrent("a hook declared after an await", () => {
  test("is declared in time if it is the first", async () => {
    expect(answerOf(await run("late.mjs", ["absent"]))).toEqual(denial("no --force"));
  });

  test("makes the script block if the answer is given before it is declared", async () => {
    const ended = await run("late.mjs", ["0"]);
    expect(ended.stdout).toContain("HL_SDK_HOOK_LATE: late answered before all of its hooks were declared");
    expect(ended.stdout).toContain('"permissionDecision":"deny"');
  });

  test("is loud while another hook is at work", async () => {
    const ended = await run("late.mjs", ["600"]);
    expect(ended.stderr).toContain("HL_SDK_HOOK_LATE: declare hooks before the first await");
    expect(ended.exitCode).not.toBe(0);
  });
});

describe.concurrent("hooks in a file that the main file imports", () => {
  const denied = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "no, says the first\nno, says the fourth",
      additionalContext: "a hint of the second",
    },
  };

  test.each(["imports-guards.mjs", "guards.mjs"])("everything the matching hooks of %s say counts", async (file) => {
    const ended = await run(file, []);
    expect(answerOf(ended)).toEqual(denied);
    expect(ended).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test("each event has its own hooks", async () => {
    const prompt = { hook_event_name: "UserPromptSubmit", prompt: "the secret" };
    expect(answerOf(await run("imports-guards.mjs", [], { stdin: toolCall("ls", prompt) }))).toEqual({
      decision: "block",
      reason: "no secrets",
    });
  });

  test("block when the event cannot be read", async () => {
    expect(await run("imports-guards.mjs", [], { stdin: "{" })).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("HL_SDK_STDIN_INVALID"),
      exitCode: 2,
    });
  });

  test("deny by exit code 2 when the main file has printed", async () => {
    expect(await run("imports-guards.mjs", ["prints"])).toMatchObject({ stderr: "no, says the first\nno, says the fourth\n", exitCode: 2 });
  });

  test.each([
    ["nothing", "", 0],
    ["prints", "the program's own output\n", 0],
    ["sets an exit code", "", 3],
  ])("leave a program alone that %s and has no event on stdin", async (deed, stdout, exitCode) => {
    expect(await run("imports-guards.mjs", [deed], { stdin: "" })).toMatchObject({ stdout, stderr: "", exitCode });
  });

  test("let a program go whose stdin stays open and silent, once they are sure", async () => {
    const env = { HOOKLOOP_STDIN_TIMEOUT_MS: "300" };
    const ended = await run("imports-guards.mjs", ["prints"], { stdin: "", afterwards: "stay open", env });
    expect(ended).toMatchObject({ stdout: "the program's own output\n", stderr: "", exitCode: 0 });
  });

  test("get an event that comes late", async () => {
    const ended = await run("imports-guards.mjs", [], { shell: '(sleep 1; printf %s "$EVENT") | "$@"', env: { EVENT: toolCall("ls") } });
    expect(answerOf(ended)).toEqual(denied);
  });

  test("and hooks of the main file answer together", async () => {
    const reason = "no, says the first\nno, says the fourth\nno, says the main file";
    const hookSpecificOutput = { ...denied.hookSpecificOutput, permissionDecisionReason: reason };
    expect(answerOf(await run("imports-guards.mjs", ["declares a hook too"]))).toEqual({ hookSpecificOutput });
  });

  test("and hooks of the main file answer though the main file holds a timer", async () => {
    const ended = await run("imports-guards.mjs", ["declares a hook too, holds a timer"], { limitMs: 4000 });
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('"permissionDecision":"deny"');
  });
});

describe.concurrent("two copies of the SDK", () => {
  const copy = temporaryFolder();
  cpSync(fileURLToPath(new URL("../../packages/sdk/dist", import.meta.url)), path.join(copy, "dist"), { recursive: true });
  writeFileSync(path.join(copy, "package.json"), '{"type":"module"}');
  const runCopies = (way: string): Promise<Ended> => run("two-copies.mjs", [path.join(copy, "dist/index.js"), way]);

  test("answer once, with what the hooks of both say", async () => {
    expect(answerOf(await runCopies("hook"))).toEqual(denial("from the first copy\nfrom the second copy"));
  });

  test("understand each other's results", async () => {
    expect(answerOf(await runCopies("results"))).toEqual(denial("from the second copy"));
  });

  test("understand each other's emitBlock", async () => {
    expect(answerOf(await runCopies("S4 block"))).toEqual(denial("no"));
  });

  test("understand each other's emitBlockViaExit", async () => {
    expect(await runCopies("S4 exit")).toMatchObject({ stdout: "", stderr: "no\n", exitCode: 2 });
  });
});

describe.concurrent("merely importing the SDK", () => {
  // One listener, of "exit": it says so if the script declares no hook.
  const untouched = '{"before":[0,0,0,1,0,0],"after":[0,0,0,2,0,0],"sameWrite":true}\n';

  test("adds one listener, of the exit, and leaves console.log alone", async () => {
    expect(await run("import-only.mjs", [])).toMatchObject({ stdout: untouched, stderr: "", exitCode: 0 });
  });

  test("does not read stdin", async () => {
    expect(await run("import-only.mjs", ["reads stdin"], { stdin: "mine" })).toMatchObject({ stdout: `${untouched}mine\n`, exitCode: 0 });
  });

  test("does not wait for stdin", async () => {
    const ended = await run("import-only.mjs", [], { stdin: "", afterwards: "stay open" });
    expect(ended).toMatchObject({ stdout: untouched, exitCode: 0 });
  });
});

describe.concurrent("a script that declares no hook", () => {
  const env = { CLAUDE_PROJECT_DIR: temporaryFolder() };
  const cure = "Call hook(event, handler) or runHook(main, name), without /testing";

  test.each([
    ["and only exports a function", "", 1, `HL_SDK_HOOK_MISSING: no hook is declared. ${cure}\n`],
    ["and allows where nothing listens", "calls allow()", 1, `HL_SDK_HOOK_MISSING: no hook is declared. ${cure}\n`],
    [
      "and denies where nothing listens blocks",
      "calls deny()",
      2,
      `HL_SDK_HOOK_MISSING: nothing listens to deny(), so it blocks. ${cure}\n`,
    ],
    ["and denies and exits blocks", "calls deny() and process.exit()", 2, "nothing listens to deny()"],
    ["and calls emitBlock() blocks", "calls emitBlock()", 2, "nothing listens to emitBlock(), so it blocks"],
    ["and calls emitBlockViaExit() blocks", "calls emitBlockViaExit()", 2, "nothing listens to emitBlockViaExit()"],
  ])("%s", async (_what, deed, exitCode, stderr) => {
    for (const options of [{ env }, {}]) {
      const ended = await run("no-hook.mjs", [deed], options);
      expect(ended).toMatchObject({ stdout: "", stderr: expect.stringContaining(stderr), exitCode });
      // It is the reason that people and the model read: nothing of the SDK's own code belongs in it.
      expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
    }
  });

  test.each([
    ["logs", 0],
    ["reads the event", 0],
    ["is called by itself", 0],
    ["prints", 0],
    ["denies and prints", 0],
    ["fails", 3],
  ])("and %s is left alone", async (deed, exitCode) => {
    expect(await run("no-hook.mjs", [deed], { env: { ...env, HOOK_LOG_DISABLE: "1" } })).toMatchObject({ stderr: "", exitCode });
  });

  test("that runs, because it imports the testing entry, blocks; one that tests its own hook is left alone", async () => {
    expect(await run("testing-entry.mjs", [], { env })).toMatchObject({
      stdout: "",
      stderr:
        "HL_SDK_HOOK_MISSING: nothing listens to hook(), so it blocks. Call hook(event, handler) or runHook(main, name), without /testing\n",
      exitCode: 2,
    });
    expect(await run("testing-entry.mjs", ["tests itself"], { env })).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("and was not started by an agent is left alone", async () => {
    const shell = '"$@" </dev/null';
    expect(await run("no-hook.mjs", ["calls deny()"], { shell, env: { CLAUDE_PROJECT_DIR: "" } })).toMatchObject({
      stderr: "",
      exitCode: 0,
    });
  });
});
