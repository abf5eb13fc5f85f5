import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { PermissionLists, RuleList, RuleScope, RuleSource } from "../types.ts";
import { isToolDenied } from "./compile-rule.ts";
import { readRules } from "./read-rules.ts";

const place = { file: "settings.json", line: 2, column: 5 };

function source(
  lists: Partial<Record<RuleList, readonly string[]>>,
  more: Partial<RuleSource> & { readonly extra?: Partial<PermissionLists> } = {},
): RuleSource {
  const texts = (list: RuleList) => (lists[list] ?? []).map((text) => ({ text, place }));
  const { extra, ...rest } = more;
  return {
    scope: "user",
    root: "/srv/app",
    isTrusted: true,
    permissions: { allow: texts("allow"), ask: texts("ask"), deny: texts("deny"), ...extra },
    ...rest,
  };
}

describe("a rule that means nothing is reported with place and cure, and its neighbours stay", () => {
  test.each([
    ["deny", "Bash(git *", "HL_PERMISSION_BAD_RULE", "parentheses do not match"],
    ["deny", "Bash git", "HL_PERMISSION_BAD_RULE", "not a rule"],
    ["deny", "", "HL_PERMISSION_BAD_RULE", "not a rule"],
    ["deny", "Bash(npm:* test)", "HL_PERMISSION_BAD_RULE", '":*" may only stand at the end'],
    ["allow", "*", "HL_PERMISSION_BAD_RULE", "mcp__<server>__"],
    ["allow", "mcp__*", "HL_PERMISSION_BAD_RULE", "mcp__<server>__"],
    ["allow", "mcp__s*__get", "HL_PERMISSION_BAD_RULE", "mcp__<server>__"],
    ["allow", "Bash(run_in_background:true)", "HL_PERMISSION_BAD_RULE", "can only deny or ask"],
    ["allow", "mcp__srv__tool(repo:x)", "HL_PERMISSION_BAD_RULE", "can only deny or ask"],
    ["deny", "TodoWrite(x)", "HL_PERMISSION_BAD_RULE", 'Write "TodoWrite" alone'],
    ["allow", "bash(git *)", "HL_PERMISSION_BAD_RULE", 'Did you mean "Bash"?'],
    ["deny", "B*(git *)", "HL_PERMISSION_BAD_RULE", "about a parameter"],
    ["deny", "Write(src/**)", "HL_PERMISSION_NOT_CONSULTED", 'Write "Edit(src/**)"'],
    ["allow", "NotebookEdit(*.ipynb)", "HL_PERMISSION_NOT_CONSULTED", 'Write "Edit(*.ipynb)"'],
    ["deny", "Glob(src/**)", "HL_PERMISSION_NOT_CONSULTED", 'Write "Read(src/**)"'],
  ] as const)("%s %j: %s", (list, rule, code, text) => {
    const { rules, diagnostics } = readRules([source({ [list]: [rule, "Read"] })]);
    expect(diagnostics).toEqual([{ code, level: "error", text: expect.stringContaining(text), place }]);
    expect(rules[list].map((one) => one.text)).toEqual(["Read"]);
  });

  test.each([
    ["Bash(rm *),Bash(mv *)", ["Bash(rm *)", "Bash(mv *)"]],
    ["Bash(rm *) Bash(mv *)", ["Bash(rm *)", "Bash(mv *)"]],
    ["Bash(rm *)Bash(mv *)", ["Bash(rm *)", "Bash(mv *)"]],
    ["Bash(rm *)\nBash(mv *)", ["Bash(rm *)", "Bash(mv *)"]],
    ["Bash(rm *); Read(./.env) or mcp__db__drop", ["Bash(rm *)", "Read(./.env)", "mcp__db__drop"]],
    ["Bash(rm *), Read", ["Bash(rm *)", "Read"]],
    ["WebSearch, Bash(rm *)", ["WebSearch", "Bash(rm *)"]],
    ["Read|Edit", ["Read", "Edit"]],
    ["bash(rm *) bash(mv *)", ["bash(rm *)", "bash(mv *)"]],
  ])("rules joined in one text, %j, forbid and ask as if they stood apart; they allow nothing", (text, apart) => {
    const cure = `Write each as a text of its own: ${apart.map((one) => `"${one}"`).join(", ")}.`;
    for (const list of ["deny", "ask"] as const) {
      const { rules, diagnostics } = readRules([source({ [list]: [text] })]);
      expect(rules[list].map((one) => one.text).sort()).toEqual([...apart].sort());
      expect(diagnostics[0]).toEqual({
        code: "HL_PERMISSION_BAD_RULE",
        level: "warning",
        text: `The ${list} rule ${JSON.stringify(text)} counts as ${apart.length} rules. ${cure}`,
        place,
      });
    }
    const { rules, diagnostics } = readRules([source({ allow: [text] })]);
    expect(rules.allow).toEqual([]);
    expect(diagnostics).toEqual([
      {
        code: "HL_PERMISSION_BAD_RULE",
        level: "error",
        text: `The allow rule ${JSON.stringify(text)} is ignored: it holds several rules. ${cure}`,
        place,
      },
    ]);
    expect(() => readRules([source({ allow: [text] }, { scope: "code" })])).toThrow("it holds several rules");
  });

  test.each(["Bash(rm *|mv *)", "Bash(rm *, mv *)"])("alternatives in one rule, %j, are reported with the cure", (text) => {
    const { rules, diagnostics } = readRules([source({ deny: [text] })]);
    expect(rules.deny).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ level: "warning", text: expect.stringContaining('Write "Bash(rm *)" and "Bash(mv *)".') }]);
  });

  test.each(["Bash(curl * | sh *)", "Bash(a && b *)", "Bash(echo (x) Read(y))", "Bash(node -e 'Read(x)' *)", "Edit(a,b)"])(
    "%j is one rule",
    (text) => {
      const { rules, diagnostics } = readRules([source({ deny: [text] })]);
      expect(rules.deny.map((one) => one.text)).toEqual([text]);
      expect(diagnostics).toEqual([]);
    },
  );

  test("the limit counts rules, not texts", () => {
    const { rules, diagnostics } = readRules([source({ deny: ["Bash(rm *),".repeat(3000)] })]);
    expect(rules.deny).toHaveLength(2001);
    expect(diagnostics.map(({ code }) => code)).toEqual(["HL_PERMISSION_BAD_RULE", "HL_PERMISSION_TOO_MANY"]);
  });

  test("an unknown tool is only a warning: the agent may have it", () => {
    const { rules, diagnostics } = readRules([source({ deny: ["Bahs", "deploy(env:prod)"] })], { tools: ["deploy"] });
    expect(diagnostics).toMatchObject([
      { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", text: expect.stringContaining('Did you mean "Bash"?') },
    ]);
    expect(rules.deny).toHaveLength(2);
    const call = { tool_name: "deploy", tool_input: { env: "prod" } };
    expect(decide(call, rules, { root: "/srv/app" }).decision).toBe("deny");
  });

  test.each([
    "Bash",
    "Bash(git *)",
    "Task(explorer)",
    "mcp__srv",
    "mcp__srv__get_*",
    "Edit(src/**)",
    "NotebookRead",
    "Skill(x)",
    "WebFetch(domain:*.x.org)",
  ])("%s is fine", (rule) => {
    expect(readRules([source({ allow: [rule], deny: [rule], ask: [rule] })]).diagnostics).toEqual([]);
  });
});

