import { allow, ask, deny, rewrite } from "@hookloop/sdk";
import { describe, expect, test, vi } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { ToolCall } from "../../packages/hookloop/src/engine/permit.ts";
import { type PermissionOptions, Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import type { RuleList } from "../../packages/hookloop/src/permissions/types.ts";
import { bash, decides, hooksFor, openProject, type Project, printing } from "./open-project.ts";

type Lists = Partial<Record<RuleList, readonly string[]>>;
const echo = (input: Readonly<Record<string, unknown>>): string => `ran ${input["command"] ?? input["file_path"]}`;
const WRITE = { tool_name: "Write", tool_input: { file_path: "ran.txt", content: "ok" }, tool_use_id: "toolu_1" };

function permissions({ cwd }: Project, lists: Lists, more: Partial<PermissionOptions> = {}): Permissions {
  const texts = (list: RuleList) => (lists[list] ?? []).map((text) => ({ text }));
  const given = { allow: texts("allow"), ask: texts("ask"), deny: texts("deny") };
  const { rules } = readRules([{ scope: "user", root: cwd, isTrusted: true, permissions: given }]);
  return new Permissions({ root: cwd, rules, ...more });
}

/** PermissionRequest hooks that answer with this decision. */
function answers(...decisions: readonly object[]): object {
  const hooks = decisions.map((decision) => ({
    type: "command",
    command: `cat > request.json; ${printing({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })}`,
  }));
  return { hooks: { PermissionRequest: [{ hooks }] } };
}

async function status(hooks: HookEngine, rules: Permissions, call: ToolCall = bash("git push"), answer?: boolean): Promise<string> {
  return (await hooks.runTool(call, echo, { rules, ...(answer !== undefined && { ask: () => answer }) })).status;
}

describe("rules and PreToolUse hooks", () => {
  test.each([
    [{ deny: ["Bash(git *)"] }, "allow", undefined, "denied"],
    [{ deny: ["Bash(git *)"] }, "ask", true, "denied"],
    [{ ask: ["Bash(git *)"] }, "allow", undefined, "denied"],
    [{ ask: ["Bash(git *)"] }, "allow", true, "ran"],
    [{ allow: ["Bash"] }, "ask", undefined, "denied"],
    [{ allow: ["Bash"] }, "ask", true, "ran"],
    [{ allow: ["Bash"] }, "deny", true, "denied"],
    [{}, "allow", undefined, "ran"],
  ] as const)("%j and a hook that says %s, user: %s: %s", async (lists, decision, answer, expected) => {
    const project = openProject({ project: hooksFor("PreToolUse", decides(decision)) });
    expect(await status(await project.open(), permissions(project, lists), bash("git push"), answer)).toBe(expected);
  });

  test("a hook's reason to deny is reported even if a deny rule matches too; a rule's reason names its place", async () => {
    const project = openProject();
    const hooks = await project.open();
    const rules = permissions(project, { deny: ["Bash"] });
    expect((await hooks.runTool(bash("ls"), echo, { rules })).error).toBe('The deny rule "Bash" of user scope forbids Bash.');
    hooks.on("PreToolUse", {}, () => deny("mine"));
    expect((await hooks.runTool(bash("ls"), echo, { rules })).error).toContain("mine");
  });

  test("a rewrite that makes the input match a deny rule is denied, and one that leads out of it is not", async () => {
    const project = openProject();
    const hooks = await project.open();
    const rules = permissions(project, { allow: ["Bash"], deny: ["Bash(rm *)"] });
    const execute = vi.fn(echo);
    const off = hooks.on("PreToolUse", {}, () => rewrite({ command: "sudo rm -rf x" }).with(allow("fine")));
    expect((await hooks.runTool(bash("ls"), execute, { rules })).status).toBe("denied");
    expect(execute).not.toHaveBeenCalled();
    off();
    hooks.on("PreToolUse", {}, () => rewrite({ command: "ls" }));
    expect(await hooks.runTool(bash("rm x"), execute, { rules })).toMatchObject({ status: "ran", output: "ran ls" });
  });

  test("a protection beats allow rules, a hook's allow and bypassPermissions", async () => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => allow("fine"));
    const rules = permissions(project, { allow: ["Bash"] }, { mode: "bypassPermissions", canBypass: true });
    const protect = () => ({ decision: "ask", reason: "it guards itself" }) as const;
    expect(await hooks.runTool(bash("ls"), echo, { rules, protect })).toMatchObject({
      status: "denied",
      error: "There is no user to ask here: it guards itself",
      permission: { by: { kind: "protection" } },
    });
    expect((await hooks.runTool(bash("ls"), echo, { protect })).status).toBe("denied");
    expect((await hooks.runTool(bash("ls"), echo, { rules, protect, ask: () => true })).status).toBe("ran");
  });

  test("the program's own rules tighten, and cannot loosen", async () => {
    const project = openProject();
    const hooks = await project.open();
    const rules = permissions(project, { allow: ["Bash(ls)"], deny: ["Bash(rm *)"] });
    const run = async (command: string, permission: "allow" | "ask" | "deny") =>
      (await hooks.runTool(bash(command), echo, { rules, permission: () => permission })).status;
    expect(
      await Promise.all([run("ls", "allow"), run("ls", "ask"), run("ls", "deny"), run("rm x", "allow"), run("npm test", "allow")]),
    ).toEqual(["ran", "denied", "denied", "denied", "denied"]);
  });
});

