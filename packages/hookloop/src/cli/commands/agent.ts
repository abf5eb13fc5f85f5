import { Console } from "node:console";
import type { Command } from "commander";
import type { HeadlessFlags, Looker } from "../../agent/index.ts";
import { PERMISSION_MODES } from "../../catalogue/index.ts";
import { didYouMean } from "../../diagnostic.ts";
import { inLocale, UsageError } from "../terminal.ts";

const HELP = `
Without -p, at a terminal, it is a conversation; /help in it lists its commands.

Without a terminal, hooks of the project do not run until you approve them with
\`hookloop trust review\`, pin them with --trust-hook, or trust the whole project
with --trust-workspace. Every hook that does not run is named on stderr.
The run does not start while an approved gate has changed or cannot be read, or
while a file of --extension is not approved, has changed, or cannot be loaded.
Key, address and model of the project's .env are used only with --trust-workspace,
and are shown first.

DEBUG=hooks does what --verbose does; DEBUG_FORMAT=json makes it one JSON per line.
Commands that only look need no terminal: /hooks, /debug hooks, /permissions, /help.

Examples:
  hookloop agent
  hookloop agent -p "Fix the failing test" --allowedTools "Bash(npm test),Edit"
  hookloop agent /debug hooks
  hookloop agent -p "Review src" --output-format json --trust-workspace
  hookloop agent -p "Review src" --extension ~/hooks/guard.mjs
  hookloop agent -p go --script answers.json --output-format stream-json

Exit codes: 0 the turn ended (also if a hook ended it), 1 it failed,
2 wrong usage. SIGINT, SIGTERM and SIGHUP end running tools and fire SessionEnd; a second
SIGINT or SIGTERM ends at once, with everything that was started.`;

export function addAgentCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("agent")
    .description("the reference agent: a model, tools, and your hooks around them")
    .argument("[prompt...]", "the prompt, if not given after -p; a slash command needs no quotes")
    .option("-p, --print [prompt]", "answer one prompt without a terminal; the prompt may also come on stdin")
    .option("--output-format <format>", "text, json or stream-json (default: text)")
    .option("--json", "the same as --output-format json")
    .option("--input-format <format>", "text or stream-json", "text")
    .option("--verbose", "show on stderr which hooks match each event, and why others do not")
    .option("--include-hook-events", "show every hook in the stream, not only those of SessionStart and Setup")
    .option("--include-partial-messages", "show text in the stream as it comes")
    .option("--allowedTools, --allowed-tools <rules...>", 'calls that need no question, as in "Bash(npm test),Edit"')
    .option("--disallowedTools, --disallowed-tools <rules...>", "calls that never happen")
    .option("--permission-mode <mode>", PERMISSION_MODES.join(", "))
    .option("--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions")
    .option("--mcp-config <files...>", "files with MCP servers")
    .option("--settings <file-or-json>", "more settings for this run")
    .option("--plugin-dir <folders...>", "folders of plugins")
    .option("--extension <file>", "a module that registers hooks (may be repeated)", gather)
    .option("--add-dir <folders...>", "more folders to work in")
    .option("--model <name>", "the model to ask")
    .option("--script <file>", "replay answers from a file instead of asking a model")
    .option("--agent <type>", "type of the agent, from .claude/agents")
    .option("--session-id <id>", "id of the new session")
    .option("-r, --resume [id]", "resume an earlier session; the latest if no id is given")
    .option("-c, --continue", "resume the latest session")
    .option("--max-turns <number>", "end after this many turns")
    .option("--init", "fire Setup(init) first")
    .option("--init-only", "fire Setup(init) and end")
    .option("--maintenance", "fire Setup(maintenance) first")
    .option("--trust-workspace", "trust what the project's own files declare, for this run")
    .option("--trust-hook <id=digest...>", "trust one hook by its digest, for this run (`hookloop trust export` prints them)")
    .option("--require-hooks", "do not start if a configured gate cannot run")
    .option("--no-project-hooks", "run no hook of the project, its plugins and skills")
    .option("--allow-changed-hooks", "start although an approved gate has changed; it blocks what it matches")
    // One spelling of each: with both, nothing fits into 80 columns.
    .configureHelp({ optionTerm: ({ flags }) => flags.replace(/, --[a-z]+-tools/, "") })
    .addHelpText("after", HELP)
    .action(async (words: readonly string[], given: Given) => setExitCode(await runAgentCommand(flagsOf(promptIn(words), given), given)));
}

