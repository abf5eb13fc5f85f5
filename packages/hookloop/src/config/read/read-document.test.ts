import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../diagnostic.ts";
import { createDialects } from "../../dialects/index.ts";
import { processorNow } from "../../growth.test-suite.ts";
import type { ConfigDocument, Scope, Source } from "../types.ts";
import { readDocument } from "./read-document.ts";

const FILES: Readonly<Record<string, string>> = { claude: "settings.json", native: "hooks.json", "hooks-json": ".hooks.json" };

function source(dialect: string, scope: Scope = "project"): Source {
  return { scope, dialect, file: `/p/${FILES[dialect]}`, root: "/p" };
}

function read(text: string, dialect = "claude", scope: Scope = "project"): ConfigDocument {
  return readDocument({ source: source(dialect, scope), dialects: createDialects(), text });
}

/** One hook entry of PreToolUse. */
function readEntry(entry: string, dialect = "claude"): ConfigDocument {
  return read(`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[${entry}]}]}}`, dialect);
}

function readMatcher(matcher: string, event = "PreToolUse", dialect = "claude"): ConfigDocument {
  return read(JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: "command", command: "x" }] }] } }), dialect);
}

function codes({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }): readonly string[] {
  return diagnostics.map(({ code }) => code);
}

function spots({ diagnostics }: ConfigDocument): readonly string[] {
  return diagnostics.map(({ code, place }) => `${place?.line}:${place?.column} ${code}`);
}

const TEN_MISTAKES = `{
  "hooks": {
    "PreTooluse": [{ "hooks": [{ "type": "command", "command": "a" }] }],
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command" }] },
      { "matcher": "Bash", "hooks": [{ "type": "wizard", "command": "b" }] },
      { "matcher": "Bash(git *)", "hooks": [{ "type": "command", "command": "c" }] },
      { "matcher": "[", "hooks": [{ "type": "command", "command": "d" }] },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "  " }] },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "e", "timeout": -1 }] },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh" }] },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "f", "args": "x" }] }
    ],
    "SessionStart": [{ "hooks": [{ "type": "prompt", "prompt": "g" }] }],
    "Stop": [{ "hooks": [{ "type": "command", "command": "h", "timout": 5 }] }]
  }
}`;

test("a settings file with ten mistakes gives ten diagnostics with line and column, and its one good guard is declared", () => {
  const document = read(TEN_MISTAKES);
  expect([...spots(document)].sort()).toEqual(
    [
      "3:5 HL_CONFIG_UNKNOWN_EVENT",
      "5:38 HL_CONFIG_MISSING_FIELD",
      "6:48 HL_CONFIG_UNKNOWN_KIND",
      "7:20 HL_CONFIG_MATCHER_NEVER",
      "8:20 HL_CONFIG_BAD_REGEX",
      "9:70 HL_CONFIG_EMPTY_COMMAND",
      "10:86 HL_CONFIG_TIMEOUT_INVALID",
      "12:83 HL_CONFIG_WRONG_TYPE",
      "14:44 HL_CONFIG_KIND_NOT_ALLOWED",
      "15:63 HL_CONFIG_UNKNOWN_FIELD",
    ].sort(),
  );
  const guard = document.hooks.find(({ fields }) => fields["command"] === "guard.sh");
  expect(guard).toMatchObject({
    event: "PreToolUse",
    matcher: "Bash",
    kind: "command",
    place: { file: "/p/settings.json", line: 11, column: 38 },
  });
  expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["c", "guard.sh", "h"]);
});

describe("a bad entry never disables its neighbours", () => {
  test.each([
    ["no command", `{"type":"command"}`, "HL_CONFIG_MISSING_FIELD"],
    ["an unknown kind", `{"type":"wizard","command":"x"}`, "HL_CONFIG_UNKNOWN_KIND"],
    ["no kind", `{"command":"x"}`, "HL_CONFIG_MISSING_FIELD"],
    ["a text instead of an object", `"x"`, "HL_CONFIG_WRONG_TYPE"],
    ["null", `null`, "HL_CONFIG_WRONG_TYPE"],
    ["a number as command", `{"type":"command","command":5}`, "HL_CONFIG_WRONG_TYPE"],
    ["a word as flag", `{"type":"command","command":"x","async":"yes"}`, "HL_CONFIG_WRONG_TYPE"],
    ["a number among the arguments", `{"type":"command","command":"x","args":["a",1]}`, "HL_CONFIG_WRONG_TYPE"],
    ["an unknown shell", `{"type":"command","command":"x","shell":"fish"}`, "HL_CONFIG_WRONG_TYPE"],
    ["an empty command", `{"type":"command","command":""}`, "HL_CONFIG_EMPTY_COMMAND"],
    ["a timeout of zero", `{"type":"command","command":"x","timeout":0}`, "HL_CONFIG_TIMEOUT_INVALID"],
    ["a timeout as text", `{"type":"command","command":"x","timeout":"5"}`, "HL_CONFIG_TIMEOUT_INVALID"],
    ["an infinite timeout", `{"type":"command","command":"x","timeout":1e999}`, "HL_CONFIG_TIMEOUT_INVALID"],
    ["a key twice", `{"type":"command","command":"x","command":"y"}`, "HL_CONFIG_DUPLICATE_KEY"],
    ["a header twice", `{"type":"http","url":"u","headers":{"a":"1","a":"2"}}`, "HL_CONFIG_DUPLICATE_KEY"],
    ["NaN", `{"type":"command","command":"x","timeout":NaN}`, "HL_CONFIG_INVALID_JSON"],
    ["a missing comma", `{"type":"command" "command":"x"}`, "HL_CONFIG_INVALID_JSON"],
    ["an open text", `{"type":"command","command":"x}\n`, "HL_CONFIG_INVALID_JSON"],
  ])("%s", (_name, entry, code) => {
    const good = `{"type":"command","command":"before"}`;
    const document = readEntry(`${good},${entry}`);
    expect(document.hooks.map(({ fields }) => fields["command"])).not.toContain("x");
    expect(codes(document)).toContain(code);
    if (!entry.endsWith("\n")) {
      const between = readEntry(`${good},${entry},{"type":"command","command":"after"}`);
      expect(between.hooks.map(({ fields }) => fields["command"])).toEqual(["before", "after"]);
      expect(codes(between)).toEqual([code]);
    }
  });

  test("a group whose matcher is spoilt is left out, its neighbour stays", () => {
    const document = read(`{"hooks":{"PreToolUse":[
      {"matcher":"Bash" "hooks":[{"type":"command","command":"spoilt"}]},
      {"matcher":"Write","hooks":[{"type":"command","command":"good"}]}]}}`);
    expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["good"]);
    expect(spots(document)).toEqual(["2:25 HL_CONFIG_INVALID_JSON"]);
  });

  test("a list that swallowed its group's matcher is not used without it", () => {
    const document = read(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}, "matcher":"Bash"}]}}`);
    expect(document.hooks).toEqual([]);
    expect(codes(document)).toContain("HL_CONFIG_INVALID_JSON");
  });

  test("a missing comma between two whole entries loses neither", () => {
    const document = readEntry(`{"type":"command","command":"a"} {"type":"command","command":"b"}`);
    expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["a", "b"]);
    expect(codes(document)).toEqual(["HL_CONFIG_INVALID_JSON"]);
  });

  test("a file that breaks off keeps what was complete", () => {
    const document = read(
      `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]},{"matcher":"Write","hooks":[{"type":"comm`,
    );
    expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["a"]);
    expect(codes(document)).toContain("HL_CONFIG_INVALID_JSON");
  });
});

