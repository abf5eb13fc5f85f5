import { describe, expect, test } from "vitest";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import { STARTED_LINES } from "./started-lines.ts";

const root = "/work-of-nobody";
const rulesOf = (list: "allow" | "deny", ...texts: readonly string[]) =>
  readRules(
    [{ scope: "user", root, isTrusted: true, permissions: { allow: [], ask: [], deny: [], [list]: texts.map((text) => ({ text })) } }],
    { home: root },
  ).rules;
const decided = (command: string, rules: ReturnType<typeof rulesOf>, mode?: "bypassPermissions"): string =>
  decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: root, ...(mode && { mode }) }).decision;

describe.each(Object.entries(STARTED_LINES))("%s", (_, lines) => {
  test.each(lines)("%s is denied by a rule for the command that it starts", (line) => {
    expect(decided(line, rulesOf("deny", "Bash(touch *)"), "bypassPermissions")).toBe("deny");
    // Seen, not merely doubted: a rule about another program does not match.
    expect(decided(line, rulesOf("deny", "Bash(mkdosfs *)"), "bypassPermissions")).toBe("allow");
  });
});

test.each([
  "python3 -c 'print(\"touch m\")'",
  "node -e 'console.log(1)'",
  "perl -ne 'print if /touch/' a.txt",
  "awk '{print $1}' a.txt",
  "sed -n '1,5p' a.txt",
  "sed 's/touch/e/' a.txt",
  "tar czf x.tgz a.txt",
  "rsync -a -e ssh a.txt host:",
  "npx eslint .",
  "npm run build",
  "npm exec eslint .",
  "uv run pytest -q",
  "make -j4 touch",
  "vim -c 'set nu' a.txt",
  "sqlite3 x.db 'select 1'",
  "gdb -batch -ex bt ./program core",
  "GIT_PAGER=cat git log",
  "python3 -c 'import os; os.system(cmd)'",
  'rsync -e "ssh -p $PORT" a.txt host:',
])("%s starts no touch, and is no doubt", (line) => {
  expect(decided(line, rulesOf("deny", "Bash(touch *)"), "bypassPermissions")).toBe("allow");
});

describe("what is put together only when it runs", () => {
  test.each([
    ["Bash(git push *)", 'python3 -c \'import os; c="push"; os.system(f"git {c} origin")\''],
    ["Bash(git push *)", 'python3 -c \'import os; c="push"; os.system("git %s" % c)\''],
    ["Bash(git push *)", "python3 -c 'import os; os.system(\"git {}\".format(c))'"],
    ["Bash(git push *)", "perl -e 'system(\"git \" . $x)'"],
    ["Bash(git push *)", 'node -e \'require("child_process").execSync("git " + x)\''],
    ["Bash(git push *)", "echo 'git push' | awk '{system($0)}'"],
    ["Bash(git push *)", 'awk \'BEGIN{print "git push" | "sh"}\''],
    ["Bash(git push *)", "awk 'BEGIN{system(ARGV[1])}' 'git push'"],
    ["Bash(git push *)", "C='git push' awk 'BEGIN{system(ENVIRON[\"C\"])}'"],
    ["Bash(git push *)", 'awk \'BEGIN{system(sprintf("git %s", "push"))}\''],
    ["Bash(git push *)", "C='git push' git --config-env=core.pager=C log"],
  ])("a rule %s holds for %s", (rule, line) => {
    expect(decided(line, rulesOf("deny", rule), "bypassPermissions")).toBe("deny");
  });
});

test.each([
  ["python3 -c 'import os; os.system(\"ls -la /\")'", "Bash(python3 *)", "allow"],
  ["npx eslint .", "Bash(npx eslint *)", "allow"],
  ["uv run pytest", "Bash(uv run *)", "allow"],
  ["rsync -e ssh a.txt host:", "Bash(rsync *)", "allow"],
  ["tar cf /dev/null -I 'touch m' a.txt", "Bash(tar *)", "ask"],
  ["awk 'BEGIN{system(\"touch m\")}'", "Bash(awk *)", "ask"],
  ["sed '1e touch m' a.txt", "Bash(sed *)", "ask"],
  ["prlimit touch m", "Bash(touch *)", "ask"],
])("%s under the allow rule %j: %s", (line, rule, expected) => {
  expect(decided(line, rulesOf("allow", rule))).toBe(expected);
});
