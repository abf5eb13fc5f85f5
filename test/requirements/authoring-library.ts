import { differs, planned, type Source, works } from "./requirement.ts";

const EMIT = "packages/sdk/src/hook-utils/emit.test.ts";
const INVOCATION = "packages/sdk/src/hook-utils/invocation.test.ts";
const LIBRARY = "test/sources/authoring-library.process.test.ts";
const NAMES = "test/sdk/log-names.process.test.ts";
const LOG = "test/sdk/log.process.test.ts";
const RECORD = "packages/sdk/src/log-answer.test.ts";
const COMMANDS = "packages/hookloop/src/agent/features/settings-commands.process.test.ts";
const RUN = "test/cli/run-hook.process.test.ts";
const PAGE = "reference/sdk.md#a-main-function";
const STORE = "packages/hookloop/src/context/store.test.ts";
const WORK = "packages/hookloop/src/context/work.test.ts";
const CONTEXTS = "packages/hookloop/src/context/context.process.test.ts";
const LOG_PAGE = "reference/sdk.md#the-log";
const READ_PAGE = "reference/sdk.md#what-an-agent-reads-of-a-hook-that-exits-with-0-1-or-2";

const blocks = (id: string, event: string, how: string) =>
  works(id, `\`emitBlock\` at ${event} ${how}`, `${EMIT} › picks the mechanism of ${event}`);

const counts = (id: string, event: string, fields: string) =>
  works(
    id,
    `At ${event} ${fields}; any other field is named`,
    `${LIBRARY} › the fields that count at ${event}`,
    `${LIBRARY} › %s counts where the table has it, and is named where not`,
  );

