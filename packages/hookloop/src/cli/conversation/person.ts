/** Who types: the lines that wait, and what Ctrl-C means right now. */
import { counted } from "../../diagnostic.ts";

export interface Person {
  /** The next line; nothing if the person leaves. */
  next(): Promise<string | undefined>;
  /** Takes the next interrupt as the end of a turn; the function it returns says that the turn is over. */
  onStop(stop: () => void): () => void;
  /** Aborted when the person leaves. */
  readonly leaving: AbortSignal;
}

export interface OwnPerson extends Person {
  say(line: string): void;
  interrupt(hadText: boolean): void;
  /** Esc: as Ctrl-C, but it never leaves. */
  stop(): void;
  leave(): void;
}

export interface PersonOptions {
  readonly say: (text: string) => void;
  /** Leaving takes too long: end it all. */
  readonly giveUp: () => void;
  /** The up key shows what was typed before. */
  readonly hasHistory?: boolean | undefined;
}

/** Two Ctrl-C within this time leave. */
const TWICE_MS = 2000;
const LONGEST_QUOTE = 60;

export function createPerson({ say, giveUp, hasHistory }: PersonOptions): OwnPerson {
  const left = new AbortController();
  let lines: readonly string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let stop: (() => void) | undefined;
  let isStopping = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  const leave = (): void => {
    left.abort();
    stop?.();
    waiting?.(undefined);
  };
  /** What waits was typed for the turn that is stopped; whoever typed it must know that nothing will come of it. */
  const drop = (): void => {
    const dropped = lines;
    lines = [];
    if (dropped.length > 0) say(droppedText(dropped, hasHistory));
  };
  return {
    leaving: left.signal,
    leave,
    say(line) {
      lastAt = Number.NEGATIVE_INFINITY;
      const take = waiting;
      waiting = undefined;
      if (take) take(line);
      else lines = [...lines, line];
    },
    next() {
      const [line, ...later] = lines;
      lines = later;
      if (left.signal.aborted || line !== undefined) return Promise.resolve(left.signal.aborted ? undefined : line);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    onStop(wanted) {
      stop = wanted;
      isStopping = false;
      return () => {
        stop = undefined;
      };
    },
    stop() {
      if (!stop || isStopping || left.signal.aborted) return;
      isStopping = true;
      say("Stopping.");
      drop();
      stop();
    },
    interrupt(hadText) {
      if (hadText && !stop) return;
      const isAgain = performance.now() - lastAt < TWICE_MS;
      lastAt = performance.now();
      if (left.signal.aborted) return giveUp();
      if (isAgain) return leave();
      if (!stop) return say("Ctrl-C once more leaves.");
      say("Stopping. Ctrl-C once more leaves.");
      drop();
      stop();
    },
  };
}

function droppedText(dropped: readonly string[], hasHistory = false): string {
  const quoted = dropped.map((line) => {
    const short = line.replace(/\s+/g, " ").trim();
    return `"${short.length > LONGEST_QUOTE ? `${short.slice(0, LONGEST_QUOTE)}…` : short}"`;
  });
  const [were, them] = dropped.length === 1 ? ["was", "it"] : ["were", "them"];
  const cure = hasHistory ? ` The up key brings ${them} back.` : "";
  return `${counted(dropped.length, "waiting prompt")} ${were} dropped: ${quoted.join(", ")}.${cure}`;
}
