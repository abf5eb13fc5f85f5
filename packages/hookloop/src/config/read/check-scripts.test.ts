import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import { checkScripts } from "./check-scripts.ts";
import { readDocument } from "./read-document.ts";

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "hookloop-scripts-"));
  mkdirSync(join(root, "hooks"));
  for (const name of ["run.sh", "plain.sh"]) writeFileSync(join(root, "hooks", name), "exit 0\n");
  chmodSync(join(root, "hooks", "run.sh"), 0o755);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function check(entry: Readonly<Record<string, unknown>>): Promise<readonly (readonly [string, number | undefined])[]> {
  return (await found(entry)).map(({ code, place }) => [code, place?.column]);
}

function found(entry: Readonly<Record<string, unknown>>, searchPath?: string): ReturnType<typeof checkScripts> {
  const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", ...entry }] }] } });
  const document = readDocument({
    source: { scope: "project", dialect: "native", file: join(root, ".hookloop", "hooks.json"), root },
    dialects: createDialects(),
    text,
  });
  return checkScripts(document, { projectRoot: root, home: root, searchPath });
}

const MISSING = "HL_CONFIG_SCRIPT_MISSING";
const LOCKED = "HL_CONFIG_SCRIPT_NOT_EXECUTABLE";
const RELATIVE = "HL_CONFIG_RELATIVE_PATH";

const TYPESCRIPT = "HL_CONFIG_SCRIPT_FIRST_LINE";

test.each([
  ['node "$CLAUDE_PROJECT_DIR"/hooks/skeleton.ts', "is TypeScript, and Node"],
  ['"$CLAUDE_PROJECT_DIR"/hooks/skeleton.ts', "is TypeScript, and bun is not on your PATH"],
  ['bun run "$CLAUDE_PROJECT_DIR"/hooks/skeleton.ts', "is TypeScript, and bun is not on your PATH"],
  ['tsx "$CLAUDE_PROJECT_DIR"/hooks/skeleton.ts', "is TypeScript, and tsx is not on your PATH"],
])("a TypeScript hook that nothing can run is named when it is read: %s", async (command, why) => {
  const isNode = command.startsWith("node");
  if (isNode && (process.features as { typescript?: unknown }).typescript) return;
  writeFileSync(join(root, "hooks", "skeleton.ts"), "#!/usr/bin/env bun\n", { mode: 0o755 });
  const [one, ...more] = await found({ command });
  expect([one?.code, more]).toEqual([TYPESCRIPT, []]);
  expect(one?.text).toContain(why);
  expect(one?.text).toContain(
    `Write "command": "hookloop run ${join(root, "hooks", "skeleton.ts")}", or make it a hook of "type": "module"`,
  );
});

test("a TypeScript hook is fine with hookloop run, kept loaded, and where bun is installed", async () => {
  writeFileSync(join(root, "hooks", "skeleton.ts"), "#!/usr/bin/env bun\n", { mode: 0o755 });
  const file = '"$CLAUDE_PROJECT_DIR"/hooks/skeleton.ts';
  expect(await check({ command: `hookloop run ${file}` })).toEqual([]);
  expect(await check({ command: `npx hookloop run ${file}` })).toEqual([]);
  expect(await check({ command: `node ${file}`, warm: true })).toEqual([]);
  mkdirSync(join(root, "bin"), { recursive: true });
  writeFileSync(join(root, "bin", "bun"), "", { mode: 0o755 });
  expect(await found({ command: file }, join(root, "bin"))).toEqual([]);
});

