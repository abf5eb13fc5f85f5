/** Deny rules about files, against lines that name the file by a value they make themselves, and against git, which names and shows files in ways of its own. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-values-")));
  for (const name of ["a", ".env", "sub/.env", "keys/x/key"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function decided(rule: string, command: string): string {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision;
}

function isDenied(rule: string, command: string): boolean {
  return decided(rule, command) === "deny";
}

describe("a name that a substitution prints", () => {
  test.each([
    "cat $(echo .e)nv",
    'cat "$(echo .e)nv"',
    "cat `echo .e`nv",
    "cat $(echo -n .e)nv",
    "cat $(printf '%s%s' .e nv)",
    "cat $(printf '.%s' env)",
    "cat .e$(echo n)v",
    "head -1 $(printf '\\x2e\\x65nv')",
    "x=$(echo .e); cat ${x}nv",
    "cat < $(echo .e)nv",
    "cat $(echo .env | cat)",
    "cat $(echo .env; echo a)",
    "for f in a .env; do cat $(echo $f); done",
    "cat $(echo .env | tr x y)",
    "cat $(realpath .env)",
    'python3 -c \'print(open(".e" + "nv").read())\'',
    'node -e \'console.log(require("fs").readFileSync(".e" + "nv", "utf8"))\'',
    'awk \'BEGIN { f = ".e" "nv"; while ((getline l < f) > 0) print l }\'',
  ])("is computed if it is plain: %s", (command) => expect(decided("Read(.env)", command)).toBe("deny"));

  test.each([
    "cat $(echo vne. | rev)",
    "cat $(echo LmVudg== | base64 -d)",
    'cat "$(cat list.txt)"',
    "cat $(basename /x/.env)",
    "head -n 3 $(tr A-Z a-z <<< .ENV)",
    "x=$(rev <<< vne.); cat $x",
    "cat < $(rev <<< vne.)",
    "cp $(rev <<< vne.) copy",
    "base64 docs/$(rev <<< vne.)",
    "echo .e | sed 's/$/nv/' | xargs cat",
  ])("is a question if it is not: %s", (command) => {
    expect(decided("Read(.env)", command)).toBe("ask");
  });

  test.each([
    "echo x > $(rev <<< vne.)",
    "echo x | tee $(cat list.txt)",
    "cp a $(rev <<< vne.)",
    "rm $(cat list.txt)",
    "xargs rm < list.txt",
    "x=$(rev <<< vne.); : > $x",
  ])("is a question if it is changed: %s", (command) => {
    expect(decided("Edit(.env)", command)).toBe("ask");
    expect(decided("Read(.env)", command)).not.toBe("deny");
  });

  test.each([
    "echo x > $(mktemp)",
    "echo x > log-$(date +%F)",
    "rm $(git ls-files '*.md')",
    "find . -name '*.md' | xargs rm",
    'cp a "$(pwd)/b"',
    "make $(nproc)",
    "docker rm $(docker ps -aq)",
  ])("is none where it is a list, or made for the purpose: %s", (command) => expect(decided("Edit(.env)", command)).toBe("allow"));

  test.each([
    'python3 -c \'open(".e" + "nv", "w")\'',
    'awk \'BEGIN { print > (".e" "nv") }\'',
    "docker run -v ./.env:/x alpine rm /x",
    "read f < <(echo .env); rm $f",
  ])("a rule about changing it holds for %s", (command) => expect(decided("Edit(.env)", command)).toBe("deny"));

  test.each([
    "cat $(git ls-files '*.md')",
    "cat $(git rev-parse --show-toplevel)/a",
    'cat "$(pwd)/a"',
    "cat $(find . -name '*.md')",
    "find . -name '*.md' | xargs cat",
    "ls $(dirname a)",
    "cd $(git rev-parse --show-toplevel) && cat a",
    "kill $(cat pid)",
    "echo $(date)",
    "head -n $(wc -l < a) a",
    "python3 $(which pytest)",
    "git log $(git merge-base a b)",
    'cat "$FILE"',
    'for f in *.md; do cat "$f"; done',
  ])("is neither where it names no file, or the end of it is known: %s", (command) => expect(decided("Read(.env)", command)).toBe("allow"));
});

describe("a value that the line itself gives is one that the word may have", () => {
  test.each([
    "cat ${x:-.env}",
    'cat "${x-.env}"',
    "cat ${x:=.env}",
    "cat ${x:+.env}",
    "cat ${1:-.env}",
    'cat ${x:-".env"}',
    "cat ${x:-$'.env'}",
    "cat ${x:-\\.env}",
    "cat ${x:-${y:-.env}}",
    "cat ${x:-.e}${y:-nv}",
    "cat ${x:-.en*}",
    "cat ${x:-a .env}",
    "cat ${x:-$(echo .env)}",
    "cat < ${x:-.env}",
    "unknown-program ${x:-.env}",
    "y=.env; cat ${x:-$y}",
    "x=${y:-.env}; cat $x",
    "x=.envx; cat ${x%x}",
    "x=.env.a.b; cat ${x%%.?.?}",
    "x=a.env; cat ${x#a}",
    "x=a/b/.env; cat ${x##*/}",
    "x=.enx; cat ${x/x/v}",
    "x=._n_; cat ${x//_/e}; x=.eev; cat ${x/%ev/nv}",
    "x=.ENV; cat ${x,,}",
    "x=.ENV; cat ${x@L}",
    "x=xx.env; cat ${x:2}",
    "x=xx.envyy; cat ${x:2:4}",
    "x=a.env; cat ${x: -4}",
    "x=.env; y=x; cat ${!y}",
    "x=.env; for i in 1 2; do cat $x; done",
    "x=.env; show() { cat $x; }; show",
    "if true; then x=.env; fi; cat $x",
    "declare x=.env; for i in 1; do cat $x; done",
    "printf -v f .env; cat $f",
    "printf -v f .%s env; cat $f",
    "while read f; do cat $f; done <<< .env",
  ])("%s", (line) => expect([line, isDenied("Read(.env)", line)]).toEqual([line, true]));

  test.each(["cat ${x:-a}", "x=a; cat ${x%.env}", "echo ${x:-.env}", "x=.env; y=a; cat $y"])("but not %s", (line) =>
    expect([line, isDenied("Read(.env)", line)]).toEqual([line, false]),
  );

  test.each(["echo y > ${f:-keys/x}", "rm ${f:-keys/x/key}", "touch ${f:-keys}/x", "printf -v f keys/x; echo y > $f"])("%s", (line) =>
    expect([line, isDenied("Edit(keys/**)", line)]).toEqual([line, true]),
  );
});

