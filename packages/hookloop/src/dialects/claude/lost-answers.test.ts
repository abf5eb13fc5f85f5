import { describe, expect, test } from "vitest";
import { EVENTS } from "../../catalogue/events.ts";
import type { Outcome } from "../../judge/effects.ts";
import { interpretOutcome } from "../../judge/interpret.ts";
import { rawOutcome, sampleHook } from "../../judge/raw-outcome.test-suite.ts";
import type { RawOutcome } from "../../run/types.ts";
import { NATIVE_DIALECT } from "../native.ts";
import { CLAUDE_DIALECT } from "./claude-dialect.ts";

const claude = CLAUDE_DIALECT;
const native = NATIVE_DIALECT;
const DENY = '{"decision":"block","reason":"secrets"}';
const LONG_DENY = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"secrets"}}';
type Run = Parameters<typeof rawOutcome>[0];

const judge = (dialect: typeof claude, onFailure: "ask" | "block" | "continue", run: Run): Outcome => {
  const raw = rawOutcome({ hook: sampleHook({ onFailure, isGuard: onFailure === "block" }), ...run });
  return interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect });
};
const types = ({ effects }: Outcome): string[] => effects.map(({ type }) => type);
const codes = ({ diagnostics }: Outcome): string[] => diagnostics.map(({ code, level }) => `${level} ${code}`);

describe.each([
  ["after text on the same line", `checked: ${DENY}`],
  ["after text on the same line, the long form", `checked: ${LONG_DENY}`],
  ["in a list", `[${DENY}]`],
  ["in a list, the long form", `[${LONG_DENY}]`],
  ["as a string", JSON.stringify(LONG_DENY)],
  ["in a sentence", `The answer is ${DENY}, I think.`],
])("a denial %s", (_where, stdout) => {
  test("is a failure of a native gate, in its direction", () => {
    expect(types(judge(native, "ask", { stdout }))).toEqual(["ask"]);
    expect(types(judge(native, "block", { stdout }))).toEqual(["deny"]);
    expect(codes(judge(native, "block", { stdout }))).toEqual(["error HL_OUTPUT_BAD_JSON"]);
  });

  test("stays text in the Claude dialect, with a warning", () => {
    expect(types(judge(claude, "continue", { stdout }))).toEqual([]);
    expect(codes(judge(claude, "continue", { stdout }))).toEqual(["warning HL_OUTPUT_BAD_JSON"]);
    expect(types(judge(claude, "block", { stdout }))).toEqual(["deny"]);
  });
});

describe.each([
  ["after a colour", `\u001b[31m${DENY}\u001b[0m`],
  ["after a NUL", `\u0000${DENY}`],
  ["after a title and text on its own line", `\u001b]0;x\u0007hello\n\u001b[0m${DENY}`],
  ["with a NUL in its middle", `\u0000{"decision":"bl\u0000ock"}`],
])("a denial %s", (_where, stdout) => {
  test("stands, and is a failure of a native gate besides", () => {
    expect(types(judge(native, "ask", { stdout }))).toEqual(["deny", "ask"]);
    expect(judge(native, "ask", { stdout }).failure?.kind).toBe("bad-json");
  });

  test("stands in the Claude dialect, with a warning", () => {
    expect(types(judge(claude, "continue", { stdout }))).toEqual(["deny"]);
    expect(codes(judge(claude, "continue", { stdout }))).toContain("warning HL_OUTPUT_NOISE");
  });
});

test("an allow behind colours does not loosen", () => {
  const stdout = '\u001b[32m{"decision":"approve"}';
  expect(types(judge(claude, "continue", { stdout }))).toEqual([]);
  expect(types(judge(native, "ask", { stdout }))).toEqual(["ask"]);
});

test.each(["all good", 'a "decision" was made', 'The config: {"name":"x"}', "\u001b[32mok\u001b[0m", '"continue" or not'])(
  "%j is text, which is said without alarm",
  (stdout) => {
    for (const [dialect, direction] of [
      [claude, "continue"],
      [native, "ask"],
    ] as const) {
      expect([types(judge(dialect, direction, { stdout })), codes(judge(dialect, direction, { stdout }))]).toEqual([
        [],
        ["notice HL_OUTPUT_NO_ANSWER"],
      ]);
    }
  },
);

test("text with a decision as an example still is context for the model in the Claude dialect", () => {
  const raw = rawOutcome({ stdout: `Answer like this: ${LONG_DENY}` });
  const { effects } = interpretOutcome({ event: "UserPromptSubmit", row: EVENTS.UserPromptSubmit, raw, dialect: claude });
  expect(effects).toMatchObject([{ type: "context", fromStdout: true }]);
});

