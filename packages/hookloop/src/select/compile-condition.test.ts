import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { processorNow } from "../growth.test-suite.ts";
import { readCommand } from "../shell/read-command.ts";
import { compileCondition } from "./event-plans.ts";

const ANCHORS = { root: "/srv/app", home: "/home/me" };

function matches(rule: string, tool_name: string, tool_input: object, cwd = "/srv/app"): boolean {
  return compileCondition(rule, ANCHORS).matches({ tool_name, tool_input, cwd });
}

function matchesCommand(rule: string, command: string): boolean {
  return matches(rule, "Bash", { command });
}

describe("Bash(git *), as recorded", () => {
  test.each([
    "git push",
    "git",
    "FOO=1 git push",
    "a && git push",
    "a; git push",
    "a | git push",
    "a\ngit push",
    "( git push )",
    "if true; then git push; fi",
    "for x in 1; do git push; done",
    '"git" push',
    "g\\it push",
    "ls | xargs git push",
    "echo $(git log)",
    "echo `git log`",
  ])("runs for %j", (command) => {
    expect(matchesCommand("Bash(git *)", command)).toBe(true);
  });

  test.each([
    "gitk",
    "echo git push",
    "cat <<EOF\ngit push\nEOF",
    "echo 'git push'",
    "ls # git push",
    "mygit push",
    "x=$(cat f) && ls",
    "echo $(date)",
  ])("does not run for %j", (command) => {
    expect(matchesCommand("Bash(git *)", command)).toBe(false);
  });
});

describe("Bash(git *), deliberately stricter", () => {
  test.each([
    "bash -c 'git push'",
    "sudo git push",
    "env A=1 git push",
    "time git push",
    "timeout 5 git push",
    "command git push",
    "eval 'git push'",
    "find . -exec git push \\;",
    "/usr/bin/git push",
    "git -C . push",
    "git push 'x",
    "$tool push",
    "curl x | sh",
    `echo ${"x".repeat(9000)}`,
  ])("runs for %.40j", (command) => {
    expect(matchesCommand("Bash(git *)", command)).toBe(true);
  });
});

describe("a rule for a command", () => {
  test.each([
    ["Bash", "anything 'broken", true],
    ["Bash(*)", "anything", true],
    ["Bash()", "anything", true],
    ["Bash(ls *)", "ls", true],
    ["Bash(ls *)", "ls -la", true],
    ["Bash(ls *)", "lsof", false],
    ["Bash(ls*)", "lsof", true],
    ["Bash(npm run:*)", "npm run", true],
    ["Bash(npm run:*)", "npm run build", true],
    ["Bash(npm run:*)", "npm runner", false],
    ["Bash(npm run build)", "npm run build", true],
    ["Bash(npm run build)", "npm run build --watch", false],
    ["Bash(npm run build)", "a && npm run build", true],
    ["Bash(a && b)", "a && b", true],
    ["Bash(git * main)", "git push origin main", true],
    ["Bash(git * main)", "git push origin dev", false],
    ["Bash(* --force)", "git push --force", true],
    ["Bash(echo \\*)", "echo '*'", true],
    ["Bash(echo \\*)", "echo a", false],
    ['Bash(git commit -m "x y")', 'git commit -m "x y"', true],
    ["Bash(sudo *)", "sudo git push", true],
    ["Bash(rm -rf *)", "echo -rf / | xargs rm", true],
    ["Bash(git push *)", "git $verb origin", true],
    ["Bash(git push *)", "echo $verb", false],
    ["Bash(git push *)", "git -C . -c a=b push origin", true],
    ["Bash(git push *)", "git $options push origin", true],
    ["Bash(rm a.ts)", "rm *.ts", true],
    ["Bash(rm a.ts)", "rm *.js", false],
    ["Bash(git push *)", "echo $(date)", true],
    ["Bash(git push *)", "echo `date`", true],
    ["Bash(git push *)", "x=$(cat f) && ls", false],
    ["Bash(run_in_background:true)", "ls", false],
  ])("%s on %j: %j", (rule, command, expected) => {
    expect(matchesCommand(rule, command)).toBe(expected);
  });

  test("a pattern with many wildcards takes time linear in the command", () => {
    const start = processorNow();
    expect(matchesCommand(`Bash(${"*a".repeat(40)}b)`, `echo ${"a".repeat(8000)}`)).toBe(false);
    expect(processorNow() - start).toBeLessThan(2000);
  });

  test("a call without a command runs the guard", () => {
    expect(matches("Bash(git *)", "Bash", {})).toBe(true);
    expect(compileCondition("Bash(git *)", ANCHORS).matches({ tool_name: "Bash" })).toBe(true);
  });

  test.each([
    ["Bash(pip install *)", "python3 -m pip install x"],
    ["Bash(pip install *)", "pip3 install x"],
    ["Bash(http.server *)", "python3 -m http.server 80"],
    ["Bash(git push *)", "/usr/bin/git push origin"],
    ["Bash(eslint *)", "npx eslint src"],
    ["Bash(git push *)", "git -c alias.p=push p origin"],
  ])("%s matches other names of its program: %s", (rule, command) => {
    expect(matchesCommand(rule, command)).toBe(true);
  });

  test("a reader that is passed in is used", () => {
    const read = vi.fn(readCommand);
    compileCondition("Bash(git *)", ANCHORS).matches({ tool_name: "Bash", tool_input: { command: "git push" } }, read);
    expect(read).toHaveBeenCalledExactlyOnceWith("git push");
  });
});

