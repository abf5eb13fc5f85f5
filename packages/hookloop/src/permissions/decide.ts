/**
 * Takes a call, the rules, and what else bears on it: the mode, what hooks said, what is protected. Gives what must happen, and which rule or mode says so.
 * Refuses to guess: what cannot be read counts as forbidden by a deny rule and as not allowed by an allow rule.
 */

import { resolve } from "node:path";
import { type Allowed, checkEntries, invalidOption, shown } from "../check-options.ts";
import { placeText } from "../diagnostic.ts";
import { allowCommand, isReadOnlyCommand, isReadOnlyTool, isWorkspaceFile, staysInWorkspace, workspaceFolders } from "./allow-command.ts";
import { callFacts, type MeantCall, meantCall } from "./call-facts.ts";
import { projectRoot } from "./paths/project-files.ts";
import { atOneLook } from "./paths/real-target.ts";
import { matchesSome, matchingRules, toolKind } from "./rules/matching-rules.ts";
import { MODES } from "./rules/read-rules.ts";
import { compileToolName, parseRule } from "./rules/rule-grammar.ts";
import type {
  CallFacts,
  DecideContext,
  DecidedBy,
  Likeness,
  PermissionCall,
  PermissionDecision,
  PermissionMode,
  PermissionRule,
  RuleList,
  RuleReference,
  RuleSet,
} from "./types.ts";

/** Whether the call may happen: the whole order of decisions, except for the user and the PermissionRequest hooks, who answer questions. */
export function decide(call: PermissionCall, rules: RuleSet, context: DecideContext): PermissionDecision {
  checkDecide(call, rules, context);
  return atOneLook(() => decideCall(call, rules, atPlace(context, rules)));
}

/** SECURITY: a relative folder would be in the way of every path rule: the root is that of the process, and other folders are those of the root. */
function atPlace(context: DecideContext, { directories }: RuleSet): DecideContext {
  const { home } = context;
  const root = resolve(context.root);
  const folders = [...directories, ...(context.directories ?? [])].map((one) => resolve(root, one));
  return { ...context, root, directories: folders, ...(home !== undefined && { home: resolve(home) }) };
}

function decideCall(call: PermissionCall, rules: RuleSet, context: DecideContext): PermissionDecision {
  const folders = [context.root, ...(context.directories ?? [])];
  const facts = factsOf(call, context, folders);
  const { denying, asking, likeness } = guardsAgainst(meantCall(facts), rules);
  const { hook = "none", mode = rules.mode ?? "default" } = context;
  const protection = context.protect?.(call);
  const allowed = answerOfMode({ facts, rules, mode, folders });
  const runnersUp = [...denying, ...asking, ...allowed.rules];
  const answer = (decision: RuleList, by: DecidedBy, reason?: string): PermissionDecision => {
    const others = runnersUp.filter((rule) => by.kind !== "rule" || by.rule !== rule).map(reference);
    const shown: DecidedBy = by.kind === "rule" ? { kind: "rule", rule: reference(by.rule) } : by;
    const isUndecided = by.kind === "rule" && decision !== "allow" && facts.work.left < 0;
    const text = (reason ?? describeDecision(decision, shown, call.tool_name, likeness)) + (isUndecided ? UNDECIDED : "");
    return {
      decision,
      by: shown,
      reason: text,
      runnersUp: others,
      ...(likeness && { likeness: { ...likeness, rule: reference(likeness.rule) } }),
    };
  };
  const ask = (by: DecidedBy, reason = describeDecision("ask", by, call.tool_name, likeness)): PermissionDecision => {
    if (mode !== "dontAsk") return answer("ask", by, reason);
    return answer("deny", by.kind === "default" ? { kind: "mode", mode } : by, `${reason} In mode dontAsk a question is denied.`);
  };

  if (hook === "deny") return answer("deny", { kind: "hook" });
  if (denying[0]) return answer("deny", { kind: "rule", rule: denying[0] });
  if (protection?.decision === "deny") return answer("deny", { kind: "protection" }, protection.reason);
  // What a mode denies is denied: an ask rule or a hook's question must not turn it into a question.
  if (allowed.decision === "deny" && isSettled(allowed)) return answer("deny", allowed.by);
  if (protection) return ask({ kind: "protection" }, protection.reason);
  if (asking[0]) return ask({ kind: "rule", rule: asking[0] });
  if (hook === "ask") return ask({ kind: "hook" });
  if (isSettled(allowed)) return allowed.decision === "ask" ? ask(allowed.by) : answer(allowed.decision, allowed.by);
  if (hook === "allow" && (context.isAnswered || !NEEDS_USER.has(call.tool_name))) return answer("allow", { kind: "hook" });
  return ask({ kind: "default" });
}

const CONTEXT: Readonly<Record<keyof DecideContext, Allowed>> = {
  root: "text",
  mode: MODES,
  directories: "texts",
  home: "text",
  hook: ["none", "allow", "ask", "deny"],
  isAnswered: "flag",
  protect: "function",
  searchPath: "any text",
};

