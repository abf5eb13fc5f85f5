import { setTimeout as wait } from "node:timers/promises";
import vm from "node:vm";
import { describe, expect, it } from "vitest";
import type { HookDefinition } from "../hook/definition.ts";
import { hook } from "../hook/hook.ts";
import { allow, ask, context, deny, type HookResult, tellUser } from "../hook/results.ts";
import { callHook, sampleInput } from "../testing/call-hook.ts";
import { hooksScript } from "./hooks-script.ts";
import { answerEvent, parsePayload } from "./script.ts";

/** As JavaScript would call it. */
const declare = hook as unknown as (...given: unknown[]) => HookDefinition<"PreToolUse">;
const FAILED = { allowFailure: true } as const;

async function isCalled(tool: unknown, toolName: string): Promise<boolean> {
  const { decision, reason } = await callHook(
    declare("PreToolUse", { tool, guard: true }, () => deny("called")),
    { tool_name: toolName },
  );
  if (decision === "deny" && reason !== "called") throw new Error(reason);
  return decision === "deny";
}

describe("a matcher as settings write it", () => {
  it.each([
    ["Edit|Write", ["Edit", "Write"], ["Bash", "NotebookEdit", "MultiEdit"]],
    ["Edit, Write", ["Edit", "Write"], ["Bash"]],
    [" Edit | Write ,Bash", ["Edit", "Write", "Bash"], ["Read"]],
    [["Edit|Write", "Bash"], ["Edit", "Write", "Bash"], ["Read"]],
    ["*", ["Bash", "mcp__a__b", "BashOutput"], []],
    [".*", ["Bash", "mcp__a__b"], []],
    ["mcp__github__*", ["mcp__github__create_issue"], ["Bash", "mcp__git__log", "mcp__github2__x"]],
    ["mcp__github__.*", ["mcp__github__create_issue"], ["Bash", "mcp__git__log"]],
    ["mcp__github__create_*", ["mcp__github__create_issue"], ["mcp__github__delete_issue"]],
    ["mcp__*", ["mcp__a__b"], ["Bash"]],
    ["mcp__.*", ["mcp__a__b"], ["Bash"]],
    ["Bash|mcp__github__*", ["Bash", "mcp__github__x"], ["Read"]],
    [["mcp__github__*", "Bash"], ["Bash", "mcp__github__x"], ["Read"]],
    ["mcp__github__create_issue", ["mcp__github__create_issue"], ["mcp__github__create_issues"]],
    ["Agent|Bash", ["Task", "Agent", "Bash"], ["Read"]],
    ["Task|Bash", ["Task", "Agent", "Bash"], ["Read"]],
    [vm.runInNewContext("/Bash|Edit/"), ["Bash", "Edit"], ["Read"]],
    [/Ba/, ["Bash", "BashOutput"], ["Read"]],
    [/Edit|Wri/, ["Edit", "NotebookEdit", "Write"], ["Read"]],
    [/^(?:Edit|Write)$/, ["Edit", "Write"], ["NotebookEdit"]],
    [/^mcp__github/, ["mcp__github__delete_repo", "mcp__github2__x"], ["Bash"]],
    [/__delete_repo$/, ["mcp__github__delete_repo"], ["mcp__github__create_repo"]],
    [/mcp__.*__write.*/, ["mcp__fs__write_file"], ["mcp__fs__read"]],
    [/^mcp__(?:github|gitlab)__/, ["mcp__gitlab__x"], ["mcp__git__x"]],
    [/^(?!Bash$)/, ["Read"], ["Bash"]],
  ])("%j fits the tools it names and no others", async (tool, fitting, others) => {
    for (const name of fitting) expect([name, await isCalled(tool, name)]).toEqual([name, true]);
    for (const name of others) expect([name, await isCalled(tool, name)]).toEqual([name, false]);
  });

  it("fits a tool of the agent's own if it is listed", async () => {
    const ownNames = ["DeployTool", "my.tool", "fs/read", "bash"];
    const calls: string[] = [];
    for (const tool of ["DeployTool", "my.tool|fs/read", ["Bash", "DeployTool"], "bash", /^Deploy/, /^(?:my\.|fs)/]) {
      const definition = declare("PreToolUse", { tool, ownNames, guard: true }, ({ tool_name }: { tool_name: string }) => {
        calls.push(tool_name);
      });
      for (const name of ownNames) {
        const { decision, diagnostics } = await callHook(definition, { tool_name: name });
        expect([decision, diagnostics.filter(({ code }) => code !== "HL_TEST_NOT_CALLED")]).toEqual(["none", []]);
      }
    }
    expect(calls).toEqual(["DeployTool", "my.tool", "fs/read", "DeployTool", "bash", "DeployTool", "my.tool", "fs/read"]);
  });

  it.each([
    ["startup|resume", "SessionStart", { source: "resume" }, { source: "clear" }],
    ["startup, clear", "SessionStart", { source: "clear" }, { source: "compact" }],
    ["*", "SessionStart", { source: "clear" }, undefined],
    [".env|.envrc", "FileChanged", { file_path: "/p/.envrc" }, { file_path: "/p/x.env" }],
    ["docs/notes.txt", "FileChanged", { file_path: "/p/docs/notes.txt" }, { file_path: "/p/notes.txt" }],
    ["./docs/notes.txt|/etc/hosts", "FileChanged", { file_path: "/etc/hosts" }, { file_path: "/p/etc/hosts" }],
    ["[id].tsx", "FileChanged", { file_path: "/p/[id].tsx" }, { file_path: "/p/i.tsx" }],
    ["a,b.txt", "FileChanged", { file_path: "/p/a,b.txt" }, { file_path: "/p/a" }],
    ["claude-opus-4.5", "PreModelRequest", { model: "claude-opus-4.5" }, { model: "claude-opus-4x5" }],
  ] as const)("%j is compared with the field of %s", async (match, event, fitting, other) => {
    let calls = 0;
    const definition = declare(event, { match }, () => void calls++);
    await callHook(definition, fitting as object);
    if (other) await callHook(definition, other as object);
    expect(calls).toBe(1);
  });
});

