import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProject } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";
import type { ProtectContext } from "./protected-path.ts";

let base: string;
let context: ProtectContext;

beforeEach(() => {
  ({ base, context } = openProject());
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bash = (command: string): ReturnType<typeof protect> => protect({ tool: "Bash", input: { command } }, context);

test.each([
  "sed -Ei 's/a/b/' .claude/settings.json",
  "sed -nEi p .claude/settings.json",
  "sed -Ei.bak s/a/b/ .git/config",
  "sed -Ezi s/a/b/ scripts/check.sh",
  "sed p scripts/check.sh -Ei",
  "sed --in-pl s/a/b/ scripts/check.sh",
  "sed {-i,s/a/b/} scripts/check.sh",
  "sed -{E,i} s/a/b/ scripts/check.sh",
  "find scripts -name check.sh -exec sed -Ei s/a/b/ {} +",
  "ls scripts/check.sh | xargs sed -Ei s/a/b/",
  "perl -0pi -e s/a/b/ scripts/check.sh",
  "perl -0777pi -e s/a/b/ scripts/check.sh",
  "perl -lpi -e s/a/b/ .claude/settings.json",
  "perl -pi.bak -e s/a/b/ scripts/check.sh",
  "sort -fo scripts/check.sh a",
  "uniq -c a .git/hooks/pre-commit",
  "cp -d a .git/hooks/pre-commit",
  "cp a scripts/check.sh --suff x",
  "chmod --reference=a scripts/check.sh",
])("letters in one word and short names are read as the program reads them: %s", (line) => {
  expect(bash(line)?.isProtected).toBe(true);
});

test.each(["sed -nE p scripts/check.sh", "sed -E -n 1,5p .claude/settings.json", "perl -ne print scripts/check.sh", "sort -f .git/config"])(
  "what only reads is free: %s",
  (line) => expect(bash(line)).toBeUndefined(),
);

test.each([
  "shopt -s dotglob; rm -rf *",
  "shopt -s dotglob && cp x */settings.json",
  "setopt globdots; rm -r *",
  "shopt -s globstar dotglob; rm **/settings.json",
  "GLOBIGNORE=x; rm -rf *",
  "export GLOBIGNORE=x; rm -rf *",
  "bash -O dotglob -c 'rm -rf *'",
  "shopt -s $X; rm -rf *",
  "shopt -s nocaseglob; rm .CLAUD*/settings.json",
])("a setting in the line lets a pattern stand for a leading dot: %s", (line) => {
  expect(bash(line)?.isProtected).toBe(true);
});

test("without such a setting a pattern does not stand for a leading dot", () => {
  for (const line of ["rm */settings.json", "shopt -s extglob; rm -f *.ts", "shopt -s nullglob; rm src/*.ts"])
    expect(bash(line)).toBeUndefined();
});

test.each([
  "cp a.txt .g*/hooks/",
  "cp a.txt .g*/hooks",
  "cp a.txt .g*/hooks/post-merge",
  "cp settings.json .c*/",
  "cp settings.local.json .c*/",
  "mv a.txt .gi?/hooks/",
  "install a.txt .[g]it/hooks/",
  "cp -t .g*/hooks a.txt",
  "cp a.txt ../*/.git/hooks/",
  "echo x > .g*/hooks/post-merge",
  "tee .c*/settings.local.json",
  "ln -s /x .g*/hooks/post-merge",
])("a pattern may stand for the folder of what is made: %s", (line) => {
  expect(bash(line)?.isProtected).toBe(true);
});

test.each(["cp a.txt s*/", "cp a.txt s*/b.ts", "rm s*/*.ts", "cp src/*.ts .c*/notes/"])(
  "a pattern for other folders is free: %s",
  (line) => {
    expect(bash(line)).toBeUndefined();
  },
);

test.each([
  "git config submodule.x.update '!touch x'",
  "git config remote.origin.uploadpack x",
  "git config remote.origin.receivepack x",
  "git config remote.origin.url 'ext::sh -c x'",
  "git config core.alternateRefsCommand x",
  "git config trailer.x.command x",
  "git config mergetool.x.cmd x",
  "git config difftool.x.cmd x",
  "git config interactive.diffFilter x",
  "git config hook.x.command x",
  "git config uploadpack.packObjectsHook x",
  "git config tar.x.command x",
  "git config man.x.cmd x",
  "git config browser.x.cmd x",
  "git config guitool.x.cmd x",
  "git config sendemail.smtpserver /x",
  "git config gpg.ssh.defaultKeyCommand x",
  "git config gc.recentObjectsHook x",
  "git config credential.helper /x/y",
  "git config --global alias.x '-c core.pager=x log'",
  "git config core.hooksPath get",
  "git config core.hooksPath --get",
  "git config core.hooksPath -l",
  "git config set --local core.hooksPath --get",
  "git config set core.hooksPath list",
  "git config --add new.thing x",
  "git maintenance start",
  "pre-commit install",
  "git lfs install",
  "npx husky",
  "npx husky init",
  "conda init bash",
  "systemctl --user enable x.service",
])("of git's settings and of programs that install things only the harmless are free: %s", (line) => {
  expect(bash(line)?.isProtected).toBe(true);
});

test.each([
  "git config --global user.email a@b.c",
  "git config color.ui auto",
  "git config core.autocrlf input",
  "git config --local core.ignorecase false",
  "git config branch.main.remote origin",
  "git config branch.feature/a.b.merge refs/heads/main",
  "git config remote.origin.url https://x.y/z.git",
  "git config --add remote.origin.fetch '+refs/pull/*:refs/remotes/pull/*'",
  "git config pull.rebase true",
  "git config push.default current",
  "git config set init.defaultBranch main",
  "git config pager.branch false",
  "git config credential.helper store",
  "git config alias.lg 'log --oneline'",
  "git config submodule.x.update rebase",
  "git config url.https://github.com/.insteadOf git@github.com:",
  "git config commit.gpgsign false",
  "git config --global --add safe.directory /w",
  "git config -f data.ini my.key x",
  "git config --unset my.key",
  "git config my.key",
  "pre-commit run --all-files",
  "git lfs pull",
  "conda install x",
  "systemctl --user status x",
  "git maintenance run",
])("harmless settings are free: %s", (line) => {
  expect(bash(line)).toBeUndefined();
});

test("a path in a variable for inline code counts as given to the code", () => {
  const writes = `node -e 'require("fs").writeFileSync(process.env.D + "/post-merge", "x")'`;
  expect(bash(`D=.git/hooks ${writes}`)?.isProtected).toBe(true);
  expect(bash(`F=.claude/settings.json python3 -c 'import os; open(os.environ["F"], "w")'`)?.isProtected).toBe(true);
  expect(bash(`D=src ${writes}`)).toBeUndefined();
  expect(bash(`F=.claude/settings.json node -e 'console.log(require("fs").readFileSync(process.env.F, "utf8"))'`)).toBeUndefined();
});
