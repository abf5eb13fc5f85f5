// As they were before any script could change them.
const { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } = globalThis;
const timers = new Set<NodeJS.Timeout>();
const immediates = new Set<NodeJS.Immediate>();

/** The loop's next turn, whatever a script made of the global. */
export function nextTurn(act: () => void): void {
  setImmediate(act);
}

/** From now on timers of scripts are known: one that a script leaves behind must not ring in the next. */
export function watchTimers(): void {
  const kept =
    <Made, Rest extends unknown[]>(make: (...given: Rest) => Made, made: Set<Made>) =>
    (...given: Rest): Made => {
      const one = make(...given);
      made.add(one);
      return one;
    };
  Object.assign(globalThis, {
    setTimeout: Object.assign(kept(setTimeout as never, timers as Set<never>), setTimeout),
    setInterval: Object.assign(kept(setInterval as never, timers as Set<never>), setInterval),
    setImmediate: Object.assign(kept(setImmediate as never, immediates as Set<never>), setImmediate),
  });
}

export function clearTimers(): void {
  for (const timer of timers) clearTimeout(timer);
  for (const immediate of immediates) clearImmediate(immediate);
  timers.clear();
  immediates.clear();
}
