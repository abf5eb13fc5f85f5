/**
 * Takes the outcomes of one event and its catalogue row; gives the verdict: what the loop must do now.
 * A join: the order and number of outcomes never matter, and one more outcome never loosens a decision.
 * Refuses nothing; what had to be dropped for another hook's sake is a diagnostic.
 */
import type { EventName } from "@hookloop/sdk";
import type { EventRow } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { Outcome } from "../interpret/types.ts";
import { mergeFields } from "./merge-fields.ts";
import { NOTHING, noVerdict } from "./no-verdict.ts";
import { byPrecedence, conflicts } from "./pick-winner.ts";
import { attributed, decisionOf, everythingSaid, inRegistryOrder, only, reasonOf, type Said, STRICTNESS } from "./said.ts";
import type { Attributed, Decision, Verdict } from "./types.ts";

export interface MergeInput {
  readonly event: EventName;
  readonly row: EventRow;
  readonly outcomes: readonly Outcome[];
}

export interface Merged {
  readonly verdict: Verdict;
  /** What merging itself found; the outcomes keep their own. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Merges the outcomes of one event into its verdict. */
export function mergeOutcomes({ event, row, outcomes }: MergeInput): Merged {
  if (outcomes.length === 0) return { verdict: noVerdict(event), diagnostics: [] };
  const ordered = inRegistryOrder(outcomes);
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

/** The first halt counts; the user gets the reasons of the others too. A halt outranks going on. */
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
  return {
    updatedInput: inputs.at(-1)?.value as Verdict["updatedInput"],
    updatedOutput: output && { value: output.value },
    updatedPrompt: prompts.at(-1)?.value as Verdict["updatedPrompt"],
    conflicts: [...conflicts("the input", inputs), ...conflicts("the output", outputs), ...conflicts("the prompt", prompts)],
  };
}

/** All of them, each hook's once. */
function permissionUpdates(said: readonly Said[]): readonly unknown[] {
  const perHook = new Map(only(said, "permissionUpdates").map(({ hook, effect }) => [hook.id, effect.updates]));
  return [...perHook.values()].flat();
}
