import type { EventName } from "@hookloop/sdk";
import { callListener } from "../check-options.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type Effect, effectRow, type Outcome } from "../judge/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { Firing } from "./session.ts";

/** Hooks that take their time. They decide nothing; what they say to the model comes with the next event that can carry it. */
export interface Background {
  readonly hasNews: boolean;
  /** Something runs. Whoever fires an event meanwhile counts it. */
  readonly isBusy: boolean;
  events: number;
  /** The event does not wait for this hook. */
  takes(hook: AdmittedHook): boolean;
  /** Waits for nothing: the outcome is kept when it comes. */
  start(run: Promise<Outcome>, of: Pick<Firing, "event" | "input">): void;
  /** What came in since the last time: for a subagent only what its own events led to, for the main agent everything. */
  take(agentId?: string): readonly Outcome[];
  /** Counts a run that is waited for elsewhere as running. */
  watch(run: Promise<unknown>): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** Waits for background hooks only, and not longer than this. */
  drain(limitMs: number): Promise<void>;
  /** The same for those that were started before the latest event, each once. */
  settle(limitMs: number): Promise<void>;
}

interface News {
  readonly outcome: Outcome;
  readonly agentId: unknown;
}

interface BackgroundOptions {
  /** An `asyncRewake` hook blocked it: the agent should look at it now. */
  readonly onWake?: ((outcome: Outcome) => void) | undefined;
  /** `asyncRewake` hooks are waited for. */
  readonly waitForRewake?: boolean | undefined;
  /** Called with what `onWake` threw. */
  readonly onProblem?: ((thrown: unknown) => void) | undefined;
}

export function createBackground({ onWake, waitForRewake = false, onProblem }: BackgroundOptions = {}): Background {
  const running = new Set<Promise<unknown>>();
  const inBackground = new Map<Promise<unknown>, number>();
  let news: News[] = [];
  const wake = (outcome: Outcome): void =>
    callListener(
      () => onWake?.(outcome),
      (thrown) => onProblem?.(thrown),
    );
  const watch = (run: Promise<unknown>): void => {
    const end = (): void => void running.delete(run);
    running.add(run);
    run.then(end, end);
  };
  const waitFor = async (runs: readonly Promise<unknown>[], limitMs: number): Promise<void> => {
    if (runs.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.allSettled(runs), limit]);
    clearTimeout(timer);
  };
  // A field, not a getter: every firing reads it, and a getter on every engine's own object cost 10 ns.
  const background: { -readonly [Part in keyof Background]: Background[Part] } = {
    hasNews: false,
    isBusy: false,
    events: 0,
    takes: ({ isAsync, wakesAgent }) => isAsync && !(wakesAgent && waitForRewake),
    start(run, { event, input }) {
      const keep = (outcome: Outcome): void => {
        const wakes = outcome.hook.wakesAgent && outcome.effects.some((effect) => noOf(effect) !== undefined);
        const kept = wakes && !onWake ? asContext(outcome) : withoutSay(outcome);
        if (kept.effects.length > 0) news.push({ outcome: answering(event, kept), agentId: input["agent_id"] });
        background.hasNews = news.length > 0;
        if (wakes) wake(outcome);
      };
      const kept = run.then(keep, onProblem);
      watch(kept);
      inBackground.set(kept, background.events);
      background.isBusy = true;
      kept.then(() => {
        inBackground.delete(kept);
        background.isBusy = inBackground.size > 0;
      });
    },
    take(wanted) {
      const isTaken = ({ agentId }: News): boolean => wanted === undefined || agentId === wanted;
      const taken = news.filter(isTaken);
      news = news.filter((one) => !isTaken(one));
      background.hasNews = news.length > 0;
      return taken.map(({ outcome }) => outcome);
    },
    watch,
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
    drain: (limitMs) => waitFor([...inBackground.keys()], limitMs),
    async settle(limitMs) {
      const older = [...inBackground].filter(([, startedAt]) => startedAt < background.events).map(([run]) => run);
      await waitFor(older, limitMs);
      for (const run of older) if (inBackground.has(run)) inBackground.set(run, Number.POSITIVE_INFINITY);
    },
  };
  return background;
}

