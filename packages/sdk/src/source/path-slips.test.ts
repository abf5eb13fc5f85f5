import { expect, test } from "vitest";
import { processorMs } from "../../../hookloop/src/growth.test-suite.ts";
import { barePath } from "./path-slips.ts";

const PYTHON = "import json, sys\nd = json.load(sys.stdin)\n";
const NODE = 'const d = JSON.parse(readFileSync(0, "utf8"));\n';
const SHELL = "input=$(cat)\nf=$(printf %s \"$input\" | jq -r '.tool_input.file_path // empty')\n";

test.each([
  ["js", `${NODE}if (d.tool_input.file_path === ".env") process.exit(2);`, '".env"', 'endsWith("/.env")'],
  ["js", `${NODE}if (".env" === d.tool_input?.file_path) process.exit(2);`, '".env"', 'endsWith("/.env")'],
  ["js", `${NODE}const f = d.tool_input.file_path ?? "";\nif (f == '.env') process.exit(2);`, '".env"', 'endsWith("/.env")'],
  ["js", `${NODE}const { file_path: f } = d.tool_input;\nif (f === "src/a.ts") process.exit(2);`, '"src/a.ts"', 'endsWith("/src/a.ts")'],
  ["js", `hook("PreToolUse", ({ tool_input: { file_path } }) => { if (file_path === ".env") return deny("no"); });`, '".env"', "endsWith"],
  [
    "js",
    `const L = [".env", "package.json"];\n(i) => { if (L.includes(i.tool_input.file_path)) return deny("no"); };`,
    '".env"',
    "endsWith",
  ],
  ["js", `const L: Set<string> = new Set([".env"]);\n(i) => L.has(i.tool_input.file_path) && deny("no");`, '".env"', "endsWith"],
  ["js", `(i) => [".env", ".npmrc"].includes(i.tool_input.file_path) ? deny("no") : undefined;`, '".env"', "endsWith"],
  ["js", `(i) => { switch (i.tool_input.file_path) { case ".env": return deny("no"); } };`, '".env"', "endsWith"],
  ["js", `(i) => i.tool_input.file_path.startsWith("secrets/") ? deny("no") : undefined;`, '"secrets/"', 'includes("/secrets/")'],
  ["js", `(i) => i.tool_input.file_path?.startsWith(".env") ? deny("no") : undefined;`, '".env"', 'includes("/.env")'],
  ["js", `(i) => /^\\.env/.test(i.tool_input.file_path) ? deny("no") : undefined;`, '".env"', 'includes("/.env")'],
  ["js", `(i) => i.tool_input.file_path.match(/^(?:secrets|keys)\\//) ? deny("no") : undefined;`, '"(?:secrets|keys)/"', "includes("],
  ["py", `${PYTHON}if d["tool_input"]["file_path"] == ".env":\n    sys.exit(2)\n`, '".env"', 'endswith("/.env")'],
  ["py", `${PYTHON}p = d.get("tool_input", {}).get("file_path", "")\nif p in [".env", "a.json"]:\n    sys.exit(2)\n`, '".env"', "endswith"],
  [
    "py",
    `${PYTHON}P = {".env", "a.json"}\nfile_path = d["tool_input"].get("file_path")\nif file_path in P:\n    sys.exit(2)\n`,
    '".env"',
    "endswith",
  ],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif p.startswith("secrets/"):\n    sys.exit(2)\n`, '"secrets/"', '"/secrets/" in'],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif p.startswith((".env", "keys/")):\n    sys.exit(2)\n`, '".env"', '"/.env" in'],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif re.match(r"\\.env", p):\n    sys.exit(2)\n`, '".env"', '"/.env" in'],
  ["js", `const BAD = [".env"];\n(i) => BAD.some((b) => i.tool_input.file_path === b) ? deny("no") : undefined;`, '".env"', "endsWith"],
  [
    "js",
    `const BAD = ["keys/"];\n(i) => BAD.some((b) => i.tool_input.file_path.startsWith(b)) ? deny("no") : undefined;`,
    '"keys/"',
    "includes",
  ],
  ["js", `${NODE}for (const b of [".env", "a"]) if (d.tool_input.file_path === b) process.exit(2);`, '".env"', "endsWith"],
  ["js", `${NODE}const P = [/^\\.env/, /x/];\nif (P.some((p) => p.test(d.tool_input.file_path))) process.exit(2);`, '".env"', "includes"],
  [
    "js",
    `const isEnv = (p: string) => p === ".env";\n(i) => isEnv(i.tool_input.file_path) ? deny("no") : undefined;`,
    '".env"',
    "endsWith",
  ],
  [
    "js",
    `function isEnv(p) { return p === ".env"; }\n(i) => isEnv(i.tool_input.file_path) ? deny("no") : undefined;`,
    '".env"',
    "endsWith",
  ],
  ["js", `${NODE}if (path.normalize(d.tool_input.file_path) === ".env") process.exit(2);`, '".env"', "endsWith"],
  ["js", `${NODE}if (path.dirname(d.tool_input.file_path) === "secrets") process.exit(2);`, '"secrets/"', 'includes("/secrets/")'],
  ["py", `${PYTHON}p = Path(d["tool_input"]["file_path"])\nif p == Path(".env"):\n    sys.exit(2)\n`, '".env"', "endswith"],
  ["py", `${PYTHON}p = Path(d["tool_input"]["file_path"])\nif str(p) in (".env", "a"):\n    sys.exit(2)\n`, '".env"', "endswith"],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif fnmatch.fnmatch(p, ".env*"):\n    sys.exit(2)\n`, '".env*"', "in file_path"],
  [
    "py",
    `${PYTHON}L = ["secrets/*"]\np = d["tool_input"]["file_path"]\nif any(fnmatch.fnmatch(p, x) for x in L):\n    sys.exit(2)\n`,
    '"secrets/*"',
    '"/secrets/" in',
  ],
  ["py", `${PYTHON}L = [".env"]\np = d["tool_input"]["file_path"]\nif any(p == b for b in L):\n    sys.exit(2)\n`, '".env"', "endswith"],
  [
    "py",
    `${PYTHON}L = [".env"]\np = d["tool_input"]["file_path"]\nfor b in L:\n    if p == b:\n        sys.exit(2)\n`,
    '".env"',
    "endswith",
  ],
  [
    "py",
    `${PYTHON}L = ["keys/"]\np = d["tool_input"]["file_path"]\nif any(p.startswith(b) for b in L):\n    sys.exit(2)\n`,
    '"keys/"',
    "in file_path",
  ],
  [
    "py",
    `${PYTHON}def bad(path):\n    return path == ".env"\nif bad(d["tool_input"]["file_path"]):\n    sys.exit(2)\n`,
    '".env"',
    "endswith",
  ],
  ["py", `${PYTHON}if os.path.dirname(d["tool_input"]["file_path"]) == "secrets":\n    sys.exit(2)\n`, '"secrets/"', '"/secrets/" in'],
  ["sh", `is_secret() { [ "$1" = .env ]; }\n${SHELL}if is_secret "$f"; then exit 2; fi\n`, '".env"', "*/.env)"],
  ["sh", `${SHELL}for b in .env a.pem; do [ "$f" = "$b" ] && exit 2; done\n`, '".env"', "*/.env)"],
  ["sh", `${SHELL}if [ "$f" = ".env" ]; then exit 2; fi\n`, '".env"', "*/.env)"],
  ["sh", `${SHELL}if [[ $f == .env ]]; then exit 2; fi\n`, '".env"', "*/.env)"],
  ["sh", `${SHELL}[[ "$f" == secrets/* ]] && exit 2\n`, '"secrets/*"', "*/secrets/*)"],
  ["sh", `${SHELL}[[ "$f" =~ ^secrets/ ]] && exit 2\n`, '"secrets/"', "*/secrets/*)"],
  ["sh", `${SHELL}case $f in .env|.env.local) exit 2;; esac\n`, '".env"', "*/.env)"],
  ["sh", `${SHELL}case "$f" in\n  "package.json") exit 2 ;;\nesac\n`, '"package.json"', "*/package.json)"],
  ["sh", "jq -r .tool_input.file_path | grep -q '^\\.env' && exit 2\n", '".env"', "*/.env*)"],
  ["sh", `${SHELL}echo "$f" | grep -qx .env && exit 2\n`, '".env"', "*/.env)"],
  ["sh", `jq -e '.tool_input.file_path == ".env"' >/dev/null && exit 2\n`, '".env"', 'endswith("/.env")'],
  ["sh", `jq -e '.tool_input.file_path | startswith("secrets/")' && exit 2\n`, '"secrets/"', 'contains("/secrets/")'],
] as const)("%s that compares a path with a name is told that paths are absolute: %s", (language, text, found, cure) => {
  const said = barePath(text, language);
  expect(said).toContain(`compares file_path with ${found}, `);
  expect(said).toContain(cure);
});

