/**
 * Takes a call and what PreToolUse hooks said of it. Gives whether it may run, in the one order of decisions there is: a hook's deny, deny rules, protections,
 * ask rules, a hook's ask, the mode and allow rules, PermissionRequest hooks, the user. Refuses whatever was not allowed.
 */

import { createHash } from "node:crypto";
import { inspect } from "node:util";
import type { ToolInputs, ToolName } from "@hookloop/sdk";
import { calledElsewhere, STRICT_MODES } from "../catalogue/index.ts";
import { catchRejection, shown } from "../check-options.ts";
import type { ConfigDocument } from "../config/index.ts";
import { type Diagnostic, nearestName } from "../diagnostic.ts";
import { denyText, type Verdict } from "../judge/index.ts";
import {
  type DecideContext,
  type DecidedBy,
  decide,
  type Likeness,
  type PermissionCall,
  type PermissionDecision,
  type PermissionMode,
  type Permissions,
  type Protect,
  type RuleList,
  type RuleScope,
  type RuleSet,
  type RuleSource,
  readRules,
  ruleText,
  suggestUpdates,
} from "../permissions/index.ts";
import { onAbort, thrownText } from "../run/index.ts";
import type { HookEngine } from "./engine.ts";
import type { EventInput, FireOptions, Session, ToolInput } from "./session.ts";
import { sayOnce } from "./step.ts";

/** Whether the call may run. */
export async function permitCall(asked: Ruling): Promise<Permit> {
  const { hooks, call, verdict, options } = asked;
  const none: Permit = { call, verdicts: [] };
  if (verdict.decision === "deny") return { ...none, refusal: { status: "denied", error: denyText({ verdict, input: call }) } };
  if (verdict.decision === "defer") return { ...none, refusal: { status: "deferred", error: reasonsOf(verdict) } };
  // SECURITY: hooks that were interrupted have not said yes.
  if (isOver(options)) return { ...none, refusal: interrupted(hooks, call) };
  const permission = await ruleOn(asked);
  if (permission.decision === "deny") return { ...none, permission, refusal: { status: "denied", error: permission.reason } };
  if (permission.decision === "allow") return { ...none, permission };
  if (asked.resumed !== undefined) return { ...none, permission, ...(await askUser(asked, permission)) };
  const requested = await requestPermission({ hooks, call, permission, options });
  if (requested.answer === "deny") return { ...requested, refusal: { status: "denied", error: requested.error } };
  if (isOver(options)) return { ...requested, refusal: interrupted(hooks, call) };
  if (requested.answer === "allow") return requested;
  return { ...requested, ...(await askUser({ ...asked, call: requested.call }, requested.permission)) };
}

async function askUser(asked: Ruling, permission: PermissionDecision): Promise<Pick<Permit, "refusal">> {
  const { hooks, call, verdict, options } = asked;
  const ask = givenAnswer(asked) ?? options.ask;
  const said = verdict.decision === "ask" ? reasonsOf(verdict) : "";
  // Where a hook asks, its own words are the reason.
  const why = permission.by.kind === "hook" && said !== "" ? { ...permission, reason: said } : permission;
  const answer: unknown = ask && (await untilOver(options, () => answerOf("ask", () => ask(call, verdict, why))));
  if (isOver(options)) return { refusal: interrupted(hooks, call) };
  // SECURITY: nothing but `true` is a yes.
  if (answer === true) return {};
  const reasons = permission.by.kind === "hook" && said !== "" ? said : [said, permission.reason].filter(Boolean).join("\n");
  const refused = (error: string): Pick<Permit, "refusal"> => ({ refusal: { status: "denied", error } });
  if (!ask) return refused(`There is no user to ask here: ${reasons}`);
  if (answer === false) return refused(`The user denied it: ${reasons}`);
  if (answer === "suspend")
    return { refusal: { status: "suspended", error: `${call.tool_name} waits for the user's answer: ${reasons}`, token: tokenOf(call) } };
  const { isAllowed, reason, isImpossible } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (isAllowed === false && isImpossible === true) return refused(String(reason));
  if (isAllowed === false) return refused(`The user denied it: ${typeof reason === "string" && reason !== "" ? reason : reasons}`);
  const text = `ask of runTool() gave ${shown(answer)}, which is no answer. Return true or false, or { isAllowed: false, reason }. ${call.tool_name} was not run.`;
  hooks.report({ code: "HL_PERMISSION_BAD_ANSWER", level: "error", text });
  return refused(`${call.tool_name} was not run, because the question about it got no answer that can be understood: ${reasons}`);
}

