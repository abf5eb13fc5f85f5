import type { EventName } from "@hookloop/sdk";
import { EVENTS, type EventRow } from "../catalogue/index.ts";
import { compileFold, type Fold, noVerdict, type Verdict } from "./merge/index.ts";
import type { PayloadCopier } from "./payload-copy.ts";
import type { EventPlans } from "./select/index.ts";
import type { Session } from "./session.ts";

/** Everything that firing one event needs, found by one look-up: with one for each part, they were half of what a firing cost. */
export interface KnownEvent {
  readonly name: EventName;
  readonly row: EventRow;
  /** A no means going on, which hooks must not do forever. */
  readonly isStop: boolean;
  readonly plans: EventPlans;
  /** What the event gives when no hook says anything. */
  readonly silence: Verdict;
  readonly fold: Fold;
  readonly copyPayload: PayloadCopier;
}

/** By name; programs ask for names that are none, too. */
export type KnownEvents = ReadonlyMap<unknown, KnownEvent>;

/** For the session's hooks as they are now. */
export function openKnownEvents({ planner, payloadCopier }: Session): KnownEvents {
  return new Map([...planner.open()].map(([name, plans]) => [name, knownEvent(name, plans, payloadCopier(name))]));
}

function knownEvent(name: EventName, plans: EventPlans, copyPayload: PayloadCopier): KnownEvent {
  const row = EVENTS[name];
  const isStop = row.blockEffect === "continueTurn";
  return { name, row, isStop, plans, silence: noVerdict(name), fold: compileFold(name, row), copyPayload };
}
