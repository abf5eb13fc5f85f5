import { describe, expect, test } from "vitest";
import { inlineLoadsOthers, interpreterOf, loadsOthers } from "./loads-others.ts";
import { importedModules } from "./pin-modules.ts";

const loads = (name: string, text: string, program = "bash"): boolean => loadsOthers({ file: name, text, isScript: true, program });

describe("a shell script that runs a file of its own", () => {
  test.each([
    ". ./lib.sh",
    "d=.\nbash $d/lib",
    "sh lib",
    "cat lib | sh",
    'eval "$(cat lib)"',
    "sub/tool --fast",
    "env sub/tool",
    "exec sub/tool",
    "timeout 5 ./tool",
    "if true; then ../tool; fi",
    "npx tool",
    "run-parts hooks",
    "awk -f prog.awk data",
    '"$HERE"/tool',
  ])("%s", (text) => {
    expect(loads("h", text)).toBe(true);
  });

  test.each([
    "#!/bin/bash\ninput=$(cat)\necho \"$input\" | jq -r '.tool_input.command' | grep -q 'rm -rf' && exit 2\nexit 0",
    "touch ran\n",
    'printf "%s" "$1" >> "$LOG"',
    "node -e 'console.log(1)'",
    "awk '{print $1}' /etc/hosts",
    "/usr/bin/env true",
    "git status --short",
  ])("%s does not", (text) => {
    expect(loads("h", text)).toBe(false);
  });
});

describe("scripts of other languages", () => {
  test.each([
    ["h.mjs", "import './l.mjs'"],
    ["h.mjs", "import '#inner'"],
    ["h.cjs", "require('module')._load(__dirname + '/l.js')"],
    ["h.cjs", "require('node:child_process').execSync('sub/tool')"],
    ["h.cjs", "require('child_process').execFileSync('bash', ['lib'])"],
    ["h.mjs", "import { execSync } from 'node:child_process';\nexecSync(`git ${word}`)"],
    ["h.mjs", "import { exec } from 'node:child_process';\nconst run = promisify(exec)"],
  ])("%s: %s", (name, text) => {
    expect(loads(name, text, "node")).toBe(true);
  });

  test("what names only modules of the language does not", () => {
    expect(loads("h.mjs", "import fs from 'node:fs';\nprocess.stdout.write(JSON.stringify({ ok: fs.existsSync('x') }))", "node")).toBe(
      false,
    );
    expect(loads("h.mjs", "import { execFileSync } from 'node:child_process';\nexecFileSync('git', ['status'])", "node")).toBe(false);
  });

  test("modules are found wherever they are in the list", () => {
    expect(importedModules("import os, json.decoder as d; from re import sub")).toEqual(["os", "json", "re"]);
  });

  test("what runs a file is what the command says, then its first line, then the shell; its name counts only for arguments", () => {
    const file = { file: "h.js", text: "#!/usr/bin/env -S python3 -u\n", isScript: true };
    expect(interpreterOf({ ...file, program: "bash" })).toBe("bash");
    expect(interpreterOf(file)).toBe("python3");
    expect(interpreterOf({ ...file, text: "" })).toBe("sh");
    expect(interpreterOf({ ...file, text: "", isScript: false })).toBe("node");
  });

  test("code on the command line is looked at the same way", () => {
    expect(inlineLoadsOthers("node", ["-e", 'require("./x.js")'])).toBe(true);
    expect(inlineLoadsOthers("python3", ["-c", 'exec(open("x").read())'])).toBe(true);
    expect(inlineLoadsOthers("node", ["-e", "console.log(1)"])).toBe(false);
  });
});
