import { expect, test } from "vitest";
import { readCommand } from "../read-command.ts";
import { unexplained } from "./inline-code.ts";

function hits(text: string): string[] {
  return unexplained(text, readCommand(text)).map(({ start, end }) => text.slice(start, end));
}

test.each([
  "rm -rf /",
  "echo 'rm -rf /'",
  "echo rm -rf /",
  "cat <<'E'\ngit reset --hard\nE",
  "W='rm -rf /'; echo \"$W\"",
  "sh -c 'rm -rf /'",
  "ls # rm -rf /",
])("%s is explained by reading", (text) => {
  expect(hits(text)).toEqual([]);
});

test("words of a program that starts others are explained only by a command found there", () => {
  expect(hits("command -v -- git reset --hard")).toEqual(["git reset --hard"]);
});

test("what the parser does not show at all is a hit", () => {
  const text = "rm -rf / # and more";
  expect(
    unexplained(text, {
      commands: [],
      data: [],
      doubts: [],
      foreignDoubts: [],
      isUncertain: false,
      hasSubstitution: false,
      sets: [],
      tests: [],
      lists: [],
    }),
  ).toEqual([{ start: 0, end: 6 }]);
});
