import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES } from "../../packages/hookloop/src/catalogue/events.ts";
import { hooksFor, openProject } from "./open-project.ts";

const circular: Record<string, unknown> = { tool_name: "Bash" };
circular["tool_input"] = circular;
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("hands off");
    },
    ownKeys() {
      throw new Error("hands off");
    },
  },
);

const NONSENSE: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a text", "PreToolUse"],
  ["a number", 5],
  ["a list", [1, 2]],
  ["something circular", circular],
  ["a BigInt", { tool_name: "Bash", tool_input: { size: 10n } }],
  ["a function", { tool_name: "Bash", tool_input: () => 1 }],
  ["something huge", { tool_name: "Bash", tool_input: { command: "x".repeat(20_000_000) } }],
  ["a tool name that is none", { tool_name: 5, tool_input: null }],
  ["a NUL", { tool_name: "Ba\0sh", tool_input: { command: "a\0b" } }],
  ["lone surrogates", { tool_name: "\ud800", tool_input: { command: "\udc00" } }],
  [
    "a throwing getter",
    {
      tool_name: "Bash",
      get tool_input(): never {
        throw new Error("hands off");
      },
    },
  ],
  ["a hostile proxy", hostile],
  [
    "a throwing toJSON",
    {
      tool_name: "Bash",
      tool_input: {
        toJSON: () => {
          throw new Error("hands off");
        },
      },
    },
  ],
  ["a cwd that is none", { tool_name: "Bash", tool_input: {}, cwd: 5 }],
  ["a prototype key", JSON.parse('{"__proto__":{"tool_name":"x"},"tool_name":"Bash","tool_input":{}}')],
];

describe.each(NONSENSE)("an event with %s", (_name, input) => {
  test("settles with a native guard: it blocks, or it has run", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "cat > /dev/null; touch ran", guard: true }]) });
    const hooks = await project.open();
    const verdict = await hooks.fire("PreToolUse", input as never);
    expect(verdict.decision === "deny" || project.read("ran") === "").toBe(true);
    if (verdict.decision === "deny") expect(project.codes().length).toBeGreaterThan(0);
  });

  test("settles with functions, and a deny stands", async () => {
    const hooks = await openProject().open();
    hooks.on("PreToolUse", { guard: true }, () => deny("no"));
    hooks.on("PreToolUse", { guard: true }, async () => undefined);
    expect((await hooks.fire("PreToolUse", input as never)).decision).toBe("deny");
    expect((await hooks.fire("PreToolUse", input as never, { timeoutMs: 30_000 })).decision).toBe("deny");
  });

  test("settles when the agent wants to stop", async () => {
    const hooks = await openProject().open();
    hooks.on("Stop", {}, () => undefined);
    expect((await hooks.fire("Stop", input as never)).decision).toBe("none");
  });

  test("settles without hooks", async () => {
    const hooks = await openProject().open();
    expect((await hooks.fire("PreToolUse", input as never)).decision).toBe("none");
  });
});

test("an event that does not exist settles, and is reported", async () => {
  const project = openProject();
  const hooks = await project.open();
  expect((await hooks.fire("PreTooluse" as never, {})).decision).toBe("deny");
  expect(project.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_EVENT", text: expect.stringContaining("PreToolUse") }]);
  expect(hooks.has("PreTooluse" as never)).toBe(false);
});

test("every event settles with an empty input", async () => {
  const project = openProject();
  const hooks = await project.open();
  for (const event of EVENT_NAMES) {
    hooks.on(event, {}, (() => "garbage") as never);
    expect((await hooks.fire(event, {})).event).toBe(event);
  }
  expect(project.codes().filter((code) => code !== "HL_SELECT_FIELD_MISSING")).toHaveLength(EVENT_NAMES.length);
});
