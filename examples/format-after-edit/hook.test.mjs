// @ts-check
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runHookFile } from "@hookloop/sdk/testing";
import { runAsConfigured } from "../test-support/run-as-configured.mjs";
import { temporaryFolder } from "../test-support/temporary-folder.mjs";

const file = fileURLToPath(new URL("./hook.mjs", import.meta.url));
const biome = fileURLToPath(new URL("../../node_modules/.bin/biome", import.meta.url));
const UGLY = "const   a = {b:1}\n";
const NEAT = "const a = { b: 1 };\n";

/** @typedef {import("node:test").TestContext} TestContext */

/** A project with these files. @param {TestContext} t @param {Record<string, string>} files */
function project(t, files) {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  return folder;
}

/** @param {TestContext} t @param {Record<string, string>} files */
function biomeProject(t, files) {
  const folder = project(t, { "biome.json": '{ "formatter": { "indentStyle": "space" } }', ...files });
  mkdirSync(path.join(folder, "node_modules", ".bin"), { recursive: true });
  symlinkSync(biome, path.join(folder, "node_modules", ".bin", "biome"));
  return folder;
}

/** @param {string} cwd @param {string} name @param {Record<string, string>} [env] */
function edited(cwd, name, env = {}) {
  const overrides = {
    tool_name: "Edit",
    tool_input: { file_path: path.join(cwd, name), old_string: "x", new_string: "y" },
    tool_response: {},
  };
  return runHookFile(file, "PostToolUse", overrides, { cwd, env });
}

describe("with a real formatter in node_modules/.bin", { concurrency: true }, () => {
  test("a file that changes is formatted, and the model is told", async (t) => {
    const folder = biomeProject(t, { "src/deep/a.js": UGLY });
    const answer = await edited(folder, "src/deep/a.js");
    assert.equal(readFileSync(path.join(folder, "src/deep/a.js"), "utf8"), NEAT);
    assert.equal(answer.decision, "none");
    assert.equal(answer.context, "biome has reformatted src/deep/a.js. Read it again before the next edit.");
    assert.deepEqual(answer.diagnostics, []);
  });

  test("a file that stays the same gets no answer at all", async (t) => {
    const answer = await edited(biomeProject(t, { "a.js": NEAT }), "a.js");
    assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
  });

  test("a syntax error comes back to the model, and the file is untouched", async (t) => {
    const folder = biomeProject(t, { "a.js": "const = ;\n" });
    const answer = await edited(folder, "a.js");
    assert.equal(answer.decision, "feedback");
    assert.match(answer.reason ?? "", /^biome cannot format a\.js:\n[\s\S]*a\.js:1:7/);
    assert.equal(readFileSync(path.join(folder, "a.js"), "utf8"), "const = ;\n");
  });

  test("a file that the formatter's configuration leaves out is no failure", async (t) => {
    const folder = biomeProject(t, { "a.js": UGLY, "biome.json": '{ "files": { "includes": ["**", "!a.js"] } }' });
    const answer = await edited(folder, "a.js");
    assert.deepEqual([answer.decision, answer.context, answer.stderr], ["none", undefined, ""]);
    assert.equal(readFileSync(path.join(folder, "a.js"), "utf8"), UGLY);
  });
});

