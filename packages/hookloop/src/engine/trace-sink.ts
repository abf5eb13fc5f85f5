import type { EventName } from "@hookloop/sdk";

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
  return (step) => {
    seq += 1;
    try {
      sink.write({ v: 1, seq, t: clock.wall(), mono: Math.round(clock.mono() * 1000) / 1000, session, ...step });
    } catch (thrown) {
      // Safe: a sink of the embedding program that breaks its promise loses its record; the event goes on.
      if (!hasProblem) onProblem?.(thrown);
      hasProblem = true;
    }
  };
}