describe("a matcher that cannot be read, or never fits", () => {
  const cases: [unknown, string][] = [
    ["Bash(git *)", 'tool: "Bash(git *)": a matcher is only the tool\'s name. Write "Bash", and look at input.tool_input in the handler'],
    ["**", 'To match everything, write "*" or leave it out'],
    ["^Edit$", 'tool: "^Edit$": it is a pattern. Write it as a RegExp: /^Edit$/'],
    ["^mcp__github", "Write it as a RegExp: /^mcp__github/"],
    ["Notebook.*", "Write it as a RegExp: /Notebook.*/"],
    ["Notebook*", "Write it as a RegExp: /^Notebook/"],
    ["*Edit", "Write it as a RegExp: /Edit$/"],
    ["mcp__*__delete", "Write it as a RegExp: /^mcp__.*__delete$/"],
    ["mcp_github_*", 'As a RegExp, /^mcp_github_/ matches no known tool_name. Write "mcp__github__*"'],
    ["Foo*", "As a RegExp, /^Foo/ matches no known tool_name. Known are Bash, Read"],
    ["mcp__.*__write.*", "/mcp__.*__write.*/"],
    ["Edit|Bash(", 'Write "Bash"'],
    ["[", 'it is a pattern. Write names, as in "one|other", or a RegExp'],
    ["mcp__github", 'it names a server. Write "mcp__github__*" for all of its tools'],
    ["mcp__github__", 'it names a server. Write "mcp__github__*" for all of its tools'],
    ["", 'a name is missing. To match everything, write "*" or leave it out'],
    ["  ", "a name is missing"],
    ["Edit||Write", "a name is missing"],
    ["Edit|", "a name is missing"],
    [[], "the list is empty"],
    [["Edit", ""], "a name is missing"],
    ["bash", 'no known tool is called "bash". Write "Bash"'],
    ["Edit|write", 'no known tool is called "write". Write "Write"'],
    [["Edit", "BASH"], 'Write "Bash"'],
    ["Bahs", 'no known tool is called "Bahs". Write "Bash", or add ownNames: ["Bahs"] if the agent has one of that name'],
    ["Wirte", 'Write "Write"'],
    ["web_fetch", 'Write "WebFetch"'],
    ["MutliEdit", 'Write "MultiEdit"'],
    [/bash/, '/bash/ matches no known tool_name. Write "Bash", or /bash/i'],
    [/edit|write/, "/edit/ in /edit|write/ matches no known tool_name. Write /edit|write/i"],
    ["Edit/Write", 'names are separated by "|". Write "Edit|Write"'],
    ["Edit or Write", 'Write "Edit|Write"'],
    ["Edit & Write", 'Write "Edit|Write"'],
    ["Edit;Write", 'Write "Edit|Write"'],
    ["Edit Write mcp__a__b", 'Write "Edit|Write|mcp__a__b"'],
    ["mcp__a__b;mcp__a__c", 'Write "mcp__a__b|mcp__a__c"'],
    ["mcp__a__b c", 'Tools of an MCP server are written "mcp__server__tool"'],
    ["'Bash'", 'Write "Bash"'],
    ["Terminal", 'no known tool is called "Terminal". Write "Bash"'],
    ["Shell", 'no known tool is called "Shell". Write "Bash"'],
    ["run_shell", 'Write "Bash"'],
    ["read_file", 'Write "Read"'],
    ["Bundle", 'no known tool is called "Bundle". Known are Bash, Read, Write'],
    [
      "github",
      'Tools of an MCP server are written "mcp__server__tool" or "mcp__server__*". If the agent has others, add ownNames: ["github"]',
    ],
    ["BashTool", 'no known tool is called "BashTool". Write "Bash"'],
    ["DeployTool", 'add ownNames: ["DeployTool"]'],
    ["Bash|DeployTool", 'add ownNames: ["DeployTool"]'],
    ["mcp_github_create_issue", 'Write "mcp__github__create_issue"'],
    ["mcp-github", 'Write "mcp__github__*"'],
    ["MCP__github__*", 'Write "mcp__github__*"'],
    [/mcp_github_.*/, '/mcp_github_.*/ matches no known tool_name. Write "mcp__github__*"'],
    [/^mcp__github$/, 'Write "mcp__github__*"'],
    [/^MCP__github__create/, 'Write "mcp__github__create"'],
    [/deploy/, "/deploy/ matches no known tool_name. Known are Bash"],
    [/Bash|Wirte/, "/Wirte/ in /Bash|Wirte/ matches no known tool_name"],
    [/^(Bash|Wirte)$/, "/^Wirte$/ in /^(Bash|Wirte)$/ matches no known tool_name"],
    [/^Bas$/, "/^Bas$/ matches no known tool_name"],
    [/^$/, "/^$/ matches no known tool_name"],
    [/ Bash/, "/ Bash/ matches no known tool_name"],
  ];

  /** What the message tells the author to write, as a value. */
  function advised(message: string): { tool: unknown; ownNames?: string[] } | undefined {
    const [, text, pattern, flags = "", own] =
      /(?:Write(?: it as a RegExp:)?) (?:"([^"]+)"|\/(.+)\/(i?)$)|add ownNames: \["([^"]+)"\]/.exec(message) ?? [];
    if (own !== undefined) return { tool: own, ownNames: [own] };
    return text === undefined && pattern === undefined ? undefined : { tool: text ?? new RegExp(pattern ?? "", flags) };
  }

  it("advises nothing that is wrong itself", async () => {
    let followed = 0;
    for (const [tool] of cases) {
      const { reason = "" } = await callHook(
        declare("PreToolUse", { tool, guard: true }, () => undefined),
        {},
        { allowFailure: true },
      );
      const advice = advised(reason);
      if (!advice) continue;
      followed++;
      const second = await callHook(
        declare("PreToolUse", { ...advice, guard: true }, () => undefined),
        { tool_name: "Bash" },
      );
      expect([tool, advice, second.decision, second.reason]).toEqual([tool, advice, "none", undefined]);
    }
    expect(followed).toBeGreaterThan(cases.length * 0.6);
  });

  it.each(cases)("%j: a guard blocks, and the reason says what to write", async (tool, text) => {
    const { decision, reason } = await callHook(
      declare("PreToolUse", { tool, guard: true, name: "g" }, () => undefined),
      {},
      { allowFailure: true },
    );
    expect(decision).toBe("deny");
    expect(reason).toMatch(/^The guard g failed, so it blocks\. HL_SDK_(MATCHER_INVALID|TOOL_MISSPELT): g: /);
    expect(reason).toContain(text);
  });

  it.each(cases)("%j: another hook is not called, and fails in its own direction", async (tool, text) => {
    const answer = await callHook(
      declare("PreToolUse", { tool }, () => deny("called")),
      {},
      FAILED,
    );
    expect(answer).toMatchObject({ decision: "none", exitCode: 1, diagnostics: [{ message: expect.stringContaining(text) }, {}] });
  });

  it.each([
    ["SessionStart", "Startup", 'no known source is called "Startup". Write "startup"'],
    ["SessionStart", "startup|resumed", 'Write "resume"'],
    ["SessionStart", "start", 'Write "startup"'],
    ["PreCompact", "automatic|manual|Auto", 'Write "auto"'],
    ["PreModelRequest", "claude-*", "/^claude-/"],
    ["FileChanged", "*.env", "Write it as a RegExp: /\\.env$/"],
    ["FileChanged", "config/", "it is a folder. Look at input.file_path in the handler"],
    ["FileChanged", "src/**/*.ts", 'a path is no pattern. Of "*.ts": it is a pattern. Write it as a RegExp: /\\.ts$/'],
    ["FileChanged", /src\/.*\.ts$/, "a pattern is compared with the last part of the path. Look at input.file_path in the handler"],
    [
      "SessionStart",
      "boot",
      'no known source is called "boot". Known are startup, resume, clear, compact, fork. If the agent has others, add ownNames: ["boot"]',
    ],
    ["SessionStart", "startup resume", 'names are separated by "|". Write "startup|resume"'],
    ["SessionStart", /boot/, "/boot/ matches no known source. Known are startup"],
    ["SessionStart", /Start/, '/Start/ matches no known source. Write "startup", or /Start/i'],
    ["Notification", "idle", 'no known notification_type is called "idle". Write "idle_prompt"'],
    ["SessionStart", "", "a name is missing"],
  ])("of %s: match %j", async (event, match, text) => {
    const answer = await callHook(
      declare(event, { match }, () => undefined),
      {},
      FAILED,
    );
    expect(answer.diagnostics[0]?.message).toContain(text);
  });

  it.each([
    "BashOutput",
    "KillShell",
    "LS",
    "NotebookRead",
    "EnterPlanMode",
    "TaskGet",
    "TaskStop",
    "TaskOutput",
    "TeamCreate",
    "TeamDelete",
  ])("a tool of the agent's own, such as %s, is no slip", async (tool) => {
    expect(await isCalled(tool, tool)).toBe(true);
  });

  it.each([/Exit/, /bash/i, /(?:^|\/)\.env$/, /b|c/])("a RegExp such as %s is taken as it is where anything may come", async (match) => {
    let calls = 0;
    await callHook(
      declare("FileChanged", { match }, () => void calls++),
      { file_path: "/p/.env" } as object,
    );
    expect(calls).toBe(match.test(".env") ? 1 : 0);
  });

  it("of an event whose values are open is taken as it is", async () => {
    for (const match of ["my-model", "reviewer agent", /^my-/])
      for (const event of ["PreModelRequest", "SubagentStart", "Elicitation"] as const) {
        const { diagnostics } = await callHook(
          declare(event, { match }, () => undefined),
          sampleInput(event) as object,
        );
        expect(diagnostics).toMatchObject([{ code: "HL_TEST_NOT_CALLED" }]);
      }
  });
});