async function runAgentCommand(flags: HeadlessFlags, given: Given): Promise<number> {
  const cwd = currentFolder();
  // stdout is for the answer, whatever an extension prints.
  if (flags.extensions?.length) globalThis.console = new Console(process.stderr);
  const looker = await lookerFor(flags, cwd);
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const isLook = !hasTerminal && flags.prompt !== undefined && looker?.isLook(flags.prompt);
  if (given["print"] === undefined && !flags.isSetupOnly && !isLook) return await converse(flags);
  // Loaded here: the other commands start without it.
  const { runHeadless } = await import("../../agent/run-headless.ts");
  const unread = new AbortController();
  // Other commands end at once when stdout is closed. Here hooks must get SessionEnd, and tools must be ended.
  process.stdout.removeAllListeners("error").on("error", () => unread.abort());
  const err = (text: string): void => void process.stderr.write(inLocale(text));
  const io = { looker, stdin: process.stdin, out: write(process.stdout), err, env: process.env, cwd };
  return await runHeadless(flags, { ...io, signal: unread.signal });
}

/** Loaded only where a prompt may be a command. */
async function lookerFor({ inputFormat, prompt }: HeadlessFlags, cwd: string): Promise<Looker | undefined> {
  if (inputFormat !== "stream-json" && !prompt?.trimStart().startsWith("/")) return undefined;
  const { createLooker } = await import("../conversation/own-commands.ts");
  return createLooker({ cwd, home: process.env["HOME"] });
}

function gather(one: string, before: readonly string[] = []): readonly string[] {
  return [...before, one];
}

/** Without -p the user types, and must see what they type. */
async function converse(flags: HeadlessFlags): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const text =
      'A conversation needs a terminal, and there is none. For one answer without a terminal: hookloop agent -p "what to do" (the prompt may also come on stdin).';
    throw new UsageError("HL_CLI_NO_TERMINAL", text);
  }
  if (flags.outputFormat !== "text" || flags.inputFormat !== "text") {
    throw new UsageError(
      "HL_CLI_USAGE",
      "--json, --output-format and --input-format are for programs that read the output: use them with -p.",
    );
  }
  const { runConversation } = await import("../conversation/run-conversation.ts");
  return await runConversation(flags);
}

/** `hookloop agent /debug hooks`: as it would be typed in a conversation. */
function promptIn(words: readonly string[]): string | undefined {
  const [first] = words;
  if (words.length <= 1 || first?.startsWith("/")) return first && words.join(" ");
  throw new UsageError(
    "HL_CLI_USAGE",
    `too many arguments for "agent". Expected 1 argument but got ${words.length}. Put the prompt in quotes: "${words.join(" ")}".`,
  );
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError("HL_CLI_USAGE", "The current folder does not exist any more. Go to another folder and start again.");
  }
}

function write(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => void stream.write(text);
}

/** What commander has read: `--max-turns 3` is `maxTurns: "3"`, `--init` is `init: true`, `--add-dir a b` is `addDir: ["a", "b"]`. */
type Given = Readonly<Record<string, unknown>>;

/** Of each pair one would be ignored without a word. */
const EXCLUSIVE: readonly (readonly [one: string, other: string, why: string])[] = [
  ["--session-id", "--resume", "an earlier session keeps its id"],
  ["--session-id", "--continue", "an earlier session keeps its id"],
  ["--resume ID", "--continue", "both say which session to resume"],
  ["--init", "--maintenance", "Setup fires once, for one of them"],
  ["--init-only", "--maintenance", "Setup fires once, for one of them"],
  ["--dangerously-skip-permissions", "--permission-mode", "both set the mode"],
  ["--json", "--output-format", "both set the format"],
];

