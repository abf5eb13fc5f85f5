/** What is known of hooks: why the last verdicts came out as they did (which ran, what each answered, which won, how to switch it off), and which hooks there are. */

import type { LoopStep } from "../../agent/index.ts";
import { lookedFor, type RegisteredHook } from "../../config/index.ts";
import { clause, counted, type Diagnostic, didYouMean, ownCommand, placeText, sentence } from "../../diagnostic.ts";
import { createDialects } from "../../dialects/index.ts";
import type { ToolCall, ToolResult } from "../../engine/index.ts";
import { effectWords, type Outcome, type Verdict } from "../../judge/index.ts";
import type { PermissionDecision, RuleReference } from "../../permissions/index.ts";
import { durationText } from "../../run/index.ts";
import type { RefusedHook } from "../../trust/index.ts";
import { style } from "../terminal.ts";
import { type Shorten, shownCall } from "./call-text.ts";

export interface WhyLog {
  step(step: LoopStep): void;
  /** Lines that explain it. `wanted`: 1, or nothing, for the last verdict, 2 for the one before. */
  explain(wanted: string, notices: Notices, shorten: Shorten): readonly string[];
  /** Why the hook failed when it last ran; nothing if it did not fail then, or has not run. */
  failureOf(hookId: string): string | undefined;
}

interface Decided {
  readonly subject: (shorten: Shorten) => string;
  readonly verdicts: readonly Verdict[];
  readonly permission?: PermissionDecision | undefined;
  readonly end?: string | undefined;
}

type Notices = (verdict: Verdict) => readonly string[];

const KEPT = 50;

export function createWhyLog(): WhyLog {
  let log: readonly Decided[] = [];
  const keep = (decided: Decided): void => {
    log = [decided, ...log].slice(0, KEPT);
  };
  const failures = new Map<string, string>();
  const remember = ({ outcomes }: Verdict): void => {
    for (const { hook, failure } of outcomes) {
      if (failure) failures.set(hook.id, failure.text);
      else failures.delete(hook.id);
    }
  };
  return {
    failureOf: (hookId) => failures.get(hookId),
    step(step) {
      if (step.type === "verdict") {
        remember(step.verdict);
        if (matters(step.verdict)) keep({ subject: () => step.verdict.event, verdicts: [step.verdict] });
      } else if (step.type === "call") {
        const { call, result } = step;
        result.verdicts.forEach(remember);
        const verdicts = result.verdicts.filter(({ outcomes }) => outcomes.length > 0);
        const isOwnLine = call.id.startsWith("line_") && result.permission?.decision === "allow";
        const end = isOwnLine ? `You typed it, so you were not asked. ${endOf(result)}` : endOf(result);
        keep({ subject: (shorten) => shownCall(call, shorten), verdicts, permission: isOwnLine ? undefined : result.permission, end });
      }
    },
    explain(wanted, notices, shorten) {
      if (log.length === 0) return ["Nothing has been decided in this session yet. Ask for something first."];
      const decided = log[Number(wanted || 1) - 1];
      if (decided) return explained(decided, notices, shorten);
      return [
        log.length === 1
          ? "One verdict is known: /why shows it."
          : `Say which: /why 1 is the last verdict, /why ${log.length} the oldest that is known.`,
      ];
    },
  };
}

export interface Asked {
  readonly call: ToolCall;
  readonly verdict: Verdict;
  readonly why: PermissionDecision | undefined;
}

export function explainQuestion({ call, verdict, why }: Asked, shorten: Shorten): readonly string[] {
  const verdicts = verdict.outcomes.length > 0 ? [verdict] : [];
  const subject = (): string => shownCall({ name: call.tool_name, input: call.tool_input }, shorten);
  return explained({ subject, verdicts, permission: why, end: "It waits for your answer." }, () => [], shorten);
}

/** A hook had an effect or failed. A Stop hook without an answer explains nothing. */
function matters({ decision, halt, continueWith, outcomes }: Verdict): boolean {
  return decision !== "none" || halt !== undefined || continueWith.length > 0 || outcomes.some(({ failure }) => failure);
}

