import type { EventName } from "@hookloop/sdk";
import { callListener } from "../check-options.ts";
import type { RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import type { Attributed, Outcome, Verdict } from "../judge/index.ts";
import { type RawOutcome, thrownText } from "../run/index.ts";
import { type Choice, type NotMatched, notMatched, type Plan, queryOf } from "../select/index.ts";
import type { AdmittedHook, RefusedHook } from "../trust/index.ts";
import type { KnownEvent } from "./known-events.ts";
import type { EventInput, FireOptions, Firing, Session } from "./session.ts";

/** What an engine says about what it does. Everything in it is data, so that it can be written as it is; only a verdict holds more. */
export type Step =
  /** An event that has hooks, with its name (`PreToolUse:Bash`), and how many hooks fit its matcher: in all, by kind and by plugin. */
  | {
      readonly type: "fired";
      readonly event: EventName;
      readonly input: EventInput;
      readonly hookName: string;
      /** What matchers are compared with; empty where the event has nothing of the kind. */
      readonly query: string;
      /** Different matchers of the event, whether they fit or not. */
      readonly matchers: number;
      readonly numCommands: number;
      readonly hookTypeCounts: Readonly<Record<string, number>>;
      readonly pluginHookCounts: Readonly<Record<string, number>>;
    }
  /** The hooks that run, by id and by name. */
  | { readonly type: "considered"; readonly event: EventName; readonly hooks: readonly string[]; readonly names: readonly string[] }
  /** The hooks of the event that do not run for this input, and why; the first fifty, the nearest among them. */
  | { readonly type: "notMatched"; readonly event: EventName; readonly hooks: readonly NotMatched[]; readonly more?: number | undefined }
  | (OfHook & { readonly type: "started"; readonly isBackground?: true | undefined })
  /** Also of a hook in the background, when it has ended: then it may come behind the verdict. */
  | (OfHook &
      Pick<RawOutcome, "stdout" | "stderr" | "usage"> &
      Pick<Outcome, "effects" | "failure" | "durationMs"> & {
        readonly type: "outcome";
        /** Of a process; of an http hook its status. */
        readonly exitCode: number | null;
      })
  /** A rewritten input is shown to these hooks. */
  | { readonly type: "judgedAgain"; readonly event: EventName; readonly input: EventInput; readonly hooks: readonly string[] }
  /** What the verdict has for the model or the user beside the reasons of its decision. */
  | { readonly type: "told"; readonly event: EventName; readonly to: "model" | "user"; readonly texts: readonly Attributed[] }
  | { readonly type: "verdict"; readonly event: EventName; readonly verdict: Verdict }
  /** The hook does not run, or did not just now; `blocks`: what it matches is blocked until it is reviewed. */
  | {
      readonly type: "refused";
      readonly event: EventName;
      readonly hook: string;
      readonly name: string;
      readonly reason: RefusedHook["reason"];
      readonly blocks?: true | undefined;
      readonly digest?: string | undefined;
      readonly diff?: string | undefined;
    }
  /** A file that a tool call changed, in the words of those who announce it. */
  | {
      readonly type: "file_changed";
      readonly event?: undefined;
      readonly path: string;
      readonly change: "created" | "modified" | "deleted";
      readonly sessionId: string;
      readonly toolUseId: string;
      readonly timestamp: number;
      readonly sizeDelta: number;
    }
  /** A call was not let through, whoever said so: hooks, a rule, a protection, the program or the user. */
  | {
      readonly type: "notRun";
      readonly event: EventName;
      readonly tool_name: string;
      readonly tool_use_id: string;
      readonly status: string;
      readonly by?: string | undefined;
      readonly error: string;
    }
  /** A measured value, such as `tool_executed`. */
  | {
      readonly type: "metric";
      readonly event: EventName;
      readonly name: string;
      readonly fields: Readonly<Record<string, string | number | boolean | null>>;
    }
  | (Diagnostic & { readonly type: "diagnostic"; readonly event?: EventName | undefined });

interface OfHook {
  readonly event: EventName;
  readonly hook: string;
  readonly name: string;
  /** The event and what its matcher is compared with: `PreToolUse:Bash`. */
  readonly label: string;
  /** It looks at an input that another hook rewrote. */
  readonly isAgain?: true | undefined;
}

export type Say = (step: Step) => void;

/** Those who get every step of a session besides what its diagnostics are reported to. */
export interface Listeners {
  /** Steps need not be built if there is none. */
  readonly any: boolean;
  /** Gives the function that takes the listener away again. */
  add(listener: Say): () => void;
  readonly tell: Recorder;
}

/** Also gets which session the step is of; the first one if it is left out. */
type Recorder = (step: Step, session?: string) => void;

/** `first` stays; a listener that throws is told no more, and `onThrown` is called. */
export function createListeners(first?: Recorder, onThrown: (thrown: unknown) => void = () => {}): Listeners {
  const added = new Set<Say>();
  const listeners = {
    any: first !== undefined,
    add(listener: Say) {
      added.add(listener);
      listeners.any = true;
      return () => remove(listener);
    },
    tell(step: Step, session?: string) {
      first?.(step, session);
      for (const listener of added)
        callListener(
          () => listener(step),
          (thrown) => {
            // First of all: what is said of it is a step as well.
            remove(listener);
            onThrown(thrown);
          },
        );
    },
  };
  const remove = (listener: Say): void => {
    added.delete(listener);
    listeners.any = first !== undefined || added.size > 0;
  };
  return listeners;
}

type VerdictStep = Extract<Step, { readonly type: "verdict" }>;

export interface Stamp {
  readonly v: 2;
  /** Counts the records of one recorder; a gap means that records were lost. */
  readonly seq: number;
  /** Wall clock, milliseconds since 1970; it may jump. */
  readonly t: number;
  /** Milliseconds of a clock that never jumps; differences are durations. */
  readonly mono: number;
  readonly session: string;
}

/** One step as it is written: the step and its stamp. Of a verdict stands there what no other step says. */
export type TraceRecord = Stamp & WrittenStep;

/** Where records go. `write` returns fast and never throws. */
export interface TraceSink {
  write(record: TraceRecord): void;
  /** The same in two parts: putting them together takes longer than writing them. */
  writeStep?(stamp: Stamp, step: WrittenStep): void;
  /** Records that come until `flush` belong to one synchronous firing: a sink may write them together. */
  hold?(): void;
  flush?(): void;
  /** Somebody reads along: then events are said that no hook is for, and hooks that must not run are among those that do not match. */
  isWatching?(): boolean;
}

export interface RecorderOptions {
  readonly sink: TraceSink;
  readonly session: string;
  readonly clock?: { readonly wall: () => number; readonly mono: () => number };
  /** Told once if the sink throws. */
  readonly onProblem?: ((thrown: unknown) => void) | undefined;
}

const CLOCK = { wall: () => Date.now(), mono: () => performance.now() };

/** Stamps steps and hands them to the sink. Check for listeners before building a step. */
export function createRecorder({ sink, session, clock = CLOCK, onProblem }: RecorderOptions): Recorder {
  let seq = 0;
  let hasProblem = false;
  const lost = (thrown: unknown): void => {
    const isFirst = !hasProblem;
    // Before it is said: that is a step as well.
    hasProblem = true;
    if (isFirst) onProblem?.(thrown);
  };
  return (step, of = session) => {
    seq += 1;
    const stamp: Stamp = { v: 2, seq, t: clock.wall(), mono: Math.round(clock.mono() * 1000) / 1000, session: of };
    const said = written(step);
    // A sink that breaks its promise loses its record; the event continues.
    callListener(() => (sink.writeStep ? sink.writeStep(stamp, said) : sink.write({ ...stamp, ...said })), lost);
  };
}

/** A step as it is written. */
export type WrittenStep = Exclude<Step, VerdictStep> | (Omit<VerdictStep, "verdict"> & Pick<Verdict, "decision" | "reasons" | "halt">);

function written(step: Step): WrittenStep {
  if (step.type !== "verdict") return step;
  const { type, event, verdict } = step;
  return { type, event, decision: verdict.decision, reasons: verdict.reasons, halt: verdict.halt };
}

/** Who gets the steps of one firing: the listeners of the session and its own. */
export function listenersOf(session: Session, { onStep }: FireOptions): Say {
  if (!onStep) return session.say;
  const onThrown = (thrown: unknown): void =>
    session.say({ type: "diagnostic", code: "HL_EXECUTE_THREW", level: "error", text: `onStep threw: ${thrownText(thrown)}` });
  return (step) => {
    session.say(step);
    callListener(() => onStep(step), onThrown);
  };
}

const MOST_NAMED = 50;
type Kinds = Pick<Extract<Step, { readonly type: "fired" }>, "numCommands" | "hookTypeCounts" | "pluginHookCounts">;
const kindsOf = new WeakMap<Plan, Kinds>();

/** An event begins: which of its hooks run, and why the others do not. */
export function sayFired(say: Say, { event, input }: Pick<Firing, "event" | "input">, { plans, refused }: KnownEvent, plan: Plan): void {
  const known = kindsOf.get(plan) ?? countKinds(plan);
  kindsOf.set(plan, known);
  const { numCommands, hookTypeCounts, pluginHookCounts } = known;
  const off = refused();
  const matchers = countMatchers(plans.hooks) + (off.length === 0 ? 0 : countMatchers(off.map(({ hook }) => hook)));
  const [query, hookName] = [queryOf(event, input), labelOf(event, input)];
  say({ type: "fired", event, input, hookName, query, matchers, numCommands, hookTypeCounts, pluginHookCounts });
}

function countKinds({ hooks: all }: Plan): Kinds {
  const hooks = all.filter(({ source }) => !source.isInternal);
  return { numCommands: hooks.length, hookTypeCounts: hookTypeCounts(hooks), pluginHookCounts: pluginHookCounts(hooks) };
}

const matchersOf = new WeakMap<readonly RegisteredHook[], number>();

function countMatchers(hooks: readonly RegisteredHook[]): number {
  const known = matchersOf.get(hooks);
  if (known !== undefined) return known;
  const matchers = hooks.flatMap(({ id, source, matcher }) => (source.isInternal ? [] : `${source.file ?? id}\n${matcher ?? ""}`));
  const count = new Set(matchers).size;
  matchersOf.set(hooks, count);
  return count;
}

type Counted = Pick<AdmittedHook, "target" | "source">;

export function hookTypeCounts(hooks: readonly Counted[]): Readonly<Record<string, number>> {
  return counts(hooks.map(({ target }) => target.kind));
}

export function pluginHookCounts(hooks: readonly Counted[]): Readonly<Record<string, number>> {
  return counts(hooks.flatMap(({ source }) => source.plugin?.id ?? []));
}

export function saySelected(say: Say, { event, input }: Pick<Firing, "event" | "input">, given: Choice): void {
  const choice = given.hooks.some(isInternal) ? withoutInternal(given) : given;
  const { hooks, selected, refused = [] } = choice;
  if (selected.length > 0) say({ type: "considered", event, ...chosen(selected) });
  if (selected.length === hooks.length && refused.length === 0) return;
  const left = notMatched(event, input, choice);
  const more = left.length - MOST_NAMED;
  const named = more > 0 ? [...left.filter(({ isNear }) => isNear), ...left.filter(({ isNear }) => !isNear)].slice(0, MOST_NAMED) : left;
  if (left.length > 0) say({ type: "notMatched", event, hooks: named, ...(more > 0 && { more }) });
}

function isInternal({ source }: AdmittedHook): boolean {
  return source.isInternal === true;
}

function withoutInternal({ hooks, plan, selected, refused }: Choice): Choice {
  return { hooks: hooks.filter((hook) => !isInternal(hook)), plan, selected: selected.filter(({ hook }) => !isInternal(hook)), refused };
}

type Chosen = Pick<Extract<Step, { readonly type: "considered" }>, "hooks" | "names">;
const knownChosen = new WeakMap<Choice["selected"], Chosen>();

/** The same lists for the same hooks, as a plan gives them each time. */
function chosen(selected: Choice["selected"]): Chosen {
  const known = knownChosen.get(selected);
  if (known) return known;
  const lists = { hooks: Object.freeze(selected.map(({ hook }) => hook.id)), names: Object.freeze(selected.map(({ hook }) => hook.name)) };
  knownChosen.set(selected, lists);
  return lists;
}

function counts(words: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const word of words) found[word] = (found[word] ?? 0) + 1;
  return found;
}