test.each([
  ['hookloop run "$CLAUDE_PROJECT_DIR"/hooks/none.ts', [MISSING]],
  ["npx hookloop run hooks/none.ts", [MISSING]],
  ['"$CLAUDE_PROJECT_DIR"/hooks/run.sh', []],
  ["~/hooks/run.sh", []],
  ["hooks/run.sh", [RELATIVE]],
  ["./hooks/run.sh", [RELATIVE]],
  ['"$CLAUDE_PROJECT_DIR"/hooks/plain.sh', [LOCKED]],
  ["hooks/plain.sh", [LOCKED, RELATIVE]],
  ['bash "$CLAUDE_PROJECT_DIR"/hooks/plain.sh', []],
  ["bash hooks/plain.sh", [RELATIVE]],
  ['"$CLAUDE_PROJECT_DIR"/hooks/none.sh', [MISSING]],
  ["python3 hooks/none.py", [MISSING]],
  ["/nonexistent/hook", [MISSING]],
  ['"$CLAUDE_PROJECT_DIR"/hooks', [MISSING]],
  ['"$CLAUDE_PROJECT_DIR"/hooks/run.sh/x', [MISSING]],
  ['"$HOOKLOOP_PROJECT_DIR"/hooks/none.sh', [MISSING]],
  ['node "${HOOKLOOP_PROJECT_DIR}/hooks/none.mjs"', [MISSING]],
  ['"$UNKNOWN"/hooks/none.sh', []],
  ["npm test", []],
])("%s gives %j", async (command, expected) => {
  expect(await check({ command })).toEqual(expected.map((code) => [code, 35]));
});

test("the argument form is looked at too", async () => {
  expect(await check({ command: "node", args: ["${CLAUDE_PROJECT_DIR}/none.mjs"] })).toEqual([[MISSING, 35]]);
  expect(await check({ command: "${CLAUDE_PROJECT_DIR}/hooks/run.sh", args: [] })).toEqual([]);
});

test("a module is looked for beside its file", async () => {
  expect(await check({ type: "module", path: "../hooks/run.sh" })).toEqual([]);
  expect(await check({ type: "module", path: "./none.ts" })).toEqual([[MISSING, 35]]);
});

test("the texts say what to do", async () => {
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "hooks/plain.sh" }] }] } });
  const document = readDocument({ source: { scope: "project", dialect: "claude", file: "/f", root }, dialects: createDialects(), text });
  const texts = checkScripts(document, { projectRoot: root, home: root }).map((diagnostic) => diagnostic.text);
  expect(texts[0]).toContain(`chmod +x "${join(root, "hooks/plain.sh")}"`);
  expect(texts[1]).toContain('Write "$CLAUDE_PROJECT_DIR"/hooks/plain.sh.');
});

test.each([
  ["crlf.sh", "#!/bin/sh\r\nexit 2\r\n", "", ["Windows line endings"]],
  ["crlf.sh", "exit 2\r\n", "sh ", ["Windows line endings"]],
  ["crlf.py", "#!/usr/bin/env python3\r\nimport sys\r\n", "", ["Windows line endings"]],
  ["bare.py", "import sys\n", "", ['no first line with "#!"']],
  ["bare.mjs", "import fs from 'node:fs';\n", "", ['no first line with "#!"']],
  ["bare.py", "import sys\n", "python3 ", []],
  ["crlf.mjs", "import fs from 'node:fs';\r\n", "node ", []],
  ["fine.py", "#!/usr/bin/env python3\nprint('\r\n')\n", "", []],
  ["bare.sh", "exit 2\n", "", []],
  ["bare.mjs", "import fs from 'node:fs';\n", "", ["#!/usr/bin/env node"]],
  ["mark.sh", "\ufeff#!/bin/sh\nexit 2\n", "sh ", ["byte order mark"]],
  ["mark.py", "\ufeff#!/usr/bin/env python3\n", "", ["byte order mark"]],
  ["mark.py", "\ufeffimport sys\n", "python3 ", []],
  ["lost.sh", "#!/usr/bin/pyton3\n", "", ["names /usr/bin/pyton3 in its first line, and there is no such program"]],
  ["other.py", "#!/bin/sh\nimport sys\n", "", ["is run by sh, which does not read its language. Write python3 in its first line"]],
  ["other.py", "#!/usr/bin/env -S node --no-warnings\n", "", ["is run by node"]],
  ["other.py", "import sys\n", "node ", ['is run by node, which does not read its language. Write python3 before it in "command"']],
  ["other.mjs", "import 'x';\n", "bash ", ["is run by bash"]],
  ["other.sh", "exit 2\n", "python3 ", ["is run by python3"]],
  ["uv.py", "#!/usr/bin/env -S uv run --script\n", "", []],
  ["ts.ts", "const a = 1;\n", "tsx ", ["tsx is not on your PATH"]],
  ["bash.sh", "#!/bin/bash\n", "sh ", []],
  ["plain", "#!/usr/bin/env python3\n", "", []],
  ["empty.py", "", "", ['no first line with "#!"']],
])("%s with the text %j, run by %j: %j", async (name, text, before, expected) => {
  const file = join(root, "hooks", name);
  writeFileSync(file, text, { mode: 0o755 });
  const line = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `${before}${file}` }] }] } });
  const document = readDocument({
    source: { scope: "project", dialect: "claude", file: "/f", root },
    dialects: createDialects(),
    text: line,
  });
  const found = checkScripts(document, { projectRoot: root, home: root });
  expect(found.map(({ code, text: said }) => [code, said])).toEqual(
    expected.map((part) => ["HL_CONFIG_SCRIPT_FIRST_LINE", expect.stringContaining(part)]),
  );
  rmSync(file);
});

