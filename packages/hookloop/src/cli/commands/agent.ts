import type { Command } from "commander";
import type { HeadlessFlags } from "../../agent/index.ts";
import { inLocale, UsageError } from "../terminal.ts";

// Not through the agent's index: a person at a terminal must not wait for all of it before they see a prompt.

interface AgentCommandOptions {
  readonly print?: string | true;
  readonly outputFormat: string;
  readonly inputFormat: string;
  readonly verbose?: boolean;
  readonly includeHookEvents?: boolean;
  readonly includePartialMessages?: boolean;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: string;
  readonly dangerouslySkipPermissions?: boolean;
  readonly mcpConfig?: readonly string[];
  readonly settings?: string;
  readonly pluginDir?: readonly string[];
  readonly addDir?: readonly string[];
  readonly model?: string;
  readonly script?: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly resume?: string | true;
  readonly continue?: boolean;
  readonly maxTurns?: string;
  readonly init?: boolean;
  readonly initOnly?: boolean;
  readonly maintenance?: boolean;
  readonly trustWorkspace?: boolean;
  readonly trustHook?: readonly string[];
  readonly requireHooks?: boolean;
  /** False after `--no-project-hooks`. */
  readonly projectHooks: boolean;
  readonly allowChangedHooks?: boolean;
}

const HELP = `
Without -p, at a terminal, it is a conversation; /help in it lists its commands.

Without a terminal, hooks of the project do not run until you approve them with
\`hookloop trust review\`, pin them with --trust-hook, or trust the whole project
with --trust-workspace. Every hook that does not run is named on stderr.
A gate that was approved and has changed since, or cannot be read any more, keeps
the run from starting.
Key, address and model of the project's .env count only with --trust-workspace,
and are shown first.

Examples:
  hookloop agent
  hookloop agent -p "Fix the failing test" --allowedTools "Bash(npm test),Edit"
  hookloop agent -p "Review src" --output-format json --trust-workspace
  hookloop agent -p go --script answers.json --output-format stream-json

Exit codes: 0 the turn ended (also if a hook ended it), 1 it could not be done,
2 wrong usage. SIGINT, SIGTERM and SIGHUP end running tools and fire SessionEnd; a second
SIGINT or SIGTERM ends at once, with everything that was started.`;

export function addAgentCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("agent")
    .description("the reference agent: a model, tools, and your hooks around them")
    .argument("[prompt]", "the prompt, if not given after -p")
    .option("-p, --print [prompt]", "answer one prompt without a terminal; the prompt may also come on stdin")
    .option("--output-format <format>", "text, json or stream-json", "text")
    .option("--input-format <format>", "text or stream-json", "text")
    .option("--verbose", "accepted for other agents' scripts; everything is visible anyway")
    .option("--include-hook-events", "show every hook in the stream, not only those of SessionStart and Setup")
    .option("--include-partial-messages", "show text in the stream as it comes")
    .option("--allowedTools, --allowed-tools <rules...>", 'calls that need no question, as in "Bash(npm test),Edit"')
    .option("--disallowedTools, --disallowed-tools <rules...>", "calls that never happen")
    .option("--permission-mode <mode>", "default, plan, acceptEdits, auto, dontAsk or bypassPermissions")
    .option("--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions")
    .option("--mcp-config <files...>", "files with MCP servers")
    .option("--settings <file-or-json>", "more settings for this run")
    .option("--plugin-dir <folders...>", "folders of plugins")
    .option("--add-dir <folders...>", "more folders to work in")
    .option("--model <name>", "the model to ask")
    .option("--script <file>", "replay answers from a file instead of asking a model")
    .option("--agent <type>", "type of the agent, from .claude/agents")
    .option("--session-id <id>", "id of the new session")
    .option("-r, --resume [id]", "go on with an earlier session; the latest if no id is given")
    .option("-c, --continue", "go on with the latest session")
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
    .action(async (prompt: string | undefined, options: AgentCommandOptions) => {
      const flags = flagsOf(prompt, options);
      const cwd = currentFolder();
      if (options.print === undefined && !flags.isSetupOnly) {
        setExitCode(await converse(flags));
        return;
      }
      // Loaded here: the other commands start without it.
      const { runHeadless } = await import("../../agent/run-headless.ts");
      const unread = new AbortController();
      // Other commands end at once when nobody reads on. Here hooks must hear that the session ends, and tools must be ended.
      process.stdout.removeAllListeners("error").on("error", () => unread.abort());
      const err = (text: string): void => void process.stderr.write(inLocale(text));
      const io = { stdin: process.stdin, out: write(process.stdout), err, env: process.env, cwd };
      setExitCode(await runHeadless(flags, { ...io, signal: unread.signal }));
    });
}

/** Without -p somebody types, and must see what they type. */
async function converse(flags: HeadlessFlags): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const text =
      'A conversation needs a terminal, and there is none. For one answer without a terminal: hookloop agent -p "what to do" (the prompt may also come on stdin).';
    throw new UsageError("HL_CLI_NO_TERMINAL", text);
  }
  if (flags.outputFormat !== "text" || flags.inputFormat !== "text") {
    throw new UsageError("HL_CLI_USAGE", "--output-format and --input-format are for programs that read along: use them with -p.");
  }
  const { runConversation } = await import("../conversation/run-conversation.ts");
  return await runConversation(flags);
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

function flagsOf(argument: string | undefined, options: AgentCommandOptions): HeadlessFlags {
  const rules = (given: readonly string[] = []): readonly string[] => given.flatMap(splitRules);
  const prompt = typeof options.print === "string" ? options.print : argument;
  const resume = options.continue ? "" : options.resume === true ? "" : options.resume;
  return {
    prompt,
    resume,
    outputFormat: oneOf("--output-format", options.outputFormat, ["text", "json", "stream-json"]),
    inputFormat: oneOf("--input-format", options.inputFormat, ["text", "stream-json"]),
    includeHookEvents: options.includeHookEvents ?? false,
    includePartialMessages: options.includePartialMessages ?? false,
    allowedTools: rules(options.allowedTools),
    disallowedTools: rules(options.disallowedTools),
    permissionMode: options.dangerouslySkipPermissions ? "bypassPermissions" : options.permissionMode,
    mcpConfig: options.mcpConfig ?? [],
    settings: options.settings,
    pluginDirs: options.pluginDir ?? [],
    addDirs: options.addDir ?? [],
    model: options.model,
    script: options.script,
    agentType: options.agent,
    sessionId: options.sessionId,
    maxTurns: options.maxTurns === undefined ? undefined : positive("--max-turns", options.maxTurns),
    setup: options.maintenance ? "maintenance" : options.init || options.initOnly ? "init" : undefined,
    isSetupOnly: options.initOnly ?? false,
    trustWorkspace: options.trustWorkspace ?? false,
    trustedHooks: Object.fromEntries((options.trustHook ?? []).map(pin)),
    requireHooks: options.requireHooks ?? false,
    noProjectHooks: !options.projectHooks,
    allowChangedHooks: options.allowChangedHooks ?? false,
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

function oneOf<const Value extends string>(flag: string, given: string, values: readonly Value[]): Value {
  const known = values.find((value) => value === given);
  if (known !== undefined) return known;
  throw new UsageError("HL_CLI_USAGE", `${flag} is one of ${values.join(", ")}, not "${given}".`);
}

function positive(flag: string, given: string): number {
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
