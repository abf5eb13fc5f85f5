import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processorMs } from "../growth.test-suite.ts";
import { type Definitions, findDefinitions, listField } from "./definitions.ts";

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

const find = (isTrusted = false): Definitions =>
  findDefinitions({
    cwd: path.join(base, "project"),
    home: path.join(base, "home"),
    env: {},
    isTrusted,
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

test("hooks beside SKILL.md, and a skill under another name, are said to be not read", () => {
  write("project/.claude/skills/a/SKILL.md", "Do it.");
  write("project/.claude/skills/a/hooks.json", "{}");
  write("project/.claude/skills/b/skill.md", "Do it.");
  const { skills, problems } = find();
  expect([...skills.keys()]).toEqual(["a"]);
  expect(problems).toEqual([
    expect.stringContaining("skills/a/hooks.json is never read"),
    expect.stringContaining("skills/b/skill.md is not read: rename it to SKILL.md."),
  ]);
});

test("a skill is a folder with SKILL.md, also behind a link inside the project", () => {
  write("project/shared/notes/SKILL.md", "---\ndescription: n\n---\nWrite notes.");
  write("project/.claude/skills/empty/readme.md", "");
  symlinkSync(path.join(base, "project/shared/notes"), path.join(base, "project/.claude/skills/notes"));
  expect([...find().skills.keys()]).toEqual(["notes"]);
});

test.each([
  ["two lists in a row", "argument-hint: [a] [b]", { "argument-hint": "[a] [b]" }],
  ["a colon in a text", "description: Use when: x: y", { description: "Use when: x: y" }],
  ["a quote that is never closed", 'description: "unclosed', { description: '"unclosed' }],
  ["an open list", "a: [", { a: "[" }],
])("a head that is no YAML is read as it is meant: %s", (_, line, fields) => {
  write("project/.claude/commands/odd.md", `---\n${line}\nmodel: inherit\n---\nBody`);
  const { commands, problems } = find();
  expect(commands.get("odd")).toMatchObject({ fields: { ...fields, model: "inherit" }, body: "Body" });
  expect(problems).toEqual([]);
});

test.each([
  ["a head that is a list", "---\n- a\n---\nBody", /neither "key: value"/],
  ["a map that cannot be read", "---\nmeta:\n  a: [b] [c]\n---\nBody", /bad\.md:3\)$/],
])("%s is said, and the file can be used", (_, text, words) => {
  write("project/.claude/commands/bad.md", text);
  const { commands, problems } = find();
  expect(commands.get("bad")).toMatchObject({ body: "Body" });
  expect(problems).toEqual([expect.stringMatching(words)]);
});

test("a file that is too large is said, and the others can be used", () => {
  write("project/.claude/commands/bad.md", "x".repeat(1024 * 1024 + 1));
  write("project/.claude/commands/good.md", "good");
  const { commands, problems } = find();
  expect([...commands.keys()]).toEqual(["good"]);
  expect(problems).toEqual([expect.stringMatching(/larger than/)]);
});

test("a head that is too long is said, and its file is not used: what it says about tools would be lost", () => {
  write("project/.claude/agents/long.md", `---\ntools: Read\nx: ${"a".repeat(70_000)}\n---\nLong.`);
  write("project/.claude/agents/short.md", "---\ntools: Read\n---\nShort.");
  const { agents, problems } = find();
  expect([...agents.keys()]).toEqual(["short"]);
  expect(problems).toEqual([expect.stringMatching(/long\.md is not used: its head is longer than 64 KiB/)]);
});

test("all heads of a project together have a limit, and those of the user are not counted with them", () => {
  const many = 20;
  for (let index = 0; index < many; index++)
    write(`project/.claude/skills/s${String(index).padStart(2, "0")}/SKILL.md`, `---\ndescription: x\nx: ${"a".repeat(60_000)}\n---\nS.`);
  write("home/.claude/skills/mine/SKILL.md", "---\ndescription: mine\n---\nM.");
  const { skills, problems } = find();
  expect([...skills.keys()].length).toBe(9);
  expect(skills.has("mine")).toBe(true);
  expect(problems).toHaveLength(many - 8);
  expect(problems[0]).toContain("longer than 512 KiB together");
});

test.each(["- a\nb: c\n", "a: 'x\n", "]", "}", "a: b: c\n", "k: [a] [b]\n", "a:\n\t- b\n", "%\n", "*a ", "a: &a *a\n", "hooks: [\n"])(
  "heads of %j in every file do not freeze the start",
  (unit) => {
    for (let index = 0; index < 20; index++)
      write(`project/.claude/skills/s${index}/SKILL.md`, `---\n${unit.repeat(Math.floor(60_000 / unit.length))}\n---\nS.`);
    expect(processorMs(() => void find())).toBeLessThan(8_000);
  },
);

test("a fifo does not hold the agent", () => {
  spawnSync("mkfifo", [path.join(base, "project/.claude/commands/fifo.md")]);
  expect(find().problems).toEqual([expect.stringMatching(/is not a regular file/)]);
});

test.each<readonly [string, string, string]>([
  ["a command", "home/key", "project/.claude/commands/a.md"],
  ["an agent", "home/key", "project/.claude/agents/a.md"],
  ["a skill", "home/key", "project/.claude/skills/a/SKILL.md"],
  ["the folder of a skill", "home/skill", "project/.claude/skills/a"],
  ["the folder of all skills", "home/skills", "project/.claude/skills"],
  ["the folder of commands", "home", "project/.claude/commands/"],
  ["a plugin's command", "home/key", "kit/commands/a.md"],
  ["a plugin's folder", "home", "kit/commands"],
])("%s that is a link out of its project or plugin is not read, and said once", (_, target, name) => {
  for (const file of ["home/key", "home/key.md", "home/skill/SKILL.md", "home/skills/a/SKILL.md"]) write(file, "the key");
  const file = path.join(base, name.replace(/\/$/, ""));
  rmSync(file, { recursive: true, force: true });
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(path.join(base, target), file);
  const { agents, skills, commands, problems } = find();
  expect([...agents.values(), ...skills.values(), ...commands.values()]).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("outside")]);
});

