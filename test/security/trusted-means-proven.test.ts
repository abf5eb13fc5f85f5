/** `trusted` is said only of hooks of which everything that they run is known: what people write, and ways around it. */
import { chmodSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { hooksFor, openProject, type Project } from "../engine/open-project.ts";
import { type HookShape, SHAPES } from "./hook-shapes.ts";
import { WAYS } from "./ways-around.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

function projectOf({ command, files = {}, declared, event = "PreToolUse" }: Omit<HookShape, "state" | "name">): Project {
  const entry = declared ? { command, files: declared } : command;
  const project = openProject({ native: hooksFor(event, [entry], event === "Stop" ? {} : { matcher: "Bash" }) });
  for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
  return project;
}

async function stateOf(project: Project): Promise<string> {
  const { trust } = await project.open({ trust: { review: yes } });
  const [status] = trust.statuses;
  return status?.state === "definition-only" ? `definition-only: ${status.pins?.unresolved.join("; ")}` : String(status?.state);
}

describe("hooks as people write them", () => {
  test("there are forty of them, and most can be trusted", () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(40);
    expect(SHAPES.filter(({ state }) => state === "trusted").length).toBeGreaterThan(25);
  });

  test.each(SHAPES)("$name: $state", async (shape) => {
    const project = projectOf(shape);
    for (const name of Object.keys(shape.files ?? {})) chmodSync(project.path(name), 0o755);
    expect((await stateOf(project)).slice(0, shape.state.length + 300)).toMatch(new RegExp(`^${shape.state}`));
    const strict = await project.open({ trust: "store", strict: true });
    expect(strict.refused.map(({ reason }) => reason)).toEqual(shape.state === "trusted" ? [] : ["not-pinned"]);
  });
});

