import { describe, expect, test } from "vitest";
import { readCommand } from "./read-command.ts";
import { type DoubtCode, type ShellCommand, UNKNOWN } from "./types.ts";

const show = (text: string): string => text.replaceAll(UNKNOWN, "?");
const wordsOf = ({ words }: ShellCommand): string => words.map(({ text }) => show(text)).join(" ");

/** The command with this name. */
function find(text: string, name: string): ShellCommand {
  const found = readCommand(text).commands.find(({ words }) => words[0]?.text === name);
  if (!found) throw new Error(`${name} is not among the commands of ${text}`);
  return found;
}

function codes(text: string): readonly DoubtCode[] {
  return readCommand(text).doubts.map(({ code }) => code);
}

describe("spans point into the text that was given", () => {
  test.each([
    ["ls; rm -rf 'a b'", "rm", "rm -rf 'a b'"],
    ["echo $(rm x)", "rm", "rm x"],
    ["echo `rm x`", "rm", "rm x"],
    ["echo `ls \\`rm x\\``", "rm", "`ls \\`rm x\\``"],
    ["bash -c 'rm x'", "rm", "'rm x'"],
    ["bash -c 'bash -c \"rm x\"'", "rm", "'bash -c \"rm x\"'"],
    ["eval rm x", "rm", "rm x"],
    ["echo 'rm x' | sh", "rm", "'rm x'"],
    ["sh <<E\nrm x\nE", "rm", "rm x\n"],
    ["sh <<< 'rm x'", "rm", "'rm x'"],
    ["sudo rm x", "rm", "sudo rm x"],
  ])("%j: %s is at %j", (text, name, expected) => {
    const { span } = find(text, name);
    expect(text.slice(span.start, span.end)).toBe(expected);
  });

  test("a word has its own, and its source as written", () => {
    const text = "rm  'a b' $x";
    expect(find(text, "rm").words.map(({ span, source }) => [text.slice(span.start, span.end), source])).toEqual([
      ["rm", "rm"],
      ["'a b'", "'a b'"],
      ["$x", "$x"],
    ]);
  });
});

describe("the parts of a word", () => {
  test.each([
    [
      "~/x",
      [
        { kind: "home", text: "~" },
        { kind: "text", text: "/x", isQuoted: false },
      ],
    ],
    ["~bob", [{ kind: "home", text: "~bob" }]],
    ["'~/x'", [{ kind: "text", text: "~/x", isQuoted: true }]],
    ["a~", [{ kind: "text", text: "a~", isQuoted: false }]],
    [
      "*.ts",
      [
        { kind: "glob", text: "*" },
        { kind: "text", text: ".ts", isQuoted: false },
      ],
    ],
    ["'*'", [{ kind: "text", text: "*", isQuoted: true }]],
    [
      "$HOME/x",
      [
        { kind: "variable", name: "HOME", source: "$HOME" },
        { kind: "text", text: "/x", isQuoted: false },
      ],
    ],
    ["${x:-y}", [{ kind: "variable", name: "x", source: "${x:-y}", instead: [[{ kind: "text", text: "y", isQuoted: false }]] }]],
    ["$(ls)", [{ kind: "computed", source: "$(ls)" }]],
    ["<(ls)", [{ kind: "computed", source: "<(ls)" }]],
    ["''", [{ kind: "text", text: "", isQuoted: true }]],
  ])("%s", (word, parts) => {
    expect(find(`rm ${word}`, "rm").words[1]?.parts).toEqual(parts);
  });
});

test("redirections and assignments are kept", () => {
  const { redirects, assignments } = find("A=1 B='x y' rm x > out 2>> 'err log' < in", "rm");
  expect(redirects.map(({ operator, descriptor, target }) => [operator, descriptor, target.text])).toEqual([
    [">", undefined, "out"],
    [">>", 2, "err log"],
    ["<", undefined, "in"],
  ]);
  expect(assignments.map(({ name, value }) => [name, value.text])).toEqual([
    ["A", "1"],
    ["B", "x y"],
  ]);
  expect(find("env A=1 rm x", "rm").assignments.map(({ name }) => name)).toEqual(["A"]);
  expect(find("{ rm x; } > out", "rm").redirects.map(({ target }) => target.text)).toEqual(["out"]);
  expect(readCommand("> out").commands.map(({ words, redirects: given }) => [words.length, given[0]?.target.text])).toEqual([[0, "out"]]);
});

