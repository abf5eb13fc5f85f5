/** Every way of bash to set a variable: each form is run, which shows whether `PATH` is another one after it, and compared with what is read. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-set-variables-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "10"));
writeFileSync(join(root, "a.txt"), "10\n");
writeFileSync(join(root, "10", "ls"), "");

/** Rules for the commands of the forms, one by one: together they cover all but the variable. */
const RULES =
  ":,[,cd,coproc,declare,echo,eval,exec,export,false,getopts,let,ls,mapfile,npm,printf,read,readarray,readonly,test,trap,true,typeset,unset,wait"
    .split(",")
    .map((name) => `Bash(${name} *)`);

function decisionOn(command: string, allow: readonly string[], mode?: "plan"): string {
  const permissions = { allow: allow.map((text) => ({ text })), ask: [], deny: [] };
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions }], { home: root });
  const context = { root, home: root, searchPath: "/usr/bin", ...(mode && { mode }) };
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, context).decision;
}

/** The value of PATH in the same shell, after the form or within it. */
function pathAfter(form: string): string {
  const line = form.includes("END") ? form.replaceAll("END", 'echo "<$PATH>"') : `${form}\necho "<$PATH>"`;
  const options = { cwd: root, encoding: "utf8", input: "", timeout: 10_000 } as const;
  return /<(.*)>/.exec(spawnSync("bash", ["-c", `PATH=/usr/bin:/bin\n${line}`], options).stdout)?.[1] ?? "";
}

const SETS_PATH = [
  "PATH=10",
  "PATH+=:10",
  "PATH[0]=10",
  "PATH=(10)",
  "(( PATH = 10 ))",
  "((PATH=10))",
  "(( x = PATH = 10 ))",
  "for ((PATH=10;PATH<11;PATH++)); do true; done",
  "true {PATH}>/dev/null",
  "true {PATH}<a.txt",
  "{ ls; } {PATH}>&1",
  "cd . {PATH}>/dev/null",
  "exec {PATH}<a.txt",
  "coproc PATH { true; }",
  "let PATH=10",
  "let 'PATH = 10'",
  "let x=1 PATH=10",
  "true $((PATH=10))",
  "true $[PATH=10]",
  "true $(( 1 ? (PATH=10) : 2 ))",
  'echo "$((PATH=10))"',
  "true <<< $((PATH=10))",
  "true < a.txt$((PATH=10))",
  "true <<E\n$((PATH=10))\nE\n",
  "a[PATH=10]=1",
  "a=([PATH=10]=1)",
  "true ${a[PATH=10]}",
  "x=abc; true ${x:PATH=10}",
  "true ${HOME:PATH=10}",
  "true ${PWD:0:PATH=10}",
  "[[ PATH=10 -eq 10 ]]",
  "[[ 10 -eq 'PATH=10' ]]",
  "[[ -v 'a[PATH=10]' ]]",
  "test -v 'a[PATH=10]'",
  "[ -v 'a[PATH=10]' ]",
  "unset PATH; true ${PATH:=10}",
  "unset PATH; true ${PATH=10}",
  "unset PATH",
  "unset -v PATH",
  "unset 'a[PATH=10]'; a=1; unset 'a[PATH=10]'",
  "read PATH <<< 10",
  "read -r PATH < a.txt",
  "read -a PATH <<< 10",
  "read -raPATH <<< 10",
  "read 'a[PATH=10]' <<< 1",
  "mapfile PATH < a.txt",
  "readarray -t PATH < a.txt",
  "printf -v PATH 10",
  "printf -vPATH 10",
  "printf -v 'a[PATH=10]' 10",
  "getopts a PATH -a",
  "sleep 0 & wait -n -p PATH",
  "for PATH in 10; do true; done",
  "for PATH in 10; do END; done",
  "select PATH in 10; do break; done <<< 1",
  "declare -n x=PATH; x=10",
  "declare -n x=PATH; read x <<< 10",
  "declare -n x=PATH; for y in 10; do x=$y; done",
  "declare -i x=PATH=10",
  "declare PATH=10",
  "typeset PATH=10",
  "export PATH=10",
  "readonly PATH=10",
  "declare 'a[PATH=10]=1'",
  "eval PATH=10",
  "eval 'PATH=10'",
  "eval '((PATH=10))'",
  "eval 'true {PATH}>/dev/null'",
  "builtin printf -v PATH 10",
  "command read PATH <<< 10",
  "x=PATH; printf -v $x 10",
  "x=PATH; declare $x=10",
  "! (( PATH = 10 ))",
  "if (( PATH = 10 )); then true; fi",
  "case $((PATH=10)) in 10) true;; esac",
  "[[ $((PATH=10)) ]]",
  "trap 'PATH=10' DEBUG; true",
] as const;

describe("a form that sets PATH is covered by no rules for the commands in the line", () => {
  test.each(SETS_PATH)("%j", (form) => {
    expect(pathAfter(form)).not.toBe("/usr/bin:/bin");
    const plain = form.replaceAll("END", "npm test");
    for (const line of [`${plain}\nls`, `${plain}\nnpm test`]) {
      expect(decisionOn(line, RULES)).toBe("ask");
      expect(decisionOn(line, [])).toBe("ask");
      expect(decisionOn(line, [], "plan")).toBe("deny");
      expect(decisionOn(line, ["Bash"])).toBe("allow");
    }
  });
});

describe("a form that sets nothing a program looks at stays allowed", () => {
  test.each([
    "true",
    "for file in a b; do npm test; done",
    "for my_file in a b; do npm test $my_file; done",
    "while read -r line; do npm test; done < a.txt",
    "echo $((1 + 2))",
    "npm test $((i + 1))",
    "npm test ${x:-1} ${x:1:2} ${a[0]} ${a[@]}",
    "[[ 1 -eq 1 ]] && npm test",
    "[[ $x -gt 3 ]]; true",
    "(( i == 1 )) && npm test",
    "(( i <= 1 )); npm test",
    "printf '%s=%s' PATH 10",
    "export CI=1; npm test",
    "npm test -- PATH=10",
    "echo '((PATH=10))'",
    "exec {log}> /dev/null; npm test",
    "unset x; npm test",
  ])("%j", (form) => {
    expect(pathAfter(form.replaceAll("npm test", "true"))).toBe("/usr/bin:/bin");
    expect(decisionOn(form, RULES)).toBe("allow");
  });
});
