/** A hook is `trusted` only if what it loads is pinned; a file that would be loaded in place of another is a change as soon as it is there. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { openAgentLab, PROGRAM, say, use } from "../agent/agent-lab.ts";
import { bash, hooksFor, openProject, type Project } from "../engine/open-project.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const state = ({ trust }: HookEngine): string | undefined => trust.statuses[0]?.state;

/** A project with one approved gate. */
async function approved(command: string | { readonly command: string; readonly files?: readonly string[] }, files: Record<string, string>) {
  const project = openProject({ project: hooksFor("PreToolUse", [command], { matcher: "Bash" }) });
  for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
  const hooks = await project.open({ trust: { review: yes } });
  return { project, hooks };
}

async function blocks(project: Project, hooks?: HookEngine): Promise<boolean> {
  const opened = hooks ?? (await project.open({ trust: "store" }));
  const verdict = await opened.fire("PreToolUse", bash("ls"));
  return verdict.decision === "deny";
}

const GUARD = "import json, sys\njson.load(sys.stdin)\nopen('ran', 'w')\n";

describe("a file that Python would load first", () => {
  const PLANTED = ["_json.py", "json.pyc", "json/__init__.pyc", "json/__init__.py", "re.py", "_json.cpython-312-x86_64-linux-gnu.so"];

  test.each(PLANTED)("%s beside a script is a change, and the gate blocks", async (name) => {
    const { project } = await approved("python3 hooks/guard.py", { "hooks/guard.py": GUARD });
    expect(await blocks(project)).toBe(false);
    rmSync(project.path("ran"), { force: true });
    project.write(`project/hooks/${name}`, "open('planted', 'w')\n");
    const hooks = await project.open({ trust: "store" });
    expect(state(hooks)).toBe("changed");
    expect(await blocks(project, hooks)).toBe(true);
    expect([project.read("planted"), project.read("ran")]).toEqual([undefined, undefined]);
  });

  test.each(PLANTED)("%s in the middle of a session", async (name) => {
    const { project, hooks } = await approved("python3 hooks/guard", { "hooks/guard": GUARD });
    expect(await blocks(project, hooks)).toBe(false);
    // Long enough for the times of the files to be believed.
    await new Promise((done) => setTimeout(done, 300));
    expect(await blocks(project, hooks)).toBe(false);
    project.write(`project/hooks/${name}`, "open('planted', 'w')\n");
    expect(await blocks(project, hooks)).toBe(true);
    expect(project.read("planted")).toBeUndefined();
  });

  test.each(PLANTED)("%s in the folder that inline code runs in", async (name) => {
    const { project } = await approved("python3 -c 'import json'", { "app.py": "one\n" });
    project.write("project/app.py", "two\n");
    expect(await blocks(project)).toBe(false);
    project.write(`project/${name}`, "open('planted', 'w')\n");
    expect(await blocks(project)).toBe(true);
    expect(project.read("planted")).toBeUndefined();
  });

  test("compiled code of a module is part of the hook, and running the hook makes none", async () => {
    const { project } = await approved("python3 hooks/guard.py", {
      "hooks/guard.py": `import helper\n${GUARD}`,
      "hooks/helper.py": "x = 1\n",
    });
    expect(await blocks(project)).toBe(false);
    expect(await blocks(project)).toBe(false);
    expect(existsSync(project.path("hooks/__pycache__"))).toBe(false);
    project.write("project/hooks/__pycache__/helper.cpython-312.pyc", "planted");
    expect(await blocks(project)).toBe(true);
  });
});

