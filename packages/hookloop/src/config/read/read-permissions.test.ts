import { describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import type { ConfigDocument, Scope } from "../types.ts";
import { readDocument } from "./read-document.ts";

function read(permissions: string, dialect: "claude" | "native" = "claude", scope: Scope = "user"): ConfigDocument {
  return readDocument({
    source: { scope, dialect, file: "/p/settings.json", root: "/p" },
    dialects: createDialects(),
    text: `{"permissions":\n${permissions}\n}`,
  });
}

describe("the permissions of a file", () => {
  test("rules, mode and directories have their places", () => {
    const { permissions, diagnostics } = read(
      `{"deny": ["Bash(rm *)",\n  "Read(.env)"],\n"defaultMode": "plan", "additionalDirectories": ["../lib"], "disableBypassPermissionsMode": "disable"}`,
    );
    const at = (line: number, column: number): object => ({ file: "/p/settings.json", line, column });
    expect(permissions).toEqual({
      allow: [],
      ask: [],
      deny: [
        { text: "Bash(rm *)", place: at(2, 11) },
        { text: "Read(.env)", place: at(3, 3) },
      ],
      defaultMode: { text: "plan", place: at(4, 16) },
      additionalDirectories: [{ text: "../lib", place: at(4, 50) }],
      disableBypassPermissionsMode: true,
    });
    expect(diagnostics).toEqual([]);
  });

  test.each(["claude", "native"] as const)("a misspelt list in a %s file is reported", (dialect) => {
    const { diagnostics } = read(`{"Deny": ["Bash"]}`, dialect);
    expect(diagnostics).toMatchObject([
      { code: "HL_CONFIG_UNKNOWN_FIELD", text: expect.stringContaining('Did you mean "deny"?'), place: { line: 2 } },
    ]);
  });

  test("keys that other programs keep there are theirs", () => {
    expect(read(`{"somethingElseEntirely": 1}`).diagnostics).toEqual([]);
    expect(read(`{"somethingElseEntirely": 1}`, "native").diagnostics).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_FIELD" }]);
  });

  test.each([`{"deny": "Bash"}`, `{"defaultMode": 5}`, `{"additionalDirectories": [5]}`, "[]"])("a wrong type is reported: %s", (text) => {
    expect(read(text).diagnostics).toMatchObject([{ code: "HL_CONFIG_WRONG_TYPE" }]);
  });
});
