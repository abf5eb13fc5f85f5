import { deny, replaceOutput, rewrite } from "@hookloop/sdk";
import { expect, test } from "vitest";
import { openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" } as const;
const DEPLOY = { tool_name: "deploy", tool_input: { environment: "prod" }, tool_use_id: "t1" };

test("a result of finish() that is read before it is awaited reads as a denial, and is said", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PostToolUse", { guard: true }, async () => replaceOutput("…"));
  const begun = await hooks.begin(CALL);
  if ("refused" in begun) throw new Error("refused");
  const finishing = begun.finish({ output: "secret" });
  expect((finishing as unknown as { readonly status: string }).status).toBe("denied");
  expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining("Write: await begun.finish(…)")]);
  expect(await finishing).toMatchObject({ status: "ran", output: "…" });
});

test("a call that is made while hooks are being attached is said", async () => {
  const project = openProject();
  const hooks = await project.open();
  const head = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
  const attaching = hooks.attach({ text: `---\n${JSON.stringify(head)}\n---\n`, file: project.path("SKILL.md") });
  expect(await hooks.runTool(CALL, () => 1)).toMatchObject({ status: "ran" });
  expect(project.diagnostics.map(({ code, text }) => [code, text])).toEqual([
    ["HL_LOOP_NOT_AWAITED", expect.stringContaining("Write: await hooks.attach(…)")],
  ]);
  await attaching;
  expect(await hooks.runTool(CALL, () => 1)).toMatchObject({ status: "denied" });
});

test("a rewrite that execute has no parameter for is said, once", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("PreToolUse", { tool: "Bash" }, () => rewrite({ command: "ls -a" }));
  await hooks.runTool(CALL, (input) => input.command);
  await hooks.runTool({ ...CALL, tool_name: "Glob", tool_input: { pattern: "*" } }, () => 1);
  expect(project.codes()).toEqual([]);
  for (let times = 0; times < 2; times++) await hooks.runTool(CALL, () => CALL.tool_input.command);
  expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining('A hook rewrote the input of "Bash", and execute')]);
});

test.each([
  ["an Error", new Error("x"), false],
  ["a result with isError", { isError: true, content: [] }, true],
])("%s that execute returns is an output, and that is said once", async (what, output, needsListener) => {
  const project = openProject();
  const hooks = await project.open();
  const call = { ...CALL, tool_name: "mcp__a__b" };
  if (needsListener) {
    await hooks.runTool(call, () => output);
    expect(project.codes()).toEqual([]);
    hooks.on("PostToolUseFailure", () => undefined);
  }
  for (let times = 0; times < 2; times++) expect(await hooks.runTool(call, () => output)).toMatchObject({ status: "ran", output });
  expect(project.diagnostics.map(({ text }) => text)).toEqual([expect.stringContaining(`execute of runTool() returned ${what}`)]);
});

test("a guard that reads a misspelt field of the program's own tool, and nothing else of it, has failed and blocks", async () => {
  const project = openProject();
  const hooks = await project.open({ tools: ["deploy"] });
  hooks.on("PreToolUse", { tool: "deploy", guard: true, name: "prod" }, ({ tool_input }) =>
    (tool_input as { readonly enviroment?: string }).enviroment === "prod" ? deny("no") : undefined,
  );
  expect(await hooks.runTool(DEPLOY, () => 1)).toMatchObject({ status: "denied" });
  expect(project.diagnostics[0]?.text).toContain(
    'it reads "enviroment" in tool_input of deploy, which does not exist. Did you mean "environment"?',
  );
});

test("a field that the tool has had before, or that is near nothing, is one that may be left out", async () => {
  const hooks = await openProject().open({ tools: ["deploy"] });
  hooks.on("PreToolUse", { tool: "deploy", guard: true }, ({ tool_input }) => {
    const { targets, force } = tool_input as { readonly targets?: string; readonly force?: boolean };
    return targets === "prod" && force === true ? deny("no") : undefined;
  });
  const call = (tool_input: object): Promise<unknown> => hooks.runTool({ ...DEPLOY, tool_input }, () => 1);
  expect(await call({ targets: "a" })).toMatchObject({ status: "ran" });
  expect(await call({ target: "a" })).toMatchObject({ status: "ran" });
  expect(await call({ environment: "prod" })).toMatchObject({ status: "ran" });
});
