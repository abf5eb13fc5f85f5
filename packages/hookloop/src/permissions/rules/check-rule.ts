import type { ToolRule } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import {
  isKnownTool,
  looksLikeRegex,
  meantRule,
  parameterOf,
  parseRule,
  plainCommands,
  type Rule,
  regexCure,
  type Slip,
  type SlipPlace,
  severalRules,
  slipOf,
  toolHint,
  toolRow,
} from "../grammar/index.ts";
import type { PlacedText, RuleList } from "../types.ts";
import { RULE_TOOL_NAMES, spokesmanOf } from "./covered-tools.ts";

/** A rule that can be used, what is wrong with it, or both. */
export interface CheckedRule {
  readonly rule?: Rule | undefined;
  /** Rules that count beside it: what it means where its words say something else. Never of an allow rule. */
  readonly meant?: readonly Rule[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface Checking extends PlacedText, SlipPlace {
  /** Tools the agent has besides the known ones. */
  readonly tools: readonly string[];
  /** Nobody will read the finding: no better name is looked for. */
  readonly isBrief?: boolean | undefined;
}

type Problem = {
  readonly code: ErrorCode;
  readonly level: Diagnostic["level"];
  readonly why: string;
  readonly meant?: readonly Rule[] | undefined;
};

/** Reads one rule of a list. One that cannot mean anything is left out; its neighbours stay. */
export function checkRule(checking: Checking): CheckedRule {
  const written = parseRule(checking.text);
  const rule = written && checking.list !== "allow" ? meantRule(written) : written;
  const slip = rule && slipOf(rule, checking);
  if (rule && slip) return slipped(rule, slip, checking);
  const problem =
    written && rule
      ? (problemOf(rule, checking) ?? otherName(written, rule, checking) ?? unknownTool(rule, checking))
      : { ...BAD, why: syntaxProblem(checking.text) };
  if (!problem) return { rule, diagnostics: [] };
  const isUsed = problem.level === "warning";
  const text = `The ${checking.list} rule ${JSON.stringify(checking.text)} ${isUsed ? "counts, but" : "is ignored:"} ${problem.why}`;
  const diagnostic: Diagnostic = { code: problem.code, level: problem.level, text, place: checking.place };
  return { rule: isUsed ? rule : undefined, ...(checking.list !== "allow" && { meant: problem.meant }), diagnostics: [diagnostic] };
}

/** SECURITY: what forbids or asks counts as it is meant, too; what allows is never read as more than it says. */
function slipped(rule: Rule, { why, meant, isPlausible }: Slip, { text, list, place }: Checking): CheckedRule {
  const usable = meant.filter((one) => (specProblem(one, list, NO_HINT)?.level ?? "warning") === "warning");
  const cures = usable.slice(0, MAX_CURES).map((one) => JSON.stringify(textOf(one)));
  const written = `${cures.join(" and ")}${usable.length > MAX_CURES ? " …" : ""}`;
  const found = (level: Diagnostic["level"], effect: string, cure: string): readonly Diagnostic[] => [
    { code: "HL_PERMISSION_BAD_RULE", level, text: `The ${list} rule ${JSON.stringify(text)} ${effect}: ${why}${cure}`, place },
  ];
  if (usable.length > 0 && list !== "allow")
    return { rule, meant: usable, diagnostics: found("warning", `counts as ${written}`, " Write that.") };
  if (isPlausible) return { rule, diagnostics: found("warning", "counts as it is written", ` Write ${written} if you mean that.`) };
  return { diagnostics: found("error", "is ignored", usable.length > 0 ? ` Write ${written}.` : "") };
}

const MAX_CURES = 5;

function textOf({ tool, spec }: Rule): string {
  return spec === undefined ? tool : `${tool}(${spec})`;
}

const BAD = { code: "HL_PERMISSION_BAD_RULE", level: "error" } as const;

function syntaxProblem(text: string): string {
  const opening = text.split("(").length - 1;
  const closing = text.split(")").length - 1;
  if (opening > 0 && (opening !== closing || !text.trim().endsWith(")"))) {
    return 'its parentheses do not match. Write "Tool(what it is about)", as in "Bash(git push *)".';
  }
  return 'it is not a rule. Write a tool, or a tool and what it is about: "Read", "Bash(git push *)", "Edit(src/**)".';
}

type Hint = (tool: string) => string;
const NO_HINT: Hint = () => "";

function problemOf(rule: Rule, { list, tools, isBrief }: Checking): Problem | undefined {
  return (list === "allow" ? broadAllow(rule) : undefined) ?? specProblem(rule, list, isBrief ? NO_HINT : (tool) => toolHint(tool, tools));
}

/** SECURITY: an allow rule must not open more than its writer can see. */
function broadAllow({ tool }: Rule): Problem | undefined {
  if (!tool.includes("*") || /^mcp__[^*]+?__/.test(tool)) return undefined;
  return { ...BAD, why: 'an allow rule may have "*" in a tool\'s name only after "mcp__<server>__". Name the tool.' };
}

function specProblem(rule: Rule, list: RuleList, hintOf: Hint): Problem | undefined {
  const { tool, spec } = rule;
  if (spec === undefined) return undefined;
  const parameter = parameterOf(rule);
  if (parameter && list === "allow") {
    return {
      ...BAD,
      why: `a rule about the parameter "${parameter.field}" can only deny or ask. Allow the tool, and deny the values you do not want.`,
    };
  }
  if (parameter) return undefined;
  if (tool.includes("*")) return { ...BAD, why: `a rule for several tools can only be about a parameter, as in "${tool}(name:value)".` };
  const kind = toolRow(tool)?.rule?.kind;
  if (kind === "path" && spokesmanOf(tool)) return notConsulted(rule);
  if (kind === "domain" && !/^domain:\S+$/.test(spec)) return { ...BAD, why: `write "${tool}(domain:example.com)".` };
  const bad = kind === "command" ? commandProblem(spec) : undefined;
  if (kind !== undefined) return bad ?? (looksLikeRegex(kind, spec) ? regexSlip(rule, kind) : severalSpecs(rule));
  return { ...BAD, why: `${tool} has nothing that "${spec}" could be compared with.${hintOf(tool) || ` Write "${tool}" alone.`}` };
}

function notConsulted({ tool, spec }: Rule): Problem {
  const why = `path rules of ${tool} are never consulted. Write "${spokesmanOf(tool)}(${spec})": it covers ${tool} too.`;
  return { code: "HL_PERMISSION_NOT_CONSULTED", level: "error", why };
}

function commandProblem(spec: string): Problem | undefined {
  if (/:\*(?!$)/.test(spec)) return { ...BAD, why: '":*" may only stand at the end. Write " *" for anything in the middle.' };
  return undefined;
}

function regexSlip(rule: Rule, kind: ToolRule["kind"]): Problem {
  const why = `it is no regular expression: it is compared as it is written, with * for any text. ${regexCure(kind, rule)}`;
  const meant = kind === "command" ? plainCommands(rule.spec ?? "").map((spec) => ({ tool: rule.tool, spec })) : [];
  return { code: "HL_PERMISSION_BAD_RULE", level: "warning", why, meant };
}

/** `Bash(rm *|mv *)`. With spaces around it, a pipe may be what the rule is about: `Bash(curl * | sh *)`. */
function severalSpecs({ tool, spec = "" }: Rule): Problem | undefined {
  const several = / \|\|? |&&|;/.test(spec) ? undefined : severalRules(`${tool}(${spec})`);
  if (!several) return undefined;
  const cures = several.map((one) => JSON.stringify(one)).join(" and ");
  const why = `it is compared as one text, not as alternatives. Write ${cures}.`;
  return { code: "HL_PERMISSION_BAD_RULE", level: "warning", why, meant: several.flatMap((one) => parseRule(one) ?? []) };
}

/** The agent may well have a tool of that name: then it is a rule for it as well. */
function otherName({ tool }: Rule, meant: Rule, { tools }: Checking): Problem | undefined {
  if (tool === meant.tool || tools.includes(tool)) return undefined;
  const why = `no tool is called "${tool}" here: it is taken for ${meant.tool}. Write "${textOf(meant)}".`;
  return { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", why };
}

function unknownTool({ tool }: Rule, { tools, isBrief }: Checking): Problem | undefined {
  if (tool.includes("*") || isKnownTool(tool, [...tools, ...RULE_TOOL_NAMES])) return undefined;
  const why = `no tool is called "${tool}" here.${isBrief ? "" : toolHint(tool, tools)}`;
  return { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", why };
}
