import { describe, expect, test } from "vitest";
import { safety, useShipped, workspaceBoundary } from "../../packages/hookloop/src/builtin/index.ts";
import { createHooks, Permissions, readRules } from "../../packages/hookloop/src/index.ts";
import { afterThisTest } from "../cleanup.ts";

const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id: "t" }) as const;

describe("rules of a program", () => {
  test("are plain lists", async () => {
    const { rules, diagnostics } = readRules({ allow: ["Read"], deny: ["Bash(git push *)"] });
    expect(diagnostics).toEqual([]);
    const hooks = createHooks({ cwd: "/", onDiagnostic: () => {} });
    afterThisTest(() => hooks.close());
    const options = { rules: new Permissions({ rules, root: "/" }) };
    expect(await hooks.runTool(bash("git push --force"), () => 1, options)).toMatchObject({ status: "denied" });
    const read = { tool_name: "Read", tool_input: { file_path: "/a" }, tool_use_id: "t" } as const;
    expect(await hooks.runTool(read, () => 1, options)).toMatchObject({ status: "ran" });
  });

  test("of another name are thrown, not left out", () => {
    expect(() => readRules({ alow: ["Read"] } as never)).toThrow(TypeError);
    expect(() => readRules({ allow: ["Read"], permit: [] } as never)).toThrow(TypeError);
    expect(() => readRules({} as never)).toThrow(TypeError);
  });
});

test("the hooks that come with hookloop are registered as any other", async () => {
  const hooks = createHooks({ cwd: "/srv/project", onDiagnostic: () => {} });
  afterThisTest(() => hooks.close());
  const off = useShipped(hooks, safety);
  useShipped(hooks, workspaceBoundary);
  expect((await hooks.fire("PreToolUse", bash("rm -rf /"))).decision).toBe("deny");
  off();
  expect(hooks.admitted.map(({ name }) => name)).toEqual(["workspace-boundary"]);
});
