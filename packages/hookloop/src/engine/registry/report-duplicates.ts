import { EVENTS } from "../../catalogue/index.ts";
import { type Diagnostic, placeText } from "../../diagnostic.ts";
import { matcherForm } from "../config/index.ts";
import { supersedes } from "./drop-duplicates.ts";
import type { RegisteredHook } from "./types.ts";

/** A file can repeat one command under thousands of matchers; comparing each with each would take minutes. */
const MAX_COMPARED = 50;

/** A notice for every hook that a duplicate shadows whenever both match. */
export function reportDuplicates(hooks: readonly RegisteredHook[]): readonly Diagnostic[] {
  const byKey = new Map<string, RegisteredHook[]>();
  for (const hook of hooks.filter(({ dedupKey }) => dedupKey !== undefined)) {
    const key = `${hook.event} ${hook.dedupKey}`;
    const same = byKey.get(key);
    if (same) same.push(hook);
    else byKey.set(key, [hook]);
  }
  return [...byKey.values()].flatMap((same) => (same.length > 1 ? reportShadowed(same) : []));
}

function reportShadowed(same: readonly RegisteredHook[]): readonly Diagnostic[] {
  const ranked = [...same].sort((a, b) => (supersedes(a, b) ? -1 : 1));
  return ranked.flatMap((hook, index) => {
    const winner = ranked.slice(0, Math.min(index, MAX_COMPARED)).find((other) => overlaps(other, hook));
    return winner ? [shadowed(hook, winner)] : [];
  });
}

/** Certain to match something together; of regular expressions nobody can say. */
function overlaps(a: RegisteredHook, b: RegisteredHook): boolean {
  if (a.matcher === b.matcher) return true;
  const column = EVENTS[a.event].matcher;
  const [first, second] = [matcherForm(a.matcher, column), matcherForm(b.matcher, column)];
  if (first.form === "all" || second.form === "all") return true;
  return first.form === "names" && second.form === "names" && first.names.some((name) => second.names.includes(name));
}

function shadowed(hook: RegisteredHook, winner: RegisteredHook): Diagnostic {
  const where = winner.place ? placeText(winner.place) : winner.source.scope;
  const text = `The same hook is declared at ${where}. Where both match it runs once, with the options from there; of "guard", "onFailure", "async", "once" and "timeout" the stricter one counts. Keep one of them.`;
  return { code: "HL_CONFIG_DUPLICATE", level: "notice", text, place: hook.place, hook: hook.id };
}
