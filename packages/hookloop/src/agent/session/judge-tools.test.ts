import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { judgeTools } from "./judge-tools.ts";

function folder(): string {
  const root = mkdtempSync(path.join(tmpdir(), "hookloop-judge-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(path.join(root, "a.txt"), "needle\n");
  return root;
}
const call = (name: string, input: Record<string, unknown>) => ({ type: "tool_use" as const, id: "t", name, input });

test("agent hooks are offered tools that read, and no others (D15)", () => {
  const { offered } = judgeTools({ root: "/", home: "/" });
  expect(offered.map(({ name }) => name)).toEqual(["Read", "Glob", "Grep"]);
  for (const { input_schema } of offered) expect(input_schema).toMatchObject({ type: "object" });
});

test("they work from the folder of the event", async () => {
  const root = folder();
  const tools = judgeTools({ root, home: root });
  const context = { cwd: root, signal: new AbortController().signal };
  expect(await tools.run(call("Read", { file_path: "a.txt" }), context)).toContain("needle");
  expect(await tools.run(call("Glob", { pattern: "*.txt" }), context)).toContain("a.txt");
  expect(await tools.run(call("Grep", { pattern: "needle" }), context)).toContain("a.txt");
});

test("what is no tool, no input or no file is refused in words", async () => {
  const root = folder();
  const tools = judgeTools({ root, home: root });
  const context = { cwd: root, signal: new AbortController().signal };
  await expect(tools.run(call("Write", {}), context)).rejects.toThrow("There is no tool Write");
  await expect(tools.run(call("Read", {}), context)).rejects.toThrow("not valid");
  await expect(tools.run(call("Read", { file_path: "b.txt" }), context)).rejects.toThrow("There is no file");
});
