import { describe, expect, test } from "vitest";
import type { Outcome } from "../../packages/hookloop/src/judge/effects.ts";
import { isLive, until } from "./execute/processes.ts";
import { bash, decides, hooksFor, openProject, printing } from "./open-project.ts";

const saysContext = (event: string, text: string): string =>
  printing({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });

describe("an async hook", () => {
  test("delays nothing; what it says comes with the next event that can carry it, once", async () => {
    const command = `until [ -e go ]; do sleep 0.02; done; ${saysContext("PostToolUse", "linted")}; touch said`;
    const project = openProject({ project: hooksFor("PostToolUse", [{ command, async: true }]) });
    const hooks = await project.open();
    const first = await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    expect(first.contexts).toEqual([]);
    project.write("project/go", "");
    await until(() => project.read("said") !== undefined);
    await settle();
    expect((await hooks.fire("CwdChanged", { old_cwd: "/a", new_cwd: "/b" })).contexts).toEqual([]);
    expect((await hooks.fire("Stop", { stop_hook_active: false })).continueWith).toEqual([]);
    const carried = await hooks.fire("PreToolUse", bash("ls"));
    expect(carried.contexts.map(({ text }) => text)).toEqual(["linted"]);
    expect((await hooks.fire("PreToolUse", bash("ls"))).contexts).toEqual([]);
  });

  test.each([
    ["denies", decides("deny", { permissionDecisionReason: "late" })],
    ["exits with 2", "echo late >&2; exit 2"],
    ["asks", decides("ask")],
    ["halts", printing({ continue: false, stopReason: "late" })],
    ["rewrites", decides("allow", { updatedInput: { command: "late" } })],
  ])("that %s has no say, neither now nor at the next event, and it is said once that it came too late", async (_what, command) => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: `${command}`, async: true }], { matcher: "Bash" }) });
    const hooks = await project.open();
    const now = await hooks.fire("PreToolUse", bash("ls"));
    await settle();
    await settle();
    const next = await hooks.fire("PreToolUse", { tool_name: "Read", tool_input: { file_path: "/a" } });
    for (const verdict of [now, next]) {
      expect([verdict.decision, verdict.halt, verdict.updatedInput]).toEqual(["none", undefined, undefined]);
    }
    await hooks.fire("PreToolUse", bash("ls"));
    await hooks.close();
    expect(project.diagnostics).toMatchObject([
      { code: "HL_LOOP_TOO_LATE", level: "warning", text: expect.stringContaining('Remove "async"'), place: { line: 1 } },
    ]);
  });

  test.each([
    ["of Claude Code's files", "project", 1],
    ["of hookloop's own files", "native", 0],
  ] as const)("%s: plain text that would be context is carried on, or it is said once that it is not", async (_whose, file, lost) => {
    const project = openProject({ [file]: hooksFor("SessionStart", [{ command: "echo be brief; touch said", async: true }]) });
    const hooks = await project.open();
    for (let start = 0; start < 2; start++) {
      await hooks.fire("SessionStart", { source: "startup" });
      await until(() => project.read("said") !== undefined);
      await settle();
    }
    const carried = await hooks.fire("UserPromptSubmit", { prompt: "p" });
    await hooks.close();
    expect(carried.contexts.length > 0).toBe(lost === 0);
    const said = { code: "HL_LOOP_TOO_LATE", level: "warning", text: expect.stringContaining("additionalContext") };
    expect(project.diagnostics).toMatchObject(lost === 0 ? [] : [said]);
  });

  test.each(["block", "ask"])("with onFailure %s is waited for, and its denial counts", async (onFailure) => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: "exit 2", async: true, onFailure }]) });
    expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(project.diagnostics).toContainEqual(
      expect.objectContaining({ code: "HL_CONFIG_IGNORED_KEY", level: "warning", text: expect.stringContaining('Remove "async"') }),
    );
  });

  test("is ended when the engine closes, and close waits for that", async () => {
    const command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    const project = openProject({ project: hooksFor("PostToolUse", [{ command, async: true }]) });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => Boolean(project.read("pid")));
    const startedAt = performance.now();
    await hooks.close();
    expect(isLive(Number(project.read("pid")))).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('a hook whose first line is {"async": true}', () => {
  const FIRST = `echo '{"async":true}'`;

  test("is not waited for, and is then an async hook: what it says comes with the next event", async () => {
    const command = `${FIRST}; until [ -e go ]; do sleep 0.02; done; ${saysContext("PostToolUse", "linted")}; touch said`;
    const project = openProject({ project: hooksFor("PostToolUse", [{ command }]) });
    const hooks = await project.open();
    const first = await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    expect([first.contexts, first.outcomes.map(({ isBackground }) => isBackground)]).toEqual([[], [true]]);
    project.write("project/go", "");
    await until(() => project.read("said") !== undefined);
    await settle();
    expect((await hooks.fire("PreToolUse", bash("ls"))).contexts.map(({ text }) => text)).toEqual(["linted"]);
    expect(project.codes()).toEqual([]);
  });

  test.each([
    ["denies", decides("deny")],
    ["exits with 2", "echo late >&2; exit 2"],
  ])("that %s later has no say", async (_what, command) => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: `${FIRST}; ${command}` }], { matcher: "Bash" }) });
    const hooks = await project.open();
    const now = await hooks.fire("PreToolUse", bash("ls"));
    await settle();
    const next = await hooks.fire("PreToolUse", { tool_name: "Read", tool_input: { file_path: "/a" } });
    expect([now.decision, next.decision]).toEqual(["none", "none"]);
    await hooks.close();
    expect(project.codes()).toEqual(["HL_LOOP_TOO_LATE"]);
  });

  test("is ended at its asyncTimeout, and is reported", async () => {
    const command = `echo '{"async":true,"asyncTimeout":200}'; echo $$ > pid; sleep 100`;
    const project = openProject({ project: hooksFor("PostToolUse", [{ command }]) });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => Boolean(project.read("pid")) && !isLive(Number(project.read("pid"))));
    await settle();
    expect(project.codes()).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });

  test("is ended when the engine closes", async () => {
    const project = openProject({
      project: hooksFor("PostToolUse", [{ command: `${FIRST}; trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done` }]),
    });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => Boolean(project.read("pid")));
    await hooks.close();
    expect(isLive(Number(project.read("pid")))).toBe(false);
  });

  test.each([
    ["a guard", { guard: true }],
    ["a native gate", {}],
  ])("is waited for all the same if it is %s, with a warning", async (_what, options) => {
    const command = `${FIRST}; sleep 0.2; ${decides("deny")}`;
    const project = openProject({ native: hooksFor("PreToolUse", [{ command, ...options }]) });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_OUTPUT_NOT_HONOURED"]);
  });
});

