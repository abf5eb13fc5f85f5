/** Rules against the spellings of programs themselves: escapes, abbreviated and joined options, variables that carry options. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-spellings-")));
  for (const name of ["src/a.ts", ".env", "a", "b.txt"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function decision(permissions: { readonly deny?: readonly string[]; readonly allow?: readonly string[] }, command: string): string {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision;
}

const isDenied = (rule: string, command: string): boolean => decision({ deny: [rule], allow: ["Bash"] }, command) === "deny";

describe("env -S has escapes of its own", () => {
  test.each([
    "env -S 'rm\\_x'",
    "env -S 'rm x'",
    'env -S "rm\\_x"',
    "env --split-string='rm\\_-f\\_x'",
    "env -vS'rm\\_x\\c ignored'",
    "env -S 'A=1\\_rm x'",
    "env -S '-i\\_rm x'",
    "env -S 'r\"m\" x # text'",
    "env -S \"'rm' x\"",
    "env -S '${SHELL} -c ls'",
    "env -S '$x'",
    "env -S 'ls\\q'",
    "env -S 'ls \"'",
    "env -S 'nice\\_rm\\_x'",
    "timeout 5 env -S 'rm\\_x'",
  ])("%s", (line) => expect([line, isDenied("Bash(rm *)", line)]).toEqual([line, true]));

  test.each(["env -S 'ls\\_rm'", "env -S 'ls # rm x'", "env -S 'ls\\c; rm x'", "env -S 'echo \"a\\_b\" \\$x'"])("not %s", (line) =>
    expect([line, isDenied("Bash(rm *)", line)]).toEqual([line, false]),
  );

  test("what it reads is guarded", () => expect(isDenied("Read(.env)", "env -S 'cat\\_.env'")).toBe(true));
});

describe("<> reads and writes", () => {
  test.each(["cat <>.env", "cat 5<>.env <&5", "while read l; do echo $l; done <>.env"])("%s", (line) => {
    expect([isDenied("Read(.env)", line), isDenied("Edit(.env)", line)]).toEqual([true, true]);
  });
});

describe("a script of sed needs a rule for what it runs", () => {
  test.each(["sed '#n\ne touch m' a", "sed 'a foo\ne touch m' a", "sed '1~1e touch m' a", "sed '\\,h,e touch m' a", "sed '1k' a"])(
    "%s",
    (line) => {
      expect(decision({ allow: ["Bash(sed *)"] }, line)).not.toBe("allow");
      expect(isDenied("Bash(touch *)", line)).toBe(true);
    },
  );

  test.each(["sed -n '1~2p' a", "sed '\\,h,d;s/a/b/g' a"])("%s", (line) =>
    expect(decision({ allow: ["Bash(sed *)"] }, line)).toBe("allow"),
  );
});

describe("an abbreviated or joined option is that option", () => {
  const STARTS = [
    "split --fi='rm x' a",
    "tar --use='rm x' -cf a.tar a",
    "tar --use 'rm x' -cf a.tar a",
    "tar --checkpoint=1 --checkpoint-a=exec='rm x' -cf a.tar a",
    "tar --checkp=1 --checkpoint-action exec='rm x' -cf a.tar a",
    "git rebase --exe='rm x' main",
    "git rebase --exe 'rm x' main",
    "git difftool --extc='rm x'",
    "git -C . difftool --ext 'rm x'",
    "man --pag='rm x' ls",
    "script --comm='rm x' out",
    "script --comm 'rm x' out",
    "sort --compress-p='rm x' a",
    "env --split='rm x'",
    "git grep -nO'rm x' y",
    "git clone -u 'rm x' h:y",
    "git clone -qu 'rm x' h:y",
    "git rebase -ix'rm x' main",
    "git rebase -ix 'rm x' main",
    "git difftool -yx 'rm x'",
    "scp -rS 'rm x' a h:b",
    "sftp -vS 'rm x' h",
    "man -aP 'rm x' ls",
    "fd --exec='rm' x",
    "fd -Hx rm",
    "sqlite3 a '.sh rm x'",
    "sqlite3 a '.read |rm x'",
    "cmake -E env rm x",
    "cmake -E time rm x",
    "perf stat rm x",
    "gdb -ex 'sh rm x'",
    "gdb --eval-comm='!rm x'",
    "jobs -x rm x",
    "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=rm\\ x' tar -cf a.tar a",
    "export TAR_OPTIONS=--use-compress-program=rm; tar -cf a.tar a",
    "RSYNC_RSH='rm x' rsync a h:b",
    "MANOPT=\"-P'rm x'\" man ls",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "ZIPOPT=\"-TT 'rm x'\" zip a.zip a",
  ];
  test.each(STARTS)("%s", (line) => expect([line, isDenied("Bash(rm *)", line)]).toEqual([line, true]));

  test.each(STARTS.filter((line) => /^(?:split|tar|man|rsync|script|sort|scp|sftp|fd|sqlite3|git) /.test(line)))(
    "%s is not covered by a rule for its program",
    (line) => {
      expect([line, decision({ allow: [`Bash(${line.split(" ")[0]} *)`] }, line)]).not.toEqual([line, "allow"]);
    },
  );

  test.each([
    "tar -cf a.tar a",
    "git rebase main",
    "sort -u a",
    "fd x",
    "cmake --build .",
    "sqlite3 a 'select 1'",
    "man ls",
    "split -l 5 a",
  ])("not %s", (line) => expect([line, isDenied("Bash(rm *)", line)]).toEqual([line, false]));

  test.each([
    "git checkout-index -a --prefi=src/",
    "git checkout-index -a --pref=src/",
    "git format-patch --output-d=src HEAD",
    "tar --listed-inc=src/l -cf a.tar a",
    "split a src/x",
    "split -l 5 a src/x",
    "mktemp -psrc",
    "mktemp -qp src",
    "mktemp --tmpd=src",
    "gcc -MD -MF src/x a.c",
    "gcc -MFsrc/x -MD a.c",
    "ssh-keygen -fsrc/k",
    "ssh-keygen -qf src/k",
    "git apply --directory=src p.diff",
    "git apply --dir src p.diff",
    "git pack-objects src/x",
  ])("%s writes there", (line) => expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, true]));
});

describe("what git is asked for on its input", () => {
  test.each([
    "git cat-file --batch <<< :.env",
    "echo HEAD:.env | git cat-file --batch",
    "git cat-file --batch-check --batch='%(x)' <<E\n:.env\nE",
  ])("%s", (line) => expect([line, isDenied("Read(.env)", line)]).toEqual([line, true]));
  test("another file is no business of the rule", () => expect(isDenied("Read(.env)", "git cat-file --batch <<< :b.txt")).toBe(false));
});