test.each([
  ["native", { command: "hooks/run.sh" }, '"$HOOKLOOP_PROJECT_DIR"/hooks/run.sh'],
  ["native", { command: "hooks/run.sh", args: [] }, "${HOOKLOOP_PROJECT_DIR}/hooks/run.sh"],
  ["claude", { command: "hooks/run.sh" }, '"$CLAUDE_PROJECT_DIR"/hooks/run.sh'],
] as const)("the cure of a relative path in a %s file has that file's own variable", async (dialect, entry, cure) => {
  const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", ...entry }] }] } });
  const document = readDocument({
    source: { scope: "project", dialect, file: join(root, "x.json"), root },
    dialects: createDialects(),
    text,
  });
  const [found] = checkScripts(document, { projectRoot: root, home: root });
  expect(found?.text).toContain(`Write ${cure}.`);
});

const EVENT = "HL_CONFIG_SCRIPT_EVENT";
const READS = "input=$(cat)\n";

test.each([
  ["f1.sh", `${READS}cmd=$(printf %s "$input" | jq -r .toolInput.command)\n`, /"toolInput".*Did you mean "tool_input"/],
  ["f2.sh", `${READS}cmd=$(printf %s "$input" | jq -r '.tool_input.cmd // ""')\n`, /"cmd".*Did you mean "command"/],
  ["f3.py", 'import json, sys\nx = json.load(sys.stdin).get("toolInput", {})\n', /"toolInput".*"tool_input"/],
  ["f4.py", 'import json, sys\nx = json.load(sys.stdin)["tool_input"]["filePath"]\n', /"filePath".*"file_path"/],
  [
    "f5.py",
    "import json, sys\ntry:\n  if 'rm' in json.load(sys.stdin)['tool_input']['command']:\n    sys.exit(2)\nexcept:\n  pass\n",
    /except Exception/,
  ],
  ["v.sh", 'case "$CLAUDE_TOOL_INPUT" in *rm*) exit 2;; esac\n', /CLAUDE_TOOL_INPUT.*stdin/],
  ["e.mjs", "export default (input) => ({ decision: 'block' });\n", /exports.*stdin/],
])("a script that looks for the event where it is not is told so: %s", async (name, text, message) => {
  writeFileSync(join(root, "hooks", name), text);
  const program = { sh: "sh", py: "python3", mjs: "node" }[name.split(".")[1] as "sh"];
  const command = `${program} "$CLAUDE_PROJECT_DIR"/hooks/${name}`;
  for (const [fields, level] of [
    [{}, "warning"],
    [{ guard: true }, "error"],
    [{ onFailure: "block" }, "error"],
  ] as const)
    expect((await found({ command, ...fields })).map(({ code, level, text }) => [code, level, text])).toEqual([
      [EVENT, level, expect.stringMatching(message)],
    ]);
});

