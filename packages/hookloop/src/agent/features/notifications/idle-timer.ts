/** A timer that says once that nobody has typed anything for a while. */
export interface IdleTimer {
  /** The person has the word now; the function it returns: they used it. */
  start(): () => void;
  close(): void;
}

export interface IdleOptions {
  readonly afterMs: number;
  readonly onIdle: () => void;
}

export function createIdleTimer({ afterMs, onIdle }: IdleOptions): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    start() {
      stop();
      timer = setTimeout(onIdle, afterMs).unref();
      return stop;
    },
    close: stop,
  };
}
