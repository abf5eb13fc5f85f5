import { onAbort } from "../run/index.ts";

/** Work that goes on while the main agent has nothing to do: its turn is not over before this is. */
export interface BackgroundWork {
  /** Something works, or has something to say. */
  isPending(): boolean;
  /** There is something to say, or nothing works any more. */
  news(): Promise<void>;
  /** What the main agent is told; each text once. */
  take(): readonly string[];
}

/** What was said since the last time; waits while something works. Nothing if nothing does, or if it was aborted. */
export async function takeNews(works: readonly BackgroundWork[], signal: AbortSignal): Promise<readonly string[]> {
  while (!signal.aborted) {
    const pending = works.filter((work) => work.isPending());
    if (pending.length === 0) return [];
    let stop: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => {
      stop = onAbort(signal, resolve);
    });
    await Promise.race([...pending.map((work) => work.news()), aborted]);
    stop?.();
    const texts = signal.aborted ? [] : works.flatMap((work) => work.take());
    if (texts.length > 0) return texts;
  }
  return [];
}