/** What an effect gives as the reason of a denial, whatever a denial means to its event. */
function noOf(effect: Effect): string | undefined {
  if (effect.type === "feedback") return effect.text;
  const isNo = effect.type === "deny" || effect.type === "continueTurn" || effect.type === "halt";
  return isNo ? (effect.reason ?? "") : undefined;
}

/** Says that a decision of a hook in the background came too late; nothing if it made none, or is there to wake the agent with it. */
export function lateDecision({ hook, effects }: Outcome, event: EventName): Diagnostic | undefined {
  const late = hook.wakesAgent
    ? undefined
    : effects.map((effect) => effectRow(effect).late).find((one) => one !== null && one !== "counts");
  if (!late) return undefined;
  const why = hook.isAsync ? 'it runs in the background ("async": true)' : 'it went to the background ({"async": true} on stdout)';
  const text = `hook "${hook.name}": ${why}, so ${late} came too late and has no effect: ${event} did not wait for it. Remove "async" if it is to decide. This is said once in a session.`;
  return { code: "HL_LOOP_TOO_LATE", level: "warning", text, place: hook.place, hook: hook.id };
}

/** Says that the plain text of a hook in the background is lost, where its dialect drops it; it would have been context if it were waited for. */
export function lostContext({ hook, effects }: Outcome, kept: readonly Effect[], event: EventName): Diagnostic | undefined {
  const lost = effects.find((effect) => effect.type === "context" && effect.fromStdout && !kept.includes(effect));
  if (!lost) return undefined;
  const text = `hook "${hook.name}": it runs in the background, where plain text on stdout is not read, so the model does not get what it printed. Remove "async", or print {"hookSpecificOutput": {"hookEventName": "${event}", "additionalContext": "…"}}. This is said once in a session.`;
  return { code: "HL_LOOP_TOO_LATE", level: "warning", text, place: hook.place, hook: hook.id };
}

/** The event it answered is over: what it says to the model and the user counts, its decisions and failures no longer do. */
function withoutSay(outcome: Outcome): Outcome {
  const effects = outcome.effects.filter((effect) => effectRow(effect).late === "counts");
  return { ...outcome, effects, failure: undefined };
}

/** Without onWake the model gets it with the next event instead. */
function asContext(outcome: Outcome): Outcome {
  const { message, summary } = wakeTexts(outcome);
  const kept = withoutSay(outcome);
  const told = summary === undefined ? [] : [{ type: "tell" as const, text: summary }];
  return { ...kept, effects: [...kept.effects, ...(message === "" ? [] : [{ type: "context" as const, text: message }]), ...told] };
}

/** What an `asyncRewake` hook that blocked has for the model, and the line for the user if its configuration has one. */
export function wakeTexts({ hook, effects }: Outcome): { readonly message: string; readonly summary: string | undefined } {
  const { rewakeMessage, rewakeSummary } = hook.fields ?? {};
  const texts = [rewakeMessage, ...effects.map(noOf)].filter((text) => typeof text === "string" && text !== "");
  return { message: texts.join("\n"), summary: typeof rewakeSummary === "string" ? rewakeSummary : undefined };
}

/** Whatever carries it, it is labelled with the event that it answers. */
function answering(event: EventName, outcome: Outcome): Outcome {
  const effects = outcome.effects.map((effect) => (effect.type === "context" ? { ...effect, event } : effect));
  return { ...outcome, effects };
}

interface EndOptions {
  /** Ends what still runs. */
  readonly stop: () => void;
  /** How long background hooks may take before that. */
  readonly drainMs?: number | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
}

const DRAIN_MS = 1000;

/** At the end of a session: lets background hooks finish within a bound, ends the rest, and loses nothing they said. */
export async function endBackground(background: Background, { stop, drainMs = DRAIN_MS, report }: EndOptions): Promise<void> {
  await background.drain(drainMs);
  stop();
  await background.idle();
  for (const outcome of background.take()) reportTooLate(outcome, report);
}

/** No event will carry it to the model any more: the user is told instead. */
function reportTooLate({ hook, effects }: Outcome, report: (diagnostic: Diagnostic) => void): void {
  const texts = effects.flatMap((effect) => ("text" in effect ? effect.text : []));
  if (texts.length === 0) return;
  const text = `hook "${hook.name}": the session ended before its words could reach anyone: ${texts.join(" ")}`;
  report({ code: "HL_LOOP_TOO_LATE", level: "notice", text, place: hook.place, hook: hook.id });
}
