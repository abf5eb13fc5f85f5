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
  const patch = (name: string): string => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-one\n+two\n`;
  writeFileSync(join(root, "src.patch"), patch("src/a.ts"));
  writeFileSync(join(root, "docs.patch"), patch("docs/a.md"));
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "-q");
  git("add", "src", "docs");
});
afterAll(() => rmSync(dirname(root), { recursive: true, force: true }));

function decisionOf(rule: string, command: string): string {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision;
}

const isDenied = (rule: string, command: string): boolean => decisionOf(rule, command) === "deny";
const decides = (decision: string) => (line: string) => expect([line, decisionOf("Edit(src/**)", line)]).toEqual([line, decision]);

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

describe("Edit(src/**) sees a folder that is mounted by the name of the folder of the line", () => {
  test.each([
    "docker run -v $PWD/src:/x a",
    'docker run -v "$PWD"/src:/x a',
    'docker run -v "$PWD/src:/x" a',
    "docker run -v ${PWD}/src:/x a",
    "docker run -v $(pwd)/src:/x a",
    "docker run -v `pwd`/src:/x a",
    "docker run -v$PWD/src:/x a",
    "docker run -itv $PWD/src:/x a",
    "docker run --volume=$PWD/src:/x a",
    "podman run --volume $PWD/src:/x a",
    "docker run --mount type=bind,src=$PWD/src,dst=/x a",
    "nerdctl run --mount=type=bind,source=$(pwd)/src,dst=/x a",
    "cd docs && docker run -v $PWD/../src:/x a",
    "gen --out=$PWD/src",
    "gen --out=$(pwd)/src",
  ])("%s", decides("deny"));

  test.each([
    "docker run -v $PWD/docs:/x a",
    "docker run -v $PWD:/x a",
    "docker run -v $PWD/src:/x:ro a",
    "docker run -it --rm -v $PWD/docs:/x -w /x a npm test",
    "gen --out=$PWD/dist",
  ])("not %s", decides("allow"));
});

describe("Edit(src/**) sees what a patch names, wherever it comes from", () => {
  test.each([
    "git apply - < src.patch",
    "git apply /dev/stdin < src.patch",
    "git apply -R - < src.patch",
    "git apply --index - < src.patch",
    "git apply --stat --apply src.patch",
    "git am - < src.patch",
    "cat src.patch | git apply",
    "cat src.patch | git apply -",
    "cat < src.patch | git am",
    "cat src.patch | tee copy | patch -p1",
    "cat src.patch | patch -p1 -i -",
    "cat docs.patch src.patch | patch -p1",
    "sed s/one/three/ src.patch | patch -p1",
  ])("%s", decides("deny"));

  test.each([
    "curl -s https://example.com/x.patch | patch -p1",
    "sed s,docs/a.md,top.txt, docs.patch | patch -p1",
    "git diff a b | git apply",
    "cat missing.patch | git apply",
    "cat *.patch | git apply",
    "git apply missing.patch",
    "git apply *.patch",
    "git apply",
  ])("perhaps: %s", decides("ask"));

  test.each([
    "git apply - < docs.patch",
    "cat docs.patch | git apply",
    "cat docs.patch | patch -p1",
    "git apply --directory=docs docs.patch",
    "git apply --stat src.patch",
    "git am --abort",
    "git am --continue",
    "terraform apply",
  ])("not %s", decides("allow"));
});

describe("Edit(src/**) sees a redirection into a list", () => {
  test.each([
    "echo x > $(find src -name a.ts)",
    "echo x >> $(git ls-files src | head -1)",
    ": > $(ls src/*.ts)",
    "> $(git ls-files src)",
    "printf x > `ls src/*.ts`",
  ])("%s", decides("deny"));

  test.each(["echo x > $(find docs -name a.md)", ": > $(ls docs/*.md)", "> $(git ls-files docs)", "echo $(ls src) > out.txt"])(
    "not %s",
    decides("allow"),
  );
});
