import { existsSync, readFileSync, statSync } from "node:fs";
import { context, deny, tellUser } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../packages/hookloop/src/engine/step.ts";
import { bash, hooksFor, openProject, printing } from "./open-project.ts";

describe("a trace sink", () => {
  test("gets every step in order, numbered without a gap", async () => {
    const records: TraceRecord[] = [];
    const project = openProject({ project: hooksFor("PreToolUse", "exit 2") });
    const hooks = await project.open({ ports: { trace: { write: (record) => void records.push(record) } } });
    hooks.on("PreToolUse", { name: "f" }, () => deny("no"));
    await hooks.fire("PreToolUse", bash("ls"));
    await hooks.fire("PreToolUse", bash("ls"));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    const steps = records.slice(0, records.length / 2).map(({ type }) => type);
    expect([steps[0], steps.at(-1), steps.toSorted()]).toEqual([
      "fired",
      "verdict",
      ["considered", "fired", "outcome", "outcome", "started", "started", "verdict"],
    ]);
    expect(records[0]).toMatchObject({
      v: 2,
      session: "session-1",
      event: "PreToolUse",
      input: { tool_name: "Bash", session_id: "session-1" },
    });
    expect(records.find((one) => one.type === "outcome" && one.exitCode === 2)).toMatchObject({ effects: [{ type: "deny" }] });
    expect(records.at(-1)).toMatchObject({ decision: "deny" });
  });

  test("gets which hooks an event has, why the others do not run, and what is told to whom", async () => {
    const records: TraceRecord[] = [];
    const native = {
      hooks: {
        PreToolUse: [
          { matcher: "Edit", hooks: [{ type: "command", command: "true", name: "other tool" }] },
          { matcher: "Bash", hooks: [{ type: "command", command: "true", if: "Bash(git *)", name: "other command" }] },
          { matcher: "Bash", hooks: [{ type: "command", command: "true", once: true, name: "first" }] },
        ],
      },
    };
    const hooks = await openProject({ native }).open({ ports: { trace: { write: (record) => void records.push(record) } } });
    hooks.on("PreToolUse", { name: "f" }, () => context("for the model").with(tellUser("for the user")));
    await hooks.fire("PreToolUse", bash("ls"));
    const [fired, considered, left] = records;
    expect(fired).toMatchObject({ type: "fired", numCommands: 3, hookTypeCounts: { command: 2, function: 1 }, pluginHookCounts: {} });
    expect(considered).toMatchObject({ type: "considered", hooks: [expect.stringMatching(/^project:/), expect.stringMatching(/^code:/)] });
    expect(left).toMatchObject({
      type: "notMatched",
      hooks: [
        { name: "other tool", why: "matcher", text: 'the matcher "Edit" does not match "Bash"' },
        { name: "other command", why: "condition", text: 'the condition "Bash(git *)" does not match' },
      ],
    });
    expect(records.filter(({ type }) => type === "told")).toMatchObject([
      { to: "model", texts: [{ text: "for the model" }] },
      { to: "user", texts: [{ text: "for the user" }] },
    ]);
    records.length = 0;
    await hooks.fire("PreToolUse", bash("ls"));
    expect(records.find(({ type }) => type === "notMatched")).toMatchObject({ hooks: [{}, {}, { name: "first", why: "once" }] });
  });

  test("is told of an event whose hooks are all for something else, which still answers at once", async () => {
    const types: string[] = [];
    const project = openProject({
      project: { hooks: { PreToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "true" }] }] } },
    });
    const hooks = await project.open();
    const verdict = hooks.fire("PreToolUse", bash("ls"), { onStep: ({ type }) => types.push(type) });
    expect([verdict instanceof Promise, types]).toEqual([false, ["fired", "notMatched", "verdict"]]);
    hooks.fire("Notification", { message: "m", notification_type: "idle_prompt" }, { onStep: ({ type }) => types.push(type) });
    expect(types).toHaveLength(3);
  });

  test("gets every diagnostic, in its place among the steps, and so does onStep", async () => {
    const records: TraceRecord[] = [];
    const own: string[] = [];
    const project = openProject({ user: hooksFor("PreTooluse", "true"), project: hooksFor("PreToolUse", "exit 7") });
    const hooks = await project.open({ ports: { trace: { write: (record) => void records.push(record) } } });
    await hooks.fire("PreToolUse", bash("ls"), { onStep: ({ type }) => own.push(type) });
    expect(records.map((one) => (one.type === "diagnostic" ? one.code : one.type))).toEqual([
      "HL_CONFIG_UNKNOWN_EVENT",
      "fired",
      "considered",
      "started",
      "HL_EXECUTE_EXIT",
      "outcome",
      "verdict",
    ]);
    expect(own).toEqual(["fired", "considered", "started", "diagnostic", "outcome", "verdict"]);
    expect(project.codes()).toEqual(["HL_CONFIG_UNKNOWN_EVENT", "HL_EXECUTE_EXIT"]);
  });

  test("that throws does no harm", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "exit 2") });
    const trace = {
      write: (): never => {
        throw new Error("disk full");
      },
    };
    const hooks = await project.open({ ports: { trace } });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("without one, functions give the same plain verdict, with their outcomes; silence is the same object every time", async () => {
    const project = openProject();
    const quiet = await project.open();
    const traced = await project.open({ ports: { trace: { write: () => undefined } } });
    for (const hooks of [quiet, traced]) {
      hooks.on("PreToolUse", {}, () => deny("no"));
      hooks.on("Notification", {}, () => undefined);
    }
    expect(quiet.fire("PreToolUse", bash("ls"))).toMatchObject({
      decision: "deny",
      outcomes: [{ effects: [{ type: "deny", reason: "no" }] }],
    });
    const notification = { message: "m", notification_type: "idle_prompt" };
    expect(quiet.fire("Notification", notification)).toBe(quiet.fire("Notification", notification));
    expect(traced.fire("PreToolUse", bash("ls"))).toMatchObject({
      decision: "deny",
      outcomes: [{ effects: [{ type: "deny", reason: "no" }] }],
    });
    expect(quiet.fire("Notification", notification)).toMatchObject({ decision: "none", outcomes: [{ effects: [] }] });
  });

  test("DEBUG=hooks prints every step readably on stderr", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "exit 2") });
    const hooks = await project.open({ ports: { env: { DEBUG: "hooks" } } });
    const lines: string[] = [];
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = ((text: string) => lines.push(text) > 0) as typeof process.stderr.write;
    try {
      await hooks.fire("PreToolUse", bash("ls"));
    } finally {
      process.stderr.write = write;
    }
    expect(lines.map((line) => line.replace(/\d+(?:\.\d+)? m?s/g, "12 ms"))).toEqual([
      "hooks Getting matching hook commands for PreToolUse with query: Bash\n",
      "hooks   Found 1 hook matchers\n",
      "hooks   Matched 1: exit 2\n",
      expect.stringMatching(/^hooks {5}exit 2 denied: .*\(exit 2, 12 ms\)\n$/),
      "hooks   Verdict of PreToolUse:Bash: deny by exit 2, 12 ms\n",
    ]);
  });
});

