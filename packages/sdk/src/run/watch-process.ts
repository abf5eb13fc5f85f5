import { type StrayOutput, takeStdout } from "./take-stdout.ts";

/** What happens to the process from the moment a hook is declared in it, before and while it runs. */
export interface ProcessWatch {
  readonly stray: StrayOutput;
  /** Something was thrown that nobody caught. */
  crash?: { readonly thrown: unknown };
  /** Set by the runner: what to do about it. */
  onCrash?: (thrown: unknown) => void;
}

/** A script that dies after declaring a guard must not pass for one that agreed, so nothing thrown ends it unheard. */
export function watchProcess(): ProcessWatch {
  const watch: ProcessWatch = { stray: takeStdout() };
  process.on("uncaughtException", (thrown) => {
    watch.crash ??= { thrown };
    watch.onCrash?.(thrown);
  });
  return watch;
}
