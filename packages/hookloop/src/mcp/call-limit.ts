/** How long a server may take for one call. */
const CALL_MS = 60_000;
/** The longest a timer can be: the client's own limit is not used, it knows nothing of questions. */
const NEVER_MS = 2 ** 31 - 1;

export interface CallLimit {
  /** Somebody is being asked on behalf of the server. */
  readonly isWaiting: () => boolean;
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number | undefined;
}

/** A call with a limit that does not run out while the server waits for a person: they may take minutes to answer. */
export async function withinLimit<Result>(
  call: (options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  { isWaiting, signal, limitMs = CALL_MS }: CallLimit,
): Promise<Result> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    timer = setTimeout(
      () => (isWaiting() ? arm() : limit.abort(new Error(`the server did not answer within ${limitMs / 1000} s`))),
      limitMs,
    );
  };
  arm();
  try {
    return await call({ signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal, timeout: NEVER_MS });
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
