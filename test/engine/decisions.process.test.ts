import { allow, ask, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { bash, decides, hooksFor, openProject, printing } from "./open-project.ts";

const DENY = decides("deny", { permissionDecisionReason: "no" });
const ALLOW = decides("allow", { permissionDecisionReason: "yes" });
const ASK = decides("ask", { permissionDecisionReason: "sure?" });
const DEFER = decides("defer", { permissionDecisionReason: "later" });

describe("the strictest decision wins in any order", () => {
  test.each([
    ["deny first", [DENY, ALLOW], "deny", ["no"]],
    ["deny last", [ALLOW, DENY], "deny", ["no"]],
    ["deny in the middle of everything", [ALLOW, ASK, DENY, DEFER], "deny", ["no"]],
    ["defer over ask", [DEFER, ASK, ALLOW], "defer", ["later"]],
    ["ask over allow", [ALLOW, ASK], "ask", ["sure?"]],
    ["allow over nothing", ["true", ALLOW], "allow", ["yes"]],
    ["nothing", ["true"], "none", []],
  ] as const)("%s", async (_name, commands, decision, reasons) => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", commands) }).open();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons.map(({ text }) => text)]).toEqual([decision, reasons]);
  });

  test.each([
    ["a command denies, a function allows", DENY, () => allow("fine")],
    ["a command allows, a function denies", ALLOW, () => deny("no")],
    ["a command allows, a slow function denies", ALLOW, async () => deny("no")],
  ])("%s: denied", async (_name, command, handler) => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", command) }).open();
    hooks.on("PreToolUse", { tool: "Bash" }, handler);
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe("deny");
    expect(verdict.reasons.map(({ text }) => text)).toEqual(["no"]);
  });

  test("every deny reason is kept, with the hook it came from", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", [DENY, "echo second >&2; exit 2"]) }).open();
    hooks.on("PreToolUse", {}, () => deny("third"));
    const { reasons } = await hooks.fire("PreToolUse", bash("ls"));
    expect(reasons.map(({ text }) => text).toSorted()).toEqual(["no", "second", "third"]);
    expect(new Set(reasons.map(({ hook }) => hook)).size).toBe(3);
  });

  test("functions alone: deny beats ask in any order", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", {}, () => ask("sure?"));
    const off = hooks.on("PreToolUse", { priority: 5 }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    off();
    hooks.on("PreToolUse", { priority: -5 }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });
});

