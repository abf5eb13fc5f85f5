import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../engine/step.ts";
import { createDebugPrinter, type DebugPrinterOptions, wantsDebug, wantsJson } from "./debug-printer.ts";
import { createRedactor } from "./redact.ts";

const stamp = { v: 2, seq: 1, t: 0, mono: 10, session: "s" } as const;

function printed(steps: readonly object[], options: DebugPrinterOptions = {}): readonly string[] {
  const lines: string[] = [];
  const printer = createDebugPrinter({ ...options, print: (line) => lines.push(line) });
  for (const [at, step] of steps.entries()) printer.write({ ...stamp, mono: 10 * at, ...step } as unknown as TraceRecord);
  return lines;
}

const fired = { type: "fired", event: "PreToolUse", query: "Bash", matchers: 2, input: {}, kinds: {}, plugins: {} };
const considered = { type: "considered", event: "PreToolUse", hooks: ["user:1", "user:2"], names: ["guard.js", "log.sh"] };
const outcome = {
  type: "outcome",
  event: "PreToolUse",
  hook: "user:1",
  name: "guard.js",
  effects: [],
  durationMs: 4.4,
  exitCode: 0,
  stdout: "",
  stderr: "",
};
const verdict = { type: "verdict", event: "PreToolUse", decision: "none", reasons: [] };
const left = (name: string, more: object = {}): object => ({
  hook: name,
  name,
  why: "matcher",
  text: "the matcher does not match",
  ...more,
});
const notMatched = (...hooks: readonly object[]): object => ({ type: "notMatched", event: "PreToolUse", hooks });

describe("the debug printer", () => {
  test("prints an event in a few indented lines: its query, its matchers, what matched, each answer, the verdict", () => {
    const deny = { ...outcome, effects: [{ type: "deny", reason: "not here" }], exitCode: 2 };
    const says = { ...outcome, hook: "user:2", name: "log.sh", stdout: "noted\n" };
    const denied = { ...verdict, decision: "deny", reasons: [{ hook: "user:1", text: "not here" }] };
    expect(printed([fired, considered, deny, says, denied])).toEqual([
      "hooks Getting matching hook commands for PreToolUse with query: Bash\n",
      "hooks   Found 2 hook matchers\n",
      "hooks   Matched 2: guard.js, log.sh\n",
      "hooks     guard.js denied: not here (exit 2, 4 ms)\n",
      'hooks     log.sh had no answer, and printed "noted" (exit 0, 4 ms)\n',
      "hooks   Verdict of PreToolUse:Bash: deny by guard.js, 40 ms\n",
    ]);
  });

  test("where nothing matched, the nearest hooks come first, each with its reason and its place; the rest is counted", () => {
    const others = ["a", "b", "c", "d", "e"].map((name) => left(name));
    const near = left("guard.js", { text: 'it says "Bsah"', isNear: true, place: { file: `${process.cwd()}/x.json`, line: 1, column: 2 } });
    const lines = printed([fired, notMatched(...others, near), verdict]);
    expect(lines.slice(2)).toEqual([
      "hooks   No hook matched. The nearest:\n",
      'hooks     guard.js does not run: it says "Bsah" (x.json:1:2)\n',
      ...["a", "b", "c", "d"].map((name) => `hooks     ${name} does not run: the matcher does not match\n`),
      "hooks     and 1 more that is for something else\n",
    ]);
  });

  test("a hook that is not approved is said in the words of Claude Code if its matcher fits, and only then", () => {
    const fits = left("guard.js", { why: "refused", reason: "untrusted", text: "it is not approved", isNear: true });
    expect(printed([fired, notMatched(fits)])[2]).toBe("hooks   Skipping PreToolUse:Bash hook execution - workspace trust not accepted\n");
    expect(printed([fired, notMatched({ ...fits, why: "matcher" })]).join("")).not.toContain("workspace trust");
  });

  test("shows no secret, no control character and no end of a long text", () => {
    const redactor = createRedactor({ A_TOKEN: "hunter2hunter2" });
    const failed = { ...outcome, failure: { kind: "exit", text: `hunter2hunter2 \u001b[2J ${"x".repeat(900)}` } };
    const [line = ""] = printed([failed], { redactor });
    expect(line).toMatch(/^hooks {5}guard\.js failed: \[redacted\] \\u001b\[2J x+…\n$/);
    expect(line.length).toBeLessThan(420);
  });

  test("as JSON each record is one object on one line, as in the trace, without secrets", () => {
    const redactor = createRedactor({ A_TOKEN: "hunter2hunter2" });
    const [line = ""] = printed([{ ...outcome, stdout: "hunter2hunter2\n" }], { isJson: true, redactor });
    expect(JSON.parse(line)).toMatchObject({ v: 2, type: "outcome", name: "guard.js", stdout: "[redacted]\n", redacted: true });
    expect(line.indexOf("\n")).toBe(line.length - 1);
  });

  test("diagnostics are left out where somebody else shows them; a record of a kind that is not known prints nothing", () => {
    const diagnostic = { type: "diagnostic", code: "HL_EXECUTE_EXIT", level: "warning", text: "it failed" };
    expect(printed([diagnostic])).toEqual(["hooks   warning: HL_EXECUTE_EXIT: it failed\n"]);
    expect(printed([diagnostic], { withoutDiagnostics: true })).toEqual([]);
    expect(printed([{ type: "mine" }, { type: "toString" }])).toEqual([]);
  });
});

test.each([
  ["hooks", true],
  ["app,hooks", true],
  ["hooks,foo", true],
  ["app hooks:*", true],
  ["*", true],
  ["hook*", true],
  ["HOOKS", true],
  ["*,-hooks", false],
  ["-hooks", false],
  ["hooks-other", false],
  ["", false],
  [undefined, false],
])("DEBUG=%j asks for it: %j", (DEBUG, wanted) => {
  expect(wantsDebug({ DEBUG })).toBe(wanted);
});

test.each([
  ["json", true],
  ["JSON", true],
  ["text", false],
  [undefined, false],
])("DEBUG_FORMAT=%j asks for JSON: %j", (DEBUG_FORMAT, wanted) => {
  expect(wantsJson({ DEBUG_FORMAT })).toBe(wanted);
});