/** Camel case, as commander has it; "--resume ID" is the option with a value. */
function isGiven(option: string, given: Given): boolean {
  const [flag = "", value] = option.split(" ");
  const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return value === undefined ? given[name] !== undefined && given[name] !== false : typeof given[name] === "string";
}

function refuseContradictions(argument: string | undefined, given: Given): void {
  for (const [one, other, why] of EXCLUSIVE)
    if (isGiven(one, given) && isGiven(other, given))
      throw new UsageError("HL_CLI_USAGE", `${one} and ${other} do not go together: ${why}. Give one of them.`);
  if (argument !== undefined && typeof given["print"] === "string")
    throw new UsageError("HL_CLI_USAGE", `There are two prompts, "${given["print"]}" and "${argument}". Put the prompt in quotes.`);
}

function flagsOf(argument: string | undefined, given: Given): HeadlessFlags {
  refuseContradictions(argument, given);
  const text = (name: string): string | undefined => (typeof given[name] === "string" ? given[name] : undefined);
  const list = (name: string): readonly string[] => (Array.isArray(given[name]) ? given[name] : []);
  const isSet = (name: string): boolean => given[name] === true;
  return {
    prompt: text("print") ?? argument,
    resume: isSet("continue") || isSet("resume") ? "" : text("resume"),
    outputFormat: oneOf("--output-format", text("outputFormat") ?? (isSet("json") ? "json" : "text"), ["text", "json", "stream-json"]),
    inputFormat: oneOf("--input-format", text("inputFormat"), ["text", "stream-json"]),
    includeHookEvents: isSet("includeHookEvents"),
    includePartialMessages: isSet("includePartialMessages"),
    allowedTools: list("allowedTools").flatMap(splitRules),
    disallowedTools: list("disallowedTools").flatMap(splitRules),
    permissionMode: isSet("dangerouslySkipPermissions") ? "bypassPermissions" : text("permissionMode"),
    mcpConfig: list("mcpConfig"),
    settings: text("settings"),
    pluginDirs: list("pluginDir"),
    extensions: list("extension"),
    addDirs: list("addDir"),
    model: text("model"),
    script: text("script"),
    agentType: text("agent"),
    sessionId: text("sessionId"),
    maxTurns: positive("--max-turns", text("maxTurns")),
    setup: isSet("maintenance") ? "maintenance" : isSet("init") || isSet("initOnly") ? "init" : undefined,
    isSetupOnly: isSet("initOnly"),
    trustWorkspace: isSet("trustWorkspace"),
    trustedHooks: Object.fromEntries(list("trustHook").map(pin)),
    requireHooks: isSet("requireHooks"),
    noProjectHooks: given["projectHooks"] === false,
    allowChangedHooks: isSet("allowChangedHooks"),
    isVerbose: isSet("verbose"),
  };
}

/** `Bash(git *, x),Read Write` is three rules: commas and blanks inside parentheses belong to the rule. */
function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === undefined || (depth <= 0 && /[\s,]/.test(character))) {
      rules.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return rules.filter(Boolean);
}

function oneOf<const Value extends string>(flag: string, given: string | undefined, values: readonly Value[]): Value {
  const known = values.find((value) => value === given);
  if (known !== undefined) return known;
  throw new UsageError("HL_CLI_USAGE", `${flag} is one of ${values.join(", ")}, not "${given}".${didYouMean(given ?? "", values)}`);
}

function positive(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError("HL_CLI_USAGE", `${flag} is a whole number above 0, not "${given}".`);
}

/** `ID=sha256:…`: ids hold colons, digests no equals sign. */
function pin(given: string): readonly [string, string] {
  const [, id, digest] = /^(.+)=(sha256:[0-9a-f]{64})$/.exec(given) ?? [];
  if (id && digest) return [id, digest];
  throw new UsageError("HL_CLI_USAGE", `--trust-hook is ID=sha256:… (64 hexadecimal digits), not "${given}".`);
}