function endOf({ status, output, error, permission, verdicts }: ToolResult<unknown>): string {
  if (status === "ran" || status === "failed") {
    const isByHook = verdicts.some(({ event, decision }) => event === "PermissionRequest" && decision === "allow");
    const said = permission?.decision !== "ask" ? "" : isByHook ? "A hook said yes in your place. " : "You said yes. ";
    return `${said}${status === "failed" ? "It ran and failed." : isInBackground(output) ? "It was started in the background." : "It ran."}`;
  }
  return `It did not run${(error ?? "").startsWith("The user denied it") ? ": you denied it." : "."}`;
}

/** A command or an agent that the call has only started. */
function isInBackground(output: unknown): boolean {
  const { backgroundTaskId, status } = (output ?? {}) as { readonly backgroundTaskId?: unknown; readonly status?: unknown };
  return backgroundTaskId !== undefined || status === "async_launched";
}

function explained({ subject, verdicts, permission, end }: Decided, notices: Notices, shorten: Shorten): readonly string[] {
  const lines = [
    ...verdicts.flatMap((verdict) => [
      `  ${verdict.event}: ${verdictWord(verdict)}`,
      ...verdict.outcomes.flatMap((outcome) => hookLines(outcome, verdict)),
    ]),
    ...(verdicts.length === 0 ? ["  No hook ran."] : []),
    ...(permission ? permissionLines(permission) : []),
    ...(end === undefined ? [] : [`  ${end}`]),
    ...verdicts.flatMap((verdict) => notices(verdict).flatMap(cureOf)),
  ];
  return [subject(shorten), ...lines.map(shorten)];
}

const DECISIONS: Readonly<Record<Verdict["decision"], string>> = {
  none: "no opinion",
  allow: "yes",
  ask: "ask the user",
  defer: "not now",
  deny: "no",
};

function verdictWord({ decision, halt, continueWith }: Verdict): string {
  if (halt) return "the agent must stop";
  return continueWith.length > 0 ? "the agent must continue" : DECISIONS[decision];
}

function hookLines(
  { hook, effects, failure, diagnostics, durationMs, isBackground, isAgain }: Outcome,
  verdict: Verdict,
): readonly string[] {
  const hasBlocked = verdict.decision === "deny" && verdict.reasons.some((one) => one.hook === hook.id);
  const lost = diagnostics
    .map(({ text }) => text.replace(/^hook ".*?": /, "").replace(/\.? This is said once in a session\.?$/, ""))
    .join(" ");
  const nothing = lost === "" ? "had no answer" : `gave no answer that counts: ${lost}`;
  const said = failure
    ? `failed (${clause(failure.text)}); that ${hasBlocked ? "blocks" : `counts as ${hook.onFailure}`}`
    : (effectWords(effects, hook.name) ?? (isBackground ? "runs in the background" : nothing));
  const isWinner = [...verdict.reasons, ...verdict.continueWith, ...(verdict.halt ? [verdict.halt] : [])].some(
    (one) => one.hook === hook.id,
  );
  const about = isAgain ? ", asked again about the rewritten input," : "";
  return [`  ${isWinner ? "▸" : "·"} ${hook.name}${about} ${said} · ${durationText(durationMs)}`, `    ${whereOf(hook)}`];
}

export function whereOf({ place, source }: Pick<RegisteredHook, "place" | "source">): string {
  const where = place ? placeText(place) : (source.file ?? "part of the agent");
  return source.scope === "code" ? where : `${where} (${source.scope})`;
}

function permissionLines({ decision, reason, runnersUp }: PermissionDecision): readonly string[] {
  const others = runnersUp.slice(0, 3).map((rule) => `    also: ${ruleLine(rule)}`);
  return [`  Rules: ${decision}. ${reason}`, ...others];
}

export function ruleLine({ list, text, scope, place }: RuleReference): string {
  return `${list} ${text}  ${place ? placeText(place) : scope}`;
}

