import { describe, expect, test } from "vitest";
import { processorNow } from "../../growth.test-suite.ts";
import { OWN, PROJECT } from "./code-reader.ts";
import { readJavascript } from "./read-javascript.ts";
import { doubtOfPython, startedByPython } from "./read-python.ts";

const FS = 'import fs, { readFileSync, existsSync, createReadStream } from "node:fs";\nimport path, { join } from "node:path";\n';

describe("JavaScript: a name that can be known is", () => {
  test.each([
    ['readFileSync("rules.txt")', "rules.txt"],
    ["readFileSync(`${process.env.CLAUDE_PROJECT_DIR}/.claude/hooks/rules.txt`)", `${PROJECT}/.claude/hooks/rules.txt`],
    ['readFileSync(process.env.CLAUDE_PROJECT_DIR + "/rules.txt")', `${PROJECT}/rules.txt`],
    ['readFileSync(process.env["CLAUDE_PROJECT_DIR"] + "/rules.txt")', `${PROJECT}/rules.txt`],
    ['const root = process.env.CLAUDE_PROJECT_DIR ?? process.cwd();\nreadFileSync(`${root}/rules.txt`, "utf8")', `${PROJECT}/rules.txt`],
    ['const root = process.env.CLAUDE_PROJECT_DIR\nconst file = join(root, "a", "b")\nfs.existsSync(file)', `${PROJECT}/a/b`],
    ['createReadStream(path.resolve(import.meta.dirname, "rules"))', `${OWN}/rules`],
    ['readFileSync(new URL("./rules", import.meta.url))', `${OWN}/rules`],
    ['readFileSync(join(path.dirname(fileURLToPath(import.meta.url)), "..", "rules"))', `${OWN}/../rules`],
    ['existsSync(".claude/guard-off")', ".claude/guard-off"],
    ['if (!existsSync(join(process.cwd(), "on"))) process.exit(0)', "./on"],
    ['readFileSync(join(import.meta.dirname, "/rules"))', `${OWN}/rules`],
    ['readFileSync(path.resolve(import.meta.dirname, "a", "../../rules"))', `${OWN}/../rules`],
    ['readFileSync(new URL("./my%20rules.txt", import.meta.url))', `${OWN}/my rules.txt`],
    ['readFileSync(new URL("../x?y#z", import.meta.url))', `${OWN}/../x`],
    ['readFileSync(fileURLToPath(new URL("r%2e", import.meta.url)))', `${OWN}/r.`],
    ['const text = await fs.promises.readFile("rules")', "rules"],
    ['JSON.parse(await (await import("node:fs/promises")).readFile("rules"))', "rules"],
    ['require("node:fs").promises.access("off")', "off"],
    ['const { accessSync: look } = require("fs");\nlook("off")', "off"],
    ['const { readFile } = fs.promises;\nreadFile("off")', "off"],
    ['await Bun.file("rules").text()', "rules"],
    ['await Deno.readTextFile("rules")', "rules"],
    ['extra.readJsonSync("rules")', "rules"],
    ['fs.openSync("rules")', "rules"],
    ['const isWord = /["\'`]/.test(x); readFileSync("rules")', "rules"],
    ["// it's\nreadFileSync('rules')", "rules"],
  ])("%s", (code, name) => {
    const { names, unknown } = readJavascript(`${FS}import { fileURLToPath } from "node:url";\n${code}`);
    expect([names, unknown]).toEqual([[name], []]);
  });
});

