// Takes one hook file; runs it with a sample, or with a payload that is given, and says what an agent understands of its answer. Where an agent
// starts it, it is the hook itself: stdin, stdout, stderr and the exit code are the hook's own.

import { spawn } from "node:child_process";
import { fstatSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import type { EventName } from "@hookloop/sdk";
import { hookCommand, hostHooks } from "@hookloop/sdk/host";
import type { HookAnswer } from "@hookloop/sdk/testing";
import type { Command } from "commander";
import { EVENT_NAMES, EVENTS, isEventName, samplePayload, TOOL_NAMES } from "../../catalogue/index.ts";
import { visible, visibleLine, withOwnCommand } from "../../diagnostic.ts";
import { asIs, print, printJson, style, UsageError, width, wrap } from "../terminal.ts";
import { knownEvent, knownTool } from "./events.ts";

interface RunOptions {
  readonly event?: string;
  readonly tool?: string;
  readonly input?: string;
  readonly payload?: string;
  readonly json?: boolean;
}

const HELP = `
It runs the file because you name it: nothing has to be approved.

Without --event the event is the one that the file names, else PreToolUse.
Where an agent starts it, without these options and with the event on stdin, it is the
hook itself: stdin, stdout, stderr and the exit code are the hook's own. So TypeScript
runs on every Node, as "command": "hookloop run \\"$CLAUDE_PROJECT_DIR\\"/hook.ts".

Examples:
  hookloop run hook.ts
  hookloop run guard.sh --tool Bash --input '{"command":"git push --force"}'
  hookloop run hook.py --event Stop --json
  hookloop run hook.mjs --payload event.json

Exit codes: 0 fine, 1 the hook failed or some of its answer was dropped, 2 wrong usage.
As the hook itself: the hook's own; 2 if it cannot be started, because that blocks.`;

export function addRunCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("run")
    .description("run one hook file and show what an agent understands of it")
    .argument("<file>", "the hook: TypeScript, JavaScript, sh, Python, or anything with a #! line")
    .argument("[arguments...]", "arguments for the hook; options of its own behind --")
    .option("--event <name>", "a sample of this event")
    .option("--tool <name>", "a call of this tool")
    .option("--input <json>", "with this input of the tool")
    .option("--payload <file>", "the whole event as JSON from a file, - for stdin")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (file: string, args: readonly string[], options: RunOptions) => {
      const hook = path.resolve(file);
      checkFile(file, hook);
      setExitCode(isHook(options) ? await beTheHook(hook, args) : await show(hook, args, options));
    });
}

function checkFile(named: string, file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new UsageError("HL_CLI_USAGE", `There is no hook file ${named} (${file}).`);
  if (!found.isFile()) throw new UsageError("HL_CLI_USAGE", `${named} is not a file. Name the script of the hook.`);
}

/** Nobody asks for anything to be shown, and the event is on stdin: of an agent also if that is empty, since a report would pass for consent. */
function isHook(options: RunOptions): boolean {
  if (Object.keys(options).length > 0 || process.stdin.isTTY) return false;
  if (["CLAUDE", "HOOKLOOP"].some((agent) => process.env[`${agent}_PROJECT_DIR`])) return true;
  const stdin = fstatSync(0);
  return stdin.isFIFO() || stdin.isSocket() || stdin.isFile();
}

const BLOCKS = 2;

async function beTheHook(file: string, args: readonly string[]): Promise<number> {
  // The SDK is loaded here as well, and this process is no hook.
  hostHooks();
  const [program = "", ...words] = wordsOf(file, args);
  return await new Promise((resolve) => {
    // Before it is started: a signal in between would end this process and leave the hook behind.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    const child = spawn(program, words, { stdio: "inherit" });
    child.on("error", (error) => {
      process.stderr.write(`${visible(notStarted(file, error))}\n`);
      resolve(BLOCKS);
    });
    child.on("close", (code, signal) => resolve(code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0)));
  });
}

function wordsOf(file: string, args: readonly string[]): readonly string[] {
  try {
    return [...hookCommand(file).words, ...args];
  } catch (thrown) {
    throw new UsageError("HL_CLI_USAGE", (thrown as Error).message);
  }
}

function notStarted(file: string, error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const cure = code === "EACCES" ? `Run: chmod +x "${file}", and write its interpreter into its first line` : "Look at its first line";
  return `HL_EXECUTE_COULD_NOT_START: ${path.basename(file)} could not be started: ${error.message}. ${cure}.`;
}

/** The event that is sent, and in which words it is told of. */
interface Sent {
  readonly event: EventName;
  readonly tool: string | undefined;
  readonly overrides: Record<string, unknown>;
  readonly stdin?: string;
  readonly isChosen: boolean;
}

interface Report extends HookAnswer {
  readonly failure: string | undefined;
  readonly durationMs: number;
}

