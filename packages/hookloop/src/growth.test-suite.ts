const ROUNDS = 5;

/** How many times longer the work takes for the larger size. The best of some rounds each: other programs only ever make it slower. */
export function growth(work: (size: number) => void, small: number, large: number): number {
  const best = (size: number): number => Math.min(...Array.from({ length: ROUNDS }, () => timeOf(() => work(size))));
  work(small);
  return best(large) / Math.max(best(small), 1);
}

function timeOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
