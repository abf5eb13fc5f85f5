import { describe, expect, test } from "vitest";
import { commandParts } from "./examine-hook.ts";

const KNOWN = { HOME: "/home/me", CLAUDE_PROJECT_DIR: "/p q", CLAUDE_PLUGIN_ROOT: "/plug" };
const paths = (command: string, args?: readonly string[]): readonly string[] =>
  commandParts({ command, args }, KNOWN).files.map(({ path }) => path);

describe("the files a command names", () => {
  test.each([
    ["./check.sh", ["./check.sh"]],
    ["bash check.sh", ["check.sh"]],
    ["node hooks/x.mjs --fast", ["hooks/x.mjs", "--fast"]],
    ["cd sub && ./x", ["sub/x"]],
    ["/usr/bin/env node x.mjs", ["x.mjs"]],
    ['"$CLAUDE_PROJECT_DIR"/.claude/x.sh', ["/p q/.claude/x.sh"]],
    ['bash "${CLAUDE_PLUGIN_ROOT}/a.sh"', ["/plug/a.sh"]],
    ["~/bin/guard.sh", ["/home/me/bin/guard.sh"]],
    ["sh -c './inner.sh'", ["./inner.sh"]],
    ["node --require=./pre.js main.js", ["./pre.js", "main.js"]],
    ["NODE_OPTIONS=--require=./evil.js node main.js", ["./evil.js", "main.js"]],
    ["bash < script.sh", ["script.sh"]],
    [". ./env.sh && run", ["./env.sh"]],
    ['CLAUDE_PROJECT_DIR=/evil; bash "$CLAUDE_PROJECT_DIR/x.sh"', ["/evil/x.sh"]],
    ["true; if true; then ./deep.sh; fi", ["./deep.sh"]],
  ])("%s", (command, expected) => {
    expect(paths(command)).toEqual(expect.arrayContaining(expected));
  });

  test("words without a shell stand for themselves, but for the placeholders", () => {
    expect(paths("node", ["${CLAUDE_PROJECT_DIR}/x y.mjs", "$(not-run)"])).toEqual(expect.arrayContaining(["/p q/x y.mjs", "$(not-run)"]));
  });

  test("what a command only writes is not part of it", () => {
    expect(paths("touch marker; echo hi >> log; tee -a audit.log")).toEqual([]);
  });
});
