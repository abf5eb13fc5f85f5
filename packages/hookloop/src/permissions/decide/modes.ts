import { toolKind } from "../rules/covered-tools.ts";
import { matchesSome, matchingRules } from "../rules/matching-rules.ts";
import type { CallFacts, DecidedBy, PermissionMode, PermissionRule, RuleList, RuleSet } from "../types.ts";
import { allowCommand } from "./allow-command.ts";
import { isReadOnlyCommand, isReadOnlyTool } from "./read-only.ts";
import { isWorkspaceFile, staysInWorkspace } from "./workspace.ts";

/** Tools that are a question to a person: no hook's allow and no rule's answers it. */
export const NEEDS_PERSON: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/** What mode and allow rules say; no decision: somebody must be asked. */
export interface Answer {
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

/** The last word before a question. */
export function answerOfMode(situation: Situation): Answer {
  const { facts, mode } = situation;
  const allowing = allowingRules(situation);
  const rules = allowing ?? [];
  const isFree = isReadOnlyTool(facts, situation.folders) || (allowing !== undefined && allowing.length === 0);
  const byRule: DecidedBy | undefined = rules[0] && !NEEDS_PERSON.has(facts.tool) ? { kind: "rule", rule: rules[0] } : undefined;
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

/** Tools of servers, worktrees and an embedder's own may change anything: while a plan is made, only a person lets them. */
function isOfUnknownEffect({ tool }: CallFacts): boolean {
  return toolKind(tool) === undefined && !NEEDS_PERSON.has(tool) && tool !== "Skill";
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
  const isReadOnly = (command: Parameters<typeof isReadOnlyCommand>[0]): boolean => isReadOnlyCommand(command, facts, folders);
  return allowCommand(facts, { rules: allow.filter(({ covers }) => covers), isReadOnly, mayWrite });
}
