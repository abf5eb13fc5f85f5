// Takes what every source says about permissions, and which sources are trusted. Gives the rules that count, compiled, with mode and directories.
// Refuses rules that mean nothing, and whatever would loosen something from a source that may only tighten; each with a diagnostic.

import { resolve } from "node:path";
import { LOOSE_MODES, PERMISSION_MODES, type ToolRule } from "../../catalogue/index.ts";
import { checkEntries, checkGiven, invalidOption, nameCure, shown } from "../../check-options.ts";
import { type Diagnostic, didYouMean } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import type {
  PermissionMode,
  PermissionRule,
  PlacedSource,
  PlacedText,
  RuleList,
  RuleScope,
  RuleSet,
  RuleSource,
  WrittenPermissions,
} from "../types.ts";
import { compileRule, parameterOf } from "./compile-rule.ts";
import { limitDirectories, limitRules, RULE_TOOL_NAMES, RuleFindings, type SourceRule, spokesmanOf } from "./matching-rules.ts";
import { isKnownTool, meantRule, parseRule, type Rule, toolHint, toolRow } from "./rule-grammar.ts";
import { joinedRules, looksLikeRegex, plainCommands, regexCure, type Slip, type SlipPlace, severalRules, slipOf } from "./spec-slip.ts";

interface RuleOptions {
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
  readonly home?: string | undefined;
}

export interface ReadRules {
  readonly rules: RuleSet;
  readonly diagnostics: readonly Diagnostic[];
}

/** A checkout brings these along: without trust they can only tighten. */
const CARRIED_SCOPES: readonly RuleScope[] = ["local", "project", "plugin", "skill"];
export const MODES: readonly PermissionMode[] = PERMISSION_MODES;

export const NO_RULES: RuleSet = { allow: [], ask: [], deny: [], directories: [], isBypassDisabled: false };

/** The rules of all sources; their order does not matter. Throws at what is no source of rules: a list under another name would be none. */
export function readRules(given: readonly RuleSource[] | WrittenPermissions, options: RuleOptions = {}): ReadRules {
  checkGiven("readRules()", options, { tools: "texts", home: "text" }, []);
  const isRootless = isWritten(given);
  const sources = isRootless ? [ofProgram(given)] : given;
  const diagnostics: Diagnostic[] = [];
  const findings = new RuleFindings(diagnostics);
  const counting = placedSources(sources)
    .sort(byAuthority)
    .map((source) => takenApart(tightened(source, diagnostics), findings));
  const rulesOf = (list: RuleList): readonly PermissionRule[] => {
    const rules = limitRules(counting, list, diagnostics).flatMap((rule) => compiled(rule, list, { ...options, isRootless }, findings));
    return rules.sort(compareRules);
  };
  const rules: RuleSet = {
    deny: rulesOf("deny"),
    ask: rulesOf("ask"),
    allow: rulesOf("allow"),
    mode: counting.map((source) => modeOf(source, diagnostics)).find((mode) => mode !== undefined),
    directories: counting.flatMap((source) =>
      limitDirectories(source, diagnostics).map(({ text }) => folder(text, isRootless ? "" : source.root, options)),
    ),
    isBypassDisabled: counting.some(({ scope, permissions }) => scope === "managed" && permissions.disableBypassPermissionsMode === true),
    diagnostics,
  };
  findings.close();
  return { rules, diagnostics };
}

const WRITTEN: readonly string[] = ["allow", "ask", "deny", "defaultMode", "additionalDirectories"] satisfies (keyof WrittenPermissions)[];

/** Lists of a program's own: they belong to the root of the permissions that they are used with. SECURITY: with a name among them that is none, they are no source at all, and that is thrown. */
function isWritten(given: readonly RuleSource[] | WrittenPermissions): given is WrittenPermissions {
  const names = typeof given === "object" && given !== null && !Array.isArray(given) ? Object.keys(given) : [];
  return names.length > 0 && names.every((name) => WRITTEN.includes(name));
}

function ofProgram(permissions: WrittenPermissions): RuleSource {
  return { scope: "code", root: process.cwd(), isTrusted: true, permissions };
}

function compiled(
  { text, place, source: { scope, root } }: SourceRule,
  list: RuleList,
  { tools = [], home, isRootless }: RuleOptions & { readonly isRootless: boolean },
  findings: RuleFindings,
): readonly PermissionRule[] {
  const checked = checkRule({ list, text, place, tools, root, home, isBrief: findings.isFull(scope) });
  // SECURITY: a rule that the program itself wrote and that means nothing is a mistake in it, and must not depend on the diagnostics being read.
  if (!checked.rule && scope === "code")
    throw invalidOption(
      checked.diagnostics[0]?.text.replace(" is ignored:", " cannot be used:") ?? `the rule ${JSON.stringify(text)} means nothing`,
    );
  findings.add(scope, checked.diagnostics);
  if (!checked.rule) return [];
  const reference = { list, text, scope, place };
  const [rule, ...meant] = [checked.rule, ...(checked.meant ?? [])].map((one) =>
    compileRule({ reference, rule: one, root: isRootless ? undefined : root, home }),
  );
  if (!rule || meant.length === 0) return rule ? [rule] : [];
  return [{ ...reference, matches: (facts) => rule.matches(facts) || meant.some((one) => one.matches(facts)) }];
}

