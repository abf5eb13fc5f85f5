import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import { type PermissionOptions, Permissions } from "./permissions.ts";
import { readRules } from "./rules/read-rules.ts";

const root = "/srv/app";
const push = { tool_name: "Bash", tool_input: { command: "git push" } };
const rule = { toolName: "Bash", ruleContent: "git push" };

/** Updates come from hooks and users, too, and are whatever these write. */
type Open = Omit<Permissions, "update"> & { update(updates: readonly unknown[]): readonly Diagnostic[] };

function open(options: Partial<PermissionOptions> = {}): Open {
  return new Permissions({ root, ...options });
}

function denying(...texts: readonly string[]): PermissionOptions["rules"] {
  const permissions = { allow: [], ask: [], deny: texts.map((text) => ({ text })) };
  return readRules([{ scope: "user", root, isTrusted: true, permissions }]).rules;
}

describe("updates", () => {
  test("rules are added, replaced and removed for the session", () => {
    const permissions = open();
    const change = (type: string, rules = [rule]) => permissions.update([{ type, rules, behavior: "allow", destination: "session" }]);
    expect(permissions.decide(push).decision).toBe("ask");
    expect(change("addRules")).toEqual([]);
    expect(permissions.decide(push)).toMatchObject({ decision: "allow", by: { rule: { scope: "session", text: "Bash(git push)" } } });
    expect(change("removeRules")).toEqual([]);
    expect(permissions.decide(push).decision).toBe("ask");
    change("addRules");
    change("replaceRules", [{ toolName: "Bash", ruleContent: "git pull" }]);
    expect(permissions.decide(push).decision).toBe("ask");
    expect(permissions.rules.allow.map(({ text }) => text)).toEqual(["Bash(git pull)"]);
  });

  test("a session's allow never beats a file's deny, and a file's deny is not removed", () => {
    const permissions = open({ rules: denying("Bash(git push *)") });
    permissions.update([{ type: "addRules", rules: [rule, { toolName: "Bash" }], behavior: "allow", destination: "session" }]);
    expect(permissions.decide(push).decision).toBe("deny");
    const removal = {
      type: "removeRules",
      rules: [{ toolName: "Bash", ruleContent: "git push *" }],
      behavior: "deny",
      destination: "userSettings",
    };
    expect(permissions.update([removal]).map(({ code }) => code)).toContain("HL_PERMISSION_UPDATE_REFUSED");
    const replacement = { type: "replaceRules", rules: [], behavior: "deny", destination: "session" };
    permissions.update([replacement]);
    expect(permissions.decide(push).decision).toBe("deny");
  });

  test("the mode changes; to bypassPermissions only if the program allowed it and managed settings do not forbid it", () => {
    const setMode = (mode: string) => [{ type: "setMode", mode, destination: "session" }];
    const plain = open();
    expect([plain.update(setMode("plan")), plain.mode]).toEqual([[], "plan"]);
    expect(plain.update(setMode("bypassPermissions"))).toMatchObject([{ code: "HL_PERMISSION_UPDATE_REFUSED", level: "warning" }]);
    expect(plain.mode).toBe("plan");
    const free = open({ canBypass: true });
    expect([free.update(setMode("bypassPermissions")), free.mode]).toEqual([[], "bypassPermissions"]);
    const managed = {
      scope: "managed",
      root,
      isTrusted: true,
      permissions: { allow: [], ask: [], deny: [], disableBypassPermissionsMode: true },
    } as const;
    const bound = open({ canBypass: true, mode: "bypassPermissions", rules: readRules([managed]).rules });
    expect([bound.mode, bound.canBypass, bound.setMode("bypassPermissions")]).toEqual(["default", false, false]);
    expect(bound.diagnostics).toMatchObject([{ code: "HL_PERMISSION_UPDATE_REFUSED" }]);
    expect(free.diagnostics).toEqual([]);
  });

  test("directories come and go", () => {
    const permissions = open({ mode: "acceptEdits" });
    const write = { tool_name: "Write", tool_input: { file_path: "/srv/lib/a" } };
    const change = (type: string) => permissions.update([{ type, directories: ["../lib"], destination: "session" }]);
    expect(permissions.decide(write).decision).toBe("ask");
    change("addDirectories");
    expect([permissions.decide(write).decision, permissions.directories]).toEqual(["allow", ["/srv/lib"]]);
    change("removeDirectories");
    expect(permissions.decide(write).decision).toBe("ask");
  });

  test("files are not written, and the run says so", () => {
    const update = { type: "addRules", rules: [rule], behavior: "allow", destination: "projectSettings" };
    expect(open().update([update])).toMatchObject([{ level: "notice", text: expect.stringContaining("projectSettings") }]);
  });

  test.each([
    [null],
    ["addRules"],
    [{ type: "addRules", rules: [{}], behavior: "allow" }],
    [{ type: "addRules", rules: [{ toolName: "Bash", ruleContent: 5 }], behavior: "allow" }],
    [{ type: "addRules", rules: [rule], behavior: "please" }],
    [{ type: "setMode", mode: "yolo" }],
    [{ type: "addDirectories", directories: [5] }],
    [{ type: "dropEverything" }],
  ])("what is no update changes nothing and is reported: %j", (update) => {
    const permissions = open();
    expect(permissions.update([update])).toMatchObject([{ code: "HL_PERMISSION_UPDATE_REFUSED" }]);
    expect([permissions.rules.allow, permissions.mode, permissions.directories]).toEqual([[], "default", []]);
  });

  test.each([
    [{ rules: [{ toolName: "Bash", content: "npm test" }] }, "content"],
    [{ rules: [{ toolName: "Bash", pattern: "npm test" }] }, "pattern"],
    [{ rules: [{ toolName: "Bash", rulecontent: "npm test" }] }, "rulecontent"],
    [{ rules: [rule, { toolName: "Bash", rule_content: "npm test" }] }, "rule_content"],
    [{ rules: [{ toolName: "Bash" }], ruleContent: "npm test" }, "ruleContent"],
  ])("a rule whose content has another name does not count for the whole tool: %j", (update, field) => {
    for (const type of ["addRules", "replaceRules"]) {
      const permissions = open();
      const [found, ...more] = permissions.update([{ type, behavior: "allow", destination: "session", ...update }]);
      expect([found?.code, more]).toEqual(["HL_PERMISSION_UPDATE_REFUSED", []]);
      expect(found?.text).toContain(`"${field}"`);
      expect(permissions.rules.allow).toEqual([]);
    }
  });

  test("such a rule takes no rule away, and one that is to forbid counts for the whole tool, out loud", () => {
    const permissions = open();
    const change = (type: string, rules: readonly object[]) =>
      permissions.update([{ type, behavior: "deny", rules, destination: "session" }]);
    expect(change("addRules", [{ toolName: "Bash", content: "rm *" }])).toMatchObject([
      { code: "HL_PERMISSION_UPDATE_REFUSED", text: expect.stringContaining('no field "content"') },
    ]);
    expect(permissions.rules.deny.map(({ text }) => text)).toEqual(["Bash"]);
    for (const type of ["removeRules", "replaceRules"]) change(type, [{ toolName: "Bash", content: "rm *" }]);
    expect(permissions.rules.deny.map(({ text }) => text)).toEqual(["Bash"]);
  });

  test("a bad rule of an update is reported as such", () => {
    const update = { type: "addRules", rules: [{ toolName: "*" }], behavior: "allow", destination: "session" };
    expect(open().update([update])).toMatchObject([{ code: "HL_PERMISSION_BAD_RULE" }]);
  });
});

describe("a refused update", () => {
  const unread = { type: "addRule", rules: [rule], behavior: "deny" };

  test("is kept in diagnostics, once; as an error if it was to forbid or ask", () => {
    const permissions = open();
    const [said] = permissions.update([unread]);
    permissions.update([unread]);
    expect(permissions.diagnostics).toEqual([said]);
    expect(said).toMatchObject({ code: "HL_PERMISSION_UPDATE_REFUSED", level: "error" });
    const texts = { type: "addRules", rules: ["Bash(git push)"], behavior: "ask" };
    expect(permissions.update([texts])).toMatchObject([{ level: "error" }]);
    const allowing = { ...unread, behavior: "allow" };
    expect(permissions.update([allowing])).toMatchObject([{ level: "warning" }]);
    expect(permissions.diagnostics).toHaveLength(3);
  });

  test("is not what only counts for the session", () => {
    const permissions = open();
    permissions.update([{ type: "addRules", rules: [rule], behavior: "deny", destination: "userSettings" }]);
    expect(permissions.diagnostics).toEqual([]);
  });
});