test("the user's own may be links to wherever the user keeps them", () => {
  write("dotfiles/fix.md", "mine");
  mkdirSync(path.join(base, "home/.claude/commands"), { recursive: true });
  symlinkSync(path.join(base, "dotfiles/fix.md"), path.join(base, "home/.claude/commands/fix.md"));
  expect(find()).toMatchObject({ commands: new Map([["fix", expect.objectContaining({ body: "mine" })]]), problems: [] });
});

test("the model of a project's or plugin's agent counts only in a trusted workspace; the user's own always", () => {
  for (const folder of ["project/.claude", "kit", "home/.claude"])
    write(`${folder}/agents/${folder.slice(0, 3)}.md`, "---\nmodel: big\n---\nBody");
  write("project/.claude/agents/same.md", "---\nmodel: inherit\n---\nBody");
  const models = ({ agents }: Definitions): object => Object.fromEntries([...agents].map(([name, { fields }]) => [name, fields["model"]]));
  expect(models(find())).toEqual({ pro: undefined, same: "inherit", hom: "big", "kit:kit": undefined });
  expect(find().problems).toHaveLength(2);
  expect(models(find(true))).toEqual({ pro: "big", same: "inherit", hom: "big", "kit:kit": "big" });
});

test.each([
  ["---\nname: a\nhooks:\n  PreToolUse: []\n", "closing"],
  ["name: a\nhooks:\n  PreToolUse: []\n---\nDo it.\n", "opening"],
])("hooks in a head without one of its lines are said to be lost", (text, missing) => {
  write("project/.claude/agents/a.md", text);
  expect(find().problems).toEqual([expect.stringContaining(`a.md are not read: its head has no ${missing} line`)]);
});

test("a page that is about hooks has lost none", () => {
  write("project/.claude/commands/a.md", "# Hooks\n\nhooks: what they are\n");
  expect(find().problems).toEqual([]);
});
