/** A deny or ask rule that was written down holds, or it is said that it does not: whatever the spelling, and whatever the embedding program left out. */
import path from "node:path";
import { allow, deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { Permissions } from "../../packages/hookloop/src/permissions/permissions.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import type { PermissionCall, RuleSet } from "../../packages/hookloop/src/permissions/types.ts";
import { bash, openProject, type Project } from "../engine/open-project.ts";

const root = "/srv/app";

/** The texts of one kind of diagnostic. */
function said(project: Project, code: string): readonly string[] {
  return project.diagnostics.filter((one) => one.code === code).map(({ text }) => text);
}

describe("deny and ask rules of settings files, where runTool is given no rules", () => {
  const settings = { permissions: { deny: ["Bash(git push *)"], ask: ["WebFetch"], allow: ["Bash(ls)"] } };
  const fetched = { tool_name: "WebFetch", tool_input: { url: "https://example.com" }, tool_use_id: "1" };

  test("a deny rule denies, trusted or not, and names its place", async () => {
    for (const trust of ["implicit", "store"] as const) {
      const project = openProject({ project: settings });
      const hooks = await project.open({ trust });
      const result = await hooks.runTool(bash("git push a"), () => 1, { permission: () => "allow", ask: () => true });
      expect([result.status, result.permission?.by]).toMatchObject(["denied", { kind: "rule", rule: { text: "Bash(git push *)" } }]);
      expect(result.error).toContain("settings.json:1");
      expect((await hooks.runTool(bash("make"), () => 1)).permission).toMatchObject({ decision: "allow", by: { kind: "default" } });
    }
  });

  test("an ask rule asks, and refuses where there is no user to ask; a hook's allow does not answer it", async () => {
    const project = openProject({ project: settings });
    const hooks = await project.open();
    hooks.on("PermissionRequest", {}, () => allow("fine"));
    expect((await hooks.runTool(fetched, () => 1)).status).toBe("denied");
    expect((await hooks.runTool(fetched, () => 1, { permission: () => "allow" })).status).toBe("denied");
    expect((await hooks.runTool(fetched, () => 1, { ask: () => true })).status).toBe("ran");
    expect((await hooks.runTool(fetched, () => 1, { ask: () => false })).status).toBe("denied");
    // The hook speaks only where rules or a permission of the program ask.
    expect(project.codes()).toEqual(["HL_PERMISSION_NOT_APPLIED"]);
  });

  test("they hold beside rules that the program composed itself, also where those bypass everything", async () => {
    const hooks = await openProject({ project: settings }).open();
    const rules = new Permissions({ root: "/", mode: "bypassPermissions", canBypass: true });
    expect((await hooks.runTool(bash("git push a"), () => 1, { rules })).status).toBe("denied");
    expect((await hooks.runTool(bash("make"), () => 1, { rules })).status).toBe("ran");
    const read = new Permissions({ rules: readRules(hooks.ruleSources).rules, root: "/" });
    expect((await hooks.runTool(bash("git push a"), () => 1, { rules: read })).status).toBe("denied");
  });

  test.each(["plan", "dontAsk"])("the mode %s needs rules, and that is said once", async (defaultMode) => {
    const project = openProject({ user: { permissions: { defaultMode } } });
    const hooks = await project.open();
    for (let times = 0; times < 2; times++) expect((await hooks.runTool(bash("make"), () => 1)).status).toBe("ran");
    expect(said(project, "HL_PERMISSION_NOT_APPLIED")).toEqual([
      expect.stringMatching(new RegExp(`^The mode "${defaultMode}" .*not applied.*readRules\\(hooks.ruleSources\\)`)),
    ]);
  });

  test.each(["default", "acceptEdits"])("the mode %s is none that is missed", async (defaultMode) => {
    const project = openProject({ user: { permissions: { defaultMode } } });
    await (await project.open()).runTool(bash("make"), () => 1);
    expect(project.codes()).toEqual([]);
  });
});

describe("a broken rule of a file", () => {
  test("is said when the file is read, with its place, and once", async () => {
    const project = openProject({ project: { permissions: { deny: ["Bash(rm *", "Bsh", "Write(src/**)"] } } });
    const hooks = await project.open();
    const place = { file: project.path(".claude/settings.json"), line: 1, column: expect.any(Number) };
    expect(project.diagnostics).toMatchObject([
      { code: "HL_PERMISSION_BAD_RULE", level: "error", place },
      { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", place },
      { code: "HL_PERMISSION_NOT_CONSULTED", level: "error", place },
    ]);
    expect(hooks.diagnostics).toHaveLength(3);
  });

  test("tools of the agent and of its dialect are no slips", async () => {
    const project = openProject({ project: { permissions: { deny: ["Deploy", "KillShell", "mcp__a__b"] } } });
    await project.open({ tools: ["Deploy"] });
    expect(project.codes()).toEqual([]);
  });
});

/** The rules of one list. */
function rulesOf(list: "deny" | "ask", ...texts: readonly string[]): RuleSet {
  return readRules([{ scope: "user", root, isTrusted: true, permissions: { [list]: texts } }]).rules;
}

describe("a tool that another agent's name is used for", () => {
  const CASES: readonly (readonly [string, object, string])[] = [
    ["shell", { command: "rm -rf x" }, "Bash(rm *)"],
    ["shell", { command: ["rm", "-rf", "x"] }, "Bash(rm *)"],
    ["shell", { command: "rm", args: ["-rf", "x"] }, "Bash(rm -rf *)"],
    ["run_shell_command", { cmd: "cd x && rm y" }, "Bash(rm *)"],
    ["execute_command", { command: "cat .env" }, "Read(.env)"],
    ["shell", { command: "ls" }, "Bash"],
    ["read_file", { path: ".env" }, "Read(.env)"],
    ["read_file", { absolute_path: "/srv/app/.env" }, "Read(.env)"],
    ["view", { files: ["a", ".env"] }, "Read(.env)"],
    ["write_file", { file_path: "src/a" }, "Edit(src/**)"],
    ["str_replace_editor", { path: "src/a" }, "Edit(src/**)"],
    ["create", { path: "src/a" }, "Edit"],
    ["fetch", { url: "https://example.com/x" }, "WebFetch(domain:example.com)"],
    ["functions.Bash", { command: "rm x" }, "Bash(rm *)"],
    ["default_api:bash", { command: "rm x" }, "Bash(rm *)"],
    ["tools/Bash", { command: "ls" }, "Bash"],
    ["functions.shell", { cmd: "rm x" }, "Bash(rm *)"],
    ["Bash;ls", { command: "rm x" }, "Bash(rm *)"],
    ["В\u0430sh", { command: "rm x" }, "Bash(rm *)"],
  ];
  test.each(CASES)("%s %j is bound by %s, in every mode", (tool_name, tool_input, rule) => {
    const call = { tool_name, tool_input: tool_input as Record<string, unknown> };
    for (const mode of ["default", "bypassPermissions"] as const) {
      expect(decide(call, rulesOf("deny", rule), { root, mode })).toMatchObject({ decision: "deny", by: { rule: { text: rule } } });
      expect(decide(call, rulesOf("ask", rule), { root, mode })).toMatchObject({ decision: "ask", by: { rule: { text: rule } } });
    }
  });

  test.each([
    ["shell", { command: "ls" }, "Bash(rm *)"],
    ["shell", { command: "ls" }, "Read(.env)"],
    ["read_file", { path: "a" }, "Read(.env)"],
    ["mcp__box__shell", { command: "rm x" }, "Bash(rm *)"],
    ["deploy", { command: "rm x" }, "Bash(rm *)"],
  ])("%s %j is not what %s is about", (tool_name, tool_input, rule) => {
    const call = { tool_name, tool_input: tool_input as Record<string, unknown> };
    expect(decide(call, rulesOf("deny", rule), { root, mode: "bypassPermissions" }).decision).toBe("allow");
  });

  test.each([
    ["shell", { lines: "rm x" }, "Bash(rm *)"],
    ["run_command", {}, "Bash"],
    ["apply_patch", { input: "*** Begin Patch" }, "Edit(src/**)"],
  ])("%s %j does not say whether %s is about it: that is a question", (tool_name, tool_input, rule) => {
    const call = { tool_name, tool_input: tool_input as Record<string, unknown> };
    const decided = decide(call, rulesOf("deny", rule), { root, mode: "bypassPermissions" });
    expect(decided).toMatchObject({ decision: "ask", by: { kind: "rule" }, reason: expect.stringContaining("what some agents call") });
  });

  test.each(["functions.Bash", "default_api:bash", "tools/Bash", "Bash;ls", "Bаsh"])("a guard for Bash runs for %s", async (tool_name) => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { tool: "Bash", guard: true }, () => deny("no"));
    expect((await hooks.fire("PreToolUse", { tool_name, tool_input: { command: "x" }, tool_use_id: "1" })).decision).toBe("deny");
  });

  test.each(["", "  ", "\u200b", "Bаsh", "functions.Bаsh"])("runTool does not run a tool called %j, and says why", async (tool_name) => {
    const project = openProject();
    const hooks = await project.open();
    expect((await hooks.runTool({ tool_name, tool_input: { command: "x" }, tool_use_id: "1" }, () => 1)).status).toBe("denied");
    expect(said(project, "HL_SELECT_FIELD_MISSING")).toHaveLength(1);
  });

  test("a tool with a name of its own in another script runs", async () => {
    const hooks = await openProject().open();
    expect((await hooks.runTool({ tool_name: "поиск", tool_input: {}, tool_use_id: "1" }, () => 1)).status).toBe("ran");
  });

  test("an own rule for the name holds, and an allow rule is compared exactly", () => {
    const call = { tool_name: "shell", tool_input: { command: "rm x" } };
    expect(decide(call, rulesOf("deny", "shell"), { root, mode: "bypassPermissions" }).decision).toBe("deny");
    for (const rule of ["shell", "*", "shell(rm *)"]) expect(decide(call, rulesOf("deny", rule), { root }).likeness).toBeUndefined();
    const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { allow: ["Bash"] } }]);
    expect(decide(call, rules, { root }).decision).toBe("ask");
  });

  test.each([
    ["bash", { command: "rm x" }, "denied", /^The deny rule "Bash\(rm \*\)" .*settings\.json.* holds for "bash", which is taken for Bash/],
    ["shell", { command: "rm x" }, "denied", /holds for "shell", which is what some agents call Bash/],
    ["shell", { lines: "rm x" }, "denied", /may be about "shell"/],
    ["execute", { query: "select" }, "ran", /was not compared with "execute"/],
  ] as const)("runTool says once what became of %s %j", async (tool_name, tool_input, status, text) => {
    const project = openProject({ project: { permissions: { deny: ["Bash(rm *)"] } } });
    const hooks = await project.open();
    for (let times = 0; times < 2; times++)
      expect((await hooks.runTool({ tool_name, tool_input, tool_use_id: "1" }, () => 1)).status).toBe(status);
    expect(said(project, "HL_SELECT_SPELLING")).toEqual([expect.stringMatching(text)]);
  });
});