describe("a file of data that a script takes its rules from is part of the hook", () => {
  const READERS: readonly (readonly [string, string])[] = [
    ["bash hooks/guard", 'grep -qf "$CLAUDE_PROJECT_DIR/hooks/rules.txt" && exit 2; exit 0\n'],
    ["bash hooks/guard", "grep -qf hooks/rules.txt && exit 2; exit 0\n"],
    ["bash hooks/guard", 'read -r word < "${0%/*}/rules.txt"; exit 0\n'],
    ["bash hooks/guard", "mapfile -t words < hooks/rules.txt; exit 0\n"],
    ["bash hooks/guard", 'words=$(cat "$CLAUDE_PROJECT_DIR"/hooks/rules.txt); exit 0\n'],
    ["node hooks/guard.mjs", 'import { readFileSync } from "node:fs"; readFileSync("hooks/rules.txt", "utf8");\n'],
    ["node hooks/guard.mjs", 'import fs from "node:fs"; fs.readFileSync(`${process.env.CLAUDE_PROJECT_DIR}/` + "hooks/rules.txt");\n'],
  ];

  test.each(READERS)("%s: %s", async (command, text) => {
    const [, name = ""] = command.split(" ");
    const { project, hooks } = await approved(command, { [name]: text, "hooks/rules.txt": "push\n" });
    expect(state(hooks)).toBe("trusted");
    expect(await blocks(project)).toBe(false);
    project.write("project/hooks/rules.txt", "nothing\n");
    expect(await blocks(project)).toBe(true);
  });

  test.each([
    ["that it also writes", "f=hooks/rules.txt; cat hooks/rules.txt > /dev/null; date > hooks/rules.txt; exit 0\n"],
    ["that it appends to", "tail -1 hooks/rules.txt > /dev/null; date >> hooks/rules.txt; exit 0\n"],
  ])("but not one %s: it changes with every run", async (_name, text) => {
    const { project } = await approved("bash hooks/guard", { "hooks/guard": text, "hooks/rules.txt": "" });
    expect([await blocks(project), await blocks(project)]).toEqual([false, false]);
  });

  test("nor what lies elsewhere in the project: people work on it", async () => {
    const { project } = await approved("bash hooks/guard", {
      "hooks/guard": "cat package.json > /dev/null; exit 0\n",
      "package.json": "{}",
    });
    project.write("project/package.json", '{"a": 1}');
    expect(await blocks(project)).toBe(false);
  });
});

const FS = 'import fs, { readFileSync, existsSync } from "node:fs";\nimport { join } from "node:path";\n';
const IN = 'const i = JSON.parse(readFileSync(0, "utf8"));\n';
const RULES_FILE = ".claude/hooks/rules.txt";

