import type { Diagnostic } from "../diagnostic.ts";
import type { Background } from "./background.ts";
import type { Outcome } from "./interpret/index.ts";

export interface EndOptions {
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

/** No event will carry it to the model any more: a person hears it instead. */
function reportTooLate({ hook, effects }: Outcome, report: (diagnostic: Diagnostic) => void): void {
  const texts = effects.flatMap((effect) => ("text" in effect ? effect.text : []));
  if (texts.length === 0) return;
  const text = `hook "${hook.name}": the session ended before its words could reach anyone: ${texts.join(" ")}`;
  report({ code: "HL_LOOP_TOO_LATE", level: "notice", text, place: hook.place, hook: hook.id });
}
