import { isDeepStrictEqual } from "node:util";
import type { EventName } from "@hookloop/sdk";
import type { EventRow, FieldRule } from "../catalogue/index.ts";
import { type RegisteredHook, scopeRank } from "../config/index.ts";
import { type Diagnostic, placeText } from "../diagnostic.ts";
import type { Decision, Outcome } from "./effects.ts";
import {
  type Attributed,
  attributed,
  decisionOf,
  everythingSaid,
  inRegistryOrder,
  NO_FIELDS,
  NOTHING,
  noVerdict,
  only,
  reasonOf,
  type Said,
  STRICTNESS,
  type Verdict,
  withheldOutput,
} from "./verdict.ts";

interface Candidate {
  readonly hook: RegisteredHook;
  readonly value: unknown;
}

/**
 * Takes what several hooks want for one thing, in registry order; gives the candidates, weakest first:
 * the highest source is last, inside one source the last declared. A hook, and a sequential group, counts once, with its last word.
 */
function byPrecedence(candidates: readonly Candidate[]): readonly Candidate[] {
  const lastWords = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = candidate.hook.sequence === undefined ? `hook ${candidate.hook.id}` : `group ${candidate.hook.sequence}`;
    const before = lastWords.get(key);
    if (!before || runsLater(candidate.hook, before.hook)) lastWords.set(key, candidate);
  }
  return [...lastWords.values()].sort(
    (a, b) =>
      scopeRank(b.hook.source.scope) - scopeRank(a.hook.source.scope) || a.hook.order - b.hook.order || (a.hook.id < b.hook.id ? -1 : 1),
  );
}

/** In a group the higher priority runs first, so the lower one has seen its result; in reverse it is the other way round. */
function runsLater({ priority, sequenceMode }: RegisteredHook, before: RegisteredHook): boolean {
  return sequenceMode === "reverse" ? priority > before.priority : priority <= before.priority;
}

