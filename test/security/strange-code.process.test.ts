/** What a hook takes from the folder it runs in is part of the hook: another folder, or another project, must not put its own in the place. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Approval, HookEngine, PendingHook } from "../../packages/hookloop/src/index.ts";
import { bash, hooksFor, openProject, type Project } from "../engine/open-project.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

/** Denies by its rules; whoever replaces these leaves a file. */
const RULES = "exit 2\n";
const PLANTED = "touch planted; exit 0\n";

async function decisionIn(hooks: HookEngine, cwd: string): Promise<string> {
  return (await hooks.fire("PreToolUse", { ...bash("ls"), cwd })).decision;
}

function plant(project: Project, folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) project.write(`project/${folder}/${name}`, text);
  return project.path(folder);
}

describe("an approved gate in another folder of the project", () => {
  const READ = 'import { readFileSync } from "node:fs"; process.exitCode = readFileSync("hooks/rules", "utf8").includes("2") ? 2 : 0;\n';
  const GUARDS: readonly (readonly [string, string, string])[] = [
    ["sources its rules", "guard.sh", ". hooks/rules\n"],
    ["sources them by $PWD", "guard.sh", '. "$PWD/hooks/rules"\n'],
    ["starts them", "guard.sh", "sh hooks/rules\n"],
    ["starts them behind a condition", "guard.sh", "if [ -f hooks/rules ]; then sh ./hooks/rules; exit $?; fi\n"],
    ["reads them with grep", "guard.sh", "echo 'exit 2' | grep -qf hooks/rules && exit 2; exit 0\n"],
    ["reads them from its input", "guard.sh", "read -r word code < hooks/rules; exit $code\n"],
    ["reads them in a script of Node", "guard.mjs", READ],
    ["reads them in a script of Python", "guard.py", "import sys\nsys.exit(2 if '2' in open('hooks/rules').read() else 0)\n"],
    ["starts them from Python", "guard.py", "import subprocess, sys\nsys.exit(subprocess.run(['sh', 'hooks/rules']).returncode)\n"],
  ];
  const STARTS: Readonly<Record<string, string>> = { sh: "bash", mjs: "node", py: "python3" };

  describe.each([true, false])("with files: %s", (isDeclared) => {
    test.each(GUARDS)("%s", async (_, name, text) => {
      const command = `${STARTS[name.split(".")[1] ?? ""]} "$CLAUDE_PROJECT_DIR"/hooks/${name}`;
      const entry = isDeclared ? { command, files: ["hooks/**"] } : command;
      const project = openProject({ native: hooksFor("PreToolUse", [entry], { matcher: "Bash" }) });
      plant(project, "hooks", { [name]: text, rules: RULES });
      const hooks = await project.open({ trust: { review: yes } });
      expect(await decisionIn(hooks, project.cwd)).toBe("deny");
      const codes = project.codes().length;
      const sub = plant(project, "sub/hooks", { rules: PLANTED });
      expect(await decisionIn(hooks, path.dirname(sub))).toBe("deny");
      expect(project.read("sub/planted")).toBeUndefined();
      expect(project.codes().slice(codes)).toContain("HL_TRUST_CHANGED");
      expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    });
  });

  test("where its rules are not there at all, it blocks and says why", async () => {
    const command = 'bash "$CLAUDE_PROJECT_DIR"/hooks/guard.sh';
    const project = openProject({ native: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    plant(project, "hooks", { "guard.sh": "grep -qf hooks/rules /dev/null; exit 0\n", rules: "nothing\n" });
    mkdirSync(project.path("sub"));
    const hooks = await project.open({ trust: { review: yes } });
    expect([await decisionIn(hooks, project.cwd), await decisionIn(hooks, project.path("sub"))]).toEqual(["none", "deny"]);
    expect(project.diagnostics.find(({ code }) => code === "HL_TRUST_CHANGED")?.text).toContain("_PROJECT_DIR");
  });

  const AT_HOME: readonly (readonly [string, string, string])[] = [
    ["names them from the project", "guard.sh", '. "$CLAUDE_PROJECT_DIR"/hooks/rules\n'],
    ["goes to the project first", "guard.sh", 'cd "$CLAUDE_PROJECT_DIR" || exit 2\n. hooks/rules\n'],
    ["goes to its own folder first", "guard.sh", 'cd "$(dirname "$0")" || exit 2\n. ./rules\n'],
    [
      "joins them to the project's folder",
      "guard.mjs",
      'import { readFileSync } from "node:fs"; import path from "node:path";\nreadFileSync(path.join(process.env.CLAUDE_PROJECT_DIR, "hooks/rules"));\nprocess.exitCode = 2;\n',
    ],
    [
      "names them beside itself",
      "guard.mjs",
      'import { readFileSync } from "node:fs";\nreadFileSync(new URL("./rules", import.meta.url));\nprocess.exitCode = 2;\n',
    ],
  ];

  test.each(AT_HOME)("one that %s works in every folder", async (_, name, text) => {
    const command = `${STARTS[name.split(".")[1] ?? ""]} "$CLAUDE_PROJECT_DIR"/hooks/${name}`;
    const project = openProject({ native: hooksFor("PreToolUse", [{ command, files: ["hooks/**"] }], { matcher: "Bash" }) });
    plant(project, "hooks", { [name]: text, rules: RULES });
    const sub = plant(project, "sub/hooks", { rules: PLANTED, "package.json": "{}" });
    const hooks = await project.open({ trust: { review: yes } });
    expect([await decisionIn(hooks, project.cwd), await decisionIn(hooks, path.dirname(sub))]).toEqual(["deny", "deny"]);
    expect(project.codes()).not.toContain("HL_TRUST_CHANGED");
  });
});

describe("Python without a script of its own looks for modules in the folder it runs in", () => {
  const PYTHON = "open('planted', 'w')\n";
  const SCRIPTS: readonly (readonly [string, string, string])[] = [
    ["-c in a shell script", "guard.sh", "python3 -c 'import sys, json; json.load(sys.stdin)'\n"],
    ["-m in a shell script", "guard.sh", "python3 -m json.tool >/dev/null\n"],
    ["a here-document", "guard.sh", "python3 - <<'END'\nimport json\nEND\n"],
    ["behind cd to the project", "guard.sh", "cd \"${CLAUDE_PROJECT_DIR:-.}\" && python3 -c 'import json'\n"],
    [
      "started by Node",
      "guard.mjs",
      `import { execFileSync } from "node:child_process"; execFileSync("python3", ["-c", "import json"]);\n`,
    ],
    ["a line started by Node", "guard.mjs", `import { execSync } from "node:child_process"; execSync("python3 -c 'import json'");\n`],
  ];

  test.each(SCRIPTS)("%s: a module that appears is a change, and the gate blocks", async (_, name, text) => {
    const command = `${name.endsWith("sh") ? "bash" : "node"} hooks/${name}`;
    const project = openProject({ native: hooksFor("PreToolUse", [{ command, files: ["hooks/**"] }], { matcher: "Bash" }) });
    plant(project, "hooks", { [name]: text });
    const hooks = await project.open({ trust: { review: yes } });
    expect(await decisionIn(hooks, project.cwd)).toBe("none");
    project.write("project/app.py", "people work here\n");
    expect(await decisionIn(hooks, project.cwd)).toBe("none");
    project.write("project/json.py", PYTHON);
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
  });

  const LINES = [
    "python3 -c 'import sys, json'",
    "python3 -m json.tool",
    "echo 'import json' | python3 -",
    "cd \"$CLAUDE_PROJECT_DIR\" && python3 -c 'import json'",
  ];
  const OF_USER: readonly (readonly [string, string])[] = [
    ...LINES.map((line) => [line, line] as const),
    ...SCRIPTS.filter(([, name]) => name.endsWith("sh")).map(([, , text]) => ["bash ~/.claude/guard.sh", text] as const),
    ["node ~/.claude/guard.mjs", SCRIPTS[4]?.[2] ?? ""],
  ];

  test.each(OF_USER)("%s: a hook of the user does not run a module of the project it meets first: %j", async (command, text) => {
    const project = openProject({ user: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    for (const name of ["guard.sh", "guard.mjs"]) project.write(`home/.claude/${name}`, text);
    project.write("project/json.py", PYTHON);
    const env = { HOME: path.join(path.dirname(project.cwd), "home"), PATH: process.env["PATH"] ?? "" };
    const hooks = await project.open({ trust: "store", ports: { env } });
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
    expect(project.diagnostics.find(({ code }) => code === "HL_ADMIT_UNTRUSTED")?.text).toMatch(/json\.py.*hookloop trust approve/);
  });
});

describe("a hook of the user that runs code of the project", () => {
  const RUNS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['"$CLAUDE_PROJECT_DIR"/hooks/x.sh', { "hooks/x.sh": PLANTED }],
    ["bash hooks/x.sh", { "hooks/x.sh": PLANTED }],
    ["node scripts/lint.js", { "scripts/lint.js": "" }],
    ["NODE_OPTIONS=--require=./x.cjs node -e 1", { "x.cjs": "" }],
    ["make lint", { Makefile: "lint:\n\ttouch planted\n" }],
    ["npm run lint", { "package.json": '{"scripts": {"lint": "touch planted"}}' }],
    ["npx prettier --check .", { "node_modules/.bin/prettier": PLANTED }],
    ["bash ~/.claude/guard.sh", { "hooks/lib.sh": PLANTED }],
  ];

  test.each(RUNS)("%s waits for a word about this project", async (command, files) => {
    const project = openProject({ user: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    project.write("home/.claude/guard.sh", "if [ -f hooks/lib.sh ]; then . hooks/lib.sh; fi\n");
    for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
    const hooks = await project.open({ trust: "store" });
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
    expect(hooks.trust.statuses[0]?.refusal?.text).toContain("would run code of this project");
  });

  test("is approved per project and by content, and the others are as they were", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", ["bash ~/.claude/guard.sh"], { matcher: "Bash" }) });
    project.write("home/.claude/guard.sh", "if [ -f hooks/lib.sh ]; then . hooks/lib.sh; fi\n");
    project.write("other/hooks/lib.sh", "touch planted\n");
    project.write("clean/x", "");
    const at = (name: string): string => path.join(path.dirname(project.cwd), name);
    const stateIn = async (folder: string, trust: "store" | { review: typeof yes }): Promise<string | undefined> => {
      const hooks = await project.open({ cwd: folder, trust });
      const [status] = hooks.trust.statuses;
      return status?.refusal ? `${status.state}, not run` : status?.state;
    };
    expect(await stateIn(at("clean"), "store")).toBe("definition-only");
    project.write("project/hooks/lib.sh", "exit 0\n");
    expect(await stateIn(project.cwd, "store")).toBe("changed, not run");
    expect(await stateIn(project.cwd, { review: yes })).toBe("definition-only");
    expect(await stateIn(project.cwd, "store")).toBe("definition-only");
    expect(await stateIn(at("other"), "store")).toBe("changed, not run");
    expect(await stateIn(at("clean"), "store")).toBe("definition-only");
    project.write("project/hooks/lib.sh", "exit 0 # edited\n");
    expect(await stateIn(project.cwd, "store")).toBe("changed, not run");
    project.write("project/hooks/lib.sh", "exit 0\n");
    expect(await stateIn(project.cwd, "store")).toBe("definition-only");
  });

  test("in the home folder everything is the user's own", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", ["bash ~/.claude/guard.sh"], { matcher: "Bash" }) });
    project.write("home/.claude/guard.sh", "python3 -c 'import json'\n");
    project.write("home/json.py", "");
    const hooks = await project.open({ cwd: path.join(path.dirname(project.cwd), "home"), trust: "store" });
    expect(hooks.trust.statuses[0]?.refusal).toBeUndefined();
  });
});