/** What people call a firing: `PreToolUse:Bash`. */
export function labelOf(event: EventName, input: EventInput): string {
  const query = queryOf(event, input);
  return query === "" ? event : `${event}:${query}`;
}

type About = Pick<Firing, "event" | "label" | "again">;

// Every field is written here: spreading one object into another takes longer than most functions.
export function sayStarted(say: Say, about: About, { id, name }: AdmittedHook, isBackground = false): void {
  const { event, label } = about;
  const step = { type: "started" as const, event, hook: id, name, label };
  say(about.again || isBackground ? { ...step, ...isAgain(about), ...(isBackground && { isBackground }) } : step);
}

export function sayOutcome(say: Say, about: About, raw: Omit<RawOutcome, "hook">, outcome: Outcome): void {
  const { event, label } = about;
  const { hook, durationMs, effects, failure } = outcome;
  const { stdout, stderr, usage } = raw;
  const exitCode = raw.httpStatus ?? raw.exitCode;
  const step = {
    type: "outcome" as const,
    event,
    hook: hook.id,
    name: hook.name,
    label,
    durationMs,
    exitCode,
    stdout,
    stderr,
    usage,
    effects,
    failure,
  };
  say(about.again ? { ...step, ...isAgain(about) } : step);
}

function isAgain({ again }: About): { readonly isAgain?: true } {
  return again ? { isAgain: true } : {};
}

