/** Text that a shell evaluates: arithmetic, subscripts, names and prompts run the commands that stand in a quoted word or in a variable. */
import { describe, expect, test } from "vitest";
import { decide } from "../../packages/hookloop/src/permissions/decide.ts";
import { readRules } from "../../packages/hookloop/src/permissions/rules/read-rules.ts";
import type { PermissionMode } from "../../packages/hookloop/src/permissions/types.ts";
import { readCommand } from "../../packages/hookloop/src/shell/read-command.ts";
import { assessCommand } from "../../packages/hookloop/src/shell/rules/assess-command.ts";
import { CARRIERS, EVALUATORS, LINES, PAYLOADS, TOUCH_LINES } from "../fuzz-shell/evaluated-lines.ts";

/** Lines of the same kind that need the real `touch`, or another shell than the one here. */
const MORE: readonly string[] = [
  ...TOUCH_LINES,
  "BASH_ENV=f bash -c :; echo 'touch y' > f",
  "BASH_CMDS[ls]=/usr/bin/touch; ls y",
  "printf -v 'BASH_CMDS[ls]' /usr/bin/touch; ls y",
  'cd /dev; source ./stdin <<< "touch $OLDPWD/y"',
  'cd /dev; bash stdin <<< "touch $OLDPWD/y"',
  "a='-v x[$(touch${IFS}y)]'; test $a",
  "printf -va[\\$\\(touch\\ y\\)] x",
  "x=$(echo 'YVskKHRvdWNoIHkpXQ==' | base64 -d); ((x))",
  "[[ $(base64 -d <<< 'YVskKHRvdWNoIHkpXQ==') -eq 0 ]]",
  "declare -l x='a[$(TOUCH Y)]'; ((x))",
  "[ 'a[$(touch y)]' -eq 0 ]",
  "read x < f; ((x))",
  "[[ $(cat f) -eq 0 ]]",
  "[[ $(< f) -eq 0 ]]",
  "[[ $(head -1 f) -eq 0 ]]",
  "echo $(($(tail -n 1 f)))",
  "echo ${PWD:$(cat f)}",
  "a[$(cat f)]=1",
  "while read n; do ((s += n)); done < f",
  "cat f | while read n; do ((s += n)); done",
  "for n in *; do ((n)); done",
  "wc() { cat f; }; [[ $(wc) -eq 0 ]]",
  "(( ${BASH_EXECUTION_STRING##*#} )) #a[$(touch y)]",
  "[[ $(tr a-j '!-*' < f) -eq 0 ]]",
  "[[ $(cut -c1-9 f) -eq 0 ]]",
  "[[ $(grep -o '.*' f) -eq 0 ]]",
  "[[ $(grep -oe '[0-9]' -e '.*' f) -eq 0 ]]",
  "[[ $(curl -s -o x -w '%{http_code}' u v) -eq 0 ]]",
  "[[ $(sort --files0-from=f) -eq 0 ]]",
  "read -u 3 x 3< f <<< 5; ((x))",
  "x=$(cat f); y=x; echo ${!y@P}",
  "f+g() { (( $1 )); }; f+g $(cat f)",
  "f() { (( ${!1} )); }; x=$(cat f); f x",
  "export $(cat f); ((N))",
  "jq --arg length x .y f; [[ $(jq --arg length x .y f) -eq 0 ]]",
  "[[ $(find . -exec true ';' -print) -eq 0 ]]",
  "[[ $(git -c alias.x='!wc' log) -eq 0 ]]",
  "[[ $(TERMINFO=. tput x) -eq 0 ]]",
  "[[ $(stat -c %N f) -eq 0 ]]",
  "[[ $(stat -f %Y f) -eq 0 ]]",
  "[[ $(cat f) =~ (.*) ]]; (( BASH_REMATCH[1] ))",
  "[[ $(cat f 2>&1 > g) -eq 0 ]]",
  "[[ $(cat f > /dev/stdout) -eq 0 ]]",
  "[[ $(cat f 2> /dev/null) -eq 0 ]]",
  "GIT_PAGER='touch y' git log",
  "EDITOR='touch y' git commit",
  "bash -c 'eval \"$0\"' 'touch y'",
  "[[ x == @($(touch y)) ]]",
  "echo ${a[b]@P}; a='$(touch y)'",
  "echo ${x/$(( 'a[$(touch y)]' ))/z}",
  "cat <<E\n$(( 'a[$(touch y)]' ))\nE",
  "f() (( 'a[$(touch y)]' )); f",
  "(declare -A m); echo ${m[$(cat f)]}",
  "m=(); declare -A m; echo ${m[$(cat f)]}",
  "declare -A m; for i in 1 2; do echo ${m[$(cat f)]}; unset m; done",
  "declare -A m; ((m[$(cat f)]++))",
  "bind -x '\"x\":touch y'",
  "enable -f ./x.so x",
  "history -s 'touch y'; fc -s",
  "complete -C 'touch y' ls",
  "PS0='$(touch y)' bash -ic :",
  "SECONDS='a[$(touch y)]'",
  "unset 'a[$(touch y)]'",
  "getopts a 'a[$(touch y)]'",
  "[[ -R 'a[$(touch y)]' ]]",
  "bash --rcfile /dev/stdin -i <<< 'touch y'",
];
const lines = [
  ...LINES.map((line) => line.replaceAll("RUN", "touch y")),
  ...MORE,
  // The last ones only compare and print.
  ...EVALUATORS.slice(0, -3).flatMap((evaluator) =>
    CARRIERS.map((carrier, index) => carrier((PAYLOADS[index % PAYLOADS.length] ?? PAYLOADS[0])("touch y"), evaluator)),
  ),
];

