/** Every event of the catalogue is fired by the real program, through the feature that it belongs to. */
import { execFileSync } from "node:child_process";
import type { EventName } from "@hookloop/sdk";
import { expect, test } from "vitest";
import { EVENTS } from "../../packages/hookloop/src/catalogue/events.ts";
import { inputSchema } from "../../packages/hookloop/src/catalogue/schemas.ts";
import { type AgentLab, type Block, hooksOn, type Json, openAgentLab, say, use } from "./agent-lab.ts";
import { FORGE_FILES, FORGE_FLAGS } from "./forge-server.ts";

/**
 * One event and how it comes about. To add a row: say which files there are, what the model does (or which flags are given),
 * and what the payload must hold besides what the catalogue demands. The recorder hook of the event is added by the test.
 */
interface EventCase {
  /** What happens, for the test's name. */
  readonly when: string;
  /** What the model answers; just "done" if left out. */
  readonly turns?: readonly (readonly Block[])[];
  /** Files under the base folder, such as `project/CLAUDE.md`. */
  readonly files?: Readonly<Record<string, unknown>>;
  /** More settings of the project; its hooks come before the recorder. */
  readonly settings?: Json;
  /** Flags besides `--script` and `--trust-workspace`. */
  readonly args?: readonly string[];
  readonly prompt?: string;
  /** What to say to the offline model, so that it comes about without a key; the prompt if left out. */
  readonly offline?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs once before the run that is looked at: for a session that is resumed. */
  readonly earlier?: (lab: AgentLab) => Promise<unknown>;
  /** Fields of the first payload. */
  readonly expected: Json;
  /** Exit code of the program; 0 if left out. */
  readonly exit?: number;
}

/** Events whose feature is still to come, or has no row yet. Only ever gets shorter. */
const MISSING: readonly EventName[] = [];

const BASH = ["--allowedTools", "Bash"];
const TASKS = { CLAUDE_CODE_ENABLE_TASKS: "1" };
const createTask = use("TaskCreate", { subject: "tidy", description: "all of it" });
const subagent = [[use("Agent", { description: "look", prompt: "look around" }, "task")], say("seen"), say("done")];

/** A session that has something to compact. */
const talked = async (lab: AgentLab): Promise<unknown> =>
  await lab.play({ args: ["-p", "hello", "--trust-workspace", "--script", lab.script([say("hi")])] });
const compact = { earlier: talked, prompt: "/compact the names", args: ["--continue"] };
/** A SessionStart hook that wants to be told of a file. */
const watch = `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s/watched.txt"]}}' "$CLAUDE_PROJECT_DIR"`;
/** Another program edits the settings while the agent works. */
const edit = `echo '{"hooks":{}}' > "$CLAUDE_PROJECT_DIR/.claude/settings.local.json"`;
const switching = { from_model: "scripted", to_model: "other-model", requested_model: "other-model", source: "command", cache_ttl: "5m" };

const WORKTREES = ["--allowedTools", "EnterWorktree,ExitWorktree"];
/** The project is a repository. */
const committed = async ({ project }: AgentLab): Promise<unknown> => {
  const author = ["-c", "user.name=tester", "-c", "user.email=tester@example.invalid"];
  execFileSync("git", ["init", "-q"], { cwd: project });
  return execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: project });
};

