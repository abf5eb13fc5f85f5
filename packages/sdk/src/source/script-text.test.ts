import { expect, test } from "vitest";
import { processorMs } from "../../../hookloop/src/growth.test-suite.ts";
import { scriptSlip } from "./script-text.ts";

type Events = Parameters<typeof scriptSlip>[0]["events"];

function slip(file: string, text: string, events: Events = ["PreToolUse"]): string | undefined {
  return scriptSlip({ file, text, events });
}

const PYTHON = "import json, sys\nd = json.load(sys.stdin)\n";
const JUDGE = 'case "$c" in *deploy*) echo no >&2; exit 2;; esac\n';

test.each([
  ["a.sh", `c=$(jq -r .command)\n${JUDGE}`, "tool_input.command"],
  ["a.sh", `c=$(jq -r .input.command)\n${JUDGE}`, "tool_input.command"],
  ["a.sh", `c=$(jq -r ".params.command // empty")\n${JUDGE}`, "tool_input.command"],
  ["a.sh", `input=$(cat)\nc=$(printf %s "$input" | jq -r .command)\n${JUDGE}`, "tool_input.command"],
  ["a.sh", `input=$(cat)\nc=$(jq -r '.args.command' <<<"$input")\n${JUDGE}`, "tool_input.command"],
  ["a.sh", `jq -r .command | grep -q deploy && exit 2\nexit 0\n`, "tool_input.command"],
  ["a.py", `${PYTHON}if "deploy" in d.get("command", ""):\n    sys.exit(2)\n`, "tool_input.command"],
  ["a.py", `${PYTHON}cmd = d.get("input", {}).get("command", "")\n`, "tool_input.command"],
  ["a.py", `${PYTHON}if d.get("tool") == "Bash" and "x" in d["tool_input"]["command"]:\n    sys.exit(2)\n`, "tool_name"],
  ["a.py", 'import json, sys\nif "x" in json.loads(sys.stdin.read())["command"]:\n    sys.exit(2)\n', "tool_input.command"],
  [
    "a.mjs",
    'import fs from "node:fs"; const d=JSON.parse(fs.readFileSync(0,"utf8")); if (/x/.test(d.command)) process.exit(2);',
    "tool_input.command",
  ],
  [
    "a.mjs",
    'import fs from "node:fs";\nif (/x/.test(JSON.parse(fs.readFileSync(0,"utf8")).command)) process.exit(2);',
    "tool_input.command",
  ],
  ["a.mjs", 'const { command } = JSON.parse(require("fs").readFileSync(0)); if (command) process.exit(2);', "tool_input.command"],
])("%s that reads a name that the event has not is told the right one: %j", (file, text, meant) => {
  expect(slip(file, text)).toContain(`Did you mean "${meant}"?`);
});

test.each([
  ["a.sh", `c=$(jq -r .user_prompt)\n${JUDGE}`, "prompt"],
  ["a.sh", `c=$(jq -r .message)\n${JUDGE}`, "prompt"],
  ["a.py", `${PYTHON}if "x" in d["text"]:\n    sys.exit(2)\n`, "prompt"],
])("%s of UserPromptSubmit, too: %j", (file, text, meant) => {
  expect(slip(file, text, ["UserPromptSubmit"])).toContain(`Did you mean "${meant}"?`);
});

test("tool_output is tool_response", () => {
  expect(slip("a.sh", "c=$(jq -r .tool_output)\n", ["PostToolUse"])).toContain('Did you mean "tool_response"?');
});

test("a name that nothing is near to is told with what the event has, if nothing else of it is read", () => {
  expect(slip("a.sh", `c=$(jq -r .shell_line)\n${JUDGE}`)).toMatch(/reads "shell_line".*nothing else of it\. It has .*tool_input/);
  expect(slip("a.sh", `i=$(cat)\nc=$(echo "$i" | jq -r .own)\nt=$(echo "$i" | jq -r .tool_name)\n${JUDGE}`)).toBeUndefined();
});

test.each([
  ["jq and jq", `t=$(jq -r .tool_name)\nc=$(jq -r .tool_input.command)\n${JUDGE}`],
  ["cat and jq", `log=$(cat)\nc=$(jq -r .tool_input.command)\n${JUDGE}`],
  ["jq and Python", `t=$(jq -r .tool_name)\nc=$(python3 -c 'import sys; print(sys.stdin.read())')\n${JUDGE}`],
])("a shell script that reads stdin twice is told to store it: %s", (_name, text) => {
  expect(slip("a.sh", text)).toMatch(/reads stdin twice.*input=\$\(cat\)/);
});

