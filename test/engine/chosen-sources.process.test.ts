import { expect, test } from "vitest";
import { openHooks } from "../../packages/hookloop/src/open.ts";
import { type FILES, hooksFor, openProject } from "./open-project.ts";

const EVERYWHERE = ["managed", "user", "userNative", "project", "native", "local"] as const satisfies (keyof typeof FILES)[];
const files = Object.fromEntries(EVERYWHERE.map((name) => [name, hooksFor("SessionStart", `echo ${name}`)]));

test.each([
  ["what the project and managed policy say, not what the user's home does", undefined, ["managed", "local", "native", "project"]],
  ["what is chosen, and managed policy always", ["user"] as const, ["managed", "userNative", "user"]],
  ["managed policy alone", [] as const, ["managed"]],
])("a program reads %s", async (_name, sources, expected) => {
  const hooks = await openProject(files).open({ sources } as never);
  const named = hooks.admitted.map(({ target }) => ("command" in target ? target.command.slice(5) : ""));
  expect(named.toSorted()).toEqual(expected.toSorted());
});

test("what the program names itself is read, whatever the sources", async () => {
  const project = openProject(files);
  project.write("plug/hooks/hooks.json", hooksFor("SessionStart", "echo plugin"));
  project.write("plug/.claude-plugin/plugin.json", { name: "plug" });
  const hooks = await project.open({ sources: [], settings: hooksFor("SessionStart", "echo flag") as never, plugins: ["../plug"] });
  expect(hooks.admitted.map(({ source }) => source.scope).toSorted()).toEqual(["flag", "managed", "plugin"]);
});

test("an approved gate of a source that is not read is not missing", async () => {
  const project = openProject({ userNative: { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 0" }] }] } } });
  const all = await project.open({ trust: "store" });
  expect(all.admitted).toHaveLength(1);
  await all.close();
  const hooks = await project.open({ trust: "store", sources: ["project"] });
  expect([hooks.admitted, hooks.refused]).toEqual([[], []]);
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" } as const;
  expect(await hooks.runTool(call, () => 1)).toMatchObject({ status: "ran" });
});

test("a source that does not exist is thrown at the program", async () => {
  await expect(openHooks({ cwd: "/", sources: ["projekt" as never] })).rejects.toThrow(
    'sources of openHooks() has "projekt". Did you mean "project"?',
  );
});