describe("the text", () => {
  test("comments, trailing commas, BOM and CRLF are accepted", () => {
    const text = `\uFEFF{\r\n // why\r\n "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x",}],}],},\r\n}`;
    const document = read(text, "native");
    expect(document.hooks.map(({ place }) => place)).toEqual([{ file: "/p/hooks.json", line: 3, column: 32 }]);
    expect(document.diagnostics).toEqual([]);
  });

  test.each([
    ["a comment", `{ // x\n "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`, "1:3"],
    ["a trailing comma", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}],}}`, "1:70"],
  ])("%s in a Claude file works and is reported once", (_name, text, place) => {
    const document = read(text);
    expect(document.hooks).toHaveLength(1);
    expect(spots(document)).toEqual([`${place} HL_CONFIG_CLAUDE_WOULD_DROP_FILE`]);
  });

  test("a BOM does not move the columns", () => {
    expect(spots(read(`\uFEFF{"hooks":5}`))).toEqual(["1:10 HL_CONFIG_WRONG_TYPE"]);
  });

  test("50 MB come back at once with one precise error", () => {
    const start = processorNow();
    const document = read(" ".repeat(50 * 1024 * 1024));
    expect(codes(document)).toEqual(["HL_CONFIG_TOO_LARGE"]);
    expect(processorNow() - start).toBeLessThan(2000);
  });

  test.each([
    ["lists", "[".repeat(10_000)],
    ["objects", `{"a":`.repeat(10_000)],
    ["closed objects", `${`{"a":`.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["closers that do not fit", "[}".repeat(10_000)],
    ["a mix of everything", `{"a" [1, : {`.repeat(10_000)],
  ])("depth 10 000 comes back with one precise error: %s", (_name, text) => {
    const document = read(text);
    expect(codes(document)).toEqual(["HL_CONFIG_TOO_DEEP"]);
    expect(document.hooks).toEqual([]);
  });

  test("64 levels are read, 65 are not", () => {
    expect(codes(read("[".repeat(64) + "]".repeat(64)))).toEqual(["HL_CONFIG_WRONG_TYPE"]);
    expect(codes(read("[".repeat(65) + "]".repeat(65)))).toEqual(["HL_CONFIG_TOO_DEEP"]);
  });

  test("a thousand syntax errors are bounded", () => {
    const document = read(`{"hooks": [${"tru,\n".repeat(50_000)}]}`, "native");
    expect(document.hooks).toEqual([]);
    expect(document.diagnostics).toHaveLength(21);
    expect(document.diagnostics.at(-1)?.text).toMatch(/^There are \d+ more syntax errors/);
  });

  test("ten thousand wrong entries are bounded", () => {
    const document = readEntry(Array.from({ length: 10_000 }, () => `{"type":"command"}`).join());
    expect(document.diagnostics).toHaveLength(201);
  });

  test.each([
    ["", "HL_CONFIG_INVALID_JSON"],
    ["  \n", "HL_CONFIG_INVALID_JSON"],
    ["[]", "HL_CONFIG_WRONG_TYPE"],
    ["null", "HL_CONFIG_WRONG_TYPE"],
    ["not json", "HL_CONFIG_INVALID_JSON"],
  ])("%j is reported", (text, code) => {
    expect(codes(read(text))).toContain(code);
  });

  test("an event that stands twice is reported and the last one counts", () => {
    const document = read(
      `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}],"Stop":[{"hooks":[{"type":"command","command":"b"}]}]}}`,
    );
    expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["b"]);
    expect(spots(document)).toEqual(["1:65 HL_CONFIG_DUPLICATE_KEY"]);
  });

  test("whatever the text, it never throws and every diagnostic has a place and a text", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"hooks"',
      '"PreToolUse"',
      '"type"',
      '"command"',
      '"x',
      "1e9",
      "//",
      "\n",
      "__proto__",
      '"__proto__":',
      "\u0000",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), fc.constantFrom("claude", "native", "hooks-json"), (parts, dialect) => {
        const document = read(parts.join(""), dialect);
        for (const { text, place } of document.diagnostics) expect(text !== "" && place?.file !== undefined).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("whatever is cut from the end, no hook appears that the whole file does not have", () => {
    const whole = new Set(read(TEN_MISTAKES).hooks.map(({ event, matcher, fields }) => JSON.stringify([event, matcher, fields])));
    for (let length = 0; length < TEN_MISTAKES.length; length++) {
      const { hooks } = read(TEN_MISTAKES.slice(0, length));
      for (const { event, matcher, fields } of hooks) expect(whole).toContain(JSON.stringify([event, matcher, fields]));
    }
  });
});

