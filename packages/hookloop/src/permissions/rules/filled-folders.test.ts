import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

/** Deny rules about changes, against launchers, patterns, output options, copies from elsewhere, and code that goes through a folder. */

let root: string;

beforeAll(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), "hookloop-filled-"))), "app");
  for (const name of ["src/a.ts", "docs/a.md", "top.txt"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "-q");
  git("add", "src", "docs");
});
afterAll(() => rmSync(dirname(root), { recursive: true, force: true }));

function isDenied(rule: string, command: string): boolean {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision === "deny";
}

describe("Edit(src/**) sees", () => {
  test.each([
    'prettier --write "**/*.ts"',
    "prettier --write '{src,test}/**/*.ts'",
    "eslint --fix '**/*.ts'",
    "yarn eslint --fix src",
    "pnpm eslint --fix src",
    "pnpm prettier -w src/a.ts",
    "yarn prettier -w .",
    "bun prettier -w src",
    "gofmt -w=true src",
    "gen --outdir=src",
    "gen -o src",
    "gen --dir src",
    "gen -d src",
    "gen --target=src",
    "aws s3 cp s3://b/x src/a.ts",
    "aws s3 sync s3://b src",
    "docker cp c:/x src/a.ts",
    "kubectl cp p:/x src/a.ts",
    "kubectl cp p:/x src/a.ts -n prod",
    "gh repo clone a/b src",
    "git checkout -- .",
    "git restore .",
    "git stash push src",
    "python3 -c \"import glob,os; [os.unlink(f) for f in glob.glob('src/*')]\"",
    "python3 -c \"import os; [os.rename(d+'/'+f, '/tmp/x') for d,_,fs in os.walk('src') for f in fs]\"",
    "python3 -c \"from pathlib import Path; [open(p,'w') for p in Path('src').glob('*')]\"",
    "python3 -c \"import fileinput; [print('x') for l in fileinput.input('src/a.ts', inplace=True)]\"",
    "python3 -c \"import fileinput; [print('x') for l in fileinput.FileInput('src/a.ts', inplace=1)]\"",
    "python3 -c \"import shelve; shelve.open('src/a.ts')\"",
    "python3 -c \"import py_compile; py_compile.compile('/tmp/x.py', 'src/a.ts')\"",
  ])("%s", (line) => expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, true]));

  test.each([
    "prettier --check '**/*.ts'",
    "yarn eslint src",
    "prettier --write 'docs/**/*.md'",
    "gen -o docs",
    "aws s3 cp src/a.ts s3://b/x",
    "docker cp src/a.ts c:/x",
    "git checkout main",
    "git restore docs",
    "git restore --staged .",
    "pnpm --dir src test",
    "npm test",
    "python3 -c \"import glob; print(glob.glob('src/*'))\"",
    "python3 -c \"print(open('src/a.ts').read())\"",
  ])("not %s", (line) => expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, false]));
});
