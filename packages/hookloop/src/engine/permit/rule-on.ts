/**
 * Takes a call and what hooks said of it; gives what rules, protections and the program's own rules make of it.
 * SECURITY: these are functions of the embedding program. One that breaks, or gives what is no answer, has not allowed anything.
 */

import { otherSpelling } from "../../catalogue/index.ts";
import { shown } from "../../check-options.ts";
import { nearestName } from "../../diagnostic.ts";
import {
  type DecidedBy,
  type Likeness,
  type PermissionCall,
  type PermissionDecision,
  type Protect,
  type RuleList,
  ruleText,
} from "../../permissions/index.ts";
import { thrownText } from "../../run/index.ts";
import type { HookEngine } from "../hook-engine.ts";
import type { Verdict } from "../merge/index.ts";
import type { ToolCall, ToolOptions } from "./types.ts";

export interface Ruling {
  readonly hooks: HookEngine;
  readonly call: ToolCall;
  /** Of PreToolUse. */
  readonly verdict: Verdict;
  readonly options: ToolOptions;
}

const ANSWERS: readonly RuleList[] = ["allow", "ask", "deny"];

/** Rules, protections and the program's own rules: the strictest counts, and nothing beats a hook's question but a no. */
export async function ruleOn({ hooks, call, verdict, options }: Ruling): Promise<PermissionDecision> {
  const { rules, permission } = options;
  const protect = options.protect && checkedProtect(hooks, options.protect);
  const isAnswered = verdict.updatedInput !== undefined;
  const hook = verdict.decision === "defer" ? "none" : verdict.decision;
  const ruled = rules
    ? await answerOf("rules", () => rules.decide(call, { hook, isAnswered, protect }))
    : withoutRules({ hooks, call, hook, isAnswered, protect });
  if (!ANSWERS.includes(ruled?.decision) || typeof (ruled as Partial<PermissionDecision>).by?.kind !== "string") {
    const given = shown((ruled as Partial<PermissionDecision> | undefined)?.decision);
    return badAnswer(
      hooks,
      call,
      `rules of runTool() decided ${given}${ANSWERS.includes(ruled?.decision) ? ' without "by"' : ""}. Write new Permissions({ rules, root })`,
    );
  }
  if (ruled.likeness) tellLikeness(hooks, call, ruled.likeness);
  if (!permission || ruled.decision === "deny") return ruled;
  const own: unknown = await answerOf("permission", () => permission(call, verdict));
  if (!ANSWERS.includes(own as RuleList)) return badAnswer(hooks, call, `permission of runTool() gave ${shown(own)}. ${answerCure(own)}`);
  if (own === "deny") return made("deny", { kind: "program" }, `${call.tool_name} is not allowed.`);
  // A hook's allow never beats a rule that asks.
  return own === "ask" && (ruled.decision === "allow" || ruled.by.kind === "default")
    ? made("ask", { kind: "program" }, `${call.tool_name} needs permission`)
    : ruled;
}

const toldNames = new WeakMap<HookEngine, Set<string>>();
/** Names come from a model, too. */
const MOST_TOLD = 200;

/** What became of a rule for a tool that the call has under another name, once for each name. */
function tellLikeness(hooks: HookEngine, { tool_name }: ToolCall, { tool, rule, outcome }: Likeness): void {
  const told = toldNames.get(hooks) ?? new Set();
  toldNames.set(hooks, told);
  const key = `${tool_name} ${outcome}`;
  if (told.has(key) || told.size >= MOST_TOLD) return;
  told.add(key);
  const name = JSON.stringify(tool_name.slice(0, 60));
  const which = `${name}, which is ${otherSpelling(tool_name) ? "taken for" : "what some agents call"} ${tool}`;
  const unclear = "the input has nothing that the rule could be compared with";
  const became = {
    holds: `holds for ${which}. Write both in the same way.`,
    "may hold": `may be about ${which}: ${unclear}, so it is a question.`,
    "was not compared": `was not compared with ${which}: ${unclear}. If it is the same here, write a rule for ${name}.`,
  }[outcome];
  hooks.report({ code: "HL_SELECT_SPELLING", level: "warning", text: `The ${ruleText(rule)} ${became}`, place: rule.place });
}

/** What a function of the program gives; if it throws, which one is in the message and what it threw is the cause. */
export async function answerOf<Value>(name: keyof ToolOptions, ask: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (thrown) {
    throw new Error(`${name} of runTool() threw: ${thrownText(thrown)}`, { cause: thrown });
  }
}

function answerCure(given: unknown): string {
  const meant = typeof given === "string" ? nearestName(given, ANSWERS) : undefined;
  return `${meant === undefined ? "" : `Did you mean "${meant}"? `}Return "allow", "ask" or "deny"`;
}

function badAnswer(hooks: HookEngine, call: PermissionCall, text: string, detail = ""): PermissionDecision {
  hooks.report({ code: "HL_PERMISSION_BAD_ANSWER", level: "error", text: `${text}. ${call.tool_name} was not run.` });
  return made("deny", { kind: "program" }, `${call.tool_name} was not run: whether it may could not be decided${detail}.`);
}

/** Says deny where the program's protection says nothing that can be understood. */
function checkedProtect(hooks: HookEngine, protect: Protect): Protect {
  const unclear = (call: PermissionCall, text: string, detail?: string): ReturnType<Protect> => ({
    decision: "deny",
    reason: badAnswer(hooks, call, `protect of runTool() ${text}`, detail).reason,
  });
  return (call) => {
    let found: unknown;
    try {
      found = protect(call);
    } catch (thrown) {
      return unclear(call, `threw: ${thrownText(thrown)}`, ` (${thrownText(thrown)})`);
    }
    if (found === undefined || found === null) return undefined;
    const { decision, reason } = found as { readonly decision?: unknown; readonly reason?: unknown };
    if (decision !== "ask" && decision !== "deny") {
      const given = typeof found === "object" && decision !== undefined ? `decided ${shown(decision)}` : `gave ${shown(found)}`;
      return unclear(call, `${given}. Return { decision: "ask" or "deny", reason } or nothing, and no promise`);
    }
    return { decision, reason: typeof reason === "string" && reason !== "" ? reason : `${call.tool_name} is protected.` };
  };
}

interface Unruled extends Pick<Ruling, "hooks" | "call"> {
  readonly hook: "none" | "allow" | "ask" | "deny";
  readonly isAnswered: boolean;
  readonly protect: Protect | undefined;
}

/** What the files forbid or ask about holds all the same; what they allow, and their mode, needs the program's rules. */
function withoutRules({ hooks, call, hook, isAnswered, protect }: Unruled): PermissionDecision {
  const judged = hooks.fileRules.judge(call, { hook, isAnswered, protect });
  if (judged) return judged;
  const protection = protect?.(call);
  if (protection) return made(protection.decision, { kind: "protection" }, protection.reason);
  return hook === "ask"
    ? made("ask", { kind: "hook" }, `A hook asks about ${call.tool_name}.`)
    : made("allow", { kind: "default" }, "No rule is against it.");
}

function made(decision: PermissionDecision["decision"], by: DecidedBy, reason: string): PermissionDecision {
  return { decision, by, reason, runnersUp: [] };
}
