import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, denial, type Ended, fixture, type RunOptions, runScript, temporaryFolder, toolCall } from "./run-script.ts";

const run = (file: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  runScript(fixture(file), { args, stdin: toolCall("ls"), ...options });

/** What a failure ends in: the guard blocks, the others say what happened and fail open. */
function expectFailure(ended: Ended, way: string, { name, code }: { name: string; code: string }): void {
  expect(ended.stderr).toMatch(new RegExp(`^HL_SDK_${code}: `, "m"));
  if (way.endsWith("guard")) {
    expect(answerOf(ended)).toEqual(
      denial(expect.stringMatching(new RegExp(`^The guard ${name} failed, so it blocks. HL_SDK_${code}: ${name}`))),
    );
    expect(ended.exitCode).toBe(0);
    return;
  }
  expect(ended).toMatchObject({ stdout: "", exitCode: way === "S4 plain" ? 0 : 1 });
}

const WAYS = ["guard", "plain", "S4 guard", "S4 plain"];

describe.concurrent.each(WAYS)("%s, a handler that", (way) => {
  test.each([
    ["throws an error", "HANDLER_FAILED"],
    ["throws a string", "HANDLER_FAILED"],
    ["throws an object without a prototype", "HANDLER_FAILED"],
    ["throws in a timer", "HANDLER_FAILED"],
    ["throws an object without a prototype in a timer", "HANDLER_FAILED"],
    ["throws in a timer what throws when it is read", "HANDLER_FAILED"],
    ["throws in a timer an error whose stack throws", "HANDLER_FAILED"],
    ["throws nothing", "HANDLER_FAILED"],
    ["rejects", "HANDLER_FAILED"],
    ["rejects with nothing", "HANDLER_FAILED"],
    ["forgets a rejected promise", "HANDLER_FAILED"],
    ["never settles", "HANDLER_UNSETTLED"],
  ])("%s has failed", async (deed, code) => {
    expectFailure(await run("misbehaving.mjs", [way, deed]), way, { name: "misbehaving", code });
  });

  test.each([
    ["throws a result", "deny(…).with(context(…))"],
    ["rejects with a result", "deny(…)"],
    ["throws a result in a timer", "deny(…)"],
  ])("%s has failed and is told to return it", async (deed, result) => {
    const ended = await run("misbehaving.mjs", [way, deed]);
    expectFailure(ended, way, { name: "misbehaving", code: "HANDLER_FAILED" });
    expect(ended.stderr).toContain(`misbehaving: it threw ${result}: return it from the handler of hook()`);
  });

  test.each([
    ["throws nothing", "undefined"],
    ["throws an empty text", '""'],
    ["throws an object", "{}"],
  ])("%s has failed, and it says what was thrown", async (deed, what) => {
    expect((await run("misbehaving.mjs", [way, deed])).stderr).toContain(`misbehaving: no message (${what} was thrown)`);
  });

  test("never settles has failed, also while stdin stays open", async () => {
    const ended = await run("misbehaving.mjs", [way, "never settles"], { afterwards: "stay open", limitMs: 4000 });
    expectFailure(ended, way, {
      name: "misbehaving",
      code: "HANDLER_UNSETTLED",
    });
  });

  test.each(["prints with console.log", "prints with process.stdout.write", "prints after an await", "prints with process.stdout.end"])(
    "%s does not spoil the answer",
    async (deed) => {
      const ended = await run("misbehaving.mjs", [way, deed]);
      expect(answerOf(ended)).toEqual(denial("no"));
      expect(ended).toMatchObject({ stderr: expect.stringMatching(/^HL_SDK_STDOUT_STRAY: .*noise/), exitCode: 0 });
    },
  );

  test("waits for the callback of a write to stdout gets it", async () => {
    expect(answerOf(await run("misbehaving.mjs", [way, "waits for the callback of a write"]))).toEqual(denial("no"));
  });

  test.each(["leaves a timer", "leaves a server"])("%s ends at once with its answer", async (deed) => {
    const ended = await run("misbehaving.mjs", [way, deed]);
    expect(answerOf(ended)).toEqual(denial("no"));
    expect(ended).toMatchObject({ stderr: "", exitCode: 0 });
  });
});

describe.concurrent.each(["guard", "plain"])("%s, a handler that", (way) => {
  test("never settles and holds a timer ends after its own time limit", async () => {
    const ended = await run("misbehaving.mjs", [way, "never settles and holds a timer"]);
    expectFailure(ended, way, { name: "misbehaving", code: "HANDLER_TIMEOUT" });
    expect(ended.stderr).toContain("gave no answer within 200 ms");
  });

  test.each([
    ["returns a string", "RESULT_INVALID"],
    ["returns true", "RESULT_INVALID"],
    ["returns a list", "RESULT_INVALID"],
    ["returns a helper it did not call", "RESULT_INVALID"],
    ["returns bare JSON", "RESULT_INVALID"],
    ["returns a number", "HANDLER_FAILED"],
    ["returns parts that are none", "RESULT_INVALID"],
    ["returns a circle", "RESULT_INVALID"],
  ])("%s has failed", async (deed, code) => {
    expectFailure(await run("misbehaving.mjs", [way, deed]), way, { name: "misbehaving", code });
  });
});

test("a guard that returns what the event cannot express blocks", async () => {
  expect(answerOf(await run("misbehaving.mjs", ["guard", "returns what the event cannot express"]))).toEqual(
    denial(expect.stringContaining("HL_SDK_NOT_EXPRESSIBLE")),
  );
});

test("a plain hook that returns what the event cannot express says so and fails open", async () => {
  const ended = await run("misbehaving.mjs", ["plain", "returns what the event cannot express"]);
  expect(ended).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^HL_SDK_NOT_EXPRESSIBLE: /), exitCode: 1 });
});