/**
 * Each rule in a text of its own. SECURITY: read as one rule, `Bash(rm *),Bash(mv *)` is about a command that is never run, so it would
 * deny nothing. What was meant is taken from it where it forbids or asks, never where it allows.
 */
function takenApart(source: PlacedSource, findings: RuleFindings): PlacedSource {
  const lists = (["allow", "ask", "deny"] as const).map((list) => {
    const texts = source.permissions[list].flatMap(({ text, place }) => {
      const rules = joinedRules(text);
      if (!rules) return [{ text, place }];
      const finding = severalFinding(list, text, rules);
      if (list === "allow" && source.scope === "code") throw invalidOption(finding.text.replace(" is ignored:", " cannot be used:"));
      findings.add(source.scope, [{ ...finding, place }]);
      return list === "allow" ? [] : rules.map((one) => ({ text: one, place }));
    });
    return [list, texts] as const;
  });
  return { ...source, permissions: { ...source.permissions, ...Object.fromEntries(lists) } };
}

function severalFinding(list: RuleList, text: string, rules: readonly string[]): Diagnostic {
  const effect = list === "allow" ? "is ignored: it holds several rules" : `counts as ${rules.length} rules`;
  const cures = rules.slice(0, 5).map((rule) => JSON.stringify(rule));
  return {
    code: "HL_PERMISSION_BAD_RULE",
    level: list === "allow" ? "error" : "warning",
    text: `The ${list} rule ${JSON.stringify(text)} ${effect}. Write each as a text of its own: ${cures.join(", ")}${rules.length > 5 ? ", …" : ""}.`,
  };
}

/** SECURITY: what an untrusted checkout says may forbid and ask, never allow. */
function tightened(source: PlacedSource, diagnostics: Diagnostic[]): PlacedSource {
  if (source.isTrusted || !CARRIED_SCOPES.includes(source.scope)) return source;
  const { allow, defaultMode, additionalDirectories = [], ...rest } = source.permissions;
  const ignored: readonly (readonly [string, readonly PlacedText[]])[] = [
    ["allow rules", allow],
    ["defaultMode", defaultMode ? [defaultMode] : []],
    ["additionalDirectories", additionalDirectories],
  ];
  for (const [what, texts] of ignored) if (texts[0]) diagnostics.push(untrusted(what, texts, source));
  return { ...source, permissions: { ...rest, allow: [] } };
}

function untrusted(what: string, texts: readonly PlacedText[], { scope, file }: PlacedSource): Diagnostic {
  const named = texts
    .map(({ text }) => JSON.stringify(text))
    .slice(0, 3)
    .join(", ");
  const more = texts.length > 3 ? ` and ${texts.length - 3} more` : "";
  const text = `The ${what} of ${scope} scope (${named}${more}) do not count until the workspace is trusted; its deny and ask rules do.`;
  const place = texts[0]?.place ?? (file === undefined ? undefined : { file });
  return { code: "HL_PERMISSION_UNTRUSTED", level: "warning", text, place };
}

function modeOf({ scope, permissions: { defaultMode } }: PlacedSource, diagnostics: Diagnostic[]): PermissionMode | undefined {
  if (!defaultMode) return undefined;
  const { text, place } = defaultMode;
  const mode = MODES.find((known) => known === text);
  // SECURITY: a checkout must not switch the questions off, trusted or not.
  const isTooMuch = LOOSE_MODES.includes(mode) && CARRIED_SCOPES.includes(scope);
  if (mode && !isTooMuch) return mode;
  const why = isTooMuch
    ? `it cannot be set in ${scope} scope. Set it in your user settings`
    : `it is not a mode.${didYouMean(text, MODES)} The modes are: ${MODES.join(", ")}`;
  diagnostics.push({
    code: isTooMuch ? "HL_PERMISSION_UNTRUSTED" : "HL_PERMISSION_BAD_RULE",
    level: isTooMuch ? "warning" : "error",
    text: `The mode ${JSON.stringify(text)} is ignored: ${why}.`,
    place,
  });
  return undefined;
}

function folder(text: string, root: string, { home = "" }: RuleOptions): string {
  return text === "~" || text.startsWith("~/") ? resolve(home, text.slice(2)) : root === "" ? text : resolve(root, text);
}

function byAuthority(one: PlacedSource, other: PlacedSource): number {
  return rank(one.scope) - rank(other.scope) || compareTexts(one.file ?? "", other.file ?? "");
}

/** Highest source first, then as it stands in the file: which rule is named never depends on the order sources were read in. */
export function compareRules(one: PermissionRule, other: PermissionRule): number {
  return (
    rank(one.scope) - rank(other.scope) ||
    compareTexts(one.place?.file ?? "", other.place?.file ?? "") ||
    (one.place?.line ?? 0) - (other.place?.line ?? 0) ||
    (one.place?.column ?? 0) - (other.place?.column ?? 0) ||
    compareTexts(one.text, other.text)
  );
}