/**
 * The answer that came with a call which was suspended; nothing if there is none, and then the question is asked.
 * SECURITY: a yes counts for the call that the user was asked about, as it would run now, and for no other.
 */
function givenAnswer({ hooks, call, options: { answered }, resumed }: Ruling): (() => boolean) | undefined {
  if (answered === undefined) return undefined;
  const { yes, token } = typeof answered === "boolean" ? { yes: answered, token: resumed } : answered;
  if (!yes || token === tokenOf(call)) return () => yes;
  const cure = "In another process, or after a restart, write answered: { yes: true, token } with the token of the suspended result";
  const text = `answered of runTool() is a yes for another call: no ${call.tool_name} with this id and these arguments waits for an answer. It counts for nothing, and the question is asked anew. ${cure}.`;
  hooks.report({ code: "HL_PERMISSION_BAD_ANSWER", level: "error", text });
  return undefined;
}

/** Stands for one call, whatever the order of its fields. As text that tells every two values apart: JSON has nothing of a Map, and the same for a date and its text. */
function tokenOf({ tool_use_id, tool_name, tool_input }: ToolCall): string {
  const whole = { depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY };
  const text = inspect([tool_use_id, tool_name, tool_input], { ...whole, sorted: true, customInspect: false });
  return createHash("sha256").update(text).digest("hex");
}

/** Nothing, as soon as the call is over: whoever asked need not wait for the answer any more. */
async function untilOver<Value>({ signal, closing }: ReadOptions, ask: () => Promise<Value>): Promise<Value | undefined> {
  let forget = (): void => {};
  const over = new Promise<undefined>((resolve) => {
    const forgets = [signal, closing].map((one) => onAbort(one, () => resolve(undefined)));
    forget = () => {
      for (const one of forgets) one();
    };
  });
  return Promise.race([ask(), over]).finally(forget);
}

/** SECURITY: a yes that comes when the caller has given up, or the hooks have ended, does not count. */
export function unlessOver(hooks: HookEngine, permit: Permit, options: ReadOptions): Permit {
  return permit.refusal || !isOver(options) ? permit : { ...permit, refusal: interrupted(hooks, permit.call) };
}

function isOver({ signal, closing }: ReadOptions): boolean {
  return signal?.aborted === true || closing.aborted;
}

function interrupted(hooks: HookEngine, call: ToolCall): NonNullable<Permit["refusal"]> {
  const isClosed = hooks.isClosing;
  if (isClosed) {
    const text = `runTool() was called, or still waited, after close(): the engine is closed, and ${call.tool_name} was not run.`;
    hooks.report({ code: "HL_LOOP_CLOSED", level: "error", text });
  }
  const error = isClosed
    ? `${call.tool_name} was not run: the hooks of this session are closed.`
    : `${call.tool_name} was interrupted before it ran.`;
  return { status: "denied", error };
}

function reasonsOf({ reasons }: Verdict): string {
  return reasons.map(({ text }) => text).join("\n");
}

interface Question extends Omit<Ruling, "verdict"> {
  /** What asks. */
  readonly permission: PermissionDecision;
}

interface Unrefused extends Omit<Permit, "refusal"> {
  readonly permission: PermissionDecision;
}

/** `ask`: the hooks leave it to the user. */
type Requested = (Unrefused & { readonly answer: "allow" | "ask" }) | (Unrefused & { readonly answer: "deny"; readonly error: string });

