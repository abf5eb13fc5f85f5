/** Known by its name, since the runner is a bundle of its own and has its own copy of this class. */
const NAME = "HookloopExitSignal";

/** Thrown by emitBlockViaExit and caught by the runner: the hook ends here, with exit code 2. */
export class ExitSignal extends Error {
  override name: string = NAME;
}

/** The reason, if this is an exit signal. */
export function exitReasonOf(thrown: unknown): string | undefined {
  const { name, message } = (thrown ?? {}) as Partial<Error>;
  return name === NAME ? message : undefined;
}