async function show(file: string, args: readonly string[], options: RunOptions): Promise<number> {
  const sent = options.payload === undefined ? sampleOf(file, options) : givenPayload(options.payload, options);
  const first = await runOnce(file, args, sent);
  // A sample of another tool than the hook is for shows nothing.
  const other = sent.isChosen ? undefined : toolMissed(first);
  const [used, report] = other === undefined ? [sent, first] : await againWith(file, args, { ...sent, tool: other, isChosen: true });
  const dropped = report.diagnostics.filter(({ code }) => DROPPED.test(code));
  const { event, tool } = used;
  if (options.json) printJson({ file, event, ...(tool !== undefined && { tool }), isSample: used.stdin === undefined, ...report });
  else print(page(file, used, report));
  return report.failure !== undefined || dropped.length > 0 ? 1 : 0;
}

async function againWith(file: string, args: readonly string[], sent: Sent): Promise<readonly [Sent, Report]> {
  const { tool_input, ...sample } = samplePayload(sent.event, sent.tool as never) as unknown as Record<string, unknown>;
  const overrides = { tool_name: sent.tool, tool_input, ...("tool_response" in sample && { tool_response: sample["tool_response"] }) };
  const next = { ...sent, overrides };
  return [next, await runOnce(file, args, next)];
}

function toolMissed({ diagnostics }: HookAnswer): string | undefined {
  const [, hooks = ""] =
    /the hook is for (.*), and did not run/.exec(diagnostics.find(({ code }) => code === "HL_TEST_NOT_CALLED")?.message ?? "") ?? [];
  return TOOL_NAMES.find((name) => new RegExp(`\\b${name}\\b`).test(hooks));
}

/** What the agent does not take of an answer; a notice beside an answer that counts is not among them. */
const DROPPED =
  /^HL_(?:TEST_(?:OUTPUT_NOISE|OUTPUT_INVALID|OUTPUT_TEXT|FIELD_UNKNOWN|VALUE_UNKNOWN|EVENT_NAME|SCRIPT_SLIP|INPUT_UNREAD)|OUTPUT_NOT_HONOURED|SDK_(?!LOG_FAILED|RESULT_CONFLICT|PROMPT_KEPT))/;

function sampleOf(file: string, { event: named, tool: wanted, input }: RunOptions): Sent {
  const event = named === undefined ? eventIn(file, wanted !== undefined || input !== undefined) : knownEvent(named);
  const isServerTool = wanted !== undefined && /^mcp__.+__/.test(wanted);
  const tool = isServerTool && "tool_input" in EVENTS[event].input ? wanted : knownTool(event, wanted);
  const sample = samplePayload(event, isServerTool ? undefined : (tool as never)) as unknown as Record<string, unknown>;
  const { field } = EVENTS[event].matcher ?? {};
  if (input !== undefined && !("tool_input" in sample))
    throw new UsageError(
      "HL_CLI_USAGE",
      `${event} is not about a tool call, so --input says nothing. Give the whole event with --payload.`,
    );
  const own = input === undefined ? (isServerTool ? {} : sample["tool_input"]) : objectOf(input, "--input");
  const overrides = {
    ...(field !== undefined && { [field]: tool ?? sample[field] }),
    ...("tool_input" in sample && { tool_input: own }),
    ...(tool !== undefined && !isServerTool && "tool_response" in sample && { tool_response: sample["tool_response"] }),
  };
  return {
    event,
    tool: tool ?? (sample["tool_name"] as string | undefined),
    overrides,
    isChosen: wanted !== undefined || input !== undefined,
  };
}

