import { describe, expect, test } from "vitest";
import { readCommand } from "../read-command.ts";
import { readSed } from "./sed.ts";

describe("what a sed script runs", () => {
  test.each([
    "e rm x",
    "1e rm x",
    "$erm x",
    "$!e rm x",
    "1~1e rm x",
    "0~3 e rm x",
    "2,+3e rm x",
    "2,~4e rm x",
    "0,/a/Ie rm x",
    "\\,h,e rm x",
    "\\,a\\,b,I!e rm x",
    "/a[/]/e rm x",
    "\\,[^],],e rm x",
    "s/[[:space:]/]/x/;e rm x",
    "/a/,/b/{e rm x\n}",
    "#n\ne rm x",
    "# text\n1e rm x",
    ":a\ne rm x",
    ":a;e rm x",
    ":a e rm x",
    "b end;e rm x",
    "/a/{b};e rm x",
    "a foo\ne rm x",
    "a\\\nfoo\\\nbar\ne rm x",
    "i\\\ttext\n$ e rm x",
    "s/a/b/;e rm x",
    "s,a,b,gp\ne rm x",
    "y/abc/def/;e rm x",
    "q5;e rm x",
    "l 3;e rm x",
    "p;p;}e rm x",
    "e\\\nrm x",
    "s/.*/rm x/e",
    "s|^.*$|rm x|ge;p",
    "/a/s/.*/rm x/2e",
    "s/.*/r\\m x/e",
  ])("%s", (script) => {
    expect(readSed(script)).toMatchObject({ commands: ["rm x"], isUnread: false });
  });

  test.each([
    "a foo; e rm x",
    "a\\\nfoo\\\ne rm x",
    "# e rm x",
    "s/a/e rm x/",
    "s/e rm x/a/g",
    "y/e/f/",
    "/e rm x/d",
    "\\,;e rm x,p",
    "w e rm x",
    "r ;e rm x",
    "$!N;P;D",
    "s/[^/]*$//",
    ":a;N;$!ba;s/\\n/ /g",
    "1!G;h;$!d",
    "/a/{s/b/c/;t;s/d/e/}",
    "/^$/,/./{=;n;}",
  ])("%s runs nothing", (script) => {
    expect(readSed(script)).toMatchObject({ commands: [], runsInput: false, isUnread: false });
  });

  test.each(["e", "1e", "p;e", "$!e\np", "s/x/&/e", "s/\\(.*\\)/\\1/e", "s/x/date/e"])("%s runs what it reads", (script) => {
    expect(readSed(script)).toMatchObject({ runsInput: true });
  });

  test.each(["1;2;k", "s/a/b", "s/a\nb/c/", "/a", "1,p x,", "\uFFFF", "a", "é"])("%s cannot be read", (script) => {
    expect(readSed(script).isUnread).toBe(true);
  });

  test.each(["\uFFFFp", "\uFFFF,\uFFFFd", "s/\uFFFF/\uFFFF/g", "/\uFFFF/q"])("%s is known but for its values", (script) => {
    expect(readSed(script)).toMatchObject({ commands: [], runsInput: false, isUnread: false });
  });
});

test("open brackets take no more time than other text", () => {
  const before = process.cpuUsage();
  readSed(`s/${"[[:".repeat(2700)}`);
  expect(process.cpuUsage(before).user).toBeLessThan(500_000);
});

test("files are named up to the end of the line", () => {
  expect(readSed("r a b;c\n1~2R d\n$w e}\ns/x/y/gw f\nW g")).toMatchObject({ reads: ["a b;c", "d"], writes: ["e}", "f", "g"] });
});

describe("the script of a command", () => {
  const names = (line: string): readonly string[] => readCommand(line).commands.map(({ words }) => words[0]?.text ?? "");

  test.each([
    "sed '#n\ne rm x' a",
    "sed '1~1e rm x' a",
    "sed -n -e 'a\\' -e foo -e 'e rm x' a",
    "sed a -e 'a\\' -e 'e y' -e '1erm x'",
    "sed -ne '\\,h,e rm x' a",
    "sed -n --expr='1~1e rm x' a",
    "sed -i.bak '$e rm x' a",
    "sed -Ef - a <<'E'\n# text\n1~1e rm x\nE",
    "printf ':a\\n1~1e rm x\\n' | sed --file /dev/stdin a",
    "timeout 5 gsed '1~1e rm x' a",
  ])("%s", (line) => {
    expect(names(line)).toContain("rm");
  });

  test.each(["sed '1~1k' a", 'sed "$script" a', "sed 's/x/date/e' a", "sed -e p -e e a"])("%s may run anything", (line) => {
    expect(readCommand(line).isUncertain).toBe(true);
  });

  test.each(['sed -n "${from},${to}p" a', 'sed "s/$a/$b/" a', "sed -f script.sed a", "sed --version", "sed -n '$=' a"])(
    "%s is plain",
    (line) => {
      expect(readCommand(line)).toMatchObject({ isUncertain: false, foreignDoubts: [] });
    },
  );
});