test.each([
  ["g1.sh", `${READS}printf %s "$input" | jq -r '.tool_input.file_path // .tool_input.path, .prompt, .tool_input.own_field, .foo.bar'\n`],
  ["g2.sh", "curl -s https://example.com/toolInput.json | jq -r .toolInputs\n"],
  [
    "g3.py",
    'import json, sys\nd = json.load(sys.stdin)\nd.get("source"); d["tool_response"]; d.get("own"); d["tool_input"].get("comment")\n',
  ],
  ["g4.py", "import sys\ntry:\n  sys.exit(2)\nexcept Exception:\n  pass\n"],
  ["g5.py", "import sys\ntry:\n  x = 1\nexcept:\n  sys.exit(2)\n"],
  ["g6.mjs", "import './reads.mjs';\nexport default 1;\n"],
  ["g7.sh", 'echo "$CLAUDE_TOOL_INPUT"; jq .\n'],
])("a script in which nothing is wrong is not: %s", async (name, text) => {
  writeFileSync(join(root, "hooks", name), text);
  const program = { sh: "sh", py: "python3", mjs: "node" }[name.split(".")[1] as "sh"];
  expect(await found({ command: `${program} "$CLAUDE_PROJECT_DIR"/hooks/${name}`, guard: true })).toEqual([]);
});

