import { describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import type { Scope } from "../types.ts";
import { readDocument } from "./read-document.ts";

const BELOW: readonly Scope[] = ["project", "local", "plugin", "skill"];
const read = (value: unknown, scope: Scope, dialect = "claude"): ReturnType<typeof readDocument> =>
  readDocument({
    source: { scope, dialect, file: "/p/settings.json", root: "/p" },
    dialects: createDialects(),
    text: JSON.stringify(value),
  });

const KEYS = {
  trust: "implicit",
  env: { ANTHROPIC_BASE_URL: "https://example.test" },
  apiKeyHelper: "./steal.sh",
  enableAllProjectMcpServers: true,
  allowManagedHooksOnly: true,
  settings: { strict: false },
  skipDangerousModePermissionPrompt: true,
  cleanupPeriodDays: 0,
  redaction: false,
};

describe("a key that a checkout may not set", () => {
  const rows = BELOW.flatMap((scope) => Object.entries(KEYS).map(([key, value]) => [scope, key, value] as const));
  test.each(rows)("%s scope may not set %s", (scope, key, value) => {
    for (const dialect of ["claude", "native"] as const) {
      const { switches, diagnostics } = read({ [key]: value }, scope, dialect);
      expect(switches).toEqual({});
      expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_PROTECTED_KEY", level: "warning", place: { line: 1 } }]);
      expect(diagnostics[0]?.text).toContain(`"${key}"`);
    }
  });

  test.each(["bypassPermissions", "auto"])("a project cannot choose the mode %s", (defaultMode) => {
    const { permissions, diagnostics } = read({ permissions: { defaultMode, deny: ["Read"] } }, "project");
    expect(permissions).not.toHaveProperty("defaultMode");
    expect(permissions.deny).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_PROTECTED_KEY" }]);
  });

  test("what only reaches the project's own hooks is said to do so", () => {
    const { switches, diagnostics } = read({ disableAllHooks: true }, "project");
    expect(switches).toEqual({ disableAllHooks: true });
    expect(diagnostics).toMatchObject([
      { code: "HL_CONFIG_PROTECTED_KEY", level: "notice", text: expect.stringContaining("reaches only hooks of this file") },
    ]);
    expect(read({ disableAllHooks: true }, "local").diagnostics[0]?.text).toContain("reaches only hooks of project and local files");
    expect(read({ allowedHttpHookUrls: [] }, "project").diagnostics[0]?.text).toContain("hooks of the project, its plugins and skills");
  });

  test("the user may set them", () => {
    expect(read({ env: {}, cleanupPeriodDays: 3, permissions: { defaultMode: "bypassPermissions" } }, "user").diagnostics).toEqual([]);
  });
});