describe("JavaScript: what cannot be known is said", () => {
  test.each([
    "readFileSync(`${i.cwd}/rules.txt`)",
    'readFileSync(root + "/rules.txt")',
    'let root = "a"; root = input.root; readFileSync(root)',
    "function load(file) { return readFileSync(file) }",
    'const file = "a"; const load = (file) => readFileSync(file);',
    "const { file } = input; readFileSync(file)",
    "const read = readFileSync; read(x)",
    "names.map(readFileSync)",
    "const all = { ...fs }; all.x()",
    'fs["readFile" + "Sync"]("x")',
    'fs.readdirSync("policy.d")',
    'for (const f of fs.globSync("*")) f',
    "createReadStream(x)",
    "existsSync(x)",
    'readFileSync(x ? "a" : "b")',
    'process.env.CLAUDE_PROJECT_DIR = "/tmp"; readFileSync("a")',
    "Bun.file(x)",
    "await Deno.readTextFile(x)",
    "this.fs.readFileSync(x)",
    "something.createReadStream(x)",
    'new Bun.Glob("*")',
    'readFileSync("a',
    'process.getBuiltinModule("fs")',
    'fs.writeFileSync(file, "x")',
    'fs.mkdirSync(join(x, "y"), { recursive: true })',
    'fs.mkdirSync("y")',
    'fs.appendFileSync(`${root}/log`, "x")',
    'fs.writeFileSync("file", "x", { flag: "wx" })',
    'readFileSync(join(path.dirname(import.meta.url), "rules"))',
    'readFileSync(new URL("./x", import.meta.url).pathname)',
    'readFileSync(new URL("./x", import.meta.url) + "y")',
    'readFileSync(fileURLToPath("file://" + import.meta.dirname + "/x"))',
    "readFileSync(join(x, '..', 'rules'))",
    "readFileSync(join(x, '/rules'))",
    "readFileSync(join(import.meta.dirname + '-x', 'rules'))",
    "readFileSync(path.basename(import.meta.dirname))",
    "readFileSync('/hookloop-own-folder/x')",
    "readFileSync(`${import.meta.dirname}${new URL('./x', import.meta.url)}`)",
    "readFileSync(join(import.meta.dirname, '../'.repeat(3)))",
  ])("%s", (code) => {
    expect(readJavascript(`${FS}${code}`).unknown).not.toEqual([]);
  });

  test("more of a file than its bytes: the file itself counts all the same", () => {
    const { names, unknown } = readJavascript('require("fs").statSync("off")');
    expect([names, unknown.length]).toEqual([["off"], 1]);
  });

  test.each([
    "await import(x)",
    "require(x)",
    'require("a" + b)',
    'import { createRequire } from "node:module"',
    'new Worker("x")',
    'process.loadEnvFile(".env")',
    'process["getBuiltin" + "Module"]("fs")',
    'import { DatabaseSync } from "node:sqlite"',
    'const vm = require("vm")',
    "const r = require; r(x)",
    "module.constructor._load(x)",
  ])("code that is loaded: %s", (code) => {
    expect(readJavascript(code).loads).not.toEqual([]);
  });

  test.each([
    'const i = JSON.parse(readFileSync(0, "utf8"));',
    'readFileSync("/dev/stdin", "utf8")',
    "readFileSync(process.stdin.fd)",
    'fs.writeFileSync("file", "x")',
    'fs.mkdirSync("x/y", { recursive: true })',
    'fs.appendFileSync("log", "x", { mode: fs.constants.O_RDWR })',
    'const text = `a ${b ? `c ${d}` : "}"} e`; if (require.main === module) main();',
    "const input = JSON.parse(await Bun.stdin.text()); Deno.exit(2)",
    "module.exports = { a: 1 }; const half = a / b / c; const list = [/x/, /'/];",
  ])("nothing is said of %s", (code) => {
    const { names, unknown, loads } = readJavascript(`${FS}${code}`);
    expect([names, unknown, loads]).toEqual([[], [], []]);
  });

  test("the end of a name counts where its beginning is not known; command lines are given on", () => {
    expect(readJavascript(`${FS}readFileSync(\`\${i.cwd}/.claude/rules.txt\`)`).tails).toEqual([".claude/rules.txt"]);
    const code = 'import { execFileSync, execSync } from "node:child_process"; execSync("cat a"); execFileSync("grep", ["-f", "b", c])';
    expect(readJavascript(code).lines).toEqual(["cat a", `grep '-f' 'b' "\${unknown}"`]);
  });
});

describe("JavaScript: what is not among the constructs that are known is a doubt", () => {
  test.each([
    "const g = (o, k) => o[k]; g(() => {}, 'constr' + 'uctor')('1')()",
    "Object.getOwnPropertyDescriptors(Object.getPrototypeOf(() => {}))",
    "const t = {}; export const f = (o) => o[Object.keys(o)[0]]",
    "import crypto from 'node:crypto'; crypto.setEngine('./x.so')",
    "class A { constructor(private x: number) {} }",
    "enum E { A }",
    "namespace N { export const x = 1 }",
  ])("%s", (code) => {
    expect(readJavascript(code, "/x.ts").doubts).not.toEqual([]);
  });

  test.each([
    "const RULES = { a: 1 }; export const f = (name) => RULES[name] ?? 0;",
    "for (let i = 0; i < 3; i++) console.log(process.argv[i + 1], [1, 2, 3][i]);",
    "export const last = (list) => list[list.length - 1];",
    "export const variable = (name) => process.env[name];",
    "export const first = (list) => list[0] + list['x'];",
  ])("%s is known", (code) => {
    expect(readJavascript(code).doubts).toEqual([]);
  });
});