describe("git shows what is in the files that it is given", () => {
  test.each([
    "git log -L1,2:.env",
    "git log -L :fn:.env",
    "git show -L1,2:.env",
    "git grep x .env",
    "git grep -e x -- .env",
    "git grep -n one -- '*.env'",
    "git diff -- ':(glob)**/.env'",
    "git diff -- :/.env",
    "git grep -f .env a",
    "git show HEAD:.env",
    "git-show HEAD:.env",
    "/usr/lib/git-core/git-show HEAD:.env",
    "git checkout -p .env",
    "git add -p .env",
    "git commit -F .env",
    "git commit -t .env",
    "git tag -F .env v1",
    "git blame --contents .env a",
    "git diff -O.env",
    "git ls-files -o --exclude-from=.env",
    "git archive --add-file=.env HEAD",
    "git config -f .env -l",
    "git config --blob HEAD:.env -l",
    "git -c include.path=.env config -l",
  ])("%s", (line) => expect([line, isDenied("Read(.env)", line)]).toEqual([line, true]));

  test.each(["git commit -m .env", "git checkout .env", "git checkout -b .env", "git push -f origin main", "git status"])(
    "but not %s",
    (line) => expect([line, isDenied("Read(.env)", line)]).toEqual([line, false]),
  );
});

describe("where a program writes may be said by a variable, or be what git makes of a folder", () => {
  test.each([
    "TMPDIR=keys mktemp",
    "TMPDIR=$PWD/keys mktemp -d",
    "env TMPDIR=keys mktemp",
    "export TMPDIR=keys; mktemp",
    "TMPDIR=keys; sort a",
    "GIT_TRACE=keys/x git status",
    "mktemp keys/x.XXXX",
    "mktemp -p keys",
    "git init keys",
    "git init -- keys/x",
    "git init --bare keys",
    "git -C keys init",
    "cd keys && git init",
    "GIT_DIR=keys git init",
    "git --git-dir=keys/g init",
    "git-init keys",
    "git mergetool keys/x/key",
    "git-checkout keys/x/key",
    "/usr/lib/git-core/git-restore keys/x/key",
  ])("%s", (line) => expect([line, isDenied("Edit(keys/**)", line)]).toEqual([line, true]));

  test.each(["git init", "git init sub", "TMPDIR=/tmp mktemp", "mktemp", "git status"])("but not %s", (line) =>
    expect([line, isDenied("Edit(keys/**)", line)]).toEqual([line, false]),
  );

  test.each(["git-core/git-push origin", "/usr/lib/git-core/git-push origin", "git-rebase -x 'git push origin' main"])("%s", (line) =>
    expect([line, isDenied("Bash(git push *)", line)]).toEqual([line, true]),
  );
});

