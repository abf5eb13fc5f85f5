import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDocument } from "../read/read-document.ts";
import { checkScripts } from "./check-scripts.ts";

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "hookloop-scripts-"));
  mkdirSync(join(root, "hooks"));
  for (const name of ["run.sh", "plain.sh"]) writeFileSync(join(root, "hooks", name), "exit 0\n");
  chmodSync(join(root, "hooks", "run.sh"), 0o755);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function check(entry: Readonly<Record<string, unknown>>): Promise<readonly (readonly [string, number | undefined])[]> {
  const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", ...entry }] }] } });
  const document = readDocument({
    source: { scope: "project", dialect: "native", file: join(root, ".hookloop", "hooks.json"), root },
    text,
  });
  const found = await checkScripts(document, { projectRoot: root, home: root });
  return found.map(({ code, place }) => [code, place?.column]);
}

const MISSING = "HL_CONFIG_SCRIPT_MISSING";
const LOCKED = "HL_CONFIG_SCRIPT_NOT_EXECUTABLE";
const RELATIVE = "HL_CONFIG_RELATIVE_PATH";

test.each([
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
])("%s gives %j (fault 27)", async (command, expected) => {
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
  const document = readDocument({ source: { scope: "project", dialect: "claude", file: "/f", root }, text });
  const texts = (await checkScripts(document, { projectRoot: root, home: root })).map((diagnostic) => diagnostic.text);
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
  ["empty.py", "", "", ['no first line with "#!"']],
])("%s with the text %j, run by %j: %j", async (name, text, before, expected) => {
  const file = join(root, "hooks", name);
  writeFileSync(file, text, { mode: 0o755 });
  const line = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `${before}${file}` }] }] } });
  const document = readDocument({ source: { scope: "project", dialect: "claude", file: "/f", root }, text: line });
  const found = await checkScripts(document, { projectRoot: root, home: root });
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
  const document = readDocument({ source: { scope: "project", dialect, file: join(root, "x.json"), root }, text });
  const [found] = await checkScripts(document, { projectRoot: root, home: root });
  expect(found?.text).toContain(`Write ${cure}.`);
});
