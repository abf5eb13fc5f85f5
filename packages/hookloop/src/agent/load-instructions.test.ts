import { spawnSync } from "node:child_process";
import { chownSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Instructions, loadInstructions } from "./load-instructions.ts";

let base: string;
let problems: string[];
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-instructions-")));
  problems = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
  writeFileSync(path.join(base, name), text);
}

/** What was loaded from below the base folder. */
function load(): readonly Instructions[] {
  const found = loadInstructions({
    cwd: path.join(base, "repo/app"),
    home: path.join(base, "home"),
    env: { XDG_CONFIG_HOME: path.join(base, "config") },
    managedRoot: path.join(base, "managed"),
    onProblem: (text) => problems.push(text),
  });
  return found.filter(({ file_path }) => file_path.startsWith(base));
}
const names = (): readonly string[] => load().map(({ file_path }) => path.relative(base, file_path));

test("policy, the user, then from the outermost folder to the project, its local file last", () => {
  for (const name of ["repo/app/CLAUDE.local.md", "repo/app/CLAUDE.md", "repo/CLAUDE.md", "home/.claude/CLAUDE.md", "managed/CLAUDE.md"])
    write(name, name);
  expect(load().map(({ file_path, memory_type }) => [path.relative(base, file_path), memory_type])).toEqual([
    ["managed/CLAUDE.md", "Managed"],
    ["home/.claude/CLAUDE.md", "User"],
    ["repo/CLAUDE.md", "Project"],
    ["repo/app/CLAUDE.md", "Project"],
    ["repo/app/CLAUDE.local.md", "Local"],
  ]);
});

test("an include comes behind the file that names it, once; code is not looked at", () => {
  write("repo/app/CLAUDE.md", "See @docs/a.md and @docs/a.md, `@docs/code.md`, mail me@docs/b.md");
  write("repo/app/docs/a.md", "back to @../CLAUDE.md");
  write("repo/app/docs/code.md", "");
  write("repo/app/docs/b.md", "");
  expect(names()).toEqual(["repo/app/CLAUDE.md", "repo/app/docs/a.md"]);
  expect(load()[1]).toMatchObject({ load_reason: "include", parent_file_path: path.join(base, "repo/app/CLAUDE.md") });
  expect(problems).toEqual([]);
});

test("includes deeper than five files are said", () => {
  write("repo/app/CLAUDE.md", "@1.md");
  for (let index = 1; index <= 7; index++) write(`repo/app/${index}.md`, `@${index + 1}.md`);
  expect(names().at(-1)).toBe("repo/app/5.md");
  expect(problems).toEqual([expect.stringMatching(/6\.md are not used: .*6 files deep/)]);
});

test("a file that is too large is said, not silently left out", () => {
  write("repo/app/CLAUDE.md", "x".repeat(300 * 1024));
  expect(names()).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/CLAUDE\.md are not used: it has 307200 bytes/)]);
});

test("a checkout cannot read the home folder into the conversation; the user's own file can", () => {
  write("home/secret.txt", "s");
  write("repo/app/CLAUDE.md", "@~/secret.txt");
  expect(names()).toEqual(["repo/app/CLAUDE.md"]);
  expect(problems).toEqual([expect.stringMatching(/secret\.txt are not used: .* outside/)]);
  write("home/.claude/CLAUDE.md", "@~/secret.txt");
  expect(names()).toContain("home/secret.txt");
});

test("inside one checkout a folder may include what lies above it", () => {
  write("repo/.git/HEAD", "");
  write("repo/style.md", "s");
  write("repo/app/CLAUDE.md", "@../style.md");
  expect(names()).toEqual(["repo/app/CLAUDE.md", "repo/style.md"]);
});

function link(name: string, target: string): void {
  mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
  symlinkSync(target.startsWith("/") || target.startsWith("..") ? target : path.join(base, target), path.join(base, name));
}

const SECRET = "home/.ssh/key.md";

test.each<readonly [string, () => void]>([
  ["a file that is a link", () => link("repo/app/CLAUDE.md", SECRET)],
  ["a local file that is a relative link", () => link("repo/app/CLAUDE.local.md", "../../home/.ssh/key.md")],
  [
    "a folder that is a link",
    () => {
      write("home/.ssh/CLAUDE.md", "key");
      link("repo/app/.claude", "home/.ssh");
    },
  ],
  [
    "a link to a link",
    () => {
      link("repo/app/a.md", SECRET);
      link("repo/app/CLAUDE.md", "repo/app/a.md");
    },
  ],
  ["an include by an absolute path", () => write("repo/app/CLAUDE.md", `@${path.join(base, SECRET)}`)],
  ["an include that climbs", () => write("repo/app/CLAUDE.md", "@../../home/.ssh/key.md")],
  [
    "an include that climbs out of a linked folder",
    () => {
      link("repo/app/in", "repo/app");
      write("repo/app/CLAUDE.md", "@in/../../../home/.ssh/key.md");
    },
  ],
  [
    "an include that is a link",
    () => {
      link("repo/app/a.md", SECRET);
      write("repo/app/CLAUDE.md", "@a.md");
    },
  ],
  [
    "an include in a linked folder",
    () => {
      link("repo/app/dir", "home/.ssh");
      write("repo/app/CLAUDE.md", "@dir/key.md");
    },
  ],
  [
    "an include of an included file",
    () => {
      write("repo/app/CLAUDE.md", "@b.md");
      write("repo/app/b.md", "@~/.ssh/key.md");
    },
  ],
  ["a process's own view of the disk", () => link("repo/app/CLAUDE.md", `/proc/self/root${base}/${SECRET}`)],
  [
    "what lies beside the user's instructions",
    () => {
      link("home/.claude/projects/x/memory.md", SECRET);
      write("repo/app/CLAUDE.md", "@~/.claude/projects/x/memory.md");
    },
  ],
  [
    "a repository's own files",
    () => {
      write("repo/.git/secret.md", "key");
      write("repo/app/CLAUDE.md", "@../.git/secret.md");
    },
  ],
])("a project cannot have a file outside of it read: %s", (_, make) => {
  write(SECRET, "key");
  make();
  expect(load().map(({ text }) => text)).not.toContain("key");
  expect(problems).toEqual([expect.stringContaining("outside")]);
});