describe("a program that throws when it is told something does no harm", () => {
  const throwing = (): never => {
    throw new Error("do not bother me");
  };

  test("diagnostics", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "echo noise; exit 2"), user: hooksFor("PreTooluse", "true") });
    const hooks = await project.open({ onDiagnostic: throwing });
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    hooks.on("Stop", {}, throwing);
    expect((await hooks.fire("Stop", {})).decision).toBe("none");
  });

  test("steps", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", "exit 2") });
    const hooks = await project.open();
    expect((await hooks.fire("PreToolUse", bash("ls"), { onStep: throwing })).decision).toBe("deny");
  });
});

describe("a text too long for the model", () => {
  test("is saved whole in a 0600 file until the session ends, and a preview with its path is shown", async () => {
    const command = `cat >/dev/null; node -e 'console.log(JSON.stringify({hookSpecificOutput:{hookEventName:"UserPromptSubmit",additionalContext:"start"+"y".repeat(5e5)+"end"}}))'`;
    const project = openProject({ project: hooksFor("UserPromptSubmit", command) });
    const hooks = await project.open();
    const [context] = (await hooks.fire("UserPromptSubmit", { prompt: "p" })).contexts;
    expect(context?.text.length).toBeLessThan(3_000);
    expect(context?.text).toContain("starty");
    const file = /The whole text is in (\S+)/.exec(context?.text ?? "")?.[1] ?? "";
    const saved = readFileSync(file, "utf8");
    expect([statSync(file).mode & 0o777, saved.length, saved.endsWith("end")]).toEqual([0o600, 500_008, true]);
    await hooks.close();
    expect(existsSync(file)).toBe(false);
  });

  test("a secret in it is neither shown nor saved", async () => {
    const secret = "hunter2hunter2hunter2";
    const project = openProject({ user: hooksFor("UserPromptSubmit", "cat >/dev/null; cat big.txt") });
    project.write("project/big.txt", `${secret} ${"y".repeat(20_000)} ${secret}`);
    const hooks = await project.open({ ports: { env: { MY_API_TOKEN: secret } } });
    const text = (await hooks.fire("UserPromptSubmit", { prompt: "p" })).contexts[0]?.text ?? "";
    const file = /The whole text is in (\S+)/.exec(text)?.[1] ?? "";
    expect([text.includes(secret), readFileSync(file, "utf8").includes(secret)]).toEqual([false, false]);
  });

  test("reasons are saved too", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", printing({ decision: "block", reason: "z".repeat(20_000) })) });
    const { reasons, decision } = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect([decision, reasons[0]?.text.startsWith("<persisted-output>")]).toEqual(["deny", true]);
  });
});
