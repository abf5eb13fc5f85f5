import { describe, expect, test } from "vitest";
import { doubtOfBuiltin, openConstructs } from "./closed-shell.ts";

const BASH = { isPosix: false, isShared: false };
const SH = { isPosix: true, isShared: false };

/** Every way of bash to set a variable, or to run what stands in one, that is no builtin. */
const OPEN: readonly string[] = [
  ": $((f=2))",
  ": $((f += 2))",
  ": $((f++))",
  ": $((--f))",
  ": $((a[f=2]))",
  ": $((a[0]))",
  ": $(($1))",
  ": $((f))",
  ": $((2 ** 3))",
  ": $((16#ff))",
  ": $((f <<= 1))",
  ": $((1, 2))",
  ": $(($(cat n)))",
  ": $[1 + 1]",
  "(( f = 2 ))",
  "(( f ))",
  "v='f=2'; (( v ))",
  "n=0; n+=f; (( n ))",
  "n=0; read n; (( n ))",
  "n=0; for n in x; do (( n )); done",
  "n=0; : $((n)) ${n:=f=2}",
  "n=$x; (( n ))",
  'n=1; declare "n=f=2"; (( n ))',
  'n=1; read "n"; (( n ))',
  "for ((f=2; f<3; f++)); do :; done",
  "[[ f=2 -eq 2 ]]",
  "[[ $f -eq 2 ]]",
  '[[ "$f" -lt 2 ]]',
  "[[ a[0] -eq 2 ]]",
  "[[ -v a[f=2] ]]",
  "[[ -v $f ]]",
  "[[ -R f ]]",
  "[[ -o posix ]]",
  "l[f=2]=a",
  "l[i]=a",
  "l[$i]=a",
  "l=([f=2]=a)",
  "m[key]=a",
  ": ${l[f=2]}",
  ": ${l[i]}",
  ": ${m[key]}",
  ": ${x:f=2}",
  ": ${x:0:n}",
  ": ${!f}",
  ": ${!f*}",
  ": ${!f:=2}",
  ': "${f@P}"',
  ': "${f@A}"',
  "true ${f:=2}",
  "[[ ${f:=2} ]]",
  "case ${f:=2} in *) ;; esac",
  "for x in ${f=2}; do :; done",
  "g=${f:=2}",
  ': $(true "${f:=2}")',
  "exec {f}< x",
  "coproc f { :; }",
  "select f in a; do :; done",
  'echo $"text"',
  "REPLY=2",
  "BASH_REMATCH=2",
  "OPTARG=2",
  "for REPLY in 2; do :; done",
  "SECONDS=2",
  "command_not_found_handle() { :; }",
  "a.b() { :; }",
  "bash -c '. /hookloop-own-folder/lib.sh' x",
  "bash -s x << 'E'\n. /hookloop-own-folder/lib.sh\nE\n",
  "if (;",
];

const KNOWN: readonly string[] = [
  "f=2; f+=3; l=(1 2); l[0]=1; l+=(3)",
  ": ${l[0]} ${l[@]} ${#l[@]} ${!l[@]}",
  ": ${x:-a} ${x-b} ${x:+c} ${x?} ${x%a} ${x##b} ${x/a/b} ${x//a} ${x^} ${x,,} ${x@Q} ${x:1} ${x:1:2} ${x: -1}",
  ": ${f:=2}",
  ": $((1 + 2 * 3 - 4 / 5 % 6)) $((1 < 2 && 3 >= 4 || 5 != 6)) $((1 ? 2 : 3))",
  "n=0; n=$((n + 1)); (( n > 3 )) && exit; [[ $n -gt 3 ]]",
  'x=a; [[ ${#x} -gt 3 ]]; [[ "$#" -eq 1 ]] || [[ $? -ne 0 ]]',
  '[[ -f a && ! -d b || ( -n "$x" ) ]]; [[ $x == *a* ]]; [[ $x =~ ^a ]]; [[ -v x ]]',
  "for x in a b; do :; done; while read -r x; do :; done < f",
  "case $x in a) ;; b) ;& *) ;; esac",
  "f() { local x=1; }; function g { :; }; { :; } 2> /dev/null; (:)",
  "cat <<< x; cat << E\n$x\nE\ncat < <(echo) | tr a b |& cat; echo {a,b} $'x' &> /dev/null",
  "! true && time true & wait",
];