test.each([
  [
    "a.py",
    `import json, sys\ndef main():\n  d = json.load(sys.stdin)\n  if "x" in d["tool_input"]["command"]:\n    return 2\nmain()\n`,
    "sys.exit(main())",
  ],
  [
    "a.py",
    `import json, sys\ndef main():\n    d = json.load(sys.stdin)\n    sys.exit(2)\nif __name__ == "main":\n    main()\n`,
    "__main__",
  ],
  ["a.sh", `c=$(jq -r .tool_input.command)\nif echo "$c" | grep -q "deploy|publish"; then exit 2; fi\n`, "grep -E"],
  ["a.sh", `t=$(jq .tool_name)\nif [ "$t" = "Bash" ]; then exit 2; fi\n`, "jq -r .tool_name"],
  ["a.sh", `t=$(jq -r .tool_name)\nif [ "$t" = bash ]; then exit 2; fi\n`, '"Bash"'],
  ["a.py", `${PYTHON}if d.get("tool_name") == "bash" and "x" in d["tool_input"]["command"]:\n    sys.exit(2)\n`, '"Bash"'],
  ["a.mjs", `const d = JSON.parse(require("fs").readFileSync(0));\nif (d.tool_name === "bash") process.exit(2);\n`, '"Bash"'],
])("a gate in %s with a slip that lets everything through is told of it: %j", (file, text, cure) => {
  expect(slip(file, text)).toContain(cure);
  expect(slip(file, text, ["SessionEnd"])).toBeUndefined();
});

test.each([
  ["a.sh", `input=$(cat)\nt=$(printf %s "$input" | jq -r .tool_name)\nc=$(printf %s "$input" | jq -r .tool_input.command)\n${JUDGE}`],
  ["a.sh", `c=$(jq -er .tool_input.command)\n${JUDGE}`],
  ["a.sh", `c=$(jq -r '.tool_input.command // .command // ""')\n${JUDGE}`],
  ["a.sh", `c=$(jq -r '.command // .tool_input.command')\n${JUDGE}`],
  ["a.sh", `c=$(jq -r '.tool_input | .command')\n${JUDGE}`],
  ["a.sh", `c=$(jq -r 'select(.tool_name == "Bash") | .tool_input.command')\n${JUDGE}`],
  ["a.sh", `c=$(jq -r .tool_input.command)\nv=$(jq -r .version package.json)\nn=$(jq -r .name < package.json)\n${JUDGE}`],
  ["a.sh", `c=$(jq -r .tool_input.command)\nscripts=$(npm pkg get scripts | jq -r .command)\n${JUDGE}`],
  ["a.sh", `input=$(cat)\nx=$(some-tool --json)\necho "$x" | jq -r .command\n`],
  ["a.sh", `if [ "$1" = a ]; then\n  jq -r .tool_name\nelse\n  jq -r .tool_input.command\nfi\n`],
  ["a.sh", `input=$(cat)\ncat <<END\nhello\nEND\n`],
  ["a.sh", `c=$(jq -r .tool_input.command)\necho "$c" | grep -Eq "deploy|publish" && exit 2\necho "$c" | grep -q 'a\\|b' && exit 2\n`],
  ["a.sh", `t=$(jq -r .tool_name)\n[ "$t" = Bash ] && exit 2\n`],
  ["a.sh", `t=$(jq .tool_name)\n[ "$t" = '"Bash"' ] && exit 2\n`],
  ["a.sh", "jq -n '{a: 1}'\ncat\n"],
  ["a.py", `${PYTHON}c = d.get("tool_input", {}).get("command") or d.get("command", "")\n`],
  ["a.py", `${PYTHON}t = d["tool_name"]\nother = {"command": 1}\nother.get("command")\n`],
  ["a.py", `${PYTHON}d = d["tool_input"]\nd.get("command")\n`],
  ["a.py", `${PYTHON}if d["tool_name"] in ("bash", "Bash"):\n    sys.exit(2)\n`],
  ["a.py", "import sys\ndef main():\n    return 2\nsys.exit(main())\n"],
  ["a.py", "import sys\ndef helper():\n    return 2\nif helper() == 2:\n    sys.exit(2)\n"],
  [
    "a.mjs",
    'const d = JSON.parse(fs.readFileSync(0)); const p = JSON.parse(fs.readFileSync("package.json")); d.tool_input.command; p.command; p.name;',
  ],
  ["a.mjs", 'import { hook } from "@hookloop/sdk"; const d = JSON.parse(fs.readFileSync(0)); d.command'],
])("%s in which nothing is wrong is not told anything: %j", (file, text) => {
  expect(slip(file, text)).toBeUndefined();
});

