const ROUNDS = 5;

/** How many times more processor time the work takes for the larger size: the best of some rounds each, so that a busy machine does not count. */
export function growth(work: (size: number) => void, small: number, large: number): number {
  const best = (size: number): number => Math.min(...Array.from({ length: ROUNDS }, () => processorMs(() => work(size))));
  work(small);
  return best(large) / Math.max(best(small), 1);
}

/** Milliseconds of processor time, which a busy machine does not lengthen as it does the clock's. */
export function processorMs(work: () => void): number {
  const before = processorNow();
  work();
  return processorNow() - before;
}

/** The processor time of this process so far, in milliseconds: for work with pauses in it. */
export function processorNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
