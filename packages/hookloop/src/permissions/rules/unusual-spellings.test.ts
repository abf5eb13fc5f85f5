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
