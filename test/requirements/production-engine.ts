import { differs, type Requirement, type Source, works } from "./requirement.ts";

const FRONT = "packages/hookloop/src/compat/production.test.ts";
const SESSION = "test/sources/production-session.process.test.ts";
const MATCHERS = "test/sources/production-matchers.process.test.ts";
const REQUEST = "test/engine/permissions.process.test.ts";
const BESIDE = "test/engine/beside-the-payload.process.test.ts";
const WATCH = "test/agent/watch.process.test.ts";
const PRINTER = "packages/hookloop/src/trace/debug-printer.test.ts";
const WHY = "guide/why-not.md";
const PAGE = "reference/compat.md#the-production-engine";

/** What a matcher is compared with; an event without a field compares nothing. */
const COMPARED = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  PermissionDenied: "tool_name",
  SessionStart: "source",
  Setup: "trigger",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Notification: "notification_type",
  SessionEnd: "reason",
  StopFailure: "error",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  TeammateIdle: undefined,
  TaskCreated: undefined,
  TaskCompleted: undefined,
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
  ConfigChange: "source",
  InstructionsLoaded: "load_reason",
  FileChanged: "file_path",
  Stop: undefined,
  UserPromptSubmit: undefined,
  CwdChanged: undefined,
  WorktreeCreate: undefined,
  WorktreeRemove: undefined,
} as const;

const FIRED =
  "PreToolUse PostToolUse PostToolUseFailure SessionStart SessionEnd Stop StopFailure Setup UserPromptSubmit Notification PermissionRequest PermissionDenied SubagentStart SubagentStop PreCompact PostCompact TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged".split(
    " ",
  );

const numbered = (at: number): string => String(at + 1).padStart(2, "0");

const matchers = Object.entries(COMPARED).map(([event, field], at): Requirement => {
  const compared = field === "file_path" ? "the last part of `file_path`" : `\`${field}\``;
  return field === undefined
    ? works(`S1-M${numbered(at)}`, `${event} compares nothing: every group runs`, `${MATCHERS} › ${event} compares nothing`)
    : works(
        `S1-M${numbered(at)}`,
        `A matcher of ${event} is compared with ${compared}`,
        `${MATCHERS} › a matcher of ${event} is compared with ${field}`,
      );
});

const fired = FIRED.map((event, at) =>
  works(
    `S1-E${numbered(at)}`,
    `The agent fires ${event}, with its fields`,
    `test/agent/events.process.test.ts › ${event} is fired with what the catalogue says`,
  ),
);

