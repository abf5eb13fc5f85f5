import type { EventName } from "@hookloop/sdk";
import { callListener } from "../check-options.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import type { Verdict } from "../judge/index.ts";
import { thrownText } from "../run/index.ts";
import type { FireOptions, Session, Step } from "./session.ts";

/** One step of one event, as it is written. Everything beyond these fields belongs to the step. */
export interface TraceRecord {
  readonly v: 1;
  /** Counts the records of one recorder; a gap means that records were lost. */
  readonly seq: number;
  /** Wall clock, milliseconds since 1970; it may jump. */
  readonly t: number;
  /** Milliseconds of a clock that never jumps; differences are durations. */
  readonly mono: number;
  readonly session: string;
  readonly event: EventName;
  readonly step: string;
  /** Id of the hook. */
  readonly hook?: string | undefined;
  readonly [field: string]: unknown;
}

/** Where records go. `write` returns fast and never throws. */
export interface TraceSink {
  write(record: TraceRecord): void;
}

export interface TraceStep {
  readonly event: EventName;
  readonly step: string;
  readonly hook?: string | undefined;
  readonly [field: string]: unknown;
}

export interface RecorderOptions {
  readonly sink: TraceSink;
  readonly session: string;
  readonly clock?: { readonly wall: () => number; readonly mono: () => number };
  /** Told once if the sink throws. */
  readonly onProblem?: ((thrown: unknown) => void) | undefined;
}

const CLOCK = { wall: () => Date.now(), mono: () => performance.now() };

/** Stamps steps and hands them to the sink. Ask whether there is a recorder before building a step: nothing is built when nobody listens. */
export function createRecorder({ sink, session, clock = CLOCK, onProblem }: RecorderOptions): (step: TraceStep) => void {
  let seq = 0;
  let hasProblem = false;
  const lost = (thrown: unknown): void => {
    if (!hasProblem) onProblem?.(thrown);
    hasProblem = true;
  };
  return (step) => {
    seq += 1;
    const record = { v: 1, seq, t: clock.wall(), mono: Math.round(clock.mono() * 1000) / 1000, session, ...step } as const;
    // A sink that breaks its promise loses its record; the event goes on.
    callListener(() => sink.write(record), lost);
  };
}

type Start = (onStep: (step: Step) => void, abandoned: AbortSignal) => Verdict | Promise<Verdict>;

/** Turns steps that are told into steps that are asked for; nothing is lost between two questions. Who leaves early ends what runs. Steps get the prototype. */
export async function* streamSteps(start: Start, prototype: object): AsyncGenerator<Step, Verdict> {
  const waiting: Step[] = [];
  const of = (step: Step): Step => Object.assign(Object.create(prototype), step);
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
  yield of({ type: "verdict", verdict });
  return verdict;
}

/** Tells whoever watches the event. One that throws is reported; the event goes on. */
export function tellStep(session: Session, { onStep }: FireOptions, step: Step): void {
  if (!onStep) return;
  callListener(
    () => onStep(step),
    (thrown) => session.report({ code: "HL_EXECUTE_THREW", level: "error", text: `onStep threw: ${thrownText(thrown)}` }),
  );
}

/** What would be said at every call: once per hook and session is enough. */
const SAID_ONCE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "HL_OUTPUT_NO_ANSWER",
  "HL_OUTPUT_NOT_RETURNED",
  "HL_OUTPUT_STDERR",
  "HL_CONFIG_OPTION_IGNORED",
  "HL_LOOP_TOO_LATE",
  "HL_OUTPUT_OWN_INPUT",
  "HL_OUTPUT_UNKNOWN_FIELD",
  "HL_LOOP_REWRITE_REFUSED",
]);

/** Reports what runs of hooks gave rise to. */
export function reportAll(session: Session, diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const { code, hook, level, text } = diagnostic;
    // A hook that has one field too many has it every time; another field, or something worse, is worth a word of its own.
    const key = code === "HL_OUTPUT_UNKNOWN_FIELD" ? `${code} ${hook} ${text}` : `${code} ${level} ${hook}`;
    // What stood in the way of a call is said every time.
    if (level !== "error" && SAID_ONCE.has(code)) {
      if (session.told.has(key)) continue;
      session.told.add(key);
    }
    session.report(diagnostic);
  }
}
