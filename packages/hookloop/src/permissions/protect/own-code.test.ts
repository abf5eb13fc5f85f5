/** The program that guards a session, and the files that a run was started with, are not the agent's to change either. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "./home-lab.test-suite.ts";
import { protect } from "./protect.ts";
import type { ProtectContext } from "./protected-path.ts";

let base: string;
let context: ProtectContext;

beforeAll(() => {
  const files = [
    "mono/project/node_modules/hookloop/bin/hookloop.js",
    "mono/project/node_modules/other/index.js",
    "mono/project/mcp/servers.json",
    "mono/project/mcp/server.js",
    "mono/project/evil/hookloop/bin/hookloop.js",
    "mono/node_modules/@hookloop/sdk/index.js",
    "checkout/packages/hookloop/src/a.ts",
    "checkout/packages/hookloop/dist/a.js",
  ];
  const lab = openHome(files, { project: "mono/project" });
  base = lab.base;
  const { cwd } = lab.context;
  mkdirSync(join(base, "home/checkout/node_modules"));
  symlinkSync("../packages/hookloop", join(base, "home/checkout/node_modules/hookloop"));
  context = {
    ...lab.context,
    packageRoot: join(base, "home/checkout/packages/hookloop"),
    given: [join(cwd, "mcp/servers.json"), join(cwd, "mcp/server.js")],
    plugins: [join(cwd, "plugin")],
  };
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const written = (path: string, more: Partial<ProtectContext> = {}): string | undefined =>
  protect({ tool: "Write", input: { file_path: path, content: "x" } }, { ...context, ...more })?.paths[0]?.what;
const asked = (command: string): boolean => protect({ tool: "Bash", input: { command } }, context) !== undefined;

describe("hookloop's own code", () => {
  test.each([
    "node_modules/hookloop/bin/hookloop.js",
    "node_modules/hookloop/dist/new.js",
    "node_modules/@hookloop/sdk/index.js",
    "node_modules/.bin/hookloop",
    "../node_modules/hookloop/package.json",
    "../node_modules/@hookloop/sdk/dist/index.js",
    "node_modules/.pnpm/hookloop@1.0.0/node_modules/hookloop/dist/index.js",
    "sub/node_modules/hookloop/bin/hookloop.js",
    "../../checkout/packages/hookloop/dist/a.js",
    "../../checkout/packages/hookloop/bin/hookloop.js",
  ])("is not written without a question: %s", (path) => expect(written(path)).toBe("hookloop itself"));

  test.each([
    "rm -r node_modules/hookloop",
    "rm -rf node_modules",
    "rm -rf node_modules/*",
    "rm -rf node_modules/hook*",
    "rm -rf ../node_modules",
    "mv node_modules x",
    "mv node_modules/hookloop x",
    "cp /bin/true node_modules/.bin/hookloop",
    "cp -r evil/. node_modules/",
    "cp -r evil/hookloop node_modules",
    "ln -sf /bin/true node_modules/.bin/hookloop",
    "sed -i s/a/b/ node_modules/hookloop/bin/hookloop.js",
    "find node_modules -delete",
    "node -e \"fs.writeFileSync('node_modules/hookloop/bin/hookloop.js','')\"",
    "node -e \"fs.rmSync('node_modules',{recursive:true})\"",
    "echo x > ../../checkout/packages/hookloop/dist/a.js",
    "rm -r ../../checkout/packages/hookloop/dist",
  ])("is not changed by a command without a question: %s", (command) => expect(asked(command)).toBe(true));

  test.each([
    "npx hookloop trust",
    "node node_modules/hookloop/bin/hookloop.js events",
    "time node_modules/.bin/hookloop demo",
    "cat node_modules/hookloop/package.json",
    "cp -r node_modules/hookloop /tmp/x",
    "rm -rf node_modules/other",
    "rm -rf node_modules/.cache",
    "echo x > node_modules/other/index.js",
    "ls node_modules/.bin",
    "rm -rf $DIR/node_modules",
    "find . -name node_modules -prune -o -name '*.ts' -print",
  ])("can be run and read, and its neighbours changed: %s", (command) => expect(asked(command)).toBe(false));

  test("is developed in its own checkout: the source is not what runs", () => {
    const cwd = join(base, "home/checkout");
    expect(written("packages/hookloop/src/a.ts", { cwd })).toBeUndefined();
    expect(written("packages/hookloop/dist/a.js", { cwd })).toBe("hookloop itself");
  });

  test("is found by where it runs from unless told otherwise", () => {
    const own = join(import.meta.dirname, "../../../dist/index.js");
    expect(written(own, { packageRoot: undefined })).toBe("hookloop itself");
    expect(written(import.meta.filename, { packageRoot: undefined })).toBeUndefined();
  });
});

describe("what a run was started with", () => {
  test.each([
    ["mcp/servers.json", "configuration of this run"],
    ["mcp/server.js", "configuration of this run"],
    ["plugin/agents/a.md", "hook configuration"],
    ["plugin/skills/a/SKILL.md", "hook configuration"],
    ["plugin/commands/a.md", "hook configuration"],
    ["plugin/hooks/a.sh", "hook configuration"],
  ])("is not written without a question: %s", (path, what) => expect(written(path)).toBe(what));

  test.each(["echo x > mcp/servers.json", "rm -rf mcp", "mv mcp/server.js x", "sed -i s/a/b/ mcp/server.js"])(
    "nor by a command: %s",
    (command) => expect(asked(command)).toBe(true),
  );

  test.each(["node mcp/server.js", "./tool mcp/server.js", "cat mcp/servers.json", "echo x > mcp/other.js"])(
    "can be run and read, and its neighbours changed: %s",
    (command) => expect(asked(command)).toBe(false),
  );
});
