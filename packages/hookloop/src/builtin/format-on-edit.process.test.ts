import { readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SHIPPED_HOOKS } from "../catalogue/index.ts";
import { type FlowLab, openFlowLab } from "./flow-lab.test-suite.ts";
import { FORMATTER_NAMES, formatterOf } from "./format-on-edit-hook.ts";

const BIN = "node_modules/.bin/prettier";
/** Formats by doing this to what it reads. */
const prettier = (script: string): Readonly<Record<string, string>> => ({ ".prettierrc": "{}", [BIN]: `#!/bin/sh\n${script}\n` });
const UPPER = "tr a-z A-Z";

async function written(lab: FlowLab, name: string, text: string): Promise<{ readonly model: string; readonly user: string }> {
  const file_path = lab.write(name, text);
  return await lab.after("Write", { file_path, content: text });
}

describe("what is formatted", () => {
  test("a file that the agent wrote, by the formatter that the project configures; the model is told what changed", async () => {
    const lab = await openFlowLab(["format-on-edit"], prettier(UPPER));
    const { model } = await written(lab, "src/a.ts", "a\nb\n");
    expect(lab.read("src/a.ts")).toBe("A\nB\n");
    expect(model).toContain("format-on-edit: prettier has changed src/a.ts after you wrote it:");
    expect(model).toContain("-a\n-b\n+A\n+B");
  });

  test.each([
    ["echo a > src/b.ts"],
    ["sed -i s/x/y/ src/b.ts"],
    ["cd src && echo a | tee b.ts"],
    ["sed -i s/x/y/ src/*.ts"],
    ["mv old.ts src/b.ts"],
  ])("a file that a shell command wrote: %s", async (command) => {
    const lab = await openFlowLab(["format-on-edit"], { ...prettier(UPPER), "src/b.ts": "a\n" });
    await lab.after("Bash", { command });
    expect(lab.read("src/b.ts")).toBe("A\n");
  });

  test("a file that the tool of a server wrote", async () => {
    const lab = await openFlowLab(["format-on-edit"], prettier(UPPER));
    await lab.after("mcp__files__write_file", { path: lab.write("a.ts", "a\n"), content: "a\n" });
    expect(lab.read("a.ts")).toBe("A\n");
  });

  test("nothing else: what was only read, what is older than the call, what lies elsewhere or is somebody else's", async () => {
    const files = { "a.ts": "a\n", "node_modules/x/a.ts": "a\n", "a.bin": "a\n" };
    const lab = await openFlowLab(["format-on-edit"], { ...prettier(UPPER), ...files });
    await lab.after("Bash", { command: "cat a.ts" });
    await lab.after("Read", { file_path: path.join(lab.project, "a.ts") });
    for (const name of ["node_modules/x/a.ts", "a.bin", "../home/a.ts"]) {
      expect((await written(lab, name, "a\n")).model).toBe("");
      expect(lab.read(name)).toBe("a\n");
    }
    expect(lab.read("a.ts")).toBe("a\n");
  });

  test("a file keeps its mode, and a link leads to its target", async () => {
    const lab = await openFlowLab(["format-on-edit"], { ...prettier(UPPER), "real.ts": "#!/x\n" });
    symlinkSync("real.ts", path.join(lab.project, "link.ts"));
    await lab.after("Edit", { file_path: path.join(lab.project, "link.ts"), old_string: "", new_string: "" });
    expect(lab.read("real.ts")).toBe("#!/X\n");
    expect(statSync(path.join(lab.project, "real.ts")).mode & 0o777).toBe(0o755);
  });

  test("a workspace whose own path has such a name is a workspace", async () => {
    const lab = await openFlowLab(["format-on-edit"], { ".prettierrc": "{}", "target/x/.keep": "" });
    const inner = await openFlowLab(["format-on-edit"], {}, { cwd: path.join(lab.project, "target/x") });
    lab.write("target/x/.prettierrc", "{}");
    lab.write("target/x/node_modules/.bin/prettier", "#!/bin/sh\ntr a-z A-Z\n");
    await inner.after("Write", { file_path: lab.write("target/x/a.ts", "a\n"), content: "a\n" });
    expect(lab.read("target/x/a.ts")).toBe("A\n");
  });

  test("a file that is formatted already is left alone, without a word", async () => {
    const lab = await openFlowLab(["format-on-edit"], prettier("cat"));
    expect(await written(lab, "a.ts", "a\n")).toEqual({ model: "", user: "" });
  });

  test("biome itself formats", async () => {
    const lab = await openFlowLab(["format-on-edit"], { "biome.json": "{}", "node_modules/.bin/x": "" });
    const biome = fileURLToPath(new URL("../../../../node_modules/.bin/biome", import.meta.url));
    symlinkSync(biome, path.join(lab.project, "node_modules/.bin/biome"));
    await lab.hooks.close();
    const again = await openFlowLab(
      ["format-on-edit"],
      { "biome.json": "{}", "node_modules/.bin/x": "" },
      {
        ports: { env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` } },
      },
    );
    symlinkSync(biome, path.join(again.project, "node_modules/.bin/biome"));
    await written(again, "a.ts", "const  a = {b:1}\n");
    expect(again.read("a.ts")).toBe("const a = { b: 1 };\n");
  });
});

describe("which formatter", () => {
  test("in a monorepo the nearest configuration wins, and its program runs in its folder", async () => {
    const lab = await openFlowLab(["format-on-edit"], {
      ...prettier("echo root"),
      "packages/a/biome.json": "{}",
      "packages/a/node_modules/.bin/biome": "#!/bin/sh\ncat >/dev/null; echo biome; basename $PWD\n",
      "packages/b/.prettierrc": "{}",
      "packages/b/node_modules/.bin/prettier": "#!/bin/sh\ncat >/dev/null; echo b\n",
    });
    for (const name of ["packages/a/src/x.ts", "packages/b/x.ts", "packages/c/x.ts"]) await written(lab, name, "x\n");
    expect(lab.read("packages/a/src/x.ts")).toBe("biome\na\n");
    expect(lab.read("packages/b/x.ts")).toBe("b\n");
    expect(lab.read("packages/c/x.ts")).toBe("root\n");
  });

  test("a linter formats only where nothing else does", async () => {
    const files = { "package.json": '{"devDependencies": {"prettier": "3"}}', "a/eslint.config.js": "" };
    const lab = await openFlowLab(["format-on-edit"], { ...files, "b/package.json": '{"eslintConfig": {}}' });
    const nameOf = (file: string, only = FORMATTER_NAMES): string | undefined => {
      return formatterOf(path.join(lab.project, file), lab.project, only)?.name;
    };
    expect(nameOf("a/x.ts")).toBe("prettier");
    expect(nameOf("a/x.ts", ["eslint"])).toBe("eslint");
    expect(nameOf("b/x.ts", ["eslint"])).toBe("eslint");
    expect(nameOf("x.ts", ["eslint"])).toBeUndefined();
  });

  test.each([
    ["ruff.toml", "", "x.py", "ruff"],
    ["pyproject.toml", "[tool.ruff.lint]\n", "x.py", "ruff"],
    ["pyproject.toml", "[tool.black]\n", "x.pyi", "black"],
    ["pyproject.toml", "[project]\n", "x.py", undefined],
    ["go.mod", "module x\n", "x.go", "gofmt"],
    ["Cargo.toml", '[package]\nedition = "2024"\n', "src/x.rs", "rustfmt"],
    ["biome.jsonc", "{}", "x.jsonc", "biome"],
    ["prettier.config.mjs", "", "x.css", "prettier"],
  ])("%s (%j) formats %s with %s", async (config, text, file, expected) => {
    const lab = await openFlowLab([], { [config]: text });
    const found = formatterOf(path.join(lab.project, file), lab.project, FORMATTER_NAMES);
    expect(found?.name).toBe(expected);
    if (expected === "rustfmt") expect(found?.args("x", found.folders)).toEqual(["--edition", "2024"]);
  });

  test("what eslint could fix counts, also if something is left", async () => {
    const bin = `#!/bin/sh\ncat >/dev/null\nprintf '%s' '[{"output":"fixed\\n"}]'\nexit 1\n`;
    const lab = await openFlowLab(["format-on-edit"], { "eslint.config.js": "", "node_modules/.bin/eslint": bin });
    await written(lab, "a.ts", "a\n");
    expect(lab.read("a.ts")).toBe("fixed\n");
  });

  test("the option's names are those of the table", () => {
    const { type } = SHIPPED_HOOKS["format-on-edit"].options["only"] ?? {};
    const values = type?.kind === "list" && type.item.kind === "choice" ? type.item.values : [];
    expect([...values].sort()).toEqual([...FORMATTER_NAMES].sort());
  });
});

describe("a formatter that", () => {
  const kept = async (
    script: string,
    options: object = {},
  ): Promise<{ readonly model: string; readonly user: string; readonly ms: number }> => {
    const lab = await openFlowLab([{ name: "format-on-edit", ...options }], prettier(script));
    const begun = performance.now();
    const said = await written(lab, "a.ts", "a\n");
    expect(lab.read("a.ts")).toBe("a\n");
    return { ...said, ms: performance.now() - begun };
  };

  test("hangs is ended at the limit, and the file stays", async () => {
    const { model, user, ms } = await kept("trap '' TERM; sleep 60", { seconds: 0.3 });
    expect(user).toMatch(/^format-on-edit: a\.ts was not formatted: prettier did not end within \d+ ms/);
    expect(model).toContain("was not formatted");
    expect(ms).toBeLessThan(10_000);
  });

  test("fails says its own words, and the file stays", async () => {
    const { user, model } = await kept("echo half; echo 'SyntaxError: line 1' >&2; exit 2");
    expect(user).toContain("SyntaxError: line 1");
    expect(model).toContain("SyntaxError: line 1");
  });

  test("prints much, or nothing, changes nothing", async () => {
    expect((await kept("head -c 9000000 /dev/zero | tr '\\0' a")).user).toMatch(/printed/);
    expect((await kept("cat >/dev/null")).user).toContain("printed no text");
  });

  test("is at work while the model edits the file does not take that edit away", async () => {
    const lab = await openFlowLab(["format-on-edit"], prettier("touch started; sleep 0.5; tr a-z A-Z"));
    const first = written(lab, "a.ts", "a\n");
    while (lab.read("started") === undefined) await new Promise((wait) => setTimeout(wait, 10));
    lab.write("a.ts", "the next edit\n");
    expect((await first).model).toContain("a.ts changed meanwhile, so it was not formatted");
    expect(lab.read("a.ts")).toBe("the next edit\n");
  });

  test("is not installed is named once, with the cure of the project's package manager", async () => {
    const lab = await openFlowLab(["format-on-edit"], { ".prettierrc": "{}", "pnpm-lock.yaml": "" });
    await written(lab, "a.ts", "a\n");
    await written(lab, "b.ts", "b\n");
    const said = lab.diagnostics.filter(({ code }) => code === "HL_EXECUTE_SHIPPED_IDLE");
    expect(said.map(({ text }) => text)).toEqual([expect.stringContaining("To install it: pnpm add --save-dev prettier")]);
  });

  test("gets no secret of the environment", async () => {
    const lab = await openFlowLab(["format-on-edit"], prettier("cat >/dev/null; env"), {
      ports: { env: { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: "k-1", MY_TOKEN: "t-1", PLAIN: "p-1" } },
    });
    await written(lab, "a.ts", "a\n");
    const seen = readFileSync(path.join(lab.project, "a.ts"), "utf8");
    expect(seen).toContain("PLAIN=p-1");
    expect(seen).not.toMatch(/k-1|t-1/);
  });
});