describe("a pattern counts for what it could stand for, in every way a shell writes one", () => {
  test.each([
    "cat .[[:alpha:]]nv",
    "cat .[[=e=]]nv",
    "cat .[!]a]nv",
    "cat .e[^[:digit:]]v",
    "cat [[:punct:]]env",
    "shopt -s extglob\ncat .@(env)",
    "shopt -s extglob\ncat @(.env)",
    "shopt -s extglob\ncat .!(x)",
    "shopt -s extglob\ncat .+(e|n|v)",
    "shopt -s nocaseglob\ncat .EN?",
    "shopt -s globstar\ncat **/.en?",
    "shopt -s globstar\ncat k**/**/ke?",
  ])("%s", (command) => {
    expect(isDenied(command.includes("ke?") ? "Read(keys/**)" : "Read(.env)", command)).toBe(true);
  });

  test.each(["cat k[[:alpha:]]x", "shopt -s extglob\ncat k@(a)"])("%s names another file", (command) => {
    expect(isDenied("Read(.env)", command)).toBe(false);
  });
});

describe("what stands before `/../` may be any folder, also a link", () => {
  test.each([
    "cat */../.env",
    "cat < s*b/../.env",
    "x=s*/../.env; cat $x",
    ". s*b/../.env",
    "cat su?/../.env",
    "cat su[b]/../.env",
    "cat {sub,k*}/../.env",
    "cat ~x/../.env",
    "cat $x/../.env",
    "cat sub$x/../.env",
    "cat $(ls -d s*)/../.env",
    "shopt -s extglob\ncat @(sub)/../.env",
    "cat k*/x/../../.env",
    "cat */../*/../.env",
    "cat nosuch*/../.env",
    "cat s*/../.en?",
    "cat /tm?/../$PWD/.env",
  ])("%s", (command) => expect(decided("Read(.env)", command)).toBe("deny"));

  test.each([
    "tar c s*/../keys",
    "find s*/../keys -type f -exec cat {} +",
    "cat s*/../k*/x/key",
    "cat k*/x/../x/key",
    "tar c nosuch*/../keys",
  ])("%s", (command) => expect(decided("Read(keys/**)", command)).toBe("deny"));

  test.each(["echo x > s*b/../keys/x/new", "rm -r s*/../keys", "cp a s*/../keys/x", "mv a s*/../keys/", "echo x > $y/../keys/x/key"])(
    "%s",
    (command) => expect(decided("Edit(keys/**)", command)).toBe("deny"),
  );

  test.each(["cat /e*/../etc/passwd", "cat */../../../etc/passwd", "cat $x/../etc/passwd"])("%s", (command) =>
    expect(decided("Read(//etc/**)", command)).toBe("deny"),
  );

  test.each([
    "cat s*b/../a",
    "ls *.ts",
    "cat keys/*/index.ts",
    "cd sub && cd .. ",
    'cd "$(dirname "$0")/.." && cat a',
    "ls */..",
    "cp */../a sub/",
  ])("but not another file: %s", (command) => {
    expect(decided("Read(.env)", command)).toBe("allow");
    expect(decided("Edit(keys/**)", command)).toBe("allow");
  });
});

describe("a reference to a variable has the values of the variables that it may stand for", () => {
  test.each([
    "declare -n r=x; x=.env; cat $r",
    "x=.env; declare -n r=x; cat $r",
    'typeset -n r=x; x=.env; cat "$r"',
    "declare -n r; r=x; x=.env; cat $r",
    "declare -n a=b b=x; x=.env; cat $a",
    "declare -rn r=x; x=.env; cat ${r:-b}",
    "declare -n r=x; r=.env; cat $x",
    "declare -n r=x; x=a; r=.env; cat $x",
    "f() { declare -gn r=x; }; f; x=a; r=.env; cat $x",
    "f() { local -n r=$1; cat $r; }; y=.env; f y",
    "f() { local -n r=$1; r=.env; }; f y; cat $y",
    "for i in 1; do declare -n q=x; cat ${q}; done; x=.env",
  ])("%s", (line) => expect(decided("Read(.env)", line)).toBe("deny"));

  test.each(["declare -n r=x; x=rm; $r a", "x=rm; typeset -n r=x; $r a"])("%s", (line) => expect(decided("Bash(rm *)", line)).toBe("deny"));

  test.each(["declare -n r=x; x=a; cat $r", "f() { local -n r=$1; r=b; }; f y; cat a"])("but not %s", (line) =>
    expect(decided("Read(.env)", line)).toBe("allow"),
  );
});

