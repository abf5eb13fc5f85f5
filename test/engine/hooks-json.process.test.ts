import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readIfThere } from "./execute/processes.ts";
import { bash, openProject } from "./open-project.ts";

const flat = (event: string, command: string, matcher?: string): object => ({
  hooks: { [event]: [{ ...(matcher && { matcher }), command }] },
});

describe("hooks of a .hooks.json (S3)", () => {
  test("exit 1 blocks, stderr is the reason", async () => {
    const hooks = await openProject({ flat: flat("PreToolUse", "echo not allowed >&2; exit 1", "bash") }).open();
    const result = await hooks.runTool(bash("ls"), () => "ran");
    expect([result.status, result.error]).toEqual(["denied", "PreToolUse:Bash hook error: not allowed"]);
  });

  test("a matcher that is null is none: the hook fires for every tool", async () => {
    const project = openProject({ flat: { hooks: { PreToolUse: [{ matcher: null, command: "echo no >&2; exit 1" }] } } });
    const hooks = await project.open();
    expect([(await hooks.runTool(bash("ls"), () => "ran")).status, project.codes()]).toEqual(["denied", []]);
    const claude = openProject({
      project: { hooks: { PreToolUse: [{ matcher: null, hooks: [{ type: "command", command: "exit 2" }] }] } },
    });
    await claude.open();
    expect(claude.codes()).toEqual(["HL_CONFIG_WRONG_TYPE"]);
  });

  test("exit 2 injects stderr, and the tool still runs", async () => {
    const hooks = await openProject({ flat: flat("PreToolUse", "echo mind the gap >&2; exit 2") }).open();
    const result = await hooks.runTool(bash("ls"), () => "ran");
    expect([result.status, result.output, result.texts]).toEqual(["ran", "ran", ["PreToolUse:Bash hook additional context: mind the gap"]]);
  });

  test("after a tool, exit 2 stands beside the result and exit 1 is a warning", async () => {
    const second = openProject({ flat: flat("PostToolUse", "echo lint >&2; exit 2") });
    expect((await (await second.open()).runTool(bash("ls"), () => "ran")).texts).toEqual(["PostToolUse:Bash hook blocking error: lint"]);
    const first = openProject({ flat: flat("PostToolUse", "echo lint >&2; exit 1") });
    expect(await (await first.open()).runTool(bash("ls"), () => "ran")).toMatchObject({ status: "ran", output: "ran", texts: [] });
    expect(first.codes()).toEqual(["HL_EXECUTE_EXIT"]);
  });

  test("exit 2 where 1 blocks is said once in a session, with the hook and the cure", async () => {
    const project = openProject({ flat: flat("PreToolUse", "echo no rm >&2; exit 2", "bash") });
    const hooks = await project.open();
    for (const line of ["rm x", "rm y"]) await hooks.runTool(bash(line), () => "ran");
    const [said, ...more] = project.diagnostics.filter(({ code }) => code === "HL_OUTPUT_NOT_BLOCKED");
    expect([said?.text, more]).toEqual([
      'hook "echo no rm >&2; exit 2": exit code 2 blocks nothing in a .hooks.json. Exit with 1 to block, with 2 to inject stderr',
      [],
    ]);
  });

  test("a guard of the SDK that names the agent's tool matches, blocks by its own word, and fails closed where the fields are other ones", async () => {
    const project = openProject({ flat: flat("PreToolUse", 'node "$CLAUDE_PROJECT_DIR"/g.mjs', "bash|write_file") });
    const sdk = path.resolve("packages/sdk/dist/index.js");
    project.write(
      "project/g.mjs",
      `import { deny, hook } from "${sdk}";\nhook("PreToolUse", { tool: "Write|Bash", guard: true }, (i) => i.tool_input.command?.startsWith("rm") ? deny("no rm") : undefined);\n`,
    );
    const hooks = await project.open();
    expect((await hooks.runTool(bash("rm x"), () => "ran")).error).toContain("no rm");
    expect((await hooks.runTool(bash("ls"), () => "ran")).status).toBe("ran");
    const written = await hooks.runTool({ ...bash(""), tool_name: "Write", tool_input: { file_path: ".env", content: "" } }, () => "ran");
    expect([written.status, written.error]).toEqual(["denied", expect.stringContaining("HL_SDK_FIELD_MISSING")]);
  });

  test("the same exit codes mean the other thing in a Claude file beside it", async () => {
    const group = (command: string): object => ({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });
    const project = openProject({ flat: flat("PreToolUse", "echo injected >&2; exit 2"), project: group("echo denied >&2; exit 2") });
    const verdict = await (await project.open()).fire("PreToolUse", bash("ls"));
    expect([verdict.decision, verdict.reasons.map(({ text }) => text), verdict.contexts.map(({ text }) => text)]).toEqual([
      "deny",
      ["denied"],
      ["injected"],
    ]);
  });

  test("gets the call in variables, in its own words", async () => {
    const project = openProject({ flat: flat("PostToolUse", "env | grep ^HOOK_ | sort > seen", "write_file") });
    const hooks = await project.open();
    await hooks.fire("PostToolUse", { tool_name: "Write", tool_input: { file_path: "/a", content: "c" }, tool_response: "done" });
    expect(project.read("seen")?.split("\n")).toEqual([
      "HOOK_EVENT=PostToolUse",
      'HOOK_TOOL_INPUT={"path":"/a","content":"c"}',
      "HOOK_TOOL_NAME=write_file",
      "HOOK_TOOL_OUTPUT=done",
    ]);
  });

  test("gets what is too large for a variable in a private file, which is gone after close", async () => {
    const command =
      'stat -c %a "$HOOK_TOOL_INPUT_FILE" > mode; echo "$HOOK_TOOL_INPUT_FILE" > path; wc -c < "$HOOK_TOOL_INPUT_FILE" > size';
    const project = openProject({ flat: flat("PreToolUse", command) });
    const hooks = await project.open();
    await hooks.fire("PreToolUse", bash("x".repeat(300_000)));
    expect([project.read("mode"), Number(project.read("size")) > 300_000]).toEqual(["600", true]);
    const file = project.read("path") ?? "";
    expect(readFileSync(file, "utf8")).toContain("xxx");
    await hooks.close();
    expect(readIfThere(file)).toBeUndefined();
  });

  test("SessionStart never blocks", async () => {
    const hooks = await openProject({ flat: flat("SessionStart", "echo no >&2; exit 1") }).open();
    expect((await hooks.fire("SessionStart", { source: "startup" })).decision).toBe("none");
  });
});
