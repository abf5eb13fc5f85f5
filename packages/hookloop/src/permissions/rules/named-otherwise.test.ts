/** Deny rules about files, against lines that name the file where an option seems to take it, in a loop, in an included text, or for code that writes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-otherwise-")));
  for (const name of ["src/a.ts", "secret.env", "sub/secret.env", "docs/a.md", "a", "b.txt"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function isDenied(rule: string, command: string): boolean {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: join(root, "home") }).decision === "deny";
}

describe("an option takes the next word only if it is known to", () => {
  test.each([
    "od -c secret.env",
    "od -An -c secret.env",
    "hexdump -c secret.env",
    "hexdump -C secret.env",
    "hexdump -n 5 secret.env",
    "less -c secret.env",
    "less -n secret.env",
    "more -c secret.env",
    "cat -n secret.env",
    "nl -n secret.env",
    "strings -n secret.env",
    "strings -c secret.env",
    "wc -c secret.env",
    "rev -c secret.env",
    "base64 -n secret.env",
    "cut -c secret.env",
    "paste -c secret.env",
    "column -c secret.env",
    "diff -c secret.env a",
    "cmp -n secret.env a",
    "md5sum -c secret.env",
    "sha256sum -c secret.env",
    "head -n secret.env",
    "tail -c secret.env",
    "shellcheck -c secret.env",
    "sort -y secret.env",
    "sort -c secret.env",
    "gcc -S secret.env",
    "gcc -E -xc secret.env",
    "cc -m secret.env -o x",
    "bat -n secret.env",
    "xxd -c secret.env",
    "zcat -c secret.env",
    "jq -n . secret.env",
    "grep -c one secret.env",
    "rg -c one secret.env",
    "tac -s secret.env",
    "file -m secret.env",
    "comm -n secret.env a",
    "touch -c x; uniq -c secret.env",
  ])("%s", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, true]));
});

describe("a loop goes over what its words stand for", () => {
  test.each([
    "for f in *.env; do cat $f; done",
    'for f in *.env; do cat "$f"; done',
    'for f in ./*; do cat "$f"; done',
    "for f in secret.*; do cat ${f}; done",
    "for f in sub/*.env; do head -1 $f; done",
    "for f in a secret.env b.txt; do cat $f; done",
    "for f in a s*.env; do cat $f; done",
    "for f in a b c d e f g h i j secret.env; do cat $f; done",
    "for f in *.env; do g=$f; cat $g; done",
    "for f in $(ls *.env); do cat $f; done",
    "for f in `ls secret.env`; do cat $f; done",
    'for d in sub; do cat "$d/secret.env"; done',
    'for d in */; do cat "$d/secret.env"; done',
    'for d in s*; do cat "$d"/secret.env; done',
    "ls *.env | while read f; do cat $f; done",
    'find . -name "*.env" | while read -r f; do cat "$f"; done',
    'while read -r f; do cat "$f"; done <<< secret.env',
    'set -- *.env; cat "$1"',
    'set -- secret.env; cat "$@"',
    "select f in *.env; do cat $f; done",
    "f=*.env; cat $f",
    "f=secret; cat $f.env",
    "for f in secret; do cat $f.env; done",
    "for f in s*; do cat < $f; done",
    "for f in {a,secret}.env; do cat $f; done",
    'for f in ./secret.env ~/x; do cat "$f"; done',
    "for f in $PWD/*.env; do cat $f; done",
    "cat $(echo secret.env)",
    "cat `printf secret.env`",
  ])("%s", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, true]));

  test.each(["for f in *.env; do echo x > $f; done", 'for f in s*.env; do sed -i s/a/b/ "$f"; done', "for f in *.env; do rm $f; done"])(
    "%s changes it",
    (line) => expect([line, isDenied("Edit(secret.env)", line)]).toEqual([line, true]),
  );

  test.each([
    "for f in *.md; do cat $f; done",
    "for f in src/*.ts; do wc -l $f; done",
    "for f in a b.txt; do cat $f; done",
    "for i in 1 2 3; do echo $i; done",
    "for i in $(seq 3); do echo $i; done",
    'for f in docs/*; do echo "$f"; done',
    "ls docs | while read f; do echo $f; done",
    "npm test",
  ])("%s is no business of the rule", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, false]));
});