describe("every construct that sets a variable says what may be in it", () => {
  test.each([
    '[[ x.env =~ \\.env ]]; cat "$BASH_REMATCH"',
    "[[ x.env =~ \\.env ]]; cat ${BASH_REMATCH[0]}",
    "[[ x.env =~ x(.*) ]] && cat ${BASH_REMATCH[1]}",
    "re='\\.env'; [[ x.env =~ $re ]]; cat $BASH_REMATCH",
    "[[ x.env =~ \\.[[:alpha:]]+ ]]; cat $BASH_REMATCH",
    "for y in x.env; do [[ $y =~ \\.[a-z]+ ]]; cat $BASH_REMATCH; done",
    "IFS=,; x=.env,a; cat $x",
    "x=.env,a; IFS=,; cat $x",
    "IFS=x; y=ax.envxb; for f in $y; do cat $f; done",
    "IFS=,; x=a,.env; set -- $x; cat $2",
    'IFS=; set -- .e nv; cat "$*"',
    "echo axx.env | { IFS=x read a b c; cat $c; }",
    "mapfile -t a <<< .env; cat ${a[0]}",
    "mapfile -d, a <<< .env,b; cat ${a[0]}",
    "read -d , x <<< .env,b; cat $x",
    "read -n 4 x <<< .envfoo; cat $x",
    "x=f; read $x <<< .env; cat $f",
    'n=f; declare "$n=.env"; cat $f',
    "while getopts x: o -x .env; do cat $OPTARG; done",
    "while getopts x: o -x.env; do cat $OPTARG; done",
    "select f in .env; do cat $f; done <<< 1",
    "declare -l y=.ENV; cat $y",
  ])("%s", (line) => expect(decided("Read(.env)", line)).toBe("deny"));

  test.each(["[[ $(rev <<< vne.) =~ (.*) ]]; cat ${BASH_REMATCH[1]}", "trap 'cat $BASH_COMMAND' DEBUG; : x"])(
    "what cannot be told is a question: %s",
    (line) => expect(decided("Read(.env)", line)).not.toBe("allow"),
  );

  test.each([
    "IFS=,; x=b,a; cat $x",
    "IFS=:; for d in $PATH; do ls $d; done",
    "IFS=$'\\n'; for f in $(git ls-files); do cat $f; done",
    'while IFS= read -r f; do echo "$f"; done < list.txt',
    '[[ v1.2 =~ ([0-9]+) ]]; echo "${BASH_REMATCH[1]}"',
    '[[ $v =~ ^v([0-9]+) ]] && cat "notes-${BASH_REMATCH[1]}.md"',
    "for f in a b c d e f g h i j k l m n o p q r s t; do cat $f.txt; done",
  ])("but not %s", (line) => expect(decided("Read(.env)", line)).toBe("allow"));
});

describe("what an unknown name is to git cannot be told where the line says where the settings are", () => {
  test.each([
    "HOME=. git p",
    "XDG_CONFIG_HOME=. git p",
    "GIT_DIR=x git p",
    "GIT_COMMON_DIR=x git p",
    "git --git-dir=x p",
    "export HOME=.; git p",
    "declare -x HOME=.; git p",
    "HOME=.; git p",
    "GIT_DIR=x; export GIT_DIR; git p",
    "env HOME=. git p",
    "echo x > ~/.gitconfig; git p",
    "printf '[alias]\\np=push' >> .git/config; git p",
    "echo x | tee -a .git/config; git p",
    "cp x .git/config && git p",
    "sed -i s/a/b/ .git/config; git p",
    "cd .git && echo x >> config; cd ..; git p",
  ])("%s", (line) => expect(decided("Bash(git push *)", line)).toBe("deny"));

  test.each([
    "HOME=. git status",
    "HOME=/tmp npm test",
    "GIT_DIR=x git log",
    "export HOME=/root; git commit -m x",
    "cat .git/config; git status",
    "echo x >> README.md; git status",
  ])("but not %s", (line) => expect(decided("Bash(git push *)", line)).toBe("allow"));
});
