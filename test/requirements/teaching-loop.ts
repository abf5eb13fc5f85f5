import { differs, type Source, works } from "./requirement.ts";

const TEACHING = "packages/hookloop/src/compat/teaching.test.ts";
const WORDS = "packages/hookloop/src/compat/teaching-words.test.ts";
const CHAPTER = "examples/teaching-loop/chapter.test.mjs";
const WATCHING = "packages/hookloop/src/builtin/watching.test.ts";
const PAGE = "reference/compat.md#the-teaching-loop";
const FIELDS = "reference/compat.md#the-fourteen-fields-of-the-production-systems-hook-result";

const named = (field: string, event: string): string => `${TEACHING} › ${field} of ${event} becomes an effect`;

export const TEACHING_LOOP: Source = {
  id: "S0",
  title: "The teaching loop",
  introduction:
    "An agent loop that only ever calls a trigger, and behaviour that is registered from outside. Here: `hookloop/compat/teaching`, and `examples/teaching-loop`, the whole chapter as one runnable file.",
  groups: [
    {
      title: "The registry",
      where: PAGE,
      rows: [
        works(
          "S0-01",
          "A registry from event to an ordered list of callbacks, with `register()` and `trigger()`",
          `${TEACHING} › callbacks run in order and get the arguments themselves`,
        ),
        works(
          "S0-02",
          "The names `registerHook`, `triggerHooks` and `HOOKS`",
          `${WORDS} › a registered guard blocks, and the later callbacks are not called`,
          `${WORDS} › it lists the callbacks of each event in their order`,
        ),
        works(
          "S0-03",
          "The first callback that returns something wins; the later ones are not called",
          `${TEACHING} › the first that returns something wins`,
        ),
        works("S0-04", "A UserPromptSubmit callback gets the prompt itself", `${WORDS} › each callback gets what the loop would give it`),
        works(
          "S0-05",
          "A PreToolUse callback gets the call: name, input and id",
          `${WORDS} › each callback gets what the loop would give it`,
        ),
        works("S0-06", "A PostToolUse callback gets the call and its output", `${WORDS} › each callback gets what the loop would give it`),
        works(
          "S0-07",
          "A Stop callback gets the messages; a text it returns continues the loop",
          `${TEACHING} › Stop: the text is the next user message`,
          `${WORDS} › each callback gets what the loop would give it`,
        ),
        works("S0-08", "UserPromptSubmit may block, change or add to the prompt", `${TEACHING} › UserPromptSubmit %s`),
        works(
          "S0-09",
          "The source's whole loop: four hooks, forced continuation, a blocked result",
          `${CHAPTER} › reading a file passes, with a line for each of the four events that says something`,
          `${CHAPTER} › the deny list refuses without a question, and the next sentence works`,
        ),
        works(
          "S0-40",
          "The loop stays free of checks: another hook needs no change of it",
          "test/pins/loop-file.test.ts › the loop names no kind of hook, no terminal, no file system and no vendor",
        ),
      ],
    },
    {
      title: "Its chapter, tried out",
      where: PAGE,
      rows: [
        works("S0-10", "“Read the file README.md” passes", `${CHAPTER} › reading a file passes`),
        works("S0-11", "A `[HOOK]` line is printed before each tool", `${CHAPTER} › reading a file passes`),
        works("S0-12", "“Create a file called test.txt” makes the file", `${CHAPTER} › creating a file makes it, without a question`),
        differs(
          "S0-13",
          "The same without any flag or question",
          {
            here: "The chapter does it. `hookloop agent` asks before the first write, and without a terminal it names the flag that allows it: an agent in your own folder should not write before you said so.",
            page: "reference/permissions.md#modes",
          },
          `${CHAPTER} › creating a file makes it, without a question`,
          "test/agent/offline.process.test.ts › a call without a user to ask names the flag that allows it",
        ),
        works(
          "S0-14",
          "“Delete all temporary files in /tmp” is stopped and asks",
          `${CHAPTER} › deleting temporary files is stopped and asks; without a yes nothing is deleted`,
          "test/agent/offline.process.test.ts › deleting all temporary files in /tmp is stopped and asked about",
        ),
        works(
          "S0-15",
          "`contextInjectHook` names the working directory on each prompt",
          `${WORDS} › print what the source prints`,
          `${WATCHING} › working-directory goes to the model with each prompt`,
        ),
        works(
          "S0-16",
          "`permissionHook` refuses what is on its deny list: `Permission denied by deny list`",
          `${WORDS} › %s is on the deny list`,
          "test/sources/teaching.process.test.ts › a guard written as the source writes it blocks the agent's Bash, and lets the rest run",
        ),
        works(
          "S0-17",
          "`permissionHook` asks about writes outside the workspace; no answer is a no",
          `${WORDS} › the user is asked about %s %j, and a no refuses it`,
        ),
        works(
          "S0-18",
          "`logHook` prints a line for each tool call",
          `${WORDS} › print what the source prints`,
          `${WATCHING} › tool-log says one line for each call`,
          "test/agent/watching.process.test.ts › the lines of the teaching loop come on stderr, also for a call that is denied",
        ),
        works(
          "S0-19",
          "`largeOutputHook` warns above 100,000 characters",
          `${CHAPTER} › large output is named`,
          `${WATCHING} › large-output %j warns of more than its limit: %d`,
        ),
        works(
          "S0-20",
          "`summaryHook` counts the tool calls when the loop ends",
          `${WORDS} › print what the source prints`,
          `${WATCHING} › tool-summary counts the calls of the session, not those of subagents`,
        ),
        works(
          "S0-22",
          "An unknown tool is told to the model, and the loop continues",
          "test/agent/model-faults.process.test.ts › an unknown tool is told to the model with the nearest name, and its sibling runs",
        ),
        works(
          "S0-39",
          "A terminal agent to talk to, over several turns",
          "test/sources/file-protocol.process.test.ts › a conversation has several turns, and the model gets the earlier ones",
        ),
        works(
          "S0-41",
          "The chapter can be run: a prompt loop with the four events",
          `${CHAPTER} › reading a file passes`,
          `${CHAPTER} › a yes runs what was asked about`,
        ),
      ],
    },
    {
      title: "What it says about the production system",
      where: FIELDS,
      rows: [
        works(
          "S0-23",
          "All 27 events exist",
          "packages/hookloop/src/catalogue/catalogue.test.ts › has the 33 events of Claude Code and two of hookloop",
        ),
        works("S0-25", "`message` goes to the user", named("message", "PreToolUse")),
        works("S0-26", "`blockingError` goes to the model, which can correct itself", named("blockingError", "PreToolUse")),
        works("S0-27", "`blockingError` may be an object with the hook's command", `${WORDS} › may be an object with the hook's command`),
        works("S0-28", "`outcome` is one of success, blocking, non_blocking_error, cancelled", named("outcome", "PreToolUse")),
        works("S0-29", "`preventContinuation` with `stopReason` ends the loop", named("preventContinuation, stopReason", "PostToolUse")),
        works("S0-30", "`permissionBehavior` is allow, deny, ask or passthrough", named("permissionBehavior", "PreToolUse")),
        works("S0-31", "`updatedInput` is what the tool gets", named("updatedInput", "PreToolUse")),
        works("S0-32", "`additionalContext` goes to the model", named("additionalContext", "PostToolUse")),
        works("S0-33", "`updatedMCPToolOutput` replaces the result", named("updatedMCPToolOutput", "PostToolUse")),
        differs(
          "S0-34",
          "Five more fields of the result, which it does not name",
          {
            here: "Three of the published type work (`systemMessage`, `hookPermissionDecisionReason`, `permissionRequestResult`). `initialUserMessage` and `retry` belong to events that this loop does not have, which is said when a callback uses them.",
            page: FIELDS,
          },
          `${WORDS} › systemMessage tells the user, hookPermissionDecisionReason says why`,
          `${WORDS} › %j belongs to another event, and that is said`,
        ),
        works(
          "S0-35",
          "A hook's allow does not bypass a deny or ask rule of the settings",
          "test/engine/permissions.process.test.ts › %j and a hook that says %s, user: %s: %s",
        ),
        differs(
          "S0-36",
          "Once a Stop hook holds the loop, stop hooks are not asked again, so that no loop is endless",
          {
            here: "They are asked again, with `stop_hook_active: true`, up to a cap of 8: a hook that waits for tests needs more than one try. `stopCap: 1` is the source's behaviour.",
            page: PAGE,
          },
          `${TEACHING} › eight times in a row, then it is overridden and said`,
          `${TEACHING} › with a cap of one, once, also if tools were used in between`,
        ),
        works(
          "S0-37",
          "A PostToolUse hook that prevents continuation ends the loop as a completion",
          "test/sources/stopped-by-hook.process.test.ts › a %s hook that ends the work leaves one attachment",
        ),
        works(
          "S0-38",
          "It leaves an attachment `hook_stopped_continuation` in transcript and stream",
          "test/sources/stopped-by-hook.process.test.ts › a PostToolUse hook that ends the work leaves one attachment",
          "test/sources/stopped-by-hook.process.test.ts › a hook that only denies leaves none",
        ),
      ],
    },
    {
      title: "Mistakes in a callback",
      where: PAGE,
      rows: [
        works("S0-X01", "A value that reads as false still blocks", `${WORDS} › a callback that returns %s blocks`),
        works("S0-X02", "A callback that never answers blocks when its time is over", `${WORDS} › a callback that never answers blocks`),
        works(
          "S0-X03",
          "An unknown event is refused, with the nearest name",
          `${WORDS} › an unknown event is refused, with the nearest name`,
        ),
        works(
          "S0-X04",
          "A callback registered twice is called twice, and taken away one by one",
          `${WORDS} › the same callback twice is called twice`,
        ),
        works(
          "S0-X05",
          "`HOOKS` cannot be changed from outside: it throws, and the guard still blocks",
          `${WORDS} › changing it by %s throws`,
        ),
        works("S0-X06", "A blocking error of another shape is refused", `${WORDS} › of another shape is refused`),
      ],
    },
  ],
};