/** Each runs something that a reader of the command alone would not see. */
const ROUTES: readonly (readonly [route: string, shape: Omit<HookShape, "state" | "name">])[] = [
  ["-r with a name", { command: "node -r ./pre hooks/main.js", files: { "pre.js": "", "hooks/main.js": "" } }],
  ["a folder", { command: "node hooks", files: { "hooks/index.js": "" } }],
  ["no ending", { command: "node hooks/main", files: { "hooks/main.js": "" } }],
  ["a file without an ending", { command: "node hooks/main", files: { "hooks/main": "" } }],
  ["--test of a folder", { command: "node --test hooks", files: { "hooks/a.test.js": "" } }],
  [
    "a template with a value",
    { command: "node hooks/x.mjs", files: { "hooks/x.mjs": "await import(`./${process.argv[2] ?? 'y'}.mjs`);\n", "hooks/y.mjs": "" } },
  ],
  [
    "the package's own name",
    { command: "node x.mjs", files: { "package.json": '{"name":"me","exports":"./y.mjs"}', "x.mjs": 'import "me";\n', "y.mjs": "" } },
  ],
  ["#names", { command: "node x.mjs", files: { "package.json": '{"imports":{"#y":"./y.mjs"}}', "x.mjs": 'import "#y";\n', "y.mjs": "" } }],
  ["-m of Python", { command: "python3 -mpkg", files: { "pkg/__main__.py": "" } }],
  [
    "a module of the language, one level down",
    { command: "python3 hooks/x.py", files: { "hooks/x.py": "import xml.dom\n", "hooks/xml/dom.py": "" } },
  ],
  ["a folder without __init__", { command: "python3 hooks/x.py", files: { "hooks/x.py": "import lib.a\n", "hooks/lib/a.py": "" } }],
  ["compiled code", { command: "python3 hooks/x.pyc", files: { "hooks/x.pyc": "" } }],
  [
    "compiled code in a folder that is pinned",
    { command: "python3 hooks/x.py", declared: ["hooks/**"], files: { "hooks/x.py": "import y\n", "hooks/y.pyc": "" } },
  ],
  ["-I and -M of Perl", { command: "perl -Ilib -MFoo hooks/x.pl", files: { "hooks/x.pl": "", "lib/Foo.pm": "1;" } }],
  ["PERL5OPT", { command: "bash hooks/x.sh", files: { "hooks/x.sh": "export PERL5OPT=-Mlib=lib\ngrep -q x\n" } }],
  ["CDPATH", { command: "bash hooks/x.sh", files: { "hooks/x.sh": "CDPATH=lib\ncd a && . ./b.sh\n", "a/b.sh": "", "lib/a/b.sh": "" } }],
  [
    "BASH_ENV in a script",
    { command: "bash hooks/x.sh", files: { "hooks/x.sh": "BASH_ENV=lib/env bash hooks/y.sh\n", "hooks/y.sh": "", "lib/env": "" } },
  ],
  [
    "BASH_ENV, exported",
    { command: "bash hooks/x.sh", files: { "hooks/x.sh": "export BASH_ENV=lib/env\nbash hooks/y.sh\n", "hooks/y.sh": "", "lib/env": "" } },
  ],
  ["code on the input of Python", { command: "python3 - < lib/x.py", files: { "lib/x.py": "" } }],
  ["code on the input of a shell", { command: "bash < lib/x.sh", files: { "lib/x.sh": "" } }],
  [
    "files that name something else",
    { command: "bash hooks/x.sh", declared: ["README.md"], files: { "hooks/x.sh": '. "$RULES"\n', "README.md": "" } },
  ],
  [
    "files that name something else, of a module",
    {
      command: "node hooks/x.mjs",
      declared: ["README.md"],
      files: { "hooks/x.mjs": "await import(process.env.RULES);\n", "README.md": "" },
    },
  ],
  ["a name in single quotes", { command: "bash '$CLAUDE_PROJECT_DIR/x.sh'", files: { "x.sh": "", "$CLAUDE_PROJECT_DIR/x.sh": "" } }],
  ["source by PATH", { command: "bash hooks/x.sh", files: { "hooks/x.sh": ". lib.sh\n", "lib.sh": "" } }],
  ["eval of a file", { command: "bash hooks/x.sh", files: { "hooks/x.sh": 'eval "$(cat lib.sh)"\n', "lib.sh": "" } }],
  [
    "a branch with another folder",
    { command: "bash hooks/x.sh", files: { "hooks/x.sh": "if grep -q x; then cd lib; fi\n. ./y.sh\n", "y.sh": "", "lib/y.sh": "" } },
  ],
  ["an alias", { command: "sh hooks/x.sh", files: { "hooks/x.sh": "alias grep=./lib.sh\ngrep x\n", "lib.sh": "" } }],
  ["sort that starts a program", { command: "sort --compress-program=./lib.sh /etc/hostname", files: { "lib.sh": "" } }],
  ["awk that starts a program", { command: "awk 'BEGIN { system(\"./lib.sh\") }'", files: { "lib.sh": "" } }],
  ["awk by a pipe", { command: "awk 'BEGIN { \"./lib.sh\" | getline }'", files: { "lib.sh": "" } }],
  ["awk by a pipe behind a pattern", { command: `awk 'BEGIN { if (1) /"/; print | "./lib.sh"; if (1) /"/ }'`, files: { "lib.sh": "" } }],
  ["sed that starts a program", { command: "sed '1e ./lib.sh' /etc/hostname", files: { "lib.sh": "" } }],
  ["sed with a flag that does", { command: "sed 's/.*/.\\/lib.sh/e' /etc/hostname", files: { "lib.sh": "" } }],
  ["jq with a library", { command: "jq -L lib 'include \"x\"; .'", files: { "lib/x.jq": "" } }],
  ["jq with a filter in a file", { command: "jq -f lib/x.jq", files: { "lib/x.jq": 'include "y"; .' } }],
  ["find -exec", { command: "find hooks -name '*.sh' -exec bash {} ';'", files: { "hooks/a.sh": "" } }],
  ["xargs", { command: "ls hooks/*.sh | xargs -n1 bash", files: { "hooks/a.sh": "" } }],
  ["git with an alias of its own", { command: "git -c alias.x='!./lib.sh' x", files: { "lib.sh": "" } }],
  [
    "a program of the project in the environment",
    { command: "bash hooks/x.sh", files: { "hooks/x.sh": 'PATH="$CLAUDE_PROJECT_DIR/bin:$PATH"\njq .\n', "bin/jq": "" } },
  ],
  ["env with a PATH", { command: "env PATH=bin jq .", files: { "bin/jq": "" } }],
  ["env -S", { command: "env -S 'bash hooks/x.sh'", files: { "hooks/x.sh": "" } }],
  ["read PATH", { command: "bash hooks/x.sh", files: { "hooks/x.sh": "read -r PATH < lib/path\njq .\n", "lib/path": "bin" } }],
  ["printf -v PATH", { command: "bash hooks/x.sh", files: { "hooks/x.sh": "printf -v PATH %s bin\njq .\n" } }],
  [
    "createRequire",
    {
      command: "node x.mjs",
      files: { "x.mjs": 'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./y.cjs");\n', "y.cjs": "" },
    },
  ],
  ["an alias of require", { command: "node x.cjs", files: { "x.cjs": 'const load = require;\nload("./y.cjs");\n', "y.cjs": "" } }],
  ["module.require", { command: "node x.cjs", files: { "x.cjs": 'module.require("./y.cjs");\n', "y.cjs": "" } }],
  ["new Function", { command: "node x.mjs", files: { "x.mjs": "new Function(\"return import('./y.mjs')\")();\n", "y.mjs": "" } }],
  [
    "the constructor of a function",
    { command: "node x.mjs", files: { "x.mjs": "(() => {}).constructor(\"return import('./y.mjs')\")();\n", "y.mjs": "" } },
  ],
  ["a computed method", { command: "node x.mjs", files: { "x.mjs": 'const f = () => {};\nf["const" + "ructor"]("1")();\n' } }],
  ["globalThis", { command: "node x.cjs", files: { "x.cjs": 'globalThis["ev" + "al"]("1");\n' } }],
  ["vm", { command: "node x.mjs", files: { "x.mjs": 'import vm from "node:vm";\nvm.runInThisContext("1");\n' } }],
  [
    "a worker",
    { command: "node x.mjs", files: { "x.mjs": 'import { Worker } from "node:worker_threads";\nnew Worker("./y.mjs");\n', "y.mjs": "" } },
  ],
  [
    "process.chdir",
    {
      command: "node x.mjs",
      files: {
        "x.mjs": 'import { execSync } from "node:child_process";\nprocess.chdir("lib");\nexecSync("bash y.sh");\n',
        "y.sh": "",
        "lib/y.sh": "",
      },
    },
  ],
  [
    "env of what is started",
    {
      command: "node x.mjs",
      files: { "x.mjs": 'import { execSync } from "node:child_process";\nexecSync("jq .", { env: { PATH: "bin" } });\n', "bin/jq": "" },
    },
  ],
  [
    "process.env.PATH",
    {
      command: "node x.mjs",
      files: { "x.mjs": 'import { execSync } from "node:child_process";\nprocess.env.PATH = "bin";\nexecSync("jq .");\n', "bin/jq": "" },
    },
  ],
  ["a first line with options", { command: "./x", files: { x: "#!/usr/bin/env -S node -r ./pre.cjs\n", "pre.cjs": "" } }],
  ["a first line of the project", { command: "./x", files: { x: "#!./run\n", run: "" } }],
  ["a native module", { command: "node x.cjs", files: { "x.cjs": 'require("./y.node");\n', "y.node": "" } }],
  ["a web assembly", { command: "node x.mjs", files: { "x.mjs": "WebAssembly.compile(new Uint8Array());\n" } }],
  [
    "a package that loads by a value",
    {
      command: "node x.mjs",
      files: {
        "x.mjs": 'import "conf";\n',
        "node_modules/conf/package.json": '{"name":"conf","main":"i.cjs"}',
        "node_modules/conf/i.cjs": "require(process.cwd() + '/conf.js');\n",
        "conf.js": "",
      },
    },
  ],
  ["text that nests too deeply to be read", { command: "node x.mjs", files: { "x.mjs": `${"(".repeat(5000)}1${")".repeat(5000)};\n` } }],
  [
    "a module that hands on how to start programs",
    {
      command: "node x.mjs",
      files: {
        "x.mjs": 'import { run } from "./y.mjs";\nrun("./lib.sh");\n',
        "y.mjs": 'export { execSync as run } from "node:child_process";\n',
        "lib.sh": "",
      },
    },
  ],
  [
    "a module that reads what is not pinned",
    {
      command: "node x.mjs",
      files: { "x.mjs": 'import "./y.mjs";\n', "y.mjs": 'import { readFileSync } from "node:fs";\nreadFileSync(process.argv[2]);\n' },
    },
  ],
  [
    "a library that reads what is not pinned",
    { command: "bash hooks/x.sh", files: { "hooks/x.sh": ". hooks/y.sh\n", "hooks/y.sh": 'grep -qf "$RULES" && exit 2\n' } },
  ],
  ["text that cannot be read", { command: "node x.mjs", files: { "x.mjs": "if (;\n" } }],
];