describe("a text that a program is given names files to include, to pack, to search", () => {
  test.each([
    `gcc -E -xc - <<< '#include "secret.env"'`,
    `echo '#include "secret.env"' | cpp`,
    `cc -E -x c - << 'E'\n#include "secret.env"\nE`,
    `clang -E -xc - <<< '#include "secret.env"'`,
    `as - <<< '.incbin "secret.env"'`,
    "m4 <<< 'include(secret.env)'",
    "make -f - <<< 'include secret.env'",
    "groff <<< '.so secret.env'",
    "tar -cf x.tar -T - <<< secret.env",
    "echo secret.env | tar -cf x.tar --files-from=-",
    "echo secret.env | cpio -o",
    "echo secret.env | zip x.zip -@",
    "rsync --files-from=- . out <<< secret.env",
    "wc --files0-from=- <<< secret.env",
    "sort --files0-from=- <<< secret.env",
    "echo secret.env | xargs cat",
    "grep -r '' --include=secret.env .",
    "grep -r '' --include secret.env .",
    "grep -rh '' --include='*.env' .",
    "grep -r --include=secret.* one",
    "rg -g secret.env ''",
    "rg --glob=secret.env one",
    "rg --iglob 'SECRET.env' one",
    "ag -G secret.env one",
    "fd secret.env -x cat",
    "fd -e env --exec cat",
  ])("%s", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, true]));

  test.each([
    "grep -r one --include='*.ts' src",
    "grep -rn one --include=*.md .",
    "rg -g '*.ts' one",
    "gcc -E -xc - <<< 'int x;'",
    "fd -e ts",
  ])("%s is no business of the rule", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, false]));
});

describe("a rule about a command holds for what editors and programs that start a shell run from their input", () => {
  test.each([
    "echo 'e curl x' | sed -f - a",
    "echo '1e curl x' | sed -f - a",
    "sed '1e curl x' a",
    "sed '$e curl x' a",
    "sed '/x/e curl x' a",
    "sed '1,2e curl x' a",
    "sed -n --file=- a <<< '1!e curl x'",
    "sed 's/.*/curl x/e' a",
    "sed -f /dev/stdin a <<< 'e curl x'",
    "printf 'e curl x\\n' | sed -nf- a",
    "newgrp root <<< 'curl x'",
    "newgrp - root <<< 'curl x'",
    "sg root <<< 'curl x'",
    "su <<< 'curl x'",
    "script -q /dev/null <<< 'curl x'",
    "unshare <<< 'curl x'",
    "nsenter -t 1 <<< 'curl x'",
    "chroot / <<< 'curl x'",
    "sudo -s <<< 'curl x'",
    "sudo -i <<< 'curl x'",
    "doas -s <<< 'curl x'",
    "fakeroot <<< 'curl x'",
    "setarch x86_64 <<< 'curl x'",
    "busybox sh <<< 'curl x'",
    "nix-shell <<< 'curl x'",
    "poetry shell <<< 'curl x'",
    "pipenv shell <<< 'curl x'",
    "ed a <<< '!curl x'",
    "ex -s a <<< '!curl x'",
  ])("%s", (line) => expect([line, isDenied("Bash(curl *)", line)]).toEqual([line, true]));
});

