import type { Ability } from "@hookloop/sdk";
import type { Fields } from "./field.ts";
import type { EventRow } from "./row.ts";

/** Fields of `hookSpecificOutput` that have an output helper of their own. */
const HELPER_FIELDS = [
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "updatedPrompt",
];

/** What a hook of this event can say, read off the row's columns. */
export function abilitiesOf(row: EventRow): readonly Ability[] {
  const decisions = decisionsOf(row);
  const isExpressible: Readonly<Record<Ability, boolean>> = {
    allow: decisions.includes("allow"),
    deny: decisions.includes("deny"),
    ask: decisions.includes("ask"),
    defer: decisions.includes("defer"),
    block: row.block !== null,
    rewrite: "updatedInput" in row.output || row.block === "request",
    context: "additionalContext" in row.output,
    feedback: row.feedback !== null,
    replaceOutput: "updatedToolOutput" in row.output,
    rewritePrompt: "updatedPrompt" in row.output,
    stop: row.honoursContinue,
    tellUser: row.honoursContinue,
    output: Object.keys(outputFieldsOf(row)).length > 0,
  };
  return (Object.keys(isExpressible) as Ability[]).filter((ability) => isExpressible[ability]);
}

function decisionsOf(row: EventRow): readonly string[] {
  if (row.block === "request") return ["allow", "deny"];
  const type = row.output["permissionDecision"]?.type;
  return type?.kind === "choice" ? type.values : [];
}

/** The fields `output({ … })` may set: what no other helper sets, and the parts of a permission answer. */
export function outputFieldsOf(row: EventRow): Fields {
  const decision = row.output["decision"]?.type;
  const answers = decision?.kind === "either" ? decision.options.map((option) => (option.kind === "shape" ? option.fields : {})) : [];
  const fields: Fields = answers.length > 0 ? Object.assign({}, ...answers) : row.output;
  const own = Object.entries(fields).filter(([name]) => !HELPER_FIELDS.includes(name) && !["behavior", "message"].includes(name));
  return Object.fromEntries(own);
}

/** What saying it does, where the event's row does not say it better. */
export const ABILITY_MEANS: Readonly<Record<Ability, string>> = {
  allow: "skips the question; never beats a deny or ask rule",
  deny: "the same as block",
  ask: "lets the user decide; a refusal where there is no user to ask",
  defer: "ends a headless run here; whoever resumes it decides",
  block: "blocks",
  rewrite: "replaces the whole tool input",
  context: "gives the model this text",
  feedback: "puts a reason beside the result; the model gets both",
  replaceOutput: "shows the model this instead of the tool's output",
  rewritePrompt: "sends the model this prompt instead (hookloop only; Claude Code keeps the prompt)",
  stop: "ends the agent's work after this step; the user gets the reason",
  tellUser: "shows the user this text",
  output: "sets fields that only this event has",
};