describe("an asyncRewake hook", () => {
  test("wakes the agent on exit 2 with what it said, and not otherwise", async () => {
    const woken: Outcome[] = [];
    const project = openProject({
      project: hooksFor("PostToolUse", [
        { command: "touch quiet; exit 0", asyncRewake: true },
        { command: "echo tests are red >&2; exit 2", asyncRewake: true },
      ]),
    });
    const hooks = await project.open({ onWake: (outcome) => woken.push(outcome) });
    const verdict = await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    expect(verdict.feedback).toEqual([]);
    await until(() => woken.length > 0 && project.read("quiet") !== undefined);
    expect(woken.map(({ effects }) => effects)).toEqual([[{ type: "feedback", text: "tests are red" }]]);
  });

  test.each(["Stop", "UserPromptSubmit", "PostToolBatch", "SubagentStop"] as const)(
    "wakes on every event that can block: %s",
    async (event) => {
      const woken: Outcome[] = [];
      const project = openProject({ project: hooksFor(event, [{ command: "echo red >&2; exit 2", asyncRewake: true }]) });
      const hooks = await project.open({ onWake: (outcome) => woken.push(outcome) });
      const verdict = await hooks.fire(event, { prompt: "p", agent_type: "a" });
      expect([verdict.decision, verdict.continueWith, verdict.halt]).toEqual(["none", [], undefined]);
      await until(() => woken.length > 0);
      expect(JSON.stringify(woken[0]?.effects)).toContain("red");
    },
  );

  test("is received with the next event without a listener to be woken", async () => {
    const project = openProject({
      project: hooksFor("PostToolUse", [{ command: "touch ran; echo tests are red >&2; exit 2", asyncRewake: true }]),
    });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => project.read("ran") !== undefined);
    await settle();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.contexts.map(({ text }) => text)]).toEqual(["none", ["tests are red"]]);
  });

  test("a program that throws when it is woken does no harm", async () => {
    const project = openProject({ project: hooksFor("PostToolUse", [{ command: "touch ran; exit 2", asyncRewake: true }]) });
    const hooks = await project.open({
      onWake: () => {
        throw new Error("not now");
      },
    });
    await hooks.fire("PostToolUse", { ...bash("ls"), tool_response: "x" });
    await until(() => project.read("ran") !== undefined);
    await settle();
    await expect(hooks.close()).resolves.toBeUndefined();
    expect(project.codes()).toEqual(["HL_EXECUTE_THREW"]);
  });
});

