const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal comes; gives the function that takes it back. One real listener per signal, however many hooks wait:
 * a signal of the caller with more than ten of them makes Node print a warning.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    // It came before anyone listened, for example from the hook's own call: no event will follow.
    queueMicrotask(act);
    return () => {};
  }
  const known = listeners.get(signal) ?? listenTo(signal);
  known.add(act);
  return () => {
    known.delete(act);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  listeners.set(signal, waiting);
  const callAll = (): void => {
    for (const act of waiting) act();
  };
  signal.addEventListener("abort", callAll, { once: true });
  return waiting;
}