describe("sources", () => {
  const loose: Partial<PermissionLists> = {
    defaultMode: { text: "acceptEdits", place },
    additionalDirectories: [{ text: "../other", place }],
  };

  test.each(["project", "local", "plugin", "skill"] as const)("untrusted %s scope can only tighten", (scope) => {
    const one = source({ allow: ["Bash"], ask: ["Read"], deny: ["Write"] }, { scope, isTrusted: false, extra: loose });
    const { rules, diagnostics } = readRules([one]);
    expect([rules.allow, rules.ask.length, rules.deny.length, rules.mode, rules.directories]).toEqual([[], 1, 1, undefined, []]);
    expect(diagnostics.map(({ code, level }) => [code, level])).toEqual(Array(3).fill(["HL_PERMISSION_UNTRUSTED", "warning"]));
    expect(diagnostics[0]).toMatchObject({ place, text: expect.stringContaining('"Bash"') });
  });

  test("trusted scopes and those above the checkout loosen too", () => {
    for (const [scope, isTrusted] of [
      ["project", true],
      ["user", false],
      ["flag", false],
    ] as const) {
      const { rules, diagnostics } = readRules([source({ allow: ["Bash"] }, { scope, isTrusted, extra: loose })]);
      expect([rules.allow.length, rules.mode, rules.directories, diagnostics]).toEqual([1, "acceptEdits", ["/srv/other"], []]);
    }
  });

  test.each(["bypassPermissions", "auto"])("no checkout sets the mode %s, trusted or not", (mode) => {
    const extra = { defaultMode: { text: mode, place } };
    for (const scope of ["project", "local"] as const) {
      const { rules, diagnostics } = readRules([source({}, { scope, extra })]);
      expect([rules.mode, diagnostics[0]?.code]).toEqual([undefined, "HL_PERMISSION_UNTRUSTED"]);
    }
    expect(readRules([source({}, { extra })]).rules.mode).toBe(mode);
  });

  test("managed settings can forbid bypassPermissions", () => {
    const extra = { defaultMode: { text: "bypassPermissions", place } };
    expect(readRules([source({}, { extra })]).rules.mode).toBe("bypassPermissions");
    const forbids = { disableBypassPermissionsMode: true };
    expect(readRules([source({}, { scope: "managed", extra: forbids })]).rules.isBypassDisabled).toBe(true);
    expect(readRules([source({}, { scope: "user", extra: forbids })]).rules.isBypassDisabled).toBe(false);
  });

  test("the highest source's mode counts; one that is none is reported", () => {
    const mode = (scope: RuleScope, text: string): RuleSource => source({}, { scope, extra: { defaultMode: { text, place } } });
    expect(readRules([mode("project", "plan"), mode("user", "dontAsk")]).rules.mode).toBe("dontAsk");
    const { rules, diagnostics } = readRules([mode("user", "yolo"), mode("project", "plan")]);
    expect([rules.mode, diagnostics[0]?.code]).toEqual(["plan", "HL_PERMISSION_BAD_RULE"]);
  });
});

test("a tool that is denied as a whole need not be offered", () => {
  const { rules } = readRules([source({ deny: ["Edit", "mcp__srv", "Bash(rm *)", "Web*"] })]);
  const tools = ["Edit", "Write", "NotebookEdit", "mcp__srv__x", "WebFetch", "Bash", "Read"];
  expect(tools.filter((tool) => isToolDenied(tool, rules))).toEqual(["Edit", "Write", "NotebookEdit", "mcp__srv__x", "WebFetch"]);
});

test("a mode that is nearly one is named in the message", () => {
  const read = readRules([source({}, { scope: "user", extra: { defaultMode: { text: "acceptEdit", place } } })]);
  expect(read.diagnostics.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^The mode "acceptEdit" is ignored: it is not a mode\. Did you mean "acceptEdits"\? The modes are: default, /),
  ]);
});
