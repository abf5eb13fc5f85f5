/** What a matcher is compared with, event by event, as the production engine's source lists it; and which files its hooks come from. */
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { samplePayload } from "../../packages/hookloop/src/catalogue/events.ts";
import { getMatchingHooks, useHooks } from "../../packages/hookloop/src/compat/production.ts";
import type { Step } from "../../packages/hookloop/src/engine/step.ts";
import { hooksFor, openProject } from "../engine/open-project.ts";

/** The event, the field of its payload that is compared, a value of it, and the matcher where it is not the value itself. */
type Compared = [EventName, string, string, string?];

const COMPARED: Compared[] = [
  ["PreToolUse", "tool_name", "Bash"],
  ["PostToolUse", "tool_name", "Bash"],
  ["PostToolUseFailure", "tool_name", "Bash"],
  ["PermissionRequest", "tool_name", "Bash"],
  ["PermissionDenied", "tool_name", "Bash"],
  ["SessionStart", "source", "resume"],
  ["Setup", "trigger", "maintenance"],
  ["PreCompact", "trigger", "auto"],
  ["PostCompact", "trigger", "auto"],
  ["Notification", "notification_type", "idle_prompt"],
  ["SessionEnd", "reason", "logout"],
  ["StopFailure", "error", "rate_limit"],
  ["SubagentStart", "agent_type", "Explore"],
  ["SubagentStop", "agent_type", "Explore"],
  ["Elicitation", "mcp_server_name", "forge"],
  ["ElicitationResult", "mcp_server_name", "forge"],
  ["ConfigChange", "source", "user_settings"],
  ["InstructionsLoaded", "load_reason", "compact"],
  ["FileChanged", "file_path", "/srv/app/.envrc", ".envrc"],
];

const NOT_COMPARED: readonly EventName[] = [
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Stop",
  "UserPromptSubmit",
  "CwdChanged",
  "WorktreeCreate",
  "WorktreeRemove",
];

const mark = (name: string): object => ({ type: "command", command: `cat > /dev/null; echo ${name} >> marks` });
const group = (name: string, matcher?: string): object => ({ ...(matcher !== undefined && { matcher }), hooks: [mark(name)] });

/** Which of three groups run: one with this matcher, one with a matcher for something else, one without any. */
async function marksOf(event: EventName, matcher: string, fields: object): Promise<readonly string[]> {
  const project = openProject({
    project: { hooks: { [event]: [group("fits", matcher), group("other", "Something_else"), group("all")] } },
  });
  const hooks = await project.open();
  await hooks.fire(event, { ...(samplePayload(event) as object), cwd: project.cwd, ...fields } as never);
  return project.read("marks")?.split("\n").sort() ?? [];
}

test.each<Compared>(COMPARED)("a matcher of %s is compared with %s", async (...[event, field, value, matcher = value]) => {
  expect(await marksOf(event, matcher, { [field]: value })).toEqual(["all", "fits"]);
  expect(await marksOf(event, `Not_${matcher}`, { [field]: value })).toEqual(["all"]);
});

test.each(NOT_COMPARED)("%s compares nothing: every group runs, whatever its matcher", async (event) => {
  expect(await marksOf(event, "Bash", {})).toEqual(["all", "fits", "other"]);
});

describe("the sources of hooks", () => {
  test("are merged: those of managed policy, the user, the project, its local file, a plugin and the program all run", async () => {
    const on = (name: string): object => hooksFor("PreToolUse", `echo ${name} >> "$CLAUDE_PROJECT_DIR/marks"`);
    const project = openProject({ managed: on("managed"), user: on("user"), project: on("project"), local: on("local") });
    project.write("plug/.claude-plugin/plugin.json", { name: "plug" });
    project.write("plug/hooks/hooks.json", on("plugin"));
    const hooks = await project.open({ plugins: [project.path("../plug")] });
    const ran: string[] = [];
    hooks.on("PreToolUse", {}, () => void ran.push("session"));
    await hooks.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
    expect([...(project.read("marks")?.split("\n").sort() ?? []), ...ran]).toEqual([
      "local",
      "managed",
      "plugin",
      "project",
      "user",
      "session",
    ]);
  });

  test("a plugin's hooks carry its root and its name, in their environment and for who asks", async () => {
    const project = openProject();
    project.write("plug/.claude-plugin/plugin.json", { name: "plug" });
    project.write("plug/hooks/hooks.json", hooksFor("Stop", 'echo "$CLAUDE_PLUGIN_ROOT" > "$CLAUDE_PROJECT_DIR/root"'));
    const root = project.path("../plug");
    const hooks = useHooks(await project.open({ plugins: [root] }));
    await hooks.fire("Stop", { stop_hook_active: false });
    expect(project.read("root")).toBe(path.resolve(root));
    expect(getMatchingHooks("Stop", { stop_hook_active: false })).toMatchObject([{ pluginRoot: project.read("root"), pluginId: "plug" }]);
  });

  test("a skill's hooks carry its folder, which they have as CLAUDE_PLUGIN_ROOT", async () => {
    const project = openProject();
    const hooks = useHooks(await project.open());
    const head = `---\nname: careful\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: 'echo "$CLAUDE_PLUGIN_ROOT" > root'\n---\nBe careful.\n`;
    const file = project.write("project/.claude/skills/careful/SKILL.md", head);
    await hooks.attach({ text: head, file, skill: "careful" });
    await hooks.fire("Stop", { stop_hook_active: false });
    const folder = project.path(".claude/skills/careful");
    expect(project.read("root")).toBe(folder);
    expect(getMatchingHooks("Stop", { stop_hook_active: false })).toMatchObject([{ skillRoot: folder }]);
  });
});

test("each firing is one step with its name, its query and how many hooks of what kind and of which plugin there are", async () => {
  const project = openProject({ project: hooksFor("PreToolUse", "true", { matcher: "Bash" }) });
  project.write("plug/.claude-plugin/plugin.json", { name: "plug" });
  project.write("plug/hooks/hooks.json", hooksFor("PreToolUse", "true"));
  const steps: Step[] = [];
  const hooks = await project.open({ plugins: [project.path("../plug")] });
  hooks.on("PreToolUse", { tool: "Bash" }, () => undefined);
  await hooks.fire(
    "PreToolUse",
    { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" },
    { onStep: (step) => void steps.push(step) },
  );
  expect(steps.filter(({ type }) => type === "fired")).toMatchObject([
    {
      hookName: "PreToolUse:Bash",
      query: "Bash",
      numCommands: 3,
      hookTypeCounts: { command: 2, function: 1 },
      pluginHookCounts: { plug: 1 },
    },
  ]);
});