describe("an Edit rule holds for code, options and editors that write the file", () => {
  test.each([
    "shuf -eo src/a.ts x",
    "shuf -eosrc/a.ts x",
    "shuf -e x -o src/a.ts",
    "shuf -e x --outp=src/a.ts",
    "strace -fo src/a.ts ls",
    "strace -fosrc/a.ts ls",
    "sed -n '1w src/a.ts' a",
    "sed -n '$W src/a.ts' a",
    "echo '1w src/a.ts' | sed -n -f - a",
    "sed -n -f - a <<< '/x/w src/a.ts'",
    "awk '{print > ARGV[2]}' a src/a.ts",
    "awk '{print > FILENAME}' src/a.ts",
    `awk 'BEGIN { f = ARGV[1]; print "x" > f }' src/a.ts`,
    "awk -f - a src/a.ts <<< '{print > ARGV[2]}'",
    "echo '%w! src/a.ts' | ex a",
    "ex -sc '%w! src/a.ts|q' a",
    "printf '1,$w src/a.ts\\n' | ed -s a",
    `python3 - src/a.ts <<< 'import sys; open(sys.argv[1],"w")'`,
    `perl - src/a.ts <<< 'open F,">",shift'`,
    `node - src/a.ts <<< 'require("fs").writeFileSync(process.argv[2],"")'`,
    `ruby - src/a.ts <<< 'File.write(ARGV[0],"")'`,
    `python3 -c 'import sys; open(sys.argv[1],"w")' src/a.ts`,
    "fallocate -l 0 src/a.ts",
    "fallocate -p -l 10 src/a.ts",
    "setfattr -n user.x src/a.ts",
    "history -w src/a.ts",
    `HISTFILE=src/a.ts; history -a`,
    `python3 -c 'import os; os.chdir("src"); open("a.ts","w")'`,
    `python3 -c 'import shutil; shutil.copy("a","src")'`,
    `python3 -c 'from pathlib import Path; (Path("src")/"a.ts").write_text("")'`,
    `node -e 'fs.cpSync("docs","src",{recursive:true})'`,
    `node -e 'fs.writeFileSync(path.join("src","a.ts"),"")'`,
    "chmod 000 src/a.ts",
    "gofmt -w src/a.ts",
    "npx prettier --write src/a.ts",
    "npx eslint --fix src/a.ts",
    "black src/a.ts",
    "clang-format -i src/a.ts",
    "ffmpeg -i a src/a.ts",
    "convert a src/a.ts",
    "pandoc a -o src/a.ts",
    "mkfifo src/x",
    "mknod src/x p",
    "logrotate -s src/a.ts conf",
  ])("%s", (line) => expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, true]));

  test.each([
    "cat src/a.ts",
    "awk '{print $1}' src/a.ts",
    "awk '{print > \"out\"}' src/a.ts",
    "awk '$1 > max { max = $1 } END { print max }' src/a.ts",
    "sed -n 1,5p src/a.ts",
    "npx eslint src/a.ts",
    "npx prettier --check src/a.ts",
    "npx tsc --noEmit src/a.ts",
    "npx vitest run src/a.ts",
    "python3 src/a.ts",
    "gcc src/a.ts -o out",
    "grep -n x src/a.ts",
    "cp src/a.ts out",
    `python3 -c 'print(open("src/a.ts").read())'`,
    `python3 -c 'import os; print(os.listdir("src"))'`,
    `python3 -c 'open("out","w").write(open("src/a.ts").read())'`,
    `node -e 'fs.writeFileSync("out", fs.readFileSync("src/a.ts"))'`,
    "git add src/a.ts",
    "git commit -m 'src/a.ts'",
    "wc -l src/a.ts",
    "gofmt -l src/a.ts",
    "ls -lo src",
    "ps -eo pid",
  ])("%s is no business of the rule", (line) => expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, false]));
});

