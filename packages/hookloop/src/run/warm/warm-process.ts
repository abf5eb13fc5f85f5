// A warm process: runs scripts one after the other, each with real descriptors 0 to 2, its own environment, folder and exit code.
// Takes runs over its channel; gives how they ended, and then whether anything of them is left.

import { endOwnSession } from "../process/run-processes.ts";
import {
  type Baseline,
  clearTimers,
  clearTraces,
  createScriptLoader,
  nextTurn,
  openDescriptors,
  ScriptRuns,
  takeBaseline,
  useRunStreams,
  watchTimers,
} from "./script-run.ts";
import type { FromWarm, ToWarm } from "./warm-pool.ts";

/** Turns of the loop that what a run left behind may take to end by itself. */
const TURNS = 20;

const [, , folder = "", cacheFolder] = process.argv;
const { channel } = process;
const exit = process.exit.bind(process);
const send = process.send?.bind(process);
const say = (message: FromWarm): void =>
  void send?.(message, undefined, undefined, () => {
    // The engine is gone; "disconnect" follows.
  });

const runs = new ScriptRuns({
  load: createScriptLoader(cacheFolder || undefined),
  onEnd: ({ isCrashed, ...end }) => {
    channel?.ref();
    say({ kind: "ended", ...end });
    nextTurn(() => clean(isCrashed, TURNS));
  },
});

process.on("message", (job: ToWarm) => {
  // Nothing but the script keeps the loop alive: when it has nothing left to do, the run is over.
  channel?.unref();
  runs.start(job);
});
// SECURITY: an engine that is closed or killed leaves no hook behind, and nothing that the hook has started.
process.on("disconnect", () => {
  endOwnSession();
  exit();
});
// Scripts must not take themselves for a child that is talked to.
Object.assign(process, { send: undefined, disconnect: undefined });
openDescriptors(folder);
useRunStreams();
watchTimers();
runs.install();
const idle: readonly string[] = process.getActiveResourcesInfo();
const baseline: Baseline = takeBaseline();

function clean(isCrashed: boolean, turns: number): void {
  clearTimers();
  const left = process.getActiveResourcesInfo().filter((name) => name !== "Immediate");
  if (left.length > idle.length && turns > 0) {
    nextTurn(() => clean(isCrashed, turns - 1));
    return;
  }
  const why = isCrashed
    ? "the script crashed"
    : left.length > idle.length
      ? `the script left ${left.join(", ")} open`
      : clearTraces(baseline);
  if (why === undefined) openDescriptors(folder);
  say(why === undefined ? { kind: "clean" } : { kind: "spoilt", why });
}

say({ kind: "ready" });