export const AUTHORING_LIBRARY: Source = {
  id: "S4",
  title: "The authoring library",
  introduction:
    "Functions to write hooks with: read the event, answer, log. Here: the same names in `@hookloop/sdk`. The second half of the source, its context store and workflow hooks, is not here yet.",
  groups: [
    {
      title: "A hook",
      where: PAGE,
      rows: [
        works(
          "S4-01",
          "One import has what a hook needs",
          `${LIBRARY} › a hook written with %s as the skeleton shows it blocks in a real session`,
        ),
        works(
          "S4-02",
          "Its skeleton works as it is, but for the import",
          `${LIBRARY} › a hook written with runHook as the skeleton shows it blocks in a real session`,
          "test/sources/hook-utils.process.test.ts › guards written with runHook, loadHookInput and emitBlock block in a session",
        ),
        works(
          "S4-03",
          "So does the one with `runHookAsync`",
          `${LIBRARY} › a hook written with runHookAsync as the skeleton shows it blocks in a real session`,
        ),
        works(
          "S4-04",
          "A hook may be a TypeScript file",
          `${RUN} › what an agent understands of a TypeScript hook, as the skeleton of the source is written`,
          "test/sources/hook-utils.process.test.ts › guards written with runHook, loadHookInput and emitBlock block in a session",
        ),
        works(
          "S4-05",
          "`runHook` catches everything: stderr, exit code 0, unless it is a guard",
          `${LIBRARY} › a hook that throws is reported and lets the call run, as in its source; a guard blocks`,
        ),
        works(
          "S4-06",
          "`loadHookInput` gives nothing where stdin is broken",
          `${INVOCATION} › gives nothing when the event could not be read`,
        ),
        works(
          "S4-07",
          "stdout is for output only: `console.log` does not reach it",
          `${LIBRARY} › a hook written with %s as the skeleton shows it`,
          "test/sdk/misbehaving.process.test.ts › %s: a guard blocks, another fails",
        ),
        works("S4-45", "The event's name is filled in, never written by the author", `${EMIT} › fills in the name of the event`),
        works(
          "S4-64",
          "`isInternalCall()` reads `_CC_INTERNAL=1`",
          "test/sdk/environment.process.test.ts › with _CC_INTERNAL=%j isInternalCall() is %s",
        ),
        works(
          "S4-65",
          "A hook that starts the agent does not fire itself again",
          "test/agent/session-faults.process.test.ts › a SessionEnd hook that starts the agent starts it once",
          "packages/hookloop/src/run/limits.test.ts › is refused for a hook that is in its own ancestry, and only for that one",
        ),
      ],
    },
    {
      title: "Answers",
      where: PAGE,
      rows: [
        blocks("S4-20", "PreToolUse", "denies the call, with context if it is given"),
        blocks("S4-21", "UserPromptSubmit", "blocks at the top level"),
        works(
          "S4-22",
          "`emitBlock` at PostToolUse exits with 2, context and then reason on stderr",
          `${EMIT} › on a finished call (PostToolUse) gives context and then reason on stderr, and nothing on stdout`,
        ),
        works(
          "S4-23",
          "`emitBlock` at PostToolUseFailure does the same",
          `${EMIT} › on a finished call (PostToolUseFailure) gives context and then reason on stderr, and nothing on stdout`,
        ),
        blocks("S4-24", "Stop", "blocks at the top level"),
        blocks("S4-25", "SubagentStop", "blocks at the top level"),
        blocks("S4-26", "PermissionRequest", "answers deny"),
        blocks("S4-27", "SessionStart", "warns and does nothing"),
        blocks("S4-28", "Notification", "warns and does nothing"),
        blocks("S4-29", "SubagentStart", "warns and does nothing"),
        blocks("S4-30", "SessionEnd", "warns and does nothing"),
        works("S4-31", "`emitContextAndBlock(context, reason)` at PreToolUse", `${EMIT} › takes the context first and the reason second`),
        works("S4-32", "Elsewhere it warns", `${EMIT} › warns outside of PreToolUse, and blocks in the way of the event`),
        works("S4-33", "`emitBlockPrompt(reason, context?)`", `${EMIT} › emitBlockPrompt rejects a prompt, reason first`),
        works(
          "S4-34",
          "`emitBlockViaExit` ends the hook at once with 2, context before reason",
          `${EMIT} › ends the main at once, with exit code 2 and the context before the reason`,
        ),
        works("S4-35", "`emitBlockTopLevel(reason)`", `${EMIT} › emitBlockTopLevel writes the top-level decision on %s`),
        works(
          "S4-36",
          '`emitPermissionDecision("deny", { message })`',
          `${EMIT} › emitPermissionDecision allows and denies a call or a question`,
        ),
        works(
          "S4-37",
          '`emitPermissionDecision("allow", { updatedInput })`',
          `${EMIT} › emitPermissionDecision allows and denies a call or a question`,
        ),
        works(
          "S4-38",
          "`emitContext` at the six events that take it",
          `${LIBRARY} › %s counts where the table has it, and is named where not`,
          `${EMIT} › fills in the name of the event`,
        ),
        works(
          "S4-39",
          "At any other it writes nothing that an agent would drop",
          `${EMIT} › warns where there is no place for it, and writes nothing`,
        ),
      ],
    },
    {
      title: "The log",
      where: LOG_PAGE,
      rows: [
        works("S4-08", "`logDebug`: the file only", `${NAMES} › logDebug writes to the file only`),
        works("S4-09", "`logInfo`: the file only", `${NAMES} › logInfo writes to the file only`),
        works("S4-10", "`logWarn`: the file only", `${NAMES} › logWarn writes to the file only`),
        works("S4-11", "`logError`: the file only", `${NAMES} › logError writes to the file only`),
        works("S4-12", "`logBlocking`: the file and stderr", `${NAMES} › logBlocking writes to the file and to stderr`),
        works(
          "S4-13",
          "`logHookError`: the file and stderr",
          `${NAMES} › logHookError writes the message to both and the stack to the file`,
        ),
        works("S4-14", "`eprint`: stderr only", `${NAMES} › logDiagnostic and hookLog write to the file, eprint to stderr`),
        works("S4-15", "`hookLog` and `logDiagnostic`", `${NAMES} › logDiagnostic and hookLog write to the file, eprint to stderr`),
        differs(
          "S4-16",
          "The file is `_output/hook-log.jsonl`",
          {
            here: "It is `.hookloop/hook-log.jsonl`, in a folder that git does not see: everything of ours in a project is in one place. `HOOKLOOP_LOG_FILE=_output/hook-log.jsonl` is the source's.",
            page: LOG_PAGE,
          },
          `${LOG} › is a new file of the project that only its owner reads and git does not see`,
          `${LOG} › is the file HOOKLOOP_LOG_FILE names, in a folder that need not be there`,
        ),
        works(
          "S4-17",
          "A record has `msg` and `data`",
          `packages/sdk/src/write-log.test.ts › is one line of JSON with time, level, hook, msg and data`,
        ),
        works(
          "S4-40",
          "`HOOK_OUTPUT [context] N chars` at level info, the text in `data.additionalContext`",
          `${RECORD} › says how much a hook gave, and keeps all of it`,
        ),
        works(
          "S4-41",
          '`HOOK_OUTPUT [block] N chars, reason="…"`, the reason in `data.blockReason`',
          `${RECORD} › says why a hook blocked it, and keeps the whole reason`,
          `${RECORD} › counts the reason alone, also when it went to stderr`,
        ),
        works("S4-42", "`HOOK_LOG_LEVEL=warn` hides them", `${LOG} › leaves out what is below HOOK_LOG_LEVEL`),
        works("S4-43", "`HOOK_LOG_DISABLE=1` and `HOOK_ERROR_LOG_DISABLE=1`", `${LOG} › is not written with %s`),
        works(
          "S4-44",
          "`CLAUDE_PROJECT_DIR` says where the project is",
          `${LOG} › is a new file of the project that only its owner reads`,
          `${LOG} › is in the working directory if no project is named`,
        ),
      ],
    },
    {
      title: "What an agent reads",
      where: READ_PAGE,
      rows: [
        works(
          "S4-50",
          "Exit code 0: a deny in JSON blocks, context in JSON adds context",
          `${LIBRARY} › %s counts where the table has it, and is named where not`,
        ),
        works(
          "S4-51",
          "Exit code 2 blocks, and stderr goes to the model",
          "test/engine/decisions.process.test.ts › exit 2 with JSON that allows is a deny",
          "test/engine/decisions.process.test.ts › exit 2 with malformed JSON is a deny with stderr as its reason",
        ),
        differs(
          "S4-52",
          "Exit code 1 does not block, and JSON beside exit codes 1 and 2 is not read",
          {
            here: "Exit code 1 does not block. JSON is read on every exit code, as Claude Code was measured to do, but undoes no exit code 2: a deny that a crash follows is still a deny.",
            page: READ_PAGE,
          },
          `${LIBRARY} › exit code 1 does not block, and the JSON beside it counts all the same`,
        ),
        differs(
          "S4-53",
          "Without `hookEventName` the whole output is dropped without a word",
          {
            here: "It is said. A denial counts all the same, because a guard with a slip must not let the call run.",
            page: READ_PAGE,
          },
          `${LIBRARY} › without hookEventName, which voids an answer elsewhere, that is said, and a denial counts`,
        ),
        counts("S4-54", "PreToolUse", "`additionalContext`, `permissionDecision` and `updatedInput` count"),
        counts("S4-55", "PostToolUse", "`additionalContext` and `updatedMCPToolOutput` count"),
        counts("S4-56", "UserPromptSubmit", "`additionalContext` counts"),
        counts("S4-57", "SessionStart", "`additionalContext` counts"),
        counts("S4-58", "Notification", "`additionalContext` counts"),
        counts("S4-59", "SubagentStart", "`additionalContext` counts"),
        differs(
          "S4-60",
          "At Stop no field of `hookSpecificOutput` counts",
          {
            here: "`additionalContext` counts there, as Claude Code now has it. The library's own functions write none at Stop, because older agents drop the whole answer for it.",
            page: READ_PAGE,
          },
          `${LIBRARY} › the fields that count at Stop`,
          `${EMIT} › on %s writes no hookSpecificOutput: the context begins the reason`,
        ),
        counts("S4-61", "SessionEnd", "none counts"),
        works(
          "S4-62",
          'A top-level `decision: "block"` with its reason counts at UserPromptSubmit and Stop',
          `${LIBRARY} › a top-level block with its reason counts at %s`,
        ),
        works(
          "S4-63",
          "A deny for ExitPlanMode shows no dialog, and the session stays in plan mode",
          "packages/hookloop/src/agent/features/plan-mode.process.test.ts › a hook's deny shows no dialog and stays in plan mode",
        ),
      ],
    },
    {
      title: "Settings commands that are not hooks",
      where: "reference/agent.md#commands-of-the-agent",
      rows: [
        works(
          "S4-120",
          "`fileSuggestion`: a command that prints a JSON list of files",
          `${COMMANDS} › gets what was typed, and prints a list`,
        ),
        works(
          "S4-122",
          "`statusLine`: a command whose output is the status line",
          `${COMMANDS} › gets the session as JSON on stdin, and what it prints is the line`,
        ),
      ],
    },
    {
      title: "Its working context: the library",
      where: "reference/context.md",
      rows: [
        works("S4-70", "`getProjectRoot`", `${STORE} › getProjectRoot is CLAUDE_PROJECT_DIR`),
        works("S4-71", "`getContextDir`", `${STORE} › getContextDir is below .hookloop/contexts`),
        works("S4-72", "`MAX_FILE_SIZE`", `${STORE} › a state that would be larger than MAX_FILE_SIZE is refused`),
        works(
          "S4-73",
          "`atomicWriteFileSync`",
          `${STORE} › atomicWriteFileSync makes the folders`,
          `${CONTEXTS} › a disk that is full during a save keeps the old state`,
        ),
        works("S4-74", "`readState`", `${STORE} › writeState writes what readState reads`),
        works("S4-75", "`writeState`", `${STORE} › writeState writes what readState reads`),
        works(
          "S4-76",
          "`inferText`",
          `${CONTEXTS} › inferText asks the agent's command line`,
          `${CONTEXTS} › inferText gives nothing, in time, where the program never ends`,
        ),
        works("S4-77", "`nowIso`", `${STORE} › nowIso is the time in ISO 8601`),
        works("S4-78", "`generateContextId`", `${STORE} › generateContextId leaves stop words out`),
        works("S4-79", "`slugify`", `${STORE} › slugify gives lower case and hyphens`),
        works("S4-80", "`captureGitState`", `${CONTEXTS} › captureGitState gives branch, commit and changed files`),
        works("S4-81", "`createContext`", `${STORE} › createContext makes a folder`),
        works(
          "S4-82",
          "`getContextBySessionId`",
          `${STORE} › bindSession binds a session to one context, and getContextBySessionId finds it`,
        ),
        works("S4-83", "`bindSession`", `${STORE} › bindSession binds a session to one context`),
        works(
          "S4-84",
          "`maybeActivate`",
          `${STORE} › maybeActivate makes idle active`,
          `${STORE} › maybeActivate writes nothing where nothing changes`,
        ),
        works(
          "S4-85",
          "`saveState`",
          `${CONTEXTS} › 8 processes that save 100 times each lose no update`,
          `${STORE} › saveState refuses a whole state`,
        ),
        works("S4-86", "`determineContext`", `${WORK} › determineContext begins a new context`, `${WORK} › determineContext follows ^name`),
        works("S4-87", "`BlockRequest`", `${WORK} › determineContext asks by a BlockRequest`),
        works("S4-88", "`formatContextSummary`", `${WORK} › formatContextSummary says mode, plan, hand-off and open tasks`),
        works("S4-89", "`archivePlan`", `${WORK} › archivePlan keeps each plan once`),
        works("S4-90", "`computePlanHash`", `${WORK} › computePlanHash does not depend on line ends`),
        works("S4-91", "`addTask`", `${WORK} › addTask adds a task`),
        works("S4-92", "`updateTask`", `${WORK} › updateTask changes a task`),
        works("S4-93", "`getTasks`", `${WORK} › getTasks gives the tasks of a context`),
        works("S4-94", "`generateHandoffDocument`", `${WORK} › generateHandoffDocument has goal, decisions, open tasks`),
        works("S4-95", "`MODE_MAP`", `${WORK} › MODE_MAP names every mode`),
        works("S4-96", "`STATUS_ICONS`", `${WORK} › STATUS_ICONS has a sign for every status`),
        works("S4-97", "`PLAN_EVALUATION_REMINDER`", `${WORK} › PLAN_EVALUATION_REMINDER asks the model`),
        works("S4-98", "The types Mode, ContextState, Task, HookInput, HookOutput", `${WORK} › the types are those of a state`),
        works(
          "S4-99",
          "Signing a plan",
          `${WORK} › a plan that is changed after its approval is noticed`,
          `${WORK} › a plan that is deleted between archive and approval`,
        ),
        works("S4-100", "A folder for each context, with `state.json`", `${STORE} › createContext makes a folder with an idle state.json`),
        works(
          "S4-101",
          "A global `index.json`",
          `${STORE} › index.json has every context`,
          `${STORE} › an index that is torn is made again`,
        ),
        works("S4-102", "The modes idle, has_plan, has_handoff and active", `${STORE} › a session's end leaves an active context has_plan`),
        works(
          "S4-103",
          "`maybeActivate` makes a context active",
          `${STORE} › maybeActivate makes has_plan active`,
          `${STORE} › maybeActivate makes has_handoff active`,
        ),
        works(
          "S4-104",
          "The end of a session leaves has_plan or has_handoff",
          `${STORE} › a session's end leaves an active context has_plan`,
        ),
        works("S4-105", "Old names of modes are read", `${STORE} › the old mode planning is read as active`),
      ],
    },
    {
      title: "Its working context: hooks and commands",
      where: PAGE,
      rows: planned("working context", {
        "S4-110": "Hook `user_prompt_submit` (UserPromptSubmit): binds prompts to contexts",
        "S4-111": "Hook `context_monitor` (PostToolUse:*): window tracking, hand-off warnings at 30/20/10 %",
        "S4-112": "Hook `session_start` (SessionStart): restores plan/hand-off after /clear or compaction",
        "S4-113": "Hook `session_end` (SessionEnd): stages active → has_plan/has_handoff",
        "S4-114": "Hook `archive_plan` (PreToolUse:ExitPlanMode): archives the plan before the decision",
        "S4-115": "Hook `pre_compact` (PreToolUse:Compact): state snapshot",
        "S4-116": "Hook `task_create_capture` (PostToolUse:TaskCreate): task into context state",
        "S4-117": "Hook `task_update_capture` (PostToolUse:TaskUpdate): changes of a task",
        "S4-118": "Hook `file-suggestion` (PostToolUse:Write): suggests file organisation",
        "S4-121": "`file-suggestion.ts` as a script",
        "S4-123": "`status_line.ts`: context, mode, window left, git",
        "S4-124": "Saving a hand-off",
        "S4-125": "Resuming from one: `/handoff-resume`",
        "S4-126": "`resolve_context.ts`",
        "S4-128": "Its hooks run in Claude Code, too: a settings template for a project",
      }),
    },
  ],
};