/** Puts a question to the PermissionRequest hooks. What a rule, a protection or another hook asks is not theirs to allow; their no always counts. */
async function requestPermission({ hooks, call, permission, options }: Question): Promise<Requested> {
  const { rules, ask } = options;
  const isTheirs = permission.by.kind === "default";
  const nothing = { call, permission, verdicts: [], answer: "ask" } as const;
  // As recorded: where the user cannot be asked, a hook's question is a denial already.
  if (!(isTheirs || ask) || !hooks.has("PermissionRequest")) return nothing;
  const { tool_use_id: _unknownHere, ...payload } = call;
  const permission_suggestions = isTheirs ? suggestUpdates(call) : [];
  const input = {
    ...(rules && { permission_mode: rules.mode }),
    ...payload,
    ...(permission_suggestions.length > 0 && { permission_suggestions }),
  };
  const verdict = await hooks.fire("PermissionRequest", input, firingOf(options));
  const verdicts = [verdict];
  if (verdict.decision === "deny") return { ...nothing, verdicts, answer: "deny", error: denyText({ verdict, input }) };
  if (verdict.decision !== "allow" || !isTheirs) return { ...nothing, verdicts };
  const judged = await judgeAgain({ hooks, call, permission, options }, verdict);
  // Only rules leave a question that is theirs.
  const updates = verdict.permissionUpdates as Parameters<Permissions["update"]>[0];
  if (judged.answer === "allow") for (const diagnostic of rules?.update(updates) ?? []) sayOnce(options.session, diagnostic);
  return judged;
}

/** SECURITY: what a hook put in the input's place is not judged yet: PreToolUse hooks, rules and the program see it as if the model had asked for it. */
async function judgeAgain({ hooks, call, permission, options }: Question, request: Verdict): Promise<Requested> {
  if (!request.updatedInput) return { call, permission, verdicts: [request], answer: "allow" };
  const rewritten: ToolCall = { ...call, tool_input: request.updatedInput };
  const pre = await hooks.fire("PreToolUse", rewritten, { signal: options.signal, isRewrite: true });
  const verdicts = [request, pre];
  if (pre.decision === "deny" || pre.decision === "defer") {
    return { call: rewritten, permission, verdicts, answer: "deny", error: denyText({ verdict: pre, input: rewritten }) };
  }
  const answered: Verdict = { ...pre, decision: pre.decision === "ask" ? "ask" : "allow", updatedInput: request.updatedInput };
  const again = await ruleOn({ hooks, call: rewritten, verdict: answered, options });
  if (again.decision === "deny") return { call: rewritten, permission: again, verdicts, answer: "deny", error: again.reason };
  return { call: rewritten, permission: again, verdicts, answer: again.decision };
}

interface Ruling {
  readonly hooks: HookEngine;
  readonly call: ToolCall;
  /** Of PreToolUse. */
  readonly verdict: Verdict;
  readonly options: ReadOptions;
  /** The question was asked before, in this session, about the call of this token, and is answered now. */
  readonly resumed?: string | undefined;
}

const ANSWERS: readonly RuleList[] = ["allow", "ask", "deny"];

/**
 * What rules, protections and the program's own rules make of a call, after its hooks: the strictest counts, and only a denial beats a hook's
 * question.
 * SECURITY: these are functions of the embedding program. One that throws, or gives what is no answer, has not allowed anything.
 */
async function ruleOn({ hooks, call, verdict, options }: Ruling): Promise<PermissionDecision> {
  const { rules } = options;
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
  const strictest = rules ? withFileRules(hooks, call, ruled) : ruled;
  if (strictest.likeness) tellLikeness(options, call, strictest.likeness);
  return strictest.decision !== "deny" ? await programRules({ hooks, call, verdict, options }, strictest) : strictest;
}

/** SECURITY: rules that were not made of `hooks.ruleSources` lack what the files forbid and ask about, and that holds all the same. */
function withFileRules(hooks: HookEngine, call: ToolCall, ruled: PermissionDecision): PermissionDecision {
  const files =
    ruled.decision === "deny" ? undefined : hooks.internals.fileRules.judge(call, { hook: "none", isAnswered: false, protect: undefined });
  if (files?.by.kind !== "rule") return ruled;
  return files.decision === "deny" || ruled.decision === "allow" || ruled.by.kind === "default" ? files : ruled;
}

/** What the program says itself can only tighten. */
async function programRules({ hooks, call, verdict, options }: Ruling, ruled: PermissionDecision): Promise<PermissionDecision> {
  const { permission } = options;
  if (!permission) return ruled;
  const own: unknown = await untilOver(options, () => answerOf("permission", () => permission(call, verdict)));
  // What it would have said does not matter any more.
  if (isOver(options)) return made("deny", { kind: "program" }, interrupted(hooks, call).error);
  if (!ANSWERS.includes(own as RuleList)) return badAnswer(hooks, call, `permission of runTool() gave ${shown(own)}. ${answerCure(own)}`);
  if (own === "deny") return made("deny", { kind: "program" }, `${call.tool_name} is not allowed.`);
  // A hook's allow never beats a rule that asks.
  return own === "ask" && (ruled.decision === "allow" || ruled.by.kind === "default")
    ? made("ask", { kind: "program" }, `${call.tool_name} needs permission`)
    : ruled;
}