/** An event ends. */
export function sayVerdict(say: Say, verdict: Verdict): void {
  const { event, contexts, feedback, continueWith, tells } = verdict;
  const forModel = [...continueWith, ...contexts, ...feedback];
  if (forModel.length > 0) say({ type: "told", event, to: "model", texts: forModel });
  if (tells.length > 0) say({ type: "told", event, to: "user", texts: tells });
  say({ type: "verdict", event, verdict });
}

type Start = (onStep: Say, abandoned: AbortSignal) => Verdict | Promise<Verdict>;

/** Turns steps that are told into steps that are asked for; nothing is lost between two questions. Who leaves early ends what runs. Steps get the prototype. */
export async function* streamSteps(start: Start, prototype: object): AsyncGenerator<Step, Verdict> {
  const waiting: Step[] = [];
  // Not assigned: the prototype has fields of the same name.
  const of = (step: Step): Step => Object.create(prototype, Object.getOwnPropertyDescriptors(step));
  const abandon = new AbortController();
  let wake: () => void = () => {};
  let verdict: Verdict | undefined;
  const tell = (step: Step): void => {
    // The last step is what the event gave in the end, which its caller may have changed once more.
    if (step.type !== "verdict") waiting.push(step);
    wake();
  };
  const done = Promise.resolve(start(tell, abandon.signal)).then((value) => {
    verdict = value;
    wake();
    return value;
  });
  try {
    while (verdict === undefined || waiting.length > 0) {
      const next = waiting.shift();
      if (next) yield of(next);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          // It may have ended between the last look and now.
          if (verdict !== undefined || waiting.length > 0) resolve();
        });
    }
  } finally {
    if (verdict === undefined) abandon.abort();
    await done;
  }
  yield of({ type: "verdict", event: verdict.event, verdict });
  return verdict;
}

