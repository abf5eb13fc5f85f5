import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readStdout, type StdoutReading } from "./read-json.ts";

const FIELDS = ["continue", "decision", "reason", "hookSpecificOutput"];
const read = (stdout: string, isBinary = false): StdoutReading => readStdout({ stdout, isBinary, answerFields: FIELDS });
const codes = (reading: StdoutReading): string[] => (reading.kind === "bad" ? [reading.code] : reading.notes.map(({ code }) => code));
const DENY = '{"decision":"block"}';

// Each form has one documented result.
describe("stdout", () => {
  test.each<[string, string, StdoutReading["kind"], string[]]>([
    ["nothing", "", "text", []],
    ["white space", " \n", "text", []],
    ["plain text", "all good", "text", []],
    ["null", "null", "text", []],
    ["true", "true", "text", []],
    ["a string", '"deny"', "text", []],
    ["a list", '[{"decision":"block"}]', "text", []],
    ["an object", DENY, "answer", []],
    ["an object without known fields", '{"a":1}', "answer", []],
    ["white space around it", `\n  ${DENY}\n\n`, "answer", []],
    ["a byte order mark before it", `\ufeff${DENY}`, "answer", []],
    ["a byte order mark and white space", `\ufeff\n ${DENY}`, "answer", []],
    ["noise before it", `Welcome to zsh\n${DENY}\n`, "answer", ["HL_OUTPUT_NOISE"]],
    ["several lines of noise", `a\nb {\n{x}\n  ${DENY}`, "answer", ["HL_OUTPUT_NOISE"]],
    ["text after it", `${DENY}\ndone`, "answer", ["HL_OUTPUT_TRAILING_TEXT"]],
    ["text before and after it", `hi\n${DENY}\ndone`, "answer", ["HL_OUTPUT_NOISE", "HL_OUTPUT_TRAILING_TEXT"]],
    ["a NUL after it", `${DENY}\u0000`, "answer", ["HL_OUTPUT_TRAILING_TEXT"]],
    ["two documents", `${DENY}\n{"decision":"approve"}`, "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["noise and two documents", `hi\n${DENY}\n{"decision":"approve"}`, "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["braces that are not JSON", "{decision: block}", "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["an object and text that ends in a brace", `${DENY} }`, "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["an object that is cut off", '{"hookSpecificOutput": {', "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["noise and an object that is cut off", 'hi\n{"hookSpecificOutput": {"permissionDecision":"de', "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["text in braces", "{note} mind the gap", "text", []],
    ["an object of someone else and text", '{"name":"x"} is the config', "text", []],
    ["text with an object of someone else", 'The config:\n{\n  "name": "x"\n}', "text", []],
    ["a duplicate decision", '{"decision":"block","decision":"approve"}', "bad", ["HL_OUTPUT_DUPLICATE_KEY"]],
    ["noise and a duplicate decision", 'hi\n{"decision":"block","decision":"approve"}', "bad", ["HL_OUTPUT_DUPLICATE_KEY"]],
    ["a key that reaches the prototype", '{"__proto__":{"decision":"approve"}}', "answer", ["HL_OUTPUT_UNKNOWN_FIELD"]],
    ["an object 100,000 levels deep", `{"decision":${"[".repeat(1e5)}${"]".repeat(1e5)}}`, "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["10 MB of JSON", `{"decision":"block","reason":"${"x".repeat(1e7)}"}`, "bad", ["HL_OUTPUT_BAD_JSON"]],
    ["3 MB of text", "x".repeat(3e6), "text", []],
  ])("that is %s", (_what, stdout, kind, expected) => {
    const reading = read(stdout);
    expect(reading.kind).toBe(kind);
    expect(codes(reading)).toEqual(expected);
  });

  test("names the noise, shortened and on one line", () => {
    const reading = read(`\u001b[1mWelcome\u001b[0m to\nzsh ${"!".repeat(200)}\n${DENY}`);
    const text = reading.kind === "answer" ? reading.notes[0]?.text : "";
    expect(text).toMatch(/^"Welcome to zsh !+…" stands before the JSON on stdout; .* Print it to stderr$/);
    expect(text?.length).toBeLessThan(200);
  });

  test("marks an answer with text around it", () => {
    expect(read(DENY)).toMatchObject({ isBlemished: false });
    expect(read(`hi\n${DENY}`)).toMatchObject({ isBlemished: true });
    expect(read(`${DENY} hi`)).toMatchObject({ isBlemished: true });
    expect(read('{"decision":"block","constructor":1}')).toMatchObject({ isBlemished: false });
  });

  test("that is not UTF-8 is no answer, and as text it is reported", () => {
    expect(read(DENY, true)).toMatchObject({ kind: "bad", code: "HL_OUTPUT_BINARY" });
    expect(read("caf\ufffd", true)).toMatchObject({ kind: "text", text: "caf\ufffd", notes: [{ code: "HL_OUTPUT_BINARY" }] });
  });

  test("says where JSON is broken", () => {
    expect(read('{"decision": block}')).toEqual({
      kind: "bad",
      code: "HL_OUTPUT_BAD_JSON",
      problem: 'stdout looks like a JSON object but is not valid: a value was expected at position 13, found "b"',
    });
  });

  test("never throws, and never finds an answer that is not there", { timeout: 60_000 }, () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("{", "}", '"decision"', ":", '"block"', "\n", DENY, "\ufeff", "\u0000"),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.boolean(), (pieces, isBinary) => {
        const reading = read(pieces.join(""), isBinary);
        if (reading.kind === "answer") expect(Object.getPrototypeOf(reading.value)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
