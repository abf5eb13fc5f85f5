import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { samplePayload } from "../../catalogue/events.ts";
import { sampleHook } from "../../judge/raw-outcome.test-suite.ts";
import { createClaudeDialect } from "./claude-dialect.ts";

const dialect = createClaudeDialect({ projectRoot: "/srv/project", entrypoint: "cli", pluginDataRoot: "/data" });
const payload = (event: EventName): Record<string, unknown> => ({ ...(samplePayload(event) as object), session_id: "s1" });
const pluginHook = (id: string) =>
  sampleHook({ source: { scope: "plugin", dialect: "claude", root: "/plug", plugin: { id, root: "/plug" } } });

describe("the environment of a Claude hook", () => {
  test("holds what Claude Code promises, and ours", () => {
    expect(dialect.toEnv("PreToolUse", payload("PreToolUse"), sampleHook())).toEqual({
      CLAUDECODE: "1",
      CLAUDE_PROJECT_DIR: "/srv/project",
      CLAUDE_CODE_SESSION_ID: "s1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      CLAUDE_EFFORT: "high",
      HOOKLOOP_PROJECT_DIR: "/srv/project",
      HOOKLOOP_SESSION_ID: "s1",
    });
  });

  test("has the matcher of the hook, if there is one", () => {
    expect(dialect.toEnv("PreToolUse", payload("PreToolUse"), sampleHook({ matcher: "Bash|Edit" }))).toMatchObject({
      HOOKLOOP_MATCHER: "Bash|Edit",
    });
  });

  test("has the effort only where the event carries it", () => {
    const given = (event: EventName): object => dialect.toEnv(event, { ...payload(event), effort: { level: "high" } }, sampleHook());
    expect(given("Stop")).toMatchObject({ CLAUDE_EFFORT: "high" });
    expect(given("UserPromptSubmit")).not.toHaveProperty("CLAUDE_EFFORT");
  });

  test("has a plugin's folders only for the plugin's hooks", () => {
    expect(dialect.toEnv("Stop", payload("Stop"), pluginHook("plug"))).toMatchObject({
      CLAUDE_PLUGIN_ROOT: "/plug",
      CLAUDE_PLUGIN_DATA: "/data/plug",
    });
    expect(dialect.toEnv("Stop", payload("Stop"), sampleHook())).not.toHaveProperty("CLAUDE_PLUGIN_ROOT");
  });

  test("keeps a plugin's data inside the data folder whatever the plugin calls itself", () => {
    expect(dialect.toEnv("Stop", payload("Stop"), pluginHook("../../etc"))["CLAUDE_PLUGIN_DATA"]).toBe("/data/------etc");
    expect(dialect.toEnv("Stop", payload("Stop"), pluginHook(""))["CLAUDE_PLUGIN_DATA"]).toBe("/data/-");
  });

  test("the payload is the canonical one, untouched", () => {
    const input = payload("Stop");
    expect(dialect.toInput("Stop", input)).toBe(input);
  });
});
