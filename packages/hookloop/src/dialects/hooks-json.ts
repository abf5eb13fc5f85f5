import type { EventName } from "@hookloop/sdk";
import { type DialectSession, EVENTS, type EventRow, type Field, HOOK_KINDS } from "../catalogue/index.ts";
import { isObject } from "../check-options.ts";
import {
  contextEffects,
  type Dialect,
  diagnosticsOf,
  type Effect,
  effectsExcept,
  type Failure,
  isRefusal,
  type Note,
  type Reading,
  refusalEffects,
  sanitiseText,
  shortText,
} from "../judge/index.ts";
import type { RawOutcome } from "../run/index.ts";

/** The dialect of `.hooks.json`. */
export const HOOKS_JSON_DIALECT: Dialect = {
  name: "hooks-json",
  files: { read: [{ scope: "project", at: "project", path: ".hooks.json" }] },
  shape: {
    title: "a .hooks.json file",
    events: { SessionStart: "SessionStart", PreToolUse: "PreToolUse", PostToolUse: "PostToolUse" },
    tools: ["bash", "read_file", "write_file", "edit_file"],
    topLevel: {},
    entries: "flat",
    groupFields: ["matcher"],
    kinds: { command: { command: HOOK_KINDS.command["command"] as Field } },
  },
  defaults: { seconds: (_kind, row) => row.timeoutSeconds, onFailure: () => "continue" },
  quirks: {
    inputVariables: ["HOOK_TOOL_INPUT", "HOOK_TOOL_NAME", "HOOK_TOOL_OUTPUT", "HOOK_EVENT"],
    hasOwnWords: false,
    sendsWireNames: false,
    honoursOnce: false,
    missingHeaderVariable: "failure",
    projectVariable: "CLAUDE_PROJECT_DIR",
  },
  input: {
    toolName: toHooksJsonTool,
    payload: (_event, input) => hooksJsonPayload(input),
    variables: ({ event, input, session }) => hooksJsonVariables(event, input, session.writeTemporary),
  },
  answer: {
    cannotSay: effectsExcept("deny", "halt", "continueTurn", "feedback", "withhold", "context"),
    read: (row, _event, raw) => readHooksJsonRun(row, raw),
  },
};

const BLOCK_OR_INJECT = "Exit with 1 to block, with 2 to inject stderr";
const EXITS = "Exit with 0 to continue, with 1 to block, with 2 to inject stderr";

/** The reason of a block without one, as the source system words it. */
const BLOCKED = "Blocked by a hook.";

/**
 * Exit 0 continues, 1 blocks, 2 injects stderr; everything else has failed. That is not what the Claude dialect means by them: a configuration
 * carries its dialect. Never throws.
 */
function readHooksJsonRun(row: EventRow, raw: RawOutcome): Reading {
  if (raw.failure && (raw.failure.kind !== "exit" || raw.exitCode === null)) return { effects: [], failure: raw.failure, diagnostics: [] };
  if (raw.signal !== undefined) return { effects: [], failure: { kind: "signal", text: `ended by ${raw.signal}` }, diagnostics: [] };
  const said = sanitiseText(raw.stderr).trim();
  const code = raw.exitCode ?? 0;
  if (code > 2) {
    const text = `exit code ${code}${said ? `: ${shortText(said, 300)}` : ""}`;
    return { effects: [], failure: { kind: "exit", text, said: said || undefined, cure: EXITS }, diagnostics: [] };
  }
  const { effects, notes, failure } =
    code === 0 ? goOn(row, raw) : code === 1 ? block(row, said || sanitiseText(raw.stdout).trim()) : inject(row, said);
  return { effects, failure, diagnostics: diagnosticsOf(raw.hook, notes) };
}

interface Meaning {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  readonly failure?: Failure | undefined;
}

function goOn(row: EventRow, { stdout, hook }: RawOutcome): Meaning {
  const isAnswer = /"(?:hookSpecificOutput|permissionDecision|decision)"\s*:/.test(stdout.slice(0, 10_000));
  const no = isAnswer ? refusalIn(stdout) : undefined;
  // SECURITY: a guard of the SDK has no other way to deny, and does not know which agent calls it.
  const { effects, notes } = no === undefined ? NOTHING : block(row, no);
  const unread =
    no === undefined
      ? "JSON on stdout is not read from a .hooks.json hook"
      : "its denial in JSON counted, but other readers of .hooks.json do not read JSON";
  if (isAnswer) return { effects, notes: [...notes, ...noted("HL_OUTPUT_NOT_HONOURED", `${unread}. ${BLOCK_OR_INJECT}`).notes] };
  const text = sanitiseText(stdout).trim();
  if (text === "" || row.blockEffect === null || row.blockEffect === "feedback") return NOTHING;
  const words = `it printed "${shortText(text, 60)}" and exited with 0: stdout of a .hooks.json hook is not read, and nothing is blocked`;
  if (hook.isGuard) return { ...NOTHING, failure: { kind: "bad-json", code: "HL_OUTPUT_NO_ANSWER", text: words, cure: EXITS } };
  const level = isRefusal(text) ? "warning" : "notice";
  return { ...NOTHING, notes: [{ code: "HL_OUTPUT_NO_ANSWER", level, text: `${words}. ${EXITS}. This is said once in a session` }] };
}

/** The reason of a denial in the words of the Claude dialect. */
function refusalIn(stdout: string): string | undefined {
  try {
    const { decision, reason, hookSpecificOutput: own } = JSON.parse(stdout);
    if (own?.permissionDecision !== "deny" && decision !== "block" && decision !== "deny") return undefined;
    return sanitiseText(String(own?.permissionDecisionReason ?? reason ?? "")).trim();
  } catch {
    // No JSON, so no answer of the SDK.
    return undefined;
  }
}