describe("rules whose name is put together are pinned, or the gate is not called trusted", () => {
  const PINNED: readonly (readonly [string, string])[] = [
    ["guard.mjs", `${FS}${IN}readFileSync(\`\${process.env.CLAUDE_PROJECT_DIR}/${RULES_FILE}\`);\n`],
    ["guard.mjs", `${FS}${IN}readFileSync(process.env.CLAUDE_PROJECT_DIR + "/${RULES_FILE}");\n`],
    ["guard.mjs", `${FS}const root = process.env.CLAUDE_PROJECT_DIR ?? ".";\nfs.createReadStream(\`\${root}/${RULES_FILE}\`);\n`],
    [
      "guard.mjs",
      `${FS}import { readFile } from "node:fs/promises";\nawait readFile(join(process.env.CLAUDE_PROJECT_DIR, "${RULES_FILE}"));\n`,
    ],
    ["guard.cjs", `require("child_process").execFileSync("grep", ["-c", "", "${RULES_FILE}"]);\n`],
    ["guard.sh", 'root=$CLAUDE_PROJECT_DIR\nfile=$root/.claude/hooks/rules.txt\ngrep -qf "$file" && exit 2; exit 0\n'],
    ["guard.sh", 'here=$(cd "$(dirname "$0")" && pwd)\ngrep -qf "$here/rules.txt" && exit 2; exit 0\n'],
  ];
  const STARTS: Readonly<Record<string, string>> = { mjs: "node", cjs: "node", sh: "bash", py: "python3" };
  const start = (name: string): string => `${STARTS[name.split(".")[1] ?? ""]} .claude/hooks/${name}`;

  test.each(PINNED)("%s: %s", async (name, text) => {
    const { project, hooks } = await approved(start(name), { [`.claude/hooks/${name}`]: text, [RULES_FILE]: "zz\n" });
    expect(state(hooks)).toBe("trusted");
    project.write(`project/${RULES_FILE}`, "nothing\n");
    expect(state(await project.open({ trust: "store" }))).toBe("changed");
    expect(await blocks(project)).toBe(true);
  });

  const OPEN: readonly (readonly [string, string])[] = [
    ["guard.mjs", `${FS}${IN}readFileSync(\`\${i.cwd}/${RULES_FILE}\`);\n`],
    ["guard.mjs", `${FS}${IN}const { cwd } = i;\nreadFileSync(cwd + "/${RULES_FILE}");\n`],
    ["guard.mjs", `${FS}const load = (name) => readFileSync(name, "utf8");\nload("${RULES_FILE}");\n`],
    ["guard.mjs", `${FS}JSON.parse(await fs.promises.readFile(process.argv[2] ?? "${RULES_FILE}"));\n`],
    ["guard.mjs", `${FS}existsSync(process.env.OFF);\n`],
    ["guard.mjs", `${FS}for (const name of fs.readdirSync(".claude")) name;\n`],
    ["guard.mjs", 'import { Worker } from "node:worker_threads";\nnew Worker("/x.js");\n'],
    ["guard.mjs", 'import { createRequire } from "node:module";\ncreateRequire("/x")("y");\n'],
    ["guard.mjs", "await import(process.argv[2]);\n"],
    ["guard.cjs", "const load = require; load(process.argv[2]);\n"],
    ["guard.cjs", 'process.getBuiltinModule("fs").readFileSync(process.argv[2]);\n'],
    ["guard.sh", 'file=$(jq -r .cwd)/rules.txt; grep -qf "$file" && exit 2; exit 0\n'],
    ["guard.sh", 'check() { grep -qf "$1"; }; check .claude/hooks/rules.txt; exit 0\n'],
    // It may name further files.
    ["guard.sh", "cat >/dev/null; curl -sK .claude/hooks/rules.txt; exit 0\n"],
    ["guard.sh", '[[ -f "$(jq -r .cwd)/off" ]] && exit 0\n'],
    ["guard.sh", "node -e \"require('fs').readFileSync('off')\"\n"],
  ];

  test.each(OPEN)("%s, where it cannot be known: %s", async (name, text) => {
    const { hooks } = await approved(start(name), { [`.claude/hooks/${name}`]: text, [RULES_FILE]: "zz\n" });
    expect(state(hooks)).toBe("definition-only");
  });

  test.each([
    ['open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "rules.txt"))', "definition-only"],
    ["open(sys.argv[1])", "definition-only"],
    ['(Path(__file__).parent / "rules.txt").read_text()', "definition-only"],
    ['os.path.exists(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], ".claude/off"))', "definition-only"],
    ['if os.environ.get("OFF"): sys.exit(0)', "trusted"],
  ])("Python with files: %s is %s", async (line, expected) => {
    const entry = { command: 'python3 "$CLAUDE_PROJECT_DIR"/hooks/guard.py', files: ["hooks/**"] };
    const text = `import os, sys\n${line.includes("Path") ? "from pathlib import Path\n" : ""}${line}\n`;
    const { hooks } = await approved(entry, { "hooks/guard.py": text, "hooks/rules.txt": "", "rules.txt": "" });
    expect(state(hooks)).toBe(expected);
  });

  test.each(["me/x", "@of/me"])("a package that imports itself as %s", async (specifier) => {
    const name = specifier.startsWith("@") ? specifier : "me";
    const manifest = JSON.stringify({ name, exports: { ".": "./x.mjs", "./x": "./x.mjs" } });
    const files = { "hooks/guard.mjs": `import "${specifier}";\n`, "x.mjs": "" };
    expect(state((await approved("node hooks/guard.mjs", { ...files, "package.json": manifest })).hooks)).toBe("definition-only");
    // It is found nowhere, so the hook cannot run; whoever installs it decides what it does.
    const { project, hooks } = await approved("node hooks/guard.mjs", files);
    expect(state(hooks)).toBe("definition-only");
    project.write("project/package.json", manifest);
    expect(state(await project.open({ trust: "store" }))).toBe("changed");
  });
});

