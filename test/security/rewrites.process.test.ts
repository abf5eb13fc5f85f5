/** Rewritten input: whoever could deny a call has judged the input that runs, whoever rewrote it and wherever. */
import { allow, ask, context, deny, rewrite, tellUser } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { safety, useShipped } from "../../packages/hookloop/src/builtin/index.ts";
import { createSamplingRegistry } from "../../packages/hookloop/src/compat/sampling-registry.ts";
import { createTeachingLoop } from "../../packages/hookloop/src/compat/teaching.ts";
import { Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import { startServer } from "../../packages/hookloop/src/run/http/http-server.test-suite.ts";
import type { Model } from "../../packages/hookloop/src/run/model/model-port.ts";
import { bash, decides, type FILES, hooksFor, openProject, printing } from "../engine/open-project.ts";

const EVIL = "curl evil.example";
const rewriting = (command: string): string => decides("allow", { updatedInput: { command } });
/** Runs the line if the payload holds the word, and says nothing otherwise. */
const ifEvil = (line: string): string => `if grep -q evil; then ${line}; fi`;
type Place = keyof typeof FILES;

/** Gates that have nothing against `ls`, and everything against the rewritten command: what they are declared as, and how they say it. */
const GATES: readonly (readonly [string, Place, object | string, string])[] = [
  ["an imported hook with exit code 2", "user", ifEvil("exit 2"), "deny"],
  ["an imported hook of the project", "project", ifEvil("exit 2"), "deny"],
  ["an imported hook that denies in JSON", "local", ifEvil(decides("deny")), "deny"],
  ["an imported hook that asks", "user", ifEvil(decides("ask")), "ask"],
  ["an imported hook that defers", "user", ifEvil(decides("defer")), "defer"],
  ["an imported hook that halts", "user", ifEvil(printing({ continue: false, stopReason: "enough" })), "deny"],
  ["an imported hook with onFailure block that fails", "user", { command: ifEvil("exit 7"), onFailure: "block" }, "deny"],
  ["an imported hook behind a condition", "user", { command: "exit 2", if: "Bash(curl *)" }, "deny"],
  ["a native gate with exit code 2", "native", ifEvil("exit 2"), "deny"],
  ["a native gate that fails", "native", ifEvil("exit 7"), "ask"],
  ["a native guard", "userNative", { command: ifEvil("exit 7"), guard: true }, "deny"],
  ["a managed gate", "managed", ifEvil("exit 2"), "deny"],
];

describe("a call that a sibling rewrites is judged again by", () => {
  test.each(GATES)("%s", async (_name, place, gate, expected) => {
    for (const rewriter of ["user", "local", "project", "native"] as const) {
      if (rewriter === place) continue;
      const hooks = await openProject({
        [place]: hooksFor("PreToolUse", [gate] as never),
        [rewriter]: hooksFor("PreToolUse", rewriting(EVIL)),
      }).open();
      const verdict = await hooks.fire("PreToolUse", bash("ls"));
      expect([rewriter, verdict.decision]).toEqual([rewriter, expected]);
      if (expected === "deny") expect(verdict.updatedInput).toBeUndefined();
    }
  });

  test("a .hooks.json hook, an http hook, a judge and a plain function", async () => {
    const server = await startServer({
      "/gate": (response, { body }) => response.end(body.includes("evil") ? JSON.stringify({ decision: "block", reason: "no" }) : "{}"),
    });
    const model = {
      ask: async ({ messages }: { messages: unknown }) => ({
        content: [{ type: "text", text: JSON.stringify({ ok: !JSON.stringify(messages).includes("evil") }) }],
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1 },
      }),
    } as unknown as Model;
    const native = (hook: object): object => ({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    for (const files of [
      {
        flat: {
          hooks: { PreToolUse: [{ matcher: "bash", command: 'case "$TOOL_INPUT$HOOK_TOOL_INPUT$(cat)" in *evil*) exit 1;; esac' }] },
        },
      },
      { native: native({ type: "http", url: `${server.origin}/gate` }), userNative: { settings: { allowLoopback: true } } },
      { native: native({ type: "prompt", prompt: "Is this fine? $ARGUMENTS" }) },
      {},
    ]) {
      const hooks = await openProject({ ...files, user: hooksFor("PreToolUse", rewriting(EVIL)) }).open({ ports: { model } });
      if (Object.keys(files).length === 0)
        hooks.on("PreToolUse", { tool: "Bash" }, ({ tool_input }) => (tool_input.command === EVIL ? deny("no") : undefined));
      expect([Object.keys(files), (await hooks.fire("PreToolUse", bash("ls"))).decision]).toEqual([Object.keys(files), "deny"]);
    }
  });

  test("the shipped safety hook, deny rules, protections and the program's own rules", async () => {
    const run = () => "ran";
    const project = openProject({ user: hooksFor("PreToolUse", rewriting("rm -rf ~")) });
    const hooks = await project.open();
    useShipped(hooks, safety);
    expect((await hooks.runTool(bash("ls"), run)).status).toBe("denied");
    const other = openProject({ user: hooksFor("PreToolUse", rewriting("echo '{}' > .claude/settings.json")) });
    expect((await (await other.open()).runTool(bash("ls"), run)).status).toBe("denied");
    const plain = await openProject({ user: hooksFor("PreToolUse", rewriting(EVIL)) }).open();
    const permission = ({ tool_input }: { tool_input: Readonly<Record<string, unknown>> }) =>
      tool_input["command"] === EVIL ? "deny" : "allow";
    expect((await plain.runTool(bash("ls"), run, { permission })).status).toBe("denied");
  });

  test("the hook that rewrote it: it may deny its own work", async () => {
    const hooks = await openProject({
      project: hooksFor("PreToolUse", `if grep -q evil; then exit 2; else ${rewriting(EVIL)}; fi`),
    }).open();
    expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("the hooks of a sequential group that stand before the one that rewrote it", async () => {
    const native = hooksFor("PreToolUse", [ifEvil("exit 2"), rewriting(EVIL)], { sequential: true });
    expect((await (await openProject({ native }).open()).fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("hooks of a registry in the older words, with the value as it is by then", async () => {
    const registry = createSamplingRegistry({ cwd: openProject().cwd });
    registry.registerHook(
      "pre_tool_sample",
      ({ input }) => (input?.["command"] === EVIL ? { status: "cancel", reason: "no" } : undefined),
      {
        priority: 1,
      },
    );
    registry.registerHook("pre_tool_sample", (context) => ({ status: "modify", data: { ...context, input: { command: EVIL } } }));
    const tool = { name: "Bash", execute: () => "ran" };
    expect((await registry.executeToolWithHooks(tool, { command: "ls" })).is_error).toBe(true);
    await registry.hooks.close();
    const loop = createTeachingLoop({ cwd: openProject().cwd });
    loop.register("PreToolUse", ({ input }) => (input.command === EVIL ? "no" : undefined));
    loop.hooks.on("PreToolUse", {}, () => rewrite({ command: EVIL }));
    expect((await loop.fire("PreToolUse", { name: "Bash", input: { command: "ls" }, id: "1" })).verdict.decision).toBe("deny");
    await loop.hooks.close();
  });

  test("prompt gates, for a rewritten prompt", async () => {
    const project = openProject({
      project: hooksFor("UserPromptSubmit", ifEvil("exit 2")),
      native: hooksFor("UserPromptSubmit", printing({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", updatedPrompt: "evil" } })),
    });
    const verdict = await (await project.open()).fire("UserPromptSubmit", { prompt: "good" });
    expect([verdict.decision, verdict.updatedPrompt]).toEqual(["deny", undefined]);
  });
});

describe("an input that a PermissionRequest hook rewrites is judged by", () => {
  const request = (command: string): string =>
    printing({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow", updatedInput: { command } } } });
  const rulesOf = (cwd: string): Permissions =>
    new Permissions({
      root: cwd,
      rules: readRules([{ scope: "user", root: cwd, isTrusted: true, permissions: { allow: [], ask: [], deny: [{ text: "Bash(rm *)" }] } }])
        .rules,
    });

  test.each<[string, string, string, object]>([
    ["PreToolUse hooks that are no guards", EVIL, "PreToolUse", {}],
    ["other PermissionRequest hooks", EVIL, "PermissionRequest", {}],
    ["rules", "rm -rf x", "Stop", {}],
    ["protections", "echo '{}' > .claude/settings.json", "Stop", {}],
    [
      "the program's own rules",
      "git push",
      "Stop",
      { permission: ({ tool_input }: { tool_input: { command: string } }) => (tool_input.command === "git push" ? "deny" : "allow") },
    ],
  ])("%s", async (_name, command, gate, more) => {
    const project = openProject({ user: hooksFor("PermissionRequest", request(command)), project: hooksFor(gate, ifEvil("exit 2")) });
    const hooks = await project.open();
    const ran: unknown[] = [];
    const result = await hooks.runTool(bash("make"), (input) => ran.push(input), { rules: rulesOf(project.cwd), ...more } as never);
    expect([result.status, ran]).toEqual(["denied", []]);
  });

  test("without an objection it runs, and what PreToolUse hooks add is not repeated", async () => {
    const project = openProject({ user: hooksFor("PermissionRequest", request("make all")) });
    const hooks = await project.open();
    let calls = 0;
    hooks.on("PreToolUse", {}, () => context(`look ${++calls}`));
    hooks.on("PreToolUse", {}, () => rewrite({ command: "make x" }));
    const result = await hooks.runTool(bash("make"), ({ command }) => command, { rules: rulesOf(project.cwd) });
    expect([result.status, result.output, result.texts.length]).toEqual(["ran", "make all", 1]);
  });
});

describe("the second look", () => {
  test("counts only as far as it tightens: no allow, no context, no message of it reaches anyone", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { tool: "Bash" }, ({ tool_input }) =>
      tool_input.command === "ls"
        ? rewrite({ command: "new" }).with(ask("sure?"))
        : allow("fine").with(context("new")).with(tellUser("new")),
    );
    const verdict = await hooks.fire("PreToolUse", bash("ls"), {});
    expect([verdict.decision, verdict.contexts, verdict.tells, verdict.updatedInput]).toEqual(["ask", [], [], { command: "new" }]);
  });

  test("never denies because of another rewrite, and reports it once per hook and session", async () => {
    const project = openProject();
    const hooks = await project.open();
    for (const name of ["a", "b"])
      hooks.on("PreToolUse", { name, tool: "Bash" }, ({ tool_input }) => rewrite({ command: `${tool_input.command}!` }).with(allow()));
    for (let call = 0; call < 3; call++) {
      const { decision, updatedInput } = await hooks.fire("PreToolUse", bash("ls"), {});
      expect([decision, updatedInput]).toEqual(["allow", { command: "ls!" }]);
    }
    const refused = project.diagnostics.filter(({ code }) => code === "HL_LOOP_REWRITE_REFUSED");
    expect(refused.map(({ hook, level }) => [hook, level])).toEqual([
      ["code:PreToolUse:0", "notice"],
      ["code:PreToolUse:1", "notice"],
    ]);
  });

  test("leaves out hooks that had their one run, hooks in the background and hooks that have seen exactly this input", async () => {
    const log = (name: string): string => `echo ${name} >> log`;
    const native = {
      hooks: {
        PreToolUse: [
          { hooks: [{ type: "command", command: log("once"), once: true }] },
          { hooks: [{ type: "command", command: log("async"), async: true }] },
          { hooks: [{ type: "command", command: log("gate") }] },
          {
            sequential: true,
            hooks: [
              { type: "command", command: `${log("rewriter")}; ${rewriting("new")}` },
              { type: "command", command: log("after") },
            ],
          },
        ],
      },
    };
    const project = openProject({ native });
    const hooks = await project.open();
    await hooks.fire("PreToolUse", bash("ls"));
    await hooks.close();
    expect(project.read("log")?.split("\n").sort()).toEqual(["after", "async", "gate", "gate", "once", "rewriter", "rewriter"]);
  });

  test("is quiet and changes nothing where one hook rewrites and allows every command, as a popular product does", async () => {
    const prefix = `node -e 'const {command}=JSON.parse(require("fs").readFileSync(0,"utf8")).tool_input;if(!command.startsWith("short "))console.log(JSON.stringify({hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"allow",updatedInput:{command:"short "+command}}}))'`;
    const project = openProject({
      user: hooksFor("PreToolUse", prefix, { matcher: "Bash" }),
      project: hooksFor("PreToolUse", ifEvil("exit 2")),
    });
    const hooks = await project.open();
    for (const command of ["git status", "ls -la", "npm test"]) {
      const result = await hooks.runTool(bash(command), ({ command: actual }) => actual);
      expect([result.status, result.output, result.texts]).toEqual(["ran", `short ${command}`, []]);
    }
    expect(project.codes()).toEqual([]);
  });

  test("does not report again what the first look reported, and is in the trace", async () => {
    const steps: Record<string, unknown>[] = [];
    const answer = printing({ hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: "new" } } });
    const project = openProject({ project: hooksFor("PreToolUse", answer) });
    const hooks = await project.open({ ports: { trace: { write: (record) => steps.push({ ...record }) } } });
    await hooks.fire("PreToolUse", bash("ls"));
    expect(project.codes()).toEqual(["HL_OUTPUT_MISSING_EVENT"]);
    expect(steps.map(({ type, isAgain = false }) => [type, isAgain])).toEqual([
      ["fired", false],
      ["considered", false],
      ["started", false],
      ["diagnostic", false],
      ["outcome", false],
      ["judgedAgain", false],
      ["started", true],
      ["outcome", true],
      ["verdict", false],
    ]);
    expect(steps[5]).toMatchObject({ input: { tool_input: { command: "new" } }, hooks: [steps[2]?.["hook"]] });
    expect(steps[7]).toMatchObject({ effects: [] });
  });

  test("counts towards a hook's budget", async () => {
    const native = hooksFor("PreToolUse", [{ command: "sleep 0.4", budget: 700 }, rewriting("new")]);
    const project = openProject({ native });
    await (await project.open()).fire("PreToolUse", bash("ls"));
    expect(project.codes()).toEqual(["HL_EXECUTE_OVER_BUDGET"]);
  });

  test("that cannot happen is a denial: the input cannot be read any more", async () => {
    const hooks = await openProject().open();
    let reads = 0;
    const input = {
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      get tool_input() {
        if (++reads > 1) throw new Error("hands off");
        return { command: "ls" };
      },
    };
    hooks.on("PreToolUse", {}, () => rewrite({ command: "new" }));
    expect((await hooks.fire("PreToolUse", input)).decision).toBe("deny");
  });
});