const CASES: Readonly<Partial<Record<EventName, EventCase>>> = {
  SessionStart: { when: "a session begins", expected: { source: "startup", model: "scripted" } },
  SessionEnd: { when: "a session ends", expected: { reason: "other" } },
  Setup: { when: "--init asks for it", args: ["--init"], expected: { trigger: "init" } },
  InstructionsLoaded: {
    when: "there is a CLAUDE.md",
    files: { "project/CLAUDE.md": "Be brief.\n" },
    expected: { file_path: "$PROJECT/CLAUDE.md", memory_type: "Project", load_reason: "session_start" },
  },
  UserPromptSubmit: { when: "a prompt comes", prompt: "hello", expected: { prompt: "hello", permission_mode: "default" } },
  UserPromptExpansion: {
    when: "the prompt is a slash command",
    files: { "project/.claude/commands/greet.md": "Greet $ARGUMENTS.\n" },
    prompt: "/greet the world",
    expected: { expansion_type: "slash_command", command_name: "greet", command_args: "the world", prompt: "/greet the world" },
  },
  PreModelRequest: { when: "the model is about to be asked", expected: { model: "scripted" } },
  PostModelResponse: { when: "the model has answered", turns: [say("hi")], expected: { stop_reason: "end_turn", content: say("hi") } },
  PreToolUse: {
    when: "the model uses a tool",
    offline: "run true",
    turns: [[use("Bash", { command: "true" }, "one")]],
    args: BASH,
    expected: { tool_name: "Bash", tool_input: { command: "true" }, tool_use_id: "one", cwd: "$PROJECT" },
  },
  PermissionRequest: {
    when: "no rule allows a call",
    offline: "run touch x",
    turns: [[use("Bash", { command: "touch x" })]],
    expected: { tool_name: "Bash", tool_input: { command: "touch x" } },
  },
  PermissionDenied: {
    when: "the mode that never asks refuses a call",
    offline: "run touch x",
    turns: [[use("Bash", { command: "touch x" }, "two")]],
    args: ["--permission-mode", "auto"],
    expected: { tool_name: "Bash", tool_use_id: "two" },
  },
  PostToolUse: {
    when: "a tool has done its work",
    offline: "run echo out",
    turns: [[use("Bash", { command: "echo out" })]],
    args: BASH,
    expected: {
      tool_name: "Bash",
      tool_response: expect.objectContaining({ stdout: expect.stringMatching(/^out\n?$/), interrupted: false }),
    },
  },
  PostToolUseFailure: {
    when: "a tool has failed",
    offline: "run exit 3",
    turns: [[use("Bash", { command: "exit 3" })]],
    args: BASH,
    expected: { tool_name: "Bash", error: "Exit code 3" },
  },
  PostToolBatch: {
    when: "all calls of an answer are done",
    offline: "run true",
    turns: [[use("Bash", { command: "true" }, "b1"), use("Bash", { command: "true" }, "b2")]],
    args: BASH,
    expected: { tool_calls: [expect.objectContaining({ tool_use_id: "b1" }), expect.objectContaining({ tool_use_id: "b2" })] },
  },
  CwdChanged: {
    when: "a command changes the folder",
    offline: "cd sub",
    files: { "project/sub/.keep": "" },
    turns: [[use("Bash", { command: "cd sub" })]],
    args: BASH,
    expected: { old_cwd: "$PROJECT", new_cwd: "$PROJECT/sub" },
  },
  SubagentStart: {
    when: "the model starts a subagent",
    offline: "use a subagent to run pwd",
    turns: subagent,
    expected: { agent_type: "general-purpose", agent_id: expect.any(String) },
  },
  SubagentStop: {
    when: "a subagent is done",
    offline: "delegate reading a.txt to a subagent",
    turns: subagent,
    expected: { agent_type: "general-purpose", agent_id: expect.any(String), last_assistant_message: "seen", stop_hook_active: false },
  },
  TaskCreated: {
    when: "the model creates a task",
    offline: "make a to-do list: tidy, sweep",
    turns: [[createTask]],
    env: TASKS,
    expected: { task_id: "1", task_subject: "tidy", task_description: "all of it" },
  },
  TaskCompleted: {
    when: "the model completes a task",
    offline: "add a task: tidy, and then complete task 1",
    turns: [[createTask], [use("TaskUpdate", { taskId: "1", status: "completed" })]],
    env: TASKS,
    expected: { task_id: "1", task_subject: "tidy", task_description: "all of it" },
  },
  TeammateIdle: {
    when: "a teammate has nothing more to do",
    offline: "start a teammate called alice to list the files",
    turns: [[use("Teammate", { name: "alice", prompt: "look around" })]],
    env: TASKS,
    expected: { teammate_name: "alice", agent_id: expect.stringMatching(/^alice@session-/), agent_type: "general-purpose" },
  },
  Stop: {
    when: "the model has nothing more to do",
    turns: [say("bye")],
    expected: { last_assistant_message: "bye", stop_hook_active: false, background_tasks: [] },
  },
  StopFailure: {
    when: "the model cannot be reached",
    offline: "simulate a model error",
    env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    args: ["--model", "some-model"],
    expected: { error: "server_error", error_details: expect.stringContaining("Connection error") },
    exit: 1,
  },
  MessageDisplay: {
    when: "the model says something",
    turns: [say("hi")],
    expected: { delta: "hi", index: 0, final: true, message_id: expect.any(String), turn_id: expect.any(String) },
  },
  PreCompact: { when: "/compact is typed", ...compact, expected: { trigger: "manual", custom_instructions: "the names" } },
  PostCompact: {
    when: "a conversation was compacted",
    ...compact,
    expected: { trigger: "manual", compact_summary: expect.stringMatching(/./) },
  },
  Notification: {
    when: "an agent in the background has finished",
    offline: "use a subagent to list the files in the background",
    turns: [[use("Agent", { description: "look", prompt: "look around", run_in_background: true }, "task")]],
    expected: { notification_type: "agent_completed", message: expect.stringContaining("look"), permission_mode: "default" },
  },
  ConfigChange: {
    when: "settings are edited while the agent works",
    offline: "run true",
    settings: { hooks: hooksOn(["PostToolUse"], edit) },
    turns: [[use("Bash", { command: "true" })]],
    args: BASH,
    expected: { source: "local_settings", file_path: "$PROJECT/.claude/settings.local.json" },
  },
  FileChanged: {
    when: "a file changes that a hook watches",
    offline: "run echo new > watched.txt",
    settings: { hooks: hooksOn(["SessionStart"], watch) },
    turns: [[use("Bash", { command: "echo new > watched.txt" })]],
    args: BASH,
    expected: { file_path: "$PROJECT/watched.txt", event: "add" },
  },
  DirectoryAdded: {
    when: "--add-dir names a folder",
    files: { "project/more/.keep": "" },
    args: ["--add-dir", "more"],
    expected: { directory: "$PROJECT/more", source: "register_repo_root" },
  },
  PreModelSwitch: { when: "/model is typed", offline: "/model offline-brief", prompt: "/model other-model", expected: switching },
  PostModelSwitch: { when: "the model was switched", offline: "/model offline-brief", prompt: "/model other-model", expected: switching },
  WorktreeCreate: {
    when: "the model wants a worktree",
    offline: "enter a worktree called fix",
    earlier: committed,
    turns: [[use("EnterWorktree", { name: "fix" })]],
    args: WORKTREES,
    expected: { name: "fix", cwd: "$PROJECT" },
  },
  WorktreeRemove: {
    when: "the model removes its worktree",
    offline: "enter a worktree called fix and then leave the worktree and remove it",
    earlier: committed,
    turns: [[use("EnterWorktree", { name: "fix" })], [use("ExitWorktree", { action: "remove" })]],
    args: WORKTREES,
    expected: { worktree_path: "$PROJECT/.claude/worktrees/fix" },
  },
  Elicitation: {
    when: "an MCP server asks a question",
    offline: "call the tool mcp__forge__ask",
    files: FORGE_FILES,
    turns: [[use("mcp__forge__ask", {})]],
    args: FORGE_FLAGS,
    expected: { mcp_server_name: "forge", message: "Which repository?", mode: "form", requested_schema: expect.any(Object) },
  },
  ElicitationResult: {
    when: "the answer to an MCP server's question goes back",
    offline: "use the tool mcp__forge__ask",
    files: FORGE_FILES,
    turns: [[use("mcp__forge__ask", {})]],
    args: FORGE_FLAGS,
    expected: { mcp_server_name: "forge", action: "decline", mode: "form" },
  },
};

