import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Every code that the source can produce, whole or as `problem("WHAT", …)` of the SDK. */
function codesInSource(): string[] {
  const codes = new Set<string>();
  for (const root of ["packages/sdk/src", "packages/hookloop/src"]) {
    for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || file.includes(".test")) continue;
      const source = readFileSync(path.join(root, file), "utf8");
      for (const [code] of source.matchAll(/\bHL_[A-Z]+_[A-Z0-9_]+\b/g)) codes.add(code);
      for (const [, what] of source.matchAll(/\bproblem\("([A-Z_]+)"/g)) codes.add(`HL_SDK_${what}`);
      if (file === "problem.ts") for (const [, what] of source.matchAll(/\| "([A-Z_]+)"/g)) codes.add(`HL_SDK_${what}`);
    }
  }
  return [...codes].sort();
}

test("every error code has a row in docs/errors.md, and every row a code", () => {
  const documented = [...readFileSync("docs/errors.md", "utf8").matchAll(/^\| `(HL_[A-Z0-9_]+)` \|/gm)].map(([, code]) => code);
  expect(documented.sort()).toEqual(codesInSource());
});