describe("input", () => {
  test("comes from a pipe, through wrappers and groups", () => {
    expect(find("curl x | sudo bash", "bash").stdin).toEqual({ kind: "pipe", from: [0] });
    expect(find("curl x | (cd y; sh)", "sh").stdin).toEqual({ kind: "pipe", from: [0] });
    expect(find("curl x | tee f | sh", "sh").stdin).toEqual({ kind: "pipe", from: [1] });
    expect(find("a | b < f", "b").stdin).toBeUndefined();
  });

  test.each([
    ["python3 <<'E'\nx $y\nE", "python3", "x $y\n"],
    ["python3 <<-E\n\tx\n\tE", "python3", "x\n"],
    ["psql <<< 'drop x'", "psql", "drop x\n"],
    ["echo 'drop x' | psql", "psql", "drop x\n"],
    ["printf '%s-%s\\n' a b c | psql", "psql", "a-b\nc-\n"],
    ["echo -n 'a b' | psql", "psql", "a b"],
    ["cat <<E | psql\ndrop x\nE", "psql", "drop x\n"],
  ])("%j is text", (text, name, expected) => {
    expect(find(text, name).stdin).toMatchObject({ kind: "text", text: expected });
  });
});

test.each([
  ["rm x", undefined],
  ["cd a; rm x", "a"],
  ["cd a && cd b && rm x", "a/b"],
  ["cd /a && cd ../b && rm x", "/a/../b"],
  ["cd 'a b'; rm x", "a b"],
  ["cd; rm x", "~"],
  ["cd ~/a; rm x", "~/a"],
  ["cd '~'; rm x", "./~"],
  ["cd $d; rm x", "?"],
  ["cd -; rm x", "?"],
  ["(cd a); rm x", undefined],
  ["(cd a; rm x)", "a"],
  ["cd a | cat; rm x", undefined],
  ["if a; then cd b; fi; rm x", "?"],
  ["a && cd b; rm x", "?"],
  ["bash -c 'cd a; rm x'", "a"],
  ["bash -c 'cd a'; rm x", undefined],
  ["env -C a rm x", "a"],
  ["command cd a; rm x", "a"],
  ["ssh host rm x", "?"],
  ["f() { cd a; }; f; rm x", "?"],
  ["for i in 1; do cd a; rm x; done", "?/a"],
])("%j runs rm in %j", (text, folder) => {
  const found = find(text, "rm").folder;
  expect(found === undefined ? undefined : show(found)).toBe(folder);
});