function block(row: EventRow, reason: string): Meaning {
  if (row.block !== null) return { effects: refusalEffects(row, reason || BLOCKED), notes: [] };
  return noted("HL_EXECUTE_EXIT", `exit code 1 cannot block here${reason ? `: ${shortText(reason, 300)}` : ""}`);
}

function inject(row: EventRow, text: string): Meaning {
  // Elsewhere 2 blocks, so that may have been meant.
  const { notes } =
    row.block === null ? NOTHING : noted("HL_OUTPUT_NOT_BLOCKED", `exit code 2 blocks nothing in a .hooks.json. ${BLOCK_OR_INJECT}`);
  if (text === "" && notes.length > 0) return { effects: [], notes };
  if (text === "") return noted("HL_OUTPUT_NOT_HONOURED", "exit code 2 injects what is on stderr, and nothing is there");
  if (row.feedback !== null) return { effects: [{ type: "feedback", text }], notes };
  if ("additionalContext" in row.output) return { effects: contextEffects(row, text), notes };
  return noted("HL_OUTPUT_NOT_HONOURED", "exit code 2 injects text, and this event takes none");
}

const NOTHING: Meaning = { effects: [], notes: [] };

function noted(code: Note["code"], text: string): Meaning {
  return { effects: [], notes: [{ code, level: "warning", text }] };
}

type WriteTempFile = DialectSession["writeTemporary"];

type Input = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/** Linux refuses a variable of 131,072 bytes or more (E2BIG), name included. */
const MAX_VARIABLE_BYTES = 100_000;

/** The payload in variables; what is too large for one is in a file whose path stands in `…_FILE`. */
function hooksJsonVariables(event: EventName, input: Input, writeTempFile: WriteTempFile): Variables {
  const isToolEvent = typeof input["tool_name"] === "string";
  return {
    HOOK_EVENT: event,
    ...(isToolEvent && { HOOK_TOOL_NAME: withoutNul(toHooksJsonTool(String(input["tool_name"]))) }),
    ...(isToolEvent && inVariable("HOOK_TOOL_INPUT", toolInputText(input), writeTempFile)),
    ...("tool_response" in EVENTS[event].input && inVariable("HOOK_TOOL_OUTPUT", outputText(input["tool_response"]), writeTempFile)),
  };
}

/** The payload on stdin, with the tool in this dialect's words. */
function hooksJsonPayload(input: Input): Input {
  const { tool_name: name, tool_input: toolInput } = input;
  if (typeof name !== "string") return input;
  return { ...input, tool_name: toHooksJsonTool(name), ...(isObject(toolInput) && { tool_input: toHooksJsonInput(name, toolInput) }) };
}

function toolInputText(input: Input): string {
  return jsonText(hooksJsonPayload(input)["tool_input"] ?? {});
}

/** The text the model would see: a shell's two outputs one after the other, other results as JSON. */
function outputText(response: unknown): string {
  if (typeof response === "string") return response;
  if (isObject(response) && typeof response["stdout"] === "string") {
    const parts = [response["stdout"], response["stderr"]].filter((part): part is string => typeof part === "string" && part !== "");
    return parts.join(parts[0]?.endsWith("\n") ? "" : "\n");
  }
  return response === undefined ? "" : jsonText(response);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    // Circular or a BigInt: the payload on stdin cannot be made either, and that run fails as bad input.
    return "null";
  }
}

function inVariable(name: string, value: string, writeTempFile: WriteTempFile): Variables {
  const text = withoutNul(value);
  return Buffer.byteLength(text) <= MAX_VARIABLE_BYTES ? { [name]: text } : { [`${name}_FILE`]: writeTempFile(name, text) };
}

/** A NUL in a variable makes spawn throw. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}

/** How `.hooks.json` calls a tool of the agent, and that tool's input fields. */
interface ToolSpelling {
  readonly name: string;
  /** The agent's field → this dialect's; fields that are not listed keep their name. */
  readonly fields: Readonly<Record<string, string>>;
}

const PATH = { file_path: "path" };

/** By the agent's name. A tool that is not listed keeps its name and its fields. */
const SPELLINGS: Readonly<Record<string, ToolSpelling>> = {
  Bash: { name: "bash", fields: {} },
  Read: { name: "read_file", fields: PATH },
  Write: { name: "write_file", fields: PATH },
  Edit: { name: "edit_file", fields: { ...PATH, old_string: "old_text", new_string: "new_text" } },
};

/** `Bash` → `bash`. */
export function toHooksJsonTool(agentName: string): string {
  return spellingOf(agentName)?.name ?? agentName;
}

/** The agent's input of a tool in this dialect's fields. */
export function toHooksJsonInput(agentName: string, input: Input): Input {
  return renamed(input, spellingOf(agentName)?.fields ?? {});
}

/** The other way round: what such a hook made of the input, in the agent's fields. */
export function fromHooksJsonInput(agentName: string, input: Input): Input {
  const names = Object.entries(spellingOf(agentName)?.fields ?? {}).map(([own, theirs]) => [theirs, own]);
  return renamed(input, Object.fromEntries(names));
}

function spellingOf(agentName: string): ToolSpelling | undefined {
  return Object.hasOwn(SPELLINGS, agentName) ? SPELLINGS[agentName] : undefined;
}

function renamed(input: Input, names: Readonly<Record<string, string>>): Input {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [(Object.hasOwn(names, key) && names[key]) || key, value]));
}
