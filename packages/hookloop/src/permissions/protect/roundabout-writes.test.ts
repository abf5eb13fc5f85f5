/** A protected file is reached by another name of its folder, by a rename that a program does, or by code that calls nothing known to write. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HomeLab, openHome } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";

let lab: HomeLab;

beforeAll(() => {
  const files =
    ".claude/settings.json .claude/hooks/guard.sh .git/HEAD .git/config .git/hooks/pre-commit.sample .envrc src/a.ts evil pre-commit x.tar docs/a.md";
  lab = openHome(
    [
      ...files.split(" ").map((name) => `project/${name}`),
      ".bashrc",
      ".gitconfig",
      ".config/hookloop/hooks.json",
      ".local/state/hookloop/trust.json",
    ],
    {
      scripts: [".claude/hooks/guard.sh"],
    },
  );
});
afterAll(() => rmSync(lab.base, { recursive: true, force: true }));

const asked = (command: string): boolean => protect({ tool: "Bash", input: { command } }, lab.context) !== undefined;

describe("a path through an open descriptor is the path that it was opened with", () => {
  test.each([
    "exec 9<.git/hooks; cp evil /dev/fd/9/pre-commit",
    "exec 9<.git; echo x > /dev/fd/9/hooks/pre-commit",
    "exec 9<..; echo x > /dev/fd/9/.bashrc",
    "exec 9<..; echo x > /proc/self/fd/9/.bashrc",
    "exec 9<..; echo x > /proc/$$/fd/9/.bashrc",
    "exec 9<..; echo x > /proc/thread-self/fd/9/.bashrc",
    "exec 9<..; echo x > /proc/self/task/1/fd/9/.bashrc",
    "exec 9<..; echo x > /dev/./fd//9/.bashrc",
    "exec 9<..; echo x > /dev/../dev/fd/9/.bashrc",
    "exec 9<..; cd /dev/fd/9; echo x > .bashrc",
    "exec 9<..; n=9; echo x > /dev/fd/$n/.bashrc",
    "exec {n}<..; echo x > /dev/fd/$n/.bashrc",
    "exec {n}<.git/hooks; cp evil /dev/fd/$n/pre-commit",
    "exec 8<.git/hooks; exec 9<&8; cp evil /dev/fd/9/pre-commit",
    "cp evil /dev/stdin/pre-commit < .git/hooks",
    "{ cp evil /dev/stdin/pre-commit; } < .git/hooks",
    "cp evil /dev/fd/0/pre-commit < .git/hooks",
    "exec 9<../.bashrc; echo x > /dev/fd/9",
    "exec 9<..; git -C /dev/fd/9 config -f .gitconfig a.b c",
    'exec 9<..; python3 -c \'open("/dev/fd/9/.bashrc","w").write("x")\'',
    "echo x > /dev/fd/9/.bashrc",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "exec 9<src; cp evil /dev/fd/9/a.ts",
    "cat < ../.bashrc > /dev/stderr",
    "echo x > /dev/stderr",
    "echo x > /dev/fd/2",
    "exec 9<../.bashrc; cat /dev/fd/9",
    "diff <(sort a) <(sort b) > /dev/stdout",
  ])("but not %s", (command) => expect(asked(command)).toBe(false));
});

describe("a path through a link that the same line makes is the path that the link leads to", () => {
  test.each([
    "ln -s .. up; echo x > up/.bashrc",
    "ln -sfn .. up && cp evil up/.bashrc",
    "ln -sr .. up && cp evil up/.bashrc",
    'ln -s "$PWD/.." up && cp evil up/.bashrc',
    "ln -s ../.. src/up; echo x > src/up/.bashrc",
    "ln -s ../.config up; cp evil up/hookloop/hooks.json",
    "ln -s . g; cp evil g/.git/hooks/pre-commit",
    "ln -s .. a; ln -s a b; echo x > b/.bashrc",
    "ln -s -t src ../..; echo x > src/../../.bashrc",
    "ln -s .. up; cd up; echo x > .bashrc",
    "ln -s .. up; (cd up && tee .bashrc < project/evil)",
    "ln -s $somewhere up; echo x > up/.bashrc",
    "cp -s .. up; echo x > up/.bashrc",
    "cp -rs .. up; echo x > up/.bashrc",
    "ln -s .. up; git -C up config -f .gitconfig a.b c",
    'python3 -c \'import os; os.symlink("..","up")\'; echo x > up/.bashrc',
    'node -e \'fs.symlinkSync("..","up")\'; echo x > up/.bashrc',
    'perl -e \'symlink "..","up"\'; echo x > up/.bashrc',
    'python3 -c \'from pathlib import Path; Path("up").symlink_to("..")\'; echo x > up/.bashrc',
    "mount --bind .. mnt; echo x > mnt/.bashrc",
    "bindfs .. mnt; echo x > mnt/.bashrc",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "ln -s src s; echo x > s/a.ts",
    "ln -s docs/a.md README.md; cat README.md",
    "ln -sf ../lib/node_modules/.bin/tsc tsc && ./tsc > out.txt",
    "ln -s .. up; cat up/.bashrc",
    "ln -s .. up; echo x > up/other.txt",
  ])("but not %s", (command) => expect(asked(command)).toBe(false));
});

describe("git is not used to put settings, hooks and files where they are protected", () => {
  test.each([
    "git config foo.fsmonitor 'touch f'; git config --rename-section foo core",
    "git config --rename-sec foo core",
    "git config rename-section foo alias",
    "git config --rename-section user filter.x",
    "GIT_EDITOR='cp evil' git config -e",
    "git config --edit",
    "git config edit",
    "git init --separate-git-dir=g2",
    "git init --separate-git-dir g2",
    "git init --separate=g2 .",
    "git credential-store --file=../.bashrc store",
    "git credential-store --file ../.bashrc store",
    "git daemon --pid-file=../.bashrc",
    "git merge-file .claude/settings.json a b",
    "git mailinfo ../.bashrc patch < mail",
    "git checkout-index -f .envrc",
    "git fast-import <<< 'feature export-marks=../.bashrc'",
    "git fast-import --export-marks=../.bashrc < x",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "git config user.name x",
    "git config --get core.editor",
    "git init",
    "git init sub",
    "git merge-file src/a.ts b c",
    "git config -l",
    "git branch --edit-description",
  ])("but not %s", (command) => expect(asked(command)).toBe(false));
});

describe("what is unpacked under another name is the file of that name", () => {
  test.each([
    "tar -cf - evil | tar -xf - --transform s,evil,.git/hooks/pre-commit,",
    "tar -cf - evil | tar -xf - --transform=s/evil/.envrc/",
    "tar -cf - evil | tar -xf - --xform=s,evil,.envrc,",
    "tar -xf x.tar --xform 's/evil/.git\\/hooks\\/pre-commit/'",
    "tar -cf - --transform s,evil,.git/hooks/pre-commit, evil | tar -xf -",
    "tar cf x.tar --transform='s,evil,.claude/hooks/guard.sh,' evil; tar xf x.tar",
    "tar -xf x.tar -C .. --transform s,evil,.bashrc,",
    "tar -xf x.tar -C .claude --transform s,evil,settings.json,",
    "tar -xf x.tar -C .claude --transform 's,e(.*),s\\1,;s/a/b/'",
    "tar -xf x.tar --transf 's,evil,.envrc,'",
    "tar -xf x.tar -C .claude",
    "tar -xf x.tar --one-top-level=.git/hooks",
    "tar -xf x.tar --one-top-level=.claude",
    "bsdtar -xf x.tar -s ,evil,.git/hooks/pre-commit,",
    "bsdtar -xf x.tar -C .. -s ,evil,.bashrc,",
    "pax -r -s ,evil,.git/hooks/pre-commit, < x.tar",
    "unzip x.zip -d .git/hooks",
    "7z x x.7z -o.git/hooks",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "tar -xzf x.tgz --transform 's,^pkg/,out/,'",
    "tar -xf x.tar --strip-components=1 -C out",
    "tar -cf x.tar --transform 's,^,release-1.0/,' src docs",
    "tar -czf x.tgz --exclude=.git --exclude .claude .",
    "tar -xf x.tar --one-top-level=out",
  ])("but not %s", (command) => expect(asked(command)).toBe(false));
});

describe("recipes are read where make runs them", () => {
  test.each([
    "make -C .. -f - <<< $'x:\\n\\techo y > .bashrc'",
    "make -C.. -f- <<< $'x:\\n\\techo y > .bashrc'",
    "make --directory=.. -f - <<< $'x:\\n\\techo y > .bashrc'",
    "make -C src -C ../.. -f - <<< $'x:\\n\\techo y > .bashrc'",
    "make -C .. --eval $'x:\\n\\techo y > .bashrc'",
    "make -f - <<< $'.RECIPEPREFIX = >\\nx:\\n>cd .git/hooks; cp ../../evil pre-commit'",
    "just -d .. -f /dev/stdin <<< $'x:\\n\\techo y > .bashrc'",
    "ninja -C .. -f /dev/stdin <<< $'rule x\\n  command = echo y > .bashrc\\nbuild a: x'",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each(["make -C src all", "make -C .. -f - <<< $'x:\\n\\techo y > out.txt'"])("but not %s", (command) =>
    expect(asked(command)).toBe(false),
  );
});

describe("code that names a protected path is asked about unless it is known to read it", () => {
  test.each([
    'node -e \'fs.cpSync("evil",".git/hooks/pre-commit")\'',
    'node -e \'const {cpSync: readFileSync} = fs; readFileSync("evil",".git/hooks/pre-commit")\'',
    'node -e \'fs["cp" + "Sync"]("evil",".git/hooks/pre-commit")\'',
    'node -e \'const put = fs.cp; put("evil",".git/hooks/pre-commit")\'',
    "node -e 'const to = \".git/hooks/pre-commit\"; fs.lutimes_(to)'",
    'python3 -c \'import zipfile; zipfile.ZipFile("x.zip").extractall(".git/hooks")\'',
    'python3 -c \'import tarfile; tarfile.open("x.tar").extract("pre-commit", path=".git/hooks")\'',
    'python3 -c \'import urllib.request; urllib.request.urlretrieve("file:///x",".git/hooks/pre-commit")\'',
    'python3 -c \'from urllib.request import urlretrieve as u; u("file:///x",".git/hooks/pre-commit")\'',
    "python3 -c 'import logging; logging.basicConfig(filename=\".git/hooks/pre-commit\")'",
    "python3 -c 'import sqlite3; sqlite3.connect(\".envrc\")'",
    'perl -e \'open my $f, "+<", ".claude/hooks/guard.sh"; print $f "exit 0"\'',
    "perl -MExtUtils::Command -e cp evil .git/hooks/pre-commit",
    "perl -MExtUtils::Command -e mv evil .claude/hooks/guard.sh",
    "ruby -run -e cp -- evil .git/hooks/pre-commit",
    "python3 -c 'import sys,shutil; shutil.copy(*sys.argv[1:])' evil .git/hooks/pre-commit",
    "node -e 'fs.cpSync(process.argv[1],process.argv[2])' evil .claude/hooks/guard.sh",
    "python3 -m tarfile -e x.tar .git/hooks",
    "python3 -m zipfile -e x.zip .git/hooks",
    "python3 -m zipfile -e x.zip .claude/hooks",
    "python3 -m venv .claude/hooks",
    'php -r \'stream_copy("evil", ".envrc");\'',
    "lua -e 'io.output(\".envrc\")'",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    'node -p \'JSON.parse(fs.readFileSync(".claude/settings.json","utf8")).hooks\'',
    "node -p 'require(\"./.claude/settings.json\").permissions'",
    "node -e 'console.log(fs.existsSync(\".git/hooks/pre-commit\"))'",
    "python3 -c 'import json; print(json.load(open(\".claude/settings.json\")))'",
    'python3 -c \'import json; d = json.load(open(".claude/settings.json")); print(sorted(d.get("hooks", {}).keys()))\'',
    "python3 -c 'from pathlib import Path; print(Path(\".claude/settings.json\").read_text())'",
    'python3 -c \'import os; print(os.path.exists(".git/hooks"), os.listdir(".git/hooks"))\'',
    "python3 -c 'import sys,json; print(json.load(open(sys.argv[1])))' .claude/settings.json",
    "python3 -m json.tool .claude/settings.json",
    "python3 -m pytest .claude/hooks",
    "python3 -m py_compile .claude/hooks/guard.py",
    "perl -ne 'print if /alias/' ../.bashrc",
    "perl -pe 's/a/b/' .claude/settings.json",
    "ruby -rjson -e 'puts JSON.parse(File.read(\".claude/settings.json\"))'",
    "node .claude/hooks/guard.sh",
    "php -r 'echo file_get_contents(\".envrc\");'",
  ])("but not %s", (command) => expect(asked(command)).toBe(false));
});

describe("what a command lists is what another one changes", () => {
  test.each([
    "find . -name guard.sh | xargs sed -i s/2/0/",
    "find . -name guard.sh -exec sed -i s/2/0/ {} +",
    "find . -name 'guard*' -delete",
    "find ~ -name trust.json -delete",
    "find ~ -name 'trust*' -exec rm {} +",
    "find / -name trust.json 2>/dev/null | xargs rm",
    "rm $(find ~ -name trust.json)",
    'find ~ -name trust.json | while read -r f; do echo "{}" > "$f"; done',
    "grep -rl one .claude | xargs sed -i s/one/two/",
    "grep -rl one . | xargs sed -i s/one/two/",
    "sed -i s/one/two/ $(grep -rl one .claude)",
    "ls .claude/settings.json | xargs rm",
    "ls -A | xargs rm -r",
    "ls -d .claude | xargs rm -r",
    "cd .claude/hooks && ls | xargs rm",
    "git ls-files .claude | xargs rm",
    "git ls-files | xargs rm",
    "rg -l one --hidden | xargs sed -i s/one/two/",
    "fd -H guard.sh -x rm",
    "fd -H guard.sh | xargs rm",
    "find . -name guard.sh | parallel rm",
  ])("%s", (command) => expect([command, asked(command)]).toEqual([command, true]));

  test.each([
    "find . -name '*.ts' | xargs rm",
    "find src -type f | xargs sed -i s/a/b/",
    "grep -rl one src | xargs sed -i s/one/two/",
    "rg -l one | xargs sed -i s/one/two/",
    "fd -e ts -x sed -i s/a/b/",
    "ls docs | xargs rm",
    "git ls-files src | xargs sed -i s/a/b/",
    "ls .claude",
    "find ~ -name trust.json",
    "find . -name guard.sh | xargs cat",
    "grep -rl one .claude | xargs cat",
    "prettier --write .",
  ])("but not %s", (command) => expect([command, asked(command)]).toEqual([command, false]));
});

describe("a protected name in disguise is the name", () => {
  test.each([
    "echo x > $(rev <<< nosj.sgnittes/edualc.)",
    "echo x > $(echo nosj.sgnittes/edualc. | rev)",
    "echo x | tee $(base64 -d <<< LmNsYXVkZS9zZXR0aW5ncy5qc29u)",
    'cp evil "$(echo LmNsYXVkZS9zZXR0aW5ncy5qc29u | base64 --decode)"',
    "cp evil $(xxd -r -p <<< 2e636c617564652f73657474696e67732e6a736f6e)",
    "cp evil $(tr a-z b-za <<< .bkztcd/rdsshmfr.irnm)",
    'node -e \'require("fs").writeFileSync(Buffer.from("LmNsYXVkZS9zZXR0aW5ncy5qc29u", "base64").toString(), "x")\'',
    'python3 -c \'import base64; open(base64.b64decode("LmNsYXVkZS9zZXR0aW5ncy5qc29u"), "w")\'',
    'python3 -c \'open(bytes.fromhex("2e636c617564652f73657474696e67732e6a736f6e"), "w")\'',
    'python3 -c \'open("nosj.sgnittes/edualc."[::-1], "w")\'',
    "echo x > $(echo .claude/settings)$(echo .json)",
    'python3 -c \'open("." + "envrc", "w")\'',
    'read f < <(echo .claude/settings.json); rm "$f"',
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "base64 -d <<< LmNsYXVkZS9zZXR0aW5ncy5qc29u",
    "echo x > $(rev <<< txt.a)",
    "echo c29tZSB0ZXh0 | base64 -d > docs/out",
    "git checkout 2e636c617564652f73657474696e67732e6a736f",
  ])("not %s", (command) => expect(asked(command)).toBe(false));
});

describe("a protected folder that is given to a container, or put back by git, may be changed", () => {
  test.each([
    "docker run -v ./.claude:/x alpine sh -c 'echo > /x/settings.json'",
    "docker run --rm --volume=$PWD/.git/hooks:/x alpine true",
    "podman run --mount type=bind,src=.claude,dst=/x alpine rm /x/settings.json",
    "git stash push .claude/settings.json",
    "git stash -- .claude/settings.json",
  ])("%s", (command) => expect(asked(command)).toBe(true));

  test.each(["docker run -v ./src:/x alpine true", "docker run -v .:/work alpine npm test", "git stash push src/a.ts"])(
    "not %s",
    (command) => expect(asked(command)).toBe(false),
  );
});
