/** What the script of a hook loads decides what the hook does: the agent's own tools may not change it, wherever it is named. */
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import { hooksFor, openProject, type Project } from "../engine/open-project.ts";

type Files = Readonly<Record<string, string>>;

async function opened(command: string, files: Files): Promise<{ readonly project: Project; readonly hooks: HookEngine }> {
  const project = openProject({ project: hooksFor("Stop", command) });
  for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
  return { project, hooks: await project.open() };
}

/** Whether a call would run without a question: there is no user to ask. */
async function runs(hooks: HookEngine, tool_name: string, tool_input: Record<string, unknown>): Promise<boolean> {
  const { status } = await hooks.runTool({ tool_name, tool_input, tool_use_id: "t" }, () => "ran");
  return status !== "denied";
}

const writes = (hooks: HookEngine, file: string): Promise<boolean> => runs(hooks, "Write", { file_path: file, content: "x" });

const ROOT = '"$CLAUDE_PROJECT_DIR"';
const NODE = `node ${ROOT}/tools/guard.mjs`;
const BASH = `bash ${ROOT}/tools/guard.sh`;
const PYTHON = "python3 tools/guard.py";

/** How the hook is started, what there is, and the file that decides in the end. */
const FORMS: readonly (readonly [form: string, command: string, files: Files, decides: string])[] = [
  [
    "an import beside the script",
    NODE,
    { "tools/guard.mjs": 'import {check} from "./rules.mjs";check();', "tools/rules.mjs": "" },
    "tools/rules.mjs",
  ],
  ["an import from another folder", NODE, { "tools/guard.mjs": 'import "../lib/rules.mjs"', "lib/rules.mjs": "" }, "lib/rules.mjs"],
  [
    "two imports deep",
    NODE,
    { "tools/guard.mjs": 'import "../lib/a.mjs"', "lib/a.mjs": 'export * from "../deep/b.mjs"', "deep/b.mjs": "" },
    "deep/b.mjs",
  ],
  [
    "a name of the package itself",
    NODE,
    { "tools/guard.mjs": 'import "#rules"', "package.json": '{"imports":{"#rules":"./lib/rules.mjs"}}', "lib/rules.mjs": "" },
    "lib/rules.mjs",
  ],
  [
    "the package.json of such a name",
    NODE,
    { "tools/guard.mjs": 'import "#rules"', "package.json": '{"imports":{"#rules":"./lib/rules.mjs"}}', "lib/rules.mjs": "" },
    "package.json",
  ],
  ["a nearer package.json", NODE, { "tools/guard.mjs": 'import "#rules"', "package.json": '{"imports":{}}' }, "tools/package.json"],
  ["an installed package", NODE, { "tools/guard.mjs": 'import "rules"', "node_modules/rules/index.js": "" }, "node_modules/rules/index.js"],
  [
    "a package that is found first",
    NODE,
    { "tools/guard.mjs": 'import "rules"', "node_modules/rules/index.js": "" },
    "tools/node_modules/rules/index.js",
  ],
  [
    "require without an extension",
    "node tools/guard.cjs",
    { "tools/guard.cjs": 'require("./rules")', "tools/rules.js": "" },
    "tools/rules.js",
  ],
  [
    "what require would take first",
    "node tools/guard.cjs",
    { "tools/guard.cjs": 'require("./rules")', "tools/rules.js": "" },
    "tools/rules",
  ],
  [
    "joined parts of a path",
    NODE,
    { "tools/guard.mjs": 'readFileSync(path.join(import.meta.dirname, "..", "lib", "rules.json"))', "lib/rules.json": "" },
    "lib/rules.json",
  ],
  [
    "an address beside the module",
    NODE,
    { "tools/guard.mjs": 'readFileSync(new URL("../lib/rules.txt", import.meta.url))', "lib/rules.txt": "" },
    "lib/rules.txt",
  ],
  ["a name that is put together", NODE, { "tools/guard.mjs": "await import(`./${name}.mjs`)", "tools/rules.mjs": "" }, "tools/rules.mjs"],
  [
    "a program that a module starts",
    NODE,
    { "tools/guard.mjs": 'import { execFileSync } from "node:child_process"; execFileSync("bash", ["lib/rules.sh"])', "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  ["code on the command line", `node -e 'import("./lib/rules.mjs")'`, { "lib/rules.mjs": "" }, "lib/rules.mjs"],
  ["source from the project", BASH, { "tools/guard.sh": "source lib/rules.sh\n", "lib/rules.sh": "" }, "lib/rules.sh"],
  ["source beside the script", BASH, { "tools/guard.sh": '. "$(dirname "$0")/../lib/rules.sh"\n', "lib/rules.sh": "" }, "lib/rules.sh"],
  [
    "source by a variable",
    BASH,
    { "tools/guard.sh": 'HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n. "$HERE"/../lib/rules.sh\n', "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  [
    "a folder in a variable",
    BASH,
    { "tools/guard.sh": 'LIB="$CLAUDE_PROJECT_DIR/lib"\n. "$LIB/rules.sh"\n', "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  ["source of what may not be there", BASH, { "tools/guard.sh": "[ -f lib/local.sh ] && . lib/local.sh\n" }, "lib/local.sh"],
  [
    "another shell in its place",
    BASH,
    { "tools/guard.sh": 'exec bash "$CLAUDE_PROJECT_DIR/lib/rules.sh"\n', "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  [
    "every file of a folder",
    BASH,
    { "tools/guard.sh": 'for f in "$CLAUDE_PROJECT_DIR"/rules.d/*.sh; do . "$f"; done\n', "rules.d/a.sh": "" },
    "rules.d/b.sh",
  ],
  ["a file that only a variable names", BASH, { "tools/guard.sh": '. "$RULES"\n', "tools/rules.sh": "" }, "tools/rules.sh"],
  ["patterns", BASH, { "tools/guard.sh": 'grep -qf "$CLAUDE_PROJECT_DIR/lib/patterns.txt"\n', "lib/patterns.txt": "" }, "lib/patterns.txt"],
  ["a module of Python", "python3 -m lib.rules", { "lib/rules.py": "" }, "lib/rules.py"],
  ["the package of a module", "python3 -m lib.rules", { "lib/rules.py": "" }, "lib/__init__.py"],
  ["what a module imports", "python3 -m lib.rules", { "lib/rules.py": "from other.part import x\n", "other/part.py": "" }, "other/part.py"],
  [
    "a folder for modules",
    PYTHON,
    { "tools/guard.py": 'import sys\nsys.path.insert(0, os.path.join(here, "..", "lib"))\nimport rules\n', "lib/rules.py": "" },
    "lib/rules.py",
  ],
  [
    "a folder for modules, by name",
    PYTHON,
    { "tools/guard.py": 'import sys\nsys.path.insert(0, "lib")\nimport rules\n', "lib/rules.py": "" },
    "lib/rules.py",
  ],
  ["PYTHONPATH", "PYTHONPATH=lib python3 tools/guard.py", { "tools/guard.py": "import rules\n", "lib/rules.py": "" }, "lib/rules.py"],
  [
    "parts of a path in Python",
    PYTHON,
    { "tools/guard.py": '(Path(__file__).parent.parent / "lib" / "rules.txt").read_text()\n', "lib/rules.txt": "" },
    "lib/rules.txt",
  ],
  [
    "package.json of npm run",
    "npm run -s guard",
    { "package.json": '{"scripts":{"guard":"node lib/rules.js"}}', "lib/rules.js": "" },
    "package.json",
  ],
  [
    "the script of npm run",
    "npm run -s guard",
    { "package.json": '{"scripts":{"guard":"node lib/rules.js"}}', "lib/rules.js": "" },
    "lib/rules.js",
  ],
  [
    "what runs before it",
    "npm run -s guard",
    { "package.json": '{"scripts":{"guard":"true","preguard":"sh lib/rules.sh"}}', "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  ["the settings of npm", "npm run -s guard", { "package.json": '{"scripts":{"guard":"true"}}' }, ".npmrc"],
  [
    "npm in a script",
    BASH,
    { "tools/guard.sh": "npm --prefix sub run guard\n", "sub/package.json": '{"scripts":{"guard":"node rules.js"}}', "sub/rules.js": "" },
    "sub/rules.js",
  ],
  ["npx", "npx --no-install guard", { "node_modules/.bin/guard": "" }, "node_modules/.bin/guard"],
  ["make", "make -s guard", { Makefile: "guard:\n\tsh lib/rules.sh\n" }, "Makefile"],
  [
    "the recipe of make",
    "make -s guard",
    { Makefile: "all:\n\tcc src/a.c\nguard: needed\n\ttrue\nneeded:\n\t@sh lib/rules.sh\n", "lib/rules.sh": "" },
    "lib/rules.sh",
  ],
  ["a nearer Makefile", "make -s guard", { Makefile: "guard:\n\ttrue\n" }, "GNUmakefile"],
  ["a folder for Perl", "perl -Ilib tools/guard.pl", { "tools/guard.pl": "use Rules;\n", "lib/Rules.pm": "" }, "lib/Rules.pm"],
  [
    "a folder that Perl code names",
    "perl tools/guard.pl",
    { "tools/guard.pl": 'use lib "lib";\nuse Rules;\n', "lib/Rules.pm": "" },
    "lib/Rules.pm",
  ],
  [
    "beside a script of a language that is not read",
    "ruby tools/guard.rb",
    { "tools/guard.rb": 'require_relative "rules"\n', "tools/rules.rb": "" },
    "tools/rules.rb",
  ],
  ["a virtual environment", ".venv/bin/python tools/guard.py", { "tools/guard.py": "", ".venv/bin/python": "" }, ".venv/lib/site.py"],
];

describe("without a user to ask, the agent does not change", () => {
  test.each(FORMS)("%s", async (_, command, files, decides) => {
    const { hooks } = await opened(command, { ...files, "src/a.ts": "", "README.md": "" });
    expect(await writes(hooks, decides)).toBe(false);
    expect(await runs(hooks, "Bash", { command: `printf x > ${decides}` })).toBe(false);
    expect([await writes(hooks, "src/a.ts"), await writes(hooks, "src/new.ts"), await writes(hooks, "README.md")]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("what is loaded only since the session began", async () => {
    const { project, hooks } = await opened(BASH, { "tools/guard.sh": "true\n", "lib/rules.sh": "" });
    expect(await writes(hooks, "lib/rules.sh")).toBe(true);
    project.write("project/tools/guard.sh", "true\n. lib/rules.sh\n");
    expect(await writes(hooks, "lib/rules.sh")).toBe(false);
  });

  test("a folder that holds what is loaded", async () => {
    const { hooks } = await opened(NODE, { "tools/guard.mjs": 'import "../lib/rules.mjs"', "lib/rules.mjs": "" });
    for (const command of ["rm -r lib", "mv lib old"]) expect([command, await runs(hooks, "Bash", { command })]).toEqual([command, false]);
  });

  test("what the script of a plugin loads", async () => {
    const project = openProject();
    project.write("project/plug/.claude-plugin/plugin.json", { name: "plug" });
    project.write("project/plug/hooks/hooks.json", hooksFor("Stop", 'bash "${CLAUDE_PLUGIN_ROOT}"/scripts/g.sh'));
    project.write("project/plug/scripts/g.sh", '. "${CLAUDE_PLUGIN_ROOT}/lib/rules.sh"\n');
    project.write("project/plug/lib/rules.sh", "");
    const hooks = await project.open({ plugins: ["plug"] });
    expect([await writes(hooks, "plug/lib/rules.sh"), await writes(hooks, "plug/README.md")]).toEqual([false, true]);
  });
});

describe("ordinary work continues", () => {
  test("a source file that a guard only tells apart is asked about, what it imports is not", async () => {
    const { hooks } = await opened(BASH, {
      "tools/guard.sh": 'case "$file" in src/main.ts) exit 2;; esac\n',
      "src/main.ts": 'import "./a.ts"',
      "src/a.ts": "",
    });
    expect([await writes(hooks, "src/main.ts"), await writes(hooks, "src/a.ts")]).toEqual([false, true]);
  });

  test("folders that a script only mentions or goes through are no code", async () => {
    const { hooks } = await opened(BASH, { "tools/guard.sh": 'for f in src/*.ts; do grep -I TODO "$f" src; done\n', "src/a.ts": "" });
    expect([await writes(hooks, "src/a.ts"), await writes(hooks, "src/b.ts")]).toEqual([true, true]);
  });

  test("a task that no hook starts", async () => {
    const scripts = '{"main":"src/index.js","scripts":{"guard":"true","build":"node scripts/build.js"}}';
    const { hooks } = await opened("npm run guard", { "package.json": scripts, "scripts/build.js": "", "src/index.js": "" });
    expect([await writes(hooks, "scripts/build.js"), await writes(hooks, "src/index.js")]).toEqual([true, true]);
    for (const command of ["npm install", "npm test", "npm run build > out.log"])
      expect([command, await runs(hooks, "Bash", { command })]).toEqual([command, true]);
  });

  test("a script in the project's own folder that loads what it does not name", async () => {
    const { hooks } = await opened("bash guard.sh", { "guard.sh": '. "$RULES"\n', "build.sh": "" });
    expect([await writes(hooks, "build.sh"), await writes(hooks, "src/a.ts")]).toEqual([true, true]);
  });
});

test("a repository that names very much, or itself, is looked at within bounds", async () => {
  const { project, hooks } = await opened(BASH, { "tools/guard.sh": ". lib/0.sh\n" });
  for (let index = 0; index < 400; index++)
    project.write(`project/lib/${index}.sh`, `. lib/${index + 1}.sh\n. lib/0.sh\n${"x/y.sh ".repeat(200)}\n`);
  symlinkSync("ring", project.path("ring"));
  expect([await writes(hooks, "lib/7.sh"), await writes(hooks, "src/a.ts")]).toEqual([false, true]);
});

test("a link that leads out of the project is protected by its name, and what it leads to is not read", async () => {
  const { project, hooks } = await opened(BASH, { "tools/guard.sh": ". lib/rules.sh\n" });
  project.write("elsewhere/rules.sh", ". src/a.sh\n");
  project.write("project/src/a.sh", "");
  symlinkSync(path.join(project.cwd, "../elsewhere"), project.path("lib"));
  expect([await writes(hooks, "lib/rules.sh"), await writes(hooks, "src/a.sh")]).toEqual([false, true]);
});
