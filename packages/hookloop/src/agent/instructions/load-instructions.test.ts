import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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