test("a script that serves several events may read the fields of each", () => {
  const text = `c=$(jq -r .message)\n${JUDGE}`;
  expect(slip("a.sh", text, ["UserPromptSubmit", "Notification"])).toBeUndefined();
  expect(
    slip("a.sh", `i=$(cat)\ne=$(echo "$i" | jq -r .hook_event_name)\nm=$(echo "$i" | jq -r .message)\n`, ["UserPromptSubmit"]),
  ).toBeUndefined();
});

test.each([
  ["a.sh", 'case "$1" in *deploy*) echo no >&2; exit 2;; esac\n', "$1"],
  ["a.py", 'import sys\nif "deploy" in sys.argv[1]:\n    sys.exit(2)\n', "sys.argv"],
  ["a.mjs", "if (/deploy/.test(process.argv[2])) process.exit(2);\n", "process.argv"],
])("%s that looks for the event in arguments that are not given is told so: %j", (file, text, place) => {
  expect(scriptSlip({ file, text, events: ["PreToolUse"], hasArguments: false })).toContain(`in ${place}, which is empty`);
  expect(scriptSlip({ file, text, events: ["PreToolUse"], hasArguments: true })).toBeUndefined();
});

test.each([
  ["a.sh", 'refuse() { echo "$1" >&2; exit 2; }\n[ "$(date +%u)" = 5 ] && refuse Friday\n'],
  ["a.sh", '[ "$(date +%u)" = 5 ] && exit 2\n'],
  ["a.sh", 'c=$(jq -r .tool_input.command)\n[ "$1" = strict ] && exit 2\n'],
])("%s that need not know the event is not: %j", (file, text) => {
  expect(scriptSlip({ file, text, events: ["PreToolUse"], hasArguments: false })).toBeUndefined();
});

test.each([
  ["on one line", `t=$(jq -r .tool_name); c=$(jq -r .tool_input.command)\n${JUDGE}`],
  ["logged first", `cat >> "$HOME/hook log"\nc=$(jq -r .tool_input.command)\n${JUDGE}`],
])("a shell script that reads stdin twice, %s, is told so", (_name, text) => {
  expect(slip("a.sh", text)).toContain("reads stdin twice");
});

test("a Python script that reads stdin twice is told so, and one with two branches is not", () => {
  const log = "import json, sys\nopen('/tmp/log', 'a').write(sys.stdin.read())\n";
  expect(slip("a.py", `${log}d = json.load(sys.stdin)\nif "x" in d["tool_input"]["command"]:\n    sys.exit(2)\n`)).toContain(
    "reads stdin twice",
  );
  const either = "import json, sys\nif len(sys.argv) > 1:\n    d = json.loads(sys.stdin.read())\nelse:\n    d = json.load(sys.stdin)\n";
  expect(slip("a.py", either)).toBeUndefined();
});

function ofBash(file: string, text: string): string | undefined {
  return scriptSlip({ file, text, events: ["PreToolUse"], tools: ["Bash"] });
}

test.each([
  ["a.sh", `c=$(jq -r .tool_input.comand)\n${JUDGE}`, 'Did you mean "command"?'],
  ["a.py", `${PYTHON}c = d.get("tool_input", {}).get("comand", "")\n`, 'Did you mean "command"?'],
  ["a.sh", `f=$(jq -r .tool_input.file_path)\n${JUDGE}`, "Bash does not have it"],
])("%s for Bash that reads a field of tool_input that Bash has not is told so: %j", (file, text, said) => {
  expect(ofBash(file, text)).toContain(said);
  expect(slip(file, text)).toBeUndefined();
});

test.each([
  `c=$(jq -r '.tool_input.command // .tool_input.file_path // ""')\n${JUDGE}`,
  `c=$(jq -r '.tool_input.command // .toolInput.command // ""')\n${JUDGE}`,
  `c=$(jq -r '.toolInput.command // .tool_input.command // ""')\n${JUDGE}`,
  `i=$(cat)\nt=$(printf %s "$i" | jq -r .tool_name)\nf=$(printf %s "$i" | jq -r .tool_input.file_path)\n${JUDGE}`,
])("a script that serves several tools or agents is not told anything: %j", (text) => {
  expect(ofBash("a.sh", text)).toBeUndefined();
});

const NODE = 'import fs from "fs";\nconst i = JSON.parse(fs.readFileSync(0, "utf8"));\n';
const LOAD = 'JSON.parse(fs.readFileSync(0, "utf8"));\n';