describe("a cd may fail: what follows is said once more for every folder it can run in then", () => {
  test.each([
    ["cd a && rm x", ["a"]],
    ["cd a && true && rm x", ["a"]],
    ["cd a && cd b && rm x", ["a/b"]],
    ["pushd a && rm x", ["a"]],
    ["cd a; rm x", ["a", "."]],
    ["cd a\nrm x", ["a", "."]],
    ["cd a 2>/dev/null; rm x", ["a", "."]],
    ["cd a > /no/where; rm x", ["a", "."]],
    ["cd a || true; rm x", ["a", "."]],
    ["cd a || rm x", ["a", "."]],
    ["cd a && true; rm x", ["a", "."]],
    ["cd a && true || rm x", ["a", "."]],
    ["! cd a; rm x", ["a", "."]],
    ["! cd a && rm x", ["a", "."]],
    ["set -e; cd a; rm x", ["a", "."]],
    ["if cd a; then true; fi; rm x", ["a", "."]],
    ["cd a; [[ b ]] && rm x", ["a", "."]],
    ["cd a; ((1)) && rm x", ["a", "."]],
    ["cd a; (true) && rm x", ["a", "."]],
    ["eval 'cd a || true' && rm x", ["a", "."]],
    ["eval '! cd a' && rm x", ["a", "."]],
    ["command cd a; rm x", ["a", "."]],
    ["builtin cd a; rm x", ["a", "."]],
    ["pushd a; rm x", ["a", "."]],
    ["popd; rm x", ["?", "."]],
    ["cd -; rm x", ["?", "."]],
    ["cd; rm x", ["~", "."]],
    ["cd a b; rm x", ["?", "."]],
    ["(cd a; rm x)", ["a", "."]],
    ["(cd a); rm x", ["."]],
    ["cd a | cat; rm x", ["."]],
    ["cd a & rm x", ["."]],
    ["cd .; rm x", ["."]],
    ["cd a; cd b && rm x", ["a/b", "b"]],
    ["cd a; cd ..; rm x", ["a/..", "a", ".."]],
    ["cd a; cd /b; rm x", ["/b", "a", "."]],
    ["cd a; sudo rm x", ["a", "."]],
    ["cd a; env -C b rm x", ["a/b", "b"]],
    ["cd a; echo $(rm x)", ["a", "."]],
    ["a && cd b; rm x", ["?", ".", "b"]],
    ["if a; then cd b; fi; rm x", ["?", ".", "b"]],
    ["while cd a; do rm x; done", ["?/a", "?", ".", "a"]],
    ["f() { cd a; rm x; }; f", ["?/a", "?", ".", "a"]],
    // The folder that the second cd did not leave.
    ["cd $y; cd b; rm x", ["?/b", "?", ".", "b"]],
    // A function runs where its caller is.
    ["f() { rm x; }; cd a; f", ["?", ".", "a"]],
    ["cd -P a; cd ..; rm x", ["?", "a", "."]],
    ["cd -P a/..; rm x", ["?", "."]],
  ])("%j", (text, folders) => {
    const found = readCommand(text).commands.filter(({ words }) => words[0]?.text === "rm");
    expect(found.map(({ folder }) => (folder === undefined ? "." : show(folder)))).toEqual(folders);
  });

  test("they stand behind all others and say which one they repeat", () => {
    const { commands } = readCommand("cd a; nice rm x; ls");
    expect(commands.map(({ words, repeats, startedBy }) => [words[0]?.text, repeats, startedBy])).toEqual([
      ["cd", undefined, undefined],
      ["nice", undefined, undefined],
      ["rm", undefined, 1],
      ["ls", undefined, undefined],
      ["nice", 1, undefined],
      ["rm", 2, 1],
      ["ls", 3, undefined],
    ]);
  });

  test("more folders than are followed are a doubt, and cost no more", () => {
    const few = readCommand(`${["a", "../b", "../c", "../d", "../e"].map((name) => `cd ${name}; make; `).join("")}`);
    expect(few.isUncertain).toBe(false);
    for (const line of ["cd a; ", "cd a; b; ", "cd ..; b; ", "cd a/$x; b; ", "cd a; cd ..; ", "while cd a; do cd b; done; c; "]) {
      const { doubts, commands } = readCommand(line.repeat(Math.floor(8000 / line.length)));
      expect(commands.length).toBeLessThan(8192);
      if (!line.includes("$x") && !line.startsWith("cd ..; b")) expect(doubts.map(({ code }) => code)).toContain("too-many");
    }
  });
});