describe("a folder that only the running shell knows may be the one a rule names", () => {
  beforeAll(() => {
    for (const name of ["private/k.txt", "private/deep/n.txt", "other/o.txt", ".git/HEAD"]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "one\n");
    }
  });

  test.each([
    "cd priv*; cat k.txt",
    "cd [p]rivate && cat k*",
    "cd ?rivate && cat k*",
    "cd ?rivate && cat *",
    "pushd priv* && cat k.txt",
    "CDPATH=. cd private && cat k.txt",
    "cd $(echo private) && cat k.txt",
    "cd $(echo private) && cat ./k.txt",
    "cd $(echo private)/deep && cat n.txt",
    "cd $(echo .) && cd private && cat k.txt",
    "env -C priv* cat k.txt",
    'for d in priv*; do cd "$d" && cat k.txt; done',
    "git -C priv* show HEAD:./k.txt",
    "git -C $(echo private) show HEAD:./k.txt",
    "cd sub; cd ../priv*; cat k.txt",
    "cd priv* && grep -r one .",
    "cd priv* && grep -r one",
    "cd private && grep --recursive one",
    "cd private && rg one",
    "cd priv* && rg one",
    "cd priv* && tar cf - .",
    "cd priv* && sort < k.txt",
    "cd priv* && some-program k.txt",
    "cd priv* && cp k.txt /tmp/x",
    "cd priv* && mv k.txt /tmp/x",
    'cd "$X" && cat k.txt',
  ])("Read(private/**): %s", (line) => {
    for (const rule of ["Read(private/**)", "Read(private)", "Read(./private/**)", "Read(/private/**)", `Read(/${root}/private/*)`])
      if (!(line.includes("deep") && rule.endsWith("/*)"))) expect([rule, isDenied(rule, line)]).toEqual([rule, true]);
  });

  test.each([
    "cd priv* && echo x > k.txt",
    "cd priv* && echo x > new.txt",
    "cd $(echo private) && touch new.txt",
    "cd $(echo private) && cp ../a new.txt",
    "cd $(echo private) && cp ../a .",
    "cd priv* && rm -rf *",
    "cd priv* && rm k.txt",
    'cd "$X" && mkdir new',
  ])("Edit(private/**): %s", (line) => expect(isDenied("Edit(private/**)", line)).toBe(true));

  test.each([
    'cd "$dir" && ls',
    'cd "$dir" && ls -la && git status && npm test',
    'cd "$dir" && cat o.txt',
    'cd "$dir" && npm test | rg one | grep two',
    'cd "$dir" && cat README.md && head -3 package.json',
    "cd oth* && cat o.txt",
    'for d in sub docs; do (cd "$d" && cat a.md); done',
    'cd "$(git rev-parse --show-toplevel)" && make',
    'cd "$dir" && echo x > out.txt',
  ])("not for Read(private/**): %s", (line) => {
    expect(isDenied("Read(private/**)", line)).toBe(false);
    expect(isDenied("Read(.env)", line)).toBe(false);
    expect(isDenied("Read(~/.ssh/**)", line)).toBe(false);
  });

  test("not for Edit of what is not there, nor in folders that are known by their end", () => {
    expect(isDenied("Edit(nowhere/**)", 'cd "$dir" && echo x > out.txt')).toBe(false);
    expect(isDenied("Edit(private/**)", 'for d in sub docs; do (cd "$d" && echo x > log); done')).toBe(false);
    expect(isDenied("Edit(*.lock)", 'cd "$dir" && echo x > out.txt')).toBe(false);
    expect(isDenied("Edit(*.lock)", 'cd "$dir" && echo x > yarn.lock')).toBe(true);
  });
});

