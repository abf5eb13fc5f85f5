import type { RegisteredHook } from "../../config/index.ts";
import { type Diagnostic, placeText } from "../../diagnostic.ts";
import { scopeRank } from "./registry-order.ts";

/** A value that only one hook can give. */
export interface Candidate {
  readonly hook: RegisteredHook;
  readonly value: unknown;
}

/**
 * Takes what several hooks want for one thing, in registry order; gives the candidates, weakest first (D3):
 * the highest source is last, inside one source the last declared. A hook, and a sequential group, counts once, with its last word.
 */
export function byPrecedence(candidates: readonly Candidate[]): readonly Candidate[] {
  const lastWords = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = candidate.hook.sequence === undefined ? `hook ${candidate.hook.id}` : `group ${candidate.hook.sequence}`;
    const before = lastWords.get(key);
    // In a group the higher priority runs first, so the lower one has seen its result.
    if (!before || candidate.hook.priority <= before.hook.priority) lastWords.set(key, candidate);
  }
  return [...lastWords.values()].sort(
    (a, b) =>
      scopeRank(b.hook.source.scope) - scopeRank(a.hook.source.scope) || a.hook.order - b.hook.order || (a.hook.id < b.hook.id ? -1 : 1),
  );
}

/** One warning per hook whose value was dropped for another's. */
export function conflicts(what: string, ranked: readonly Candidate[]): readonly Diagnostic[] {
  const winner = ranked.at(-1);
  if (!winner) return [];
  return ranked.slice(0, -1).flatMap(({ hook, value }) => (Object.is(value, winner.value) ? [] : [conflict(what, winner.hook, hook)]));
}

function conflict(what: string, winner: RegisteredHook, loser: RegisteredHook): Diagnostic {
  return {
    code: "HL_MERGE_REWRITE_CONFLICT",
    level: "warning",
    text: `Two hooks set ${what}: ${describe(winner)} and ${describe(loser)}. The value from "${winner.name}" counts, the one from "${loser.name}" is dropped. Let one hook do it, or ${winner.source.scope === "code" && loser.source.scope === "code" ? 'register both with the same sequence, as in { sequence: "a" }' : 'put both into one group with "sequential": true'}.`,
    place: loser.place,
    hook: loser.id,
  };
}

function describe({ name, source, place }: RegisteredHook): string {
  return `"${name}" (${place ? placeText(place) : source.scope})`;
}