describe("Python: only a small, closed part of the language is known", () => {
  test.each([
    "import json, sys\nsys.exit(2 if 'sudo' in json.load(sys.stdin)['tool_input']['command'] else 0)\n",
    `import json
import re
import sys

PATTERNS = [r"rm -rf", "mkfs"]


def main():
    """Denies."""
    try:
        data = json.load(sys.stdin)
    except json.JSONDecodeError as error:
        print(f"bad {error}", file=sys.stderr)
        sys.exit(1)
    command = data.get("tool_input", {}).get("command", "")
    for pattern in PATTERNS:
        if re.search(pattern, command):
            print("no: " + pattern, file=sys.stderr)
            sys.exit(2)


if __name__ == "__main__":
    main()
`,
    "import os, sys\nif os.environ.get('OFF'): sys.exit(0)\nprint(os.path.basename(sys.argv[0]))\n",
    "rules = {'a': 1}\nfor key, value in rules.items(): print(key, value)\nshort = [one.strip() for one in rules]\n",
  ])("%j is known", (code) => {
    expect(doubtOfPython(code)).toBeUndefined();
  });

  test.each([
    "open('x')",
    "import sys as s\ns.modules['os']",
    "import sys\nx = sys\nx.modules",
    "import sys\nsys.modules",
    "from os.path import exists as there",
    "from sys import stdin",
    "import operator\noperator.methodcaller('x')",
    "import io\nio.FileIO('off')",
    "import http.cookiejar",
    "import xml.dom.minidom",
    "import typing\ntyping.get_type_hints(x)",
    "import os\nos.environ.update(TZ='off')",
    "import os\nos.environ['TZ'] = 'off'\nx = os.environ\n",
    "import os\nos.path.exists('x')",
    "import os\nos.getcwd()",
    "import os\nos.path.join = print",
    "def f(open): pass\nopen('off')",
    "print(len=1, open=2)\nopen('off')",
    "x = ().__class__",
    "getattr(1, 'x')",
    "eval('1')",
    "@print\ndef f(): pass",
    "class A: pass",
    "with x: pass",
    "'{0.a}'.format(1)",
    "x = 1\nprint(f'{x.real}')",
    "print(f'{open(1)}')",
    "\uff4fpen('x')",
    "# coding: utf-7\nprint(1)",
    "x = '",
    "async def f(): pass",
    "del x",
    "helper.x()",
    "import helper",
  ])("%j is a doubt", (code) => {
    expect(doubtOfPython(`${code}\n`)).toMatch(/^line \d+ \(/);
  });
});

describe("Python of a hook of the user: what it starts", () => {
  const HEAD = "import json, os, subprocess, sys\nj = json.load(sys.stdin)\n";
  test.each([
    ['subprocess.run(["git", "-C", j["cwd"], "status"], check=True)', 'git -C "${unknown}" status'],
    ['subprocess.run(["notify-send", f"done {j[\'cwd\']}"])', "notify-send 'done '\"${unknown}\""],
    ['os.system("make -C $CLAUDE_PROJECT_DIR lint")', "make -C $CLAUDE_PROJECT_DIR lint"],
    ["os.system(f\"cd {j['cwd']} && make\")", 'cd "${unknown}" && make'],
    ['subprocess.run([sys.executable, os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "x")])', `python3 ${PROJECT}/x`],
    ["subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), 'x')])", `python3 ${OWN}/x`],
    ['subprocess.run(j["list"])', '"${unknown}"'],
    ['subprocess.run(args=["a", "b"])', "a b"],
    ["asyncio.run(main())", undefined],
  ])("%s", (code, line) => {
    expect(startedByPython(`${HEAD}${code}\n`)).toEqual({ lines: line === undefined ? [] : [line], starts: [] });
  });

  test("a program is also looked for in the folder that it is started in", () => {
    expect(startedByPython(`${HEAD}subprocess.run(["just", "lint"], cwd=j["cwd"] + "/sub")\n`).lines).toEqual([
      "just lint",
      'cd "${unknown}/sub" && just lint',
    ]);
  });

  test.each([
    'sys.path.insert(0, os.environ["CLAUDE_PROJECT_DIR"])',
    'sys.path.insert(0, ".")',
    "sys.path.append(os.getcwd())",
    'sys.path[:0] = [j["cwd"]]',
    "exec(open('x').read())",
    "run = subprocess.run\nrun(x)",
    "importlib.import_module(x)",
  ])("%s is not certain", (code) => {
    expect(startedByPython(`${HEAD}${code}\n`).starts).not.toEqual([]);
  });

  test("the script's own folder is", () => {
    expect(startedByPython(`${HEAD}sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n`).starts).toEqual([]);
  });
});

test("a text that was made to take long does not", () => {
  const before = processorNow();
  for (const text of ["`${".repeat(20_000), "(".repeat(50_000), "a.".repeat(50_000), "x.exists()\n".repeat(20_000), "'a'+".repeat(50_000)])
    for (const read of [readJavascript, doubtOfPython, startedByPython]) read(text);
  expect(processorNow() - before).toBeLessThan(5000);
});
