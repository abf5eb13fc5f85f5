/** Makes hooks by chance: what starts them, how they load or read more, and which files that is. */

export interface MadeHook {
  readonly command: string;
  /** Relative to the hook's own folder; the first is its script, if it has one. */
  readonly files: Readonly<Record<string, string>>;
  /** Those of them that a run reads. */
  readonly reads: readonly string[];
  readonly declared?: readonly string[];
}

/** A way to bring in more: lines for the script, and the files behind them. */
interface Way {
  readonly lines: (at: Place) => string;
  readonly files?: Readonly<Record<string, string>>;
  readonly reads?: readonly string[];
}

/** The hook's folder from the project, and as `$CLAUDE_PROJECT_DIR` has it. */
interface Place {
  readonly folder: string;
}

const SHELL: readonly Way[] = [
  { lines: () => "" },
  { lines: ({ folder }) => `. ${folder}/lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `. "$CLAUDE_PROJECT_DIR/${folder}/lib.sh"\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: () => '. "$(dirname "$0")/lib.sh"\n', files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: () => 'HERE=$(cd "$(dirname "$0")" && pwd)\n. "$HERE/sub/lib.sh"\n', files: { "sub/lib.sh": "L=1\n" }, reads: ["sub/lib.sh"] },
  { lines: ({ folder }) => `bash ${folder}/other.sh one\n`, files: { "other.sh": "exit 0\n" }, reads: ["other.sh"] },
  { lines: ({ folder }) => `sh -c 'bash ${folder}/other.sh'\n`, files: { "other.sh": "exit 0\n" }, reads: ["other.sh"] },
  { lines: ({ folder }) => `timeout 5 sh ${folder}/other.sh\n`, files: { "other.sh": "exit 0\n" }, reads: ["other.sh"] },
  { lines: ({ folder }) => `cd ${folder} && . ./lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `cd ${folder}\n. ./lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `if true; then cd ${folder}; fi\n. ./lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `grep -qf ${folder}/rules.txt /dev/null\n`, files: { "rules.txt": "x\n" }, reads: ["rules.txt"] },
  {
    lines: ({ folder }) => `read -r word < "$CLAUDE_PROJECT_DIR"/${folder}/rules.txt\n`,
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  { lines: ({ folder }) => `F=${folder}/rules.txt; cat "$F" > /dev/null\n`, files: { "rules.txt": "x\n" }, reads: ["rules.txt"] },
  { lines: ({ folder }) => `for f in ${folder}/d/*.sh; do . "$f"; done\n`, files: { "d/a.sh": "L=1\n" }, reads: ["d/a.sh"] },
  { lines: ({ folder }) => `eval "$(cat ${folder}/lib.sh)"\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `cat ${folder}/lib.sh | sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `BASH_ENV=${folder}/env bash -c true\n`, files: { env: "L=1\n" }, reads: ["env"] },
  {
    lines: ({ folder }) => `PATH="$CLAUDE_PROJECT_DIR/${folder}/bin:$PATH"\ntool\n`,
    files: { "bin/tool": "#!/bin/sh\nexit 0\n" },
    reads: ["bin/tool"],
  },
  { lines: ({ folder }) => `${folder}/bin/tool\n`, files: { "bin/tool": "#!/bin/sh\nexit 0\n" }, reads: ["bin/tool"] },
  {
    lines: ({ folder }) => `node ${folder}/m.mjs\n`,
    files: { "m.mjs": 'import "./n.mjs";\n', "n.mjs": "export {};\n" },
    reads: ["m.mjs", "n.mjs"],
  },
  { lines: ({ folder }) => `node -e 'require("./${folder}/c.cjs")'\n`, files: { "c.cjs": "\n" }, reads: ["c.cjs"] },
  { lines: ({ folder }) => `awk -f ${folder}/x.awk /dev/null\n`, files: { "x.awk": "{ print }\n" }, reads: ["x.awk"] },
  { lines: ({ folder }) => `sed -f ${folder}/x.sed /dev/null\n`, files: { "x.sed": "p\n" }, reads: ["x.sed"] },
  { lines: ({ folder }) => `jq -n -f ${folder}/x.jq > /dev/null\n`, files: { "x.jq": "1\n" }, reads: ["x.jq"] },
  { lines: ({ folder }) => `jq -n --slurpfile d ${folder}/d.json '$d' > /dev/null\n`, files: { "d.json": "1\n" }, reads: ["d.json"] },
  { lines: ({ folder }) => `printf '%s\\n' ${folder}/other.sh | xargs bash\n`, files: { "other.sh": "exit 0\n" }, reads: ["other.sh"] },
  { lines: ({ folder }) => `f() { . "$1"; }; f ${folder}/lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `X=${folder}; . "$X/lib.sh"\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `trap '. ${folder}/lib.sh' EXIT\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `bash -s < ${folder}/lib.sh\n`, files: { "lib.sh": "L=1\n" }, reads: ["lib.sh"] },
  { lines: ({ folder }) => `[ -s ${folder}/on ] && cat ${folder}/on > /dev/null\n`, files: { on: "1\n" }, reads: ["on"] },
];

/** Ways of the shell to give a variable another value; each is followed by a library of that name, which is the switch. */
const SETS: readonly string[] = [
  "f=2",
  "f=$((1 + 1))",
  "f=$((1 ? 2 : 1))",
  ": $((f=2))",
  ": $((f++))",
  "f+=",
  "l[f=2]=a",
  "l[f++]=a",
  "(( f = 2 ))",
  "(( f++ ))",
  "let f=2",
  "[[ f=2 -eq 2 ]]",
  "[[ -v l[f=2] ]]",
  "v='f=2'; (( v ))",
  "v='f=2'; : ${l[v]}",
  "x=abc; : ${x:f=2}",
  "unset f; : ${f:=2}",
  "unset f; [[ ${f:=2} ]]",
  "printf -v f 2",
  "read -r f <<< 2",
  "mapfile -t f <<< 2",
  "declare -n g=f; g=2",
  "declare -i n; n='f=2'",
  "for f in 2; do :; done",
  "for ((f=2; f<2; )); do :; done",
  "set -- 2; f=$1",
  "l=(1 2); f=${l[1]}",
  "v=f; declare $v=2",
  "h() { f=2; }; h",
  "trap 'f=2' DEBUG; :",
  "n=1; [[ $n -eq 1 ]] && f=2",
  "x=B2; f=${x#B}",
  "shopt -s lastpipe; echo 2 | read -r f",
];
const SWITCHED: readonly Way[] = SETS.map((sets) => ({
  lines: ({ folder }) => `f=1\n${sets}\n. ./${folder}/n$f\n`,
  files: { n1: "L=1\n", n2: "L=1\n" },
  reads: /^(?:f\+=|n=1)/.test(sets) ? [] : ["n2"],
}));

/** Names of files as Node puts them together. */
const NAMES: readonly string[] = [
  'path.join(D, "rules.txt")',
  'path.join(D, "/rules.txt")',
  'path.join(D, "sub", "..", "/rules.txt")',
  'path.resolve(D, "rules.txt")',
  'path.join(path.dirname(fileURLToPath(import.meta.url)), "rules.txt")',
  'new URL("./rules.txt", import.meta.url)',
  'new URL("./r%75les.txt", import.meta.url)',
  'new URL("./rules.txt?x#y", import.meta.url)',
  'fileURLToPath(new URL("rules%2etxt", import.meta.url))',
  'new URL("./rules.txt", import.meta.url).pathname',
  "`${D}/rules.txt`",
  'path.format({ dir: D, base: "rules.txt" })',
  '["rules.txt"].map((one) => path.join(D, one))[0]',
  'path.join(D, path.basename("/x/rules.txt"))',
];
const NAMED: readonly Way[] = NAMES.map((name) => ({
  lines: () =>
    `import fs from "node:fs";\nimport path from "node:path";\nimport { fileURLToPath } from "node:url";\nconst D = import.meta.dirname;\nfs.readFileSync(${name});\n`,
  files: { "rules.txt": "x\n", "sub/x": "" },
  reads: ["rules.txt"],
}));

const MODULE: readonly Way[] = [
  { lines: () => "" },
  { lines: () => 'import "./a.mjs";\n', files: { "a.mjs": "export const a = 1;\n" }, reads: ["a.mjs"] },
  {
    lines: () => 'import { b } from "./lib/a.mjs";\nglobalThis.x = b;\n',
    files: { "lib/a.mjs": "export const b = 1;\n" },
    reads: ["lib/a.mjs"],
  },
  {
    lines: () => 'import { b } from "./lib/a.mjs";\nexport { b };\n',
    files: { "lib/a.mjs": 'export * from "../b.mjs";\n', "b.mjs": "export const b = 1;\n" },
    reads: ["lib/a.mjs", "b.mjs"],
  },
  { lines: () => 'await import("./a.mjs");\n', files: { "a.mjs": "export {};\n" }, reads: ["a.mjs"] },
  { lines: () => "await import(`./a.mjs`);\n", files: { "a.mjs": "export {};\n" }, reads: ["a.mjs"] },
  { lines: () => 'const n = "a";\nawait import(`./${n}.mjs`);\n', files: { "a.mjs": "export {};\n" }, reads: ["a.mjs"] },
  {
    lines: () => 'import c from "./c.cjs";\nexport { c };\n',
    files: { "c.cjs": 'module.exports = require("./d");\n', "d.js": "module.exports = 1;\n" },
    reads: ["c.cjs", "d.js"],
  },
  { lines: () => 'import d from "./d.json" with { type: "json" };\nexport { d };\n', files: { "d.json": "1\n" }, reads: ["d.json"] },
  {
    lines: () => 'import p from "pack";\nexport { p };\n',
    files: {
      "node_modules/pack/package.json": '{"name":"pack","main":"./i.js"}',
      "node_modules/pack/i.js": 'module.exports = require("./j.js");\n',
      "node_modules/pack/j.js": "module.exports = 1;\n",
    },
    reads: ["node_modules/pack/i.js", "node_modules/pack/j.js"],
  },
  {
    lines: ({ folder }) => `import { readFileSync } from "node:fs";\nreadFileSync("${folder}/rules.txt");\n`,
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  {
    lines: () => 'import { readFileSync } from "node:fs";\nreadFileSync(new URL("./rules.txt", import.meta.url));\n',
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  {
    lines: () => 'import fs from "node:fs";\nconst read = fs.readFileSync;\nread(import.meta.dirname + "/rules.txt");\n',
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  {
    lines: () => 'import fs from "node:fs";\nfs["readFile" + "Sync"](import.meta.dirname + "/rules.txt");\n',
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  {
    lines: () => 'import { r } from "./r.mjs";\nr(import.meta.dirname + "/rules.txt");\n',
    files: { "r.mjs": 'export { readFileSync as r } from "node:fs";\n', "rules.txt": "x\n" },
    reads: ["r.mjs", "rules.txt"],
  },
  {
    lines: ({ folder }) => `import { execSync } from "node:child_process";\nexecSync("bash ${folder}/other.sh");\n`,
    files: { "other.sh": "exit 0\n" },
    reads: ["other.sh"],
  },
  {
    lines: () => 'import { execFileSync } from "node:child_process";\nexecFileSync("bash", [import.meta.dirname + "/other.sh"]);\n',
    files: { "other.sh": "exit 0\n" },
    reads: ["other.sh"],
  },
  {
    lines: () => 'import { execFileSync } from "node:child_process";\nexecFileSync(process.execPath, [import.meta.dirname + "/o.mjs"]);\n',
    files: { "o.mjs": "export {};\n" },
    reads: ["o.mjs"],
  },
  {
    lines: () => 'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./c.cjs");\n',
    files: { "c.cjs": "\n" },
    reads: ["c.cjs"],
  },
  { lines: () => 'process.getBuiltinModule?.("fs").readFileSync(import.meta.dirname + "/rules.txt");\n', files: { "rules.txt": "x\n" } },
  { lines: () => 'const t = { a: (f) => f };\nt["a"](1);\n' },
];

const COMMON: readonly Way[] = [
  { lines: () => "" },
  { lines: () => 'require("./a");\n', files: { "a.js": "\n" }, reads: ["a.js"] },
  { lines: () => 'require("./a.json");\n', files: { "a.json": "1\n" }, reads: ["a.json"] },
  { lines: () => 'require("./lib");\n', files: { "lib/index.js": "\n" }, reads: ["lib/index.js"] },
  { lines: () => 'const r = require;\nr("./a");\n', files: { "a.js": "\n" }, reads: ["a.js"] },
  { lines: () => 'require(__dirname + "/a.js");\n', files: { "a.js": "\n" }, reads: ["a.js"] },
  { lines: () => 'module.require("./a");\n', files: { "a.js": "\n" }, reads: ["a.js"] },
  { lines: () => 'require("node:fs").readFileSync(__dirname + "/rules.txt");\n', files: { "rules.txt": "x\n" }, reads: ["rules.txt"] },
  {
    lines: () => 'const { readFileSync: look } = require("fs");\nlook(require("path").join(__dirname, "rules.txt"));\n',
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  {
    lines: () => 'eval(require("fs").readFileSync(__dirname + "/code.txt", "utf8"));\n',
    files: { "code.txt": "1\n" },
    reads: ["code.txt"],
  },
  {
    lines: () => 'require("vm").runInThisContext(require("fs").readFileSync(__dirname + "/code.txt", "utf8"));\n',
    files: { "code.txt": "1\n" },
    reads: ["code.txt"],
  },
];

const PYTHON: readonly Way[] = [
  { lines: () => "import json\n" },
  { lines: () => "import helper\n", files: { "helper.py": "x = 1\n" }, reads: ["helper.py"] },
  { lines: () => "import pkg.mod\n", files: { "pkg/mod.py": "x = 1\n" }, reads: ["pkg/mod.py"] },
  {
    lines: () => "import os\nopen(os.path.join(os.path.dirname(__file__), 'rules.txt')).read()\n",
    files: { "rules.txt": "x\n" },
    reads: ["rules.txt"],
  },
  { lines: () => "import sys\nsys.path.insert(0, 'elsewhere')\n" },
  { lines: () => "exec(open(__file__).read()[:0])\n" },
];

/** A source of numbers that gives the same ones each time. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

export function makeHook(folder: string, below: (count: number) => number): MadeHook {
  const pick = <One>(all: readonly One[]): One => all[below(all.length)] as One;
  const way = (ways: readonly Way[]): Way =>
    joined(
      Array.from({ length: 1 + below(2) }, () => pick(ways)),
      { folder },
    );
  const named = pick([`"$CLAUDE_PROJECT_DIR"/${folder}`, folder]);
  const make = (script: string, ways: readonly Way[], command: string, head = ""): MadeHook => {
    const { lines, files = {}, reads = [] } = way(ways);
    return { command, files: { [script]: `${head}${lines({ folder })}`, ...files }, reads: [script, ...reads] };
  };
  const kinds: readonly (() => MadeHook)[] = [
    () => make("x.sh", SHELL, `${pick(["bash", "sh", "bash -eu", "bash -o pipefail", "env bash", "timeout 9 sh"])} ${named}/x.sh`),
    () => make("x", SHELL, `${named}/x`, pick(["#!/bin/bash\n", "#!/usr/bin/env bash\n", "#!/bin/sh -e\n"])),
    () => make("x.sh", SHELL, `. ${named.startsWith('"') ? named : `./${named}`}/x.sh`),
    () => {
      const { lines, files = {}, reads = [] } = way(SHELL.slice(1));
      return { command: lines({ folder }).trim().replaceAll("\n", "; "), files: { "unused.txt": "", ...files }, reads };
    },
    () => make("x.mjs", MODULE, `node ${pick(["", "--no-warnings "])}${named}/x.mjs`),
    () => make("x.mjs", MODULE, `node ${named}/x.mjs`),
    () => make("x.sh", [pick(SWITCHED)], `${pick(["bash", "bash", "sh"])} ${named}/x.sh`),
    () => make("x.mjs", [pick(NAMED)], `node ${named}/x.mjs`),
    () => make("x.cjs", COMMON, `node ${named}/x.cjs`),
    () => make("x.js", COMMON, `node ${pick(["", "-r ./nothing "])}${named}/x.js`),
    () => ({
      ...make("x.py", PYTHON, `python3 ${named}/x.py`),
      ...(below(2) === 0 && { declared: [pick([`${folder}/**`, `${folder}/*.py`, "README.md"])] }),
    }),
  ];
  return pick(kinds)();
}

function joined(ways: readonly Way[], place: Place): Way {
  return {
    lines: () => [...new Set(ways.map(({ lines }) => lines(place)))].join(""),
    files: Object.assign({}, ...ways.map(({ files = {} }) => files)) as Readonly<Record<string, string>>,
    reads: [...new Set(ways.flatMap(({ reads = [] }) => reads))],
  };
}
