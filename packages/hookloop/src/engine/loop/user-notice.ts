import { EVENTS } from "../../catalogue/index.ts";
import type { RegisteredHook } from "../../config/index.ts";
import { afterName, ownCommand, placeText } from "../../diagnostic.ts";
import { shortText } from "../interpret/index.ts";
import type { Attributed, Verdict } from "../merge/types.ts";

export type NamedHook = Pick<RegisteredHook, "id" | "name" | "source" | "place" | "target" | "fields">;

export interface UserNotice {
  readonly verdict: Verdict;
  /** Finds a hook by its id; the ids of a verdict are of hooks that ran. */
  readonly hookOf: (id: string) => NamedHook | undefined;
}

const REASON_LIMIT = 400;

/**
 * For the user, never for the model: which hooks blocked, where they are declared, and how to switch each off for one run.
 * SECURITY: a model that reads this knows which guard to go around, so it must not reach a conversation.
 */
export function userNotices({ verdict, hookOf }: UserNotice): readonly string[] {
  const blocking = verdict.decision === "deny" ? verdict.reasons : [];
  const stopping = verdict.halt ? [verdict.halt] : [];
  const noticeOf = (what: string) => (reason: Attributed) => notice(what, reason, { verdict, hookOf });
  return [
    ...blocking.map(noticeOf(`${verdict.event} was blocked by`)),
    ...stopping.map(noticeOf(`The agent was stopped at ${verdict.event} by`)),
    ...verdict.continueWith.map(noticeOf(`${verdict.event}: the agent goes on because of`)),
  ];
}

function notice(what: string, { text, hook: id }: Attributed, { verdict, hookOf }: UserNotice): string {
  const hook = hookOf(id);
  const reason = shortText(afterName(hook?.name ?? "", text), REASON_LIMIT);
  const head = `${what} ${hook ? `hook "${shortText(hook.name, 80)}" (${whereOf(hook)})` : `hook ${id}`}${reason ? `: ${reason}` : ""}`;
  return hook ? `${head}\n${cureOf(hook, verdict)}` : head;
}

/** A guard that denied what another hook made of the call: that hook is where to look, and nowhere else if it made nonsense of it. */
function cureOf(hook: NamedHook, { outcomes }: Verdict): string {
  const isNotRun = outcomes.some((outcome) => outcome.hook.id === hook.id && outcome.failure?.kind === "untrusted");
  const again = outcomes.find((outcome) => outcome.isAgain && outcome.hook.id === hook.id);
  const rewriters = again ? outcomes.filter(({ effects }) => effects.some(({ type }) => type.startsWith("rewrite"))) : [];
  if (rewriters.length === 0) return cure(hook, isNotRun);
  const names = rewriters.map((one) => `hook "${shortText(one.hook.name, 80)}" (${whereOf(one.hook)})`);
  return `It judged what ${names.join(", ")} made of it. ${again?.failure?.kind === "unfit-input" ? "Fix that hook." : cure(hook, isNotRun)}`;
}

function whereOf({ place, source }: NamedHook): string {
  if (place) return placeText(place);
  return source.file ?? "registered by the program";
}

/**
 * What hooks told the user. Where exit code 2 only tells, the words are the last ones of a hook that failed, which say neither whose they are nor
 * where it stands.
 */
export function toldTexts({ event, tells, outcomes }: Pick<Verdict, "event" | "tells" | "outcomes">): readonly string[] {
  return tells.map(({ text, hook: id }) => {
    const hook = EVENTS[event].exit2 === "tell" ? outcomes.find((outcome) => outcome.hook.id === id)?.hook : undefined;
    return hook === undefined || hook.source.scope === "code" ? text : `${event} hook "${hook.name}" (${whereOf(hook)}): ${text}`;
  });
}

/** What was not run because it is not approved, or has changed since, is looked at first; switching it off is the last resort. */
function cure({ id, name, source, target, fields }: NamedHook, isNotRun: boolean): string {
  if (source.scope === "managed") return "It is managed: only whoever manages this machine can switch it off.";
  // A script may be run by several hooks, and a command line as a name would need quoting: the id is this hook's own.
  const hasOwnName = fields === undefined || typeof fields["name"] === "string";
  const switchName = hasOwnName && /^[\w.@-]+$/.test(name) ? name : id;
  const review = isNotRun || target.kind === "withheld" ? `It was not run. Look at it: ${ownCommand()} trust review. ` : "";
  return `${review}To switch it off for one run: HOOKLOOP_DISABLE=${switchName}`;
}
