import { describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import { processorNow } from "../../growth.test-suite.ts";
import type { ConfigDocument, Source } from "../types.ts";
import { readFrontmatter } from "./read-document.ts";

const SKILL: Source = { scope: "skill", dialect: "claude", file: "/s/SKILL.md", root: "/s", skill: { name: "s", root: "/s" } };
const HOOKS = `hooks:
  Stop:
    - hooks:
        - type: command
          command: ./done.sh
          once: true
`;

function read(text: string, source: Source = SKILL): Promise<ConfigDocument> {
  return readFrontmatter({ source, dialects: createDialects(), text });
}

const codes = ({ diagnostics }: ConfigDocument): readonly string[] => diagnostics.map(({ code }) => code);

test("a skill's hooks are read with their place in the file", async () => {
  const document = await read(`---\nname: s\n${HOOKS}---\nText with\n---\nrules.\n`);
  expect(document.diagnostics).toEqual([]);
  expect(document.hooks).toEqual([
    {
      event: "Stop",
      source: SKILL,
      place: { file: "/s/SKILL.md", line: 6, column: 11 },
      kind: "command",
      fields: { command: "./done.sh", once: true },
    },
  ]);
});

test("an event beside hooks is said to stand in the wrong place, and a guard in it blocks", async () => {
  const event = "PreToolUse:\n  - matcher: Bash\n    hooks:\n      - {type: command, command: x}\n";
  const document = await read(`---\nname: s\n${event}---\n`);
  const text = expect.stringContaining('The event "PreToolUse" must stand inside "hooks"');
  expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_UNKNOWN_FIELD", level: "error", text, place: { line: 3 } }]);
  const guarded = await read(`---\n${event.replace("command: x", "command: x, onFailure: block")}---\n`);
  expect(guarded.hooks).toMatchObject([{ event: "PreToolUse", unreadable: expect.any(String) }]);
});

test("CRLF and a BOM change nothing", async () => {
  const document = await read(`\uFEFF---\n${HOOKS}---\n`.replaceAll("\n", "\r\n"));
  expect(document.hooks[0]?.place).toEqual({ file: "/s/SKILL.md", line: 5, column: 11 });
});

test("a subagent's Stop is SubagentStop, and matchers of that event count", async () => {
  const document = await read(`---\n${HOOKS}  PreToolUse:\n    - matcher: Bash\n      hooks: [{type: command, command: x}]\n---\n`, {
    ...SKILL,
    agentId: "a1",
  });
  expect(document.hooks.map(({ event, matcher }) => [event, matcher])).toEqual([
    ["SubagentStop", undefined],
    ["PreToolUse", "Bash"],
  ]);
});

test("a subagent of a plugin may not declare hooks", async () => {
  const document = await read(`---\n${HOOKS}---\n`, { ...SKILL, agentId: "a1", plugin: { id: "p", root: "/p" } });
  expect(document.hooks).toEqual([]);
  expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_IGNORED_KEY", place: { line: 2, column: 1 } }]);
});

test.each([
  ["no frontmatter", "# Title\n"],
  ["a rule at the top", "---\nSome text: it is\n"],
  ["frontmatter without hooks", "---\nname: x\ndisableAllHooks: true\n---\n"],
  ["empty frontmatter", "---\n---\n"],
  ["nothing", ""],
])("%s gives no hooks and no words", async (_name, text) => {
  expect(await read(text)).toMatchObject({ hooks: [], switches: {}, diagnostics: [] });
});

test.each([
  ["frontmatter that is never closed", `---\n${HOOKS}`, ["HL_CONFIG_INVALID_YAML"]],
  ["broken YAML", "---\nhooks: [\n---\n", ["HL_CONFIG_INVALID_YAML"]],
  ["an alias", "---\na: &a [1]\nhooks: *a\n---\n", ["HL_CONFIG_INVALID_YAML"]],
  ["an unknown event", "---\nhooks:\n  Stopp: []\n---\n", ["HL_CONFIG_UNKNOWN_EVENT"]],
  [
    "a timeout that is no number",
    "---\nhooks:\n  Stop:\n  - hooks: [{type: command, command: x, timeout: .nan}]\n---\n",
    ["HL_CONFIG_TIMEOUT_INVALID"],
  ],
  ["a key twice", "---\nhooks:\n  Stop:\n  - hooks: [{type: command, command: x, command: y}]\n---\n", ["HL_CONFIG_DUPLICATE_KEY"]],
])("%s is reported with its line", async (_name, text, expected) => {
  const document = await read(text);
  expect(document.hooks).toEqual([]);
  expect(codes(document)).toEqual(expected);
  expect(document.diagnostics[0]?.place?.line).toBeGreaterThan(0);
});

test("a bad entry does not take its neighbour with it", async () => {
  const document = await read("---\nhooks:\n  Stop:\n  - hooks: [{type: command}, {type: command, command: good}]\n---\n");
  expect(document.hooks.map(({ fields }) => fields["command"])).toEqual(["good"]);
  expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_MISSING_FIELD", place: { line: 4, column: 13 } }]);
});

test.each([
  ["lists", "[".repeat(10_000) + "]".repeat(10_000)],
  ["open lists", "[".repeat(60_000)],
  ["maps", "{a: ".repeat(10_000)],
  ["closers that do not fit", "[}".repeat(20_000)],
  ["quoted closers", `["]",`.repeat(8000)],
  ["dashes in a row", `\n${"- ".repeat(20_000)}x`],
  ["question marks in a row", `\n${"? ".repeat(20_000)}x`],
  ["explicit keys in a list", `[${"? ".repeat(20_000)}]`],
  ["colons in a row", `\n${": ".repeat(20_000)}x`],
  ["dashes over lines", Array.from({ length: 32 }, (_, line) => `\n${" ".repeat(line * 120)}${"- ".repeat(60)}`).join("")],
  ["ever deeper lines", Array.from({ length: 350 }, (_, line) => `\n${" ".repeat(line + 1)}a:`).join("")],
])("YAML that is too deep is refused before it is parsed: %s", async (_name, value) => {
  expect(codes(await read(`---\nhooks: ${value}\n---\n`))).toEqual(["HL_CONFIG_TOO_DEEP"]);
});

test.each([
  ["64 lists", "[".repeat(60) + "]".repeat(60)],
  ["64 dashes", `\n  ${"- ".repeat(60)}x`],
  ["190 columns", Array.from({ length: 190 }, (_, line) => `\n${" ".repeat(line + 1)}a:`).join("")],
  [
    "190 columns of lists and maps",
    Array.from({ length: 95 }, (_, line) => `\n${"  ".repeat(line)}- a:\n${"  ".repeat(line + 1)}- a:`).join(""),
  ],
])("YAML up to the limit is parsed: %s", async (_name, value) => {
  const document = await read(`---\nhooks: ${value}\n---\n`);
  expect(document.hooks).toEqual([]);
  expect(document.diagnostics.length).toBeGreaterThan(0);
});

test("aliases cannot grow", async () => {
  const bomb = Array.from({ length: 20 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(level && 10)}]`).join("\n");
  const start = processorNow();
  expect((await read(`---\n${bomb}\nhooks: *a19\n---\n`)).hooks).toEqual([]);
  expect(processorNow() - start).toBeLessThan(5000);
});

describe("a head that is no YAML is read key by key", () => {
  const GOOD = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: good
`;

  test.each([
    ["two lists in a row", "argument-hint: [a] [b]"],
    ["a colon in a text", "description: Use when: x: y"],
    ["an at sign", "description: @file"],
    ["a star", "description: *bold* thing"],
    ["a percent sign", "description: %percent"],
    ["a backtick", "description: `code` here"],
    ["braces", "argument-hint: {a} {b}"],
    ["text behind a quote", 'description: "he said" hi'],
    ["a quote that is never closed", 'description: "unclosed'],
    ["a text over two lines", "description: first\n  second: line"],
    ["a list that is none", "description: - not a list"],
    ["a folded text with words beside its sign", "description: > folded: x\n  more"],
    ["another key's map", "metadata:\n  hint: [a] [b]"],
    ["lines of nothing", "this is no yaml"],
    ["an alias elsewhere", "a: &x 1\nb: *x"],
    ["a tab before the value", "description:\td"],
  ])("its hooks count: %s", async (_name, line) => {
    for (const head of [`name: s\n${line}\n${GOOD}`, `${GOOD}${line}\nname: s\n`, `${line}\n${GOOD}`.replaceAll("\n", "\r\n")]) {
      const document = await read(`---\n${head}---\nBody\n`);
      expect(
        document.hooks.map(({ fields, matcher }) => [matcher, fields["command"]]),
        head,
      ).toEqual([["Bash", "good"]]);
      expect(document.diagnostics, head).toEqual([]);
    }
  });

  test("places are those of the file", async () => {
    const document = await read(`---\nargument-hint: [a] [b]\n${GOOD}---\n`);
    expect(document.hooks[0]?.place).toEqual({ file: "/s/SKILL.md", line: 7, column: 11 });
  });

  test.each([
    ["hooks with a colon in a command", "hooks:\n  PreToolUse:\n    - hooks:\n        - command: echo a: b\n"],
    ["hooks in tabs", "hooks:\n\tPreToolUse:\n\t\t- matcher: Bash\n"],
    ["hooks with an open list", "hooks:\n  PreToolUse:\n    - matcher: [Bash\n      hooks: []\n"],
    ["hooks that are indented under nothing", "name: x: y\n hooks:\n  Stop: []\n"],
  ])("what it cannot read of its hooks is said: %s", async (_name, head) => {
    const document = await read(`---\n${head}---\n`);
    expect(document.hooks).toEqual([]);
    expect(document.diagnostics).toMatchObject([{ code: "HL_CONFIG_INVALID_YAML", level: "error" }]);
  });

  test.each([
    ["guard", "          guard: true\n"],
    ["onFailure", '          onFailure: "block"\n'],
    ["a guard in one line", "          args: [a, {b: 1, guard: yes}]\n"],
  ])("guards among hooks that cannot be read block what they were meant for: %s", async (_name, line) => {
    const head = `hooks:\n  PreToolUse:\n    - matcher: [Bash\n      hooks:\n        - type: command\n          command: x\n${line}  Stop: []\n`;
    const document = await read(`---\n${head}---\n`);
    expect(document.hooks.map(({ event, fields, unreadable }) => [event, fields, typeof unreadable])).toEqual([
      ["PreToolUse", { guard: true }, "string"],
      ["Stop", { guard: true }, "string"],
    ]);
    const inAgent = await read(`---\n${head}---\n`, { ...SKILL, agentId: "a1" });
    expect(inAgent.hooks.map(({ event }) => event)).toEqual(["PreToolUse", "SubagentStop"]);
  });

  test("a guard that opts out of being one does not", async () => {
    expect((await read("---\nhooks:\n  PreToolUse: [\n    {command: x, guard: false}\n---\n")).hooks).toEqual([]);
  });
});
