import { constants } from "node:os";

type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** One Ctrl-C comes twice through a wrapper that passes it on, and one hang-up through the shell: what follows this soon is the same wish. */
const SAME_WISH_MS = 200;
/** Whatever keeps it from ending, it ends after this. */
const LONGEST_END_MS = 60_000;

/**
 * Calls `stop` when this program is asked to end. The second time it ends at once, with everything it has started; a terminal that
 * hangs up may say so often. Gives the function that stops listening.
 */
export function onEndSignal(stop: (name: EndSignal) => void, names: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"]): () => void {
  let askedAt: number | undefined;
  const onSignal = (name: EndSignal): void => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      setTimeout(() => process.exit(1), LONGEST_END_MS).unref();
      stop(name);
    } else if (name !== "SIGHUP" && performance.now() - askedAt > SAME_WISH_MS) process.exit(128 + constants.signals[name]);
  };
  // Ctrl-\\: no last words.
  const onQuit = (): void => process.exit(128 + constants.signals.SIGQUIT);
  for (const name of names) process.on(name, onSignal);
  process.on("SIGQUIT", onQuit);
  return () => {
    for (const name of names) process.off(name, onSignal);
    process.off("SIGQUIT", onQuit);
  };
}