describe("constructs of bash", () => {
  test.each(OPEN)("%s is a doubt", (text) => {
    expect(openConstructs(text, BASH)).not.toEqual([]);
  });

  test.each(KNOWN)("%s is known", (text) => {
    expect(openConstructs(text, BASH)).toEqual([]);
  });

  test("a number is one only where no other text can set it", () => {
    expect(openConstructs("n=0; (( n > 3 ))", { ...BASH, isShared: true })).not.toEqual([]);
  });
});

describe("constructs that not every sh reads as bash does", () => {
  test.each([
    "f+=x",
    "l=(a)",
    "[[ x ]]",
    "(( 1 ))",
    "echo {a,b}",
    "f=$'x'",
    "cat <<< x",
    "cat <(echo)",
    "echo x &> f",
    "echo x |& cat",
    "case a in a) ;& b) ;; esac",
    "function f { :; }",
    ": ${x/a/b}",
    ": ${x:1}",
    ": ${x^}",
    ": ${l[0]}",
    "time true",
  ])("%s is a doubt", (text) => {
    expect(openConstructs(text, SH)).not.toEqual([]);
  });

  test.each(["f=x; f() { :; }; case $x in a) ;; esac; : ${x:-a} ${x%b} ${#x} $((1 + 1)); cat << E\nE\n"])("%s is known", (text) => {
    expect(openConstructs(text, SH)).toEqual([]);
  });
});

describe("parts of the shell that set variables", () => {
  test.each([
    "read -r f",
    "read -r -a f",
    "read -rs -p x -t 5 f",
    "mapfile -t f",
    "getopts ab: f",
    "printf -v f x",
    "printf %s x",
    "unset f",
    "declare -r f=1",
    "local f",
    "readonly f=1",
    "export LC_ALL=C",
    "set -euo pipefail",
    "set -- -x y",
    "shopt -s nullglob",
    "wait",
    "test -e x",
    "trap - EXIT",
  ])("%s is known", (line) => {
    const [name = "", ...operands] = line.split(" ");
    expect(doubtOfBuiltin(name, operands, false)).toBeUndefined();
  });

  test.each([
    "read -e f",
    "read f[0]",
    "read REPLY",
    "read PATH",
    "read \uFFFF",
    "read -a BASH_REMATCH",
    "mapfile -C x f",
    "mapfile \uFFFF",
    "getopts ab OPTARG",
    "getopts ab \uFFFF",
    "printf -v f[0] x",
    "printf -v \uFFFF x",
    "printf \uFFFF x",
    "unset f[i]",
    "unset -n f",
    "declare -n f=g",
    "declare -i f=g",
    "declare -l f",
    "declare \uFFFF",
    "declare PATH=x",
    "declare f[0]=x",
    "local -n f=g",
    "local -",
    "export -f f",
    "export NODE_OPTIONS",
    "export \uFFFF",
    "readonly \uFFFF",
    "set -k",
    "set +B",
    "set -o posix",
    "set \uFFFF",
    "shopt -s expand_aliases",
    "shopt -s cdable_vars",
    "wait -p f",
    "test -v f",
    "let f=2",
    "enable -n test",
    "alias a=b",
  ])("%s is a doubt", (line) => {
    const [name = "", ...operands] = line.split(" ");
    expect(doubtOfBuiltin(name, operands, false)).toBeDefined();
  });

  test.each(["source x", "declare f=1", "mapfile f", "shopt -s nullglob", "pushd x", "let f=1"])("%s is not in every sh", (line) => {
    const [name = "", ...operands] = line.split(" ");
    expect(doubtOfBuiltin(name, operands, true)).toBeDefined();
  });
});