test.each([
  [`${NODE}if (i.tool_input.comand?.includes("rm ")) process.exit(2);\n`, 'Did you mean "command"?'],
  [`${NODE}const c = i.tool_input?.comand ?? "";\n`, 'Did you mean "command"?'],
  [`${NODE}const c = i["tool_input"]["cmd"];\n`, 'Did you mean "command"?'],
  [`const { tool_input: { cmd = "" } } = ${LOAD}`, 'Did you mean "command"?'],
  [`const { tool_name = "", tool_input: { comand } = {} } = ${LOAD}`, 'Did you mean "command"?'],
  [`const { toolName, tool_input } = ${LOAD}if (toolName === "Bash" && /rm/.test(tool_input.command)) process.exit(2);\n`, '"tool_name"'],
  [`const { tool_input } = ${LOAD}if (/rm/.test(tool_input.comand)) process.exit(2);\n`, 'Did you mean "command"?'],
  [`${NODE}const { tool_input: t } = i;\nif (/rm/.test(t.comand)) process.exit(2);\n`, 'Did you mean "command"?'],
  [`${NODE}if (i.tool_input.file_path?.endsWith(".env")) process.exit(2);\n`, "Bash does not have it"],
  [`${NODE}if (i.tool_input.script?.includes("rm")) process.exit(2);\n`, "Bash does not have it"],
  ["if (/rm/.test(process.env.CLAUDE_TOOL_INPUT)) process.exit(2);\n", "CLAUDE_TOOL_INPUT, which no agent sets"],
])("a JavaScript hook for Bash that looks for what is not there is told so: %j", (text, said) => {
  expect(ofBash("a.mjs", text)).toContain(said);
});

test.each([
  `${NODE}if (i.tool_input.command.includes("rm ")) process.exit(2);\n`,
  `${NODE}const c = i.tool_input.command ?? i.tool_input.script;\n`,
  `${NODE}if (i.tool_name === "Write" && i.tool_input.file_path.length) process.exit(2);\n`,
  `${NODE}if (i.tool_input.dangerouslyDisableSandbox) process.exit(2);\n`,
  `const { tool_name, tool_input: { command = "", description } = {}, ...rest } = ${LOAD}if (command) process.exit(2);\n`,
  `const { session_id: id, tool_input } = ${LOAD}if (tool_input.command.length > 5) process.exit(2);\n`,
  `${NODE}console.log(process.env.CLAUDE_TOOL_INPUT);\n`,
])("a JavaScript hook for Bash in which nothing is wrong is not told anything: %j", (text) => {
  expect(ofBash("a.mjs", text)).toBeUndefined();
});

test.each([
  'import os, sys\ncmd = os.environ.get("CLAUDE_TOOL_INPUT", "")\nif "rm" in cmd:\n    sys.exit(2)\n',
  '#!/usr/bin/env python3\nimport os, sys\nif "rm" in os.environ["CLAUDE_TOOL_INPUT"]:\n    sys.exit(2)\n',
  'import os, sys\nif "rm" in os.getenv("CLAUDE_TOOL_INPUT"):\n    sys.exit(2)\n',
])("a Python hook that looks for the event in a variable is told so: %j", (text) => {
  expect(ofBash("a.py", text)).toContain("TOOL_INPUT, which no agent sets");
  expect(ofBash("a.py", `${text}sys.stdin.read()\n`)).toBeUndefined();
});

test("a script of the SDK that is called for other tools than its hooks are for is told so", () => {
  const hooks = (...tools: readonly string[]): string =>
    `import { deny, hook } from "@hookloop/sdk";\n${tools.map((tool) => `hook("PreToolUse", { ${tool}guard: true }, () => deny("no"));\n`).join("")}`;
  expect(ofBash("a.mjs", hooks('tool: "Edit|Write", '))).toContain("is called for Bash, but its hooks are for Edit|Write");
  for (const fine of [hooks('tool: "Edit|Bash", '), hooks(""), hooks('tool: "Edit", ', ""), hooks("tool: /Edit/, ")])
    expect(ofBash("a.mjs", fine)).toBeUndefined();
});

const STORED = "input=$(cat)\n";
const IS_DEPLOY = 'case "$input" in *deploy*) echo no >&2; exit 2;; esac';
test.each([
  ["$( )", `${STORED}found=$(${IS_DEPLOY})\nexit 0\n`, /exit 2.*inside of \$\( \)/],
  ["$( ) beside a function that is not called", `${STORED}die() { exit 2; }\nfound=$(${IS_DEPLOY})\nexit 0\n`, /inside of \$\( \)/],
  ["backticks", `${STORED}found=\`if echo "$input" | grep -q deploy; then exit 2; fi\`\ntrue\n`, /inside of \$\( \)/],
  [
    "a function that is called in $( )",
    `${STORED}check() {\n  ${IS_DEPLOY}\n  echo ok\n}\nresult=$(check "$input")\nexit 0\n`,
    /inside of \$\( \).*check/,
  ],
  ["a function with the word", `${STORED}function check { ${IS_DEPLOY}; }\nresult="$(check)"\nexit 0\n`, /check/],
  [
    "a loop behind a pipe",
    `cat | jq -r .tool_input.command | while read -r line; do\n  case $line in *deploy*) exit 2;; esac\ndone\nexit 0\n`,
    /behind a pipe/,
  ],
  ["( )", `${STORED}( ${IS_DEPLOY} )\necho checked >/dev/null\n`, /inside of \( \)/],
])("a shell script whose exit 2 ends only a part of it, in %s, is told so", (_name, text, told) => {
  expect(slip("a.sh", text)).toMatch(told);
});

