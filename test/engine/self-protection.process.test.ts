import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { decides, hooksFor, openProject } from "./open-project.ts";

/** Runs a tool for real, if it may run: what it would write is there or not. */
async function attempt(tool_name: string, tool_input: Record<string, unknown>, files: Parameters<typeof openProject>[0] = {}) {
  const project = openProject(files);
  mkdirSync(project.path(".git/hooks"), { recursive: true });
  writeFileSync(project.path("guard.sh"), "exit 2\n");
  const hooks = await project.open();
  const result = await hooks.runTool({ tool_name, tool_input, tool_use_id: "t" }, () => {
    writeFileSync(project.path("ran"), "");
    return "ran";
  });
  return { result, hasRun: existsSync(project.path("ran")), project };
}

describe("without a user to ask, the agent's tools cannot change what guards it", () => {
  test.each([
    ["Write", { file_path: ".claude/settings.json", content: "{}" }],
    ["Write", { file_path: ".hookloop/hooks.json", content: "{}" }],
    ["Edit", { file_path: "guard.sh", old_string: "exit 2", new_string: "exit 0" }],
    ["Bash", { command: "echo '{}' | tee .claude/settings.local.json" }],
    ["Bash", { command: "sed -i s/2/0/ guard.sh" }],
    ["Bash", { command: "mv guard.sh old.sh" }],
    ["Bash", { command: "ln -sf /dev/null guard.sh" }],
    ["Bash", { command: "echo x > .git/hooks/pre-commit" }],
    ["Bash", { command: "rm -rf .claude" }],
    ["Bash", { command: "HOOKLOOP_X=1 true" }],
  ])("%s %j", async (tool, input) => {
    const project = hooksFor("Stop", "bash guard.sh");
    const { hasRun, result } = await attempt(tool, input, { project });
    expect(hasRun).toBe(false);
    expect(result.status).toBe("denied");
  });

  test("a script that is not there yet", async () => {
    const input = { file_path: "later/guard.mjs", content: "" };
    expect((await attempt("Write", input, { project: hooksFor("Stop", "node later/guard.mjs") })).hasRun).toBe(false);
    expect((await attempt("Write", input)).hasRun).toBe(true);
  });

  test("a hook's allow does not loosen it", async () => {
    const { hasRun } = await attempt("Write", { file_path: ".envrc", content: "" }, { project: hooksFor("PreToolUse", decides("allow")) });
    expect(hasRun).toBe(false);
  });

  test("ordinary work runs", async () => {
    for (const [tool, input] of [
      ["Write", { file_path: "src/a.ts", content: "" }],
      ["Bash", { command: "npm test > out.log" }],
      ["Read", { file_path: ".claude/settings.json" }],
    ] as const) {
      expect([tool, (await attempt(tool, input)).hasRun]).toEqual([tool, true]);
    }
  });
});

test("a rewrite by a hook does not lead around it", async () => {
  const updatedInput = { file_path: path.join(".", ".envrc"), content: "x" };
  const { hasRun } = await attempt(
    "Write",
    { file_path: "src/a.ts", content: "" },
    { project: hooksFor("PreToolUse", decides("allow", { updatedInput })) },
  );
  expect(hasRun).toBe(false);
});