describe("a stdout that was cut", () => {
  const run = { stdout: "x", isTruncated: true, isAnswerCut: true };

  test("is a failure of a native gate, in its direction: the denial may be in the rest", () => {
    expect(types(judge(native, "block", run))).toEqual(["deny"]);
    expect(types(judge(native, "ask", run))).toEqual(["ask"]);
    expect(codes(judge(native, "ask", run))).toContain("error HL_EXECUTE_TRUNCATED");
  });

  test("is a warning where a failure continues, and a denial that is there stands", () => {
    expect(codes(judge(claude, "continue", run))).toEqual(["warning HL_EXECUTE_TRUNCATED"]);
    expect(types(judge(native, "ask", { ...run, stdout: `${DENY}\ncut` }))).toEqual(["deny"]);
    expect(types(judge(native, "ask", { ...run, exitCode: 2, stderr: "no" }))).toEqual(["deny"]);
  });

  test("is not what a cut stderr is", () => {
    expect(types(judge(native, "ask", { ...run, isAnswerCut: false }))).toEqual([]);
  });
});

describe("a first line that asks for the background", () => {
  const stdout = `{"async":true}\n${LONG_DENY}`;

  test("is asked for by a hook whose failure continues, and by no other", () => {
    const line = '{"async":true,"asyncTimeout":5}';
    const ask = (onFailure: "ask" | "continue", isGuard = false): unknown =>
      native.answer.readFirstLine?.(sampleHook({ onFailure, isGuard }), line);
    expect([ask("continue"), ask("ask"), ask("continue", true)]).toMatchObject([{ timeoutMs: 5 }, undefined, undefined]);
  });

  test("takes nothing from a gate that was waited for: what follows is its answer, with a warning", () => {
    const outcome = judge(native, "ask", { stdout });
    expect([types(outcome), codes(outcome)]).toEqual([["deny"], ["warning HL_OUTPUT_NOT_HONOURED"]]);
  });

  test("is no part of what a background hook says at its end", () => {
    const raw = rawOutcome({ stdout: '{"async":true}\n{"systemMessage":"done"}', isFromBackground: true });
    const outcome = interpretOutcome({ event: "PostToolUse", row: EVENTS.PostToolUse, raw, dialect: claude });
    expect(outcome.effects).toEqual([{ type: "tell", text: "done" }]);
  });
});

test.each(["deny", "DENY: no", "BLOCKED by policy", "This is not allowed.", "Rejected"])(
  "%j on stdout blocks nothing, with a warning",
  (stdout) => {
    const outcome = judge(claude, "continue", { stdout });
    expect([types(outcome), codes(outcome)]).toEqual([[], ["warning HL_OUTPUT_NO_ANSWER"]]);
    expect(outcome.diagnostics[0]?.text).toMatch(/exit with 2/);
    expect(types(judge(native, "block", { stdout }))).toEqual(["deny"]);
  },
);

test.each([
  ["stopReason", '{"stopReason":"x"}', '"continue": false'],
  ["reason", '{"reason":"x"}', '"decision": "block"'],
  ["stopReason beside a word to continue", '{"continue":true,"stopReason":"x"}', '"continue": false'],
  ["reason beside a word to continue", '{"continue":true,"reason":"x"}', '"decision": "block"'],
  [
    "permissionDecisionReason beside a word to continue",
    '{"continue":true,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"x"}}',
    '"permissionDecision"',
  ],
  [
    "permissionDecisionReason",
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"x"}}',
    '"permissionDecision"',
  ],
])("%s without its decision is said, with what is missing", (_name, stdout, missing) => {
  const outcome = judge(claude, "continue", { stdout });
  expect([types(outcome), codes(outcome)]).toEqual([[], ["warning HL_OUTPUT_NO_ANSWER"]]);
  expect(outcome.diagnostics[0]?.text).toContain(missing);
  expect(types(judge(native, "block", { stdout }))).toEqual(["deny"]);
});

test("a reason beside a word to continue is said on Stop, where it would keep the agent working", () => {
  const raw = rawOutcome({ stdout: '{"continue":true,"reason":"run the tests"}' });
  const outcome = interpretOutcome({ event: "Stop", row: EVENTS.Stop, raw, dialect: claude });
  expect([types(outcome), codes(outcome)]).toEqual([[], ["warning HL_OUTPUT_NO_ANSWER"]]);
});