describe("exit codes and JSON", () => {
  test("exit 2 with JSON that allows is a deny", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", `${ALLOW}; echo stop >&2; exit 2`) }).open();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "stop"]);
  });

  test("exit 2 with malformed JSON is a deny with stderr as its reason", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", `printf '{"a":'; echo stop >&2; exit 2`) }).open();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "stop"]);
  });

  test("exit 2 with an empty stderr takes stdout as the reason", async () => {
    const hooks = await openProject({ project: hooksFor("PreToolUse", "echo said here; exit 2") }).open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).reasons[0]?.text).toBe("said here");
  });

  test("native: exit 0 with a deny in the other spelling is a deny", async () => {
    const hooks = await openProject({ native: hooksFor("PreToolUse", printing({ decision: "deny", reason: "why" })) }).open();
    const verdict = await hooks.fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons[0]?.text]).toEqual(["deny", "why"]);
  });

  test.each([
    ["a gate asks", {}, "ask"],
    ["a guard blocks", { guard: true }, "deny"],
    ["told to block it blocks", { onFailure: "block" }, "deny"],
    ["told to continue it continues", { onFailure: "continue" }, "none"],
  ])("native: exit 1 with a deny is a failed run, %s", async (_name, fields, decision) => {
    const command = `${printing({ decision: "deny", reason: "the real reason" })}; exit 1`;
    const project = openProject({ native: hooksFor("PreToolUse", [{ command, ...fields }]) });
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe(decision);
    if (decision !== "none") expect(verdict.reasons[0]?.text).toContain("the real reason");
    expect(project.codes()).toContain("HL_EXECUTE_EXIT");
  });

  test("killed after it printed allow is a failure, not an allow", async () => {
    const command = `${ALLOW}; kill -9 $$`;
    const imported = openProject({ project: hooksFor("PreToolUse", command) });
    expect((await (await imported.open()).fire("PreToolUse", bash("ls"))).decision).toBe("none");
    expect(imported.codes()).toContain("HL_EXECUTE_SIGNAL");
    const native = openProject({ native: hooksFor("PreToolUse", [{ command, guard: true }]) });
    expect((await (await native.open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("noise before JSON is skipped with a warning that names it", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", `echo Welcome to zsh; ${DENY}`) });
    expect((await (await project.open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect(project.diagnostics.find(({ code }) => code === "HL_OUTPUT_NOISE")?.text).toContain("Welcome to zsh");
  });

  test.each([
    ["a native guard", "native", { guard: true }, "deny"],
    ["a native gate", "native", {}, "ask"],
    ["an imported hook told to block", "project", { onFailure: "block" }, "deny"],
    ["an imported hook", "project", {}, "none"],
  ] as const)("%s that runs out of time: %s %j → %s, out loud", async (_name, file, fields, decision) => {
    const project = openProject({ [file]: hooksFor("PreToolUse", [{ command: "sleep 30", timeout: 0.05, ...fields }]) });
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe(decision);
    expect(project.codes()).toContain("HL_EXECUTE_TIMEOUT");
  });
});

describe("a native guard whose answer is no answer never allows", () => {
  const allowed = '{"hookSpecificOutput":{"permissionDecision":"allow"}}';
  test.each([
    ["null", "null", "deny", ["HL_OUTPUT_NO_ANSWER"]],
    ["true", "true", "deny", ["HL_OUTPUT_NO_ANSWER"]],
    ["a text", '"deny"', "deny", ["HL_OUTPUT_NO_ANSWER"]],
    ["a list", "[]", "deny", ["HL_OUTPUT_NO_ANSWER"]],
    ["two documents", `${allowed}${allowed}`, "deny", ["HL_OUTPUT_BAD_JSON"]],
    [
      "JSON and trailing text",
      `${allowed} and more`,
      "none",
      ["HL_OUTPUT_TRAILING_TEXT", "HL_OUTPUT_MISSING_EVENT", "HL_OUTPUT_NOT_HONOURED"],
    ],
    ["a __proto__ key", '{"__proto__":{"permissionDecision":"allow"}}', "deny", ["HL_OUTPUT_UNKNOWN_FIELD", "HL_OUTPUT_NO_ANSWER"]],
    ["a duplicate decision", '{"decision":"approve","decision":"block"}', "deny", ["HL_OUTPUT_DUPLICATE_KEY"]],
    [
      "an unknown decision",
      '{"hookSpecificOutput":{"permissionDecision":"yes"}}',
      "deny",
      ["HL_OUTPUT_MISSING_EVENT", "HL_OUTPUT_WRONG_TYPE"],
    ],
    ["half a document", '{"hookSpecificOutput":{"permissionDecision":"allow"', "deny", ["HL_OUTPUT_BAD_JSON"]],
  ])("%s", async (_name, text, decision, codes) => {
    const project = openProject();
    project.write("project/answer.txt", text);
    project.write("project/.hookloop/hooks.json", hooksFor("PreToolUse", [{ command: "cat answer.txt", guard: true }]));
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect([verdict.decision, project.codes()]).toEqual([decision, codes]);
  });

  test.each([
    ["1e5 levels deep", `node -e 'process.stdout.write("{\\"a\\":".repeat(1e5))'`],
    [
      "10 MB",
      `node -e 'process.stdout.write("{\\"hookSpecificOutput\\":{\\"permissionDecision\\":\\"allow\\"},\\"a\\":\\"" + "x".repeat(1e7) + "\\"}")'`,
    ],
  ])("%s", async (_name, command) => {
    const hooks = await openProject({ native: hooksFor("PreToolUse", [{ command, guard: true }]) }).open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });
});

const PRETTY = `node -e 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0)), null, 2))'`;
const FIELD = `node -e 'console.log(JSON.stringify({ [JSON.parse(require("fs").readFileSync(0)).tool_input.command]: 1 }))'`;

describe("a hook that prints what it was given", () => {
  test.each(["tee -a log.jsonl", "cat", PRETTY, "cat; echo"])(
    "`%s` is told of once per hook and session, with the cure",
    async (command) => {
      const entry = [{ hooks: [{ type: "command", command }] }];
      const project = openProject({ project: { hooks: { PreToolUse: entry, PostToolUse: entry } } });
      const hooks = await project.open();
      for (const line of ["ls", "pwd", "date"]) {
        expect((await hooks.fire("PreToolUse", bash(line))).decision).toBe("none");
        await hooks.fire("PostToolUse", { ...bash(line), tool_response: { stdout: "x", stderr: "", interrupted: false } });
      }
      expect(project.codes()).toEqual(["HL_OUTPUT_OWN_INPUT", "HL_OUTPUT_OWN_INPUT"]);
      expect(new Set(project.diagnostics.map(({ hook }) => hook)).size).toBe(2);
      expect(project.diagnostics[0]?.text).toContain(">/dev/null");
    },
  );

  test("as a guard it blocks, every time", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "cat", guard: true }]) });
    const hooks = await project.open();
    for (const line of ["ls", "pwd"]) expect((await hooks.fire("PreToolUse", bash(line))).decision).toBe("deny");
    expect(project.codes()).toEqual(["HL_OUTPUT_NO_ANSWER", "HL_OUTPUT_NO_ANSWER"]);
  });

  test("a field that no answer has is told of once, another one too", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", FIELD) });
    const hooks = await project.open();
    for (const line of ["one", "one", "two"]) await hooks.fire("PreToolUse", bash(line));
    expect(project.diagnostics.map(({ text }) => /"(\w+)"/.exec(text)?.[1])).toEqual(["one", "two"]);
  });
});