test("keys, settings and conversations in the user's folders are no instructions", () => {
  for (const name of [".credentials.json", "history.jsonl", "settings.json", "projects/p/memory/notes.md"])
    write(`home/.claude/${name}`, "key");
  write("config/hookloop/hooks.json", "key");
  write(
    "repo/app/CLAUDE.md",
    [
      "~/.claude/.credentials.json",
      "~/.claude/history.jsonl",
      "~/.claude/settings.json",
      "~/.claude/projects/p/memory/notes.md",
      "../../config/hookloop/hooks.json",
    ]
      .map((name) => `@${name}`)
      .join("\n"),
  );
  expect(names()).toEqual(["repo/app/CLAUDE.md"]);
  expect(problems).toHaveLength(5);
});

test("the user's instructions may be included, and may be links to wherever the user keeps them", () => {
  write("home/dotfiles/style.md", "style");
  link("home/.claude/CLAUDE.md", "home/dotfiles/style.md");
  write("home/.claude/mine.md", "mine");
  write("config/hookloop/ours.md", "ours");
  write("repo/app/CLAUDE.md", `@~/.claude/mine.md\n@${path.join(base, "config/hookloop/ours.md")}`);
  expect(load().map(({ text }) => text)).toEqual(expect.arrayContaining(["style", "mine", "ours"]));
  expect(problems).toEqual([]);
});

test("a home folder that is a repository is not the project of what lies below it", () => {
  write("home/.git/HEAD", "");
  write("home/.ssh/key.md", "key");
  write("home/work/CLAUDE.md", "@../.ssh/key.md");
  const found = loadInstructions({
    cwd: path.join(base, "home/work"),
    home: path.join(base, "home"),
    env: {},
    managedRoot: base,
    onProblem: () => {},
  });
  expect(found.map(({ text }) => text)).not.toContain("key");
});

test("a link inside the project counts, and so does a project that is itself behind a link", () => {
  write("repo/app/AGENTS.md", "agents");
  link("repo/app/CLAUDE.md", "repo/app/AGENTS.md");
  link("door", "repo/app");
  const found = loadInstructions({
    cwd: path.join(base, "door"),
    home: path.join(base, "home"),
    env: {},
    managedRoot: base,
    onProblem: (text) => problems.push(text),
  });
  expect(found.map(({ text }) => text)).toContain("agents");
  expect(problems).toEqual([]);
});

test("pipes and devices are said and not waited for; a link to nothing as well", () => {
  mkdirSync(path.join(base, "repo/app/.claude"), { recursive: true });
  spawnSync("mkfifo", [path.join(base, "repo/app/CLAUDE.md")]);
  link("repo/app/.claude/CLAUDE.md", "/dev/zero");
  link("repo/app/CLAUDE.local.md", "nowhere");
  expect(names()).toEqual([]);
  expect(problems).toHaveLength(3);
});

test("no more than 200 files are read, whatever includes them", () => {
  write("repo/app/CLAUDE.md", Array.from({ length: 250 }, (_, index) => `@${index}.md`).join("\n"));
  for (let index = 0; index < 250; index++) write(`repo/app/${index}.md`, "x");
  expect(names()).toHaveLength(200);
});

test.skipIf(process.getuid?.() !== 0)("above the project a file of another user is not used", () => {
  write("repo/app/.git/HEAD", "");
  write("repo/CLAUDE.md", "planted");
  write("repo/app/CLAUDE.md", "own");
  chownSync(path.join(base, "repo/CLAUDE.md"), 12345, 12345);
  chownSync(path.join(base, "repo/app/CLAUDE.md"), 12345, 12345);
  expect(names()).toEqual(["repo/app/CLAUDE.md"]);
  expect(problems).toEqual([expect.stringContaining("belongs to another user")]);
});

test("a second name of a file (a hard link) is the file: this is not promised to be seen", () => {
  write(SECRET, "key");
  mkdirSync(path.join(base, "repo/app"), { recursive: true });
  linkSync(path.join(base, SECRET), path.join(base, "repo/app/CLAUDE.md"));
  expect(load().map(({ text }) => text)).toEqual(["key"]);
});