test("a line that is its own script is looked at as well", async () => {
  expect(await found({ command: "jq -r .command | grep -q deploy && exit 2; exit 0", guard: true })).toMatchObject([
    { code: EVENT, level: "error", text: expect.stringMatching(/^The hook's command reads "command".*"tool_input.command"/) },
  ]);
  expect(await found({ command: "jq -e .tool_input.command > /dev/null" })).toEqual([]);
});

test("arguments of the line itself are none", async () => {
  writeFileSync(join(root, "hooks", "first.sh"), 'cmd="$1"\ncase "$cmd" in *rm*) exit 2;; esac\n');
  const texts = async (command: string): Promise<string> => (await found({ command })).map(({ text }) => text).join("\n");
  expect(await texts(`bash "${root}/hooks/first.sh" "$1"`)).toContain("in $1, which is empty");
  expect(await texts(`bash "${root}/hooks/first.sh" strict`)).toBe("");
});

test.each([
  [
    "write_file",
    'import json, sys\np = json.load(sys.stdin)["tool_input"]["file_path"]\n',
    'reads "file_path", which a .hooks.json file calls "path"',
  ],
  ["", 'import json, sys\np = json.load(sys.stdin)["tool_input"].get("old_string")\n', 'calls "old_text"'],
  ["", 'import json, sys\nd = json.load(sys.stdin)\nif d["tool_name"] == "Write": sys.exit(1)\n', 'calls "write_file"'],
  ["bash", 'import json, os\nif os.environ["HOOK_TOOL_NAME"] == "Bash": exit(1)\n', 'calls "bash"'],
  ["", 'import json, sys\np = json.load(sys.stdin)["tool_input"].get("file_path", "")\n', 'calls "path"'],
  [
    "write_file",
    'import json, os, sys\np = os.path.basename(json.load(sys.stdin)["tool_input"]["file_path"])\n',
    'reads "file_path", which a .hooks.json file calls "path"',
  ],
  ["", 'import os\nif os.environ.get("HOOK_TOOL_NAME") == "Write": exit(1)\n', 'calls "write_file"'],
  ["write_file", 'import json, os, sys\np = os.path.basename(json.load(sys.stdin)["tool_input"]["path"])\n', undefined],
  ["write_file", 'import json, sys\np = json.load(sys.stdin)["tool_input"]["path"]\n', undefined],
  ["", 'import json, sys\ni = json.load(sys.stdin)["tool_input"]\np = i.get("path") or i.get("file_path")\n', undefined],
  ["bash", 'import json, sys\np = json.load(sys.stdin)["tool_input"]["command"]\n', undefined],
  ["", 'import json, sys\nd = json.load(sys.stdin)\nif d["tool_name"] in ("Write", "write_file"): sys.exit(1)\n', undefined],
  [
    "",
    'import os\nif "x" in os.environ["HOOK_TOOL_INPUTS"]: exit(1)\n',
    "reads $HOOK_TOOL_INPUTS, which is not set. Did you mean $HOOK_TOOL_INPUT?",
  ],
  ["", 'import os\nif "x" in os.environ.get("HOOK_TOOL_INPUT_FILE", ""): exit(1)\n', undefined],
])("a script of a .hooks.json for %j that has names of another dialect is told this one's: %j", async (matcher, script, said) => {
  const file = join(root, "hooks", "named.py");
  writeFileSync(file, script, { mode: 0o755 });
  const text = JSON.stringify({ hooks: { PreToolUse: [{ ...(matcher && { matcher }), command: `python3 ${file}` }] } });
  const source = { scope: "project", dialect: "hooks-json", file: join(root, ".hooks.json"), root } as const;
  const document = readDocument({ source, dialects: createDialects(), text });
  const found = await checkScripts(document, { projectRoot: root, home: root });
  expect(found).toMatchObject(said === undefined ? [] : [{ code: "HL_CONFIG_SCRIPT_EVENT", text: expect.stringContaining(said) }]);
  rmSync(file);
});

test.each([
  ["write_file", '{ tool: "Write" }', 'is for "Write", which a .hooks.json file calls "write_file"'],
  ["write_file", '{ name: "x", tool: ["Edit", "Write"] }', 'calls "write_file"'],
  ["", '{ tool: "Bash|Write" }', 'calls "bash"'],
  ["write_file", '{ tool: "Write", guard: true }', undefined],
  ["write_file", '{ tool: "Write|write_file" }', undefined],
  ["", "{ tool: /^(?:Write|write_file)$/ }", undefined],
])("a hook of the SDK in a .hooks.json for %j, %s, that is no guard is told the names that are sent", async (matcher, options, said) => {
  const file = join(root, "hooks", "sdk.mjs");
  writeFileSync(file, `import { deny, hook } from "@hookloop/sdk";\nhook("PreToolUse", ${options}, (input) => deny(input.tool_name));\n`);
  const text = JSON.stringify({ hooks: { PreToolUse: [{ ...(matcher && { matcher }), command: `node ${file}` }] } });
  const source = { scope: "project", dialect: "hooks-json", file: join(root, ".hooks.json"), root } as const;
  const document = readDocument({ source, dialects: createDialects(), text });
  const found = checkScripts(document, { projectRoot: root, home: root });
  expect(found).toMatchObject(said === undefined ? [] : [{ code: "HL_CONFIG_SCRIPT_EVENT", text: expect.stringContaining(said) }]);
  rmSync(file);
});

test.each([
  ['(i) => (i.tool_input.file_path?.endsWith(".env") ? deny("no") : undefined)', 'calls "path"'],
  ['({ tool_input: { file_path } }) => (file_path ? deny("no") : undefined)', 'calls "path"'],
  ['(i) => ((i.tool_input.path ?? i.tool_input.file_path)?.endsWith(".env") ? deny("no") : undefined)', undefined],
])("a hook of the SDK in a .hooks.json that reads a field is told the one that is sent: %s", (handler, said) => {
  const file = join(root, "hooks", "sdk.mjs");
  writeFileSync(file, `import { deny, hook } from "@hookloop/sdk";\nhook("PreToolUse", ${handler});\n`);
  const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "write_file", command: `node ${file}` }] } });
  const source = { scope: "project", dialect: "hooks-json", file: join(root, ".hooks.json"), root } as const;
  const found = checkScripts(readDocument({ source, dialects: createDialects(), text }), { projectRoot: root, home: root });
  expect(found).toMatchObject(said === undefined ? [] : [{ code: "HL_CONFIG_SCRIPT_EVENT", text: expect.stringContaining(said) }]);
  rmSync(file);
});

