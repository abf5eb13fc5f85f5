/** Where a line goes before it changes something: the folder is the right one, or counts as any. And what `git stash` takes with it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openHome } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";
import type { ProtectContext } from "./protected-path.ts";

let base: string;
let context: ProtectContext;

beforeEach(() => {
  const files = [
    "project/.claude/settings.json",
    "project/.claude/hooks/guard.sh",
    "project/.git/config",
    "project/src/a.ts",
    ".local/state/hookloop/trust.json",
  ];
  ({ base, context } = openHome(files, { scripts: [".claude/hooks/guard.sh"] }));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const asked = (command: string): boolean => protect({ tool: "Bash", input: { command } }, context) !== undefined;

describe("a folder that a line goes to is seen however it is spelled", () => {
  test.each([
    "cd -- ~/.local/state/hookloop; rm trust.json",
    "cd -- ~/.local/state && rm -r hookloop",
    'cd -- .claude; echo "{}" > settings.local.json',
    "cd -- .claude/hooks && printf x > guard.sh",
    "cd -L -- .claude; touch settings.local.json",
    "cd -P -- .claude; touch settings.local.json",
    "cd -Pe .claude; touch settings.local.json",
    "cd -e -- .claude; touch settings.local.json",
    "cd -@ -- .claude; touch settings.local.json",
    "cd -q .claude; touch settings.local.json",
    "builtin cd -- .claude; touch settings.local.json",
    "builtin -- cd -- .claude; touch settings.local.json",
    "command cd -- .claude; touch settings.local.json",
    "command -- cd -- .claude; touch settings.local.json",
    "\\cd -- .claude; touch settings.local.json",
    "pushd -- .claude; touch settings.local.json",
    "pushd -n src; pushd .claude; touch settings.local.json",
    "pushd -n src; cd .claude; touch settings.local.json",
    "bash -c 'cd -- .claude; touch settings.local.json'",
    "eval 'cd -- .claude; touch settings.local.json'",
  ])("%s", (line) => expect(asked(line)).toBe(true));
});

describe("where only the running shell knows the folder, a protected file's own name is enough", () => {
  test.each([
    "CDPATH=~/.local/state; cd hookloop && rm trust.json",
    "CDPATH=~/.local; cd state && rm -r hookloop",
    "CDPATH=~/.local cd state && rm -r hookloop",
    "export CDPATH=~/.local; cd state; rm -r hookloop",
    "declare -x CDPATH=~/.local; cd state; rm -r hookloop",
    "CDPATH+=:~/.local; cd state; mv hookloop x",
    "read CDPATH <<< ~/.local; cd state; rm -r hookloop",
    "printf -v CDPATH %s ~/.local; cd state; rm -r hookloop",
    "cdpath=(~/.local); cd state; rm -r hookloop",
    "CDPATH=~/.local bash -c 'cd state; rm -r hookloop'",
    "env CDPATH=$HOME/.local bash -c 'cd state; rm -r hookloop'",
    "shopt -s cdable_vars; s=~/.local/state; cd s; rm -r hookloop",
    "s=~/.local/state bash -O cdable_vars -c 'cd s; rm -r hookloop'",
    "setopt cdablevars; s=~/.local/state; cd s; rm -r hookloop",
    "cd ~/.local/state; cd /; cd -; rm -r hookloop",
    "cd ~/.local/state; cd /; cd -- -; rm -r hookloop",
    "cd ~/.local/state; cd /; cd ~-; rm -r hookloop",
    "cd ~/.local/state; cd ~+; rm -r hookloop",
    'cd ~/.local/state; cd /; cd "$OLDPWD"; rm -r hookloop',
    "pushd ~/.local/state; pushd /; popd; rm -r hookloop",
    "pushd ~/.local/state; pushd /; pushd; rm -r hookloop",
    "pushd ~/.local/state; pushd /; pushd +1; rm -r hookloop",
    "pushd ~/.local/state; pushd /; pushd -0; rm -r hookloop",
    "cd .claude; cd -; cd -; echo x > settings.local.json",
    "cd $X; echo x > ./settings.local.json",
    "cd $X; rm -rf ./hookloop/",
    "cd $X; chmod 000 hookloop",
    "cd config state; rm -r hookloop",
  ])("%s", (line) => expect(asked(line)).toBe(true));

  test.each([
    "cd -- src && touch b.ts",
    "cd -- src; rm settings.json",
    "CDPATH=~/.local; cd ./src && rm settings.json",
    "CDPATH=~/.local; cd /tmp && rm settings.json",
    "CDPATH= ; cd src && rm a.ts",
    "cd - && npm test",
    "cd $X && npm test > out.log",
    "cd $X && cat settings.json",
    "cd $X && rm -rf node_modules dist build",
    "cd $X && mkdir hooks",
    "pushd src; touch b.ts; popd; touch c.ts",
    "dirs; touch x",
    "shopt -s nullglob; cd src; rm settings.json",
    "echo done > $OUT/settings.json",
    "chmod 755 .",
  ])("ordinary work is not asked about: %s", (line) => expect(asked(line)).toBe(false));
});

describe("git stash with untracked files takes configuration away that git does not keep", () => {
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: context.cwd, encoding: "utf8" });
  const taking = [
    "git stash -u",
    "git stash -a",
    "git stash --all",
    "git stash --include-untracked",
    "git stash --include-u",
    "git stash push -u",
    "git stash push -qu -m x",
    "git stash push -a -- .claude",
    "git stash -u -- .claude/settings.local.json",
    "git stash save -u message",
    "git -C src stash -u",
    "cd src && git stash -u",
  ];

  beforeEach(() => {
    rmSync(join(context.cwd, ".git"), { recursive: true });
    git("init", "-q");
    git("add", "-f", ".claude", "src");
  });

  test.each(taking)("%s", (line) => {
    expect(asked(line)).toBe(false);
    writeFileSync(join(context.cwd, ".claude/settings.local.json"), "{}");
    expect(asked(line)).toBe(true);
  });

  test.each(["git stash", "git stash list", "git stash show -u", "git stash push -m -u", "git stash push -u src", "git stash pop"])(
    "not asked about: %s",
    (line) => {
      writeFileSync(join(context.cwd, ".claude/settings.local.json"), "{}");
      expect(asked(line)).toBe(false);
    },
  );

  test("a list of git's files that is gone, or that cannot be read, keeps nothing", () => {
    rmSync(join(context.cwd, ".git/index"));
    expect(asked("git stash -u")).toBe(true);
    writeFileSync(join(context.cwd, ".git/index"), "x .claude/settings.json\0");
    expect(asked("git stash -u")).toBe(true);
  });

  test("what git keeps under a longer name is not the same file", () => {
    rmSync(join(context.cwd, ".git/index"));
    mkdirSync(join(context.cwd, "sub/.claude"), { recursive: true });
    writeFileSync(join(context.cwd, "sub/.claude/settings.json"), "{}");
    git("add", "-f", "sub", ".claude/hooks");
    expect(asked("git stash -u")).toBe(true);
  });
});
