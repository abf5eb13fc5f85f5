import { dropDuplicates } from "../../config/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import type { CompiledCondition, Plan, Seat } from "./types.ts";

/** The plan when nothing can run. */
export const EMPTY_PLAN: Plan = Object.freeze({
  hooks: Object.freeze([]),
  isFunctionsOnly: true,
  seats: Object.freeze([]),
  selected: Object.freeze([]),
  conditions: Object.freeze([]),
  isFixed: true,
  lacksQuery: false,
  hasGuards: false,
});

/** Arranges hooks that fit one query. Where nothing depends on the input, duplicates are left out here, for good. */
export function buildPlan(
  fitting: readonly AdmittedHook[],
  conditionOf: (hook: AdmittedHook) => CompiledCondition | undefined,
  lacksQuery = false,
): Plan {
  const hooks = fitting.every(alwaysRuns) ? dropDuplicates(fitting).map(({ hook }) => hook) : fitting;
  if (hooks.length === 0) return EMPTY_PLAN;
  const isFunctionsOnly = hooks.every(isPlainFunction);
  return {
    hooks,
    isFunctionsOnly,
    seats: isFunctionsOnly ? hooks.map(seatOf) : [],
    selected: hooks.map((hook) => ({ hook })),
    conditions: hooks.map(conditionOf),
    isFixed: hooks.every(alwaysRuns) && !hasDuplicates(hooks),
    lacksQuery,
    hasGuards: hooks.some(({ isGuard, onFailure }) => isGuard || onFailure === "block"),
  };
}

function hasDuplicates(hooks: readonly AdmittedHook[]): boolean {
  const keys = hooks.flatMap(({ dedupKey }) => (dedupKey === undefined ? [] : [dedupKey]));
  return new Set(keys).size < keys.length;
}

function alwaysRuns({ condition, source, once }: AdmittedHook): boolean {
  return condition === undefined && source.agentId === undefined && !once;
}

function isPlainFunction(hook: AdmittedHook): boolean {
  return hook.target.kind === "function" && alwaysRuns(hook) && hook.sequence === undefined && !hook.isAsync;
}

function seatOf({ id, target }: AdmittedHook): Seat {
  const { handler } = target as { readonly handler?: unknown };
  return { id, handler: handler as Seat["handler"], lastText: undefined, lastAbility: undefined, lastSayer: undefined };
}
