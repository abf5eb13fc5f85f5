import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { afterThisTest } from "../cleanup.ts";

const HOOKLOOP = path.resolve("node_modules/.bin/hookloop");
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-cases-test-")));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  write(".claude/hooks/guard.sh", GUARD);
});

function write(name: string, content: string | object): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o755 });
}

/** Says what the command asks it to. */
const GUARD = `#!/bin/sh
input=$(cat)
said() { printf '{"hookSpecificOutput":{"hookEventName":"%s",%s}}' "$1" "$2"; }
case "$input" in
  *"push --force"*) echo "No force pushes" >&2; exit 2 ;;
  *"please ask"*) said PreToolUse '"permissionDecision":"ask","permissionDecisionReason":"Sure?"' ;;
  *"please crash"*) exit 7 ;;
  *"please hang"*) sleep 60 ;;
  *"please remind"*) said PreToolUse '"additionalContext":"The branch is old"' ;;
  *"please rewrite"*) said PreToolUse '"permissionDecision":"allow","updatedInput":{"command":"ls -la"}' ;;
  *PostToolUse*hunter2*) said PostToolUse '"updatedToolOutput":{"stdout":"password ***"}' ;;
  *UserPromptSubmit*) said UserPromptSubmit '"additionalContext":"It is Monday"' ;;
  *'"Stop"'*) echo "Run the tests" >&2; exit 2 ;;
  *is-here*) [ -f is-here ] && echo "It is here" >&2 && exit 2 ;;
esac
exit 0
`;
const ENTRY = { matcher: "Bash", hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh', timeout: 5 }] };

function hookloop(...args: string[]): SpawnSyncReturns<string> {
  const env = { ...process.env, HOME: path.join(folder, "home"), XDG_STATE_HOME: path.join(folder, "state"), XDG_CONFIG_HOME: undefined };
  return spawnSync(HOOKLOOP, ["test", ...args], { cwd: folder, encoding: "utf8", env, timeout: 60_000 });
}

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly suites: readonly {
    readonly hook: string;
    readonly isConfigured: boolean;
    readonly cases: readonly { readonly name: string; readonly ok: boolean; readonly expected?: string; readonly received?: string }[];
    readonly diagnostics: readonly { readonly code: string; readonly text: string }[];
  }[];
}

/** What each case gave: `ok`, or what was received. */
function run(cases: readonly object[] | object): readonly string[] {
  write(".claude/hooks/guard.cases.json", cases);
  const { suites } = JSON.parse(hookloop("--json").stdout) as Report;
  return suites.flatMap(({ cases: all, diagnostics }) => [
    ...all.map(({ ok, received }) => (ok ? "ok" : `${received}`)),
    ...diagnostics.map(({ code, text }) => `${code}: ${text}`),
  ]);
}

