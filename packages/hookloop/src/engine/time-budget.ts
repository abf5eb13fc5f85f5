import { EVENTS } from "../catalogue/index.ts";
import { durationText, onAbort, type RawOutcome } from "../run/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { Firing, Session } from "./session.ts";

/** Says that a hook took longer than its own `budget`, over both runs if it ran before for the same event (`beforeMs`). */
export function reportSlowHook(session: Session, { hook, durationMs }: Pick<RawOutcome, "hook" | "durationMs">, beforeMs = 0): void {
  const budget = hook.fields?.["budget"];
  const took = durationMs + beforeMs;
  if (typeof budget !== "number" || took <= budget || beforeMs > budget) return;
  const text = `hook "${hook.name}" took ${durationText(Math.round(took))}; its budget is ${durationText(budget)}`;
  session.report({ code: "HL_EXECUTE_OVER_BUDGET", level: "warning", text, place: hook.place, hook: hook.id });
}

/** Says that an event waited longer for its hooks than the settings allow for. */
export function reportSlowEvent(session: Session, { event }: Firing, durationMs: number): void {
  const budget = session.budgetOf?.(event);
  if (budget === undefined || durationMs <= budget) return;
  const text = `the hooks of ${event} took ${durationText(Math.round(durationMs))} together; the budget is ${durationText(budget)}`;
  session.report({ code: "HL_EXECUTE_OVER_BUDGET", level: "warning", text });
}

/** `settings.budgets`: by event, `*` for every other. What is no number counts for nothing. */
export function eventBudget(budgets: unknown, event: string): number | undefined {
  if (typeof budgets !== "object" || budgets === null) return undefined;
  const given = Object.hasOwn(budgets, event) ? (budgets as Record<string, unknown>)[event] : (budgets as Record<string, unknown>)["*"];
  return typeof given === "number" ? given : undefined;
}

export interface SharedLimit {
  readonly signal: AbortSignal;
  /** The outcome of a run that the shared limit ended, in the words of a time limit. */
  named(raw: RawOutcome): RawOutcome;
  release(): void;
}

/** Where the hooks of an event share their time: what waits for others has less. Nothing for a hook with a limit of its own. */
export function sharedLimit({ event, startedAt }: Firing, hook: AdmittedHook, outer: AbortSignal): SharedLimit | undefined {
  if (!EVENTS[event].sharesTimeLimit || hook.isAsync || startedAt === undefined || hook.fields?.["timeout"] !== undefined) return undefined;
  const controller = new AbortController();
  let isOver = false;
  const left = Math.max(startedAt + hook.timeoutMs - performance.now(), 0);
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, left);
  const forget = onAbort(outer, () => controller.abort());
  return {
    signal: controller.signal,
    named: (raw) => {
      if (!isOver || raw.failure?.kind !== "aborted") return raw;
      const text = `the hooks of ${event} have ${durationText(hook.timeoutMs)} together, and it did not answer within that`;
      return { ...raw, failure: { kind: "timeout", text } };
    },
    release: () => {
      clearTimeout(timer);
      forget();
    },
  };
}
