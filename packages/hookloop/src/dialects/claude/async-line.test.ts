import { expect, test } from "vitest";
import { readAsyncLine } from "./claude-dialect.ts";

test("the first line sends a hook to the background; the rest is its later answer", () => {
  expect(readAsyncLine('{"async":true,"asyncTimeout":1500}\n{"systemMessage":"done"}\n')).toEqual({
    timeoutMs: 1500,
    rest: '{"systemMessage":"done"}\n',
  });
  expect(readAsyncLine('{"async":true}')).toEqual({ timeoutMs: undefined, rest: "" });
  expect(readAsyncLine('{"async":true,"asyncTimeout":-1}')).toEqual({ timeoutMs: undefined, rest: "" });
});

test.each([
  "",
  "text",
  '{"async":1}',
  '{"async":true} more',
  '{"a":{"async":true}}',
  '{"async":true,"async":false}',
  'noise\n{"async":true}',
  '{\n"async":true\n}',
])("%j does not", (stdout) => {
  expect(readAsyncLine(stdout)).toBeUndefined();
});
