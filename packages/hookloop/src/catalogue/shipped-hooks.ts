import { choice, type Fields, flag, list, number, optional, text } from "./field.ts";

/** What `use` may name. Plain data: the check of files, the schema, the switches and the docs are made from it; `builtin/` has the code. */
interface ShippedRow {
  readonly summary: string;
  /** A guard can only tighten, so every file may switch it on, and each set of options that files give it runs on its own. */
  readonly role: "guard" | "observer";
  /** It runs code of the project or sends something away: a project's file switches it on only in a trusted workspace. A list: only with one of these options. */
  readonly needsTrust?: true | readonly string[];
  /** It runs code of the project: any file, also the user's own, switches it on only in a trusted workspace. A program may, by naming it. */
  readonly runsProjectCode?: true;
  /** `hookloop agent` has it on without being asked. */
  readonly isOnInAgent?: true;
  /** What other systems call it in their lists of hooks that are off. */
  readonly otherNames?: readonly string[];
  /** What may stand beside `name` in `use`. */
  readonly options: Fields;
}

export const SHIPPED_NAMES = [
  "safety",
  "workspace-boundary",
  "secret-guard",
  "protect-branches",
  "permission",
  // History.
  "git-tracking",
  "file-history",
  // Flow.
  "auto-compact",
  "format-on-edit",
  "test-before-stop",
  "git-context",
  // Watching.
  "tool-log",
  "working-directory",
  "large-output",
  "tool-summary",
  "notify",
  "metrics",
  "audit",
] as const;

export type ShippedName = (typeof SHIPPED_NAMES)[number];