/** The last line of a notice: how to switch the hook off for one run. */
function cureOf(notice: string): readonly string[] {
  const [, ...lines] = notice.split("\n");
  return lines.map((line) => `  ${line}`);
}

/** What `/hooks` and `/debug hooks` show: every hook, by event, from where, for what, and whether it would run if its event came now. */

export interface HooksNow {
  readonly admitted: readonly RegisteredHook[];
  readonly idle: readonly RefusedHook[];
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly problemOf?: ((hook: RegisteredHook) => string | undefined) | undefined;
  /** Why a hook failed when it last ran in this session. */
  readonly failureOf?: ((hookId: string) => string | undefined) | undefined;
}

/** A hook, and what stands in its way; of these at most one. */
interface HookState {
  readonly hook: RegisteredHook;
  readonly refused?: RefusedHook | undefined;
  readonly problem?: string | undefined;
  readonly failure?: string | undefined;
}

function statesOf({ admitted, idle, problemOf, failureOf }: HooksNow): readonly HookState[] {
  const off = new Set(idle.map(({ hook }) => hook.id));
  const running = admitted
    .filter(({ id }) => !off.has(id))
    .map((hook): HookState => {
      const problem = hook.never ?? problemOf?.(hook);
      return problem === undefined ? { hook, failure: failureOf?.(hook.id) } : { hook, problem };
    });
  return [...running, ...idle.map((refused) => ({ hook: refused.hook, refused }))];
}

/** What keeps hooks out of the list. */
const ABOVE: readonly string[] = ["HL_CONFIG_ABOVE", "HL_TRUST_GATE_ABOVE", "HL_CONFIG_UNKNOWN_EVENT"];

export function hooksPage(now: HooksNow, shorten: Shorten, isNumbered = false): readonly string[] {
  const { diagnostics = [] } = now;
  const states = statesOf(now);
  const above = diagnostics.filter(({ code }) => ABOVE.includes(code)).map(({ text }) => style("yellow", shorten(text)));
  if (states.length === 0 && above.length > 0) return ["No hooks count in this folder.", ...above];
  if (states.length === 0)
    return [
      `No hooks are configured here. They are read from ${lookedFor(createDialects())}. \`${ownCommand()} events\` lists what there is to hang one on.`,
    ];
  const events = [...new Set(states.map(({ hook }) => hook.event))];
  const blocks = events.flatMap((event) => [
    style("bold", event),
    ...states
      .filter(({ hook }) => hook.event === event)
      .flatMap((state, at) => listedLines(state, shorten, isNumbered ? at + 1 : undefined)),
  ]);
  return [...blocks, ...above, sumText(states)];
}

function sumText(states: readonly HookState[]): string {
  const idle = states.filter(({ refused }) => refused).length;
  const never = states.filter(({ hook, problem }) => problem !== undefined && hook.never !== undefined).length;
  const broken = states.filter(({ problem }) => problem !== undefined).length - never;
  const failed = states.filter(({ failure }) => failure !== undefined).length;
  const shut = states.filter(({ refused }) => refused?.blocks).length;
  const most = idle > 0 ? `${idle} will not run.` : broken + never > 0 ? "" : "all will run.";
  const failedText = failed === 0 ? "" : ` ${failed} failed when ${failed === 1 ? "it" : "they"} last ran.`;
  const neverText = never === 0 ? "" : `${idle > 0 ? " " : ""}${never} cannot run for all that it names.`;
  const brokenText = broken === 0 ? "" : `${idle + never > 0 ? " " : ""}${broken} will fail every time.`;
  const shutText = shut === 0 ? "" : shut === 1 ? " 1 blocks what it matches." : ` ${shut} block what they match.`;
  return `${counted(states.length, "hook")}, ${most}${neverText}${brokenText}${failedText}${shutText}`;
}

