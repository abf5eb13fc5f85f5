import { expect, test } from "vitest";
import { emptyTemplate, interpolate } from "./mcp-runner.ts";

const PAYLOAD = { tool_name: "Bash", tool_input: { command: "ls", list: [1, { a: 2 }], deep: { n: 1 }, none: null, no: false } };

test.each([
  ["${tool_name}", "Bash"],
  ["a ${tool_input.command} b ${tool_name}", "a ls b Bash"],
  ["${tool_input.deep}", '{"n":1}'],
  ["${tool_input.list}", '[1,{"a":2}]'],
  ["${tool_input.list.1.a}", "2"],
  ["${tool_input.no}", "false"],
  ["[${tool_input.none}${missing}${tool_input.missing.more}${tool_name.length}]", "[]"],
  ["${constructor.name}${__proto__}${tool_input.toString}", ""],
  ["$tool_name ${} ${a b}", "$tool_name ${} ${a b}"],
])("%s becomes %s", (template, text) => {
  expect(interpolate(template, PAYLOAD)).toBe(text);
});

test("texts are replaced wherever they stand; other values and keys stay", () => {
  const template = { a: ["${tool_name}", 1, null], "${tool_name}": { b: true, c: "${tool_input.command}" } };
  expect(interpolate(template, PAYLOAD)).toEqual({ a: ["Bash", 1, null], "${tool_name}": { b: true, c: "ls" } });
});

test("what the payload says is not looked at a second time", () => {
  expect(interpolate("${a}", { a: "${b}", b: "secret" })).toBe("${b}");
});

test.each([
  [{ c: "${tool_input.command}" }, undefined],
  [{ c: "${tool_input.command} ${tool_input.missing}" }, undefined],
  [{ c: "${tool_name}${agent_id}" }, undefined],
  [{ c: "nothing of the event" }, undefined],
  [{ c: ["${tool_input.cmd}"] }, "tool_input.cmd"],
  [{ c: "${tool_name}", d: "${toolInput.command}" }, "toolInput.command"],
])("of %j a guard misses %s", (template, path) => {
  expect(emptyTemplate(template, PAYLOAD, ["tool_name", "tool_input", "agent_id"])).toBe(path);
});