describe("a rule about a folder of the project counts in worktrees of its repository", () => {
  let tree: string;
  let project: string;

  beforeAll(() => {
    const base = join(root, "trees");
    project = join(base, "app");
    tree = join(base, "elsewhere/w");
    const files: Readonly<Record<string, string>> = {
      "app/.git/HEAD": "ref: refs/heads/main\n",
      "app/.git/worktrees/w/commondir": "../..\n",
      "app/src/a.ts": "one\n",
      "elsewhere/w/.git": `gitdir: ${project}/.git/worktrees/w\n`,
      "elsewhere/w/src/a.ts": "one\n",
      "elsewhere/w/lib/b.ts": "one\n",
      "elsewhere/other/.git/HEAD": "ref: refs/heads/main\n",
      "elsewhere/other/src/a.ts": "one\n",
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(base, name)), { recursive: true });
      writeFileSync(join(base, name), text);
    }
  });

  const decided = (permissions: object, tool_name: string, tool_input: object, cwd: string): string => {
    const { rules } = readRules([{ scope: "project", root: project, isTrusted: true, permissions }]);
    const call = { tool_name, tool_input: tool_input as Record<string, unknown>, cwd };
    return decide(call, rules, { root: project, home: join(root, "home"), directories: [dirname(tree)] }).decision;
  };

  test("deny and ask rules, for files and commands, wherever the call is made from", () => {
    for (const cwd of [tree, join(tree, "lib"), project])
      for (const spec of ["/src/**", "src/**"]) {
        const file_path = join(tree, "src/a.ts");
        expect(decided({ deny: [`Read(${spec})`] }, "Read", { file_path }, cwd)).toBe("deny");
        expect(decided({ deny: [`Edit(${spec})`] }, "Write", { file_path, content: "x" }, cwd)).toBe("deny");
        expect(decided({ ask: [`Read(${spec})`] }, "Read", { file_path }, cwd)).toBe("ask");
        expect(decided({ deny: [`Read(${spec})`], allow: ["Bash"] }, "Bash", { command: `cat ${file_path}` }, cwd)).toBe("deny");
        expect(decided({ deny: [`Edit(${spec})`], allow: ["Bash"] }, "Bash", { command: `rm -rf ${tree}/src` }, cwd)).toBe("deny");
      }
    expect(decided({ deny: ["Read(/src/**)"] }, "Read", { file_path: "../src/a.ts" }, join(tree, "lib"))).toBe("deny");
    expect(decided({ deny: ["Read(/src/**)"], allow: ["Bash"] }, "Bash", { command: "cd $(echo src) && cat a.ts" }, tree)).toBe("deny");
  });

  test("not allow rules, and not in other repositories or folders", () => {
    const file_path = join(tree, "src/a.ts");
    expect(decided({ allow: ["Edit(/src/**)"] }, "Write", { file_path, content: "x" }, tree)).toBe("ask");
    expect(decided({ deny: ["Read(/src/**)"] }, "Read", { file_path: join(tree, "lib/b.ts") }, tree)).toBe("allow");
    const other = join(dirname(tree), "other");
    expect(decided({ deny: ["Read(/src/**)"] }, "Read", { file_path: join(other, "src/a.ts") }, other)).toBe("allow");
  });
});

describe("a push under another name", () => {
  test.each([
    "git-push origin",
    "/usr/lib/git-core/git-push origin main",
    "$(git --exec-path)/git-push origin",
    "git subtree push --prefix=x origin main",
    "git -C . subtree push origin",
    "git-subtree push origin",
    "git send-pack origin main",
    "git lfs push origin main",
    "git for-each-repo --config=maintenance.repo push",
    "git for-each-repo --config x -- push",
    "watchexec git push",
    "watchexec -e ts -- git push origin",
    "watchexec -w src 'git push'",
  ])("%s", (line) => expect([line, isDenied("Bash(git push *)", line)]).toEqual([line, true]));

  test.each(["git subtree pull", "git lfs pull", "git for-each-repo --config=x fetch", "watchexec npm test", "git-lfs fetch", "git pull"])(
    "not %s",
    (line) => expect([line, isDenied("Bash(git push *)", line)]).toEqual([line, false]),
  );
});

describe("a file that a variable would be, that git shows, or that a loader reads", () => {
  test.each([
    "cat ${x:-secret.env}",
    'cat "${x:-secret.env}"',
    "cat ${x-./secret.env}",
    "cat ${x:=secret.env}",
    "cat ${x:+secret.env}",
    "cat ${x:-sec}ret.env",
    "printf -v f secret.env; cat $f",
    'printf -v f %s secret.env; cat "$f"',
    "git archive HEAD secret.env | tar x",
    "git log -L1,5:secret.env",
    "git log -L :name:secret.env",
    "git blame -L 1,2 secret.env",
    "git grep one -- secret.env",
    "node --env-file=secret.env x.js",
    "dotenv -e secret.env -- x",
    "docker run --env-file secret.env image",
    "source secret.env",
    "set -a; . ./secret.env",
  ])("%s", (line) => expect([line, isDenied("Read(secret.env)", line)]).toEqual([line, true]));

  test.each(["rm ${x:-src/a.ts}", "echo y > ${x:-src/a.ts}", 'printf -v f src/a.ts; rm "$f"'])("and changed: %s", (line) =>
    expect([line, isDenied("Edit(src/**)", line)]).toEqual([line, true]),
  );
});
