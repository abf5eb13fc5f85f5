import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { processorNow } from "../../growth.test-suite.ts";
import { compileGlob, globTool, grepTool } from "./search.ts";
import { openToolLab, type ToolLab } from "./tool-lab.test-suite.ts";

function labWith(files: Readonly<Record<string, string>>, rules?: Parameters<typeof openToolLab>[0]): ToolLab {
  const lab = openToolLab(rules);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(lab.project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return lab;
}

const namesOf = (lab: ToolLab, response: unknown): readonly string[] =>
  (response as { filenames: readonly string[] }).filenames.map((file) => path.relative(lab.project, file)).sort();

describe("globs", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["src/**", "src/deep/a.ts", true],
    ["src/*.{ts,js}", "src/a.js", true],
    ["[a-c]?.txt", "b1.txt", true],
    ["[!a]?.txt", "a1.txt", false],
    ["a+(b).txt", "a+(b).txt", true],
    ["*", "line\nbreak", true],
  ])("%s fits %j: %s", (pattern, file, expected) => {
    expect(compileGlob(pattern)(file)).toBe(expected);
  });

  test("many stars on a deep path take no time", () => {
    const fits = compileGlob(`${"**/a*".repeat(40)}/b`);
    const started = processorNow();
    expect(fits(`${"aaaaaaaa/".repeat(60)}c`)).toBe(false);
    expect(processorNow() - started).toBeLessThan(2000);
  });

  test.each([
    ["[z-a]", /cannot be read/],
    ["{a,b}".repeat(10), /more than 64 alternatives/],
    ["x".repeat(600), /longer than 512/],
  ])("%s is refused in words", (pattern, words) => {
    expect(() => compileGlob(pattern)).toThrow(words);
  });
});

describe("Glob", () => {
  test("gives the last changed first; links, .git and node_modules are not followed", async () => {
    const lab = labWith({ "a.ts": "", "src/b.ts": "", "node_modules/x/c.ts": "", ".git/d.ts": "" });
    writeFileSync(path.join(lab.base, "outside/e.ts"), "");
    symlinkSync(path.join(lab.base, "outside"), path.join(lab.project, "link"));
    symlinkSync(path.join(lab.base, "outside/e.ts"), path.join(lab.project, "f.ts"));
    utimesSync(path.join(lab.project, "a.ts"), 1, 1);
    const { response, text } = await globTool.run({ pattern: "**/*.ts" }, lab.context());
    expect(response).toEqual({
      filenames: [path.join(lab.project, "src/b.ts"), path.join(lab.project, "a.ts")],
      durationMs: expect.any(Number),
      numFiles: 2,
      truncated: false,
    });
    expect(text.split("\n")).toHaveLength(2);
  });

  test.each([
    ["a folder outside", { pattern: "*", path: ".." }],
    ["a link that leads out", { pattern: "*", path: "out" }],
    ["a pattern that climbs", { pattern: "../**" }],
    ["an absolute pattern", { pattern: "/etc/*" }],
  ])("%s is refused", async (_, input) => {
    const lab = labWith({ "a.txt": "" });
    symlinkSync(path.join(lab.base, "outside"), path.join(lab.project, "out"));
    await expect(globTool.run(input, lab.context())).rejects.toThrow(/outside the workspace|relative to the folder/);
  });

  test("files that may not be read are not named", async () => {
    const lab = labWith({ ".env": "", "a.txt": "", "secrets/key": "" }, { deny: ["Read(.env)"], ask: ["Read(secrets/**)"] });
    const { response } = await globTool.run({ pattern: "**/*" }, lab.context());
    expect(namesOf(lab, response)).toEqual(["a.txt"]);
  });
});