test.each([
  ["is its last command", `${STORED}found=$(${IS_DEPLOY})\n`],
  ["is its last command, in a pipe", "cat | while read -r line; do case $line in *deploy*) exit 2;; esac; done\n"],
  ["is asked for", `${STORED}if ! found=$(${IS_DEPLOY}); then exit 2; fi\nexit 0\n`],
  ["is handed on", `${STORED}found=$(${IS_DEPLOY}) || exit\nexit 0\n`],
  ["is handed on by $?", `${STORED}found=$(${IS_DEPLOY})\nexit $?\n`],
  ["ends the script by set -e", `set -eu\n${STORED}found=$(${IS_DEPLOY})\nexit 0\n`],
  ["is one of two, and the other counts", `${STORED}found=$(${IS_DEPLOY})\ncase "$input" in *rm*) exit 2;; esac\n`],
  [
    "is in a function that is called plainly",
    `${STORED}die() { echo "$1" >&2; exit 2; }\nx=$(date)\ncase "$input" in *deploy*) die no;; esac\n`,
  ],
  ["is in a function that is called in both ways", `${STORED}check() { ${IS_DEPLOY}; }\nx=$(check)\ncheck\n`],
  ["is in a comment and in quotes", `${STORED}x=$(echo 'exit 2') # exit 2\ncase "$input" in *deploy*) exit 2;; esac\n`],
  [
    "is in a loop that reads a variable",
    `${STORED}while read -r line; do case $line in *deploy*) exit 2;; esac; done <<<"$input"\nexit 0\n`,
  ],
  ["is in a group", `${STORED}{ ${IS_DEPLOY}; }\nexit 0\n`],
  ["stands beside an answer in JSON", `${STORED}x=$(${IS_DEPLOY})\n[ -z "$x" ] || echo '{"decision":"block"}'\n`],
  ["is in a file that cannot be read surely", `${STORED}cat <<END\n$(exit 2\nEND\nx=$(${IS_DEPLOY})\nexit 0\n`],
])("an exit 2 that %s is no slip", (_name, text) => {
  expect(slip("a.sh", text)).toBeUndefined();
});

test("a long script is not looked through for long", () => {
  const texts = ["a ; ".repeat(16_000), "$(".repeat(30_000), "( a ) ".repeat(10_000), "case a in ".repeat(6000)];
  expect(processorMs(() => texts.map((text) => slip("a.sh", `${text}\nexit 2\nexit 0\n`)))).toBeLessThan(2000);
});

test.each([
  ["[ ] with a pattern", `${STORED}if [ "$input" == *deploy* ]; then exit 2; fi\n`, /read letter by letter in \[ \]/],
  ["[ ] with a pattern in quotes", `${STORED}if [ "$input" = "sh deploy*" ]; then exit 2; fi\n`, /letter by letter/],
  ["[[ ]] with a pattern in quotes", `${STORED}if [[ "$input" == "*deploy*" ]]; then exit 2; fi\n`, /in quotes.*\[\[ … == \*deploy\* \]\]/],
  ["=~ with quotes", `${STORED}if [[ "$input" =~ "sh .*deploy" ]]; then exit 2; fi\n`, /=~ sh\\ \.\*deploy/],
])("a shell script that compares a pattern letter by letter is told so: %s", (_name, text, told) => {
  expect(slip("a.sh", text)).toMatch(told);
});

test.each([
  ["in [[ ]]", `${STORED}if [[ $input == *deploy* ]]; then exit 2; fi\n`],
  ["in [[ =~ ]]", `${STORED}if [[ $input =~ sh.*deploy ]]; then exit 2; fi\n`],
  ["a star alone", `${STORED}if [ "$input" = "*" ]; then exit 2; fi\n`],
  [
    "plain words",
    `${STORED}c=$(jq -r .tool_input.command <<<"$input")\nif [ "$c" = "deploy now" ] || [[ "$input" =~ "deploy" ]]; then exit 2; fi\n`,
  ],
  ["of a variable", `${STORED}if [ "$input" = "$pattern" ]; then exit 2; fi\n`],
])("a comparison %s is none", (_name, text) => {
  expect(slip("a.sh", text)).toBeUndefined();
});