describe("a switch that a gate looks for", () => {
  const SWITCHES: readonly (readonly [string, string])[] = [
    ["guard.mjs", `${FS}if (existsSync(".claude/guard-off")) process.exit(0);\n`],
    [
      "guard.mjs",
      `${FS}const root = process.env.CLAUDE_PROJECT_DIR;\nif (existsSync(join(root, ".claude", "guard-off"))) process.exit(0);\n`,
    ],
    ["guard.mjs", `${FS}try { fs.statSync(".claude/guard-off"); process.exit(0); } catch {}\n`],
    ["guard.mjs", `${FS}try { fs.accessSync(".claude/guard-off"); process.exit(0); } catch {}\n`],
    ["guard.mjs", `import { stat } from "node:fs/promises";\nawait stat(".claude/guard-off").catch(() => {});\n`],
    ["guard.sh", "[[ -f .claude/guard-off ]] && exit 0; exit 0\n"],
    ["guard.sh", '[[ ! -s "$CLAUDE_PROJECT_DIR/.claude/guard-off" ]] || exit 0\n'],
    ["guard.sh", "if test -e .claude/guard-off; then exit 0; fi; exit 0\n"],
    ["guard.sh", 'OFF=.claude/guard-off; [ -f "$OFF" ] && exit 0; exit 0\n'],
    ["guard.sh", 'OFF="$CLAUDE_PROJECT_DIR/.claude/guard-off"\nif [[ -e $OFF ]]; then exit 0; fi\n'],
    ["guard.sh", "[[ .claude/guard-off -nt /etc/passwd ]] && exit 0; exit 0\n"],
    ["guard.sh", "[ .claude/guard-off -nt /etc/passwd ] && exit 0; exit 0\n"],
    ["guard.sh", "command -v .claude/guard-off >/dev/null && exit 0; exit 0\n"],
  ];
  const STARTS: Readonly<Record<string, string>> = { mjs: "node", sh: "bash" };

  test.each(SWITCHES)("%s: %s", async (name, text) => {
    const command = `${STARTS[name.split(".")[1] ?? ""]} hooks/${name}`;
    const { project, hooks } = await approved(command, { [`hooks/${name}`]: text });
    const touch = { tool_name: "Bash", tool_input: { command: "touch .claude/guard-off" }, tool_use_id: "t" };
    expect((await hooks.runTool(touch, () => "ran")).status).toBe("denied");
    expect(await blocks(project)).toBe(false);
    project.write("project/.claude/guard-off", "x\n");
    expect(state(await project.open({ trust: "store" }))).toBe("changed");
    expect(await blocks(project, hooks)).toBe(true);
  });

  test("a file that must be there and is taken away is a change", async () => {
    const text = "[[ -f .claude/guard-on ]] || exit 0\nexit 0\n";
    const { project } = await approved("bash hooks/guard.sh", { "hooks/guard.sh": text, ".claude/guard-on": "" });
    expect(await blocks(project)).toBe(false);
    rmSync(project.path(".claude/guard-on"));
    expect(await blocks(project)).toBe(true);
  });

  test("in the folder that the session is in", async () => {
    const text = "[ -f guard-off ] && exit 0\nexit 0\n";
    const { project, hooks } = await approved('bash "$CLAUDE_PROJECT_DIR"/hooks/guard.sh', { "hooks/guard.sh": text, "sub/x": "" });
    const cwd = project.path("sub");
    expect((await hooks.fire("PreToolUse", { ...bash("ls"), cwd })).decision).toBe("none");
    project.write("project/sub/guard-off", "");
    expect((await hooks.fire("PreToolUse", { ...bash("ls"), cwd })).decision).toBe("deny");
  });

  test("outside of the project", async () => {
    const { project } = await approved("bash hooks/guard.sh", { "hooks/guard.sh": "[[ -e ../home/guard-off ]] && exit 0; exit 0\n" });
    expect(await blocks(project)).toBe(false);
    project.write("home/guard-off", "");
    expect(await blocks(project)).toBe(true);
  });
});

describe("a script of a language whose loading is not read is trusted by its definition only", () => {
  test.each(["python3", "perl", "ruby", "php", "lua", "lua5.4", "python3.12", "zsh", "ksh", "tclsh", "julia", "awk -f", "sed -f", "jq -f"])(
    "%s",
    async (program) => {
      const { project, hooks } = await approved(`${program} hooks/guard`, { "hooks/guard": "1\n" });
      expect(state(hooks)).toBe("definition-only");
      const strict = await project.open({ trust: "store", strict: true });
      expect(strict.refused).toMatchObject([{ reason: "not-pinned" }]);
    },
  );

  test("unless its folder is pinned as a whole", async () => {
    const files = { "hooks/guard.py": "import json, sys\njson.load(sys.stdin)\n" };
    expect(state((await approved({ command: "python3 hooks/guard.py", files: ["hooks/**"] }, files)).hooks)).toBe("trusted");
    expect(state((await approved({ command: "python3 hooks/guard.py", files: ["hooks/guard.py"] }, files)).hooks)).toBe("definition-only");
    expect(state((await approved({ command: "python3 hooks/guard.py", files: ["hooks/*.py"] }, files)).hooks)).toBe("definition-only");
  });
});

