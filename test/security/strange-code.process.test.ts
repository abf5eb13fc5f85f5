/** What a hook takes from the folder it runs in is part of the hook: another folder, or another project, must not put its own in the place. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
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

describe("what a hook of the user runs in a clone, however it names it", () => {
  const RUNS = "touch ran\n";
  const CLONE: Readonly<Record<string, string>> = {
    "scripts/lint.sh": `#!/bin/sh\n${RUNS}`,
    Makefile: `lint:\n\t${RUNS}`,
    "package.json": '{"main": "index.js", "scripts": {"lint": "touch ran"}}',
    "index.js": 'require("fs").writeFileSync("ran", "");\n',
    "pkg/index.js": 'require("fs").writeFileSync("ran", "");\n',
    "pkg/__main__.py": "open('ran', 'w')\n",
    "__main__.py": "open('ran', 'w')\n",
    "Foo.pm": "open(F, '>ran'); 1;\n",
    "conftest.py": "open('ran', 'w')\n",
    "guard.config.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");\n',
    "node_modules/eslint/index.js": 'require("fs").writeFileSync("ran", "");\n',
    "node_modules/.bin/eslint": `#!/bin/sh\n${RUNS}`,
    ".hookrc": RUNS,
    "sub/Makefile": `lint:\n\t${RUNS}`,
  };
  const js = (code: string): string => `const cp = require("child_process"), path = require("path"), cwd = process.cwd();\n${code}\n`;
  const py = (code: string): string => `import json, os, subprocess, sys\nfrom pathlib import Path\nd = {"cwd": os.getcwd()}\n${code}\n`;
  const LINES = [
    'cd "${CLAUDE_PROJECT_DIR:-.}" && make lint',
    'cd "$(jq -r .cwd)" && make lint',
    'cd "$(git rev-parse --show-toplevel)" && make lint',
    '"$(git rev-parse --show-toplevel)/scripts/lint.sh"',
    "make -s -C sub lint",
    "make -C.. lint",
    "node .",
    "node pkg",
    "node --test",
    "python3 .",
    "python3 pkg",
    "python3 -m unittest",
    "perl -I. -MFoo -e 1",
    "pytest -q",
    "eslint .",
    "npm run -s lint",
    "npx --no-install eslint",
  ];
  const SCRIPTS: readonly (readonly [string, string])[] = [
    ["guard.py", py('subprocess.run(["./scripts/lint.sh"])')],
    ["guard.py", py('subprocess.run([os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "node_modules/.bin/eslint")])')],
    ["guard.py", py('subprocess.run([str(Path(d["cwd"])/"scripts"/"lint.sh")])')],
    ["guard.py", py('os.chdir(d["cwd"]); subprocess.run(["make", "lint"])')],
    ["guard.pl", 'system("./scripts/lint.sh");\n'],
    ["guard.cjs", js("cp.execFileSync(`${cwd}/scripts/lint.sh`);")],
    ["guard.cjs", js('cp.execFileSync(path.join(process.cwd(), "scripts", "lint.sh"));')],
    ["guard.cjs", js('require("module").createRequire(path.join(process.cwd(), "noop.js"))("eslint");')],
    ["guard.cjs", js('import(require("url").pathToFileURL(path.resolve("guard.config.mjs")));')],
    ["guard.cjs", js('require(require.resolve("eslint", { paths: [process.cwd()] }));')],
    ["guard.cjs", js('cp.execFileSync(path.join(cwd, "node_modules", ".bin", ["es", "lint"].join("")));')],
    ["guard.sh", 'CWD=$(jq -r .cwd); "$CWD/scripts/lint.sh"\n'],
    ["guard.sh", 'export PATH="./node_modules/.bin:$PATH"; eslint .\n'],
    ["guard.sh", 'PATH="$PWD/node_modules/.bin:$PATH" eslint .\n'],
    ["guard.sh", 'eval "$(cat .hookrc)"\n'],
  ];
  const PROGRAMS: Readonly<Record<string, string>> = { py: "python3", pl: "perl", cjs: "node", sh: "bash" };

  async function decisionOf(command: string, script: readonly [string, string] | undefined, folder: string): Promise<string | undefined> {
    const project = openProject({ user: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    if (script) project.write(`home/.claude/hooks/${script[0]}`, script[1]);
    for (const [name, text] of Object.entries(CLONE)) chmodSync(project.write(`project/${name}`, text), 0o755);
    project.write("project/.git/HEAD", "ref: refs/heads/main\n");
    mkdirSync(project.path("deep"));
    const home = path.join(path.dirname(project.cwd), "home");
    const cwd = project.path(folder);
    const hooks = await project.open({ cwd, trust: "store", ports: { env: { HOME: home } } });
    const decision = await decisionIn(hooks, cwd);
    expect([project.read("ran"), project.read(`${folder}/ran`), project.read("sub/ran")]).toEqual([undefined, undefined, undefined]);
    return decision;
  }

  test.each(LINES)("%s", async (line) => {
    expect(await decisionOf(line, undefined, ".")).toBe("deny");
  });

  test.each(SCRIPTS)("%s: %s", async (name, text) => {
    expect(await decisionOf(`${PROGRAMS[name.split(".")[1] ?? ""]} ~/.claude/hooks/${name}`, [name, text], ".")).toBe("deny");
  });

  test.each(["npm run -s lint", "npx --no-install eslint", "../scripts/lint.sh", "make -s -C .. lint", "eslint ."])(
    "from a folder below, where programs look upwards: %s",
    async (line) => {
      expect(await decisionOf(line, undefined, "deep")).toBe("deny");
    },
  );

  test.each([
    "jq -e '.tool_input.command' >/dev/null",
    "grep -q package.json; true",
    "python3 -c 'import json, sys; json.load(sys.stdin)'",
    "bash ~/.claude/hooks/quiet.sh",
    "node ~/.claude/hooks/quiet.mjs",
  ])("what names no code of it runs as ever: %s", async (command) => {
    const project = openProject({ user: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    project.write(
      "home/.claude/hooks/quiet.sh",
      'cd "$(dirname "$0")" || exit 2\n. ./lib.sh\ncase "$(jq -r .tool_input.command)" in *package.json*|*.env*) exit 2 ;; esac\n',
    );
    project.write("home/.claude/hooks/lib.sh", "true\n");
    project.write(
      "home/.claude/hooks/quiet.mjs",
      'const GUARDED = [".env", "package-lock.json", "Makefile", "src/"];\nfor await (const _ of process.stdin);\nprocess.exitCode = GUARDED.length > 9 ? 2 : 0;\n',
    );
    for (const [name, text] of Object.entries(CLONE)) project.write(`project/${name}`, text);
    project.write("project/package-lock.json", "{}");
    const home = path.join(path.dirname(project.cwd), "home");
    const hooks = await project.open({ trust: "store", ports: { env: { HOME: home } } });
    expect([await decisionIn(hooks, project.cwd), hooks.trust.statuses[0]?.refusal?.text]).toEqual(["none", undefined]);
  });
});

describe("a program of the project in the place of one of the machine", () => {
  const GUARD = "if grep -q 'rm '; then exit 2; fi\n";
  const FAKE = "#!/bin/sh\ntouch planted; cat >/dev/null; exit 1\n";

  test("the user's own hooks do not find it", async () => {
    const project = openProject({ user: hooksFor("PreToolUse", ["bash ~/.claude/guard.sh"], { matcher: "Bash" }) });
    project.write("home/.claude/guard.sh", GUARD);
    chmodSync(project.write("project/node_modules/.bin/grep", FAKE), 0o755);
    const env = { HOME: path.join(path.dirname(project.cwd), "home"), PATH: `${project.path("node_modules/.bin")}:${process.env["PATH"]}` };
    const hooks = await project.open({ trust: "store", ports: { env } });
    expect((await hooks.fire("PreToolUse", bash("rm x"))).decision).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
    expect(hooks.trust.statuses[0]?.refusal).toBeUndefined();
  });

  test("for an approved hook of the project one that appears is a change", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", ["bash hooks/guard.sh"], { matcher: "Bash" }) });
    project.write("project/hooks/guard.sh", GUARD);
    chmodSync(project.write("project/node_modules/.bin/other", FAKE), 0o755);
    const env = { PATH: `${project.path("node_modules/.bin")}:${process.env["PATH"]}` };
    const hooks = await project.open({ trust: { review: yes }, ports: { env } });
    expect(await decisionIn(hooks, project.cwd)).toBe("none");
    chmodSync(project.write("project/node_modules/.bin/grep", FAKE), 0o755);
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
  });
});

describe("trusted is not said of what loads more than is pinned", () => {
  const LOADS: readonly (readonly [string, string, string])[] = [
    ["bash", "guard.sh", "node -e \"require('$CLAUDE_PROJECT_DIR/data/x.js')\" || exit 2\n"],
    ["bash", "guard.sh", 'PATH="$CLAUDE_PROJECT_DIR/tools:$PATH"; chk || exit 2\n'],
    ["bash", "guard.sh", 'export PATH="$CLAUDE_PROJECT_DIR/tools:$PATH"\nchk || exit 2\n'],
    ["node", "guard.cjs", 'new (require("vm").Script)(require("fs").readFileSync("data/x.js", "utf8")).runInThisContext();\n'],
    ["node", "guard.cjs", 'Function(require("fs").readFileSync(process.env.CLAUDE_PROJECT_DIR + "/data/x.js", "utf8"))();\n'],
    ["node", "guard.cjs", 'require("child_process").execSync("chk", { env: { PATH: process.env.CLAUDE_PROJECT_DIR + "/tools" } });\n'],
    ["bash", "guard.sh", "grep -qf data/rules.txt && exit 2; exit 0\n"],
  ];

  test.each(LOADS)("%s %s: %s", async (program, name, text) => {
    const project = openProject({ native: hooksFor("PreToolUse", [`${program} "$CLAUDE_PROJECT_DIR"/${name}`], { matcher: "Bash" }) });
    for (const [file, content] of Object.entries({ [name]: text, "data/x.js": "", "data/rules.txt": "", "tools/chk": "" }))
      project.write(`project/${file}`, content);
    const hooks = await project.open({ trust: { review: yes } });
    expect(hooks.trust.statuses[0]?.state).toBe("definition-only");
  });

  test.each([
    ["guard.py", "import sys\nsys.path.insert(0, 'lib')\nimport rules\n"],
    ["guard.py", "import subprocess\nsubprocess.run(['./lib/chk.sh'])\n"],
  ])("files of its own folder do not speak for another: %s %j", async (name, text) => {
    const entry = { command: `python3 "$CLAUDE_PROJECT_DIR"/hooks/${name}`, files: ["hooks/**"] };
    const project = openProject({ native: hooksFor("PreToolUse", [entry], { matcher: "Bash" }) });
    project.write(`project/hooks/${name}`, text);
    const hooks = await project.open({ trust: { review: yes } });
    expect(hooks.trust.statuses[0]?.state).toBe("definition-only");
  });

  test("a package that appears nearer than the one that was imported is a change", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", ["node hooks/guard.mjs"], { matcher: "Bash" }) });
    project.write("project/hooks/guard.mjs", 'import one from "one";\nprocess.exitCode = one;\n');
    project.write("project/node_modules/one/package.json", '{"name": "one", "type": "module", "exports": "./i.js"}');
    project.write("project/node_modules/one/i.js", "export default 0;\n");
    const hooks = await project.open({ trust: { review: yes } });
    expect(await decisionIn(hooks, project.cwd)).toBe("none");
    project.write("project/hooks/node_modules/one/package.json", '{"name": "one", "type": "module", "exports": "./i.js"}');
    project.write(
      "project/hooks/node_modules/one/i.js",
      'import { writeFileSync } from "node:fs"; writeFileSync("planted", ""); export default 0;\n',
    );
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.read("planted")).toBeUndefined();
  });

  test("a file that was written to in the session is hashed before each run from then on", async () => {
    const project = openProject({ native: hooksFor("PreToolUse", ["bash hooks/guard.sh"], { matcher: "Bash" }) });
    const script = project.write("project/hooks/guard.sh", "exit 2 #\n");
    const hooks = await project.open({ trust: { review: yes } });
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    const program = `import mmap, os, sys, time
f = os.open(sys.argv[1], os.O_RDWR)
m = mmap.mmap(f, 0)
m[0:1] = m[0:1]
time.sleep(0.6)
m[5:6] = b'0'
time.sleep(0.4)
`;
    const changing = spawn("python3", ["-c", program, script]);
    await new Promise((done) => setTimeout(done, 350));
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    await once(changing, "exit");
    project.diagnostics.length = 0;
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
    expect(project.codes()).toContain("HL_TRUST_CHANGED");
  });
});

describe("what decides and stands in other files is pinned, or the gate is not called trusted", () => {
  const P = '"$CLAUDE_PROJECT_DIR"';
  const SAID: readonly (readonly [string, string | undefined])[] = [
    ['bash "$CLAUDE_PROJECT_DIR"/guard.sh', `for f in ${P}/policy.d/*.txt; do grep -qf "$f" && exit 2; done; exit 0\n`],
    ['bash "$CLAUDE_PROJECT_DIR"/guard.sh', `cat ${P}/policy.d/* | grep -q x && exit 2; exit 0\n`],
    ['bash "$CLAUDE_PROJECT_DIR"/guard.sh', "grep -rqh x policy.d && exit 2; exit 0\n"],
    ['bash "$CLAUDE_PROJECT_DIR"/guard.sh', 'jq -e \'include "policy" {search:"./lib"}; ok\' >/dev/null || exit 2\n'],
    ['jq -e \'import "d" as $d {search:"./"}; true\' >/dev/null || exit 2', undefined],
  ];

  test.each(SAID)("%s: %j", async (command, script) => {
    const project = openProject({ project: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    if (script) project.write("project/guard.sh", script);
    project.write("project/policy.d/a.txt", "x\n");
    const hooks = await project.open({ trust: { review: yes } });
    expect(hooks.trust.statuses[0]?.state).toBe("definition-only");
  });

  const CHANGED: readonly (readonly [string, string])[] = [
    [`in=$(cat); while read -r w; do case "$in" in *"$w"*) exit 2;; esac; done < ${P}/rules; exit 0`, "rules"],
    [`cat >/dev/null; read -r m < ${P}/rules; [ "$m" = off ] && exit 0; exit 0`, "rules"],
    [`cat >/dev/null; [ -f ${P}/off ] && exit 0; exit 0`, "off"],
    [`cat >/dev/null; test -e off && exit 0; exit 0`, "off"],
  ];

  test.each(CHANGED)("on the command line: %s", async (command, file) => {
    const project = openProject({ project: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    project.write("project/rules", "zz\n");
    const hooks = await project.open({ trust: { review: yes } });
    expect(await decisionIn(hooks, project.cwd)).toBe("none");
    project.write(`project/${file}`, "other\n");
    expect(await decisionIn(hooks, project.cwd)).toBe("deny");
  });
});

test("a variable that a hook's text names and that is withheld from it is said, with the cure", async () => {
  const command = 'cat >/dev/null; [ -n "$DEPLOY_TOKEN" ] && exit 2; exit 0';
  const project = openProject({ project: hooksFor("PreToolUse", [command, "cat >/dev/null"], { matcher: "Bash" }) });
  const env = { DEPLOY_TOKEN: "abc123", OTHER_TOKEN: "abc123", PATH: process.env["PATH"] ?? "" };
  await project.open({ trust: { review: yes }, ports: { env } });
  const said = project.diagnostics.filter(({ code }) => code === "HL_ADMIT_VARIABLE_WITHHELD");
  expect(said.map(({ text }) => text)).toEqual([expect.stringMatching(/DEPLOY_TOKEN.*passEnv/)]);
});