export const SHIPPED_HOOKS: Readonly<Record<ShippedName, ShippedRow>> = {
  safety: {
    summary: "denies shell commands that would destroy much or run unseen code, and asks before risky ones",
    role: "guard",
    isOnInAgent: true,
    otherNames: ["safety_checks"],
    options: { profile: optional(choice(["standard", "strict", "paranoid"], "How strict it is; `standard` if left out.")) },
  },
  "workspace-boundary": {
    summary: "asks before anything outside the workspace is deleted or overwritten",
    role: "guard",
    isOnInAgent: true,
    options: {},
  },
  "secret-guard": {
    summary: "denies reading and writing files that hold secrets, and keeps secrets out of what is written and of what tools give back",
    role: "guard",
    options: {
      redact: optional(
        flag("Take secrets out of what a tool gave back and hand on the rest; otherwise each text that holds one is withheld."),
      ),
      files: optional(list(text("A glob."), "More files that hold secrets, by their names or the ends of their paths.")),
      allow: optional(list(text("A glob."), "Files that hold none, whatever they are called.")),
    },
  },
  "protect-branches": {
    summary: "denies pushes, commits, merges and deletions that change the branches it protects",
    role: "guard",
    options: {
      branches: optional(list(text("A branch, or a pattern with `*`."), "The branches; `main` and `master` if left out.")),
      commits: optional(
        choice(["deny", "allow"], "What becomes of commits and merges on such a branch here, before they are pushed; `deny` if left out."),
      ),
    },
  },
  permission: {
    summary: "denies shell commands of a list, and asks before destructive commands and writes outside the workspace",
    role: "guard",
    otherNames: ["permission_check"],
    options: { deny: optional(list(text("A part of a command."), "The list; sudo, shutdown, reboot, mkfs and `dd if=` if left out.")) },
  },
  "auto-compact": {
    summary: "has the conversation made short when it is long after a tool call",
    role: "observer",
    options: { threshold: optional(number("From how many tokens on; 150,000 if left out.")) },
  },
  "format-on-edit": {
    summary: "formats the files that the agent wrote, with the project's own formatter",
    role: "observer",
    needsTrust: true,
    runsProjectCode: true,
    options: {
      only: optional(
        list(
          choice(["biome", "prettier", "eslint", "ruff", "black", "gofmt", "rustfmt"], ""),
          "The formatters that may be used; all that the project configures if left out.",
        ),
      ),
      seconds: optional(number("How long formatting after one call may take; 10 if left out.")),
    },
  },
  "test-before-stop": {
    summary: "runs the project's tests before the agent stops, and has it continue if they fail",
    role: "observer",
    needsTrust: true,
    runsProjectCode: true,
    options: {
      command: optional(text("The shell line that runs the tests; found by the project's files if left out.")),
      seconds: optional(number("How long the tests may take; 300 if left out.")),
      passEnv: optional(list(text(""), "Variables that the tests need although they look like secrets.")),
    },
  },
  "git-context": {
    summary: "tells the model at the start of a session the branch, what is not committed and the last commits",
    role: "observer",
    options: {
      commits: optional(number("How many of the last commits; 5 if left out.")),
      files: optional(number("How many of the files that are not committed; 20 if left out.")),
    },
  },
  "git-tracking": {
    summary: "says which files each tool call changed, by file tools and by shell commands",
    role: "observer",
    otherNames: ["git_tracking"],
    options: {},
  },
  "file-history": {
    summary: "keeps every file as it was before a tool call changes it, for hookloop history and hookloop undo",
    role: "observer",
    otherNames: ["file_history"],
    options: {
      onStorageFailure: optional(
        choice(["continue", "block"], "What becomes of an edit whose file cannot be kept; `continue` if left out."),
      ),
      maxMegabytes: optional(number("How large the history of a project may be before its oldest sessions are dropped; 500 if left out.")),
    },
  },
  "tool-log": {
    summary: "says one line for each tool call",
    role: "observer",
    needsTrust: ["file"],
    otherNames: ["log_hook"],
    options: {
      to: optional(choice(["user", "stderr"], "Where the line goes; `user` if left out.")),
      file: optional(text("A JSONL file that gets the lines instead.")),
    },
  },
  "working-directory": {
    summary: "tells the model the working directory with each prompt",
    role: "observer",
    otherNames: ["context_inject_hook"],
    options: {},
  },
  "large-output": {
    summary: "warns the user when a tool gave more than 100,000 characters",
    role: "observer",
    otherNames: ["large_output_hook"],
    options: { limit: optional(number("Characters; 100,000 if left out.")) },
  },
  "tool-summary": {
    summary: "says at the end of a turn how many tool calls the session used",
    role: "observer",
    otherNames: ["summary_hook"],
    options: {},
  },
  notify: {
    summary: "calls the user when the agent has waited for some seconds",
    role: "observer",
    needsTrust: ["command", "webhook"],
    otherNames: ["notification"],
    options: {
      after: optional(number("Seconds of waiting; 10 if left out.")),
      bell: optional(flag("The terminal's bell; on if left out.")),
      desktop: optional(flag("A message of the desktop: `notify-send` or `osascript`.")),
      command: optional(list(text("A word."), "A program and its arguments, in which `{message}` is replaced; no shell reads it.")),
      webhook: optional(text("A URL that gets `{text, session, cwd}` as JSON.")),
      secretEnv: optional(text("Name of the variable with the secret that signs the webhook's requests.")),
    },
  },
  metrics: {
    summary: "writes numbers of tool calls, shell commands and tokens into the trace",
    role: "observer",
    needsTrust: ["file"],
    otherNames: ["telemetry", "tool_metrics", "bash_metrics"],
    options: { file: optional(text("A JSONL file that gets them as well.")) },
  },
  audit: {
    summary: "records verdicts, denied calls and results in a file whose changes can be found",
    role: "observer",
    options: {},
  },
};

export function isShippedName(name: unknown): name is ShippedName {
  return typeof name === "string" && Object.hasOwn(SHIPPED_HOOKS, name);
}

/** A hook that comes with hookloop as a file or a program switches it on: by its name, or with options beside it. */
export interface UsedHook {
  readonly name: ShippedName;
  readonly options: Readonly<Record<string, unknown>>;
}