/** What became of a rule for a tool that the call has under another name, once for each name. */
function tellLikeness({ session }: ReadOptions, { tool_name }: ToolCall, { tool, rule, outcome }: Likeness): void {
  const name = JSON.stringify(tool_name.slice(0, 60));
  const which = `${name}, which is ${calledElsewhere(tool_name) ? "what some agents call" : "taken for"} ${tool}`;
  const unclear = "the input has nothing that the rule could be compared with";
  const became = {
    holds: `holds for ${which}. Write both in the same way.`,
    "may hold": `may be about ${which}: ${unclear}, so it is a question.`,
    "was not compared": `was not compared with ${which}: ${unclear}. If it is the same here, write a rule for ${name}.`,
  }[outcome];
  const text = `The ${ruleText(rule)} ${became}`;
  sayOnce(session, { code: "HL_SELECT_SPELLING", level: "warning", text, place: rule.place }, `${tool_name} ${outcome}`);
}

/** What a function of the program gives; if it throws, which one is in the message and what it threw is the cause. */
async function answerOf<Value>(name: keyof ToolOptions, ask: () => Value | Promise<Value>): Promise<Value> {
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
    catchRejection(found);
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
  const judged = hooks.internals.fileRules.judge(call, { hook, isAnswered, protect });
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

interface RulePlace {
  readonly root: string;
  readonly home: string;
  readonly tools: readonly string[];
}

/** What all documents say about permissions: for `readRules`, and what of it holds without. `isTrusted`: the workspace is; it matters only for what a checkout brings along. */
export function filePermissions(
  documents: readonly ConfigDocument[],
  { isTrusted, ...place }: RulePlace & { readonly isTrusted: boolean },
): { readonly ruleSources: readonly RuleSource[]; readonly fileRules: FileRules } {
  const ruleSources = documents.map(({ source: { scope, file, root }, permissions }): RuleSource => {
    return { scope: scope satisfies RuleScope, file, root, isTrusted, permissions };
  });
  return { ruleSources, fileRules: readFileRules(ruleSources, place) };
}

/** What the files say about permissions that holds also for a program without rules of its own: deny and ask rules. */
export interface FileRules {
  /** What they, hooks and protections say about the call; nothing if there are no such rules. */
  readonly judge: (call: PermissionCall, context: Said) => PermissionDecision | undefined;
  /** A mode that would forbid something, and that only the program's own rules bring. */
  readonly unapplied?: PermissionMode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Deny and ask rules that cannot be read: what they were to forbid is not known. */
  readonly lost: readonly Diagnostic[];
}

type Said = Pick<DecideContext, "hook" | "isAnswered" | "protect">;

/** SECURITY: whoever wrote a deny rule into a settings file believes that it holds, whatever the program hands to `runTool`. */
function readFileRules(sources: readonly RuleSource[], { root, home, tools }: RulePlace): FileRules {
  const { rules, diagnostics } = readRules(sources, { home, tools });
  const guards: RuleSet = { deny: rules.deny, ask: rules.ask, allow: [], directories: [], isBypassDisabled: false };
  const isEmpty = guards.deny.length + guards.ask.length === 0;
  return {
    judge: (call, said) => {
      if (isEmpty) return undefined;
      // In this mode only denials count.
      const decided = decide(call, guards, { ...said, root, home, mode: "bypassPermissions" });
      const { decision, likeness } = decided;
      return decision === "allow"
        ? { decision, by: { kind: "default" }, reason: "No rule is against it.", runnersUp: [], likeness }
        : decided;
    },
    ...(STRICT_MODES.includes(rules.mode) && { unapplied: rules.mode }),
    // What a checkout may not loosen is the business of those who let files loosen something.
    lost: diagnostics.some(isError) ? readRules(sources.map(withoutAllow), { home, tools }).diagnostics.filter(isError) : [],
    diagnostics: diagnostics.filter(({ code }) => code !== "HL_PERMISSION_UNTRUSTED"),
  };
}

function isError({ level }: Diagnostic): boolean {
  return level === "error";
}

function withoutAllow({ permissions: { deny, ask }, ...source }: RuleSource): RuleSource {
  return { ...source, permissions: { deny, ask } };
}

export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
  /** More fields of the payload: `cwd`, `permission_mode`, `agent_id`, … */
  readonly [field: string]: unknown;
}