export const RULES_CURE =
  'Write readRules(hooks.ruleSources).rules, or readRules([{ scope: "code", root, isTrusted: true, permissions: { deny: ["Bash(git push *)"] } }]).rules';

/** SECURITY: a mode or an option that is misspelt would be one that is not there, and a call that cannot be read fits no rule. */
function checkDecide(call: unknown, rules: unknown, context: unknown): void {
  const cure = "Write decide({ tool_name, tool_input }, rules, { root: process.cwd() })";
  const { tool_name, tool_input } = (call ?? {}) as Partial<PermissionCall>;
  if (typeof tool_name !== "string" || tool_name === "") throw invalidOption(`tool_name of decide() is ${shown(tool_name)}. ${cure}`);
  if (typeof tool_input !== "object" || tool_input === null) throw invalidOption(`tool_input of decide() is ${shown(tool_input)}. ${cure}`);
  if (typeof rules !== "object" || !isRuleSet(rules ?? {})) throw invalidOption(`rules of decide() are no rules. ${RULES_CURE}`);
  if (typeof context !== "object" || context === null) throw invalidOption(`the context of decide() is ${shown(context)}. ${cure}`);
  checkEntries("decide()", context, CONTEXT);
  if ((context as Partial<DecideContext>).root === undefined) throw invalidOption(`root of decide() is missing. ${cure}`);
}

/** SECURITY: a list of texts is no list of rules: nothing in it would ever match. */
export function isRuleSet({ deny, ask, allow, directories }: Partial<RuleSet>): boolean {
  const lists: readonly unknown[] = [deny, ask, allow];
  const isRule = (rule: unknown): boolean => typeof (rule as Partial<PermissionRule> | null)?.matches === "function";
  return Array.isArray(directories) && lists.every((list) => Array.isArray(list) && list.every(isRule));
}

const UNDECIDED = " Comparing all rules with this call was too much work; those that were not compared count as matching.";

function isSettled(answer: Answer): answer is Answer & { readonly decision: RuleList; readonly by: DecidedBy } {
  return answer.decision !== undefined && answer.by !== undefined;
}

function factsOf(call: PermissionCall, context: DecideContext, folders: readonly string[]): CallFacts {
  const { root, home, searchPath = process.env["PATH"] ?? "" } = context;
  const cwd = typeof call["cwd"] === "string" ? resolve(root, call["cwd"]) : root;
  const plain = callFacts({ tool: call.tool_name, input: call.tool_input, cwd, root, home });
  const isShell = toolKind(call.tool_name) === "shell";
  let found: readonly string[] | undefined;
  const programFolders = (): readonly string[] => {
    found ??= isShell ? workspaceFolders(searchPath, [projectRoot(root, plain.home), ...folders]) : [];
    return found;
  };
  const facts = { ...plain, programFolders, folders };
  // SECURITY: a `cd` out of the workspace must not move relative allow rules with it; deny rules look at both places.
  return isWorkspaceFile(cwd, facts, folders) ? facts : { ...facts, anchor: root };
}

function reference({ list, text, scope, place }: RuleReference): RuleReference {
  return { list, text, scope, place };
}

const VERBS: Readonly<Record<RuleList, string>> = { allow: "allows", ask: "asks about", deny: "forbids" };