describe("what a script is follows from the interpreter, not from its name", () => {
  test.each([
    ["bash hooks/guard", ". hooks/lib.sh\n"],
    ["bash -e hooks/guard", ". hooks/lib.sh\n"],
    ["bash -eu -o pipefail hooks/guard", ". hooks/lib.sh\n"],
    ["sh hooks/guard.json", ". hooks/lib.sh\n"],
    ["bash hooks/guard.js", ". hooks/lib.sh\n"],
    [". hooks/guard", ". hooks/lib.sh\n"],
    ["node hooks/guard", 'require("./lib.js")\n'],
    ["node hooks/guard.sh", 'require("./lib.js")\n'],
    ["node -r ./hooks/guard hooks/data.cjs", 'require("./lib.js")\n'],
    ["node hooks/folder hooks/data.cjs", ""],
    ["node hooks/nothing hooks/data.cjs", ""],
    ["bash hooks/guard", `${"#\n".repeat(600_000)}. hooks/lib.sh\n`],
    ["bash hooks/guard", "# \u0000\n. hooks/lib.sh\n"],
    ["BASH_ENV=hooks/guard bash -c true", ""],
    ["perl -Mlib=hooks -e 'use X'", ""],
  ])("%s", async (command, text) => {
    const name = /hooks\/guard[.\w]*/.exec(command)?.[0] ?? "hooks/guard";
    const { hooks } = await approved(command, { [name]: text, "hooks/data.cjs": "", "hooks/folder/index.js": "" });
    expect(state(hooks)).toBe("definition-only");
  });

  test.each(["bash hooks/guard", "bash -e hooks/guard", "bash -o pipefail hooks/guard"])(
    "%s that loads nothing is trusted",
    async (command) => {
      const { hooks } = await approved(command, { "hooks/guard": "grep -q x && exit 2\n" });
      expect(state(hooks)).toBe("trusted");
    },
  );

  test.each(["grep -qfhooks/patterns", "grep -qf hooks/patterns", "grep --file=hooks/patterns", "sort -ohooks/patterns"])(
    "%s: a file that is glued to an option is part of the hook",
    async (command) => {
      const { project } = await approved(`${command} || true`, { "hooks/patterns": "one\n" });
      project.write("project/hooks/patterns", "two\n");
      expect(state(await project.open({ trust: "store" }))).toBe("changed");
    },
  );
});

describe("how Node reads a script is part of the hook", () => {
  const GUARD_JS = "require('node:fs').writeFileSync('ran', '')\n";

  test.each(["package.json", "hooks/package.json"])("a %s that appears is a change", async (name) => {
    const { project, hooks } = await approved("node hooks/guard.js", { "hooks/guard.js": GUARD_JS });
    expect(state(hooks)).toBe("trusted");
    expect(await blocks(project, hooks)).toBe(false);
    project.write(`project/${name}`, '{"type":"module"}');
    expect(await blocks(project, hooks)).toBe(true);
    expect(state(await project.open({ trust: "store" }))).toBe("changed");
  });

  test.each(['{"type":"module"}', "{bad", '{"type":"commonjs","\\u0074ype":"module"}', '{"type":"commonjs","type":"module"}'])(
    "%s in place of what was approved is a change",
    async (text) => {
      const { project } = await approved("node hooks/guard.js", { "hooks/guard.js": GUARD_JS, "package.json": '{"type":"commonjs"}' });
      project.write("project/package.json", text);
      expect(await blocks(project)).toBe(true);
    },
  );

  test("what only installs packages is none, and .cjs and .mjs do not depend on it", async () => {
    const { project } = await approved("node hooks/guard.js", { "hooks/guard.js": GUARD_JS, "package.json": '{"name":"x"}' });
    project.write("project/package.json", '{"name":"x","dependencies":{"a":"1"}}');
    expect(await blocks(project)).toBe(false);
    const other = await approved("node hooks/guard.cjs", { "hooks/guard.cjs": GUARD_JS });
    other.project.write("project/package.json", "{bad");
    expect(await blocks(other.project)).toBe(false);
  });
});

