/** What `/hooks` and `/debug hooks` show: every hook, by event, from where, for what, and whether it would run if its event came now. */

import { lookedFor, type RegisteredHook } from "../../config/index.ts";
import { counted, type Diagnostic, didYouMean, ownCommand, placeText, sentence } from "../../diagnostic.ts";
import { createDialects } from "../../dialects/index.ts";
import { durationText } from "../../run/index.ts";
import type { RefusedHook } from "../../trust/index.ts";
import { style } from "../terminal.ts";
import type { Shorten } from "./call-text.ts";
import { whereOf } from "./why.ts";

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
    ...states.filter(({ hook }) => hook.event === event).flatMap((state, at) => hookLines(state, shorten, isNumbered ? at + 1 : undefined)),
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

function hookLines({ hook, refused, problem, failure }: HookState, shorten: Shorten, number: number | undefined): readonly string[] {
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
