import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../engine/step.ts";
import { createRedactor } from "./redact.ts";
import { createDebugPrinter, wantsDebug } from "./trace-writer.ts";

const record = { v: 2, seq: 1, t: 0, mono: 10, session: "s", event: "PreToolUse", type: "verdict" } as const;

describe("the debug printer", () => {
  test("prints one readable line per record, with the time since the last", () => {
    const lines: string[] = [];
    const printer = createDebugPrinter({ print: (line) => lines.push(line), redactor: createRedactor({ A_TOKEN: "hunter2hunter2" }) });
    printer.write({ ...record, hook: "user:PreToolUse:ab12", decision: "deny", reasons: ["hunter2hunter2"] } as unknown as TraceRecord);
    printer.write({ ...record, seq: 2, mono: 12.34, type: "outcome\u001b[2J", stdout: `a\nb${"x".repeat(400)}` } as unknown as TraceRecord);
    expect(lines).toEqual([
      'hooks #1 +0.0ms PreToolUse verdict user:PreToolUse:ab12 decision="deny" reasons=["[redacted]"] redacted=true\n',
      `hooks #2 +2.3ms PreToolUse outcome\\u001b[2J stdout="a\\nb${"x".repeat(295)}…\n`,
    ]);
  });

  test.each([
    ["hooks", true],
    ["app,hooks", true],
    ["app hooks:*", true],
    ["*", true],
    ["hooks-other", false],
    ["", false],
    [undefined, false],
  ])("DEBUG=%j asks for it: %j", (DEBUG, wanted) => {
    expect(wantsDebug({ DEBUG })).toBe(wanted);
  });
});