describe("what a hook does is compared with what its case expects", () => {
  test.each<[object]>([
    [{ Bash: "git push --force", expect: "deny" }],
    [{ Bash: "git push --force", expect: { deny: "force pushes" } }],
    [{ Bash: "git push --force", expect: { deny: "/^no FORCE/i" } }],
    [{ call: "Bash: git push --force", expect: "deny" }],
    [{ call: { event: "PreToolUse", tool_name: "Bash", tool_input: { command: "push --force" } }, expect: "deny" }],
    [{ call: { event: "PreToolUse", tool_name: "my_shell", tool_input: { cmd: "push --force" } }, expect: "deny" }],
    [{ Bash: { command: "ls", description: "push --force" }, expect: "deny" }],
    [{ Bash: "please ask", expect: "ask" }],
    [{ Bash: "please ask", expect: { ask: "Sure" } }],
    [{ Bash: "ls", expect: "none" }],
    [{ Bash: "ls", expect: "allow" }],
    [{ Bash: "please remind", expect: { context: "branch" } }],
    [{ Bash: "please remind", expect: "allow" }],
    [{ Bash: "please rewrite", expect: { rewrite: "ls -la" } }],
    [{ Bash: "please rewrite", expect: { rewrite: { command: "ls -la" } } }],
    [{ Bash: "please rewrite", expect: "approve" }],
    [
      {
        call: { event: "PostToolUse", tool_name: "Bash", tool_response: { stdout: "password hunter2" } },
        expect: { redact: "hunter2", output: "***" },
      },
    ],
    [{ UserPromptSubmit: "fix it", expect: { context: "Monday" } }],
    [{ Stop: null, expect: "deny" }],
    [{ Bash: "cat is-here", files: { "is-here": "" }, expect: "deny" }],
    [{ Bash: "cat is-here", expect: "none" }],
  ])("%j holds", (one) => {
    expect(run([one])).toEqual(["ok"]);
  });

  test.each<[object, string]>([
    [{ Bash: "ls", expect: "deny" }, "none"],
    [{ Bash: "git push --force", expect: "allow" }, 'deny "No force pushes"'],
    [{ Bash: "git push --force", expect: { deny: "another reason" } }, 'deny "No force pushes"'],
    [{ Bash: "please remind", expect: "none" }, 'context "The branch is old"'],
    [{ Bash: "please rewrite", expect: { rewrite: "ls" } }, 'approve, rewrite {"command":"ls -la"}'],
    [{ Bash: "please ask", expect: "deny" }, 'ask "Sure?"'],
    [
      { call: { event: "PostToolUse", tool_response: { stdout: "hunter2" } }, expect: { redact: "password" } },
      'output {"stdout":"password ***"}',
    ],
  ])("%j fails with what was received", (one, received) => {
    expect(run([one])).toEqual([received]);
  });

  test("a hook that fails never does what is expected, also where its failure blocks", () => {
    write(".hookloop/hooks.json", {
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sh .claude/hooks/guard.sh", guard: true }] }] },
    });
    const [crashed, hung, ...more] = run({ timeout: 1, cases: ["please crash", "please hang"].map((Bash) => ({ Bash, expect: "deny" })) });
    expect(crashed).toContain("the hook failed: exit code 7");
    expect(hung).toContain("the hook failed: it did not end within 1 s");
    expect(more).toEqual([]);
  });
});

describe("a configured hook runs as it is configured", () => {
  test("its matcher keeps a call from it, and the report says so", () => {
    write(".claude/settings.json", { hooks: { PreToolUse: [ENTRY] } });
    expect(
      run([
        { Write: "push --force", expect: "deny" },
        { Bash: "push --force", expect: "deny" },
        { Stop: null, expect: "deny" },
      ]),
    ).toEqual(["none (the hook was not asked: its entry is for Bash)", "ok", "none (the hook was not asked: no entry for Stop)"]);
  });

  test("other hooks of the project do not run", () => {
    const other = { hooks: [{ type: "command", command: "touch ran; exit 2" }] };
    write(".claude/settings.json", { hooks: { PreToolUse: [ENTRY, other] } });
    write(".hookloop/hooks.json", { use: ["safety"] });
    expect(run([{ Bash: "rm -rf /", expect: "none" }])).toEqual(["ok"]);
    expect(spawnSync("ls", { cwd: folder, encoding: "utf8" }).stdout).not.toContain("ran");
  });

  test("one that nothing configures runs on its own, which is said", () => {
    write(".claude/hooks/guard.cases.json", [{ Bash: "push --force", expect: "deny" }]);
    expect(hookloop().stdout).toContain("(1 case, in no configuration here)");
  });
});

test("a guard without a case in which it must block is reported, and does not fail", () => {
  write(".hookloop/hooks.json", {
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sh .claude/hooks/guard.sh", guard: true }] }] },
  });
  expect(run([{ Bash: "ls", expect: "none" }])).toEqual(["ok", expect.stringContaining("HL_CASES_NO_BLOCK: This guard has no case")]);
  expect(hookloop().status).toBe(0);
});

test("shipped hooks are tested by their name, with options", () => {
  write("safety.cases.json", [{ Bash: "rm -rf /", expect: "deny" }]);
  write("strict.cases.yaml", "use: safety\noptions: { profile: strict }\ncases:\n  - Bash: rm notes.txt\n    expect: ask\n");
  const { stdout, status } = hookloop("--verbose");
  expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "2 passed, 0 failed"]);
});

test("the cases of all shipped hooks hold", () => {
  const { stdout, status } = hookloop("--builtin", "--json");
  const { failed, passed } = JSON.parse(stdout) as Report;
  expect([status, failed]).toEqual([0, 0]);
  expect(passed).toBeGreaterThan(40);
});