test.each([
  ["js", `(i) => i.tool_input.file_path.endsWith("/.env") ? deny("no") : undefined;`],
  ["js", `(i) => i.tool_input.file_path === ".env" || i.tool_input.file_path.endsWith("/.env") ? deny("no") : undefined;`],
  ["js", `(i) => path.basename(i.tool_input.file_path) === ".env" ? deny("no") : undefined;`],
  ["js", `(i) => { const f = path.relative(i.cwd, i.tool_input.file_path); if (f === ".env") return deny("no"); };`],
  ["js", `(i) => { let f = i.tool_input.file_path; f = f.slice(i.cwd.length + 1); if (f === ".env") return deny("no"); };`],
  ["js", `(i) => i.tool_input.file_path.split("/").includes("secrets.d") ? deny("no") : undefined;`],
  ["js", `(i) => i.tool_input.file_path === "/etc/passwd" ? deny("no") : undefined;`],
  ["js", "(i) => i.tool_input.file_path === `${i.cwd}/.env` ? deny('no') : undefined;"],
  ["js", `(i) => i.tool_input.file_path.startsWith("/etc/") || i.tool_input.file_path === "" ? deny("no") : undefined;`],
  ["js", `(i) => /\\.env$/.test(i.tool_input.file_path) ? deny("no") : undefined;`],
  ["js", `(i) => /^\\/etc/.test(i.tool_input.file_path) || /^.*\\.env/.test(i.tool_input.file_path) ? deny("no") : undefined;`],
  ["js", `(i) => /(^|\\/)\\.env/.test(i.tool_input.file_path) ? deny("no") : undefined;`],
  ["js", `(i) => i.tool_input.file_path.startsWith("..") ? deny("no") : undefined;`],
  ["js", `(i) => i.tool_input.command === "npm.sh" ? deny("no") : undefined;`],
  ["py", `${PYTHON}p = os.path.basename(d["tool_input"]["file_path"])\nif p == ".env":\n    sys.exit(2)\n`],
  ["py", `${PYTHON}file_path = os.path.relpath(d["tool_input"]["file_path"])\nif file_path == ".env":\n    sys.exit(2)\n`],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif ".env" in p:\n    sys.exit(2)\n`],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif p.startswith(f"{root}/secrets"):\n    sys.exit(2)\n`],
  ["py", `${PYTHON}p = d["tool_input"]["file_path"]\nif re.search(r"\\.env$", p) or re.match(r".*\\.env", p):\n    sys.exit(2)\n`],
  ["js", `const BAD = ["/.env"];\n(i) => BAD.some((b) => i.tool_input.file_path.endsWith(b)) ? deny("no") : undefined;`],
  ["js", `const L = [".env"];\n(i) => L.some((b) => path.basename(i.tool_input.file_path) === b) ? deny("no") : undefined;`],
  ["js", `const L = [".env"];\n(i) => L.some((b) => i.tool_input.file_path === path.join(i.cwd, b)) ? deny("no") : undefined;`],
  ["js", `const isEnv = (p) => p === ".env";\n(i) => isEnv(path.basename(i.tool_input.file_path)) ? deny("no") : undefined;`],
  ["js", `${NODE}if (path.basename(path.dirname(d.tool_input.file_path)) === "secrets") process.exit(2);`],
  ["py", `${PYTHON}p = Path(d["tool_input"]["file_path"])\nif p.name == ".env" or p == Path("/etc/x"):\n    sys.exit(2)\n`],
  [
    "py",
    `${PYTHON}L = ["*.env", "*/keys/*"]\np = d["tool_input"]["file_path"]\nif any(fnmatch.fnmatch(p, x) for x in L):\n    sys.exit(2)\n`,
  ],
  ["sh", `${SHELL}for b in .env a.pem; do [ "$f" = "$PWD/$b" ] && exit 2; done\n`],
  ["sh", `${SHELL}case $f in */.env|.env) exit 2;; esac\n`],
  ["sh", `${SHELL}case $f in *.env|/etc/*|"$HOME"/*) exit 2;; esac\n`],
  ["sh", `${SHELL}[[ $f == *.env ]] && exit 2\n`],
  ["sh", `${SHELL}[ "$f" = "$CLAUDE_PROJECT_DIR/.env" ] && exit 2\n`],
  ["sh", `f=$(basename "$(jq -r .tool_input.file_path)")\n[ "$f" = .env ] && exit 2\n`],
  ["sh", `${SHELL}f=\${f##*/}\n[ "$f" = .env ] && exit 2\n`],
  ["sh", `f=$(jq -r .tool_input.file_path | sed "s|$PWD/||")\n[ "$f" = .env ] && exit 2\n`],
  ["sh", `${SHELL}echo "$f" | grep -q '\\.env$' && exit 2\n`],
  ["sh", `${SHELL}[ -z "$f" ] && exit 0\n[ "$f" = null ] && exit 0\n`],
] as const)("%s that may well match is left alone: %s", (language, text) => {
  expect(barePath(text, language)).toBeUndefined();
});

test.each([
  ["an assignment", "a = file_path"],
  ["a comparison", 'file_path === "'],
  ["a case", "f=$(jq -r .tool_input.file_path)\ncase $f in a\n"],
  ["a list", "x = ["],
])("a text full of beginnings of %s takes time in proportion to its length", (_name, part) => {
  const ms = (times: number): number => Math.min(...[1, 2].map(() => processorMs(() => barePath(part.repeat(times), "sh"))));
  expect(ms(2000)).toBeLessThan(250);
});
