import { ADDITIONAL_CONTEXT } from "../common.ts";
import { flag, known, list, number, optional, text } from "../field.ts";
import { type EventRows, LOCAL_KINDS, OBSERVER } from "../row.ts";

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