describe("ways to run what is not pinned", () => {
  test.each(ROUTES)("%s", async (_, shape) => {
    const project = projectOf(shape);
    for (const name of Object.keys(shape.files ?? {})) chmodSync(project.path(name), 0o755);
    expect(await stateOf(project)).toMatch(/^definition-only/);
    expect((await project.open({ trust: "store", strict: true })).refused).toMatchObject([{ reason: "not-pinned" }]);
  });

  test("a linked folder under files", async () => {
    const project = projectOf({ command: "bash hooks/x.sh", declared: ["hooks/**"], files: { "hooks/x.sh": "exit 0\n", "lib/a.sh": "" } });
    symlinkSync(path.join(project.cwd, "lib"), project.path("hooks/lib"));
    expect(await stateOf(project)).toMatch(/^definition-only: .*link to a folder/);
  });

  test.each(["hooks/new.py", "hooks/json/__init__.py", "hooks/lib/deep/x.py", "hooks/__pycache__/x.cpython-312.pyc"])(
    "%s that appears in a folder that is pinned is a change",
    async (name) => {
      const project = projectOf({ command: "python3 hooks/x.py", declared: ["hooks/**"], files: { "hooks/x.py": "import json\n" } });
      expect(await stateOf(project)).toBe("trusted");
      project.write(`project/${name}`, "");
      expect((await project.open({ trust: "store" })).trust.statuses[0]?.state).toBe("changed");
    },
  );
});

test.each(WAYS)("%s with %j is pinned as a whole, or is not called trusted", async (command, files) => {
  const project = projectOf({ command, files });
  for (const name of Object.keys(files)) chmodSync(project.path(name), 0o755);
  const { trust } = await project.open({ trust: { review: yes } });
  const [status] = trust.statuses;
  const pinned = status?.pins?.record.files.map((file) => file.path) ?? [];
  const open = Object.keys(files).filter((name) => !pinned.includes(name));
  expect(status?.state === "trusted" ? open : []).toEqual([]);
});
