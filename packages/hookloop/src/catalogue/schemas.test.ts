import { describe, expect, test } from "vitest";
import { EVENT_NAMES, samplePayload } from "./events.ts";
import { inputSchema, outputSchema, settingsSchema, toJsonSchema } from "./schemas.ts";

type Json = Record<string, unknown>;

describe("event schemas", () => {
  test.each(EVENT_NAMES)("the sample of %s is a valid input", (event) => {
    expect(inputSchema(event).safeParse(samplePayload(event)).error).toBeUndefined();
  });

  test.each(EVENT_NAMES)("%s without its name, or with another event's, is no input", (event) => {
    const { hook_event_name: _, ...rest } = samplePayload(event);
    expect(inputSchema(event).safeParse(rest).success).toBe(false);
    expect(inputSchema(event).safeParse({ ...rest, hook_event_name: "Other" }).success).toBe(false);
  });

  test("an input may have fields we do not know", () => {
    expect(inputSchema("Stop").safeParse({ ...samplePayload("Stop"), new_field: 1 }).success).toBe(true);
  });

  test("an output with a wrong field, a wrong value or no event name is a mistake", () => {
    const answer = (own: Json): boolean => outputSchema("PreToolUse").safeParse({ hookSpecificOutput: own }).success;
    expect(answer({ hookEventName: "PreToolUse", permissionDecision: "deny" })).toBe(true);
    expect(answer({ hookEventName: "PreToolUse", permissionDecision: "block" })).toBe(false);
    expect(answer({ hookEventName: "PreToolUse", decision: "deny" })).toBe(false);
    expect(answer({ permissionDecision: "deny" })).toBe(false);
    expect(answer({ hookEventName: "PostToolUse", permissionDecision: "deny" })).toBe(false);
    expect(outputSchema("Stop").safeParse({ additionalContext: "misplaced" }).success).toBe(false);
    expect(outputSchema("TaskCreated").safeParse({ decision: "block" }).success).toBe(false);
  });
});

describe("settings schemas", () => {
  const command = { type: "command", command: "true" };
  const settings = (hooks: unknown): boolean => settingsSchema("settings").safeParse({ hooks, model: "any other setting" }).success;

  test("a settings file with hooks of every kind passes", () => {
    const hooks = [
      { ...command, args: ["-c"], timeout: 5, onFailure: "block", if: "Bash(git *)" },
      { type: "http", url: "http://localhost/hook", headers: { a: "$B" }, allowedEnvVars: ["B"] },
      { type: "mcp_tool", server: "s", tool: "t", input: { a: "${tool_name}" } },
      { type: "prompt", prompt: "Is it safe? $ARGUMENTS", model: "m", continueOnBlock: true },
      { type: "agent", prompt: "Check it" },
    ];
    expect(settings({ PreToolUse: [{ matcher: "Bash|Edit", hooks }], Stop: [{ hooks: [command] }] })).toBe(true);
  });

  test.each<[string, unknown]>([
    ["an unknown event", { PreTooluse: [{ hooks: [command] }] }],
    ["an unknown field of a hook", { PreToolUse: [{ hooks: [{ ...command, comand: "x" }] }] }],
    ["an unknown field of a group", { PreToolUse: [{ match: "Bash", hooks: [command] }] }],
    ["a matcher on an event that has none", { Stop: [{ matcher: "x", hooks: [command] }] }],
    ["a kind the event does not allow", { SessionStart: [{ hooks: [{ type: "prompt", prompt: "x" }] }] }],
    ["a native kind in a Claude file", { PreToolUse: [{ hooks: [{ type: "module", path: "./a.ts" }] }] }],
    ["a time limit that is no number", { PreToolUse: [{ hooks: [{ ...command, timeout: "5" }] }] }],
    ["a group without hooks", { PreToolUse: [{ matcher: "Bash" }] }],
  ])("%s is flagged", (_, hooks) => {
    expect(settings(hooks)).toBe(false);
  });

  test("a native file may say more, and nothing it does not know", () => {
    const guard = { type: "module", path: "./guard.ts", guard: true, onFailure: "ask", passEnv: ["CI"] };
    const file = {
      hooks: { PreToolUse: [{ matcher: "Bash", sequential: true, hooks: [guard] }] },
      permissions: { deny: ["Bash(rm *)"] },
    };
    expect(settingsSchema("native").safeParse(file).error).toBeUndefined();
    expect(settingsSchema("native").safeParse({ ...file, hook: {} }).success).toBe(false);
  });

  test(".hooks.json has three events and plain commands", () => {
    const schema = settingsSchema("hooks-json");
    expect(schema.safeParse({ hooks: { PreToolUse: [{ matcher: "bash", command: "./guard.sh" }] } }).success).toBe(true);
    expect(schema.safeParse({ hooks: { Stop: [{ command: "x" }] } }).success).toBe(false);
    expect(schema.safeParse({ hooks: { PreToolUse: [{ hooks: [command] }] } }).success).toBe(false);
  });
});

test.each(["settings", "native", "hooks-json"] as const)("every field of the %s schema is described", (file) => {
  const undescribed: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [name, property] of Object.entries(((schema as Json)["properties"] ?? {}) as Record<string, Json>)) {
      if (!property["description"] && !property["$ref"]) undescribed.push(`${path}.${name}`);
    }
    for (const [key, value] of Object.entries(schema)) if (key !== "examples") visit(value, `${path}.${key}`);
  };
  visit(toJsonSchema(settingsSchema(file), "t"), file);
  expect(undescribed).toEqual([]);
});
