import type { EventRow, FieldRule } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { NO_FIELDS } from "./no-verdict.ts";
import { byPrecedence, type Candidate, conflicts } from "./pick-winner.ts";
import { decisionOf, only, type Said } from "./said.ts";
import type { Decision } from "./types.ts";

export interface MergedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Merges the output fields that only this event has. An answer is taken whole from one hook; other fields are settled one by one. */
export function mergeFields(row: EventRow, said: readonly Said[], decision: Decision): MergedFields {
  const sets = only(said, "set");
  if (sets.length === 0) return { fields: NO_FIELDS, diagnostics: [] };
  if (row.merge === "answer") return wholeAnswer(row, said, decision);
  const names = [...new Set(sets.map(({ effect }) => effect.field))];
  const merged = names.map((name) => {
    const candidates = sets.filter(({ effect }) => effect.field === name).map(({ hook, effect }) => ({ hook, value: effect.value }));
    const rule = Object.hasOwn(row.combine, name) ? row.combine[name] : undefined;
    return { name, ...mergeField(name, rule, candidates) };
  });
  return {
    fields: Object.fromEntries(merged.map(({ name, value }) => [name, value])),
    diagnostics: merged.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** A refusal wins; then only the refusing words themselves are left of all answers. */
function wholeAnswer(row: EventRow, said: readonly Said[], decision: Decision): MergedFields {
  const heard = decision === "deny" ? said.filter(({ effect }) => decisionOf(row, effect) === "deny") : said;
  const answers = new Map<string, Candidate>();
  for (const { hook, effect } of only(heard, "set")) {
    const before = answers.get(hook.id)?.value as Record<string, unknown> | undefined;
    answers.set(hook.id, { hook, value: { ...before, [effect.field]: effect.value } });
  }
  const ranked = byPrecedence([...answers.values()]);
  return {
    fields: (ranked.at(-1)?.value ?? NO_FIELDS) as Readonly<Record<string, unknown>>,
    diagnostics: decision === "deny" ? [] : conflicts("the answer", ranked),
  };
}

function mergeField(name: string, rule: FieldRule | undefined, candidates: readonly Candidate[]) {
  const ranked = byPrecedence(candidates);
  if (rule)
    return {
      value: COMBINE[rule](
        candidates.map(({ value }) => value),
        ranked.map(({ value }) => value),
      ),
      diagnostics: [],
    };
  return { value: ranked.at(-1)?.value, diagnostics: conflicts(`"${name}"`, ranked) };
}

/** `all` is in registry order, `ranked` weakest first. A value of the wrong type was reported when it was read; here it just does not count. */
type Combine = (all: readonly unknown[], ranked: readonly unknown[]) => unknown;

const COMBINE: Readonly<Record<FieldRule, Combine>> = {
  union: (all) => [...new Set(all.flatMap((value) => (Array.isArray(value) ? value : [])))],
  join: (all) => [...new Set(all.filter((value) => typeof value === "string"))].join("\n"),
  any: (all) => all.some((value) => value === true),
  assign: (_all, ranked) => Object.assign({}, ...ranked.filter((value) => typeof value === "object" && value !== null)),
};
