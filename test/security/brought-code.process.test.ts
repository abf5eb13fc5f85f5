/** Options and variables that bring code into a program: what they find in a clone is the clone's, and a hook of the user waits for a word about it. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bash, hooksFor, openProject } from "../engine/open-project.ts";

const RAN = 'require("node:fs").writeFileSync(`${__dirname}/ran`, "");\n';
const CLONE: Readonly<Record<string, string>> = {
  "package.json": '{"name": "me", "exports": {"./*": "./*.cjs"}, "imports": {"#x": "./r.cjs"}}',
  "node_modules/dotenv/config.js": RAN,
  "node_modules/tsx/index.js": RAN,
  "node_modules/lodash.js": RAN,
  "node_modules/@of/scope/index.js": RAN,
  "r.cjs": RAN,
  "plain.js": RAN,
  ".env": "NODE_OPTIONS=--require ./r.cjs\n",
  ".hookrc": "touch ran\n",
  "lib/Foo.pm": "1;\n",
  "lib/foo.rb": "\n",
  "map.json": "{}\n",
  guard: "#!/bin/sh\ntouch ran\n",
};
const MINE = "~/.claude/hooks/mine.mjs";

type Texts = Readonly<Record<string, string>>;

async function refusalOf(command: string, scripts: Texts = {}, clone: Texts = {}): Promise<string | undefined> {
  const project = openProject({ user: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
  for (const [name, text] of Object.entries({ "mine.mjs": "", "mine.sh": "exit 0\n", ...scripts }))
    project.write(`home/.claude/hooks/${name}`, text);
  for (const [name, text] of Object.entries({ ...CLONE, ...clone })) chmodSync(project.write(`project/${name}`, text), 0o644);
  chmodSync(project.path("guard"), 0o755);
  const env = { HOME: path.join(path.dirname(project.cwd), "home"), PATH: process.env["PATH"] ?? "" };
  const hooks = await project.open({ trust: "store", ports: { env } });
  const [status] = hooks.trust.statuses;
  if (status?.refusal) expect((await hooks.fire("PreToolUse", bash("ls"))).decision).toBe("deny");
  return status?.refusal?.text;
}

describe("a hook of the user waits where it would load code of the project", () => {
  const LINES = [
    `node -r dotenv/config ${MINE}`,
    `node --require dotenv/config ${MINE}`,
    `node --require=lodash ${MINE}`,
    `node -r lodash ${MINE}`,
    `node --import tsx ${MINE}`,
    `node --import=tsx ${MINE}`,
    `node --no-warnings --import tsx ${MINE}`,
    `node --loader tsx ${MINE}`,
    `node --experimental-loader=@of/scope ${MINE}`,
    `node --import me/r ${MINE}`,
    `node --import '#x' ${MINE}`,
    `node -r ./plain ${MINE}`,
    `node --env-file=.env ${MINE}`,
    `node --env-file-if-exists=.env ${MINE}`,
    `node --env-file="$CLAUDE_PROJECT_DIR/.env" ${MINE}`,
    `node --run lint`,
    `NODE_OPTIONS='--import tsx' node ${MINE}`,
    `NODE_OPTIONS=--require=lodash node ${MINE}`,
    `export NODE_OPTIONS="--env-file=.env"; node ${MINE}`,
    `env NODE_OPTIONS='-r ./r.cjs' node ${MINE}`,
    `timeout 5 node -r dotenv/config ${MINE}`,
    "PATH=.:$PATH guard",
    'PATH="$PATH:" guard',
    'export PATH="$PWD:$PATH"; guard',
    "BASH_ENV=.hookrc bash ~/.claude/hooks/mine.sh",
    "ENV=./.hookrc sh -i ~/.claude/hooks/mine.sh",
    "bash --rcfile .hookrc -i -c true",
    "bash --init-file=.hookrc -i -c true",
    "PYTHONSTARTUP=r.cjs python3 -i -c 1",
    "PYTHONPATH=lib python3 -c 'import json'",
    "ruby -r ./lib/foo -e 1",
    "ruby -I lib -rfoo -e 1",
    "RUBYOPT=-r./lib/foo ruby -e 1",
    "perl -I lib -MFoo -e 1",
    "perl -Mlib=lib -MFoo -e 1",
    "PERL5OPT=-Mlib=lib perl -MFoo -e 1",
    "PERL5LIB=lib perl -MFoo -e 1",
    "deno run --preload ./r.cjs ~/.claude/hooks/mine.mjs",
    "deno run --import-map=map.json ~/.claude/hooks/mine.mjs",
    "bun --preload ./r.cjs ~/.claude/hooks/mine.mjs",
    "bun --preload=tsx ~/.claude/hooks/mine.mjs",
  ];

  test.each(LINES)("%s", async (line) => {
    expect(await refusalOf(line)).toContain("would run code of this project");
  });

  const js = (code: string): string => `const cp = require("child_process");\n${code}\n`;
  const SCRIPTS: readonly (readonly [string, string])[] = [
    ["mine.cjs", js(`cp.execSync('node -e "require(\\'lodash\\')"');`)],
    ["mine.cjs", js('cp.execSync("node -e \\"require(\'lodash\')\\"");')],
    ["mine.cjs", js(`cp.execFileSync("node", ["-e", "require('lodash')"]);`)],
    ["mine.cjs", js('cp.execFileSync(process.execPath, ["-r", "dotenv/config", "x.js"]);')],
    ["mine.cjs", js('cp.spawnSync("node", ["--import=tsx", "x.js"]);')],
    ["mine.cjs", js('cp.execSync("node --env-file=.env x.js");')],
    ["mine.cjs", js('cp.execSync("x", { env: { NODE_OPTIONS: "--require dotenv/config" } });')],
    ["mine.sh", "node --import=tsx x.mjs\n"],
    ["mine.sh", "export NODE_OPTIONS='--import tsx'\nnode x.mjs\n"],
    ["mine.sh", "PATH=.:$PATH\nguard\n"],
    ["mine.py", "import subprocess\nsubprocess.run(['node', '-r', 'dotenv/config', 'x'])\n"],
  ];
  const PROGRAMS: Readonly<Record<string, string>> = { py: "python3", cjs: "node", sh: "bash" };

  test.each(SCRIPTS)("%s: %s", async (name, text) => {
    const command = `${PROGRAMS[name.split(".")[1] ?? ""]} ~/.claude/hooks/${name}`;
    expect(await refusalOf(command, { [name]: text })).toContain("would run code of this project");
  });

  test.each([
    ["playwright test", "playwright.config.ts"],
    ["gulp lint", "gulpfile.js"],
    ["nyc true", ".nycrc.json"],
    ["tsup src", "tsup.config.ts"],
    ["rspec", ".rspec"],
    ["scons -q", "site_scons/x.py"],
    ["zig build", "build.zig"],
    ["coverage run ~/x.py", ".coveragerc"],
  ])("a tool whose configuration is code: %s with %s", async (line, file) => {
    const project = openProject({ user: hooksFor("PreToolUse", [line], { matcher: "Bash" }) });
    project.write(`project/${file}`, "");
    const hooks = await project.open({ trust: "store" });
    expect(hooks.trust.statuses[0]?.refusal?.text).toContain("would run code of this project");
  });

  test.each([
    `node --no-warnings ${MINE}`,
    `node --max-old-space-size=64 --input-type=module ${MINE}`,
    `node -r other ${MINE}`,
    `node --import=~/.claude/hooks/other.mjs ${MINE}`,
    "bash -eu -o pipefail ~/.claude/hooks/mine.sh",
    "PATH=/usr/bin:$PATH bash ~/.claude/hooks/mine.sh",
    "python3 -I -c 'import json'",
    "NODE_OPTIONS=--no-warnings node ~/.claude/hooks/mine.mjs",
  ])("what finds nothing of the project runs: %s", async (line) => {
    expect(await refusalOf(line)).toBeUndefined();
  });
});

describe("a hook of the user waits where what it starts is put together", () => {
  const NODE =
    'const { execSync, execFileSync, spawnSync } = require("child_process");\nconst j = JSON.parse(require("fs").readFileSync(0, "utf8"));\n';
  const PYTHON = "import json, os, subprocess, sys\nj = json.load(sys.stdin)\n";
  const PROJECT_FILES = { Makefile: "lint:\n\ttouch ran\n", "t/a.t": "", ".claude/checks/a.sh": "touch ran\n", "scripts/a": "" };
  const SCRIPTS: readonly (readonly [name: string, text: string])[] = [
    ["a.cjs", `${NODE}execSync('cd "$CLAUDE_PROJECT_DIR" && npm run lint');`],
    ["a.cjs", `${NODE}execSync(\`cd \${process.env.CLAUDE_PROJECT_DIR} && npm run lint\`);`],
    ["a.cjs", `${NODE}execSync(\`cd \${j.cwd} && make\`);`],
    ["a.cjs", `${NODE}execSync("make -C $CLAUDE_PROJECT_DIR lint");`],
    ["a.cjs", `${NODE}execSync("npm --prefix $CLAUDE_PROJECT_DIR run lint");`],
    ["a.cjs", `${NODE}execSync("cd " + j.cwd + " && make");`],
    ["a.cjs", `${NODE}spawnSync("sh", ["-c", "cd $CLAUDE_PROJECT_DIR && make lint"]);`],
    ["a.cjs", `${NODE}spawnSync("sh", ["-c", j.line]);`],
    ["a.cjs", `${NODE}execFileSync("node", [j.cwd + "/node_modules/.bin/eslint"]);`],
    ["a.cjs", `${NODE}execFileSync("node", j.list);`],
    ["a.cjs", `${NODE}execFileSync(j.cwd + "/tool");`],
    ["a.cjs", `${NODE}execSync(j.line);`],
    ["a.cjs", `${NODE}const run = execSync;\nrun(j.line);`],
    ["a.cjs", `${NODE}const run = require("util").promisify(require("child_process").exec);\nrun(j.line);`],
    ["a.cjs", `${NODE}import(j.cwd + "/x.mjs");`],
    ["a.cjs", `${NODE}require(require("path").join(j.cwd, "x"));`],
    ["a.cjs", `${NODE}eval(j.code);`],
    ["a.cjs", `${NODE}execSync("just lint", { cwd: j.cwd + "/sub" });`],
    ["a.cjs", `${NODE}process.getBuiltinModule("child_process").execSync(j.line);`],
    ["a.py", `${PYTHON}subprocess.run(["just", "lint"], cwd=j["cwd"] + "/sub")`],
    ["a.py", `${PYTHON}subprocess.run("cd $CLAUDE_PROJECT_DIR && make lint", shell=True)`],
    ["a.py", `${PYTHON}os.system("make -C $CLAUDE_PROJECT_DIR lint")`],
    ["a.py", `${PYTHON}os.system(f"cd {j['cwd']} && make")`],
    ["a.py", `${PYTHON}d = j["cwd"]\nsubprocess.run(f"cd {d} && make", shell=True)`],
    ["a.py", `${PYTHON}subprocess.check_output(["sh", "-c", "cd %s && make" % j["cwd"]])`],
    ["a.py", `${PYTHON}subprocess.run(["python3", j["cwd"] + "/x.py"])`],
    ["a.py", `${PYTHON}subprocess.run([sys.executable, os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "r.cjs")])`],
    ["a.py", `${PYTHON}subprocess.run(j["list"])`],
    ["a.py", `${PYTHON}sys.path.insert(0, os.environ["CLAUDE_PROJECT_DIR"])\nimport rules`],
    ["a.py", `${PYTHON}sys.path.insert(0, ".")\nimport rules`],
    ["a.py", `${PYTHON}sys.path.append(os.getcwd())\nimport rules`],
    ["a.py", `${PYTHON}sys.path[:0] = [j["cwd"]]\nimport rules`],
    ["a.py", "import pytest\npytest.main()"],
    ["a.py", 'import unittest\nunittest.defaultTestLoader.discover(".")'],
    ["a.py", `${PYTHON}exec(open("x.py").read())`],
    ["a.rb", 'system("cd $CLAUDE_PROJECT_DIR && make lint")'],
    ["a.rb", 'system "cd #{ENV["CLAUDE_PROJECT_DIR"]} && make"'],
    ["a.rb", "puts `cd #{j['cwd']} && make`"],
    ["a.rb", "system(line)"],
    ["a.rb", "puts %x(make -C $CLAUDE_PROJECT_DIR lint)"],
    ["a.sh", 'source <(grep -v "^#" .env)'],
    ["a.sh", 'eval "$(cat .env)"'],
    ["a.sh", 'for f in .claude/checks/*.sh; do bash "$f"; done'],
    ["a.sh", "run-parts scripts"],
    ["a.sh", "jq -r .scripts.lint package.json | sh"],
    ["a.sh", 'cd "$(jq -r .cwd)" && make'],
    ["a.sh", "sh < scripts/a"],
    ["a.sh", '"$(jq -r .cwd)/tool"'],
    ["a.sh", 'python3 "$(jq -r .cwd)/x.py"'],
    ["a.sh", `python3 -c 'import os; os.system("cd $CLAUDE_PROJECT_DIR && make")'`],
  ];
  const WITH: Readonly<Record<string, string>> = { cjs: "node", py: "python3", rb: "ruby", sh: "bash" };

  test.each(SCRIPTS)("%s: %s", async (name, text) => {
    const command = `${WITH[name.split(".")[1] ?? ""]} ~/.claude/hooks/${name}`;
    expect(await refusalOf(command, { [name]: `${text}\n` }, PROJECT_FILES)).toContain("of this project");
  });

  test.each([
    ["prove", "t/a.t"],
    ["pip install -e .", "setup.py"],
    ["dotnet build", "x.csproj"],
    ["dotnet format", "x.sln"],
    ["dart run", "pubspec.yaml"],
    ["flutter test", "pubspec.yaml"],
    ["bmake lint", "Makefile"],
    ["remake lint", "Makefile"],
  ])("%s with %s", async (line, file) => {
    expect(await refusalOf(line, {}, { [file]: "" })).toContain("of this project");
  });

  const CERTAIN: readonly (readonly [name: string, text: string])[] = [
    ["a.cjs", `${NODE}execSync("git status --short");`],
    ["a.cjs", `${NODE}execFileSync("git", ["-C", j.cwd, "status"]);`],
    ["a.cjs", `${NODE}execSync(\`git -C \${j.cwd} status\`);`],
    ["a.cjs", `${NODE}const path = require("path");\nexecFileSync("node", [path.join(__dirname, "b.cjs"), j.cwd]);`],
    ["a.cjs", `${NODE}execFileSync(process.execPath, [__dirname + "/b.cjs"]);`],
    ["a.cjs", `${NODE}spawnSync("notify-send", [j.message]);`],
    ["a.cjs", `${NODE}const run = require("util").promisify(require("child_process").execFile);\nrun("git", ["log", j.x]);`],
    ["a.cjs", "const found = /a/.exec(x);\nconst text = `cd ${found} && ls`;"],
    ["a.py", `${PYTHON}subprocess.run(["git", "-C", j["cwd"], "status"], check=True)`],
    ["a.py", `${PYTHON}subprocess.run(["notify-send", f"done {j['cwd']}"])`],
    ["a.py", `${PYTHON}sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\nimport mine`],
    ["a.py", "import asyncio, re\nre.compile(x)\nasyncio.run(main())"],
    ["a.rb", 'require "json"\nsystem("git", "status")\nputs `git log`'],
    ["a.sh", 'input=$(cat); cmd=$(jq -r .tool_input.command <<< "$input")\ncase "$cmd" in *rm*) echo no >&2; exit 2;; esac'],
    ["a.sh", 'DIR="$(cd "$(dirname "$0")" && pwd)"\n. "$DIR/lib.sh"\nbash "$DIR/b.sh" "$1"\n"$DIR/tool"'],
    ["a.sh", 'tmp=$(mktemp); trap \'rm -f "$tmp"\' EXIT\ncat > "$tmp"; grep -q x "$tmp" && exit 2'],
    ["a.sh", 'cd "$CLAUDE_PROJECT_DIR" && git diff --quiet || notify-send "$(date)"'],
  ];

  test.each(CERTAIN)("what starts only programs of the machine runs: %s: %s", async (name, text) => {
    const command = `${WITH[name.split(".")[1] ?? ""]} ~/.claude/hooks/${name}`;
    expect(await refusalOf(command, { [name]: `${text}\n` }, PROJECT_FILES)).toBeUndefined();
  });
});

describe("an approved hook of the project whose options bring more than is pinned is not called trusted", () => {
  test.each([
    "node --import=tsx hooks/guard.mjs",
    "node -r dotenv/config hooks/guard.mjs",
    "node --env-file=.env hooks/guard.mjs",
    "node --env-file .env hooks/guard.mjs",
    "node --experimental-loader=./hooks/l.mjs hooks/guard.mjs",
    "node -C other hooks/guard.mjs",
    "NODE_OPTIONS='--import tsx' node hooks/guard.mjs",
    "bun --preload ./hooks/l.mjs hooks/guard.mjs",
  ])("%s", async (command) => {
    const project = openProject({ project: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    for (const name of ["hooks/guard.mjs", "hooks/l.mjs", ".env", "node_modules/tsx/index.js"]) project.write(`project/${name}`, "");
    const hooks = await project.open({ trust: { review: async (all) => all.map(({ hook, digest }) => ({ id: hook.id, digest })) } });
    expect(hooks.trust.statuses[0]?.state).toBe("definition-only");
  });

  test.each(["node --no-warnings hooks/guard.mjs", "node --max-old-space-size=64 hooks/guard.mjs"])("%s is", async (command) => {
    const project = openProject({ project: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
    project.write("project/hooks/guard.mjs", "");
    const hooks = await project.open({ trust: { review: async (all) => all.map(({ hook, digest }) => ({ id: hook.id, digest })) } });
    expect(hooks.trust.statuses[0]?.state).toBe("trusted");
  });
});
