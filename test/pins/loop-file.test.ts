import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const LOOP = new URL("../../packages/hookloop/src/agent/loop.ts", import.meta.url);
const text = readFileSync(fileURLToPath(LOOP), "utf8");

/** What a file imports when it runs; types leave nothing behind. */
function importsOf(source: string): readonly string[] {
  const named = [...source.matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)from\s+"([^"]+)"/gm)];
  const isValue = (names = ""): boolean =>
    !names.includes("{") ||
    names
      .replace(/[{}]/g, "")
      .split(",")
      .some((name) => name.trim() !== "" && !name.trim().startsWith("type "));
  const dynamic = [...source.matchAll(/\bimport\(\s*"([^"]+)"/g)].map(([, from = ""]) => from);
  const bare = [...source.matchAll(/^import\s+"([^"]+)"/gm)].map(([, from = ""]) => from);
  return [...named.filter(([, names]) => isValue(names)).map(([, , from = ""]) => from), ...bare, ...dynamic];
}

test("the loop is under 200 lines", () => {
  expect(text.split("\n").length).toBeLessThan(200);
});

test("the loop imports the engine's words and its own, and nothing else", () => {
  const every = [...text.matchAll(/from\s+"([^"]+)"/g)].map(([, from]) => from).sort();
  expect(every).toEqual(["../diagnostic.ts", "../engine/index.ts", "../judge/index.ts", "../run/index.ts", "./types.ts"]);
  // Of the runners' folder only the model port: no runner, no process.
  const [, names = ""] = /import \{([^}]*)\} from "\.\.\/run\/index\.ts"/.exec(text) ?? [];
  expect(
    names
      .split(",")
      .map((name) => name.trim())
      .sort(),
  ).toEqual(["ModelError", "type ModelReply", "type ModelRequest", "type ToolUseBlock"]);
});

test("the loop names no kind of hook, no terminal, no file system and no vendor", () => {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  expect(code).not.toMatch(/node:|process\.|console\.|anthropic|openai|claude|stdout|stderr|readline/i);
  expect(code).not.toMatch(/"(?:command|http|prompt|agent|mcp_tool|module|function)"/);
});

test("what the loop's own files import leads to no tool, no terminal and no model", () => {
  for (const name of ["types.ts"]) {
    const source = readFileSync(fileURLToPath(new URL(`../../packages/hookloop/src/agent/${name}`, import.meta.url)), "utf8");
    expect(importsOf(source), name).toEqual([]);
  }
});
