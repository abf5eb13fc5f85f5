import { expect, test } from "vitest";
import { limitTo, runShippedCases } from "./index.ts";

const suites = await runShippedCases({ cwd: process.cwd(), env: process.env }, limitTo(4));

test.each(suites.map((suite) => [suite.hook ?? suite.file, suite] as const))("the cases of %s hold", (_, { cases, diagnostics }) => {
  expect(diagnostics).toEqual([]);
  expect(cases.filter(({ mismatch }) => mismatch !== undefined)).toEqual([]);
  expect(cases.length).toBeGreaterThan(0);
});
