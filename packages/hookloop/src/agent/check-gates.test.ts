import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sampleHook } from "../select/sample-hook.test-suite.ts";
import { checkGates, checkServerMatchers } from "./session-options.ts";

type Flags = Parameters<typeof checkGates>[0];
type Engine = Parameters<typeof checkGates>[2];

function stopped(withheld: readonly object[]): string {
  try {
    checkGates({} as Flags, {}, { withheld, trust: { gatesAbove: [] } } as unknown as Engine);
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return "";
}

const gate = { event: "PreToolUse", id: "project:PreToolUse:0123456789", name: "no-rm" };
const text = 'The project hook "no-rm" (PreToolUse) has changed since it was approved and does not run.';

test("a gate that keeps a run from starting is named with its cause before its id", () => {
  expect(stopped([{ hook: gate, text }])).toContain(`nothing was started.\n  ${text} (id ${gate.id})\n`);
});

test("a long diff says how much of it is not shown, and which command shows it", () => {
  const message = stopped([{ hook: gate, text, diff: "+ x\n".repeat(1500) }]);
  expect(message).toContain("\n… 2000 more characters; hookloop trust review shows all of it\n");
  expect(stopped([{ hook: gate, text, diff: "+ x" }])).not.toContain("more character");
});

describe("a matcher that fits no tool of the connected MCP servers", () => {
  const servers = { tools: ["mcp__gh__push"], connected: ["gh"], missing: [] };
  const place = { file: "/srv/.hookloop/hooks.json", line: 3, column: 5 };
  const native = { scope: "project", dialect: "native", root: "/srv" } as const;

  function checked(hook: Parameters<typeof sampleHook>[1], flags: Partial<Flags> = {}, host: { readonly review?: unknown } = {}) {
    const reported: string[] = [];
    const registered: string[] = [];
    const admitted = [sampleHook("a", { matcher: "mcp__gh__psuh", place, ...hook })];
    const engine = { admitted, on: (event: string) => registered.push(event) } as unknown as Engine;
    let stop = "";
    try {
      checkServerMatchers(
        flags as Flags,
        { ...host, cwd: "/srv", home: "/srv", report: ({ code }) => reported.push(code) },
        engine,
        servers,
      );
    } catch (thrown) {
      stop = (thrown as Error).message;
    }
    return { reported, registered, stop };
  }

  test.each([
    ['hook("PreToolUse", { tool: "mcp__gh__psuh", guard: true }, () => deny("no"));', ["HL_CONFIG_MATCHER_NEVER"]],
    ['hook("PreToolUse", { guard: true, tool: ["Bash", "mcp__gh__psuh"] }, () => deny("no"));', ["HL_CONFIG_MATCHER_NEVER"]],
    ['hook("PreToolUse", { tool: /^mcp__gh__psuh$/ }, () => deny("no"));', ["HL_CONFIG_MATCHER_NEVER"]],
    ['hook("PreToolUse", { tool: "mcp__gh__push|mcp__gh__*" }, () => deny("no"));', []],
    ['const other = { tool: "mcp__gh__psuh" };', []],
  ])("that a script of the SDK has is told of, and keeps nothing from starting: %s", (declared, codes) => {
    const folder = mkdtempSync(path.join(tmpdir(), "hookloop-gates-"));
    const file = path.join(folder, "g.mjs");
    writeFileSync(file, `import { deny, hook } from "@hookloop/sdk";\n${declared}\n`);
    const command = { kind: "command", command: `node ${file}`, shell: "sh" } as const;
    const fields = { command: command.command, guard: true };
    expect(checked({ matcher: undefined, target: command, fields, source: native, isGuard: true })).toEqual({
      reported: codes,
      registered: [],
      stop: "",
    });
    rmSync(folder, { recursive: true });
  });

  test("is told of", () => {
    expect(checked({})).toEqual({ reported: ["HL_CONFIG_MATCHER_NEVER"], registered: [], stop: "" });
  });

  test("keeps a run with required hooks from starting", () => {
    expect(checked({}, { requireHooks: true }).stop).toMatch(/^HL_TRUST_REQUIRED: .*mcp__gh__push.*hooks\.json:3:5/s);
  });

  test("of a guard keeps a run without a terminal from starting, and blocks its event in one with a terminal", () => {
    const guard = { source: native, isGuard: true };
    expect(checked(guard).stop).toMatch(/^HL_TRUST_GATE_WITHHELD: /);
    expect(checked(guard, {}, { review: () => undefined })).toMatchObject({ registered: ["PreToolUse"], stop: "" });
    expect(checked(guard, { allowChangedHooks: true })).toMatchObject({ registered: ["PreToolUse"], stop: "" });
  });
});