test("deny beats ask and allow in one result", async () => {
  expect(answerOf(await run("misbehaving.mjs", ["plain", "denies and asks"]))).toEqual(denial("no"));
});

describe.concurrent("what was said before something went wrong still counts:", () => {
  const DEEDS = ["throws an error", "rejects", "throws in a timer", "forgets a rejected promise", "never settles"];

  test.each(DEEDS)("the deny of one hook when another %s", async (deed) => {
    expect(answerOf(await run("misbehaving.mjs", ["deny beside", deed]))).toEqual(denial("no"));
  });

  test.each(DEEDS)("the emitted block of a main function that then %s", async (deed) => {
    expect(answerOf(await run("misbehaving.mjs", ["S4 block then", deed]))).toEqual(denial("no"));
  });
});

describe.concurrent("S4 output", () => {
  test("several emits are one JSON document, and it denies", async () => {
    expect(answerOf(await run("misbehaving.mjs", ["S4 several outputs"]))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "first\nsecond",
        additionalContext: "between",
      },
    });
  });

  test("emitBlockViaExit in a callback still ends the hook with exit code 2", async () => {
    expect(await run("misbehaving.mjs", ["S4 exit in a timer"])).toMatchObject({ stdout: "", stderr: "no\n", exitCode: 2 });
  });

  test.each(["S4 two mains", "S4 main beside a hook"])("%s: the denial of the second is not lost", async (way) => {
    const ended = await run("misbehaving.mjs", [way]);
    expect(ended.stdout + ended.stderr).toContain("from the second");
    expect(ended.stdout.includes('"deny"') || ended.exitCode === 2).toBe(true);
  });

  test("a main function that never settles and holds a timer ends shortly before the agent gives up", async () => {
    const stdin = JSON.stringify({ session_id: "s", transcript_path: "/t", cwd: "/tmp", hook_event_name: "SessionEnd", reason: "other" });
    // An agent waits 1.5 seconds at SessionEnd.
    const ended = await run("misbehaving.mjs", ["S4 plain", "never settles and holds a timer"], { stdin, limitMs: 4000 });
    expect(ended).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^HL_SDK_HANDLER_TIMEOUT: /), exitCode: 0 });
  });
});

describe.concurrent.each(WAYS)("%s, a file whose top level", (way) => {
  test.each(["throws", "throws after an await", "forgets a rejected promise", "throws in a timer"])(
    "%s after the hook is declared has failed",
    async (deed) => {
      const ended = await run("top-level.mjs", [way, deed]);
      expect(ended.stderr).toContain("boom");
      if (!way.endsWith("guard")) expect(ended.stdout).toBe("");
      // A guard blocks; by JSON or by exit code is the same to the agent.
      else expect(ended.exitCode === 2 || ended.stdout.includes('"permissionDecision":"deny"')).toBe(true);
    },
  );

  test.each(["waits for ever", "holds a timer"])("%s does not keep the answer back", async (deed) => {
    expect(await run("top-level.mjs", [way, deed])).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });
});

describe.concurrent.each(WAYS)("%s, a handler that ends the process", (way) => {
  test("with exit code 2 blocks, with its own words", async () => {
    expect(await run("misbehaving.mjs", [way, "exits with 2"])).toMatchObject({
      stderr: expect.stringMatching(/^not this\n/),
      exitCode: 2,
    });
  });

  test("with exit code 0 has failed", async () => {
    expectFailure(await run("misbehaving.mjs", [way, "exits with 0"]), way, { name: "misbehaving", code: "HANDLER_EXITED" });
  });
});