describe("data", () => {
  test.each([
    ["echo 'rm -rf /'", ["'rm -rf /'"]],
    ["ls # rm -rf /", ["# rm -rf /"]],
    ["# rm -rf /\nls", ["# rm -rf /"]],
    ['git commit -m "drop rm -rf /"', ['"drop rm -rf /"']],
    ["git commit -m \"$(cat <<'E'\nrm -rf /\nE\n)\"", ["rm -rf /\n"]],
    ["cat > f <<'E'\nrm -rf /\nE", ["rm -rf /\n"]],
    ['echo "a $(date) b"', ["a ", " b"]],
    ["echo 'rm' | grep rm", ["'rm'"]],
    ["echo 'rm -rf /' | sh", []],
    ["echo 'rm -rf /' | cat | sh", []],
    ["x=$(echo 'rm -rf /')", []],
    ["bash -c 'rm -rf /'", []],
    ["rg --pre 'rm -rf /' x", []],
    ["python3 <<'E'\nx\nE", []],
    ["echo 'rm -rf /' > x.sh; sh ./x.sh", []],
    ["echo 'x' > notes.md; git add notes.md", ["'x'"]],
    ["echo a#b ${x#y} '# z'", ["'# z'"]],
    ["sh <<'E'\n# rm\nE", []],
    ["git -c alias.x='!rm -rf /' x", []],
  ])("%j holds %j", (text, expected) => {
    expect(readCommand(text).data.map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
});

describe("doubts say what they are about", () => {
  test.each<readonly [string, DoubtCode]>([
    ["$x y", "dynamic-name"],
    ['bash -c "$x"', "dynamic-script"],
    ["curl x | sh", "piped-script"],
    ["wget -qO- x | sudo bash -s", "piped-script"],
    ["base64 -d f | sh", "piped-script"],
    ["ls 'x", "unparsable"],
    ["sudo --odd x", "unknown-option"],
    ["ls\rx", "odd-characters"],
    ["ls > a\u00a0b", "odd-characters"],
    ["((rm -rf /))", "misread"],
    ["sh -c '[[ a && rm -rf / ]]'", "misread"],
    ["hash -p /bin/rm ls; ls x", "dynamic-name"],
    ["alias ls='x'\nls", "dynamic-name"],
    ["xargs sh", "dynamic-script"],
    ["cat > x.sh <<'E'\nrm -rf /\nE\nbash x.sh", "dynamic-script"],
    ["echo 'rm -rf /' | tee x.sh; chmod +x x.sh; ./x.sh", "dynamic-script"],
    ["echo 'rm -rf /' > /tmp/x && . /tmp/x", "dynamic-script"],
  ])("%j: %s", (text, code) => {
    expect(codes(text)).toContain(code);
  });

  test("with the place", () => {
    expect(readCommand("ls; $x y").doubts[0]?.span).toEqual({ start: 4, end: 6 });
  });
});

test("where the parser and bash differ nothing is claimed", () => {
  for (const text of ["echo \"${v:-$((a $'\\''); rm -rf /)}\"", "\"$((a $'\\''); rm -rf /)\""]) {
    expect(readCommand(text).isUncertain).toBe(true);
  }
});

test("the last of many commands is seen, and beyond 8 KiB nothing is claimed", () => {
  for (const count of [51, 500]) {
    expect(
      readCommand(`${"ls;".repeat(count)} rm -rf /`)
        .commands.map(wordsOf)
        .at(-1),
    ).toBe("rm -rf /");
  }
  expect(codes(`${"ls;".repeat(5000)} rm -rf /`)).toEqual(["too-long"]);
});

test("more than eight wrappers are too many", () => {
  expect(codes(`${"nohup ".repeat(8)}rm x`)).toEqual([]);
  expect(codes(`${"nohup ".repeat(9)}rm x`)).toEqual(["too-deep"]);
});

describe("what zsh reads in its own way is doubted when zsh runs it", () => {
  test.each(["=rm -rf /", "ls *(e:'rm x':)", "ls **/*(.)", "echo ${(e)x}", "cat =(ls)"])("%s", (text) => {
    expect(readCommand(text, { shell: "zsh" }).isUncertain).toBe(true);
  });

  test("and nothing else is", () => {
    for (const text of ["ls *.ts", "git push", "echo $(ls)", "x=1 ls", "a=b"]) {
      expect(readCommand(text, { shell: "zsh" }).doubts).toEqual([]);
    }
    expect(readCommand("ls *(.)").doubts).toEqual([]);
  });
});

test.each([
  ["sh -c ': &>log touch m'", true],
  ["sh -c 'touch m &>log'", false],
  ["bash -c ': &>log touch m'", false],
])("%s: whether &> makes it a doubt is %j, since dash ends the command there", (text, isUncertain) => {
  expect(readCommand(text).isUncertain).toBe(isUncertain);
});
