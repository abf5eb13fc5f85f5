import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileCondition } from "../../select/event-plans.ts";
import { callFacts } from "../call-facts.ts";
import { decide } from "../decide.ts";
import type { RuleList, RuleScope } from "../types.ts";
import { matchesSome } from "./matching-rules.ts";
import { readRules } from "./read-rules.ts";

/** What tightens stays where the session started, wherever a `cd` or EnterWorktree went; what allows does not spread. */

let base: string;
let root: string;
let home: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-moved-")));
  [root, home] = [join(base, "app"), join(base, "home")];
  for (const name of ["app/.env", "app/src/a.ts", "app/cfg/x.json", "app/pkg/cfg/x.json", "made/.env", "made/src/a.ts", "home/x"]) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), "one\n");
  }
  symlinkSync(join(root, ".env"), join(root, "src", "link"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

interface Where {
  readonly list?: RuleList;
  readonly scope?: RuleScope;
  readonly directories?: readonly string[];
}

function decided(rule: string, [tool_name, tool_input]: Call, cwd: string, { list = "deny", scope = "user", directories }: Where = {}) {
  const settings = scope === "user" ? home : root;
  const permissions = { deny: [], ask: [], allow: list === "allow" ? [] : ["Bash", "Edit", "Read"], [list]: [rule] };
  const { rules } = readRules([{ scope, root: settings, isTrusted: true, permissions }], { home });
  return decide({ tool_name, tool_input, cwd: join(base, cwd) }, rules, { root, home, directories }).decision;
}

const read = (file_path: string): Call => ["Read", { file_path }];
const edit = (file_path: string): Call => ["Edit", { file_path }];
const bash = (command: string): Call => ["Bash", { command }];

const MOVED: readonly (readonly [rule: string, call: Call])[] = [
  ["Read(./.env)", read("../.env")],
  ["Read(./.env)", read("link")],
  ["Read(./.env)", ["Grep", { pattern: "x", path: "../.env" }]],
  ["Read(./.env)", bash("cat ../.env")],
  ["Read(./.env)", bash("cat < ../.env")],
  ["Read(./.env)", bash("cd ..; cat .env")],
  ["Read(./*.env)", read("../.env")],
  ["Edit(./cfg/**)", edit("../cfg/x.json")],
  ["Edit(./cfg/**)", edit("../cfg/new.json")],
  ["Edit(./cfg/**)", bash("rm -r ../cfg")],
  ["Edit(./cfg/**)", bash("echo x > ../cfg/x.json")],
];

describe("after `cd src`, a rule that begins with ./ still means the folder that the session started in", () => {
  test.each(MOVED)("deny %s: %j", (rule, call) => expect(decided(rule, call, "app/src")).toBe("deny"));
  test.each(MOVED)("ask %s: %j", (rule, call) => expect(decided(rule, call, "app/src", { list: "ask" })).toBe("ask"));

  test.each(["user", "project", "local", "flag", "code", "managed"] as const)("in %s scope", (scope) => {
    expect(decided("Read(./.env)", read("../.env"), "app/src", { scope })).toBe("deny");
  });

  test("and also the current folder, as before", () => {
    expect(decided("Edit(./cfg/**)", edit("cfg/x.json"), "app/pkg")).toBe("deny");
    expect(decided("Edit(./cfg/**)", edit("pkg/cfg/x.json"), "app")).toBe("allow");
  });

  test("and the other folders of the workspace: a worktree that a hook made is one", () => {
    expect(decided("Read(./.env)", read("../.env"), "made/src", { directories: [join(base, "made")] })).toBe("deny");
    expect(decided("Edit(src/**)", edit("../src/a.ts"), "made/src", { directories: [join(base, "made")] })).toBe("deny");
  });

  test("a search asks about each file in the same way", () => {
    const { rules } = readRules([{ scope: "user", root: home, isTrusted: true, permissions: { deny: ["Read(./.env)"] } }], { home });
    const facts = callFacts({ tool: "Read", input: { file_path: join(root, ".env") }, cwd: join(root, "src"), root, home });
    expect(matchesSome(rules.deny, facts)).toBe(true);
  });
});

describe("an allow rule keeps to the current folder", () => {
  test("it does not reach what lies above", () => {
    expect(decided("Edit(./cfg/**)", edit("../cfg/x.json"), "app/src", { list: "allow" })).toBe("ask");
    expect(decided("Edit(./cfg/**)", edit("cfg/x.json"), "app/pkg", { list: "allow" })).toBe("allow");
  });
});

describe("the `if` of a hook", () => {
  const matches = (rule: string, [tool_name, tool_input]: Call, anchors: Parameters<typeof compileCondition>[1]): boolean =>
    compileCondition(rule, anchors).matches({ tool_name, tool_input, cwd: join(root, "src") });

  test.each([
    ["Read(./.env)", read("../.env")],
    ["Read(./.env)", read("link")],
    ["Edit(./cfg/**)", edit("../cfg/x.json")],
    ["Edit(cfg/**)", edit("../cfg/x.json")],
    ["Read(*.env)", read("../.env")],
  ] as const)("%s on %j runs the hook", (rule, call) => {
    expect([matches(rule, call, { root, home }), matches(rule, call, { root: home, home, session: root })]).toEqual([true, true]);
  });
});