test.each([
  ["a.py", `${PYTHON}def main():\n    if "x" in d["tool_input"]["command"]:\n        return {"decision": "block"}\nmain()\n`],
  [
    "a.mjs",
    'import fs from "node:fs";\nconst judge = (i) => { if (i.tool_input.command) return { decision: "block" }; };\njudge(JSON.parse(fs.readFileSync(0, "utf8")));\n',
  ],
])("%s that returns its answer and prints nothing is told so", (file, text) => {
  expect(slip(file, text)).toContain("prints nothing");
  expect(slip(file, `${text}${file === "a.py" ? "print(json.dumps(main()))" : "console.log(1)"}\n`)).toBeUndefined();
});

test("a script of the SDK that names a result and does not call it is told so", () => {
  const script = (body: string): string =>
    `import {\n  deny,\n  hook\n} from "@hookloop/sdk";\nhook("PreToolUse", (input) => { ${body} });\n`;
  expect(slip("a.mjs", script("if (input.tool_input.command) deny;"))).toMatch(/has "deny;".*Write return deny\("…"\)/);
  expect(slip("a.mjs", script("emitBlock;"))).toContain('Write emitBlock("…")');
  expect(slip("a.mjs", script('if (input.x) return deny("no");'))).toBeUndefined();
});

test.each([
  ["a.py", `${PYTHON}if d["hook_event_name"]=="PreToolUse": sys.exit(2)\n`],
  ["a.py", `${PYTHON}if d.get("cwd") == "/": sys.exit(2)\n`],
  ["a.sh", `[ "$(jq -r .hook_event_name)" = PreToolUse ] && exit 2\n`],
  ["a.mjs", 'const d = JSON.parse(require("fs").readFileSync(0)); if (d.hook_event_name === "PreToolUse") process.exit(2);\n'],
])("%s that reads a field of every event is right: %j", (file, text) => {
  expect(slip(file, text)).toBeUndefined();
});

test("what the event has is told of this event alone, also where the script knows of several", () => {
  const told = slip("a.py", `${PYTHON}x = d["shell_line"]\n# hook_event_name\n`);
  expect(told).toMatch(/It has .*tool_input/);
  expect(told).not.toContain("trigger");
});

test.each([
  ["a.py", `${PYTHON}ti=d.get("tool_input",{})\nif "x" in ti.get("cmd",""): sys.exit(2)\n`, 'Did you mean "command"?'],
  ["a.py", `${PYTHON}inp = d["tool_input"] or {}\nc = inp["cmd"]\n`, 'Did you mean "command"?'],
  ["a.py", `${PYTHON}ti = d["tool_input"]\np = ti.get("path") or ""\n`, "Bash does not have it"],
  ["a.py", `import json, sys\nti = json.load(sys.stdin).get("tool_input", {}); c = ti.get("comand")\n`, 'Did you mean "command"?'],
  ["a.mjs", `${NODE}const ti=i.tool_input;const {cmd=""}=ti;if(cmd)process.exit(2);\n`, 'Did you mean "command"?'],
  ["a.mjs", `${NODE}const args=i.tool_input||{};if((args.cmd||"").includes("x"))process.exit(2);\n`, 'Did you mean "command"?'],
  ["a.sh", `I=$(cat)\nTI=$(echo "$I" | jq -c .tool_input)\nc=$(echo "$TI" | jq -r .cmd)\n${JUDGE}`, 'Did you mean "command"?'],
  ["a.sh", `TI=$(jq -c '.tool_input // {}')\nc=$(jq -r .comand <<<"$TI")\n${JUDGE}`, 'Did you mean "command"?'],
  ["a.sh", `c=$(jq -r '.tool_input | .cmd')\n${JUDGE}`, 'Did you mean "command"?'],
  ["a.sh", `c=$(jq -r '.["tool-input"]["command"] // ""')\n${JUDGE}`, 'Did you mean "tool_input"?'],
  ["a.sh", `c=$(jq -r '.["tool_input"]["cmd"]')\n${JUDGE}`, 'Did you mean "command"?'],
  ["a.py", `${PYTHON}if d.get("event")!="PreToolUse": sys.exit(0)\nsys.exit(2)\n`, 'Did you mean "hook_event_name"?'],
])("%s that reads a wrong field through a variable or another spelling is told so: %j", (file, text, said) => {
  expect(ofBash(file, text)).toContain(said);
});

