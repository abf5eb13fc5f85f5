import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface OwnCase {
  readonly name: string;
  readonly recorded?: string;
  readonly from?: string;
  readonly why?: string;
  readonly differs?: string;
  readonly there?: object;
  readonly case: { readonly name: string };
}

const CASES: readonly OwnCase[] = JSON.parse(readFileSync(new URL("own-cases.json", import.meta.url), "utf8"));

test("each of our cases says where its expectation comes from", () => {
  const unmarked = CASES.filter(({ recorded, from, differs }) => recorded === undefined && from === undefined && differs === undefined);
  expect(unmarked.map(({ name }) => name)).toEqual([]);
  const twofold = CASES.filter(({ recorded, from }) => recorded !== undefined && from !== undefined);
  expect(twofold.map(({ name }) => name)).toEqual([]);
});

test("a case from the specification says why it was not measured; one that was and differs says what is different there", () => {
  const wrong = CASES.filter(
    ({ recorded, from, why, differs, there }) =>
      (from !== undefined && (from !== "specification" || why === undefined)) || (recorded !== undefined && differs !== undefined && !there),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("names are used once, and one version was recorded", () => {
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  expect(CASES.filter((one) => one.case.name !== one.name)).toEqual([]);
  expect([...new Set(CASES.flatMap(({ recorded }) => recorded ?? []))]).toEqual(["2.1.325"]);
});
