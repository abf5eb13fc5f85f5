import { ADDITIONAL_CONTEXT, type Fields, flag, known, list, nullable, number, optional, text } from "./field.ts";
import { type EventRows, GATE, KINDS_WITHOUT_MODEL, LOCAL_KINDS, OBSERVER } from "./row.ts";

const SESSION_SOURCES = ["startup", "resume", "clear", "compact", "fork"];
const SETUP_TRIGGERS = ["init", "maintenance"];
const LOAD_REASONS = ["session_start", "nested_traversal", "path_glob_match", "include", "compact"];
const NOTIFICATION_TYPES = [
  "permission_prompt",
  "idle_prompt",
  "auth_success",
  "elicitation_dialog",
  "elicitation_url_dialog",
  "elicitation_complete",
  "elicitation_response",
  "agent_needs_input",
  "agent_completed",
];
const END_REASONS = ["clear", "resume", "logout", "prompt_input_exit", "other"];

/** Claude Code gives all SessionEnd hooks together this long. */
const SESSION_END_SECONDS = 1.5;

export const SESSION_EVENTS: EventRows<"SessionStart" | "Setup" | "InstructionsLoaded" | "Notification" | "SessionEnd"> = {
  SessionStart: {
    ...OBSERVER,
    fires: "when a session begins, resumes, is cleared, compacted or forked",
    input: {
      source: known(SESSION_SOURCES, "Why the session starts."),
      model: optional(text("The model.")),
      session_title: optional(text("The session's title.")),
      seconds_since_last_response: optional(number("On resume and fork: how long ago the last answer was.")),
      context_tokens: optional(number("On resume and fork: size of the context.")),
      prompt_cache_likely_expired: optional(flag("On resume and fork: the model's cache is probably cold.")),
      estimated_cache_write_usd: optional(number("On resume and fork: what filling the cache again may cost.")),
    },
    matcher: { field: "source", values: SESSION_SOURCES },
    kinds: LOCAL_KINDS,
    blockMeans: "a session cannot be refused; `context` tells the model what it must know",
    exit2: "tell",
    exit2Means: "stderr is shown to the user as a hook error",
    stdout: "context",
    hasEnvFile: true,
    honoursContinue: true,
    output: {
      ...ADDITIONAL_CONTEXT,
      initialUserMessage: optional(text("A first user message, as if it had been typed.")),
      sessionTitle: optional(text("New title of the session.")),
      watchPaths: optional(list(text("An absolute path."), "Files to watch: a change fires FileChanged.")),
      reloadSkills: optional(flag("Read the skills again.")),
    },
    combine: { watchPaths: "union", reloadSkills: "any" },
    pitfalls: [
      "It fires again after /clear and after compaction; set a matcher if you mean only `startup`.",
      "Variables for later shell calls go into the file named by `CLAUDE_ENV_FILE`.",
      "prompt, agent and http hooks are not run here.",
    ],
    sample: { source: "startup", model: "claude-opus-5-5" },
  },
  Setup: {
    ...OBSERVER,
    fires: "when the agent is started to set a project up or to maintain it (`--init`, `--init-only`, `--maintenance`)",
    input: { trigger: known(SETUP_TRIGGERS, "Which of the two.") },
    matcher: { field: "trigger", values: SETUP_TRIGGERS },
    kinds: LOCAL_KINDS,
    blockMeans: "setting up cannot be refused; `context` tells the model what was found",
    exit2: "tell",
    exit2Means: "stderr is shown to the user",
    hasEnvFile: true,
    honoursContinue: true,
    output: ADDITIONAL_CONTEXT,
    pitfalls: ["An ordinary session does not fire it."],
    sample: { trigger: "init" },
  },
  InstructionsLoaded: {
    ...OBSERVER,
    fires: "when an instructions file (CLAUDE.md or a rules file) has been loaded",
    input: {
      file_path: text("The file."),
      memory_type: known(["User", "Project", "Local", "Managed"], "Whose instructions they are."),
      load_reason: known(LOAD_REASONS, "Why it was loaded."),
      globs: optional(list(text("A glob."), "The globs that made it apply.")),
      trigger_file_path: optional(text("The file whose use made it load.")),
      parent_file_path: optional(text("The file that includes it.")),
    },
    matcher: { field: "load_reason", values: LOAD_REASONS },
    blockMeans: "the file is already loaded; this event only observes",
    exit2: "ignore",
    exit2Means: "nothing",
    sample: { file_path: "/home/user/project/CLAUDE.md", memory_type: "Project", load_reason: "session_start" },
  },
  Notification: {
    ...OBSERVER,
    fires: "when the agent notifies the user",
    carries: ["permission_mode"],
    input: {
      message: text("The message."),
      title: optional(text("Its title.")),
      notification_type: known(NOTIFICATION_TYPES, "What it is about."),
    },
    matcher: { field: "notification_type", values: NOTIFICATION_TYPES },
    blockMeans: "a notification cannot be blocked; this event only observes",
    exit2: "ignore",
    exit2Means: "nothing",
    output: ADDITIONAL_CONTEXT,
    sample: { message: "Claude needs your permission to use Bash", notification_type: "permission_prompt" },
  },
  SessionEnd: {
    ...OBSERVER,
    fires: "when the session ends",
    input: { reason: known(END_REASONS, "Why it ends.") },
    matcher: { field: "reason", values: END_REASONS },
    blockMeans: "an ending session cannot be held; this event only observes",
    exit2: "tell",
    exit2Means: "stderr is shown to the user",
    timeoutSeconds: SESSION_END_SECONDS,
    nativeTimeoutSeconds: 2,
    sharesTimeLimit: true,
    pitfalls: [
      "All hooks share 1.5 s in Claude Code (2 s in native configuration) unless a hook sets its own `timeout`.",
      "Nothing written here reaches the model: there is no next turn.",
    ],
    sample: { reason: "prompt_input_exit" },
  },
};