test.each([
  ["a.py", `${PYTHON}ti = d["tool_input"]\nti = other\nti.get("cmd")\n`],
  ["a.py", `${PYTHON}ti = d["tool_input"]\nc = ti.get("command") or ti.get("cmd")\nx = conf.get("cmd")\n`],
  ["a.mjs", `${NODE}const ti = i.tool_input ?? {};\nif (ti.command?.includes("x")) process.exit(2);\n`],
  ["a.sh", `I=$(cat)\nTI=$(echo "$I" | jq -c .tool_input)\nc=$(echo "$TI" | jq -r .command)\n${JUDGE}`],
  ["a.sh", `c=$(jq -r '.["tool_input"]["command"]')\n${JUDGE}`],
])("%s that reads the right one so, is not: %j", (file, text) => {
  expect(ofBash(file, text)).toBeUndefined();
});

const SDK = 'import { deny, hook } from "@hookloop/sdk";\n';
const MODULE = { file: "a.mjs", events: ["PreToolUse"] as const, exported: "default" };

test.each([
  ["a.mjs", `${SDK}hook("PreToolUse", { guard: true }, (i) => { if (i.tool_name === "bash") return deny("no"); });\n`],
  ["a.mjs", `${SDK}hook("PreToolUse", { guard: true }, (i) => { switch (i.tool_name) { case "bash": return deny("no"); } });\n`],
  ["a.mjs", `${SDK}hook("PreToolUse", ({ tool_name }) => { if (["bash", "sh"].includes(tool_name)) return deny("no"); });\n`],
  ["a.mjs", `${NODE}const name = i.tool_name;\nif (name === "bash") process.exit(2);\n`],
  ["a.mjs", `${NODE}const { tool_name: name } = i;\nif ("bash" === name) process.exit(2);\n`],
  ["a.py", `${PYTHON}if d["tool_name"] not in ("bash","shell"): sys.exit(0)\nsys.exit(2)\n`],
  ["a.py", `${PYTHON}t = d.get("tool_name", "")\nif t == "bash": sys.exit(2)\n`],
  ["a.py", `${PYTHON}if d["tool_name"] == "shell": sys.exit(2)\n`],
])("%s that compares the tool's name with one that no tool has is told so: %j", (file, text) => {
  expect(ofBash(file, text)).toMatch(/compares tool_name with "(?:bash|shell)", and the tool is called "Bash"/);
  expect(ofBash(file, `${text}${file === "a.py" ? "#" : "//"} also "Bash"\n`)).toBeUndefined();
});

test("a module that does is told so, and an event's name is one as well", () => {
  const compares = 'export default (i) => { if (i.tool_name === "bash") return { decision: "block" }; };\n';
  expect(scriptSlip({ ...MODULE, text: compares })).toContain('called "Bash"');
  expect(scriptSlip({ ...MODULE, text: `${SDK}${compares}` })).toContain('called "Bash"');
  expect(slip("a.py", `${PYTHON}if d.get("hook_event_name")!="preToolUse": sys.exit(0)\nsys.exit(2)\n`)).toContain(
    'compares hook_event_name with "preToolUse", and the event is called "PreToolUse"',
  );
});

test.each([
  ["a.py", `${PYTHON}if d["tool_name"].lower() == "bash": sys.exit(2)\n`],
  ["a.py", `${PYTHON}t = d["tool_name"].lower()\nif t in ("bash", "shell"): sys.exit(2)\n`],
  ["a.py", `${PYTHON}if d["tool_name"] == "deploy_site": sys.exit(2)\n`],
  ["a.mjs", `${SDK}hook("PreToolUse", (i) => { if (i.tool_name.toLowerCase() === "bash") return deny("no"); });\n`],
  ["a.mjs", `${SDK}hook("PreToolUse", (i) => { if (i.tool_name === "Write") return; return deny("no"); });\n`],
])("%s that may be right is not: %j", (file, text) => {
  expect(ofBash(file, text)).toBeUndefined();
});

const COMMAND = `${PYTHON}c = d["tool_input"]["command"]\n`;
test.each([
  ["a.py", `${COMMAND}try:\n  if "x" in c:\n    sys.exit(2)\nexcept:\n  sys.exit(0)\n`, "except Exception:"],
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nexcept: sys.exit()\n`, "except Exception:"],
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nfinally:\n  sys.exit(0)\n`, "finally:"],
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nexcept Exception:\n  pass\nfinally: sys.exit(0)\n`, "finally:"],
  ["a.py", `${COMMAND}if "x" in c:\n  sys.exit\n`, "sys.exit(2)"],
  ["a.py", `${COMMAND}if "x" in c: sys.exit # no\n`, "sys.exit(2)"],
  ["a.py", `${COMMAND}if "x" in c:\n  json.dumps({"decision":"block","reason":"x"})\n`, "print(json.dumps("],
  ["a.mjs", `${NODE}if (i.tool_input.command) JSON.stringify({ decision: "block" });\n`, "console.log(JSON.stringify("],
  ["a.sh", "C=$(jq -r .tool_input.command)\ncheck(){ case $C in *x*) return 2;; esac; }\ncheck\nexit 0\n", "check || exit 2"],
  ["a.sh", 'C=$(jq -r .tool_input.command)\ncheck() {\n  [[ $1 == *x* ]] && return 2\n}\ncheck "$C"; exit 0\n', "check || exit 2"],
])("%s whose no is lost on its way out is told so: %j", (file, text, cure) => {
  expect(ofBash(file, text)).toContain(cure);
});