describe("a hook whose declaration cannot be read is a guard that blocks", () => {
  const handler = (): undefined => undefined;
  it.each([
    ["a misspelt option", [{ gaurd: true }, handler], 'OPTION_UNKNOWN: hook: there is no option "gaurd". Did you mean "guard"?'],
    ["an option of settings", [{ matcher: "Bash" }, handler], 'there is no option "matcher". Did you mean "tool"?'],
    ["a plural", [{ tools: ["Bash"] }, handler], 'there is no option "tools". Did you mean "tool"?'],
    ["a payload's field", [{ tool_name: "Bash" }, handler], 'Did you mean "tool"?'],
    ["a time limit of settings", [{ timeout: 5 }, handler], 'Did you mean "timeoutMs"?'],
    ["an unknown option", [{ zzzzzz: 1 }, handler], "There are: name, tool, match, ownNames, guard, timeoutMs"],
    ["an unknown option without a value", [{ gaurd: undefined }, handler], 'Did you mean "guard"?'],
    ["a guard that is a text", [{ guard: "true" }, handler], 'OPTION_INVALID: hook: guard is "true". Write true or false'],
    ["a guard that is null", [{ guard: null }, handler], "guard is null. Write true or false"],
    ["a tool that is a number", [{ tool: 5 }, handler], "tool is 5. Write a name, a list"],
    ["a tool that is null", [{ tool: null }, handler], "tool is null. Write a name"],
    ["a list with a RegExp", [{ tool: ["Bash", /mcp/] }, handler], "or one RegExp"],
    [
      "own names that are a text",
      [{ tool: "deploy", ownNames: "deploy" }, handler],
      'ownNames is "deploy". Write a list, as in ["deploy"]',
    ],
    ["own names of known tools", [{ tool: "Bash", ownNames: 5 }, handler], "ownNames is 5. Write a list"],
    ["a name that is a number", [{ name: 5, guard: true, timeoutMs: 10 }, handler], "name is 5. Write a text"],
    ["a time limit that is a text", [{ timeoutMs: "5s" }, handler], 'timeoutMs is "5s". Write a number'],
    ["a time limit of nothing", [{ timeoutMs: 0 }, handler], "timeoutMs is 0. Write milliseconds, more than 0"],
    ["tool and match", [{ tool: "Bash", match: "Bash" }, handler], "tool and match cannot be used together"],
    ["a text instead of options", ["Bash", handler], 'the options are "Bash". Write an object, as in { tool: "…", guard: true }'],
    ["a list instead of options", [["Bash"], handler], "the options are a list"],
    ["no handler", [{ tool: "Bash" }], "HANDLER_MISSING: hook: undefined is no handler"],
    ["nothing at all", [], "HANDLER_MISSING"],
    ["a handler that is a result", [{ tool: "Bash" }, deny("no")], "HANDLER_MISSING: hook: an object is no handler"],
    [
      "handler and options swapped",
      [handler, { guard: true }],
      "The guard hook failed, so it blocks. HL_SDK_HANDLER_MISSING: hook: the handler comes last",
    ],
  ])("%s", async (_what, given, text) => {
    const { decision, reason } = await callHook(declare("PreToolUse", ...given), {}, { allowFailure: true });
    expect(decision).toBe("deny");
    expect(reason).toContain(text);
  });

  it("also for an event that cannot be read", async () => {
    const script = hooksScript([declare("PreToolUse", { gaurd: true }, handler)], "file");
    expect((await answerEvent(script, parsePayload(Buffer.from("{")))).refusal).toMatch(/^The guard file failed/);
  });

  it("and takes nothing from its neighbours", async () => {
    const hooks = [declare("PreToolUse", { gaurd: true }, handler), hook("PreToolUse", () => context("note"))];
    const written = await answerEvent(hooksScript(hooks, "file"), parsePayload(Buffer.from(JSON.stringify(bash()))));
    expect(JSON.parse(written.stdout).hookSpecificOutput).toMatchObject({ permissionDecision: "deny", additionalContext: "note" });
  });

  it("options that are left out or undefined are none", async () => {
    for (const options of [undefined, null, {}, { tool: undefined, guard: undefined, name: undefined }])
      expect(await callHook(declare("PreToolUse", options, () => deny("called")))).toMatchObject({ reason: "called" });
  });

  it("tool on an event that is not about a tool says what to write", async () => {
    const { reason } = await callHook(declare("UserPromptSubmit", { tool: "Bash" }, handler), {}, { allowFailure: true });
    expect(reason).toContain("UserPromptSubmit is not about one tool. Leave tool out");
    const observed = await callHook(declare("SessionStart", { tool: "startup" }, handler), {}, FAILED);
    expect(observed.diagnostics[0]?.message).toContain('Write match: it is compared with "source"');
  });

  it.each([
    [
      "match on an event without a matcher",
      "Stop",
      { match: "x" },
      "Stop is not matched by anything: match is ignored, and the hook runs every time. Leave it out",
    ],
    [
      "match on a guard of an event without a matcher",
      "UserPromptSubmit",
      { match: "x", guard: true },
      "match is ignored, and the hook runs",
    ],
    ["guard on an event that cannot block", "PostToolUse", { guard: true }, "PostToolUse cannot block: guard has no effect"],
  ])("%s is said, and the hook works", async (_what, event, options, text) => {
    let calls = 0;
    const answer = await callHook(
      declare(event, options, () => void calls++),
      {},
      FAILED,
    );
    expect([calls, answer.decision, answer.diagnostics[0]?.message]).toEqual([1, "none", expect.stringContaining(text)]);
  });

  it("a guard of an event that cannot block says what was written, and nothing of its own", async () => {
    const answer = await callHook(
      declare("PostToolUse", { guard: true, name: "g" }, () => deny("no")),
      {},
      FAILED,
    );
    const messages = answer.diagnostics.map(({ message }) => message).filter((message) => message.includes("cannot say"));
    expect(messages).toEqual([expect.stringContaining("cannot say deny()")]);
  });

  it.each([
    [
      "options that come last",
      ["PreToolUse", handler, { guard: true }],
      'the handler comes last. Write hook("PreToolUse", options, (input) => …)',
    ],
    ["no event", [{ tool: "Bash" }, handler], 'a hook is declared for an object, which is no event. Write hook("PreToolUse", options'],
    ["no event and no options", [handler], "a hook is declared for a function, which is no event"],
  ])("%s: it has a name, and the message a form", async (_what, given, text) => {
    const written = await answerEvent(hooksScript([declare(...given)], "file"), parsePayload(Buffer.from(JSON.stringify(bash()))));
    expect(written.refusal).toMatch(/^The guard file failed, so it blocks\. HL_SDK_/);
    expect(written.refusal).toContain(text);
    expect(written.refusal).not.toContain("[object");
    expect(written.problems).toHaveLength(1);
  });

  it("a misspelt event is named, with the nearest", async () => {
    const written = await answerEvent(
      hooksScript([declare("PreTooluse", { guard: true }, handler)], "file"),
      parsePayload(Buffer.from(JSON.stringify(bash()))),
    );
    expect(written.refusal).toContain('a hook is declared for "PreTooluse", which is no event. Did you mean "PreToolUse"?');
  });
});

