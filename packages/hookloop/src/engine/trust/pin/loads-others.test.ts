import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { importedFiles, inlineLoadsOthers, loadsOthers } from "./loads-others.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookloop-loads-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const loads = (name: string, text: string): boolean => loadsOthers({ file: path.join(folder, name), text, isScript: true });

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
    ["h.py", "import subprocess"],
    ["h.py", "exec(open('x').read())"],
  ])("%s: %s", (name, text) => {
    expect(loads(name, text)).toBe(true);
  });

  test("what names only modules of the language does not", () => {
    expect(loads("h.mjs", "import fs from 'node:fs';\nprocess.stdout.write(JSON.stringify({ ok: fs.existsSync('x') }))")).toBe(false);
    expect(loads("h.mjs", "import { execFileSync } from 'node:child_process';\nexecFileSync('git', ['status'])")).toBe(false);
    expect(loads("h.py", "import json, sys\nprint(json.load(sys.stdin))")).toBe(false);
  });

  test("a file beside a Python script stands before a module of that name, wherever it is in the list", () => {
    writeFileSync(path.join(folder, "zlib.py"), "");
    expect(loads("h.py", "import os, zlib")).toBe(true);
    expect(importedFiles("import os, json.decoder as d; from re import sub")).toEqual(
      expect.arrayContaining(["os.py", "json.py", "re.py", path.join("json", "__init__.py")]),
    );
  });

  test("code on the command line is looked at the same way", () => {
    expect(inlineLoadsOthers("node", 'require("./x.js")')).toBe(true);
    expect(inlineLoadsOthers("python3", 'exec(open("x").read())')).toBe(true);
    expect(inlineLoadsOthers("node", "console.log(1)")).toBe(false);
  });
});