describe("a deny or ask rule in another spelling", () => {
  test.each([
    ["bash(rm *)", "Bash", { command: "rm x" }],
    ["BASH(rm *)", "bash", { command: "rm x" }],
    ["shell(rm *)", "shell", { command: "rm x" }],
    ["run_shell_command(rm *)", "run_shell_command", { command: "rm x" }],
    ["read(.env)", "Grep", { path: ".env" }],
    ["read", "Grep", {}],
    ["web_fetch(domain:example.com)", "WebFetch", { url: "https://example.com" }],
    ["fetch(domain:example.com)", "fetch", { url: "https://example.com" }],
  ])("%s counts for %s, and it is said", (rule, tool_name, tool_input) => {
    for (const list of ["deny", "ask"] as const) {
      const source = { scope: "user", root, isTrusted: true, permissions: { [list]: [rule] } } as const;
      const { rules, diagnostics } = readRules([source]);
      const call = { tool_name, tool_input: tool_input as Record<string, unknown> };
      expect(decide(call, rules, { root, mode: "bypassPermissions" }).decision).toBe(list);
      expect(diagnostics).toMatchObject([
        { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", text: expect.stringContaining("it is taken for") },
      ]);
    }
  });

  test("is none of an allow rule", () => {
    const { rules, diagnostics } = readRules([{ scope: "user", root, isTrusted: true, permissions: { allow: ["bash(ls)"] } }]);
    expect([rules.allow, diagnostics]).toMatchObject([[], [{ code: "HL_PERMISSION_BAD_RULE", level: "error" }]]);
  });
});

describe("a rule that is written as a regular expression", () => {
  test.each([
    ["Bash(^rm.*)", 'Write "Bash(rm *)".'],
    ["Bash(rm.*)", 'Write "Bash(rm *)".'],
    ["Bash(rm|mv)", 'Write "Bash(rm *)" and "Bash(mv *)".'],
    ["Bash((rm|mv) .*)", 'Write "Bash(rm *)" and "Bash(mv *)".'],
    ["Bash(git (push|commit))", 'Write "Bash(git push *)" and "Bash(git commit *)".'],
    ["Bash(/rm -rf/)", 'Write "Bash(rm -rf *)".'],
    ["Bash(\\brm\\b)", 'Write "Bash(rm *)".'],
    ["Bash(rm\\s+-rf)", 'Write "Bash(rm -rf *)".'],
    ["Bash(^[a-z]+$)", 'as in "Bash(git push *)"'],
    ["Read(^src/.*)", 'as in "Read(**/.env)"'],
    ["Read(.*\\.env$)", 'as in "Read(**/.env)"'],
    ["WebFetch(domain:.*\\.example\\.com)", 'as in "WebFetch(domain:*.example.com)"'],
  ])("%s counts as it is written, and what to write is said", (rule, text) => {
    const { rules, diagnostics } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule] } }]);
    expect(rules.deny).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ code: "HL_PERMISSION_BAD_RULE", level: "warning", text: expect.stringContaining(text) }]);
    expect(diagnostics[0]?.text).toContain("no regular expression");
  });

  test.each([
    'Bash(grep -E "a|b" *)',
    "Bash(rm .*)",
    "Bash(cat config.*)",
    "Bash(curl * | sh)",
    "Bash(echo \\*)",
    "Bash(python3.12 *)",
    "Bash(npm run build:*)",
    "Bash(./deploy.sh *)",
    "Bash(cd $HOME)",
    "Read(.*)",
    "Read(src/(a)/[id].ts)",
    "WebFetch(domain:*.example.com)",
  ])("%s is none", (rule) => {
    expect(readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule] } }]).diagnostics).toEqual([]);
  });
});

