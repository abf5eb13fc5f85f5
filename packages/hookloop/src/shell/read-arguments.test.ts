import { expect, test } from "vitest";
import { type Arguments, findOption, readArguments } from "./arguments.ts";
import { readCommand } from "./read-command.ts";

function readWords(text: string): Arguments {
  return readArguments(readCommand(text).commands[0]?.words ?? [], { valued: "Cm", longValued: ["file"] });
}

function read(text: string): { options: string[]; operands: string[] } {
  const { options, operands } = readWords(text);
  return {
    options: options.map(({ name, value }) => (value ? `${name}=${value.text}` : name)),
    operands: operands.map((word) => word.text),
  };
}

test("letters may be joined, and are also kept as one word", () => {
  expect(read("x -rf a")).toEqual({ options: ["-rf", "-r", "-f"], operands: ["a"] });
});

test("a value is attached, follows, or stands after =", () => {
  expect(read("x -C a -mb --file c --file=d e").options).toEqual(["-C=a", "-mb", "-m=b", "--file=c", "--file=d"]);
  expect(read("x -C a -mb --file c --file=d e").operands).toEqual(["e"]);
});

test("after -- everything is an operand", () => {
  expect(read("x -a -- -b --c")).toEqual({ options: ["-a"], operands: ["-b", "--c"] });
});

test("long names may be shortened down to a given length", () => {
  const given = readWords("x --forc --dry");
  expect(findOption(given, ["--force"])?.name).toBe("--forc");
  expect(findOption(given, ["--dry-run"])?.name).toBe("--dry");
  expect(findOption(given, ["--dry-run"], 6)).toBeUndefined();
  expect(findOption(given, ["--fo"])).toBeUndefined();
});