describe.concurrent.each(WAYS)("%s, a handler that sets process.exitCode", (way) => {
  test("to 2 blocks, with its own words", async () => {
    expect(await run("misbehaving.mjs", [way, "sets exit code 2"])).toMatchObject({
      stderr: expect.stringMatching(/^not this\n/),
      exitCode: 2,
    });
  });

  test("to another code has failed", async () => {
    expectFailure(await run("misbehaving.mjs", [way, "sets exit code 1"]), way, { name: "misbehaving", code: "HANDLER_EXITED" });
  });

  test("and denies gives its own reason", async () => {
    expect(answerOf(await run("misbehaving.mjs", [way, "denies and sets exit code 2"]))).toEqual(denial("no"));
  });
});

describe.concurrent.each(["guard", "S4 guard"])("%s that", (way) => {
  test.each([
    ["reads a field that is not sent", "FIELD_MISSPELT"],
    ["decides after it has returned", "RESULT_NOT_RETURNED"],
  ])("%s has failed", async (deed, code) => {
    expectFailure(await run("misbehaving.mjs", [way, deed]), way, { name: "misbehaving", code });
  });
});

test("a hook that changes its input says that this changes nothing, and a guard blocks", async () => {
  const plain = await run("misbehaving.mjs", ["plain", "changes its input"]);
  expect(plain).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^HL_SDK_INPUT_CHANGED: /), exitCode: 1 });
  const guard = await run("misbehaving.mjs", ["guard", "changes its input"]);
  expect(guard.stdout).toContain('"permissionDecision":"deny"');
});

test.each(["guard", "plain"])("%s, a file that sets process.exitCode to 2 at top level blocks", async (way) => {
  expect((await run("top-level.mjs", [way, "sets exit code 2"])).exitCode).toBe(2);
});

describe.concurrent("a hook that prints and says nothing", () => {
  test.each(["prints a decision", "prints a word"])("%s: a guard blocks, another fails", async (deed) => {
    for (const way of ["guard", "S4 guard"]) {
      const ended = await run("misbehaving.mjs", [way, deed]);
      const reason =
        /^The guard misbehaving failed, so it blocks\. HL_SDK_STDOUT_STRAY: stdout is for the answer\. Return it, or print with console\.error: /;
      expect(answerOf(ended)).toEqual(denial(expect.stringMatching(reason)));
    }
    expect(await run("misbehaving.mjs", ["plain", deed])).toMatchObject({
      stdout: "",
      exitCode: 1,
      stderr: expect.stringMatching(/^HL_SDK_STDOUT_STRAY: [^"]*$/),
    });
  });

  test("before hook(): a guard blocks, another fails", async () => {
    expect(await run("top-level.mjs", ["guard", "prints before hook()"])).toMatchObject({
      stderr: expect.stringContaining("The guard top-level failed, so it blocks. HL_SDK_STDOUT_STRAY"),
      exitCode: 2,
    });
    expect((await run("top-level.mjs", ["plain", "prints before hook()"])).exitCode).toBe(1);
  });

  test("into a file that is not empty: the message says so", async () => {
    const file = path.join(temporaryFolder(), "out");
    const ended = await run("top-level.mjs", ["guard", "nothing"], { shell: `echo before >${file}; "$@" >>${file}` });
    expect(ended).toMatchObject({ stderr: expect.stringContaining("stdout is a file with content"), exitCode: 2 });
  });
});

describe.concurrent("a file that prints at top level", () => {
  const before = "prints before hook()";

  test("before hook() still denies, by exit code 2", async () => {
    const ended = await run("top-level.mjs", ["guard that denies", before]);
    expect(ended).toMatchObject({ stdout: expect.stringMatching(/^noise\n/), stderr: "no\n", exitCode: 2 });
  });

  // The agent does not find the JSON behind the noise, and would continue as if the guard had agreed.
  test.each(["guard that asks", "guard that rewrites", "guard that stops"])(
    "before hook() and is a %s blocks, as its answer is lost",
    async (way) => {
      expect((await run("top-level.mjs", [way, before])).exitCode).toBe(2);
    },
  );

  test("before hook() and adds context says that it may be lost", async () => {
    const ended = await run("top-level.mjs", ["plain hook that adds context", before]);
    expect(ended).toMatchObject({ stderr: expect.stringMatching(/^HL_SDK_STDOUT_STRAY: /), exitCode: 0 });
  });

  test.each([
    ["guard that denies", denial("no")],
    [
      "guard that asks",
      { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: "sure?" } },
    ],
    ["guard that rewrites", { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "ls" } } }],
    ["guard that stops", { continue: false, stopReason: "enough" }],
    ["plain hook that adds context", { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "fine" } }],
  ])("after hook() does not spoil the answer of a %s", async (way, answer) => {
    const ended = await run("top-level.mjs", [way, "prints after hook()"]);
    expect(answerOf(ended)).toEqual(answer);
    expect(ended).toMatchObject({ stderr: expect.stringMatching(/^HL_SDK_STDOUT_STRAY: /), exitCode: 0 });
  });
});
