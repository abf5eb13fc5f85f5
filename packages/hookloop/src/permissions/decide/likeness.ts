import { parseRule } from "../grammar/index.ts";
import type { MeantCall } from "../meant-call.ts";
import { matchingRules } from "../rules/matching-rules.ts";
import type { CallFacts, Likeness, PermissionRule, RuleReference, RuleSet } from "../types.ts";

interface Guards {
  readonly denying: readonly RuleReference[];
  readonly asking: readonly RuleReference[];
  readonly likeness?: Likeness | undefined;
}

/** The rules that forbid a call or ask about it, also under the name of the known tool that it amounts to. A deny rule that may be about it asks. */
export function guardsAgainst({ name, tool, surely, perhaps, isCommonWord }: MeantCall, { deny, ask }: RuleSet): Guards {
  const denying = matching(deny, surely);
  const asking = matching(ask, surely);
  if (tool === undefined) return { denying, asking };
  const found = [...denying, ...asking];
  const unclear = [...matching(deny, perhaps), ...matching(ask, perhaps)].filter((rule) => !found.includes(rule));
  const rule = [...found, ...unclear].find(({ text }) => !isNamed(name, text));
  const outcome = found.length > 0 ? "holds" : isCommonWord ? "was not compared" : "may hold";
  return { denying, asking: isCommonWord ? asking : [...asking, ...unclear], ...(rule && { likeness: { tool, rule, outcome } }) };
}

/** Whether the rule is for this very name. */
function isNamed(name: string, text: string): boolean {
  const tool = parseRule(text)?.tool;
  return tool === name || tool?.includes("*") === true;
}

/** Those that match one of the calls, in the order of the list. */
function matching(list: readonly PermissionRule[], calls: readonly CallFacts[]): readonly PermissionRule[] {
  const [only, ...more] = calls;
  if (!only) return [];
  if (more.length === 0) return matchingRules(list, only);
  const found = new Set(calls.flatMap((facts) => matchingRules(list, facts)));
  return list.filter((rule) => found.has(rule));
}