describe("with exit code 0, stderr", () => {
  const stdout = LONG_DENY.replace("deny", "allow");

  test.each([
    "sh: 1: jq: not found",
    "/p/guard.sh: line 3: jq: command not found",
    "/p/guard.sh: 4: [: unexpected operator",
    "/p/guard.sh: line 4: [: -eq: unary operator expected",
    "zsh:1: command not found: jq",
    "grep: rules.txt: No such file or directory",
    "sh: 1: ./check: Permission denied",
    "Traceback (most recent call last):\n  File ...",
    "TypeError: x is not a function\n    at check (/p/guard.mjs:3:5)",
    "Error: Cannot find module './rules.js'",
    "jq: parse error: Invalid numeric literal at line 1, column 5",
    "HL_SDK_HANDLER_FAILED: guard: x (guard.mjs:3:5)",
    "starting\nsh: 1: jq: not found\ndone",
  ])("with %j tells of a failure: it is said, and blocks where failures do", (stderr) => {
    const outcome = judge(claude, "continue", { stderr });
    expect([types(outcome), codes(outcome)]).toEqual([[], ["warning HL_OUTPUT_STDERR"]]);
    expect(codes(judge(native, "ask", { stderr, stdout }))).toEqual(["warning HL_OUTPUT_STDERR"]);
    expect(types(judge(claude, "block", { stderr }))).toEqual(["deny"]);
    expect(types(judge(native, "block", { stderr, stdout: "{}" }))).toEqual(["deny"]);
    expect(types(judge(native, "block", { stderr, stdout: LONG_DENY }))).toEqual(["deny"]);
  });

  test("of the SDK that is the reason of a denial is told once, as the error that it is", () => {
    const sign = "HL_SDK_HANDLER_FAILED: guard: x";
    const no = LONG_DENY.replace("secrets", `The guard g failed, so it blocks. ${sign}`);
    expect(codes(judge(claude, "continue", { stderr: `${sign}\n`, stdout: no }))).toEqual(["error HL_EXECUTE_THREW"]);
  });

  test("of the SDK that says what the event can say is not told to say something else", () => {
    const stderr = "HL_SDK_NOT_EXPRESSIBLE: UserPromptSubmit cannot say deny(). It can say: block, context";
    const [said] = judge(claude, "continue", { stderr, exitCode: 1 }).diagnostics;
    expect(said?.text).toContain("It can say: block, context");
    expect(said?.text).not.toContain("deny(…)");
  });

  test.each(["block", "ok", "allow"])('{"%s": …} is told that nothing is blocked, and what to write', (field) => {
    const [said] = judge(claude, "continue", { stdout: JSON.stringify({ [field]: false }), stderr: "" }).diagnostics.filter(
      ({ code }) => code === "HL_OUTPUT_NO_ANSWER",
    );
    expect(said?.text).toContain(
      'so nothing is blocked. To block, write {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"',
    );
  });

  test("of Node that does not find the script is told to fix the path", () => {
    const stderr =
      "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/p/nope.mjs'\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n";
    const [said] = judge(claude, "continue", { stderr, exitCode: 1 }).diagnostics;
    expect(said?.text).toContain('fix the path in "command"');
  });

  test("of the SDK has a cure in the words of the SDK, with any exit code", () => {
    for (const exitCode of [0, 1]) {
      const [said] = judge(claude, "continue", { stderr: "HL_SDK_HANDLER_FAILED: guard: x", exitCode }).diagnostics;
      expect(said?.text).toContain("make it a guard: { guard: true }");
      expect(said?.text).not.toMatch(/exit with|exit code 2/);
    }
  });

  test.each(["PreToolUse", "PostToolUse", "SessionStart"] as const)("of the SDK about a %s hook that works is said", (event) => {
    const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: "x" } });
    const raw = rawOutcome({ stdout: answer, stderr: "HL_SDK_OPTION_IGNORED: g: guard has no effect. Leave it out\n" });
    const outcome = interpretOutcome({ event, row: EVENTS[event], raw, dialect: claude });
    expect([types(outcome), codes(outcome)]).toEqual([["context"], ["notice HL_OUTPUT_STDERR"]]);
    expect(outcome.diagnostics[0]?.text).toContain("HL_SDK_OPTION_IGNORED: g: guard has no effect");
  });

  test.each(["no way", "checking 12 files", "config not found, using defaults", "HL_SDK_LOG_FAILED: cannot write"])(
    "with %j is said without alarm, and no failure",
    (stderr) => {
      const outcome = judge(claude, "continue", { stderr });
      expect([types(outcome), codes(outcome)]).toEqual([[], ["notice HL_OUTPUT_STDERR"]]);
      expect(types(judge(native, "block", { stderr }))).toEqual([]);
    },
  );

  test("of a hook that answered, of one in the background, and of events that come after the fact, is its own affair", () => {
    expect(codes(judge(claude, "continue", { stderr: "log", stdout }))).toEqual([]);
    const late = rawOutcome({ hook: sampleHook({ isAsync: true }), stderr: "jq: not found" });
    expect(codes(interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw: late, dialect: claude }))).toEqual([]);
    const after = (stderr: string): Outcome =>
      interpretOutcome({ event: "PostToolUse", row: EVENTS.PostToolUse, raw: rawOutcome({ stderr }), dialect: claude });
    expect([codes(after("formatted 3 files")), codes(after("jq: not found"))]).toEqual([[], ["warning HL_OUTPUT_STDERR"]]);
  });
});

