/** Code that an interpreter takes from its input is code as behind `-c`: what it loads is pinned or said, and is never the project's unasked. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEngine } from "../../packages/hookloop/src/engine/engine.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { hooksFor, openProject, type Project } from "../engine/open-project.ts";

const yes = async (pending: readonly PendingHook[]): Promise<readonly Approval[]> =>
  pending.map(({ hook, digest }) => ({ id: hook.id, digest }));

const FILES: Readonly<Record<string, string>> = {
  "hooks/lib/policy.py": "def check(): return 2\n",
  "hooks/lib/code.py": "x = 1\n",
  "hooks/lib/rules.txt": "deny\n",
  "hooks/lib/a.sh": "exit 2\n",
  "hooks/lib/x.js": "\n",
  "hooks/lib/x.pl": "1;\n",
  "hooks/lib/config": "[a]\n\tb = c\n",
};

async function approved(script: string): Promise<{ readonly project: Project; readonly state: string | undefined }> {
  const project = openProject({ project: hooksFor("PreToolUse", ["bash hooks/guard.sh"], { matcher: "Bash" }) });
  for (const [name, text] of Object.entries({ ...FILES, "hooks/guard.sh": `#!/bin/bash\n${script}\n` }))
    project.write(`project/${name}`, text);
  const { trust } = await project.open({ trust: { review: yes } });
  return { project, state: trust.statuses[0]?.state };
}

describe("an approved gate whose code loads more than is pinned is not called trusted", () => {
  test.each([
    "python3 - <<'E'\nimport sys\nsys.path.insert(0, 'hooks/lib')\nimport policy\nE",
    "python3 <<'E'\nexec(open('hooks/lib/code.py').read())\nE",
    "python3 - strict <<'E'\nimport runpy\nrunpy.run_path('hooks/lib/code.py')\nE",
    "python3 -X utf8 - <<< 'import policy'",
    "python3 -- - a <<< 'import policy'",
    "timeout 5 python3 '-' a <<< 'import policy'",
    "python3 /dev/stdin <<'E'\nr = open('hooks/lib/rules.txt').read()\nE",
    "cat <<'E' | python3\nr = open('hooks/lib/rules.txt').read()\nE",
    "cat <<'E' | python3 - a\nimport policy\nE",
    "some-program | python3 -",
    'python3 - <<< "$code"',
    "python3 < hooks/lib/code.py",
    "node - <<'E'\nconst r = require('fs').readFileSync('hooks/lib/rules.txt', 'utf8');\nE",
    "node --input-type=module - <<'E'\nawait import(process.cwd() + '/hooks/lib/x.js')\nE",
    "node - a <<'E'\nrequire('./hooks/lib/x.js')\nE",
    'echo "$code" | node',
    "perl - <<'E'\ndo './hooks/lib/x.pl';\nE",
    "perl <<'E'\nopen F, 'hooks/lib/rules.txt'; exit 2 if <F> =~ /deny/;\nE",
    "perl -e 'exit 2 if -e \"hooks/lib/rules.txt\"'",
    "perl -ne 'exit 2 if /deny/' hooks/lib/*.txt",
    'ruby -e \'exit 2 if File.read("hooks/lib/rules.txt").include?("deny")\'',
    "ruby - a <<'E'\nputs File.read('hooks/lib/rules.txt')\nE",
    "php -r 'echo file_get_contents(\"hooks/lib/rules.txt\");'",
    "php -- a <<'E'\n<?php include 'hooks/lib/x.php';\nE",
    "python3 - <<< 'print(1)'",
    "perl -pe 's/a/b/' /etc/hostname",
    "sed -n '1~1e bash hooks/lib/a.sh' /etc/hostname",
    "sed -n '#n\n1~1e bash hooks/lib/a.sh' /etc/hostname",
    "files=(hooks/lib/of*)\n[ ${#files[@]} -gt 1 ] && exit 0",
    "files+=( 'a b' hooks/lib/of? )\n[ ${#files[@]} -gt 1 ] && exit 0",
  ])("%s", async (script) => {
    expect((await approved(script)).state).toBe("definition-only");
  });

  test.each(["node - a <<'E'\nconsole.log(1)\nE", "sed -n '1~2p;\\,a,d' /etc/hostname"])("%s loads nothing", async (script) => {
    expect((await approved(script)).state).toBe("trusted");
  });

  test.each([
    "sed -n 'r hooks/lib/rules.txt' | grep -q deny && exit 2; exit 0",
    "sed '1~2R hooks/lib/rules.txt' | grep -q deny && exit 2; exit 0",
    "git config -f hooks/lib/rules.txt a.b | grep -q c && exit 2; exit 0",
    "git config --file=hooks/lib/rules.txt a.b | grep -q c && exit 2; exit 0",
  ])("%s: the file is part of the hook, or it is said that it is not", async (script) => {
    const { project, state } = await approved(script);
    project.write("project/hooks/lib/rules.txt", "nothing\n");
    const { trust } = await project.open({ trust: "store" });
    expect([state, trust.statuses[0]?.state]).not.toEqual(["trusted", "trusted"]);
  });
});

describe("code on the input takes its modules from the folder it runs in", () => {
  const LINES = [
    "python3 - strict <<'E'\nimport json\nE",
    "x=$(python3 - a b <<'E'\nimport json\nE\n)",
    "echo 'import json' | python3 - a",
    "cat <<'E' | python3 - a\nimport json\nE",
    "python3 -u - a <<'E'\nimport json\nE",
    "python3 -- - a <<< 'import json'",
    "python3 -X utf8 - <<< 'import json'",
    "python3 -X utf8 <<< 'import json'",
    "/usr/bin/python3 - a <<< 'import json'",
    "env python3 - a <<< 'import json'",
    "timeout 5 python3 - a <<< 'import json'",
    "python3 '-' a <<< 'import json'",
    "python3 /dev/stdin a <<< 'import json'",
    "python3 - -c a <<< 'import json'",
  ];

  test.each(LINES)("of an approved gate one that appears is a change: %s", async (line) => {
    const { project } = await approved(line);
    project.write("project/json.py", "raise SystemExit\n");
    const { trust } = await project.open({ trust: "store" });
    expect(trust.statuses[0]?.state).toBe("changed");
  });

  async function refusal(script: string, clone: Readonly<Record<string, string>>): Promise<string | undefined> {
    const project = openProject({ user: hooksFor("PreToolUse", ["bash ~/.claude/hooks/mine.sh"], { matcher: "Bash" }) });
    project.write("home/.claude/hooks/mine.sh", `#!/bin/bash\n${script}\nexit 0\n`);
    for (const [name, text] of Object.entries(clone)) project.write(`project/${name}`, text);
    const env = { HOME: path.join(path.dirname(project.cwd), "home"), PATH: process.env["PATH"] ?? "" };
    const { trust } = await project.open({ trust: "store", ports: { env } });
    return trust.statuses[0]?.refusal?.text;
  }

  test.each(LINES)("a hook of the user waits where the project has one: %s", async (line) => {
    expect(await refusal(line, { "json.py": "\n" })).toContain("would run code of this project");
    expect(await refusal(line, {})).toBeUndefined();
  });

  test.each(["some-program | python3 - a", 'python3 - a <<< "$code"', "some-program | node - a"])("%s may be anything", async (line) => {
    expect(await refusal(line, {})).toContain("would run code of this project");
  });

  test.each(["node - a <<< 'require(\"./build/x.js\")'", "perl - a <<< 'do \"./build/x.js\"'"])("%s", async (line) => {
    expect(await refusal(line, { "build/x.js": "\n" })).toContain("would run code of this project");
  });

  test.each(["some-program | node --no-warnings ~/.claude/hooks/guard.mjs", 'echo "$x" | python3 -u ~/.claude/hooks/guard.py'])(
    "%s has a script, and its input is data",
    async (line) => {
      expect(await refusal(line, { "json.py": "\n" })).toBeUndefined();
    },
  );
});

describe("what such code imports by name is protected, there or not", () => {
  const runs = async (hooks: HookEngine, file: string): Promise<boolean> => {
    const call = { tool_name: "Write", tool_input: { file_path: file, content: "x" }, tool_use_id: "t" };
    return (await hooks.runTool(call, () => "ran")).status !== "denied";
  };

  test.each([
    ["python3 - a <<'E'\nimport policy\nE", "policy.py"],
    ["python3 -c 'import policy'", "policy.py"],
    ["node - a <<'E'\nrequire('./lib/policy')\nE", "lib/policy.js"],
  ])("%s", async (script, name) => {
    const project = openProject({ project: hooksFor("PreToolUse", ["bash hooks/guard.sh"], { matcher: "Bash" }) });
    project.write("project/hooks/guard.sh", `${script}\n`);
    project.write(`project/${name}`, "\n");
    const hooks = await project.open();
    expect(await runs(hooks, path.join(project.cwd, name))).toBe(false);
    expect(await runs(hooks, path.join(project.cwd, "other.py"))).toBe(true);
  });
});