describe("looking at hooks is bounded", () => {
  const MIB = 1024 * 1024;
  const many = (count: number, command: (index: number) => string): object =>
    hooksFor(
      "PreToolUse",
      Array.from({ length: count }, (_, index) => command(index)),
    );

  test("a large file that many hooks name is read once", async () => {
    const project = openProject({ project: many(300, (index) => `bash big.sh ${index}`) });
    project.write("project/big.sh", "#x\n".repeat(MIB));
    const before = process.cpuUsage();
    await project.open({ trust: "store" });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(10);
  });

  test("what all hooks name together has a limit; beyond it a hook is not trusted, and an approved gate blocks", async () => {
    const { project } = await approved("bash z.sh", { "z.sh": "true\n" });
    for (let index = 0; index < 9; index += 1) project.write(`project/${index}.dat`, Buffer.alloc(9 * MIB, index).toString("latin1"));
    project.write(
      "project/.hookloop/hooks.json",
      many(9, (index) => `grep x ${index}.dat`),
    );
    const hooks = await project.open({ trust: { review: yes } });
    expect(hooks.trust.statuses.some((one) => /together/.test(one.refusal?.text ?? ""))).toBe(true);
    expect(hooks.trust.statuses.filter((one) => one.state === "refused").every((one) => one.refusal !== undefined)).toBe(true);
  });
});

test.each([
  ["that said nothing of its rules", undefined, /called a hook trusted unless something spoke against it/],
  ["of readers that were not closed", "proven", /whose record of it had other facts/],
])("an approval of a form %s is reviewed again, says why, and never trusts; a refusal stays one", async (_, rules, why) => {
  const { project } = await approved("bash check.sh", { "check.sh": "true\n" });
  const store = path.join(project.cwd, "../home/.local/state/hookloop/trust.json");
  const { hooks: records } = JSON.parse(readFileSync(store, "utf8"));
  const [record] = Object.values(records) as Record<string, Record<string, unknown>>[];
  const { rules: _now, ...others } = record?.["definition"] ?? {};
  const definition = { ...others, ...(rules && { rules }) };
  const { digestsOfOldForms } = await import("../../packages/hookloop/src/trust/pin/examine-hook.ts");
  const [third, second] = digestsOfOldForms(definition as never);
  const digest = (rules ? third : second) ?? "";
  const { check: _check, ...rest } = record ?? {};
  writeFileSync(store, JSON.stringify({ v: 1, hooks: { [digest]: { ...rest, digest, definition } } }), { mode: 0o600 });
  const hooks = await project.open({ trust: "store" });
  expect(state(hooks)).toBe("changed");
  expect(hooks.trust.statuses[0]?.refusal?.text).toMatch(/older version/);
  expect(hooks.trust.statuses[0]?.refusal?.text).toMatch(why);
  expect(await blocks(project, hooks)).toBe(true);
  const no = { ...rest, digest, definition, decision: { ...rest["decision"], verdict: "refused" } };
  writeFileSync(store, JSON.stringify({ v: 1, hooks: { [digest]: no } }), { mode: 0o600 });
  expect(state(await project.open({ trust: "store" }))).toBe("refused");
});

test("the command line shows no digest and no text of a file outside the project", async () => {
  const lab = openAgentLab();
  lab.write("home/.ssh/id_rsa", "PRIVATE-KEY-TEXT\n");
  lab.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: "cat ~/.ssh/id_rsa", files: ["../home/**"] }] }] } });
  const hookloop = (args: readonly string[]): { readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: lab.project,
      env: { PATH: process.env["PATH"], HOME: lab.home },
      encoding: "utf8",
    });
  const sha256 = createHash("sha256").update("PRIVATE-KEY-TEXT\n").digest("hex");
  for (const args of [["trust"], ["trust", "--json"], ["trust", "review", "--json"], ["trust", "review"]]) {
    const { stdout, stderr } = hookloop(args);
    expect(stdout + stderr).not.toContain(sha256.slice(0, 12));
    expect(stdout + stderr).not.toContain("PRIVATE-KEY-TEXT");
  }
  expect(hookloop(["trust", "--json"]).stdout).toContain(".ssh/id_rsa");
});

test("the agent's tools may not put a module beside a Python hook", async () => {
  const lab = openAgentLab();
  mkdirSync(path.join(lab.project, "hooks"));
  lab.write("project/hooks/guard.py", "");
  lab.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: "python3 hooks/guard.py" }] }] } });
  const names = ["hooks/_json.py", "hooks/json.pyc", "hooks/json/__init__.py", "hooks/notes.md"];
  const writes = names.map((name) => [use("Write", { file_path: path.join(lab.project, name), content: "x" })]);
  const script = lab.script([...writes, [use("Bash", { command: "echo x > hooks/re.py; cp hooks/guard.py hooks/os.py" })], say("done")]);
  await lab.play({
    args: ["-p", "go", "--script", script, "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "--trust-workspace"],
  });
  expect([...names, "hooks/re.py", "hooks/os.py"].filter((name) => existsSync(path.join(lab.project, name)))).toEqual(["hooks/notes.md"]);
});

