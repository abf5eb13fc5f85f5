import { describe, expect, test } from "vitest";
import { processorNow } from "../../growth.test-suite.ts";
import { HOME, OWN, PROJECT } from "./code-reader.ts";
import { readCode } from "./read-python.ts";

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
    ['readFileSync(new URL("./rules", import.meta.url))', `${OWN}/./rules`],
    ['readFileSync(join(path.dirname(fileURLToPath(import.meta.url)), "..", "rules"))', `${OWN}/../rules`],
    ['existsSync(".claude/guard-off")', ".claude/guard-off"],
    ['if (!existsSync(join(process.cwd(), "on"))) process.exit(0)', "./on"],
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
    const { names, unknown } = readCode("javascript", `${FS}import { fileURLToPath } from "node:url";\n${code}`);
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
  ])("%s", (code) => {
    expect(readCode("javascript", `${FS}${code}`).unknown).not.toEqual([]);
  });

  test.each([
    ["javascript", 'require("fs").statSync("off")'],
    ["python", "import os\nos.stat('off')\n"],
  ] as const)("more of a file than its bytes, in %s: the file itself counts all the same", (language, code) => {
    const { names, unknown } = readCode(language, code);
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
    expect(readCode("javascript", code).loads).not.toEqual([]);
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
    const { names, unknown, loads } = readCode("javascript", `${FS}${code}`);
    expect([names, unknown, loads]).toEqual([[], [], []]);
  });

  test("the end of a name counts where its beginning is not known; command lines are given on", () => {
    expect(readCode("javascript", `${FS}readFileSync(\`\${i.cwd}/.claude/rules.txt\`)`).tails).toEqual([".claude/rules.txt"]);
    const code = 'import { execFileSync, execSync } from "node:child_process"; execSync("cat a"); execFileSync("grep", ["-f", "b", c])';
    expect(readCode("javascript", code).lines).toEqual(["cat a", `grep '-f' 'b' "\${unknown}"`]);
  });
});

describe("Python", () => {
  const HEAD = "import json, os, sys\nfrom pathlib import Path\n";
  test.each([
    ["open('rules')", "rules"],
    ['open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "a", "b"))', `${PROJECT}/a/b`],
    ["with open(f\"{os.environ['CLAUDE_PROJECT_DIR']}/rules\") as f: pass", `${PROJECT}/rules`],
    ['root = os.environ.get("CLAUDE_PROJECT_DIR", ".")\nif os.path.exists(root + "/off"): sys.exit(0)', `${PROJECT}/off`],
    ['if (Path(os.getenv("CLAUDE_PROJECT_DIR")) / "off").exists(): sys.exit(0)', `${PROJECT}/off`],
    ['HERE = Path(__file__).resolve().parent\nrules = (HERE / "rules").read_text()', `${OWN}/rules`],
    ['off = Path.home() / ".off"\nif off.is_file(): pass', `${HOME}/.off`],
    ["Path('off').exists()", "off"],
    ["json.load(open('rules'))", "rules"],
    ["open('a' 'b')", "ab"],
    ["'''it's'''\nopen(r'rules')  # don't", "rules"],
  ])("%s", (code, name) => {
    const { names, unknown } = readCode("python", `${HEAD}${code}\n`);
    expect([names, unknown]).toEqual([[name], []]);
  });

  test.each([
    "open(x)",
    "open(d['cwd'] + '/rules')",
    "def load(name):\n  return open(name)",
    "Path(x).read_text()",
    "for p in files: p.exists()",
    "os.listdir('policy.d')",
    "Path('policy.d').glob('*')",
    "f = open\nf('x')",
    "getattr(os, 'op' + 'en')('x')",
    "import glob",
    "import os as o",
    "import fileinput",
    "from sqlite3 import connect",
    "a = 'x'\na = y\nopen(a)",
    "open(f'{x!r}')",
  ])("%s cannot be known", (code) => {
    expect(readCode("python", `${HEAD}${code}\n`).unknown).not.toEqual([]);
  });

  test.each(["json.load(sys.stdin)", "open('ran', 'w')", "open(0).read()", "Path('x').write_text('y')", "re.compile('open')"])(
    "nothing: %s",
    (code) => {
      const { names, unknown } = readCode("python", `${HEAD}${code}\n`);
      expect([names, unknown]).toEqual([[], []]);
    },
  );
});

test("a text that was made to take long does not", () => {
  const before = processorNow();
  for (const text of ["`${".repeat(20_000), "(".repeat(50_000), "a.".repeat(50_000), "x.exists()\n".repeat(20_000), "'a'+".repeat(50_000)])
    for (const language of ["javascript", "python"] as const) readCode(language, text);
  expect(processorNow() - before).toBeLessThan(5000);
});

test.each(['print(f"{error!r}")', 'print(f"{value:>10} {a != b}")'])("%s is taken apart", (text) => {
  expect(readCode("python", text).unknown).toEqual([]);
});
