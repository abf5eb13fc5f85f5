import { expect, test } from "vitest";
import { namedArguments, promptCommands } from "./mcp-servers.ts";

const args = [
  { name: "file", isRequired: true },
  { name: "how", isRequired: false },
];

test.each([
  ["a.ts", { file: "a.ts" }],
  ["a.ts strictly", { file: "a.ts", how: "strictly" }],
  ["a.ts very strictly, please", { file: "a.ts", how: "very strictly, please" }],
  ['"my file.ts" "very strictly"', { file: "my file.ts", how: "very strictly" }],
  ['  a.ts   "x y" z ', { file: "a.ts", how: '"x y" z' }],
])("%j gives %j", (typed, named) => {
  expect(namedArguments({ args }, typed)).toEqual(named);
});

test("what is needed and was not typed is named", () => {
  expect(() => namedArguments({ args }, "")).toThrow("it needs file.");
});

test("a prompt without arguments takes none", () => {
  expect(namedArguments({ args: [] }, "anything")).toEqual({});
});

test("names of servers and prompts become one word that can be typed", () => {
  const prompt = { server: "my server", name: "code/review", description: "d", args };
  const commands = promptCommands({ prompts: [prompt], promptText: async () => "" });
  expect([...commands].map(([name, { usage, source }]) => [name, usage, source])).toEqual([
    ["mcp__my_server__code_review", "FILE [HOW]", "my server"],
  ]);
});
