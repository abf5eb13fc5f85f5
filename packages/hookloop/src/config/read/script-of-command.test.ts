import { expect, test } from "vitest";
import { scriptOfCommand } from "./check-scripts.ts";

const VARIABLES = { HOME: "/home/u", CLAUDE_PROJECT_DIR: "/my project", CLAUDE_PLUGIN_ROOT: "/plug" };
const direct = (path: string): unknown => ({ path, isDirect: true });
const handed = (path: string): unknown => ({ path, isDirect: false, interpreter: expect.stringMatching(/^\w+$/) });

test.each([
  ["./guard.sh", direct("./guard.sh")],
  ["./guard.sh --flag | tee log", direct("./guard.sh")],
  ['"$CLAUDE_PROJECT_DIR"/hooks/guard.sh', direct("/my project/hooks/guard.sh")],
  ['"${CLAUDE_PROJECT_DIR}/hooks/guard.sh" x', direct("/my project/hooks/guard.sh")],
  ["$CLAUDE_PROJECT_DIR/guard.sh", direct("/my project/guard.sh")],
  ["${CLAUDE_PLUGIN_ROOT}/run.sh", direct("/plug/run.sh")],
  ["~/bin/guard", direct("/home/u/bin/guard")],
  ["'/a b/c'", direct("/a b/c")],
  ["/a\\ b/c", direct("/a b/c")],
  ["FOO=1 BAR=2 ./x.sh", direct("./x.sh")],
  ["bash guard.sh", handed("guard.sh")],
  ["bash -eu guard.sh", handed("guard.sh")],
  ["/usr/bin/env", direct("/usr/bin/env")],
  ["/bin/sh x.sh", handed("x.sh")],
  ["node hooks/guard.mjs --x", handed("hooks/guard.mjs")],
  ["python3 -u 'my hook.py'", handed("my hook.py")],
])("%s names %j", (command, expected) => {
  expect(scriptOfCommand({ command }, VARIABLES)).toEqual(expected);
});

test.each([
  "echo hello",
  "cat >/dev/null; ./x.sh",
  "cd sub && ./x.sh",
  "$HOOK",
  '"$DIR"/x.sh',
  "`which x`/y",
  "./hooks/*.sh",
  "bash -c './x.sh'",
  "node -e 'x'",
  "node --import ./a.mjs b.mjs",
  "python3 -m mod",
  "bash",
  "bash < x.sh",
  "bun run x",
  "~other/x.sh",
  "'unclosed/x",
  "[ -f x/y ]",
  "FOO=1",
  "",
  "# ./x.sh",
])("%s names nothing for certain", (command) => {
  expect(scriptOfCommand({ command }, VARIABLES)).toBeUndefined();
});

test("with arguments nothing is read by a shell", () => {
  expect(scriptOfCommand({ command: "${CLAUDE_PROJECT_DIR}/x y.sh", args: [] }, VARIABLES)).toEqual(direct("/my project/x y.sh"));
  expect(scriptOfCommand({ command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/x.mjs"] }, VARIABLES)).toEqual(handed("/plug/x.mjs"));
  expect(scriptOfCommand({ command: "./$CLAUDE_PROJECT_DIR", args: [] }, VARIABLES)).toEqual(direct("./$CLAUDE_PROJECT_DIR"));
  expect(scriptOfCommand({ command: "${OTHER}/x", args: [] }, VARIABLES)).toBeUndefined();
});