const CONFIG_SOURCES = ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"];
const DIRECTORY_SOURCES = ["slash_command", "register_repo_root"];
const COMPACT_TRIGGERS = ["manual", "auto"];
const COMPACT_MATCHER = { field: "trigger", values: COMPACT_TRIGGERS };
const TRIGGER: Fields = { trigger: known(COMPACT_TRIGGERS, "Asked for, or because the window is nearly full.") };
const WATCH_PATHS: Fields = {
  watchPaths: optional(list(text("An absolute path."), "Replaces the list of watched files; a change fires FileChanged.")),
};
/** A gate outside the conversation: nothing it says reaches the model, and no model is asked. */
const SILENT_GATE = { ...GATE, carries: [], kinds: KINDS_WITHOUT_MODEL, honoursContinue: false } as const;

export const WORKSPACE_EVENTS: EventRows<
  "ConfigChange" | "CwdChanged" | "DirectoryAdded" | "FileChanged" | "WorktreeCreate" | "WorktreeRemove" | "PreCompact" | "PostCompact"
> = {
  ConfigChange: {
    ...SILENT_GATE,
    fires: "when a settings or skill file has changed during the session",
    input: { source: known(CONFIG_SOURCES, "Which configuration."), file_path: optional(text("The file.")) },
    matcher: { field: "source", values: CONFIG_SOURCES },
    neverBlocked: ["policy_settings"],
    blockMeans: "the change is not applied; a change of managed policy cannot be blocked",
    exit2Means: "the change is not applied; nothing is shown",
    pitfalls: ["Managed policy (`policy_settings`) is applied whatever a hook says."],
    sample: { source: "project_settings", file_path: "/home/user/project/.claude/settings.json" },
  },
  CwdChanged: {
    ...OBSERVER,
    fires: "when the working directory has changed",
    input: { old_cwd: text("Where it was."), new_cwd: text("Where it is.") },
    blockMeans: "the directory has changed; this event only observes",
    exit2: "tell",
    exit2Means: "stderr is shown to the user",
    hasEnvFile: true,
    output: WATCH_PATHS,
    combine: { watchPaths: "union" },
    sample: { old_cwd: "/home/user/project", new_cwd: "/home/user/project/packages/core" },
  },
  DirectoryAdded: {
    ...OBSERVER,
    carries: ["permission_mode"],
    fires: "when a directory was added to the workspace",
    input: { directory: text("The directory."), source: known(DIRECTORY_SOURCES, "How it was added.") },
    matcher: { field: "source", values: DIRECTORY_SOURCES },
    blockMeans: "the directory is added; this event only observes",
    exit2: "ignore",
    exit2Means: "stderr is kept in the log",
    sample: { directory: "/home/user/shared", source: "slash_command" },
  },
  FileChanged: {
    ...OBSERVER,
    fires: "when a watched file was changed, added or removed",
    input: { file_path: text("The file."), event: known(["change", "add", "unlink"], "What happened to it.") },
    matcher: { field: "file_path", values: [], basename: true, exactCharset: "narrow" },
    blockMeans: "the file has changed; this event only observes",
    exit2: "tell",
    exit2Means: "stderr is shown to the user",
    hasEnvFile: true,
    output: WATCH_PATHS,
    combine: { watchPaths: "union" },
    pitfalls: [
      "The matcher is also the watch list: file names and paths separated by `|`, relative to the project. A name runs for every watched file of that name, a path only for that file. Without one, and without `watchPaths`, nothing is watched.",
    ],
    sample: { file_path: "/home/user/project/.env", event: "change" },
  },
  WorktreeCreate: {
    ...SILENT_GATE,
    fires: "when a worktree is wanted; the hook makes it instead of git",
    input: { name: text("Name of the worktree.") },
    block: "exit",
    blockMeans: "no worktree is made",
    exit2Means: "no worktree is made; so does every other exit code but 0",
    anyExitBlocks: true,
    stdout: "path",
    pathField: "worktreePath",
    output: { worktreePath: optional(text("Path of the worktree that was made. A command hook prints it as its last line instead.")) },
    role: "rewrite",
    onFailure: "block",
    merge: "answer",
    pitfalls: [
      "Every exit code but 0 fails the creation.",
      "A command hook prints the path as its last non-empty line; JSON is for http hooks.",
    ],
    sample: { name: "fix-parser" },
  },
  WorktreeRemove: {
    ...OBSERVER,
    carries: ["permission_mode"],
    fires: "when a worktree is removed",
    input: { worktree_path: text("Path of the worktree.") },
    blockMeans: "the removal cannot be refused; this event only observes",
    exit2: "ignore",
    exit2Means: "stderr is kept in the log",
    sample: { worktree_path: "/home/user/project/.worktrees/fix-parser" },
  },
  PreCompact: {
    ...SILENT_GATE,
    fires: "before the conversation is compacted",
    input: { ...TRIGGER, custom_instructions: nullable(text("What was typed after /compact.")) },
    matcher: COMPACT_MATCHER,
    blockMeans: "the conversation is not compacted; by hand: the user gets the reason",
    exit2Means: "the conversation is not compacted",
    pitfalls: ["Nothing written here reaches the model; SessionStart with source `compact` fires right after."],
    sample: { trigger: "manual", custom_instructions: "Keep the open questions" },
  },
  PostCompact: {
    ...OBSERVER,
    fires: "after the conversation was compacted",
    input: { ...TRIGGER, compact_summary: text("The summary.") },
    matcher: COMPACT_MATCHER,
    blockMeans: "compaction is done; this event only observes",
    exit2: "tell",
    exit2Means: "stderr is shown to the user",
    sample: { trigger: "auto", compact_summary: "The parser's tests were fixed; two questions are open." },
  },
};