/** The event that stands in the file, as in `hook("Stop", …)`; else that of most hooks. */
function eventIn(file: string, isAboutTool: boolean): EventName {
  const text = readFileSync(file, "utf8");
  const declared = [...text.matchAll(/\bhook\(\s*["'`](\w+)["'`]/g)].flatMap(([, name]) => (isEventName(name) ? [name] : []));
  const named = EVENT_NAMES.filter((name) => new RegExp(`["'\`]${name}["'\`]|emitBlock\\w* \\(${name}\\)`).test(text));
  const found = [...declared, ...named].find((name) => !isAboutTool || "tool_input" in EVENTS[name].input);
  return found ?? "PreToolUse";
}

function givenPayload(file: string, { event: named, tool, input }: RunOptions): Sent {
  if (named !== undefined || tool !== undefined || input !== undefined)
    throw new UsageError("HL_CLI_USAGE", "--payload is the whole event: --event, --tool and --input say nothing beside it.");
  const stdin = readText(file);
  const { hook_event_name: event, tool_name: name } = objectOf(stdin, "--payload");
  if (typeof event !== "string")
    throw new UsageError(
      "HL_CLI_USAGE",
      `The payload has no "hook_event_name". \`hookloop events PreToolUse --sample\` prints a true one.`,
    );
  return { event: knownEvent(event), tool: typeof name === "string" ? name : undefined, overrides: {}, stdin, isChosen: true };
}

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (thrown) {
    throw new UsageError("HL_CLI_USAGE", `The payload cannot be read: ${(thrown as Error).message}.`);
  }
}

function objectOf(json: string, option: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // No JSON: said below, as other values are.
  }
  throw new UsageError("HL_CLI_USAGE", `${option} takes a JSON object, as in '{"command":"ls"}'.`);
}

async function runOnce(file: string, args: readonly string[], { event, overrides, stdin }: Sent): Promise<Report> {
  // Loaded here: as the hook itself it starts without it.
  const { runHookFile } = await import("@hookloop/sdk/testing");
  const compiled = hookCompiled(file);
  const command = compiled || args.length > 0 ? wordsOf(file, args) : undefined;
  const ownNames = stdin === undefined ? [] : wordsIn(JSON.parse(stdin));
  const started = performance.now();
  const end = (answer: HookAnswer, failure?: string): Report => ({
    ...answer,
    diagnostics: compiled ? [...answer.diagnostics, compiled] : answer.diagnostics,
    failure,
    durationMs: Math.round(performance.now() - started),
  });
  try {
    const given = { timeoutMs: TIMEOUT_MS, ownNames, ...(command && { command }), ...(stdin !== undefined && { stdin }) };
    return end(await runHookFile(file, event, overrides as never, given));
  } catch (thrown) {
    const { message = String(thrown), answer } = thrown as Partial<Error> & { answer?: HookAnswer };
    if (answer) return end(answer, / failed: ([\s\S]*?)\. If the test is about that/.exec(message)?.[1] ?? message);
    const failure = ofTheFile(file, thrown as Error);
    if (failure === undefined)
      throw new UsageError("HL_CLI_USAGE", message.replace(/^HL_TEST_BAD_CALL: | If (?:it|only) .* ownNames: .*$/g, ""));
    return end(NO_ANSWER, failure);
  }
}

const TIMEOUT_MS = 60_000;
const NO_ANSWER: HookAnswer = { decision: "none", isStopped: false, stdout: "", stderr: "", exitCode: null, diagnostics: [] };

/** What is wrong with the hook, as opposed to what it was called with. */
function ofTheFile(file: string, thrown: Error): string | undefined {
  if ("syscall" in thrown) return notStarted(file, thrown);
  const [, text] =
    /^HL_TEST_(?:BAD_CALL|NO_TYPESCRIPT): (.*(?:Windows line endings|module hook|cannot run).*)$/s.exec(thrown.message) ?? [];
  return text?.replace(/import it and write .*/is, 'Name it in .hookloop/hooks.json as a hook of "type": "module"');
}

function hookCompiled(file: string): HookAnswer["diagnostics"][number] | undefined {
  if (!/\.[cm]?ts$/.test(file) || !hookCommand(file).isCompiled) return undefined;
  const name = path.basename(file);
  const text = `it was compiled; \`node ${name}\` fails with this Node ${process.versions.node}. Write hookloop run ${name} in "command"`;
  return { code: "HL_TEST_TYPESCRIPT", message: `HL_TEST_TYPESCRIPT: ${withOwnCommand(text)}` };
}

/** A payload that was recorded may have fields that no catalogue knows: they are the agent's own. */
function wordsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...wordsIn(one)]);
}

const LABEL_WIDTH = 11;

const MEANS: Readonly<Record<HookAnswer["decision"], string>> = {
  none: "no opinion: the agent continues as if the hook were not there",
  allow: "allow: no question is asked; deny and ask rules still count",
  ask: "ask: the user decides",
  defer: "defer: the run ends here and is decided when it is resumed",
  deny: "deny: it does not happen",
  block: "block",
  feedback: "feedback: the model gets the reason beside the result",
};

function page(file: string, { event, tool, stdin, overrides }: Sent, report: Report): string {
  const { decision, reason, context, updatedInput, updatedOutput, systemMessage, isStopped, exitCode, stderr, diagnostics, failure } =
    report;
  const call = tool === undefined ? "" : ` of ${tool}${"tool_input" in overrides ? ` ${JSON.stringify(overrides["tool_input"])}` : ""}`;
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Event", `${event}${call} (${stdin === undefined ? "a sample" : "as given"})`],
    ["Failed", failure],
    ["Decision", decision === "block" ? `block: ${EVENTS[event].blockMeans}` : MEANS[decision]],
    ["Reason", reason],
    ["Context", context],
    ["New input", json(updatedInput)],
    ["New output", json(updatedOutput)],
    ["To the user", systemMessage],
    ["Ends", isStopped ? "the agent's work, after this step" : undefined],
    ["Exit code", exitCode === null ? "none" : String(exitCode)],
    ["Time", `${report.durationMs} ms`],
    ["Stderr", stderr.trimEnd() || undefined],
  ];
  const lines = rows.flatMap(([label, value]) => (value === undefined ? [] : [row(label, value)]));
  const notes = diagnostics.map(({ message }) => `  ${wrap(visible(withOwnCommand(message)), width() - 2, "    ")}`);
  const heading = `\n${style("bold", "What an agent drops, hides or does not show")}`;
  return [
    style(["bold", "cyan"], visibleLine(path.relative(process.cwd(), file) || file)),
    ...lines,
    ...(notes[0] ? [heading, ...notes] : []),
  ].join("\n");
}

function row(label: string, value: string): string {
  const indent = " ".repeat(LABEL_WIDTH + 1);
  return `${style(label === "Failed" ? "red" : "dim", label.padEnd(LABEL_WIDTH))} ${wrap(asIs(visible(value)), width() - LABEL_WIDTH - 1, indent)}`;
}
