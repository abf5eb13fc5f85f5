import { describe, expect, test } from "vitest";
import { FirstLine, FloodWatch } from "./program.ts";

function linesOf(...chunks: readonly string[]): string[] {
  const seen: string[] = [];
  const first = new FirstLine((line) => {
    seen.push(line);
    return line === '{"a":1}';
  });
  for (const chunk of chunks) first.add(Buffer.from(chunk));
  return seen;
}

describe("the first line", () => {
  test.each([
    ["in one piece", ['{"a":1}\nrest\n']],
    ["byte by byte", [...'{"a":1}\nrest']],
    ["without an end of line", ['{"a":1}']],
    ["after empty lines and a byte order mark", ["\n  ", '\ufeff{"a":1}\r\n']],
  ])("is seen once: %s", (_how, chunks) => {
    expect(linesOf(...chunks)).toEqual(['{"a":1}']);
  });

  test.each([
    ["text", ["text\n", '{"a":1}\n']],
    ["an array", ['[{"a":1}]\n']],
    ["an object over several lines", ["{\n", '"a":1}\n']],
    ["a line that is too long", [`{"a":1${" ".repeat(2000)}}\n`]],
    ["nothing", [""]],
  ])("is not looked at: %s", (_what, chunks) => {
    expect(linesOf(...chunks)).toEqual([]);
  });

  test("another object is looked at, and ends the search with its line", () => {
    expect(linesOf('{"b":2}', "\n", '{"a":1}\n')).toEqual(['{"b":2}', '{"b":2}']);
  });
});

describe("a flood", () => {
  const watch = (...steps: readonly (readonly [total: number, at: number])[]): boolean[] => {
    const flood = new FloodWatch({ bytes: 100, windowMs: 1000 });
    return steps.map(([total, at]) => flood.isFlood(total, at));
  };

  test("is what comes again within the window after the limit", () => {
    expect(watch([101, 5000], [5000, 5500], [9000, 6000])).toEqual([false, false, true]);
  });

  test("is not what comes slowly, however much it is", () => {
    expect(watch([101, 0], [200, 1000], [299, 2000], [398, 3000], [400, 90_000])).toEqual([false, false, false, false, false]);
  });

  test("is not what stays below the limit, however fast", () => {
    expect(watch([1, 0], [100, 2000])).toEqual([false, false]);
  });
});