describe("events and fields", () => {
  test.each([
    ["PreTooluse", 'Did you mean "PreToolUse"?'],
    ["pretooluse", 'Did you mean "PreToolUse"?'],
    ["BeforeTool", 'a name of Gemini CLI. Write "PreToolUse"'],
    ["beforeShellExecution", 'a name of Cursor. Write "PreToolUse"'],
    ["pre_tool_sample", 'a name of the sampling registry. Write "PreToolUse"'],
    ["Frobnicate", "`hookloop events` lists them all"],
    ["hooks", "one level too deep"],
    ["__proto__", "is not an event"],
    ["constructor", "is not an event"],
  ])("the unknown event %s gets a hint", (event, hint) => {
    const document = read(`{"hooks":{${JSON.stringify(event)}:[]}}`);
    expect(codes(document)).toEqual(["HL_CONFIG_UNKNOWN_EVENT"]);
    expect(document.diagnostics[0]?.text).toContain(hint);
  });

  test("an event that .hooks.json does not have is named as such", () => {
    const document = read(`{"hooks":{"Stop":[{"command":"x"}]}}`, "hooks-json");
    expect(document.diagnostics[0]).toMatchObject({
      code: "HL_CONFIG_UNKNOWN_EVENT",
      text: '"Stop" is not an event of a .hooks.json file, only "SessionStart", "PreToolUse" or "PostToolUse". Its hooks are left out; use .hookloop/hooks.json.',
    });
  });

  test("a text shows no hidden characters and no more than a line", () => {
    const { diagnostics } = read(JSON.stringify({ hooks: { [`a\u202e\n\u001b[2J${"x".repeat(100_000)}`]: [] } }));
    expect(diagnostics[0]?.text).toMatch(/^"a\\u202e\\n\\u001b\[2Jx{30,60}… is not an event/);
  });

  test("a slip in a needed field's name is one mistake", () => {
    const document = readEntry(`{"type":"command","comand":"x"}`);
    expect(document.diagnostics.map(({ code, text }) => [code, text.includes('"comand"')])).toEqual([["HL_CONFIG_MISSING_FIELD", true]]);
  });

  test("an unknown field is ignored, said, and not kept", () => {
    const document = readEntry(`{"type":"command","command":"x","color":"red"}`);
    expect(codes(document)).toEqual(["HL_CONFIG_UNKNOWN_FIELD"]);
    expect(document.hooks[0]?.fields).toEqual({ command: "x" });
  });

  test("a hook without its group is told how to get one", () => {
    const document = read(`{"hooks":{"PreToolUse":[{"type":"command","command":"x"}]}}`);
    expect(codes(document)).toEqual(["HL_CONFIG_MISSING_FIELD"]);
    expect(document.diagnostics[0]?.text).toContain("Put this hook into one");
  });

  test.each([
    [`{"hooks":[]}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"hooks":{"Stop":{}}}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"hooks":{"Stop":["x"]}}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"hooks":{"Stop":[{"hooks":{}}]}}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"hooks":{"Stop":[{}]}}`, "HL_CONFIG_MISSING_FIELD"],
    [`{"hooks":{"Stop":[{"hook":[]}]}}`, "HL_CONFIG_MISSING_FIELD"],
    [`{"hooks":{"Stop":[{"hooks":[],"match":"x"}]}}`, "HL_CONFIG_UNKNOWN_FIELD"],
    [`{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}]}}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"Stop":[]}`, "HL_CONFIG_UNKNOWN_FIELD"],
    [`{"Hooks":{}}`, "HL_CONFIG_UNKNOWN_FIELD"],
    [`{"permissions":{"deny":"Bash"}}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"permissions":[]}`, "HL_CONFIG_WRONG_TYPE"],
    [`{"permissions":"yes"}`, "HL_CONFIG_WRONG_TYPE"],
  ])("%s gives one %s", (text, code) => {
    expect(codes(read(text))).toEqual([code]);
  });

  test("other keys of a Claude settings file are none of our business, in a native file they are", () => {
    expect(codes(read(`{"model":"x","theme":{}}`))).toEqual([]);
    expect(codes(read(`{"model":"x","hook":{}}`, "native"))).toEqual(["HL_CONFIG_UNKNOWN_FIELD", "HL_CONFIG_UNKNOWN_FIELD"]);
    expect(codes(read(`{"hooks":{},"version":1}`, "hooks-json"))).toEqual(["HL_CONFIG_UNKNOWN_FIELD"]);
  });

  test("`if` on an event without a tool call is an error, on a tool event it is not", () => {
    const entry = { type: "command", command: "x", if: "Bash(git *)" };
    const on = (event: string): readonly string[] => codes(read(JSON.stringify({ hooks: { [event]: [{ hooks: [entry] }] } })));
    expect(on("Stop")).toEqual(["HL_CONFIG_CONDITION_IGNORED"]);
    expect(on("PostToolUse")).toEqual([]);
  });
});

describe("timeout", () => {
  test.each([
    ["5", 5, []],
    ["0.5", 0.5, []],
    ["3600", 3600, []],
    ["5000", 5000, ["HL_CONFIG_TIMEOUT_SUSPICIOUS"]],
    ["86400", 86_400, []],
    ["1e12", 86_400, ["HL_CONFIG_TIMEOUT_INVALID"]],
  ])("%s counts as %d", (timeout, seconds, expected) => {
    const document = readEntry(`{"type":"command","command":"x","timeout":${timeout}}`);
    expect(document.hooks[0]?.fields["timeout"]).toBe(seconds);
    expect(codes(document)).toEqual(expected);
    expect(document.diagnostics.every(({ level }) => level === "warning")).toBe(true);
  });
});

describe("matchers", () => {
  test.each([
    ["bash", 'Did you mean "Bash"?'],
    ["Bash|Wrtie", 'Did you mean "Write"?'],
    ["mcp__server", 'write "mcp__server__.*"'],
    ["mcp__server__", 'write "mcp__server__.*"'],
    ["Shell", 'Did you mean "Bash"?'],
    ["Terminal", 'Did you mean "Bash"?'],
    ["BashTool", 'Did you mean "Bash"?'],
    ["run_shell_command", 'Did you mean "Bash"?'],
    ["Bash(git *)", 'Write "matcher": "Bash" and put the rule into the hook\'s "if"'],
    ["read_file", 'Did you mean "Read"?'],
    ["^bash$", 'did you mean "Bash"?'],
    ["(bash|shell)", 'did you mean "Bash"?'],
    ["^(bash|sh)$", 'did you mean "Bash"?'],
    ["\\bbash\\b", 'did you mean "Bash"?'],
    ["Shell\\b", 'Did you mean "Bash"?'],
    ["bash\\w*", 'did you mean "Bash"?'],
    ["bash{1}", 'did you mean "Bash"?'],
    ["(?=bash)bash", 'did you mean "Bash"?'],
    ["Bash\\(git.*\\)", 'put the rule into the hook\'s "if"'],
    ["Bash\\(.*\\)", 'put the rule into the hook\'s "if"'],
    ["bash\\(git.*\\)", 'Write "matcher": "Bash"'],
    ["(Bash(git *)|Edit)", 'put the rule into the hook\'s "if"'],
    ["(Edit|Wirte)", 'has "Wirte", which matches no known tool_name. Did you mean "Write"?'],
    ["^(Edit|Wirte)$", 'has "^Wirte$", which matches no known tool_name. Did you mean "Write"?'],
    ["\\b(?:Edit|(Wirte|Read))\\b", 'Did you mean "Write"?'],
    ["^Bahs$", 'Did you mean "Bash"?'],
    ["^Wirte.*", 'Did you mean "Write"?'],
    ["/Bash/", 'Did you mean "Bash"?'],
    ["/bash/i", 'Did you mean "Bash"?'],
    ['"Bash"', 'Did you mean "Bash"?'],
    ["Read, Edit; Write", 'Names are separated by "|": write "Read|Edit|Write"'],
    ["Bash;Edit", 'Names are separated by "|": write "Bash|Edit"'],
    ["Edit or Bash", 'Names are separated by "|": write "Edit|Bash"'],
    ["Edit and Bash", 'write "Edit|Bash"'],
    ["Bash:git push", 'write "Bash", and what it is about in the hook\'s "if": "Bash(*git push*)"'],
    ["^mcp__server$", 'write "mcp__server__.*"'],
    ["(Bash|^mcp__server$)", 'write "mcp__server__.*"'],
    ["^mcp_server_.*", 'written "mcp__server__tool"'],
    ["mcp__*__push", 'Write "mcp__.*__push".'],
    ["Bash|mcp__g*__push", 'Write "mcp__g.*__push".'],
    ["^$", "matches only an empty name"],
    ["^\\s*$", "matches only an empty name"],
  ])("%s never matches in a Claude or native file", (matcher, hint) => {
    for (const dialect of ["claude", "native"] as const) {
      const document = readMatcher(matcher, "PreToolUse", dialect);
      expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "warning", place: { line: 1 } }]);
      expect(document.diagnostics[0]?.text).toContain(hint);
      expect(document.hooks[0]?.matcher).toBe(matcher);
      expect(document.hooks[0]?.never).toBe(document.diagnostics[0]?.text);
    }
  });

  test.each([
    ['["Bash"]', 'written "Bash"'],
    ['["Edit", "Write"]', 'written "Edit|Write"'],
    ["B*", 'write "^B"'],
    ["^B*", 'write "^B"'],
    ["x?", 'Write "*"'],
  ])("%s is a pattern that was not meant: it matches nearly every name", (matcher, hint) => {
    const { diagnostics, hooks } = read(
      JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x" }] }] } }),
      "claude",
    );
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_IGNORED", level: "warning", text: expect.stringContaining(hint) }]);
    expect(hooks[0]).toMatchObject({ matcher });
    expect(hooks[0]?.never).toBeUndefined();
  });

  const withIf = (matcher: string | undefined, condition: string, fields: object = {}, dialect: "claude" | "native" = "claude") =>
    read(
      JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x", if: condition, ...fields }] }] } }),
      dialect,
    );

  test.each([
    ["Bash", "Write(*.ts)"],
    ["Edit|Write", "Bash(rm *)"],
    ["^Bash$", "Read"],
    ["mcp__github__.*", "Bash(rm *)"],
    ["Bash", "mcp__github__delete"],
    [undefined, "Bash(/echo/)"],
    ["Bash", "Bash(^rm)"],
  ])("matcher %s never meets the condition %s", (matcher, condition) => {
    const document = withIf(matcher, condition);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "warning", place: { line: 1 } }]);
    expect(document.hooks[0]?.never).toBe(document.diagnostics[0]?.text);
  });

  test.each([
    ["Bash", "Bash(git push *)"],
    ["Task", "Agent"],
    ["Agent", "Task"],
    ["Task|Agent", "Agent"],
    ["Edit", "Edit(/src/**)"],
    ["Bash", 'Bash(grep "a; b" *)'],
    ["Bash", "Bash(find * -exec rm {} \\;)"],
    ["Bash", "Bash(git log --format=*,%h)"],
    [".*", "Bash(rm *)"],
    ["*", "Bash(/usr/bin/rm *)"],
    ["mcp__github__.*", "mcp__github__delete"],
    ["mcp__.*", "mcp__github"],
    [undefined, "Read(./.env.*)"],
  ])("matcher %s and condition %s go together", (matcher, condition) => {
    expect(withIf(matcher, condition).diagnostics).toEqual([]);
  });

  test.each([
    ["Bash(*)", 'write "Bash"'],
    ["bash(*)", 'write "Bash"'],
    ["Bash(*)|Edit", 'write "Bash|Edit"'],
    ["Write(docs/**)", 'write "Write", and "if": "Write(docs/**)" in the hook.'],
    ["Bash.*deploy", 'write "Bash", and what it is about in the hook\'s "if": "Bash(*deploy*)"'],
    ["Bash:rm -rf", '"if": "Bash(*rm -rf*)"'],
    [["Bash", "Edit"], 'Write "Bash|Edit".'],
    [{ tool: "Bash" }, 'Write "Bash".'],
    ["*.ts", 'write "Edit|Write", and which files in the hook\'s "if", one for each: "Edit(*.ts)", "Write(*.ts)".'],
    ["(?i)bash", 'A matcher has no flags: write "Bash"'],
    ["(?i:bash|wirte)", 'write "Bash|Write"'],
    ["**", 'Write "*" if it is for all'],
    ["all", 'Write "*" if it is for all'],
  ])("of %j it is said what to write", (matcher, cure) => {
    expect(readMatcher(matcher as string).diagnostics).toMatchObject([{ text: expect.stringContaining(cure) }]);
  });

  test.each([
    ["Edit|Write", "Edit(**)", '"Write"'],
    ["Bash|Write", "Write(*.ts)", '"Bash"'],
    ["^(Edit|Write)$", "Edit(**)", '"^Write$"'],
  ])("of matcher %s, condition %s leaves %s out, which is said", (matcher, condition, left) => {
    const document = withIf(matcher, condition);
    const text = expect.stringContaining(`never runs for ${left}`);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "warning", text }]);
    expect(document.hooks[0]?.never).toBeUndefined();
  });

  test.each([
    ["Bash(rm *),Bash(touch *)", '"Bash(rm *)", "Bash(touch *)"'],
    ["Bash(rm *) || Bash(touch *)", '"Bash(rm *)", "Bash(touch *)"'],
    ["Bash(rm *) or Edit(src/**)", '"Bash(rm *)", "Edit(src/**)"'],
    ["Bash(rm *|touch *)", '"Bash(rm *)", "Bash(touch *)"'],
    ["Bash(rm *, touch *)", '"Bash(rm *)", "Bash(touch *)"'],
    ["Bash(rm * && touch *)", '"Bash(rm *)", "Bash(touch *)"'],
  ])("%s is several rules: the hook never runs, and a guard runs for all", (condition, cure) => {
    const document = withIf(undefined, condition);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", text: expect.stringContaining(cure) }]);
    expect(document.hooks[0]?.never).toBe(document.diagnostics[0]?.text);
    for (const mark of [{ guard: true }, { onFailure: "block" }]) {
      const guard = withIf(undefined, condition, mark, "native");
      expect(guard.diagnostics).toMatchObject([{ text: expect.stringContaining("runs for every call") }]);
      expect([guard.hooks[0]?.never, guard.hooks[0]?.unreadable, guard.hooks[0]?.fields["if"]]).toEqual([undefined, undefined, condition]);
    }
  });

  test.each([
    ["bash", undefined],
    ["Bash|Wrtie", undefined],
    ["^(Edit|Wirte)$", undefined],
    ["\\bbash\\b", undefined],
    ["Edit or Bash", undefined],
    ["^$", undefined],
    ["Bash", "Write(*.ts)"],
  ])("a guard of a hookloop file with matcher %s and condition %s cannot be read, and is for everything", (matcher, condition) => {
    const entry = { type: "command", command: "x", guard: true, ...(condition !== undefined && { if: condition }) };
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [entry] }] } });
    const [own] = read(text, "native").hooks;
    expect([own?.matcher, own?.fields["if"], typeof own?.unreadable]).toEqual([undefined, undefined, "string"]);
    // In a file that Claude Code reads as well, what happens stays as there.
    const [imported] = read(text, "claude").hooks;
    expect([imported?.matcher, imported?.unreadable, typeof imported?.never]).toEqual([matcher, undefined, "string"]);
  });

  test.each([
    "Bash",
    "Bash|Write",
    "Bash, Edit",
    "Task",
    "^Task$",
    "mcp__memory__.*",
    "mcp__memory__read",
    "*",
    "",
    "Bash.*",
    ".*",
    "(a+)+$",
    "^(Edit|Write)$",
    "^(?!Bash)",
    "[Bb]ash",
    "(?:Multi)?Edit",
    "Notebook(Edit|Read)",
    "Task(Create|Update)",
    "Bash(Output)",
    "(Bash|mcp__.*)",
    "^mcp__(github|gitlab)__.*$",
    "mcp.*",
    "^(deploy|publish)_.*$",
    "^Bash-v2$|^Bash$",
    "Write|mcp__fs__write.*",
  ])("%s is fine", (matcher) => {
    const document = readMatcher(matcher);
    expect(document.diagnostics.filter(({ level }) => level !== "notice")).toEqual([]);
    expect(document.hooks).toHaveLength(1);
  });

  test("an unknown name is only a notice, and none if the agent has that tool", () => {
    expect(readMatcher("Deploy").diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "notice" }]);
    const text = `{"hooks":{"PreToolUse":[{"matcher":"Deploy","hooks":[{"type":"command","command":"x"}]}]}}`;
    expect(readDocument({ source: source("claude"), dialects: createDialects(), text, tools: ["Deploy"] }).diagnostics).toEqual([]);
  });

  test.each([".*\\.env", "^docs/", "src/.*\\.ts|a.txt"])("%s of FileChanged names no file that could be watched", (matcher) => {
    const { diagnostics } = readMatcher(matcher, "FileChanged");
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "warning", place: { line: 1 } }]);
    expect(diagnostics[0]?.text).toContain("watchPaths");
  });

  test.each([".env|package.json", "docs/notes.txt", "[id].tsx", "/etc/hosts"])("%s of FileChanged is fine", (matcher) => {
    expect(readMatcher(matcher, "FileChanged").diagnostics).toEqual([]);
  });

  test("`Bash` never matches in .hooks.json, `bash` does", () => {
    const dead = read(`{"hooks":{"PreToolUse":[{"matcher":"Bash","command":"x"},{"matcher":"Read","command":"y"}]}}`, "hooks-json");
    expect(spots(dead)).toEqual(["1:36 HL_CONFIG_MATCHER_NEVER", "1:69 HL_CONFIG_MATCHER_NEVER"]);
    expect(dead.diagnostics.map(({ text }) => text.slice(text.indexOf("Did")))).toEqual([
      'Did you mean "bash"?',
      'Did you mean "read_file"?',
    ]);
    expect(codes(read(`{"hooks":{"PreToolUse":[{"matcher":"bash|edit_file","command":"x"}]}}`, "hooks-json"))).toEqual([]);
  });

  test("a value the event never has is found on other events too", () => {
    expect(readMatcher("Startup", "SessionStart").diagnostics[0]?.text).toContain('Did you mean "startup"?');
    expect(codes(readMatcher("my-agent", "SubagentStop"))).toEqual([]);
  });

  test("a matcher on an event without one is ignored with a warning", () => {
    const document = readMatcher("ZZZ", "Stop");
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_IGNORED", level: "warning" }]);
    expect(document.hooks).toHaveLength(1);
    expect(document.hooks[0]?.matcher).toBeUndefined();
  });

  test.each(["|", " ", ",", " | ,"])("%j names nothing: its hooks are left out, and a guard is for everything", (matcher) => {
    const document = readMatcher(matcher);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MATCHER_NEVER", level: "error", text: expect.stringContaining('"*"') }]);
    expect(document.hooks).toEqual([]);
    for (const mark of [{ guard: true }, { onFailure: "block" }]) {
      const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x", ...mark }] }] } });
      const [own] = read(text, "native").hooks;
      expect([own?.matcher, typeof own?.unreadable]).toEqual([undefined, "string"]);
    }
  });

  test.each(["[", "(", "Bash(", "*Bash", "a{2,1}x("])("%s is no regular expression and its hooks are left out", (matcher) => {
    const document = readMatcher(matcher);
    expect(codes(document)).toEqual(["HL_CONFIG_BAD_REGEX"]);
    expect(document.hooks).toEqual([]);
  });

  test("a pattern that would abort the process when it is run never gets that far", () => {
    const deep = readMatcher(`${"(?:a|".repeat(20_000)}a${")".repeat(20_000)}`);
    expect(codes(deep)).toEqual(["HL_CONFIG_BAD_REGEX"]);
    expect(deep.hooks).toEqual([]);
    expect(readMatcher(Array.from({ length: 500 }, () => "Bash").join("|")).hooks).toHaveLength(1);
    const longest = `${"(?:a|".repeat(166)}a${")".repeat(166)}`;
    expect(readMatcher(longest).hooks).toHaveLength(1);
    expect(new RegExp(longest).test("Bash")).toBe(true);
  });

  test("a hostile pattern is not run while reading", () => {
    const start = processorNow();
    readMatcher(`${".*".repeat(60)}x`);
    readMatcher(`${"(.|.|.|.)".repeat(15)}x`);
    readMatcher("(.*)*(.*)*(.*)*x");
    expect(processorNow() - start).toBeLessThan(1000);
  });
});

