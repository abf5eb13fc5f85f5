import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { appendToList } from "./edit-json.ts";

const append = (text: string, path: string[], ...items: unknown[]): string => {
  const edited = appendToList(text, { file: "hooks.json", path, items });
  if ("problem" in edited) throw new Error(`${edited.problem.code}: ${edited.problem.text}`);
  return edited.text;
};

describe("a list gets entries, and nothing else changes", () => {
  test.each<[string, string, string]>([
    ["an empty file object", "{}\n", '{\n  "use": [\n    "safety"\n  ]\n}\n'],
    ["a list on one line", '{ "use": ["a"] }', '{ "use": ["a", "safety"] }'],
    ["a list without blanks", '{"use":["a"],"b":1}', '{"use":["a","safety"],"b":1}'],
    ["a list of lines", '{\n  "use": [\n    "a"\n  ]\n}\n', '{\n  "use": [\n    "a",\n    "safety"\n  ]\n}\n'],
    ["tabs", '{\n\t"use": [\n\t\t"a"\n\t]\n}', '{\n\t"use": [\n\t\t"a",\n\t\t"safety"\n\t]\n}'],
    ["Windows line endings", '{\r\n  "use": [\r\n    "a"\r\n  ]\r\n}\r\n', '{\r\n  "use": [\r\n    "a",\r\n    "safety"\r\n  ]\r\n}\r\n'],
    ["a comment behind the last entry", '{\n  "use": [\n    "a" // why\n  ]\n}', '{\n  "use": [\n    "a", // why\n    "safety"\n  ]\n}'],
    ["a comma behind the last entry", '{\n  "use": [\n    "a",\n  ],\n}', '{\n  "use": [\n    "a",\n    "safety",\n  ],\n}'],
    ["only a comment in it", "{\n  // none yet\n}\n", '{\n  // none yet\n  "use": [\n    "safety"\n  ]\n}\n'],
    ["other keys", '{\n  "hooks": {}\n}\n', '{\n  "hooks": {},\n  "use": [\n    "safety"\n  ]\n}\n'],
    ["an empty list among lines", '{\n  "use": []\n}\n', '{\n  "use": [\n    "safety"\n  ]\n}\n'],
    ["a byte order mark", '\uFEFF{"use":[]}', '\uFEFF{"use":["safety"]}'],
    ["equal keys: the last one counts", '{"use":["a"],"use":["b"]}', '{"use":["a"],"use":["b","safety"]}'],
  ])("%s", (_, before, after) => {
    expect(append(before, ["use"], "safety")).toBe(after);
  });

  test("objects on the way are made", () => {
    expect(append('{\n  "a": 1\n}', ["hooks", "Stop"], { hooks: [] })).toBe(
      '{\n  "a": 1,\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": []\n      }\n    ]\n  }\n}',
    );
  });
});

test.each([
  ['{"use": ', "HL_CONFIG_INVALID_JSON"],
  ["", "HL_CONFIG_INVALID_JSON"],
  ["[]", "HL_CONFIG_WRONG_TYPE: The file must be an object, not a list."],
  ['{"use": "safety"}', 'HL_CONFIG_WRONG_TYPE: "use" must be a list, not "safety".'],
])("%j is refused", (text, message) => {
  expect(() => append(text, ["use"], "x")).toThrow(message);
});

const blank = fc.constantFrom("", " ", "\n", "\n  ", "\r\n\t", " /* a, ] } */ ", " // b ]\n", "\n\n    ");
const scalar = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom("1", "-2.5e3", "true", "null"),
);
const separated = (items: string[], [open, close]: [string, string], blanks: string[], isTrailing: boolean): string => {
  const gap = (index: number): string => blanks[index % blanks.length] ?? "";
  const inner = items.map((item, index) => `${gap(index)}${item}${gap(index + 1)}`).join(",");
  return `${open}${inner === "" ? gap(0) : inner}${isTrailing && items.length > 0 ? `,${gap(2)}` : ""}${close}`;
};
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.array(blank, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([items, blanks, isTrailing]) => separated(items, ["[", "]"], blanks, isTrailing)),
    fc
      .tuple(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), tie("value")), { maxLength: 3 }),
        fc.array(blank, { minLength: 1 }),
        fc.boolean(),
      )
      .map(([members, blanks, isTrailing]) =>
        separated(
          members.map(([key, one]) => `"${key}"${blanks[0] ?? ""}:${blanks.at(-1) ?? ""}${one}`),
          ["{", "}"],
          blanks,
          isTrailing,
        ),
      ),
  ),
}));
/** A whole file: other keys around a list, formatted in any way. */
const file = fc
  .tuple(
    value,
    fc.array(value, { maxLength: 3 }),
    value,
    fc.array(blank, { minLength: 2, maxLength: 5 }),
    fc.boolean(),
    fc.constantFrom("use", "more"),
  )
  .map(([before, items, after, blanks, isTrailing, key]) => {
    const list = separated(items, ["[", "]"], blanks, isTrailing);
    return separated([`"first":${before}`, `"${key}":${blanks[1] ?? ""}${list}`, `"last":${after}`], ["{", "}"], blanks, isTrailing);
  });

test("in any formatted file, an edit only inserts: what was there keeps its bytes and its order, and the value has exactly the new entries", () => {
  fc.assert(
    fc.property(file, fc.array(fc.constantFrom("safety", { name: "x", on: true }), { minLength: 1, maxLength: 2 }), (before, items) => {
      const after = append(before, ["use"], ...items);
      const value = parse(before) as Record<string, unknown>;
      expect(parse(after)).toEqual({ ...value, use: [...((value["use"] as unknown[]) ?? []), ...items] });
      expect(isInsertion(before, after)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** Whether all characters of the one stand in the other in order; greedy is enough. */
function isInsertion(short: string, long: string): boolean {
  let at = 0;
  for (const letter of long) if (at < short.length && letter === short[at]) at++;
  return at === short.length;
}
