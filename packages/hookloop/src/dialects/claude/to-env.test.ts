import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { samplePayload } from "../../catalogue/events.ts";
import { sampleHook } from "../../judge/raw-outcome.test-suite.ts";
import { CLAUDE_DIALECT } from "./claude-dialect.ts";

const dialect = CLAUDE_DIALECT;
const session = { projectRoot: "/srv/project", entrypoint: "cli", pluginDataRoot: "/data", writeTemporary: () => "" };
const variables = (event: EventName, hook = sampleHook(), input = payload(event)) =>
  dialect.input.variables({ event, input, hook, session });
const payload = (event: EventName): Record<string, unknown> => ({ ...(samplePayload(event) as object), session_id: "s1" });
const pluginHook = (id: string) =>
  sampleHook({ source: { scope: "plugin", dialect: "claude", root: "/plug", plugin: { id, root: "/plug" } } });

describe("the environment of a Claude hook", () => {
  test("holds what Claude Code promises, and ours", () => {
    expect(variables("PreToolUse")).toEqual({
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
    expect(variables("PreToolUse", sampleHook({ matcher: "Bash|Edit" }))).toMatchObject({
      HOOKLOOP_MATCHER: "Bash|Edit",
    });
  });

  test("has the effort only where the event carries it", () => {
    const given = (event: EventName): object => variables(event, sampleHook(), { ...payload(event), effort: { level: "high" } });
    expect(given("Stop")).toMatchObject({ CLAUDE_EFFORT: "high" });
    expect(given("UserPromptSubmit")).not.toHaveProperty("CLAUDE_EFFORT");
  });

  test("has a plugin's folders only for the plugin's hooks", () => {
    expect(variables("Stop", pluginHook("plug"))).toMatchObject({
      CLAUDE_PLUGIN_ROOT: "/plug",
      CLAUDE_PLUGIN_DATA: "/data/plug",
    });
    expect(variables("Stop")).not.toHaveProperty("CLAUDE_PLUGIN_ROOT");
  });

  test("keeps a plugin's data inside the data folder whatever the plugin calls itself", () => {
    expect(variables("Stop", pluginHook("../../etc"))["CLAUDE_PLUGIN_DATA"]).toBe("/data/------etc");
    expect(variables("Stop", pluginHook(""))["CLAUDE_PLUGIN_DATA"]).toBe("/data/-");
  });

  test("the payload is the canonical one, untouched", () => {
    const input = payload("Stop");
    expect(dialect.input.payload("Stop", input)).toBe(input);
  });
});