test.each([
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nexcept:\n  sys.exit(2)\n`],
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nexcept SystemExit:\n  raise\nexcept:\n  sys.exit(0)\n`],
  ["a.py", `${COMMAND}try:\n  c.strip()\nexcept:\n  sys.exit(0)\nif "x" in c: sys.exit(2)\n`],
  ["a.py", `${COMMAND}try:\n  if "x" in c: sys.exit(2)\nfinally:\n  log.close()\n`],
  ["a.py", `${COMMAND}if "x" in c:\n  print(\n    json.dumps({"decision":"block"})\n  )\n`],
  ["a.py", `${COMMAND}out = \\\n  json.dumps({"decision":"block"})\nprint(out)\n`],
  ["a.sh", "C=$(jq -r .tool_input.command)\ncheck(){ case $C in *x*) return 2;; esac; }\ncheck || exit 2\nexit 0\n"],
  ["a.sh", "C=$(jq -r .tool_input.command)\ncheck(){ case $C in *x*) return 2;; esac; }\ncheck\n"],
  ["a.sh", "C=$(jq -r .tool_input.command)\ncheck(){ case $C in *x*) return 2;; esac; }\ncheck\nexit $?\n"],
  ["a.sh", "C=$(jq -r .tool_input.command)\ncheck(){ case $C in *x*) return 2;; esac; }\nif ! check; then exit 2; fi\nexit 0\n"],
])("%s whose no arrives is not: %j", (file, text) => {
  expect(ofBash(file, text)).toBeUndefined();
});

test.each([
  ["c=$(jq .tool_input.command)\ncase $c in touch*) exit 2;; esac\n", "jq -r"],
  ["input=$(cat)\nc=$(echo \"$input\" | jq '.tool_input.command')\n[ \"$c\" = 'sh deploy.sh' ] && exit 2\n", "jq -r"],
  ['grep -q \'"tool_name": "Bash"\' && exit 2\nexit 0\n', "blank"],
  ['input=$(cat)\ncase $input in *\'"command": "rm\'*) exit 2;; esac\n', "blank"],
  ["read -r c\ncase $c in touch*) exit 2;; esac\n", "the event's JSON"],
  ["c=$(cat)\n[[ $c == rm* ]] && exit 2\n", "the event's JSON"],
  ["trap 'exit 0' EXIT\ngrep -q deploy && exit 2\n", "trap"],
])("a shell gate that never sees a match says why: %j", (text, said) => {
  expect(slip("a.sh", text)).toContain(said);
});

test.each([
  "c=$(jq .tool_input.command)\ncase $c in *deploy*|'\"rm'*) exit 2;; esac\n",
  "c=$(jq -r .tool_input.command)\ncase $c in touch*) exit 2;; esac\n",
  'jq . | grep -q \'"tool_name": "Bash"\' && exit 2\nexit 0\n',
  'grep -Eq \'"tool_name": *"Bash"\' && exit 2\nexit 0\n',
  "c=$(cat)\ncase $c in *deploy*|'{'*rm*) exit 2;; esac\n",
  'c=$(cat)\nc=$(printf %s "$c" | jq -r .tool_input.command)\ncase $c in touch*) exit 2;; esac\n',
  "trap 'rm -f x; exit 2' EXIT\ngrep -q deploy && exit 2\n",
])("a shell gate that may well match is left alone: %j", (text) => {
  expect(slip("a.sh", text)).toBeUndefined();
});

const SDK_GUARD = (handler: string): string =>
  `import { deny, hook } from "@hookloop/sdk";\nhook("PreToolUse", { tool: "Bash", guard: true }, ${handler});\n`;

test.each([
  ["(i) => {\n  if (/x/.test(i.tool_input.command)) return\n    deny('no');\n}", "which is never reached"],
  ['(i) => { deny: "no" }', "which is a label"],
])("a guard of the SDK whose result is not made is told so: %j", (handler, said) => {
  expect(slip("a.mjs", SDK_GUARD(handler))).toContain(said);
});

test.each([
  "(i) => {\n  if (/x/.test(i.tool_input.command)) return;\n  return deny('no');\n}",
  "(i) => { return { deny: 'no' }.deny ? deny('no') : undefined; }",
])("but not where it is made: %j", (handler) => expect(slip("a.mjs", SDK_GUARD(handler))).toBeUndefined());
