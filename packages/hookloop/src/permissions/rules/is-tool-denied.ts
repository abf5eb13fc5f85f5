import { parseRule } from "../grammar/index.ts";
import type { RuleSet } from "../types.ts";
import { compileCoveredTools } from "./covered-tools.ts";

/** Whether no call of the tool can ever happen: then the model need not be offered it. */
export function isToolDenied(tool: string, { deny }: RuleSet): boolean {
  return deny.some(({ text }) => {
    const rule = parseRule(text);
    return rule !== undefined && rule.spec === undefined && compileCoveredTools(rule.tool)(tool);
  });
}