describe("a result that was made and not returned", () => {
  const forgets: [string, () => unknown, string][] = [
    ["at once", () => void deny("x"), "made deny(…) and did not return it. Write: return deny(…)"],
    ["in an async handler", async () => void deny("x"), "made deny(…)"],
    ["after an await", () => wait(5).then(() => void ask("x")), "made ask(…)"],
    ["after an await of an async handler", async () => void context(await wait(5, "x")), "made context(…)"],
    ["in a callback", () => void ["a", "b"].map((text) => deny(text)), "made deny(…)"],
    ["in a branch", () => (Date.now() > 0 ? void allow() : undefined), "made allow(…)"],
    ["of two", () => void deny("x").with(context("y")), "Write: return deny(…).with(context(…))"],
    ["beside null", () => (tellUser("x") ? null : undefined), "made tellUser(…)"],
    ["to which something was added", () => addedTo(context("y")), "return context(…).with(deny(…))"],
  ];
  it.each(forgets)("%s: a guard blocks and says so", async (_what, handler, text) => {
    const { decision, reason } = await callHook(declare("PreToolUse", { guard: true, name: "g" }, handler), {}, { allowFailure: true });
    expect([decision, reason]).toEqual(["deny", expect.stringContaining(text)]);
    expect(reason).toContain("HL_SDK_RESULT_NOT_RETURNED: g");
  });

  it.each(forgets)("%s: another hook fails in its own direction", async (_what, handler) => {
    const answer = await callHook(declare("PreToolUse", handler), {}, FAILED);
    expect(answer).toMatchObject({ decision: "none", exitCode: 1, diagnostics: [{ code: "HL_SDK_RESULT_NOT_RETURNED" }, {}] });
  });

  const NOTE = context("kept");
  it.each([
    ["was replaced by a stricter one", () => [allow(), deny("x")].at(-1), "deny"],
    ["was made before the handler ran", () => (NOTE.parts.length > 5 ? NOTE : undefined), "none"],
    ["was joined, and the whole is returned", () => deny("x").with(NOTE), "deny"],
    ["was made first and returned after an await", async () => ((no) => wait(5).then(() => no))(deny("x")), "deny"],
  ])("but %s is no mistake", async (_what, handler, decision) => {
    expect(await callHook(declare("PreToolUse", { guard: true }, handler))).toMatchObject({ decision, diagnostics: [] });
  });

  it.each([
    ["replaced it by a looser one", () => [deny("x"), allow()].at(-1)],
    ["spread it", () => ({ ...deny("x"), ...context("y") })],
    ["lost it to &&", () => deny("x") && context("y")],
  ])("is a failure of a guard that %s, and no mistake in another hook", async (_what, handler) => {
    const guard = await callHook(declare("PreToolUse", { guard: true }, handler), {}, FAILED);
    expect(guard).toMatchObject({ decision: "deny", diagnostics: [{ code: "HL_SDK_RESULT_NOT_RETURNED" }] });
    expect(await callHook(declare("PreToolUse", {}, handler))).toMatchObject({ diagnostics: [] });
  });

  it.each([
    ["set on it", () => Object.assign(allow(), { decision: "deny" })],
    ["spread with it", () => ({ ...allow(), decision: "deny" })],
    ["in the agent's words", () => ({ ...context("c"), permissionDecision: "deny" })],
  ])("a field beside a result is not read, so a guard that returns one blocks: %s", async (_what, handler) => {
    const guard = await callHook(declare("PreToolUse", { guard: true }, handler as never), {}, FAILED);
    expect(guard).toMatchObject({ decision: "deny", diagnostics: [{ code: "HL_SDK_RESULT_INVALID" }] });
    const plain = await callHook(declare("PreToolUse", handler as never), {}, FAILED);
    expect(plain.diagnostics).toMatchObject([{ code: "HL_SDK_RESULT_INVALID", message: expect.stringContaining('ecision" beside it') }]);
  });

  it("is charged to the hook that made it, whoever runs beside it", async () => {
    const hooks = [
      declare("PreToolUse", { guard: true, name: "right" }, () => wait(10)),
      declare("PreToolUse", { name: "wrong" }, async () => void context(await wait(2, "x"))),
      declare("PreToolUse", { guard: true, name: "speaks" }, async () => allow(await wait(4, "fine"))),
    ];
    const written = await answerEvent(hooksScript(hooks, "file"), parsePayload(Buffer.from(JSON.stringify(bash()))));
    expect(written.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("HL_SDK_RESULT_NOT_RETURNED: wrong made context(…)"),
    ]);
    expect(written.stdout).toContain('"permissionDecision":"allow"');
  });

  it("means nothing in a main function, which is told so", async () => {
    const answer = await callHook(() => deny("x"), "PreToolUse", {}, FAILED);
    expect(answer.diagnostics[0]?.message).toContain("Results count in hook() only: use emitBlock()");
  });
});

/** As if `.with()` changed it. */
function addedTo(note: HookResult): HookResult {
  note.with(deny("x"));
  return note;
}

function bash(): object {
  return { hook_event_name: "PreToolUse", session_id: "s", cwd: "/", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
}

it("what a handler must return is said in the words of its event, and from the handler itself", async () => {
  const wrong = (event: "UserPromptSubmit" | "PreToolUse"): Promise<unknown> =>
    callHook(
      declare(event, () => false),
      {},
      FAILED,
    );
  expect(await wrong("UserPromptSubmit")).toMatchObject({ stderr: expect.stringContaining("Return block(…), context(…)") });
  expect(await wrong("PreToolUse")).toMatchObject({ stderr: expect.stringContaining("Return deny(…), context(…)") });
  const inCallback = declare("PreToolUse", () => {
    [1].map(() => deny("no"));
  });
  expect(await callHook(inCallback, {}, FAILED)).toMatchObject({ stderr: expect.stringContaining("not in a callback") });
});
