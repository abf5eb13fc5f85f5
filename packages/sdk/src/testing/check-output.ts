import type { EventName } from "../generated/events.ts";
import { TOOL_SAMPLES } from "../generated/samples.ts";
import type { Ability } from "../wire/abilities.ts";
import type { Facts } from "../wire/event-facts.ts";
import type { Diagnostic, HookAnswer } from "./answer.ts";

type Json = Record<string, unknown>;

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
export function checkOutput(event: EventName, facts: Facts, output: Json): Diagnostic[] {
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
export function voidsAnswer({ code }: Diagnostic): boolean {
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

/** Fields of hookSpecificOutput that the event has. */
export function ownFields(facts: Facts): string[] {
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
