import type { EventName } from "../generated/events.ts";
import type { Ability } from "../wire/abilities.ts";
import type { Facts } from "../wire/event-facts.ts";
import type { Diagnostic } from "./answer.ts";

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

/** What an agent ignores without a word: fields the event does not have, and a missing or wrong event name. */
export function checkOutput(event: EventName, facts: Facts, output: Json): Diagnostic[] {
  const specific = output["hookSpecificOutput"] as Json | undefined;
  const unknownTop = Object.keys(output).filter((field) => !TOP_LEVEL.includes(field));
  const unknownOwn = Object.keys(specific ?? {}).filter((field) => !ownFields(facts).includes(field));
  const found = [
    ...unknownTop.map((field) =>
      unknownField(field, `the output of ${event}`, ownFields(facts).includes(field) ? ". Put it into hookSpecificOutput" : ""),
    ),
    ...unknownOwn.map((field) => unknownField(field, `hookSpecificOutput of ${event}`, `. It has: ${ownFields(facts).join(", ")}`)),
  ];
  if (specific && specific["hookEventName"] !== event) found.push(wrongEventName(event, specific["hookEventName"]));
  const decision = wrongDecision(facts, specific ?? {});
  return decision ? [...found, decision] : found;
}

function wrongDecision(facts: Facts, own: Json): Diagnostic | undefined {
  const said = own["permissionDecision"];
  const known: readonly unknown[] = facts.can.filter((can) => ["allow", "deny", "ask", "defer"].includes(can));
  if (said === undefined || facts.mechanism !== "p" || known.includes(said)) return undefined;
  const message = `HL_TEST_VALUE_UNKNOWN: permissionDecision ${JSON.stringify(said)} does not exist and decides nothing. Write one of: ${known.join(", ")}`;
  return { code: "HL_TEST_VALUE_UNKNOWN", message };
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
