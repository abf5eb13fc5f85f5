import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHooks } from "../open.ts";
import type { ToolOptions } from "./permit.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "hookloop-answer-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const NO_ANSWER = "Bash was not run, because the question about it got no answer that can be understood: ";

test.each([
  [true, "ran", undefined],
  [false, "denied", "The user denied it: Bash needs permission"],
  [{ isAllowed: false, reason: "not today" }, "denied", "The user denied it: not today"],
  // A program that is not type-checked may answer anything; nothing but `true` is a yes.
  ["yes", "denied", `${NO_ANSWER}Bash needs permission`],
  [{ isAllowed: true, reason: "" }, "denied", `${NO_ANSWER}Bash needs permission`],
  [{ isAllowed: false }, "denied", "The user denied it: Bash needs permission"],
])("the answer %j: %s", async (answer, status, error) => {
  const hooks = createHooks({ cwd, trust: "implicit", onDiagnostic: () => {} });
  const call = { tool_name: "Bash", tool_input: { command: "touch x" }, tool_use_id: "t1" };
  const options = { permission: () => "ask", ask: () => answer } as unknown as ToolOptions;
  expect(await hooks.runTool(call, () => "done", options)).toMatchObject({ status, ...(error !== undefined && { error }) });
  await hooks.close();
});