test.for(Object.entries(CASES) as [EventName, EventCase][])("%s is fired with what the catalogue says", async ([event, one]) => {
  const lab = openAgentLab();
  for (const [name, content] of Object.entries(one.files ?? {})) lab.write(name, content);
  lab.settings({ ...one.settings, hooks: { ...(one.settings?.["hooks"] as Json | undefined), ...hooksOn([event]) } });
  await one.earlier?.(lab);
  const model = one.env?.["ANTHROPIC_API_KEY"] ? [] : ["--script", lab.script(one.turns ?? [])];
  const args = ["-p", one.prompt ?? "go", "--trust-workspace", ...model, ...(one.args ?? [])];
  const { exit, stderr } = await lab.play({ args, ...(one.env && { env: one.env }) });
  const [payload] = lab.recorded();
  expect(payload, `${event} when ${one.when}: ${stderr}`).toBeDefined();
  expect(inputSchema(event).safeParse(payload).error?.issues ?? []).toEqual([]);
  expect(placed(payload, lab.project)).toMatchObject({ hook_event_name: event, ...one.expected });
  expect(exit).toBe(one.exit ?? 0);
});

test.for(Object.entries(CASES) as [EventName, EventCase][])("%s can be met without a key", async ([event, one]) => {
  const lab = openAgentLab();
  for (const [name, content] of Object.entries(one.files ?? {})) lab.write(name, content);
  lab.settings({ ...one.settings, hooks: { ...(one.settings?.["hooks"] as Json | undefined), ...hooksOn([event]) } });
  await one.earlier?.(lab);
  const { ANTHROPIC_API_KEY: _key, ...env } = one.env ?? {};
  const args = (one.args ?? []).filter((word, at, all) => word !== "--model" && all[at - 1] !== "--model");
  const sentence = one.offline ?? one.prompt ?? "hello";
  const { exit, stderr, stdout } = await lab.play({ args: ["-p", sentence, "--trust-workspace", ...args], env });
  expect(lab.recorded()[0], `${event} after "${sentence}": ${stdout}${stderr}`).toMatchObject({ hook_event_name: event });
  expect(exit).toBe(one.exit ?? 0);
});

test("every event of the catalogue has a row, or is known to be missing", () => {
  const covered = Object.keys(CASES);
  expect([...covered, ...MISSING].sort()).toEqual(Object.keys(EVENTS).sort());
});

function placed(value: unknown, project: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(project, "$PROJECT"));
}
