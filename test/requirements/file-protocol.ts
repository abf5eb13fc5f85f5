import { differs, type Source, works } from "./requirement.ts";

const PROTOCOL = "test/sources/file-protocol.process.test.ts";
const ENGINE = "test/engine/hooks-json.process.test.ts";
const OFFLINE = "test/agent/offline.process.test.ts";
const EXAMPLE = "examples/hooks-json/hook.test.mjs";
const PAGE = "reference/compat.md#the-file-protocol";
const MODEL = "reference/agent.md#the-model";

export const FILE_PROTOCOL: Source = {
  id: "S3",
  title: "The file protocol",
  introduction:
    "A `.hooks.json` at the workspace root, three exit codes, variables of the environment. Here: the agent reads the file as it is, beside the others; each file keeps its own exit codes. `examples/hooks-json` is the source's own example.",
  groups: [
    {
      title: "Events and matchers",
      where: PAGE,
      rows: [
        works("S3-02", "SessionStart, PreToolUse and PostToolUse fire", `${PROTOCOL} › the three events fire: SessionStart once`),
        works("S3-14", "SessionStart fires once, at the start", `${PROTOCOL} › the three events fire: SessionStart once`),
        works(
          "S3-05",
          "Without a matcher a hook is for every tool",
          `${PROTOCOL} › without a matcher, or with null, a hook is for every tool`,
        ),
        works(
          "S3-06",
          "A matcher is one of `bash`, `read_file`, `write_file`, `edit_file`",
          `${PROTOCOL} › without a matcher, or with null, a hook is for every tool; each of the four names is for its own`,
        ),
        works(
          "S3-42",
          "A name that no tool has is said",
          `${PROTOCOL} › a name that no tool of this dialect has is said, with those it has`,
        ),
      ],
    },
    {
      title: "Three exit codes",
      where: PAGE,
      rows: [
        works("S3-07", "PreToolUse, 0: the tool runs", `${PROTOCOL} › exit code 0 lets the tool run`),
        works(
          "S3-08",
          "PreToolUse, 1: it does not run, and stderr is the error",
          `${PROTOCOL} › exit code 1 blocks it, and stderr is the error`,
        ),
        works(
          "S3-09",
          "PreToolUse, 2: stderr is a message, and the tool runs",
          `${PROTOCOL} › exit code 2 lets it run, and stderr is a message for the model`,
        ),
        works("S3-10", "PostToolUse, 0: nothing happens", `${PROTOCOL} › the three events fire`),
        works(
          "S3-11",
          "PostToolUse, 1: a warning, nothing is blocked",
          `${ENGINE} › after a tool, exit 2 stands beside the result and exit 1 is a warning`,
        ),
        works(
          "S3-12",
          "PostToolUse, 2: stderr is added to the result",
          `${ENGINE} › after a tool, exit 2 stands beside the result and exit 1 is a warning`,
        ),
        works("S3-13", "SessionStart blocks nothing", `${PROTOCOL} › SessionStart with exit %i blocks nothing`),
        works(
          "S3-20",
          "Any block stops the tool; injected messages are collected",
          `${PROTOCOL} › of several hooks any block stops the tool, and injected messages are collected`,
        ),
        works("S3-04", "A script that does not exist is said", `${PROTOCOL} › a script that is not there`),
      ],
    },
    {
      title: "Variables",
      where: PAGE,
      rows: [
        works(
          "S3-15",
          "`HOOK_EVENT`, `HOOK_TOOL_NAME`, `HOOK_TOOL_INPUT`; no output before the tool",
          `${ENGINE} › gets the call in variables, in its own words`,
          "packages/hookloop/src/dialects/hooks-json-dialect.test.ts › has the output of %s after a tool only",
        ),
        works("S3-16", "`HOOK_TOOL_OUTPUT` after the tool", `${ENGINE} › gets the call in variables, in its own words`),
        works(
          "S3-17",
          "It is the plain output",
          "packages/hookloop/src/dialects/hooks-json-dialect.test.ts › has the output of %s after a tool only",
        ),
        works("S3-18", "The input of `write_file` has `path` and `content`", `${ENGINE} › gets the call in variables, in its own words`),
        works("S3-19", "Hooks may be written in any language", `${PROTOCOL} › an audit log of every call, in Python`),
      ],
    },
    {
      title: "Its agent",
      where: MODEL,
      rows: [
        works(
          "S3-21",
          "Permission and hooks work together",
          `${PROTOCOL} › a hook that lets a call pass does not allow what a deny rule forbids`,
        ),
        works("S3-37", "File tools stay in the workspace", `${PROTOCOL} › file tools stay in the workspace`),
        works(
          "S3-38",
          "A conversation, line by line",
          `${PROTOCOL} › a conversation has several turns, and the model gets the earlier ones`,
        ),
        works(
          "S3-30",
          "The model is asked through the Anthropic SDK, with key and address of the environment",
          `${PROTOCOL} › is asked through the Anthropic SDK, with key, address and MODEL_ID`,
        ),
        works("S3-31", "`MODEL_ID` chooses the model", `${PROTOCOL} › is asked through the Anthropic SDK, with key, address and MODEL_ID`),
        differs(
          "S3-32",
          "Without `MODEL_ID` it asks claude-3-5-sonnet-latest",
          {
            here: "It asks claude-opus-5-5: the source's model is no longer offered. `MODEL_ID` or `--model` names another.",
            page: MODEL,
          },
          `${PROTOCOL} › without MODEL_ID it is the model that the docs name`,
        ),
        works("S3-33", "`ANTHROPIC_AUTH_TOKEN` stands in for the key", `${PROTOCOL} › the token stands in for a key that is not there`),
        differs(
          "S3-34",
          "Without a key it sends a made-up one, and the API refuses it",
          {
            here: "Without a key the offline model answers and says so; a named model is refused before anything is fired. An error of a server on the other side of the world says less.",
            page: MODEL,
          },
          "test/agent/model-faults.process.test.ts › without a key it says so before anything is fired",
          `${OFFLINE} › without a key, "run pwd" does what it says`,
        ),
        works(
          "S3-35",
          "A `.env` gives key, address and model",
          `${PROTOCOL} › a .env gives key, address and MODEL_ID where the environment has none`,
        ),
        differs(
          "S3-36",
          "The `.env` wins over the environment",
          {
            here: "The real environment wins, and before trust nothing of the file counts: a checkout must not send your key to an address of its own.",
            page: MODEL,
          },
          `${PROTOCOL} › the real environment wins over the .env`,
          "test/security/untrusted-project.process.test.ts › address, key and model of the project's .env are not used, and that is reported",
        ),
        differs(
          "S3-39",
          "Hooks of the file run without any further step",
          {
            here: "They run once you have approved them (`hookloop trust review`), or with `--trust-workspace`: the file comes with every checkout, and would otherwise run what a stranger wrote.",
            page: "reference/trust.md#who-needs-what",
          },
          `${PROTOCOL} › before a word of trust no hook of the file runs, and its name and the cure are said`,
        ),
      ],
    },
    {
      title: "Tried out",
      where: PAGE,
      rows: [
        works(
          "S3-01",
          "Its example configuration is read as it is",
          `${EXAMPLE} › one command says the four sentences, and every hook prints its line`,
        ),
        works("S3-40", "One command tries the chapter", `${EXAMPLE} › one command says the four sentences, and every hook prints its line`),
        works(
          "S3-26",
          "Its sentences work word for word",
          `${EXAMPLE} › one command says the four sentences`,
          `${EXAMPLE} › the sentences work without quotes`,
        ),
        works("S3-24", "“summarize the current workspace in one sentence”", `${EXAMPLE} › one command says the four sentences`),
        differs(
          "S3-25",
          "“create notes/hello.ts and print the file content” writes a small program",
          {
            here: "With a key the model writes what it likes. The offline model makes the file and prints it, but writes no code: it is empty unless the sentence says what is to be in it.",
            page: "reference/conversation.md#the-offline-model",
          },
          `${EXAMPLE} › one command says the four sentences`,
          `${EXAMPLE} › the sentences work without quotes, and with a text for the file`,
        ),
        works("S3-22", "“run pwd”", `${OFFLINE} › without a key, "run pwd" does what it says`),
        works("S3-23", "“run ls -la”", `${OFFLINE} › without a key, "run ls -la" does what it says`),
        works(
          "S3-41",
          "An audit log of every call, a linter after writes, a scanner before shell commands",
          `${PROTOCOL} › an audit log of every call, in Python`,
          `${PROTOCOL} › a linter after each write`,
          `${PROTOCOL} › a scanner before each shell command`,
        ),
      ],
    },
  ],
};
