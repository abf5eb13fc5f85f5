import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Definitions, findDefinitions, listField } from "./index.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-definitions-")));
  mkdirSync(path.join(base, "project/.claude/commands"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
  writeFileSync(path.join(base, name), text);
}

const find = (): Definitions =>
  findDefinitions({
    cwd: path.join(base, "project"),
    home: path.join(base, "home"),
    plugins: [{ name: "kit", root: path.join(base, "kit") }],
  });

test("the project's come before the user's; those of plugins carry the plugin's name; folders are name spaces", () => {
  write("project/.claude/commands/fix.md", "---\ndescription: ours\n---\nBody $ARGUMENTS\n");
  write("home/.claude/commands/fix.md", "theirs");
  write("home/.claude/commands/front/review.md", "# Review it\nmore");
  write("kit/commands/fix.md", "the kit's");
  const { commands, problems } = find();
  expect([...commands].map(([name, { scope, description, body }]) => [name, scope, description, body])).toEqual([
    ["fix", "project", "ours", "Body $ARGUMENTS"],
    ["front:review", "user", "Review it", "# Review it\nmore"],
    ["kit:fix", "plugin", "the kit's", "the kit's"],
  ]);
  expect(problems).toEqual([]);
});

test("agents are named by their head; a list of tools is read in both forms", () => {
  write("project/.claude/agents/a.md", "---\nname: reviewer\ntools: Read, Grep\n---\nYou review.");
  write("project/.claude/agents/b.md", "---\nname: writer\ntools:\n  - Write\n---\nYou write.");
  const { agents } = find();
  expect([...agents].map(([name, { fields }]) => [name, listField(fields, "tools")])).toEqual([
    ["reviewer", ["Read", "Grep"]],
    ["writer", ["Write"]],
  ]);
});

test("the head is kept as the engine reads it, with its lines around it", () => {
  write("project/.claude/agents/a.md", "---\nhooks: {}\n---\nBody");
  expect(find().agents.get("a")).toMatchObject({ head: "---\nhooks: {}\n---\n", fields: { hooks: {} }, body: "Body" });
});

test("a skill is a folder with SKILL.md, also behind a link", () => {
  write("shared/notes/SKILL.md", "---\ndescription: n\n---\nWrite notes.");
  write("project/.claude/skills/empty/readme.md", "");
  symlinkSync(path.join(base, "shared/notes"), path.join(base, "project/.claude/skills/notes"));
  expect([...find().skills.keys()]).toEqual(["notes"]);
});

test.each([
  ["broken YAML", "---\na: [\n---\n", /is not valid YAML/],
  ["a head that is a list", "---\n- a\n---\n", /is not a list of fields/],
  ["an alias bomb", "---\na: &a [1]\nb: *a\n---\n", /is not valid YAML/],
  ["a file that is too large", "x".repeat(1024 * 1024 + 1), /larger than/],
])("%s is said, and the others can be used", (_, text, words) => {
  write("project/.claude/commands/bad.md", text);
  write("project/.claude/commands/good.md", "good");
  const { commands, problems } = find();
  expect([...commands.keys()]).toEqual(["good"]);
  expect(problems).toEqual([expect.stringMatching(words)]);
});

test("a fifo does not hold the agent", () => {
  spawnSync("mkfifo", [path.join(base, "project/.claude/commands/fifo.md")]);
  expect(find().problems).toEqual([expect.stringMatching(/is not a regular file/)]);
});