describe("PermissionRequest", () => {
  test("it fires when the call would be asked about, without tool_use_id, and its allow works when there is no user to ask", async () => {
    const project = openProject({ project: answers({ behavior: "allow" }) });
    expect(await status(await project.open(), permissions(project, {}), WRITE)).toBe("ran");
    const payload = JSON.parse(project.read("request.json") ?? "{}");
    expect(payload).toMatchObject({
      hook_event_name: "PermissionRequest",
      permission_mode: "default",
      tool_name: "Write",
      tool_input: WRITE.tool_input,
    });
    expect(payload).not.toHaveProperty("tool_use_id");
    expect(payload.permission_suggestions).toEqual([{ type: "setMode", mode: "acceptEdits", destination: "session" }]);
  });

  test("without an answer the call is denied, and the user is asked if there is one", async () => {
    const project = openProject({ project: hooksFor("PermissionRequest", "touch asked") });
    const hooks = await project.open();
    expect(await status(hooks, permissions(project, {}), WRITE)).toBe("denied");
    expect(project.read("asked")).toBe("");
    expect(await status(hooks, permissions(project, {}), WRITE, true)).toBe("ran");
  });

  test("deny beats allow, and its message reaches the model", async () => {
    const project = openProject({ project: answers({ behavior: "allow" }, { behavior: "deny", message: "MARK" }) });
    const result = await (await project.open()).runTool(WRITE, echo, { rules: permissions(project, {}), ask: () => true });
    expect([result.status, result.error]).toEqual(["denied", expect.stringContaining("MARK")]);
  });

  test("exit 2 denies", async () => {
    const project = openProject({ project: hooksFor("PermissionRequest", "echo no >&2; exit 2") });
    expect(await status(await project.open(), permissions(project, {}), WRITE, true)).toBe("denied");
  });

  test("interrupt ends the turn", async () => {
    const project = openProject({ project: answers({ behavior: "deny", message: "MARK", interrupt: true }) });
    const result = await (await project.open()).runTool(WRITE, echo, { rules: permissions(project, {}) });
    expect(result).toMatchObject({ status: "denied", isInterrupted: true, halt: { text: "MARK" } });
  });

  test("it does not fire for a call that rules or the mode allow or deny", async () => {
    const project = openProject({ project: answers({ behavior: "allow" }) });
    const hooks = await project.open();
    await status(hooks, permissions(project, { allow: ["Write"] }), WRITE);
    await status(hooks, permissions(project, { deny: ["Write"] }), WRITE);
    await status(hooks, permissions(project, {}, { mode: "acceptEdits" }), WRITE);
    await status(hooks, permissions(project, {}, { mode: "dontAsk" }), WRITE);
    expect(project.read("request.json")).toBeUndefined();
  });

  test("a hook's question is a denial when there is no user to ask: PermissionRequest does not fire for it", async () => {
    const project = openProject({ project: answers({ behavior: "allow" }) });
    const hooks = await project.open();
    hooks.on("PreToolUse", {}, () => ask("MARK-ask"));
    const result = await hooks.runTool(WRITE, echo, { rules: permissions(project, {}) });
    expect([result.status, result.error, project.read("request.json")]).toEqual(["denied", expect.stringContaining("MARK-ask"), undefined]);
  });

  test("its allow answers neither an ask rule nor a hook's question; the user does", async () => {
    const project = openProject({ project: answers({ behavior: "allow" }) });
    const hooks = await project.open();
    const rules = permissions(project, { ask: ["Write"] });
    expect([await status(hooks, rules, WRITE), await status(hooks, rules, WRITE, false), await status(hooks, rules, WRITE, true)]).toEqual([
      "denied",
      "denied",
      "ran",
    ]);
  });

  test("a rewritten input is decided again, by rules and by PreToolUse hooks", async () => {
    const project = openProject({ project: answers({ behavior: "allow", updatedInput: { command: "rm x" } }) });
    const hooks = await project.open();
    const push = bash("git push");
    expect(await hooks.runTool(push, echo, { rules: permissions(project, {}) })).toMatchObject({ status: "ran", output: "ran rm x" });
    expect(await status(hooks, permissions(project, { deny: ["Bash(rm *)"] }), push)).toBe("denied");
    expect(await status(hooks, permissions(project, { ask: ["Bash(rm *)"] }), push)).toBe("denied");
    hooks.on("PreToolUse", {}, ({ tool_input }) => (JSON.stringify(tool_input).includes("rm x") ? deny("not that") : undefined));
    const result = await hooks.runTool(push, echo, { rules: permissions(project, {}) });
    expect([result.status, result.error]).toEqual(["denied", expect.stringContaining("not that")]);
  });

  test("updatedPermissions hold for the rest of the session; bypassPermissions is refused out loud", async () => {
    const rules = [{ toolName: "Bash", ruleContent: "git push" }];
    const updatedPermissions = [
      { type: "addRules", rules, behavior: "allow", destination: "session" },
      { type: "setMode", mode: "bypassPermissions", destination: "session" },
    ];
    const project = openProject({ project: answers({ behavior: "allow", updatedPermissions }) });
    const hooks = await project.open();
    const session = permissions(project, {});
    expect(await status(hooks, session)).toBe("ran");
    expect([session.decide(bash("git push")).decision, session.mode]).toEqual(["allow", "default"]);
    expect(project.codes()).toContain("HL_PERMISSION_UPDATE_REFUSED");
  });

  test("a rule of updatedPermissions whose content has another name is refused, and the whole tool is not allowed", async () => {
    const rules = [{ toolName: "Bash", content: "git push" }];
    const updatedPermissions = [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
    const project = openProject({ project: answers({ behavior: "allow", updatedPermissions }) });
    const hooks = await project.open();
    const session = permissions(project, {});
    expect(await status(hooks, session)).toBe("ran");
    expect(session.decide(bash("rm -r x")).decision).toBe("ask");
    expect(project.codes()).toContain("HL_PERMISSION_UPDATE_REFUSED");
  });
});

test("PermissionDenied fires for refusals of auto mode only, and its retry is told to the model", async () => {
  const retry = printing({ hookSpecificOutput: { hookEventName: "PermissionDenied", retry: true } });
  const project = openProject({ project: hooksFor("PermissionDenied", `cat > denied.json; ${retry}`) });
  const hooks = await project.open();
  await hooks.runTool(WRITE, echo, { rules: permissions(project, {}) });
  await hooks.runTool(WRITE, echo, { rules: permissions(project, { deny: ["Write"] }, { mode: "auto" }) });
  expect(project.read("denied.json")).toBeUndefined();
  const result = await hooks.runTool(WRITE, echo, { rules: permissions(project, {}, { mode: "auto" }) });
  expect([result.status, result.texts]).toEqual(["denied", ["A hook says that you may try this call again."]]);
  expect(JSON.parse(project.read("denied.json") ?? "{}")).toMatchObject({
    tool_use_id: "toolu_1",
    permission_mode: "auto",
    reason: expect.any(String),
  });
});

test("rules that throw mean that the tool does not run", async () => {
  const project = openProject();
  const execute = vi.fn(echo);
  const protect = (): never => {
    throw new Error("broken");
  };
  const result = await (await project.open()).runTool(bash("ls"), execute, { rules: permissions(project, {}), protect });
  expect([result.status, result.error, execute.mock.calls]).toEqual(["denied", expect.stringContaining("broken"), []]);
});

describe("rules that are handed on without what was wrong with them", () => {
  const BAD =
    'The deny rule "Bash(rm *" is ignored: its parentheses do not match. Write "Tool(what it is about)", as in "Bash(git push *)".';
  const LISTS = { allow: [], ask: [], deny: ["Bash(rm *"] };

  test("are said by runTool, once; Permissions have them as well", async () => {
    const project = openProject();
    const hooks = await project.open();
    const { rules } = readRules([{ scope: "user", root: project.cwd, isTrusted: true, permissions: LISTS }]);
    const permissions = new Permissions({ rules, root: project.cwd });
    for (let times = 0; times < 2; times++) await hooks.runTool(bash("ls"), () => 1, { rules: permissions });
    expect(project.diagnostics.map(({ code, level, text }) => [code, level, text])).toEqual([["HL_PERMISSION_BAD_RULE", "error", BAD]]);
    expect([rules.diagnostics, permissions.diagnostics].map((all) => all?.map(({ text }) => text))).toEqual([[BAD], [BAD]]);
  });

  test("are not said again where they are of files that the engine has read", async () => {
    const project = openProject({ project: { permissions: LISTS } });
    const hooks = await project.open();
    const { rules } = readRules(hooks.ruleSources);
    await hooks.runTool(bash("ls"), () => 1, { rules: new Permissions({ rules, root: project.cwd }) });
    expect(project.diagnostics.map(({ text }) => text)).toEqual([BAD]);
  });

  test("are said where an update was refused, by the program or by a hook", async () => {
    const project = openProject();
    const hooks = await project.open();
    const permissions = new Permissions({ root: project.cwd });
    permissions.update([{ type: "addRule", rules: [{ toolName: "Bash" }], behavior: "deny" } as never]);
    for (let times = 0; times < 2; times++) await hooks.runTool(bash("ls"), () => 1, { rules: permissions });
    expect(project.diagnostics.map(({ code, level }) => [code, level])).toEqual([["HL_PERMISSION_UPDATE_REFUSED", "error"]]);
  });
});
