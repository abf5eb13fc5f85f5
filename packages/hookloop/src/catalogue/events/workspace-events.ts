import { type Fields, known, list, nullable, optional, text } from "../field.ts";
import { type EventRows, GATE, KINDS_WITHOUT_MODEL, OBSERVER } from "../row.ts";

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
