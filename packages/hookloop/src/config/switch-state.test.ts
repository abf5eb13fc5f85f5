import { describe, expect, test } from "vitest";
import type { RegisteredHook } from "./registered-hook.ts";
import { switchState } from "./switch-state.ts";
import { type ConfigDocument, type Scope, type Switches, scopeRank } from "./types.ts";

const SCOPES: readonly Scope[] = ["managed", "flag", "code", "user", "local", "project", "plugin", "skill"];

function document(scope: Scope, switches: Switches): ConfigDocument {
  const permissions = { allow: [], ask: [], deny: [] };
  return { source: { scope, dialect: "claude", file: `/${scope}.json`, root: "/" }, hooks: [], switches, permissions, diagnostics: [] };
}

function hook(scope: Scope, name = "h"): RegisteredHook {
  return {
    id: `${scope}:Stop:0123456789`,
    name,
    event: "Stop",
    target: { kind: "command", command: "x", shell: "sh" },
    source: { scope, dialect: "claude", file: `/${scope}.json`, root: "/" },
    order: 0,
    priority: 0,
    isGuard: false,
    onFailure: "continue",
    timeoutMs: 1,
    isAsync: false,
    wakesAgent: false,
    once: false,
    passEnv: [],
    dedupKey: "",
  };
}

function disabledScopes(documents: readonly ConfigDocument[], env: Readonly<Record<string, string>> = {}): readonly Scope[] {
  const state = switchState(documents, env);
  return SCOPES.filter((scope) => state.isDisabled(hook(scope)) !== undefined);
}

const off = (scope: Scope): ConfigDocument => document(scope, { disableAllHooks: true });
const on = (scope: Scope): ConfigDocument => document(scope, { disableAllHooks: false });
const BELOW: readonly Scope[] = ["local", "project", "plugin", "skill"];
const NOT_MANAGED: readonly Scope[] = ["flag", "code", "user", ...BELOW];
const OF_FILES = NOT_MANAGED.filter((scope) => scope !== "code");

describe("disableAllHooks", () => {
  test.each([
    ["no file sets it", [], []],
    ["a project's file reaches only hooks of that very file", [off("project")], ["project"]],
    ["a local file reaches hooks of local and project files", [off("local")], ["local", "project"]],
    ["a plugin's file reaches only hooks of that very file", [off("plugin")], ["plugin"]],
    ["a user reaches all hooks of files but managed ones", [off("user")], OF_FILES],
    ["a flag reaches all but managed hooks", [off("flag")], NOT_MANAGED],
    ["managed policy reaches all", [off("managed")], SCOPES],
    ["the user's false beats the project's true", [off("project"), on("user")], []],
    ["the project's false does not beat the user's true", [on("project"), off("user")], OF_FILES],
    ["a flag's false beats the user's true", [off("user"), on("flag")], []],
    ["managed false keeps managed and all other hooks on", [off("user"), on("managed")], []],
    ["of two files of one scope, one true is enough", [on("user"), off("user")], OF_FILES],
  ] as const)("%s", (_name, documents, expected) => {
    expect(disabledScopes(documents)).toEqual(expected);
    expect(disabledScopes([...documents].reverse())).toEqual(expected);
  });

  test("the reason names the file", () => {
    expect(switchState([off("user")], {}).isDisabled(hook("user"))).toEqual({
      reason: "disabled",
      text: '"disableAllHooks" is set in /user.json. Remove it there.',
    });
  });
});

test("a committed file does not reach another committed file", () => {
  const other = { ...hook("project"), source: { ...hook("project").source, file: "/other.json" } };
  expect(switchState([off("project")], {}).isDisabled(other)).toBeUndefined();
  expect(switchState([off("local")], {}).isDisabled(other)).toMatchObject({ reason: "disabled" });
});

describe("allowManagedHooksOnly", () => {
  test("leaves managed hooks and the program's own", () => {
    const documents = [document("managed", { allowManagedHooksOnly: true })];
    expect(disabledScopes(documents)).toEqual(["flag", "user", ...BELOW]);
    expect(switchState(documents, {}).isDisabled(hook("user"))?.reason).toBe("managed-only");
  });

  test.each(NOT_MANAGED)("from %s scope it means nothing", (scope) => {
    expect(disabledScopes([document(scope, { allowManagedHooksOnly: true })])).toEqual([]);
  });
});

describe("the environment", () => {
  test.each(["HOOKLOOP_SIMPLE", "CLAUDE_CODE_SIMPLE"])("%s stops all but managed hooks", (name) => {
    expect(disabledScopes([], { [name]: "1" })).toEqual(NOT_MANAGED);
    expect(disabledScopes([], { [name]: "0" })).toEqual([]);
    expect(disabledScopes([], { [name]: "" })).toEqual([]);
    expect(switchState([], { [name]: "true" }).isDisabled(hook("user"))?.reason).toBe("simple-mode");
  });

  test.each(["HOOKLOOP_DISABLE", "CLAUDE_CODE_DISABLE_HOOKS"])("%s stops the hooks it names, managed ones excepted", (name) => {
    const state = switchState([], { [name]: "git_tracking, safety_checks,," });
    expect(state.isDisabled(hook("code", "git_tracking"))).toMatchObject({ reason: "disabled" });
    expect(state.isDisabled(hook("user", "safety_checks"))).toMatchObject({ reason: "disabled" });
    expect(state.isDisabled(hook("user", "other"))).toBeUndefined();
    expect(state.isDisabled(hook("user", ""))).toBeUndefined();
    expect(state.isDisabled(hook("managed", "git_tracking"))).toBeUndefined();
  });

  test("a shipped hook can be named as another system calls it (S2)", () => {
    expect(switchState([], { CLAUDE_CODE_DISABLE_HOOKS: "safety_checks" }).isDisabled(hook("code", "safety"))).toMatchObject({
      reason: "disabled",
    });
    expect(switchState([], { CLAUDE_CODE_DISABLE_HOOKS: "constructor" }).isDisabled(hook("code", "safety"))).toBeUndefined();
  });

  test("a hook can be named by its id", () => {
    expect(switchState([], { HOOKLOOP_DISABLE: "user:Stop:0123456789" }).isDisabled(hook("user"))).toMatchObject({ reason: "disabled" });
  });
});

test("a scope that is not known is the lowest", () => {
  const ranked = ["from-another-version" as Scope, ...SCOPES].sort((a, b) => scopeRank(a) - scopeRank(b));
  expect(ranked).toEqual([...SCOPES, "from-another-version"]);
});
