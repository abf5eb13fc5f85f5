import { describe, expect, test } from "vitest";
import { processorNow } from "../growth.test-suite.ts";
import { readCommand } from "./read-command.ts";
import { UNKNOWN } from "./types.ts";

/** `?` for what is unknown. */
function commandsOf(text: string): string[] {
  return readCommand(text).commands.map(({ words }) => words.map((word) => word.text.replaceAll(UNKNOWN, "?")).join(" "));
}

describe("the commands of a text", () => {
  test.each([
    ["git push", ["git push"]],
    ["a && b || c; d | e |& f & g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]],
    ["( git push )", ["git push"]],
    ["{ git push; }", ["git push"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for x in 1 2; do git push; done", ["git push"]],
    ["while a; do b; done", ["a", "b"]],
    ["case x in a) git push;; esac", ["git push"]],
    ["f() { git push; }", ["git push"]],
    ["! time git push", ["git push"]],
    ["coproc git push", ["git push"]],
    ["FOO=1 BAR=2 git push", ["git push"]],
    ["git push > out 2>&1 < in", ["git push"]],
    ["> out git push", ["git push"]],
    ["git push # rm -rf /", ["git push"]],
    ["", []],
    ["# nothing", []],
    ["x=1", []],
  ])("%j: %j", (text, commands) => {
    expect(commandsOf(text)).toEqual(commands);
    expect(readCommand(text).doubts).toEqual([]);
  });
});

describe("quoting", () => {
  test.each([
    ['"git" push', "git push"],
    ["g\\it push", "git push"],
    ["r''m x", "rm x"],
    ["$'\\x72m' x", "rm x"],
    ["git \\\n push", "git push"],
    ["git commit -m 'a && rm b'", "git commit -m a && rm b"],
    ['echo "it\'s $x"', "echo it's ?"],
    ["rm *.ts", "rm ?.ts"],
    ["rm {a,b}", "rm a b"],
    ["rm ${x:-y}z", "rm ?z"],
    ["echo \\$x", "echo $x"],
    ["[ -f x ]", "[ -f x ]"],
    ["declare x=$y", "declare x=?"],
  ])("%j is %j", (text, command) => {
    expect(commandsOf(text)).toEqual([command]);
    expect(readCommand(text).isUncertain).toBe(false);
  });
});

describe("commands inside words", () => {
  test.each([
    ["echo $(git log)", ["echo ?", "git log"], true],
    ["echo `git log`", ["echo ?", "git log"], true],
    ['echo "a $(git log) b"', ["echo a ? b", "git log"], true],
    ["echo ${x:-$(git log)}", ["echo ?", "git log"], true],
    ["echo $(( $(wc -l f) + 1 ))", ["echo ?", "wc -l f"], true],
    ["[[ -n $(git log) ]]", ["git log"], true],
    ["cat <<EOF\n$(git log)\nEOF", ["cat", "git log"], true],
    ["cat <<'EOF'\n$(git log)\nEOF", ["cat"], false],
    ["echo '$(git log)'", ["echo $(git log)"], false],
    ["diff <(git log) x", ["diff ? x", "git log"], false],
    ["x=$(cat f) && ls", ["cat f", "ls"], false],
    ["x=$(cat f) ls $(date)", ["ls ?", "cat f", "date"], true],
  ])("%j: %j", (text, commands, hasSubstitution) => {
    expect(commandsOf(text)).toEqual(commands);
    expect(readCommand(text).hasSubstitution).toBe(hasSubstitution);
    expect(readCommand(text).doubts).toEqual([]);
  });
});

describe("what other programs start", () => {
  test.each([
    ["sudo git push", ["git push"]],
    ["/usr/bin/sudo -u root -- git push", ["git push"]],
    ["sudo -nu root A=1 git push", ["git push"]],
    ["sudo --user=root --group wheel git push", ["git push"]],
    ["doas -u root git push", ["git push"]],
    ["env git push", ["git push"]],
    ["env -i -u X A=1 B=2 git push", ["git push"]],
    ["env - A=1 git push", ["git push"]],
    ["env -S 'A=1 git push' --force", ["env A=1 git push --force", "git push --force"]],
    ["env '-SA=1 git push'", ["env A=1 git push", "git push"]],
    ["env --split-string='git push'", ["env git push", "git push"]],
    ["command git push", ["git push"]],
    ["command -p -- git push", ["git push"]],
    ["command -v git", []],
    ["builtin eval 'git push'", ["eval git push", "git push"]],
    ["exec -a x git push", ["git push"]],
    ["nohup git push", ["git push"]],
    ["/usr/bin/time -o f -v git push", ["git push"]],
    ["nice -n 10 git push", ["git push"]],
    ["nice -10 git push", ["git push"]],
    ["ionice -c 3 git push", ["git push"]],
    ["timeout 5 git push", ["git push"]],
    ["timeout -s KILL --kill-after=3 5 git push", ["git push"]],
    ["stdbuf -oL -e 0 git push", ["git push"]],
    ["setsid -w git push", ["git push"]],
    ["busybox rm x", ["rm x"]],
    ["watch -n 5 git push", ["git push"]],
    ["watch 'a | git push'", ["a", "git push"]],
    ["watch -x git push", ["git push"]],
    ["ls | xargs git push", ["git push ?"]],
    ["xargs -0 -n 1 -P4 git push", ["git push ?"]],
    ["xargs -I{} git push {} x", ["git push ? x ?"]],
    ["xargs -i git push {}", ["git push ? ?"]],
    ["xargs sh -c 'git push'", ["sh -c git push ?", "git push"]],
    ["parallel git push ::: a b", ["git push a", "git push b"]],
    ["parallel -j4 'cd {} && git push' ::: a b", ["cd a", "git push", "cd b", "git push"]],
    ["find . -name x -exec rm {} \\;", ["rm ?"]],
    ["find . -execdir rm {} +", ["rm ?"]],
    ["find . -ok rm {} ';' -exec git push ';'", ["rm ?", "git push"]],
    ["bash -c 'git push'", ["git push"]],
    ["bash -lc 'a; git push' x y", ["a", "git push"]],
    ["bash -o pipefail -c -e 'git push'", ["git push"]],
    ['/bin/sh -c "git push"', ["git push"]],
    ["zsh -c 'git push'", ["git push"]],
    ["bash --norc --rcfile f -c 'git push'", ["git push"]],
    ["bash script.sh", []],
    ["bash <<< 'git push'", ["git push"]],
    ["bash <<EOF\ngit push\nEOF", ["git push"]],
    ["bash -s <<EOF\ngit push\nEOF", ["git push"]],
    ["eval 'git push'", ["git push"]],
    ["eval git push", ["git push"]],
    ["trap 'git push' EXIT", ["git push"]],
    [
      "sudo env A=1 timeout 5 bash -c 'nohup git push'",
      [
        "env A=1 timeout 5 bash -c nohup git push",
        "timeout 5 bash -c nohup git push",
        "bash -c nohup git push",
        "nohup git push",
        "git push",
      ],
    ],
  ])("%j: %j", (text, started) => {
    const reading = readCommand(text);
    const inner = reading.commands.filter(({ wrappers }) => wrappers.length > 0);
    expect(inner.map(({ words }) => words.map((word) => word.text.replaceAll(UNKNOWN, "?")).join(" "))).toEqual(started);
    expect(reading.doubts).toEqual([]);
  });

  test("the wrappers are named, outermost first", () => {
    expect(readCommand("sudo /usr/bin/env bash -c 'git push'").commands.at(-1)?.wrappers).toEqual(["sudo", "env", "bash"]);
  });
});

describe("a reading is uncertain", () => {
  test.each([
    ["an unterminated quote", "git push 'x"],
    ["a stray keyword", "git push; fi"],
    ["a broken nested script", "echo $(git push"],
    ["a broken inner script", "bash -c 'if'"],
    ["a name from a variable", "$tool push"],
    ["a name from a substitution", '"$(echo git)" push'],
    ["a name from a glob", "/bin/r? x"],
    ["a name from braces that hold a variable", "{$x,-rf,/}"],
    ["a name behind a wrapper", "sudo $tool push"],
    ["an inner script from a variable", 'bash -c "$script"'],
    ["an evaluated variable", "eval $script"],
    ["a piped script", "curl x | sh"],
    ["output in arithmetic", "echo $(( $(git log) + 1 ))"],
    ["a sourced substitution", "source <(curl x)"],
    ["commands for parallel on stdin", "parallel < list"],
    ["an option that may take a value", "sudo --new-option git push"],
    ["a carriage return", "git\rpush"],
    ["a no-break space", "git\u00a0push"],
    ["a NUL", "git\0 push"],
    ["arithmetic that hides a command", "echo \"${v:-$((a $'\\''); rm -rf /)}\""],
    ["more than 8 KiB", `echo ${"x".repeat(9000)}`],
    ["more than 8 KiB of bytes", `echo ${"ä".repeat(5000)}`],
    ["a stack that overflows", '"$('.repeat(700)],
    ["more than eight wrappers", `${"nohup ".repeat(9)}git push`],
  ])("%s", (_name, text) => {
    expect(readCommand(text).isUncertain).toBe(true);
  });

  test.each([
    ["eight wrappers", `${"nohup ".repeat(8)}git push`],
    ["unusual blanks inside quotes", "git commit -m 'a\u00a0b'"],
    ["arithmetic", "echo $((1 + 2)) $[1 + 2]; ((x++))"],
    ["variables as arguments", 'git push "$remote" $branch'],
    ["a tab and a new line", "git\tpush\nls"],
  ])("but not for %s", (_name, text) => {
    expect(readCommand(text).doubts).toEqual([]);
  });
});

describe("a hostile text of 8 KiB is read within 300 ms (ten times that on a busy machine)", () => {
  const units = [
    "{ ",
    "$(",
    "`",
    '"$(',
    "x=$(",
    "$((",
    "${a:-",
    "a;",
    "a|",
    "cat|",
    "a&&",
    "(a)",
    "a{b,",
    "{a,{",
    "{a,b}",
    "{1..99}",
    "{1..60} ",
    "a=$a$a;",
  ];
  const wrappers = ["eval ", "nohup ", "find -exec ", "find -exec a ';' ", "-exec a {} + ", "xargs ", "parallel ", "bash -c '", "env -S "];
  const others = [
    "a #\n",
    "a=1;",
    "$a",
    "cat $(echo a)",
    "$IFS",
    "<<E\n",
    "f(){ ",
    "case a in a)",
    "echo a|sh;",
    "git -c a=b ",
    "\\",
    "[[ a && ",
  ];
  const evaluated = [
    "((a))\n",
    "a='$(b)';((a));",
    "$((`a`)) ",
    "a[b]=1;",
    "[[ '$(a)' -eq 0 ]];",
    "declare -n a=b;",
    "a=$a$b;((a));",
    "((a=$(b)));",
  ];
  test.each([...units, ...wrappers, ...others, ...evaluated])("%j", (unit) => {
    for (const start of ["", "find ", "sh -c '", "eval eval eval '"]) {
      const text = start + unit.repeat(Math.floor((8192 - start.length) / unit.length));
      const began = processorNow();
      readCommand(text);
      expect(processorNow() - began).toBeLessThan(3000);
    }
  });

  test("a value that doubles is given up in time", () => {
    const { commands } = readCommand(`a=xx;${"a=$a$a;".repeat(1000)} rm $a`);
    expect(commands.at(-1)?.words[1]?.text).toBe(UNKNOWN);
  });

  test("what the parser cannot bear is doubted, not thrown", () => {
    expect(readCommand('"$('.repeat(700)).doubts.map(({ code }) => code)).toEqual(["unparsable"]);
    expect(readCommand("(".repeat(8000)).isUncertain).toBe(true);
  });
});
