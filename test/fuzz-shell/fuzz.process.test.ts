import { expect, test } from "vitest";
import { fuzz } from "./compare-reading.ts";

test("every program that bash runs for a generated line is shown, or the line is doubted", async () => {
  const { misses, runs, uncertain, lines } = await fuzz(300, 4);
  expect(misses).toEqual([]);
  // Else it would prove nothing: programs run, and most lines are claimed to be known.
  expect(runs).toBeGreaterThan(500);
  expect(uncertain).toBeLessThan(lines / 2);
});