export const PRODUCTION_ENGINE: Source = {
  id: "S1",
  title: "The production engine",
  introduction:
    "Shell hooks from settings files, one executor for every event. Here: the engine itself, which reads the same files, and `hookloop/compat/production` with the source's function names.",
  groups: [
    {
      title: "Settings and sources",
      where: "guide/from-claude-code.md",
      rows: [
        works(
          "S1-01",
          "Its settings work as they are: PreToolUse, matcher Bash, a script in `.claude/hooks`",
          "test/sources/production.process.test.ts › exit code 2 of the script in the settings blocks the agent's call, and lets others run",
        ),
        works("S1-02", "Hooks of all sources run together", `${MATCHERS} › are merged: those of managed policy, the user, the project`),
        works(
          "S1-03",
          "Managed policy is a source of its own",
          `${MATCHERS} › are merged: those of managed policy`,
          "test/engine/switches.process.test.ts › that others can write is not read, and is reported",
        ),
        works("S1-04", "A plugin's hooks carry its root and its id", `${MATCHERS} › a plugin's hooks carry its root and its name`),
        works(
          "S1-05",
          "A skill's hooks carry its folder and live as long as the skill",
          `${MATCHERS} › a skill's hooks carry its folder, which they have as CLAUDE_PLUGIN_ROOT`,
          "test/engine/frontmatter.process.test.ts › a skill's hooks live as long as the skill",
        ),
        works(
          "S1-06",
          "A program adds hooks of its own for the session",
          "test/engine/functions.process.test.ts › gets the whole payload, and a signal",
        ),
        works(
          "S1-07",
          "Hooks are commands, prompts, agents, functions and callbacks",
          "test/engine/events.process.test.ts › a command hook gets the whole payload on stdin",
          "test/engine/judges.process.test.ts › on PreToolUse denies and ends the turn",
          "test/engine/judges.process.test.ts › an agent hook's no denies and lets the turn continue",
          `${FRONT} › internal callbacks see the event`,
        ),
        works(
          "S1-52",
          "A matcher is a name, names with `|`, a pattern or `*`",
          "packages/hookloop/src/select/compile-matcher.test.ts › %j on %j: %j",
        ),
        works(
          "S1-53",
          "Tool hooks may take ten minutes if they say nothing else",
          "packages/hookloop/src/catalogue/catalogue.test.ts › agrees with the spec on time limits",
        ),
      ],
    },
    { title: "What a matcher is compared with", where: "reference/events.md#events", rows: matchers },
    { title: "Events of the agent", where: "reference/agent.md#what-is-fired-when", rows: fired },
    {
      title: "What a hook is told",
      where: "reference/engine.md#payloads",
      rows: [
        works(
          "S1-08",
          "Session, transcript, folder, mode and event; `agent_id` only inside a subagent",
          `${SESSION} › every hook gets session, transcript, folder and mode; agent_id stands only inside a subagent`,
          `${SESSION} › --agent gives payloads its type, and no agent_id`,
        ),
        works("S1-09", "`transcript_path` is the session's real file", `${SESSION} › every hook gets session, transcript, folder and mode`),
        works(
          "S1-30",
          "`tool_response` after a tool; `error` and `is_interrupt` after one that failed",
          "test/agent/events.process.test.ts › PostToolUse is fired with what the catalogue says",
          "test/engine/tools.process.test.ts › an interrupted tool says so",
        ),
        works(
          "S1-41",
          "SessionStart says how it began, the model and the type of agent",
          `${SESSION} › --agent gives payloads its type, and no agent_id`,
          "test/agent/terminal.process.test.ts › /clear ends the session and begins another; /resume goes back",
          "packages/hookloop/src/agent/features/compaction.process.test.ts › the conversation begins anew with the model's summary, and hooks are told in order",
        ),
        works(
          "S1-42",
          "Notification hooks are chosen by the kind of notification",
          `${MATCHERS} › a matcher of Notification is compared with notification_type`,
          `${FRONT} › SessionEnd, PostCompact and Notification`,
        ),
        works(
          "S1-44",
          "The conversation is handed to prompt and function hooks",
          `${BESIDE} › reaches a prompt hook of %s`,
          `${FRONT} › the conversation and the time limit reach the hooks`,
        ),
      ],
    },
    {
      title: "Guards before anything runs",
      where: "reference/trust.md#who-needs-what",
      rows: [
        differs(
          "S1-10",
          "Before the workspace is trusted no hook runs at all in a terminal",
          {
            here: "No hook of the project, its plugins and skills runs. Managed hooks and your own do: nobody but root writes the first, and the second were yours before.",
            page: "reference/trust.md#who-needs-what",
          },
          "test/agent/terminal.process.test.ts › hooks of a checkout are not run until they are approved",
        ),
        differs(
          "S1-11",
          "Without a terminal a workspace is trusted implicitly",
          {
            here: 'The command line asks for `--trust-workspace` or an approval, because a job that checks out a stranger\'s branch would otherwise run its hooks. A program may say `trust: "implicit"`.',
            page: "reference/trust.md#in-a-program",
          },
          "test/agent/trust-flags.process.test.ts › by default a hook of the project does not run, and one line on stderr names it and the cure",
        ),
        works("S1-13", "`disableAllHooks` stops hooks", "test/engine/switches.process.test.ts › in %s leaves %j"),
        works(
          "S1-14",
          "A variable of the environment stops all hooks (`CLAUDE_CODE_SIMPLE`)",
          "test/engine/switches.process.test.ts › %s stops everything but managed hooks",
        ),
        differs(
          "S1-15",
          "Both stop managed hooks, too",
          {
            here: "Only a managed switch reaches managed hooks: policy that a user could switch off with a variable would be none.",
            page: "reference/trust.md#switches-that-are-not-hooks",
          },
          "test/engine/switches.process.test.ts › %s stops everything but managed hooks",
          "packages/hookloop/src/config/switch-state.test.ts › leaves managed hooks and the program's own",
        ),
        works("S1-16", "An aborted signal runs nothing", `${FRONT} › an aborted signal runs nothing`),
        works(
          "S1-49",
          "A run before trust says that hooks were skipped",
          "test/agent/trust-flags.process.test.ts › by default a hook of the project does not run, and one line on stderr names it and the cure",
        ),
      ],
    },
    {
      title: "One executor",
      where: PAGE,
      rows: [
        works(
          "S1-17",
          "An AbortSignal ends a running hook",
          "test/engine/lifetime.process.test.ts › while it runs: the process is gone, the engine works on",
        ),
        works(
          "S1-18",
          "Time limits of each hook, and of the caller",
          "test/engine/lifetime.process.test.ts › timeoutMs is a limit for commands too",
          "packages/hookloop/src/config/register-hooks.test.ts › %s %j in a %s file has %d ms",
        ),
        works("S1-19", "Texts name the hook `Event` or `Event:query`", "packages/hookloop/src/judge/texts.test.ts › of %s with %j is %s"),
        works(
          "S1-20",
          "A prompt hook may ask the user one question, through a callback with its name and a line about the call",
          "packages/hookloop/src/run/model/prompt-runner.test.ts › is labelled with the hook's name and one line about the call, and its answer decides",
          "packages/hookloop/src/run/model/prompt-runner.test.ts › is asked once: a second one is a failure",
        ),
        works(
          "S1-21",
          "In the agent the user is asked at the terminal",
          `${SESSION} › a prompt hook asks the user one question at the terminal`,
        ),
        works(
          "S1-25",
          "Internal callbacks alone take a fast path",
          `${FRONT} › internal callbacks see the event; alone they are no step, beside others they are not counted`,
        ),
        works(
          "S1-26",
          "`hasHookForEvent` answers without an input being built",
          `${FRONT} › what would run, and how many of what kind`,
          "packages/hookloop/src/select/create-planner.test.ts › knows which events have hooks",
        ),
        works(
          "S1-27",
          "The executor is an async generator of progress, results and blocking errors as they come",
          `${FRONT} › yields progress, each hook's result, and a blocking error before a slower hook has ended`,
        ),
        works(
          "S1-28",
          "Exit code 2 blocks a tool call; the model is told why",
          "test/sources/production.process.test.ts › exit code 2 of the script in the settings blocks the agent's call, and lets others run",
        ),
        works(
          "S1-29",
          "JSON output is parsed and checked, and a mistake is said",
          "packages/hookloop/src/dialects/claude/from-output.test.ts › every diagnostic names the hook and its place",
        ),
        differs(
          "S1-31",
          "Plain stdout of a PostToolUse hook may become a message",
          {
            here: "Only `additionalContext` in JSON does, as Claude Code was measured to do. Plain text there is usually a linter's chatter.",
            page: "reference/events.md#posttooluse",
          },
          "packages/hookloop/src/catalogue/catalogue.test.ts › agrees with the spec on exit code 2 and plain stdout",
        ),
        works(
          "S1-45",
          "`forceSyncExecution`: a background hook can be waited for",
          `${BESIDE} › waitForAsync: a background hook is waited for, and its answer counts`,
        ),
        works(
          "S1-46",
          "The names of its functions exist",
          `${FRONT} › what can be imported is a deliberate list`,
          "test/sources/production.process.test.ts › the source's functions yield its no as it comes, and format it",
        ),
        works(
          "S1-55",
          "Internal callbacks for attribution and for files of the session",
          "test/sources/production.process.test.ts › the files that a session changed are noted in its transcript, and no hook event is made of it",
        ),
      ],
    },
    {
      title: "Permission",
      where: "reference/permissions.md#the-order",
      rows: [
        works(
          "S1-32",
          "A PermissionRequest hook gets suggested rule changes, and allows, denies or changes the input",
          `${REQUEST} › it fires when the call would be asked about, without tool_use_id, and its allow works`,
          `${REQUEST} › deny beats allow, and its message reaches the model`,
          `${REQUEST} › a rewritten input is decided again, by rules and by PreToolUse hooks`,
        ),
        differs(
          "S1-51",
          "PermissionRequest hooks run before the rules",
          {
            here: "They run after them, as Claude Code was measured to do, and a deny rule ends it: a hook that fires for every call it cannot change would only cost time.",
            page: "reference/permissions.md#the-order",
          },
          `${REQUEST} › it does not fire for a call that rules or the mode allow or deny`,
        ),
        differs(
          "S1-54",
          "A PermissionRequest hook still decides while its question is on the screen",
          {
            here: "The hook is waited for first; the question comes only if it gave no answer. A dialog that goes away under your fingers is how a yes lands on the wrong call.",
            page: "reference/permissions.md#the-order",
          },
          `${REQUEST} › without an answer the call is denied, and the user is asked if there is one`,
        ),
        works(
          "S1-40",
          "A change of managed policy cannot be blocked",
          `${BESIDE} › a change of managed policy cannot be denied, and the verdict says so`,
          "packages/hookloop/src/agent/features/config-watch.process.test.ts › of managed policy is applied whatever a hook says",
        ),
      ],
    },
    {
      title: "Watching",
      where: WHY,
      rows: [
        works(
          "S1-12",
          "The log says `Skipping … hook execution - workspace trust not accepted`",
          `${WATCH} › it is not approved: in the words of Claude Code, and how to approve it`,
        ),
        differs(
          "S1-22",
          "Telemetry of each firing: name, number of hooks, counts by kind and by plugin",
          {
            here: "The counts are in the step `fired`, in the trace and for `onStep` of a program, with the source's field names. hookloop sends nothing anywhere by itself: what your hooks do is nobody else's business.",
            page: "reference/engine.md#steps-and-trace",
          },
          `${MATCHERS} › each firing is one step with its name, its query and how many hooks of what kind and of which plugin there are`,
        ),
        works(
          "S1-23",
          "The log says which query there was and how many matchers were found",
          `${WATCH} › its matcher has a typo`,
          `${PRINTER} › prints an event in a few indented lines: its query, its matchers, what matched, each answer, the verdict`,
        ),
        works("S1-24", "`--verbose` alone shows it", `${WATCH} › it is not approved: in the words of Claude Code`),
        works(
          "S1-43",
          "A hook bound to another session or agent does not fire, and that is said",
          `${BESIDE} › a hook that is bound to another session or subagent does not run, and a step says so`,
        ),
        works(
          "S1-48",
          "An echo hook, with its query in the log",
          `${WATCH} › what a hook answered stands below the event, with its verdict`,
        ),
      ],
    },
    {
      title: "What the model and the user read",
      where: "reference/engine.md#texts",
      rows: [
        works(
          "S1-33",
          "`Stop hook feedback:` and the reason",
          `${FRONT} › the texts are those of the source`,
          `${SESSION} › what holds the agent at Stop is the next message of the model`,
        ),
        works(
          "S1-34",
          "`TaskCreated hook feedback:` and the reason",
          "test/agent/tasks.process.test.ts › TaskCreated: a block rolls the task back and gives the model the feedback",
        ),
        works(
          "S1-35",
          "`TaskCompleted hook feedback:` and the reason",
          "test/agent/tasks.process.test.ts › TaskCompleted: a block keeps the task open with the feedback",
        ),
        works(
          "S1-36",
          "`TeammateIdle hook feedback:` and the reason",
          "test/agent/teammates.process.test.ts › TeammateIdle: a block keeps the teammate going with the feedback",
        ),
        works(
          "S1-37",
          "`UserPromptSubmit operation blocked by hook:`; the model never gets the prompt",
          `${SESSION} › a blocked prompt never reaches the model, and its text says who blocked it`,
        ),
        works(
          "S1-38",
          "Nothing that hooks of SessionEnd, PreCompact and PostCompact say reaches the model; they have the main session's id",
          `${SESSION} › what hooks say when a session ends or is compacted never reaches the model`,
        ),
        differs(
          "S1-39",
          "Outside a conversation a function hook is an error",
          {
            here: "Functions run at every event, so that one way of hooking in works everywhere. What they say there never goes to the model.",
            page: PAGE,
          },
          `${FRONT} › all hooks run, functions too, and what they said is given at once`,
        ),
        works(
          "S1-47",
          "Each event has its own text, from one call of the engine",
          "packages/hookloop/src/judge/texts.test.ts › every event has a wording for whom it tells",
        ),
        works(
          "S1-50",
          "The text of exit code 2 stands in the conversation",
          "test/agent/terminal.process.test.ts › a guard blocks, /why explains it, /hooks lists what there is",
        ),
        works(
          "S1-56",
          "The text for people names the hook and its place",
          "test/agent/terminal.process.test.ts › a guard blocks, /why explains it, /hooks lists what there is",
        ),
      ],
    },
  ],
};