test.each([
  ["export default (input) => { if (/rm/.test(input.params?.command)) return { decision: 'block' }; };", /"params".*"tool_input/],
  ["export default async ({ toolInput }) => { if (toolInput) return 'no'; };", /"toolInput".*Did you mean "tool_input"/],
  ["export default function guard(event: { tool: string }) { return event.tool === 'Bash' ? 'x' : undefined; }", /"tool".*"tool_name"/],
  ["module.exports = (input) => input.tool_input.cmd && { decision: 'block' };", /"cmd" in tool_input.*"command"/],
  ["export default input => input.shell_line;", /"shell_line".*nothing else of it/],
  ["export default (input) => /rm/.test(input.tool_input.command);", undefined],
  ["export default ({ tool_input: { command } }) => command;", undefined],
  ["const check = (input) => input.length;\nexport default (input) => check(input.tool_input.command);", undefined],
  ["import { judge } from './judge.ts';\nexport default (input) => judge(input);", undefined],
  ["import { hook } from '@hookloop/sdk';\nhook('PreToolUse', (input) => input.tool_input);", undefined],
])("a module whose function reads a field that does not exist is told so: %s", async (text, message) => {
  const file = join(root, "hooks", "module.ts");
  writeFileSync(file, `${text}\n`);
  const texts = found({ type: "module", path: "../hooks/module.ts" }).map((one) => one.text);
  expect(texts).toEqual(message === undefined ? [] : [expect.stringMatching(message)]);
  rmSync(file);
});

const BLIND = "import json, sys\nd = json.load(sys.stdin)\nif 'x' in d['command']:\n    sys.exit(2)\n";

test.each([
  'cd "$CLAUDE_PROJECT_DIR" && python3 hooks/blind.py',
  'cd "${CLAUDE_PROJECT_DIR:-.}/hooks"; python3 blind.py',
  'env python3 "$CLAUDE_PROJECT_DIR"/hooks/blind.py',
  '/usr/bin/env A=1 python3 "$CLAUDE_PROJECT_DIR"/hooks/blind.py',
  'timeout 5 python3 "$CLAUDE_PROJECT_DIR"/hooks/blind.py',
  'exec python3 "$CLAUDE_PROJECT_DIR"/hooks/blind.py',
  'nice -n 5 python3 "$CLAUDE_PROJECT_DIR"/hooks/blind.py',
  'python3 "$(git rev-parse --show-toplevel)/hooks/blind.py"',
])("a script is read also where the line does more than start it: %s", async (command) => {
  writeFileSync(join(root, "hooks", "blind.py"), BLIND);
  const [one, ...more] = await found({ command });
  expect([one?.code, more]).toEqual(["HL_CONFIG_SCRIPT_EVENT", []]);
  expect(one?.text).toContain('hooks/blind.py reads "command", which does not exist. Did you mean "tool_input.command"?');
});

test.each([
  `node -e 'const d = JSON.parse(require("fs").readFileSync(0)); if (/x/.test(d.command)) process.exit(2)'`,
  `python3 -c 'import json, sys; d = json.load(sys.stdin); sys.exit(2 if "x" in json.load(sys.stdin)["command"] else 0)'`,
])("code that stands in the line is read in its own language: %s", async (command) => {
  expect((await found({ command }))[0]?.text).toMatch(/^The hook's command reads "command", which does not exist/);
});

test.each([
  "[ -f hooks/none.py ] && python3 hooks/none.py",
  "cd /nonexistent && python3 blind.py",
  'env python3 "$UNKNOWN"/hooks/blind.py',
])("of a script that is not there, or not known, nothing is said: %s", async (command) => {
  expect(await found({ command })).toEqual([]);
});
