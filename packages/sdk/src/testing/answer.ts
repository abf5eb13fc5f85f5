import { type Ability, eventFacts, type Facts } from "../event-facts.ts";
import type { EventName } from "../generated/events.ts";
import { PLAIN_STDOUT_IS_CONTEXT, TOOL_SAMPLES } from "../generated/samples.ts";
import type { Problem } from "../problem.ts";
import { badCall, checkEvent } from "./check-call.ts";

export interface RawAnswer {
  readonly stdout: string;
  readonly stderr: string;
  /** `null` if the process was ended by a signal. */
  readonly exitCode: number | null;
}

/** What a hook's answer means to an agent of the Claude dialect. */
export interface HookAnswer extends RawAnswer {
  /** `none` is no opinion; `feedback` is a reason beside a result that cannot be undone. */
  readonly decision: "none" | "allow" | "ask" | "defer" | "deny" | "block" | "feedback";
  readonly reason?: string | undefined;
  readonly context?: string | undefined;
  readonly updatedInput?: Record<string, unknown> | undefined;
  readonly updatedOutput?: unknown;
  readonly systemMessage?: string | undefined;
  /** The agent's work ends here (`continue: false`). */
  readonly isStopped: boolean;
  /** The whole JSON answer, if there was one. */
  readonly output?: Record<string, unknown> | undefined;
  /** Everything that was wrong with the hook or its answer. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly code:
    | Problem["code"]
    | "HL_OUTPUT_NOT_HONOURED"
    | "HL_TEST_OUTPUT_NOISE"
    | "HL_TEST_OUTPUT_INVALID"
    | "HL_TEST_FIELD_UNKNOWN"
    | "HL_TEST_VALUE_UNKNOWN"
    | "HL_TEST_EVENT_NAME"
    | "HL_TEST_OUTPUT_TEXT"
    | "HL_TEST_STDERR_HIDDEN"
    | "HL_TEST_TYPESCRIPT"
    | "HL_TEST_TIMEOUT"
    | "HL_TEST_NOT_CALLED"
    | "HL_TEST_PATH_ABSOLUTE"
    | "HL_TEST_SCRIPT_SLIP"
    | "HL_TEST_INPUT_UNREAD"
    | "HL_TEST_EXIT_CODE";
  readonly message: string;
}

export interface FailureOptions {
  /** Give back the answer of a hook that failed, with its `diagnostics`, instead of rejecting. */
  readonly allowFailure?: boolean;
}

const ANSWER_FIELDS: readonly (keyof HookAnswer)[] = [
  "decision",
  "reason",
  "context",
  "updatedInput",
  "updatedOutput",
  "systemMessage",
  "isStopped",
  "output",
  "diagnostics",
  "stdout",
  "stderr",
  "exitCode",
];

/** The promise of an answer, which throws when it is taken for the answer: its `decision` would be undefined, and a test may take that for none. */
export function awaitedOnly(by: string, answer: Promise<HookAnswer>): Promise<HookAnswer> {
  for (const field of ANSWER_FIELDS) {
    const get = (): never => {
      throw badCall(`${field} was read of what ${by}() gives, which is a promise. Write: await ${by}(…)`);
    };
    Reflect.defineProperty(answer, field, { get });
  }
  return answer;
}

/** Why a script says nothing, if its text shows that. One that does say something has seen what it judges. */
export function silentSlip({ decision, output, exitCode }: HookAnswer, file: string, slip: () => string | undefined): Diagnostic[] {
  const found = decision === "none" && output === undefined && exitCode === 0 ? slip() : undefined;
  return found === undefined ? [] : [{ code: "HL_TEST_SCRIPT_SLIP", message: `HL_TEST_SCRIPT_SLIP: ${file} ${found}` }];
}

/** Failures that a hook reports on stderr while its exit code is 0: those of main functions, and of one hook among several. */
const FAILED =
  /^HL_(?:TEST_SCRIPT_SLIP|SDK_(?:HANDLER_|FIELD_MISSPELT|INPUT_CHANGED|RESULT_(?:INVALID|NOT_RETURNED)|OPTION_(?:UNKNOWN|INVALID)|MATCHER_INVALID|TOOL_MISSPELT|HOOK_LATE))/;

