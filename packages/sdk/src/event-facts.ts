import { EVENT_FACTS } from "./generated/facts.ts";

/** What the SDK knows about one event at run time. */
export interface Facts {
  /** How a reason is given: p permissionDecision, r request, d decision, a action, x exit code, - not at all. */
  readonly mechanism: string;
  readonly can: readonly Ability[];
  readonly required: readonly string[];
  /** The field a matcher is compared with; empty if the event has none. */
  readonly matcher: string;
  /** The field holds a path and only its last part is compared. */
  readonly isBasename: boolean;
  readonly output: readonly string[];
  /** How long an agent waits by default. */
  readonly timeoutMs: number;
}

/** Facts of a known event, or nothing. */
export function eventFacts(event: string | undefined): Facts | undefined {
  if (!Object.hasOwn(EVENT_FACTS, event as string)) return undefined;
  const [head = "", fields = "", output = "", seconds = 600] = EVENT_FACTS[event as keyof typeof EVENT_FACTS].split("|");
  const [mechanism = "", ...digits] = head;
  return {
    mechanism,
    can: digits.map((digit) => ABILITIES[Number.parseInt(digit, 36)] as Ability),
    required: fields.match(/\w+/g) ?? [],
    matcher: /\*\/?(\w+)/.exec(fields)?.[1] ?? "",
    isBasename: fields.includes("*/"),
    output: output.match(/\w+/g) ?? [],
    timeoutMs: Number(seconds) * 1000,
  };
}

/** Everything a hook can say, in the order the event facts count them. Each has an output helper of the same name. */
export type Ability =
  | "allow"
  | "deny"
  | "ask"
  | "defer"
  | "block"
  | "rewrite"
  | "context"
  | "feedback"
  | "replaceOutput"
  | "rewritePrompt"
  | "stop"
  | "tellUser"
  | "output";

// One string is smaller than thirteen: this line is in every hook script.
export const ABILITIES: readonly Ability[] =
  "allow deny ask defer block rewrite context feedback replaceOutput rewritePrompt stop tellUser output".split(" ") as Ability[];