describe("the tool of a rule", () => {
  test.each([
    ["Write", "Write", true],
    ["Edit(*.ts)", "Write", false],
    ["Edit", "MultiEdit", false],
    ["Task", "Agent", true],
    ["Agent", "Task", true],
    ["mcp__srv__tool", "mcp__srv__tool", true],
    ["mcp__srv__tool", "mcp__srv__tool2", false],
    ["mcp__srv__*", "mcp__srv__tool", true],
    ["mcp__srv", "mcp__srv__tool", true],
    ["mcp__srv", "mcp__srv2__tool", false],
    ["*", "Bash", false],
    ["bash(git *)", "Bash", false],
    ["bash", "Bash", false],
    ["B*", "Bash", false],
  ])("%s on %s: %j", (rule, tool, expected) => {
    expect(matches(rule, tool, { file_path: "/srv/app/a.ts", command: "git push" })).toBe(expected);
  });
});

describe("a rule for a path", () => {
  test.each([
    ["Write(*.ts)", "/srv/app/a.ts", true],
    ["Write(*.ts)", "/srv/app/src/deep/a.ts", true],
    ["Write(*.ts)", "/srv/app/a.js", false],
    ["Write(*.ts)", "/elsewhere/a.ts", false],
    ["Write(src/**)", "/srv/app/src/a/b.ts", true],
    ["Write(src/**)", "/srv/app/lib/src/a.ts", false],
    ["Write(src/**)", "/srv/app/src/../lib/a.ts", false],
    ["Write(src/**)", "/srv/app/lib/../src/a.ts", true],
    ["Write(src/**)", "src/a.ts", true],
    ["Write(./src/**)", "/srv/app/src/a.ts", true],
    ["Write(src)", "/srv/app/src/a.ts", true],
    ["Write(src/)", "/srv/app/x/src/a.ts", true],
    ["Write(src/)", "/srv/app/src", false],
    ["Write(src/*.ts)", "/srv/app/src/a.ts", true],
    ["Write(src/*.ts)", "/srv/app/src/b/a.ts", false],
    ["Write(src/**/a.ts)", "/srv/app/src/a.ts", true],
    ["Write(src/**/a.ts)", "/srv/app/src/x/y/a.ts", true],
    ["Write(**/test/*.ts)", "/srv/app/a/test/b.ts", true],
    ["Write(**)", "/srv/app/a", true],
    ["Write(/src/**)", "/srv/app/src/a.ts", true],
    ["Write(//srv/**)", "/srv/other/a.ts", true],
    ["Write(//srv/**)", "/srvs/a.ts", false],
    ["Write(//etc/passwd)", "/etc/passwd", true],
    ["Write(~/.ssh/**)", "/home/me/.ssh/id", true],
    ["Write(~/.ssh/**)", "~/.ssh/id", true],
    ["Write(~/.ssh/**)", "/home/you/.ssh/id", false],
    ["Write(.env)", "/srv/app/.env", true],
    ["Write(.env)", "/srv/app/xenv", false],
    ["Write(.env.*)", "/srv/app/pkg/.env.local", true],
    ["Write(file?.ts)", "/srv/app/file1.ts", true],
    ["Write([a-c].ts)", "/srv/app/b.ts", true],
    ["Write([!a-c].ts)", "/srv/app/b.ts", false],
    ["Write([!a-c].ts)", "/srv/app/d.ts", true],
    ["Write(\\*.ts)", "/srv/app/a.ts", false],
    ["Write(\\*.ts)", "/srv/app/*.ts", true],
  ])("%s on %s: %j", (rule, file_path, expected) => {
    expect(matches(rule, "Write", { file_path })).toBe(expected);
  });

  test("relative rules follow the working directory, rules with a slash the settings", () => {
    expect(matches("Read(src/**)", "Read", { file_path: "/srv/app/pkg/src/a" }, "/srv/app/pkg")).toBe(true);
    expect(matches("Read(/src/**)", "Read", { file_path: "/srv/app/pkg/src/a" }, "/srv/app/pkg")).toBe(false);
  });

  test("each tool has its own field", () => {
    expect(matches("NotebookEdit(*.ipynb)", "NotebookEdit", { notebook_path: "/srv/app/a.ipynb" })).toBe(true);
    expect(matches("Grep(src/**)", "Grep", { pattern: "x", path: "/srv/app/lib" })).toBe(false);
  });

  test("a search without a path is about everything", () => {
    expect(matches("Grep(src/**)", "Grep", { pattern: "x" })).toBe(true);
  });

  test("a long name is compared in bounded time", () => {
    const start = processorNow();
    expect(matches(`Write(${"*a".repeat(20)}b)`, "Write", { file_path: `/srv/app/${"a".repeat(50_000)}` })).toBe(false);
    expect(processorNow() - start).toBeLessThan(4000);
  });
});

