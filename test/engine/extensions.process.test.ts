/** Hooks that were registered apart from any engine, in sessions of a program. */
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentRun, type HookRegistry, runAgent } from "../../packages/hookloop/src/agent.ts";
import { createSamplingRegistry } from "../../packages/hookloop/src/compat/sampling.ts";
import { createTeachingLoop } from "../../packages/hookloop/src/compat/teaching.ts";
import { createOfflineModel } from "../../packages/hookloop/src/models/index.ts";
import { openProject } from "./open-project.ts";

const GUARD = readFileSync(new URL("../sources/fixtures/sampling-guard.mjs", import.meta.url), "utf8");
const bash = (command: string, id = "t1") => ({
  tool_name: "Bash" as const,
  tool_input: { command, description: "d" },
  tool_use_id: id,
});
const output = { stdout: "", stderr: "", interrupted: false, isImage: false };

test("a guard as its source writes it is part of a session that names its file, and of the next one once", async () => {
  const project = openProject();
  const file = project.write(
    "project/guard.mjs",
    GUARD.replace("const { command }", "context.seen = (context.seen ?? 0) + 1;\n  const { command }"),
  );
  for (const round of [1, 2]) {
    const hooks = await project.open({ extensions: [file] });
    expect((await hooks.runTool(bash("rm -rf /x", `a${round}`), () => output)).error).toContain("Attempted root deletion");
    expect((await hooks.runTool(bash("ls", `b${round}`), () => output)).status).toBe("ran");
    expect(hooks.admitted.filter(({ name }) => name === "bashSafetyHook")).toHaveLength(1);
    await hooks.close();
  }
  expect(project.codes()).toEqual([]);
});

test("without an approval every tool call is blocked, and the session must not start", async () => {
  const project = openProject();
  const file = project.write("project/guard.mjs", GUARD);
  const hooks = await project.open({ extensions: [file], trust: "store" });
  expect(hooks.trust.cannotStart.map(({ code }) => code)).toEqual(["HL_TRUST_REQUIRED"]);
  expect((await hooks.runTool(bash("ls"), () => output)).error).toContain('The extension "guard.mjs" is not approved');
});

test("what it imports is pinned with it, and hookloop's own functions are known", async () => {
  const project = openProject();
  const file = project.write("project/guard.mjs", `import "./rules.mjs";\n${GUARD}`);
  const rules = project.write("project/rules.mjs", "export const rules = [];\n");
  const [status] = (await project.open({ extensions: [file], trust: { workspace: true } })).trust.statuses;
  expect([status?.state, status?.pins?.unresolved, status?.pins?.record.files.map((one) => one.path)]).toEqual([
    "trusted",
    [],
    ["guard.mjs", "rules.mjs"],
  ]);
  appendFileSync(rules, "// more\n");
  const [other] = (await project.open({ extensions: [file], trust: { workspace: true } })).trust.statuses;
  expect(other?.digest).not.toBe(status?.digest);
});

test("one that cannot be loaded blocks every tool call, and the session must not start", async () => {
  const project = openProject();
  const hooks = await project.open({ extensions: [project.write("project/guard.mjs", "registerHook()")] });
  expect(hooks.trust.cannotStart.map(({ code }) => code)).toEqual(["HL_CONFIG_EXTENSION"]);
  expect(project.diagnostics.map(({ text }) => text)[0]).toContain("registerHook is not defined");
  expect((await hooks.runTool(bash("ls"), () => output)).status).toBe("denied");
});

async function ask(prompt: string, cwd: string, registries: readonly HookRegistry[]): Promise<AgentRun> {
  const home = path.join(cwd, "..", "home");
  const env = { PATH: process.env["PATH"], HOME: home };
  return await runAgent(prompt, { cwd, model: createOfflineModel(), env, registries, allowedTools: ["Bash"], onDiagnostic: () => {} });
}

test("a registry acts in a run of the agent, around its tools, its turn and its session, and no longer after it", async () => {
  const { cwd, write, read } = openProject();
  write("project/a.txt", "a");
  const registry = createSamplingRegistry();
  const seen: unknown[] = [];
  registry.registerHook("session_start", (_context, event) => void seen.push([event.type, event.sessionId]));
  registry.registerHook("query_start", ({ prompt }) => void seen.push(prompt));
  registry.registerHook("pre_bash_sample", (context) => {
    context["before"] = context.input?.["command"];
    return { status: "modify", data: { ...context, input: { ...context.input, command: "echo changed > b.txt" } } };
  });
  registry.registerHook(
    "post_bash_sample",
    ({ before, input, duration, tool }) => void seen.push([before, input, typeof duration, tool?.name]),
  );
  registry.registerHook("query_end", () => void seen.push("query_end"));
  registry.registerHook("session_end", () => void seen.push("session_end"));
  const { sessionId } = await ask("run touch never.txt", cwd, [registry]);
  expect(seen).toEqual([
    ["session_start", sessionId],
    "run touch never.txt",
    ["touch never.txt", expect.objectContaining({ command: "echo changed > b.txt" }), "number", "Bash"],
    "query_end",
    "session_end",
  ]);
  expect([read("b.txt"), read("never.txt")]).toEqual(["changed", undefined]);
  await ask("run touch other.txt", cwd, []);
  expect([read("other.txt"), seen.length]).toEqual(["", 5]);
});

test("what is no registry is refused before anything runs", async () => {
  const { cwd } = openProject();
  await expect(ask("run ls", cwd, [{} as never])).rejects.toThrow(
    "registries of runAgent() has an object in it. Write what createSamplingRegistry()",
  );
  await expect(ask("run ls", cwd, "x" as never)).rejects.toThrow('registries of runAgent() is "x". Write a list');
});

test("the free functions of the teaching loop work in an extension as well, and a loop of one's own is a registry", async () => {
  const project = openProject();
  const text = `import { registerHook } from "hookloop/compat/teaching";
registerHook("PreToolUse", (block) => (block.name === "bash" && block.input.command.includes("rm -rf") ? "Permission denied by deny list" : null));
`;
  const file = project.write("project/teaching.mjs", text);
  for (const round of [1, 2]) {
    const hooks = await project.open({ extensions: [file] });
    expect((await hooks.runTool(bash("rm -rf /x", `c${round}`), () => output)).error).toContain("Permission denied by deny list");
    expect((await hooks.runTool(bash("ls", `d${round}`), () => output)).status).toBe("ran");
    expect(hooks.admitted.filter(({ event }) => event === "PreToolUse")).toHaveLength(2);
    await hooks.close();
  }
  const loop = createTeachingLoop();
  loop.register("PreToolUse", () => "not today");
  await ask("run touch never.txt", project.cwd, [loop]);
  expect(project.read("never.txt")).toBeUndefined();
});