/** What a guard says that blocks because it failed. */
const FAILED_GUARD = /^The guard .{1,300} failed, so it blocks\. (HL_SDK_\w+)/;

/** The answer, unless the hook failed: a test that takes that for "no opinion", or the no of a guard that crashed for its judgement, would pass. */
export function orReject(answer: HookAnswer, name: string, { allowFailure = false }: FailureOptions = {}): HookAnswer {
  const how = failureOf(answer);
  if (allowFailure || how === undefined) return answer;
  const said = answer.stderr.trim() || answer.diagnostics.map(({ message }) => message).join("\n");
  const text = `HL_TEST_HOOK_FAILED: ${name} failed: ${how}. If the test is about that, pass { allowFailure: true }.`;
  throw Object.assign(new Error(`${text}\n${said.slice(0, 4000)}`), { answer });
}

/** Interpreters and programs that end with 2 because they could not do their work, which agents take for a no. */
const INTERPRETER =
  /^(?:[^:\n]{1,300}: (?:line )?\d{1,7}: (?:[^\n]{0,300}: )?(?:syntax error|unexpected EOF|cannot open|can't open|(?:command )?not found$)|(?:\S{0,300}\/)?(?:ba|da|a|k|z)?sh: [^\n]{0,100}(?:cannot open|can't open|syntax error)|(?:\S{0,300}\/)?python[\d.]*: can't open file|(?:\S{0,300}\/)?[ef]?grep: (?:.{1,300}: (?:No such file|Is a directory|Permission denied)|Unmatched|[Ii]nvalid|unrecognized)|jq: (?:error|Unknown)|\S{1,300}: error: (?:the following arguments|unrecognized arguments|argument ))[^\n]*/im;

function failureOf({ exitCode, decision, stderr, reason = "", diagnostics, output }: HookAnswer): string | undefined {
  const timeout = diagnostics.find(({ code }) => code === "HL_TEST_TIMEOUT");
  if (timeout) return timeout.message.replace(/^\w+: /, "");
  if (exitCode !== 0 && exitCode !== 2) return exitCode === null ? "it was ended by a signal" : `exit code ${exitCode}`;
  // A script that continues after a program was not found, and gives a reason of its own, has judged.
  const [broken] = (exitCode === 2 && INTERPRETER.exec(stderr.trimEnd().split("\n").at(-1) ?? "")) || [];
  if (broken !== undefined) return `exit code 2 is not its judgement, but its interpreter's: ${broken.trim().slice(0, 200)}`;
  const [, failedGuard] = FAILED_GUARD.exec(reason) ?? [];
  if (failedGuard !== undefined) return failedGuard;
  // A field that is never sent is undefined in every call: what it decided is not what the test is about.
  const misspelt = diagnostics.find(({ code }) => code === "HL_SDK_FIELD_MISSPELT");
  if (decision !== "none" && !misspelt) return undefined;
  // What was printed may have been the answer, unless there was another one.
  const isFailure = ({ code }: Diagnostic): boolean => FAILED.test(code) || (code === "HL_SDK_STDOUT_STRAY" && output === undefined);
  return diagnostics.find(isFailure)?.code;
}

type Json = Record<string, unknown>;

/** Reads an answer as an agent of the Claude dialect does, and says what that agent would have swallowed. */
export function readAnswer(event: EventName, raw: RawAnswer): HookAnswer {
  checkEvent(event);
  if (typeof raw?.stdout !== "string" || typeof raw.stderr !== "string" || raw.exitCode === undefined)
    throw badCall("readAnswer() takes { stdout, stderr, exitCode } of a hook that has ended");
  const facts = eventFacts(event) as Facts;
  const diagnostics: Diagnostic[] = [...reportedProblems(raw.stderr), ...exitProblems(facts, raw), ...hiddenText(event, facts, raw)];
  const written = parseOutput(raw.stdout, diagnostics);
  const mistakes = written ? checkOutput(event, facts, written) : [];
  diagnostics.push(...mistakes);
  const output = mistakes.some(voidsAnswer) ? {} : written;
  const own = ownOutput(event, facts, output);
  const isPlainContext = !raw.stdout.trim().startsWith("{") && raw.exitCode === 0 && PLAIN_STDOUT_IS_CONTEXT.includes(event);
  return {
    ...raw,
    ...decisionOf(facts, raw, { output: output ?? {}, own }),
    context: (own["additionalContext"] as string | undefined) ?? (isPlainContext ? raw.stdout.trim() || undefined : undefined),
    updatedInput: (own["updatedInput"] ?? (own["decision"] as Json | undefined)?.["updatedInput"]) as Json | undefined,
    updatedOutput: own["updatedToolOutput"],
    systemMessage: facts.can.includes("tellUser") ? (output?.["systemMessage"] as string | undefined) : undefined,
    isStopped: output?.["continue"] === false && facts.can.includes("stop"),
    output: written,
    diagnostics,
  };
}

/** The part of the answer that is for this event: without its name, or with another one, it is dropped. */
function ownOutput(event: EventName, facts: Facts, output: Json | undefined): Json {
  const own = (output?.["hookSpecificOutput"] ?? {}) as Json;
  if (own["hookEventName"] !== event) return {};
  return Object.fromEntries(Object.entries(own).filter(([field]) => ownFields(facts).includes(field)));
}

/** A worktree hook fails by every exit code but 0; it is the event whose answer is a path. */
function isRefusedByExit(facts: Facts, { exitCode }: RawAnswer): boolean {
  return exitCode === 2 || (exitCode !== 0 && facts.output.includes("worktreePath"));
}

function decisionOf(facts: Facts, raw: RawAnswer, { output, own }: { output: Json; own: Json }): Pick<HookAnswer, "decision" | "reason"> {
  const request = (own["decision"] ?? {}) as Json;
  const no = facts.can.includes("deny") ? "deny" : facts.can.includes("feedback") ? "feedback" : "block";
  const canSayNo = facts.mechanism !== "-";
  const reason = (own["permissionDecisionReason"] ?? request["message"] ?? output["reason"]) as string | undefined;
  const said = saidInJson(facts, own, output);
  if (isRefusedByExit(facts, raw)) {
    return {
      decision: canSayNo ? no : "none",
      reason: said === "no" || said === "deny" ? (reason ?? raw.stderr.trim()) : raw.stderr.trim(),
    };
  }
  if (said === undefined) return { decision: "none" };
  return { decision: said === "no" ? no : said, reason };
}

function saidInJson(facts: Facts, own: Json, output: Json): "no" | "allow" | "ask" | "defer" | "deny" | undefined {
  const said = own["permissionDecision"] ?? (own["decision"] as Json | undefined)?.["behavior"];
  const known = (["allow", "deny", "ask", "defer"] as const).find((decision) => decision === said && facts.can.includes(decision));
  if (known) return known;
  // The older spelling, which PreToolUse still understands.
  const readsDecision = facts.mechanism === "d" || facts.mechanism === "p";
  if (output["decision"] === "block" && readsDecision) return "no";
  if (output["decision"] === "approve" && facts.can.includes("allow")) return "allow";
  return own["action"] === "decline" ? "no" : undefined;
}

/** Only text that starts with `{` is JSON to the agent; what stands before it disables the answer. */
function parseOutput(stdout: string, diagnostics: Diagnostic[]): Json | undefined {
  const text = stdout.replace(/^\uFEFF/, "").trim();
  if (!text.startsWith("{")) {
    if (/^\{.*\}$/m.test(text)) {
      const cure = "Claude Code then ignores the answer. Print it to stderr";
      diagnostics.push({ code: "HL_TEST_OUTPUT_NOISE", message: `HL_TEST_OUTPUT_NOISE: something was printed before the JSON; ${cure}` });
    }
    return undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    const message = `HL_TEST_OUTPUT_INVALID: stdout looks like JSON but is not: ${(thrown as Error).message}`;
    diagnostics.push({ code: "HL_TEST_OUTPUT_INVALID", message });
    return undefined;
  }
}

const TRACEBACK = /^Traceback \(most recent call last\):$/m;

function exitProblems(facts: Facts, raw: RawAnswer): Diagnostic[] {
  if (raw.exitCode === 2 && TRACEBACK.test(raw.stderr)) {
    const [last = ""] = raw.stderr.trim().split("\n").slice(-1);
    const message = `HL_TEST_EXIT_CODE: exit code 2 after a Python traceback (${last.slice(0, 200)}): it blocks because it failed, and not by its judgement`;
    return [{ code: "HL_TEST_EXIT_CODE", message }];
  }
  if (raw.exitCode === 0 || raw.exitCode === 2) return [];
  const how = raw.exitCode === null ? "ended by a signal" : `exit code ${raw.exitCode}`;
  return [
    {
      code: "HL_TEST_EXIT_CODE",
      message: `HL_TEST_EXIT_CODE: ${how}: the agent reports it and ${isRefusedByExit(facts, raw) ? "takes it for a denial" : "continues"}`,
    },
  ];
}

/** What no agent shows, and what none takes for an answer. */
function hiddenText(event: EventName, facts: Facts, { stdout, stderr, exitCode }: RawAnswer): Diagnostic[] {
  if (exitCode !== 0) return [];
  const found: Diagnostic[] = [];
  const text = stdout.replace(/^\uFEFF/, "").trim();
  const isRead = PLAIN_STDOUT_IS_CONTEXT.includes(event) || facts.output.includes("worktreePath") || /^\{/m.test(text);
  if (text && !isRead) {
    const message = `HL_TEST_OUTPUT_TEXT: it printed ${JSON.stringify(text.slice(0, 60))}, which is no JSON object: agents take that for no opinion`;
    found.push({ code: "HL_TEST_OUTPUT_TEXT", message });
  }
  const unseen = stderr.replace(/^HL_SDK_.*$/gm, "").trim();
  if (unseen) {
    const message = `HL_TEST_STDERR_HIDDEN: the exit code is 0, so agents hide what it wrote to stderr: ${JSON.stringify(unseen.slice(0, 200))}`;
    found.push({ code: "HL_TEST_STDERR_HIDDEN", message });
  }
  return found;
}

function reportedProblems(stderr: string): Diagnostic[] {
  return [...stderr.matchAll(/^(HL_SDK_\w+): .*$/gm)].map(([message, code]) => ({ code: code as Diagnostic["code"], message }));
}

const TOP_LEVEL = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "terminalSequence",
  "decision",
  "reason",
  "hookSpecificOutput",
  "async",
  "asyncTimeout",
];

/** The output field behind a helper, where it has one of its own. */
const HELPER_FIELDS: Readonly<Partial<Record<Ability, readonly string[]>>> = {
  rewrite: ["updatedInput"],
  context: ["additionalContext"],
  replaceOutput: ["updatedToolOutput", "updatedMCPToolOutput"],
  rewritePrompt: ["updatedPrompt"],
};

/** What an agent swallows: fields the event does not have are ignored, and after any other mistake the whole answer is. */
function checkOutput(event: EventName, facts: Facts, output: Json): Diagnostic[] {
  const own = output["hookSpecificOutput"];
  const wrong = wrongTypes(output).map((text) => unknownValue(text));
  if (typeof own !== "object" || own === null) return [...unknownTopLevel(event, facts, output), ...wrong];
  const fields = own as Json;
  const unknown = Object.keys(fields).filter((field) => !ownFields(facts).includes(field));
  const found = unknown.map((field) => unknownField(field, `hookSpecificOutput of ${event}`, `. It has: ${ownFields(facts).join(", ")}`));
  const name = fields["hookEventName"] === event ? [] : [wrongEventName(event, fields["hookEventName"])];
  return [...unknownTopLevel(event, facts, output), ...found, ...name, ...wrong, ...wrongDecision(facts, fields)];
}

/** A built-in tool's output is replaced only by something of its shape; otherwise the model gets the tool's own. */
export function unusedOutput(payload: object, { updatedOutput }: Pick<HookAnswer, "updatedOutput">): Diagnostic[] {
  const { tool_name: tool, tool_response: own } = payload as Json;
  if (updatedOutput === undefined || !Object.hasOwn(TOOL_SAMPLES, String(tool)) || typeof own !== "object" || own === null) return [];
  const given = (typeof updatedOutput === "object" ? updatedOutput : {}) as Json;
  const lost = Object.entries(own).filter(([name, value]) => typeof given[name] !== typeof value);
  if (lost.length === 0) return [];
  const cure = `Return replaceOutput({ ...input.tool_response, ${lost[0]?.[0]}: … })`;
  const message = `HL_OUTPUT_NOT_HONOURED: the output of ${tool} is not replaced, and the model gets the tool's own: ${lost.map(([name]) => name).join(", ")} must be there, as in tool_response. ${cure}`;
  return [{ code: "HL_OUTPUT_NOT_HONOURED", message }];
}

/** Whether the agent drops the answer for this, and with it everything it says. */
function voidsAnswer({ code }: Diagnostic): boolean {
  return code === "HL_TEST_EVENT_NAME" || code === "HL_TEST_VALUE_UNKNOWN";
}

function unknownTopLevel(event: EventName, facts: Facts, output: Json): Diagnostic[] {
  const unknown = Object.keys(output).filter((field) => !TOP_LEVEL.includes(field));
  const cure = (field: string): string => (ownFields(facts).includes(field) ? ". Put it into hookSpecificOutput" : "");
  const lonely = [
    ...("stopReason" in output && output["continue"] !== false ? ["stopReason, which counts only beside continue: false"] : []),
    ...("reason" in output && output["decision"] === undefined ? ["reason, which counts only beside decision"] : []),
  ].map((text): Diagnostic => ({ code: "HL_TEST_FIELD_UNKNOWN", message: `HL_TEST_FIELD_UNKNOWN: the output of ${event} has ${text}` }));
  return [...unknown.map((field) => unknownField(field, `the output of ${event}`, cure(field))), ...lonely];
}

function wrongTypes({ continue: goesOn, decision, hookSpecificOutput: own }: Json): string[] {
  return [
    ...(goesOn === undefined || typeof goesOn === "boolean" ? [] : [`continue is ${JSON.stringify(goesOn)}, not true or false`]),
    ...(decision === undefined || decision === "approve" || decision === "block"
      ? []
      : [`decision ${JSON.stringify(decision)} does not exist at the top level. Write "block", or use hookSpecificOutput`]),
    ...(own === undefined || (typeof own === "object" && own !== null)
      ? []
      : [`hookSpecificOutput is ${JSON.stringify(own)}, not an object`]),
  ];
}

function unknownValue(text: string): Diagnostic {
  return { code: "HL_TEST_VALUE_UNKNOWN", message: `HL_TEST_VALUE_UNKNOWN: ${text}` };
}

function wrongDecision(facts: Facts, own: Json): Diagnostic[] {
  const said = own["permissionDecision"];
  const known: readonly unknown[] = facts.can.filter((can) => ["allow", "deny", "ask", "defer"].includes(can));
  if (said === undefined || facts.mechanism !== "p" || known.includes(said)) return [];
  return [unknownValue(`permissionDecision ${JSON.stringify(said)} does not exist and decides nothing. Write one of: ${known.join(", ")}`)];
}

function ownFields(facts: Facts): string[] {
  const byMechanism = { p: ["permissionDecision", "permissionDecisionReason"], r: ["decision"] }[facts.mechanism] ?? [];
  const own = facts.mechanism === "r" ? [] : [...facts.output, ...facts.can.flatMap((can) => HELPER_FIELDS[can] ?? [])];
  return ["hookEventName", ...byMechanism, ...own].filter(Boolean);
}

function unknownField(field: string, place: string, cure: string): Diagnostic {
  return { code: "HL_TEST_FIELD_UNKNOWN", message: `HL_TEST_FIELD_UNKNOWN: ${place} has no field "${field}"${cure}` };
}

function wrongEventName(event: string, given: unknown): Diagnostic {
  return {
    code: "HL_TEST_EVENT_NAME",
    message: `HL_TEST_EVENT_NAME: hookSpecificOutput.hookEventName is ${JSON.stringify(given)}; Claude Code then drops the answer. Write "${event}"`,
  };
}