describe("dialects", () => {
  test("a native file may say everything", () => {
    const document = read(
      JSON.stringify({
        $schema: "s",
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              sequential: true,
              hooks: [
                { type: "module", path: "./guard.ts", guard: true, name: "guard" },
                { type: "command", command: "x", onFailure: "ask", passEnv: ["A"], files: ["f"], budget: 5, warm: true },
              ],
            },
            { sequential: true, hooks: [{ type: "http", url: "http://h", onFailure: "block" }] },
          ],
        },
        permissions: { deny: ["Bash(rm *)"] },
        settings: { strict: true },
      }),
      "native",
      "user",
    );
    expect(document.diagnostics).toEqual([]);
    expect(document.hooks.map(({ kind, sequence }) => [kind, sequence])).toEqual([
      ["module", 0],
      ["command", 0],
      ["http", 1],
    ]);
    expect(document.switches).toEqual({ settings: { strict: true } });
    expect(document.permissions).toMatchObject({ allow: [], ask: [], deny: [{ text: "Bash(rm *)" }] });
  });

  test("a key that nothing reads is named, not taken in silence", () => {
    const prove = [{ input: {}, expect: "deny" }];
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "x", prove }] }] },
      settings: { trace: { on: true }, trust: "ask" },
    });
    const told = read(text, "native", "user").diagnostics.map(({ code, text: said, place }) => [
      code,
      said.match(/"(\w+)"/)?.[1],
      place?.line,
      /not supported yet|approve hooks with hookloop trust/.test(said),
    ]);
    expect(told.sort()).toEqual(["prove", "trace", "trust"].map((key) => ["HL_CONFIG_UNKNOWN_FIELD", key, 1, true]));
  });

  test.each(["user", "project"] as const)(
    "use in %s scope names shipped hooks; a wrong name is an error and loses only itself",
    (scope) => {
      const document = read(`{"use":["saftey","workspace-boundary"]}`, "native", scope);
      expect(document.switches.use).toEqual([{ name: "workspace-boundary", options: {} }]);
      expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_FIELD", level: "error", place: { line: 1, column: 9 } }]);
      expect(document.diagnostics[0]?.text).toContain('Did you mean "safety"?');
    },
  );

  test("use takes options beside a name; a wrong one is an error and loses only itself", () => {
    const entries = [
      { name: "safety", profile: "strict" },
      { name: "safety", profil: "strict" },
      { name: "safety", profile: "lax" },
      { profile: 1 },
    ];
    const document = read(JSON.stringify({ use: entries }), "native", "project");
    expect(document.switches.use).toEqual([
      { name: "safety", options: { profile: "strict" } },
      { name: "safety", options: {} },
      { name: "safety", options: {} },
    ]);
    expect(document.diagnostics.map(({ code, text }) => [code, text])).toEqual([
      ["HL_CONFIG_UNKNOWN_FIELD", '"profil" is not an option of "safety" and is ignored. Did you mean "profile"?'],
      ["HL_CONFIG_WRONG_TYPE", '"profile" of "safety" must be "standard", "strict" or "paranoid", not "lax", and is ignored.'],
      ["HL_CONFIG_UNKNOWN_FIELD", expect.stringContaining('An entry without a name in "use"')],
    ]);
  });

  test.each([
    [`{"type":"command","command":"x","guard":true}`],
    [`{"type":"command","command":"x","onFailure":"ask"}`],
    [`{"type":"prompt","prompt":"x","onFailure":"block"}`],
    [`{"type":"module","path":"./x.ts"}`],
  ])("%s in a Claude file works here and is reported", (entry) => {
    const document = readEntry(entry);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_CLAUDE_WOULD_DROP_FILE", level: "warning" }]);
    expect(document.hooks).toHaveLength(1);
  });

  test("onFailure: block is Claude's own word for commands", () => {
    expect(codes(readEntry(`{"type":"command","command":"x","onFailure":"block"}`))).toEqual([]);
  });

  test("hookloop's own events work in a Claude file with a notice", () => {
    const document = read(`{"hooks":{"PreModelRequest":[{"hooks":[{"type":"command","command":"x"}]}]}}`);
    expect(document.hooks).toHaveLength(1);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_IGNORED_KEY", level: "notice" }]);
  });

  test(".hooks.json is flat and knows two fields", () => {
    const document = read(
      `{"hooks":{"SessionStart":[{"command":"a"}],"PreToolUse":[{"matcher":"bash","command":"b","timeout":5}]}}`,
      "hooks-json",
    );
    expect(document.hooks.map(({ event, kind, matcher, fields }) => [event, kind, matcher, fields])).toEqual([
      ["SessionStart", "command", undefined, { command: "a" }],
      ["PreToolUse", "command", "bash", { command: "b" }],
    ]);
    expect(codes(document)).toEqual(["HL_CONFIG_UNKNOWN_FIELD"]);
  });

  test("a Claude file's switches and rules are read, a wrong rule loses only itself", () => {
    const document = read(
      `{"disableAllHooks":true,"allowedHttpHookUrls":["http://a/*"],"httpHookAllowedEnvVars":[],"permissions":{"allow":["Read"],"deny":["Bash(rm *)",5],"defaultMode":"plan"}}`,
      "claude",
      "user",
    );
    expect(document.switches).toEqual({ disableAllHooks: true, allowedHttpHookUrls: ["http://a/*"], httpHookAllowedEnvVars: [] });
    expect(document.permissions).toMatchObject({
      allow: [{ text: "Read", place: { line: 1, column: 114 } }],
      ask: [],
      deny: [{ text: "Bash(rm *)" }],
      defaultMode: { text: "plan" },
    });
    expect(codes(document)).toEqual(["HL_CONFIG_WRONG_TYPE"]);
  });

  test.each([
    ["claude", "project", `{"allowManagedHooksOnly":true}`, "HL_CONFIG_PROTECTED_KEY"],
    ["claude", "user", `{"allowManagedHooksOnly":true}`, "HL_CONFIG_IGNORED_KEY"],
    ["native", "project", `{"settings":{"strict":true}}`, "HL_CONFIG_PROTECTED_KEY"],
    ["native", "local", `{"settings":{"trust":"ask"}}`, "HL_CONFIG_PROTECTED_KEY"],
  ] as const)("in %s %s scope %s does not count", (dialect, scope, text, code) => {
    const document = read(text, dialect, scope);
    expect(document.diagnostics).toMatchObject([{ code, level: "warning" }]);
    expect(document.switches).toEqual({});
  });

  test("a managed file may allow managed hooks only", () => {
    expect(read(`{"allowManagedHooksOnly":true}`, "native", "managed").switches).toEqual({ allowManagedHooksOnly: true });
  });

  test("a plugin's file gives hooks and nothing else", () => {
    const document = read(
      `{"name":"plug","disableAllHooks":true,"permissions":{"allow":["Bash"]},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
      "claude",
      "plugin",
    );
    expect(document.hooks).toHaveLength(1);
    expect(document.switches).toEqual({});
    expect(document.permissions.allow).toEqual([]);
  });
});

describe("what is said", () => {
  test("of a guard's mark in the group: where it belongs, and why the guard blocks", () => {
    const group = { onFailure: "block", hooks: [{ type: "command", command: "x" }] };
    const document = read(JSON.stringify({ hooks: { PreToolUse: [group] } }), "native");
    expect(document.diagnostics).toMatchObject([
      { code: "HL_CONFIG_UNKNOWN_FIELD", text: expect.stringContaining("belongs into each entry") },
    ]);
    expect(document.diagnostics[0]?.text).not.toContain("ignored");
    expect(document.hooks.find(({ unreadable }) => unreadable)?.unreadable).toContain('"onFailure" stands beside "hooks"');
  });

  test("of JSON in single quotes: once a line", () => {
    const document = read("{'hooks': {'PreToolUse': [{'hooks': [{'type': 'command', 'command': 'x'}]}]}}", "claude");
    expect(codes(document)).toEqual(["HL_CONFIG_INVALID_JSON"]);
  });

  test("of another agent's event names its agents", () => {
    const document = read(JSON.stringify({ hooks: { preToolUse: [{ hooks: [] }] } }), "native");
    expect(document.diagnostics[0]?.text).toContain('it is a name of Copilot and Cursor. Write "PreToolUse"');
  });
});

describe("the command of a guard", () => {
  const guard = (command: string, more: object = { guard: true }): ConfigDocument =>
    readEntry(JSON.stringify({ type: "command", command, ...more }), "native");

  test.each([
    "./g.sh &",
    "./g.sh || true",
    "./g.sh; true",
    "./g.sh || :",
    "./g.sh ; exit 0",
    "# ./g.sh",
    "./g.sh\ntrue",
    "./g.sh | cat",
    "./g.sh 2>&1 | tee -a log",
    "./g.sh |& cat",
    "./g.sh; echo done",
    "./g.sh || echo failed",
    "./g.sh; echo 'a; b' ;",
    "cd x && ./g.sh; printf 'ok\\n'",
    "./g.sh\necho done",
    "node g.mjs | head -1",
    "./g.sh 'a || exit 2' | cat",
    '"$CLAUDE_PROJECT_DIR"/g.sh "a | b" |& tee "$LOG" # done',
    "./g.sh & # in the background",
    "./g.sh & echo started",
    'cd "$(git rev-parse --show-toplevel)" && ./g.sh | cat',
    "bash -c './g.sh | cat'",
    'sh -c "$CLAUDE_PROJECT_DIR/g.sh || true"',
    "bash -o pipefail -c './g.sh; echo done'",
    "set -o pipefail; ./g.sh; echo done",
    "set -o pipefail; set +o pipefail; ./g.sh | cat",
    "set -e; ./g.sh | cat",
    "set -e; ./g.sh || true",
    "for f in a b; do ./g.sh $f; done | cat",
    "{ ./g.sh; } | tee log",
    "if [ -f g.sh ]; then ./g.sh; fi; echo done",
    "echo 'set -o pipefail'; ./g.sh | cat",
    "{ ./g.sh; } | cat",
    "( ./g.sh ) | cat",
    "(exit 2) | cat",
    "export X=$(./g.sh)",
    "local x=$(./g.sh)",
    'declare -r OUT="$(./g.sh 2>&1)"',
    "if ./g.sh; then :; fi",
    "if ./g.sh; then echo ok; fi",
    "if ! ./g.sh; then echo no; fi",
    "if ./g.sh; then echo ok; else echo no; fi",
    'bash -c "./g.sh; true"',
    'eval "./g.sh || true"',
    "eval './g.sh; exit 0'",
    'trap "exit 0" EXIT; ./g.sh',
    "trap 'rm -f x; exit 0' EXIT ERR; ./g.sh",
    "f() { ./g.sh; return 0; }; f",
    "f() { ./g.sh || true; }; f",
    "function f { ./g.sh; echo done; }; f",
    "while ./g.sh; do :; done",
    "! ./g.sh",
  ])("%j cannot block by its exit code, which is said; it is used all the same", (command) => {
    for (const more of [{ guard: true }, { onFailure: "block" }]) {
      const document = guard(command, more);
      expect([codes(document), document.hooks.length]).toEqual([["HL_CONFIG_GUARD_OPEN"], 1]);
    }
    expect(codes(guard(command, {}))).toEqual([]);
  });

  test.each([
    "./g.sh",
    "a && b",
    "./g.sh || exit 2",
    "true && ./g.sh",
    "./g.sh 2>&1",
    "./a.sh & wait",
    "grep -q x || { echo no >&2; exit 2; }",
    "cat | ./g.sh",
    "echo start; ./g.sh",
    "./g.sh && echo ok",
    "./g.sh 'a | cat'",
    "set -o pipefail; ./g.sh | cat",
    "set -e; ./g.sh; echo ok",
    "./g.sh; exit $?",
    "grep -q x && exit 2; echo ok",
    'cat >/dev/null; echo \'{"decision":"block"}\'',
    "./g.sh | jq .answer",
    "if ./g.sh; then echo ok; else exit 2; fi",
    "if ! ./g.sh; then exit 2; fi",
    "if [ -f g.sh ]; then ./g.sh; fi",
    "if ./g.sh; then echo ok; else echo '{}'; fi",
    "X=$(./g.sh)",
    "X=$(./g.sh); exit $?",
    "export X=$(date); ./g.sh",
    "export X=$(./g.sh) || exit 2",
    'echo "$(./g.sh)"',
    'trap "rm -f x" EXIT; ./g.sh',
    'trap "exit 2" EXIT; ./g.sh',
    "trap 'exit 0' INT; ./g.sh",
    "f() { ./g.sh; }; f",
    "f() { return 0; }; f; ./g.sh",
    "f() { ./g.sh || return 2; }; f",
    'eval "./g.sh"',
    "{ ./g.sh; }",
    "(exit 2)",
    "while read -r l; do ./g.sh; done",
    "./g.sh # | cat",
    "./g.sh # &",
    "./g.sh \"a\" 'b; true'",
    "./g.sh '\n' \"| cat\"",
    "./g.sh \\| cat",
    "set -euo pipefail; ./g.sh | cat",
    "set -euo pipefail\n./g.sh 2>&1 |& tee log",
    "bash -o pipefail -c './g.sh | cat'",
    "bash -euo pipefail -c './g.sh | tee log'",
    "bash -c 'set -o pipefail; ./g.sh | cat'",
    "bash -c './g.sh' 'x | cat'",
    "./g.sh && ls | head -1",
    "set -e; ./g.sh; ls | head -1",
    'out=$(./g.sh); echo "$out"',
    "./g.sh <<'EOF'\n; true\nEOF",
    'grep -q x <<< "$y" && exit 2 ; echo ok | cat',
    `bash -c './g.sh | cat' || exit 2`,
    "./g.sh | (",
  ])("%j is nothing to speak of", (command) => {
    expect(codes(guard(command))).toEqual([]);
  });
});

const NATIVE = { scope: "project", dialect: "native", file: "/p/.hookloop/hooks.json", root: "/p" } as const;

describe("a guard that was written as a text", () => {
  const entry = '{"type":"command","command":"x","guard":true}';
  const group = `{"matcher":"Bash","hooks":[${entry}]}`;
  const map = `{"PreToolUse":[${group}]}`;
  const text = (value: string): string => JSON.stringify(value);

  test.each([
    ["the whole map", `{"hooks":${text(map)}}`],
    ["the map under another spelling", `{"Hooks":${text(map)}}`],
    ["the file", text(`{"hooks":${map}}`)],
    ["the map as a list", `{"hooks":[${map}]}`],
    ["an event", `{"hooks":{"PreToolUse":${text(`[${group}]`)}}}`],
    ["a group", `{"hooks":{"PreToolUse":[${text(group)}]}}`],
    ["the list of a group", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":${text(`[${entry}]`)}}]}}`],
    ["an entry", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[${text(entry)}]}]}}`],
    ["one that blocks when it fails", `{"hooks":${text(map.replace('"guard":true', '"onFailure":"block"'))}}`],
  ])("is there as one that cannot be read: %s", (_name, given) => {
    for (const scope of ["project", "skill"] as const)
      expect(readDocument({ source: { ...NATIVE, scope }, dialects: createDialects(), text: given }).hooks).toMatchObject([
        { event: "PreToolUse", fields: { guard: true }, unreadable: expect.any(String) },
      ]);
  });

  test("is none where a text belongs, or where it says that it is none", () => {
    const hooks = [
      { type: "command", command: "guard: yes", args: ["guard: yes"] },
      { type: "prompt", prompt: "guard: true" },
    ];
    const fine = JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } });
    expect(readDocument({ source: NATIVE, dialects: createDialects(), text: fine }).hooks.map(({ unreadable }) => unreadable)).toEqual([
      undefined,
      undefined,
    ]);
    const none = `{"hooks":${text(map.replace("true", "false"))}}`;
    expect(readDocument({ source: NATIVE, dialects: createDialects(), text: none }).hooks).toEqual([]);
  });
});

describe("templates of an mcp_tool hook", () => {
  const readInput = (value: unknown, matcher = "Bash", more: object = {}): ConfigDocument => {
    const hooks = [{ type: "mcp_tool", server: "s", tool: "t", input: { deep: [value] }, ...more }];
    return read(JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks }] } }));
  };

  test.each([
    ["${toolInput.command}", 'Write "${tool_input.command}".'],
    ["${tool_input.cmd}", "Known are command, description"],
    ["${tool_input.comand}", 'Write "${tool_input.command}".'],
    ["$tool_input.command", 'is not replaced by a field of the event. Write "${tool_input.command}".'],
    ["run {{tool_input.command}} now", 'Write "${tool_input.command}".'],
    ["${ tool_input.command }", 'Write "${tool_input.command}".'],
    ["$.tool_input.command", 'Write "${tool_input.command}".'],
    ["{toolName}", 'Write "${tool_name}".'],
    ["${CLAUDE_PROJECT_DIR}/x", "the event has no field"],
  ])("%s is said to stay empty or as it is", (value, text) => {
    const { diagnostics } = readInput(value);
    expect(diagnostics).toMatchObject([{ code: "HL_CONFIG_SCRIPT_EVENT", level: "warning", text: expect.stringContaining(text) }]);
    expect(readInput(value, "Bash", { onFailure: "block" }).diagnostics).toContainEqual(
      expect.objectContaining({ code: "HL_CONFIG_SCRIPT_EVENT", level: "error" }),
    );
  });

  test.each([
    ["${tool_input.command}", "Bash"],
    ["${tool_name}: ${tool_input.file_path}", "Edit|Write"],
    ["${tool_input.anything}", "mcp__gh__push"],
    ["${tool_input.command}", ".*"],
    ["costs $5, {not: a template}, $HOME", "Bash"],
    [5, "Bash"],
  ])("%s for %s is fine", (value, matcher) => {
    expect(readInput(value, matcher).diagnostics).toEqual([]);
  });
});