describe("a rule whose brackets hold what no call can have", () => {
  const rm = { tool_name: "Bash", tool_input: { command: "rm x" } };
  const env = { tool_name: "Read", tool_input: { file_path: path.join(root, ".env") } };
  const reads = (file_path: string): PermissionCall => ({ tool_name: "Read", tool_input: { file_path } });
  const evil = { tool_name: "WebFetch", tool_input: { url: "https://evil.com/a" } };
  const push = { tool_name: "mcp__github__push", tool_input: {} };
  const deploy = { tool_name: "deploy", tool_input: { to: "prod" } };
  const read = (list: "allow" | "ask" | "deny", rule: string, scope: "user" | "code" = "user"): ReturnType<typeof readRules> =>
    readRules([{ scope, root, isTrusted: true, permissions: { [list]: [rule] } }], { home: "/home/me", tools: ["deploy"] });

  test.each<[string, PermissionCall, string]>([
    ["Bash('rm *')", rm, "Bash(rm *)"],
    ['Bash("rm *")', rm, "Bash(rm *)"],
    ["Bash(`rm *`)", rm, "Bash(rm *)"],
    ["Bash(“rm *”)", rm, "Bash(rm *)"],
    ['Read(".env")', env, "Read(.env)"],
    ["Bash(rm  *)", rm, "Bash(rm *)"],
    ["Bash(rm\t*)", rm, "Bash(rm *)"],
    ["Bash(rm\u00a0*)", rm, "Bash(rm *)"],
    ["Bash(rm\u200b *)", rm, "Bash(rm *)"],
    ["Bash(:*)", rm, "Bash"],
    ["Bash(rm :*)", rm, "Bash(rm *)"],
    ["Bash(FOO=1 rm *)", rm, "Bash(rm *)"],
    ["Bash(command=rm *)", rm, "Bash(rm *)"],
    ["Bash(command: rm *)", rm, "Bash(rm *)"],
    ["Bash($(rm *))", rm, "Bash(rm *)"],
    ["Bash({rm,mv} *)", rm, "Bash(rm *)"],
    ["Read(file_path=.env)", env, "Read(.env)"],
    ["Read(file_path:.env)", env, "Read(.env)"],
    ["Read($HOME/.ssh/**)", reads("/home/me/.ssh/id"), "Read(~/.ssh/**)"],
    ['Read("${HOME}/.ssh/**")', reads("/home/me/.ssh/id"), "Read(~/.ssh/**)"],
    ["Read($CLAUDE_PROJECT_DIR/.env)", env, "Read(/.env)"],
    ["Read(**/*.{env,pem})", reads(path.join(root, "a/b.pem")), "Read(**/*.env)"],
    ["Edit({a,b}/**)", { tool_name: "Write", tool_input: { file_path: path.join(root, "b/c") } }, "Edit(a/**)"],
    ["Read(*.env, *.pem)", reads(path.join(root, "b.pem")), "Read(*.env)"],
    ["Read(*.env|*.pem)", reads(path.join(root, "b.pem")), "Read(*.env)"],
    ["Read(.env .npmrc)", reads(path.join(root, ".npmrc")), "Read(.env)"],
    ["Read(/etc/passwd)", reads("/etc/passwd"), "Read(//etc/passwd)"],
    ["Read(/home/me/x)", reads("/home/me/x"), "Read(//home/me/x)"],
    [`Read(${root}/.env)`, env, `Read(/${root}/.env)`],
    ["Read(file:///etc/passwd)", reads("/etc/passwd"), "Read(//etc/passwd)"],
    ["Read(../s/**)", reads(path.join(root, "../s/a")), `Read(/${path.join(root, "../s/**")})`],
    ["Read(.)", env, "Read(./**)"],
    ["WebFetch(domain:https://evil.com)", evil, "WebFetch(domain:evil.com)"],
    ["WebFetch(domain:evil.com/*)", evil, "WebFetch(domain:evil.com)"],
    ["WebFetch(domain:evil.com:443)", evil, "WebFetch(domain:evil.com)"],
    ["WebFetch(domain: evil.com)", evil, "WebFetch(domain:evil.com)"],
    ["WebFetch(domain:.evil.com)", evil, "WebFetch(domain:evil.com)"],
    ["WebFetch(https://evil.com/*)", evil, "WebFetch(domain:evil.com)"],
    ["mcp__github__", push, "mcp__github"],
    ["mcp__github.push", push, "mcp__github__push"],
    ["deploy(to: prod)", deploy, "deploy(to:prod)"],
    ["deploy(to=prod)", deploy, "deploy(to:prod)"],
    [
      "Bash(runInBackground=true)",
      { tool_name: "Bash", tool_input: { command: "x", run_in_background: true } },
      "Bash(run_in_background:true)",
    ],
  ])("%s forbids and asks as it is meant, allows nothing, and what to write is said", (rule, call, cure) => {
    for (const list of ["deny", "ask"] as const) {
      const { rules, diagnostics } = read(list, rule);
      expect(decide(call, rules, { root, home: "/home/me", mode: "bypassPermissions" }).decision).toBe(list);
      expect(diagnostics).toMatchObject([{ code: "HL_PERMISSION_BAD_RULE", level: "warning", text: expect.stringContaining(`"${cure}"`) }]);
    }
    const { rules, diagnostics } = read("allow", rule);
    expect(decide(call, rules, { root, home: "/home/me", mode: "dontAsk" }).by).not.toMatchObject({ kind: "rule" });
    // Variables before a command are part of what an allow rule is about.
    if (!rule.includes("FOO=1")) expect(diagnostics).toMatchObject([{ code: "HL_PERMISSION_BAD_RULE" }]);
  });

  test("a parameter's name may be spelt in another way", () => {
    expect(decide(deploy, read("deny", "deploy(To:prod)").rules, { root, mode: "bypassPermissions" }).decision).toBe("deny");
  });

  test.each([
    ["Read(!.env)", '"!"'],
    ["Bash(!rm *)", '"!"'],
    ["Bash(> /etc/passwd)", "Edit(//etc/passwd)"],
    ["Read($SECRETS/**)", "variables are not filled in"],
    ["Read(~root/.ssh/**)", "home folder"],
    ["mcp__", "names no server"],
  ])("%s cannot be told: it is an error, and one of the program itself throws", (rule, text) => {
    for (const list of ["deny", "ask", "allow"] as const) {
      const { rules, diagnostics } = read(list, rule);
      expect([rules[list], diagnostics]).toMatchObject([[], [{ level: "error", text: expect.stringContaining(text) }]]);
      expect(() => read(list, rule, "code")).toThrow(text);
    }
  });

  test.each([
    ["Bash(rm|mv)", rm],
    ["Bash(rm *|mv *)", rm],
    ["Bash(a * | b *)", { tool_name: "Bash", tool_input: { command: "a 1|b 2" } }],
    ["Bash(cd * && rm *)", { tool_name: "Bash", tool_input: { command: "cd x && rm y" } }],
  ])("%s forbids what it names", (rule, call) => {
    expect(decide(call, read("deny", rule).rules, { root, mode: "bypassPermissions" }).decision).toBe("deny");
  });

  test.each([
    "Bash(git commit -m 'a  b')",
    "Bash(echo (x) Read(y))",
    "Bash(make CC=gcc *)",
    "Read(/src/**)",
    "Edit(a,b)",
    "Edit(app/routes/$id.tsx)",
    "Edit(My Documents/**)",
    "Edit(src/[id]/(a).ts)",
    "Skill(plugin:name)",
    "deploy(to:prod)",
    "Bash(*| sh)",
  ])("%s is fine", (rule) => {
    expect(read("deny", rule).diagnostics).toEqual([]);
  });
});