describe("which formatter runs", { concurrency: true }, () => {
  // Stands in for a formatter: notes its name and its arguments.
  const formatter = '#!/bin/sh\necho "${0##*/} $*" >> "$CALLS"\n';

  /** @param {TestContext} t @param {Record<string, string>} files @param {string} name */
  async function calls(t, files, name) {
    const tools = project(t, Object.fromEntries(["biome", "prettier", "ruff", "gofmt", "rustfmt"].map((program) => [program, formatter])));
    const folder = project(t, { [name]: "text\n", ...files });
    const log = path.join(tools, "calls");
    await edited(folder, name, { PATH: `${tools}:${process.env.PATH}`, CALLS: log });
    return existsSync(log) ? readFileSync(log, "utf8").replaceAll(folder, "<project>") : "";
  }

  for (const [title, files, name, expected] of /** @type {const} */ ([
    ["prettier by its configuration", { ".prettierrc": "{}" }, "a.ts", "prettier --write --log-level=warn <project>/a.ts\n"],
    [
      "prettier by package.json",
      { "package.json": '{"devDependencies":{"prettier":"3"}}' },
      "docs/a.md",
      "prettier --write --log-level=warn <project>/docs/a.md\n",
    ],
    [
      "biome before prettier",
      { "biome.jsonc": "{}", ".prettierrc": "{}" },
      "a.ts",
      "biome format --write --no-errors-on-unmatched <project>/a.ts\n",
    ],
    [
      "prettier for what biome does not know",
      { "biome.json": "{}", ".prettierrc": "{}" },
      "a.md",
      "prettier --write --log-level=warn <project>/a.md\n",
    ],
    ["ruff by pyproject.toml", { "pyproject.toml": "[tool.ruff]\n" }, "a.py", "ruff format <project>/a.py\n"],
    ["gofmt always", {}, "a.go", "gofmt -w <project>/a.go\n"],
    ["rustfmt always", {}, "a.rs", "rustfmt --edition 2021 <project>/a.rs\n"],
    ["none without configuration", { "package.json": "{}", "pyproject.toml": "[tool.black]\n" }, "a.py", ""],
    ["none for an unknown ending", { ".prettierrc": "{}" }, "a.xyz", ""],
    ["a name that looks like shell is only a name", {}, "$(touch x); a.go", "gofmt -w <project>/$(touch x); a.go\n"],
  ])) {
    test(title, async (t) => {
      assert.equal(await calls(t, files, name), expected);
    });
  }

  test("the project's own copy comes before PATH", async (t) => {
    const own = formatter.replace("echo", "echo own");
    assert.match(await calls(t, { ".prettierrc": "{}", "node_modules/.bin/prettier": own }, "src/a.ts"), /^own prettier/);
  });

  test("in a workspace the nearest copy comes first", async (t) => {
    const [outer, inner] = ["outer", "inner"].map((place) => formatter.replace("echo", `echo ${place}`));
    const files = { ".prettierrc": "{}", "node_modules/.bin/prettier": outer ?? "", "packages/x/node_modules/.bin/prettier": inner ?? "" };
    assert.match(await calls(t, files, "packages/x/a.ts"), /^inner prettier/);
    assert.match(await calls(t, files, "packages/a.ts"), /^outer prettier/);
  });

  test("a formatter that is not installed is passed over in silence", async (t) => {
    const answer = await edited(project(t, { "a.go": "package a\n" }), "a.go", { PATH: temporaryFolder(t) });
    assert.deepEqual([answer.stdout, answer.stderr, answer.exitCode], ["", "", 0]);
  });

  test("a file outside the project is left alone", async (t) => {
    const outside = project(t, { "a.go": "package a\n" });
    const tools = project(t, { gofmt: '#!/bin/sh\necho called > "$2"\n' });
    const overrides = { tool_name: "Write", tool_input: { file_path: path.join(outside, "a.go"), content: "" }, tool_response: {} };
    await runHookFile(file, "PostToolUse", overrides, { cwd: temporaryFolder(t), env: { PATH: tools } });
    assert.equal(readFileSync(path.join(outside, "a.go"), "utf8"), "package a\n");
  });
});

test("its settings.json switches it on", async (t) => {
  const tools = project(t, { gofmt: "#!/bin/sh\necho bad syntax >&2\nexit 2\n" });
  for (const tool_name of ["Edit", "Write", "MultiEdit"]) {
    const overrides = { tool_name, tool_input: { file_path: ".claude/a.go" }, tool_response: {} };
    const answer = await runAsConfigured(t, new URL(".", import.meta.url), "PostToolUse", overrides, {
      files: { ".claude/a.go": "package a\n" },
      env: { PATH: `${tools}:${process.env.PATH}` },
    });
    assert.equal(answer.reason, "gofmt cannot format .claude/a.go:\nbad syntax");
  }
});