/** A call as programs have it: `tool_input` may be of an interface. The input of a known tool is checked; more fields of the payload may follow. */
export type GivenCall<Tool extends string = string> =
  | (ToolCall & { readonly tool_name: Tool; readonly tool_input: ToolInput<Tool> })
  | { readonly tool_name: Tool; readonly tool_input: ToolInput<Tool>; readonly tool_use_id: string };

/** What `execute` gets: the input of a known tool, or fields of which nothing is known. */
export type ExecuteInput<Tool extends string> = string extends Tool ? EventInput : Tool extends ToolName ? ToolInputs[Tool] : EventInput;

export type Permission = "allow" | "ask" | "deny";

/** What the user said; a denial may have a reason, for the model. `suspend`: the answer comes later, and the call is begun again with it. `isImpossible`: the user was not asked, since the call cannot be done, and the reason says why. */
type Answer = boolean | "suspend" | { readonly isAllowed: false; readonly reason: string; readonly isImpossible?: boolean | undefined };

export interface ToolOptions {
  /** Rules, mode and directories of the session. */
  readonly rules?: Permissions | undefined;
  /** Guards more than the hooks' own files, which are always protected; beats allow rules, a hook's allow and bypassPermissions. */
  readonly protect?: Protect | undefined;
  /** The program's own rules, asked after the hooks; they can tighten what `rules` say. Without both, what hooks and the deny and ask rules of files say counts. */
  readonly permission?: ((call: ToolCall, verdict: Verdict) => Permission | Promise<Permission>) | undefined;
  /** Asks the user; without it a question is a refusal. `why` says what asks, if rules do. */
  readonly ask?: ((call: ToolCall, verdict: Verdict, why?: PermissionDecision) => Answer | Promise<Answer>) | undefined;
  /** Fields of the payload that the tool may have changed, such as `cwd`; looked at when it has run. */
  readonly afterwards?: (() => Readonly<Record<string, unknown>>) | undefined;
  /**
   * The user's answer to a call that was suspended in this session, with the same id and arguments; it counts once. PreToolUse hooks are not asked
   * again. With the `token` of the suspended result it counts in any session, and hooks judge the call anew.
   */
  readonly answered?: boolean | { readonly yes: boolean; readonly token: string } | undefined;
  /** The plain form of what the tool gave, for PostToolUse hooks and the model, where that is an object of the host's own; its fields if left out. One that gives nothing, or a promise, has failed. */
  readonly responseOf?: ((output: unknown) => NonNullable<unknown>) | undefined;
  /** Whether what `execute` or `ask` threw is how the host steers itself, such as an interrupt: it passes through untouched, and is no failure of the tool. */
  readonly isSignal?: ((thrown: unknown) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The conversation so far, for prompt hooks and functions. */
  readonly messages?: FireOptions["messages"];
}

/** What of them belongs to each firing of the call. */
export function firingOf({ signal, messages }: ToolOptions): FireOptions | undefined {
  return signal || messages ? { ...(signal && { signal }), ...(messages && { messages }) } : undefined;
}

/** The options as they were read, each once. */
export type ReadOptions = { -readonly [Name in keyof ToolOptions]: ToolOptions[Name] } & {
  readonly session: Session;
  /** Comes when the engine closes. */
  readonly closing: AbortSignal;
};

interface Refusal {
  readonly status: "denied" | "deferred" | "suspended";
  /** Why, as the model is told. */
  readonly error: string;
  readonly token?: string | undefined;
}

/** Whether a call may run, and with which input. */
export interface Permit {
  /** As it runs: a PermissionRequest hook may have rewritten it. */
  readonly call: ToolCall;
  /** Absent: it may. */
  readonly refusal?: Refusal | undefined;
  /** What rules and modes said last. */
  readonly permission?: PermissionDecision | undefined;
  /** Of the hooks that were asked on the way. */
  readonly verdicts: readonly Verdict[];
}