/** What would be said at every call: once per hook and session is enough. */
const SAID_ONCE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "HL_OUTPUT_NO_ANSWER",
  "HL_OUTPUT_NOT_RETURNED",
  "HL_OUTPUT_NOT_BLOCKED",
  "HL_OUTPUT_STDERR",
  "HL_EXECUTE_INPUT_UNREAD",
  "HL_CONFIG_OPTION_IGNORED",
  "HL_LOOP_TOO_LATE",
  "HL_OUTPUT_OWN_INPUT",
  "HL_OUTPUT_UNKNOWN_FIELD",
  "HL_LOOP_REWRITE_REFUSED",
]);

/** Reports what runs of hooks gave rise to. */
export function reportAll(session: Session, { event, say = session.say }: Firing, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const { code, hook, level, text } = diagnostic;
    // A hook that has one field too many has it every time; another field, or something worse, is worth a word of its own.
    const key = code === "HL_OUTPUT_UNKNOWN_FIELD" ? `${code} ${hook} ${text}` : `${code} ${level} ${hook}`;
    // What stood in the way of a call is said every time.
    if (level !== "error" && SAID_ONCE.has(code)) sayOnce({ told: session.told, say }, { event, ...diagnostic }, key);
    else say({ type: "diagnostic", event, ...diagnostic });
  }
}

/** Names come from a model, too: beyond this many, what is said once in a session is not said any more. */
const MOST_TOLD = 1000;

/** Each text once in a session, or once for each key. */
export function sayOnce(
  { told, say }: Pick<Session, "told" | "say">,
  diagnostic: Omit<Extract<Step, { readonly type: "diagnostic" }>, "type">,
  key: string = diagnostic.text,
): void {
  if (told.has(key) || told.size >= MOST_TOLD) return;
  told.add(key);
  say({ type: "diagnostic", ...diagnostic });
}