describe("what a module printed", () => {
  const hook = sampleHook({ target: { kind: "module", fields: { path: "./g.mjs" } }, isGuard: true, onFailure: "block" });
  const printed = (more: Partial<RawOutcome>, event: "PreToolUse" | "PostToolUse" = "PreToolUse"): Outcome =>
    interpretOutcome({ event, row: EVENTS[event], raw: rawOutcome({ hook, stderr: "BLOCKED: dangerous\n", ...more }), dialect: native });

  test("and no more is no answer: said without alarm, in the words of a module, and no failure", () => {
    const outcome = printed({});
    expect([types(outcome), codes(outcome)]).toEqual([[], ["notice HL_OUTPUT_STDERR"]]);
    expect(outcome.diagnostics[0]?.text).toMatch(/returned nothing.*nothing is blocked: "BLOCKED: dangerous".*return deny\(…\)/);
    expect(outcome.diagnostics[0]?.text).not.toMatch(/exit/);
  });

  test("beside an answer, or after the fact, is its own affair; a stack trace is no failure either", () => {
    expect(codes(printed({ stdout: LONG_DENY }))).toEqual([]);
    expect(codes(printed({}, "PostToolUse"))).toEqual([]);
    const trace = printed({ stderr: "TypeError: x is not a function\n    at check (/p/guard.mjs:3:5)" });
    expect([types(trace), codes(trace)]).toEqual([[], ["notice HL_OUTPUT_STDERR"]]);
  });
});

test.each([
  ["SubagentStart", ["notice HL_OUTPUT_NO_ANSWER"]],
  ["Notification", ["notice HL_OUTPUT_NO_ANSWER"]],
  ["PreCompact", ["notice HL_OUTPUT_NO_ANSWER"]],
  // Here it is what the model reads, or where the folder is.
  ["UserPromptSubmit", []],
  ["SessionStart", []],
  ["WorktreeCreate", []],
  // Tools tell what they did; and here nothing that could be printed would be read.
  ["PostToolUse", []],
  ["SessionEnd", []],
  ["CwdChanged", []],
] as const)("plain text of a %s hook is said where it could have reached the model or the user", (event, expected) => {
  const outcome = interpretOutcome({ event, row: EVENTS[event], raw: rawOutcome({ stdout: "be brief" }), dialect: claude });
  expect(codes(outcome)).toEqual(expected);
  for (const { text } of outcome.diagnostics) expect(text).toMatch(/"be brief".*(?:additionalContext|exit with 2)/);
  const late = interpretOutcome({ event, row: EVENTS[event], raw: rawOutcome({ stdout: "x", isFromBackground: true }), dialect: claude });
  expect(codes(late)).toEqual([]);
});

describe("what is said about the answer of a hook that prints none", () => {
  const MODULE = { kind: "module", fields: { path: "./g.mjs" } } as const;
  const HTTP = { kind: "http", fields: { url: "http://localhost/" } } as const;
  test.each([
    ['{"decision":', "what it returned looks like a JSON object but is not valid"],
    [`${DENY} ok`, "stands after the JSON in what it returned"],
    ['"deny"', 'it returned ""deny"" and no answer; that counts as a denial. Return deny(…), an answer object, or nothing'],
    ['{"hook_event_name":"PreToolUse","session_id":"s"}', "it returned its own input and no answer"],
  ])("a module returns it: %s", (stdout, text) => {
    const hook = sampleHook({ onFailure: "block", isGuard: true, target: MODULE });
    const said = judge(native, "block", { hook, stdout })
      .diagnostics.map((one) => one.text)
      .join("\n");
    expect(said).toContain(text);
    expect(said).not.toMatch(/stdout|stderr|[Pp]rint|tee/);
  });

  test("a module that exits is told to return", () => {
    const hook = sampleHook({ onFailure: "ask", target: MODULE });
    const failure = { kind: "exit", text: "it called process.exit(3). A module answers with what it returns" } as const;
    expect(judge(native, "ask", { hook, exitCode: null, failure }).diagnostics.at(-1)?.text).toMatch(
      /Return deny\(…\), an answer object, or nothing$/,
    );
  });

  test("a server sends it, and its own words stay as they are", () => {
    const hook = sampleHook({ onFailure: "ask", target: HTTP });
    const [said] = judge(native, "ask", { hook, httpStatus: 200, exitCode: null, stdout: '{"decision": "block" on stdout' }).diagnostics;
    expect(said?.text).toMatch(/the response looks like a JSON object but is not valid.*Answer with one JSON object and nothing else/);
  });
});
