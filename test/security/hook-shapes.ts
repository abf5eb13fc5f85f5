/** Hooks as people write them: how each is started, what belongs to it, and whether it can be `trusted`. docs/reference/trust.md has the same list in words. */
export interface HookShape {
  readonly name: string;
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  /** `files` of the hook itself. */
  readonly declared?: readonly string[];
  readonly state: "trusted" | "definition-only";
  readonly event?: "PreToolUse" | "PostToolUse" | "Stop";
}

const ROOT = '"$CLAUDE_PROJECT_DIR"';
const SH = "#!/bin/bash\nset -euo pipefail\n";
const INPUT = "INPUT=$(cat)\nCOMMAND=$(echo \"$INPUT\" | jq -r '.tool_input.command // empty')\n";
const READ = 'import { readFileSync } from "node:fs";\nconst input = JSON.parse(readFileSync(0, "utf8"));\n';

const trusted = (name: string, command: string, files: HookShape["files"] = {}): HookShape => ({ name, command, files, state: "trusted" });
const open = (name: string, command: string, files: HookShape["files"] = {}): HookShape => ({
  name,
  command,
  files,
  state: "definition-only",
});

export const SHAPES: readonly HookShape[] = [
  trusted("a line of jq", "jq -e '.tool_input.command | test(\"rm -rf\") | not' > /dev/null || exit 2"),
  trusted("a line of jq and grep", "jq -r .tool_input.command | grep -qE 'push.*--force' && exit 2 || exit 0"),
  trusted("jq appends to a log", "jq -c '{t: now, tool: .tool_name}' >> ~/.claude/tools.jsonl"),
  trusted("a line of the shell alone", 'input=$(cat); case "$input" in *"rm -rf /"*) echo no >&2; exit 2;; esac'),
  trusted("a sound and a note", "printf '\\a'; date >> ~/.claude/waiting.log"),
  trusted("the name of the branch", '[ "$(git branch --show-current)" = main ] && exit 2; exit 0'),
  trusted("bash and a script", `bash ${ROOT}/.claude/hooks/x.sh`, {
    ".claude/hooks/x.sh": `${SH}${INPUT}if echo "$COMMAND" | grep -qE 'rm -rf|mkfs'; then\n  echo "blocked" >&2\n  exit 2\nfi\nexit 0\n`,
  }),
  trusted("a script by its path", `${ROOT}/.claude/hooks/x.sh`, {
    ".claude/hooks/x.sh": `#!/usr/bin/env bash\n${INPUT}[[ "$COMMAND" == *sudo* ]] && exit 2\nexit 0\n`,
  }),
  trusted("a relative script", "bash hooks/x.sh", { "hooks/x.sh": `${INPUT}exit 0\n` }),
  trusted("functions", "sh hooks/x.sh", {
    "hooks/x.sh": 'fail() { echo "$1" >&2; exit 2; }\ngrep -q secret && fail "no secrets"\nexit 0\n',
  }),
  trusted("a library beside it", `bash ${ROOT}/hooks/x.sh`, {
    "hooks/x.sh": 'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nsource "$DIR/lib.sh"\ncheck\n',
    "hooks/lib.sh": "check() { grep -q x && exit 2; exit 0; }\n",
  }),
  trusted("a library of the project", `bash ${ROOT}/hooks/x.sh`, {
    "hooks/x.sh": '. "$CLAUDE_PROJECT_DIR/lib/rules.sh"\n',
    "lib/rules.sh": "exit 0\n",
  }),
  trusted("it goes to the project first", `bash ${ROOT}/hooks/x.sh`, {
    "hooks/x.sh": 'cd "$CLAUDE_PROJECT_DIR" || exit 2\nbash hooks/y.sh\n',
    "hooks/y.sh": "exit 0\n",
  }),
  trusted("another script is started", "bash hooks/x.sh", { "hooks/x.sh": "exec bash hooks/y.sh --fast\n", "hooks/y.sh": "exit 0\n" }),
  trusted("a script of sed and awk", "bash hooks/x.sh", {
    "hooks/x.sh": "cat | sed -n 's/a/b/p' | awk -F: '{ print $1 }' | head -1\nexit 0\n",
  }),
  trusted("TypeScript by hookloop run", `hookloop run ${ROOT}/hooks/x.ts`, {
    "hooks/x.ts": `${READ}const command: string = input.tool_input.command;\nif (command.includes("rm")) process.exit(2);\n`,
  }),
  trusted("a script of the shell by hookloop run", "hookloop run hooks/x.sh", { "hooks/x.sh": `#!/bin/sh\n${INPUT}exit 0\n` }),
  open("hookloop run of what the shell finds", 'hookloop run "$(ls hooks/*)"', { "hooks/x.sh": "exit 0\n" }),
  open("Python by hookloop run", "hookloop run hooks/x.py", { "hooks/x.py": "import json\n" }),
  trusted("a time limit", "timeout 5 bash hooks/x.sh", { "hooks/x.sh": "exit 0\n" }),
  trusted("a file for the time being", "bash hooks/x.sh", {
    "hooks/x.sh": "tmp=$(mktemp); trap 'rm -f \"$tmp\"' EXIT\nexit 0\n",
  }),
  trusted("rules in a file of their own", `bash ${ROOT}/hooks/x.sh`, {
    "hooks/x.sh": 'grep -qf "$CLAUDE_PROJECT_DIR/hooks/rules.txt" && exit 2; exit 0\n',
    "hooks/rules.txt": "push --force\n",
  }),
  trusted("node and a module", `node ${ROOT}/.claude/hooks/x.mjs`, {
    ".claude/hooks/x.mjs": `${READ}if (/rm -rf/.test(input.tool_input.command)) {\n  console.error("no");\n  process.exit(2);\n}\n`,
  }),
  trusted("node with two imports", `node ${ROOT}/hooks/x.mjs`, {
    "hooks/x.mjs": `${READ}import { check } from "./lib/check.mjs";\nimport rules from "./lib/rules.mjs";\nprocess.exitCode = check(input, rules) ? 2 : 0;\n`,
    "hooks/lib/check.mjs": "export const check = (input, rules) => rules.some((rule) => rule.test(input.tool_input.command));\n",
    "hooks/lib/rules.mjs": "export default [/rm -rf/, /mkfs/];\n",
  }),
  trusted("CommonJS", "node hooks/x.cjs", {
    "hooks/x.cjs": 'const { check } = require("./check");\nprocess.exitCode = check(require("node:fs").readFileSync(0, "utf8")) ? 2 : 0;\n',
    "hooks/check.js": "module.exports = { check: (text) => text.includes('sudo') };\n",
  }),
  trusted("TypeScript", "node --experimental-strip-types hooks/x.ts", {
    "hooks/x.ts": `${READ}interface Input { readonly tool_input: { readonly command: string } }\nconst command = (input as Input).tool_input.command;\nif (command.includes("sudo")) process.exit(2);\n`,
  }),
  trusted("code on the line of node", "node -e 'process.exit(0)'"),
  trusted("a module that asks git", "node hooks/x.mjs", {
    "hooks/x.mjs":
      'import { execFileSync } from "node:child_process";\nconst branch = execFileSync("git", ["branch", "--show-current"], { encoding: "utf8" }).trim();\nprocess.exitCode = branch === "main" ? 2 : 0;\n',
  }),
  trusted("a script that starts node", "bash hooks/x.sh", {
    "hooks/x.sh": 'node "$CLAUDE_PROJECT_DIR"/hooks/y.mjs\n',
    "hooks/y.mjs": "process.exitCode = 0;\n",
  }),
  trusted("a package that only computes", "node hooks/x.mjs", {
    "hooks/x.mjs": 'import { ok } from "tiny";\nprocess.exitCode = ok() ? 0 : 2;\n',
    "node_modules/tiny/package.json": '{"name":"tiny","type":"module","exports":"./index.js"}',
    "node_modules/tiny/index.js": 'export { ok } from "./ok.js";\n',
    "node_modules/tiny/ok.js": "export const ok = () => true;\n",
  }),
  {
    ...trusted("Python, its folder pinned", `python3 ${ROOT}/hooks/x.py`, {
      "hooks/x.py": "import json, sys\nsys.exit(2 if 'sudo' in json.load(sys.stdin)['tool_input']['command'] else 0)\n",
    }),
    declared: ["hooks/**"],
  },
  open("Python", `python3 ${ROOT}/hooks/x.py`, { "hooks/x.py": "import json, sys\njson.load(sys.stdin)\n" }),
  open("uv", "uv run hooks/x.py", { "hooks/x.py": "" }),
  open("npx", "npx prettier --check ."),
  open("npm", "npm run -s lint", { "package.json": '{"scripts":{"lint":"true"}}' }),
  open("make", "make lint", { Makefile: "lint:\n\ttrue\n" }),
  open("a tool of the project", "node_modules/.bin/eslint --fix .", {
    "node_modules/.bin/eslint": "#!/usr/bin/env node\nrequire(process.argv[1]);\n",
  }),
  open("a formatter on the edited file", "jq -r .tool_input.file_path | xargs prettier --write"),
  open("bun", "bun hooks/x.ts", { "hooks/x.ts": "" }),
  open("deno", "deno run hooks/x.ts", { "hooks/x.ts": "" }),
  open("perl on the line", "perl -ne 'exit 2 if /rm -rf/'"),
  open("ruby", "ruby hooks/x.rb", { "hooks/x.rb": "exit 0\n" }),
  open("the state of the work tree", "git diff --quiet || exit 2"),
  open("every file of a folder", "bash hooks/x.sh", {
    "hooks/x.sh": 'for f in hooks/rules.d/*.sh; do . "$f"; done\n',
    "hooks/rules.d/a.sh": "",
  }),
  open("a script that only the input names", 'bash "$(jq -r .cwd)/check.sh"'),
  open("a login shell", "bash -lc 'exit 0'"),
];
