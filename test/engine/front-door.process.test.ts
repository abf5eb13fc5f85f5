import { execFileSync } from "node:child_process";
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

test("importing the library does not load the shell reader; the first shell command that is judged does, at once", () => {
  const program = `
    import { createRequire } from "node:module";
    import { createHooks, decide, readRules } from "hookloop";
    import { readCommand } from "hookloop/shell";
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.endsWith("shell-reader.cjs"));
    const said = [loaded()];
    const hooks = createHooks({ cwd: "/", onDiagnostic: () => {} });
    hooks.on("PreToolUse", () => {});
    hooks.fire("PreToolUse", { tool_name: "Read", tool_input: { file_path: "/a" }, tool_use_id: "t" });
    said.push(loaded());
    const { rules } = readRules({ deny: ["Bash(git push *)"] });
    said.push(decide({ tool_name: "Bash", tool_input: { command: "cd x && git push -f" } }, rules, { root: "/" }).decision, loaded());
    said.push(readCommand("a | b").commands.length);
    console.log(JSON.stringify(said));
  `;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([false, false, "deny", true, 2]);
});
