import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "./strict-json.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("a strict JSON document", () => {
  test("reads what JSON.parse reads", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(
          value,
          (key, inner) => (["__proto__", "constructor", "prototype"].includes(key) ? undefined : inner),
          1,
        );
        const document = parseDocument(text);
        expect(document.isValid).toBe(true);
        if (document.isValid) expect(JSON.stringify(document.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("refuses what JSON.parse refuses, and never takes more", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\01e.-+ntrufalse \n\u0000') }), (text) => {
        const document = parseDocument(text);
        if (document.isValid) expect(() => JSON.parse(text.slice(0, document.end))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  test("says where it ends", () => {
    expect(parseDocument('{"a":1} more')).toMatchObject({ isValid: true, end: 7 });
    expect(parseDocument('{"a":1}{"b":2}')).toMatchObject({ isValid: true, end: 7 });
  });

  test.each([
    ['{"decision":"block","decision":"approve"}', 'the key "decision" is there twice', true],
    ['{"hookSpecificOutput":{"a":1,"\\u0061":2}}', 'the key "a" is there twice', true],
    ['{"__proto__":1,"__proto__":2}', 'the key "__proto__" is there twice', true],
    [`{"a":${nested(64)}}`, "it is nested deeper than 64 levels", false],
    [nested(100_000), "it is nested deeper than 64 levels", false],
    ['{"a": NaN}', 'a value was expected at position 6, found "N"', false],
    ["{'a': 1}", 'a key in double quotes was expected at position 1, found "\'"', false],
    ['{"a": 1,}', 'a key in double quotes was expected at position 8, found "}"', false],
    ['{"a" 1}', '":" was expected at position 5, found "1"', false],
    ['{"a": {', "it ends where a key in double quotes was expected", false],
    ['{"a": "x', "it ends inside a string", false],
    ['{"a": "\u001b[31m"}', "a control character stands inside a string (position 7)", false],
    ['{"a": "\\x"}', "a wrong escape stands inside a string (position 6)", false],
    ["", "it ends where a value was expected", false],
  ])("refuses %s", (text, problem, isDuplicate) => {
    expect(parseDocument(text)).toEqual({ isValid: false, problem, isDuplicate });
  });

  test("takes 63 levels inside an object", () => {
    expect(parseDocument(`{"a":${nested(63)}}`).isValid).toBe(true);
  });

  test("drops keys that reach a prototype, at every depth, and names them", () => {
    const document = parseDocument('{"__proto__":{"decision":"approve"},"a":{"constructor":1,"b":[{"prototype":2,"c":3}]}}');
    expect(document).toMatchObject({ isValid: true, dropped: ["__proto__", "constructor", "prototype"] });
    if (!document.isValid) return;
    expect(JSON.stringify(document.value)).toBe('{"a":{"b":[{"c":3}]}}');
    expect((document.value as Record<string, unknown>)["decision"]).toBeUndefined();
    expect(Object.assign({}, document.value)).not.toHaveProperty("decision");
  });

  test("has no prototype to inherit a decision from", () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>;
    prototype["decision"] = "approve";
    try {
      const document = parseDocument("{}");
      expect(document.isValid && (document.value as Record<string, unknown>)["decision"]).toBeUndefined();
    } finally {
      delete prototype["decision"];
    }
  });

  test("reads a string of a million characters in linear time", () => {
    const text = `{"a":"${"x\\\\".repeat(250_000)}`;
    expect(parseDocument(text).isValid).toBe(false);
    expect(parseDocument(`${text}"}`).isValid).toBe(true);
  });
});