describe("a mistake in a cases file is told with its place and the cure, and fails", () => {
  test.each([
    ["- Bsh: ls\n  expect: deny\n", 'A case has no "Bsh". Did you mean "Bash"?', ":1:3"],
    ["- call: 'Bsh: ls'\n  expect: deny\n", '"Bsh" is neither a tool nor an event. Did you mean "Bash"?', ":1:9"],
    ["- Bash: ls\n  expect: deni\n", 'Did you mean "deny"?', ":2:11"],
    ["- Bash: ls\n  expect: block\n", 'Did you mean "deny"?', ":2:11"],
    ["- Bash: ls\n  expcet: deny\n", 'A case has no "expcet". Did you mean "expect"?', ":2:3"],
    ["- Bash: ls\n", "The case does not say what to expect.", ":1:3"],
    ["- expect: deny\n", "The case has no call.", ":1:3"],
    ["- Bash: ls\n  Write: a\n  expect: deny\n", "The case has 2 calls: Bash, Write. Make a case of each.", ":1:3"],
    ["- Bash: ls\n  expect: { contxt: a }\n", 'expect has no "contxt". Did you mean "context"?', ":2:13"],
    ["- Bash: ls\n  expect: { deny: '/(/' }\n", "deny is no regular expression", ":2:11"],
    ["- call: Bash: ls\n  expect: deny\n", 'needs quotes, as in call: "Bash: ls"; or make the tool the key', ":1:"],
    ["case:\n- Bash: ls\n  expect: deny\n", 'A cases file has no "case". Did you mean "cases"?', ":1:1"],
    ["use: safty\ncases:\n- Bash: ls\n  expect: none\n", 'does not come with hookloop. Did you mean "safety"?', ""],
    [
      "use: safety\noptions: { profil: strict }\ncases:\n- Bash: ls\n  expect: none\n",
      'is no option of "safety". Did you mean "profile"?',
      ":4:3",
    ],
    ["hook: nope.sh\ncases:\n- Bash: ls\n  expect: none\n", "There is no hook", ""],
    ["", "The file must be an object with `cases`, or a list of cases.", ""],
    ["cases: []\n", "There is no case in it.", ""],
  ])("%j", (text, message, place) => {
    write("wrong.cases.yaml", text);
    const { status, stdout } = hookloop("wrong.cases.yaml");
    expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([1, "0 passed, 1 failed"]);
    expect(stdout).toMatch(/HL_CASES_(?:INVALID|NO_HOOK)/);
    expect(stdout).toContain(message);
    expect(stdout).toContain(`wrong.cases.yaml${place}`);
  });

  test.each<[string[], string]>([
    [["nope"], "There is no file nope."],
    [[".claude/hooks/guard.sh"], ".claude/hooks/guard.sh has no cases. Write them beside it: guard.cases.yaml."],
    [["--builtin", "x"], "--builtin runs the cases of shipped hooks, and takes no files."],
    [["--biultin"], 'unknown option "--biultin". Did you mean "--builtin"?'],
  ])("wrong usage: %j", (args, message) => {
    const { status, stdout, stderr } = hookloop(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`HL_CLI_USAGE: ${message}`);
  });

  test("no cases at all are not fine", () => {
    const { status, stdout } = hookloop();
    expect([status, stdout]).toEqual([1, expect.stringContaining("There are no cases here.")]);
  });
});

test("at 80 columns the report is as it is recorded", () => {
  write(".claude/settings.json", { hooks: { PreToolUse: [ENTRY] } });
  write(
    ".claude/hooks/guard.cases.yaml",
    `cases:
  - Bash: git push --force origin main
    expect: deny
  - Bash: git push origin a-branch-with-a-name-that-is-longer-than-the-terminal-is-wide-at-80
    expect: { deny: a reason that is long enough for the line to be broken before its end }
  - Bash: please crash
    expect: deny
`,
  );
  const env = {
    ...process.env,
    HOME: path.join(folder, "home"),
    XDG_STATE_HOME: path.join(folder, "state"),
    LC_ALL: "C.UTF-8",
    NO_COLOR: "1",
    TERM: "xterm",
  };
  const line = `stty cols 80; ${HOOKLOOP} test`;
  const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], { cwd: folder, encoding: "utf8", env, timeout: 60_000 });
  expect(stdout.replaceAll("\r", "").replace(/\d+ ms/, "0 ms")).toBe(readFileSync(new URL("golden/cases.txt", import.meta.url), "utf8"));
});