function listedLines({ hook, refused, problem, failure }: HookState, shorten: Shorten, number: number | undefined): readonly string[] {
  const filter = [hook.matcher && `matcher ${hook.matcher}`, hook.condition && `if ${hook.condition}`, hook.isGuard && "guard"].filter(
    Boolean,
  );
  const mark = refused ? style("red", "✗") : problem === undefined && failure === undefined ? style("green", "✓") : style("yellow", "!");
  const order = number === undefined ? "" : `${number}. `;
  return [
    `  ${order}${mark} ${shorten(hook.name).replaceAll("\n", " ")}${filter.length > 0 ? style("dim", `  ${shorten(filter.join(", "))}`) : ""}`,
    `    ${style("dim", shorten(whereOf(hook)))}`,
    ...troubleLines({ hook, refused, problem, failure }, shorten),
  ];
}

function troubleLines({ hook, refused, problem, failure }: HookState, shorten: Shorten): readonly string[] {
  return [
    ...(refused ? [`    ${style("red", `will not run: ${shorten(refused.text)}`)}`] : []),
    ...(problem === undefined
      ? []
      : [`    ${style("yellow", `${hook.never === undefined ? "will fail every time" : "will not run"}: ${shorten(problem)}`)}`]),
    ...(failure === undefined ? [] : [`    ${style("yellow", `failed when it last ran: ${shorten(sentence(failure))} /why says more.`)}`]),
  ];
}

/** Everything about the hooks of this name or id: what they run is shown whole. */
export function hookDetails(
  now: HooksNow,
  wanted: string,
  shorten: Shorten,
): { readonly lines: readonly string[]; readonly hooks: readonly unknown[] } {
  const states = statesOf(now);
  const named = states.filter(({ hook }) => hook.name === wanted || hook.id === wanted);
  if (named.length > 0) return { lines: named.flatMap((state) => detailLines(state, shorten)), hooks: hooksData(now, named) };
  const names = [...new Set(states.map(({ hook }) => hook.name))];
  const hint = didYouMean(wanted, names) || " /hooks lists them.";
  return { lines: [`There is no hook "${shorten(wanted)}".${hint}`], hooks: [] };
}

function detailLines(state: HookState, shorten: Shorten): readonly string[] {
  const { hook } = state;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["runs", wholeOf(hook)],
    ["matcher", hook.matcher],
    ["if", hook.condition],
    ["from", whereOf(hook)],
    ["kind", `${hook.target.kind}${hook.isGuard ? ", a guard" : ""}${hook.isAsync ? ", in the background" : ""}`],
    ["if it fails", hook.onFailure],
    ["limit", durationText(hook.timeoutMs)],
    ["id", hook.id],
  ];
  return [
    `${style("bold", shorten(hook.name))}  ${hook.event}`,
    ...facts.flatMap(([label, value]) => (value === undefined ? [] : [`    ${label}: ${shorten(value)}`])),
    ...troubleLines(state, shorten),
  ];
}

/** The whole command line, address or file. */
function wholeOf({ target, fields = {} }: RegisteredHook): string | undefined {
  if (target.kind === "command") return [target.command, ...(target.args ?? [])].join(" ");
  const [first] = ["url", "path", "tool", "prompt"].flatMap((name) => (typeof fields[name] === "string" ? String(fields[name]) : []));
  return first;
}

/** For programs. `order` counts inside an event. */
export function hooksData(now: HooksNow, states: readonly HookState[] = statesOf(now)): readonly unknown[] {
  const counts = new Map<string, number>();
  return states.map(({ hook, refused, problem, failure }) => {
    const order = (counts.get(hook.event) ?? 0) + 1;
    counts.set(hook.event, order);
    return {
      event: hook.event,
      order,
      name: hook.name,
      id: hook.id,
      kind: hook.target.kind,
      runs: wholeOf(hook),
      matcher: hook.matcher,
      if: hook.condition,
      guard: hook.isGuard,
      source: hook.source.scope,
      place: hook.place ? placeText(hook.place) : hook.source.file,
      willRun: refused === undefined && problem === undefined,
      reason: refused?.reason,
      problem: refused?.text ?? problem ?? failure,
    };
  });
}