function showsTouch(line: string): boolean {
  const { commands, isUncertain } = readCommand(line);
  return isUncertain || commands.some(({ words }) => words[0]?.text === "touch");
}

test("a command in text that is evaluated is shown, or the line is doubted", () => {
  expect(lines.filter((line) => !showsTouch(line))).toEqual([]);
});

test("text that is evaluated is judged as the commands in it", () => {
  for (const line of ["[[ -v 'a[$(rm -rf /)]' ]]", "x='a[$(rm -rf ~)]'; echo $((x))"])
    expect(assessCommand(line, { cwd: "/home/user/project", home: "/home/user" }).risk).toBe("deny");
});

describe("such a line", () => {
  const root = "/home/user/project";
  const decided = (command: string, deny: readonly string[], mode: PermissionMode): string => {
    const permissions = { allow: [], ask: [], deny: deny.map((text) => ({ text })) };
    const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions }], { home: "/home/user" });
    return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: "/home/user", mode }).decision;
  };

  test("is not allowed by default, and denied in plan mode", () => {
    for (const line of lines.slice(0, LINES.length + MORE.length)) {
      expect([line, decided(line, [], "default")]).toEqual([line, "ask"]);
      expect([line, decided(line, [], "plan")]).toEqual([line, "deny"]);
    }
  });

  test("is denied by a rule about the command in it", () => {
    for (const line of lines.slice(0, LINES.length)) expect([line, decided(line, ["Bash(touch *)"], "default")]).toEqual([line, "deny"]);
  });
});

describe("everyday lines are read as before", () => {
  test.each([
    "n=$(wc -l < f); echo $((n+1))",
    '[ "$count" -eq 0 ]',
    "if [[ $(git status --porcelain | wc -l) -gt 0 ]]; then echo dirty; fi",
    "for i in $(seq 1 10) {1..10} a b; do echo $((i*2)); done",
    "i=0; while ((i < 10)); do ((i++)); done",
    "for ((i=0;i<10;i++)); do echo $i; done",
    'start=$(date +%s); npm test; end=$(date +%s); echo "took $((end-start))s"',
    "size=$(stat -c%s file); echo $((size/1024))",
    "code=$(curl -s -o /dev/null -w '%{http_code}' http://localhost:3000); [[ $code -eq 200 ]]",
    "echo ${PWD:0:3} ${x: -1} ${sha:0:7}",
    'arr=(a b c); for i in "${!arr[@]}"; do echo "$i: ${arr[$i]}" ${#arr[@]}; done',
    'declare -A m=([a]=1 ["b c"]=2); for k in "${!m[@]}"; do echo "$k ${m[$k]}" ${m["$x"]}; done',
    "[[ $(node -v) =~ ^v([0-9]+)\\.([0-9]+) ]] && (( BASH_REMATCH[1] > 17 ))",
    "stat -c %Y f; echo $(( $(date +%s) - $(stat -c %Y f) ))",
    "export $(grep -v '^#' .env | xargs); node app.js",
    "GIT_PAGER=cat git log",
    "[[ $(npm test > log; echo $?) -eq 0 ]]",
    'sum=0; for f in *.txt; do n=$(wc -l < "$f"); sum=$((sum+n)); done; echo $sum',
    "count=$(grep -c 'foo$' file); (( count > 3 )) && echo many",
    "count=$(grep -rn foo src | wc -l | tr -d ' '); [[ $count -gt 3 ]]",
    "lines=$(wc -l file | awk '{print $1}'); echo $((lines / 2))",
    "pct=$(df / | tail -1 | tr -dc 0-9); ((pct > 90))",
    "[[ -v HOME ]] && test -v HOME && [[ $? -eq 0 && $# -gt 0 ]]",
    "[[ $x =~ ^[0-9]+$ ]] && [[ $a == *'$(x)'* ]]",
    "IFS=. read -r major minor <<< '1.2'; echo $((major+1))",
    "printf -v pad '%05d' 3; let x=1+2 'y = 3 * 4'; unset x 'arr[0]'",
    "f() { local x=$1; echo $((x+1)); }; f 5",
    "f() { local -n r=$1; r+=(x); }; f arr",
    "x=${1:-5}; echo $((x*2)) $((16#ff)) $((x > 3 ? x : 3))",
    "PS4='+ $LINENO: ' bash -x script.sh",
    "make -j$(( $(nproc) - 1 ))",
    "total=$(git rev-list --count HEAD); echo $((total - 1))",
    "mapfile -t files < <(git diff --name-only); echo ${#files[@]} ${files[0]}",
    "bash scripts/dev/run.sh",
    "echo '$(rm x)'",
    "git commit -m 'use $(foo)'",
    "grep '$(' file",
    "awk '{print $(NF-1)}' file",
    "wait $pid; x=5; x=$((x + RANDOM % 10)); echo $x",
  ])("%s", (line) => {
    expect(readCommand(line).doubts).toEqual([]);
  });
});