describe("Grep", () => {
  test("finds lines, files or counts; binary files have none", async () => {
    const lab = labWith({ "a.ts": "one\ntwo one\n", "b.js": "one\n", "c.bin": "one\u0000" });
    const run = async (more: object): Promise<string> => (await grepTool.run({ pattern: "o[n]e", ...more }, lab.context())).text;
    expect(await run({ output_mode: "content", glob: "*.ts" })).toBe(
      [`${lab.project}/a.ts:1:one`, `${lab.project}/a.ts:2:two one`].join("\n"),
    );
    expect(await run({ type: "js" })).toBe(`${lab.project}/b.js`);
    expect(await run({ output_mode: "count", path: "a.ts" })).toBe(`${lab.project}/a.ts:2`);
    expect(await run({ output_mode: "content", head_limit: 1 })).toMatch(/\(2 more; narrow/);
    expect(await run({ path: "c.bin" })).toBe("No matches found.");
  });

  test("a pattern may span lines only if asked to", async () => {
    const lab = labWith({ "a.txt": "begin\nend\n" });
    const input = { pattern: "begin.end", output_mode: "content" } as const;
    expect((await grepTool.run(input, lab.context())).text).toBe("No matches found.");
    expect((await grepTool.run({ ...input, multiline: true }, lab.context())).text).toContain("a.txt:1:begin\nend");
  });

  test("what Read rules keep away does not come out through a search", async () => {
    const files = { ".env": "KEY=secret-1", "sub/.env": "KEY=secret-2", "a.txt": "KEY=public" };
    const lab = labWith(files, { deny: ["Read(.env)"] });
    const { text, response } = await grepTool.run({ pattern: "KEY", output_mode: "content" }, lab.context());
    expect(text).toBe(`${lab.project}/a.txt:1:KEY=public`);
    expect(JSON.stringify(response)).not.toContain("secret");
    const one = await grepTool.run({ pattern: "KEY", output_mode: "content", path: ".env" }, lab.context());
    expect(JSON.stringify(one)).not.toContain("secret");
  });

  test("a pattern that would take for ever elsewhere is linear here; one too large is refused", async () => {
    const lab = labWith({ "a.txt": `${"a".repeat(50_000)}!` });
    const started = processorNow();
    await grepTool.run({ pattern: "(a+)+$" }, lab.context());
    expect(processorNow() - started).toBeLessThan(5000);
    await expect(grepTool.run({ pattern: "(a{500}){50}" }, lab.context())).rejects.toThrow(/pattern/);
    await expect(grepTool.run({ pattern: "(?=a)" }, lab.context())).rejects.toThrow(/not a regular expression/);
  });

  test("files that are too large are said", async () => {
    const lab = labWith({ "big.txt": "x".repeat(5 * 1024 * 1024) });
    expect((await grepTool.run({ pattern: "x" }, lab.context())).text).toMatch(/1 file larger than .* was not searched/);
  });

  test("an abort ends it", async () => {
    const lab = labWith({ "a.txt": "x" });
    await expect(grepTool.run({ pattern: "x" }, lab.context({ signal: AbortSignal.abort() }))).rejects.toThrow();
  });
});

describe("many files and many rules", () => {
  const lab = (count: number): ToolLab =>
    labWith(Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at % 20}/f${at}.txt`, "x"])), {
      deny: Array.from({ length: 1500 }, (_, at) => `Read(**/*x*${at}y*/**)`),
    });

  test.each([
    ["Glob", (one: ToolLab, signal: AbortSignal) => globTool.run({ pattern: "**/*" }, one.context({ signal }))],
    ["Grep", (one: ToolLab, signal: AbortSignal) => grepTool.run({ pattern: "x" }, one.context({ signal }))],
  ])(
    "%s leaves others their turn, so that it can be ended",
    async (_, run) => {
      const many = lab(1500);
      const started = processorNow();
      // A timer that fires in between: without a pause it would come too late.
      await run(many, AbortSignal.timeout(20)).catch(() => undefined);
      expect(processorNow() - started).toBeLessThan(4000);
    },
    30_000,
  );

  test("a pattern of several lines is counted once through the text", async () => {
    const one = labWith({ "a.txt": "ab\n".repeat(300_000) });
    const started = processorNow();
    const { text } = await grepTool.run({ pattern: "ab", multiline: true, output_mode: "content" }, one.context());
    expect(text.split("\n").at(-1)).toContain("a.txt:1000:ab");
    expect(processorNow() - started).toBeLessThan(5000);
  });

  test("a line too long for a pattern is not searched, and that is reported", async () => {
    const one = labWith({ "a.txt": "a".repeat(3_000_000) });
    const { text } = await grepTool.run({ pattern: "(a|b|ab)*c".repeat(50) }, one.context());
    expect(text).toContain("1 files have lines that are too long");
  });
});