/** Why, for messages: the rule with its place, the mode, or what always holds. */
function describeDecision(decision: RuleList, by: DecidedBy, tool: string, likeness?: Likeness): string {
  switch (by.kind) {
    case "rule":
      return decision !== "allow" && likeness?.outcome === "may hold"
        ? `The ${ruleText(by.rule)} may be about ${tool}, which is what some agents call ${likeness.tool}: the input has nothing that the rule could be compared with.`
        : decision === "ask" && by.rule.list === "deny"
          ? `The ${ruleText(by.rule)} may be about ${tool}: which file it reads or changes is known only when it runs.`
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

interface Guards {
  readonly denying: readonly RuleReference[];
  readonly asking: readonly RuleReference[];
  readonly likeness?: Likeness | undefined;
}

/** The rules that forbid a call or ask about it, also under the name of the known tool that it amounts to. A deny rule that may be about it asks. */
function guardsAgainst({ name, tool, surely, perhaps, isCommonWord }: MeantCall, { deny, ask }: RuleSet): Guards {
  const denying = matching(deny, surely);
  const asking = matching(ask, surely);
  const found = [...denying, ...asking];
  const doubted = deny.filter(({ mayMatch }) => mayMatch && surely.some(mayMatch));
  if (tool === undefined) {
    const spelt = toolKind(name) === undefined ? found.find(({ text }) => isSpeltOtherwise(name, text)) : undefined;
    return {
      denying,
      asking: [...asking, ...doubted],
      ...(spelt && { likeness: { tool: parseRule(spelt.text)?.tool ?? "", rule: spelt, outcome: "holds" } }),
    };
  }
  const unclear = [...matching(deny, perhaps), ...matching(ask, perhaps)].filter((rule) => !found.includes(rule));
  const rule = [...found, ...unclear].find(({ text }) => !isNamed(name, text));
  const outcome = found.length > 0 ? "holds" : isCommonWord ? "was not compared" : "may hold";
  return { denying, asking: [...asking, ...doubted, ...(isCommonWord ? [] : unclear)], ...(rule && { likeness: { tool, rule, outcome } }) };
}

function isNamed(name: string, text: string): boolean {
  const tool = parseRule(text)?.tool;
  return tool === name || tool?.includes("*") === true;
}

/** Whether a rule that holds for the name is for another spelling of it. */
function isSpeltOtherwise(name: string, text: string): boolean {
  const tool = parseRule(text)?.tool ?? "*";
  return (tool.startsWith("mcp__") || !tool.includes("*")) && !compileToolName(tool)(name);
}

/** Those that match one of the calls, in the order of the list. */
function matching(list: readonly PermissionRule[], calls: readonly CallFacts[]): readonly PermissionRule[] {
  const [only, ...more] = calls;
  if (!only) return [];
  if (more.length === 0) return matchingRules(list, only);
  const found = new Set(calls.flatMap((facts) => matchingRules(list, facts)));
  return list.filter((rule) => found.has(rule));
}

/** Tools that are a question to the user: neither a hook's allow nor a rule's answers it. */
export const NEEDS_USER: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/** What mode and allow rules say; no decision: the user must be asked. */
interface Answer {
  readonly decision?: RuleList | undefined;
  readonly by?: DecidedBy | undefined;
  /** Allow rules that match, whether or not they decide. */
  readonly rules: readonly PermissionRule[];
}

interface Situation {
  readonly facts: CallFacts;
  readonly rules: RuleSet;
  readonly mode: PermissionMode;
  readonly folders: readonly string[];
}

function answerOfMode(situation: Situation): Answer {
  const { facts, mode } = situation;
  const allowing = allowingRules(situation);
  const rules = allowing ?? [];
  const isFree = isReadOnlyTool(facts, situation.folders) || (allowing !== undefined && allowing.length === 0);
  const byRule: DecidedBy | undefined = rules[0] && !NEEDS_USER.has(facts.tool) ? { kind: "rule", rule: rules[0] } : undefined;
  if (mode === "bypassPermissions") return { decision: "allow", by: { kind: "mode", mode }, rules };
  if (mode === "plan" && !isFree && changes(facts) && !readsOnly(situation)) return { decision: "deny", by: { kind: "mode", mode }, rules };
  if (mode === "plan" && !isFree && isOfUnknownEffect(facts)) return { decision: "ask", by: { kind: "mode", mode }, rules };
  if (byRule) return { decision: "allow", by: byRule, rules };
  if (isFree) return { decision: "allow", by: { kind: "default" }, rules };
  if (mode === "acceptEdits" && toolKind(facts.tool) === "file.write" && staysInWorkspace(facts, situation.folders)) {
    return { decision: "allow", by: { kind: "mode", mode }, rules };
  }
  return { rules };
}

/** While a plan is made, files stay as they are: a shell line runs only if each of its commands just reads. */
function changes({ tool }: CallFacts): boolean {
  const kind = toolKind(tool);
  return kind === "file.write" || kind === "shell";
}

/** Tools of servers, worktrees and an embedder's own may change anything: while a plan is made, only the user allows them. */
function isOfUnknownEffect({ tool }: CallFacts): boolean {
  return toolKind(tool) === undefined && !NEEDS_USER.has(tool) && tool !== "Skill";
}

function readsOnly(situation: Situation): boolean {
  return toolKind(situation.facts.tool) === "shell" && shellRules({ ...situation, mode: "plan" }, [])?.length === 0;
}

/** The allow rules that cover the call; for a shell line all of its commands. An empty list: it needs none. */
function allowingRules(situation: Situation): readonly PermissionRule[] | undefined {
  const { facts, rules } = situation;
  const matching = matchingRules(rules.allow, facts);
  if (matching.length > 0) return matching;
  return toolKind(facts.tool) === "shell" ? shellRules(situation, rules.allow) : undefined;
}

function shellRules({ facts, rules, mode, folders }: Situation, allow: readonly PermissionRule[]): readonly PermissionRule[] | undefined {
  const mayWrite = (file: string): boolean => {
    if (mode === "plan") return false;
    const edit: CallFacts = { ...facts, tool: "Edit", input: { file_path: file } };
    return matchesSome(rules.allow, edit) || (mode === "acceptEdits" && isWorkspaceFile(file, facts, folders));
  };
  const mayRead = (file: string): boolean => {
    const read: CallFacts = { ...facts, tool: "Read", input: { file_path: file } };
    return isWorkspaceFile(file, facts, folders) || matchesSome(rules.allow, read);
  };
  const isReadOnly = (command: Parameters<typeof isReadOnlyCommand>[0]): boolean => isReadOnlyCommand(command, facts, folders);
  return allowCommand(facts, { rules: allow.filter(({ covers }) => covers), isReadOnly, mayWrite, mayRead });
}