const TEAM: Fields = {
  teammate_name: optional(text("The teammate, when one is at work.")),
  team_name: optional(text("Deprecated: the team.")),
};

const TASK: Fields = {
  task_id: text("Id of the task."),
  task_subject: text("The task in one line."),
  task_description: optional(text("The task.")),
  ...TEAM,
};

const SAMPLE_TASK = {
  task_id: "3",
  task_subject: "Write the parser's tests",
  task_description: "Cover empty and nested input",
  teammate_name: "tester",
};
const EXIT_ONLY = 'Only exit code 2 blocks; `decision: "block"` is not read here.';

export const TEAM_EVENTS: EventRows<"TaskCreated" | "TaskCompleted" | "TeammateIdle"> = {
  TaskCreated: {
    ...GATE,
    fires: "when a task is being created",
    input: TASK,
    block: "exit",
    wording: "feedback",
    blockMeans: "the task is rolled back; the model gets the reason",
    exit2Means: "rolls the task back; stderr goes to the model",
    honoursContinue: false,
    pitfalls: [EXIT_ONLY],
    sample: SAMPLE_TASK,
  },
  TaskCompleted: {
    ...GATE,
    fires: "when a task is being marked as completed",
    input: TASK,
    block: "exit",
    wording: "feedback",
    blockMeans: "the task stays open; the model gets the reason",
    exit2Means: "keeps the task open; stderr goes to the model",
    onFailure: "continue",
    failureCanBlock: false,
    pitfalls: [EXIT_ONLY],
    sample: SAMPLE_TASK,
  },
  TeammateIdle: {
    ...GATE,
    fires: "when a teammate is about to have nothing to do",
    input: { teammate_name: text("The teammate."), team_name: optional(text("Deprecated: the team.")) },
    block: "exit",
    wording: "feedback",
    blockEffect: "continueTurn",
    blockMeans: "the teammate continues, with the reason as feedback",
    exit2Means: "the teammate continues; stderr is its feedback",
    role: "loop",
    onFailure: "continue",
    failureCanBlock: false,
    pitfalls: [EXIT_ONLY],
    sample: { teammate_name: "tester", team_name: "parser" },
  },
};
