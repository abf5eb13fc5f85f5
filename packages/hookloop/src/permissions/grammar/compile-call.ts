import { plainName, type ToolRule } from "../../catalogue/index.ts";
import { spendWork } from "../call-facts.ts";
import type { CallFacts } from "../types.ts";
import { compileCommandSpec } from "./command-spec.ts";
import { compileDomainSpec } from "./domain-spec.ts";
import type { Rule } from "./parse-rule.ts";
import { compilePathSpec, type PathAnchors, type PathManner } from "./path-spec.ts";
import { toolRow } from "./tool-name.ts";
import { compileWildcard } from "./wildcard.ts";

/** Whether the arguments of a call fit; the tool does already. */
export type CallTest = (facts: CallFacts) => boolean;

/** Who asks: a hook's `if`, a rule that forbids or asks, or a rule that allows. */
export type RuleUse = "condition" | "guard" | "allow";

const MANNERS: Readonly<Record<RuleUse, PathManner>> = { condition: "some", guard: "anyDepth", allow: "every" };

/** The test of what stands in the brackets; nothing if the tool has nothing it could be compared with. */
export function compileCall({ tool, spec }: Rule, anchors: PathAnchors, use: RuleUse): CallTest | undefined {
  if (spec === undefined) return () => true;
  const parameter = parameterOf({ tool, spec });
  if (parameter) return use === "allow" ? undefined : compileParameter(parameter);
  const rule = toolRow(tool)?.rule;
  return rule && compileSpec(rule, spec, { anchors, use });
}

export interface Parameter {
  readonly field: string;
  readonly value: string;
}

/** `Tool(field:value)`, if the field is one of the tool's, but not the one its rules are about. */
export function parameterOf({ tool, spec = "" }: Rule): Parameter | undefined {
  const [, field, value] = /^(\w+):(.+)$/s.exec(spec) ?? [];
  if (field === undefined || value === undefined) return undefined;
  const row = toolRow(tool);
  const isOwn = row ? Object.hasOwn(row.input, field) : !tool.includes("(");
  return isOwn && field !== row?.rule?.field ? { field, value } : undefined;
}

/** Longer ones are no other spelling of a parameter's name. */
const MAX_FIELD = 200;

/** A plain value of the call. */
function compileParameter({ field, value }: Parameter): CallTest {
  const fits = compileWildcard(value);
  const plain = plainName(field);
  const isField = (name: string): boolean => name === field || (name.length <= MAX_FIELD && plainName(name) === plain);
  // SECURITY: however the field is spelt, as tools are: `To:prod` is about `to`.
  return (facts) =>
    Object.keys(facts.input).some((name) => {
      const given = isField(name) ? facts.input[name] : undefined;
      if (!["string", "number", "boolean"].includes(typeof given)) return false;
      const text = String(given);
      return !spendWork(facts, 1 + (text.length >> 10)) || fits(text);
    });
}

interface SpecOptions {
  readonly anchors: PathAnchors;
  readonly use: RuleUse;
}
type SpecTest = (value: string, facts: CallFacts) => boolean;

function compileSpec({ kind, field }: ToolRule, spec: string, options: SpecOptions): CallTest | undefined {
  const fits = COMPILERS[kind](spec, options);
  if (!fits) return undefined;
  return (facts) => {
    const value = facts.input[field];
    if (typeof value === "string") return spendWork(facts, 1 + (value.length >> 10)) ? fits(value, facts) : options.use !== "allow";
    // SECURITY: a call that does not say what the rule is about may be about it: a guard runs, an allow rule is silent.
    return options.use !== "allow";
  };
}

const COMPILERS: Readonly<Record<ToolRule["kind"], (spec: string, options: SpecOptions) => SpecTest | undefined>> = {
  command: (spec, { use }) => {
    if (use === "allow") return (command) => command.trim() === spec;
    const fits = compileCommandSpec(spec, { countsSubstitution: use === "condition" });
    return (command, { read }) => fits(command, read);
  },
  path: (spec, { anchors, use }) => compilePathSpec(spec, anchors, MANNERS[use]),
  domain: (spec, { use }) => compileDomainSpec(spec, use === "allow" ? "surely" : "maybe"),
  name: (spec) => compileWildcard(spec),
};
