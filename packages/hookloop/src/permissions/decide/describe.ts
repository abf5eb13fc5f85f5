import { placeText } from "../../diagnostic.ts";
import type { DecidedBy, Likeness, RuleList, RuleReference } from "../types.ts";

const VERBS: Readonly<Record<RuleList, string>> = { allow: "allows", ask: "asks about", deny: "forbids" };

/** Why, for people: the rule with its place, the mode, or what always holds. */
export function describeDecision(decision: RuleList, by: DecidedBy, tool: string, likeness?: Likeness): string {
  switch (by.kind) {
    case "rule":
      return decision !== "allow" && likeness?.outcome === "may hold"
        ? `The ${ruleText(by.rule)} may be about ${tool}, which is what some agents call ${likeness.tool}: the input has nothing that the rule could be compared with.`
        : `The ${ruleText(by.rule)} ${VERBS[decision]} ${tool}.`;
    case "protection":
      return `${tool} touches what the agent may not change by itself.`;
    case "hook":
      return `A hook ${VERBS[decision]} ${tool}.`;
    case "program":
      return `The program ${VERBS[decision]} ${tool}.`;
    case "mode":
      return `The mode ${by.mode} ${VERBS[decision]} ${tool}.`;
    default:
      return decision === "allow"
        ? `${tool} needs no question: it changes nothing outside of what is allowed.`
        : `${tool} needs permission: no rule allows it.`;
  }
}

/** `deny rule "Bash(rm *)" of project scope (.claude/settings.json:3:14)`. */
export function ruleText({ list, text, scope, place }: RuleReference): string {
  return `${list} rule ${JSON.stringify(text)} of ${scope} scope${place ? ` (${placeText(place)})` : ""}`;
}
