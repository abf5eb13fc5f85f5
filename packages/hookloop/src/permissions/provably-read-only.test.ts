import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { readRules } from "./rules/read-rules.ts";
import type { PermissionMode } from "./types.ts";

/** What needs no question is known option by option: of the programs that read, and of the programs that start them. */

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-reading-")));
  for (const folder of ["src", "home"]) mkdirSync(join(root, folder));
  for (const name of ["a", "b", "src/s.ts"]) writeFileSync(join(root, name), "one\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function decided(command: string, mode: PermissionMode, lists: { readonly allow?: string[]; readonly deny?: string[] } = {}): string {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: lists }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home"), mode }).decision;
}

describe("a program that starts another may write, read or run something by its own options", () => {
  const STARTERS = [
    "command ",
    "\\",
    "'",
    "nice ",
    "timeout 5 ",
    "nohup ",
    "stdbuf -oL ",
    "true | ",
    "echo ls | xargs ",
    "nice -n 5 nohup ",
  ];
  const spelled = (starter: string, rest: string): string => (starter === "'" ? `'time' ${rest}` : `${starter}time ${rest}`);
  const WRITES = [
    "-f EVIL -o out ls",
    "-o out ls",
    "-oout ls",
    "-qosrc/s.ts ls",
    "-ao out -f x ls",
    "--output=out ls",
    "--output out ls",
    "--outp=out ls",
    "-f x --app --out=out ls",
    "-Z ls",
    "--new-option=x ls",
  ];
  test.each(STARTERS.flatMap((starter) => WRITES.map((rest) => spelled(starter, rest))))("%s is asked about", (line) => {
    expect([decided(line, "default"), decided(line, "plan")]).toEqual(["ask", "deny"]);
    expect(decided(line, "default", { allow: ["Bash(ls *)"] })).toBe("ask");
  });

  test.each([
    "xargs -a list ls",
    "xargs --arg-file=list cat",
    "nice --new=1 ls",
    "timeout --new=1 5 ls",
    "stdbuf --outp=L ls",
    "nohup -x ls",
    "command -x ls",
    "strace -o out ls",
    "env -S 'ls a'",
    "flock a ls",
    "script -c ls out",
    "watch ls",
    "find . -fls out",
    "sort -o out a",
    "shuf -o out a",
    "tee out",
    "dd of=out",
    // Two programs that their own options start.
    "diff -l a b",
    "diff --paginate a b",
    // Letters and names that are in no table.
    "ls -La",
    "ls -aL src",
    "ls --unheard-of",
    "cat -z a",
    "head -x a",
    "grep -R x .",
    "grep -nR x .",
    "wc --files0-from=a",
    "which -i ls",
    "stat --cached=never a",
    "cd -x src",
  ])("%s is asked about", (line) => {
    expect([decided(line, "default"), decided(line, "plan")]).toEqual(["ask", "deny"]);
  });

  test.each([
    "time ls",
    "time -p ls -la",
    "command time -p ls",
    "command ls",
    "nice -n 5 ls",
    "nice -10 cat a",
    "timeout 5 ls",
    "timeout -k 1 -s KILL 5s cat a",
    "timeout --foreground --signal=TERM 5 ls",
    "stdbuf -oL cat a",
    "stdbuf --output=L cat a",
    "nohup ls",
    "ls -la",
    "ls -lahtr --color=never src",
    "ls -1R",
    "cat -n a",
    "cat -A a",
    "head -5 a",
    "head -n5 a",
    "head -n 5 a | tail -3",
    "tail -n +2 a",
    "tail -c100 a",
    "grep -rn one .",
    "grep -rniE 'one|two' src --include='*.ts'",
    "grep -A3 -B2 one a",
    "grep -e one -e two a",
    "grep -c one a",
    "grep -oP '\\w+' a",
    "wc -l a",
    "diff -u a b",
    "diff -U3 a b",
    "diff -qw a b",
    "cmp -s a b",
    "stat -c %s a",
    "nl -ba a",
    "basename -s .ts src/s.ts",
    "which -a ls",
    "pwd -P",
    "echo -rf --anything",
    "cd src && ls -A",
  ])("%s needs no question", (line) => {
    expect([decided(line, "default"), decided(line, "plan")]).toEqual(["allow", "allow"]);
  });
});

test.each([
  "command time -f x -o src/s.ts ls",
  "\\time -qosrc/s.ts ls",
  "nice time --output=src/s.ts ls",
  "nohup time -ao src/s.ts ls",
  "strace -o src/s.ts ls",
  "strace -fosrc/s.ts ls",
  "strace -ff --output=src/s.ts ls",
  "ltrace -o src/s.ts ls",
  "ltrace -fosrc/s.ts ls",
  "script -qc ls src/s.ts",
  "script -qO src/s.ts -c ls",
  "script --log-out=src/s.ts -c ls",
  "script -T src/s.ts -c ls out",
  "flock src/s.ts ls",
  "logsave src/s.ts ls",
  "parallel --joblog src/s.ts echo ::: a",
  "parallel --joblog=src/s.ts echo ::: a",
  "valgrind --log-file=src/s.ts ls",
  "perf stat -o src/s.ts ls",
  "perf record -osrc/s.ts ls",
  "heaptrack -o src/s.ts ls",
  "daemonize -o src/s.ts /bin/ls",
  "xvfb-run -e src/s.ts ls",
])("an Edit rule holds for what a starting program writes: %s", (line) => {
  expect(decided(line, "default", { allow: ["Bash"], deny: ["Edit(src/**)"] })).toBe("deny");
});

test.each(["xargs -a src/s.ts echo", "xargs --arg-file=src/s.ts echo", "parallel -a src/s.ts echo", "xargs -rasrc/s.ts echo"])(
  "a Read rule holds for what a starting program reads: %s",
  (line) => {
    expect(decided(line, "default", { allow: ["Bash"], deny: ["Read(src/**)"] })).toBe("deny");
  },
);