describe("permissions under a name that is not read", () => {
  test.each([
    ["permission", { deny: ["Bash"] }, 'Did you mean "permissions"?'],
    ["permisions", { deny: ["Bash"] }, 'Did you mean "permissions"?'],
    ["Permissions", { deny: ["Bash"] }, 'Did you mean "permissions"?'],
    ["deny", ["Bash"], '"deny" must stand inside "permissions"'],
    ["Ask", ["Bash"], '"Ask" must stand inside "permissions"'],
    ["allow", ["Bash"], '"allow" must stand inside "permissions"'],
    ["defaultMode", "plan", '"defaultMode" must stand inside "permissions"'],
  ])("%s is said, in a file and in settings of openHooks", async (key, value, text) => {
    const file = openProject({ project: { [key]: value } });
    await file.open();
    const option = openProject();
    await option.open({ settings: { [key]: value } });
    for (const project of [file, option]) expect(said(project, "HL_CONFIG_UNKNOWN_FIELD")).toEqual([expect.stringContaining(text)]);
  });

  test.each([
    [{ permissions: { denied: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { denies: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { denyTools: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { block: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { forbid: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { disallow: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { Deny: ["Bash"] } }, "error", 'Did you mean "deny"?'],
    [{ permissions: { rules: ["Bash"] } }, "error", '"deny", "ask" or "allow"'],
    [{ permissions: { asks: ["Bash"] } }, "error", 'Did you mean "ask"?'],
    [{ permissions: { mode: "plan" } }, "warning", 'Did you mean "defaultMode"?'],
    [{ disallowedTools: ["Bash"] }, "error", '"deny" of "permissions"'],
    [{ deniedTools: ["Bash"] }, "error", '"deny" of "permissions"'],
    [{ permission: { deny: ["Bash"] } }, "error", 'Did you mean "permissions"?'],
    [{ deny: ["Bash"] }, "error", 'must stand inside "permissions"'],
  ])("%j is said; if a guard may be lost with it, it is an error, and with requireHooks nothing starts", async (settings, level, text) => {
    const project = openProject({ project: settings });
    const { trust } = await project.open({ requireHooks: true });
    expect(project.diagnostics[0]).toMatchObject({ code: "HL_CONFIG_UNKNOWN_FIELD", level, text: expect.stringContaining(text) });
    expect(trust.cannotStart).toMatchObject(level === "error" ? [{ code: "HL_TRUST_REQUIRED" }] : []);
  });

  test.each([
    [{ deny: "Bash" }, 1],
    [{ deny: ["Bash(rm *"] }, 1],
    [{ ask: ["Read(!.env)"] }, 1],
    [{ deny: [{ tool: "Bash" }] }, 1],
    [{ allow: ["Bash(rm *"] }, 0],
    [{ deny: ["Bash('rm *')"] }, 0],
  ])("with requireHooks a session does not start with a list of rules that cannot be read: %j", async (permissions, count) => {
    const { trust } = await openProject({ project: { permissions } }).open({ requireHooks: true });
    expect(trust.cannotStart).toHaveLength(count);
  });

  test("keys of other programs are theirs", async () => {
    const project = openProject({ project: { model: "x", permissionMode: 1, allowedMcpServers: [] } });
    await project.open();
    expect(project.codes()).toEqual([]);
  });
});

describe("what is handed over as rules and is none", () => {
  const rules = new Permissions({ root });

  test.each([
    [{ permissions: () => "deny" }, /no option "permissions"\. Did you mean "permission"\?/],
    [{ permissions: rules }, /no option "permissions"\. Did you mean "rules"\? The call was not run\.$/],
    [{ rules: { decide: () => ({ decision: "allow" }) } }, /new Permissions\(\{ rules, root \}\)/],
    [{ rules: { decide: () => ({ decision: "deny" }), update: () => [] } }, /new Permissions\(\{ rules, root \}\)/],
    [{ rules: { decide: () => ({ decision: "ask" }), update: () => [] } }, /new Permissions\(\{ rules, root \}\)/],
  ])("runTool with %j gives a denied result, and says what to write", async (options, text) => {
    const project = openProject();
    const hooks = await project.open();
    hooks.on("PermissionRequest", {}, () => allow("fine"));
    const result = await hooks.runTool(bash("ls"), () => 1, options as never);
    expect([result.status, project.diagnostics.map((one) => one.text)]).toEqual(["denied", [expect.stringMatching(text)]]);
  });

  test.each([[{ deny: ["Bash"] }], [{ deny: ["Bash"], ask: [], allow: [], directories: [] }], [{ deny: [], ask: [], allow: [] }], [[]]])(
    "Permissions with the rules %j throws with a code and what to write",
    (given) => {
      expect(() => new Permissions({ rules: given as never, root })).toThrow(/^HL_CONFIG_OPTION_INVALID: .*readRules\(/);
    },
  );

  test.each([[{}], [undefined], ["addRules"]])("an update that is %j throws with a code and what to write", (updates) => {
    expect(() => rules.update(updates as never)).toThrow(/^HL_CONFIG_OPTION_INVALID: .*update\(\[/);
  });
});

test("a matcher in another spelling is not said to match nothing: it matches a tool of that name, and as a guard more", async () => {
  const hook = { type: "command", command: "exit 2" };
  const project = openProject({ project: { hooks: { PreToolUse: [{ matcher: "bash", hooks: [hook] }] } } });
  const hooks = await project.open();
  const [text = ""] = said(project, "HL_CONFIG_MATCHER_NEVER");
  expect(text).toContain('Did you mean "Bash"?');
  expect(text).toContain("only if the agent has a tool of its own by this name");
  expect(text).not.toContain("never");
  expect((await hooks.fire("PreToolUse", { ...bash("ls"), tool_name: "bash" })).decision).toBe("deny");
});

describe("names and places that a program chose for itself", () => {
  const rulesOf = (deny: readonly string[], scope: "code" | "project" = "code", root = "/p"): RuleSet =>
    readRules([{ scope, root, isTrusted: true, permissions: { deny, allow: ["Edit", "Read"] } }]).rules;
  const decisionOf = (rules: RuleSet, tool_name: string, tool_input = {}, root = "/p"): string =>
    decide({ tool_name, tool_input }, rules, { root }).decision;

  test.each([
    ["mcp__github__create_issue", "mcp__GitHub__create_issue"],
    ["mcp__github__create_issue", "mcp__github__createIssue"],
    ["mcp__github__create_issue", "mcp__github__create-issue"],
    ["mcp__github__create_issue", "mcp_github_create_issue"],
    ["mcp__github__create_issue", "mcp.github.create_issue"],
    ["mcp__slack", "mcp__Slack__post"],
    ["mcp__slack", "mcp_slack_post"],
    ["mcp__jira__*", "mcp__Jira__x"],
    ["mcp__a__b", "mcp__a__b\u200b"],
    ["mcp__a__b", "mcp__\uFF41__b"],
    ["Task", "task"],
    ["Agent", "task"],
    ["Agent", "Task"],
  ])("a deny rule for %s binds %s", (rule, tool) => {
    expect(decisionOf(rulesOf([rule]), tool)).toBe("deny");
  });

  test.each([
    ["mcp__git", "mcp__github__x"],
    ["mcp__github__create_issue", "mcp__github__create_issues"],
    ["mcp__a__b", "mcp__a__c"],
    ["TaskCreate", "task"],
  ])("a deny rule for %s does not bind %s", (rule, tool) => {
    expect(decisionOf(rulesOf([rule]), tool)).not.toBe("deny");
  });

  test.each(["Bash(rm *", "rm *", "Bash rm", "Bash[rm *]"])("%j, written by the program itself, is thrown back at it", (rule) => {
    expect(() => rulesOf([rule])).toThrow(/HL_CONFIG_OPTION_INVALID/);
    expect(rulesOf([rule], "project").deny).toEqual([]);
  });

  test("path rules of a project hold for its files also where the program names another root", () => {
    const rules = rulesOf(["Edit(src/**)", "Read(.env)"], "project", "/p");
    expect(decisionOf(rules, "Edit", { file_path: "/p/src/a" }, "/elsewhere")).toBe("deny");
    expect(decisionOf(rules, "Read", { file_path: "/p/sub/.env" }, "/elsewhere")).toBe("deny");
    expect(decisionOf(rules, "Edit", { file_path: "/q/src/a" }, "/elsewhere")).not.toBe("deny");
  });
});

describe("options of runTool", () => {
  const denyAll = (): "deny" => "deny";
  class Policy {
    readonly policy = "deny" as const;
    readonly #calls: string[] = [];
    permission({ tool_name }: { readonly tool_name: string }): "deny" {
      this.#calls.push(tool_name);
      return this.#calls.length > 0 ? this.policy : ("allow" as never);
    }
  }
  class Getter {
    get permission(): () => "deny" {
      return denyAll;
    }
  }
  class Below extends Getter {}
  test.each([
    ["an object of a class", new Policy()],
    ["an object that inherits", Object.create({ permission: denyAll })],
    ["a getter of a class", new Getter()],
    ["a class below it", new Below()],
    ["an option that is not enumerable", Object.defineProperty({}, "permission", { value: denyAll })],
  ])("%s counts, whoever owns them", async (_what, options) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const result = await hooks.runTool(bash("ls"), () => (hasRun = true), options as never);
    expect([hasRun, result.status, result.error]).toEqual([false, "denied", "Bash is not allowed."]);
    expect(project.diagnostics).toEqual([]);
  });

  test("what a class inherits beside them is its own affair, unless it is nearly one of them", async () => {
    const project = openProject();
    const hooks = await project.open();
    class Own {
      permission(): "allow" {
        return this.look();
      }
      look(): "allow" {
        return "allow";
      }
    }
    expect((await hooks.runTool(bash("ls"), () => 1, new Own())).status).toBe("ran");
    class Misspelt extends Own {
      permision(): "deny" {
        return "deny";
      }
    }
    expect((await hooks.runTool(bash("ls"), () => 1, new Misspelt() as never)).status).toBe("denied");
    expect(project.diagnostics.map(({ text }) => text)).toEqual([
      'runTool() has no option "permision". Did you mean "permission"? The call was not run.',
    ]);
  });

  test.each([
    ["a function", denyAll, "the options of runTool() are a function. Write an object, as in { permission: (call) => … }."],
    ["a promise", Promise.resolve({ permission: denyAll }), "the options of runTool() are a promise. Await it first."],
    ["a signal", new AbortController().signal, "runTool() was given a signal. Write runTool(call, execute, { signal })."],
    ["a Map", new Map([["permission", denyAll]]), "the options of runTool() are an object of the class Map and have none of: rules,"],
    ["a list", [], "the options of runTool() are a list. Write an object"],
    ["a number", 5, "the options of runTool() are 5. Write an object"],
    ["false", false, "the options of runTool() are false. Write an object"],
    ["a text", "deny", 'the options of runTool() are "deny". Write an object'],
    ["Permissions", new Permissions({ root: "/" }), "runTool() was given Permissions. Write { rules: permissions }."],
    ["a class", Policy, "the options of runTool() are a class. Write new Policy()."],
    [
      "a getter that throws",
      Object.defineProperty({}, "permission", {
        get: () => {
          throw new Error("boom");
        },
      }),
      "the options of runTool() cannot be read: boom.",
    ],
  ])("%s in their place is said, and the call is not run", async (_what, options, text) => {
    const project = openProject();
    const hooks = await project.open();
    let hasRun = false;
    const result = await hooks.runTool(bash("ls"), () => (hasRun = true), options as never);
    expect([hasRun, result.status]).toEqual([false, "denied"]);
    expect(result.error).toContain("the program that runs it has a mistake");
    expect(project.diagnostics.map((one) => [one.code, one.text])).toEqual([["HL_CONFIG_OPTION_INVALID", expect.stringContaining(text)]]);
    expect(project.diagnostics[0]?.text).toMatch(/\. The call was not run\.$/);
  });

  test("nothing is no mistake", async () => {
    const project = openProject();
    const hooks = await project.open();
    for (const nothing of [undefined, null, {}, Object.create(null)])
      expect((await hooks.runTool(bash("ls"), () => 1, nothing as never)).status).toBe("ran");
    expect(project.diagnostics).toEqual([]);
  });
});
