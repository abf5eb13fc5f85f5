import { placeText } from "../../diagnostic.ts";
import { afterName } from "../../wording.ts";
import { shortText } from "../interpret/index.ts";
import type { Attributed, Verdict } from "../merge/types.ts";
import type { RegisteredHook } from "../registry/types.ts";

export type NamedHook = Pick<RegisteredHook, "id" | "name" | "source" | "place" | "target">;

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
  return [
    ...blocking.map((reason) => notice(`${verdict.event} was blocked by`, reason, hookOf)),
    ...stopping.map((reason) => notice(`The agent was stopped at ${verdict.event} by`, reason, hookOf)),
    ...verdict.continueWith.map((reason) => notice(`${verdict.event}: the agent goes on because of`, reason, hookOf)),
  ];
}

function notice(what: string, { text, hook: id }: Attributed, hookOf: UserNotice["hookOf"]): string {
  const hook = hookOf(id);
  const reason = shortText(afterName(hook?.name ?? "", text), REASON_LIMIT);
  const head = `${what} ${hook ? `hook "${shortText(hook.name, 80)}" (${whereOf(hook)})` : `hook ${id}`}${reason ? `: ${reason}` : ""}`;
  return hook ? `${head}\n${cure(hook)}` : head;
}

function whereOf({ place, source }: NamedHook): string {
  if (place) return placeText(place);
  return source.file ?? "registered by the program";
}

function cure({ id, name, source, target }: NamedHook): string {
  if (source.scope === "managed") return "It is managed: only whoever manages this machine can switch it off.";
  // A command line as a name would need quoting, and a comma in it would be read as two names: the id has neither.
  const switchName = /^[\w.@-]+$/.test(name) ? name : id;
  const review = target.kind === "withheld" ? "It was not run. Look at it: hookloop trust review. " : "";
  return `${review}To switch it off for one run: HOOKLOOP_DISABLE=${switchName}`;
}
