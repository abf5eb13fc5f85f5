/** Deny rules against commands that reach what they name by a folder above it, by an alias, or through another program. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide/decide.ts";
import { readRules } from "./read-rules.ts";

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-rules-")));
  for (const name of ["src/a", "src/lib/b", "docs/a.md", "packages/one/src/a", ".env", "evil", "conf/keys/k"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "one\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function isDenied(rule: string, command: string): boolean {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny: [rule], allow: ["Bash"] } }]);
  const line = command.replaceAll("ROOT", root);
  return (
    decide({ tool_name: "Bash", tool_input: { command: line }, cwd: root }, rules, { root, home: join(root, "home") }).decision === "deny"
  );
}

describe("a rule about what lies below a folder holds when the folder is taken away", () => {
  test.each([
    ["Edit(src/**)", "rm -r src"],
    ["Edit(src/**)", "rm -rf s*"],
    ["Edit(src/**)", "rm -rf ./src/"],
    ["Edit(src/**)", "mv src gone"],
    ["Edit(src/**)", "git rm -qr src"],
    ["Edit(src/**)", "rm -rf ."],
    ["Edit(src/**)", "rm -rf ROOT"],
    ["Edit(src/**)", "rm -r packages/one/src"],
    ["Edit(src/**)", "find src -delete"],
    ["Edit(src/**)", "rimraf src"],
    ["Edit(src/lib/**)", "rm -r src"],
    ["Edit(src/lib/*.ts)", "mv src gone"],
    ["Edit(/src/**)", "rm -r src"],
    ["Edit(./src/**)", "rm -r src"],
    ["Edit(conf/keys/k)", "rm -r conf"],
    ["Edit(.env)", "rm -rf ROOT"],
    ["Read(conf/**)", "mv conf other"],
    ["Edit(src/**)", "cp -r docs/. src"],
    ["Edit(src/**)", "tar -xf x.tar -C src"],
    ["Edit(src/**)", "ln -s src s; echo x > s/a"],
    ["Edit(src/**)", "exec 9<src; echo x > /dev/fd/9/a"],
  ])("%s: %s", (rule, command) => expect(isDenied(rule, command)).toBe(true));

  test.each([
    ["Edit(src/**)", "rm -r docs"],
    ["Edit(src/**)", "rm -rf dist"],
    ["Edit(src/**)", "mv docs other"],
    ["Edit(src/**)", "find . -name '*.pyc' -delete"],
    ["Edit(src/**)", "cp -r src copy"],
    ["Edit(src/**)", "ls -R src"],
    ["Edit(src/**)", "git clean -fd"],
    ["Edit(*.ts)", "rm -r docs"],
    ["Edit(**/secret)", "rm -r docs"],
    ["Edit(src/lib/**)", "rm src/a"],
    ["Edit(src/lib/**)", "rm -r packages/one/src"],
    ["Edit(.env)", "rm -rf docs"],
    ["Edit(src/**)", "tar -xf x.tar"],
  ])("%s: not %s", (rule, command) => expect(isDenied(rule, command)).toBe(false));
});

describe("a rule about a git command sees through an alias that the line gives", () => {
  test.each([
    "git -c alias.p=push p origin main",
    "git -c ALIAS.P=push p origin main",
    "git -C . -c alias.p='push --force' p origin",
    "git -c alias.p=q -c alias.q=push p origin",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin",
    "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin",
    "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push; git p origin",
    "GIT_CONFIG_PARAMETERS=\"'alias.p=push'\" git p origin",
    "GIT_CONFIG_PARAMETERS=\"'alias.p'='push'\" git p origin",
    "X=push git --config-env=alias.p=X p origin",
    "X=push git --config-env alias.p=X p origin",
    "git -c alias.p=$verb p origin",
    "git config alias.p push; git p origin",
    "git config --global alias.p push && git p origin",
    "git config set alias.p push; git p origin",
    "git -c include.path=aliases p origin",
    "GIT_CONFIG_GLOBAL=aliases git p origin",
    "git -c alias.p='-c a.b=c push' p origin",
  ])("%s", (command) => expect(isDenied("Bash(git push *)", command)).toBe(true));

  test.each([
    "git -c alias.p=pull p origin",
    "git -c user.name=x commit -m y",
    "git -c include.path=aliases status",
    "GIT_CONFIG_GLOBAL=/dev/null git status",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x git commit -m y",
    "git config alias.p push",
    "git config alias.p push; git status",
    "git p origin",
  ])("not %s", (command) => expect(isDenied("Bash(git push *)", command)).toBe(false));
});

describe("a rule about reading holds for programs that show a file in their own way", () => {
  test.each([
    "ed -s .env <<< ,p",
    "vim -es .env -c '%p' -c q",
    "ex -s .env -c '%p' -c q",
    "emacs --batch .env",
    "curl -s file://localhostROOT/.env",
    "curl -s file://ROOT/.env",
    "curl -s file://ROOT/%2eenv",
    "curl -s FILE://ROOT/.env",
    "curl -s --url file://ROOT/.env",
    "curl -s --url=file://ROOT/.env",
    "wget -qO- file://ROOT/.env",
    "exec 5<.; cat /dev/fd/5/.env",
    "ln -s . d; cat d/.env",
  ])("%s", (command) => expect(isDenied("Read(.env)", command)).toBe(true));

  test.each(["vim -es docs/a.md -c '%p'", "curl -s file://ROOT/evil", "ed -s evil <<< ,p"])("not %s", (command) =>
    expect(isDenied("Read(.env)", command)).toBe(false),
  );
});

describe("a rule about a command holds when another program starts it", () => {
  test.each([
    "echo 'touch f' | sed 's/x/x/;e'",
    "sed -n 'p;e' evil",
    "sed e evil",
    "sed '1e' evil",
    "sed -e p -e e evil",
    "tmux run-shell 'touch f'",
    "tmux -L a start-server \\; run-shell 'touch f'",
    "tmux -L a new -d \\; run -b 'touch f'",
    "tmux if-shell 'touch f' ''",
    'node --import \'data:text/javascript,import{execSync}from"child_process";execSync("touch f")\' -e 0',
    "node --import='data:text/javascript,import{execSync}from%22child_process%22;execSync(%22touch f%22)' -e 0",
    "python3 -m timeit -n1 'import os; os.system(\"touch f\")'",
    "python3 -m timeit -s 'import os' 'os.system(\"touch f\")'",
    "perl \"-Mvars;system('touch f')\" -e 1",
    "perl '-mvars;exec(q(touch f))' -e 1",
  ])("%s", (command) => expect(isDenied("Bash(touch *)", command)).toBe(true));

  test.each([
    "sed 's/x/y/;p' evil",
    "sed -e 's/e/x/' evil",
    "sed '/e/d' evil",
    "tmux new -d 'ls'",
    "perl -MJSON -e 1",
    "sed -n '/a/,/e/p' evil",
  ])("not %s", (command) => expect(isDenied("Bash(touch *)", command)).toBe(false));
});