function rank(scope: RuleScope): number {
  return SCOPES.indexOf(scope);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const SCOPES: readonly RuleScope[] = ["managed", "flag", "code", "session", "user", "local", "project", "plugin", "skill"];
const LISTS: readonly string[] = ["allow", "ask", "deny", "additionalDirectories"];
const OTHERS: readonly string[] = ["defaultMode", "disableBypassPermissionsMode"];

/**
 * Takes sources of rules as a program wrote them: rules as texts, as settings have them, or with their place. Gives them as they are read.
 * Throws at what cannot be meant. SECURITY: a deny list under a misspelt name would be one that is not there.
 */
function placedSources(sources: readonly RuleSource[]): PlacedSource[] {
  if (!Array.isArray(sources))
    throw invalidOption(
      `readRules() takes a list of sources, not ${shown(sources)}. Write readRules(hooks.ruleSources), or readRules([{ … }])`,
    );
  return sources.map((source) => placed(source as unknown));
}

function placed(source: unknown): PlacedSource {
  if (typeof source !== "object" || source === null)
    throw invalidOption(`a rule source is ${shown(source)}. Write { scope, root, isTrusted, permissions: { deny: ["Bash(git push *)"] } }`);
  const { scope, root, permissions } = source as Partial<RuleSource>;
  const where = "a rule source";
  checkEntries(where, source, { scope: SCOPES, file: "text", root: "text", isTrusted: "flag", permissions: "plain object" });
  if (scope === undefined) throw invalidOption(`${where} has no scope. Write one of: ${SCOPES.join(", ")}`);
  if (root === undefined) throw invalidOption(`root of ${where} is undefined. Write the folder that its path rules belong to`);
  if (permissions === undefined) throw invalidOption(`${where} has no permissions. Write permissions: { deny: ["Bash(git push *)"] }`);
  const lists = permissions as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(lists))
    if (![...LISTS, ...OTHERS].includes(name))
      throw invalidOption(`permissions has no list "${name.slice(0, 60)}". ${nameCure(name, [...LISTS, ...OTHERS])}`);
  const mode = lists["defaultMode"];
  const directories = lists["additionalDirectories"];
  return {
    ...(source as RuleSource),
    root: resolve(root),
    permissions: {
      ...(permissions as object),
      allow: textsOf("allow", lists["allow"]),
      ask: textsOf("ask", lists["ask"]),
      deny: textsOf("deny", lists["deny"]),
      ...(mode !== undefined && { defaultMode: placedTextOf("defaultMode", mode) }),
      ...(directories !== undefined && { additionalDirectories: textsOf("additionalDirectories", directories) }),
    },
  };
}

function textsOf(name: string, list: unknown): readonly PlacedText[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw invalidOption(`${name} of permissions is ${shown(list)}. Write a list, as in ["Bash(git push *)"]`);
  return list.map((one) => placedTextOf(name, one));
}

function placedTextOf(name: string, value: unknown): PlacedText {
  if (typeof value === "string") return { text: value };
  const { text } = (value ?? {}) as Partial<PlacedText>;
  if (typeof text === "string") return value as PlacedText;
  throw invalidOption(`${name} of permissions has ${shown(value)} in it. Write a text, or { text, place }`);
}

/** A rule that can be used, what is wrong with it, or both. */
interface CheckedRule {
  readonly rule?: Rule | undefined;
  /** Rules that count beside it: what it means where its words say something else. Never of an allow rule. */
  readonly meant?: readonly Rule[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface Checking extends PlacedText, SlipPlace {
  readonly tools: readonly string[];
  /** The finding is not shown: no better name is looked for. */
  readonly isBrief?: boolean | undefined;
}

type Problem = {
  readonly code: ErrorCode;
  readonly level: Diagnostic["level"];
  readonly why: string;
  readonly meant?: readonly Rule[] | undefined;
};

/** Reads one rule of a list. One that cannot mean anything is left out; its neighbours stay. */
function checkRule(checking: Checking): CheckedRule {
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
  const cures = usable.slice(0, MAX_CURES).map((one) => JSON.stringify(ruleTextOf(one)));
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

function ruleTextOf({ tool, spec }: Rule): string {
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
  const why = `no tool is called "${tool}" here: it is taken for ${meant.tool}. Write "${ruleTextOf(meant)}".`;
  return { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", why };
}

function unknownTool({ tool }: Rule, { tools, isBrief }: Checking): Problem | undefined {
  if (tool.includes("*") || isKnownTool(tool, [...tools, ...RULE_TOOL_NAMES])) return undefined;
  const why = `no tool is called "${tool}" here.${isBrief ? "" : toolHint(tool, tools)}`;
  return { code: "HL_PERMISSION_UNKNOWN_TOOL", level: "warning", why };
}
