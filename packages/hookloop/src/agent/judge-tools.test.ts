import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Permissions } from "../permissions/permissions.ts";
import { readRules } from "../permissions/rules/read-rules.ts";
import { judgeTools } from "./session-options.ts";

function folder(): string {
  const root = mkdtempSync(path.join(tmpdir(), "hookloop-judge-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(path.join(root, "a.txt"), "needle\n");
  return root;
}
const call = (name: string, input: Record<string, unknown>) => ({ type: "tool_use" as const, id: "t", name, input });

test("agent hooks are offered tools that read, and no others", () => {
  const { offered } = judgeTools({ root: "/", home: "/", permissions: () => undefined });
  expect(offered.map(({ name }) => name)).toEqual(["Read", "Glob", "Grep"]);
  for (const { input_schema } of offered) expect(input_schema).toMatchObject({ type: "object" });
});

test("they work from the folder of the event", async () => {
  const root = folder();
  const tools = judgeTools({ root, home: root, permissions: () => undefined });
  const context = { cwd: root, signal: new AbortController().signal };
  expect(await tools.run(call("Read", { file_path: "a.txt" }), context)).toContain("needle");
  expect(await tools.run(call("Glob", { pattern: "*.txt" }), context)).toContain("a.txt");
  expect(await tools.run(call("Grep", { pattern: "needle" }), context)).toContain("a.txt");
});

test("what is no tool, no input or no file is refused in words", async () => {
  const root = folder();
  const tools = judgeTools({ root, home: root, permissions: () => undefined });
  const context = { cwd: root, signal: new AbortController().signal };
  await expect(tools.run(call("Write", {}), context)).rejects.toThrow("There is no tool Write");
  await expect(tools.run(call("Read", {}), context)).rejects.toThrow("not valid");
  await expect(tools.run(call("Read", { file_path: "b.txt" }), context)).rejects.toThrow("File does not exist");
});

test("what a Read rule forbids the agent, it forbids its hooks", async () => {
  const root = folder();
  writeFileSync(path.join(root, "secret.txt"), "s3cret");
  const lists = { allow: [], ask: [], deny: [{ text: "Read(./secret.txt)" }] };
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions: lists }]);
  const tools = judgeTools({ root, home: root, permissions: () => new Permissions({ rules, root }) });
  const call = { type: "tool_use", id: "t1", name: "Read", input: { file_path: path.join(root, "secret.txt") } } as const;
  await expect(tools.run(call, { cwd: root, signal: new AbortController().signal })).rejects.toThrow("A rule forbids reading");
});
