import { parseRule } from "../grammar/index.ts";
import type { PermissionRule, RuleSet } from "../types.ts";
import { compileCoveredTools } from "./covered-tools.ts";

type ToolTest = (tool: string) => boolean;

const known = new WeakMap<readonly PermissionRule[], readonly ToolTest[]>();

/** Whether no call of the tool can ever happen: then the model need not be offered it. Asked of every tool before each model call. */
export function isToolDenied(tool: string, { deny }: RuleSet): boolean {
  let tests = known.get(deny);
  if (!tests) {
    const names = deny.map(({ text }) => parseRule(text)).flatMap((rule) => (rule && rule.spec === undefined ? rule.tool : []));
    tests = [...new Set(names)].map((name) => compileCoveredTools(name, true));
    known.set(deny, tests);
  }
  return tests.some((covers) => covers(tool));
}
