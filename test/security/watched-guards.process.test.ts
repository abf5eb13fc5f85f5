/** A guard is one by its configuration too: its script is watched as one that says `guard: true` itself. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bash, openProject } from "../engine/open-project.ts";

// The built program: modules and warm scripts run in programs that only it has.
const { openHooks } = (await import(
  path.resolve("packages/hookloop/dist/lib/index.js")
)) as typeof import("../../packages/hookloop/src/index.ts");
const SDK = path.resolve("packages/sdk/dist/index.js");
const IMPORT = `import { deny, hook, loadHookInput, runHook, emitBlock } from ${JSON.stringify(SDK)};\n`;

/** Each looks at something that no call of Bash has, so that it would never deny one. */
const BLIND: Readonly<Record<string, string>> = {
  "hook() that reads toolInput": `hook("PreToolUse", (i) => (i.toolInput?.command === "ls" ? deny("no") : undefined));`,
  "hook() that reads tool_input.script": `hook("PreToolUse", (i) => (i.tool_input.script === "ls" ? deny("no") : undefined));`,
  "hook() for another tool": `hook("PreToolUse", { tool: "Write" }, () => deny("no"));`,
  "hook() that changes its input": `hook("PreToolUse", (i) => { i.tool_input.command = "true"; });`,
  "runHook() that reads toolInput": `runHook(() => { if (loadHookInput()?.toolInput?.command === "ls") emitBlock("no"); }, "main");`,
};
const MODULES: Readonly<Record<string, string>> = {
  ...BLIND,
  "a default export that reads toolInput": `export default (i) => (i.toolInput?.command === "ls" ? deny("no") : undefined);`,
  "a default export that waits and reads input": `export default async (i) => { await null; return i.input?.command === "ls" ? deny("no") : undefined; };`,
  "a default export that changes its input": `export default (i) => { i.tool_input.command = "true"; };`,
};
const FINE = `hook("PreToolUse", (i) => (i.tool_input.command === "rm" ? deny("no") : undefined));`;

async function isBlocked(entry: Record<string, unknown>, text: string): Promise<boolean> {
  const content = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [entry] }] } };
  const project = openProject({ native: content });
  project.write("project/.hookloop/guard.mjs", IMPORT + text);
  const hooks = await openHooks({ cwd: project.cwd, trust: "implicit", onDiagnostic: () => {} });
  const { decision } = await hooks.fire("PreToolUse", { ...bash("ls"), cwd: project.cwd } as never);
  await hooks.close();
  return decision === "deny";
}

const COMMAND = { type: "command", command: "node .hookloop/guard.mjs" };
const MODULE = { type: "module", path: "guard.mjs" };

describe.each([{ guard: true }, { onFailure: "block" }])("with %j in its configuration, blocks", (mark) => {
  test.each(Object.entries(BLIND))("a script: %s", async (_name, text) => {
    expect(await isBlocked({ ...COMMAND, ...mark }, text)).toBe(true);
  });

  test.each(Object.entries(MODULES))("a module: %s", async (_name, text) => {
    expect(await isBlocked({ ...MODULE, ...mark }, text)).toBe(true);
  });

  test("and lets what is right pass", async () => {
    expect(await isBlocked({ ...COMMAND, ...mark }, FINE)).toBe(false);
    expect(await isBlocked({ ...COMMAND, ...mark, warm: true }, FINE)).toBe(false);
    expect(await isBlocked({ ...MODULE, ...mark }, FINE)).toBe(false);
    expect(await isBlocked({ ...MODULE, ...mark }, "export default (i) => void i.tool_input.command;")).toBe(false);
  });
});

test("a hook that is not called a guard is not watched", async () => {
  expect(await isBlocked(COMMAND, BLIND["hook() that reads toolInput"] ?? "")).toBe(false);
  expect(await isBlocked(MODULE, MODULES["a default export that reads toolInput"] ?? "")).toBe(false);
});
