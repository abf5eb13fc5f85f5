import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const readme = readFileSync("README.md", "utf8");
// Inside the repository, so that `@hookloop/sdk` is found.
const folder = mkdtempSync(path.resolve("node_modules/.readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code]) => code as string);

test("the README's guard does what the README shows", () => {
  const [guard] = blocks("js");
  const [session] = blocks("console");
  const [command, ...expected] = (session as string).trimEnd().split("\n");
  writeFileSync(path.join(folder, "guard.mjs"), guard as string);
  const bin = path.resolve("node_modules/.bin");
  const output = execFileSync("bash", ["-c", (command as string).replace(/^\$ npx /, "")], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, HOOK_LOG_DISABLE: "1" },
  });
  expect(output.trimEnd()).toBe(expected.join("\n"));
});

test("the README's test passes", () => {
  const [guard, guardTest] = blocks("js");
  writeFileSync(path.join(folder, "guard.mjs"), guard as string);
  writeFileSync(path.join(folder, "guard.test.mjs"), guardTest as string);
  const { status, stdout } = spawnSync(process.execPath, ["--test", "guard.test.mjs"], { cwd: folder, encoding: "utf8" });
  expect([status, stdout.match(/^# pass \d+$/m)?.[0]]).toEqual([0, "# pass 1"]);
});

test("programs that the README and the guide to embedding show compile under strict", () => {
  const guide = readFileSync("docs/guide/embed.md", "utf8").match(/^```js agent\.mjs\n([\s\S]*?)^```/m)?.[1];
  const files = { "guard.mjs": blocks("js")[0], "embed.mjs": blocks("js")[2], "agent.mjs": guide };
  for (const [name, code] of Object.entries(files)) writeFileSync(path.join(folder, name), code as string);
  // What the reader has.
  writeFileSync(path.join(folder, "own.d.ts"), "declare function runShell(line: string): string;\n");
  const flags = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--allowJs",
    "--checkJs",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
  ];
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, "own.d.ts", ...Object.keys(files)], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, ""]);
});

test("the README's settings are JSON", () => {
  expect(blocks("json").map((text) => Object.keys(JSON.parse(text) as object))).toEqual([["json.schemas"], ["hooks"]]);
});