test("a once hook of a native file runs once per session, and only when it was selected", async () => {
  const project = openProject({
    native: hooksFor("PreToolUse", [{ command: "echo ran >> count", once: true, if: "Bash(git *)" }]),
  });
  const hooks = await project.open();
  await hooks.fire("PreToolUse", bash("ls"));
  expect(project.read("count")).toBeUndefined();
  await Promise.all([hooks.fire("PreToolUse", bash("git status")), hooks.fire("PreToolUse", bash("git log"))]);
  await hooks.fire("PreToolUse", bash("git push"));
  expect(project.read("count")).toBe("ran");
  const other = await project.open();
  await other.fire("PreToolUse", bash("git status"));
  expect(project.read("count")).toBe("ran\nran");
});

test("a once hook is not used up by an event that was cancelled before it ran", async () => {
  const project = openProject({ native: hooksFor("PreToolUse", [{ command: "echo ran >> count", once: true }]) });
  const hooks = await project.open();
  await hooks.fire("PreToolUse", bash("ls"), { signal: AbortSignal.abort() });
  await hooks.fire("PreToolUse", bash("ls"));
  await hooks.fire("PreToolUse", bash("ls"));
  expect(project.read("count")).toBe("ran");
});

describe("a condition sees through what stands around a command", () => {
  test.each([
    ["git push origin", true],
    ["sudo git push origin", true],
    ["env A=1 git push origin", true],
    ["bash -c 'git push origin'", true],
    ["ls && sudo env B=2 bash -c 'cd /tmp; git push origin'", true],
    ["timeout 5 git push origin", true],
    ["git status", false],
    ["echo git push origin", false],
  ])("%s: %s", async (command, runs) => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: "touch ran", if: "Bash(git push *)" }]) });
    await (await project.open()).fire("PreToolUse", bash(command));
    expect(project.read("ran")).toBe(runs ? "" : undefined);
  });
});

describe("the session's env file", () => {
  test("exports of a SessionStart hook reach later shell tools", async () => {
    const project = openProject({
      project: hooksFor("SessionStart", `echo 'export MODE="a b"' >> "$CLAUDE_ENV_FILE"; echo 'export SECOND=2' >> "$CLAUDE_ENV_FILE"`),
    });
    const hooks = await project.open();
    expect(hooks.shellEnv()).toEqual({});
    await hooks.fire("SessionStart", { source: "startup" });
    expect(hooks.shellEnv()).toEqual({ MODE: "a b", SECOND: "2" });
  });

  test("names that load code or lead the model client elsewhere are refused, each told once", async () => {
    const lines = ["export LD_PRELOAD=/tmp/x.so", "export ANTHROPIC_BASE_URL=http://x", "export FINE=1"];
    const project = openProject({
      project: hooksFor("SessionStart", lines.map((line) => `echo '${line}' >> "$CLAUDE_ENV_FILE"`).join("; ")),
    });
    const hooks = await project.open();
    await hooks.fire("SessionStart", { source: "startup" });
    expect([hooks.shellEnv(), hooks.shellEnv()]).toEqual([{ FINE: "1" }, { FINE: "1" }]);
    expect(project.diagnostics.map(({ code, text }) => `${code} ${text}`)).toEqual([
      "HL_EXECUTE_ENV_FILE line 1 of CLAUDE_ENV_FILE is not used: LD_PRELOAD cannot be set from here: it makes programs load code",
      "HL_EXECUTE_ENV_FILE line 2 of CLAUDE_ENV_FILE is not used: ANTHROPIC_BASE_URL cannot be set from here: it steers the model client",
    ]);
  });

  test("events without one do not get its path", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", 'echo "[$CLAUDE_ENV_FILE]" > seen') });
    await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(project.read("seen")).toBe("[]");
  });
});

/** Long enough for an outcome that is on its way; what is asserted after it must hold at any time. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 250));
}