/** One warning per hook whose value was dropped for another's. */
function conflicts(what: string, ranked: readonly Candidate[]): readonly Diagnostic[] {
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

interface MergeInput {
  readonly event: EventName;
  readonly row: EventRow;
  readonly outcomes: readonly Outcome[];
}

export interface Merged {
  readonly verdict: Verdict;
  /** What merging itself found; the outcomes keep their own. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Takes the outcomes of one event and its catalogue row; gives the verdict: what the loop must do now.
 * A join: the order and number of outcomes never matter, and one more outcome never loosens a decision.
 * Refuses nothing; what had to be dropped for another hook's sake is a diagnostic.
 */
export function mergeOutcomes({ event, row, outcomes }: MergeInput): Merged {
  if (outcomes.length === 0) return { verdict: noVerdict(event), diagnostics: [] };
  const ordered = inRegistryOrder(outcomes);
  if (ordered.every(isSilent)) return { verdict: { ...noVerdict(event), outcomes: ordered }, diagnostics: NOTHING };
  const said = everythingSaid(row, ordered);
  const decision = said.map(({ effect }) => decisionOf(row, effect)).reduce(stricter, "none");
  const { fields, diagnostics } = mergeFields(row, said, decision);
  const { conflicts: rewriteConflicts, ...rewrites } = mergeRewrites(said, decision);
  const verdict = {
    event,
    decision,
    reasons: reasonsFor(row, said, decision),
    ...haltAndTells(said),
    ...textsOf(said),
    ...rewrites,
    permissionUpdates: decision === "allow" ? permissionUpdates(said) : NOTHING,
    fields,
    outcomes: ordered,
  };
  return { verdict, diagnostics: [...rewriteConflicts, ...diagnostics] };
}

function isSilent({ effects, failure }: Outcome): boolean {
  return effects.length === 0 && failure === undefined;
}

function stricter(a: Decision, b: Decision): Decision {
  return STRICTNESS[b] > STRICTNESS[a] ? b : a;
}

function reasonsFor(row: EventRow, said: readonly Said[], decision: Decision): readonly Attributed[] {
  if (decision === "none") return NOTHING;
  const explicit = new Set(only(said, "deny").map(({ hook }) => hook.id));
  // A halt or a declining answer beside a hook's own deny has nothing to add to its reason.
  const adds = ({ hook, effect }: Said): boolean => effect.type === "deny" || !explicit.has(hook.id);
  const deciding = said.filter((one) => decisionOf(row, one.effect) === decision && adds(one));
  return attributed(deciding.map(({ hook, effect }) => ({ text: reasonOf(effect), hook: hook.id })));
}

/** The first halt counts; the user gets the reasons of the others too. A halt outranks a block of the stop. */
function haltAndTells(said: readonly Said[]): Pick<Verdict, "halt" | "tells" | "continueWith"> {
  const first = only(said, "halt")[0];
  const halt = first && { text: first.effect.reason ?? "", hook: first.hook.id };
  const tells = said.flatMap(({ hook, effect }) => {
    if (effect.type === "tell") return [{ text: effect.text, hook: hook.id }];
    if (effect.type !== "halt" || !effect.reason) return [];
    return hook.id === halt?.hook && effect.reason === halt.text ? [] : [{ text: effect.reason, hook: hook.id }];
  });
  const goingOn = only(said, "continueTurn").map(({ hook, effect }) => ({ text: effect.reason, hook: hook.id }));
  return { halt, tells: attributed(tells), continueWith: halt ? NOTHING : attributed(goingOn) };
}

function textsOf(said: readonly Said[]): Pick<Verdict, "contexts" | "feedback"> {
  const contexts = only(said, "context").map(({ hook, effect }) => ({
    text: effect.text,
    hook: hook.id,
    ...(effect.fromStdout && { fromStdout: true as const }),
    ...(effect.event && { event: effect.event }),
  }));
  const feedback = only(said, "feedback").map(({ hook, effect }) => ({ text: effect.text, hook: hook.id }));
  return { contexts: attributed(contexts), feedback: attributed(feedback) };
}

type Rewrites = Pick<Verdict, "updatedInput" | "updatedOutput" | "updatedPrompt"> & { readonly conflicts: readonly Diagnostic[] };
const NO_REWRITES: Rewrites = { updatedInput: undefined, updatedOutput: undefined, updatedPrompt: undefined, conflicts: NOTHING };

/** What does not happen is not rewritten. */
function mergeRewrites(said: readonly Said[], decision: Decision): Rewrites {
  if (decision === "deny") return NO_REWRITES;
  const inputs = byPrecedence(only(said, "rewriteInput").map(({ hook, effect }) => ({ hook, value: effect.input })));
  const outputs = byPrecedence(only(said, "rewriteOutput").map(({ hook, effect }) => ({ hook, value: effect.output })));
  const prompts = byPrecedence(only(said, "rewritePrompt").map(({ hook, effect }) => ({ hook, value: effect.prompt })));
  const output = outputs.at(-1);
  // SECURITY: what another hook made of the result, the guard that failed has not judged.
  const failed = only(said, "withhold").map(({ hook, effect }) => ({ text: effect.reason, hook: hook.id }));
  const withheld = attributed([...failed, ...droppedGuards(outputs)]);
  return {
    updatedInput: inputs.at(-1)?.value as Verdict["updatedInput"],
    updatedOutput: withheld.length > 0 ? withheldOutput(withheld.map(({ text }) => text)) : output && { value: output.value },
    updatedPrompt: prompts.at(-1)?.value as Verdict["updatedPrompt"],
    conflicts: [...conflicts("the input", inputs), ...conflicts("the output", outputs), ...conflicts("the prompt", prompts)],
  };
}

/** SECURITY: two hooks that ran at the same time have not seen what the other made of the result. What a guard took out of it must not come back with another's value. */
function droppedGuards(outputs: readonly Candidate[]): readonly Attributed[] {
  const winner = outputs.at(-1);
  const dropped = outputs.filter(({ hook, value }) => hook.onFailure === "block" && !isDeepStrictEqual(value, winner?.value));
  return dropped.map(({ hook }) => ({
    text: `The guard "${hook.name}" and the hook "${winner?.hook.name}" replaced the result in two ways, and neither has seen what the other made of it.`,
    hook: hook.id,
  }));
}

/** All of them, each hook's once. */
function permissionUpdates(said: readonly Said[]): readonly unknown[] {
  const perHook = new Map(only(said, "permissionUpdates").map(({ hook, effect }) => [hook.id, effect.updates]));
  return [...perHook.values()].flat();
}

interface MergedFields {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Merges the output fields that only this event has. An answer is taken whole from one hook; other fields are settled one by one. */
function mergeFields(row: EventRow, said: readonly Said[], decision: Decision): MergedFields {
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
