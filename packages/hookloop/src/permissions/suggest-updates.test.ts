import { expect, test } from "vitest";
import { Permissions, suggestUpdates } from "./permissions.ts";

test.each([
  ["Bash", { command: "npm test && git push" }],
  ["Write", { file_path: "/srv/app/a.txt" }],
  ["WebFetch", { url: "https://example.com/a" }],
  ["mcp__srv__tool", {}],
])("what is suggested for %s %j answers the same question next time, and no other tool's", (tool_name, tool_input) => {
  const call = { tool_name, tool_input };
  const permissions = new Permissions({ root: "/srv/app" });
  expect(permissions.decide(call).decision).toBe("ask");
  permissions.update(suggestUpdates(call));
  expect(permissions.decide(call).decision).toBe("allow");
  expect(permissions.decide({ tool_name: "Bash", tool_input: { command: "rm x" } }).decision).toBe("ask");
});

test.each([
  ["Bash", { command: "rm *" }],
  ["Bash", { command: "a\nb" }],
  ["Bash", {}],
  ["Read", { file_path: "/etc/passwd" }],
  ["WebFetch", { url: "nonsense" }],
  ["ExitPlanMode", { plan: "1. write it" }],
  ["AskUserQuestion", { questions: [] }],
])("nothing is suggested that would allow more, or that no rule answers: %s %j", (tool_name, tool_input) => {
  expect(suggestUpdates({ tool_name, tool_input })).toEqual([]);
});