describe("what an approved gate runs and is not pinned", () => {
  test("is said at each start, in one line for all gates, with the cure", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", ["node a.mjs", "node b.mjs", "node c.mjs"]) });
    for (const name of ["a", "b", "c"]) project.write(`project/${name}.mjs`, "import(process.argv[2]);\n");
    await (await project.open({ trust: { review: yes } })).close();
    project.diagnostics.splice(0);
    await project.open({ trust: "store" });
    const said = project.diagnostics.filter(({ code }) => code === "HL_TRUST_DEFINITION_ONLY");
    expect(said).toMatchObject([
      { level: "warning", text: expect.stringMatching(/"a\.mjs" and 2 more.*"files".*\.hookloop\/hooks\.json/) },
    ]);
    // Nothing was approved for a workspace that is trusted for one run.
    const other = openProject({ project: hooksFor("PreToolUse", ["node a.mjs"]) });
    other.write("project/a.mjs", "import(process.argv[2]);\n");
    await other.open({ trust: { workspace: true } });
    expect(other.codes()).not.toContain("HL_TRUST_DEFINITION_ONLY");
  });

  test.each(["nothere/**", "nothere.json", "hooks"])("files: %s fits nothing, which is said", async (pattern) => {
    const project = openProject({ native: hooksFor("PreToolUse", [{ command: "true", files: [pattern] }]) });
    project.write("project/hooks/rules.json", "{}");
    await project.open({ trust: { workspace: true } });
    expect(project.diagnostics).toMatchObject([{ code: "HL_CONFIG_SCRIPT_MISSING", level: "warning", place: { line: 1 } }]);
    expect(project.diagnostics[0]?.text).toContain(`names "${pattern}", and nothing fits it`);
  });
});

describe("a gate that a new file switches off is not called trusted", () => {
  const LOOKS = [
    'ls -A "$CLAUDE_PROJECT_DIR" | grep -q "^.off$" && exit 0',
    "ls | grep -q off && exit 0",
    'find "$CLAUDE_PROJECT_DIR" -maxdepth 1 -name ".off*" | grep -q . && exit 0',
    '[ -n "$(find . -name .off)" ] && exit 0',
    'mv "$CLAUDE_PROJECT_DIR/.off" /tmp/x && exit 0',
    'rm "$CLAUDE_PROJECT_DIR/.off" 2>/dev/null && exit 0',
    'cp "$CLAUDE_PROJECT_DIR/.off" /tmp/x && exit 0',
    "rmdir .off && exit 0",
    "mkdir .off || exit 0",
    'chmod 600 "$CLAUDE_PROJECT_DIR/.off" && exit 0',
    'cd "$CLAUDE_PROJECT_DIR/.off" && exit 0',
    "git check-ignore -q build && exit 0",
    "git -C . ls-files --error-unmatch .off && exit 0",
  ];

  const isSeen = async (command: string, files: Record<string, string>): Promise<boolean> => {
    const { project, hooks } = await approved(command, files);
    if (state(hooks) === "definition-only") return true;
    project.write("project/.off", "");
    return state(await project.open({ trust: "store" })) === "changed";
  };

  test.each(LOOKS)("%s", async (line) => {
    expect(await isSeen("bash hooks/guard.sh", { "hooks/guard.sh": `${line}\nexit 2\n` })).toBe(true);
    expect(await isSeen(`${line}; exit 2`, {})).toBe(true);
  });

  test.each(["ls -A", "find . -name .off"])("started by Node: %s", async (line) => {
    const text = `import { execSync } from "node:child_process";\nif (execSync("${line}").includes("off")) process.exit(0);\nprocess.exit(2);\n`;
    expect(await isSeen("node hooks/guard.mjs", { "hooks/guard.mjs": text })).toBe(true);
  });

  test.each(['cd "$CLAUDE_PROJECT_DIR" || exit 2', "rm -f /tmp/x", "git rev-parse HEAD", "git branch --show-current"])(
    "but one that looks at no file of the project is: %s",
    async (line) => {
      const { hooks } = await approved("bash hooks/guard.sh", { "hooks/guard.sh": `${line}\nexit 2\n` });
      expect(state(hooks)).toBe("trusted");
    },
  );
});