describe("a condition by real target", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-condition-")));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, "src"));
  symlinkSync(join(base, "src"), join(base, "alias"));

  test.each([
    ["alias/a.ts", true],
    ["alias/new/deep/a.ts", true],
    ["other/a.ts", false],
  ])("Write(src/**) on %s: %j", (file, expected) => {
    const input = { tool_name: "Write", tool_input: { file_path: join(base, file) }, cwd: base };
    expect(compileCondition("Write(src/**)", { root: base }).matches(input)).toBe(expected);
  });
});

describe("other rules", () => {
  test.each([
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com/a" }, true],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://EXAMPLE.com./a" }, true],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com.evil.org" }, false],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "https://x@evil.org/example.com" }, false],
    ["WebFetch(domain:*.example.com)", "WebFetch", { url: "https://api.example.com" }, true],
    ["WebFetch(domain:example.com)", "WebFetch", { url: "not an address" }, true],
    ["Agent(explorer)", "Agent", { subagent_type: "explorer" }, true],
    ["Agent(explorer)", "Agent", { subagent_type: "reviewer" }, false],
    ["Task(explorer)", "Agent", { subagent_type: "explorer" }, true],
    ["Agent(model:opus)", "Agent", { subagent_type: "x", model: "opus" }, true],
    ["Bash(run_in_background:true)", "Bash", { command: "ls", run_in_background: true }, true],
    ["mcp__srv__tool(repo:x*)", "mcp__srv__tool", { repo: "xyz" }, true],
    ["mcp__srv__tool(repo:x*)", "mcp__srv__tool", { repo: { x: 1 } }, false],
  ])("%s on %s %j: %j", (rule, tool, toolInput, expected) => {
    expect(matches(rule, tool, toolInput)).toBe(expected);
  });

  test("an input that does not say which tool it is about counts as a match: it may be the one that is guarded", () => {
    expect(compileCondition("Bash", ANCHORS).matches({ prompt: "hi" })).toBe(true);
  });
});

describe("a condition that means nothing says so", () => {
  test.each([
    ["*", "error", "not a permission rule"],
    ["Bash(git *", "error", "not a permission rule"],
    ["Bash Edit", "error", "not a permission rule"],
    ["Bash(rm *),Bash(touch *)", "error", "holds several rules"],
    ["Bash(rm *|touch *)", "error", '"Bash(rm *)", "Bash(touch *)"'],
    ["Edit(src/**|test/**)", "error", '"Edit(src/**)", "Edit(test/**)"'],
    ["TodoWrite(x)", "error", "can never match"],
    ["WebFetch(example.com)", "error", "can never match"],
    ["bash(git *)", "error", 'Did you mean "Bash"?'],
    ["Bahs", "warning", 'Did you mean "Bash"?'],
  ])("%s: %s", (rule, level, text) => {
    const { diagnostics } = compileCondition(rule, ANCHORS);
    expect(diagnostics).toEqual([{ code: "HL_SELECT_CONDITION_INVALID", level, text: expect.stringContaining(text) }]);
  });

  test.each(["Bash", "Bash(git *)", "Task", "mcp__srv__tool", "mcp__srv__*", "Write(*.ts)"])("%s does not", (rule) => {
    expect(compileCondition(rule, ANCHORS).diagnostics).toEqual([]);
  });
});
