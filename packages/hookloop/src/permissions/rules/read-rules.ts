// Takes what every source says about permissions, and which sources are trusted. Gives the rules that count, compiled, with mode and directories.
// Refuses rules that mean nothing, and whatever would loosen something from a source that may only tighten; each with a diagnostic.
import { resolve } from "node:path";
import { PERMISSION_MODES } from "../../catalogue/index.ts";
import { invalidOption } from "../../check-options.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { joinedRules } from "../grammar/index.ts";
import type { PermissionMode, PermissionRule, PlacedSource, PlacedText, RuleList, RuleScope, RuleSet, RuleSource } from "../types.ts";
import { checkRule } from "./check-rule.ts";
import { compileRule } from "./compile-rule.ts";
import { placedSources, SCOPES } from "./placed-sources.ts";
import { limitDirectories, limitRules, RuleFindings, type SourceRule } from "./rule-limits.ts";

export interface RuleOptions {
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
export function readRules(sources: readonly RuleSource[], options: RuleOptions = {}): ReadRules {
  const diagnostics: Diagnostic[] = [];
  const findings = new RuleFindings(diagnostics);
  const counting = placedSources(sources)
    .sort(byAuthority)
    .map((source) => takenApart(tightened(source, diagnostics), findings));
  const rulesOf = (list: RuleList): readonly PermissionRule[] => {
    const rules = limitRules(counting, list, diagnostics).flatMap((rule) => compiled(rule, list, options, findings));
    return rules.sort(compareRules);
  };
  const rules: RuleSet = {
    deny: rulesOf("deny"),
    ask: rulesOf("ask"),
    allow: rulesOf("allow"),
    mode: counting.map((source) => modeOf(source, diagnostics)).find((mode) => mode !== undefined),
    directories: counting.flatMap((source) => limitDirectories(source, diagnostics).map(({ text }) => folder(text, source.root, options))),
    isBypassDisabled: counting.some(({ scope, permissions }) => scope === "managed" && permissions.disableBypassPermissionsMode === true),
  };
  findings.close();
  return { rules, diagnostics };
}

function compiled(
  { text, place, source: { scope, root } }: SourceRule,
  list: RuleList,
  { tools = [], home }: RuleOptions,
  findings: RuleFindings,
): readonly PermissionRule[] {
  const checked = checkRule({ list, text, place, tools, root, home, isBrief: findings.isFull(scope) });
  // SECURITY: a rule that the program itself wrote and that means nothing is a mistake in it, and must not depend on somebody reading the diagnostics.
  if (!checked.rule && scope === "code")
    throw invalidOption(
      checked.diagnostics[0]?.text.replace(" is ignored:", " cannot be used:") ?? `the rule ${JSON.stringify(text)} means nothing`,
    );
  findings.add(scope, checked.diagnostics);
  if (!checked.rule) return [];
  const reference = { list, text, scope, place };
  const [rule, ...meant] = [checked.rule, ...(checked.meant ?? [])].map((one) => compileRule({ reference, rule: one, root, home }));
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
  const isTooMuch = mode === "bypassPermissions" && CARRIED_SCOPES.includes(scope);
  if (mode && !isTooMuch) return mode;
  const why = isTooMuch ? `cannot be set in ${scope} scope. Set it in your user settings` : `is not a mode. Known are ${MODES.join(", ")}`;
  diagnostics.push({
    code: isTooMuch ? "HL_PERMISSION_UNTRUSTED" : "HL_PERMISSION_BAD_RULE",
    level: isTooMuch ? "warning" : "error",
    text: `The mode ${JSON.stringify(text)} ${why}; it is ignored.`,
    place,
  });
  return undefined;
}

function folder(text: string, root: string, { home = "" }: RuleOptions): string {
  return text === "~" || text.startsWith("~/") ? resolve(home, text.slice(2)) : resolve(root, text);
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
